"""What makes a machine good at a task, as single numbers: the metrics of optimization and sweeps.

A task is a set of poses about the machine's home (a box, with tilts) and, if given, a motion.  Metrics are the worst
over the task unless their name says mean.  `METRICS` lists them with unit, wish and meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from itertools import product
from typing import NamedTuple

import numpy as np

from gough.analysis.sizing import time_mean, with_payload
from gough.analysis.volume import orientation_set
from gough.checks import Array, Frozen, InfeasibleError, InputError, array
from gough.design.built_metrics import BUILT
from gough.design.hardware import Hardware, need_hardware
from gough.documents.source import parse_toml
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.jacobian import jacobian, wrench_matrix
from gough.limits import check
from gough.links import refuse_links
from gough.model import CRANKS, Body, Platform
from gough.results import condition_number
from gough.spatial import Motion, Pose
from gough.struts import Struts, pair_distances, shared_joints, struts


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Task(Frozen):
    """What the machine shall do.

    box      (3,) half sides of a box of positions about home, m
    tilt     (3,) largest roll, pitch, yaw either way, rad, from the home orientation: all 27 combinations of -1, 0, +1
    motion   sampled motion with a time axis, or None;  relative: its poses are seen from the home pose
    payload  body added to the platform, or None
    hardware stiffness, errors and rods of the legs, for the metrics that need them
    """

    box: Array = field(default_factory=lambda: np.zeros(3))
    tilt: Array = field(default_factory=lambda: np.zeros(3))
    motion: Motion | None = None
    relative: bool = False
    payload: Body | None = None
    hardware: Hardware = field(default_factory=Hardware)

    def __post_init__(self) -> None:
        for name in ("box", "tilt"):
            value = array(name, getattr(self, name))
            if value.shape != (3,) or (value < 0).any():
                raise InputError(name, getattr(self, name), "must be three numbers, not negative")
            object.__setattr__(self, name, value)

    def poses(self, home: Pose) -> Pose:
        """(n,) poses: 27 positions (corners, edges, faces, middle) times the 27 orientations of `orientation_set`."""
        levels = np.array(list(product(*([-1, 0, 1] if h else [0] for h in self.box))))
        offsets = levels * self.box
        R = orientation_set(*self.tilt) @ home.rotation
        position = np.repeat(home.position + offsets, len(R), axis=0)
        return Pose(position, np.tile(R, (len(offsets), 1, 1)))

    def motion_of(self, home: Pose) -> Motion | None:
        """The motion in the world: moved to the home pose if it is relative."""
        m, R = self.motion, home.rotation
        if m is None or not self.relative:
            return m
        position = home.position + m.position @ R.T
        v, w, a, al = (rate @ R.T for rate in m.rates)
        return Motion(position, R @ m.rotation, v, w, a, al, m.time)


class Metric(NamedTuple):
    """unit, wish ("small" or "large"), meaning, the function of a `Trial`, and the unit of legs with cranks.

    rotary  empty: the unit is the same for all legs;  "-": the metric does not exist for cranks
    """

    unit: str
    wish: str
    about: str
    of: Callable[[Trial], float]
    rotary: str = ""


class Trial:
    """One machine at one task; everything is computed when first asked for."""

    def __init__(self, platform: Platform, task: Task) -> None:
        self.home = platform.require_home()
        if task.payload is not None:
            platform = with_payload(platform, task.payload)
        self.platform, self.task = platform, task

    @cached_property
    def motion(self) -> Motion:
        """The motion, or an error that says it is missing."""
        motion = self.task.motion_of(self.home)
        if motion is None or motion.time is None:
            raise InputError("task.motion", None, "must be given for forces, speeds and powers")
        return motion

    @cached_property
    def poses(self) -> Pose:
        """Poses of the task, and of its motion."""
        poses, motion = self.task.poses(self.home), self.task.motion_of(self.home)
        if motion is None:
            return poses
        return Pose(
            np.concatenate([poses.position, motion.position]),
            np.concatenate([poses.rotation, motion.rotation]),
        )

    @cached_property
    def legs(self) -> Struts:
        """Strut geometry at all poses; legs that cannot reach are an error with the reason."""
        inverse_kinematics(self.platform, self.poses)
        return struts(self.platform, self.poses)

    @cached_property
    def at_home(self) -> Struts:
        """Strut geometry at home."""
        return struts(self.platform, self.home)

    @cached_property
    def dexterity(self) -> Array:
        """1/condition of H with the characteristic length, at all poses."""
        H = wrench_matrix(self.platform, self.poses)
        return 1.0 / condition_number(H, self.platform.characteristic_length)

    @cached_property
    def force(self) -> Array:
        """(n, 6) actuator efforts along the motion."""
        return inverse_dynamics(self.platform, self.motion).force

    @cached_property
    def rate(self) -> Array:
        """(n, 6) actuator rates along the motion."""
        return inverse_kinematics(self.platform, self.motion).rate


def _tilt(trial: Trial, platform_side: bool) -> float:
    s, home = trial.legs.direction, trial.at_home.direction
    if platform_side:
        s, home = s @ trial.poses.rotation, home @ trial.home.rotation
    less, more = np.linalg.norm(s - home, axis=-1), np.linalg.norm(s + home, axis=-1)
    return float(2 * np.arctan2(less, more).max())


def _clearance(trial: Trial) -> float:
    return float(pair_distances(trial.legs)[:, ~shared_joints(trial.platform)].min(initial=np.inf))


def _extension(trial: Trial) -> float:
    """Of lengths: cranks have none (`Metric.rotary`)."""
    c = trial.legs.coordinate
    return float((c.max(axis=0) / c.min(axis=0)).max())


def _footprint(trial: Trial) -> float:
    b = trial.platform.base_joints[:, :2]
    return 2.0 * float(np.linalg.norm(b - b.mean(axis=0), axis=1).max())


def _rms(trial: Trial) -> float:
    t = trial.motion.time
    assert t is not None
    return float(np.sqrt(time_mean(trial.force**2, t).max()))


def _error_gain(trial: Trial) -> float:
    try:
        inverse = np.linalg.inv(jacobian(trial.platform, trial.poses))
    except np.linalg.LinAlgError:  # exactly singular somewhere
        return float("inf")
    return float(np.linalg.norm(inverse[:, :3], ord=2, axis=(-2, -1)).max())


def _volume(trial: Trial) -> float:
    from gough.analysis.volume import exact_volume

    return exact_volume(trial.platform, tolerance=1e-5).value


def _margin(trial: Trial) -> float:
    if not any(leg.limits.given for leg in trial.platform.legs):
        raise InputError("limits", None, "the machine has no limits to keep a margin to")
    motion = trial.task.motion_of(trial.home)
    worst = float(check(trial.platform, trial.poses).worst.min())
    if motion is not None:
        worst = min(worst, float(check(trial.platform, motion, force=trial.force).worst.min()))
    return worst


_OF: dict[str, Callable[[Trial], float]] = {
    "dexterity": lambda t: float(t.dexterity.min()),
    "dexterity_mean": lambda t: float(t.dexterity.mean()),
    "stroke": lambda t: float(np.ptp(t.legs.coordinate, axis=0).max()),
    "extension": _extension,
    "longest": lambda t: float(t.legs.coordinate.max()),
    "shortest": lambda t: float(t.legs.coordinate.min()),
    "base_tilt": lambda t: _tilt(t, False),
    "platform_tilt": lambda t: _tilt(t, True),
    "clearance": _clearance,
    "error_gain": _error_gain,
    "footprint": _footprint,
    "peak_force": lambda t: float(np.abs(t.force).max()),
    "rms_force": _rms,
    "peak_speed": lambda t: float(np.abs(t.rate).max()),
    "peak_power": lambda t: float((t.force * t.rate).max()),
    "volume": _volume,
    "margin": _margin,
    **BUILT,
}
_TEXT = resources.files("gough.design").joinpath("metrics.toml").read_text("utf-8")
METRICS = {
    name: Metric(unit, wish, about, _OF[name], *rotary)
    for name, (unit, wish, about, *rotary) in parse_toml(_TEXT, "metrics.toml").items()
}
ALONG_MOTION = ("peak_force", "rms_force", "peak_speed", "peak_power")


def need_given(names: Iterable[str], task: Task) -> None:
    """Refuse metrics of a motion or of hardware that is not given: at the border, not design by design."""
    wanted = tuple(names)
    for name in wanted:
        if name in ALONG_MOTION and task.motion is None:
            raise InputError("task.motion", None, f"must be given: {name} is taken along a motion")
    need_hardware(wanted, task.hardware)


def evaluate(platform: Platform, task: Task, names: Iterable[str]) -> dict[str, float]:
    """The named metrics of a machine; raises `InfeasibleError` when the machine cannot do the task."""
    return judged(platform, task, {name: metric_of(name) for name in names})


def metric_of(name: str) -> Metric:
    """A metric by its name."""
    if name not in METRICS:
        raise InputError("metric", name, f"must be one of {', '.join(METRICS)}")
    return METRICS[name]


def judged(platform: Platform, task: Task, metrics: Mapping[str, Metric]) -> dict[str, float]:
    """`evaluate` for metrics of any origin."""
    refuse_links(platform, "designs are not judged")
    units_of({isinstance(leg, CRANKS) for leg in platform.legs}, metrics)
    trial = Trial(platform, task)
    out: dict[str, float] = {}
    for name, metric in metrics.items():
        try:
            out[name] = float(metric.of(trial))
        except np.linalg.LinAlgError:
            out[name] = np.nan
        if not np.isfinite(out[name]):
            why = ": the machine is singular in the task" if name in METRICS else ""
            raise InfeasibleError(f"{name} is not finite{why}")
    return out


def units_of(turning: Iterable[bool], metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Units of metrics of a machine with these kinds of legs (True: cranks, with rad for m and N m for N).

    Refused: what would mix units of legs that differ, and ratios of lengths where cranks have none.
    """
    kinds, units = set(turning), {}
    for name, metric in metrics.items():
        if metric.rotary and len(kinds) > 1:
            told = f"{name} would mix the units of both"
            raise InputError("legs", "some with cranks, some without", told)
        units[name] = metric.rotary if metric.rotary and True in kinds else metric.unit
        if units[name] == "-":
            raise InputError("metric", name, "is a ratio of lengths: cranks turn, they have none")
    return units
