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
from gough.engines.derivative_kernel import kernel
from gough.engines.evaluate import Evaluation, evaluation
from gough.engines.pack import packed
from gough.equations.machine import KINDS
from gough.guard import MAX_CONDITION, judge_finite
from gough.layout import BODY, JACOBIAN, STATE_VARIATION, VARIATION, Layout
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Motion, Pose, skew


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
            out = np.zeros((*self.value.shape, VARIATION.size))
            out[..., : STATE_VARIATION.size] = self.jacobian[..., : STATE_VARIATION.size]
            return out
        return self.jacobian[..., JACOBIAN.motion]

    @property
    def external(self) -> Array:
        """(..., 6, 6) over the external wrench in platform axes."""
        return self.jacobian[..., JACOBIAN.external]

    @property
    def effort(self) -> Array:
        """(..., 6, 6) of forward dynamics: ``M^-1 J^T``; of inverse dynamics zero: they are the answer."""
        return self.jacobian[..., JACOBIAN.effort]

    @property
    def spin_angle(self) -> Array:
        """(..., 6, 6) over the spin angles of SPS legs."""
        return self.jacobian[..., JACOBIAN.spin_angle]

    @property
    def spin_rate(self) -> Array:
        """(..., 6, 6) over the spin rates of SPS legs."""
        return self.jacobian[..., JACOBIAN.spin_rate]

    @property
    def parameters(self) -> Array:
        """(..., 6, n) over the parameters, in the order of `parameter_names`."""
        return self.jacobian[..., JACOBIAN.size :]

    @property
    def A(self) -> Array:
        """(..., 12, 12) of ``d(dz)/dt = A dz + B dtau``, dz = (position, rotation vector, velocity, angular velocity).

        The rotation vector in world axes obeys ``phi' = dw + w x phi``.
        """
        if self.direction != "forward":
            raise AttributeError("A and B belong to forward dynamics")
        n, turn, twist = (
            STATE_VARIATION.size,
            STATE_VARIATION.rotation_vector,
            STATE_VARIATION.at("velocity"),
        )
        A = np.zeros((*self.value.shape[:-1], n, n))
        A[..., :twist, twist:] = np.eye(6)
        A[..., turn, turn] = skew(self.angular_velocity)
        A[..., twist:, :] = self.jacobian[..., :n]
        return A

    @property
    def B(self) -> Array:
        """(..., 12, 6) of the same system, over the efforts."""
        if self.direction != "forward":
            raise AttributeError("A and B belong to forward dynamics")
        return np.concatenate([np.zeros_like(self.effort), self.effort], axis=-2)


def inverse_dynamics_derivatives(
    platform: Platform,
    motion: Motion | Pose,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
) -> Derivatives:
    """Efforts and their derivatives over motion, wrench, spins and all parameters; singular states are refused."""
    exact = evaluation("forces", platform, motion, spin, external=external)
    exact.judged(MAX_CONDITION)
    return _derivatives("inverse", exact)


def forward_dynamics_derivatives(
    platform: Platform,
    motion: Motion | Pose,
    force: ArrayLike,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
) -> Derivatives:
    """Accelerations and their derivatives over pose, twist, efforts, wrench, spins and all parameters."""
    driven = evaluation("forward", platform, motion, spin, force=force, external=external)
    driven.judged()
    return _derivatives("forward", driven)


def _derivatives(direction: str, e: Evaluation) -> Derivatives:
    machine, shape = packed(e.platform, e.spins is not None), e.motion.shape
    blocks = e.blocks if e.spins is None or not machine.spins else [*e.blocks, e.spins]
    n, par = len(blocks[0]), machine.parameters
    value, jacobian = np.empty((n, 6)), np.zeros((n, 6, JACOBIAN.size + par.size))
    native.run_into(
        kernel(direction, machine.kinds),
        blocks,
        par,
        (value, jacobian),
        native.threads(),
        native.BLOCK,
    )
    judge_finite(e.platform, e.motion, jacobian.reshape(*shape, -1), e.question())
    return Derivatives(
        value.reshape(*shape, 6),
        jacobian.reshape(*shape, 6, -1),
        direction,
        np.broadcast_to(e.motion.angular_velocity, (*shape, 3)),
    )


XYZ = ("x", "y", "z")
COMPONENTS = {
    1: ("",),
    3: tuple(f".{c}" for c in XYZ),
    6: (".xx", ".xy", ".xz", ".yy", ".yz", ".zz"),
    9: tuple(f".{part}.{c}" for part in ("axial", "cosine", "sine") for c in XYZ),
}
FRICTION = (".universal", ".prismatic", ".spherical")
PARTS = ("lower", "upper", "link", "crank", "drive")


def _names(layout: Layout) -> list[str]:
    """One name per number of a parameter row; ``lower_mass`` is ``lower.mass``, as in the model."""
    names = []
    for block, width in layout.blocks():
        part, _, rest = block.partition("_")
        label = f"{part}.{rest}" if part in PARTS else block
        names += [label + c for c in (FRICTION if block == "friction" else COMPONENTS[width])]
    return names


def parameter_names(platform: Platform) -> tuple[str, ...]:
    """Names of the parameters in the order of the machine's vector: ``body.mass``, ``L3.upper.first.x``.

    Vectors that turn with a crank have three parts: ``L1.arm.cosine.x``.
    """
    names = [name if name.startswith("gravity") else f"body.{name}" for name in _names(BODY)]
    for leg, kind in zip(platform.leg_names, packed(platform).kinds, strict=True):
        names += [f"{leg}.{name}" for name in _names(KINDS[kind].row)]
    return tuple(names)
