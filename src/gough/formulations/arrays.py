"""The machine's data and its motion as arrays, for formulations that handle all legs at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, array, batch_shape
from gough.formulations.linear import Numbers, apply, cross, join, transpose
from gough.model import UCU, Leg, Platform
from gough.spatial import Motion


def wrench_matrix(s: Numbers, q: Numbers) -> Numbers:
    """``H`` (..., 6, 6) with columns ``(s_i, q_i x s_i)``: unit forces along s at q from the reference point."""
    return transpose(np.concatenate([s, cross(q, s)], axis=-1))


def effort_wrenches(platform: Platform, s: Numbers, q: Numbers, J: Numbers) -> Numbers:
    """`wrench_matrix` with the wrenches of unit efforts, rows of J (..., 6, 6), for legs driven by screws."""
    H = wrench_matrix(s, q)
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, UCU) and leg.screw is not None:
            H[..., :, i] = J[..., i, :]
    return H


def world_wrench(R: Numbers, external: ArrayLike | None) -> Numbers:
    """``(R F, R M)`` (..., 6) of an external wrench in platform axes; zero for none."""
    if external is None:
        return np.zeros(6)
    load = array("external", external, (6,))
    batch_shape("external", R.shape[:-2], load.shape[:-1])
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
    x = motion
    twist, accel = (x.velocity, x.angular_velocity), (x.acceleration, x.angular_acceleration)
    return MotionArrays(x.position, x.rotation, *twist, *accel)


def column(items: Iterable[object], name: str) -> Array:
    """The array over `items` of an attribute; "upper.mass" reaches inside."""
    return np.array([attrgetter(name)(item) for item in items])


def columns(items: Sequence[object], names: str) -> list[Array]:
    """`column` for each of the names, separated by spaces."""
    return [column(items, name) for name in names.split()]


def frictions(legs: Sequence[Leg]) -> list[Array]:
    """Viscous coefficients (n,) of universal, prismatic and spherical joints: C_u, C_p, C_s."""
    return columns(legs, "friction.universal friction.prismatic friction.spherical")


def rotors(legs: Sequence[Leg]) -> tuple[Array, Array, Array]:
    """m_r (n,) reflected inertia; gam (n,) and axis (n, 3) in leg axes of motors that ride on their leg, else zero.

    A screw turns with its motor: its share is in m_r, and gam times axis is the angular momentum of both per rate.
    """
    riding = [leg.drive if leg.drive and leg.drive.rotor_axis is not None else None for leg in legs]
    m_r = np.array([leg.drive.reflected_inertia if leg.drive else 0.0 for leg in legs])
    gam = np.array([d.ratio * d.rotor_inertia if d else 0.0 for d in riding])
    axis = np.array([d.rotor_axis if d else np.zeros(3) for d in riding])
    for n, leg in enumerate(legs):
        if isinstance(leg, UCU) and leg.screw is not None:
            momentum = leg.screw.inertia * leg.screw.rotor_turns
            m_r[n] += momentum * leg.screw.rotor_turns
            axis[n] = gam[n] * axis[n] + np.array([momentum, 0.0, 0.0])
            gam[n] = 1.0
    return m_r, gam, axis


class PairArrays(NamedTuple):
    """Cylindrical pairs of n UCU legs.

    k, kp    (n, 3) first axes of the universal joints: at the base, world axes; at the platform, platform axes
    h, zero  (n,) travel of the screw per twist, m/rad (0: no screw), and the twist at which it is the leg's length
    C_c      (n,) viscous coefficient;  spring, rest  (n,) torsion spring and the twist at which it is at rest
    above    (n,) screw and rotors ride on the upper part
    """

    k: Array
    kp: Array
    h: Array
    zero: Array
    C_c: Array
    spring: Array
    rest: Array
    above: Array


def pair_arrays(legs: Sequence[UCU]) -> PairArrays:
    """Of UCU legs."""
    joints = columns(legs, "axis platform_axis")
    springs = columns(legs, "friction.cylindrical torsion torsion_rest")
    screws = [leg.screw for leg in legs]
    h = np.array([screw.travel if screw else 0.0 for screw in screws])
    zero = np.array([screw.zero if screw else 0.0 for screw in screws])
    above = np.array([screw is not None and screw.mount == "upper" for screw in screws])
    return PairArrays._make((*joints, h, zero, *springs, above))


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
    places, inertia = "base joint axis", "lower.inertia upper.inertia"
    masses = "lower.mass upper.mass lower.center upper.center"
    data = columns(platform.legs, f"{places} {masses} {inertia}")
    return UPSArrays._make((*data, *frictions(platform.legs), *rotors(platform.legs)))
