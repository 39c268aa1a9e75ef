"""Newton-Euler balances of the thirteen bodies: ``M ud + Phi_q^T lambda = f`` (003 eqs 12, 14-17, exact).

M is block diagonal, ``(m E, A I A^T)`` per body, plus the reflected inertia of the drives, which couples the
two bodies of a leg: kinetic energy ``m_r z^2/2 + gam z (d . w)``, ``z = phi u`` the actuator rate, phi its
driving row.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations.linear import apply, cross, transpose
from gough.formulations.multibody.assembly import COORDINATES, Assembly
from gough.formulations.multibody.constraints import BodyState


def world_inertia(assembly: Assembly, state: BodyState) -> Array:
    """``A I A^T`` of the moving bodies, (..., 13, 3, 3)."""
    A = state.A[..., :-1, :, :]
    return A @ assembly.inertia @ transpose(A)


def rotor_rows(assembly: Assembly, state: BodyState) -> Array:
    """Rows delta, ``delta u = d . w`` of what carries the rotor, (..., 6, 78), d the rotor axis in world axes."""
    d = apply(state.A[..., assembly.carrier, :, :], assembly.rotor_axis)
    rows = np.zeros((*state.shape, 6, COORDINATES), dtype=state.A.dtype)
    for i, body in enumerate(assembly.carrier):
        rows[..., i, 6 * body + 3 : 6 * body + 6] = d[..., i, :]
    return rows


def body_mass(assembly: Assembly, state: BodyState) -> Array:
    """The block diagonal part of M: the bodies without the drives' rotors."""
    M = np.zeros((*state.shape, COORDINATES, COORDINATES), dtype=state.A.dtype)
    translation = np.add.outer(6 * np.arange(13), np.arange(3))
    M[..., translation, translation] = assembly.mass[:, None]
    rotation = translation + 3
    M[..., rotation[:, :, None], rotation[:, None, :]] = world_inertia(assembly, state)
    return M


def mass(assembly: Assembly, state: BodyState, Phi: Array | None = None) -> Array:
    """M (..., 78, 78) for the speeds u; `Phi` spares computing the driving rows again."""
    M = body_mass(assembly, state)
    if assembly.reflected.any():
        Phi = assembly.jacobian(state) if Phi is None else Phi
        phi = Phi[..., assembly.driver_rows, :]
        M += transpose(phi) @ (assembly.reflected[:, None] * phi)
        if assembly.rotor.any():
            cross_term = transpose(phi) @ (assembly.rotor[:, None] * rotor_rows(assembly, state))
            M += cross_term + transpose(cross_term)
    return M


def external_wrench(assembly: Assembly, state: BodyState, external: Array | None) -> Array:
    """Wrench (platform axes, at the reference point) moved to the platform's mass center, world axes."""
    if external is None:
        return np.zeros((*state.shape, 6))
    R = state.A[..., 0, :, :]
    F, N = apply(R, external[..., :3]), apply(R, external[..., 3:])
    return np.concatenate([F, N - cross(apply(R, assembly.platform.body.center), F)], axis=-1)


def forces(
    assembly: Assembly,
    state: BodyState,
    Phi: Array,
    gamma: Array | None = None,
    external: Array | None = None,
) -> Array:
    """f (..., 78): weight, gyroscopic couples, friction, drives' velocity terms, wrench; no actuators.

    Phi, gamma: Jacobian and acceleration side at `state` (gamma is computed where a drive needs it).
    """
    w = state.w[..., :-1, :]
    f = np.empty((*state.shape, 13, 6), dtype=state.A.dtype)
    f[..., :3] = assembly.mass[:, None] * assembly.gravity
    f[..., 3:] = -cross(w, apply(world_inertia(assembly, state), w))
    f[..., 0, :] += external_wrench(assembly, state, external)
    _joint_friction(assembly, state, f)
    if assembly.pairs is not None:
        assembly.pairs.add_forces(state, f)
    out = f.reshape(*state.shape, COORDINATES)
    phi = Phi[..., assembly.driver_rows, :]
    z = apply(phi, state.speeds)
    along = -assembly.friction[:, 1] * z
    if assembly.reflected.any():
        gamma = assembly.gamma(state) if gamma is None else gamma
        zd = -gamma[..., assembly.driver_rows]  # d(phi)/dt u
        along = along - assembly.reflected * zd
        if assembly.rotor.any():
            d = apply(state.A[..., assembly.carrier, :, :], assembly.rotor_axis)
            couple = zd[..., None] * d + z[..., None] * cross(state.w[..., assembly.carrier, :], d)
            out = out.reshape(*state.shape, 13, 6)
            out[..., assembly.carrier, 3:] -= assembly.rotor[:, None] * couple
            out = out.reshape(*state.shape, COORDINATES)
    return out + (along[..., None, :] @ phi)[..., 0, :]


def _joint_friction(assembly: Assembly, state: BodyState, f: Array) -> None:
    """Viscous couples in the base-side joints and in the platform joints, added to f (..., 13, 6)."""
    C_u, C_s = assembly.friction[:, :1], assembly.friction[:, 2:]
    if C_u.any():
        base = C_u * (state.w[..., assembly.strut, :] - state.w[..., assembly.support, :])
        f[..., assembly.strut, 3:] -= base
        carried = assembly.support < 13
        f[..., assembly.support[carried], 3:] += base[..., carried, :]
    if C_s.any():
        ball = C_s * (state.w[..., 1:7, :] - state.w[..., :1, :])
        f[..., 1:7, 3:] -= ball
        f[..., 0, 3:] += ball.sum(axis=-2)


def damping(assembly: Assembly, state: BodyState, Phi: Array) -> Array:
    """Viscous matrix D with friction force ``-D u`` (..., 78, 78), for implicit integration."""
    phi = Phi[..., assembly.driver_rows, :]
    D = transpose(phi) @ (assembly.friction[:, 1:2] * phi)
    if assembly.pairs is not None:
        D = D + assembly.pairs.damping(state)
    for i in range(6):
        for coefficient, a, b in (
            (assembly.friction[i, 0], assembly.strut[i], assembly.support[i]),
            (assembly.friction[i, 2], 1 + i, 0),
        ):
            if coefficient == 0.0:
                continue
            rows = [np.arange(6 * a + 3, 6 * a + 6)]
            if b < 13:
                rows.append(np.arange(6 * b + 3, 6 * b + 6))
            for p, m in enumerate(rows):
                for q, n in enumerate(rows):
                    D[..., m, n] += coefficient if p == q else -coefficient
    return D


def energies(assembly: Assembly, state: BodyState) -> tuple[Array, Array]:
    """Kinetic and potential energy of all bodies, J."""
    u = state.speeds
    kinetic = 0.5 * (u * apply(mass(assembly, state), u)).sum(axis=-1)
    potential = -(assembly.mass[:, None] * assembly.gravity * state.r[..., :-1, :]).sum(
        axis=(-2, -1)
    )
    if assembly.pairs is not None:
        potential = potential + assembly.pairs.potential(state)
    return kinetic, potential
