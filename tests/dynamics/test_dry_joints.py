"""Dry friction of the joints that grows with their loads: the fixed point, its proof of being alone, sticking."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough import InfeasibleError, InputError
from gough.checks import Array
from gough.dynamics import dry_joints
from gough.engines.evaluate import evaluation
from gough.equations import offset_ucu, offset_ups
from gough.layout import LEG_RECORD
from oracles.dry import BASE, TOP, agree, dry_case, solved
from oracles.machines import Case
from oracles.offset_machines import KINDS as OFFSETS
from oracles.planted import Error, planted

KINDS = ("UPS", "UPS-rotor", "SPS-general", "SPS-axial-rotor", "PUS", "RUS", "mixed")
KINDS += ("UCU", "UCU-screw", "UCU-upper", "UCU-mixed", *OFFSETS)
RODS = ("PSU", "UCS-general", "RSS-general")  # more of them in test_dry_rods.py


@pytest.mark.parametrize("kind", KINDS)
def test_efforts_and_loads_are_those_of_an_outside_engine(kind: str) -> None:
    given = dry_case(kind, 3)
    agree(given, solved(given))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("R @ leg.platform_axis", "np.tile(leg.platform_axis, (n, 1))"),
        ("balls.pop(TOP)", "(balls.pop(TOP), W[:, i])[1]"),
        ("hinged[TOP] = (R @ leg.platform_axis, balls.pop(TOP))", "pass"),
    ],
    ids=["axis stays in space", "platform stands still", "a ball at the platform"],
)
def test_a_wrong_platform_joint_is_seen(old: str, new: str) -> None:
    error = Error("planted", dry_joints._turning, old, new, ("UCU",))
    given = dry_case("UCU", 3)
    right = solved(given).force
    with planted(error):
        wrong = solved(given).force
    assert np.abs(wrong - right).max() > 1e-6 * np.abs(right).max()


@pytest.mark.parametrize(
    "error",
    [
        Error(
            "nothing rubs",
            offset_ups.offset_ups,
            "at.rubbed(T, grip, drag)",
            "(grip, drag)",
            ("UPS-offset",),
        ),
        Error(
            "nothing rubs",
            offset_ucu.offset_ucu,
            "at.rubbed(d.T, grip, drag, u.T)",
            "(grip, drag)",
            ("UCU-offset",),
        ),
        Error(
            "platform joint's moment in the lower part's axes",
            offset_ucu.offset_ucu,
            "at.rubbed(d.T, grip, drag, u.T)",
            "at.rubbed(d.T, grip, drag)",
            ("UCU-screw-offset",),
        ),
    ],
    ids=lambda e: f"{e.kinds[0]}: {e.name}",
)
def test_a_wrong_offset_joint_is_seen(error: Error) -> None:
    given = dry_case(error.kinds[0], 3)
    right = solved(given).force
    with planted(error):
        wrong = solved(given).force
    assert np.abs(wrong - right).max() > 1e-6 * np.abs(right).max()


@pytest.mark.parametrize("kind", ["UPS", "RUS"])
def test_what_is_lost_in_the_joints_is_paid_by_the_actuators(kind: str) -> None:
    """Power of the efforts rises by ``sum mu r N |rate|`` of every axis and ball."""
    given = dry_case(kind, 5)
    found, m = solved(given), given.platform
    plain = gough.inverse_dynamics(m, given.motion, given.external, engine="python")
    legs = gough.inverse_kinematics(m, given.motion)
    assert found.dry is not None
    turning = dry_joints._turning(
        m, _record(given, found.dry.load), given.motion
    ).direction.reshape(-1, 6, 2, 3)
    relative = legs.angular_velocity - given.motion.angular_velocity[:, None]
    carried = np.zeros_like(relative)
    for i, leg in enumerate(m.legs):
        if kind == "RUS":
            carried[:, i] = leg.shaft * legs.rate[:, i, None]  # type: ignore[union-attr]
    lost = BASE * found.dry.load[..., 0] * (
        turning[:, :, 0] * (legs.angular_velocity - carried)
    ).sum(-1) + TOP * found.dry.load[..., 1] * (turning[:, :, 1] * relative).sum(-1)
    assert (lost > 0).all()
    more = ((found.force - plain.force) * legs.rate).sum(axis=-1)
    assert more == pytest.approx(lost.sum(axis=-1), rel=1e-9)


def _record(given: Case, loads: Array) -> Array:
    exact = evaluation(
        "forces", given.platform, given.motion, None, "python", external=given.external
    )
    return exact.run("record").reshape(-1, 6, LEG_RECORD.size)


@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "PUS", "UCU-screw", *RODS])
def test_at_rest_every_admissible_moment_stays_within_the_band(kind: str) -> None:
    """Joints that do not turn: random moments up to mu r N, their own fixed point; efforts leave the band never."""
    given = dry_case(kind, 2)
    m, pose = given.platform, given.motion.pose[0]
    rest = Case(m, gough.Motion.at_rest(pose), given.external[0], given.spin_angle[0], np.zeros(6))
    found = solved(rest)
    assert found.dry is not None
    assert found.dry.stuck.all()
    assert (found.dry.band > 0).all()
    spins = None if not rest.needs_spin else gough.Spin(rest.spin_angle, rest.spin_rate)
    exact = evaluation("forces", m, rest.motion, spins, "python", external=rest.external)
    rng, reached = np.random.default_rng(0), np.zeros(6)
    base = dry_joints._responses(exact)
    turning = dry_joints._turning(m, base.record, rest.motion)
    for _ in range(200):
        shares = rng.uniform(-1, 1, (12, 3))
        shares /= np.maximum(np.linalg.norm(shares, axis=-1, keepdims=True), 1.0)
        push = np.einsum("kad,ka->kd", turning.axes[0], shares) * dry_joints.radii(m)[:, None]
        per_load = np.einsum("ickd,kd->ick", base.force_per_moment[0], push)
        N = np.linalg.norm(base.force[0], axis=-1)
        for _ in range(200):
            N = np.linalg.norm(base.force[0] + per_load @ N, axis=-1)
        effort = base.record[0, :, LEG_RECORD.effort]
        away = np.abs(
            effort + np.einsum("ekd,kd,k->e", base.effort_per_moment[0], push, N) - found.force
        )
        assert (away <= found.dry.band * (1 + 1e-9)).all()
        reached = np.maximum(reached, away / found.dry.band)
    assert reached.max() > 0.1  # a band, not a wide net


def test_one_joint_may_stick_while_others_turn() -> None:
    """Pure turning about the axis of one leg's universal joint second axis leaves its first one at rest."""
    given = dry_case("UPS", 4)
    leg = given.platform.legs[2]
    pose = given.motion.pose[0]
    s = gough.inverse_kinematics(given.platform, pose).direction[2]
    y = np.cross(leg.axis, s)  # type: ignore[union-attr]
    arm = pose.rotation @ leg.joint
    w = np.array([0.3, -0.2, 0.5])
    motion = gough.Motion(
        pose.position,
        pose.rotation,
        np.cross(y, pose.position + arm - leg.base) - np.cross(w, arm),
        w,
    )
    found = gough.inverse_dynamics(given.platform, motion, dry=True, engine="python")
    assert found.dry is not None
    assert found.dry.stuck[2, 0]
    assert found.dry.stuck.sum() == 1
    assert (found.dry.band > 0).any()


