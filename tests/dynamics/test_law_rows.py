"""Rows of the laws against the drives they are made of: friction, what sticks, ends of chambers, fastest modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics.laws import friction, gear, hydraulic
from gough.dynamics.laws.machine import drive_laws, ideal_laws
from gough.dynamics.laws.stiffness import REACH, largest_step
from gough.layout import LEG_LAW
from gough.model import Leg
from oracles.machines import platform
from support.cylinders import SMALL, cylinder_law, hydraulic_base

RATES = (-0.7, -0.02, 0.003, 0.4)
SHARE = 40.0  # kg


def slider(**limits: Any) -> Leg:
    leg = gough.load("motion-base-1500").legs[0]
    return leg.replace(limits=leg.limits.replace(**limits), drive=None)


def crank(**limits: Any) -> Leg:
    leg = gough.load("servo-hexapod").legs[0]
    return leg.replace(limits=leg.limits.replace(**limits), drive=None)


def rows(leg: Leg, drive: gough.Drive) -> Array:
    law = ideal_laws()[:, 0]
    gear.fill(law, leg, drive)
    friction.fill(law, leg.replace(drive=drive), drive, SHARE)
    return law


@pytest.mark.parametrize("ratio", [250.0, -250.0, 0.5])
@pytest.mark.parametrize("efficiency", [1.0, 0.6])
@pytest.mark.parametrize("load", [-900.0, 0.0, 300.0])
def test_sliding_steadily_the_rows_rub_as_the_drive_does(
    ratio: float, efficiency: float, load: float
) -> None:
    """``Drive.motor_force`` at the rotor's own rate, against levels and viscosity at the leg's."""
    given = {"viscous": 2e-3, "coulomb": 0.02, "static": 0.05, "stribeck_rate": 3.0}
    drive = gough.Drive(ratio, efficiency=efficiency, back_efficiency=0.8, **given)
    law = rows(slider(), drive)
    up, down = gear.levels(law, load)
    for v in RATES:
        dry = friction.dry(law, v)
        against = dry + up if v > 0.0 else -(dry + down)
        found = load + law[LEG_LAW.viscous] * v + against
        assert found == pytest.approx(float(drive.motor_force(load, v)), rel=1e-12)
        far = v + 100.0 * np.sign(v)  # the element has slipped to its level
        f, _ = friction.element(law, far, v, 0.0, dry + up, dry + down)
        assert f == pytest.approx(against, rel=1e-12)


@pytest.mark.parametrize(("leg", "travel"), [(slider(force=700.0), 2e-5), (crank(force=9.0), 1e-3)])
def test_what_is_not_given_slides_a_fiftieth_of_a_millimeter_or_a_milliradian(
    leg: Leg, travel: float
) -> None:
    """As `Drive.presliding` says; twice the travel is half as stiff."""
    drive = gough.Drive(1.0, coulomb=3.0)
    usual = rows(leg, drive)[LEG_LAW.grip]
    assert rows(leg, drive.replace(presliding=travel))[LEG_LAW.grip] == pytest.approx(usual)
    assert rows(leg, drive.replace(presliding=2 * travel))[LEG_LAW.grip] == pytest.approx(usual / 2)
    assert usual * travel == pytest.approx(3.0)


@pytest.mark.parametrize(("coulomb", "static"), [(3.0, 8.0), (3.0, 1.0), (0.0, 2.0)])
def test_what_sticks_gives_way_at_the_higher_level_under_the_largest_load(
    coulomb: float, static: float
) -> None:
    """The leg's limit or the motor's, whichever is less; else the weight of its share."""
    motor = {"torque_constant": 0.5, "max_current": 4.0}  # 2 N m
    own = {"coulomb": coulomb, "static": static, "presliding": 1e-4, "efficiency": 1.0 / 1.1}
    rub = 30.0 * max(coulomb, static)
    for leg, more, load in (
        (slider(force=None), {}, SHARE * 9.81),
        (slider(force=500.0), {}, 500.0),
        (slider(force=None), motor, 60.0),
        (slider(force=500.0), motor, 60.0),
        (slider(force=20.0), motor, 20.0),
    ):
        law = rows(leg, gough.Drive(-30.0, **own, **more))
        assert law[LEG_LAW.grip] * 1e-4 == pytest.approx(rub + 0.1 * load, rel=1e-9)
    bare = rows(slider(force=500.0), gough.Drive(-30.0))
    assert bare[LEG_LAW.grip] == 1.0  # nothing rubs: the element is not there


def test_a_lossy_gear_is_not_stiffer_than_one_that_loses_a_quarter() -> None:
    leg = slider(force=500.0)
    found = {
        loss: float(rows(leg, gough.Drive(1.0, efficiency=1.0 / (1.0 + loss)))[LEG_LAW.grip])
        for loss in (0.1, 0.2, 0.25, 0.5, 3.0)
    }
    assert found[0.2] == pytest.approx(2.0 * found[0.1])
    assert found[0.25] == pytest.approx(2.5 * found[0.1])
    assert found[0.5] == pytest.approx(found[0.25])
    assert found[3.0] == pytest.approx(found[0.25])
    worse = gough.Drive(1.0, efficiency=1.0 / 1.1, back_efficiency=0.8)
    assert rows(leg, worse)[LEG_LAW.grip] == pytest.approx(found[0.2])


@pytest.mark.parametrize(("axis", "along"), [([1, 0, 0], True), ([0.6, 0.8, 0], False)])
def test_losses_ask_a_rotor_that_rides_to_lie_along_a_strut_between_balls(
    axis: list[float], along: bool
) -> None:
    """Of UPS legs any axis is known, of cranks none; without losses, or without a rotor, nothing is asked."""
    drive = gough.Drive(100.0, rotor_inertia=1e-3, rotor_axis=axis, efficiency=0.9)
    ball = platform("SPS-free", seed=1).legs[0]
    for leg, fine in ((slider(), True), (ball, along), (crank(), False)):
        for loss, inertia in ((0.9, 1e-3), (1.0, 1e-3), (0.9, 0.0)):
            given, law = drive.replace(efficiency=loss, rotor_inertia=inertia), ideal_laws()[:, 0]
            if fine or loss == 1.0 or inertia == 0.0:
                gear.fill(law, leg, given)
                assert law[LEG_LAW.loss] == pytest.approx(1.0 / loss - 1.0)
                continue
            with pytest.raises(gough.InputError, match=r"rotor_axis.*along the strut"):
                gear.fill(law, leg, given)


@pytest.mark.parametrize("narrow", ["cap", "rod"])
def test_a_stop_leaves_oil_in_the_narrower_chamber(narrow: str) -> None:
    """Less than its dead volume over its own area, and no other; just below is fine, that itself is not."""
    machine = hydraulic_base(**{f"dead_{narrow}": 0.5 * SMALL[f"dead_{narrow}"]})
    h = machine.legs[0].drive.hydraulic
    area = dict(zip(("cap", "rod"), h.areas, strict=True))[narrow]
    room = getattr(h, f"dead_{narrow}") / area
    other = "rod" if narrow == "cap" else "cap"
    wide = hydraulic_base(**{f"dead_{narrow}": getattr(h, f"dead_{narrow}"), f"dead_{other}": 1.0})

    def with_gap(gap: float) -> gough.Platform:
        return wide.replace(
            legs=[leg.replace(limits=leg.limits.replace(stop_gap=gap)) for leg in wide.legs]
        )

    law = drive_laws(with_gap(room * (1.0 - 1e-9)))
    low, high = wide.legs[0].limits.stroke
    L = hydraulic.lengths(law[:, 0], np.array([low, high]))
    assert L[0][0] == pytest.approx(wide.legs[0].drive.hydraulic.dead_cap / h.areas[0])
    assert L[1][1] == pytest.approx(wide.legs[0].drive.hydraulic.dead_rod / h.areas[1])
    for gap in (room, 1.01 * room):
        with pytest.raises(gough.InputError, match=r"stop_gap.*oil"):
            drive_laws(with_gap(gap))


def cylinder(**given: float) -> Array:
    """Rows of a cylinder whose ends are one place, half a meter of oil on both sides; what is not given is none."""
    law = cylinder_law()
    law[LEG_LAW.cap_column] = law[LEG_LAW.rod_column] = 0.5
    law[LEG_LAW.stop_low] = law[LEG_LAW.stop_high] = 0.0
    for name in ("edge", "leak", "drain", "valve_rate", "force_rate"):
        law[getattr(LEG_LAW, name)] = 0.0
    for name, value in given.items():
        law[getattr(LEG_LAW, name)] = value
    return law


def bound(law: Array, mass: float = 1e30) -> float:
    return float(hydraulic.fastest(law[:, None], np.full(1, mass))[0])


@pytest.mark.parametrize("equal", [True, False])
def test_oil_that_leaks_settles_no_faster_than_said(equal: bool) -> None:
    """Two volumes and a gap between them: ``c B (1/V1 + 1/V2)``, which equal ones attain; a drain: ``e B/V``."""
    A1, A2, B, c = 2e-3, 2e-3 if equal else 5e-4, 1.4e9, 3e-12
    law = cylinder(cap_area=A1, rod_area=A2, bulk=B, leak=c)
    V1, V2 = 0.5 * A1, 0.5 * A2
    fastest = c * B * (1.0 / V1 + 1.0 / V2)
    assert bound(law) >= fastest * (1.0 - 1e-12)
    assert bound(law) <= fastest * (1.0 + 1e-9 if equal else 2.0)
    for area in ("cap_area", "rod_area"):  # the smaller chamber empties faster, whichever it is
        drained = cylinder(cap_area=A1, rod_area=A1, bulk=B, drain=c)
        drained[getattr(LEG_LAW, area)] = A2
        assert bound(drained) == pytest.approx(c * B / min(V1, V2), rel=1e-9)


def test_an_edge_is_steepest_where_its_flow_begins() -> None:
    """``k/sqrt(d0)`` per pressure: the slope of the orifice at no drop, times B/V."""
    law = cylinder(cap_area=2e-3, rod_area=2e-3, bulk=1.4e9, edge=4e-7, laminar=9e5)
    drop = 1.0  # Pa
    slope = 4e-7 * float(hydraulic._orifice(law, drop)) / drop
    assert bound(law) == pytest.approx(slope * 1.4e9 / 1e-3, rel=1e-6)


@pytest.mark.parametrize("ends", [(0.0, 0.0), (-0.3, 0.1), (-0.1, 0.3)])
def test_the_columns_swing_fastest_at_the_stop_where_one_is_shortest(
    ends: tuple[float, float],
) -> None:
    """``sqrt(B (A1/L1 + A2/L2)/m)`` at either end."""
    A1, A2, B, m = 2e-3, 1e-3, 1.4e9, 250.0
    law = cylinder(cap_area=A1, rod_area=A2, bulk=B, stop_low=ends[0], stop_high=ends[1])
    due = max(np.sqrt(B * (A1 / (0.5 + x) + A2 / (0.5 - x)) / m) for x in ends)
    assert bound(law, m) == pytest.approx(due, rel=1e-9)


@pytest.mark.parametrize(("valve", "loop"), [(10.0, 1000.0), (300.0, 300.0), (1000.0, 1.0)])
def test_a_force_loop_behind_its_valve_is_within_the_bound(valve: float, loop: float) -> None:
    """Roots of ``s^2 + w s + w wf``: never faster, and not far slower."""
    found = bound(cylinder(valve_rate=valve, force_rate=loop))
    top = np.abs(np.roots([1.0, valve, valve * loop])).max()
    assert top <= found <= 2.1 * top
    alone = bound(cylinder(valve_rate=valve))
    assert alone == pytest.approx(valve, rel=1e-6)


def test_legs_without_a_cylinder_have_no_oil_to_wait_for() -> None:
    both = np.stack([cylinder(drain=1e-12), ideal_laws()[:, 0]], axis=1)
    with np.errstate(all="ignore"):
        found = hydraulic.fastest(both, np.full(2, 100.0))
    assert found[0] > 0.0
    assert found[1] == 0.0


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("runs", [None, 2])
def test_a_motor_behind_a_spring_is_judged_by_its_own_mass(leg: int, runs: int | None) -> None:
    """Twelve masses, those of the motors ten times apart: the grip holds a motor, not its leg."""
    masses = np.concatenate([np.full(6, 1e12), 10.0 ** np.arange(6)])
    law = np.tile(ideal_laws()[:, :1], 6)
    law[LEG_LAW.series_stiffness, leg], law[LEG_LAW.grip, leg] = 2e3, 1e9
    law[LEG_LAW.coulomb, leg] = 5.0
    if runs is not None:
        law = np.repeat(law[..., None], runs, axis=-1)
    fastest = np.sqrt((1e9 + 2e3) / masses[6 + leg])
    assert 0.49 * REACH <= largest_step(law, masses) * fastest <= REACH * (1 + 1e-9)
