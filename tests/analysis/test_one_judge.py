"""One judge of limits: check, simulation events, assembly filters and the compiled workspace never disagree."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.analysis.points import points_inside
from gough.kinematics.assembly.filters import admitted
from gough.limits import check, cone_axes
from gough.simulation import Events
from gough.simulation.events import EVENT, MARGIN, judged
from gough.simulation.state import Rows
from gough.spatial import Motion, Pose, rotation_exp
from gough.struts import segment_distance, struts
from oracles.machines import KINDS, case


def random_limits(platform: gough.Platform, rng: np.random.Generator) -> gough.Platform:
    """Limits that about half of the poses around home break; about half of the cones name no axis, some a wide one."""
    at_home = struts(platform, platform.require_home()).coordinate
    legs = []
    for i, leg in enumerate(platform.legs):
        given = rng.uniform(size=8) < 0.5
        wide = rng.choice(
            [0.2, 0.5, 1.5, 3.5, 4.5]
        )  # beyond pi: no limit at all, and no wrapped cosine
        axis = np.array([0, 0, 1.0]) + 0.3 * rng.normal(size=3)
        limits = gough.Limits(
            stroke=(at_home[i] - 0.3, at_home[i] + 0.3) if given[0] else None,
            speed=2.0 if given[1] else None,
            base_cone=wide if given[2] else None,
            base_axis=axis if given[3] else None,
            platform_cone=0.5 if given[4] else None,
            platform_axis=-axis if given[5] else None,
            radius=0.15 if given[6] else None,
        )
        legs.append(leg.replace(limits=limits))
    return platform.replace(legs=tuple(legs), home=platform.home if rng.uniform() < 0.8 else None)


def moving(home: Pose, n: int, rng: np.random.Generator) -> Motion:
    return Motion(
        home.position + rng.uniform(-0.3, 0.3, (n, 3)),
        rotation_exp(rng.uniform(-0.4, 0.4, (n, 3))),
        rng.uniform(-2, 2, (n, 3)),
        rng.uniform(-2, 2, (n, 3)),
    )


def passed(platform: gough.Platform, motion: Motion) -> dict[str, np.ndarray]:
    """What a simulation calls passed, (n, 6) by the event's name, where the state is a number."""
    rows, none = Rows(platform, False), np.zeros((len(motion.position), 6))
    X = rows.start(motion, gough.Spin(none, none) if rows.spins else None)
    margin, value = judged(rows, X, Events())
    known = np.isfinite(value[:, MARGIN.low])
    out: dict[str, np.ndarray] = {}
    for name in ("low", "speed", "base", "platform"):
        event = EVENT.get(name, name)
        flags = (margin[:, getattr(MARGIN, name)] < 0.0) & known
        out[event] = out.get(event, False) | flags
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_all_who_judge_agree(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    bare = case(kind, seed=seed).platform
    platform = random_limits(bare, rng)
    motion = moving(bare.require_home(), 80, rng)
    result = check(platform, motion)
    g = result.geometry
    refused = {name: np.nan_to_num(result.margin[name], nan=1.0) < 0.0 for name in result.margin}
    flags, can = passed(platform, motion), g.reachable
    assert np.array_equal(flags["stroke"] & can, refused["stroke"])
    assert np.array_equal(flags["speed"] & can, refused["speed"])
    assert np.array_equal(flags["cone"] & can, refused["base cone"] | refused["platform cone"])
    for k in np.nonzero(can.all(axis=-1))[0]:
        pose = Pose.trusted(motion.position[k : k + 1], motion.rotation[k : k + 1])
        lam = g.coordinate[k]
        assert admitted("stroke", platform, pose, lam)[0] == (not refused["stroke"][k].any())
        assert admitted("cones", platform, pose, lam)[0] == (not flags["cone"][k].any())
        if refused["distance"][k].any():
            assert not admitted("crossings", platform, pose, lam)[0]
    one = motion.rotation[0]
    still = check(platform, Pose(motion.position, one))
    assert np.array_equal(still.ok, points_inside(platform, motion.position, one))
    if set(platform.kinds) <= {"UPS", "SPS"}:
        assert np.array_equal(
            still.ok, points_inside(platform, motion.position, one, route="vectorized")
        )


def test_the_random_limits_are_worth_the_test() -> None:
    """Some cases of the test above are inside, some outside, and each kind of limit refuses some."""
    seen = dict.fromkeys(("reach", "stroke", "base cone", "platform cone", "distance", "speed"), 0)
    inside = 0
    for kind in KINDS:
        for seed in range(4):
            rng = np.random.default_rng([seed, KINDS.index(kind)])
            bare = case(kind, seed=seed).platform
            result = check(random_limits(bare, rng), moving(bare.require_home(), 80, rng))
            inside += int(result.ok.sum())
            for name in seen:
                seen[name] += int((np.nan_to_num(result.margin[name], nan=1.0) < 0.0).any())
    assert inside > 20
    assert min(seen.values()) >= 2, seen


def crank_in_a_narrow_cone() -> tuple[gough.Platform, Pose]:
    """A RUS machine with base cones that name no axis, and a pose that leaves them."""
    machine = gough.load("servo-hexapod")
    home = machine.require_home()
    limits = gough.Limits(base_cone=0.02)
    machine = machine.replace(legs=tuple(leg.replace(limits=limits) for leg in machine.legs))
    size = machine.characteristic_length
    return machine, Pose(home.position + size * np.array([0.2, 0.0, 0.0]), home.rotation)


def test_a_cone_without_axis_is_one_cone_for_all() -> None:
    """The planted disagreement: check and filter refused this pose, `simulate` recorded nothing."""
    machine, pose = crank_in_a_narrow_cone()
    result = check(machine, pose)
    assert not result.ok
    assert any("base joint" in said for said in result.sentences())
    lam = result.geometry.coordinate
    assert not admitted("cones", machine, Pose(pose.position[None], pose.rotation[None]), lam)[0]
    run = gough.simulate(machine, pose, duration=0.002)
    assert {
        e["leg"]
        for e in json.loads(run.attrs["events"])
        if e["name"] == "cone" and e["time"] == 0.0
    } == {machine.leg_names[v.leg] for v in result.violations() if v.kind == "base cone"}


def test_a_left_out_axis_is_the_strut_at_home_in_its_own_axes() -> None:
    for kind in ("UPS", "PUS", "RUS", "mixed"):
        machine = case(kind, seed=5).platform
        home = machine.require_home()
        base, top = cone_axes(machine)
        s = gough.inverse_kinematics(machine, home).direction
        np.testing.assert_allclose(base, s, atol=1e-12)
        np.testing.assert_allclose(home.rotation @ top[..., None], -s[..., None], atol=1e-12)
    nowhere = machine.replace(
        home=None,
        legs=tuple(leg.replace(limits=gough.Limits(base_cone=0.3)) for leg in machine.legs),
    )
    assert np.isnan(cone_axes(nowhere)).all()
    assert len(check(nowhere, home).unchecked) == 6


def test_what_is_not_a_number_is_never_inside() -> None:
    machine = gough.load("motion-base-1500")
    limits = gough.Limits(speed=1.0, force=1.0, stroke=(0.1, 9.0))
    machine = machine.replace(legs=tuple(leg.replace(limits=limits) for leg in machine.legs))
    home = machine.require_home()
    nan = np.full(6, np.nan)
    assert check(machine, home, rate=np.zeros(6), force=np.zeros(6)).ok
    for given in ({"rate": nan}, {"force": nan}, {"force": nan, "rate": nan}):
        result = check(machine, home, **given)
        assert not result.ok
        assert "not a number" in result.sentences()[0]
    lost = check(machine, Pose.trusted(np.full(3, np.nan), np.eye(3)))
    assert not lost.ok
    assert "finite" in lost.sentences()[0]
    assert not admitted("stroke", machine, home, nan).any()


def test_legs_that_share_a_joint_need_no_distance() -> None:
    """The filter and the check once had two tolerances and two definitions of a common joint."""
    machine = gough.octahedral(0.5, 0.3, 0.6, limits=gough.Limits(radius=0.01))
    home = machine.require_home()
    assert check(machine, home).ok
    lam = struts(machine, home).coordinate
    assert admitted("crossings", machine, Pose(home.position[None], home.rotation[None]), lam)[0]
    thick = gough.octahedral(0.5, 0.3, 0.6, limits=gough.Limits(radius=0.3))
    assert not check(thick, home).ok
    assert not admitted("crossings", thick, Pose(home.position[None], home.rotation[None]), lam)[0]
    assert segment_distance((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)) == 1.0
