"""A base that moves: against Pinocchio with the base as a free body of prescribed motion, the power balance, limits.

Random machines of every leg type on bases that turn at 4 rad/s and accelerate by 15 m/s^2 (oracles/moving.py).
``GOUGH_BASES`` sets how many machines of each kind the slow test takes.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough.checks import Array, InputError
from gough.engines import pack, plain
from gough.model import Body, Platform
from gough.spatial import Motion, rotation_exp
from oracles.base_rings import disagreement, outside
from oracles.compare import errors, spin
from oracles.machines import CYLINDERS, KINDS, RODS, Case, cases
from oracles.moving import (
    library_on_base,
    moving_cases,
    random_base,
)
from oracles.planted import Error, planted
from oracles.planted_base import ERRORS

TOLERANCE = 1e-11  # relative, every state
CLEAR = 1e-6  # a planted error must show at least this much


@pytest.mark.parametrize("kind", KINDS)
def test_efforts_reactions_energies_and_power_equal_pinocchio(kind: str) -> None:
    for case, base in moving_cases(kind, 20, states=3):
        assert max(disagreement(case, base, outside(case, base))) < TOLERANCE


@pytest.mark.parametrize("kind", [*CYLINDERS, *RODS])
def test_the_same_of_legs_whose_parts_turn(kind: str) -> None:
    for case, base in moving_cases(kind, 3, states=2):
        assert max(disagreement(case, base, outside(case, base))) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, *CYLINDERS, *RODS])
def test_the_same_on_more_machines(kind: str) -> None:
    for case, base in moving_cases(kind, int(os.environ.get("GOUGH_BASES", "30")), seed=1):
        assert max(disagreement(case, base, outside(case, base))) < TOLERANCE


@pytest.fixture(scope="module")
def known() -> dict[str, tuple[Case, Motion, dict[str, Array]]]:
    """One machine of each kind that a planted error needs, with the engine's answers."""
    out = {}
    for kind in sorted({kind for error in ERRORS for kind in error.kinds}):
        case, base = moving_cases(kind, 1, seed=2)[0]
        out[kind] = case, base, outside(case, base)
    return out


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.name)
def test_planted_error_is_caught(
    error: Error, known: dict[str, tuple[Case, Motion, dict[str, Array]]]
) -> None:
    for kind in error.kinds:
        with planted(error), np.errstate(all="ignore"):
            assert max(disagreement(*known[kind])) > CLEAR


