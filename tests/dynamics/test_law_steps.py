"""The largest stable step of a machine's laws against the modes of the masses, springs and dampers themselves."""

from __future__ import annotations

import numpy as np
import pytest

from gough.checks import Array
from gough.dynamics.laws import series, springs
from gough.dynamics.laws.machine import ideal_laws
from gough.dynamics.laws.stiffness import REACH, largest_step
from gough.layout import LEG_LAW
from gough.simulation import demand

MASSES = np.array([3.0, 800.0, 45.0, 0.2, 120.0, 10.0])


def rows(runs: int | None = None) -> Array:
    """Laws of six legs that do nothing, of one run or of several."""
    law = np.tile(ideal_laws()[:, :1].reshape(LEG_LAW.size, -1)[:, :1], 6)
    return law if runs is None else np.repeat(law[..., None], runs, axis=-1)


@pytest.mark.parametrize("runs", [None, 1, 3])
@pytest.mark.parametrize("leg", range(6))
def test_every_leg_is_judged_by_its_own_mass(leg: int, runs: int | None) -> None:
    """One spring, one damper: the fastest root of ``m s^2 + c s + k`` of the leg that has them, in any run."""
    for k, c in ((4e6, 0.0), (4e6, 50.0), (1e3, 9e4), (0.0, 700.0)):
        law = rows(runs)
        at = (leg,) if runs is None else (leg, runs - 1)
        law[(LEG_LAW.stiffness, *at)], law[(LEG_LAW.damping, *at)] = k, c
        fastest = np.abs(np.roots([MASSES[leg], c, k])).max()
        assert largest_step(law, MASSES) == pytest.approx(REACH / fastest)
        assert largest_step(law, MASSES, 1.0) == pytest.approx(1.0 / fastest)


def test_nothing_stiff_needs_no_step() -> None:
    assert largest_step(rows(), MASSES) == np.inf


def test_what_sticks_counts_only_where_there_is_dry_friction() -> None:
    law = rows()
    law[LEG_LAW.grip, 2], law[LEG_LAW.grip_damping, 2] = 7e5, 300.0
    assert largest_step(law, MASSES) == np.inf
    law[LEG_LAW.viscous, 2] = 20.0
    assert largest_step(law, MASSES) == pytest.approx(REACH * MASSES[2] / 20.0)
    for name in ("coulomb", "excess", "loss", "back_loss"):
        stuck = law.copy()
        stuck[getattr(LEG_LAW, name), 2] = 0.3
        fastest = np.abs(np.roots([MASSES[2], 320.0, 7e5])).max()
        assert largest_step(stuck, MASSES) == pytest.approx(REACH / fastest)


@pytest.mark.parametrize("seed", range(20))
def test_behind_a_series_spring_no_mode_of_leg_and_rotor_is_faster(seed: int) -> None:
    """Two masses, their springs and dampers: the step is stable for all four roots, and not far below need."""
    rng = np.random.default_rng(seed)
    law, leg = rows(), int(rng.integers(6))
    k = dict(
        zip(("stiffness", "grip", "series_stiffness"), 10 ** rng.uniform(3, 7, 3), strict=True)
    )
    c = dict(
        zip(("damping", "grip_damping", "series_damping"), 10 ** rng.uniform(-1, 3, 3), strict=True)
    )
    rotor, m = float(10 ** rng.uniform(-1, 3)), MASSES[leg]
    for name, value in {**k, **c, "reflected": rotor, "coulomb": 5.0}.items():
        law[getattr(LEG_LAW, name), leg] = value

    def pairs(own: float, held: float, between: float) -> Array:
        return np.array([[own + between, -between], [-between, held + between]])

    inverse = np.diag([1.0 / m, 1.0 / rotor])
    system = np.block(
        [
            [np.zeros((2, 2)), np.eye(2)],
            [-inverse @ pairs(*k.values()), -inverse @ pairs(*c.values())],
        ]
    )
    fastest = np.abs(np.linalg.eigvals(system)).max()
    step = largest_step(law, MASSES)
    assert step * fastest <= REACH * (1 + 1e-9)
    assert step * fastest > 0.3 * REACH


