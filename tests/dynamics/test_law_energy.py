"""Energy of every law as an integral along a ride: work in = energy stored + heat, and heat never comes back."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gough.dynamics.laws import friction, gear, hydraulic, series, springs, stops
from support.cylinders import cylinder_law, oil_at_rest
from support.rides import SAMPLES, Ride, one_leg

MASS, WEIGHT = 5.0, 49.0
ROTOR, STUCK = {"reflected": 3.0}, {"grip": 1e5, "grip_damping": 300.0}
ELASTIC = {**ROTOR, "series_stiffness": 1e5, "series_damping": 40.0}
COIL = {"electric_rate": 200.0, "voltage_slope": 25.0, "current_rate": 500.0}
STOPS = {"stop_low": -0.1, "stop_high": 0.1, "stop_stiffness": 1e5, "stop_loss": 2.0}
GEAR = {**ROTOR, **STUCK, "loss": 0.25, "back_loss": 0.3, "load_rate": 800.0}
RIDES: dict[str, tuple[dict[str, float], list[float], float]] = {
    "springs": ({"stiffness": 4e3, "rest": 0.1, "damping": 30.0, "viscous": 10.0}, [0.3, 0.0], 0.4),
    "stops": (STOPS, [0.0, 1.5], 0.4),
    "dry friction": ({"coulomb": 30.0, **STUCK}, [0.0, 0.4], 1.0),
    "stribeck": (
        {"coulomb": 30.0, "excess": 15.0, "stribeck": 0.05, "viscous": 5.0, **STUCK},
        [0.0, 0.4],
        0.6,
    ),
    "presliding": ({"coulomb": 300.0, **STUCK}, [0.0, 0.3], 1.0),  # mostly below its level
    "brake": ({"coulomb": 30.0 + 80.0, "grip": 8e5, "grip_damping": 2e3}, [0.0, 0.4], 0.4),
    "gear": (GEAR, [0.0, 0.4, 10.0], 0.25),
    "one-way gear": ({**GEAR, "loss": 0.1, "back_loss": 1.5}, [0.0, 0.4, 10.0], 0.2),
    "series": ({**ELASTIC, "viscous": 5.0}, [0.0, 0.4, 0.002, -0.1], 0.4),
    "series with friction": (
        {**ELASTIC, "coulomb": 30.0, **STUCK},
        [0.0, 0.4, 0.002, -0.1],
        0.4,
    ),
    "backlash": ({**ELASTIC, "play": 1e-3}, [0.0, 0.4, 0.002, -0.1], 0.4),
    "current": ({"current_rate": 300.0, "limit": 40.0}, [0.0, 0.4, 0.0], 0.4),
    "inductance": ({**COIL, "voltage_force": 60.0}, [0.0, 0.4, 0.0], 0.4),
    "shorted winding": ({"voltage_force": 0.0, "voltage_slope": 25.0}, [0.0, 0.4], 0.4),
    "shorted coil": ({**COIL, "voltage_force": 0.0}, [0.0, 0.4, 0.0], 0.4),
}
MODES = {
    "presliding": {0},
    "brake": {0, 1},
}  # of the friction element, where it does not go both ways
LASTING = float(os.environ.get("GOUGH_RIDE", "2"))  # times as long where they are slow


def pushing(t: float) -> float:
    return 50.0 * np.sin(20.0 * t) + 15.0 * np.sin(47.0 * t)


def balance(name: str, longer: float = 1.0) -> tuple[float, Ride, np.ndarray]:
    rows, start, duration = RIDES[name]
    weight = WEIGHT if "gear" in name else 0.0  # so that it is driven and driving
    ride = Ride(one_leg(**rows), MASS, pushing, weight)
    # kinks of stops and play are left to the solver's error control: looks as near as in the short ride
    path = ride.run(start, longer * duration, max_step=duration / SAMPLES)
    return ride.imbalance(path, longer * duration), ride, path


def check(name: str, longer: float = 1.0) -> None:
    off, ride, path = balance(name, longer)
    assert off < 1e-9
    assert ride.coldest >= -1e-9 * path[-1, -1]
    assert np.ptp(path[:, 0]) > 1e-3
    if ride.dry:
        assert set(ride.modes) == MODES.get(name, {0, 1, -1})
    if name == "gear":  # power through it both ways, behind rotor and friction
        through = path[:, 2] * path[:, 1]
        assert through.min() < -1.0
        assert through.max() > 1.0


@pytest.mark.parametrize("name", RIDES)
def test_energy_balance_along_a_ride(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", RIDES)
def test_energy_balance_along_a_long_ride(name: str) -> None:
    check(name, LASTING)


@pytest.mark.parametrize(("command", "thrown"), [("force", 0.0), ("valve", 1.0)])
def test_energy_balance_of_a_cylinder(command: str, thrown: float) -> None:
    """Supply in = piston's work + heat in edges and gaps + compression; thrown faster than oil comes, void and all."""
    law, weight = cylinder_law(command=command), 250.0 * 9.81
    wave = {"force": (6000.0, weight), "valve": (0.8, 0.0)}[command]
    ride = Ride(law, 250.0, lambda t: wave[0] * np.sin(25.0 * t) + wave[1], weight)
    path = ride.run([1.45, thrown, 0.0, *oil_at_rest(law, 1.45, weight)], 0.1)
    assert ride.imbalance(path, 0.1) < 1e-9
    assert ride.coldest > 0.0
    assert np.ptp(path[:, 0]) > 1e-3
    p = hydraulic.pressures(law, path[:, 0], path[:, 3], path[:, 4])
    assert (np.min(p) == 0.0) == (thrown > 0.0)