def both(case: Case, base: Motion | None) -> dict[str, Array]:
    """Efforts and bias, with a base or without."""
    given = spin(case, engine="python", base=base)
    found = gough.inverse_dynamics(case.platform, case.motion, case.external, **given)
    return {
        "force": found.force,
        "universal_force": found.reactions.universal_force,
        "prismatic_moment": found.reactions.prismatic_moment,
        "universal_moment": found.reactions.universal_moment,
        "bias": gough.bias(case.platform, case.motion, **given),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_base_at_rest_or_drifting_changes_nothing(kind: str) -> None:
    case = cases(kind, 1, states=3, seed=5)[0]
    still = both(case, None)
    drifting = gough.BaseMotion([1e3, 2.0, 3.0], velocity=[40.0, -30.0, 20.0])
    for base in (gough.BaseMotion(), drifting):
        assert max(errors(both(case, base), still).values()) < 1e-13


@pytest.mark.parametrize("kind", KINDS)
def test_an_accelerating_or_leaning_base_is_another_gravity(kind: str) -> None:
    case = cases(kind, 1, states=3, seed=6)[0]
    R, a = rotation_exp(np.array([0.4, -0.7, 1.1])), np.array([3.0, -2.0, 5.0])
    p = case.platform
    felt = p.replace(gravity=R.T @ (p.gravity - a))
    other = Case(felt, case.motion, case.external, case.spin_angle, case.spin_rate)
    found = both(case, gough.BaseMotion(rotation=R, acceleration=a))
    assert max(errors(found, both(other, None)).values()) < 1e-13


def light(platform: Platform) -> Platform:
    """The same machine with legs that weigh nothing."""
    legs = [leg.replace(lower=Body(0.0), upper=Body(0.0)) for leg in platform.legs]
    return platform.replace(legs=tuple(legs))


def test_legs_without_mass_feel_only_the_platforms_motion_in_the_world() -> None:
    """Efforts of a machine whose base joints are where the base has carried them, for the motion in the world."""
    case = cases("UPS", 1, states=4, seed=7, friction=False, drive=False)[0]
    p, m, base = light(case.platform), case.motion, random_base(np.random.default_rng(8), 4)
    found = gough.inverse_dynamics(p, m, case.external, engine="python", base=base).force
    for i in range(4):
        b, n = base[i], m[i]
        R0, w0, al0 = b.rotation, b.angular_velocity, b.angular_acceleration
        r, v, w = R0 @ n.position, R0 @ n.velocity, R0 @ n.angular_velocity
        a = b.acceleration + np.cross(al0, r) + np.cross(w0, np.cross(w0, r))
        world = Motion(
            b.position + r,
            R0 @ n.rotation,
            b.velocity + np.cross(w0, r) + v,
            w0 + w,
            a + 2 * np.cross(w0, v) + R0 @ n.acceleration,
            al0 + np.cross(w0, w) + R0 @ n.angular_acceleration,
        )
        legs = [leg.replace(base=b.position + R0 @ leg.base, axis=R0 @ leg.axis) for leg in p.legs]
        carried = Platform(p.body, legs, p.gravity)
        expected = gough.inverse_dynamics(carried, world, case.external[i], engine="python").force
        assert np.abs(found[i] - expected).max() < 1e-11 * np.abs(expected).max()


def test_a_yaw_stage_is_the_motion_of_its_angle() -> None:
    """Rotation, rate and acceleration of an angle over time, by central differences."""
    t, h, axis = 0.7, 1e-5, np.array([0.2, -0.3, 1.5])

    def stage(time: float) -> gough.BaseMotion:
        rate, acceleration = 1.3 + 1.8 * time, 1.8
        return gough.BaseMotion.yaw_stage(1.3 * time + 0.9 * time**2, rate, acceleration, axis)

    now, before, after = stage(t), stage(t - h), stage(t + h)
    turning = (after.rotation - before.rotation) / (2 * h) @ now.rotation.T
    w = now.angular_velocity
    assert np.abs(turning @ [1.0, 2.0, 3.0] - np.cross(w, [1.0, 2.0, 3.0])).max() < 1e-8
    change = (after.angular_velocity - before.angular_velocity) / (2 * h)
    assert np.abs(change - now.angular_acceleration).max() < 1e-8
    assert gough.BaseMotion.yaw_stage(np.zeros(4)).shape == (4,)
    with pytest.raises(InputError, match="axis"):
        gough.BaseMotion.yaw_stage(0.0, axis=[0.0, 0.0, 0.0])


def test_batches_of_motion_and_base_broadcast() -> None:
    case = cases("UPS", 1, states=3, seed=9)[0]
    base = random_base(np.random.default_rng(10), 2)
    p, given = case.platform, {"engine": "python"}
    one = gough.inverse_dynamics(p, case.motion[0], base=base, **given)
    assert one.force.shape == (2, 6)
    assert one.base_wrench.shape == (2, 6)
    many = gough.inverse_dynamics(p, case.motion[:, None], base=base, **given)
    assert many.force.shape == (3, 2, 6)
    assert np.array_equal(many.force[0], one.force)
    with pytest.raises(InputError, match="base"):
        gough.inverse_dynamics(p, case.motion, base=base, **given)


def test_what_knows_no_moving_base_says_so() -> None:
    case = cases("UPS", 1, states=1, seed=9)[0]
    p, m, base = case.platform, case.motion, gough.BaseMotion()
    with pytest.raises(InputError, match="base at rest"):
        gough.inverse_dynamics(p, m, formulation="kane", base=base)
    with pytest.raises(InputError, match="native and python"):
        gough.inverse_dynamics(p, m, engine="cuda", base=base)
    with pytest.raises(InputError, match="base"):
        gough.energy(p, m, base=(0.0, 0.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="base"):
        _ = gough.inverse_dynamics(p, m, engine="python").base_wrench
    with pytest.raises(InputError, match="function"):
        gough.lean(p, "moving_forces")


def test_the_axis_of_a_mounted_rotor_is_part_of_the_machine_file() -> None:
    case, _ = moving_cases("RUS", 1, states=1, seed=9)[0]
    again = gough.loads(gough.dumps(case.platform))
    mounts = pack.pack_mounts(again)
    assert np.array_equal(mounts, pack.pack_mounts(case.platform))
    assert mounts.any()
    with pytest.raises(InputError, match="mount_axis"):
        gough.Drive(ratio=1.0, rotor_axis=[1.0, 0.0, 0.0], mount_axis=[0.0, 0.0, 1.0])


def test_compiled_kernels_give_the_same_numbers() -> None:
    for case, base in moving_cases("UPS", 1, states=5, seed=3):
        compiled = library_on_base(case, base)
        assert max(errors(compiled, library_on_base(case, base, engine="python")).values()) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["SPS-free", "mixed"])
def test_compiled_kernels_give_the_same_numbers_for_every_leg_type(kind: str) -> None:
    for case, base in moving_cases(kind, 1, states=5, seed=3):
        compiled = library_on_base(case, base)
        assert max(errors(compiled, library_on_base(case, base, engine="python")).values()) < 1e-12


@pytest.mark.parametrize("kind", ["UPS", "RUS", "SPS-general"])
def test_error_bounds_hold(kind: str) -> None:
    """Efforts and accelerations lie within their bounds of the same equations with forty digits."""
    mpmath = pytest.importorskip("mpmath")
    case, base = moving_cases(kind, 1, states=1, seed=4)[0]
    given = spin(case, engine="python", base=base)
    found = gough.inverse_dynamics(case.platform, case.motion, case.external, **given)
    machine = pack.packed(case.platform)
    m, z = case.motion, np.stack([np.cos(case.spin_angle), np.sin(case.spin_angle), case.spin_rate])
    names = ("position", "rotation", "velocity", "angular_velocity")
    names = (*names, "acceleration", "angular_acceleration")
    flat = [getattr(m, name).ravel() for name in names] + [case.external.ravel()]
    flat += [getattr(base, name).ravel() for name in names]
    with mpmath.workdps(40):
        x, par, spins = (
            [mpmath.mpf(float(v)) for v in values]
            for values in (
                np.concatenate(flat),
                machine.numbers("moving_forces"),
                z.transpose(1, 2, 0).ravel(),
            )
        )
        exact = np.array(
            [float(v) for v in plain.evaluate("moving_forces", machine.kinds, x, par, spins)]
        )
        apart = np.abs(found.force[0] - exact[:6])
    assert (apart <= found.error[0]).all()
    assert found.digits[0] > 9
    assert np.isfinite(found.reactions_error.universal_force).all()
