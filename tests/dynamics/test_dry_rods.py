"""Dry friction in the joints of UCS, PSU and RSS legs: balls on sliders and cranks, hinges at the platform, spins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough import InputError
from gough.dynamics import dry_joints
from gough.equations import pus, rss, ucs
from gough.struts import struts
from oracles.dry import BASE, TOP, agree, closed, dry_case, solved, witness
from oracles.machines import RODS, Case
from oracles.planted import Error, planted

ONE_OF_EACH = ("PSU", "UCS-general", "RSS-general")


@pytest.mark.parametrize("kind", RODS)
def test_efforts_and_loads_are_those_of_an_outside_engine(kind: str) -> None:
    given = dry_case(kind, 3)
    agree(given, solved(given))


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_joints_with_springs_rub_too(kind: str) -> None:
    given = dry_case(kind, 4, springs=True)
    agree(given, solved(given))


def spun(kind: str, seed: int) -> Case:
    """Round parts that nothing rubs but dry joints, spinning nevertheless."""
    given, rng = dry_case(kind, seed), np.random.default_rng(seed)
    return replace(given, spin_rate=rng.uniform(-15, 15, given.spin_rate.shape))


@pytest.mark.parametrize("kind", ["UCS-free", "UCS-still", "RSS-free"])
def test_round_legs_spin_when_they_are_told_to(kind: str) -> None:
    given = spun(kind, 5)
    found = solved(given)
    assert found.dry is not None
    for i in range(2):
        theirs = witness(given, found.dry.load[i], i)
        assert np.abs(found.force[i] - theirs.force).max() < 1e-11 * np.abs(theirs.force).max()
        spins = theirs.spin_acceleration
        assert np.abs(found.spin_acceleration[i] - spins).max() < 1e-11 * np.abs(spins).max()
        still = replace(given, spin_rate=np.zeros((2, 6)))
    assert np.abs(solved(still).force - found.force).max() > 1e-6 * np.abs(found.force).max()


def test_a_universal_joint_below_a_free_spin_needs_no_spin() -> None:
    """Round upper parts whose balls do not rub: the efforts are the outside engine's without a word of the spin."""
    given = dry_case("UCS-free", 6, top=0.0)
    found = gough.inverse_dynamics(
        given.platform, given.motion, given.external, dry=True, engine="python"
    )
    assert found.dry is not None
    for i in range(2):
        theirs = witness(given, found.dry.load[i], i)
        assert np.abs(found.force[i] - theirs.force).max() < 1e-11 * np.abs(theirs.force).max()


@pytest.mark.parametrize(
    ("kind", "base", "top"),
    [("UCS-free", BASE, TOP), ("UCS-still", 0.0, TOP), ("RSS-free", BASE, 0.0)],
)
def test_a_ball_that_feels_the_spin_asks_for_it(kind: str, base: float, top: float) -> None:
    given = dry_case(kind, 1, base, top)
    with pytest.raises(InputError, match="give spin"):
        gough.inverse_dynamics(given.platform, given.motion, dry=True, engine="python")


TURNING = dry_joints._turning
PLANTED = [
    Error("the crank stands still", TURNING, "isinstance(leg, CRANKS)", "False", ("RSS-general",)),
    Error("a ball at the platform", TURNING, "(UCU, PSU)", "(UCU,)", ("PSU",)),
    Error("the lower part's ball", TURNING, "above[:, i] - w", "W[:, i] - w", ("UCS-general",)),
    Error(
        "no spin in the ball",
        dry_joints._at_platform,
        "0.0 if spins is None else",
        "0.0 if True else",
        ("UCS-general", "UCS-axisymmetric"),
    ),
    Error(
        "the link's joints", pus.link_state, "at.rubbed(T, grip, drag)", "(grip, drag)", ("PSU",)
    ),
    Error("the tip's ball", rss._round, "grip + at.rub.base", "grip", ("RSS-axisymmetric",)),
    Error(
        "the rod's balls",
        rss.rss_spin,
        "at.rubbed(T, grip, drag)",
        "(grip, drag)",
        ("RSS-general",),
    ),
    Error(
        "the base joint",
        ucs.ucs_state,
        "hold + T.local(at.rub.base)",
        "hold",
        ("UCS-free", "UCS-general"),
    ),
    Error(
        "lower part's axes",
        ucs._upper,
        "Tu.local(at.rub.platform)",
        "T.local(at.rub.platform)",
        ("UCS-general",),
    ),
]


