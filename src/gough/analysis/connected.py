"""How much of the workspace at one orientation can be moved to: the part joined with home, free of singularities.

Cells of an octree are judged by proofs over balls (analysis/cell_kernel.py).  Then, on the finest grid,

    low    cells all of which is within the limits and regular; two that share a face are joined.  Those joined with
           the start are reachable, every point of them: proved
    high   cells that are not proved to hold no such pose; a motion at this orientation goes through neighbors among
           them (by face, edge or corner), so nothing outside of those joined with the start's is joined with it: proved
    value  cells whose centers are within the limits and on the start's side, joined by faces: between two centers
           nothing is looked at, so this is an estimate, between low and high
    beyond cells whose centers are within the limits, and the determinant's sign there is proved to be the other one:
           no motion at all leads there without a singular pose of the machine or a leg (analysis/reachable.py)
    apart  the rest of the cells whose centers are within the limits: not joined at this orientation (turning on the
           way is not ruled out), or the sign is not proved
A part is joined with a start that lies outside of its cells (home at the end of a stroke) where the straight way from
the start to one of its centers is proved free (analysis/rays.py).
Judged are what `gough.reach` judges: reach, strokes, cones, leg-leg distances, singularities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis.arcs import surfaces
from gough.analysis.cell_bits import OTHER, PROVED_IN, PROVED_OUT, SAME, SIGN_ALL, WITHIN
from gough.analysis.cell_judge import BallJudge, CellJudge, SampleJudge
from gough.analysis.cell_surface import Mesh, cell_surface
from gough.analysis.points import NO_VOLUME
from gough.analysis.rays import first_stops
from gough.analysis.reachable import reach
from gough.analysis.volume import Range, bounds
from gough.analysis.ways import Rays
from gough.checks import Array, InfeasibleError, InputError, array
from gough.extras import package
from gough.frozen import hinted
from gough.links import refuse_links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose
from gough.struts import lengths_only

OUTSIDE, BEYOND, APART, REACHED, PROVED = range(5)
FIRST_LEVEL = 3
ROUNDS = 3  # of drawing in the box
MOST_WAYS = 6  # parts whose way from the start is asked for, the largest ones
SMALL = 1e-3  # of all cells: smaller parts are asked for only while none is joined
FACES = np.zeros((3, 3, 3), dtype=bool)
FACES[1, 1], FACES[1, :, 1], FACES[:, 1, 1] = True, True, True
TOUCHING = np.ones((3, 3, 3), dtype=bool)
Flags = NDArray[np.bool_]


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ReachableVolume(Result):
    """The part of a constant-orientation workspace that is joined with the start, m^3.

    value      cells whose centers are joined with the start: an estimate
    low, high  proved bounds of the part joined with the start at this orientation
    plain      all cells whose centers are within the limits: value + beyond + apart
    beyond     of these, beyond a singularity: proved at their centers
    apart      of these, neither
    box        (2, 3) corners, m, of what was looked at: drawn in around what is not proved to be outside the limits
    start      the pose from which
    from_home  is the start proved to be reached from home?  None: not proved
    cells      (n, n, n) `OUTSIDE`, `BEYOND`, `APART`, `REACHED` by its center, `PROVED` in all of the cell
    proved     None: the bounds are proved; else why low is 0 and high the box's
    unchecked  limits that could not be checked: what is proved is so without them
    """

    value: float
    low: float
    high: float
    plain: float
    beyond: float
    apart: float
    box: Array
    start: Pose
    from_home: bool | None
    cells: NDArray[np.uint8]
    proved: str | None
    unchecked: tuple[str, ...]

    @property
    def share(self) -> float:
        """value/plain; NaN where nothing is within the limits."""
        return self.value / self.plain if self.plain > 0.0 else np.nan

    def surface(self, proved: bool = True) -> Mesh:
        """The surface of the cells that are proved reachable, or of all whose centers are joined (`value`)."""
        return cell_surface(self.cells >= (PROVED if proved else REACHED), self.box)

    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        name = "home" if self.from_home else "the start"
        said = [f"{self._part(self.value)} joined with {name} without turning; {self._bounds()}"]
        if self.beyond > 0.0:
            passes = (
                f"every motion from {name} there passes a singular pose of the machine or a leg"
            )
            known = "the other sign of the determinant, not proved" if self.proved else passes
            said.append(f"{self._part(self.beyond)} beyond a singularity: {known}")
        if self.apart > 0.0:
            said.append(
                f"{self._part(self.apart)} within the limits and not found joined; turning on the way is not ruled out"
            )
        if not self.from_home:
            said.append("that the start can be moved to from home is not proved")
        return (*said, *self.unchecked)

    def _part(self, volume: float) -> str:
        share = 100 * volume / self.plain if self.plain > 0.0 else 0.0
        return f"{volume:.5g} m³ of {self.plain:.5g} m³ ({share:.3g} %), counted at the centers of cells, are"

    def _bounds(self) -> str:
        if self.proved is not None:
            return f"nothing of it is proved: {self.proved}"
        return f"proved: at least {self.low:.5g} m³ and at most {self.high:.5g} m³ are"


def reachable_volume(
    platform: Platform,
    start: Pose | None = None,
    *,
    box: ArrayLike | None = None,
    z: Range | None = None,
    depth: int = 6,
) -> ReachableVolume:
    """Volume of the workspace at the orientation of `start` (default: home) that is joined with it, m^3.

    box    (2, 3) corners of what is looked at; without one the legs' strokes give it (legs driven along their length),
           on the side of the base on which home lies, or between the heights z = (low, high)
    depth  2^depth cells along each side of the box
    """
    if not 1 <= depth <= 8:
        raise InputError("depth", depth, "must be 1 to 8")
    refuse_links(platform, NO_VOLUME)
    begin = platform.home if start is None else start
    if begin is None:
        raise InputError("start", None, "must be given: the machine has no home pose")
    if begin.shape != ():
        raise InputError("start", f"shape {begin.shape}", "must be a single pose")
    come = reach(platform, begin)
    if not come.within:
        raise InfeasibleError(f"the start itself is refused: {come.sentences[0]}")
    corners, open_sides = _box(platform, begin, box, z)
    judge = judge_of(platform, begin)
    if judge.wanted == 0:
        raise InfeasibleError("the start is singular, or too nearly for a proof: it has no side")
    from_home = True if start is None else come.reachable
    if not (corners[1] > corners[0]).all():  # nothing is within the strokes
        cells, most = np.zeros((1, 1, 1), dtype=np.uint8), np.zeros((1, 1, 1), dtype=bool)
    else:
        corners, open_sides = drawn_in(judge, corners, open_sides)
        bits = _judged_cells(judge, corners, depth)
        cells, most = _classes(platform, begin, bits, corners, open_sides)
    cell = float(((corners[1] - corners[0]) / cells.shape[0]).prod())
    count = [cell * float((cells == k).sum()) for k in range(5)]
    value = count[REACHED] + count[PROVED]
    low, high = count[PROVED], cell * float(most.sum())
    plain = value + count[BEYOND] + count[APART]
    parts = plain, count[BEYOND], count[APART]
    return ReachableVolume(
        value, low, high, *parts, corners, begin, from_home, cells, judge.why, judge.unchecked
    )


def judge_of(platform: Platform, start: Pose) -> CellJudge:
    """Who judges cells at the orientation of `start`: by proof where the legs allow it."""
    proof = BallJudge.of(platform, start)
    return SampleJudge.of(platform, start) if proof is None else proof


def _box(
    platform: Platform, start: Pose, box: ArrayLike | None, z: Range | None
) -> tuple[Array, Flags]:
    """(2, 3) corners, and on which sides the workspace may go on."""
    if box is not None:
        corners = array("box", box, (2, 3))
        if not (corners[1] > corners[0]).all():
            raise InputError("box", box, "must be two corners, low then high")
        return corners, np.ones((2, 3), dtype=bool)
    if not lengths_only(platform):
        allowed = "must be given: only legs driven along their length (UPS, SPS, UCU) give one"
        raise InputError("box", None, allowed)
    ends = np.zeros((2, 3), dtype=bool)
    ends[:, 2] = True  # cut at the base, or at z
    return bounds(platform, surfaces(platform, start.rotation), z), ends


def drawn_in(judge: CellJudge, box: Array, open_sides: Flags) -> tuple[Array, Flags]:
    """The box around those of its cells that are not proved to be outside the limits; a side that moved is closed."""
    n = 2**FIRST_LEVEL
    index = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    for _ in range(ROUNDS):
        size = (box[1] - box[0]) / n
        radius = 0.5 * float(np.linalg.norm(size)) * (1.0 + 1e-12)
        left = index[judge.judge(box[0] + (index + 0.5) * size, radius, False) != PROVED_OUT]
        if not len(left):
            break
        low, high = left.min(axis=0), left.max(axis=0) + 1
        open_sides = open_sides & ~np.stack([low > 0, high < n])
        box = np.stack([box[0] + low * size, np.where(high < n, box[0] + high * size, box[1])])
    return box, open_sides


def _judged_cells(judge: CellJudge, box: Array, depth: int) -> NDArray[np.uint8]:
    """(n, n, n) bits of the finest cells: an octree whose undecided cells are cut in eight."""
    level = min(FIRST_LEVEL, depth)
    eight = np.stack(np.meshgrid(*[[0, 1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    n = 2**level
    index = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    bits = np.zeros((n, n, n), dtype=np.uint8)
    while True:
        size = (box[1] - box[0]) / bits.shape[0]
        radius = 0.5 * float(np.linalg.norm(size)) * (1.0 + 1e-12)
        found = judge.judge(box[0] + (index + 0.5) * size, radius, level == depth)
        bits[tuple(index.T)] = found
        if level == depth:
            return bits
        index = (2 * index[found == 0][:, None, :] + eight).reshape(-1, 3)
        bits = bits.repeat(2, axis=0).repeat(2, axis=1).repeat(2, axis=2)
        level += 1


def _classes(
    platform: Platform, start: Pose, bits: NDArray[np.uint8], box: Array, open_sides: Flags
) -> tuple[NDArray[np.uint8], Flags]:
    """What each cell is, and those that may hold something that is joined with the start."""
    within, same = (bits & WITHIN) > 0, (bits & SAME) > 0
    whole = ((bits & PROVED_IN) > 0) & ((bits & SIGN_ALL) > 0) & same
    sure = _joined(platform, start, whole, box)
    seen = _joined(platform, start, within & same, box, sure)
    never = ((bits & PROVED_OUT) > 0) | (((bits & SIGN_ALL) > 0) & ((bits & OTHER) > 0))
    cells = np.full(bits.shape, OUTSIDE, dtype=np.uint8)
    cells[within] = APART
    cells[within & ((bits & OTHER) > 0)] = BEYOND
    cells[seen] = REACHED
    cells[sure] = PROVED
    return cells, _perhaps_joined(start, ~never, box, open_sides)


def _labels(cells: Flags, neighbors: Flags) -> tuple[NDArray[np.intp], int]:
    label = package("scipy.ndimage").label

    found: Any = label(cells, structure=neighbors)
    return found[0], int(found[1])


def _cell_of(start: Pose, box: Array, shape: tuple[int, ...]) -> NDArray[np.intp] | None:
    """Index of the cell that holds the start; None: it is outside the box."""
    at = (start.position - box[0]) / (box[1] - box[0])
    if not ((at >= 0.0) & (at <= 1.0)).all():
        return None
    return np.minimum(np.floor(at * shape).astype(np.intp), np.array(shape) - 1)


def _joined(
    platform: Platform, start: Pose, cells: Flags, box: Array, known: Flags | None = None
) -> Flags:
    """The parts of `cells` (joined by faces) that are joined with the start.

    By its own cell, by a part that is `known` to be joined, or by a straight way to a center, which must be free
    (proved, where the legs give bounds).
    """
    label, count = _labels(cells, FACES)
    if not count:
        return cells
    have = np.zeros(count + 1, dtype=bool)
    at = _cell_of(start, box, cells.shape)
    if at is not None:
        have[label[tuple(at)]] = True
    if known is not None:
        have[np.unique(label[known])] = True
    have[0] = False
    many = np.bincount(label.ravel(), minlength=count + 1)
    many[have] = many[0] = 0
    least = SMALL * float(cells.sum()) if have.any() else 0.0
    asked = [k for k in np.argsort(-many)[:MOST_WAYS].tolist() if many[k] > least]
    if asked:
        size = (box[1] - box[0]) / np.array(cells.shape)
        nearest = [_nearest(label == k, start, box[0], size) for k in asked]
        ends = first_stops(platform, _ways(start, np.array(nearest)))
        have[[k for k, end in zip(asked, ends, strict=True) if end.whole]] = True
    return have[label]


def _nearest(part: Flags, start: Pose, corner: Array, size: Array) -> Array:
    """The center of a part's cell that is nearest to the start."""
    centers = corner + (np.argwhere(part) + 0.5) * size
    return centers[((centers - start.position) ** 2).sum(axis=1).argmin()]


def _ways(start: Pose, ends: Array) -> Rays:
    """Straight ways from the start to positions `ends` (n, 3), without turning."""
    n = len(ends)
    first = Pose.trusted(np.tile(start.position, (n, 1)), np.tile(start.rotation, (n, 1, 1)))
    one, none = np.ones(n), np.zeros((n, 3))
    return Rays(first, none, ends - start.position, first.position, one, one)


def _perhaps_joined(start: Pose, cells: Flags, box: Array, open_sides: Flags) -> Flags:
    """The parts of `cells` (joined where they touch) that hold the start or a neighbor of its cell; a motion may also
    leave the box by an open side and come in again by another."""
    label, count = _labels(cells, TOUCHING)
    have = np.zeros(count + 1, dtype=bool)
    at = _cell_of(start, box, cells.shape)
    if at is not None:
        near = tuple(slice(max(i - 1, 0), i + 2) for i in at.tolist())
        have[np.unique(label[near])] = True
    rim = np.zeros(count + 1, dtype=bool)
    for axis in range(3):
        for end in range(2):
            if open_sides[end, axis]:
                rim[np.unique(label.take(-end, axis=axis))] = True
    have[0] = rim[0] = False
    if at is None or (have & rim).any():
        have |= rim
    return have[label]
