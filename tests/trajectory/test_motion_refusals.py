"""Seas, shakings, jerk-limited moves and telemetry that cannot be, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.cueing import Telemetry, cue, load_telemetry, telemetry
from gough.trajectory import jerk_limited, shaking
from gough.trajectory.jerk_limited import constant_jerk, legs_move
from gough.trajectory.sea import Responses, jonswap, load_responses, sea_state
from gough.trajectory.shaking import load_shaking

MACHINE = gough.load("motion-base-1500")
LEVEL = np.tile([0.0, 0.0, 9.81], (3, 1))
SIX = np.ones((2, 6))
START = ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
ABOVE = ((0.0, 0.0, 2.0), (0.0, 0.0, 0.0))

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Telemetry(np.zeros(1), LEVEL[:1], LEVEL[:1]), "two times or more"),
    (lambda: Telemetry(np.array([0.1, 0.2, 0.3]), LEVEL, LEVEL), "even grid"),
    (lambda: Telemetry(np.array([0.0, 0.1, 0.3]), LEVEL, LEVEL), "even grid"),
    (lambda: Telemetry(np.array([0.0, 0.1, 0.2]), LEVEL[:2], LEVEL), "specific_force"),
    (lambda: Telemetry(np.array([0.0, 0.1, 0.2]), LEVEL, LEVEL[:2]), "angular_rate"),
    (lambda: telemetry([0.0, 0.1, 0.2], LEVEL[0]), r"\(n, 3\)"),
    (lambda: telemetry([0.0, 0.1, 0.2], LEVEL, LEVEL[:2]), "angular_rate"),
    (
        lambda: telemetry([0.0, 1e-9, 1.0, 1.0 + 1e-9, 1.0 + 2e-9], np.zeros((5, 3))),
        "must not exceed",
    ),
    (lambda: load_telemetry("nowhere.csv"), "must be a CSV file"),
    (
        lambda: cue(MACHINE, telemetry([0.0, 0.1, 0.2], LEVEL), home=gough.Pose(np.zeros((2, 3)))),
        "single",
    ),
    (lambda: cue(MACHINE, LEVEL), "Telemetry"),  # type: ignore[arg-type]
    (lambda: cue(MACHINE, telemetry([0.0, 0.1, 0.2], LEVEL), "telepathy"), "must be one of"),
    (lambda: Responses(np.array([1.0, 0.5]), SIX, SIX), "increasing positive"),
    (lambda: Responses(np.array([0.5, 1.0]), SIX[:, :5], SIX), "amplitude"),
    (lambda: Responses(np.array([0.5, 1.0]), -SIX, SIX), "turn its phase"),
    (lambda: load_responses("nowhere.csv"), "CSV file of response amplitudes"),
    (lambda: jonswap([0.0, 1.0], 2.0, 8.0), "must be positive"),
    (lambda: sea_state(START, 2.0, 8.0, components=0), "from 1 to 5000"),
    (lambda: sea_state(START, 2.0, 8.0, seed=-1), "not negative"),
    (lambda: shaking(START, [0.0, 1.0], [1.0, 2.0, 3.0]), r"\(n, 3\)"),
    (lambda: load_shaking(START, "nowhere.at2"), "CSV or AT2"),
    (
        lambda: jerk_limited(START, ABOVE, 1.0, 1.0, 1.0, orientation="screw"),
        "rpy or geodesic",
    ),
    (
        lambda: constant_jerk(0.01, 1.0, 1.0, 1.0, start_speed=0.0, end_speed=0.9),
        "must be at least",
    ),
    (lambda: legs_move(np.ones(6), np.ones(6), 1.0, 1.0, 1.0), "no way to go"),
    (lambda: legs_move(np.ones(6), 2 * np.ones(6), 0.0, 1.0, 1.0), "must be positive"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    ask, words = REFUSED[number]
    with pytest.raises(gough.InputError, match=words):
        ask()


@pytest.mark.parametrize(
    ("read", "text", "missing"),
    [
        (
            load_responses,
            "surge,sway,heave,roll,pitch,yaw\n1,1,1,1,1,1\n2,1,1,1,1,1\n",
            "frequency",
        ),
        (load_responses, "frequency,roll,pitch,yaw\n1,1,1,1\n2,1,1,1\n", "surge"),
        (load_responses, "frequency,surge,sway,heave\n1,1,1,1\n2,1,1,1\n", "roll"),
        (load_telemetry, "fx,fy,fz\n1,1,1\n2,2,2\n", "time"),
        (load_telemetry, "time,fx,fy,fz,ax,ay,az\n0,1,1,1,1,1,1\n1,1,1,1,1,1,1\n", "either"),
        (load_telemetry, "time,fx,fy,fz\n1,1,1,1\n0,1,1,1\n", "increase"),
        (lambda file: load_shaking(START, file), "ax,ay,az\n1,1,1\n2,2,2\n", "time"),
        (lambda file: load_shaking(START, file), "time\n0\n1\n", "ax, ay, az"),
    ],
)
def test_a_column_that_is_not_there_is_named(
    tmp_path: Path, read: Callable[[Path], Any], text: str, missing: str
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(text)
    with pytest.raises(gough.InputError, match=missing):
        read(file)


def test_a_component_of_a_record_needs_its_axis(tmp_path: Path) -> None:
    file = tmp_path / "record.at2"
    file.write_text("a\nb\nc\nNPTS=  4, DT= .01 SEC\n0.0 0.1 0.0 -0.1\n")
    along = load_shaking(START, file, coordinate="y")
    assert not along.acceleration[:, [0, 2]].any()
    assert along.acceleration[:, 1].any()
    with pytest.raises(gough.InputError, match="x, y or z"):
        load_shaking(START, file, coordinate="up")


def test_legs_that_carry_the_platform_nowhere() -> None:
    """Out of reach on the way, and no machine to carry."""
    length = gough.inverse_kinematics(MACHINE, MACHINE.require_home()).length
    away = length + np.array([5.0, 0, 0, 0, 0, 0])
    move = legs_move(length, away, 1.0, 1.0, 1.0)
    with pytest.raises(gough.InputError, match="Platform"):
        move.on("machine")  # type: ignore[arg-type]
    with pytest.raises(gough.InfeasibleError, match="leg motion at t ="):
        move.on(MACHINE)(move.duration)