@pytest.mark.parametrize("error", PLANTED, ids=lambda e: f"{e.kinds[0]}: {e.name}")
def test_a_planted_error_is_seen(error: Error) -> None:
    """The outside engine, with the loads that come out, does not agree."""
    for kind in error.kinds:
        given = dry_case(kind, 3)
        with planted(error):
            found = solved(given)
        assert found.dry is not None
        theirs = witness(given, found.dry.load[0], 0)
        apart = np.abs(found.force[0] - theirs.force).max()
        assert apart > 1e-6 * np.abs(theirs.force).max()


@pytest.mark.parametrize("kind", [*ONE_OF_EACH, "rods-mixed"])
def test_what_is_lost_in_the_joints_is_paid_by_the_actuators_or_the_spins(kind: str) -> None:
    """Power of the efforts rises by ``sum mu r N |rate|``, and by what the changed spins store: ``dT/dw_s da_t``."""
    given = dry_case(kind, 7)
    found, m = solved(given), given.platform
    spin = {"spin": gough.Spin(given.spin_angle, given.spin_rate), "engine": "python"}
    plain = gough.inverse_dynamics(m, given.motion, given.external, **spin)
    assert found.dry is not None
    rubs = np.stack([closed(given, i).joint_rates() for i in range(2)])
    lost = (BASE, TOP) * found.dry.load * rubs
    assert (lost > 0).all()
    stored = np.zeros(2)
    for i in range(6):
        each = []
        for step in (0.5, -0.5):  # T is quadratic in the spin rates: the difference is exact
            changed = given.spin_rate + step * np.eye(6)[i]
            told = gough.Spin(given.spin_angle, changed)
            each.append(gough.energy(m, given.motion, spin=told, engine="python").kinetic)
        stored += (each[0] - each[1]) * (found.spin_acceleration - plain.spin_acceleration)[:, i]
    more = (
        (found.force - plain.force)
        * gough.inverse_kinematics(m, given.motion, engine="python").rate
    ).sum(axis=-1)
    assert more == pytest.approx(lost.sum(axis=(-2, -1)) + stored, rel=1e-9)
    if kind != "PSU":
        assert np.abs(stored).min() > 1e-3 * np.abs(lost).sum()


def stuck_in(machine: gough.Platform, motion: gough.Motion, rates: list[float]) -> list[int]:
    """The joints at rest (of twelve, each leg's base side first) in a motion, spins of the legs being `rates`."""
    spin = gough.Spin(np.full(6, 0.2), np.array(rates))
    found = gough.inverse_dynamics(machine, motion, spin=spin, dry=True, engine="python")
    assert found.dry is not None
    assert ((found.dry.band > 0).any()) == found.dry.stuck.any()
    return np.flatnonzero(found.dry.stuck.ravel()).tolist()


def carried(pose: gough.Pose, leg: gough.Leg, tip: np.ndarray, w: np.ndarray) -> gough.Motion:
    """The motion with these velocities of a leg's platform joint and of the platform."""
    return gough.Motion(
        pose.position, pose.rotation, tip - np.cross(w, pose.rotation @ leg.joint), w
    )


def test_a_ball_on_a_slider_sticks_where_its_link_does_not_turn() -> None:
    """The joint moves along the rail, and the platform turns about the axes of the universal joint in it only."""
    given = dry_case("PSU", 4)
    m, pose = given.platform, given.motion.pose[0]
    leg, s = m.legs[3], gough.inverse_kinematics(m, pose, engine="python").direction[3]
    k = pose.rotation @ leg.platform_axis  # type: ignore[union-attr]
    w = 0.4 * k + 0.7 * np.cross(k, s)
    along = 0.2 * leg.rail  # type: ignore[union-attr]
    assert stuck_in(m, carried(pose, leg, along, w), [0.0] * 6) == [6]
    assert stuck_in(m, carried(pose, leg, along, 0.4 * k), [0.0] * 6) == [6, 7]  # nor about y
    assert stuck_in(m, carried(pose, leg, along, w + 0.1 * s), [0.0] * 6) == []


