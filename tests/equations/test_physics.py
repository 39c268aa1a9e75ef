"""What mechanics demands of any machine, whatever the equations: energy, symmetry, equilibrium, invariance.

Random machines of every leg type in fast states (oracles/machines.py), through the public verbs.  The equations run
as they stand: that the compiled kernels give the same numbers is another test's business.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.layout import ENERGY
from gough.model import PUS, RUS, SPS, UPS, Body, Friction, Leg, Platform
from gough.spatial import Motion, rotation_exp, rotation_z
from oracles.compare import library, spin
from oracles.machines import KINDS, Case, cases, clear
from oracles.source import energy_rate, motion_numbers, power, run, spin_numbers

POWER = 1e-11  # relative to the sum of the power terms' sizes
ROUND = 1e-10  # relative
EACH_TYPE = ("UPS", "SPS-free", "SPS-general", "PUS", "RUS")
LEGS_WITHOUT_SPIN = ("UPS", "SPS-free", "PUS", "RUS")


def plain(case: Case) -> dict[str, Any]:
    """Keywords of the verbs: the machine's spin, and no compilation."""
    return spin(case, engine="python")


def efforts(case: Case) -> Array:
    """Actuator efforts of a case."""
    return gough.inverse_dynamics(case.platform, case.motion, case.external, **plain(case)).force


def changed(
    case: Case,
    platform: Platform | None = None,
    motion: Motion | None = None,
    external: Array | None = None,
    spin_angle: Array | None = None,
    spin_rate: Array | None = None,
) -> Case:
    """The same case with something else in it."""
    return Case(
        platform or case.platform,
        motion or case.motion,
        case.external if external is None else external,
        case.spin_angle if spin_angle is None else spin_angle,
        case.spin_rate if spin_rate is None else spin_rate,
    )


def near(a: Array, b: Array, tolerance: float = ROUND) -> bool:
    """Equal relative to the largest entry."""
    return bool(np.abs(a - b).max() <= tolerance * np.abs(b).max())


