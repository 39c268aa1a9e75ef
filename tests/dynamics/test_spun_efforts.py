"""Motor efforts along a motion with times, of legs whose spin is given: loaded by what holds the first state."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.results import Spin
from oracles.machines import case

TIME = np.array([0.0, 0.01, 0.03])
LOSS, BACK = 0.25, 0.4  # shares of the load: efficiencies 0.8 ahead, 0.6 back


def geared() -> tuple[gough.Platform, gough.Motion, Spin]:
    """Struts between balls, gears that lose without any other friction, fast in every leg."""
    c = case("SPS-general", seed=3, states=3)
    drive = gough.Drive(ratio=200.0, efficiency=1 / (1 + LOSS), back_efficiency=1 - BACK)
    legs = [leg.replace(drive=drive) for leg in c.platform.legs]
    m = c.motion
    motion = gough.Motion(m.position, m.rotation, *m.rates, time=TIME)
    return c.platform.replace(legs=legs), motion, Spin(c.spin_angle, c.spin_rate)


def efforts(machine: gough.Platform, motion: gough.Motion, spin: Spin) -> np.ndarray:
    return gough.inverse_dynamics(machine, motion, spin=spin, drives=True, engine="python").force


def test_the_first_friction_is_that_of_the_load_at_rest_with_the_first_spin() -> None:
    machine, motion, spin = geared()
    still = gough.Motion(motion.position[0], motion.rotation[0])
    turned = Spin(spin.angle[0], np.zeros(6))
    load = gough.inverse_dynamics(machine, still, spin=turned, engine="python").force
    other = Spin(spin.angle[1], np.zeros(6))
    wrong = gough.inverse_dynamics(machine, still, spin=other, engine="python").force
    assert np.abs(load - wrong).min() > 1e-6 * np.abs(load).max()
    free = gough.inverse_dynamics(machine, motion, spin=spin, engine="python").force[0]
    rate = gough.inverse_kinematics(machine, motion, engine="python").rate[0]
    assert np.abs(rate).min() > 1e-3
    share = np.where(load * rate > 0.0, LOSS, BACK)
    due = free + np.sign(rate) * share * np.abs(load)
    np.testing.assert_allclose(efforts(machine, motion, spin)[0], due, rtol=1e-9)


@pytest.mark.parametrize("rows", [1, 2])
def test_a_spin_may_be_one_for_all_times_or_one_for_each(rows: int) -> None:
    machine, motion, spin = geared()
    one = Spin(spin.angle[0], spin.rate[0])
    tiled = Spin(np.tile(spin.angle[0], (3, 1)), np.tile(spin.rate[0], (3, 1)))
    np.testing.assert_allclose(
        efforts(machine, motion, one), efforts(machine, motion, tiled), rtol=1e-12
    )
    first = gough.Motion(
        *(a[:rows] for a in (motion.position, motion.rotation, *motion.rates)), time=TIME[:rows]
    )
    part = Spin(spin.angle[:rows], spin.rate[:rows])
    whole = efforts(machine, motion, spin)
    np.testing.assert_allclose(efforts(machine, first, part), whole[:rows], rtol=1e-12)


@pytest.mark.parametrize("timed", [False, True])
def test_states_without_a_history_slide_steadily(timed: bool) -> None:
    """A batch without times, one state of it, and one state that has a time: each leg by its own drive's words."""
    machine, motion, spin = geared()
    parts = (motion.position, motion.rotation, *motion.rates)
    legs = [leg if i != 4 else leg.replace(drive=None) for i, leg in enumerate(machine.legs)]
    machine = machine.replace(legs=legs)
    batch = gough.Motion(*parts)
    one = gough.Motion(*(a[1] for a in parts), time=0.7 if timed else None)
    own = Spin(spin.angle[1], spin.rate[1])
    force = gough.inverse_dynamics(machine, batch, spin=spin, engine="python").force
    moved = gough.inverse_kinematics(machine, batch, engine="python")
    due = np.array(force)
    for i, leg in enumerate(machine.legs):
        if leg.drive is not None:
            due[:, i] = leg.drive.motor_force(
                force[:, i], moved.rate[:, i], moved.acceleration[:, i]
            )
    np.testing.assert_allclose(efforts(machine, batch, spin), due, rtol=1e-9)
    np.testing.assert_allclose(efforts(machine, one, own), due[1], rtol=1e-9)
    assert np.abs(due - force)[:, 4].max() == 0.0
    assert np.abs(due - force)[:, :4].min() > 0.0
