"""What a paper prints differs from the right equations by exactly the printed term, no more and no less.

The partial velocities are those of `gough.inverse_kinematics`, which none of the formulations imports.
"""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.formulations import kane, lagrange
from gough.spatial import Motion, Pose
from oracles.machines import case

LINE = 1e-9


@pytest.fixture(scope="module")
def lopes() -> gough.Platform:
    return gough.load("lopes-6pus")


POSE = Pose.from_rpy((0.11, -0.07, 2.04), (0.05, -0.1, 0.2))


def partials(platform: gough.Platform, pose: Pose) -> tuple[Array, Array, Array]:
    """Per unit twist: strut angular velocities (6 legs, 3, 6), rates (6, 6), joint velocities (6, 3, 6)."""
    unit = np.eye(6)
    m = Motion(
        np.tile(pose.position, (6, 1)), np.tile(pose.rotation, (6, 1, 1)), unit[:, :3], unit[:, 3:]
    )
    legs = gough.inverse_kinematics(platform, m)
    q = platform.platform_joints @ pose.rotation.T
    tip = unit[:, None, :3] + np.cross(unit[:, None, 3:], q)
    return legs.angular_velocity.transpose(1, 2, 0), legs.rate.T, tip.transpose(1, 2, 0)


def frame(leg: gough.UPS | gough.PUS, s: Array) -> Array:
    """Axes ``[s, y, s x y]`` of a strut along s, ``y = k x s / |k x s|``."""
    y = np.cross(leg.axis, s)
    y = y / np.linalg.norm(y)
    return np.stack([s, y, np.cross(s, y)], axis=1)


def close(found: Array, wanted: Array) -> None:
    scale = np.abs(wanted).max()
    assert scale > 0
    np.testing.assert_allclose(found, wanted, atol=LINE * scale, rtol=0)


# --- 002, Lagrange --------------------------------------------------------------------------------------------------


def test_E002_2_is_two_entries_of_the_links_angular_velocity(lopes: gough.Platform) -> None:
    """Eq 63, third row: a_iz stands where a_ix belongs, in the columns of w_x and w_z."""
    W, _, _ = partials(lopes, POSE)
    s = gough.inverse_kinematics(lopes, POSE).direction
    q = lopes.platform_joints @ POSE.rotation.T
    change = np.zeros((6, 6))
    for i, leg in enumerate(lopes.legs):
        a, L = leg.length * s[i], leg.length
        T = frame(leg, s[i])
        inertia, printed = T @ leg.link.inertia @ T.T, W[i].copy()
        printed[2, 3] = -a[2] * q[i, 2] / L**2
        printed[2, 5] = (a[2] * q[i, 0] + a[1] * q[i, 1]) / L**2
        change += printed.T @ inertia @ printed - W[i].T @ inertia @ W[i]
    close(
        lagrange.mass_matrix(lopes, POSE, errata={"E002-2"}) - lagrange.mass_matrix(lopes, POSE),
        change,
    )


def center_velocities(lopes: gough.Platform) -> Array:
    """Of the links' mass centers per unit twist, (6, 3, 6)."""
    W, rate, _ = partials(lopes, POSE)
    s = gough.inverse_kinematics(lopes, POSE).direction
    rails = np.array([leg.rail for leg in lopes.legs])
    arm = np.array([leg.link.center[0] for leg in lopes.legs])[:, None] * s
    return rails[:, :, None] * rate[:, None, :] + np.cross(W, arm[:, :, None], axis=1)


def test_E002_3_is_one_entry_of_the_mass_centers_velocity(lopes: gough.Platform) -> None:
    """Eq 46: -p_y is missing in the first row of J_B, in the column of w_z."""
    right = center_velocities(lopes)
    printed = right.copy()
    q = lopes.platform_joints @ POSE.rotation.T
    part = np.array([leg.link.center[0] / leg.length for leg in lopes.legs])
    printed[:, 0, 5] += part * q[:, 1]
    m = np.array([leg.link.mass for leg in lopes.legs])
    change = np.einsum("i,iab,iac->bc", m, printed, printed) - np.einsum(
        "i,iab,iac->bc", m, right, right
    )
    close(
        lagrange.mass_matrix(lopes, POSE, errata={"E002-3"}) - lagrange.mass_matrix(lopes, POSE),
        change,
    )


def test_E002_5_is_the_slope_of_a_weight_at_the_wrong_height(lopes: gough.Platform) -> None:
    """Eq 69: the slider's coordinate l_i stands where the height of the platform joint belongs."""
    _, rate, tip = partials(lopes, POSE)
    height = tip[:, 2, :] - np.eye(6)[2]  # of R p_i
    share = np.array([leg.link.mass * leg.link.center[0] / leg.length for leg in lopes.legs])
    change = -lopes.gravity[2] * share @ (rate - height)
    still = Motion(POSE.position, POSE.rotation)
    close(lagrange.bias(lopes, still, errata={"E002-5"}) - lagrange.bias(lopes, still), change)


