"""Volume of the workspace, three ways that check each other.

    exact_volume        constant orientation, UPS and SPS legs: exact slice areas (arcs.py), adaptive Gauss-Kronrod in z
    certified_volume    cells of an octree proved inside or outside: a lower and an upper bound
    grid_volume         any legs, leg-leg distance, bodies: share of points of a fine grid (compiled where it can be)
    orientation_volume  a set of orientations on a grid: where all of them, or at least one, can be taken
All of them look at the side of the base on which the home pose lies (z = (low, high) says otherwise): the mirror
image below the base belongs to another assembly of the machine.  What is within the limits may still lie beyond a
singularity or apart from home: none of them asks; `gough.analysis.reachable_volume` does.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.arcs import Surfaces, slice_area, surfaces
from gough.analysis.points import NO_VOLUME, kernels, points_inside, rotation_or_home
from gough.checks import Array, InputError, array, number
from gough.extras import package
from gough.frozen import hinted
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import rotation_from_rpy

MOST_POINTS = 60_000_000
Range = tuple[float, float]
NOT_ASKED = "what of it can be moved to from home without a singular pose is not judged here"


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Volume:
    """A volume, m^3, with what is known about its error.

    low, high   bounds: proved (certified), or value -/+ the estimate of the quadrature (exact), or 0
                and the box (grid: it proves nothing more)
    box         (2, 3) corners of the box looked at, m;  evaluations: slices, cells or points
    method      "exact", "certified" or "grid"
    clipped     grid in a given box: the workspace reaches the box's sides, so this is only the part inside it
    """

    value: float
    low: float
    high: float
    box: Array
    evaluations: int
    method: str
    clipped: bool = False

    def sentence(self) -> str:
        """The volume in words, with what they leave out."""
        cones = "strokes and cones" if self.method != "grid" else "all limits of a pose"
        return f"{self.value:.5g} m³ within {cones}; {NOT_ASKED}"


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class OrientationVolume:
    """Workspace over a set of orientations.

    every, some  m^3 where all orientations, at least one orientation can be taken
    share        (nx, ny, nz) share of the orientations that each position allows;  x, y, z: the grid's coordinates
    Within all limits of a pose; whether these poses can be moved to without a singular one is not judged.
    """

    every: float
    some: float
    share: Array
    x: Array
    y: Array
    z: Array


def exact_volume(
    platform: Platform,
    rotation: ArrayLike | None = None,
    *,
    z: Range | None = None,
    tolerance: float = 1e-7,
) -> Volume:
    """Constant-orientation volume of strokes and cones, UPS and SPS legs; relative error about `tolerance`.

    Leg-leg distance and clearance of bodies are not part of it: see `grid_volume`.
    """
    quad_vec = package("scipy.integrate").quad_vec

    s = surfaces(platform, rotation_or_home(platform, rotation))
    box = bounds(platform, s, z)
    s = without_idle_cones(s, box)
    low, high = float(box[0, 2]), float(box[1, 2])
    if not low < high:
        return Volume(0.0, 0.0, 0.0, box, 0, "exact")
    breaks = np.concatenate(
        [s.center[:, 2] + side * r for r in (s.low, s.high) for side in (-1, 1)] + [s.tip[:, 2]]
    )
    edges = np.unique(np.concatenate([[low, high], breaks[(breaks > low) & (breaks < high)]]))
    edges = edges[np.concatenate([[True], np.diff(edges) > 1e-12 * s.size])]
    count, compiled = 0, compiled_area(s)

    def area(level: float) -> float:
        nonlocal count
        count += 1
        return compiled(level)

    found, gap = quad_vec(
        area,
        low,
        high,
        epsabs=1e-15 * s.size**3,
        epsrel=tolerance,
        points=edges[1:-1],
        quadrature="gk15",
        limit=2000,
    )[:2]
    value, error = float(found), float(gap)
    return Volume(value, value - error, value + error, box, count, "exact")


def compiled_area(s: Surfaces) -> Callable[[float], float]:
    """`slice_area` of these surfaces, compiled; where that gives no answer, the plain one."""
    if not len(s.tip):
        return lambda z: kernels().shell_area(s.center, s.low, s.high, z)
    from gough.analysis import slice_kernel

    tables = (s.center, s.low, s.high, s.tip, s.axis, np.cos(s.half), s.generators, s.size)

    def area(z: float) -> float:
        found = slice_kernel.area(*tables, z)
        return slice_area(s, z) if np.isnan(found) else found

    return area


def slice_profile(
    platform: Platform,
    rotation: ArrayLike | None = None,
    *,
    z: Range | None = None,
    levels: int = 61,
) -> tuple[Array, Array]:
    """Heights and exact areas of slices over the workspace's height, m and m^2 (UPS and SPS legs)."""
    s = surfaces(platform, rotation_or_home(platform, rotation))
    box = bounds(platform, s, z)
    s = without_idle_cones(s, box)
    heights = np.linspace(box[0, 2], box[1, 2], levels)
    area = compiled_area(s)
    return heights, np.array([area(float(h)) for h in heights])


