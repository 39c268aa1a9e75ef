"""A run described in a TOML file: trajectory, controller, disturbances, faults, events.  docs/simulation.md

The file names no machine: the same scenario can be played on any.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array, InputError
from gough.control import (
    ComputedForce,
    Controller,
    Decentralized,
    FeedForward,
    GravityCompensation,
    Impedance,
    Sampling,
    with_payload_error,
)
from gough.dynamics import inverse_dynamics
from gough.model import Platform
from gough.documents.units import quantities, quantity
from gough.simulation import Brake, Events, PowerLoss, Springs, State, simulate
from gough.spatial import Pose
from gough.trajectory import LegTrajectory, load_trajectory, trajectory_from

if TYPE_CHECKING:
    from xarray import Dataset

LARGEST = 1_000_000  # bytes
RUN = {"duration": "time", "step": "time", "output": "time"}
KEYS = {*RUN, "integrator", "drives", "start", "trajectory", "controller", "sampling", "force", "springs",
        "disturbances", "faults", "events", "title"}
CONTROLLERS = ("decentralized", "computed-force", "feed-forward", "gravity", "impedance")


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario file as read; `play` runs it on a machine."""

    title: str
    table: dict[str, Any]
    folder: Path = field(default_factory=Path)

    def arguments(self, platform: Platform) -> dict[str, Any]:
        """The arguments of `gough.simulate` for this machine."""
        t = self.table
        out: dict[str, Any] = {k: quantity(k, t[k], d) for k, d in RUN.items() if k in t}
        if "duration" not in out:
            raise InputError("duration", "nothing", "must be given")
        out["integrator"] = _text(t, "integrator", "rk4")
        out["drives"] = _flag(t, "drives", True)
        path = self._trajectory(platform)
        out["state"] = _start(platform, t.get("start"), path)
        if "controller" in t:
            out["controller"] = _controller(platform, _sub(t, "controller"))
            out["reference"] = path if path is not None else out["state"].motion.pose
            if "sampling" in t:
                out["sampling"] = _sampling(_sub(t, "sampling"))
        elif path is not None:
            raise InputError("trajectory", "given", "needs a [controller] that follows it")
        if "force" in t:
            out["force"] = _force(platform, _sub(t, "force"), out["state"])
        if "springs" in t:
            s = _known("springs", _sub(t, "springs"), {"stiffness", "rest", "damping"})
            out["springs"] = Springs(s.get("stiffness", 0.0), s.get("rest", 0.0), s.get("damping", 0.0))
        if "disturbances" in t:
            out["external"] = _disturbances(t["disturbances"])
        out["faults"] = [_fault(platform, f"faults[{i}]", f) for i, f in enumerate(_list(t, "faults"))]
        if "events" in t:
            out["events"] = Events(**_known("events", _sub(t, "events"), set(Events.__dataclass_fields__)))
        return out

    def play(self, platform: Platform, **more: Any) -> Dataset:
        """Run the scenario; `more` goes to `gough.simulate` (checkpoint, resume, progress)."""
        arguments = self.arguments(platform)
        run = simulate(platform, arguments.pop("state"), **arguments, **more)
        run.attrs["scenario"] = self.title
        return run

    def _trajectory(self, platform: Platform) -> Any:
        given = self.table.get("trajectory")
        if given is None:
            return None
        if isinstance(given, str):
            near = self.folder / given
            path = load_trajectory(near if near.is_file() else given)
        else:
            path = trajectory_from(_sub(self.table, "trajectory"), folder=self.folder)
        return path.on(platform) if isinstance(path, LegTrajectory) else path


def load_scenario(path: str | os.PathLike[str]) -> Scenario:
    """Read a scenario file; unknown keys and wrong types are refused by name."""
    file = Path(path)
    if not file.is_file():
        raise InputError("scenario", str(path), "no such file")
    if file.stat().st_size > LARGEST:
        raise InputError("scenario", str(path), f"must not exceed {LARGEST // 10**6} MB")
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(file.name, str(error) or type(error).__name__, "must be a TOML file in UTF-8") from None
    _known("", table, KEYS)
    return Scenario(_text(table, "title", file.stem), table, file.parent)


