"""What `forward_kinematics` and `track` answer, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough import status
from gough.checks import Array, rich
from gough.frozen import hinted
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import POSE
from gough.spatial import Pose

BAD = 5  # kernel code: the input is not numbers it can work with
HINTED = 6  # added to a code: the lengths look like millimeters
_PLAIN = (
    status.CONVERGED,
    status.NO_CONVERGENCE,
    status.SINGULAR,
    status.UNREACHABLE,
    status.WRONG_BRANCH,
    status.NO_SAMPLE,
)
MILLIMETERS = "the lengths look like millimeters: give meters"
_STATUS = (*_PLAIN, *(status.Status(s.code, f"{s}; {MILLIMETERS}") for s in _PLAIN))


def bare_pose(flat: Array) -> Pose:
    """A Pose from (..., 12) kernel rows without the checks at the border; rows of NaN mark failures."""
    return Pose.trusted(
        flat[..., POSE.position], flat[..., POSE.rotation].reshape(*flat.shape[:-1], 3, 3)
    )


def flat_pose(pose: Pose) -> Array:
    """(..., 12) rows t, R of the kernels."""
    R = pose.rotation
    return np.concatenate([pose.position, R.reshape(*R.shape[:-2], 9)], axis=-1)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ForwardKinematics:
    """Answer of `forward_kinematics`; every array has the batch axes of the lengths.

    pose        NaN where the status is not CONVERGED
    status      Status (an object array for a batch), its value is a sentence
    iterations  Newton steps;   residual  largest |leg error|, m
    certified   True: proved to be the one pose connected to the guess, without singularity, for every leg
                motion in the box around the guess's legs (certificate.py)
    straight    True: proved connected to the guess for the straight motion of the legs, in `pieces`; what the legs did
                on the way may differ: only `certified` covers that
    proof       which of them, or why none, in a sentence
    """

    flat: Array
    info: Array

    @cached_property
    def pose(self) -> Pose:
        """The platform pose."""
        return bare_pose(self.flat)

    @property
    def status(self) -> Any:
        """Status of each problem."""
        codes = self.info[..., INFO.status].astype(int)
        return _STATUS[int(codes)] if codes.ndim == 0 else np.array(_STATUS, dtype=object)[codes]

    @property
    def success(self) -> Any:
        """True where a pose was found."""
        return self.info[..., INFO.status] == 0.0

    @property
    def iterations(self) -> Any:
        """Newton steps taken."""
        return self.info[..., INFO.iterations].astype(int)[()]

    @property
    def residual(self) -> Any:
        """Largest leg error, m."""
        return self.info[..., INFO.residual]

    @property
    def certified(self) -> Any:
        """Proved unique, connected to the guess and regular."""
        return (self.info[..., INFO.certified] == 1.0)[()]

    @property
    def straight(self) -> Any:
        """Proved along the straight leg motion from the guess (`track`: since the start)."""
        return (self.info[..., INFO.straight] == 1.0)[()]

    @property
    def pieces(self) -> Any:
        """Number of certified pieces of the step, as far as the proof came."""
        return self.info[..., INFO.pieces].astype(int)[()]

    @property
    def proof(self) -> Any:
        """What is proved of each answer, in a sentence."""
        if self.info.ndim > 1:
            each = [type(self)(f, i).proof for f, i in zip(self.flat, self.info, strict=True)]
            return np.array(each, dtype=object)
        if not self.success:
            return "no pose"
        if self.certified:
            return "proved for every motion of the legs within the box around both positions"
        if self.straight:
            return f"proved for the straight motion of the legs from the guess, in {self.pieces} pieces"
        return (
            f"not proved: after {self.pieces} pieces of the straight leg motion from the guess a singularity lies on "
            "or near the way, no proof was asked for, or there is none for screws that turn with the "
            "platform and for offset joints"
        )

    def _repr_html_(self) -> str:
        return rich("forward_html", self)

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.info.ndim == 1:
            with np.printoptions(precision=6, suppress=True):
                where = (
                    f"position {self.pose.position} m, rpy {self.pose.rpy} rad, residual {self.residual:.1e} m; "
                    if self.success
                    else ""
                )
            return f"<{name}: {self.status.code}; {where}{self.proof}>"
        codes = [s.code for s in np.ravel(self.status)]
        ended = ", ".join(f"{codes.count(c)} {c}" for c in dict.fromkeys(codes))
        proved = f"{int(self.certified.sum())} certified, {int(self.straight.sum())} straight"
        return f"<{name} of {len(codes)}: {ended}; {proved}>"


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Track(ForwardKinematics):
    """Answer of `track`, one row per sample.

    certified   True: this and every step before it is proved, for every motion of the legs that between two samples
                goes past them by no more than `excursions` says.  Once False it stays False: what follows a step
                without proof may be on any branch, until `recover` has proved that only one is possible.  A sample that
                is no number is left out, and not counted
    connected   certified without such a gap since the start: proved to be on the branch of `start`
    straight    True: this and every step before it is proved for the straight motion of the legs, in `pieces`
    branches    with `recover`: for each sample all poses that the machine may have there, proved; None where no such
                list is proved.  One pose where `certified`
    lost_at     first sample that is not straight
    """

    branches: tuple[Pose | None, ...] = ()

    @property
    def connected(self) -> Any:
        """Proved connected to the start."""
        return self.info[..., INFO.connected] == 1.0

    @property
    def lost_at(self) -> int | None:
        """First sample at which the branch is no longer proved (a singularity on or near the way), or None."""
        return None if self.straight.all() else int(np.argmin(self.straight))