def test_a_ball_on_a_crank_sticks_where_the_rod_goes_round_with_it() -> None:
    given = dry_case("RSS-general", 4)
    m, pose = given.platform, given.motion.pose[0]
    leg, w = m.legs[2], np.array([0.3, -0.2, 0.5])
    s = gough.inverse_kinematics(m, pose, engine="python").direction[2]
    turning = 0.8 * leg.shaft  # type: ignore[union-attr]
    tip = np.cross(turning, pose.position + pose.rotation @ leg.joint - leg.base)
    rates = [3.0, -2.0, float(turning @ s), 1.0, 2.0, -1.0]
    motion = carried(pose, leg, tip, w)
    assert stuck_in(m, motion, rates) == [4]
    assert stuck_in(m, motion, [3.0, -2.0, 0.0, 1.0, 2.0, -1.0]) == []  # it spins in the ball


def test_the_ball_of_a_cylinder_sticks_where_its_upper_part_turns_as_the_platform() -> None:
    given = dry_case("UCS-general", 4)
    m, pose = given.platform, given.motion.pose[0]
    leg, w = m.legs[5], np.array([0.3, -0.2, 0.5])
    legs = gough.inverse_kinematics(m, pose, engine="python")
    s, L = legs.direction[5], legs.length[5]
    motion = carried(pose, leg, 0.1 * s + np.cross(w, L * s), w)
    rates = [3.0, -2.0, 4.0, 1.0, 2.0, float(w @ s)]
    assert stuck_in(m, motion, rates) == [11]
    below = float(
        gough.inverse_kinematics(m, motion, engine="python").angular_velocity[5] @ s
    )  # the lower part's
    assert stuck_in(m, motion, [*rates[:5], below]) == []


@pytest.mark.parametrize("leg", range(6))
def test_a_rod_that_goes_with_its_crank_does_not_turn_against_it(leg: int) -> None:
    """A platform joint carried around the shaft: whatever rounding leaves of the joint's turning is no turning."""
    for seed in range(4):
        given = dry_case("RUS", seed)
        platform, pose = (
            given.platform,
            gough.Pose(given.motion.position[0], given.motion.rotation[0]),
        )
        crank = platform.legs[leg]
        assert isinstance(crank, gough.RUS)
        arm = pose.position + pose.rotation @ crank.joint - crank.base
        velocity = 1.7 * np.cross(crank.shaft, arm)
        motion = gough.Motion(pose.position, pose.rotation, velocity, np.zeros(3))
        found = gough.inverse_dynamics(platform, motion, dry=True, engine="python").dry
        assert found is not None
        assert found.stuck[leg, 0]
        others = np.delete(np.arange(6), leg)
        assert not found.stuck[others, 0].any()
        beside = gough.Motion(
            pose.position, pose.rotation, velocity + 1e-6 * crank.shaft, np.zeros(3)
        )
        turned = gough.inverse_dynamics(platform, beside, dry=True, engine="python").dry
        assert turned is not None
        assert not turned.stuck[leg, 0]


@pytest.mark.parametrize("kind", ["UPS", "UCU", "SPS-general", "UCS-general"])
def test_a_leg_that_only_grows_turns_in_no_joint(kind: str) -> None:
    """A platform that moves along a strut: the joints of that leg stand, whatever rounding leaves of their rates."""
    for seed in range(4):
        given = dry_case(kind, seed)
        platform, pose = (
            given.platform,
            gough.Pose(given.motion.position[0], given.motion.rotation[0]),
        )
        along = struts(platform, pose).direction
        spins = {"spin": gough.Spin(np.zeros(6), np.zeros(6))} if "S-" in kind else {}
        for leg in range(6):
            motion = gough.Motion(pose.position, pose.rotation, 0.8 * along[leg], np.zeros(3))
            found = gough.inverse_dynamics(platform, motion, dry=True, engine="python", **spins).dry
            assert found is not None
            assert found.stuck[leg].all(), (seed, leg)
            assert not found.stuck[np.delete(np.arange(6), leg), 0].any()
