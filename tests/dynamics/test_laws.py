"""The laws of a leg, one by one: energy balances, closed forms and models of their own, planted errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import gough
from gough.checks import Array
from gough.dynamics import laws
from gough.dynamics.laws import friction, gear, motor, series, springs, stops
from gough.dynamics.laws.leg import Action, act, rates, stored
from gough.dynamics.laws.machine import drive_laws, ideal_laws
from gough.dynamics.laws.stiffness import largest_step, leg_masses
from gough.kinematics.jacobian import jacobian
from gough.layout import LEG_LAW

TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}


def one_leg(**rows: float) -> Array:
    """Rows of LEG_LAW of one ideal leg, some of them given."""
    law = ideal_laws()[:, 0]
    law[LEG_LAW.stop_low], law[LEG_LAW.stop_high] = -np.inf, np.inf
    for name, value in rows.items():
        law[getattr(LEG_LAW, name)] = value
    return law


class Ride:
    """A mass on one coordinate under laws, by SciPy, its work and losses integrated beside it."""

    def __init__(self, law: Array, mass: float, command: Callable[[float], float]) -> None:
        self.law, self.mass, self.command = law, mass, command
        self.used = laws.in_use(law[:, None])
        self.own = laws.states(self.used)

    def now(self, t: float, x: Array) -> dict[str, float]:
        names = ("coordinate", "rate", *self.own)
        anchor = x[2] if "series" in self.used else x[0]  # dry friction takes no part here
        given = dict(zip(names, x, strict=False))
        return given | {"effort": self.command(t), "anchor": anchor}

    def lost(self, now: dict[str, float], acted: Action) -> float:
        """What each law says it turns into heat, W."""
        rate, v = now["rate"], now.get("drive_rate", now["rate"])
        total = springs.dissipated(self.law, rate) + self.law[LEG_LAW.viscous] * v * v
        if "stops" in self.used:
            total += stops.dissipated(self.law, now["coordinate"], rate)
        if "series" in self.used:
            stretch = now["drive_coordinate"] - now["coordinate"]
            total += series.dissipated(self.used, self.law, stretch, v - rate)
        return float(total)

    def rhs(self, t: float, x: Array) -> list[float]:
        now = self.now(t, x)
        acted = act(self.used, self.law, now)
        rotor = 0.0 if "series" in self.used else self.law[LEG_LAW.reflected]
        a = float(acted.effort) / (self.mass + rotor)
        own = rates(self.used, self.law, now, acted, a)
        power = float(acted.motor) * now.get("drive_rate", now["rate"])
        each = [float(own[name]) for name in self.own]
        return [now["rate"], a, *each, power, self.lost(now, acted)]

    def energy(self, t: float, x: Array) -> float:
        now = self.now(t, x)
        acted = act(self.used, self.law, now)
        rotor = 0.5 * self.law[LEG_LAW.reflected] * now.get("drive_rate", now["rate"]) ** 2
        inside = stored(self.used, self.law, now, acted) + springs.stored(self.law, x[0])
        return float(0.5 * self.mass * x[1] ** 2 + rotor + inside)

    def run(self, start: list[float], duration: float, **more: object) -> Array:
        """(K, states + 2): the last two are work in and heat out."""
        times = np.linspace(0.0, duration, 401)
        options = {**TIGHT, "max_step": duration / 400, **more}
        found = solve_ivp(self.rhs, (0.0, duration), [*start, 0.0, 0.0], t_eval=times, **options)
        assert found.success
        return found.y.T

    def imbalance(self, path: Array, duration: float) -> float:
        """Largest error of ``energy = energy at the start + work - heat``, over the largest energy."""
        times = np.linspace(0.0, duration, 401)
        E = np.array([self.energy(t, x) for t, x in zip(times, path, strict=True)])
        return float(np.abs(E - E[0] - path[:, -2] + path[:, -1]).max() / np.abs(E).max())


RIDES = {
    "springs": (
        {"stiffness": 4e3, "rest": 0.1, "damping": 30.0, "viscous": 10.0},
        [0.3, 0.0],
    ),
    "stops": (
        {"stop_low": -0.1, "stop_high": 0.1, "stop_stiffness": 1e5, "stop_loss": 2.0},
        [0.0, 1.5],
    ),
    "series": (
        {"reflected": 3.0, "series_stiffness": 1e5, "series_damping": 40.0, "viscous": 5.0},
        [0.0, 0.4, 0.002, -0.1],
    ),
    "backlash": (
        {"reflected": 3.0, "series_stiffness": 1e5, "series_damping": 40.0, "play": 1e-3},
        [0.0, 0.4, 0.002, -0.1],
    ),
    "current": ({"current_rate": 300.0, "limit": 40.0}, [0.0, 0.4, 0.0]),
    "inductance": (
        {
            "current_rate": 500.0,
            "electric_rate": 200.0,
            "voltage_force": 60.0,
            "voltage_slope": 25.0,
        },
        [0.0, 0.4, 0.0],
    ),
}


@pytest.mark.parametrize("name", RIDES)
def test_energy_balance_along_a_run(name: str) -> None:
    """Work in = energy stored + heat, to 1e-9, with the command going both ways."""
    rows, start = RIDES[name]
    ride = Ride(one_leg(**rows), 5.0, lambda t: 50.0 * np.sin(20.0 * t))
    path = ride.run(start, 0.4)
    assert ride.imbalance(path, 0.4) < 1e-9
    assert (np.diff(path[:, -1]) > -1e-12).all()  # heat never comes back
    assert np.ptp(path[:, 0]) > 0.01


@pytest.mark.parametrize("name", ["stops", "series", "springs"])
def test_a_law_that_creates_power_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the damping of one law acts with the wrong sign; its heat comes back, or the balance does not close."""
    rows, start = RIDES[name]
    ride = Ride(one_leg(**rows), 5.0, lambda t: 50.0 * np.sin(20.0 * t))
    module = {"stops": stops, "series": series, "springs": springs}[name]
    right = module.force

    def wrong(*given: object) -> object:
        return right(*given[:-1], -given[-1])  # type: ignore[operator]

    monkeypatch.setattr(module, "force", wrong)
    path = ride.run(start, 0.4)
    assert ride.imbalance(path, 0.4) > 1e-3 or np.diff(path[:, -1]).min() < -1e-6


