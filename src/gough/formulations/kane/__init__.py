"""Kane's equations with the actuator rates as independent speeds.  [Syed] 004

    K* + K = 0,   K* = [m] ldd + b,   K = g + [a] sigma + f                                  (eqs 7, 10, 11)

Exact for SPS (spin-free), UPS, PUS and RUS legs in any mixture.  K* are the generalized inertia forces, so ``[m]``
is minus the mass matrix in leg space; g, f are gravity and friction (and the external wrench); with true
partial velocities ``[a]`` is the identity.  ``legs="massless"`` drops the leg bodies (Sec. 3.1), ``"lower"``
and ``"upper"`` keep one half, ``"full"`` keeps both (Sec. 3.2); ``drive=True`` adds the rotors (Sec. 3.3).
`published` and `errata` keep what is printed.  Derivation: docs/derivations/kane.md.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InfeasibleError, InputError, number
from gough.formulations.kane.terms import Equations, Options, assemble
from gough.model import SPS, Platform
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose

ERRATA = {
    "E004-1": "eq 14: drive inertia zeta^2 I r^2 in place of zeta^2 I / r^2",
    "E004-2": "eq 12: [m_d] added to [m], which is minus the mass matrix",
    "E004-3": "eq 3: omega x V, s ldd and 2 omega x s ldot counted twice",
    "E004-4": "eq 9: friction direction ldot / l in place of the sign of ldot",
    "E004-5": "eq A.2: local torques brought to N by R^T in place of R",
}
PUBLISHED = frozenset({"E004-1", "E004-2", "E004-3", "E004-4"})  # eq 5 itself prints R, so E004-5 is left out
LEGS = ("massless", "lower", "upper", "full")
PINION_RADIUS = 0.01  # m, only for eq 14 as printed, which needs it apart from the ratio


def inverse_dynamics(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    published: bool = False,
    errata: Iterable[str] | None = None,
    legs: str = "full",
    drive: bool = True,
    pinion_radius: float = PINION_RADIUS,
) -> InverseDynamics:
    """Actuator forces ``sigma`` (..., 6), N.  004 eqs 11, 12

    external  (..., 6) force and moment on the platform at its reference point, platform axes
    legs      which leg bodies count: "massless", "lower", "upper" (PUS: slider, link; RUS: crank, rod) or "full"
    drive     count the rotors of legs that have a `Drive`
    extra     "transmitted_force" behind the rotor and, if every leg has a drive, "motor_torque" (N m)
    """
    options = _options(platform, published, errata, legs, drive, pinion_radius)
    eq = assemble(platform, motion, options, external)
    now = eq.speeds
    sign = -1.0 if "E004-2" in options.errata else 1.0
    total = _mv(eq.m, now.accel) + eq.b + eq.gravity + eq.friction + eq.external
    sigma = -_project(now.J, total) + sign * _mv(eq.drive, now.acceleration)  # eq 12, [a] = 1
    s, q = eq.speeds.s, eq.speeds.q
    H = np.swapaxes(np.concatenate([s, np.cross(q, s)], axis=-1), -1, -2)
    return InverseDynamics(
        sigma,
        H,
        formulation="kane",
        published=bool(options.errata),
        characteristic_length=platform.characteristic_length,
        extra=_motor(platform, eq, sigma) if drive else {},
    )


def mass_matrix(
    platform: Platform,
    pose: Pose,
    *,
    published: bool = False,
    errata: Iterable[str] | None = None,
    legs: str = "full",
    drive: bool = True,
) -> Array:
    """Mass matrix (..., 6, 6) at the reference point, world axes: ``J^T (-[m] + [m_d]) J`` of leg space."""
    options = _options(platform, published, errata, legs, drive, PINION_RADIUS)
    eq = assemble(platform, Motion.at_rest(pose), options)
    J = eq.speeds.J
    sign = -1.0 if "E004-2" in options.errata else 1.0
    return -eq.m + sign * np.swapaxes(J, -1, -2) @ eq.drive @ J


def bias(
    platform: Platform,
    motion: Motion,
    *,
    published: bool = False,
    errata: Iterable[str] | None = None,
    legs: str = "full",
    drive: bool = True,
) -> Array:
    """``b`` (..., 6) of ``M (a, al) + b = J^T sigma + external``: velocity, gravity, friction; world axes."""
    options = _options(platform, published, errata, legs, drive, PINION_RADIUS)
    eq = assemble(platform, motion, options)
    now = eq.speeds
    sign = -1.0 if "E004-2" in options.errata else 1.0
    rotor = _mv(np.swapaxes(now.J, -1, -2), _mv(eq.drive, _mv(now.Jdot, now.twist)))
    return -(eq.b + eq.gravity + eq.friction) + sign * rotor


def equations(platform: Platform, motion: Motion, *, legs: str = "full", drive: bool = True) -> Equations:
    """The terms of Kane's equations."""
    return assemble(platform, motion, _options(platform, False, None, legs, drive, PINION_RADIUS))


def _motor(platform: Platform, eq: Equations, sigma: Array) -> dict[str, Array]:
    """Force behind the rotor and torque at the motor, with gear loss and rotor friction.

    ``tau = I_r nu ldd + F_t / (nu eta^±1) + c_v nu ldot + c_0 sign(nu ldot)``; the loss opposes the power.
    """
    if not all(leg.drive for leg in platform.legs):
        return {}
    drives = [leg.drive for leg in platform.legs if leg.drive]
    nu, I_r, eta, viscous, coulomb = (
        np.array([getattr(x, name) for x in drives])
        for name in ("ratio", "rotor_inertia", "efficiency", "viscous", "coulomb")
    )
    ldot, ldd = eq.speeds.rate, eq.speeds.acceleration
    through = sigma - nu**2 * I_r * ldd
    loss = np.where(through * ldot >= 0, 1 / eta, eta)
    torque = I_r * nu * ldd + through * loss / nu + viscous * nu * ldot + coulomb * np.sign(nu * ldot)
    return {"transmitted_force": through, "motor_torque": torque}


def _project(J: Array, force: Array) -> Array:
    """``G^T force`` with ``G = J^-1``, the platform's partial velocities."""
    try:
        solved = np.linalg.solve(np.swapaxes(J, -1, -2), force[..., None])
    except np.linalg.LinAlgError:
        raise InfeasibleError(
            "the actuator Jacobian is singular: actuator rates are no independent speeds here, "
            "so Kane's equations in leg space do not exist"
        ) from None
    return np.asarray(solved[..., 0], dtype=np.float64)


def _options(
    platform: Platform,
    published: bool,
    errata: Iterable[str] | None,
    legs: str,
    drive: bool,
    pinion_radius: float,
) -> Options:
    kept = frozenset(errata) if errata is not None else PUBLISHED if published else frozenset()
    if kept - ERRATA.keys():
        raise InputError("errata", sorted(kept - ERRATA.keys()), f"must be among {', '.join(ERRATA)}")
    if legs not in LEGS:
        raise InputError("legs", legs, f"must be one of {', '.join(LEGS)}")
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, SPS) and not leg.spin_free:
            raise InputError(
                f"legs[{i}]",
                "SPS leg whose spin matters",
                "kane needs SPS legs that are axisymmetric, without ball friction and without a "
                "leg-mounted rotor; use formulation 'exact' or 'multibody'",
            )
    return Options(legs, drive, kept, number("pinion_radius", pinion_radius, above=0.0))


def _mv(a: Array, v: Array) -> Array:
    return (a @ v[..., None])[..., 0]
