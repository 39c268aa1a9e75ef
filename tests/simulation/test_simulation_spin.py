"""SPS legs whose spin is part of the state: energy, the DAE, and the two ways to step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson

import gough
from gough.simulation import simulate_dae
from oracles.machines import case


@pytest.fixture(scope="module")
def start():  # type: ignore[no-untyped-def]
    """A machine with lopsided SPS legs, at home, its legs spinning."""
    machine = case("SPS-general", seed=2, states=1, friction=False, drive=False).platform
    spin = gough.Spin(np.linspace(-1.0, 1.0, 6), np.array([2.0, -3.0, 1.0, 4.0, -2.0, 0.5]))
    return machine, spin, 1.05 * gough.inverse_dynamics(machine, machine.home, spin=spin).force


def test_energy_and_the_dae(start) -> None:  # type: ignore[no-untyped-def]
    machine, spin, force = start
    run = gough.simulate(
        machine, machine.home, duration=0.2, step=2.5e-4, force=force, spin=spin, output=5e-3
    )
    assert run.attrs["status"] == "ok"
    total = (run.kinetic + run.potential).values
    given = simpson(run.power.values.sum(axis=-1), x=run.time.values)
    scale = np.abs(run.power.values).sum() * 5e-3
    assert abs(total[-1] - total[0] - given) < 1e-6 * scale
    assert np.abs(run.spin_rate.values[-1] - run.spin_rate.values[0]).min() > 1e-4
    ends = []
    for h in (1e-3, 5e-4):
        dae = simulate_dae(
            machine, machine.home, 0.2, h, force=force, spin=spin, method="generalized-alpha"
        )
        assert dae.ok
        ends.append(
            np.concatenate(
                [dae.motion.position[-1], dae.motion.velocity[-1], dae.motion.angular_velocity[-1]]
            )
        )
    limit = (4 * ends[1] - ends[0]) / 3
    own = np.concatenate(
        [run.position.values[-1], run.velocity.values[-1], run.angular_velocity.values[-1]]
    )
    assert np.abs(own - limit).max() < 1e-6


def test_stages_in_python_do_the_same(start) -> None:  # type: ignore[no-untyped-def]
    machine, spin, force = start
    options = {"duration": 0.02, "spin": spin}
    compiled = gough.simulate(machine, machine.home, force=force, **options)
    written = gough.simulate(machine, machine.home, force=lambda t, m: force, **options)
    for name in ("position", "spin_angle", "spin_rate"):
        assert np.abs(compiled[name].values - written[name].values).max() < 1e-10, name


def test_a_missing_spin_is_refused(start) -> None:  # type: ignore[no-untyped-def]
    machine, _, force = start
    with pytest.raises(gough.InputError, match="spin"):
        gough.simulate(machine, machine.home, duration=0.01, force=force)
