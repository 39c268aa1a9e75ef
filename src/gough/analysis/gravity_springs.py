"""Springs beside the actuators that bear the weight: chosen by a convex problem, judged over the whole box.

A spring of stiffness k and rest length l0 in parallel with the actuator of a leg (`gough.simulation.Springs`) leaves it

    u(x) = F(x) + k l(x) - c,        c = k l0        F effort at rest, l coordinate, at the pose x
which is linear in (k, c).  Over a set of poses, leg by leg, with ``k_low <= k <= k_high``:

    "peak"   min max |u|   a linear program              "rms"   min sum u^2   least squares with bounds
Both have no other minimum than the one that is found.  It is that of the poses (27 positions times 27 orientations of
the box): of all poses of the box another spring may be the best.  What the chosen ones leave at most anywhere in the
box is proved (analysis/effort_bounds.py).  A force that does not change with the length is approached by a soft spring
far from its rest: `softest` bounds how far.  Springs push and pull alike here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.effort_bounds import BoxOfPoses, WorstEffort, worst_effort
from gough.checks import Array, InputError
from gough.dynamics import inverse_dynamics
from gough.extras import package
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.links import refuse_links
from gough.model import CRANKS, Platform
from gough.results import Result
from gough.spatial import Pose

WISHES = ("peak", "rms")
NUMBERS = ("stiffness", "rest", "peak_before", "peak_after", "rms_before", "rms_after")
FARTHEST = 10.0  # softest springs: their force at rest of the largest effort needs so many lengths (of cranks: rad)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class SpringChoice(Result):
    """Springs of the six legs and what they leave to the actuators.

    stiffness, rest  (6,) N/m and m (N m/rad and rad for cranks): `gough.simulation.Springs(stiffness, rest)` is what
                     `simulate` takes
    peak_before, peak_after, rms_before, rms_after  (6,) efforts at rest at the poses, N (N m)
    before, after    the largest efforts anywhere in the box, proved; None where that was not asked for
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    stiffness: Array
    rest: Array
    peak_before: Array
    peak_after: Array
    rms_before: Array
    rms_after: Array
    poses: int
    before: WorstEffort | None
    after: WorstEffort | None

    def sentences(self) -> tuple[str, ...]:
        """Leg by leg."""
        out = [
            f"{name}: {self.stiffness[i]:.5g} {unit}/{_along(unit)}, at rest at {self.rest[i]:.5g} {_along(unit)}: "
            f"{self.peak_before[i]:.5g} {unit} become {self.peak_after[i]:.5g} {unit} at {self.poses} poses"
            for i, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
        ]
        if self.after is not None:
            out += [f"with springs, anywhere: {said}" for said in self.after.sentences()]
        return tuple(out)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        legs = [
            {"name": name, "effort_unit": unit, "coordinate_unit": _along(unit)}
            | {key: float(getattr(self, key)[i]) for key in NUMBERS}
            for i, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
        ]
        proved = {"before": self.before, "after": self.after}
        return {"legs": legs, "poses": self.poses} | {
            key: None if value is None else value.as_dict() for key, value in proved.items()
        }


def _along(effort: str) -> str:
    """Unit of the coordinate along which an effort acts."""
    return "rad" if effort == "N m" else "m"


def choose_springs(
    platform: Platform,
    box: ArrayLike,
    tilt: ArrayLike = (0.0, 0.0, 0.0),
    *,
    at: Pose | None = None,
    wish: str = "peak",
    softest: float | None = None,
    stiffest: float | None = None,
    prove: bool = True,
    tolerance: float = 0.02,
    boxes: int = 600,
) -> SpringChoice:
    """Springs beside the actuators of all six legs that make the efforts at rest small over a box of poses.

    box, tilt, at       as of `gough.analysis.worst_effort`
    wish                "peak" or "rms": which effort of each leg shall be smallest
    softest, stiffest   bounds of the stiffness, N/m (N m/rad for cranks); default: as soft as `FARTHEST` says, and none
    prove               also bound the efforts over the whole box, before and after, by `worst_effort`
    """
    if wish not in WISHES:
        raise InputError("wish", wish, f"must be one of {', '.join(WISHES)}")
    refuse_links(platform, "springs are not chosen")
    place = BoxOfPoses.of(platform, box, tilt, at)
    levels = [(-1.0, 0.0, 1.0) if h > 0.0 else (0.0,) for h in place.half]
    poses = place.pose(place.middle + np.array(list(product(*levels))) * place.half)
    force = inverse_dynamics(platform, poses).force
    length = inverse_kinematics(platform, poses).length
    chosen = [_spring(force[:, i], length[:, i], wish, softest, stiffest) for i in range(6)]
    k, rest = np.array(chosen).T
    left = force + k * (length - rest)
    units = tuple("N m" if isinstance(leg, CRANKS) else "N" for leg in platform.legs)
    before, after = None, None
    if prove:
        more: dict[str, Any] = {"at": at, "tolerance": tolerance, "boxes": boxes}
        before = worst_effort(platform, box, tilt, **more)
        after = worst_effort(platform, box, tilt, stiffness=k, rest=rest, **more)
    (peak_before, peak_after), (rms_before, rms_after) = (
        [np.abs(x).max(axis=0) for x in (force, left)],
        [np.sqrt((x * x).mean(axis=0)) for x in (force, left)],
    )
    found = k, rest, peak_before, peak_after, rms_before, rms_after
    return SpringChoice(platform.leg_names, units, *found, len(force), before, after)


def _spring(
    F: Array, length: Array, wish: str, softest: float | None, stiffest: float | None
) -> tuple[float, float]:
    """Stiffness and rest length of one leg, scaled to numbers of size one."""
    scale, far = float(np.abs(F).max()), float(np.abs(length).max()) or 1.0
    if scale == 0.0:
        return 0.0, 0.0
    unit = scale / far
    low = 1.0 / FARTHEST if softest is None else softest / unit
    high = np.inf if stiffest is None else stiffest / unit
    if not 0.0 < low <= high:
        raise InputError("softest", softest, "must be positive and not above stiffest")
    y, x = F / scale, length / far
    if wish == "rms":
        lsq_linear = package("scipy.optimize").lsq_linear

        top = high if np.isfinite(high) and high > low else max(2.0 * low, 1e9)
        rows = np.stack([x, -np.ones_like(x)], axis=1)
        found = lsq_linear(rows, -y, bounds=([low, -np.inf], [top, np.inf]), tol=1e-12)
        k, c = found.x
    else:
        linprog = package("scipy.optimize").linprog

        ones = np.ones_like(x)
        above = np.stack([x, -ones, -ones], axis=1)  # y + k x - c <= t
        below = np.stack([-x, ones, -ones], axis=1)
        limits = [(low, None if np.isinf(high) else high), (None, None), (0.0, None)]
        sides = np.concatenate([-y, y])
        found = linprog([0.0, 0.0, 1.0], np.concatenate([above, below]), sides, bounds=limits)
        if not found.success:
            raise InputError("box", F.shape, f"the linear program ended with: {found.message}")
        k, c, _ = found.x
    return float(k * unit), float(c * scale / (k * unit))
