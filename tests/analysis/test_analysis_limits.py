"""Limits and workspace: margins, sentences and areas against closed forms, and planted errors."""

from __future__ import annotations

import dataclasses
from math import pi

import numpy as np
import pytest

import gough
from gough import limits
from gough.analysis import workspace
from gough.analysis.volume import grid_volume
from gough.spatial import Motion, Pose, rotation_exp, rotation_from_rpy
from gough.struts import segment_distance, struts


def hexagon(radius: float, half_angle: float, turn: float = 0.0) -> np.ndarray:
    centers = np.deg2rad([0, 0, 120, 120, 240, 240]) + turn
    angles = centers + half_angle * np.array([-1, 1, -1, 1, -1, 1])
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)], axis=1)


BASE = hexagon(0.5, 0.2)
TOP = np.roll(hexagon(0.3, 0.2, pi / 3), 1, axis=0)
UP = np.array([0.0, 0.0, 0.15])
HOME = Pose(np.array([0.0, 0.0, 0.7]))


def ups(
    limit: gough.Limits | dict[int, gough.Limits] | None = None, home: Pose | None = HOME
) -> gough.Platform:
    given = limit if isinstance(limit, dict) else dict.fromkeys(range(6), limit or gough.Limits())
    legs = [
        gough.UPS(base=b, joint=p, axis=(1, 0, 0), limits=given.get(i, gough.Limits()))
        for i, (b, p) in enumerate(zip(BASE, TOP, strict=True))
    ]
    return gough.Platform(gough.Body(5.0, (0, 0, 0.05), (0.1, 0.1, 0.2)), legs, home=home)


def pus(limit: gough.Limits | None = None) -> gough.Platform:
    legs = [
        gough.PUS(
            base=b,
            rail=(0, 0, 1),
            joint=p,
            axis=(1, 0, 0),
            length=0.6,
            limits=limit or gough.Limits(),
        )
        for b, p in zip(BASE, TOP, strict=True)
    ]
    return gough.Platform(gough.Body(5.0), legs, home=HOME)


def rus(elbow: int = 1, limit: gough.Limits | None = None) -> gough.Platform:
    legs = [
        gough.RUS(
            base=b,
            shaft=np.cross(b, (0, 0, 1)),
            arm=b / 2 + (0, 0, 0.03),
            joint=p,
            axis=(0, 0, 1),
            length=0.75,
            elbow=elbow,
            limits=limit or gough.Limits(),
        )
        for b, p in zip(BASE, TOP, strict=True)
    ]
    return gough.Platform(gough.Body(5.0), legs, home=HOME)


def some_poses(n: int = 40, seed: int = 3) -> Pose:
    rng = np.random.default_rng(seed)
    return Pose(
        HOME.position + 0.05 * rng.normal(size=(n, 3)), rotation_exp(0.1 * rng.normal(size=(n, 3)))
    )


@pytest.mark.parametrize(
    "machine", [ups(), pus(), rus(1), rus(-1)], ids=["UPS", "PUS", "RUS+", "RUS-"]
)
def test_struts_close_the_loop(machine: gough.Platform) -> None:
    poses = some_poses()
    g = struts(machine, poses)
    assert g.reachable.all()
    end = poses.position[:, None] + np.einsum(
        "nij,lj->nli", poses.rotation, machine.platform_joints
    )
    assert np.abs(g.end - end).max() < 1e-14
    length = np.linalg.norm(g.end - g.start, axis=-1)
    for i, leg in enumerate(machine.legs):
        if isinstance(leg, gough.UPS):
            assert np.abs(length[:, i] - g.coordinate[:, i]).max() < 1e-14
            continue
        assert isinstance(leg, (gough.PUS, gough.RUS))
        assert np.abs(length[:, i] - leg.length).max() < 1e-13
        if isinstance(leg, gough.PUS):
            assert (
                np.abs(g.start[:, i] - leg.base - g.coordinate[:, i, None] * leg.rail).max() < 1e-14
            )
        else:
            turned = np.einsum(
                "nij,j->ni", rotation_exp(g.coordinate[:, i, None] * leg.shaft), leg.arm
            )
            assert np.abs(g.start[:, i] - leg.base - turned).max() < 1e-13
            assert (np.sign(g.lever[:, i]) == -leg.elbow).all()


@pytest.mark.parametrize(
    "machine", [ups(), pus(), rus(1), rus(-1)], ids=["UPS", "PUS", "RUS+", "RUS-"]
)
def test_rates_are_the_derivative_of_the_coordinate(machine: gough.Platform) -> None:
    poses, h = some_poses(10), 1e-6
    rng = np.random.default_rng(1)
    v, w = rng.normal(size=(10, 3)), rng.normal(size=(10, 3))
    motion = Motion(poses.position, poses.rotation, v, w)
    ahead = Pose(poses.position + h * v, rotation_exp(h * w) @ poses.rotation)
    behind = Pose(poses.position - h * v, rotation_exp(-h * w) @ poses.rotation)
    difference = (struts(machine, ahead).coordinate - struts(machine, behind).coordinate) / (2 * h)
    rate = struts(machine, motion).rate(motion.velocity, motion.angular_velocity)
    assert np.abs(rate - difference).max() < 1e-8