@pytest.mark.parametrize(("loss", "speed"), [(0.0, 1.0), (0.5, 0.3), (3.0, 1.0), (5.0, 2.0)])
def test_rebound_from_a_stop_is_the_closed_form(loss: float, speed: float) -> None:
    """Whatever mass and stiffness; an energy that grows would come back faster than it went in."""
    e = stops.restitution(loss, speed)
    assert 0.0 < e <= 1.0
    for mass, k in ((5.0, 1e5), (800.0, 3e6)):
        law = one_leg(stop_high=0.2, stop_stiffness=k, stop_loss=loss)
        ride = Ride(law, mass, lambda t: 0.0)
        back = ride.run([0.2 - 1e-9, speed], 12.0 * np.sqrt(mass / k))[-1, 1]
        assert -back / speed == pytest.approx(e, rel=1e-6)
    mirrored = one_leg(stop_low=0.1, stop_stiffness=1e5, stop_loss=loss)
    low = Ride(mirrored, 5.0, lambda t: 0.0).run([0.1 + 1e-9, -speed], 12.0 * np.sqrt(5e-5))
    assert low[-1, 1] / speed == pytest.approx(e, rel=1e-6)


def test_a_stop_never_pulls() -> None:
    law = one_leg(stop_low=-0.1, stop_high=0.1, stop_stiffness=1e6, stop_loss=4.0)
    l, v = np.random.default_rng(0).normal(size=(2, 10_000)) * np.array([[0.3], [3.0]])
    N = stops.force(law, l, v)
    assert (N[l > 0.1] <= 0.0).all()
    assert (N[l < -0.1] >= 0.0).all()
    assert (N[np.abs(l) < 0.1] == 0.0).all()
    assert (stops.dissipated(law, l, v) >= 0.0).all()
    assert ((N == 0.0) & (np.abs(l) > 0.1)).any()  # leaves it faster than it follows


