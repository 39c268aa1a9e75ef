"""After a track has lost its branch: every pose the machine may have, followed until one is left.

At a lost sample the poses are all assembly modes, if they are proved complete for lengths within `margin`
(mode_boxes.py); until then nothing is known.  From sample to sample each candidate is followed with the certificate of
`track`.  A certified step is a tube: who starts in it ends in it, and nobody else does.  So

    every candidate certified     the candidates are their ends, and nothing else
    some candidate not certified  all modes of the new sample, without the ends of modes that were excluded before

A candidate is excluded by the filters, by the extra sensors (`accept`), or because no tube leads to it.  One candidate
left is the pose of the machine: certified, though not `connected`.  No candidate left contradicts the assumptions
(lengths within `margin`, excursions as `forward.excursions` says): then nothing is known again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError
from gough.frozen import hinted
from gough.kinematics.centering import centered
from gough.kinematics.forward_results import bare_pose, flat_pose
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import leg_table

SAME = 1e-6  # of the machine's size, and rad: two poses of the same lengths, each alone in its ball


@dataclass
class Candidates:
    """flat (m, 12) poses for the kernels;  open (m,): may be the machine's, the others are proved not to be."""

    flat: Array
    open: NDArray[np.bool_]


@hinted
@dataclass(frozen=True, repr=False)
class Recovery:
    """What `track` knows: see there."""

    platform: Platform
    lam: Array
    beyond: Array
    margin: float
    whole: NDArray[np.bool_]
    filters: tuple[str, ...]
    accept: Callable[[int, Pose], ArrayLike] | None

    def run(
        self, pose: Array, info: Array, go_on: Callable[[int, int, Array], None]
    ) -> tuple[Pose | None, ...]:
        """Complete `pose` (N, 12) and `info` in place from the first loss on; the possible poses of each sample."""
        from gough.kinematics.assembly.filters import FILTERS

        for name in self.filters:
            if name not in FILTERS:
                raise InputError("filters", name, "must be among " + ", ".join(FILTERS))
        here, count = centered(self.platform), len(self.lam)
        branches: list[Pose | None] = [None] * count
        held: Candidates | None = None
        for n in np.flatnonzero(self.whole).tolist():
            if info[n, INFO.certified] == 1.0:
                branches[n] = bare_pose(here.outward(pose[n : n + 1]))
                continue
            held = self._found(n) if held is None else self._followed(n, held)
            if held is None or not self._pruned(n, held):
                held = None
                continue
            flat = held.flat[held.open]
            branches[n] = bare_pose(here.outward(flat))
            if len(flat) == 1:
                pose[n] = flat[0]
                info[n] = 0.0
                info[n, INFO.certified] = info[n, INFO.pieces] = 1.0
                info[n, INFO.residual] = self._residual(n, flat[0])
                held = None
                if n + 1 < count:
                    go_on(n + 1, count, flat[0])
        return tuple(branches)

    def _found(self, n: int) -> Candidates | None:
        """All modes of sample n, if they are proved to be all."""
        from gough.kinematics.mode_boxes import modes_within

        actuator = self.margin / leg_table(self.platform)[:, LEG.rho]
        modes = modes_within(self.platform, self.lam[n], actuator=actuator)
        if not modes.settled:
            return None
        flat = centered(self.platform).inward(flat_pose(modes.always))
        return Candidates(flat, np.ones(len(flat), dtype=bool))

    def _followed(self, n: int, held: Candidates) -> Candidates | None:
        """The candidates of the sample before, at sample n."""
        flat, proved = self._step(n, held.flat)
        if proved[held.open].all():
            return Candidates(flat[proved], held.open[proved])
        fresh = self._found(n)
        if fresh is not None:
            for gone in flat[proved & ~held.open]:
                fresh.open &= ~self._same(fresh.flat, gone)
        return fresh

    def _step(self, n: int, flat: Array) -> tuple[Array, NDArray[np.bool_]]:
        from gough.kinematics.forward_batch import track_batch

        table, scale = centered(self.platform).table, self.platform.characteristic_length
        out, info = np.empty((len(flat), 1, POSE.size)), np.zeros((len(flat), 1, INFO.size))
        lam, beyond = self.lam[n : n + 1], self.beyond[n : n + 1]
        for k, begin in enumerate(flat):
            track_batch(table, lam, begin, scale, self.margin, beyond, out[k], info[k])
        return out[:, 0], info[:, 0, INFO.certified] == 1.0

    def _same(self, flat: Array, one: Array) -> NDArray[np.bool_]:
        unit = np.ones(POSE.size)
        unit[POSE.position] = self.platform.characteristic_length
        return (np.abs(flat - one) / unit).max(axis=1) < SAME

    def _pruned(self, n: int, held: Candidates) -> bool:
        """Close what filters and sensors exclude; False if nothing is left."""
        from gough.kinematics.assembly.filters import admitted

        poses = bare_pose(centered(self.platform).outward(held.flat))
        for name in self.filters if len(held.flat) else ():
            held.open &= admitted(name, self.platform, poses, self.lam[n])
        if self.accept is not None and held.open.any():
            told = np.asarray(self.accept(n, poses[held.open]))
            if told.dtype != bool or told.shape != (int(held.open.sum()),):
                raise InputError("accept", told, "must return one truth value for each pose")
            held.open[held.open] = told
        return bool(held.open.any())

    def _residual(self, n: int, flat: Array) -> float:
        from gough.struts import anchors, joints

        world = bare_pose(centered(self.platform).outward(flat))
        c, l = anchors(self.platform, self.lam[n])
        return float(np.abs(np.linalg.norm(joints(self.platform, world)[1] - c, axis=-1) - l).max())
