"""UCS, PSU and RSS legs in kinematics: what they share with their siblings, singularities, limits, files, refusals.

The platform joint of each lies on the same sphere as that of UPS, PUS and RUS legs with the same numbers, so lengths,
rates, forward kinematics, certificates, modes and paths are theirs, number by number.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.singularity import singularity
from gough.analysis.state_space import joint_stiffness
from gough.checks import InfeasibleError, InputError
from gough.dynamics.dry_joints import check as check_dry
from gough.kinematics.forward import forward_kinematics, track
from gough.kinematics.jacobian import jacobian, jacobian_dot
from gough.kinematics.regular_paths import path_check
from gough.limits import check
from gough.model import PSU, PUS, RSS, RUS, UCS, UPS, Leg, Platform
from gough.model.files import dumps, loads
from gough.model.json_document import from_document, to_document
from gough.spatial import Pose
from gough.struts import struts
from oracles.compare import answers, spin
from oracles.machines import RODS, Case, case
from oracles.source import friction_power

pytest.importorskip("pinocchio")
from oracles.pinocchio_model import PinocchioEngine

SIBLINGS = {UCS: UPS, PSU: PUS, RSS: RUS}


def sibling(platform: Platform) -> Platform:
    """The same machine with UPS, PUS or RUS legs."""
    legs: list[Leg] = []
    for leg in platform.legs:
        kind = SIBLINGS.get(type(leg))  # type: ignore[call-overload]
        if kind is None:
            legs.append(leg)
            continue
        names = {f.name for f in fields(kind)} & {f.name for f in fields(leg)}
        given: dict[str, Any] = {name: getattr(leg, name) for name in names}
        given["friction"] = leg.friction.replace(cylindrical=0.0)
        if "axis" not in given:
            given["axis"] = _across(platform, leg)
        legs.append(kind(**given))
    return platform.replace(legs=tuple(legs))


def _across(platform: Platform, leg: Leg) -> np.ndarray:
    """Some axis across a leg at home."""
    s = struts(platform, platform.require_home()).direction[platform.legs.index(leg)]
    across = np.cross(s, np.eye(3)[int(np.argmin(np.abs(s)))])
    return across / np.linalg.norm(across)


def constructed(kind: str) -> Platform:
    """A machine of six such legs."""
    if kind == "PSU":
        return gough.hexaglide(0.9, 0.2, 0.3, 1.0, 0.8, link_length=0.7, incline=0.7, leg="PSU")
    if kind == "RSS":
        given = {"crank_length": 0.025, "rod_length": 0.14}
        return gough.servo_hexapod(0.1, 0.075, 0.7, 0.35, **given, leg="RSS")  # type: ignore[arg-type]
    return gough.hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCS")


ALL = ("UCS", "PSU", "RSS")


def nearby(platform: Platform) -> Pose:
    home = platform.require_home()
    size = platform.characteristic_length
    return Pose.from_rpy(home.position + size * np.array([0.05, -0.04, 0.06]), (0.05, -0.03, 0.08))


@pytest.mark.parametrize("kind", RODS)
def test_geometry_and_rates_equal_pinocchio(kind: str) -> None:
    c = case(kind, seed=51, states=2)
    m, theirs = c.motion, answers(PinocchioEngine(c.platform), c)
    g, J, Jd = struts(c.platform, m), jacobian(c.platform, m), jacobian_dot(c.platform, m)
    xd, xdd = (
        np.concatenate(pair, axis=-1)
        for pair in (
            (m.velocity, m.angular_velocity),
            (m.acceleration, m.angular_acceleration),
        )
    )
    for i, a in enumerate(theirs):
        turns = 2 * np.pi * np.round((g.coordinate[i] - a.coordinate) / (2 * np.pi))
        np.testing.assert_allclose(g.coordinate[i] - turns, a.coordinate, atol=1e-13)
        np.testing.assert_allclose(J[i], a.jacobian, atol=1e-13 * np.abs(a.jacobian).max())
        size = np.abs(a.acceleration).max()
        np.testing.assert_allclose(J[i] @ xdd[i] + Jd[i] @ xd[i], a.acceleration, atol=1e-12 * size)


@pytest.mark.parametrize("kind", ALL)
def test_lengths_poses_certificates_and_paths_are_those_of_the_sibling(kind: str) -> None:
    platform = constructed(kind)
    other, pose = sibling(platform), nearby(platform)
    assert other.kinds[0] == {"UCS": "UPS", "PSU": "PUS", "RSS": "RUS"}[kind]
    length = gough.inverse_kinematics(platform, pose, engine="python").length
    np.testing.assert_array_equal(struts(platform, pose).coordinate, struts(other, pose).coordinate)
    np.testing.assert_allclose(length, struts(other, pose).coordinate, atol=1e-14)
    mine, theirs = (forward_kinematics(p, length) for p in (platform, other))
    assert mine.certified or mine.straight
    assert (mine.certified, mine.straight) == (theirs.certified, theirs.straight)
    np.testing.assert_array_equal(mine.pose.position, theirs.pose.position)
    np.testing.assert_allclose(mine.pose.position, pose.position, atol=1e-12)
    start = struts(platform, platform.require_home()).coordinate
    tracks = [track(p, np.linspace(start, length, 5)) for p in (platform, other)]
    assert (tracks[0].certified | tracks[0].straight).all()
    np.testing.assert_array_equal(tracks[0].certified, tracks[1].certified)
    assert path_check(platform, platform.require_home(), pose).regular
    assert singularity(platform, pose).condition == singularity(other, pose).condition


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_all_modes_are_those_of_the_sibling(kind: str) -> None:
    platform = constructed(kind)
    length = struts(platform, nearby(platform)).coordinate
    mine, theirs = (gough.assembly_modes(p, length) for p in (platform, sibling(platform)))
    assert mine.complete
    assert mine.count == theirs.count
    np.testing.assert_array_equal(mine.poses.position, theirs.poses.position)
    np.testing.assert_array_equal(mine.on_branch, theirs.on_branch)


def test_strut_along_the_platform_axis_is_refused_by_name() -> None:
    platform = constructed("PSU")
    home = platform.require_home()
    legs = list(platform.legs)
    legs[2] = legs[2].replace(platform_axis=home.rotation.T @ struts(platform, home).direction[2])
    stuck = platform.replace(legs=tuple(legs))
    for ask in (gough.inverse_kinematics, gough.inverse_dynamics, gough.mass_matrix):
        with pytest.raises(InfeasibleError, match=r"leg L3.*universal joint at the platform"):
            ask(stuck, home, engine="python")
    for ask in (gough.inverse_kinematics, gough.inverse_dynamics, gough.mass_matrix):
        ask(platform, home, engine="python")  # the axis across it is fine


@pytest.mark.parametrize("kind", ["UCS-general", "RSS-general"])
def test_a_leg_along_its_reference_is_refused_where_it_is_read(kind: str) -> None:
    c = case(kind, seed=52, states=1)
    s = struts(c.platform, c.motion[0].pose).direction[1]
    legs = list(c.platform.legs)
    legs[1] = legs[1].replace(reference=s)
    along = c.platform.replace(legs=tuple(legs))
    with pytest.raises(InfeasibleError, match=r"leg L2.*`reference`"):
        gough.inverse_dynamics(along, c.motion, **spin(c, engine="python"))
    gough.inverse_kinematics(along, c.motion, engine="python")  # without a spin none is read


@pytest.mark.parametrize("kind", ["UCS-free", "RSS-free"])
def test_a_round_leg_does_not_read_its_reference(kind: str) -> None:
    c = case(kind, seed=53, states=1)
    g = struts(c.platform, c.motion[0].pose)
    legs = tuple(
        leg.replace(reference=s) for leg, s in zip(c.platform.legs, g.direction, strict=True)
    )
    along = c.platform.replace(legs=legs)
    wanted = gough.inverse_dynamics(c.platform, c.motion, engine="python").force
    found = gough.inverse_dynamics(along, c.motion, engine="python").force
    np.testing.assert_array_equal(found, wanted)


def test_spin_is_asked_for_where_it_matters() -> None:
    for kind in ("UCS-axisymmetric", "RSS-axisymmetric", "RSS-general"):
        c = case(kind, seed=54, states=1)
        with pytest.raises(InputError, match="their spin is part of the state"):
            gough.inverse_dynamics(c.platform, c.motion, engine="python")
    bare = constructed("RSS")
    none = bare.replace(legs=[leg.replace(link=gough.Body(0.1)) for leg in bare.legs])
    given = gough.Spin(np.zeros(6), np.zeros(6))
    with pytest.raises(InputError, match="no inertia about its axis"):
        gough.inverse_dynamics(none, none.require_home(), spin=given, engine="python")
    gough.inverse_dynamics(none, none.require_home(), engine="python")


def test_limits_speak_of_sliders_and_cranks() -> None:
    for kind, word in (("PSU", "slider at"), ("RSS", "crank at"), ("UCS", "length")):
        platform = constructed(kind)
        low = struts(platform, platform.require_home()).coordinate
        legs = [
            leg.replace(limits=gough.Limits(stroke=(x + 0.01, x + 0.02)))
            for leg, x in zip(platform.legs, low, strict=True)
        ]
        (first, *_) = check(platform.replace(legs=legs), platform.require_home()).sentences()
        assert word in first
        assert ("°" in first) == (kind == "RSS")


@pytest.mark.parametrize("kind", RODS)
def test_written_and_read_again(kind: str) -> None:
    platform = case(kind, seed=55, states=1).platform
    assert loads(dumps(platform)) == platform
    assert from_document(to_document(platform))[0] == platform


def test_refusals() -> None:
    platform = constructed("UCS")
    leg = platform.legs[0]
    with pytest.raises(InputError, match="is universal: give first, second"):
        leg.replace(springs=gough.JointSprings(base_ball=1.0))
    assert leg.replace(friction=gough.Friction(cylindrical=1.0)).friction.cylindrical == 1.0
    for kind in ("PSU", "RSS"):
        own = constructed(kind).legs[0]
        with pytest.raises(InputError, match="cylindrical pair"):
            own.replace(friction=gough.Friction(cylindrical=1.0))
        with pytest.raises(InputError, match="carry their motor"):
            own.replace(drive=gough.Drive(1.0, 1.0, rotor_axis=[1, 0, 0]))
        with pytest.raises(InputError, match="is a ball: give base_ball"):
            own.replace(springs=gough.JointSprings(first=1.0))
    for kind, there, name in (
        ("PSU", "universal", "platform_ball"),
        ("RSS", "a ball", "platform_first"),
    ):
        with pytest.raises(InputError, match=f"is {there}: give platform"):
            constructed(kind).legs[0].replace(springs=gough.JointSprings(**{name: 1.0}))
    crank = constructed("RSS").legs[0]
    with pytest.raises(InputError, match="no radius"):
        crank.replace(arm=crank.shaft)  # type: ignore[union-attr]
    dry = leg.replace(friction=gough.Friction(spherical_dry=0.01))
    with pytest.raises(InputError, match="give spin"):
        check_dry(platform.replace(legs=[dry, *platform.legs[1:]]), False)
    for wrong in ("RUS", "UPS"):
        with pytest.raises(InputError, match="PUS"):
            gough.hexaglide(0.9, 0.2, 0.3, 1.0, 0.8, link_length=0.7, incline=0.7, leg=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "formulation", ["newton-euler", "universal", "lagrange", "kane", "multibody"]
)
def test_formulations_refuse(kind: str, formulation: str) -> None:
    platform = constructed(kind)
    with pytest.raises(InputError, match="use formulation 'exact'"):
        gough.inverse_dynamics(platform, platform.require_home(), formulation=formulation)


@pytest.mark.parametrize("kind", ["PSU", "UCS-general", "RSS-general"])
def test_joint_stiffness_is_what_friction_loses_per_rate(kind: str) -> None:
    """Springs and friction of one coefficient each; a free spin is where the loss is least."""
    c, (k_u, k_s) = case(kind, seed=56, states=1), (1.0, 2.0)
    rubbing = c.platform.replace(
        legs=[
            leg.replace(friction=gough.Friction(k_u, 0.0, k_s), drive=None)
            for leg in c.platform.legs
        ]
    )
    legs = gough.inverse_kinematics(c.platform, c.motion, engine="python")
    known = {name: getattr(legs, name) for name in ("rate", "angular_velocity", "direction")}
    x = np.concatenate([c.motion.velocity[0], c.motion.angular_velocity[0]])

    def lost(rate: float) -> np.ndarray:
        """(6,) of the legs with that spin rate."""
        spin = np.full((1, 6), rate)
        W = known["angular_velocity"]
        if kind == "RSS-general":
            W = W + rate * known["direction"]
        state = Case(rubbing, c.motion, c.external, c.spin_angle, spin)
        return friction_power(state, known | {"angular_velocity": W})[0]

    low, middle, high = lost(-1.0), lost(0.0), lost(1.0)  # a parabola of the spin rate
    bend, slope = (low + high) / 2 - middle, (high - low) / 2
    least = middle - np.where(bend > 1e-9, slope**2 / (4 * np.where(bend > 1e-9, bend, 1.0)), 0.0)
    K = joint_stiffness(c.platform, c.motion.pose, k_u, k_s)[0]
    np.testing.assert_allclose(x @ K @ x, least.sum(), rtol=1e-11)
