"""Single laws by hand: which are in use, windings without power, stops that are given, rates of their own states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.dynamics import laws
from gough.dynamics.laws import gear, hydraulic, leg, motor, series, springs, stops
from gough.dynamics.laws.inverse import _followed
from gough.dynamics.laws.machine import ideal_laws
from gough.dynamics.laws.stiffness import REACH, largest_step
from gough.engines.pack import packed
from gough.layout import LEG_LAW
from gough.model import Limits
from gough.model.hydraulic import AMBIENT
from oracles.machines import case, platform
from support.cylinders import cylinder_law, hydraulic_base, oil_at_rest
from support.rides import one_leg

PUTS_TO_USE = {
    "loss": "gear",
    "back_loss": "gear",
    "stop_stiffness": "stops",
    "series_stiffness": "series",
    "play": "backlash",
    "riding": "riding",
    "current_rate": "current",
    "electric_rate": "inductance",
    "bulk": "hydraulic",
    "force_rate": "force_loop",
}
PLAIN = ("stiffness", "damping", "viscous", "coulomb", "excess", "limit", "voltage_force")


@pytest.mark.parametrize("row", LEG_LAW.names)
@pytest.mark.parametrize("leg_number", [0, 5])
def test_one_number_of_one_leg_puts_its_law_to_use(row: str, leg_number: int) -> None:
    """Any of several sets of rows may ask; rows that only tell how a law acts ask for nothing."""
    law = ideal_laws()
    law[getattr(LEG_LAW, row), leg_number] = 0.25
    wanted: tuple[str, ...] = ()
    if row in PUTS_TO_USE:
        wanted = ("drive", PUTS_TO_USE[row])
    elif row in PLAIN:
        wanted = ("drive",)
    assert laws.in_use(law) == wanted
    assert laws.in_use(ideal_laws(), law) == laws.in_use(law, ideal_laws()) == wanted


def test_laws_bring_the_states_that_they_need() -> None:
    assert laws.states(()) == laws.states(("drive", "stops", "backlash", "riding")) == ()
    assert laws.states(("drive", "current", "inductance")) == ("current",)
    assert laws.states(("drive", "hydraulic", "force_loop")) == ("valve", "cap_oil", "rod_oil")
    both = laws.states(("drive", "gear", "series", "current"))
    assert both == ("drive_coordinate", "drive_rate", "current")
    assert laws.states(("drive", "gear", "current")) == ("load", "current")


DRIVE = gough.Drive(ratio=-30.0, torque_constant=0.4, resistance=1.6, max_voltage=48.0)


@pytest.mark.parametrize("shorted", [False, True])
def test_without_power_open_windings_give_nothing_and_shorted_ones_brake(shorted: bool) -> None:
    """``(nu k)^2/R`` per speed against any motion, whatever is commanded."""
    law = np.tile(ideal_laws()[:, :1], 2)
    law[LEG_LAW.limit], law[LEG_LAW.voltage_force], law[LEG_LAW.voltage_slope] = 90.0, 50.0, 3.0
    motor.cut(law, DRIVE, shorted)
    slope = (30.0 * 0.4) ** 2 / 1.6 if shorted else 0.0
    for command in (-1e6, 0.0, 20.0, 1e6):
        for v in (-0.5, 0.0, 2.0):
            given = motor.effort((), law, np.full(2, command), np.full(2, v), None)
            np.testing.assert_allclose(given, np.full(2, -slope * v), atol=1e-12)
    motor.cut(law, None, shorted)  # nothing turns there
    np.testing.assert_array_equal(motor.clip(law, np.full(2, 7.0), np.full(2, 2.0)), [0.0, 0.0])


@pytest.mark.parametrize("v", [-1.5, 0.0, 0.8])
@pytest.mark.parametrize("current", [-130.0, -20.0, 0.0, 35.0, 130.0])
@pytest.mark.parametrize("command", [-1e4, -60.0, 40.0, 1e4])
def test_a_winding_follows_its_command_as_fast_as_the_voltage_lets_it(
    command: float, current: float, v: float
) -> None:
    """``L i' = V - R i - k v`` in forces: between the two ends of the voltage, and the loop's wish within them."""
    loop, fast, volts, slope, limit = 500.0, 80.0, 110.0, 25.0, 100.0
    given = {"current_rate": loop, "voltage_force": volts, "voltage_slope": slope, "limit": limit}
    law = one_leg(**given, electric_rate=fast)
    used = ("drive", "current", "inductance")
    wanted = loop * (np.clip(command, -limit, limit) - current)
    ends = [fast * (V - slope * v - current) for V in (-volts, volts)]
    found = motor.current_rate(used, law, command, v, current)
    assert found == pytest.approx(np.clip(wanted, *ends))
    assert motor.effort(used, law, command, v, current) == np.clip(current, -limit, limit)
    stiff = motor.current_rate(("drive", "current"), law, command, v, current)
    steady = np.clip(np.clip(command, -limit, limit), -volts - slope * v, volts - slope * v)
    assert stiff == pytest.approx(loop * (steady - current))
    lagging = motor.effort(("drive", "current"), law, command, v, current)
    assert lagging == motor.clip(law, current, v)
    assert motor.effort(("drive",), law, command, v, None) == motor.clip(law, command, v)


def test_stops_that_are_given_are_taken_as_they_are() -> None:
    """Beyond the gap at both ends; a stiffness of zero, or no stroke, means none."""
    own = platform("UPS", seed=1).legs[0]
    given = {"stop_stiffness": 4e5, "stop_loss": 0.7, "stop_gap": 0.02, "speed": 3.0}
    law = np.full(LEG_LAW.size, 5.0)
    stops.fill(law, own.replace(limits=Limits(stroke=(0.5, 0.9), **given)), 7.0)
    ends = law[[LEG_LAW.stop_low, LEG_LAW.stop_high]]
    assert ends == pytest.approx([0.48, 0.92])
    assert law[[LEG_LAW.stop_stiffness, LEG_LAW.stop_loss]] == pytest.approx([4e5, 0.7])
    for stroke, stiffness in (((0.5, 0.9), 0.0), (None, None)):
        law = np.full(LEG_LAW.size, 5.0)
        stops.fill(law, own.replace(limits=Limits(stroke=stroke, stop_stiffness=stiffness)), 7.0)
        np.testing.assert_array_equal(law, np.full(LEG_LAW.size, 5.0))


def test_words_about_stops_name_legs_that_differ() -> None:
    machine = platform("UPS", seed=1)

    def said(*strokes: dict[str, Any]) -> str:
        legs = [
            own.replace(limits=Limits(**one))
            for own, one in zip(machine.legs, strokes, strict=True)
        ]
        return stops.words(machine.replace(legs=legs))

    bare, usual = {}, {"stroke": (0.1, 9.0)}
    none, given = {**usual, "stop_stiffness": 0.0}, {**usual, "stop_stiffness": 1e5}
    assert said(*[bare] * 6) == said(*[none] * 6) == said(bare, *[none] * 5) == "none"
    assert said(*[usual] * 6) == f"stiff by default ({stops.CONTACT_RATE:g} rad/s)"
    assert said(*[given] * 6) == "given"
    names = machine.leg_names
    mixed = ", ".join(f"{n}: {'given' if n == names[4] else 'none'}" for n in names)
    assert said(*[none] * 4, given, none) == mixed


@pytest.mark.parametrize("rate", [-0.4, 0.0, 0.3])
@pytest.mark.parametrize("stretch", [-5e-3, -1e-3, -4e-4, 0.0, 9e-4, 3e-3])
def test_a_play_by_hand(stretch: float, rate: float) -> None:
    """Past its flank a spring, and a damper no stronger than the spring; between the flanks nothing."""
    k, c, half = 2e5, 1500.0, 1e-3
    law = one_leg(series_stiffness=k, series_damping=c, play=half)
    past = np.sign(stretch) * max(abs(stretch) - half, 0.0)
    bound = k * abs(past)
    due = k * past + np.clip(c * rate, -bound, bound)
    used = ("drive", "series", "backlash")
    assert series.force(used, law, stretch, rate) == pytest.approx(due, abs=1e-9)
    assert series.stored(used, law, stretch) == pytest.approx(0.5 * k * past**2)
    heat = np.clip(c * rate, -bound, bound) * rate
    assert series.dissipated(used, law, stretch, rate) == pytest.approx(heat, abs=1e-9)
    tight = one_leg(series_stiffness=k, series_damping=c)
    used = ("drive", "series")
    assert series.force(used, tight, stretch, rate) == pytest.approx(k * stretch + c * rate)
    assert series.stored(used, tight, stretch) == pytest.approx(0.5 * k * stretch**2)
    assert series.dissipated(used, tight, stretch, rate) == pytest.approx(c * rate**2)


@pytest.mark.parametrize("riding", [False, True])
@pytest.mark.parametrize("lead", [0.0, 0.01])
def test_a_motor_behind_a_spring_is_driven_by_what_is_left_for_it(
    riding: bool, lead: float
) -> None:
    """``m_r lam'' = given - transmitted``; one that rides is accelerated as the equations say.  Its kinetic energy is
    the law's own unless the equations hold it."""
    law = one_leg(reflected=4.0, series_stiffness=1e4, series_damping=20.0, viscous=3.0)
    used = ("drive", "series", *(("riding",) if riding else ()))
    now = {"effort": 60.0, "coordinate": 0.2, "rate": 0.1, "anchor": 0.21}
    now |= {"drive_coordinate": 0.21, "drive_rate": 0.5}
    acted = leg.act(used, law, now)
    assert acted.transmitted == pytest.approx(1e4 * 0.01 + 20.0 * 0.4)
    assert acted.given == pytest.approx(60.0 - 3.0 * 0.5)
    assert acted.effort == pytest.approx(acted.transmitted)
    push = 7.0 if riding else (58.5 - 108.0) / 4.0
    found = leg.rates(used, law, now, acted, 7.0, lead)
    assert found == pytest.approx({"drive_coordinate": 0.5 + lead * push, "drive_rate": push})
    assert leg.rotor(used, law, now) == pytest.approx(0.0 if riding else 0.5 * 4.0 * 0.25)
    assert leg.rotor(("drive",), law, now) == 0.0


