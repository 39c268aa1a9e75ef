"""A run described in a TOML file: trajectory, controller, disturbances, faults, events, a base that moves.

See docs/simulation.md.
The file names no machine: the same scenario can be played on any.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough import control
from gough.border import checked
from gough.checks import Array, InputError
from gough.control import Controller, Sampling, Sensor, with_payload_error
from gough.control.register import LAWS
from gough.documents import kinds as k
from gough.documents.reader import Keyed, Many, Tagged, each, need, read_document
from gough.documents.source import read_text
from gough.dynamics import inverse_dynamics
from gough.model import Platform
from gough.model.pose_document import pose_fields, read_pose
from gough.simulation import Brake, Events, PowerLoss, Springs, State, simulate
from gough.simulation.events import ACTIONS, NAMES
from gough.simulation.leg_law import WINDINGS
from gough.trajectory import LegTrajectory
from gough.trajectory.definition import NAMED_OR_TABLE

if TYPE_CHECKING:
    from xarray import Dataset

LARGEST = 1_000_000  # bytes
STILL = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario file as read, its quantities in SI; `play` runs it on a machine."""

    title: str
    table: dict[str, Any]
    folder: Path = field(default_factory=Path)

    def arguments(self, platform: Platform) -> dict[str, Any]:
        """The arguments of `gough.simulate` for this machine."""
        t = self.table
        plain = ("duration", "step", "output", "integrator", "drives", "springs", "events")
        out = {"integrator": "rk4", "drives": True, **{k: t[k] for k in plain if k in t}}
        path = t.get("trajectory")
        if isinstance(path, LegTrajectory):
            path = path.on(platform)
        out["state"] = state = _start(platform, t.get("start"), path)
        if "controller" in t:
            out["controller"] = t["controller"](platform, t.get("sampling", Sampling()))
            out["reference"] = path if path is not None else state.motion.pose
            if "sampling" in t:
                out["sampling"] = t["sampling"]
        if "force" in t:
            out["force"] = t["force"](platform, state)
        if "disturbances" in t:
            out["external"] = _external(t["disturbances"])
        if "base" in t:
            if isinstance(t["base"], LegTrajectory):
                raise InputError("base", "a motion of the legs", "must be a motion of the base")
            out["base"] = t["base"]
        faults = enumerate(t.get("faults", ()))
        return {**out, "faults": [make(platform, f"faults[{i}].legs") for i, make in faults]}

    def play(self, platform: Platform, **more: Any) -> Dataset:
        """Run the scenario; `more` goes to `gough.simulate` (checkpoint, resume, progress)."""
        arguments = self.arguments(platform)
        run = simulate(platform, arguments.pop("state"), **arguments, **more)
        run.attrs["scenario"] = self.title
        return run


@checked
def load_scenario(path: str | os.PathLike[str]) -> Scenario:
    """Read a scenario file; everything wrong with it comes in one `DocumentError`, with keys and lines."""
    file = Path(path)
    text = read_text(file, "scenario", LARGEST, file.name)
    table = read_document(SCENARIO, text, file.name, file.parent)
    return Scenario(table.get("title", file.stem), table, file.parent)


def _start(platform: Platform, given: dict[str, Any] | None, path: Any) -> State:
    if given is None and path is not None:
        return State(path(0.0))
    home = platform.home
    if given is None and home is not None:
        return State(home)
    if "position" not in (given or {}) and home is None:
        name = "start" if given is None else "start.position"
        raise InputError(name, "nothing", "must be given: the machine names no home pose")
    values = {**({} if home is None else {"position": home.position}), **(given or {})}
    turns = {name: values[name] for name in pose_fields if name in values}
    pose = read_pose(values["position"], **turns)
    return State(pose, None, *(values.get(n, STILL) for n in ("velocity", "angular_velocity")))


Make = Callable[[Platform, Sampling], Controller]


def _believed(platform: Platform, payload_error: float | None) -> Platform:
    """The machine as the controller knows it."""
    return platform if payload_error is None else with_payload_error(platform, payload_error)


def _law(make: Callable[..., Controller], name: str) -> Callable[..., Make]:
    """A law by its own keys, or tuned for the sampling of the scenario (for another rate and delay, where given)."""

    def build(
        payload_error: float | None = None,
        tuned_for: float | None = None,
        delay: float | None = None,
        margin: float = 2.0,
        **given: Any,
    ) -> Make:
        if tuned_for is None and not {"bandwidth", "stiffness"} & given.keys():
            raise InputError("bandwidth", "nothing", 'must be given, rad/s or "10 Hz"')
        if tuned_for is None:
            return lambda platform, sampling: make(_believed(platform, payload_error), **given)
        known = {k: v for k, v in given.items() if k != "bandwidth"}
        changes = {"rate": tuned_for} if delay is None else {"rate": tuned_for, "delay": delay}
        return lambda platform, sampling: control.tune(
            _believed(platform, payload_error),
            name,
            sampling=replace(sampling, **changes),
            margin=margin,
            **known,
        )

    return build


