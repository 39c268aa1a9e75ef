"""Joints as algebraic constraints: value, Jacobian and acceleration side, vectorized over the legs.

Every joint is made of five kinds of rows between two bodies i and j (a sixth, of screws: pairs.py).  Body speeds are
``u = (v, w)``: velocity of the mass center and angular velocity, world axes, so that a multiplier is a force
or a couple in world axes.  With ``Phi`` the rows, ``Phi_q u + Phi_t = 0`` and ``Phi_q ud = gamma``.

Each kind holds index arrays over its legs: ``i, j (n,)`` bodies, local points and directions ``(n, 3)``.
Methods take a `BodyState` and return arrays with the leading batch axes, then legs n, then rows k:
``value (..., n, k)``, ``jacobian`` the pair of blocks ``(..., n, k, 6)`` on body i and on body j,
``gamma (..., n, k)`` with the accelerations' coefficients left out (constant-time part only).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.formulations.linear import apply, centripetal, cross, dot, skew, transpose

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class BodyState:
    """Bodies in space: 13 moving ones and, last, the ground.

    r (..., 14, 3) mass centers, m;  A (..., 14, 3, 3) rotations local -> world;
    v, w (..., 14, 3) velocity of the mass center and angular velocity, world axes
    """

    r: Array
    A: Array
    v: Array
    w: Array

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch axes."""
        return self.r.shape[:-2]

    @property
    def speeds(self) -> Array:
        """``u`` of the 13 moving bodies, (..., 78)."""
        return np.concatenate([self.v, self.w], axis=-1)[..., :-1, :].reshape(*self.shape, -1)

    def to_world(self, body: Index, x: Array) -> Array:
        """Local vectors x (n, 3) of the bodies (n,) in world axes, (..., n, 3)."""
        return apply(self.A[..., body, :, :], x)

    def with_speeds(self, u: Array) -> BodyState:
        """The same configuration with other speeds ``u`` (..., 78)."""
        u = u.reshape(*u.shape[:-1], -1, 6)
        ground = np.zeros((*u.shape[:-2], 1, 6), dtype=u.dtype)
        u = np.concatenate([u, ground], axis=-2)
        return BodyState(self.r, self.A, u[..., :3], u[..., 3:])


@dataclass(frozen=True, eq=False)
class Joint(ABC):
    """One kind of rows over n legs, between bodies i and j (n,)."""

    rows: ClassVar[int]
    i: Index
    j: Index

    @abstractmethod
    def value(self, state: BodyState) -> Array: ...
    @abstractmethod
    def jacobian(self, state: BodyState) -> tuple[Array, Array]: ...
    @abstractmethod
    def gamma(self, state: BodyState) -> Array: ...

    def turning(self, state: BodyState) -> tuple[Array, Array]:
        """Angular velocities of both bodies (..., n, 3)."""
        return state.w[..., self.i, :], state.w[..., self.j, :]


def _couples(on_i: Array, on_j: Array) -> tuple[Array, Array]:
    """Jacobian blocks (..., k, 6) of rows that only feel rotation, from their parts (..., k, 3)."""
    zero = np.zeros_like(on_i)
    return np.concatenate([zero, on_i], axis=-1), np.concatenate([zero, on_j], axis=-1)


def _second_rate(a: Array, b: Array, ad: Array, bd: Array, add: Array, bdd: Array) -> Array:
    """Second derivative of ``a . b``, (..., 1)."""
    return (dot(add, b) + 2 * dot(ad, bd) + dot(a, bdd))[..., None]


@dataclass(frozen=True, eq=False)
class Coincide(Joint):
    """Two points fall together: ``r_i + A_i p_i - r_j - A_j p_j = 0`` (003 eqs 2, 3).

    The multiplier is the force that body i exerts on body j at the point.
    """

    p_i: Array
    p_j: Array
    rows = 3

    def value(self, state: BodyState) -> Array:
        at_i = state.r[..., self.i, :] + state.to_world(self.i, self.p_i)
        return at_i - state.r[..., self.j, :] - state.to_world(self.j, self.p_j)

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        e_i, e_j = state.to_world(self.i, self.p_i), state.to_world(self.j, self.p_j)
        E = np.broadcast_to(np.eye(3, dtype=e_i.dtype), (*e_i.shape, 3))
        on_i, on_j = (
            np.concatenate([E, -skew(e_i)], axis=-1),
            np.concatenate([-E, skew(e_j)], axis=-1),
        )
        return on_i, on_j

    def gamma(self, state: BodyState) -> Array:
        w_i, w_j = self.turning(state)
        of_i = centripetal(w_i, state.to_world(self.i, self.p_i))
        return centripetal(w_j, state.to_world(self.j, self.p_j)) - of_i