def test_everything_on_one_coordinate_by_hand() -> None:
    """Spring, damper and a stop beside the drive: forces, what they store and what they heat."""
    law = one_leg(stiffness=300.0, rest=0.1, damping=7.0, viscous=2.0, coulomb=5.0, grip=1e3)
    law[[LEG_LAW.stop_high, LEG_LAW.stop_stiffness, LEG_LAW.stop_loss]] = 0.4, 2e3, 0.5
    now = {"effort": 40.0, "coordinate": 0.45, "rate": 0.6, "anchor": 0.0}
    used = ("drive", "stops")
    acted = leg.act(used, law, now)
    stop = -2e3 * 0.05 * (1.0 + 0.5 * 0.6)
    assert acted.stop == pytest.approx(stop)
    assert acted.given == acted.transmitted == pytest.approx(40.0 - 2.0 * 0.6 - 5.0)
    spring = 300.0 * 0.35 + 7.0 * 0.6
    assert springs.force(law, 0.45, 0.6) == pytest.approx(spring)
    assert acted.effort == pytest.approx(33.8 - spring + stop)
    assert acted.anchor == pytest.approx(0.45 - 5.0 / 1e3)
    held = 0.5 * 1e3 * (5e-3) ** 2 + 0.5 * 2e3 * 0.05**2
    assert leg.stored(used, law, now, acted) == pytest.approx(held)
    heat = (7.0 + 2.0) * 0.36 + 5.0 * 0.6 + 2e3 * 0.05 * 0.5 * 0.36
    assert leg.dissipated(used, law, now, acted, 0.6) == pytest.approx(heat)