def test_an_elastic_drive_is_the_matrix_exponential() -> None:
    """Two masses, spring, dampers: exact."""
    m, r, k, c, b = 5.0, 3.0, 1e5, 40.0, 7.0
    rows = {"reflected": r, "series_stiffness": k, "series_damping": c, "viscous": b}
    ride = Ride(one_leg(**rows), m, lambda t: 25.0)
    start = [0.01, 0.4, 0.012, -0.1]
    found = ride.run(start, 0.3)[-1, :4]
    A = np.array([[0, 1, 0, 0], [-k / m, -c / m, k / m, c / m], [0, 0, 0, 1], [0] * 4], dtype=float)
    A[3] = np.array([k, c, -k, -c - b]) / r
    whole = np.zeros((5, 5))
    whole[:4, :4], whole[3, 4] = A, 25.0 / r
    exact = (expm(0.3 * whole) @ np.array([*start, 1.0]))[:4]
    assert np.abs(found - exact).max() < 1e-9


def test_backlash_is_free_flight_and_contact() -> None:
    """A leg thrown through its play against the locked drive: piecewise motion known in closed form."""
    m, r, k, half, v = 2.0, 1e9, 1e5, 2e-3, 0.3
    law = one_leg(reflected=r, series_stiffness=k, play=half)
    path = Ride(law, m, lambda t: 0.0).run([half, -v, 0.0, 0.0], 0.04)
    t, w = np.linspace(0, 0.04, 401), np.sqrt(k / m)
    flight = 2 * half / v
    after = np.clip(t - flight, 0.0, np.pi / w)
    rest = np.maximum(t - flight - np.pi / w, 0.0)
    exact = np.where(t < flight, half - v * t, -half - v / w * np.sin(w * after) + v * rest)
    assert np.abs(path[:, 0] - exact).max() < 1e-8
    assert (t > flight + np.pi / w).any()


def test_play_does_not_pull_and_has_no_force_inside() -> None:
    law = one_leg(reflected=1.0, series_stiffness=1e5, series_damping=2e3, play=1e-3)
    used = laws.in_use(law[:, None])
    s, v = np.random.default_rng(1).normal(size=(2, 10_000)) * np.array([[2e-3], [0.3]])
    y = series.force(used, law, s, v)
    assert (y[np.abs(s) < 1e-3] == 0.0).all()
    assert (y * s >= 0.0).all()
    assert (series.dissipated(used, law, s, v) >= 0.0).all()


def test_a_current_loop_lags_and_a_winding_limits_it() -> None:
    """First order; with an inductance the voltage bounds the current's rate: exact RL exponentials at standstill."""
    w, rho, top = 500.0, 200.0, 60.0
    slow = Ride(one_leg(current_rate=w), 1e12, lambda t: 10.0)
    t = np.linspace(0.0, 0.02, 401)
    assert np.abs(slow.run([0.0, 0.0, 0.0], 0.02)[:, 2] - 10 * (1 - np.exp(-w * t))).max() < 1e-9
    coil = one_leg(current_rate=w, electric_rate=rho, voltage_force=top)
    found = Ride(coil, 1e12, lambda t: 55.0).run([0.0, 0.0, 0.0], 0.02)[:, 2]
    limited = top * (1 - np.exp(-rho * t))
    wanted = w * (55.0 - limited) > rho * (
        top - limited
    )  # the loop asks for more than the voltage gives
    assert wanted[:20].all()
    first = int(np.argmin(wanted))
    assert np.abs(found[:first] - limited[:first]).max() < 1e-8
    assert found[-1] == pytest.approx(55.0, rel=0.02)


