"""Moves of the controller: planned, proved before they are accepted, and stopped on their own way.

A move is a straight line with one turning axis on one common progress of constant jerk (`trajectory.jerk_limited`).
It is accepted where `gough.reach` proves the way and `proved_limits` proves every limit of the machine at every instant
of it; a pace that the legs cannot keep is halved, at most HALVINGS times.

A stop goes on along the same line: the acceleration of the progress is brought to zero, then its speed, within the
move's own acceleration and jerk.  Where the move is slowing down already it does so as fast as these allow, so the stop
is its end.  At every place of the line the stop is no faster than the move, and it ends no farther: what is proved of
the places, and of the legs' speeds, holds for it; efforts are proved anew, and the answer says whether they are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from gough.analysis.proved import proved_limits
from gough.analysis.reachable import Reachability, reach
from gough.checks import Checked, InfeasibleError, positive
from gough.frozen import hinted
from gough.model import Platform
from gough.spatial import Pose, rotation_log
from gough.trajectory.jerk_limited import ConstantJerk, _change, _jerks, jerk_limited
from gough.trajectory.point_to_point import PointToPoint

HALVINGS = 6
ROUNDED = 1e-9  # of the largest acceleration
SAME = 1e-12  # of the characteristic length, and rad: nearer poses are one


@hinted
@dataclass(frozen=True, eq=False)
class MoveLimits(Checked):
    """Of the reference point and of the orientation along a move: m/s, m/s^2, m/s^3, rad/s, rad/s^2, rad/s^3."""

    speed: float
    acceleration: float
    jerk: float
    rate: float
    angular_acceleration: float
    angular_jerk: float

    CHECKS: ClassVar = {
        **dict.fromkeys(("speed", "acceleration", "jerk"), positive),
        **dict.fromkeys(("rate", "angular_acceleration", "angular_jerk"), positive),
    }

    @classmethod
    def usual(cls, platform: Platform) -> MoveLimits:
        """A tenth of the machine's characteristic length per second, reached in a tenth of a second; 0.1 rad/s."""
        length = platform.characteristic_length
        return cls(0.1 * length, length, 20.0 * length, 0.1, 1.0, 20.0)

    def slowed(self, share: float) -> MoveLimits:
        """The same moves in 1/share of the time."""
        powers = (1, 2, 3, 1, 2, 3)
        values = (getattr(self, f.name) for f in fields(self))
        return MoveLimits(*(x * share**p for x, p in zip(values, powers, strict=True)))


@dataclass(frozen=True, eq=False)
class PlannedMove:
    """A move that was accepted.

    share   of the pace asked for that the legs can keep;  limits  of the pace it has
    """

    trajectory: PointToPoint
    limits: MoveLimits
    share: float

    @property
    def duration(self) -> float:
        """s"""
        return self.trajectory.duration


class RefusedMoveError(InfeasibleError):
    """A move that is not made; `code` is the protocol's."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)


def same(platform: Platform, a: Pose, b: Pose) -> bool:
    """There is no way to go."""
    turn = float(np.linalg.norm(rotation_log(a.rotation.T @ b.rotation)))
    far = float(np.linalg.norm(a.position - b.position))
    return far <= SAME * platform.characteristic_length and turn <= SAME


def asked(platform: Platform, start: Pose, end: Pose) -> Reachability:
    """Can it go there, straight?"""
    return reach(platform, end, start=start)


def plan_move(platform: Platform, start: Pose, end: Pose, limits: MoveLimits) -> PlannedMove:
    """The move, or why there is none."""
    found = asked(platform, start, end)
    if found.reachable is not True:
        code = "UNREACHABLE" if found.reachable is False else "UNPROVED"
        raise RefusedMoveError(code, "; ".join(found.sentences))
    said, broken = tuple[str, ...](), False
    for halving in range(HALVINGS + 1):
        share = 0.5**halving
        pace = limits.slowed(share)
        way = jerk_limited(
            start,
            end,
            pace.speed,
            pace.acceleration,
            pace.jerk,
            max_rate=pace.rate,
            max_angular_acceleration=pace.angular_acceleration,
            max_angular_jerk=pace.angular_jerk,
        )
        proof = proved_limits(platform, way)
        if proof.ok:
            return PlannedMove(way, pace, share)
        said, broken = proof.sentences(), proof.ok is False
        if proof.ok is None and not any(v.kind in ("speed", "force") for v in proof.verdicts):
            break  # a slower pace proves no more
    raise RefusedMoveError("LIMITS" if broken else "UNPROVED", "; ".join(said))


def stopped(plan: PlannedMove, t: float) -> PointToPoint | None:
    """The way on from time t > 0 of a move to rest, as a trajectory from there; None: it is slowing down already."""
    pace = plan.trajectory.translation
    assert isinstance(pace, ConstantJerk)
    x, v, a = (float(y) for y in pace(np.asarray(t)))
    A, J = _shares(plan)
    if a < -ROUNDED * A:
        return None
    a = max(a, 0.0)  # rounding of a cruise
    ramp = a / J
    segments = [(ramp, -J)] if ramp > 0.0 else []
    fast = v + 0.5 * a * ramp
    segments += [s for s in _jerks(-fast, _change(fast, 0.0, A, J)[0], A, J) if s[0] > 0.0]
    rows, knots = [], [0.0]
    for h, j in segments:
        rows.append((x, v, a, j))
        x += h * (v + h * (a / 2 + h * j / 6))
        v += h * (a + h * j / 2)
        a += h * j
        knots.append(knots[-1] + h)
    slow = ConstantJerk(np.array(knots), *np.array(rows).T)
    way = plan.trajectory
    return PointToPoint(way.start, way.end, slow, slow, way.orientation)


def _shares(plan: PlannedMove) -> tuple[float, float]:
    """Acceleration and jerk of the progress that the limits of the move allow."""
    way, own = plan.trajectory, plan.limits
    far = float(np.linalg.norm(way.end.position - way.start.position))
    turn = float(np.linalg.norm(rotation_log(way.start.rotation.T @ way.end.rotation)))
    with np.errstate(divide="ignore"):
        both = np.array([own.acceleration, own.jerk]) / np.float64(far)
        turning = np.array([own.angular_acceleration, own.angular_jerk]) / np.float64(turn)
    A, J = np.minimum(both, turning)
    return float(A), float(J)
