"""Transmissibility: how a shaking base shakes the platform, over frequency.

Small motions z = (dt, dtheta) against the base about a pose at rest, base axes; base acceleration ``(a, al)`` at its
origin, tilt ``delta = -al/w^2``:
    (-w^2 - j w A_v - A_z) z = E (a ; al) + G delta        A of `linearize`, E and G by complex steps of the machine on
                                                           a base that moves (G: gravity turns against the base)
    T = [[1, -t~], [0, 1]] + (-w^2 - j w A_v - A_z)^-1 (-w^2 E + G [0, 1])
Damping is what the machine has: viscous friction of its joints, and along the legs that of the drives or the one given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis.state_space import linearize
from gough.checks import Array, InputError, array, six
from gough.dynamics.complex_step import slopes
from gough.dynamics.elastic import drive_stiffness
from gough.dynamics.inverse import inverse_dynamics
from gough.dynamics.rotors import without_rotors
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS, MOVING
from gough.frozen import hinted
from gough.layout import FORWARD, LINEAR, TWIST
from gough.links import refuse_links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose, skew

AXES = ("x", "y", "z", "rx", "ry", "rz")
MOVED = MOVING + "forward"


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Transmissibility(Result):
    """Acceleration of the platform (reference point; rx, ry, rz angular) per acceleration of the base (its origin).

    frequency  (n,) Hz
    response   (..., n, 6, 6) complex, rows: platform, columns: base, in the order of `axes`; m/s^2, rad/s^2; world axes
    """

    frequency: Array
    response: NDArray[np.complex128]
    axes: tuple[str, ...] = AXES

    @property
    def gain(self) -> Array:
        """(..., n, 6) size of the response of each axis to the base's shaking along the same."""
        along = np.diagonal(self.response, axis1=-2, axis2=-1)
        return np.asarray(np.abs(along), dtype=np.float64)


def transmissibility(
    platform: Platform,
    pose: Pose,
    frequency: ArrayLike,
    *,
    stiffness: ArrayLike | None = None,
    damping: ArrayLike | None = None,
    universal: float = 0.0,
    spherical: float = 0.0,
    motors: Literal["locked", "rigid"] = "locked",
) -> Transmissibility:
    """Platform acceleration per base acceleration at `frequency` (n,) Hz, for small motions about a pose at rest.

    stiffness, damping    of each leg with its drive held, N/m, N s/m (N m/rad, N m s/rad); None: those of the drives
    universal, spherical  as in `stiffness_matrix`, beside the machine's own springs
    motors     "locked": held at their coordinates; "rigid": they move with their legs, stiffness and damping act beside
    """
    refuse_links(platform, "transmissibility is not known")
    f = array("frequency", np.atleast_1d(frequency))
    if f.ndim != 1 or (f < 0).any():
        raise InputError("frequency", frequency, "must be frequencies in a row, not negative")
    k = drive_stiffness(platform) if stiffness is None else six("stiffness", stiffness)
    if damping is None:
        c = np.array([0.0 if leg.drive is None else leg.drive.damping for leg in platform.legs])
    else:
        c = six("damping", damping)
    machine = platform if motors == "rigid" else without_rotors(platform)
    A = linearize(
        machine, pose, stiffness=k, damping=c, universal=universal, spherical=spherical
    ).A[..., LINEAR.twist, :]
    E, G = _shaken(machine, pose)
    w = (2 * np.pi * f)[:, None, None]
    dynamic = -(w**2) * np.eye(6) - A[..., None, :, LINEAR.pose]
    dynamic = dynamic - 1j * w * A[..., None, :, LINEAR.twist]
    carried = np.broadcast_to(np.eye(6), (*pose.shape, 6, 6)).copy()
    carried[..., TWIST.linear, TWIST.angular] = -skew(pose.position)
    push = -(w**2) * E[..., None, :, :]
    push[..., TWIST.angular] += G[..., None, :, :]
    response = carried[..., None, :, :] + np.linalg.solve(dynamic, push)
    return Transmissibility(f, np.asarray(response, dtype=np.complex128))


def _shaken(platform: Platform, pose: Pose) -> tuple[Array, Array]:
    """Relative acceleration (..., 6, 6) per base acceleration and (..., 6, 3) per tilt, at rest and held."""
    layout, n = FUNCTIONS[MOVED].inputs, int(np.prod(pose.shape, dtype=int))
    x, along = np.zeros((n, layout.size)), np.zeros((n, layout.size, 9))
    x[:, layout.position] = pose.position.reshape(n, 3)
    x[:, layout.rotation] = pose.rotation.reshape(n, 9)
    x[:, layout.effort] = inverse_dynamics(platform, pose).force.reshape(n, 6)
    x[:, layout.base_rotation] = np.eye(3).ravel()
    along[:, layout.base_acceleration, :3] = np.eye(3)
    along[:, layout.base_angular_acceleration, 3:6] = np.eye(3)
    along[:, layout.base_rotation, 6:] = skew(np.eye(3)).reshape(3, 9).T
    machine = packed(platform)
    found = slopes(MOVED, machine.kinds, x, machine.numbers(MOVED), along)[1]
    found = found[:, : FORWARD.at("spin_acceleration")].reshape(*pose.shape, 6, 9)
    return found[..., :6], found[..., 6:]