def test_a_shorted_winding_brakes_by_its_back_emf() -> None:
    """Without inductance an exponential; with it the two roots of the coupled system."""
    slope, m, rho = 40.0, 5.0, 200.0
    law = one_leg(voltage_force=0.0, voltage_slope=slope)
    path = Ride(law, m, lambda t: 1e3).run([0.0, 2.0], 0.3)
    t = np.linspace(0.0, 0.3, 401)
    assert np.abs(path[:, 1] - 2.0 * np.exp(-slope / m * t)).max() < 1e-9
    coil = one_leg(voltage_force=0.0, voltage_slope=slope, electric_rate=rho, current_rate=500.0)
    found = Ride(coil, m, lambda t: 0.0).run([0.0, 2.0, 0.0], 0.3)
    A = np.array([[0.0, 1 / m], [-rho * slope, -rho]])
    exact = (expm(0.3 * A) @ np.array([2.0, 0.0]))[0]
    assert found[-1, 1] == pytest.approx(exact, rel=1e-8)


def screw(law: Array, mass: float, weight: float, start: float, steps: int, h: float) -> Array:
    """A weight on a screw without a motor by small steps of the laws, from a load at rest: rates (steps,)."""
    x, v, load, anchor, out = 0.0, start, weight, 0.0, np.empty(steps)
    used, whole = ("drive", "gear"), mass + law[LEG_LAW.reflected]
    for i in range(steps):
        now = {"effort": 0.0, "coordinate": x, "rate": v, "anchor": anchor, "load": load}
        acted = act(used, law, now)
        a = (float(acted.effort) - weight) / whole
        load += h * float(rates(used, law, now, acted, a)["load"])
        v += h * a
        x, anchor = x + h * v, float(acted.anchor)
        out[i] = v
    return out


@pytest.mark.parametrize("efficiency", [0.9, 0.7, 0.55])
def test_a_falling_screw_carries_its_rotor_over_the_back_efficiency(efficiency: float) -> None:
    """Driven, the gear makes the rotor's inertia count as ``m_r/eta_b``: exact acceleration, once the load settled."""
    drive = gough.Drive(100.0, rotor_inertia=5e-3, efficiency=efficiency)
    law = one_leg(reflected=50.0, grip=1e8, grip_damping=1.2e5)
    gear.fill(law, drive)
    mass, weight = 100.0, 981.0
    v = screw(law, mass, weight, -0.01, 30_000, 1e-6)
    eta_b = 2 - 1 / efficiency
    exact = -weight / (mass + 50.0 / eta_b)
    assert (v[-1] - v[-5000]) / 4999e-6 == pytest.approx(exact, rel=1e-3)


def test_a_screw_below_one_half_stops_and_holds() -> None:
    for efficiency in (0.49, 0.3, 0.1):
        drive = gough.Drive(100.0, rotor_inertia=5e-3, efficiency=efficiency)
        law = one_leg(reflected=50.0, grip=1e8, grip_damping=1.2e5)
        gear.fill(law, drive)
        v = screw(law, 100.0, 981.0, 0.0, 30_000, 5e-6)
        assert abs(v[-1]) < 1e-5, efficiency
        assert abs(v.sum() * 5e-6) < 3e-4  # all it moved, m
        assert abs(v[-1]) < 0.1 * np.abs(v).max()


