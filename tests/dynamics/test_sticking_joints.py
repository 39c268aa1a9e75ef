"""Which joints with dry friction stick: those that turn by less than 1e-12 of the rates around them, axis by axis."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics import dry_joints
from gough.layout import LEG_RECORD
from gough.model import CRANKS, UCS
from gough.struts import struts, universal_axes

SMALL = 1e-12
NAMES = {"UPS": "motion-base-1500", "RUS": "servo-hexapod"}


def turning(
    machine: gough.Platform, W: Array, w: Array, *, speed: float = 0.0, crank: float = 0.0
) -> tuple[dry_joints._Turning, Array, Array]:
    """Of legs along their home directions, all turning with W, on a platform that turns with w; and k, y of the first
    leg's universal joint."""
    home = machine.require_home()
    legs = struts(machine, home)
    record = np.zeros((1, 6, LEG_RECORD.size))
    record[..., LEG_RECORD.direction] = legs.direction
    record[..., LEG_RECORD.coordinate] = legs.coordinate
    record[..., LEG_RECORD.rate] = crank
    record[..., LEG_RECORD.angular_velocity] = W
    motion = gough.Motion(home.position, home.rotation, np.array([0.0, speed, 0.0]), w)
    k = universal_axes(machine, record[..., LEG_RECORD.coordinate])[0, 0]
    y = np.cross(k, legs.direction[0])
    return dry_joints._turning(machine, record, motion), k, y / np.linalg.norm(y)


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("moving", ["nothing else", "the reference point", "cranks"])
def test_a_ball_sticks_below_a_share_of_all_rates_around_it(kind: str, moving: str) -> None:
    """Strut and platform turn alike but for a share: their rates count both, the speed by the machine's size and the
    crank's rate besides."""
    machine = gough.load(NAMES[kind])
    cranks = isinstance(machine.legs[0], CRANKS)
    assert cranks is (kind == "RUS")
    w, more = np.array([0.0, 0.0, 1.0]), {}
    size = 2.0
    if moving == "the reference point":
        more, size = {"speed": 3.0 * machine.characteristic_length}, 5.0
    elif moving == "cranks":
        more, size = {"crank": -4.0}, 6.0 if cranks else 2.0
    for share, sticks in ((0.99, True), (1.01, False)):
        for side in (-1.0, 1.0):
            W = w * (1.0 + side * share * size * SMALL)
            found = turning(machine, W, w, **more)[0]
            assert found.stuck[0, 1::2].all() == found.stuck[0, 1::2].any() == sticks
            due = 0.0 * w if sticks else side * w
            np.testing.assert_allclose(found.direction[0, 1::2], np.tile(due, (6, 1)), atol=1e-3)
            axes = np.eye(3) if sticks else np.zeros((3, 3))
            np.testing.assert_array_equal(found.axes[0, 1::2], np.tile(axes, (6, 1, 1)))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("platform_turns", [0.0, 2.5])
def test_an_axis_of_a_universal_joint_sticks_by_itself(first: bool, platform_turns: float) -> None:
    machine = gough.load(NAMES["UPS"])
    w = np.array([platform_turns, 0.0, 0.0])
    _, k, y = turning(machine, np.zeros(3), w)
    slow, fast = (k, y) if first else (y, k)
    size = 1.0 + platform_turns
    for share, sticks in ((0.99, True), (1.01, False)):
        for side in (-1.0, 1.0):
            found, *_ = turning(machine, fast + side * share * size * SMALL * slow, w)
            assert found.stuck[0, 0] == sticks
            due = fast if sticks else fast + side * slow
            np.testing.assert_allclose(found.direction[0, 0], due, atol=1e-12)
            axes = np.zeros((3, 3))
            axes[0 if first else 1] = slow if sticks else 0.0
            np.testing.assert_allclose(found.axes[0, 0], axes, atol=1e-12)


def test_a_leg_that_spins_counts_the_faster_of_its_parts() -> None:
    """The upper part of a UCS leg without a spin of its own does not turn about the strut, its lower part does."""
    base = gough.load(NAMES["UPS"])
    legs = [
        UCS(base=leg.base, joint=leg.joint, axis=leg.axis)  # type: ignore[union-attr]
        for leg in base.legs
    ]
    machine = base.replace(legs=legs)
    s = struts(machine, machine.require_home()).direction[0]
    still = np.zeros(3)
    across = np.cross(s, [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    for share, sticks in ((0.99, True), (1.01, False)):
        # the ball of leg 0 turns by this share of 7 rad/s, at which the lower part spins about s
        found, *_ = turning(machine, 7.0 * s + share * 7.0 * SMALL * across, still)
        assert found.stuck[0, 1] == sticks