@pytest.mark.parametrize("rate", [0.0, 0.5, 40.0, 900.0])
def test_the_load_of_a_gear_follows_a_force_that_goes_straight(rate: float) -> None:
    """``load' = r (F - load)`` by many small exact steps; a leg without a gear (rate 0) has any rate."""
    law = ideal_laws()
    law[LEG_LAW.load_rate] = rate
    r, period, before, after, load = rate or 1.0, 0.02, 50.0, -30.0, 80.0
    found = _followed(
        law, np.full(6, load), np.full(6, before), np.full(6, after), np.array(period)
    )
    parts = 20000
    h = period / parts
    for k in range(parts):
        F = before + (after - before) * (k + 0.5) / parts
        load = F + (load - F) * np.exp(-r * h)
    np.testing.assert_allclose(found, np.full(6, load), rtol=1e-6)


def test_the_load_of_a_gear_settles_on_the_force_that_leaves_it() -> None:
    law = one_leg(load_rate=600.0, reflected=3.0)
    assert gear.load_rate(law, 20.0, 50.0, 4.0) == pytest.approx(600.0 * (50.0 - 12.0 - 20.0))
    assert gear.load_rate(law, 38.0, 50.0, 4.0) == 0.0


def test_a_cylinder_has_the_numbers_of_its_data_sheet() -> None:
    """Areas, columns beyond the ends of the stroke, and a valve that lets its rated flow through at its rated drop."""
    machine = hydraulic_base(tank_pressure=5e5, leakage=2e-12, drain=3e-12)
    own = machine.legs[0]
    assert own.drive is not None
    h = own.drive.hydraulic
    law = cylinder_law(tank_pressure=5e5, leakage=2e-12, drain=3e-12)
    cap = np.pi / 4 * h.bore**2
    ring = cap - np.pi / 4 * h.rod**2
    low, high = own.limits.stroke
    due = {
        "cap_area": cap,
        "rod_area": ring,
        "cap_column": h.dead_cap / cap - low,
        "rod_column": h.dead_rod / ring + high,
        "bulk": h.bulk_modulus,
        "supply": h.supply_pressure,
        "tank": 5e5,
        "laminar": h.laminar_drop,
        "leak": 2e-12,
        "drain": 3e-12,
        "valve_rate": h.valve_bandwidth,
        "valve_limit": 1.0,
        "force_rate": h.force_bandwidth,
    }
    for name, value in due.items():
        assert law[getattr(LEG_LAW, name)] == pytest.approx(value), name
    through = law[LEG_LAW.edge] * hydraulic._orifice(law, h.rated_drop)
    assert through == pytest.approx(h.rated_flow)
    valve = cylinder_law(command="valve")
    assert valve[LEG_LAW.limit] == 1.0
    assert valve[LEG_LAW.force_rate] == 0.0


