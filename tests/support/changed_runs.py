"""A run that says everything a run can say, and single changes of it: each is another run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

import gough
from gough.checks import Array
from gough.control import Decentralized, Sampling
from gough.layout import STATE
from gough.simulation import Brake, Events, Plant, PowerLoss, Springs, State

GAIN = 1.0
Run = dict[str, Any]
Change = tuple[str, Callable[[Run], None]]


@functools.lru_cache(maxsize=4)
def cached(x: float) -> float:
    return GAIN * x


def push(size: float = 1.0, *, moment: float = 0.0) -> Callable[[float], Array]:
    """A disturbance that closes over its numbers and names a global."""

    def wrench(t: float, factor: float = 1.0) -> Array:
        return np.array([size * factor * cached(1.0), 0, 0, 0, 0, moment]) * (t < 0.5)

    return wrench


class Law:
    """A user's controller with a memory."""

    bias = 0.0

    def __init__(self, stiffness: float, table: dict[str, Any]) -> None:
        self.stiffness, self.table = stiffness, table

    def init(self, runs: int) -> dict[str, Array]:
        return {"sum": np.zeros((runs, 6))}

    def update(
        self, t: float, measurement: Any, reference: Any, memory: dict[str, Array]
    ) -> tuple[Array, dict[str, Array]]:
        error = reference.length - measurement.length
        total = memory["sum"] + error
        command = self.stiffness * error + self.table["offset"] + self.bias + 0.1 * total
        return command, {"sum": total}


def base() -> Run:
    """Two steps; everything that `simulate` takes is said."""
    machine = gough.load("motion-base-1500")
    path = gough.trajectory.harmonic(
        (machine.home.position, (0, 0, 0)), [0.01, 0, 0.01, 0.01, 0, 0], 0.5, duration=2.0
    )
    return {
        "platform": machine,
        "state": State(path(0.0)),
        "duration": 4e-3,
        "step": 1e-3,
        "integrator": "rk4",
        "controller": Law(1e5, {"offset": np.arange(6.0)}),
        "reference": path,
        "sampling": Sampling(rate=500.0, delay=2e-3, noise=1e-6, quantization=1e-6),
        "external": push(),
        "plant": Plant(
            springs=Springs(1e3, 1.5, 10.0),
            faults=[PowerLoss(2e-3, (0,)), Brake(3e-3, 1e3, (1, 2))],
            events=Events(),
        ),
        "output": 2e-3,
    }


def play(run: Run, **more: Any) -> Any:
    given = {**run, **more}
    record = {name: given.pop(name) for name in ("output", "checkpoint", "resume") if name in given}
    machine, state = given.pop("platform"), given.pop("state")
    return gough.simulate(machine, state, **given, **record)