@pytest.mark.parametrize("kind", KINDS)
def test_power_in_less_friction_is_the_rate_of_energy(kind: str) -> None:
    for case in cases(kind, 5, states=10, seed=20):
        found = library(case, engine="python")
        expected, scale = power(case, found)
        assert np.all(np.abs(energy_rate(case, found) - expected) < POWER * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_forward_dynamics_undoes_inverse_dynamics(kind: str) -> None:
    for case in cases(kind, 5, states=10, seed=21):
        acc = gough.forward_dynamics(
            case.platform, case.motion, efforts(case), case.external, **plain(case)
        )
        assert near(acc.acceleration, case.motion.acceleration)
        assert near(acc.angular_acceleration, case.motion.angular_acceleration)


@pytest.mark.parametrize("kind", KINDS)
def test_mass_matrix_is_symmetric_positive_definite(kind: str) -> None:
    for case in cases(kind, 5, states=10, seed=22):
        M = gough.mass_matrix(case.platform, case.motion.pose, **plain(case))
        assert near(M, np.swapaxes(M, -1, -2), 1e-15)
        assert np.linalg.eigvalsh(M).min() > 0
        assert np.all(np.linalg.eigvalsh(M[..., :3, :3]).min(axis=-1) > case.platform.body.mass)


@pytest.mark.parametrize("kind", EACH_TYPE)
def test_mass_matrix_is_how_efforts_answer_to_acceleration(kind: str) -> None:
    """J^T (F(xdd + e_i) - F(xdd)) = M e_i: inverse dynamics and mass matrix come from different equations."""
    for case in cases(kind, 3, states=1, seed=23):
        m = case.motion
        M = gough.mass_matrix(case.platform, m.pose, **plain(case))[0]
        J = gough.jacobian(case.platform, m.pose)[0]
        base = efforts(case)[0]
        for i in range(6):
            step = np.zeros(6)
            step[i] = 1000.0
            more = Motion(
                m.position,
                m.rotation,
                m.velocity,
                m.angular_velocity,
                m.acceleration + step[:3],
                m.angular_acceleration + step[3:],
            )
            found = J.T @ (efforts(changed(case, motion=more))[0] - base) / 1000.0
            assert near(found, M[:, i], 1e-9)


@pytest.mark.parametrize("kind", ["UPS", "SPS-free", "PUS", "RUS"])
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(kind: str) -> None:
    for case in cases(kind, 3, states=5, seed=24):
        m = case.motion
        u = np.concatenate([m.velocity, m.angular_velocity], axis=-1)
        M = gough.mass_matrix(case.platform, m.pose, **plain(case))
        energy = gough.energy(case.platform, m, **plain(case))
        assert np.allclose(
            energy.kinetic, 0.5 * np.einsum("ni,nij,nj->n", u, M, u), rtol=1e-12, atol=0
        )


@pytest.mark.parametrize("kind", KINDS)
def test_energy_verb_is_the_energy_of_the_balance(kind: str) -> None:
    from gough.engines import pack

    for case in cases(kind, 3, seed=25):
        x = motion_numbers(case)[:, :18]
        direct = run(
            "energy",
            pack.kinds_of(case.platform),
            x,
            spin_numbers(case),
            pack.parameters(case.platform),
        )
        energy = gough.energy(case.platform, case.motion, **plain(case))
        kept = direct[..., : ENERGY.risk]
        assert near(np.stack([energy.kinetic, energy.potential], axis=-1), kept, 1e-13)


def masses(leg: Leg) -> float:
    """Mass of one leg."""
    if isinstance(leg, (UPS, SPS)):
        return leg.lower.mass + leg.upper.mass
    return leg.link.mass + (leg.slider_mass if isinstance(leg, PUS) else leg.crank.mass)


def at_rest(case: Case) -> Case:
    """The same poses without motion."""
    still = Motion(case.motion.position, case.motion.rotation)
    return changed(case, motion=still, spin_rate=0 * case.spin_rate)


@pytest.mark.parametrize("kind", LEGS_WITHOUT_SPIN)
def test_at_rest_the_base_carries_the_weight(kind: str) -> None:
    """Base forces on the legs, all weights and the external force sum to zero; so on the platform."""
    for case in cases(kind, 5, states=5, seed=26):
        still = at_rest(case)
        result = gough.inverse_dynamics(still.platform, still.motion, still.external, **plain(case))
        r = result.reactions
        outside = (still.motion.rotation @ still.external[:, :3, None])[..., 0]
        ground = r.universal_force if kind in ("UPS", "SPS-free") else r.prismatic_force
        if kind == "PUS":
            ground = ground + result.force[..., None] * np.array(
                [leg.rail for leg in still.platform.legs]
            )  # type: ignore[union-attr]
        g, body = still.platform.gravity, still.platform.body
        weight = g * (body.mass + sum(masses(leg) for leg in still.platform.legs))
        assert np.abs(ground.sum(axis=1) + weight + outside).max() < 1e-11 * np.abs(ground).max()
        top = r.spherical_force.sum(axis=1) + g * body.mass + outside
        assert np.abs(top).max() < 1e-11 * np.abs(r.spherical_force).max()


@pytest.mark.parametrize("kind", LEGS_WITHOUT_SPIN)
def test_at_rest_efforts_are_the_slope_of_the_potential(kind: str) -> None:
    """Virtual work: J^T F + wrench = dV/dx, V from the energy verb, slope by fourth-order differences."""
    case = at_rest(cases(kind, 1, states=1, seed=27)[0])
    platform, t, R = case.platform, case.motion.position[0], case.motion.rotation[0]

    def potential(step: Array) -> float:
        moved = Motion(t + step[:3], rotation_exp(step[3:]) @ R)
        return float(gough.energy(platform, moved, **plain(case)).potential)

    h = 1e-3
    V = np.array([[potential(n * h * e) for n in (-2, -1, 1, 2)] for e in np.eye(6)])
    slope = V @ np.array([1.0, -8.0, 8.0, -1.0]) / (12 * h)
    wrench = np.concatenate([R @ case.external[0, :3], R @ case.external[0, 3:]])
    J = gough.jacobian(platform, case.motion.pose)[0]
    assert near(J.T @ efforts(case)[0] + wrench, slope, 1e-8)


def test_no_gravity_no_motion_no_load_no_effort() -> None:
    for kind in KINDS:
        case = at_rest(cases(kind, 1, seed=28, external=False)[0])
        p = case.platform
        floating = changed(case, platform=Platform(p.body, p.legs, (0, 0, 0)))
        assert np.abs(efforts(floating)).max() == 0.0


def test_falling_freely_needs_no_effort() -> None:
    """Massless legs, mass center accelerating with g, torque-free rotation: the actuators do nothing."""
    case = cases("UPS", 1, states=5, seed=29, external=False, drive=False, friction=False)[0]
    p = case.platform
    legs = [leg.replace(lower=Body(0.0), upper=Body(0.0)) for leg in p.legs]
    m = case.motion
    r = (m.rotation @ p.body.center[:, None])[..., 0]
    inertia = m.rotation @ p.body.inertia @ np.swapaxes(m.rotation, -1, -2)
    w = m.angular_velocity
    spun = np.cross(w, (inertia @ w[..., None])[..., 0])
    al = -np.linalg.solve(inertia, spun[..., None])[..., 0]
    a = p.gravity - np.cross(al, r) - np.cross(w, np.cross(w, r))
    fall = Motion(m.position, m.rotation, m.velocity, w, a, al)
    light = Platform(p.body, legs, p.gravity)
    found = efforts(changed(case, platform=light, motion=fall))
    assert np.abs(found).max() < 1e-11 * p.body.mass * 9.81
    acc = gough.forward_dynamics(light, fall, np.zeros((5, 6)), engine="python")
    assert near(acc.acceleration, a)
    assert near(acc.angular_acceleration, al)


def turned_leg(leg: Leg, Q: Array) -> Leg:
    """A leg carried by a rotation of the world; bodies in leg axes stay as they are."""
    change: dict[str, object] = {"base": Q @ leg.base}
    for name in ("axis", "reference", "rail", "shaft", "arm", "slider_center"):
        if hasattr(leg, name):
            change[name] = Q @ getattr(leg, name)
    if isinstance(leg, RUS):
        c = leg.crank
        change["crank"] = Body(c.mass, Q @ c.center, Q @ c.inertia @ Q.T)
    return leg.replace(**change)


@pytest.mark.parametrize("kind", KINDS)
def test_efforts_do_not_depend_on_the_world_axes(kind: str) -> None:
    Q = rotation_exp(np.array([0.7, -1.1, 0.4]))
    for case in cases(kind, 2, states=5, seed=30):
        p, m = case.platform, case.motion
        world = Platform(p.body, [turned_leg(leg, Q) for leg in p.legs], Q @ p.gravity)
        motion = Motion(
            m.position @ Q.T,
            Q @ m.rotation,
            m.velocity @ Q.T,
            m.angular_velocity @ Q.T,
            m.acceleration @ Q.T,
            m.angular_acceleration @ Q.T,
        )
        assert near(efforts(changed(case, platform=world, motion=motion)), efforts(case), 1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_efforts_do_not_depend_on_the_reference_point(kind: str) -> None:
    """The platform frame moved and turned within the platform: same machine, same motion, same efforts."""
    shift, E = np.array([0.13, -0.2, 0.31]), rotation_exp(np.array([-0.5, 0.9, 0.3]))
    for case in cases(kind, 2, states=5, seed=31):
        p, m, b = case.platform, case.motion, case.platform.body
        body = Body(b.mass, E.T @ (b.center - shift), E.T @ b.inertia @ E)
        legs = [leg.replace(joint=E.T @ (leg.joint - shift)) for leg in p.legs]
        r = m.rotation @ shift
        w, al = m.angular_velocity, m.angular_acceleration
        motion = Motion(
            m.position + r,
            m.rotation @ E,
            m.velocity + np.cross(w, r),
            w,
            m.acceleration + np.cross(al, r) + np.cross(w, np.cross(w, r)),
            al,
        )
        force, moment = case.external[:, :3], case.external[:, 3:]
        external = np.concatenate([force @ E, (moment - np.cross(shift, force)) @ E], axis=1)
        moved = changed(
            case, platform=Platform(body, legs, p.gravity), motion=motion, external=external
        )
        assert near(efforts(moved), efforts(case), 1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_without_friction_efforts_do_not_know_the_direction_of_time(kind: str) -> None:
    for case in cases(kind, 2, states=5, seed=32, friction=False):
        m = case.motion
        back = Motion(
            m.position,
            m.rotation,
            -m.velocity,
            -m.angular_velocity,
            m.acceleration,
            m.angular_acceleration,
        )
        assert near(
            efforts(changed(case, motion=back, spin_rate=-case.spin_rate)), efforts(case), 1e-12
        )


@pytest.mark.parametrize("kind", LEGS_WITHOUT_SPIN)
def test_three_fold_symmetry_repeats_the_efforts(kind: str) -> None:
    """Two random legs repeated at 0, 120 and 240 deg, moving along and about the axis: three equal pairs."""
    seen = 0
    for case in cases(kind, 12, states=1, seed=33):
        p = case.platform
        turns = [rotation_z(2 * np.pi / 3 * i) for i in range(3)]
        legs = [
            turned_leg(leg, Q).replace(joint=Q @ leg.joint) for Q in turns for leg in p.legs[:2]
        ]
        body = Body(p.body.mass, [0, 0, 0.1], [1.0, 1.0, 1.6])
        assert p.home is not None
        t = np.array([0.0, 0.0, p.home.position[2]])
        symmetric = Platform(body, legs, (0, 0, -9.81))
        if any(_unreachable(leg, t) for leg in legs) or not clear(symmetric, t, np.eye(3)):
            continue
        z = np.array([0.0, 0.0, 1.0])
        motion = Motion(t, np.eye(3), 1.5 * z, 3 * z, -12 * z, 30 * z)
        found = gough.inverse_dynamics(symmetric, motion, **plain(case)).force
        assert near(np.tile(found[:2], 3), found, 1e-11)
        seen += 1
    assert seen >= 3


def _unreachable(leg: Leg, t: Array) -> bool:
    from oracles.closure import closure

    return closure(leg, t + leg.joint) is None


@pytest.mark.parametrize("kind", KINDS)
def test_heavier_in_proportion_means_proportional_efforts(kind: str) -> None:
    def heavier(b: Body) -> Body:
        return Body(3 * b.mass, b.center, 3 * b.inertia)

    for case in cases(kind, 3, seed=34):
        legs = []
        for leg in case.platform.legs:
            f = leg.friction
            parts = [name for name in ("lower", "upper", "link", "crank") if hasattr(leg, name)]
            change: dict[str, object] = {name: heavier(getattr(leg, name)) for name in parts}
            if isinstance(leg, PUS):
                change["slider_mass"] = 3 * leg.slider_mass
            change["friction"] = Friction(3 * f.universal, 3 * f.prismatic, 3 * f.spherical)
            if leg.drive is not None:
                change["drive"] = leg.drive.replace(rotor_inertia=3 * leg.drive.rotor_inertia)
            legs.append(leg.replace(**change))
        p = case.platform
        heavy = changed(
            case, platform=Platform(heavier(p.body), legs, p.gravity), external=3 * case.external
        )
        assert near(efforts(heavy), 3 * efforts(case), 1e-12)


@pytest.mark.parametrize("kind", EACH_TYPE)
def test_leg_rates_and_accelerations_follow_from_the_jacobian(kind: str) -> None:
    for case in cases(kind, 2, states=5, seed=35):
        m = case.motion
        u = np.concatenate([m.velocity, m.angular_velocity], axis=-1)
        legs = gough.inverse_kinematics(case.platform, m, **plain(case))
        J = gough.jacobian(case.platform, m.pose)
        assert near(np.einsum("nij,nj->ni", J, u), legs.rate, 1e-12)
        ud = np.concatenate([m.acceleration, m.angular_acceleration], axis=-1)
        Jd = gough.jacobian_dot(case.platform, m)
        assert near(
            np.einsum("nij,nj->ni", J, ud) + np.einsum("nij,nj->ni", Jd, u),
            legs.acceleration,
            1e-12,
        )


@pytest.mark.parametrize("kind", EACH_TYPE)
def test_equation_of_motion_closes(kind: str) -> None:
    """M xdd + b = J^T F + wrench."""
    for case in cases(kind, 3, states=5, seed=36):
        m, R = case.motion, case.motion.rotation
        ud = np.concatenate([m.acceleration, m.angular_acceleration], axis=-1)
        M = gough.mass_matrix(case.platform, m.pose, **plain(case))
        b = gough.bias(case.platform, m, **plain(case))
        wrench = np.concatenate(
            [(R @ case.external[:, :3, None])[..., 0], (R @ case.external[:, 3:, None])[..., 0]],
            axis=-1,
        )
        J = gough.jacobian(case.platform, m.pose)
        assert near(
            np.einsum("nij,nj->ni", M, ud) + b,
            np.einsum("nji,nj->ni", J, efforts(case)) + wrench,
            1e-12,
        )