def test_one_axis_of_the_platform_joint_may_stick_while_the_leg_turns() -> None:
    """The platform turns as the upper part does, but for a share about the joint's second axis: k_p does not turn."""
    given = dry_case("UCU", 4)
    leg, pose = given.platform.legs[3], given.motion.pose[0]
    s = gough.inverse_kinematics(given.platform, pose).direction[3]
    k = pose.rotation @ leg.platform_axis  # type: ignore[union-attr]
    y = np.cross(k, s) / np.linalg.norm(np.cross(k, s))
    w = np.array([0.3, -0.2, 0.5])
    arm, L = pose.rotation @ leg.joint, gough.inverse_kinematics(given.platform, pose).length[3]
    tip = 0.1 * s + np.cross(w + 0.7 * y, L * s)  # W_u = w + 0.7 y + any share of s
    motion = gough.Motion(pose.position, pose.rotation, tip - np.cross(w, arm), w)
    found = gough.inverse_dynamics(given.platform, motion, dry=True, engine="python")
    assert found.dry is not None
    assert found.dry.stuck[3, 1]
    assert found.dry.stuck.sum() == 1
    assert (found.dry.band > 0).any()


@pytest.mark.parametrize("kind", ["UPS", "UCU", "UCU-screw", *RODS])
def test_joints_that_may_jam_are_refused(kind: str) -> None:
    given = dry_case(kind, 3, base=0.2, top=0.3)
    with pytest.raises(InfeasibleError, match=r"q = .*may jam"):
        solved(given)


