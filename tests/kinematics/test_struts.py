"""One strut geometry: every compiled copy of it says the same, at the reach boundary too; reasons in words."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import reasons
from gough.analysis.points import kernels
from gough.kinematics.forward import flat_pose
from gough.kinematics.forward_kernel import coordinates, on_branch, reduce_legs
from gough.spatial import Motion, Pose, rotation_exp
from gough.struts import (
    PAIRS,
    anchors,
    drive_bends,
    drive_vectors,
    leg_table,
    pair_distances,
    segment_distance,
    shared_joints,
    struts,
    struts_at,
    universal_axes,
)
from oracles.machines import KINDS, case

MACHINES = [(kind, seed) for kind in KINDS for seed in range(3)]


def around(platform: gough.Platform, n: int, size: float, seed: int = 0) -> Pose:
    """Poses about home, so far away that some legs cannot reach them."""
    rng = np.random.default_rng(seed)
    home = platform.require_home()
    return Pose(
        home.position + rng.uniform(-size, size, (n, 3)),
        rotation_exp(rng.uniform(-size, size, (n, 3))),
    )


@pytest.mark.parametrize(("kind", "seed"), MACHINES)
def test_the_forward_kernel_has_the_same_legs(kind: str, seed: int) -> None:
    platform = case(kind, seed=seed).platform
    table, lam = leg_table(platform), np.empty(6)
    c, l = np.empty((6, 3)), np.empty(6)
    poses = around(platform, 300, 0.6)
    g = struts(platform, poses)
    for k in range(300):
        row = flat_pose(poses[k])
        assert coordinates(table, row, lam) == g.reachable[k].all()
        if g.reachable[k].all():
            np.testing.assert_allclose(lam, g.coordinate[k], rtol=0, atol=1e-11)
            assert reduce_legs(table, lam, c, l)
            np.testing.assert_allclose(c, g.start[k], atol=1e-11)
            assert on_branch(table, row, lam, c)  # the same branch
    if any(name in ("PUS", "RUS") for name in platform.kinds):
        assert not g.reachable.all()


@pytest.mark.parametrize("kind", ["PUS", "RUS", "mixed"])
def test_both_find_the_same_boundary_of_reach(kind: str) -> None:
    """Along a straight way out, bisection with either one ends at the same place, to 1e-12 of the way."""
    platform = case(kind, seed=1).platform
    home, table, lam = platform.require_home(), leg_table(platform), np.empty(6)
    rng = np.random.default_rng(4)

    def last(reached: object) -> float:
        low, high = 0.0, 4.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if reached(middle) else (low, middle)  # type: ignore[operator]
        return low

    for _ in range(10):
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)

        def pose(u: float, way: np.ndarray = way) -> Pose:
            return Pose.trusted(home.position + u * way, home.rotation)

        ours = last(lambda u, pose=pose: bool(struts(platform, pose(u)).reachable.all()))
        theirs = last(lambda u, pose=pose: coordinates(table, flat_pose(pose(u)), lam))
        assert 0.0 < ours < 4.0
        assert ours == pytest.approx(theirs, rel=1e-12)
        said = reasons.pose_problem(platform, pose(ours * (1 + 1e-9)).position, home.rotation)
        assert said is not None
        assert "out of reach" in said


@pytest.mark.parametrize(("kind", "seed"), MACHINES)
def test_the_exact_equations_have_the_same_legs(kind: str, seed: int) -> None:
    c = case(kind, seed=seed, states=8)
    legs = gough.inverse_kinematics(c.platform, c.motion)
    g = struts(c.platform, c.motion)
    turn = np.where(np.array(c.platform.kinds) == "RUS", 2 * np.pi, np.inf)
    apart = g.coordinate - legs.length
    with np.errstate(invalid="ignore"):
        apart -= np.nan_to_num(turn * np.round(apart / turn), nan=0.0)
    np.testing.assert_allclose(apart, 0.0, atol=1e-12)
    np.testing.assert_allclose(g.direction, legs.direction, atol=1e-12)
    rate = g.rate(c.motion.velocity, c.motion.angular_velocity)
    np.testing.assert_allclose(rate, legs.rate, rtol=1e-10, atol=1e-10)
    twist = np.concatenate([c.motion.velocity, c.motion.angular_velocity], axis=-1)
    np.testing.assert_allclose(
        np.einsum("nij,nj->ni", gough.jacobian(c.platform, c.motion), twist),
        legs.rate,
        rtol=1e-10,
        atol=1e-10,
    )


@pytest.mark.parametrize(("kind", "seed"), MACHINES)
def test_transmission_and_drive_vectors(kind: str, seed: int) -> None:
    """eta = s.w, w = dc/dlam by differences, d2c/dlam2 too; given coordinates give the same struts."""
    c = case(kind, seed=seed)
    g = struts(c.platform, c.motion)
    w = drive_vectors(c.platform, g.coordinate, g.direction)
    np.testing.assert_allclose((g.direction * w).sum(-1), g.eta, atol=1e-13)
    same = struts_at(c.platform, c.motion, g.coordinate)
    np.testing.assert_allclose(same.direction, g.direction, atol=1e-12)
    np.testing.assert_allclose(same.eta, g.eta, atol=1e-12)
    h = 1e-5
    ahead, behind = (anchors(c.platform, g.coordinate + d)[0] for d in (h, -h))
    moving = np.isin(c.platform.kinds, ["PUS", "RUS"])
    np.testing.assert_allclose(((ahead - behind) / (2 * h))[:, moving], w[:, moving], atol=1e-9)
    bend = (ahead - 2 * g.start + behind) / h**2
    np.testing.assert_allclose(bend, drive_bends(c.platform, g.coordinate), atol=1e-4)
    for i, leg in enumerate(c.platform.legs):
        if isinstance(leg, gough.RUS):
            turned = rotation_exp(g.coordinate[:, i, None] * leg.shaft) @ leg.axis
            np.testing.assert_allclose(
                universal_axes(c.platform, g.coordinate)[:, i], turned, atol=1e-14
            )


def test_segment_distances_against_the_compiled_copy_and_a_search() -> None:
    rng = np.random.default_rng(7)
    base, q = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    base[1] = base[0]  # a common joint
    q[3] = q[2] + base[3] - base[2]  # q - base equal: parallel struts
    u = np.linspace(0, 1, 401)
    for t in rng.normal(size=(20, 3)):
        d = segment_distance(base[PAIRS[0]], t + q[PAIRS[0]], base[PAIRS[1]], t + q[PAIRS[1]])
        for n, (i, j) in enumerate(PAIRS.T.tolist()):
            assert kernels().segments(base, i, j, q, *t) ** 0.5 == pytest.approx(d[n], abs=1e-12)
            a, b = (base[k] + u[:, None] * (t + q[k] - base[k]) for k in (i, j))
            found = np.linalg.norm(a[:, None] - b[None], axis=-1).min()
            assert d[n] <= found + 1e-12
            assert d[n] >= found - 0.02


def test_shared_joints_are_those_of_the_machine() -> None:
    """Two legs at one platform joint, or two struts at one base joint; sliders only start from a common point."""
    octahedron = gough.octahedral(0.5, 0.3, 0.6)
    assert shared_joints(octahedron).sum() == 6
    g = struts(octahedron, octahedron.require_home())
    assert pair_distances(g)[shared_joints(octahedron)] == pytest.approx(0.0, abs=1e-12)
    slider = {"rail": (0, 0, 1), "axis": (1, 0, 0), "length": 1.0}
    legs = [gough.PUS(base=(0.5, 0, 0), joint=(0.1, 0.1 * i, 0), **slider) for i in range(6)]
    assert not shared_joints(gough.Platform(gough.Body(1.0), legs)).any()


def leg_machine(leg: object, position: tuple[float, float, float]) -> str | None:
    rest = [
        gough.UPS(
            base=(np.cos(a), np.sin(a), 0.0),
            joint=(0.3 * np.sin(a), 0.2 * np.cos(a), 0),
            axis=(0.6, 0, 0.8),
        )
        for a in range(1, 6)
    ]
    platform = gough.Platform(gough.Body(1.0), [leg, *rest])  # type: ignore[list-item]
    return reasons.pose_problem(platform, np.array(position), np.eye(3))


CRANK = {
    "base": (0, 0, 0),
    "shaft": (0, 1, 0),
    "arm": (1, 0, 0),
    "joint": (0, 0, 0),
    "axis": (0.1, 0.2, 1),
}
RAIL = {"base": (0, 0, 0), "rail": (0, 0, 1), "joint": (0, 0, 0), "axis": (0, 1, 0), "length": 1.0}


@pytest.mark.parametrize(
    ("leg", "position", "said"),
    [
        (gough.UPS(base=(0, 0, 1), joint=(0, 0, 0), axis=(1, 0, 0)), (0, 0, 1), "coincide"),
        (
            gough.UPS(base=(0, 0, 0), joint=(0, 0, 0), axis=(0, 0, 1)),
            (0, 0, 1),
            "universal-joint singularity",
        ),
        (gough.UPS(base=(0, 0, 0), joint=(0, 0, 0), axis=(1, 0, 0)), (0, 0, 1), None),
        (gough.SPS(base=(0, 0, 0), joint=(0, 0, 0)), (1, 0, 0), None),
        (gough.PUS(**RAIL), (2, 0, 0), "2 m from the rail, the link is 1 m"),
        (gough.PUS(**RAIL), (1, 0, 0), "rail singularity"),
        (gough.PUS(**RAIL), (0.0, 0.5, 1), None),
        (gough.PUS(**{**RAIL, "axis": (0, 0, 1)}), (0, 0, 1), "universal-joint singularity"),
        (gough.RUS(length=1.0, **CRANK), (0, 3, 0), "on the shaft axis"),
        (gough.RUS(length=1.0, **CRANK), (3, 0, 0), "too short"),
        (gough.RUS(length=5.0, **CRANK), (1.1, 0, 0), "too long"),
        (gough.RUS(length=1.0, **CRANK), (2, 0, 0), "dead point"),
        (gough.RUS(length=1.0, **CRANK), (1, 0.3, 0), None),
        (gough.UPS(base=(0, 0, 0), joint=(0, 0, 0), axis=(1, 0, 0)), (np.nan, 0, 1), "finite"),
    ],
)
def test_every_reason_has_its_sentence(
    leg: object, position: tuple[float, float, float], said: str | None
) -> None:
    found = leg_machine(leg, position)
    assert (
        found is None if said is None else said in str(found) and str(found).startswith("leg L1: ")
    )


def test_a_batch_has_the_numbers_of_its_poses() -> None:
    c = case("mixed", seed=2, states=6)
    many = struts(c.platform, c.motion)
    for k in range(6):
        one = struts(c.platform, c.motion[k])
        np.testing.assert_allclose(one.wrench_matrix, many.wrench_matrix[k], atol=1e-15)
        assert one.coordinate == pytest.approx(many.coordinate[k], abs=1e-15)
    again = struts(c.platform, Motion.at_rest(c.motion.pose))
    assert np.array_equal(again.coordinate, many.coordinate)