@pytest.mark.parametrize(
    "name", ["motion-base-1500", "syed-6sps", "hexaglide", "lopes-6pus", "servo-hexapod"]
)
def test_struts_agree_with_the_verbs(name: str) -> None:
    """Two independent codes, every leg type: this geometry and `gough.inverse_kinematics`."""
    machine = gough.load(name)
    assert machine.home is not None
    rng = np.random.default_rng(6)
    size = 0.05 * machine.characteristic_length
    motion = Motion(
        machine.home.position + size * rng.normal(size=(20, 3)),
        rotation_exp(0.05 * rng.normal(size=(20, 3))) @ machine.home.rotation,
        rng.normal(size=(20, 3)),
        rng.normal(size=(20, 3)),
    )
    g, legs = struts(machine, motion), gough.inverse_kinematics(machine, motion)
    assert g.coordinate == pytest.approx(legs.length, abs=1e-12)
    assert np.abs(g.direction - legs.direction).max() < 1e-12
    assert g.rate(motion.velocity, motion.angular_velocity) == pytest.approx(
        legs.rate, rel=1e-9, abs=1e-9
    )


def test_unreachable_is_said_not_raised() -> None:
    far = Pose(np.array([[0.0, 0.0, 0.7], [3.0, 0.0, 0.7]]))
    result = limits.check(pus(), far)
    assert result.ok.tolist() == [True, False]
    assert "cannot reach" in result.sentences()[0]
    assert np.isnan(struts(pus(), far).coordinate[1]).all()


def test_stroke_margin_and_sentence() -> None:
    l = struts(ups(), HOME).coordinate
    machine = ups(gough.Limits(stroke=(l[0] - 0.1, l[0] + 0.1)))
    assert limits.check(machine, HOME).margin["stroke"] == pytest.approx(0.5, abs=1e-12)
    up = limits.check(machine, Pose(HOME.position + UP))
    assert not up.ok
    first = up.violations()[0]
    excess = struts(machine, Pose(HOME.position + UP)).coordinate[0] - l[0] - 0.1
    assert (
        f"beyond its maximum {1e3 * (l[0] + 0.1):.2f} mm by {1e3 * excess:.2f} mm" in first.sentence
    )
    down = limits.check(machine, Pose(HOME.position - UP))
    assert "below its minimum" in down.sentences()[0]
    assert len(down.sentences()) == 6


def test_cones_measure_the_angle_from_home() -> None:
    machine = ups(gough.Limits(base_cone=0.1, platform_cone=0.2))
    assert np.abs(limits.check(machine, HOME).value["base cone"]).max() < 1e-9
    turned = Pose(HOME.position, rotation_from_rpy((0.3, 0.0, 0.0)))
    result = limits.check(machine, turned)
    s0, s1 = struts(machine, HOME).direction, struts(machine, turned).direction
    assert result.value["base cone"] == pytest.approx(np.arccos((s0 * s1).sum(-1)), abs=1e-9)
    local = s1 @ turned.rotation
    assert result.value["platform cone"] == pytest.approx(np.arccos((s0 * local).sum(-1)), abs=1e-9)
    assert any("platform joint" in s for s in result.sentences())
    homeless = limits.check(ups(gough.Limits(base_cone=0.1), home=None), turned)
    assert homeless.ok
    assert len(homeless.unchecked) == 6


def test_given_cone_axis_in_platform_axes_turns_with_the_platform() -> None:
    axis = (0.0, 0.0, -1.0)
    machine = ups(gough.Limits(platform_cone=1.5, platform_axis=axis))
    R = rotation_from_rpy((0.2, -0.1, 0.3))
    pose = Pose(HOME.position, R)
    s = struts(machine, pose).direction
    assert limits.check(machine, pose).value["platform cone"] == pytest.approx(
        np.arccos(-(s @ (R @ np.array(axis)))), abs=1e-12
    )


def test_speed_and_force_limits() -> None:
    machine = ups(gough.Limits(speed=0.2, force=50.0))
    motion = Motion(HOME.position, HOME.rotation, velocity=(0.0, 0.0, 0.5))
    sentences = limits.check(machine, motion, force=[10, -60, 0, 0, 0, 0]).sentences()
    assert sum("rate" in s for s in sentences) == 6
    assert sum("effort 60 N exceeds 50" in s for s in sentences) == 1
    assert limits.check(machine, Motion.at_rest(HOME)).ok
    with pytest.raises(gough.InputError, match="force"):
        limits.check(machine, motion, force=[1, 2, 3])


def test_segment_distance_against_dense_sampling() -> None:
    rng = np.random.default_rng(5)
    a0, a1, b0, b1 = rng.normal(size=(4, 200, 3))
    b1[:20] = b0[:20] + 0.7 * (a1[:20] - a0[:20])  # parallel
    x = np.linspace(0, 1, 401)
    a = a0[:, None] + x[:, None] * (a1 - a0)[:, None]
    b = b0[:, None] + x[:, None] * (b1 - b0)[:, None]
    pairs = zip(a, b, strict=True)
    sampled = np.array([np.sqrt(((p[:, None] - q[None]) ** 2).sum(-1).min()) for p, q in pairs])
    exact = segment_distance(a0, a1, b0, b1)
    assert (exact <= sampled + 1e-12).all()
    assert np.abs(exact - sampled).max() < 5e-3


