"""The hydraulic cylinder of one leg: a model of its own in pressures, closed forms at rest, bounds, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.checks import Array
from gough.dynamics.laws import hydraulic
from gough.dynamics.laws.machine import drive_laws
from gough.layout import LEG_LAW
from gough.model.hydraulic import AMBIENT
from support.cylinders import SMALL, cylinder_law, hydraulic_base, oil_at_rest
from support.rides import TIGHT, Ride

MASS, WEIGHT = 250.0, 250.0 * 9.81
LOW, HIGH, BULK = 1.2, 1.75, 1.4e9
A1 = np.pi / 4 * SMALL["bore"] ** 2
A2 = A1 - np.pi / 4 * SMALL["rod"] ** 2


def textbook(t: float, s: Array, command: float, leak: float, drain: float) -> list[float]:
    """Pressures as states, ``V p' = beta (Q - V')`` with the tangent modulus ``B - p`` and flows at the chamber's own
    density; nothing here comes from the law."""
    length, v, spool, p1, p2 = s
    supply, tank, d0 = SMALL["supply_pressure"], AMBIENT, 1e6
    k = SMALL["rated_flow"] / (3.5e6 / (3.5e6**2 + d0**2) ** 0.25)

    def through(drop: float) -> float:
        return k * abs(spool) * drop / (drop**2 + d0**2) ** 0.25

    if spool > 0:
        q1, q2 = through(supply - p1), -through(p2 - tank)
    else:
        q1, q2 = -through(p1 - tank), through(supply - p2)
    q1 += -leak * (p1 - p2) - drain * (p1 - tank)
    q2 += leak * (p1 - p2) - drain * (p2 - tank)
    V1, V2 = SMALL["dead_cap"] + A1 * (length - LOW), SMALL["dead_rod"] + A2 * (HIGH - length)
    force = A1 * (p1 - AMBIENT) - A2 * (p2 - AMBIENT)
    rise1 = (BULK - p1) / V1 * (q1 * (1 - p1 / BULK) - A1 * v)
    rise2 = (BULK - p2) / V2 * (q2 * (1 - p2 / BULK) + A2 * v)
    w = 2 * np.pi * 60.0
    return [v, force / MASS - 9.81, w * (np.clip(command, -1, 1) - spool), rise1, rise2]


def test_a_cylinder_is_the_textbook_one_in_pressures() -> None:
    """To 1e-8 while no void opens: place, spool, pressures, the valve through both openings, leaks and all."""
    law = cylinder_law(command="valve")

    def command(t: float) -> float:
        return float(0.45 * np.sin(40.0 * t + 0.3))

    oil = oil_at_rest(law, 1.45, WEIGHT)
    path = Ride(law, MASS, command, WEIGHT).run([1.45, 0.0, 0.0, *oil], 0.2)
    found = hydraulic.pressures(law, path[-1, 0], path[-1, 3], path[-1, 4])
    first = [float(p) for p in hydraulic.pressures(law, 1.45, *oil)]
    assert A1 * (first[0] - AMBIENT) - A2 * (first[1] - AMBIENT) == pytest.approx(WEIGHT)

    def model(leak: float, drain: float) -> Array:
        start = [1.45, 0.0, 0.0, *first]
        return solve_ivp(
            lambda t, s: textbook(t, s, command(t), leak, drain), (0.0, 0.2), start, **TIGHT
        ).y[:, -1]

    exact = model(SMALL["leakage"], SMALL["drain"])
    assert np.abs(path[-1, :3] - exact[:3]).max() < 1e-8
    assert np.array(found) == pytest.approx(exact[3:], rel=1e-8)
    assert np.ptp(path[:, 0]) > 0.01
    assert path[:, 2].min() < -0.4 < 0.4 < path[:, 2].max()
    for other in (model(0.0, SMALL["drain"]), model(SMALL["leakage"], 0.0)):  # planted: a leak less
        assert np.abs(path[-1, :3] - other[:3]).max() > 1e-8


def settled(duration: float, **changes: object) -> tuple[Ride, Array, tuple[Array, Array]]:
    """A weight on a closed valve."""
    law = cylinder_law(command="valve", **changes)
    ride = Ride(law, MASS, lambda t: 0.0, WEIGHT)
    start = [1.45, 0.0, 0.0, *oil_at_rest(law, 1.45, WEIGHT)]
    path = ride.run(start, duration, method="LSODA", rtol=1e-9, atol=1e-12, max_step=np.inf)
    return ride, path, hydraulic.pressures(law, path[:, 0], path[:, 3], path[:, 4])


def test_a_closed_valve_holds_on_trapped_oil_as_far_as_it_is_tight() -> None:
    """Tight: it stands.  A leaking piston: it moves until both sides share the pressure, then stands.  A drain: it
    sinks for good, over a void on the rod side, as fast as the loaded side loses its oil."""
    _, path, _ = settled(1.0, leakage=0.0, drain=0.0)
    assert np.ptp(path[:, 0]) < 1e-9
    _, path, (p1, p2) = settled(30.0, leakage=3e-11, drain=0.0)
    share = AMBIENT + WEIGHT / (A1 - A2)
    assert p1[-1] == pytest.approx(share, rel=1e-5)
    assert p2[-1] == pytest.approx(share, rel=1e-5)
    assert 1e-3 < np.ptp(path[:, 0]) < 0.01
    assert abs(path[-1, 1]) < 1e-7
    c, e = 3e-12, 2e-11
    _, path, (p1, p2) = settled(2.0, leakage=c, drain=e)
    assert p2[-1] == 0.0  # the drain does not fill the rod side as fast as it grows
    load = (WEIGHT + (A1 - A2) * AMBIENT) / A1
    assert p1[-1] == pytest.approx(load, rel=1e-4)
    creep = -((c + e) * load - e * AMBIENT) / A1
    assert path[-1, 1] == pytest.approx(creep, rel=1e-3)


def test_the_force_loop_follows_at_its_bandwidth() -> None:
    """A blocked piston: the force comes up as the closed form of spool and loop, one behind the other."""
    law = cylinder_law(leakage=0.0, drain=0.0, force_bandwidth=40.0, valve_bandwidth=1000.0)
    ride = Ride(law, 1e12, lambda t: WEIGHT + 500.0, WEIGHT)
    path = ride.run([1.45, 0.0, 0.0, *oil_at_rest(law, 1.45, WEIGHT)], 0.08)
    force = [float(hydraulic.force(law, ride.now(0.0, x))) for x in path]
    w, v, t = 40.0, 1000.0, np.linspace(0.0, 0.08, len(force))
    fast, slow = (0.5 * (-v + s * np.sqrt(v * v - 4 * w * v)) for s in (-1, 1))
    up = 1 + (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (slow - fast)
    assert np.abs(np.array(force) - WEIGHT - 500.0 * up).max() < 0.01 * 500.0
    blunt = np.abs(np.array(force) - WEIGHT - 500.0 * (1 - np.exp(-2 * w * t)))
    assert blunt.max() > 50.0  # planted: twice the bandwidth


def test_a_void_has_no_pressure_and_fills_again() -> None:
    """Pulled apart faster than oil comes; back together the same oil carries again."""
    law = cylinder_law(command="valve", leakage=0.0, drain=0.0)
    cap, rod = oil_at_rest(law, 1.45, WEIGHT)
    for away in (0.0, 0.05, 0.3):
        p = hydraulic.pressures(law, 1.45 + away, cap, rod)
        assert (p[0] == 0.0) == (away > 0.0)
        assert p[1] > 0.0
    now = {
        "coordinate": 1.55,
        "rate": 0.0,
        "valve": 0.0,
        "effort": 0.0,
        "cap_oil": cap,
        "rod_oil": rod,
    }
    assert hydraulic.rates(False, law, now)["cap_oil"] == 0.0
    assert hydraulic.force(law, now) < -A1 * AMBIENT * 0.99
    open_ = hydraulic.rates(False, law, now | {"valve": -1.0})
    assert open_["cap_oil"] > 0.0  # the tank fills it, nothing leaves it


def test_no_eigenvalue_is_beyond_the_bound_of_steps() -> None:
    """Random places, pressures, spools and commands: the matrix of the linearized leg by differences."""
    rng = np.random.default_rng(6)
    law = cylinder_law(coulomb=0.0)
    bound = float(hydraulic.fastest(law[:, None], np.full(1, MASS))[0])
    top = 0.0
    scale = np.array([1e-7, 1e-6, 1e-7, 1e-9, 1e-9])
    for _ in range(150):
        length = rng.uniform(LOW, HIGH)
        L = hydraulic.lengths(law, length)
        oil = [x / (1 - p / BULK) for x, p in zip(L, rng.uniform(0, 150e5, 2), strict=True)]
        x = np.array([length, rng.normal() * 0.4, rng.uniform(-1, 1), *oil, 0.0, 0.0, 0.0])
        command = rng.normal() * 1e4
        ride = Ride(law, MASS, lambda t, u=command: u)
        each = [np.eye(8)[i] * scale[i] for i in range(5)]
        A = np.array([np.subtract(ride.rhs(0, x + d), ride.rhs(0, x - d))[:5] for d in each])
        top = max(top, np.abs(np.linalg.eigvals((A / (2 * scale[:, None])).T)).max())
    assert 0.1 * bound < top <= bound


def test_what_a_cylinder_is_not_is_refused() -> None:
    for name, value in (("rod", 0.05), ("tank_pressure", 2e7), ("supply_pressure", 2e8)):
        with pytest.raises(gough.InputError, match=name):
            gough.Hydraulic(**{**SMALL, name: value})
    with pytest.raises(gough.InputError, match=r"command.*force, valve"):
        gough.Hydraulic(**SMALL, command="flow")
    own = gough.Hydraulic(**SMALL)
    for name, value in (("efficiency", 0.9), ("rotor_inertia", 1e-3), ("mount_axis", [0, 0, 1])):
        with pytest.raises(gough.InputError, match=f"{name}.*absent of a cylinder"):
            gough.Drive(1.0, hydraulic=own, **{name: value})
    drive = gough.Drive(1.0, hydraulic=own)
    with pytest.raises(gough.InputError, match="no motor"):
        drive.motor_torque(100.0)
    assert drive.max_force == pytest.approx(A1 * (140e5 - AMBIENT) + A2 * AMBIENT)
    machine = hydraulic_base()
    for changes, said in (
        ({"stop_stiffness": 0.0}, "with stops"),
        ({"stroke": None}, "limits.stroke"),
        ({"stop_gap": 0.2}, "stop_gap.*oil"),
    ):
        legs = [leg.replace(limits=leg.limits.replace(**changes)) for leg in machine.legs]
        with pytest.raises(gough.InputError, match=said):
            drive_laws(machine.replace(legs=legs))
    mixed = [*gough.load("motion-base-1500").legs[:3], *machine.legs[3:]]
    with pytest.raises(gough.InputError, match=r"drive.hydraulic.*all or none"):
        drive_laws(machine.replace(legs=mixed))
    both = [*machine.legs[:3], *hydraulic_base(command="valve").legs[3:]]
    with pytest.raises(gough.InputError, match=r"command.*same for all"):
        drive_laws(machine.replace(legs=both))
    crank = gough.load("servo-hexapod")
    with pytest.raises(gough.InputError, match="slides"):
        drive_laws(crank.replace(legs=[leg.replace(drive=drive) for leg in crank.legs]))


def test_a_machine_file_holds_a_cylinder() -> None:
    machine = hydraulic_base(coulomb=100.0, static=150.0, command="valve")
    text = gough.model.files.dumps(machine)
    assert gough.model.files.loads(text) == machine
    units = text.replace("supply_pressure = 14000000.0", 'supply_pressure = "140 bar"')
    units = units.replace("dead_cap = 0.0002", 'dead_cap = "200 cm^3"')
    units = units.replace("leakage = 1e-12", 'leakage = "0.006 l/min/bar"')
    assert units.count('"') > text.count('"') + 4
    assert gough.model.files.loads(units) == machine
    assert gough.model.files.loads(units.replace("ratio = 1.0, ", "")) == machine
    law = drive_laws(machine)
    assert law[LEG_LAW.limit] == pytest.approx(1.0)
    assert law[LEG_LAW.coulomb] == pytest.approx(100.0)
    found = gough.inverse_dynamics(machine, machine.home, drives=True)
    assert found.motor_torque is None


@pytest.mark.parametrize("load", [-8e3, -3e3, 0.0, WEIGHT, 1.5e4])
def test_a_cylinder_at_rest_carries_its_load_about_the_middle_of_supply_and_tank(
    load: float,
) -> None:
    """``A1 p1 - A2 p2`` against the surroundings is the load; ``p1 + p2 = supply + tank`` where both fit between."""
    law = cylinder_law(tank_pressure=6e5)
    cap, rod = oil_at_rest(law, 1.4, load)
    p1, p2 = hydraulic.pressures(law, 1.4, cap, rod)
    assert A1 * (p1 - AMBIENT) - A2 * (p2 - AMBIENT) == pytest.approx(load, rel=1e-9, abs=1e-6)
    assert min(p1, p2) > 6e5
    assert p1 + p2 == pytest.approx(law[LEG_LAW.supply] + 6e5, rel=1e-9)


@pytest.mark.parametrize("load", [1e6, -1e6])
def test_a_load_beyond_the_supply_is_carried_by_one_chamber(load: float) -> None:
    """The other one is empty of pressure: none is ever negative."""
    law = cylinder_law()
    p1, p2 = hydraulic.pressures(law, 1.4, *oil_at_rest(law, 1.4, load))
    assert min(p1, p2) == pytest.approx(0.0, abs=1e-3)
    assert A1 * (p1 - AMBIENT) - A2 * (p2 - AMBIENT) == pytest.approx(load, rel=1e-9)


@pytest.mark.parametrize("push", [-4e3, -500.0, 500.0, 4e3])
def test_the_force_loop_opens_the_spool_so_that_the_force_follows_at_its_rate(push: float) -> None:
    """At rest ``dF/dt = force_rate (u - F)``, out and in, whatever the tank; to the oil's compression."""
    law = cylinder_law(tank_pressure=3e6)
    law[LEG_LAW.leak] = law[LEG_LAW.drain] = 0.0
    cap, rod = oil_at_rest(law, 1.4, WEIGHT)
    now = {"coordinate": 1.4, "rate": 0.0, "cap_oil": cap, "rod_oil": rod, "effort": WEIGHT + push}
    opened = {**now, "valve": hydraulic._spool(law, {**now, "valve": 0.0})}
    flow, h = hydraulic.rates(True, law, opened), 1e-7
    later = {**now, **{name: now[name] + h * flow[name] for name in ("cap_oil", "rod_oil")}}
    slope = (hydraulic.force(law, later) - hydraulic.force(law, now)) / h
    assert slope == pytest.approx(law[LEG_LAW.force_rate] * push, rel=0.02)


@pytest.mark.parametrize("rate", [-1e-3, 0.0, 1e-3])
def test_a_force_loop_that_wants_nothing_keeps_its_spool_shut(rate: float) -> None:
    """The command that the oil gives already, against the leg's motion: to the last digits, both ways."""
    law = cylinder_law(command="force")
    cap, rod = oil_at_rest(law, 1.45, WEIGHT)
    now = {"coordinate": 1.45, "rate": 0.0, "cap_oil": cap, "rod_oil": rod, "valve": 0.0}
    held = float(hydraulic.force(law, now))
    stiffness = law[LEG_LAW.bulk] * (law[LEG_LAW.cap_area] / cap + law[LEG_LAW.rod_area] / rod)
    still = held - float(stiffness) * rate / float(law[LEG_LAW.force_rate])
    found = float(hydraulic._spool(law, {**now, "effort": still, "rate": rate}))
    one = abs(float(hydraulic._spool(law, {**now, "effort": held + 1.0})))
    assert one > 0.0
    assert abs(found) < 1e-7 * one * float(law[LEG_LAW.force_rate])
    back = float(hydraulic._spool(law, {**now, "effort": held - 1e-6}))
    assert back < 0.0
