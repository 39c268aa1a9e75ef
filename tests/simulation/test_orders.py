"""Methods (rk4, lie, semi_implicit by fixed_step.py) converge as they say, and their numbers stand where the compiled
programs read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation.compiled import record_text, steps_text, tell, watch_text
from gough.simulation.driven import step as driven_step
from gough.simulation.events import LIMITED, MARGIN, MARGINS, NAME, NAMES
from gough.simulation.inputs import TimeSignal
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.programs import METHODS, REACTIONS, lead
from gough.simulation.state import Rows, State

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
UPS = ("ups",) * 6


@pytest.mark.parametrize("name", METHODS)
def test_a_method_converges_with_its_order(name: str) -> None:
    """Differences of steps h, h/2, h/4 stand as 2^order : 1; a body that falls and turns under uneven efforts."""
    hold = gough.inverse_dynamics(MACHINE, HOME).force
    start = State(HOME.position, HOME.rotation, [0.1, -0.2, 0.1], [0.3, 0.2, -0.4])
    rows = Rows(MACHINE, False)
    X0 = rows.start(start.motion, None)
    push = (hold * np.linspace(0.7, 1.3, 6))[:, None]

    def end(steps: int) -> Any:
        X, h = np.array(X0), 0.16 / steps
        for k in range(steps):
            X = driven_step(
                rows, METHODS[name], k * h, X, h, lambda t, X: (push, np.zeros((6, 1))), None
            )
        return X

    far, near, nearest = (end(n) for n in (4, 8, 16))
    ratio = np.abs(far - near).max() / np.abs(near - nearest).max()
    assert np.log2(ratio) == pytest.approx(METHODS[name].order, abs=0.25)
    assert lead(METHODS[name], 0.5) == (0.5 if METHODS[name].order == 1 else 0.0)


def test_tolerances_are_positive_and_names_known() -> None:
    assert (Adaptive().rtol, Adaptive().atol) == (1e-10, 1e-12)
    for wrong in ({"name": "euler"}, {"rtol": 0.0}, {"atol": -1.0}):
        with pytest.raises(gough.InputError):
            Adaptive(**wrong)


def test_margins_are_six_of_each_kind_and_one_of_the_platform() -> None:
    assert [width for _, width in MARGIN.blocks()] == [6] * 6 + [1]
    assert len(NAME) == MARGINS == 37
    assert set(NAME) == set(NAMES)
    assert set(LIMITED) < set(NAMES)


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_a_record_tells_each_run_by_its_own_machine_and_law(runs: int) -> None:
    """Records times runs, as if each were asked alone; forces in joints where they are wanted."""
    from gough.simulation import Springs, leg_law

    rest = gough.inverse_kinematics(MACHINE, HOME).length
    stiffness = 1e3 * np.arange(1.0, runs + 1)[:, None] * np.arange(1.0, 7.0)
    law = leg_law.leg_laws(MACHINE, Springs(stiffness, rest - 0.02, 10.0), True, runs)
    laws = leg_law.in_use(law)
    rows = Rows(MACHINE, False, laws)
    rng = np.random.default_rng(5)
    records = 2
    n = records * runs
    place = HOME.position + 0.02 * rng.standard_normal((n, 3))
    motion = gough.Motion(
        place, np.repeat(HOME.rotation[None], n, axis=0), *(0.1 * rng.standard_normal((2, n, 3)))
    )
    X = rows.start(motion, None)
    command, wrench = 1e3 * rng.standard_normal((2, 6, n))
    par = np.tile(rows.par, (runs, 1)) if runs > 1 else rows.par
    whole = tell(UPS, laws, False, X, command, wrench, law, par)
    for k in range(n):
        one = law[:, :, k % runs : k % runs + 1]
        some = slice(k, k + 1)
        alone = tell(UPS, laws, False, X[:, some], command[:, some], wrench[:, some], one, rows.par)
        for name, value in alone.items():
            np.testing.assert_allclose(whole[name][..., some], value, rtol=1e-12, atol=1e-9)


def test_reactions_stand_behind_the_record() -> None:
    rows = Rows(MACHINE, False)
    X = rows.start(gough.Motion(HOME.position[None], HOME.rotation[None]), None)
    hold = gough.inverse_dynamics(MACHINE, HOME)
    zero = np.zeros((6, 1))
    law = np.zeros((1, 6, 1))
    told = tell(UPS, (), True, X, hold.force[:, None], zero, law, rows.par)
    plain = tell(UPS, (), False, X, hold.force[:, None], zero, law, rows.par)
    assert set(told) - set(plain) == set(REACTIONS.names)
    for name, value in plain.items():
        np.testing.assert_array_equal(told[name], value)
    for name in REACTIONS.names:
        assert told[name].shape[0] == 6
        wanted = getattr(hold.reactions, name)
        np.testing.assert_allclose(
            told[name].reshape(wanted.shape), wanted, atol=1e-6 * np.abs(wanted).max() + 1e-9
        )


def test_texts_of_one_machine_and_of_machines_differ() -> None:
    """Unless it is asked for, all runs have the same numbers."""
    for made in (
        lambda **more: steps_text("rk4", UPS, (), **more),
        lambda **more: record_text(UPS, (), False, **more),
        lambda **more: watch_text(UPS, (), **more),
    ):
        assert made() == made(machines=False)
        assert made() != made(machines=True)


def test_samples_and_rows_of_signals() -> None:
    """Rows are one for each step or for each end of a step; runs first."""
    rows = np.arange(5 * 6.0).reshape(5, 6)
    line = TimeSignal("force", rows, steps=4, step=0.5, runs=1, batched=False)
    for k in range(4):
        np.testing.assert_allclose(line.within(k, 0.25)[:, 0], 0.75 * rows[k] + 0.25 * rows[k + 1])
    np.testing.assert_allclose(line.stage(0.75, None)[:, 0], 0.5 * rows[1] + 0.5 * rows[2])  # type: ignore[arg-type]
    called = TimeSignal("force", lambda t: np.full(6, t), steps=4, step=0.5, runs=1, batched=False)
    np.testing.assert_allclose(called.within(3, 0.5), 1.75)
    mixed = TimeSignal(
        "force",
        lambda t: np.full((2, 6) if t > 1.1 else 6, t),
        steps=4,
        step=0.5,
        runs=2,
        batched=True,
    )
    wide = mixed.chunk(2, 2)
    assert wide.shape == (6, 6, 2)
    np.testing.assert_allclose(wide[:, 0, 0], [1.0, 1.25, 1.5, 1.5, 1.75, 2.0])
    np.testing.assert_allclose(wide[..., 0], wide[..., 1])
    for rows_of in (np.ones((3, 4, 6)), np.ones((2, 3, 6)), np.ones((1, 2, 4, 6))):
        with pytest.raises(gough.InputError, match="force"):
            TimeSignal("force", rows_of, steps=4, step=0.5, runs=2, batched=True)
