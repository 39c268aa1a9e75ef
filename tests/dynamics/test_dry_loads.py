"""Loads of dry joints: their fixed point, how far sticking joints may move them, and which state is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough import InfeasibleError
from gough.dynamics import dry_joints
from gough.layout import LEG_RECORD
from oracles.dry import dry_case


def coupled(seed: int, states: int = 3, strength: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Forces (n, 12, 3) without friction and what loads change in them (n, 12, 3, 12), a contraction."""
    rng = np.random.default_rng(seed)
    force, moved = rng.normal(size=(states, 12, 3)), rng.normal(size=(states, 12, 3, 12))
    q = np.linalg.norm(moved, axis=2).sum(axis=-1).max(axis=-1)
    return force, strength * moved / q[:, None, None, None]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("strength", [0.0, 0.3, 0.95])
def test_loads_are_the_sizes_of_the_forces_that_they_make(seed: int, strength: float) -> None:
    """``N_i = |V_i + sum_j A_ij N_j|`` in every state, those of a thousand times the size too."""
    force, moved = coupled(seed, strength=strength)
    force *= np.array([1.0, 1e3, 50.0])[:, None, None]
    N = dry_joints._loads(force, moved)
    V = force + np.einsum("nick,nk->nic", moved, N)
    np.testing.assert_allclose(np.linalg.norm(V, axis=-1), N, rtol=1e-9)
    for k in range(3):
        alone = dry_joints._loads(force[k : k + 1], moved[k : k + 1])
        np.testing.assert_allclose(alone[0], N[k], rtol=1e-9)


@pytest.mark.parametrize("small", [1e-3, 1e-9])
def test_a_joint_that_carries_nothing_but_rounding_lets_the_others_settle(small: float) -> None:
    """Large forces that cancel in one joint: what rounding leaves of them is far above its own load's digits."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        _, moved = coupled(seed, states=1)
        wanted, along = rng.uniform(1.0, 1e3, (1, 12)), rng.normal(size=(1, 12, 3))
        wanted[0, 0] = small
        along /= np.linalg.norm(along, axis=-1, keepdims=True)
        force = along * wanted[..., None] - np.einsum("nick,nk->nic", moved, wanted)
        found = dry_joints._loads(force, moved)
        assert np.abs(found - wanted).max() < 1e-9


def test_loads_that_do_not_settle_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    force, moved = coupled(1)
    monkeypatch.setattr(dry_joints, "STEPS", 1)
    with pytest.raises(InfeasibleError, match="did not settle"):
        dry_joints._loads(force, moved)
    assert dry_joints._loads(force, 0.0 * moved).shape == (3, 12)  # nothing to settle


@pytest.mark.parametrize("seed", range(4))
def test_the_spread_of_loads_is_what_feeds_itself(seed: int) -> None:
    """``d = c N + (a + c) d``, summed as a series: sticking joints change loads, which change what they may do."""
    rng = np.random.default_rng(seed)
    moved, stuck = rng.uniform(0.0, 0.03, (2, 3, 12, 12))
    load = rng.uniform(1.0, 100.0, (3, 12))
    term = np.einsum("nij,nj->ni", stuck, load)
    due = np.zeros_like(term)
    for _ in range(400):
        due = due + term
        term = np.einsum("nij,nj->ni", moved + stuck, term)
    np.testing.assert_allclose(dry_joints._spread(moved, stuck, load), due, rtol=1e-9)


def test_the_reach_of_joints_at_rest_is_summed_over_the_axes_that_stick() -> None:
    rng = np.random.default_rng(5)
    per_moment = rng.normal(size=(2, 5, 3, 12, 3))
    axes, mu = rng.normal(size=(2, 12, 3, 3)), rng.uniform(0.1, 1.0, 12)
    axes[:, 3:7, 2] = 0.0
    axes[:, 7:] = 0.0
    turning = dry_joints._Turning(np.zeros((2, 12, 3)), axes, np.zeros((2, 12), dtype=bool))
    found = dry_joints._reach(per_moment, turning, mu)
    assert found.shape == (2, 5, 12)
    for n in range(2):
        for i in range(5):
            for k in range(12):
                each = [np.linalg.norm(per_moment[n, i, :, k] @ axes[n, k, a]) for a in range(3)]
                assert found[n, i, k] == pytest.approx(mu[k] * sum(each))
    assert not found[:, :, 7:].any()


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_forces_are_listed_leg_by_leg_with_the_base_side_first(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    record = rng.normal(size=(*shape, 6, LEG_RECORD.size))
    found = dry_joints._forces(record)
    assert found.shape == (*shape, 12, 3)
    np.testing.assert_array_equal(found[..., 0::2, :], record[..., LEG_RECORD.universal_force])
    np.testing.assert_array_equal(found[..., 1::2, :], record[..., LEG_RECORD.spherical_force])


def test_radii_are_listed_leg_by_leg_with_the_base_side_first() -> None:
    machine = gough.load("motion-base-1500")
    rubs = [gough.Friction(universal_dry=0.01 * i, spherical_dry=0.5 + i) for i in range(6)]
    legs = [leg.replace(friction=rub) for leg, rub in zip(machine.legs, rubs, strict=True)]
    due = np.array([[0.01 * i, 0.5 + i] for i in range(6)]).ravel()
    np.testing.assert_allclose(dry_joints.radii(machine.replace(legs=legs)), due)


@pytest.mark.parametrize("order", [[0, 1], [1, 0], [1, 1, 0]])
def test_the_first_state_that_may_jam_is_named(order: list[int]) -> None:
    """Radii between those at which the one and the other state of a pair begin to jam: q grows with them."""
    mu = 0.02
    given = dry_case("UPS", 3, base=mu, top=mu)
    options = {"dry": True, "engine": "python"}
    found = gough.inverse_dynamics(given.platform, given.motion, given.external, **options).dry
    assert found is not None
    q = found.contraction
    factor = 1.0 / np.sqrt(q[0] * q[1])
    wide = dry_case("UPS", 3, base=factor * mu, top=factor * mu)
    rows, jams = np.array(order), int(np.argmax(q))
    with pytest.raises(InfeasibleError, match="may jam") as refused:
        gough.inverse_dynamics(wide.platform, wide.motion[rows], wide.external[rows], **options)
    said = re.search(r"^state (\d+): .* q = (\S+);", str(refused.value))
    assert said is not None
    assert int(said[1]) == order.index(jams)
    assert float(said[2]) == pytest.approx(factor * q.max(), rel=0.01)
    fine = int(np.argmin(q))
    one = gough.inverse_dynamics(wide.platform, wide.motion[fine], wide.external[fine], **options)
    assert one.dry is not None
    assert float(one.dry.contraction) == pytest.approx(factor * q.min(), rel=1e-6)
