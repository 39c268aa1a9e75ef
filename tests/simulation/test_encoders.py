"""Where the encoders sit: behind the springs of elastic drives, unless they are said to sit on the legs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.control import Decentralized, Sampling

PLAY = 4e-4
RATIO = gough.load("motion-base-1500").legs[0].drive.ratio


def elastic(play: float = 0.0) -> gough.Platform:
    machine = gough.load("motion-base-1500")
    soft = {"stiffness": 2e6, "damping": 4e3, "efficiency": 1.0, "coulomb": 0.0, "static": 0.0}
    legs = [leg.replace(drive=leg.drive.replace(**soft, backlash=play)) for leg in machine.legs]
    return machine.replace(legs=legs)


def run(machine: gough.Platform, sampling: Sampling, python: bool = False) -> Any:
    law = Decentralized.from_bandwidth(machine, bandwidth=15.0)
    controller = (lambda t, seen, wanted: law(t, seen, wanted)) if python else law
    home = machine.require_home()
    goal = gough.Pose(home.position + 5e-3 * np.eye(3)[2], home.rotation)
    reference = gough.trajectory.quintic(home, goal, duration=0.1)
    given = {"controller": controller, "reference": reference, "sampling": sampling}
    found = gough.simulate(
        machine, home, duration=0.1, step=2.5e-4, output=1e-3, loop=True, reactions=False, **given
    )
    assert found.attrs["status"] == "ok"
    return found


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize("encoder", [None, "motor", "leg"])
def test_an_encoder_reads_the_coordinate_that_it_sits_on(encoder: str | None, python: bool) -> None:
    """Compiled and asked in Python; the two coordinates are millimeters apart."""
    found = run(elastic(), Sampling(encoder=encoder), python)
    legs, motors, read = (
        found[name].values[:-1] for name in ("length", "drive_coordinate", "measured_length")
    )
    assert np.abs(legs - motors).mean() > 1e-3
    assert np.abs(read - (legs if encoder == "leg" else motors)).max() < 1e-14
    speed = found.rate.values if encoder == "leg" else found.motor_speed.values / RATIO
    assert np.abs(found.measured_rate.values[:-1] - speed[:-1]).max() < 1e-12


def test_play_inside_a_spring_is_not_counted_twice() -> None:
    """`backlash=True` says that the encoders sit on the motors, where those of elastic drives sit anyway."""
    machine = elastic(PLAY)
    plain, asked = (run(machine, Sampling(backlash=b)) for b in (False, True))
    assert np.array_equal(plain.measured_length.values, asked.measured_length.values)
    legs, read = plain.length.values, plain.measured_length.values
    assert (
        np.abs(legs - read)[:-1].min() > PLAY / 2
    )  # planted: a play on the leg's coordinate reads less


def test_an_encoder_is_said_truly() -> None:
    with pytest.raises(gough.InputError, match=r"encoder.*motor, leg"):
        Sampling(encoder="platform")
    with pytest.raises(gough.InputError, match=r"backlash.*leg"):
        Sampling(encoder="leg", backlash=True)
    rigid = gough.load("motion-base-1500")
    both = [run(rigid, Sampling(encoder=e)).measured_length.values for e in ("motor", "leg")]
    assert np.array_equal(*both)
