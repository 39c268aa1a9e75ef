"""Motion of all thirteen bodies from the motion of the platform.

Configuration by geometry (joint points and the leg axes T = [s, y, s x y]); speeds from the constraint
Jacobian itself: with the platform's speeds known, ``Phi_leg u_leg = -Phi_platform u_platform`` has as many
rows as unknowns for UPS, PUS, RUS and UCU, and one less for SPS, where the spin ``w . s`` is added as given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, array, batch_shape
from gough.formulations.linear import apply, cross, dot, skew, solve
from gough.formulations.multibody.assembly import GROUND, Assembly, assemble
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.pairs import Helix
from gough.model import PUS, RUS, SPS, UCU, UPS, Platform
from gough.results import Spin
from gough.spatial import Motion, Pose, rotation_x

SpinLike = tuple[ArrayLike, ArrayLike] | Spin
"""Spin of the six legs: angle (..., 6) about s from the leg's reference, rad, and rate ``w . s``, rad/s."""
PARALLEL = 1e-6  # |k x s| below which a leg counts as lying along its universal axis, or SPS leg along its reference


def leg_axes(s: Array, k: Array, name: str) -> Array:
    """``T = [s, y, s x y]``, ``y = k x s / |k x s|`` as columns; refuses a leg along k."""
    y = cross(np.broadcast_to(k, s.shape), s)
    size = np.linalg.norm(y, axis=-1, keepdims=True)
    if (size < PARALLEL).any():
        raise InfeasibleError(
            f"{name}: the leg lies along its universal joint axis; spin undetermined"
        )
    y = y / size
    return np.stack([s, y, cross(s, y)], axis=-1)


def _free_axes(s: Array, k: Array) -> Array:
    """Some leg axes for a leg whose spin does not matter: k is replaced where it is too close to s."""
    k = np.broadcast_to(k, s.shape)
    other = np.eye(3)[np.argmin(np.abs(s), axis=-1)]
    near = np.abs(dot(k, s)) > 1 - 1e-6
    return leg_axes(s, np.where(near[..., None], other, k), "leg")


def spin_pair(spin: SpinLike) -> tuple[ArrayLike, ArrayLike]:
    """Angle and rate of whatever form `spin` was given in."""
    if isinstance(spin, tuple) and len(spin) == 2:
        return spin
    if not (hasattr(spin, "angle") and hasattr(spin, "rate")):
        raise InputError("spin", spin, "must be a gough.Spin(angle, rate)")
    return spin.angle, spin.rate  # type: ignore[union-attr]


def check_spin(platform: Platform, spin: SpinLike | None) -> tuple[Array, Array]:
    """Spin angle (rad) and rate ``w . s`` (rad/s), each (..., 6); zero where a leg is free of spin.

    Needed for SPS legs for which zero spin is no consistent motion: their spin is a state of its own.
    """
    needed = [
        i for i, leg in enumerate(platform.legs) if isinstance(leg, SPS) and not leg.spin_free
    ]
    if spin is None:
        if needed:
            allowed = "give spin=(angle, rate), each (..., 6), rad and rad/s"
            legs = f"legs {[i + 1 for i in needed]} (SPS) spin by dynamics of their own"
            raise InputError("spin", None, f"{legs}: {allowed}")
        return np.zeros(6), np.zeros(6)
    angle, rate = spin_pair(spin)
    return array("spin angle", angle, (6,)), array("spin rate", rate, (6,))


