"""The tables ``base_offset`` and ``platform_offset`` of a leg in a machine document; keys: the class's fields."""

from __future__ import annotations

from typing import Any

from gough.documents import kinds as k
from gough.documents.reader import Keyed, each
from gough.model.body import Body
from gough.model.offset import JointOffset


def offset_tables(body: Keyed[Body], *sides: str) -> dict[str, Any]:
    """Of the joints at these sides."""
    fields = {**each(k.scalar("length"), "e", "d", "f"), "cross": body}
    return each(Keyed("JointOffset", fields, JointOffset), *(f"{side}_offset" for side in sides))
