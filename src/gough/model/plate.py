"""The outer shape of the platform or the base, as far as legs could touch it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gough.checks import Array, Checked, InputError, array, not_negative, number, optional, positive
from gough.frozen import hinted
from gough.plates import turning


def _outline(field: str, value: Any) -> Array:
    corners = array(field, value)
    if corners.ndim != 2 or corners.shape[1:] != (2,) or not 3 <= len(corners) <= MOST_CORNERS:
        raise InputError(field, value, f"must be 3 to {MOST_CORNERS} corners, x and y each")
    edge = np.roll(corners, -1, axis=0) - corners
    after = np.roll(edge, -1, axis=0)
    turn = (edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]) * np.sign(turning(corners))
    sizes = np.sqrt((edge * edge).sum(axis=1) * (after * after).sum(axis=1))
    whole = np.abs(np.arctan2(turn, (edge * after).sum(axis=1)).sum())
    if not (turn > STRAIGHT * sizes).all() or whole > 3.0 * np.pi:
        allowed = "must be the corners of a convex polygon in order, no three on a line"
        raise InputError(field, value, allowed)
    return corners


def _center(field: str, value: Any) -> Array:
    center = array(field, value)
    if center.shape != (2,):
        raise InputError(field, value, "must be two numbers, x and y")
    return center


MOST_CORNERS = 100
STRAIGHT = 1e-9  # sine of the least turn at a corner


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Plate(Checked):
    """An upright cylinder or a convex prism that no leg may touch: platform or base, in its own axes, solid.

    bottom, top  heights of its two flat sides along z, m
    radius       of a cylinder, m;  center: (2,) x and y of its axis, m
    outline      (n, 2) instead: corners of a convex polygon in order, either way round, x and y, m
    spared       length of every leg from its own joint on this body that is not judged (joints, brackets), m; a leg
                 shorter than that is judged at its other end

    A leg is a round rod of its `Limits.radius` about its strut: it must stay that far from the plate.
    """

    bottom: float
    top: float
    radius: float | None = None
    center: Array = field(default_factory=lambda: np.zeros(2))
    outline: Array | None = None
    spared: float = 0.0

    CHECKS: ClassVar = {
        **dict.fromkeys(("bottom", "top"), number),
        "radius": optional(positive),
        "center": _center,
        "outline": optional(_outline),
        "spared": not_negative,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.bottom < self.top:
            raise InputError("top", self.top, f"must be above bottom, {self.bottom:g}")
        if (self.radius is None) == (self.outline is None):
            raise InputError("outline", self.outline, "give either radius or outline")
        if self.radius is None and np.any(self.center):
            raise InputError("center", self.center, "belongs to a cylinder; an outline has its own")