def test_a_contraction_near_one_still_finds_the_one_answer() -> None:
    """Radii just below the edge: the loads satisfy their equation."""
    low, high = 0.0, 0.5
    for _ in range(14):
        mu = 0.5 * (low + high)
        try:
            found = solved(dry_case("UPS", 3, base=mu, top=mu))
        except InfeasibleError:
            high = mu
            continue
        low = mu
        assert found.dry is not None
        assert found.dry.contraction.max() < 1.0
    assert found.dry.contraction.max() > 0.9
    forces = (found.reactions.universal_force, found.reactions.spherical_force)
    loads = np.stack([np.linalg.norm(force, axis=-1) for force in forces], axis=-1)
    assert loads == pytest.approx(found.dry.load, rel=1e-12)


def test_what_it_does_not_serve_is_refused() -> None:
    given = dry_case("UPS", 1)
    m, motion = given.platform, given.motion
    for options in (
        {"formulation": "kane"},
        {"base": gough.BaseMotion.yaw_stage(0.1)},
        {"engine": "cuda"},
    ):
        with pytest.raises(InputError, match="dry"):
            gough.inverse_dynamics(m, motion, dry=True, **options)  # type: ignore[arg-type]
    free = dry_case("SPS-free", 1)
    with pytest.raises(InputError, match="give spin"):
        gough.inverse_dynamics(free.platform, free.motion, dry=True, engine="python")


def test_without_dry_joints_nothing_changes() -> None:
    given = dry_case("UPS", 6, base=0.0, top=0.0)
    plain = gough.inverse_dynamics(given.platform, given.motion, given.external, engine="python")
    found = solved(given)
    assert np.abs(found.force - plain.force).max() < 1e-12 * np.abs(plain.force).max()
    assert found.dry is not None
    assert not found.dry.contraction.any()


def test_the_file_carries_them(tmp_path: object) -> None:
    text = gough.load("dasgupta-1998-physical")
    legs = [
        leg.replace(friction=gough.Friction(universal_dry=1e-3, spherical_dry=2e-3))
        for leg in text.legs
    ]
    machine = text.replace(legs=legs)
    path = f"{tmp_path}/dry.toml"
    gough.save(machine, path)
    back = gough.load(path)
    assert [leg.friction.universal_dry for leg in back.legs] == [1e-3] * 6
    assert [leg.friction.spherical_dry for leg in back.legs] == [2e-3] * 6


def test_a_leg_that_carries_hardly_anything_is_no_obstacle() -> None:
    """Light legs, five of them loaded thousands of times as much as the sixth: the loads settle all the same."""
    given = dry_case("UPS", 1)
    rubbing = gough.Friction(universal_dry=BASE, spherical_dry=TOP)
    light = [
        leg.replace(lower=gough.Body(1e-3), upper=gough.Body(1e-3), friction=rubbing, drive=None)
        for leg in given.platform.legs
    ]
    platform = given.platform.replace(legs=light)
    pose = gough.Pose(given.motion.position[0], given.motion.rotation[0])
    moving = gough.Motion(pose.position, pose.rotation, [0.1, -0.2, 0.05], [0.3, 0.1, -0.2])

    def force(wrench: Array) -> Array:
        return gough.inverse_dynamics(platform, moving, wrench, engine="python").force

    own = force(np.zeros(6))
    slope = np.stack([force(unit) - own for unit in np.eye(6)], axis=1)
    wanted = np.array([1e-3, 1e4, -1e4, 2e4, 1e4, -3e4])
    wrench = np.linalg.solve(slope, wanted - own)
    found = gough.inverse_dynamics(platform, moving, wrench, dry=True, engine="python").dry
    assert found is not None
    assert found.load.max() > 500.0 * found.load.min() > 0.0
    force_free = gough.inverse_dynamics(platform, moving, wrench, engine="python").force
    assert np.abs(force_free - wanted).max() < 1e-6
