"""Forward kinematics on the GPU: the generated text compiled for the CPU against the compiled kernels, with planted
errors; what the card leaves open; refusals; and the same on a card where there is one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics import forward_card
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.forward_batch import solve_batch
from gough.layout import FORWARD_SOLUTION as INFO
from gough.spatial import Pose, rotation_exp
from oracles.card_on_cpu import COMPILER, Made, no_card, played
from support.forward_machines import HOME, machine

needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="NO C++ COMPILER: the CUDA text of forward kinematics was not compiled"
)
FAR = (1e-9, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0)
WORDS = ("status", "iterations", "certified", "straight", "pieces", "connected")


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Made]:
    with played(monkeypatch, tmp_path, [forward_card], forward_card._compiled) as made:
        yield made


def lengths_around(platform: gough.Platform, n: int) -> np.ndarray:
    """Of poses from close to home to far beyond what one step proves."""
    rng, size = np.random.default_rng(8), np.repeat(FAR, n)[:, None]
    turn = rotation_exp(2.0 * size * rng.uniform(-1, 1, (len(size), 3)))
    position = HOME.position + 0.5 * size * rng.uniform(-1, 1, (len(size), 3))
    return actuator_coordinates(platform, Pose(position, turn))


def differences(platform: gough.Platform, length: Any, **options: Any) -> list[str]:
    wanted, told = (
        gough.forward_kinematics(platform, length, engine=engine, **options)
        for engine in forward_card.ENGINES
    )
    found = [
        name
        for name in WORDS
        if not np.array_equal(told.info[:, INFO.at(name)], wanted.info[:, INFO.at(name)])
    ]
    if not np.allclose(told.flat, wanted.flat, rtol=0, atol=1e-13, equal_nan=True):
        found.append("pose")
    if not np.allclose(told.residual, wanted.residual, rtol=0, atol=4e-15, equal_nan=True):
        found.append("residual")
    return found


@needs_compiler
@pytest.mark.parametrize("proof", [True, False])
def test_the_text_compiled_for_the_cpu_answers_as_the_compiled_kernels(
    card: Made, monkeypatch: pytest.MonkeyPatch, proof: bool
) -> None:
    found, left = card(), list[int]()

    def counted(table: Any, lam: Any, *more: Any) -> None:
        left.append(len(lam))
        solve_batch(table, lam, *more)

    monkeypatch.setattr(forward_card, "solve_batch", counted)
    monkeypatch.setattr(forward_card, "PART", 300)
    platform = machine("UPS")
    length = lengths_around(platform, 50)
    assert not differences(platform, length, certify=proof)
    assert len(found.launched) == 2
    at_once = gough.forward_kinematics(platform, length, certify=proof)
    if proof:  # what the certificate does not prove as a whole, and nothing else
        assert sum(left) == (~at_once.certified).sum()
        assert 0.3 < at_once.certified.mean() < 0.8
    assert sum(left) < 0.6 * len(length)


@needs_compiler
def test_guesses_margins_and_far_frames(card: Made) -> None:
    card()
    platform = machine("SPS")
    length = lengths_around(platform, 6)
    near = Pose(HOME.position + np.linspace(0, 1e-2, len(length))[:, None], HOME.rotation)
    assert not differences(platform, length, guess=near)
    assert not differences(platform, length, margin=2e-3)
    far = np.array([1e3, 0.0, 0.0])
    away = gough.Platform(
        gough.Body(1.0),
        [gough.SPS(base=leg.base + far, joint=leg.joint) for leg in platform.legs],
        home=Pose(HOME.position + far, HOME.rotation),
    )
    assert not differences(away, length)
    one = gough.forward_kinematics(platform, length[0], engine="cuda")
    assert one.certified
    assert one.pose.shape == ()


ERRORS = {
    "a box that is too small": ("0.25 * far + margin", "0.0 * far + margin"),
    "half of what the box does": (
        "(2.0 * size * D + D * D) / 4.0",
        "(2.0 * size * D + D * D) / 8.0",
    ),
    "a ball that may grow": ("turn + psi <= r", "turn <= r"),
    "a term that is left out": ("rho * shifts[k] + error[k]", "error[k]"),
    "a certificate that is too strict": ("r = (turn + psi) * 1.001", "r = (turn + psi) * 1.3"),
    "a step that need not contract": ("more < 0.0625 * step", "more < 1e9 * step"),
    "a residual of another leg": ("sqrt(Y[14])", "sqrt(Y[13])"),
}


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
def test_a_planted_error_is_found(card: Made, monkeypatch: pytest.MonkeyPatch, error: str) -> None:
    right, wrong = ERRORS[error]

    def change(text: str) -> str:
        assert right in text
        return text.replace(right, wrong)

    card(change)
    left = list[int]()

    def counted(table: Any, lam: Any, *more: Any) -> None:
        left.append(len(lam))
        solve_batch(table, lam, *more)

    monkeypatch.setattr(forward_card, "solve_batch", counted)
    platform = machine("UPS")
    length = lengths_around(platform, 400)
    wrong_words = differences(platform, length)
    proved = gough.forward_kinematics(platform, length).certified
    too_many = sum(left) != (~proved).sum()
    assert wrong_words or too_many or differences(platform, length, certify=False)


def test_what_the_card_does_not_serve_is_refused(card: Made) -> None:
    card()
    for kind in ("PUS", "RUS", "mixed"):
        platform = machine(kind)
        with pytest.raises(gough.InputError, match=r"engine: .*distance of their joints"):
            gough.forward_kinematics(platform, np.ones(6), engine="cuda")
    with pytest.raises(gough.InputError, match=r"engine: .*native, cuda"):
        gough.forward_kinematics(machine("UPS"), np.ones(6), engine="python")


@needs_compiler
def test_bad_lengths_are_refused_as_on_the_cpu(card: Made) -> None:
    card()
    platform = machine("UPS")
    for bad in (np.nan, np.inf, -1.0, 0.0):
        length = lengths_around(platform, 1)
        length[3, 2] = bad
        told = []
        for engine in forward_card.ENGINES:
            with pytest.raises(gough.InputError, match="length") as error:
                gough.forward_kinematics(platform, length, engine=engine)
            told.append(str(error.value))
        assert told[0] == told[1]


def test_without_cupy_the_engine_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(gough.InputError, match="cupy: not installed; needs the extra cuda"):
        gough.forward_kinematics(machine("UPS"), np.ones(6), engine="cuda")


def test_a_card_answers_as_the_cpu() -> None:
    reason = no_card("forward kinematics on one was not compared")
    if reason:
        pytest.skip(reason)
    platform = machine("UPS")
    for proof in (True, False):
        assert not differences(platform, lengths_around(platform, 1000), certify=proof)