def _two_part(
    leg: UPS | SPS | UCU, P: Array, angle: Array, name: str, top: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """top: first axis of the universal joint at the platform (UCU), world axes."""
    S = P - leg.base
    L = np.linalg.norm(S, axis=-1, keepdims=True)
    if (L <= 0).any():
        raise InfeasibleError(f"{name}: the platform joint lies on the base joint")
    s = S / L
    if not isinstance(leg, SPS):
        T = leg_axes(s, leg.axis, name)
    elif not leg.reads_reference:
        T = _free_axes(s, leg.reference)
    else:
        T = leg_axes(s, leg.reference, name) @ rotation_x(angle)
    U = leg_axes(s, top, name) if isinstance(leg, UCU) else T
    return P + apply(U, leg.upper.center), U, leg.base + apply(T, leg.lower.center), T, L[..., 0]


def _slider(leg: PUS, P: Array, name: str) -> tuple[Array, Array, Array, Array, Array]:
    d = P - leg.base
    along = dot(d, leg.rail)
    square = leg.length**2 - dot(d, d) + along**2
    if (square <= 0).any():
        raise InfeasibleError(f"{name}: out of reach: the joint is too far from the rail")
    l = along - leg.assembly * np.sqrt(square)
    joint = leg.base + l[..., None] * leg.rail
    T = leg_axes((P - joint) / leg.length, leg.axis, name)
    E = np.broadcast_to(np.eye(3), T.shape)
    return joint + apply(T, leg.link.center), T, joint + leg.slider_center, E, l


def _crank(leg: RUS, P: Array, name: str) -> tuple[Array, Array, Array, Array, Array]:
    """Circle of the crank tip met with the sphere of the rod about the platform joint."""
    e, d = leg.shaft, P - leg.base
    h = float(e @ leg.arm)
    u = leg.arm - h * e
    across = cross(e, u)
    a, b = dot(d, u), dot(d, across)
    reach = np.hypot(a, b)
    need = (dot(d, d) + leg.arm @ leg.arm - leg.length**2) / 2 - h * dot(d, e)
    if (np.abs(need) >= reach).any():
        raise InfeasibleError(f"{name}: out of reach of crank and rod")
    theta = np.arctan2(b, a) + leg.elbow * np.arccos(need / reach)
    theta = np.arctan2(np.sin(theta), np.cos(theta))
    cos, sin = np.cos(theta)[..., None, None], np.sin(theta)[..., None, None]
    K = skew(e)
    C = np.eye(3) + sin * K + (1 - cos) * (K @ K)
    tip = leg.base + apply(C, np.broadcast_to(leg.arm, d.shape))
    T = leg_axes((P - tip) / leg.length, apply(C, np.broadcast_to(leg.axis, d.shape)), name)
    center = leg.base + apply(C, np.broadcast_to(leg.crank.center, d.shape))
    return tip + apply(T, leg.link.center), T, center, C, theta


def configuration(
    platform: Platform, pose: Pose | Motion, angle: Array | None = None
) -> tuple[BodyState, Array]:
    """Bodies at rest in `pose`, and the actuator coordinates (..., 6)."""
    angle = np.zeros(6) if angle is None else angle
    t, R = np.asarray(pose.position), np.asarray(pose.rotation)
    shape = batch_shape("spin", t.shape[:-1], angle.shape[:-1])
    angle = np.broadcast_to(angle, (*shape, 6))
    r, A = np.zeros((*shape, 14, 3)), np.zeros((*shape, 14, 3, 3))
    A[..., GROUND, :, :] = np.eye(3)
    r[..., 0, :], A[..., 0, :, :] = t + apply(R, platform.body.center), R
    coordinate = np.empty((*shape, 6))
    for i, leg in enumerate(platform.legs):
        P, name = np.broadcast_to(t + apply(R, leg.joint), (*shape, 3)), platform.leg_names[i]
        if isinstance(leg, (UPS, SPS, UCU)):
            top = apply(R, leg.platform_axis) if isinstance(leg, UCU) else P
            found = _two_part(leg, P, angle[..., i], name, top)
        elif isinstance(leg, PUS):
            found = _slider(leg, P, name)
        else:
            assert isinstance(leg, RUS)
            found = _crank(leg, P, name)
        r[..., 1 + i, :], A[..., 1 + i, :, :] = found[0], found[1]
        r[..., 7 + i, :], A[..., 7 + i, :, :], coordinate[..., i] = found[2], found[3], found[4]
    zero = np.zeros_like(r)
    state = BodyState(r, A, zero, zero)
    for block in assemble(platform).blocks:
        if isinstance(block.joint, Helix):
            coordinate[..., block.legs] = block.joint.value(state)[..., 0]
    return state, coordinate


def body_motion(
    platform: Platform, motion: Motion, spin: SpinLike | None = None
) -> tuple[BodyState, Array]:
    """All bodies with their speeds, and the actuator coordinates (..., 6)."""
    angle, rate = check_spin(platform, spin)
    state, coordinate = configuration(platform, motion, angle)
    u = np.zeros((*state.shape, 78))
    arm = apply(motion.rotation, platform.body.center)
    u[..., :3] = motion.velocity + cross(motion.angular_velocity, arm)
    u[..., 3:6] = motion.angular_velocity
    assembly = assemble(platform)
    Phi = assembly.jacobian(state)
    for i in range(6):
        u[..., assembly.leg_columns[i]] = _leg_speeds(
            assembly, state, Phi, u[..., :6], np.broadcast_to(rate[..., i], state.shape), i
        )
    return state.with_speeds(u), coordinate


def _leg_speeds(
    assembly: Assembly, state: BodyState, Phi: Array, platform_speeds: Array, spin: Array, i: int
) -> Array:
    rows = Phi[..., assembly.leg_rows[i], :]
    left, right = rows[..., assembly.leg_columns[i]], -apply(rows[..., :6], platform_speeds)
    if isinstance(assembly.platform.legs[i], SPS):
        row = np.zeros((*state.shape, 1, 12))
        row[..., 0, 9:] = state.A[..., 7 + i, :, 0]
        left, right = (
            np.concatenate([left, row], axis=-2),
            np.concatenate([right, spin[..., None]], axis=-1),
        )
    return solve(left, right, f"{assembly.platform.leg_names[i]}: singular configuration")