def test_legs_that_collide_are_named_once() -> None:
    thick = ups(gough.Limits(radius=0.12))
    sentences = [s for s in limits.check(thick, HOME).sentences() if "collide" in s]
    assert sentences
    assert len(set(sentences)) == len(sentences)
    assert limits.check(ups(gough.Limits(radius=0.01)), HOME).ok


def test_slice_of_one_leg_is_a_ring() -> None:
    """With one limited leg the slice is an annulus about its base joint: area pi (hi^2 - lo^2)."""
    low, high = 0.72, 0.80
    machine = ups({0: gough.Limits(stroke=(low, high))})
    center = (BASE[0] - TOP[0])[:2]
    s = workspace.workspace_slice(machine, level=0.7, center=center, width=1.0, points=401)
    assert s.area == pytest.approx(pi * (high**2 - low**2), rel=2e-4)
    assert s.inside.sum() * (1.0 / 400) ** 2 == pytest.approx(s.area, rel=1e-2)
    assert set(np.unique(s.reason)) == {0, 1 + limits.KINDS.index("stroke")}


@pytest.mark.parametrize("plane", ["xy", "xz", "yz"])
def test_slice_agrees_with_pose_by_pose_checks(plane: str) -> None:
    l = struts(ups(), HOME).coordinate[0]
    machine = ups(gough.Limits(stroke=(l - 0.08, l + 0.08), base_cone=0.25, platform_cone=0.3))
    R = rotation_from_rpy((0.05, 0, 0.1))
    s = workspace.workspace_slice(machine, R, plane=plane, points=15, width=0.4)
    i, j, k = workspace.PLANES[plane]
    for row, col in np.ndindex(15, 15):
        x = np.zeros(3)
        x[i], x[j], x[k] = s.u[col], s.v[row], s.level
        one = limits.check(machine, Pose(x, s.rotation))
        assert bool(one.ok) == bool(s.inside[row, col])
        assert float(one.worst) == pytest.approx(float(s.margin[row, col]), abs=1e-12)
    assert 0 < s.inside.sum() < 225


def test_slice_without_limits_says_so_and_covers_everything() -> None:
    s = workspace.workspace_slice(ups(), points=11, width=0.5)
    assert not s.limited
    assert s.area == pytest.approx(0.25, rel=1e-12)


def test_volume_of_a_sphere() -> None:
    low, high = 1e-6, 0.2
    base = TOP + np.array([0.0, 0.0, 0.7])  # all legs share one center in translation space
    ball = gough.Limits(stroke=(low, high))
    legs = [
        gough.UPS(base=b, joint=p, axis=(1, 0, 0), limits=ball if i == 0 else gough.Limits())
        for i, (b, p) in enumerate(zip(base, TOP, strict=True))
    ]
    with pytest.warns(gough.ModelWarning, match="singular"):
        machine = gough.Platform(gough.Body(1.0), legs, home=HOME)
    center = base[0] - TOP[0]
    found = grid_volume(machine, np.eye(3), box=[center - 0.22, center + 0.22], points=120)
    assert found.value == pytest.approx(4 / 3 * pi * 0.2**3, rel=5e-3)


BAD_REQUESTS = [
    ("plane", {"plane": "xq"}),
    ("points", {"points": 1}),
    ("points", {"points": 10**6}),
    ("level", {"level": float("nan")}),
    ("width", {"width": -1.0}),
]


@pytest.mark.parametrize(("field", "kwargs"), BAD_REQUESTS)
def test_bad_slice_requests_name_their_field(field: str, kwargs: dict) -> None:
    with pytest.raises(gough.InputError, match=field):
        workspace.workspace_slice(ups(), **kwargs)


def test_planted_error_in_a_cone_axis_is_seen() -> None:
    """A cone axis pointing the wrong way must refuse the home pose: the check does look at the sign."""
    s = struts(ups(), HOME).direction[0]
    right = ups({0: gough.Limits(base_cone=0.3, base_axis=s)})
    wrong = ups({0: gough.Limits(base_cone=0.3, base_axis=-s)})
    assert limits.check(right, HOME).ok
    assert not limits.check(wrong, HOME).ok


def test_crank_limits_speak_in_degrees() -> None:
    result = limits.check(
        rus(1, gough.Limits(stroke=(-0.01, 0.01))), Pose(HOME.position + 0.1 * UP)
    )
    assert "crank at" in result.sentences()[0]
    assert "°" in result.sentences()[0]


def test_check_does_not_change_its_input() -> None:
    machine = ups(gough.Limits(stroke=(0.5, 1.0)))
    before = dataclasses.asdict(machine.legs[0].limits)
    limits.check(machine, some_poses())
    assert (
        dataclasses.asdict(machine.legs[0].limits)["stroke"].tolist() == before["stroke"].tolist()
    )
