"""Lagrange's equations in platform coordinates.  [Lopes] 002

    I(x) xdd + V(x, xd) xd + G(x) = f,   f = J^T tau + friction + external          (eqs 1, 2, 10-14, 70-79)

Exact for UPS, SPS, PUS and RUS legs in any mixture.  Coordinates ``(x, y, z, psi, theta, phi)``: see `chart`.
The kinetic energy gives I, ``V = (Idot + U^T - U)/2`` with ``U = (1 kron xd^T) dI/dx`` (eqs 76-79), the
potential energy gives ``G = dP/dx``.  Derivatives are taken by complex step, so they are exact to rounding.
Derivation: docs/derivations/lagrange.md.

Models of the fixed-length links (PUS): ``links="complete"``, ``"two-mass"`` (the paper's simplified model,
eqs 80-91) or ``"three-mass"`` (also matches the inertia).  ``published=True`` or ``errata={...}`` keep what
is printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, array
from gough.formulations.lagrange.bodies import Variant
from gough.formulations.lagrange.chart import Chart, derivative, rotation, velocity_map
from gough.formulations.lagrange.energies import Machine, machine
from gough.model import PUS, SPS, Platform
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose

ERRATA = {
    "E002-1": "eqs 55, 59: the link's frame spins, its angular velocity does not",
    "E002-2": "eq 63: a_iz read for a_ix in the third row of J_D",
    "E002-3": "eq 46: entry -p_y of J_B lost",
    "E002-5": "eq 69: (R p_i)_z printed as P_l, read as l_i",
    "E002-6": "eq 80: 'tra + tra' in place of 'tra + rot' in the simplified model",
}
PUBLISHED = frozenset(
    {"E002-1"}
)  # the others are damage of the printed page that no program can have run with
_PRINTED_IN_COMPONENTS = frozenset({"E002-2", "E002-3", "E002-5"})
LINKS = ("complete", "two-mass", "three-mass")


@dataclass(frozen=True)
class Terms:
    """The terms of eq 1 in the coordinates of a chart.

    x, xd, xdd   (..., 6) coordinates, rates, accelerations
    inertia      (..., 6, 6) I;   coriolis (..., 6, 6) V;   gravity (..., 6) G
    gradient     (..., 6, 6, 6) ``dI/dx_k`` with k first: the blocks of eq 78
    map          (..., 6, 6) T of eq 29, ``(v, omega) = T xd``
    friction     (..., 6) generalized friction force, on the right-hand side
    machine      energies and Jacobians in the base frame
    """

    x: Array
    xd: Array
    xdd: Array
    inertia: Array
    coriolis: Array
    gravity: Array
    gradient: Array
    map: Array
    friction: Array
    machine: Machine

    @property
    def generalized_force(self) -> Array:
        """``I xdd + V xd + G`` (..., 6), conjugate to the coordinates.  002 eqs 70-72"""
        return _mv(self.inertia, self.xdd) + _mv(self.coriolis, self.xd) + self.gravity

    @property
    def base_force(self) -> Array:
        """The same as force and moment in the base frame, ``T^-T f``.  002 eq 13"""
        return _solve(_mt(self.map), self.generalized_force)


def inverse_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    published: bool = False,
    errata: Iterable[str] | None = None,
    links: str = "complete",
    end_masses: tuple[float, float] | None = None,
    chart: str = "local",
) -> InverseDynamics:
    """Actuator forces (..., 6), N: ``tau = J^-T (f - friction - external)``.  002 eqs 2, 14

    external    (..., 6) force and moment on the platform at its reference point, platform axes
    published   keep the errors of the printed model that can be computed; `errata` picks them one by one
    links       "complete", "two-mass" or "three-mass" (PUS links)
    end_masses  (m_L1, m_L2) of the two-mass model, at the platform and at the slider, kg
    chart       "local" (good in every orientation) or "euler" (the paper's angles)
    """
    variant = _variant(platform, published, errata, links, end_masses)
    found = _terms(platform, motion, variant, chart)
    f = found.base_force - _solve(_mt(found.map), found.friction)
    if external is not None:
        f = f - _world(array("external", external, (6,)), motion.rotation)
    J = found.machine.J_C
    s, q = found.machine.s, found.machine.q
    H = np.concatenate([s, np.cross(q, s)], axis=-1)
    return InverseDynamics(
        _actuators(J, f),
        _mt(H),
        formulation="lagrange",
        published=bool(variant.errata),
        characteristic_length=platform.characteristic_length,
        extra={"generalized_force": found.generalized_force, "base_force": found.base_force},
    )


def mass_matrix(
    platform: Platform,
    pose: Pose,
    *,
    published: bool = False,
    errata: Iterable[str] | None = None,
    links: str = "complete",
    end_masses: tuple[float, float] | None = None,
) -> Array:
    """Inertia matrix (..., 6, 6) at the reference point, world axes.  002 eq 73 in the base frame"""
    variant = _variant(platform, published, errata, links, end_masses)
    return machine(platform, pose.position, pose.rotation, variant).inertia


def bias(
    platform: Platform,
    motion: Motion,
    *,
    published: bool = False,
    errata: Iterable[str] | None = None,
    links: str = "complete",
    end_masses: tuple[float, float] | None = None,
) -> Array:
    """``b`` (..., 6) of ``M (a, al) + b = J^T tau + external``: velocity, gravity, friction; world axes."""
    still = Motion(motion.position, motion.rotation, motion.velocity, motion.angular_velocity)
    found = _terms(platform, still, _variant(platform, published, errata, links, end_masses), "local")
    return _solve(_mt(found.map), found.generalized_force - found.friction)


def terms(
    platform: Platform,
    motion: Motion,
    *,
    chart: str = "euler",
    published: bool = False,
    errata: Iterable[str] | None = None,
    links: str = "complete",
    end_masses: tuple[float, float] | None = None,
) -> Terms:
    """Inertia, Coriolis and gravity terms in the paper's Euler coordinates, or in the local chart."""
    return _terms(platform, motion, _variant(platform, published, errata, links, end_masses), chart)


def energy(
    platform: Platform,
    motion: Motion,
    *,
    links: str = "complete",
    end_masses: tuple[float, float] | None = None,
) -> tuple[Array, Array]:
    """Kinetic and potential energy (...), J.  002 eqs 15, 66"""
    found = machine(
        platform, motion.position, motion.rotation, _variant(platform, False, None, links, end_masses)
    )
    twist = np.concatenate([motion.velocity, motion.angular_velocity], axis=-1)
    return (twist * _mv(found.inertia, twist)).sum(-1) / 2, found.potential


def parts(
    platform: Platform, pose: Pose, *, links: str = "complete", end_masses: tuple[float, float] | None = None
) -> dict[str, Array]:
    """Equivalent inertia matrices (..., 6, 6) of platform, actuators and links, base frame.  002 eq 73"""
    return machine(
        platform, pose.position, pose.rotation, _variant(platform, False, None, links, end_masses)
    ).parts


def _terms(platform: Platform, motion: Motion, variant: Variant, kind: str) -> Terms:
    chart = Chart.at(motion.pose, kind)
    x, T = chart.x, velocity_map(chart.x)
    here = machine(platform, motion.position, motion.rotation, variant)
    inertia = _mt(T) @ here.inertia @ T  # eqs 28, 41, 50, 65
    steps = chart.steps()
    T_k = velocity_map(steps)
    there = machine(platform, steps[..., :3], rotation(steps, chart.origin), variant)
    gradient = np.moveaxis(derivative(_mt(T_k) @ there.inertia @ T_k), 0, -3)
    gravity = np.moveaxis(derivative(there.potential), 0, -1)
    twist = np.concatenate([motion.velocity, motion.angular_velocity], axis=-1)
    xd = _solve(T, twist)
    along = (xd[..., None, None] * np.moveaxis(derivative(T_k), 0, -3)).sum(-3)  # dT/dt
    acceleration = np.concatenate([motion.acceleration, motion.angular_acceleration], axis=-1)
    xdd = _solve(T, acceleration - _mv(along, xd))
    V = coriolis(gradient, xd)
    friction = _mv(_mt(T), _friction(platform, here, twist))
    return Terms(x, xd, xdd, inertia, V, gravity, gradient, T, friction, here)


def coriolis(gradient: Array, xd: Array) -> Array:
    """``V = (dI/dt + U^T - U)/2`` (..., 6, 6), ``U = (1 kron xd^T) dI/dx``.  002 eqs 76-79"""
    U = (xd[..., None, None, :] @ gradient)[..., 0, :]  # row k is xd^T dI/dx_k
    rate = (xd[..., None, None] * gradient).sum(-3)  # dI/dt
    return (rate + _mt(U) - U) / 2


def _friction(platform: Platform, here: Machine, twist: Array) -> Array:
    """``-dD/d(twist)`` of the dissipation ``D = sum (C_p ldot^2 + C_u |W_rel|^2 + C_s |W - omega|^2)/2``."""
    C_u, C_p, C_s = (
        np.array([getattr(leg.friction, name) for leg in platform.legs])
        for name in ("universal", "prismatic", "spherical")
    )
    ldot = _mv(here.J_C, twist)
    W, W_rel = ((J @ twist[..., None, :, None])[..., 0] for J in (here.J_D, here.J_U))
    slip = W - twist[..., None, 3:]
    force = _mv(_mt(here.J_C), C_p * ldot)
    for moment, J in ((C_u[:, None] * W_rel, here.J_U), (C_s[:, None] * slip, here.J_D)):
        force = force + (moment[..., None, :] @ J)[..., 0, :].sum(-2)
    force[..., 3:] -= (C_s[:, None] * slip).sum(-2)
    return -force


def _variant(
    platform: Platform,
    published: bool,
    errata: Iterable[str] | None,
    links: str,
    end_masses: tuple[float, float] | None,
) -> Variant:
    kept = frozenset(errata) if errata is not None else PUBLISHED if published else frozenset()
    if kept - ERRATA.keys():
        raise InputError("errata", sorted(kept - ERRATA.keys()), f"must be among {', '.join(ERRATA)}")
    if links not in LINKS:
        raise InputError("links", links, f"must be one of {', '.join(LINKS)}")
    for i, leg in enumerate(platform.legs):
        _check_leg(f"legs[{i}]", leg, kept, links)
    if end_masses is not None:
        if links != "two-mass":
            raise InputError("end_masses", end_masses, 'only the model links="two-mass" has two end masses')
        first, second = (float(m) for m in array("end_masses", end_masses, (2,)))
        end_masses = (first, second)
    return Variant(links, kept, end_masses)


def _check_leg(field: str, leg: object, kept: frozenset[str], links: str) -> None:
    if isinstance(leg, SPS) and not leg.spin_free:
        raise InputError(
            field,
            "SPS leg whose spin matters",
            "lagrange needs SPS legs that are axisymmetric, without "
            "ball friction and without a leg-mounted rotor; use formulation 'exact' or 'multibody'",
        )
    if links != "complete" and not isinstance(leg, PUS):
        raise InputError("links", links, f"point masses replace links of fixed length, {field} has none")
    if kept & _PRINTED_IN_COMPONENTS and not (isinstance(leg, PUS) and np.array_equal(leg.rail, [0, 0, 1])):
        raise InputError(
            "errata", sorted(kept), "are printed in components for vertical rails; use PUS legs along +z"
        )


def _actuators(J: Array, f: Array) -> Array:
    """``tau = J^-T f``.  002 eq 14"""
    try:
        return _solve(_mt(J), f)
    except np.linalg.LinAlgError:
        raise InfeasibleError(
            "the actuator Jacobian is singular: no set of actuator forces balances the platform"
        ) from None


def _world(wrench: Array, R: Array) -> Array:
    return np.concatenate([_mv(R, wrench[..., :3]), _mv(R, wrench[..., 3:])], axis=-1)


def _mt(a: Array) -> Array:
    return np.swapaxes(a, -1, -2)


def _mv(a: Array, v: Array) -> Array:
    return (a @ v[..., None])[..., 0]


def _solve(a: Array, b: Array) -> Array:
    return np.asarray(np.linalg.solve(a, b[..., None])[..., 0], dtype=np.float64)
