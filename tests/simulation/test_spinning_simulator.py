"""A simulator of legs that carry their spin, and ends of long runs in their records (dataset.py)."""

from __future__ import annotations

import numpy as np

import gough
from gough.layout import SPINNING
from gough.results import Spin
from gough.simulation import Simulator, State
from oracles.machines import case


def test_steps_of_spinning_legs_are_those_of_a_run_and_show_their_coordinates() -> None:
    c = case("SPS-general", seed=3, states=2)
    machine, motion = c.platform, c.motion[0]
    still = gough.Motion(motion.position, motion.rotation, 0.02 * motion.velocity)
    spin = Spin(c.spin_angle[0], 0.1 * c.spin_rate[0])
    hold = gough.inverse_dynamics(machine, still, spin=spin).force
    simulator = Simulator(machine, state=State(still), spin=spin, step=1e-4, drives=False)
    np.testing.assert_allclose(simulator.state[SPINNING.spin_rate], spin.rate)
    np.testing.assert_allclose(simulator.state[SPINNING.spin_angle], spin.angle)
    given = {"duration": 5e-4, "step": 1e-4, "drives": False, "force": hold, "spin": spin}
    run = gough.simulate(machine, State(still), **given)  # type: ignore[arg-type]
    for k in range(5):
        seen = simulator.observe()
        legs = gough.inverse_kinematics(machine, seen.motion)
        np.testing.assert_allclose(seen.length, legs.length, rtol=1e-12)
        np.testing.assert_allclose(seen.rate, legs.rate, atol=1e-11)
        np.testing.assert_array_equal(seen.position, run.position.values[k])
        np.testing.assert_allclose(
            simulator.state[SPINNING.spin_rate], run.spin_rate.values[k], rtol=1e-12
        )
        simulator.step(hold)


def test_the_last_record_of_a_long_run_stands() -> None:
    """Rounding of its time does not make it one after the end."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    hold = gough.inverse_dynamics(machine, home).force
    for duration in (0.07, 9.0, 700.0):
        given = {"duration": duration, "step": duration / 7, "drives": False, "force": hold}
        events = gough.simulation.Events(stroke="off", speed="off", cone="off")
        run = gough.simulate(
            machine,
            home,
            integrator="semi-implicit",
            events=events,
            **given,  # type: ignore[arg-type]
        )
        ended = float(run.attrs["end_time"])
        there = run.time.values <= ended + 1e-9 * duration
        assert np.isfinite(run.position.values[there]).all()
        assert np.isnan(run.position.values[~there]).all()
        assert there.sum() >= 1