@dataclass(frozen=True, eq=False)
class Lock(Joint):
    """No relative rotation: ``sum_k A_i e_k x A_j e_k / 2 = 0`` (what 003 eq 4 means, without Euler angles).

    On the constraint the rate is ``w_j - w_i``; the multiplier is the couple of body j on body i.
    """

    rows = 3

    def _relative(self, state: BodyState) -> Array:
        """``G = A_j A_i^T``."""
        return state.A[..., self.j, :, :] @ transpose(state.A[..., self.i, :, :])

    def value(self, state: BodyState) -> Array:
        G = self._relative(state)
        twice = G - transpose(G)
        return 0.5 * np.stack([twice[..., 2, 1], twice[..., 0, 2], twice[..., 1, 0]], axis=-1)

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        G = self._relative(state)
        trace = np.trace(G, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
        return _couples(-0.5 * (trace - transpose(G)), 0.5 * (trace - G))

    def gamma(self, state: BodyState) -> Array:
        (w_i, w_j), G = self.turning(state), self._relative(state)
        Gd = skew(w_j) @ G - G @ skew(w_i)
        trace = np.trace(Gd, axis1=-2, axis2=-1)[..., None]
        return -0.5 * (trace * (w_j - w_i) - apply(Gd, w_j) + apply(transpose(Gd), w_i))


@dataclass(frozen=True, eq=False)
class Perpendicular(Joint):
    """Two directions stay square: ``(A_i a_i) . (A_j a_j) = 0``: the cross of a universal joint.

    The multiplier times ``A_i a_i x A_j a_j`` is the couple of body i on body j.
    """

    a_i: Array
    a_j: Array
    rows = 1

    def _directions(self, state: BodyState) -> tuple[Array, Array]:
        return state.to_world(self.i, self.a_i), state.to_world(self.j, self.a_j)

    def value(self, state: BodyState) -> Array:
        a, b = self._directions(state)
        return dot(a, b)[..., None]

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        n = cross(*self._directions(state))[..., None, :]
        return _couples(n, -n)

    def gamma(self, state: BodyState) -> Array:
        (a, b), (w_i, w_j) = self._directions(state), self.turning(state)
        rates = cross(w_i, a), cross(w_j, b), centripetal(w_i, a), centripetal(w_j, b)
        return -_second_rate(a, b, *rates)


@dataclass(frozen=True, eq=False)
class Slide(Joint):
    """Distance along a direction of body i: ``(A_i n) . (P_j - P_i) - c = 0`` (003 eqs 5-8; eq 10 as driver).

    ``c`` is zero for the lateral rows of a prismatic joint; a driver subtracts its ``c(t)`` afterwards.
    The multiplier is the force of body j on body i along ``A_i n``, acting at ``P_j``.
    """

    n: Array
    p_i: Array
    p_j: Array
    rows = 1

    def _vectors(self, state: BodyState) -> tuple[Array, Array, Array, Array]:
        """Direction, arm on i, arm on j, ``P_j - P_i``."""
        e_i, e_j = state.to_world(self.i, self.p_i), state.to_world(self.j, self.p_j)
        apart = state.r[..., self.j, :] + e_j - state.r[..., self.i, :] - e_i
        return state.to_world(self.i, self.n), e_i, e_j, apart

    def value(self, state: BodyState) -> Array:
        n, _, _, d = self._vectors(state)
        return dot(n, d)[..., None]

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        n, e_i, e_j, d = self._vectors(state)
        on_i = np.concatenate([-n, cross(n, d + e_i)], axis=-1)
        on_j = np.concatenate([n, cross(e_j, n)], axis=-1)
        return on_i[..., None, :], on_j[..., None, :]

    def gamma(self, state: BodyState) -> Array:
        (n, e_i, e_j, d), (w_i, w_j) = self._vectors(state), self.turning(state)
        rate = state.v[..., self.j, :] + cross(w_j, e_j) - state.v[..., self.i, :] - cross(w_i, e_i)
        second = centripetal(w_j, e_j) - centripetal(w_i, e_i)
        return -_second_rate(n, d, cross(w_i, n), rate, centripetal(w_i, n), second)


@dataclass(frozen=True, eq=False)
class Angle(Joint):
    """Angle of a direction of body j about a fixed shaft: ``atan2(a.(e x x), a.x) - c = 0``, ``a = A_j x``.

    i is the ground; x is square to the shaft e.  The multiplier is the torque of body j on the ground.
    """

    shaft: Array
    x: Array
    rows = 1

    def _turned(self, state: BodyState) -> tuple[Array, Array, Array, Array]:
        """a, ``y = e x x``, a.x and a.y."""
        a, y = state.to_world(self.j, self.x), cross(self.shaft, self.x)
        return a, y, dot(a, self.x), dot(a, y)

    def value(self, state: BodyState) -> Array:
        _, _, X, Y = self._turned(state)
        return np.arctan2(Y, X)[..., None]

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        a, y, X, Y = self._turned(state)
        X, Y = X[..., None], Y[..., None]
        on_j = (X * cross(a, y) - Y * cross(a, self.x)) / (X * X + Y * Y)
        return _couples(np.zeros_like(on_j)[..., None, :], on_j[..., None, :])

    def gamma(self, state: BodyState) -> Array:
        (a, y, X, Y), w = self._turned(state), state.w[..., self.j, :]
        ad, add = cross(w, a), centripetal(w, a)
        Xd, Yd, Xdd, Ydd = dot(ad, self.x), dot(ad, y), dot(add, self.x), dot(add, y)
        N = X * X + Y * Y
        second = (X * Ydd - Y * Xdd) / N - 2 * (X * Yd - Y * Xd) * (X * Xd + Y * Yd) / N**2
        return -second[..., None]
