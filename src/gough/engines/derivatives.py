"""Analytic derivatives of inverse and forward dynamics: motion, wrench, efforts, spins and every parameter.

A rotation is turned by a small rotation vector phi in world axes, ``R -> exp([phi]x) R``; so the 18 columns of
`motion` are position, phi, velocity, angular velocity, acceleration, angular acceleration, all world axes.
Parameters are those of `parameter_names`: masses, first and second moments about the joint, points, axes, lengths,
friction coefficients and reflected inertias; the forces are linear in the inertial ones.
Axes and rails are unit vectors: only changes across them have a meaning; the columns of `assembly` and `elbow`, which
are signs, have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.engines import native
from gough.engines.derivative_kernel import ANGLE, EFFORT, EXTERNAL, PARAMETERS, RATE, kernel
from gough.engines.evaluate import as_motion, check_platform, motion_blocks, spin_block, vector_block
from gough.engines.pack import packed
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Motion, Pose


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Six answers and their Jacobian, (...) batch axes.

    value       (..., 6) efforts (inverse) or accelerations: linear, angular (forward)
    jacobian    (..., 6, n) over z: motion 18, external wrench 6, efforts 6, spin angles 6, spin rates 6, parameters
    """

    value: Array
    jacobian: Array
    direction: str
    angular_velocity: Array

    @property
    def motion(self) -> Array:
        """(..., 6, 18); the last six columns are zero for forward dynamics."""
        if self.direction == "forward":
            return np.concatenate([self.jacobian[..., :12], np.zeros((*self.value.shape, 6))], axis=-1)
        return self.jacobian[..., :18]

    @property
    def external(self) -> Array:
        """(..., 6, 6) over the external wrench in platform axes."""
        return self.jacobian[..., EXTERNAL:EFFORT]

    @property
    def effort(self) -> Array:
        """(..., 6, 6) of forward dynamics: ``M^-1 J^T``; of inverse dynamics zero: they are the answer."""
        return self.jacobian[..., EFFORT:ANGLE]

    @property
    def spin_angle(self) -> Array:
        """(..., 6, 6) over the spin angles of SPS legs."""
        return self.jacobian[..., ANGLE:RATE]

    @property
    def spin_rate(self) -> Array:
        """(..., 6, 6) over the spin rates of SPS legs."""
        return self.jacobian[..., RATE:PARAMETERS]

    @property
    def parameters(self) -> Array:
        """(..., 6, n) over the parameters, in the order of `parameter_names`."""
        return self.jacobian[..., PARAMETERS:]

    @property
    def A(self) -> Array:
        """(..., 12, 12) of ``d(dz)/dt = A dz + B dtau``, dz = (position, rotation vector, velocity, angular velocity).

        The rotation vector in world axes obeys ``phi' = dw + w x phi``.
        """
        if self.direction != "forward":
            raise AttributeError("A and B belong to forward dynamics")
        A = np.zeros((*self.value.shape[:-1], 12, 12))
        A[..., :3, 6:9] = A[..., 3:6, 9:12] = np.eye(3)
        w = self.angular_velocity
        A[..., 3, 4], A[..., 3, 5], A[..., 4, 5] = -w[..., 2], w[..., 1], -w[..., 0]
        A[..., 4, 3], A[..., 5, 3], A[..., 5, 4] = w[..., 2], -w[..., 1], w[..., 0]
        A[..., 6:, :] = self.jacobian[..., :12]
        return A

    @property
    def B(self) -> Array:
        """(..., 12, 6) of the same system, over the efforts."""
        if self.direction != "forward":
            raise AttributeError("A and B belong to forward dynamics")
        return np.concatenate([np.zeros_like(self.effort), self.effort], axis=-2)


def inverse_dynamics_derivatives(platform: Platform, motion: Motion | Pose, external: ArrayLike | None = None, *,
                                 spin: Spin | None = None) -> Derivatives:
    """Efforts and their derivatives over motion, wrench, spins and all parameters."""
    check_platform(platform)
    motion = as_motion(motion)
    blocks = [*motion_blocks(motion), vector_block("external", external, motion.shape)]
    return _derivatives("inverse", platform, motion, blocks, spin)


def forward_dynamics_derivatives(platform: Platform, motion: Motion | Pose, force: ArrayLike,
                                 external: ArrayLike | None = None, *, spin: Spin | None = None) -> Derivatives:
    """Accelerations and their derivatives over pose, twist, efforts, wrench, spins and all parameters."""
    check_platform(platform)
    motion = as_motion(motion)
    blocks = [*motion_blocks(motion, 4), vector_block("force", force, motion.shape),
              vector_block("external", external, motion.shape)]
    return _derivatives("forward", platform, motion, blocks, spin)


def _derivatives(direction: str, platform: Platform, motion: Motion, blocks: list[Array],
                 spin: Spin | None) -> Derivatives:
    spins = spin_block(platform, spin, motion.shape)
    machine = packed(platform, spins is not None)
    par = machine.parameters
    if machine.spins and spins is not None:
        blocks = [*blocks, spins]
    n = blocks[0].shape[0]
    value, jacobian = np.empty((n, 6)), np.zeros((n, 6, PARAMETERS + par.size))
    native.run_into(kernel(direction, machine.kinds), blocks, par, (value, jacobian), native.threads(), native.BLOCK)
    shape = motion.shape
    return Derivatives(value.reshape(*shape, 6), jacobian.reshape(*shape, 6, -1), direction,
                       np.broadcast_to(motion.angular_velocity, (*shape, 3)))


XYZ = ("x", "y", "z")
SIX = ("xx", "xy", "xz", "yy", "yz", "zz")


def _vector(name: str) -> list[str]:
    return [f"{name}.{c}" for c in XYZ]


def _tensor(name: str) -> list[str]:
    return [f"{name}.{c}" for c in SIX]


def _turning(name: str) -> list[str]:
    return [f"{name}.{part}.{c}" for part in ("axial", "cosine", "sine") for c in XYZ]


FRICTION = ["friction.universal", "friction.prismatic", "friction.spherical"]
STRUT = [*_vector("base"), *_vector("axis"), *_vector("lower.first"), *_vector("upper.first"), *_tensor("second"),
         *_tensor("upper.second"), "lower.mass", "upper.mass", *FRICTION, "drive.reflected", *_vector("drive.gyro")]
ROWS = {
    "ups": STRUT, "ups_rotor": STRUT, "sps": STRUT, "sps_spin": STRUT,
    "pus": [*_vector("base"), *_vector("rail"), *_vector("axis"), "length", "assembly", "slider_mass",
            *_vector("slider_center"), "link.mass", *_vector("link.first"), *_tensor("link.second"), *FRICTION,
            "drive.reflected"],
    "rus": [*_vector("base"), *_vector("shaft"), *_turning("arm"), *_turning("axis"), "length", "elbow",
            "crank.mass", *_turning("crank.first"), *_turning("crank.spin"), "shaft_inertia", "link.mass",
            *_vector("link.first"), *_tensor("link.second"), *FRICTION, "drive.reflected"],
}


def parameter_names(platform: Platform) -> list[str]:
    """Names of the parameter columns, as ``body.mass`` or ``L3.upper.first.x``."""
    names = ["body.mass", *_vector("body.first"), *_tensor("body.second"), *_vector("gravity")]
    for leg, kind in zip(platform.leg_names, packed(platform).kinds, strict=True):
        names += [f"{leg}.{n}" for n in (*_vector("joint"), *ROWS[kind])]
    return names
