"""Identification: efforts are linear in the inertial numbers, and the machine that an outside engine moved is found."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import InputError
from gough.metrology import excite, identify, regressor
from gough.metrology.consistent import machine_with
from gough.metrology.inertial import body_of, inertial, moments, pseudo_inertia
from gough.model import Body
from gough.trajectory import harmonic

RANKS = {"motion-base-1500": (154, 106), "hexaglide": (100, 88), "servo-hexapod": (154, 94)}


def _motion(name: str, seed: int = 0, samples: int = 60) -> tuple[gough.Platform, gough.Motion]:
    rng = np.random.default_rng(seed)
    platform = gough.load(name)
    unit = np.repeat([platform.characteristic_length, 1.0], 3)
    size, phase = 0.02 * rng.normal(size=(4, 6)) * unit, rng.uniform(0.0, 6.0, (4, 6))
    path = harmonic(platform.likely_home, size, [0.5, 0.8, 1.3, 2.1], phase, duration=10.0)
    return platform, path.sample(samples)


@pytest.mark.parametrize("name", RANKS)
def test_regressor_times_numbers_are_the_efforts(name: str) -> None:
    platform, motion = _motion(name)
    Y, rest, known = regressor(platform, motion)
    F = gough.inverse_dynamics(platform, motion).force
    assert np.abs(Y @ known.value + rest - F).max() < 1e-14 * np.abs(F).max() * 100
    assert np.abs(rest).max() < 1e-12 * np.abs(F).max()
    found = identify(platform, motion, F, sigma=1e-3 * np.abs(F).max())
    assert (len(known.names), len(found.base)) == RANKS[name]
    assert np.allclose(found.value, found.nominal, atol=1e-6 * np.abs(found.sigma).max())


def test_the_regressor_foretells_another_machine() -> None:
    """Linear: what holds with the nominal numbers holds with any; planted: with one mass left unchanged it does not."""
    platform, motion = _motion("motion-base-1500")
    Y, rest, known = regressor(platform, motion)
    value = known.value * 1.3
    other = machine_with(known, dict(zip(known.names, value.tolist(), strict=True)))
    F = gough.inverse_dynamics(other, motion).force
    assert np.abs(Y @ value + rest - F).max() < 1e-12 * np.abs(F).max()
    value[known.names.index("L2.upper.mass")] /= 1.3
    assert np.abs(Y @ value + rest - F).max() > 1e-4 * np.abs(F).max()


def test_springs_and_wrenches_are_no_part_of_it() -> None:
    platform, motion = _motion("flexure-hexapod", samples=40)
    wrench = np.array([3.0, -2.0, 5.0, 0.1, 0.2, -0.3])
    Y, rest, known = regressor(platform, motion, wrench)
    F = gough.inverse_dynamics(platform, motion, wrench).force
    assert np.abs(Y @ known.value + rest - F).max() < 1e-11 * np.abs(F).max()
    assert np.abs(rest).max() > 1e-3 * np.abs(F).max()


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide"])
def test_bodies_moved_by_an_outside_engine_are_found(name: str) -> None:
    pytest.importorskip("pinocchio")
    from campaigns.identification_campaign import all_at_once, trial

    normal, found, (before, after, sigma) = trial(name, 3)
    assert (np.abs(normal) < 1.96).mean() > 0.85
    assert 0.5 < all_at_once(found, normal) < 1.6
    assert found.likelihood > 1e-3
    assert after < 1.5 * sigma < 0.2 * before
    for body in [found.machine.body, *(getattr(leg, "upper", None) for leg in found.machine.legs)]:
        if isinstance(body, Body):
            assert np.linalg.eigvalsh(pseudo_inertia(moments(body))).min() > 0.0


@pytest.mark.slow
def test_intervals_of_base_parameters_hold() -> None:
    """campaigns.identification_campaign runs hundreds of trials."""
    pytest.importorskip("pinocchio")
    from campaigns.identification_campaign import trial

    drawn = np.concatenate([trial("hexaglide", 50 + k)[0] for k in range(10)])
    assert 0.90 < (np.abs(drawn) < 1.96).mean() < 0.99


def test_wrong_deviations_are_noticed() -> None:
    platform, motion = _motion("motion-base-1500")
    F = gough.inverse_dynamics(platform, motion).force
    noisy = F + 3.0 * np.random.default_rng(0).normal(size=F.shape)
    assert identify(platform, motion, noisy, sigma=1.0).likelihood < 1e-9
    assert identify(platform, motion, noisy, sigma=3.0).likelihood > 1e-3
    free = identify(platform, motion, noisy, sigma=1.0, noise="estimated")
    assert 2.5 < free.noise < 3.5
    assert free.likelihood is None


def test_a_payload_alone_is_found() -> None:
    platform, motion = _motion("motion-base-1500", samples=30)
    loaded = platform.replace(body=Body(900.0, [0.05, -0.02, 0.4], [200.0, 250.0, 300.0]))
    F = gough.inverse_dynamics(loaded, motion).force
    found = identify(platform, motion, F, sigma=1.0, find="body")
    assert len(found.base) == 10
    names = [found.names[k] for k in found.base]
    value = dict(zip(names, found.value, strict=True))
    want = dict(
        zip(
            (f"body.{n}" for n in ("mass", "first.x", "first.z")), (900.0, 45.0, 360.0), strict=True
        )
    )
    for name, x in want.items():
        assert value[name] == pytest.approx(x, rel=1e-9)
    free = found.machine.body
    assert free.mass == pytest.approx(900.0, rel=1e-3)
    assert np.allclose(free.center, [0.05, -0.02, 0.4], atol=2e-3)


def test_dry_friction_is_found() -> None:
    platform, motion = _motion("motion-base-1500")
    rate = gough.inverse_kinematics(platform, motion).rate
    dry = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0])
    F = gough.inverse_dynamics(platform, motion).force + dry * np.sign(rate)
    found = identify(platform, motion, F, sigma=0.1, coulomb=True)
    at = {found.names[k]: j for j, k in enumerate(found.base)}
    for leg, want in zip(platform.leg_names, dry, strict=True):
        assert found.value[at[f"{leg}.coulomb"]] == pytest.approx(want, abs=1e-6)
    assert len(found.base) == 112
    assert identify(platform, motion, F, sigma=0.1).likelihood < 1e-9


def test_moments_of_a_body_and_back() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        S = rng.normal(size=(3, 3))
        S = S @ S.T
        body = Body(2.0, rng.normal(size=3), np.trace(S) * np.eye(3) - S)
        again = body_of(moments(body))
        assert again.mass == body.mass
        assert np.allclose(again.center, body.center, atol=1e-14)
        assert np.allclose(again.inertia, body.inertia, atol=1e-12)


def test_bodies_that_cannot_exist_are_not_answered() -> None:
    """Efforts of a platform body with an impossible tensor: the machine answered has a possible one."""
    platform, motion = _motion("motion-base-1500", samples=40)
    known = inertial(platform)
    value = known.value.copy()
    at = known.names.index("body.second.xx")
    value[at] = -abs(value[at])
    Y, rest, _ = regressor(platform, motion)
    found = identify(platform, motion, Y @ value + rest, sigma=1.0, find="body")
    assert found.value[[found.names[k] for k in found.base].index("body.second.xx")] < 0.0
    P = pseudo_inertia(moments(found.machine.body))
    assert np.linalg.eigvalsh(P).min() > 0.0


def test_an_excitation_stays_within_the_limits_and_tells_more() -> None:
    platform = gough.load("motion-base-1500")
    found = excite(platform, 8.0, harmonics=3, seed=1)
    assert gough.analysis.check(platform, found.trajectory.sample(2001)).ok.all()
    assert found.merit > found.first + 5.0
    assert found.rank == 106
    with pytest.raises(InputError, match="no limits"):
        excite(gough.load("dasgupta-1998-physical"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sigma": -1.0}, "sigma"),
        ({"force": np.zeros((3, 6))}, "force"),
        ({"force": np.full((60, 6), np.nan)}, "force"),
        ({"find": "bodi"}, "is no inertial number"),
        ({"noise": "?"}, "noise"),
    ],
)
def test_bad_input_has_its_sentence(change: dict, says: str) -> None:
    platform, motion = _motion("motion-base-1500")
    given = {"force": np.zeros((60, 6)), "sigma": 1.0} | change
    with pytest.raises(InputError, match=says):
        identify(platform, motion, **given)


def test_too_few_efforts_are_refused() -> None:
    platform, motion = _motion("motion-base-1500", samples=2)
    with pytest.raises(InputError, match="must have more than"):
        identify(platform, motion[:1], np.zeros((1, 6)), sigma=1.0)