def test_friction_is_passive_whatever_its_level_does() -> None:
    """A path that turns and stands, levels that jump: the heat never falls."""
    rng = np.random.default_rng(3)
    law = one_leg(grip=1e6)
    x = np.cumsum(rng.normal(size=5000)) * 2e-6
    up, down = rng.uniform(0.0, 30.0, (2, 5000))
    anchor, heat = 0.0, 0.0
    for i in range(5000):  # it moves on elastically, then slips or is let go
        elastic = float(friction.stored(law, x[i], anchor))
        f, anchor = friction.element(law, x[i], 0.0, anchor, up[i], down[i])
        lost = elastic - float(friction.stored(law, x[i], anchor))
        assert lost >= 0.0
        assert -down[i] <= f <= up[i]
        heat += lost
    assert heat > 0.0


def test_gear_levels_never_create_power() -> None:
    rng = np.random.default_rng(4)
    for forward, back in ((0.9, None), (0.4, None), (0.8, 1.0), (0.8, -3.0)):
        drive = gough.Drive(1.0, efficiency=forward, back_efficiency=back)
        law = one_leg()
        gear.fill(law, drive)
        levels = np.array(gear.levels(law, rng.normal(size=1000) * 1e3))
        assert (levels >= 0.0).all()
    with pytest.raises(gough.InputError, match=r"back_efficiency.*creates no power"):
        gough.Drive(1.0, efficiency=0.8, back_efficiency=1.01)


def test_laws_without_parameters_are_not_in_use() -> None:
    assert laws.in_use(ideal_laws()) == ()
    assert laws.in_use(one_leg(coulomb=1.0)[:, None]) == ("drive",)
    assert laws.in_use(one_leg(limit=1.0)[:, None]) == ("drive",)
    assert laws.in_use(one_leg(loss=0.1)[:, None]) == ("drive", "gear")
    assert laws.states(("drive", "gear")) == ("load",)
    assert laws.states(("drive", "gear", "series")) == ("drive_coordinate", "drive_rate")


def test_masses_bound_every_mode_and_the_step_is_stable() -> None:
    """No mode of springs along the legs is faster than ``max sqrt(k/m)``, and the bound is met by equal ratios."""
    rng = np.random.default_rng(5)
    for name in ("motion-base-1500", "hexaglide", "servo-hexapod"):
        machine = gough.load(name)
        masses = leg_masses(machine)
        J = jacobian(machine, machine.home)
        M = gough.mass_matrix(machine, machine.home)
        for k in (masses, masses * rng.uniform(0.0, 1.0, 6)):
            fastest = np.linalg.eigvals(np.linalg.solve(M, J.T @ (k[:, None] * J))).real.max()
            assert fastest <= (k / masses).max() * (1 + 1e-12)
        top = np.linalg.eigvals(np.linalg.solve(M, J.T @ (masses[:, None] * J))).real.max()
        assert top == pytest.approx(1.0, rel=1e-9)
        step = largest_step(drive_laws(machine), masses)
        assert 1e-3 < step < 1e-2  # the default step is stable
    assert largest_step(ideal_laws(), np.ones(6)) == np.inf
    stiff = ideal_laws()
    stiff[LEG_LAW.stiffness] = 1e6
    assert largest_step(stiff, np.full(6, 4.0)) == pytest.approx(2.5 / 500.0)
    stiff[LEG_LAW.damping] = 1e5
    assert largest_step(stiff, np.full(6, 4.0)) < 2.5 / 20_000


def with_drives(**changes: object) -> gough.Platform:
    machine = gough.load("motion-base-1500")
    legs = [leg.replace(drive=leg.drive.replace(**changes)) for leg in machine.legs]
    return machine.replace(legs=legs)


