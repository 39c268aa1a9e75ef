"""Generalized coordinates ``x = (x, y, z, psi, theta, phi)`` of the platform.  [Lopes] 002, Sec. 2

``R = Rz(psi) Ry(theta) Rx(phi) R0`` (eq 4) with a constant ``R0``.  The paper has ``R0 = 1`` (chart "euler");
``R0`` equal to the present rotation puts the three angles at zero (chart "local"), where the rate matrix is a
permutation, so that every orientation of the platform is as good as any other.
All functions accept complex numbers: the derivatives are taken by complex step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError, InputError
from gough.formulations.linear import Numbers
from gough.spatial import Pose

STEP = 1e-30  # imaginary step: its square vanishes beside one, so the derivative has no truncation error
GIMBAL = 1e-8  # smallest |cos theta| at which Euler rates still mean anything


@dataclass(frozen=True)
class Chart:
    """Coordinates `x` (..., 6) around the rotation `origin` R0 (..., 3, 3)."""

    x: Array
    origin: Array

    @classmethod
    def at(cls, pose: Pose, kind: str) -> Chart:
        """The chart `kind` ("local" or "euler") with its coordinates of `pose`."""
        angles = np.zeros_like(pose.position)
        if kind == "local":
            return cls(np.concatenate([pose.position, angles], axis=-1), pose.rotation)
        if kind != "euler":
            raise InputError("chart", kind, 'must be "local" or "euler"')
        angles = np.array(pose.rpy[..., ::-1])
        if (np.abs(np.cos(angles[..., 1])) < GIMBAL).any():
            raise InfeasibleError(
                "the Euler angles are singular at theta = ±90°; use chart='local'"
            )
        return cls(
            np.concatenate([pose.position, angles], axis=-1),
            np.broadcast_to(np.eye(3), pose.rotation.shape),
        )

    def steps(self) -> Numbers:
        """``x + i h e_k`` for k = 1..6, shape (6, ..., 6)."""
        unit = np.eye(6).reshape(6, *(1,) * (self.x.ndim - 1), 6)
        return self.x + 1j * STEP * unit


def rotation(x: Numbers, origin: Array) -> Numbers:
    """``R = Rz(psi) Ry(theta) Rx(phi) R0``.  002 eq 4"""
    (cz, cy, cx), (sz, sy, sx) = ([f(x[..., i]) for i in (3, 4, 5)] for f in (np.cos, np.sin))
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2) @ origin


def velocity_map(x: Numbers) -> Numbers:
    """``T = diag(1, J_A)`` with ``(v, omega) = T xdot``.  002 eqs 8, 9, 29"""
    T = np.zeros((*x.shape[:-1], 6, 6), dtype=x.dtype)
    T[..., 0, 0] = T[..., 1, 1] = T[..., 2, 2] = T[..., 5, 3] = 1.0
    psi, theta = x[..., 3], x[..., 4]
    T[..., 3, 4], T[..., 4, 4] = -np.sin(psi), np.cos(psi)
    T[..., 3, 5], T[..., 4, 5] = np.cos(theta) * np.cos(psi), np.cos(theta) * np.sin(psi)
    T[..., 5, 5] = -np.sin(theta)
    return T


def derivative(values: Numbers) -> Array:
    """Derivatives along the six coordinates (axis 0) of what was evaluated at `Chart.steps`."""
    return np.imag(values) / STEP