def _known(where: str, table: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    for key in table:
        if key not in keys:
            near = difflib.get_close_matches(key, keys, 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            name = f"{where}.{key}" if where else key
            raise InputError(name, table[key], f"{hint}unknown; allowed: {', '.join(sorted(keys))}")
    return table


def _sub(table: dict[str, Any], key: str) -> dict[str, Any]:
    if not isinstance(table[key], dict):
        raise InputError(key, table[key], f"must be a table [{key}]")
    return table[key]


def _list(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise InputError(key, value, f"must be tables [[{key}]]")
    return value


def _text(table: dict[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InputError(key, value, "must be text")
    return value


def _flag(table: dict[str, Any], key: str, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise InputError(key, value, "must be true or false")
    return value


def _rate(name: str, value: Any) -> float:
    """A bandwidth: rad/s, or "10 Hz"."""
    if isinstance(value, str) and value.strip().endswith("Hz"):
        return 2 * np.pi * quantity(name, value, "frequency")
    return quantity(name, value, "rate")


def _start(platform: Platform, given: Any, path: Any) -> State:
    if given is None:
        if path is not None:
            return State(path(0.0))
        if platform.home is None:
            raise InputError("start", "nothing", "must be given: the machine names no home pose")
        return State(platform.home)
    if not isinstance(given, dict):
        raise InputError("start", given, "must be a table [start]")
    table = _known("start", given, {"position", "rpy", "velocity", "angular_velocity"})
    dimension = {"position": "length", "rpy": "angle", "velocity": "speed", "angular_velocity": "rate"}
    values = {k: quantities(f"start.{k}", v, dimension[k]) for k, v in table.items()}
    home = platform.home
    position = values.get("position", None if home is None else home.position)
    if position is None:
        raise InputError("start.position", "nothing", "must be given: the machine names no home pose")
    still = (0.0, 0.0, 0.0)
    return State(Pose.from_rpy(position, values.get("rpy", still)), None, values.get("velocity", still),
                 values.get("angular_velocity", still))


def _controller(platform: Platform, given: dict[str, Any]) -> Controller:
    kind = given.get("kind")
    if kind not in CONTROLLERS:
        raise InputError("controller.kind", kind, f"must be one of {', '.join(CONTROLLERS)}")
    common = {"kind", "payload_error"}
    allowed = {"impedance": {"stiffness", "damping"}, "computed-force": {"bandwidth", "damping", "space"},
               "decentralized": {"bandwidth", "damping", "integral", "feed_forward", "tuned_for", "delay"}}
    table = _known("controller", given, common | allowed.get(str(kind), {"bandwidth", "damping"}))
    model = platform
    if "payload_error" in table:
        model = with_payload_error(platform, _number(table, "payload_error", 0.0))
    if kind == "impedance":
        return Impedance.critically_damped(model, table.get("stiffness", ()), damping=_number(table, "damping", 1.0))
    if kind == "decentralized" and "tuned_for" in table:
        rate = quantity("controller.tuned_for", table["tuned_for"], "frequency")
        return Decentralized.tuned(model, rate=rate, damping=_number(table, "damping", 0.7),
                                   integral=_number(table, "integral", 0.3),
                                   delay=quantity("controller.delay", table.get("delay", 0.0), "time"))
    if "bandwidth" not in table:
        raise InputError("controller.bandwidth", "nothing", 'must be given, rad/s or "10 Hz"')
    w = _rate("controller.bandwidth", table["bandwidth"])
    if kind == "decentralized":
        return Decentralized.from_bandwidth(model, bandwidth=w, damping=_number(table, "damping", 0.7),
                                            integral=_number(table, "integral", 0.0),
                                            feed_forward=_flag(table, "feed_forward", True))
    if kind == "computed-force":
        return ComputedForce(model, w, _number(table, "damping", 1.0), _text(table, "space", "task"))
    make = FeedForward if kind == "feed-forward" else GravityCompensation
    return make(model, w, _number(table, "damping", 0.7))


def _number(table: dict[str, Any], key: str, default: float) -> float:
    return quantity(f"controller.{key}", table.get(key, default), "pure number")


def _sampling(given: dict[str, Any]) -> Sampling:
    table = dict(_known("sampling", given, set(Sampling.__dataclass_fields__)))
    for key, dimension in (("rate", "frequency"), ("delay", "time"), ("quantization", "length"), ("noise", "length")):
        if key in table:
            table[key] = quantity(f"sampling.{key}", table[key], dimension)
    if "bandwidth" in table:
        table["bandwidth"] = _rate("sampling.bandwidth", table["bandwidth"])
    return Sampling(**table)


def _force(platform: Platform, given: dict[str, Any], state: State) -> Array:
    table = _known("force", given, {"constant", "static", "factor"})
    if "constant" in table:
        return np.asarray([quantity(f"force.constant[{i}]", x, "force") for i, x in enumerate(table["constant"])])
    factor = quantity("force.factor", table.get("factor", 1.0), "pure number")
    if not _flag(table, "static", True):
        raise InputError("force", given, "must have constant, or static = true")
    return factor * inverse_dynamics(platform, state.motion.pose).force


def _disturbances(given: Any) -> Callable[[float], Array]:
    """Wrenches in platform axes, each between two times, added up."""
    parts = []
    for i, table in enumerate(_list({"disturbances": given}, "disturbances")):
        where = f"disturbances[{i}]"
        _known(where, table, {"wrench", "from", "to"})
        wrench = table.get("wrench")
        if not isinstance(wrench, list) or len(wrench) != 6:
            raise InputError(f"{where}.wrench", wrench, "must be six quantities: force and moment, platform axes")
        six = np.array([quantity(f"{where}.wrench[{k}]", x, "force" if k < 3 else "torque")
                        for k, x in enumerate(wrench)])
        low = quantity(f"{where}.from", table.get("from", 0.0), "time")
        high = quantity(f"{where}.to", table["to"], "time") if "to" in table else np.inf
        parts.append((low, high, six))

    def wrench_at(t: float) -> Array:
        return np.sum([six for low, high, six in parts if low <= t < high], axis=0) + np.zeros(6)

    return wrench_at


def _fault(platform: Platform, where: str, given: dict[str, Any]) -> Brake | PowerLoss:
    kind = given.get("kind")
    if kind not in ("power-loss", "brake"):
        raise InputError(f"{where}.kind", kind, "must be power-loss or brake")
    table = _known(where, given, {"kind", "time", "legs", *(["force"] if kind == "brake" else [])})
    time = quantity(f"{where}.time", table.get("time", 0.0), "time")
    legs = table.get("legs")
    if legs is not None:
        names = list(platform.leg_names)
        if not isinstance(legs, list) or any(name not in names for name in legs):
            raise InputError(f"{where}.legs", legs, f"must be names of legs: {', '.join(names)}")
        legs = tuple(names.index(name) for name in legs)
    if kind == "power-loss":
        return PowerLoss(time, legs)
    if "force" not in table:
        raise InputError(f"{where}.force", "nothing", "must be given: the brake's holding force")
    return Brake(time, quantity(f"{where}.force", table["force"], "force"), legs)
