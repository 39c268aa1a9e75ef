"""Constant-force motion against Pinocchio's constraint dynamics, integrated adaptively to 1e-10, over 0.3 s."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from oracles.machines import platform as random_platform
from oracles.pinocchio_forward import PinocchioMotion

DURATION = 0.3


def deviation(machine: gough.Platform) -> tuple[float, float]:
    """Largest difference of position (m) and rotation matrix over the run, and how far the platform moved."""
    force = 1.02 * gough.inverse_dynamics(machine, machine.home).force
    run = gough.simulate(
        machine,
        machine.home,
        duration=DURATION,
        force=force,
        step=2.5e-4,
        output=0.03,
        reactions=False,
    )
    assert run.attrs["status"] == "ok"
    position, rotation = PinocchioMotion(machine).run(force, run.time.values)
    own = gough.Pose.from_quaternion(run.position.values, run.quaternion.values)
    error = max(np.abs(own.position - position).max(), np.abs(own.rotation - rotation).max())
    return float(error), float(np.linalg.norm(position[-1] - position[0]))


def test_dasgupta_moves_as_in_pinocchio() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        machine = gough.load("dasgupta-1998")
    error, travel = deviation(machine)
    assert travel > 0.01
    assert error < 1e-7


@pytest.mark.parametrize("seed", range(5))
def test_random_physical_machines_move_as_in_pinocchio(seed: int) -> None:
    machine = random_platform("UPS", seed=seed, drive=False)
    error, travel = deviation(machine)
    assert travel > 1e-3
    assert error < 1e-7


def test_a_planted_mass_error_would_be_seen() -> None:
    """A leg part heavier by a thousandth moves the platform by more than the tolerance."""
    machine = random_platform("UPS", seed=0, drive=False)
    force = 1.02 * gough.inverse_dynamics(machine, machine.home).force
    leg = machine.legs[0]
    heavier = leg.upper.replace(mass=1.001 * leg.upper.mass)  # type: ignore[union-attr]
    wrong = machine.replace(legs=[leg.replace(upper=heavier), *machine.legs[1:]])
    ends = [
        gough.simulate(
            m, machine.home, duration=DURATION, force=force, output=DURATION
        ).position.values[-1]
        for m in (machine, wrong)
    ]
    assert np.abs(ends[0] - ends[1]).max() > 1e-6
