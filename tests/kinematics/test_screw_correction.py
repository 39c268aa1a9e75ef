"""The travel of screws that turn with the platform: the exact twist for any axes, and where a public formula holds.

The component of a machine tool controller takes an arcsine (campaigns/screw_correction.py).  It is the exact twist
where the two first axes of a leg are antiparallel at home, has the wrong sign where they are parallel, and folds back
at a quarter of a turn.
"""

from __future__ import annotations

import numpy as np
import pytest

import gough
from campaigns.screw_correction import component, shipped, sizes, struts, tilted
from gough.checks import Array
from gough.model import UCU, Platform
from gough.spatial import Pose, rotation_exp, rotation_log
from gough.twist import twist

LEAD = 5e-3
SAME = 1e-15  # m: of travels, a few roundings of a length


def hexapod(turn: float = 0.0, hand: str = "right") -> Platform:
    """The preset with its platform axes turned about the vertical by `turn`, rad: so is its twist at home, about."""
    preset, R = gough.load("screw-hexapod"), rotation_exp(np.array([0.0, 0.0, turn]))
    legs = []
    for leg in preset.legs:
        assert isinstance(leg, UCU)
        assert leg.screw is not None
        own = {"platform_axis": R @ leg.platform_axis, "screw": leg.screw.replace(hand=hand)}
        legs.append(leg.replace(**own))
    return preset.replace(legs=tuple(legs))


def poses(platform: Platform, count: int = 40, seed: int = 3, turn: float = 0.35) -> Pose:
    """Random poses about home: up to 50 mm and 20 degrees a component."""
    rng, home = np.random.default_rng(seed), platform.require_home()
    R = rotation_exp(rng.uniform(-turn, turn, (count, 3))) @ home.rotation
    return Pose(home.position + rng.uniform(-0.05, 0.05, (count, 3)), R)


def corrections(platform: Platform, pose: Pose) -> Array:
    """(..., 6) what the library adds to the change of length since home."""
    home = platform.require_home()
    now, start = (
        gough.inverse_kinematics(platform, p, engine="python").length - struts(platform, p)[0]
        for p in (pose, home)
    )
    return now - start


def of_component(platform: Platform, pose: Pose, lead: float = LEAD) -> Array:
    """(..., 6) what the component adds."""
    home = platform.require_home()
    now, start = (component(platform, p, lead) - struts(platform, p)[0] for p in (pose, home))
    return now - start


def followed(platform: Platform, pose: Pose, steps: int = 400) -> Array:
    """(6,) twist from home to a pose, followed turn by turn of the two parts against each other along a way there."""
    home = platform.require_home()
    way = rotation_log(pose.rotation @ home.rotation.T)
    total, last = np.zeros(6), None
    for x in np.linspace(0.0, 1.0, steps + 1):
        at = Pose(
            home.position + x * (pose.position - home.position),
            rotation_exp(x * way) @ home.rotation,
        )
        _, s, k, kp = struts(platform, at)
        parts = []
        for axis in (k, kp):  # columns s, y, s x y
            y = np.cross(axis, s)
            y = y / np.linalg.norm(y, axis=-1, keepdims=True)
            parts.append(np.stack([s, y, np.cross(s, y)], axis=-1))
        between = np.swapaxes(parts[0], -1, -2) @ parts[1]  # a turn about the first axis
        if last is not None:
            total += rotation_log(np.swapaxes(last, -1, -2) @ between)[:, 0]
        last = between
    return total


@pytest.mark.parametrize("hand", ["right", "left"])
@pytest.mark.parametrize("turn", [0.0, np.pi, 1.0, -2.2, 0.5 * np.pi])
def test_travel_follows_the_twist_for_any_axes(turn: float, hand: str) -> None:
    """A right-hand screw gives ``lead/(2 pi)`` back per radian that the upper part turns about +s, a left one adds."""
    platform = hexapod(turn, hand)
    sign = -1.0 if hand == "right" else 1.0
    some = poses(platform, 4)
    for i in range(4):
        wanted = sign * LEAD / (2 * np.pi) * followed(platform, some[i])
        assert np.abs(corrections(platform, some[i]) - wanted).max() < 1e-12 * LEAD


