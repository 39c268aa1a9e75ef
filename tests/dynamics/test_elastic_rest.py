"""Machines that stand on elastic drives."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics import elastic_rest
from gough.engines import pack
from gough.layout import ELASTIC
from oracles.machines import Case, case
from oracles.source import motion_numbers, run, spin_numbers


def soft(machine: gough.Platform, **drive: float) -> gough.Platform:
    legs = [leg.replace(drive=leg.drive.replace(**drive)) for leg in machine.legs]  # type: ignore[union-attr]
    return machine.replace(legs=legs)


@pytest.mark.parametrize("kind", ["UPS-rotor", "UCU-screw", "PUS"])
def test_nothing_moves_where_it_stands(kind: str) -> None:
    """Springs stretched by the answer, motors that give its forces: none of the twelve accelerates."""
    c = case(kind, seed=7, states=2)
    machine, pose = soft(c.platform, stiffness=4e6), c.motion.pose
    found = elastic_rest(machine, pose, c.external, engine="python")
    assert found.coordinate == pytest.approx(
        gough.inverse_kinematics(machine, pose, engine="python").length + found.stretch
    )
    none = np.zeros((2, 6))
    rest = Case(machine, gough.Motion.at_rest(pose), c.external, none, none)
    x = [motion_numbers(rest)[:, :18], 4e6 * found.stretch, c.external, none]
    x.append(found.force - 4e6 * found.stretch)
    out = run(
        "elastic", pack.kinds_of(machine), np.hstack(x), spin_numbers(rest), pack.pack(machine)
    )
    assert np.abs(out[:, : ELASTIC.risk]).max() < 1e-9
    moved = np.hstack([*x[:1], x[1] * 1.001, *x[2:]])
    off = run("elastic", pack.kinds_of(machine), moved, spin_numbers(rest), pack.pack(machine))
    assert np.abs(off[:, : ELASTIC.risk]).max() > 1e-4


def test_legs_that_spin_are_refused() -> None:
    c = case("SPS-rotor", seed=7, states=1)
    with pytest.raises(gough.InputError, match="spin is part of the state"):
        elastic_rest(soft(c.platform, stiffness=4e6), c.motion.pose[0])


def test_play_lies_on_the_side_that_pushes_and_stiffness_is_needed() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    with pytest.raises(gough.InputError, match="not every leg has a drive with a stiffness"):
        elastic_rest(machine, home)
    given = {"stiffness": 4e6, "backlash": 1e-5}
    tight, loose = (
        elastic_rest(soft(machine, **given | {"backlash": b}), home) for b in (0.0, 1e-5)
    )
    assert loose.stretch - tight.stretch == pytest.approx(5e-6 * np.sign(tight.force), rel=1e-9)
    assert np.array_equal(loose.force, tight.force)
