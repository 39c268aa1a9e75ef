"""References that are told from step to step: cranks and screws go on beyond half a turn, as a run laid out before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import Decentralized
from gough.model import Platform
from gough.simulation.closed_laws import REFERENCE
from gough.simulation.followed import Followed
from gough.simulation.reference import LEGS
from gough.spatial import Motion, rotation_exp
from gough.twist import leads
from support import winding
from support.carousel import HEIGHT, carousel

COUNT = 60


def turned(angle: Array, rate: float) -> Motion:
    """About the shaft of `carousel`, evenly."""
    zero = np.zeros((len(angle), 3))
    w = np.broadcast_to([0.0, 0.0, rate], zero.shape)
    place = np.broadcast_to([0.0, 0.0, HEIGHT], zero.shape)
    R = rotation_exp(np.stack([0 * angle, 0 * angle, angle], axis=1))
    return Motion(place, R, zero, w, zero, zero, time=(angle - angle[0]) / rate)


def follower(machine: Platform, step: float) -> Followed:
    """Of a loop that takes such steps, s."""
    table = SimpleNamespace(rows=np.zeros((1, REFERENCE.size, 1)))
    loop: Any = SimpleNamespace(model=machine, law="decentralized", table=table, step=step)
    return Followed(loop)


def told(machine: Platform, motion: Motion) -> dict[str, Array]:
    """Of every row of the legs (K, 6), the motion told instant by instant."""
    followed, out = follower(machine, float(motion.time[1])), []
    for k in range(motion.shape[0]):
        followed.take(motion[k])
        out.append(followed.loop.table.rows[0, :, 0].copy())
    return {row: np.array(out)[:, getattr(REFERENCE, row)] for row in LEGS}


def laid_out(machine: Platform, motion: Motion) -> dict[str, Array]:
    found = gough.inverse_kinematics(machine, motion, continuous=True)
    return {row: getattr(found, name) for row, name in LEGS.items()}


def compare(found: dict[str, Array], wanted: dict[str, Array]) -> None:
    for row in LEGS:
        scale = 1.0 + np.abs(wanted[row]).max()
        np.testing.assert_allclose(found[row], wanted[row], rtol=0, atol=1e-11 * scale, err_msg=row)


@pytest.mark.parametrize("rate", [0.5, -1.0, 4.0, 12.0, -100.0])  # rad/s
def test_cranks_turn_on_and_on(rate: float) -> None:
    """Two turns, fast or slow: what a rate does to an angle between two references is a matter of one step."""
    machine, angle = carousel(), np.sign(rate) * np.linspace(0.0, 4 * np.pi, COUNT)
    motion = turned(angle, rate)
    found = told(machine, motion)
    compare(found, laid_out(machine, motion))
    assert np.abs(found["leg_length"][-1] - found["leg_length"][0] - angle[-1]).max() < 1e-9


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_screws_are_wound_up_and_on(way: float) -> None:
    """A precession: every leg ends whole leads from what its pose alone says, and some by more than none."""
    machine, time = winding.winding(), np.linspace(0.0, 1.0, COUNT)
    total = way * 3 * np.pi
    motion = winding.precession(
        machine, total * time, np.full(COUNT, total), np.zeros(COUNT), time=time
    )
    found = told(machine, motion)
    compare(found, laid_out(machine, motion))
    alone = gough.inverse_kinematics(machine, motion[-1]).length
    turns = (found["leg_length"][-1] - alone) / leads(machine)
    np.testing.assert_allclose(turns, np.round(turns), rtol=0, atol=1e-9)
    assert (np.round(turns) != 0.0).any()


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide"])
def test_legs_that_never_turn_are_those_of_the_pose(name: str) -> None:
    machine = gough.load(name)
    home, s = machine.require_home(), np.linspace(0.0, 1.0, 5)[:, None]
    way = np.array([0.01, -0.02, 0.015])
    zero = np.zeros((5, 3))
    motion = Motion(
        home.position + s * way,
        rotation_exp(s * way) @ home.rotation,
        zero + way,
        zero + way,
        zero + 0.1 * way,
        zero - 0.2 * way,
        time=s[:, 0],
    )
    compare(told(machine, motion), laid_out(machine, motion))


def test_poses_at_rest_go_on_from_one_to_the_next() -> None:
    """Told without rates, by less than a quarter of a turn at a time."""
    machine, angle = carousel(), np.linspace(0.0, 9.0, 10)
    followed = follower(machine, 1e-3)
    for R in turned(angle, 1.0).rotation:
        followed.take(gough.Pose([0.0, 0.0, HEIGHT], R))
    rows = followed.loop.table.rows[0, :, 0]
    first = gough.inverse_kinematics(machine, machine.require_home()).length
    np.testing.assert_allclose(rows[REFERENCE.leg_length], first + 9.0, rtol=0, atol=1e-12)
    assert (rows[REFERENCE.leg_rate] == 0.0).all()


def test_a_simulator_is_told_a_fast_motion() -> None:
    """A turn and a half at up to 94 rad/s, of which the legs' references lose no turn."""
    machine, count = carousel(), 200
    s = np.arange(count + 1) / count
    angle = 3 * np.pi * (s - np.sin(2 * np.pi * s) / (2 * np.pi))
    rate = 3 * np.pi / 0.2 * (1 - np.cos(2 * np.pi * s))
    law = Decentralized.from_bandwidth(machine, bandwidth=60.0)
    simulator = gough.Simulator(machine, controller=law, step=1e-3, drives=False)
    wanted = []
    for k in range(count):
        R, w = rotation_exp(np.array([0.0, 0.0, angle[k]])), [0.0, 0.0, rate[k]]
        simulator.step(Motion([0.0, 0.0, HEIGHT], R, np.zeros(3), w))
        assert simulator._followed is not None
        wanted.append(simulator._followed.loop.table.at(0).length[0].copy())
    first = gough.inverse_kinematics(machine, machine.require_home()).length
    np.testing.assert_allclose(np.array(wanted), first + angle[:-1, None], rtol=0, atol=1e-9)
    assert str(simulator.status) == "ok"


def test_the_same_object_costs_nothing_and_what_was_in_force_comes_back() -> None:
    machine = carousel()
    followed = follower(machine, 1.0)
    motion = turned(np.array([0.0, 1.5, 3.0, 4.5]), 1.5)
    each: list[Any] = [motion[k] for k in range(4)]
    for one in each[:3]:
        followed.take(one)
    rows = followed.loop.table.rows
    kept, there = followed.saved(), rows.copy()
    rows[:] = 7.0
    followed.take(each[2])
    assert (rows == 7.0).all(), "the very object of the step before is not looked at"
    followed.restore(kept)
    np.testing.assert_array_equal(rows, there)
    followed.take(each[3])
    after = rows.copy()
    followed.restore(kept)
    followed.take(each[3])
    np.testing.assert_array_equal(rows, after)
    assert rows[0, REFERENCE.leg_length, 0].min() > np.pi