def without_idle_cones(s: Surfaces, box: Array, depth: int = 3) -> Surfaces:
    """The same limits without the cones that are proved not to cut the shells' common part in `box`.

    A cone is idle if every cell of an octree that the shells do not exclude lies wholly inside it.
    """
    if not len(s.tip) or not (box[1] > box[0]).all():
        return s
    shells = dataclasses.replace(s, tip=s.tip[:0], axis=s.axis[:0], half=s.half[:0])
    n = 2 ** (depth + 1)
    size = (box[1] - box[0]) / n
    axes = [box[0, k] + size[k] * (np.arange(n) + 0.5) for k in range(3)]
    cells = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    half = float(np.linalg.norm(size)) / 2
    cells = cells[shells.depth(cells) > -half]
    keep = (s.cone_depths(cells) < half).any(axis=0)
    return dataclasses.replace(s, tip=s.tip[keep], axis=s.axis[keep], half=s.half[keep])


def bounds(platform: Platform, s: Surfaces, z: Range | None = None) -> Array:
    """(2, 3) corners of a box that holds the workspace: the spheres of the longest legs, cut at the base, then drawn
    in around the cells that the limits do not exclude.  Equal corners: the workspace is empty."""
    reach = s.high[:, None]
    low, high = (s.center - reach).max(axis=0), (s.center + reach).min(axis=0)
    if z is None:
        floor = platform.base_joints[:, 2].mean()
        if platform.home is None or platform.home.position[2] >= floor:
            low[2] = max(low[2], floor)
        else:
            high[2] = min(high[2], floor)
    else:
        first, last = number("z[0]", z[0]), number("z[1]", z[1])
        if not first < last:
            raise InputError("z", z, "must be (low, high) with low < high")
        low[2], high[2] = max(low[2], first), min(high[2], last)
    return _drawn_in(s, np.stack([low, np.maximum(low, high)]))


def _drawn_in(s: Surfaces, box: Array, cells: int = 12, rounds: int = 3) -> Array:
    """The hull of those cells of a grid in `box` that may hold a point of the workspace, a few times over."""
    for _ in range(rounds):
        size = (box[1] - box[0]) / cells
        if not (size > 0).all():
            return np.stack([box[0], box[0]])
        index = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(
            -1, 3
        )
        may = s.depth(box[0] + (index + 0.5) * size) > -float(np.linalg.norm(size)) / 2
        if not may.any():
            return np.stack([box[0], box[0]])
        box = np.stack(
            [box[0] + index[may].min(axis=0) * size, box[0] + (index[may].max(axis=0) + 1) * size]
        )
    return box


def certified_volume(
    platform: Platform, rotation: ArrayLike | None = None, *, z: Range | None = None, depth: int = 6
) -> Volume:
    """Bounds by an octree of `depth` levels: a cell counts as inside or outside only when that is proved.

    The signed distance to the limits changes by at most the distance moved, so a cell of half diagonal h is inside
    where the distance at its center is at least h, and outside where it is below -h.
    """
    if not 1 <= depth <= 9:
        raise InputError("depth", depth, "must be 1 to 9")
    s = surfaces(platform, rotation_or_home(platform, rotation))
    box = bounds(platform, s, z)
    side = box[1] - box[0]
    if not (side > 0).all():
        return Volume(0.0, 0.0, 0.0, box, 0, "certified")
    start = np.maximum(np.ceil(side / side.min()).astype(int), 1)
    size = side / np.minimum(start, 8)
    axes = [box[0, k] + size[k] * (np.arange(min(start[k], 8)) + 0.5) for k in range(3)]
    cells = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 4.0
    inner, count = 0.0, 0
    for level in range(depth + 1):
        count += len(cells)
        d, half = s.depth(cells), float(np.linalg.norm(size)) / 2
        inner += float((d >= half).sum()) * float(size.prod())
        cells = cells[np.abs(d) < half]
        if level < depth:
            cells = (cells[:, None, :] + corners * size).reshape(-1, 3)
            size = size / 2
    open_ = len(cells) * float(size.prod())
    return Volume(inner + open_ / 2, inner, inner + open_, box, count, "certified")


