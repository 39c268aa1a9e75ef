"""003 in its own coordinates: mass centers and fixed-axis angles (theta, beta, gamma) of every body, eq 1.

The paper's axes: Y up, so ``v_paper = Q v``; a leg's local y lies along the leg.  Rotations ``A = Rz Ry Rx``
of each body in these axes; angular velocity in ours ``w = Q^T E(angles) d(angles)/dt``.  Positions stay in
our world axes: only their order would change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError
from gough.formulations.linear import apply, cross, solve, transpose
from gough.formulations.multibody.assembly import COORDINATES, GROUND, Assembly, assemble
from gough.formulations.multibody.balance import body_mass, forces, mass, world_inertia
from gough.formulations.multibody.constraints import BodyState, Index
from gough.formulations.multibody.errata import PRINTED, kept
from gough.model import Platform
from gough.spatial import rotation_from_rpy, rpy_from_rotation, rpy_rate_matrix, rpy_rate_matrix_dot

# Q: our world axes -> the paper's; paper's leg axes -> ours (y -> x)
PAPER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
LOCAL = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
LOCKED = 1e-9  # |cos beta| below which the angles are refused


def local_axes() -> Array:
    """(13, 3, 3) paper's local axes -> ours, for every body."""
    return np.concatenate([PAPER.T[None], np.repeat(LOCAL[None], 12, axis=0)])


def angles(state: BodyState) -> Array:
    """(..., 13, 3) theta, beta, gamma of every body."""
    e = rpy_from_rotation(PAPER @ state.A[..., :GROUND, :, :] @ local_axes())
    if (np.abs(np.cos(e[..., 1])) < LOCKED).any():
        sentence = "gimbal lock: a body's beta is 90 deg, where the angles of 003 have no rates"
        raise InfeasibleError(sentence)
    return e


def rotations(e: Array) -> Array:
    """Our rotation matrices from the paper's angles, (..., 13, 3, 3)."""
    return PAPER.T @ rotation_from_rpy(e) @ transpose(local_axes())


def rate_matrix(e: Array) -> Array:
    """``Q^T E``: angle rates -> angular velocity in our world axes, (..., 13, 3, 3)."""
    return PAPER.T @ rpy_rate_matrix(e)


