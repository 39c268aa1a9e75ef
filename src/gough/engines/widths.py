"""How many states and columns a batch kernel moves at once (`block_moves`)."""

from __future__ import annotations

SIDE = 8  # states that are moved at once
STRIP = 4  # columns of the narrow pieces