def grid_volume(
    platform: Platform,
    rotation: ArrayLike | None = None,
    *,
    box: ArrayLike | None = None,
    z: Range | None = None,
    points: int = 100,
    engine: str = "native",
) -> Volume:
    """Volume from the cell centers of a grid with `points` cells along each side of `box` (2, 3).

    All limits of the pose count, leg-leg distance and bodies too.  Without a box the legs' strokes give one (UPS, SPS).
    engine  as in `points_inside`: "cuda" judges the cells on an NVIDIA GPU, with the same answer but for
            rounding at a limit
    """
    R = rotation_or_home(platform, rotation)
    axes, cell, corners = grid_axes(platform, R, box, z, points)
    inside, clipped = 0, False
    for i, x in enumerate(axes[0]):  # one sheet at a time: memory stays small
        sheet = np.stack(np.meshgrid([x], axes[1], axes[2], indexing="ij"), axis=-1)
        found = points_inside(platform, sheet, R, engine=engine)[0]
        inside += int(found.sum())
        rim = found[[0, -1]].any() or found[:, [0, -1]].any()
        clipped = clipped or bool(rim or (i in (0, points - 1) and found.any()))
    whole = float(np.prod(corners[1] - corners[0]))
    return Volume(
        inside * cell, 0.0, whole, corners, points**3, "grid", clipped and box is not None
    )


def orientation_volume(
    platform: Platform,
    rotations: ArrayLike,
    *,
    box: ArrayLike | None = None,
    z: Range | None = None,
    points: int = 40,
    engine: str = "native",
) -> OrientationVolume:
    """Where every, or some, of the `rotations` (n, 3, 3) can be taken, on a grid with `points` cells a side.

    engine  as in `points_inside`
    """
    R = array("rotations", rotations, (3, 3)).reshape(-1, 3, 3)
    if len(R) == 0:
        raise InputError("rotations", "none", "must hold at least one rotation")
    refuse_links(platform, NO_VOLUME)
    axes, cell, _ = grid_axes(platform, R[0], box, z, points, R)
    positions = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    share = np.zeros(positions.shape[:-1])
    for one in R:
        share += points_inside(platform, positions, one, engine=engine)
    share /= len(R)
    return OrientationVolume(
        float((share > 1 - 1e-9).sum()) * cell, float((share > 0).sum()) * cell, share, *axes
    )


def grid_axes(
    platform: Platform,
    R: Array,
    box: ArrayLike | None,
    z: Range | None,
    points: int,
    all_rotations: Array | None = None,
) -> tuple[list[Array], float, Array]:
    """Cell centers along the three axes, the volume of a cell, and the box."""
    if not isinstance(points, (int, np.integer)) or points < 1 or points**3 > MOST_POINTS:
        raise InputError(
            "points", points, f"must be a whole number from 1 to {round(MOST_POINTS ** (1 / 3))}"
        )
    if box is not None:
        corners = array("box", box, (2, 3))
        if not (corners[1] > corners[0]).all():
            raise InputError("box", box, "must be two corners, low then high")
    else:
        each = [
            bounds(platform, surfaces(platform, one), z)
            for one in (R[None] if all_rotations is None else all_rotations)
        ]
        corners = np.stack(
            [np.min([b[0] for b in each], axis=0), np.max([b[1] for b in each], axis=0)]
        )
        corners[1] = np.maximum(corners[1], corners[0] + 1e-12)
    step = (corners[1] - corners[0]) / points
    return (
        [corners[0, k] + step[k] * (np.arange(points) + 0.5) for k in range(3)],
        float(step.prod()),
        corners,
    )


def orientation_set(roll: float, pitch: float, yaw: float, count: int = 3) -> Array:
    """(count^3, 3, 3) rotations: every combination of roll, pitch and yaw from -limit to +limit (rad), ends included.

    With the default `count` all of -1, 0, +1 times each limit, 27 of them: what a tilt means in every verb, turned
    about the world's axes from an orientation R as ``orientation_set(...) @ R``.  A limit of zero is one angle.
    """
    spans = [np.linspace(-abs(a), abs(a), count) if a else np.zeros(1) for a in (roll, pitch, yaw)]
    return rotation_from_rpy(np.stack(np.meshgrid(*spans, indexing="ij"), axis=-1).reshape(-1, 3))