class EulerSystem:
    """`ConstrainedSystem` in the 78 coordinates q of 003: per body position (ours) and angles (the paper's).

    lengths  time -> (l, ld, ldd) of the six drivers;  errata: printed errors to keep
    """

    def __init__(
        self,
        platform: Platform,
        lengths: Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]],
        errata: Iterable[str] = PRINTED,
    ) -> None:
        self.errata = kept(platform, errata)
        self.assembly: Assembly = assemble(platform)
        self.platform, self.lengths = platform, lengths
        self._lock = next(block for block in self.assembly.blocks if block.name == "lock")
        self._last: tuple[bytes, BodyState, Array] | None = None

    @property
    def size(self) -> tuple[int, int]:
        """78 coordinates, 72 constraints."""
        return COORDINATES, self.assembly.size

    def _here(self, q: Array) -> tuple[BodyState, Array]:
        """Bodies at rest at q and their Jacobian for u; the last one is kept, an integrator asks repeatedly."""
        key = q.tobytes()
        if self._last is None or self._last[0] != key:
            state = self.state(q)
            self._last = (key, state, self.assembly.jacobian(state))
        return self._last[1], self._last[2]

    def state(self, q: Array, qd: Array | None = None) -> BodyState:
        """Bodies at q (..., 78) with rates qd."""
        bodies = q.reshape(*q.shape[:-1], 13, 6)
        shape = bodies.shape[:-2]
        r, A = np.zeros((*shape, 14, 3)), np.empty((*shape, 14, 3, 3))
        r[..., :GROUND, :], A[..., :GROUND, :, :] = bodies[..., :3], rotations(bodies[..., 3:])
        A[..., GROUND, :, :] = np.eye(3)
        rest = BodyState(r, A, np.zeros_like(r), np.zeros_like(r))
        return rest if qd is None else rest.with_speeds(self.speeds(q, qd))

    def coordinates(self, state: BodyState) -> Array:
        """q (..., 78) of a `BodyState`."""
        q = np.concatenate([state.r[..., :GROUND, :], angles(state)], axis=-1)
        return q.reshape(*state.shape, COORDINATES)

    def speeds(self, q: Array, qd: Array) -> Array:
        """``u = B qd``."""
        return self._times_B(q, qd, rate_matrix(self._angles(q)))

    def drift(self, q: Array, qd: Array) -> Array:
        """``Bd qd``: the part of ``ud`` that is not linear in ``qdd``."""
        e, ed = self._angles(q), qd.reshape(*qd.shape[:-1], 13, 6)[..., 3:]
        out = np.zeros((*ed.shape[:-1], 6))
        out[..., 3:] = apply(PAPER.T @ rpy_rate_matrix_dot(e, ed), ed)
        return out.reshape(qd.shape)

    def rates(self, q: Array, u: Array) -> Array:
        """``qd`` from ``u = B qd``."""
        return self._times_B(q, u, np.linalg.inv(rate_matrix(self._angles(q))).astype(np.float64))

    def _angles(self, q: Array) -> Array:
        return q.reshape(*q.shape[:-1], 13, 6)[..., 3:]

    def _times_B(self, q: Array, x: Array, E: Array) -> Array:
        x = x.reshape(*x.shape[:-1], 13, 6)
        out = np.concatenate([x[..., :3], apply(E, x[..., 3:])], axis=-1)
        return out.reshape(*x.shape[:-2], COORDINATES)

    def _columns(self, rows: Array, q: Array) -> Array:
        """``rows B`` for rows (..., m, 78)."""
        blocks = rows.reshape(*rows.shape[:-1], 13, 6).copy()
        E = rate_matrix(self._angles(q))[..., None, :, :, :]
        blocks[..., 3:] = (blocks[..., None, 3:] @ E)[..., 0, :]
        return blocks.reshape(rows.shape)

    def mass(self, q: Array) -> Array:
        """Printed: constant diagonal.  Right: ``B^T M B``.  Reflected drive inertia is added in both."""
        state, Phi = self._here(q)
        if "E003-1" not in self.errata:
            M = mass(self.assembly, state, Phi)
            return self._columns(transpose(self._columns(M, q)), q)
        if not self.assembly.reflected.any():
            return np.broadcast_to(self._printed, (*state.shape, COORDINATES, COORDINATES))
        drives = mass(self.assembly, state, Phi) - body_mass(self.assembly, state)
        return self._columns(transpose(self._columns(drives, q)), q) + self._printed

    @cached_property
    def _printed(self) -> Array:
        """Sec. 3.1: masses and principal moments on the diagonal."""
        axes = local_axes()
        tensors = transpose(axes) @ self.assembly.inertia @ axes
        principal = np.diagonal(tensors, axis1=-2, axis2=-1)
        masses = np.repeat(self.assembly.mass[:, None], 3, axis=1)
        return np.diag(np.concatenate([masses, principal], axis=1).ravel())

    def force(self, q: Array, v: Array, t: float, external: Array | None = None) -> Array:
        """Printed: weight (eqs 14-16) and friction.  Right: also gyroscopic couples and ``-B^T M Bd qd``."""
        state, Phi = self._here(q)
        state = state.with_speeds(self.speeds(q, v))
        f = forces(self.assembly, state, Phi, None, external)
        if "E003-1" in self.errata:
            w = state.w[..., :GROUND, :]
            gyroscopic = np.zeros((*state.shape, 13, 6))
            gyroscopic[..., 3:] = cross(w, apply(world_inertia(self.assembly, state), w))
            f = f + gyroscopic.reshape(f.shape)
        else:
            f = f - apply(mass(self.assembly, state, Phi), self.drift(q, v))
        return self._columns(f[..., None, :], q)[..., 0, :]

    def damping(self, q: Array, v: Array, t: float) -> Array | None:
        return None

    def constraint(self, q: Array, t: float) -> Array:
        Phi = self.assembly.value(self._here(q)[0])
        e = self._angles(q)
        Phi[..., self._lock.rows] = self._eq4(e[..., 1:7, :] - e[..., 7:13, :])
        Phi[..., self.assembly.driver_rows] -= np.asarray(self.lengths(t)[0], dtype=float)
        return Phi

    def _eq4(self, difference: Array) -> Array:
        if "E003-6" in self.errata:
            difference = difference * np.array([1.0, 1.0, 0.0])
        return difference

    def jacobian(self, q: Array, t: float) -> Array:
        Phi = self._columns(self._here(q)[1], q)
        Phi[..., self._lock.rows.ravel(), :] = 0.0
        on = self._eq4(np.ones(3))
        for i in range(6):
            for k in range(3):
                row = Phi[..., self._lock.rows[i, k], :]
                row[..., 6 * (1 + i) + 3 + k], row[..., 6 * (7 + i) + 3 + k] = on[k], -on[k]
        return Phi

    def constraint_rate(self, t: float) -> Array:
        rate = np.zeros(self.assembly.size)
        rate[self.assembly.driver_rows] = -np.asarray(self.lengths(t)[1], dtype=float)
        return rate

    def gamma(self, q: Array, v: Array, t: float) -> Array:
        state, Phi = self._here(q)
        gamma = self.assembly.gamma(state.with_speeds(self.speeds(q, v))) - apply(
            Phi, self.drift(q, v)
        )
        gamma[..., self._lock.rows] = 0.0
        gamma[..., self.assembly.driver_rows] += np.asarray(self.lengths(t)[2], dtype=float)
        return gamma

    def blocks(self) -> list[Index] | None:
        """One set per leg: its twelve coordinates and its kinematic rows."""
        return self.assembly.leg_unknowns

    def retract(self, q: Array, dx: Array) -> Array:
        return q + dx

    def physical(self, q: Array, multiplier: Array) -> Array:
        """Multipliers of eq 4, conjugate to angles, as couples in world axes ``E^-T lambda`` (E003-2)."""
        out = multiplier.copy()
        E = rate_matrix(self._angles(q))[..., 1:7, :, :]
        couple = multiplier[..., self._lock.rows]
        out[..., self._lock.rows] = solve(transpose(E), couple, "gimbal lock of 003's angles")
        return out
