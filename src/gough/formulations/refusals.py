"""Sentences for legs that cannot take a pose, said alike by every formulation that finds it out for itself.

Each takes what must be above zero (or above a least value), (..., n) for the legs `index`; of complex steps the
real part counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.checks import InfeasibleError
from gough.formulations.linear import Numbers

SINGULAR = 1e-12  # smallest 1 - (k.s)^2 for which a universal joint's moving axis is defined


def joints_meet(length: Numbers, index: Sequence[int]) -> None:
    """A telescopic leg of length zero."""
    _unless_above(length, index, "the platform joint meets the base joint")


def along_axis(room: Numbers, index: Sequence[int]) -> None:
    """A strut s along the first axis k of its universal joint, by ``1 - (k.s)^2``."""
    sentence = "the strut lies along the first axis of its universal joint"
    _unless_above(room, index, sentence, SINGULAR)


def far_from_rail(root: Numbers, index: Sequence[int]) -> None:
    """A slider whose link does not reach, by the square under the root of its coordinate."""
    sentence = "the link is too short to reach the platform joint from its rail"
    _unless_above(root, index, sentence)


def far_from_crank(root: Numbers, index: Sequence[int]) -> None:
    """A crank whose rod does not reach, by the square under the root of its angle."""
    sentence = "the rod does not reach from the crank to the platform joint"
    _unless_above(root, index, sentence)


def _unless_above(values: Numbers, index: Sequence[int], sentence: str, least: float = 0.0) -> None:
    bad = np.logical_not(np.real(values) > least)  # a NaN is bad too
    if bad.any():
        raise InfeasibleError(f"leg {index[int(np.nonzero(bad)[-1][0])] + 1}: {sentence}")
