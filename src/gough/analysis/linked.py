"""Linear models, compliance and natural motions of machines with fixed links, on the twists that the links allow.

    x = basis eta        allowed displacements about a pose at rest (`gough.freedom`): ``G basis = 0``
    eta'' = P (A_x basis eta + A_v basis eta' + B u)       P the inverse of the basis in its metric, u of the drives
    K = -basis^T M A_x basis,   compliance = basis K^-1 basis^T
A_x, A_v, B come from the constrained equations of motion by complex steps; the geometric stiffness of the forces in the
links is in them.  At rest in equilibrium the accelerations that the links allow are twists that they allow.
docs/derivations/links.md
"""

from __future__ import annotations

import numpy as np

from gough.analysis.joint_stiffness import joint_stiffness, spring_stiffness
from gough.checks import Array, InputError
from gough.dynamics import mass_matrix
from gough.kinematics.jacobian import jacobian
from gough.kinematics.links import freedom
from gough.layout import LINEAR
from gough.links import links, released
from gough.model import Platform
from gough.spatial import Motion, Pose


def basis_and_inverse(platform: Platform, pose: Pose) -> tuple[Array, Array]:
    """(..., 6, n) allowed twists, and (..., n, 6) what gives their coordinates; n = 6 - m."""
    basis = freedom(platform, pose).basis
    metric = np.repeat([1.0, platform.characteristic_length**2], 3)
    return basis, np.swapaxes(basis, -1, -2) * metric


def check_rest(motion: Motion, force: object) -> None:
    """Refuse what is no equilibrium."""
    if any(rate.any() for rate in motion.rates):
        raise InputError("motion", "it moves", "machines with fixed links are linearized at rest")
    if force is not None:
        allowed = "must be left out with fixed links: the forces are those that hold the pose"
        raise InputError("force", "given", allowed)


def reduced_model(
    platform: Platform, pose: Pose, A: Array, B: Array, C: Array
) -> tuple[Array, Array, Array]:
    """The matrices of a model over (displacement, twist) on the allowed ones, and over the drives and the wrench."""
    T, P = basis_and_inverse(platform, pose)
    n, drives = T.shape[-1], links(platform).driven
    out = np.zeros((*T.shape[:-2], 2 * n, 2 * n))
    out[..., :n, n:] = np.eye(n)
    for at, block in ((slice(0, n), LINEAR.pose), (slice(n, None), LINEAR.twist)):
        out[..., n:, at] = P @ A[..., LINEAR.twist, block] @ T
    columns = [*drives.tolist(), *range(6, B.shape[-1])]
    inputs = np.zeros((*T.shape[:-2], 2 * n, len(columns)))
    inputs[..., n:, :] = P @ B[..., LINEAR.twist, :][..., columns]
    outputs = [C[..., block] @ T for block in (LINEAR.pose, LINEAR.twist)]
    return out, inputs, np.concatenate(outputs, axis=-1)


def state_names(platform: Platform) -> tuple[str, ...]:
    """Coordinates in the basis of allowed twists, then their rates."""
    n = len(links(platform).driven)
    return tuple(f"{word}_{i}" for word in ("free", "free_rate") for i in range(1, n + 1))


def held_stiffness(
    platform: Platform,
    pose: Pose,
    stiffness: Array,
    joints: tuple[float, float],
    preload: bool,
) -> tuple[Array, Array]:
    """``basis^T K basis`` (..., n, n) with the drives' stiffness (6,) (links: not read), and the basis."""
    from gough.analysis.state_space import full_model

    T = basis_and_inverse(platform, pose)[0]
    k = np.where(np.isin(np.arange(6), links(platform).driven), stiffness, 0.0)
    if preload:
        A = full_model(platform, Motion.at_rest(pose), None, (k, np.zeros(6)), joints)[0]
        K = -mass_matrix(platform, pose) @ A[..., LINEAR.twist, LINEAR.pose]
    else:
        J, free = jacobian(platform, pose), released(platform)
        own = spring_stiffness(free, pose) + joint_stiffness(free, pose, *joints)
        K = np.swapaxes(J, -1, -2) @ (k[:, None] * J) + own
    K = np.swapaxes(T, -1, -2) @ K @ T
    return 0.5 * (K + np.swapaxes(K, -1, -2)), T


def held_compliance(
    platform: Platform,
    pose: Pose,
    stiffness: Array,
    joints: tuple[float, float],
    preload: bool,
) -> Array:
    """``basis K^-1 basis^T`` (..., 6, 6), of rank 6 - m."""
    K, T = held_stiffness(platform, pose, stiffness, joints, preload)
    return T @ np.linalg.solve(K, np.swapaxes(T, -1, -2))
