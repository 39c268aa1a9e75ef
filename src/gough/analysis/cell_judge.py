"""Who judges the cells of a workspace: proofs over balls (compiled), or looks at centers where legs give no bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gough.analysis.cell_bits import OTHER, SAME, WITHIN
from gough.analysis.points import points_inside
from gough.analysis.rays import no_proof
from gough.analysis.sampled_rays import signs
from gough.checks import Array
from gough.clearances import CLEARANCES, needed_clearances, plate_of
from gough.layout import LEG_GEOMETRY as LEG
from gough.limits import check, cone_axes, needed_distances
from gough.model import Platform
from gough.plates import plate_table
from gough.spatial import Pose, quaternion_from_rotation
from gough.struts import CRANK, PAIRS, SLIDER, STRUT, leg_table

BLOCK = 50_000  # centers at once
SCREWS = "legs with screws: cells are judged at their centers"
Bits = NDArray[np.uint8]


class CellJudge(Protocol):
    """What is known of cells (analysis/cell_bits.py).

    wanted     sign of the determinant at the start, 0: not known;  why: None where bits are proved, else why not
    unchecked  limits that are not looked at, in words
    """

    @property
    def wanted(self) -> int: ...
    @property
    def why(self) -> str | None: ...
    @property
    def unchecked(self) -> tuple[str, ...]: ...
    def judge(self, centers: Array, radius: float, last: bool) -> Bits:
        """(N,) of cells within `radius` of their centers (N, 3); 0: a cell must be cut, on all levels but the last."""
        ...


@dataclass(frozen=True, eq=False)
class BallJudge:
    """Proofs over balls, for struts, sliders and cranks."""

    tables: tuple[Any, ...]
    bodies: list[tuple[Any, ...]]
    middle: Array
    wanted: int
    unchecked: tuple[str, ...]
    why: None = None

    @staticmethod
    def of(platform: Platform, start: Pose) -> BallJudge | None:
        """None where the legs have screws or offset joints."""
        if not bounded(platform):
            return None
        table = leg_table(platform).copy()
        middle = platform.base_joints.mean(axis=0)
        table[:, LEG.base] -= middle
        about = start.rotation @ platform.platform_joints.mean(axis=0)
        limits = _limit_tables(platform, start.rotation)
        tables = (table, *limits, about, platform.characteristic_length)
        wanted = _sign_at(platform, table, start, start.position - middle)
        bodies = [(table, *body) for body in _bodies(platform, start.rotation, middle)]
        return BallJudge(tables, bodies, middle, wanted, check(platform, start).unchecked)

    def judge(self, centers: Array, radius: float, last: bool) -> Bits:
        """As `CellJudge` says."""
        from gough.analysis.cell_kernel import judge_cells

        out = np.empty(len(centers), dtype=np.uint8)
        points = np.ascontiguousarray(centers - self.middle)
        judge_cells(*self.tables, points, radius, self.wanted, last, out)
        if self.bodies:
            from gough.analysis.plate_kernel import judge_clearance

            for body in self.bodies:
                judge_clearance(*body, points, radius, last, out)
        return out


def bounded(platform: Platform) -> bool:
    """All legs are struts, sliders or cranks: cells are judged by proof."""
    return bool(np.isin(leg_table(platform)[:, LEG.kind], (STRUT, SLIDER, CRANK)).all())


def _limit_tables(platform: Platform, R: Array) -> tuple[Array, ...]:
    """Arms, strokes, axes and half angles of cones, pairs and their distances; what is not limited always holds."""
    base, top = cone_axes(platform)
    axes = np.stack([base, -(top @ R.T)])
    low, high, halves = np.full(6, -np.inf), np.full(6, np.inf), np.full((2, 6), np.inf)
    for i, leg in enumerate(platform.legs):
        if leg.limits.stroke is not None:
            low[i], high[i] = leg.limits.stroke
        for side, half in enumerate((leg.limits.base_cone, leg.limits.platform_cone)):
            if half is not None and not np.isnan(axes[side, i]).any():
                halves[side, i] = half
    need = needed_distances(platform)
    near = ~np.isnan(need)
    arms = np.ascontiguousarray(platform.platform_joints @ R.T)
    pairs = np.ascontiguousarray(PAIRS.T[near])
    return arms, low, high, np.nan_to_num(axes), halves, pairs, need[near]


def _bodies(platform: Platform, R: Array, middle: Array) -> list[tuple[Any, ...]]:
    """Of each body with a shape: arms, orientation, plate, whose it is, origin of base axes, radii, spared length."""
    arms = np.ascontiguousarray(platform.platform_joints @ R.T)
    out: list[tuple[Any, ...]] = []
    for kind, need in needed_clearances(platform).items():
        plate = plate_of(platform, kind)
        assert plate is not None
        rest = kind == CLEARANCES[0], middle, need, plate.spared
        out.append((arms, np.ascontiguousarray(R), tuple(plate_table(plate)), *rest))
    return out


def _sign_at(platform: Platform, table: Array, start: Pose, position: Array) -> int:
    """Proved sign of the determinant at the start, its `position` seen from the middle of the base; 0: not proved."""
    from gough.kinematics.path_intervals import sign_on

    quaternion = np.ascontiguousarray(quaternion_from_rotation(start.rotation))
    middle, size = platform.platform_joints.mean(axis=0), platform.characteristic_length
    work = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 2)), *np.empty((3, 3))
    still = np.zeros(3), quaternion, np.zeros(4)
    sign = int(sign_on(table, middle, position, *still, 0.0, 0.0, 1.0, size, *work))
    return sign if abs(sign) == 1 else 0


@dataclass(frozen=True, eq=False)
class SampleJudge:
    """Limits and the determinant's sign at the centers: nothing is proved."""

    platform: Platform
    rotation: Array
    wanted: int
    why: str
    unchecked: tuple[str, ...]

    @staticmethod
    def of(platform: Platform, start: Pose) -> SampleJudge:
        """The start's sign is that of its computed determinant."""
        one = Pose.trusted(start.position[None], start.rotation[None])
        wanted = int(signs(platform, one)[0])
        unchecked = check(platform, start).unchecked
        return SampleJudge(
            platform, start.rotation, wanted, no_proof(platform) or SCREWS, unchecked
        )

    def judge(self, centers: Array, radius: float, last: bool) -> Bits:
        """As `CellJudge` says: everything is cut down to the last level."""
        out = np.zeros(len(centers), dtype=np.uint8)
        if not last:
            return out
        inside = points_inside(self.platform, centers, self.rotation)
        out[inside] |= WITHIN
        at = np.nonzero(inside)[0]
        for k in range(0, len(at), BLOCK):
            some = at[k : k + BLOCK]
            sign = signs(self.platform, Pose(centers[some], self.rotation))
            out[some[sign == self.wanted]] |= SAME
            out[some[sign == -self.wanted]] |= OTHER
        return out
