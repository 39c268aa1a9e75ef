"""From a vehicle's telemetry to a motion of the machine: the algorithms, the scale that fits, and the judgement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.checks import Array, Frozen, InputError, number
from gough.cueing.adaptive import AdaptiveWashout
from gough.cueing.predictive import PredictiveCueing
from gough.cueing.proof import doubt
from gough.cueing.recording import Telemetry
from gough.cueing.vestibular import Score, score
from gough.cueing.washout import ClassicalWashout, Way
from gough.extras import package
from gough.frozen import hinted
from gough.limits import LimitCheck, check
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import lengths_only
from gough.trajectory.base import rpy_motion
from gough.trajectory.spline import PoseSpline
from gough.trajectory.waypoints import through_motion

METHODS = {
    "classical": ClassicalWashout,
    "adaptive": AdaptiveWashout,
    "predictive": PredictiveCueing,
}
CueMethod = ClassicalWashout | AdaptiveWashout | PredictiveCueing
DENSER = 4  # places between samples at which limits are judged
HALVINGS = 14


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Cue(Frozen):
    """A cue: what the machine does, whether it may, and how it feels.

    trajectory  twice continuously differentiable through the algorithm's samples
    limits      judged at `looked` even times; `proved` says whether they hold between them too
    scale       factor on the method's own scales
    score       against the vehicle's telemetry times the method's scales and this factor
    """

    telemetry: Telemetry
    trajectory: PoseSpline
    limits: LimitCheck
    looked: int
    scale: float
    score: Score

    @property
    def within_limits(self) -> bool:
        """Every limit that the machine has holds at every time looked at."""
        return bool(self.limits.ok.all())

    @cached_property
    def doubt(self) -> str | None:
        """None: every limit that the machine has holds at every instant (proof.py); else why that is not proved."""
        return doubt(self.limits.platform, self.trajectory)

    @property
    def proved(self) -> bool:
        """Every limit that the machine has holds at every instant."""
        return self.doubt is None

    def __repr__(self) -> str:
        held = "within limits" if self.within_limits else self.limits.sentences()[0]
        when = "at all times" if self.proved else f"at {self.looked} times"
        return f"<Cue: {self.trajectory.duration:g} s, scale {self.scale:.3g}, {held} {when}>"


def cue(
    platform: Platform,
    vehicle: Telemetry,
    method: str | CueMethod = "classical",
    *,
    scale: float | None = 1.0,
    home: Pose | None = None,
) -> Cue:
    """The motion by which the machine makes its occupant feel what `vehicle` tells.

    method  "classical", "adaptive" or "predictive", or one of their parameter objects
    scale   factor on the method's scales; None: the largest (up to 1) that bisection finds inside all limits, at every
            instant (at the times looked at, where legs allow no proof between them)
    home    neutral pose (default: the machine's home)
    """
    refuse_links(platform, "motion is not cued")
    law = _method(method)
    where = platform.require_home() if home is None else home
    if where.shape != ():
        raise InputError("home", f"batch shape {where.shape}", "must be a single pose")
    if not isinstance(vehicle, Telemetry):
        raise InputError("vehicle", vehicle, "must be a gough.cueing.Telemetry")
    if scale is not None:
        return _one(platform, vehicle, law, number("scale", scale, above=0.0), where)
    best = _one(platform, vehicle, law, 1.0, where)
    if _fits(best):
        return best
    low, high, found = 0.0, 1.0, None
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        tried = _one(platform, vehicle, law, middle, where)
        if _fits(tried):
            low, found = middle, tried
        else:
            high = middle
        if found is not None and high - low < 1e-3 * low:
            break
    if found is None:
        raise InputError(
            "home", "its neighborhood", f"has no room even at {low + high:.2g} of the motion"
        )
    return found


def _fits(tried: Cue) -> bool:
    """Inside all limits, at every instant where the machine's legs allow a proof."""
    provable = lengths_only(tried.limits.platform)
    return tried.within_limits and (tried.proved or not provable)


def _method(method: str | CueMethod) -> CueMethod:
    if isinstance(method, str):
        if method not in METHODS:
            raise InputError("method", method, f"must be one of {', '.join(METHODS)}")
        return METHODS[method]()
    if not isinstance(method, tuple(METHODS.values())):
        raise InputError(
            "method", method, f"must be one of {', '.join(METHODS)}, or their parameters"
        )
    return method


def _one(platform: Platform, vehicle: Telemetry, law: CueMethod, factor: float, home: Pose) -> Cue:
    now = law.scaled(factor)
    way = (
        now.drive(vehicle, platform, home)
        if isinstance(now, PredictiveCueing)
        else now.drive(vehicle)
    )
    path = trajectory(vehicle.time, way, home)
    looked = DENSER * (len(vehicle.time) - 1) + 1
    judged = check(platform, path.sample(looked))
    wanted = factor * float(
        np.mean(law.force_scale if isinstance(law, ClassicalWashout) else law.scale)
    )
    return Cue(vehicle, path, judged, looked, factor, score(vehicle, path(vehicle.time), wanted))


def trajectory(time: Array, way: Way, home: Pose) -> PoseSpline:
    """A C2 motion through the samples of a drive: position with its rates; angles with those of their cubic spline."""
    CubicSpline = package("scipy.interpolate").CubicSpline

    angles = CubicSpline(time, way.angles, bc_type="natural")
    R, omega, alpha = rpy_motion(way.angles, angles(time, 1), angles(time, 2))
    position = home.position + way.position
    return through_motion(
        time, position, R @ home.rotation, way.velocity, omega, way.acceleration, alpha
    )