@pytest.mark.parametrize("valve", [-0.6, 0.0, 0.4])
def test_oil_is_neither_made_nor_lost(valve: float) -> None:
    """What comes from the supply less what goes into the tank is what the columns gain; power in is by these flows."""
    law = cylinder_law(command="valve", tank_pressure=4e5, leakage=2e-12, drain=3e-12)
    cap, rod = oil_at_rest(law, 1.5, 3e3)
    now = {"valve": valve, "cap_oil": cap, "rod_oil": rod, "coordinate": 1.5, "effort": 0.2}
    p1, p2 = hydraulic.pressures(law, 1.5, cap, rod)
    ps, pt, B, e = (law[getattr(LEG_LAW, n)] for n in ("supply", "tank", "bulk", "drain"))

    def edge(drop: float) -> float:
        return float(law[LEG_LAW.edge] * abs(valve) * hydraulic._orifice(law, drop))

    supply = edge(ps - p1) if valve > 0.0 else edge(ps - p2)
    tank = edge(p2 - pt) if valve > 0.0 else edge(p1 - pt)
    drained = e * (p1 - pt) + e * (p2 - pt)
    rates = hydraulic.rates(False, law, {**now, "rate": 0.0})
    gained = law[LEG_LAW.cap_area] * rates["cap_oil"] + law[LEG_LAW.rod_area] * rates["rod_oil"]
    assert gained == pytest.approx(supply - tank - drained, rel=1e-9)
    high, low = ((p - p * p / (2 * B)) - (AMBIENT - AMBIENT**2 / (2 * B)) for p in (ps, pt))
    power = supply * high - (tank + drained) * low
    assert hydraulic.supplied(law, now) == pytest.approx(power, rel=1e-9)


@pytest.mark.parametrize("away", [-2e-3, 0.0, 1e-4, 4e-3])
def test_columns_store_the_work_of_their_pressure_against_the_surroundings(away: float) -> None:
    """From where both columns are at the pressure around them: ``integral (A1 (p1 - pa) - A2 (p2 - pa)) dl``, taken by
    small steps, against them in both directions; a void costs the surroundings' work alone."""
    law = cylinder_law(command="valve")
    at = 1.5
    cap, rod = (L / (1.0 - AMBIENT / law[LEG_LAW.bulk]) for L in hydraulic.lengths(law, at))
    now = {"cap_oil": cap, "rod_oil": rod}
    x = np.linspace(at, at + away, 20001)
    push = hydraulic.force(law, {**now, "coordinate": x})
    work = -np.sum(0.5 * (push[1:] + push[:-1]) * np.diff(x))
    found = [float(hydraulic.stored(law, {**now, "coordinate": l})) for l in (at, at + away)]
    assert found[0] == pytest.approx(0.0, abs=1e-6)
    assert found[1] - found[0] == pytest.approx(work, rel=1e-4, abs=1e-6)
    assert (work > 0.0) == (away != 0.0)


