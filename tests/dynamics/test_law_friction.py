"""Dry friction and gears: blocks that stop, screws that hold, levels that create no power."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.checks import Array
from gough.dynamics.laws import friction, gear
from gough.dynamics.laws.leg import act, rates
from gough.layout import LEG_LAW
from support.rides import TIGHT, one_leg

LEG = gough.load("motion-base-1500").legs[0]


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
    gear.fill(law, LEG, drive)
    mass, weight = 100.0, 981.0
    v = screw(law, mass, weight, -0.01, 30_000, 1e-6)
    eta_b = 2 - 1 / efficiency
    exact = -weight / (mass + 50.0 / eta_b)
    assert (v[-1] - v[-5000]) / 4999e-6 == pytest.approx(exact, rel=1e-3)


def test_a_screw_below_one_half_stops_and_holds() -> None:
    for efficiency in (0.49, 0.3, 0.1):
        drive = gough.Drive(100.0, rotor_inertia=5e-3, efficiency=efficiency)
        law = one_leg(reflected=50.0, grip=1e8, grip_damping=1.2e5)
        gear.fill(law, LEG, drive)
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
        gear.fill(law, LEG, drive)
        levels = np.array(gear.levels(law, rng.normal(size=1000) * 1e3))
        assert (levels >= 0.0).all()
    with pytest.raises(gough.InputError, match=r"back_efficiency.*creates no power"):
        gough.Drive(1.0, efficiency=0.8, back_efficiency=1.01)


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
