"""How stiff the laws are: the mass that each leg moves at least, and the largest step of an explicit method."""

from __future__ import annotations

import numpy as np

from gough.checks import Array, GoughError, kept
from gough.dynamics.forward import mass_matrix
from gough.dynamics.laws import hydraulic
from gough.dynamics.rotors import rotor_inertia, without_rotors
from gough.engines.pack import packed, rotors
from gough.kinematics.jacobian import jacobian
from gough.layout import LEG_LAW
from gough.model import CRANKS, Platform
from gough.results import Spin
from gough.spatial import Pose

REACH = 2.5  # |h lambda| within which the classical Runge-Kutta method is stable for any decaying or steady mode


@kept
def leg_masses(platform: Platform) -> Array:
    """(6,) masses m, kg (kg m^2): stiffnesses k along the legs make no mode at home faster than ``max sqrt(k_i/m_i)``.

    ``A = J M^-1 J^T`` is the legs' acceleration per force, r the largest eigenvalue of ``D^-1/2 A D^-1/2``, D its
    diagonal: ``m_i = 1/(r A_ii)``.  Then ``K <= max(k_i/m_i) diag(m)`` and ``m^1/2 A m^1/2 <= 1``.  A machine without a
    home that it can take is taken by its sixth of the platform.
    """
    try:
        return _bound(_mobility(platform, platform.likely_home))
    except (GoughError, np.linalg.LinAlgError):
        return _guess(platform)


@kept
def elastic_masses(platform: Platform) -> Array:
    """(12,) the same of the legs and of the motors behind their springs: A then is that of both, with all that turns
    locked to its carrier in M and the motors' own inertia beside it (dynamics/elastic.py)."""
    still = without_rotors(platform)
    try:
        home = platform.likely_home
        B, J = rotor_inertia(platform, home)
        if not B.any():
            return np.concatenate([_bound(_mobility(still, home)), J])
        M = np.zeros((12, 12))
        M[:6, :6], M[:6, 6:], M[6:, :6], M[6:, 6:] = _mass(still, home), B, B.T, np.diag(J)
        C = np.zeros((12, 12))
        C[:6, :6], C[6:, 6:] = jacobian(platform, home), np.eye(6)
        return _bound(C @ np.linalg.solve(M, C.T))
    except (GoughError, np.linalg.LinAlgError):
        return np.concatenate([_guess(platform), [rotors(leg)[0] for leg in platform.legs]])


def _guess(platform: Platform) -> Array:
    arms = [float(leg.arm @ leg.arm) if isinstance(leg, CRANKS) else 1.0 for leg in platform.legs]
    return np.maximum(platform.body.mass / 6, 1e-9) * np.array(arms)


def _mass(platform: Platform, pose: Pose) -> Array:
    spin = Spin(np.zeros(6), np.zeros(6)) if packed(platform).spins else None
    return mass_matrix(platform, pose, spin=spin, engine="python")


def _mobility(platform: Platform, pose: Pose) -> Array:
    J = jacobian(platform, pose)
    return J @ np.linalg.solve(_mass(platform, pose), J.T)


def _bound(A: Array) -> Array:
    scale = np.sqrt(np.diag(A))
    r = float(np.linalg.eigvalsh(A / np.outer(scale, scale))[-1])
    return 1.0 / (r * np.diag(A))


def largest_step(law: Array, masses: Array, reach: float = REACH) -> float:
    """Steps up to this (s) are stable at the stiffest law near home; infinite where nothing is stiff.

    law (rows of LEG_LAW, 6, ...), masses (6,) of `leg_masses`, of elastic drives (12,) of `elastic_masses`; reach:
    largest ``|h lambda|`` of the method (semi-implicit: 1).  Per leg the fastest root of ``m s^2 + c s + k`` with all
    its springs and dampers at once, the rotor's own mode behind a series spring, and the first-order states, oil
    columns (hydraulic.py); a stop's damping is left out (it grows with the push).
    """
    rows = {name: law[getattr(LEG_LAW, name)] for name in LEG_LAW.names}
    m = masses[:6].reshape(6, *(1,) * (law.ndim - 2))
    sticking = np.where(
        rows["coulomb"] + rows["excess"] + rows["loss"] + rows["back_loss"] > 0, 1, 0
    )
    held = sticking * rows["grip"], sticking * rows["grip_damping"] + rows["viscous"]
    own = rows["stiffness"] + rows["stop_stiffness"], rows["damping"]
    series = rows["series_stiffness"]
    elastic = series > 0
    rotor = np.where(elastic, rows["reflected"], 1.0)
    if len(masses) > len(m):
        rotor = np.where(elastic, masses[6:].reshape(m.shape), 1.0)
    leg = (
        own[0] + np.where(elastic, series, held[0]),
        own[1] + np.where(elastic, rows["series_damping"], held[1]),
    )
    drive = held[0] + series, held[1] + rows["series_damping"]
    fastest = [
        _root(m, *(np.where(elastic, 2 * a, a) for a in leg)),
        np.where(elastic, _root(rotor, *(2 * a for a in drive)), 0.0),
        rows["load_rate"] * (1.0 + np.maximum(rows["loss"], rows["back_loss"])),
        rows["current_rate"],
        rows["electric_rate"],
        hydraulic.fastest(law, m),
    ]
    top = max(float(np.max(x)) for x in fastest)
    return reach / top if top > 0 else np.inf


def _root(m: Array, k: Array, c: Array) -> Array:
    """Largest magnitude of the roots of ``m s^2 + c s + k``."""
    half = 0.5 * c / m
    return np.maximum(np.sqrt(k / m), half + np.sqrt(np.maximum(half**2 - k / m, 0.0)))
