"""From a vehicle's telemetry to a motion of the machine: the algorithms, the scale that fits, and the judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.checks import Array, Frozen, InputError, number
from gough.cueing.adaptive import AdaptiveWashout
from gough.cueing.predictive import PredictiveCueing
from gough.cueing.proof import doubt
from gough.cueing.recording import Telemetry
from gough.cueing.verdicts import CueVerdict, cue_verdict
from gough.cueing.vestibular import Score, on_platform, scaled_vehicle, score
from gough.cueing.washout import ClassicalWashout, Way
from gough.extras import package
from gough.frozen import hinted
from gough.limits import LimitCheck, check
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Motion, Pose
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
    factors     (6,) of the vehicle's surge, sway, heave, roll, pitch, yaw: the method's scales times this factor
    score       against the vehicle's telemetry times these factors
    wanted      (n, 6) specific force, m/s^2, and angular rate, rad/s, of the vehicle times these factors
    felt        (n, 6) the same of an occupant at the reference point, whose axes are the vehicle's at the neutral pose
    """

    telemetry: Telemetry
    trajectory: PoseSpline
    limits: LimitCheck
    looked: int
    scale: float
    factors: Array
    score: Score
    wanted: Array
    felt: Array

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

    @cached_property
    def verdict(self) -> CueVerdict:
        """What is known of the limits, in words: proved at every instant, not proved, broken, or no limits given."""
        return cue_verdict(self.limits, self.looked, self.trajectory.duration, self.doubt)

    def __repr__(self) -> str:
        what = f"{self.trajectory.duration:g} s, scale {self.scale:.3g}"
        return f"<Cue: {what}, {self.verdict}>"


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


def method_of(name: str, parameters: Mapping[str, Sequence[float]]) -> CueMethod:
    """The parameter object of a method by its name; each parameter one number, or three; left out: the defaults."""
    if name not in METHODS:
        raise InputError("method", name, f"must be one of {', '.join(METHODS)}")
    known = METHODS[name].__dataclass_fields__
    for field, values in parameters.items():
        if field not in known:
            raise InputError("parameters", field, f"must be of {', '.join(known)}")
        if len(values) not in (1, 3):
            raise InputError(field, values, "must be one number or three")
    given: dict[str, Any] = {
        field: values[0] if len(values) == 1 else tuple(values)
        for field, values in parameters.items()
    }
    return METHODS[name](**given)


def _method(method: str | CueMethod) -> CueMethod:
    if isinstance(method, str):
        return method_of(method, {})
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
    if not all(np.isfinite(part).all() for part in (way.position, way.acceleration, way.angles)):
        raise InputError(
            "method", now, f"must stay finite with a step of {vehicle.step:.4g} s: it does not"
        )
    path = trajectory(vehicle.time, way, home)
    looked = DENSER * (len(vehicle.time) - 1) + 1
    judged = check(platform, path.sample(looked))
    factors = _factors(now)
    seat = _seated(path(vehicle.time), home)
    return Cue(
        vehicle,
        path,
        judged,
        looked,
        factor,
        factors,
        score(vehicle, seat, factors),
        np.concatenate(scaled_vehicle(vehicle, factors), axis=1),
        np.concatenate(on_platform(seat), axis=1),
    )


def _factors(law: CueMethod) -> Array:
    """(6,) by what a method multiplies the vehicle's specific force and angular rate."""
    if isinstance(law, ClassicalWashout):
        return np.concatenate([law.force_scale, law.rate_scale])
    return np.full(6, law.scale)


def _seated(motion: Motion, home: Pose) -> Motion:
    """The platform's motion with the axes of a seat that looks along the world's x at the neutral pose."""
    rotation = motion.rotation @ home.rotation.T
    return Motion.trusted(
        motion.position,
        rotation,
        motion.velocity,
        motion.angular_velocity,
        motion.acceleration,
        motion.angular_acceleration,
    )


def trajectory(time: Array, way: Way, home: Pose) -> PoseSpline:
    """A C2 motion through the samples of a drive: position with its rates; angles with those of their cubic spline."""
    CubicSpline = package("scipy.interpolate").CubicSpline

    angles = CubicSpline(time, way.angles, bc_type="natural")
    R, omega, alpha = rpy_motion(way.angles, angles(time, 1), angles(time, 2))
    position = home.position + way.position
    return through_motion(
        time, position, R @ home.rotation, way.velocity, omega, way.acceleration, alpha
    )
