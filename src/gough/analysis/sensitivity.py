"""Sensitivity of pose and efforts to the machine's parameters, and error budgets.

Parameters are the numbers of the machine file; `gough.dynamics.parameter_names` lists them, `parameter_units` says
their units.  Derivatives are complex steps through the exact equations, so they are good to round-off.

    efforts  dF/dp at a fixed motion
    pose     actuator coordinates held:  l(x, p) = const  gives  dx/dp = -J^-1 dl/dp,  x = (translation, rotation
             vector), world axes;  a wrong zero of an actuator gives  dx/dl0 = J^-1
An error budget takes independent errors of the joints' positions and of the actuators' zeros to the covariance of the
pose, C = sum sigma_k^2 (dx/dp_k)(dx/dp_k)^T; `monte_carlo` checks it with the forward kinematics of disturbed machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, number, six
from gough.dynamics.complex_step import slopes
from gough.dynamics.parameters import derivative_kinds, machine_parameters
from gough.dynamics.parameters import parameter_names as parameter_names
from gough.engines.evaluate import as_motion, motion_blocks, spin_block, vector_block
from gough.engines.pack import packed
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.jacobian import jacobian
from gough.layout import FORCES, LEG_MOTION, TWIST
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_log


def force_sensitivity(
    platform: Platform,
    motion: Motion | Pose,
    names: Sequence[str] | None = None,
    external: ArrayLike | None = None,
) -> tuple[Array, tuple[str, ...]]:
    """``dF/dp`` (..., 6, n) at a fixed motion, and the names of the n parameters (default: all).

    SPS legs must be free of spin (axisymmetric), as in `gough.inverse_dynamics` without `spin`.
    """
    motion = as_motion(motion)
    blocks = [*motion_blocks(motion), vector_block("external", external, motion.shape)]
    spin_block(platform, None, motion.shape)
    out, chosen = _stepped("forces", platform, blocks, names)
    return out[:, FORCES.effort].reshape(*motion.shape, 6, len(chosen)), chosen


def pose_sensitivity(
    platform: Platform, pose: Pose, names: Sequence[str] | None = None
) -> tuple[Array, tuple[str, ...]]:
    """``dx/dp`` (..., 6, n): translation (m) and rotation vector (rad) per unit of each parameter, actuators held.

    Default parameters: base and platform joints of all legs.
    """
    if names is None:
        names = [n for n in parameter_names(platform) if n.split(".")[1] in ("joint", "base")]
    motion = as_motion(pose)
    out, chosen = _stepped("kinematics", platform, motion_blocks(motion), names)
    dl = out[:, LEG_MOTION.coordinate :: LEG_MOTION.size]
    J = jacobian(platform, pose).reshape(-1, 6, 6)
    D = np.asarray(-np.linalg.solve(J, dl), dtype=np.float64)
    return D.reshape(*motion.shape, 6, len(chosen)), chosen


def actuator_sensitivity(platform: Platform, pose: Pose) -> Array:
    """``dx/dl0 = J^-1`` (..., 6, 6): pose error per error of each actuator's coordinate."""
    return np.asarray(np.linalg.inv(jacobian(platform, pose)), dtype=np.float64)


def _stepped(
    function: str,
    platform: Platform,
    blocks: list[Array],
    names: Sequence[str] | None,
) -> tuple[Array, tuple[str, ...]]:
    """Slopes over the parameters of these names: (states, outputs, parameters)."""
    known = parameter_names(platform)
    chosen = (
        tuple(known)
        if names is None
        else tuple(str(n) for n in np.atleast_1d(np.asarray(names, dtype=object)))
    )
    place = {name: k for k, name in enumerate(known)}
    for name in chosen:
        if name not in place:
            raise InputError(
                "names",
                name,
                "is not a parameter; gough.dynamics.parameter_names(platform) lists them",
            )
    machine, columns = packed(platform), [place[name] for name in chosen]
    along = machine_parameters(platform).packing[:, columns]
    kinds = derivative_kinds(platform, spin=False)
    _, found = slopes(
        function, kinds, np.concatenate(blocks, axis=1), machine.parameters, None, along
    )
    if not np.isfinite(found[:, : FORCES.risk if function == "forces" else None]).all():
        inverse_kinematics(
            platform, Pose(blocks[0], blocks[1].reshape(-1, 3, 3))
        )  # says which leg and why
        raise InputError("motion", "no finite answer", "is singular: its derivatives do not exist")
    return found, chosen


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ErrorBudget:
    """Pose uncertainty from independent errors.

    covariance   (..., 6, 6) of (translation m, rotation vector rad), world axes
    share        per source, (..., 6): variance that it adds to each coordinate; sources: base, joint, actuator
    """

    covariance: Array
    share: dict[str, Array]

    @property
    def sigma(self) -> Array:
        """(..., 6) standard deviations."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))


def error_budget(
    platform: Platform,
    pose: Pose,
    *,
    base: float = 0.0,
    joint: float = 0.0,
    actuator: float | ArrayLike = 0.0,
    backlash: bool = False,
) -> ErrorBudget:
    """Covariance of the pose from standard deviations of joint positions (each axis, m) and actuators (m, rad).

    backlash  also count each drive's play, taken as evenly spread over its width: variance ``play^2/12``
    """
    shares: dict[str, Array] = {}
    covariance = np.zeros((*pose.shape, 6, 6))
    for part, sigma in (
        ("base", number("base", base, minimum=0.0)),
        ("joint", number("joint", joint, minimum=0.0)),
    ):
        names = [n for n in parameter_names(platform) if n.split(".")[1] == part]
        D = sigma * pose_sensitivity(platform, pose, names)[0]
        covariance = covariance + D @ np.swapaxes(D, -1, -2)
        shares[part] = (D * D).sum(axis=-1)
    spread = six("actuator", actuator)
    variance = spread**2
    if backlash:
        variance = variance + np.array(
            [0.0 if leg.drive is None else leg.drive.backlash**2 / 12 for leg in platform.legs]
        )
    D = actuator_sensitivity(platform, pose) * np.sqrt(variance)
    shares["actuator"] = (D * D).sum(axis=-1)
    return ErrorBudget(covariance + D @ np.swapaxes(D, -1, -2), shares)


def monte_carlo(
    platform: Platform,
    pose: Pose,
    *,
    base: float = 0.0,
    joint: float = 0.0,
    actuator: float = 0.0,
    samples: int = 200,
    seed: int = 0,
) -> Array:
    """(samples, 6) pose errors of machines with normal joint and actuator errors, by forward kinematics."""
    from gough.kinematics.forward import forward_kinematics
    from gough.model.body import collected_warnings

    if pose.shape != ():
        raise InputError("pose", f"batch shape {pose.shape}", "must be a single pose")
    refuse_links(platform, "drawn machines are not assembled")
    rng = np.random.default_rng(seed)
    length = inverse_kinematics(platform, pose).length
    out = np.empty((samples, 6))
    for k in range(samples):
        db, dp, dl = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)), rng.normal(size=6)
        legs = [
            leg.replace(base=leg.base + base * db[i], joint=leg.joint + joint * dp[i])
            for i, leg in enumerate(platform.legs)
        ]
        with collected_warnings():
            machine = platform.replace(legs=legs)
        fk = forward_kinematics(machine, length + actuator * dl, guess=pose, certify=False)
        if not fk.success:
            raise InputError(
                "tolerances", f"sample {k}", f"a disturbed machine has no pose: {fk.status.value}"
            )
        out[k, TWIST.linear] = fk.pose.position - pose.position
        out[k, TWIST.angular] = rotation_log(fk.pose.rotation @ pose.rotation.T)
    return out
