"""Joints as algebraic constraints: value, Jacobian and acceleration side, vectorized over the legs.

Every joint of the machine is made of five kinds of rows between two bodies i and j.  Body speeds are
``u = (v, w)``: velocity of the mass center and angular velocity, world axes, so that a multiplier is a force
or a couple in world axes.  With ``Phi`` the rows, ``Phi_q u + Phi_t = 0`` and ``Phi_q ud = gamma``.

Each kind holds index arrays over its legs: ``i, j (n,)`` bodies, local points and directions ``(n, 3)``.
Methods take a `BodyState` and return arrays with the leading batch axes, then legs n, then rows k:
``value (..., n, k)``, ``jacobian`` the pair of blocks ``(..., n, k, 6)`` on body i and on body j,
``gamma (..., n, k)`` with the accelerations' coefficients left out (constant-time part only).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

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


class Joint(Protocol):
    """One kind of rows over n legs."""

    @property
    def i(self) -> Index: ...
    @property
    def j(self) -> Index: ...
    @property
    def rows(self) -> int: ...
    def value(self, state: BodyState) -> Array: ...
    def jacobian(self, state: BodyState) -> tuple[Array, Array]: ...
    def gamma(self, state: BodyState) -> Array: ...


@dataclass(frozen=True, eq=False)
class Coincide:
    """Two points fall together: ``r_i + A_i p_i - r_j - A_j p_j = 0`` (003 eqs 2, 3).

    The multiplier is the force that body i exerts on body j at the point.
    """

    i: Index
    p_i: Array
    j: Index
    p_j: Array
    rows: int = 3

    def value(self, state: BodyState) -> Array:
        at_i = state.r[..., self.i, :] + state.to_world(self.i, self.p_i)
        return at_i - state.r[..., self.j, :] - state.to_world(self.j, self.p_j)

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        blocks = []
        for body, p, sign in ((self.i, self.p_i, 1.0), (self.j, self.p_j, -1.0)):
            block = np.empty((*state.shape, len(body), 3, 6), dtype=state.A.dtype)
            block[..., :3] = sign * np.eye(3)
            block[..., 3:] = -sign * skew(state.to_world(body, p))
            blocks.append(block)
        return blocks[0], blocks[1]

    def gamma(self, state: BodyState) -> Array:
        of_i, of_j = (
            centripetal(state.w[..., body, :], state.to_world(body, p))
            for body, p in ((self.i, self.p_i), (self.j, self.p_j))
        )
        return of_j - of_i


@dataclass(frozen=True, eq=False)
class Lock:
    """No relative rotation: ``sum_k A_i e_k x A_j e_k / 2 = 0`` (what 003 eq 4 means, without Euler angles).

    On the constraint the rate is ``w_j - w_i``; the multiplier is the couple of body j on body i.
    """

    i: Index
    j: Index
    rows: int = 3

    def _relative(self, state: BodyState) -> Array:
        """``G = A_j A_i^T``."""
        return state.A[..., self.j, :, :] @ transpose(state.A[..., self.i, :, :])

    def value(self, state: BodyState) -> Array:
        G = self._relative(state)
        return 0.5 * np.stack(
            [G[..., 2, 1] - G[..., 1, 2], G[..., 0, 2] - G[..., 2, 0], G[..., 1, 0] - G[..., 0, 1]],
            axis=-1,
        )

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        G = self._relative(state)
        trace = np.trace(G, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
        on_i, on_j = (np.zeros((*G.shape[:-1], 6), dtype=G.dtype) for _ in range(2))
        on_i[..., 3:] = -0.5 * (trace - transpose(G))
        on_j[..., 3:] = 0.5 * (trace - G)
        return on_i, on_j

    def gamma(self, state: BodyState) -> Array:
        w_i, w_j, G = state.w[..., self.i, :], state.w[..., self.j, :], self._relative(state)
        Gd = skew(w_j) @ G - G @ skew(w_i)
        trace = np.trace(Gd, axis1=-2, axis2=-1)[..., None]
        return -0.5 * (trace * (w_j - w_i) - apply(Gd, w_j) + apply(transpose(Gd), w_i))


@dataclass(frozen=True, eq=False)
class Perpendicular:
    """Two directions stay square: ``(A_i a_i) . (A_j a_j) = 0``: the cross of a universal joint.

    The multiplier times ``A_i a_i x A_j a_j`` is the couple of body i on body j.
    """

    i: Index
    a_i: Array
    j: Index
    a_j: Array
    rows: int = 1

    def _directions(self, state: BodyState) -> tuple[Array, Array]:
        return state.to_world(self.i, self.a_i), state.to_world(self.j, self.a_j)

    def value(self, state: BodyState) -> Array:
        a, b = self._directions(state)
        return dot(a, b)[..., None]

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        a, b = self._directions(state)
        n = cross(a, b)
        on_i, on_j = (np.zeros((*n.shape[:-1], 1, 6), dtype=n.dtype) for _ in range(2))
        on_i[..., 0, 3:], on_j[..., 0, 3:] = n, -n
        return on_i, on_j

    def gamma(self, state: BodyState) -> Array:
        a, b = self._directions(state)
        w_i, w_j = state.w[..., self.i, :], state.w[..., self.j, :]
        second = (
            dot(centripetal(w_i, a), b)
            + 2 * dot(cross(w_i, a), cross(w_j, b))
            + dot(a, centripetal(w_j, b))
        )
        return -second[..., None]


@dataclass(frozen=True, eq=False)
class Slide:
    """Distance along a direction of body i: ``(A_i n) . (P_j - P_i) - c = 0`` (003 eqs 5-8; eq 10 as driver).

    ``c`` is zero for the lateral rows of a prismatic joint; a driver subtracts its ``c(t)`` afterwards.
    The multiplier is the force of body j on body i along ``A_i n``, acting at ``P_j``.
    """

    i: Index
    n: Array
    p_i: Array
    j: Index
    p_j: Array
    rows: int = 1

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
        n, e_i, e_j, d = self._vectors(state)
        w_i, w_j = state.w[..., self.i, :], state.w[..., self.j, :]
        rate = state.v[..., self.j, :] + cross(w_j, e_j) - state.v[..., self.i, :] - cross(w_i, e_i)
        second = (
            dot(centripetal(w_i, n), d)
            + 2 * dot(cross(w_i, n), rate)
            + dot(n, centripetal(w_j, e_j) - centripetal(w_i, e_i))
        )
        return -second[..., None]


@dataclass(frozen=True, eq=False)
class Angle:
    """Angle of a direction of body j about a fixed shaft: ``atan2(a.(e x x), a.x) - c = 0``, ``a = A_j x``.

    i is the ground; x is square to the shaft e.  The multiplier is the torque of body j on the ground.
    """

    i: Index
    shaft: Array
    x: Array
    j: Index
    rows: int = 1
    y: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "y", cross(self.shaft, self.x))

    def value(self, state: BodyState) -> Array:
        a = state.to_world(self.j, self.x)
        return np.arctan2(dot(a, self.y), dot(a, self.x))[..., None]

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        a = state.to_world(self.j, self.x)
        X, Y = dot(a, self.x)[..., None], dot(a, self.y)[..., None]
        on_j = np.zeros((*a.shape[:-1], 1, 6), dtype=a.dtype)
        on_j[..., 0, 3:] = (X * cross(a, self.y) - Y * cross(a, self.x)) / (X * X + Y * Y)
        return np.zeros_like(on_j), on_j

    def gamma(self, state: BodyState) -> Array:
        a, w = state.to_world(self.j, self.x), state.w[..., self.j, :]
        ad, add = cross(w, a), centripetal(w, a)
        X, Y, Xd, Yd = dot(a, self.x), dot(a, self.y), dot(ad, self.x), dot(ad, self.y)
        N = X * X + Y * Y
        second = (X * dot(add, self.y) - Y * dot(add, self.x)) / N - 2 * (X * Yd - Y * Xd) * (
            X * Xd + Y * Yd
        ) / N**2
        return -second[..., None]