def test_what_cannot_be_is_refused() -> None:
    machine = gough.load("motion-base-1500")
    leg = machine.legs[0]
    for name, value in (("stiffness", 1e7), ("current_bandwidth", 1e3)):
        mixed = [leg.replace(drive=leg.drive.replace(**{name: value})), *machine.legs[1:]]
        with pytest.raises(gough.InputError, match=f"drive.{name}.*all or none"):
            drive_laws(machine.replace(legs=mixed))
    with pytest.raises(gough.InputError, match=r"rotor_inertia.*above zero"):
        drive_laws(with_drives(stiffness=1e7, rotor_inertia=0.0))
    with pytest.raises(gough.InputError, match=r"rotor_axis.*absent"):
        drive_laws(with_drives(stiffness=1e7, rotor_axis=[1, 0, 0]))
    with pytest.raises(gough.InputError, match=r"current_bandwidth.*inductance"):
        gough.Drive(1.0, inductance=1e-3, resistance=1.0, torque_constant=1.0)
    with pytest.raises(gough.InputError, match=r"damping.*needs a stiffness"):
        gough.Drive(1.0, damping=1.0)
    elastic = with_drives(stiffness=1e7)
    with pytest.raises(gough.InputError, match="elastic drives"):
        gough.inverse_dynamics(elastic, elastic.home, drives=True)
    gough.inverse_dynamics(elastic, elastic.home)


def test_presliding_travel_is_the_drives() -> None:
    usual, given = (drive_laws(with_drives(presliding=p)) for p in (None, 5e-5))
    assert given[LEG_LAW.grip] == pytest.approx(usual[LEG_LAW.grip] * 2e-5 / 5e-5)
    assert (given[LEG_LAW.grip_damping] < usual[LEG_LAW.grip_damping]).all()


def test_a_voltage_bound_needs_its_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the winding's rate without the back-EMF's sign; a shorted motor then drives instead of braking."""
    right = motor.current_rate

    def wrong(used: laws.Laws, law: Array, command: float, v: float, current: float) -> float:
        return right(used, law, command, -v, current)

    monkeypatch.setattr(motor, "current_rate", wrong)
    with pytest.raises(AssertionError):
        test_a_shorted_winding_brakes_by_its_back_emf()


def slide(law: Array, mass: float, speed: float, steps: int, h: float) -> tuple[Array, Array]:
    """A block thrown along a coordinate with dry friction, by small semi-implicit steps: places and rates."""
    x, v, anchor, path = 0.0, speed, 0.0, np.empty((2, steps))
    for i in range(steps):
        now = {"effort": 0.0, "coordinate": x, "rate": v, "anchor": anchor}
        acted = act(("drive",), law, now)
        v += h * float(acted.effort) / mass
        x, anchor = x + h * v, float(acted.anchor)
        path[:, i] = x, v
    return path[0], path[1]


def test_a_thrown_block_stops_where_coulomb_says_and_stays() -> None:
    """Distance ``m v^2/(2 F)``; Stribeck's curve by SciPy down to the speed at which the element takes over."""
    m, v = 4.0, 0.5
    rows = {"coulomb": 30.0, "grip": 3e7, "grip_damping": 1e4}
    x, rate = slide(one_leg(**rows), m, v, 30_000, 5e-6)
    assert x.max() == pytest.approx(m * v**2 / 60.0, rel=1e-3)
    assert np.abs(x[-5000:] - x[-1]).max() < 1e-9
    assert abs(rate[-1]) < 1e-9
    curved = {**rows, "excess": 20.0, "stribeck": 0.2, "viscous": 8.0}

    def exact(t: float, s: Array) -> list[float]:
        return [s[1], -(30.0 + 20.0 / (1.0 + (s[1] / 0.2) ** 2) + 8.0 * s[1]) / m]

    found = solve_ivp(exact, (0.0, 0.03), [0.0, v], **TIGHT).y[:, -1]
    x, rate = slide(one_leg(**curved), m, v, 6000, 5e-6)
    assert x[-1] == pytest.approx(found[0], rel=1e-3)
    assert rate[-1] == pytest.approx(found[1], rel=1e-3)
    flat = solve_ivp(lambda t, s: [s[1], -50.0 / m], (0.0, 0.03), [0.0, v], **TIGHT).y[:, -1]
    assert abs(flat[0] - found[0]) > 5e-3 * found[0]  # planted: no Stribeck curve, no viscous part