@pytest.mark.parametrize("push", [1.0, -1.0])
def test_the_force_loop_counts_on_some_drop_at_every_edge(push: float) -> None:
    """A chamber at the supply's own pressure: the spool opens as if a small share of the supply were left."""
    law = cylinder_law()
    law[LEG_LAW.limit] = np.inf
    ps = law[LEG_LAW.supply]
    B, pt = law[LEG_LAW.bulk], law[LEG_LAW.tank]
    L = hydraulic.lengths(law, 1.5)
    p = (ps, 0.5 * ps) if push > 0.0 else (0.5 * ps, ps)
    cap, rod = (length / (1.0 - one / B) for length, one in zip(L, p, strict=True))
    now = {"cap_oil": cap, "rod_oil": rod, "coordinate": 1.5, "rate": 0.0, "valve": 0.0}
    held = hydraulic.force(law, now)
    found = hydraulic._spool(law, {**now, "effort": held + push})
    least = hydraulic.LEAST_DROP * ps
    assert 0.0 < least < 0.05 * ps
    drops = (least, 0.5 * ps - pt) if push > 0.0 else (0.5 * ps - pt, least)
    gain = (
        B
        * law[LEG_LAW.edge]
        * sum(hydraulic._orifice(law, drop) / y for drop, y in zip(drops, (cap, rod), strict=True))
    )
    assert found == pytest.approx(law[LEG_LAW.force_rate] * push / gain, rel=1e-6)


@pytest.mark.parametrize("losses", [(0.8, 1.0), (1.0, 0.8)])
def test_a_gear_that_loses_one_way_only_loses_all_the_same(losses: tuple[float, float]) -> None:
    """A rotor across a strut between balls is refused beside a loss ahead and beside one back."""
    ball, law = platform("SPS-free", seed=1).legs[0], ideal_laws()[:, 0]
    given = {"efficiency": losses[0], "back_efficiency": losses[1], "rotor_inertia": 1e-3}
    with pytest.raises(gough.InputError, match="along the strut"):
        gear.fill(law, ball, gough.Drive(100.0, rotor_axis=[0.0, 1.0, 0.0], **given))
    gear.fill(law, ball, gough.Drive(100.0, rotor_axis=[1.0, 0.0, 0.0], **given))
    assert law[[LEG_LAW.loss, LEG_LAW.back_loss]] == pytest.approx(
        [1.0 / losses[0] - 1.0, 1.0 - losses[1]]
    )
    worst = 1.0 + max(1.0 / losses[0] - 1.0, 1.0 - losses[1])
    assert law[LEG_LAW.load_rate] * gear.LOAD_TIME * worst == pytest.approx(1.0)


def test_a_rotor_on_a_strut_between_balls_feels_its_turning_about_the_strut_alone() -> None:
    """``lddot + gam d.A/m_r``: of an axis that leans, the part along the strut; a rotor of no inertia feels nothing."""
    c = case("SPS-rotor", seed=2, states=1)
    own = packed(c.platform, True)
    rng = np.random.default_rng(4)
    legs = [
        {"acceleration": a, "direction": s / np.linalg.norm(s), "angular_acceleration": A}
        for a, s, A in zip(rng.normal(size=6), *rng.normal(size=(2, 6, 3)), strict=True)
    ]
    found = gear.felt(own.kinds, own.parameters, legs)
    for one, given, own_leg in zip(found, legs, c.platform.legs, strict=True):
        drive = own_leg.drive
        assert drive is not None
        assert drive.rotor_axis is not None
        share = drive.ratio * drive.rotor_inertia * drive.rotor_axis[0] / drive.reflected_inertia
        turn = given["direction"] @ given["angular_acceleration"]
        assert one == pytest.approx(given["acceleration"] + share * turn)


@pytest.mark.parametrize("soft", [0.3, 1.0, 50.0])
def test_a_spring_of_any_stiffness_holds_its_motor(soft: float) -> None:
    """The motor's own mode on a light rotor, however soft the spring."""
    law = np.tile(ideal_laws()[:, :1], 6)
    law[LEG_LAW.series_stiffness, 3], law[LEG_LAW.reflected, 3] = soft, 1e-6
    step = largest_step(law, np.full(6, 1e9))
    assert 0.49 * REACH <= step * np.sqrt(soft / 1e-6) <= REACH * (1.0 + 1e-9)
