"""Which limits of which legs are broken or nearly met, as whole numbers that a page colors by.

Bit k of a number stands for kind k of `gough.limits.KINDS`: broken where its margin is below 0, near where it is from 0
to below `NEAR`.  Both judge the margins of `gough.limits.check` alone, sample by sample; they prove nothing in between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.limits import KINDS, LimitCheck

BITS = np.array([1 << bit for bit in range(len(KINDS))], dtype=np.intp)
NEAR = 0.05  # margin below which a limit is shown as near


def limit_marks(limits: LimitCheck) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(..., 6) broken and near, bits of `KINDS`; a leg without a limit has no bit of it."""
    margin = np.stack([limits.margin[kind] for kind in KINDS], axis=-1)  # NaN: no such limit
    below = margin < 0.0
    return below @ BITS, ((margin < NEAR) & ~below) @ BITS
