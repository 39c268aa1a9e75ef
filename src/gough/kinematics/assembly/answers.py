"""What `assembly_modes` answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough import status
from gough.checks import Array, rich
from gough.frozen import hinted
from gough.kinematics.forward import bare_pose
from gough.layout import POSE
from gough.spatial import Pose

NOWHERE = bare_pose(np.zeros((0, POSE.size)))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Cluster:
    """Solutions that merge at or near a singularity and cannot be told apart.

    pose          where, if the middle of the cluster is real to within its spread, else None
    multiplicity  how many solutions meet there;   spread  their relative distance
    """

    pose: Pose | None
    multiplicity: int
    spread: float


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class AssemblyModes:
    """Answer of `assembly_modes`.

    poses       the real poses, highest first; those removed by filters are not among them
    count       finite complex solutions found, clusters with their multiplicity
    expected    finite complex solutions of this geometry for general lengths; 0 where the machine is singular in every
                pose, or where two legs alone contradict each other and complex solutions were not looked for
    complete    as many solutions as the geometry has, closed under conjugation, each proved real or not real: no pose
                is missing.  Two solutions that merge in a regular fold may be among them (clusters)
    certified   complete, and every solution proved (Newton-Kantorovich) and proved distinct from the others
    clusters    groups of solutions near a singularity that could not be separated
    at_infinity solutions that left for infinity at just these lengths
    undecided   solutions that are proved but neither proved real nor proved complex; they are not among the poses
    dimension   of a continuum of poses with these lengths (the machine moves with its legs locked), by numerical
                evidence, 0 where none was found;   continuum  some real poses on it
    residual    largest leg error of each pose, m
    on_branch   (n,) PUS and RUS: the pose is on every leg's own `assembly` or `elbow` branch
    joined      (n,) with the filter "aspect": proved to be joined to home without a singularity; False: open, neither
                joined nor separated is proved
    removed     number of real poses removed, by filter
    reason      Status: a sentence, its code "ok" where `complete`
    """

    poses: Pose
    count: int
    expected: int
    complete: bool
    certified: bool
    clusters: tuple[Cluster, ...] = ()
    at_infinity: int = 0
    residual: Array = field(default_factory=lambda: np.zeros(0))
    on_branch: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    removed: dict[str, int] = field(default_factory=dict)
    reason: status.Status = status.OK
    undecided: int = 0
    dimension: int = 0
    continuum: Pose = field(default_factory=lambda: NOWHERE)
    joined: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __len__(self) -> int:
        return len(self.poses.position)

    def _repr_html_(self) -> str:
        return rich("modes_html", self)

    def __repr__(self) -> str:
        proved = "certified" if self.certified else "complete" if self.complete else "not complete"
        lines = [f"<AssemblyModes: {len(self)} real poses, {proved}; {self.reason}"]
        for t, q in zip(self.poses.position, np.atleast_2d(self.poses.quaternion), strict=True):
            lines.append(f"  position {_few(t)} m, quaternion {_few(q)}")
        for k, proved in enumerate(self.joined.tolist(), 1):
            lines[k] += ", in the aspect of home" if proved else ", its aspect is open"
        return "\n".join(lines) + ">"


def _few(values: Array) -> str:
    return "(" + ", ".join(f"{x + 0.0:.6g}" for x in np.round(values, 12)) + ")"


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of N problems, in their order; those that the compiled call has settled are made when they are asked for.

    expected   solutions of the settled ones, all proved;   others   the answers that are not settled, by their index
    number (N,) of real poses, those of rows (., 12) from first (N,) on;   residual (.,), m
    """

    expected: int
    number: NDArray[np.int64]
    first: NDArray[np.int64]
    rows: Array
    residual: Array
    others: dict[int, AssemblyModes]

    @classmethod
    def of(cls, answers: Sequence[AssemblyModes]) -> Answers:
        """Answers that are there already."""
        none, rows = np.zeros(len(answers), dtype=np.int64), np.zeros((0, POSE.size))
        return cls(0, none, none, rows, rows[:, 0], dict(enumerate(answers)))

    def one(self, i: int) -> AssemblyModes:
        """The answer to problem i."""
        if i in self.others:
            return self.others[i]
        n, total = int(self.number[i]), self.expected
        said = status.Status("ok", f"{total} of {total} finite solutions proved and distinct")
        on_branch = np.ones(n, dtype=bool)
        at = slice(int(self.first[i]), int(self.first[i]) + n)
        poses, residual = bare_pose(self.rows[at]), self.residual[at]
        return AssemblyModes(
            poses, total, total, True, True, residual=residual, on_branch=on_branch, reason=said
        )

    def column(self, settled: Any, of: Callable[[AssemblyModes], Any]) -> NDArray[Any]:
        """(N,) `settled`, but what `of` says about the others."""
        values = np.array(np.broadcast_to(settled, self.number.shape))
        for i, other in self.others.items():
            values[i] = of(other)
        return values


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class AssemblyModesBatch:
    """Answers of `assembly_modes` for many sets of lengths, in their order: ``batch[i]`` is an `AssemblyModes`.

    count, expected, complete, certified   as there, with the batch axes of the lengths;   number   of real poses
    found: all answers in a row;   index: which of them, with the batch axes
    """

    found: Answers
    index: NDArray[np.int64]

    @property
    def answers(self) -> NDArray[np.object_]:
        """All of them as an array of objects."""
        each = np.empty(self.index.size, dtype=object)
        each[:] = [self.found.one(i) for i in self.index.ravel().tolist()]
        return each.reshape(self.index.shape)

    def __getitem__(self, index: object) -> AssemblyModes | AssemblyModesBatch:
        at = self.index[index]  # type: ignore[index]
        return AssemblyModesBatch(self.found, at) if np.ndim(at) else self.found.one(int(at))

    def __len__(self) -> int:
        return len(self.index)

    def __repr__(self) -> str:
        n = self.index.size
        return (
            f"<AssemblyModesBatch {self.index.shape}: {int(self.complete.sum())} of {n} complete>"
        )

    @property
    def count(self) -> NDArray[np.int64]:
        """Solutions found."""
        return self.found.column(self.found.expected, lambda one: one.count)[self.index]

    @property
    def expected(self) -> NDArray[np.int64]:
        """Solutions that the geometry has."""
        return self.found.column(self.found.expected, lambda one: one.expected)[self.index]

    @property
    def complete(self) -> NDArray[np.bool_]:
        """No pose is missing."""
        return self.found.column(True, lambda one: one.complete)[self.index]

    @property
    def certified(self) -> NDArray[np.bool_]:
        """Complete, and no two solutions merge."""
        return self.found.column(True, lambda one: one.certified)[self.index]

    @property
    def number(self) -> NDArray[np.int64]:
        """Real poses after the filters."""
        return self.found.column(self.found.number, len)[self.index]