def other(value: Any) -> Any:
    """Something near."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * (1 + 1e-12) if value else 1e-12
    if isinstance(value, np.ndarray):
        out = value.astype(float)
        out.flat[-1] = other(float(out.flat[-1]))
        return out
    if isinstance(value, tuple) and value:
        return (*value[:-1], other(value[-1]))
    raise TypeError(value)


def _set(name: str, value: Any) -> Callable[[Run], None]:
    return lambda run: run.__setitem__(name, value(run[name]))


def _leg(
    change: Callable[[Any], Any], which: int = 5
) -> Callable[[gough.Platform], gough.Platform]:
    def apply(machine: gough.Platform) -> gough.Platform:
        legs = list(machine.legs)
        legs[which] = change(legs[which])
        return machine.replace(legs=legs)

    return apply


def _numbers(thing: Any) -> Iterator[str]:
    """Fields of a dataclass whose values are numbers, not all zero."""
    for f in fields(thing):
        value = getattr(thing, f.name)
        numeric = isinstance(value, (bool, int, float, np.ndarray)) or (
            isinstance(value, tuple) and value and isinstance(value[-1], float)
        )
        if f.init and not f.name.startswith("_") and numeric and np.any(value):
            yield f.name


def machine_changes(machine: gough.Platform) -> Iterator[Change]:
    def change(name: str, make: Callable[[gough.Platform], gough.Platform]) -> Change:
        return f"platform.{name}", _set("platform", make)

    def of(thing: Any, name: str) -> Any:
        return thing.replace(**{name: other(getattr(thing, name))})

    body = machine.body
    yield change("body.mass", lambda m: m.replace(body=of(body, "mass")))
    yield change("body.center", lambda m: m.replace(body=of(body, "center")))
    yield change("gravity", lambda m: m.replace(gravity=other(np.asarray(m.gravity))))
    yield change(
        "home", lambda m: m.replace(home=gough.Pose(other(m.home.position), m.home.rotation))
    )
    for which in range(6):
        for name in _numbers(machine.legs[which]):
            make = _leg(lambda old, name=name: of(old, name), which)
            yield change(f"leg {which}.{name}", make)
    for part in ("lower", "upper", "limits", "drive", "friction"):
        own = getattr(machine.legs[5], part, None)
        for name in _numbers(own) if own is not None else ():

            def within(old: Any, part: str = part, name: str = name) -> Any:
                return old.replace(**{part: of(getattr(old, part), name)})

            yield change(f"leg.{part}.{name}", _leg(within, 5))


def run_changes(run: Run) -> Iterator[Change]:
    for block in ("position", "velocity", "angular_velocity"):

        def moved(state: State, block: str = block) -> State:
            parts = {name: getattr(state, name) for name in STATE.names}
            return State(**{**parts, block: other(parts[block])})

        yield f"state.{block}", _set("state", moved)
    yield "duration", _set("duration", lambda _: 6e-3)
    yield "step", _set("step", lambda _: 5e-4)
    yield "output", _set("output", lambda _: 4e-3)
    for name in ("lie", "semi-implicit"):
        yield f"integrator {name}", _set("integrator", lambda _, name=name: name)
    sampling = run["sampling"]
    for f in fields(sampling):
        value = getattr(sampling, f.name)
        if f.init and isinstance(value, (bool, int, float)) and f.name not in ("rate", "delay"):
            yield (
                f"sampling.{f.name}",
                _set(
                    "sampling",
                    lambda s, n=f.name, v=value: _again(
                        s, n, v + 1 if type(v) is int else other(v)
                    ),
                ),
            )
    for name, value in (
        ("rate", 1000.0),
        ("delay", 4e-3),
        ("velocity", "observed"),
        ("pose", "forward-kinematics"),
    ):
        yield (
            f"sampling.{name} {value}",
            _set("sampling", lambda s, n=name, v=value: _again(s, n, v)),
        )


def _again(thing: Any, name: str, value: Any) -> Any:
    """The same with one field changed."""
    given = {f.name: getattr(thing, f.name) for f in fields(thing) if f.init}
    return type(thing)(**{**given, name: value})


def plant_changes(plant: Plant) -> Iterator[Change]:
    def change(name: str, field: str, value: Any) -> Change:
        return f"plant.{name}", _set("plant", lambda p: _again(p, field, value))

    springs = plant.springs
    assert springs is not None
    for name in ("stiffness", "rest", "damping"):
        given = {n: getattr(springs, n) for n in ("stiffness", "rest", "damping")}
        yield change(f"springs.{name}", "springs", Springs(**{**given, name: other(given[name])}))
    yield change("springs none", "springs", None)
    yield change("drives", "drives", False)
    loss, brake = plant.faults
    yield change("faults fewer", "faults", [loss])
    yield change("faults.time", "faults", [_again(loss, "time", 1e-3), brake])
    yield change("faults.legs", "faults", [_again(loss, "legs", (1,)), brake])
    yield change("brake.force", "faults", [loss, _again(brake, "force", other(brake.force))])
    for name in ("stroke", "speed", "cone", "singularity", "force"):
        for action in ("stop", "off"):
            yield change(f"events.{name} {action}", "events", Events(**{name: action}))
    yield change("events.condition", "events", Events(condition=999.0))


def _law(**changed: Any) -> Law:
    return Law(**{"stiffness": 1e5, "table": {"offset": np.arange(6.0)}, **changed})


def _shifted(t: float, measurement: Any, reference: Any) -> Array:
    return 1e5 * (reference.length - measurement.length)


def function_changes(run: Run) -> Iterator[Change]:
    """Of functions: code, closure, defaults, globals, class attributes, methods; of a path: each of its numbers."""
    yield "external closure", _set("external", lambda _: push(1.0 + 1e-12))
    yield "external deeper closure", _set("external", lambda _: push(moment=1e-12))
    yield "external code", _set("external", lambda _: lambda t: np.zeros(6))
    yield "external none", _set("external", lambda _: None)
    yield "external numbers", _set("external", lambda _: np.array([1.0, 0, 0, 0, 0, 0]))

    def defaults(run: Run) -> None:
        run["external"].__defaults__ = (1.0 + 1e-12,)

    yield "external default", defaults
    yield "controller stiffness", _set("controller", lambda _: _law(stiffness=1e5 * (1 + 1e-12)))
    yield (
        "controller table",
        _set("controller", lambda _: _law(table={"offset": other(np.arange(6.0))})),
    )
    yield (
        "controller key",
        _set("controller", lambda _: _law(table={"offset": np.arange(6.0), "x": 1})),
    )
    yield "controller function", _set("controller", lambda _: _shifted)
    yield (
        "controller of the house",
        _set("controller", lambda _: Decentralized(1.0, 2.0, 0.0, 1.0, 0.0)),
    )
    for name, value in (("bias", 1e-12), ("init", lambda self, runs: {"sum": np.ones((runs, 6))})):
        kind = type("Law", (Law,), {name: value, "__module__": Law.__module__})
        yield (
            f"class {name}",
            _set("controller", lambda old, kind=kind: kind(old.stiffness, old.table)),
        )
    home = run["platform"].home.position
    turn = [0.01, 0, 0.01, 0.01, 0, 0]
    make = gough.trajectory.harmonic
    for name, path in (
        ("amplitude", make((home, (0, 0, 0)), [0.01, 0, 0.01, 0.01, 0, 1e-9], 0.5, duration=2.0)),
        ("frequency", make((home, (0, 0, 0)), turn, 0.5 + 1e-9, duration=2.0)),
        ("duration", make((home, (0, 0, 0)), turn, 0.5, duration=2.5)),
        ("pose", gough.Pose(home, np.eye(3))),
        ("none", None),
    ):
        yield f"reference {name}", _set("reference", lambda _, path=path: path)


def all_changes(run: Run) -> list[Change]:
    made = [*machine_changes(run["platform"]), *run_changes(run), *plant_changes(run["plant"])]
    return [*made, *function_changes(run)]
