"""Runs on the GPU beside the same runs on the CPU: one list of cases for the tests and for `benchmarks/gpu.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from xarray import Dataset

import gough
from gough.control import ComputedForce, Decentralized, FeedForward, GravityCompensation, Impedance
from gough.simulation import Brake, Evenly, Events, PowerLoss, Sampling, Springs, State, varied
from oracles.machines import case

RUNS = 6
Case = Callable[[int], dict[str, Any]]
"""Steps -> the arguments of `simulate`."""


def spread(machine: gough.Platform, size: float = 0.02, runs: int = RUNS) -> State:
    """Runs at home, each with another small twist."""
    home, rng = machine.require_home(), np.random.default_rng(1)
    several = [np.repeat(a[None], runs, axis=0) for a in (home.position, home.rotation)]
    return State(*several, *(size * rng.standard_normal((2, runs, 3))))


def static(machine: gough.Platform) -> np.ndarray:
    return gough.inverse_dynamics(machine, machine.require_home()).force


def path(machine: gough.Platform, size: float = 0.02) -> Any:
    home = machine.require_home()
    up = gough.Pose(home.position + np.array([0.0, 0.0, size]), home.rotation)
    return gough.trajectory.quintic(home, up, duration=0.2)


def falling(method: str) -> Case:
    """Held efforts, drives off: the body sinks and turns."""

    def made(steps: int) -> dict[str, Any]:
        machine = gough.load("motion-base-1500")
        given = {"integrator": method, "drives": False, "force": static(machine)}
        return {"platform": machine, "state": spread(machine), **given, "duration": 1e-3 * steps}

    return made


def moved(method: str = "rk4", **more: Any) -> Case:
    """Efforts and wrenches that vary in time, drives on, springs along the legs."""

    def made(steps: int) -> dict[str, Any]:
        machine = gough.load("motion-base-1500")
        rest = gough.inverse_kinematics(machine, machine.require_home()).length
        hold = static(machine)
        return {
            "platform": machine,
            "state": spread(machine),
            "integrator": method,
            "force": lambda t: hold * (1.0 + 0.2 * np.sin(9.0 * t)),
            "external": np.linspace(0.0, 30.0, 6 * (steps + 1)).reshape(steps + 1, 6),
            "springs": Springs(2e3, rest, 50.0),
            "duration": 1e-3 * steps,
            **more,
        }

    return made


def controlled(
    name: str, control: Callable[[gough.Platform], Any], rate: float = 1000.0, **more: Any
) -> Case:
    """Along a path under a built-in controller."""

    def made(steps: int) -> dict[str, Any]:
        machine = gough.load(name)
        size = 0.03 * float(machine.characteristic_length)
        return {
            "platform": machine,
            "state": spread(machine, size),
            "controller": control(machine),
            "reference": path(machine, size),
            "sampling": Sampling(rate=rate),
            "duration": 1e-3 * steps,
            "loop": True,
            **more,
        }

    return made


def pid(machine: gough.Platform) -> Decentralized:
    return Decentralized.from_bandwidth(machine, bandwidth=30.0, integral=0.2)


def fleet(controller: bool) -> Case:
    """Machines that differ."""

    def made(steps: int) -> dict[str, Any]:
        machine = gough.load("motion-base-1500")
        machines = varied(machine, {"body.mass": Evenly(0.9, 1.1, relative=True)}, RUNS, seed=2)
        given: dict[str, Any] = {"platform": machines, "state": spread(machine)}
        if controller:
            given |= {"controller": pid(machine), "reference": path(machine)}
        else:
            given |= {"force": static(machine), "drives": False}
        return {**given, "duration": 1e-3 * steps}

    return made


def elastic(steps: int) -> dict[str, Any]:
    """Drives behind springs, read by encoders on the motors."""
    given = controlled("motion-base-1500", pid)(steps)
    machine = given["platform"]
    legs = [
        leg.replace(drive=replace(leg.drive, stiffness=2e6, damping=2e3)) for leg in machine.legs
    ]
    return {
        **given,
        "platform": machine.replace(legs=legs),
        "step": 1e-4,
        "duration": 1e-4 * steps,
        "sampling": Sampling(rate=1000.0),
    }


def spinning(steps: int) -> dict[str, Any]:
    """Legs that carry their spin as state."""
    c = case("SPS-general", seed=3, states=4)
    spin = gough.Spin(c.spin_angle, 0.1 * c.spin_rate)
    motion = c.motion
    state = State(
        motion.position,
        motion.rotation,
        0.05 * motion.velocity,
        0.05 * motion.angular_velocity,
        spin=spin,
    )
    return {
        "platform": c.platform,
        "state": state,
        "drives": False,
        "duration": 1e-4 * steps,
        "step": 1e-4,
        "events": Events(singularity="off"),
    }


def lost(steps: int) -> dict[str, Any]:
    """No effort at all: the machine falls through its strokes and singularities; some runs stop there."""
    machine = gough.load("motion-base-1500")
    stopping = Events(singularity="stop", condition=40.0)
    return {
        "platform": machine,
        "state": spread(machine, 0.5),
        "drives": False,
        "events": stopping,
        "duration": 1e-3 * steps,
    }


CASES: dict[str, Case] = {
    "falling rk4": falling("rk4"),
    "falling lie": falling("lie"),
    "falling semi-implicit": falling("semi-implicit"),
    "driven rk4": moved(),
    "driven lie": moved("lie"),
    "driven semi-implicit": moved("semi-implicit"),
    "faults": moved(faults=[PowerLoss(0.05, (1,)), Brake(0.1, 3000.0, (0, 2))]),
    "pid every step": controlled("motion-base-1500", pid),
    "pid at 250 Hz": controlled("motion-base-1500", pid, 250.0),
    "computed force": controlled("motion-base-1500", lambda m: ComputedForce(m, 30.0)),
    "computed leg force": controlled(
        "motion-base-1500", lambda m: ComputedForce(m, 30.0, space="leg")
    ),
    "impedance": controlled("motion-base-1500", lambda m: Impedance.from_bandwidth(m, 30.0)),
    "gravity": controlled("motion-base-1500", lambda m: GravityCompensation(m, 30.0)),
    "feed forward": controlled("motion-base-1500", lambda m: FeedForward(m, 30.0)),
    "cranks": controlled("servo-hexapod", pid),
    "sliders": controlled("hexaglide", pid),
    "screws": controlled("screw-hexapod", pid),
    "machines": fleet(False),
    "machines, controlled": fleet(True),
    "elastic drives": elastic,
    "spins": spinning,
    "lost": lost,
}


def difference(found: Dataset, wanted: Dataset) -> float:
    """Largest difference of any variable, relative to the largest number of its unit in the whole answer; infinite
    where something has no number in one alone, or the words differ."""
    words = ("status", "limits_checked", "laws")
    same = all(found.attrs.get(name) == wanted.attrs.get(name) for name in words)
    if not same or set(found.data_vars) != set(wanted.data_vars):
        return np.inf
    size: dict[str, float] = {}
    numbers = {n: v for n, v in wanted.data_vars.items() if v.dtype.kind == "f"}
    for value in numbers.values():
        unit, known = value.attrs["units"], np.isfinite(value.values)
        largest = float(np.abs(value.values[known]).max(initial=0.0))
        size[unit] = max(size.get(unit, 0.0), largest)
    worst = 0.0
    for name, value in wanted.data_vars.items():
        a, b = found[name].values, value.values
        if name not in numbers:
            worst = worst if np.array_equal(a, b) else np.inf
            continue
        known = np.isfinite(b)
        if not np.array_equal(np.isfinite(a), known):
            return np.inf
        off = float(np.abs(a[known] - b[known]).max(initial=0.0))
        worst = max(worst, off / (size[value.attrs["units"]] or 1.0))
    return worst
