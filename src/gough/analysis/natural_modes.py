"""Natural motions of a machine on its elastic legs, by what the motors do meanwhile.

    locked   stiff position loops or brakes hold the motors:   K v = w^2 M_0 v                      6 modes
    free     motors without a loop (torque control), 12 degrees of freedom z = (x, lam):
             [[K, -J^T k], [-k J, k]] z = w^2 [[M_0, B], [B^T, J_m]] z                              12 modes
    rigid    rotors move with their legs, the stiffness k acts beside the actuators:  K v = w^2 M v   6 modes
``M_0``: all inertia but that of the turning of rotors and screws, ``J_m = nu^2 I_r + I_s/h^2``, ``B`` columns
``P^T gam`` of those that ride on their legs, so that ``M = M_0 + J^T J_m J + B J + J^T B^T``.  Screws turn with their
motors: k is the stiffness behind them.  docs/derivations/elastic.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis import linked
from gough.analysis.stiffness import stiffness_matrix
from gough.checks import Array, InputError, rich, six
from gough.dynamics import mass_matrix
from gough.dynamics.elastic import drive_stiffness
from gough.dynamics.rotors import check_riders, rotor_inertia, without_rotors
from gough.engines.pack import rotors
from gough.frozen import hinted
from gough.kinematics.jacobian import jacobian
from gough.links import links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class NaturalModes(Result):
    """Natural motions of the undamped machine at rest, sorted by frequency; n = 6, or 12 with free motors.

    With m fixed links n = 6 - m, and shapes (..., 6, n) are displacements that the links allow.

    frequency  (..., n) Hz; 0 for a direction without stiffness
    shape      (..., n, n), columns: (translation m, rotation rad; motors m or rad) with ``shape^T M shape = E``
    stable     (..., n) False where the equilibrium is unstable (frequency then is the growth rate over 2 pi)
    """

    UNITS: ClassVar = {"frequency": "Hz"}

    frequency: Array
    shape: Array
    stable: NDArray[np.bool_]

    def _repr_html_(self) -> str:
        return rich("natural_modes_html", self)


def modes(
    platform: Platform,
    pose: Pose,
    *,
    stiffness: ArrayLike | None = None,
    universal: float = 0.0,
    spherical: float = 0.0,
    preload: bool = True,
    motors: Literal["locked", "free", "rigid"] = "locked",
) -> NaturalModes:
    """Natural frequencies and mode shapes at rest; arguments as `stiffness_matrix`.

    stiffness  of each leg with its drive held, N/m (N m/rad); None: that of the drives (`Drive.stiffness`)
    motors     what they do meanwhile: "locked", "free" or "rigid", see above
    """
    k = drive_stiffness(platform) if stiffness is None else six("stiffness", stiffness)
    if len(links(platform).legs):
        return _held_modes(platform, pose, k, (universal, spherical), preload, motors)
    K = stiffness_matrix(
        platform, pose, stiffness=k, universal=universal, spherical=spherical, preload=preload
    )
    if motors == "rigid":
        return _solved(K, mass_matrix(platform, pose))
    M = mass_matrix(without_rotors(platform), pose)
    if motors == "locked":
        return _solved(K, M)
    if not all(rotors(leg)[0] for leg in platform.legs):
        raise InputError("motors", motors, "needs a drive with a rotor inertia in every leg")
    check_riders(platform)
    J, (B, inertia) = jacobian(platform, pose), rotor_inertia(platform, pose)
    return _solved(
        _blocks(K, -np.swapaxes(J, -1, -2) * k, np.diag(k)),
        _blocks(M, B, inertia[..., None] * np.eye(6)),
    )


def _held_modes(
    platform: Platform,
    pose: Pose,
    stiffness: Array,
    joints: tuple[float, float],
    preload: bool,
    motors: str,
) -> NaturalModes:
    """On the twists that the fixed links allow: 6 - m modes, shape (..., 6, 6 - m)."""
    if motors == "free":
        raise InputError("motors", motors, "is not known for machines with fixed links")
    K, T = linked.held_stiffness(platform, pose, stiffness, joints, preload)
    M = mass_matrix(platform if motors == "rigid" else without_rotors(platform), pose)
    found = _solved(K, np.swapaxes(T, -1, -2) @ M @ T)
    return NaturalModes(found.frequency, T @ found.shape, found.stable)


def _blocks(upper: Array, mixed: Array, lower: Array) -> Array:
    """``[[A, X], [X^T, D]]`` for batches."""
    lower = np.broadcast_to(lower, upper.shape)
    top = np.concatenate([upper, mixed], axis=-1)
    return np.concatenate([top, np.concatenate([np.swapaxes(mixed, -1, -2), lower], axis=-1)], -2)


def _solved(K: Array, M: Array) -> NaturalModes:
    lower = np.linalg.inv(np.linalg.cholesky(M))
    values, vectors = np.linalg.eigh(lower @ K @ np.swapaxes(lower, -1, -2))
    shape = np.asarray(np.swapaxes(lower, -1, -2) @ vectors, dtype=np.float64)
    return NaturalModes(np.sqrt(np.abs(values)) / (2 * np.pi), shape, values >= 0.0)
