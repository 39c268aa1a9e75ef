"""Limits between samples: the bounds hold, and "at all times" is said only where it is true."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import cueing
from gough.cueing import proof
from gough.spatial import rotation_exp
from gough.trajectory.spline import PoseSpline
from gough.trajectory.waypoints import through_motion


def wild(seed: int, size: float = 1.0, knots: int = 8) -> PoseSpline:
    """Coarse knots with twists and accelerations of their own: much happens between them."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.2, 0.4, knots))
    t = [0.0, 0.0, 1.15] + 0.03 * size * rng.normal(size=(knots, 3))
    R = np.stack([rotation_exp(0.08 * size * phi) for phi in rng.normal(size=(knots, 3))])
    v, w = 0.15 * size * rng.normal(size=(2, knots, 3))
    a, al = 0.5 * size * rng.normal(size=(2, knots, 3))
    return through_motion(times, t, R, v, w, a, al)


def with_limits(machine: gough.Platform, **changes: object) -> gough.Platform:
    """Wide ones but for those given."""
    wide = gough.Limits(stroke=(0.5, 3.0), speed=20.0, base_cone=1.5, platform_cone=1.5)
    legs = [leg.replace(limits=wide.replace(**changes)) for leg in machine.legs]
    return machine.replace(legs=legs)


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.mark.parametrize("seed", range(5))
def test_no_instant_is_beyond_the_bounds(base: gough.Platform, seed: int) -> None:
    """Turning, joints and strut lengths at many instants of every segment; and the bounds are not idle."""
    path = wild(seed, 2.0)
    moves = proof._Moves(base, path)
    u = np.linspace(0.0, 1.0, 101)
    tight = []
    for i, (start, h) in enumerate(zip(path.times, np.diff(path.times), strict=False)):
        motion = path(start + h * u * (1 - 1e-9))
        w, al = (
            np.linalg.norm(x, axis=-1)
            for x in (motion.angular_velocity, motion.angular_acceleration)
        )
        legs = gough.inverse_kinematics(base, motion)
        arms = np.array([leg.joint for leg in base.legs])
        q = arms @ np.swapaxes(motion.rotation, -1, -2)
        speed = motion.velocity[:, None] + np.cross(motion.angular_velocity[:, None], q)
        bend = motion.acceleration[:, None] + np.cross(motion.angular_acceleration[:, None], q)
        bend += np.cross(
            motion.angular_velocity[:, None], np.cross(motion.angular_velocity[:, None], q)
        )
        assert (w <= moves.turn[i] * (1 + 1e-9)).all()
        assert (np.linalg.norm(speed, axis=-1) <= moves.speed[i] * (1 + 1e-9)).all()
        assert (np.linalg.norm(bend, axis=-1) <= moves.bend[i] * (1 + 1e-9)).all()
        stretch = moves.bend[i] + moves.speed[i] ** 2 / legs.length.min(axis=0)
        assert (np.abs(legs.acceleration) <= stretch * (1 + 1e-9)).all()
        tight += [w.max() / moves.turn[i], np.abs(legs.acceleration).max() / stretch.max()]
        assert al.max() > 0.0
    assert max(tight) > 0.3


@pytest.mark.parametrize("kind", ["stroke", "speed", "base_cone", "platform_cone"])
def test_all_times_is_said_only_where_it_is_true(base: gough.Platform, kind: str) -> None:
    """A limit drawn closer and closer around a motion: proved while the motion is inside with room to tell, never once
    it is outside, also where every sample looks fine."""
    path = wild(11)
    judged = {"stroke": "stroke", "speed": "speed"}.get(kind, kind.replace("_", " "))
    dense = gough.analysis.check(base, path.sample(10_001)).value[judged]
    top, low = float(dense.max()), float(dense.min()) - 0.1

    def told(limit: float) -> bool:
        given = (low, limit) if kind == "stroke" else limit
        return proof.doubt(with_limits(base, **{kind: given}), path) is None

    span = top - dense.mean()
    assert told(top + 0.3 * span)
    assert told(top + (0.05 if kind == "speed" else 0.01) * span)
    for share in (1e-6, 1e-4, 1e-2, 0.3):
        assert not told(top - share * span)


def test_a_dip_between_the_samples_is_not_missed(
    base: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every look at four times a segment is inside, the motion is not.  Planted: bounds of zero see nothing."""
    path = wild(3, 2.0, 5)
    looks = np.concatenate(
        [t + h * np.arange(5) / 4 for t, h in zip(path.times, np.diff(path.times), strict=False)]
    )
    seen = gough.inverse_kinematics(base, path(np.unique(np.minimum(looks, path.duration)))).length
    true = gough.inverse_kinematics(base, path.sample(20_001)).length
    assert true.max() > seen.max() + 1e-5
    between = with_limits(base, stroke=(1.0, 0.5 * (true.max() + seen.max())), speed=9.0)
    said = proof.doubt(between, path)
    assert said is not None
    assert "outside at t" in said
    monkeypatch.setattr(proof, "_largest", lambda c, h, order: np.zeros(len(h)))
    assert proof.doubt(between, path) is None


def test_legs_without_a_bound_are_said_to_have_none() -> None:
    machine = gough.load("hexaglide")
    time = np.linspace(0.0, 2.0, 101)
    force = np.tile([0.0, 0.0, 9.80665], (101, 1))
    force[20:60, 0] = 0.2
    found = cueing.cue(machine, cueing.telemetry(time, force), scale=0.02)
    assert found.within_limits
    assert not found.proved
    assert "no bound" in str(found.doubt)
    assert f"at {found.looked} times" in repr(found)


def test_a_cue_that_fits_is_inside_at_all_times(base: gough.Platform) -> None:
    time = np.linspace(0.0, 3.0, 76)
    force = np.tile([0.0, 0.0, 9.80665], (76, 1))
    force[15:, 0] = 4.0
    found = cueing.cue(
        base, cueing.telemetry(time, force), cueing.ClassicalWashout(force_scale=2.0), scale=None
    )
    assert found.scale < 1.0
    assert found.proved
    assert "proved at every instant" in repr(found)
    assert gough.analysis.check(base, found.trajectory.sample(10_001)).ok.all()