def test_axes_of_every_leg_for_itself() -> None:
    """Random axes at both ends of every leg, clear of the struts: still the exact twist."""
    rng, platform = np.random.default_rng(9), hexapod()
    home = platform.require_home()
    _, s, _, _ = struts(platform, home)
    legs = []
    for leg, along in zip(platform.legs, s, strict=True):
        axes = []
        while len(axes) < 2:
            k = rng.normal(size=3)
            if abs(k @ along) < 0.6 * np.linalg.norm(k):
                axes.append(k / np.linalg.norm(k))
        legs.append(leg.replace(axis=axes[0], platform_axis=home.rotation.T @ axes[1]))
    machine = platform.replace(legs=tuple(legs))
    for i in range(4):
        pose = poses(machine, 4)[i]
        wanted = -LEAD / (2 * np.pi) * followed(machine, pose)
        assert np.abs(corrections(machine, pose) - wanted).max() < 1e-12 * LEAD


def test_antiparallel_axes_are_the_component_s() -> None:
    platform = hexapod(np.pi)
    mine, theirs = (f(platform, poses(platform)) for f in (corrections, of_component))
    assert np.abs(mine).max() > 1e-4
    assert np.abs(mine - theirs).max() < SAME


def test_parallel_axes_have_the_wrong_sign_there() -> None:
    platform = hexapod()
    mine, theirs = (f(platform, poses(platform)) for f in (corrections, of_component))
    assert np.abs(mine + theirs).max() < SAME
    assert np.abs(mine - theirs).max() == pytest.approx(2 * np.abs(mine).max(), rel=1e-9)
    left = hexapod(0.0, "left")  # and so it is right for the hand that it does not mean
    assert np.abs(corrections(left, poses(left)) - theirs).max() < SAME


@pytest.mark.parametrize(
    ("turn", "met"),
    [
        (1.0, {"wrong"}),
        (0.5 * np.pi, {"right", "wrong", "across"}),
        (-2.2, {"right"}),
        (2.0, {"right", "across"}),
    ],
)
def test_other_axes_fold_back(turn: float, met: set[str]) -> None:
    """Leg by leg: right while the twist is beyond a quarter turn, of the wrong sign within, neither across."""
    platform = hexapod(turn)
    some = poses(platform)
    mine, theirs = corrections(platform, some), of_component(platform, some)
    beyond, before = (
        np.cos(twist(k, kp, s)) < 0.0
        for _, s, k, kp in (struts(platform, p) for p in (some, platform.require_home()))
    )
    right, wrong = beyond & before, ~beyond & ~before
    assert np.abs(mine - theirs)[right].max(initial=0.0) < SAME
    assert np.abs(mine + theirs)[wrong].max(initial=0.0) < SAME
    across = ~right & ~wrong
    assert (np.abs(mine - theirs)[across] > SAME).all()
    cases = {"right": right, "wrong": wrong, "across": across}
    assert {name for name, found in cases.items() if found.any()} == met


def test_the_component_s_own_machine() -> None:
    """Its default axes are within 64 degrees of antiparallel with the platform 20 units below: right near home, with
    the exact twist as far as a quarter turn from antiparallel."""
    machine = shipped(0.01, -20.0, 0.02)
    home = machine.require_home()
    _, s, k, kp = struts(machine, home)
    phi = np.abs(twist(k, kp, s))
    assert np.degrees(phi.min()) == pytest.approx(116.6, abs=0.05)
    assert (phi > 0.5 * np.pi).all()
    some = tilted(home, np.radians(5.0))
    mine, theirs = corrections(machine, some), of_component(machine, some, 0.02)
    assert np.abs(mine - theirs).max() < 10 * SAME


def test_sizes_in_the_docs() -> None:
    """docs/derivations/ucu.md: what ``python -m campaigns.screw_correction`` prints."""
    found = sizes(gough.load("screw-hexapod"), np.radians(5.0))
    assert found.twist == pytest.approx(1.73, abs=0.005)
    assert found.travel == pytest.approx(0.024, abs=5e-4)
    assert found.position == pytest.approx(0.038, abs=5e-4)
    assert found.rotation == pytest.approx(0.008, abs=5e-4)
    found = sizes(shipped(0.01, -20.0, 0.02), np.radians(5.0))
    assert (found.position, found.rotation) == pytest.approx((0.335, 0.103), abs=5e-4)
