"""Simulations at their edges: what each part refuses and says, and forms of input that mean the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.control import Decentralized
from gough.simulation import Brake, PowerLoss, Springs, simulate_dae
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.scenario import load_scenario
from oracles.machines import case


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def home(machine: gough.Platform) -> gough.Pose:
    assert machine.home is not None
    return machine.home


def hold(machine: gough.Platform, **options: Any) -> Any:
    """A few steps under the forces that hold the home pose."""
    given = {"duration": 0.004, "step": 1e-3, "drives": False, "reactions": False, **options}
    if "controller" not in given:
        given.setdefault("force", gough.inverse_dynamics(machine, home(machine)).force)
    return gough.simulate(machine, given.pop("state", home(machine)), **given)


REFUSALS: list[tuple[Callable[[gough.Platform], Any], str]] = [
    (lambda m: hold(m, state="home"), "state"),
    (lambda m: hold(m, controller=3), "controller"),
    (lambda m: hold(m, controller=lambda *a: np.zeros(6), reference=3), "reference"),
    (lambda m: Springs(np.ones(5), 1.0), "stiffness"),
    (lambda m: Springs(1.0, 1.0, -1.0), "damping"),
    (lambda m: Brake(0.1, 10.0, 7), "legs"),  # type: ignore[arg-type]
    (lambda m: Brake(0.1, 10.0, ("L1",)), "legs"),  # type: ignore[arg-type]
    (lambda m: PowerLoss(0.1, ()), "leg indices"),
    (lambda m: PowerLoss(0.1, (6,)), "leg indices"),
    (lambda m: Adaptive("Euler"), "integrator"),
    (lambda m: simulate_dae(m, home(m), 0.01, 1e-3, force=np.ones((2, 6))), "six numbers"),
    (lambda m: simulate_dae(m, home(m), 0.01, 1e-3, initial_speeds="some"), "initial_speeds"),
    (lambda m: simulate_dae(m, home(m), 0.01, 1e-3, method="euler"), "hht"),
    (
        lambda m: Decentralized.tuned(m, rate=1000.0, integral=1e9),
        "no bandwidth is stable",
    ),
]


@pytest.mark.parametrize(("call", "words"), REFUSALS)
def test_what_is_wrong_is_said(
    machine: gough.Platform, call: Callable[[gough.Platform], Any], words: str
) -> None:
    with pytest.raises(gough.InputError, match=words):
        call(machine)


def test_loads_given_to_a_controller_are_its_own(machine: gough.Platform) -> None:
    """Gains are proportional to the load: ``m w^2`` and ``2 z w m``."""
    law = Decentralized.from_bandwidth(
        machine, bandwidth=10.0, damping=0.7, load=[1, 2, 3, 4, 5, 6]
    )
    twice = Decentralized.from_bandwidth(
        machine, bandwidth=10.0, damping=0.7, load=np.arange(2, 14, 2)
    )
    for name, gain in vars(law).items():
        if name != "offset" and isinstance(gain, np.ndarray) and gain.shape == (6,):
            np.testing.assert_allclose(getattr(twice, name), 2 * gain)


def test_a_plain_function_of_time_is_a_reference(machine: gough.Platform) -> None:
    """A function without a duration is asked at every sample; the loop follows it as it follows a trajectory."""
    path = gough.trajectory.quintic(
        home(machine),
        gough.Pose(home(machine).position + np.array([0, 0, 0.01]), home(machine).rotation),
        0.2,
    )
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0)
    options = {"duration": 0.05, "step": 1e-3, "controller": law}
    named = hold(machine, **options, reference=path)
    plain = hold(machine, **options, reference=lambda t: path(t))
    np.testing.assert_array_equal(named.position.values, plain.position.values)


def test_a_scenario_needs_a_start_where_the_machine_has_none(
    machine: gough.Platform, tmp_path: Path
) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[scenario]\nduration = "2 ms"\nstep = "1 ms"\n')
    try:
        plan = load_scenario(file)
    except gough.InputError:
        file.write_text('duration = "2 ms"\nstep = "1 ms"\n')
        plan = load_scenario(file)
    with pytest.raises(gough.InputError, match="must be given: the machine names no home pose"):
        plan.arguments(machine.replace(home=None))


def test_bodies_do_not_carry_spins_as_state() -> None:
    spinning = case("SPS-general", seed=2, states=1)
    spin = gough.Spin(spinning.spin_angle[0], spinning.spin_rate[0])
    with pytest.raises(gough.InputError, match="simulate_dae"):
        gough.simulate(
            spinning.platform,
            spinning.motion[0].pose,
            duration=0.002,
            step=1e-3,
            force=np.zeros(6),
            integrator="hht",
            spin=spin,
            drives=False,
        )


def test_a_machine_that_was_used_is_still_the_same_run(tmp_path: Path) -> None:
    """What a machine computes about itself on the way is not part of what it is."""
    fresh = gough.load("motion-base-1500")
    assert fresh.home is not None
    more: dict[str, Any] = {"duration": 2e-3, "checkpoint": tmp_path / "run", "drives": False}
    first = gough.simulate(fresh, fresh.home, controller=level, **more)
    again = gough.simulate(fresh, fresh.home, controller=level, resume=True, **more)
    np.testing.assert_array_equal(first.position.values, again.position.values)


def level(t: float, measurement: Any, reference: Any) -> np.ndarray:
    return 1e4 * (reference.length - measurement.length)
