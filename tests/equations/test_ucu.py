"""UCU legs against Pinocchio with explicit joints: universal, cylindrical, universal, rotors as bodies of their own.

Driven directly, with a rotor on the leg and a torsion spring, by screws of both hands on either part, and mixed with
the other leg types; efforts, all reactions, mass, forward dynamics, leg motion, power.  Nothing is compiled here.
``python -m campaigns.ucu_campaign`` (in tests) runs as many machines as it is told.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from campaigns.ucu_campaign import TOLERANCE, worst
from gough.engines import pack
from gough.model import UCU, UPS, Body
from gough.spatial import Motion
from gough.struts import crank_zeros
from oracles.compare import answers, engine_arrays, errors, library
from oracles.machines import CYLINDERS, Case, cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.source import equations


@pytest.mark.parametrize("kind", CYLINDERS)
def test_everything_equals_pinocchio_and_power_balances(kind: str) -> None:
    found = worst(kind, 6, states=2, seed=0)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.slow
@pytest.mark.parametrize("kind", CYLINDERS)
def test_the_same_on_more_machines(kind: str) -> None:
    found = worst(kind, 40, states=3, seed=1)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", CYLINDERS)
def test_without_drive_and_friction(kind: str) -> None:
    found = worst(kind, 3, states=2, seed=2, drive=False, friction=False)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", CYLINDERS)
def test_every_verb_equals_pinocchio(kind: str) -> None:
    case = cases(kind, 1, seed=4)[0]
    theirs = engine_arrays(case, answers(PinocchioEngine(case.platform), case))
    found = errors(library(case, engine="python"), theirs)
    assert len(found) == len(theirs)
    assert max(found.values()) < TOLERANCE, found


def test_kinds() -> None:
    kinds = {pack.kinds_of(cases(kind, 1)[0].platform)[0] for kind in CYLINDERS}
    assert kinds == {"ucu", "ucu_spring", "ucu_screw", "ucu_spring_upper"}
    kinds = {pack.kinds_of(cases(kind, 1, friction=False)[0].platform)[0] for kind in CYLINDERS}
    assert kinds == {"ucu", "ucu_screw", "ucu_screw_upper"}


def test_an_upper_part_that_does_not_feel_its_spin_is_that_of_a_ups_leg() -> None:
    """I_u s = 0, mass center on the axis, no friction: UCU = UPS."""
    for case in cases("UCU", 5, states=3, seed=3, friction=False):
        pair = []
        for kind in (UCU, UPS):
            legs = []
            for leg in case.platform.legs:
                assert isinstance(leg, UCU)
                upper = Body(
                    leg.upper.mass, [leg.upper.center[0], 0, 0], np.diag([0.0, 0.03, 0.03])
                )
                given = {"base": leg.base, "joint": leg.joint, "axis": leg.axis, "drive": leg.drive}
                own = {"platform_axis": leg.platform_axis} if kind is UCU else {}
                legs.append(kind(**given, **own, lower=leg.lower, upper=upper))
            machine = case.platform.replace(legs=tuple(legs))
            pair.append(
                equations(
                    Case(machine, case.motion, case.external, case.spin_angle, case.spin_rate)
                )
            )
        ucu, ups = pair
        for name in ups:
            size = np.abs(ups[name]).max()
            if name == "platform_moment":
                size = np.abs(ups["universal_moment"]).max()
            assert np.abs(ucu[name] - ups[name]).max() <= 1e-14 * max(size, 1.0), name


def test_turning_the_platform_axis_half_a_turn_is_another_sign_of_the_same_axis() -> None:
    """k_p and -k_p are the same joint; the upper part's axes turn by 180 degrees about s, and the twist with them."""
    case = cases("UCU-screw", 1, states=3, seed=5)[0]
    turn = np.diag([1.0, -1.0, -1.0])

    def flipped(leg: UCU) -> UCU:
        upper = Body(leg.upper.mass, turn @ leg.upper.center, turn @ leg.upper.inertia @ turn)
        return leg.replace(platform_axis=-leg.platform_axis, upper=upper)

    def shifted(leg: UCU, by: float) -> UCU:
        assert leg.screw is not None
        screw = leg.screw.replace(zero=leg.screw.zero + by)
        return leg.replace(screw=screw, torsion_rest=leg.torsion_rest + by)

    legs: list[UCU] = list(case.platform.legs)  # type: ignore[arg-type]
    machine = case.platform.replace(legs=tuple(map(flipped, legs)))
    half = np.array(crank_zeros(machine)) - crank_zeros(case.platform)
    np.testing.assert_allclose(np.abs(half), np.pi, rtol=1e-12)
    machine = machine.replace(legs=tuple(map(shifted, machine.legs, half.tolist())))  # type: ignore[arg-type]
    other = Case(machine, case.motion, case.external, case.spin_angle, case.spin_rate)
    here, there = equations(case), equations(other)
    for name in here:
        assert np.abs(here[name] - there[name]).max() <= 1e-11 * np.abs(here[name]).max(), name


def test_static_torque_of_the_screw_is_virtual_work() -> None:
    """At rest effort = d(potential)/d(travel) for all six screws at once, by the rows of the rates."""
    case = cases("UCU-screw", 1, states=1, seed=6, friction=False)[0]
    still = Motion.at_rest(case.motion.pose)
    rest = Case(case.platform, still, np.zeros((1, 6)), case.spin_angle, case.spin_rate)
    theirs = answers(PinocchioEngine(rest.platform), rest)[0]
    force = equations(rest)["force"][0]
    np.testing.assert_allclose(theirs.jacobian.T @ force, theirs.bias, rtol=1e-12, atol=1e-10)