def test_E002_6_is_twice_the_energy_of_the_mass_center(lopes: gough.Platform) -> None:
    """Eq 80: "tra + tra" for the two point masses at the link's ends."""
    _, rate, tip = partials(lopes, POSE)
    rails = np.array([leg.rail for leg in lopes.legs])
    slider = rails[:, :, None] * rate[:, None, :]
    m = np.array([leg.link.mass for leg in lopes.legs])
    part = np.array([leg.link.center[0] / leg.length for leg in lopes.legs])
    right = np.einsum("i,iab,iac->bc", m * part, tip, tip) + np.einsum(
        "i,iab,iac->bc", m * (1 - part), slider, slider
    )
    center = center_velocities(lopes)
    printed = 2 * np.einsum("i,iab,iac->bc", m, center, center)
    options = {"links": "two-mass"}
    found = lagrange.mass_matrix(lopes, POSE, **options, errata={"E002-6"})
    close(found - lagrange.mass_matrix(lopes, POSE, **options), printed - right)


# --- 004, Kane ------------------------------------------------------------------------------------------------------

CASE = case("UPS", seed=731, states=3)


def cost(erratum: str, machine: gough.Platform = CASE.platform, **options: float) -> Array:
    """Forces with a printed error less those without."""
    printed = kane.inverse_dynamics(machine, CASE.motion, errata={erratum}, **options)
    return printed.force - kane.inverse_dynamics(machine, CASE.motion).force


@pytest.mark.parametrize("share", [1.0, 1e-3, 0.0], ids=["rough", "smooth", "none"])
def test_E004_4_is_friction_along_rate_over_length(share: float) -> None:
    legs = gough.inverse_kinematics(CASE.platform, CASE.motion)
    C = share * np.array([leg.friction.prismatic for leg in CASE.platform.legs])
    rubbed = [
        leg.replace(friction=leg.friction.replace(prismatic=c))
        for leg, c in zip(CASE.platform.legs, C, strict=True)
    ]
    wanted = C * np.abs(legs.rate) * legs.rate / legs.length - C * legs.rate
    found = cost("E004-4", CASE.platform.replace(legs=rubbed))
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-9)


def test_E004_3_counts_what_turning_adds_to_accelerations_twice() -> None:
    """``omega x V`` of both parts, and ``s ldd + 2 omega x s ldot`` of the upper one, once more."""
    found = cost("E004-3")
    for n in range(3):
        m = CASE.motion[n]
        legs = gough.inverse_kinematics(CASE.platform, m)
        W, rate, tip = partials(CASE.platform, m.pose)
        twist = np.concatenate([m.velocity, m.angular_velocity])
        load = np.zeros(6)
        for i, leg in enumerate(CASE.platform.legs):
            s, w = legs.direction[i], legs.angular_velocity[i]
            T = frame(leg, s)
            for body, base in ((leg.lower, np.zeros((3, 6))), (leg.upper, tip[i])):
                V = base + np.cross(W[i], (T @ body.center)[:, None], axis=0)
                extra = np.cross(w, V @ twist)
                if body is leg.upper:
                    extra = extra + s * legs.acceleration[i] + 2 * np.cross(w, s) * legs.rate[i]
                load += body.mass * V.T @ extra
        close(found[n], np.linalg.solve(rate.T, load))


def test_E004_5_turns_torques_the_wrong_way() -> None:
    """``T^T`` in place of ``T`` brings ``I al + w x I w`` from the body's axes to the world's."""
    found = cost("E004-5")
    for n in range(3):
        m = CASE.motion[n]
        legs = gough.inverse_kinematics(CASE.platform, m)
        W, rate, _ = partials(CASE.platform, m.pose)
        turn = np.hstack([np.zeros((3, 3)), np.eye(3)])
        parts = [(CASE.platform.body, m.rotation, m.angular_velocity, m.angular_acceleration, turn)]
        for i, leg in enumerate(CASE.platform.legs):
            s = legs.direction[i]
            T = frame(leg, s)
            for body in (leg.lower, leg.upper):
                parts.append(
                    (body, T, legs.angular_velocity[i], legs.angular_acceleration[i], W[i])
                )
        load = np.zeros(6)
        for body, T, w, al, partial in parts:
            torque = body.inertia @ T.T @ al + np.cross(T.T @ w, body.inertia @ T.T @ w)
            load += partial.T @ (T.T - T) @ torque
        close(found[n], np.linalg.solve(rate.T, load))


def test_E004_1_is_a_rotor_smaller_by_the_fourth_power_of_the_pinion() -> None:
    radius = 0.31
    legs = [
        leg.replace(drive=leg.drive.replace(rotor_inertia=radius**4 * leg.drive.rotor_inertia))
        for leg in CASE.platform.legs
    ]
    small = CASE.platform.replace(legs=tuple(legs))
    wanted = kane.inverse_dynamics(small, CASE.motion).force
    right = kane.inverse_dynamics(CASE.platform, CASE.motion).force
    close(cost("E004-1", pinion_radius=radius), wanted - right)
