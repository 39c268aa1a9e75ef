"""Which limits of which legs are broken or nearly met, as whole numbers that a page colors by.

Bit k of a number stands for kind k of `gough.limits.KINDS`: broken where its margin is below 0, near where it is from 0
to below `NEAR`.  Both judge the margins of `gough.limits.check` alone, sample by sample; they prove nothing in between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.limits import KINDS, LimitCheck

NEAR = 0.05  # margin below which a limit is shown as near


def limit_marks(limits: LimitCheck) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(..., 6) broken and near, bits of `KINDS`; a leg without a limit has no bit of it."""
    broken = np.zeros(limits.leg_margin.shape, dtype=np.intp)
    near = np.zeros_like(broken)
    for bit, kind in enumerate(KINDS):
        margin = limits.margin[kind]
        with np.errstate(invalid="ignore"):
            broken |= (margin < 0.0).astype(np.intp) << bit
            near |= ((margin >= 0.0) & (margin < NEAR)).astype(np.intp) << bit
    return broken, near