def test_a_shorted_coil_turns_motion_into_copper_heat_alone() -> None:
    """Kinetic and magnetic energy, ``u^2/(2 slope rho)``, fall by the copper's heat, ``u^2/slope``, written here."""
    slope, rho = COIL["voltage_slope"], COIL["electric_rate"]
    ride = Ride(one_leg(**COIL, voltage_force=0.0), MASS, lambda t: 1e3)
    bare = ride.rhs
    ride.rhs = lambda t, x: [*bare(t, x)[:-1], x[2] ** 2 / slope]  # type: ignore[method-assign]
    path = ride.run([0.0, 2.0, 0.0], 0.6)
    energy = 0.5 * MASS * path[:, 1] ** 2 + path[:, 2] ** 2 / (2 * slope * rho)
    assert np.abs(energy + path[:, -1] - energy[0]).max() < 1e-9 * energy[0]
    assert path[-1, -1] > 0.9 * energy[0]


def negated(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: right(*given[:-1], -given[-1])


PLANTED: dict[str, tuple[str, Any, str, Callable[[Any], Any]]] = {
    "springs damp backward": ("springs", springs, "force", negated),
    "stops damp backward": ("stops", stops, "force", negated),
    "series damps backward": ("series", series, "force", negated),
    "an element that keeps its anchor": (
        "dry friction",
        friction,
        "element",
        lambda right: (
            lambda law, x, v, anchor, up, down: (right(law, x, v, x, up, down)[0], anchor)
        ),
    ),
    "a gear whose loss follows the power": (
        "gear",
        gear,
        "levels",
        lambda right: lambda law, load: tuple(-x for x in right(law, load)),
    ),
}


@pytest.mark.parametrize("error", PLANTED)
def test_a_law_that_creates_power_is_caught(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its heat comes back, the balance does not close, or the ride has no end."""
    name, module, function, wrong = PLANTED[error]
    monkeypatch.setattr(module, function, wrong(getattr(module, function)))
    with pytest.raises(AssertionError):
        check(name)


@pytest.mark.parametrize("function", ["_head", "stored"])
def test_oil_without_its_compression_is_caught(
    function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: enthalpy without the share of compression; columns that store as incompressible ones."""
    wrong = {"_head": lambda law, p: p, "stored": lambda law, now: 0.0}[function]
    monkeypatch.setattr(hydraulic, function, wrong)
    with pytest.raises(AssertionError):
        test_energy_balance_of_a_cylinder("valve", 1.0)
