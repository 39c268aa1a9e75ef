"""The element that carries dry friction: what it stores is what it took, it slips at its level and never pushes."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics.laws import brake, friction
from gough.dynamics.laws.machine import ideal_laws
from gough.layout import LEG_LAW
from gough.model import Leg

GRIP, LEVEL = 4e5, 120.0


def law(damping: float = 0.0) -> Array:
    """One leg with dry friction."""
    rows = ideal_laws()[:, 0]
    rows[LEG_LAW.grip], rows[LEG_LAW.grip_damping] = GRIP, damping
    return rows


@pytest.mark.parametrize("end", [0.5, -0.9])
def test_what_sticks_stores_what_it_took(end: float) -> None:
    """Moved slowly within its travel from rest: the work of its force is in the spring, all of it."""
    rows, x = law(), np.linspace(0.0, end * LEVEL / GRIP, 401)
    force = np.array([friction.element(rows, at, 0.0, 0.0, LEVEL, LEVEL)[0] for at in x])
    work = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(x))
    _, anchor = friction.element(rows, x[-1], 0.0, 0.0, LEVEL, LEVEL)
    assert anchor == pytest.approx(0.0, abs=1e-18)
    assert friction.stored(rows, x[-1], anchor) == pytest.approx(work, rel=1e-9)
    assert work > 0.0


@pytest.mark.parametrize(("up", "down"), [(LEVEL, LEVEL), (LEVEL, 0.3 * LEVEL)])
def test_it_slips_at_its_level_and_keeps_what_the_level_allows(up: float, down: float) -> None:
    rows, far = law(), 0.01
    for x, level in ((far, up), (-far, -down)):
        f, anchor = friction.element(rows, x, 0.0, 0.0, up, down)
        assert f == pytest.approx(level)
        assert x - anchor == pytest.approx(level / GRIP)
        assert friction.stored(rows, x, anchor) == pytest.approx(0.5 * level**2 / GRIP)


def test_damping_counts_within_the_level_and_never_pushes() -> None:
    """At the anchor the force is damping v, bounded by the levels, and always against the motion."""
    rows = law(damping=2e3)
    for v in (-1.0, -0.01, 0.01, 1.0):
        f, _ = friction.element(rows, 0.0, v, 0.0, LEVEL, 0.5 * LEVEL)
        assert f == pytest.approx(np.clip(2e3 * v, -0.5 * LEVEL, LEVEL))
        assert f * v > 0.0


def legs() -> list[tuple[Leg, float, float]]:
    """A leg, its share of the platform's mass, and the inertia that its coordinate moves: m or J."""
    slider = gough.load("motion-base-1500").legs[0]
    crank = gough.load("servo-hexapod").legs[0]
    assert isinstance(crank, gough.RUS)
    arm2 = float(crank.arm @ crank.arm)
    heavy = gough.Drive(ratio=100.0, rotor_inertia=0.05)  # 500 kg at the leg
    return [
        (slider.replace(drive=None), 80.0, 80.0),
        (slider.replace(drive=heavy), 80.0, 500.0),
        (slider.replace(drive=heavy), 800.0, 800.0),
        (crank.replace(drive=None), 80.0, 80.0 * arm2),
    ]


@pytest.mark.parametrize(("leg", "share", "inertia"), legs())
def test_what_sticks_swings_with_half_of_the_critical_damping(
    leg: Leg, share: float, inertia: float
) -> None:
    """Roots of ``m s^2 + c s + k``: ratio 0.5 for the inertia that hangs on the element, whatever it is."""
    rows = ideal_laws()[:, 0]
    friction.set_grip(rows, GRIP, leg, share)
    assert rows[LEG_LAW.grip] == GRIP
    roots = np.roots([inertia, rows[LEG_LAW.grip_damping], GRIP])
    assert -roots.real / np.abs(roots) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("before", [0.0, 1e3, 1e9])
@pytest.mark.parametrize(("leg", "share", "inertia"), legs())
def test_a_brake_adds_its_force_and_never_makes_the_leg_softer(
    leg: Leg, share: float, inertia: float, before: float
) -> None:
    """It holds fully within 0.1 mm (2 mrad), in every run, and as well damped as what it holds."""
    rows = np.tile(ideal_laws()[:, :1], 3)
    rows[LEG_LAW.grip], rows[LEG_LAW.coulomb] = [before, 0.0, 1e8], LEVEL
    brake.close(rows, leg, share, 500.0)
    own = 500.0 / (2e-3 if isinstance(leg, gough.RUS) else 1e-4)
    assert rows[LEG_LAW.coulomb] == pytest.approx([LEVEL + 500.0] * 3)
    assert rows[LEG_LAW.grip] == pytest.approx([max(before, own), own, 1e8])
    assert rows[LEG_LAW.grip_damping] == pytest.approx(np.sqrt(rows[LEG_LAW.grip] * inertia))
