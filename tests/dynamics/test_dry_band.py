"""What moments in the joints do to forces and efforts, and the band in which efforts lie while joints stick."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough.dynamics import dry_joints
from gough.engines.evaluate import Evaluation, evaluation
from gough.layout import LEG_RECORD
from oracles.dry import dry_case
from oracles.machines import Case


def asked(given: Case, motion: gough.Motion, external: np.ndarray) -> Evaluation:
    return evaluation("forces", given.platform, motion, None, "python", external=external)


@pytest.mark.parametrize("kind", ["UPS", "RUS", "UCU"])
def test_forces_and_efforts_are_affine_in_the_moments(kind: str) -> None:
    """Any twelve moments at once: what the unit moments said, one by one, summed; without any, the plain answer."""
    given = dry_case(kind, 4)
    exact = asked(given, given.motion, given.external)
    base = dry_joints._responses(exact)
    plain = gough.inverse_dynamics(given.platform, given.motion, given.external, engine="python")
    np.testing.assert_allclose(base.record[..., LEG_RECORD.effort], plain.force, rtol=1e-9)
    for seed in range(3):
        moments = 5.0 * np.random.default_rng(seed).normal(size=(2, 12, 3))
        record = dry_joints._record(exact, moments)
        effort = plain.force + np.einsum("nekd,nkd->ne", base.effort_per_moment, moments)
        scale = np.abs(plain.force).max()
        assert np.abs(record[..., LEG_RECORD.effort] - effort).max() < 1e-8 * scale
        force = base.force + np.einsum("nickd,nkd->nic", base.force_per_moment, moments)
        assert np.abs(dry_joints._forces(record) - force).max() < 1e-8 * scale
    assert np.abs(base.effort_per_moment).max() > 1e-3
    assert np.abs(base.effort_per_moment).max() < 1e3  # per moment, not the effort itself


def one_axis_at_rest(given: Case) -> gough.Motion:
    """All joints turn but for the first axis of one universal joint."""
    leg, pose = given.platform.legs[2], given.motion.pose[0]
    s = gough.inverse_kinematics(given.platform, pose, engine="python").direction[2]
    y, arm = np.cross(leg.axis, s), pose.rotation @ leg.joint  # type: ignore[union-attr]
    w = np.array([0.3, -0.2, 0.5])
    tip = np.cross(y, pose.position + arm - leg.base)
    return gough.Motion(pose.position, pose.rotation, tip - np.cross(w, arm), w)


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("mu", [0.003, 0.006])
def test_the_band_is_what_sticking_joints_can_do_with_the_largest_loads(
    moving: bool, mu: float
) -> None:
    """Directly, with the load that they may have at most, and through the loads of joints that turn."""
    given = dry_case("UPS", 4, base=mu, top=1.5 * mu)
    still = gough.Motion.at_rest(given.motion.pose[0])
    motion = one_axis_at_rest(given) if moving else still
    exact = asked(given, motion, given.external[0])
    _, found = dry_joints.with_dry_joints(exact)
    assert found.stuck.sum() == (1 if moving else 12)
    base = dry_joints._responses(exact)
    turning = dry_joints._turning(given.platform, base.record, motion)
    radius = np.tile([mu, 1.5 * mu], 6)
    load = found.load.ravel()
    each = base.force_per_moment[0]
    moved = np.einsum("ickd,kd->ick", each, turning.direction[0] * radius[:, None])
    slides = np.linalg.norm(moved, axis=1)
    sticks = np.zeros((12, 12))
    for k in range(12):
        for a in range(3):
            sticks[:, k] += radius[k] * np.linalg.norm(
                each[:, :, k] @ turning.axes[0, k, a], axis=1
            )
    assert float(found.contraction) == pytest.approx((slides + sticks).sum(axis=1).max())
    spread = np.linalg.solve(np.eye(12) - slides - sticks, sticks @ load)
    assert (spread > 0.0).all()
    due = np.zeros(6)
    for k in range(12):
        push = base.effort_per_moment[0, :, k]
        due += np.abs(push @ turning.direction[0, k]) * radius[k] * spread[k]
        for a in range(3):
            due += np.abs(push @ turning.axes[0, k, a]) * radius[k] * (load[k] + spread[k])
    np.testing.assert_allclose(found.band, due, rtol=1e-6)


def test_a_band_is_met_where_one_axis_sticks() -> None:
    """Its moment at either end of what it can be moves the efforts by nearly the whole band, and by no more."""
    given = dry_case("UPS", 4)
    motion = one_axis_at_rest(given)
    exact = asked(given, motion, given.external[0])
    record, found = dry_joints.with_dry_joints(exact)
    base = dry_joints._responses(exact)
    turning = dry_joints._turning(given.platform, base.record, motion)
    radius, load = dry_joints.radii(given.platform), found.load.ravel()
    axis = turning.axes[0].sum(axis=1)  # of the one joint that sticks
    for side in (-1.0, 1.0):
        push, N = turning.direction[0] + side * axis, load
        for _ in range(40):
            moments = push * (radius * N)[:, None]
            changed = dry_joints._record(exact, moments[None])
            N = np.linalg.norm(dry_joints._forces(changed)[0], axis=-1)
        away = np.abs(changed[0, :, LEG_RECORD.effort] - record[..., LEG_RECORD.effort])
        assert (away <= found.band * (1.0 + 1e-9)).all()
        assert (away / found.band).max() > 0.9
