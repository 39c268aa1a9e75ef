"""Linear algebra over leading axes and the machine's data as arrays: what formulations share, and no derivation.

Everything keeps the kind of number it is given: floats, complex steps, numbers that count operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, array
from gough.model import Leg, Platform
from gough.spatial import Motion

Numbers = np.ndarray[Any, np.dtype[Any]]  # float, complex or counting entries


def cross(a: Numbers, b: Numbers) -> Numbers:
    """``a x b`` over the last axis."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def dot(a: Numbers, b: Numbers) -> Numbers:
    """``a . b`` over the last axis."""
    return (a * b).sum(axis=-1)


def apply(M: Numbers, v: Numbers) -> Numbers:
    """``M v`` over the last axes."""
    return (M @ v[..., None])[..., 0]


def transpose(M: Numbers) -> Numbers:
    """``M^T`` over the last two axes."""
    return np.swapaxes(M, -1, -2)


def outer(a: Numbers, b: Numbers) -> Numbers:
    """``a b^T`` over the last axis of each."""
    return a[..., :, None] * b[..., None, :]


def skew(v: Numbers) -> Numbers:
    """``[v]x`` with ``[v]x u = v x u``."""
    K = np.zeros((*v.shape, 3), dtype=v.dtype)
    K[..., 2, 1], K[..., 0, 2], K[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    K[..., 1, 2], K[..., 2, 0], K[..., 0, 1] = -v[..., 0], -v[..., 1], -v[..., 2]
    return K


def centripetal(w: Numbers, r: Numbers) -> Numbers:
    """``w x (w x r)``."""
    return cross(w, cross(w, r))


def join(*blocks: Numbers) -> Numbers:
    """Blocks side by side on the last axis, their batches broadcast: force and moment, velocity and turning."""
    shape = np.broadcast_shapes(*(block.shape[:-1] for block in blocks))
    return np.concatenate(
        [np.broadcast_to(block, (*shape, block.shape[-1])) for block in blocks], axis=-1
    )


def solve(A: Array, b: Array, refusal: str) -> Array:
    """``A x = b`` for vectors b (..., n); a singular A is refused with a sentence."""
    return solve_columns(A, b[..., None], refusal)[..., 0]


def solve_columns(A: Array, B: Array, refusal: str) -> Array:
    """``A X = B`` for matrices B (..., n, m)."""
    try:
        return np.asarray(np.linalg.solve(A, B), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InfeasibleError(refusal) from None


def require_positive(values: Array, index: Sequence[int], refusal: str) -> None:
    """Refuse where values (..., n) of the legs `index` are not above zero (or are not numbers)."""
    bad = np.logical_not(values > 0)
    if bad.any():
        raise InfeasibleError(f"leg {index[int(np.nonzero(bad)[-1][0])] + 1}: {refusal}")


def wrench_matrix(s: Numbers, q: Numbers) -> Numbers:
    """``H`` (..., 6, 6) with columns ``(s_i, q_i x s_i)``: unit forces along s at q from the reference point."""
    return transpose(np.concatenate([s, cross(q, s)], axis=-1))


def world_wrench(R: Numbers, external: ArrayLike | None) -> Numbers:
    """``(R F, R M)`` (..., 6) of an external wrench in platform axes; zero for none."""
    if external is None:
        return np.zeros(6)
    load = array("external", external, (6,))
    return join(apply(R, load[..., :3]), apply(R, load[..., 3:]))


class MotionArrays(NamedTuple):
    """Motion of the platform's reference point: position, rotation, twist, acceleration, world axes."""

    t: Array
    R: Array
    v: Array
    w: Array
    a: Array
    al: Array


def motion_arrays(motion: Motion) -> MotionArrays:
    """The arrays of a motion."""
    return MotionArrays(
        motion.position,
        motion.rotation,
        motion.velocity,
        motion.angular_velocity,
        motion.acceleration,
        motion.angular_acceleration,
    )


def column(items: Iterable[object], name: str) -> Array:
    """The array over `items` of an attribute; "upper.mass" reaches inside."""
    return np.array([attrgetter(name)(item) for item in items])


def columns(items: Sequence[object], *names: str) -> list[Array]:
    """`column` for each name."""
    return [column(items, name) for name in names]


def frictions(legs: Sequence[Leg]) -> list[Array]:
    """Viscous coefficients (n,) of universal, prismatic and spherical joints: C_u, C_p, C_s."""
    return columns(legs, "friction.universal", "friction.prismatic", "friction.spherical")


def rotors(legs: Sequence[Leg]) -> tuple[Array, Array, Array]:
    """m_r (n,) reflected inertia; gam (n,) and axis (n, 3) in leg axes of motors that ride on their leg, else zero."""
    riding = [leg.drive if leg.drive and leg.drive.rotor_axis is not None else None for leg in legs]
    return (
        np.array([leg.drive.reflected_inertia if leg.drive else 0.0 for leg in legs]),
        np.array([d.ratio * d.rotor_inertia if d else 0.0 for d in riding]),
        np.array([d.rotor_axis if d else np.zeros(3) for d in riding]),
    )


class UPSArrays(NamedTuple):
    """Six UPS legs: base joint b, platform joint p (in P), fixed universal axis k, lower (d) and upper (u) parts.

    m mass, r0 mass center and I0 tensor about it in leg axes; C friction; m_r, gam, d0: see `rotors`.
    """

    b: Array
    p: Array
    k: Array
    m_d: Array
    m_u: Array
    r_d0: Array
    r_u0: Array
    I_d0: Array
    I_u0: Array
    C_u: Array
    C_p: Array
    C_s: Array
    m_r: Array
    gam: Array
    d0: Array


def ups_arrays(platform: Platform) -> UPSArrays:
    """Leg data of a platform whose six legs are UPS."""
    legs = platform.legs
    b, p, k, m_d, m_u, r_d, r_u, I_d, I_u = columns(
        legs,
        "base",
        "joint",
        "axis",
        "lower.mass",
        "upper.mass",
        "lower.center",
        "upper.center",
        "lower.inertia",
        "upper.inertia",
    )
    C_u, C_p, C_s = frictions(legs)
    return UPSArrays(b, p, k, m_d, m_u, r_d, r_u, I_d, I_u, C_u, C_p, C_s, *rotors(legs))