@pytest.mark.parametrize(("held", "damping"), [(1e9, 0.0), (1e3, 1e6), (0.0, 0.0)])
def test_a_rotor_behind_a_soft_spring_swings_on_its_friction(held: float, damping: float) -> None:
    """The element that sticks holds the rotor, not the leg: its mode is as fast as grip and damping make it."""
    law, leg, rotor, soft = rows(), 1, 0.5, 2e3
    law[LEG_LAW.series_stiffness, leg], law[LEG_LAW.reflected, leg] = soft, rotor
    law[LEG_LAW.grip, leg], law[LEG_LAW.grip_damping, leg] = held, damping
    law[LEG_LAW.coulomb, leg] = 5.0
    fastest = np.abs(np.roots([rotor, damping, held + soft])).max()
    assert largest_step(law, MASSES) * fastest <= REACH * (1 + 1e-9)
    assert largest_step(law, MASSES) * fastest >= 0.49 * REACH


@pytest.mark.parametrize("name", ["load_rate", "current_rate", "electric_rate"])
def test_first_order_states_count_as_they_are(name: str) -> None:
    law = rows()
    law[getattr(LEG_LAW, name), 4] = 250.0
    assert largest_step(law, MASSES) == pytest.approx(REACH / 250.0)
    law[LEG_LAW.loss, 4], law[LEG_LAW.back_loss, 4] = 0.1, 0.4
    more = 1.4 if name == "load_rate" else 1.0
    assert largest_step(law, MASSES) == pytest.approx(REACH / (250.0 * more))


def test_one_stage_has_ranges_of_its_own_for_modes_and_for_first_order_states() -> None:
    """Semi-implicit steps: each kind of state by its own range alone; slow states restrict nothing else."""
    assert demand._stable(rows(), MASSES, 1) == np.inf
    slow = rows()
    slow[LEG_LAW.load_rate, 1] = 0.1
    assert demand._stable(slow, MASSES, 1) == pytest.approx(demand.EXPLICIT / 0.1)
    slow[LEG_LAW.stiffness, 3] = 5e4
    mode = np.sqrt(5e4 / MASSES[3])
    assert demand._stable(slow, MASSES, 1) == pytest.approx(demand.ONE_STAGE / mode)
    slow[LEG_LAW.load_rate, 1] = 1e4
    assert demand._stable(slow, MASSES, 1) == pytest.approx(demand.EXPLICIT / 1e4)
    assert demand._stable(slow, MASSES, 4) == pytest.approx(REACH / 1e4)


def test_a_spring_stores_what_its_force_took_and_a_damper_takes_its_power() -> None:
    law = rows()[:, 0]
    law[LEG_LAW.stiffness], law[LEG_LAW.rest], law[LEG_LAW.damping] = 3e4, 1.2, 70.0
    for end in (1.2, 1.25, 1.1, 0.4):
        x = np.linspace(1.2, end, 101)
        push = springs.force(law, x, 0.0)
        work = float(np.sum(0.5 * (push[1:] + push[:-1]) * np.diff(x)))
        assert springs.stored(law, end) == pytest.approx(work, rel=1e-12, abs=1e-12)
    for v in (-0.3, 0.0, 0.2):
        against = springs.force(law, 1.2, v)
        assert springs.dissipated(law, v) == pytest.approx(against * v)


@pytest.mark.parametrize("play", [0.0, 2e-4])
@pytest.mark.parametrize("load", [-900.0, -1.0, 0.0, 3.0, 2500.0])
def test_a_drive_starts_where_its_spring_carries_the_load_on_the_right_flank(
    load: float, play: float
) -> None:
    law = rows()[:, 0]
    law[LEG_LAW.series_stiffness], law[LEG_LAW.play] = 5e6, play
    at = series.start(law, 1.3, load)
    assert series.force(frozenset({"series", "backlash"}), law, at - 1.3, 0.0) == pytest.approx(
        load, abs=1e-6
    )
    assert abs(at - 1.3) == pytest.approx(abs(load) / 5e6 + play * (load != 0.0), abs=1e-12)