def _force(
    constant: list[float] | None = None, static: bool = True, factor: float = 1.0
) -> Callable[..., Array]:
    """Forces that never change: given, or those that hold the start pose, times a factor."""
    if constant is None and not static:
        raise InputError("static", static, "must have constant, or static = true")
    if constant is not None:
        return lambda platform, state: np.asarray(constant)
    return lambda platform, state: factor * inverse_dynamics(platform, state.motion.pose).force


def _disturbance(**given: Any) -> tuple[float, float, Array]:
    return given.get("from", 0.0), given.get("to", inf), np.array(given["wrench"])


def _external(parts: list[tuple[float, float, Array]]) -> Callable[[float], Array]:
    """Wrenches in platform axes, each between two times, added up."""

    def wrench(t: float) -> Array:
        return np.sum([six for low, high, six in parts if low <= t < high], axis=0) + np.zeros(6)

    return wrench


def _fault(kind: type[Brake] | type[PowerLoss]) -> Callable[..., Any]:
    def build(time: float = 0.0, legs: list[str] | None = None, **more: Any) -> Any:
        return lambda platform, where: kind(time, legs=_indices(platform, legs, where), **more)

    return build


def _indices(platform: Platform, legs: list[str] | None, where: str) -> tuple[int, ...] | None:
    if legs is None:
        return None
    names = list(platform.leg_names)
    if any(name not in names for name in legs):
        raise InputError(where, legs, f"must be names of legs: {', '.join(names)}")
    return tuple(names.index(name) for name in legs)


def _springs(stiffness: Any = 0.0, rest: Any = 0.0, damping: Any = 0.0) -> Springs:
    return Springs(stiffness, rest, damping)


def _checked(**table: Any) -> dict[str, Any]:
    if "trajectory" in table and "controller" not in table:
        raise InputError("trajectory", "given", "needs a [controller] that follows it")
    return table


_positive, _seconds = k.scalar("time", above=0), k.scalar("time", minimum=0)
_shared = {
    "payload_error": k.scalar("pure number"),
    "bandwidth": k.bandwidth(above=0),
    "tuned_for": k.scalar("frequency", above=0),
    "delay": _seconds,
    "margin": k.scalar("pure number", minimum=1),
}
CONTROLLERS = {
    name: Keyed(name, {**_shared, **law.keys}, _law(law.make, name)) for name, law in LAWS.items()
}
_units = {"position": "length", "velocity": "speed", "angular_velocity": "rate"}
_vectors = {name: k.vector(unit) for name, unit in _units.items()}
_start_table = Keyed("Start", {**_vectors, **pose_fields})
_sensed = {"rate": "speed", "position": "length", "rotation": "angle", "velocity": "speed"}
_sensed |= {"angular_velocity": "rate", "force": "force", "current": "current"}
_sensed |= {"acceleration": "acceleration", "angular_rate": "rate"}
_sensors = {
    name: Keyed("Sensor", each(k.scalar(unit), "noise", "quantization", "bias"), Sensor)
    for name, unit in _sensed.items()
}
_sampling = {
    "rate": k.scalar("frequency", above=0),
    **each(_seconds, "delay", "measurement_delay"),
    "sensors": Keyed("Sensors", _sensors),
    "bandwidth": k.bandwidth(above=0),
    **each(k.scalar("length", minimum=0), "quantization", "quantisation", "noise"),
    "backlash": k.flag,
    "encoder": k.choice(("motor", "leg")),
    "seed": k.whole(0),
    "velocity": k.choice(("measured", "observed")),
    "pose": k.choice(("measured", "forward-kinematics")),
}
_forces = {
    "constant": k.listed("force", count=6, allowed="must be six forces"),
    "static": k.flag,
    "factor": k.scalar("pure number"),
}
_six = "must be six quantities: force and moment, platform axes"
_wrench = need(k.listed("force", "torque", count=6, allowed=_six))
_between = {"wrench": _wrench, **each(k.scalar("time"), "from", "to")}
_disturbances = Keyed("Disturbance", _between, _disturbance)
_fault_keys = {"time": _seconds, "legs": k.texts}
_loss_keys = {**_fault_keys, "winding": k.choice(WINDINGS)}
_brake_keys = {**_fault_keys, "force": need(k.scalar("force", above=0))}
FAULTS = {
    "power-loss": Keyed("power-loss", _loss_keys, _fault(PowerLoss)),
    "brake": Keyed("brake", _brake_keys, _fault(Brake)),
}
_events = {**each(k.choice(ACTIONS), *NAMES), "condition": k.scalar("pure number", above=1)}
SCENARIO = Keyed(
    "Scenario",
    {
        **each(k.text, "title", "integrator"),
        "duration": need(_positive),
        **each(_positive, "step", "output"),
        "drives": k.flag,
        "start": _start_table,
        "trajectory": NAMED_OR_TABLE,
        "base": NAMED_OR_TABLE,
        "controller": Tagged("kind", CONTROLLERS),
        "sampling": Keyed("Sampling", _sampling, Sampling),
        "force": Keyed("Force", _forces, _force),
        "springs": Keyed("Springs", each(k.per_leg, "stiffness", "rest", "damping"), _springs),
        "disturbances": Many(_disturbances, "must be tables [[disturbances]]"),
        "faults": Many(Tagged("kind", FAULTS), "must be tables [[faults]]"),
        "events": Keyed("Events", _events, Events),
    },
    _checked,
)
