"""State-space models about a pose or along a trajectory, by exact derivatives (complex step through the equations).

    z = (dt, dtheta, dv, dw)      R = exp(dtheta) R_0, world axes; 12 states
    dz/dt = A z + B u,  y = C z + D u
    A rows: dt' = dv;  dtheta' = dw + w_0 x dtheta;  (dv, dw)' = d(acceleration)/dz
Leg springs ``-k (l - l0) - c ldot`` beside the actuators (their structural stiffness with locked brakes, or passive
springs) and joint stiffness enter A, as the springs of the machine's own joints do; the operating forces are those
that hold the given motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.analysis import linked
from gough.analysis.joint_stiffness import joint_stiffness
from gough.checks import Array, InputError, array, fitting, number, rich, six
from gough.dynamics import inverse_dynamics, mass_matrix
from gough.dynamics.complex_step import slopes, variations
from gough.engines.evaluate import as_motion, check_platform, motion_blocks
from gough.engines.pack import kinds_of, packed, parameters
from gough.extras import package
from gough.frozen import hinted
from gough.layout import JACOBIAN, LEG_MOTION, LINEAR, STATE, TWIST
from gough.links import links, released
from gough.model import Platform
from gough.spatial import Motion, Pose, skew

STATES = (*(f"{a}{i}" for a in ("t", "theta", "v", "w") for i in "xyz"),)
FORCES = tuple(f"force_{i}" for i in range(1, 7))
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
OUTPUTS = ("length", "rate", "pose", "twist")


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class StateSpace:
    """``z' = A z + B u, y = C z + D u`` (..., rows, columns), or one sample further when `dt` is set.

    inputs: the efforts (N) of the six legs, or of those that are driven, then with ``wrench=True`` the external wrench
            (platform axes)
    """

    A: Array
    B: Array
    C: Array
    D: Array
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...] = STATES
    dt: float | None = None
    force: Array = field(default_factory=lambda: np.zeros(6))

    def __repr__(self) -> str:
        batch = f" {self.A.shape[:-2]}" if self.A.ndim > 2 else ""
        time = "continuous" if self.dt is None else f"sampled every {self.dt:g} s"
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<StateSpace{batch}: {time}, {sizes}>"

    def _repr_html_(self) -> str:
        return rich("state_space_html", self)

    def __iter__(self) -> Any:
        """``A, B, C, D = ...``"""
        return iter((self.A, self.B, self.C, self.D))

    @property
    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A."""
        return np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)

    def discrete(self, dt: float) -> StateSpace:
        """The exact sampled model with inputs held over `dt` (s): ``exp([[A, B], [0, 0]] dt)``."""
        expm = package("scipy.linalg").expm

        if self.dt is not None:
            raise InputError("dt", self.dt, "the model is already sampled")
        h, n, m = number("dt", dt, above=0.0), self.A.shape[-1], self.B.shape[-1]
        both = np.zeros((*self.A.shape[:-2], n + m, n + m))
        both[..., :n, :n], both[..., :n, n:] = self.A * h, self.B * h
        E = np.asarray(expm(both), dtype=np.float64)
        return StateSpace(
            E[..., :n, :n],
            E[..., :n, n:],
            self.C,
            self.D,
            self.inputs,
            self.outputs,
            self.states,
            h,
            self.force,
        )

    def response(self, omega: ArrayLike) -> NDArray[np.complex128]:
        """Frequency response ``C (jw - A)^-1 B + D`` (or at ``exp(jw dt)``), (..., frequencies, outputs, inputs)."""
        w = np.atleast_1d(np.asarray(omega, dtype=float))
        s = 1j * w if self.dt is None else np.exp(1j * w * self.dt)
        n = self.A.shape[-1]
        X = np.linalg.solve(
            s[:, None, None] * np.eye(n) - self.A[..., None, :, :], self.B[..., None, :, :]
        )
        return np.asarray(
            self.C[..., None, :, :] @ X + self.D[..., None, :, :], dtype=np.complex128
        )

    def to_scipy(self) -> Any:
        """`scipy.signal.StateSpace` (continuous or with dt)."""
        signal = package("scipy.signal")

        more = {} if self.dt is None else {"dt": self.dt}
        return signal.StateSpace(self.A, self.B, self.C, self.D, **more)

    def transfer(self, output: str, effort: str) -> Any:
        """One entry as `scipy.signal.ZerosPolesGain` (coefficients of twelfth order would lose the digits).

        Zeros: finite generalized eigenvalues of ``([[A, b], [c, d]], diag(E, 0))``; gain: by the response at a
        frequency of the size of the poles.
        """
        signal = package("scipy.signal")
        eigvals = package("scipy.linalg").eigvals

        i, j = self.outputs.index(output), self.inputs.index(effort)
        n = len(self.A)
        pencil = np.block([[self.A, self.B[:, [j]]], [self.C[[i]], self.D[[i]][:, [j]]]])
        poles = self.poles
        size = max(1.0, float(np.abs(poles).max()))
        values = np.asarray(eigvals(pencil, np.diag([1.0] * n + [0.0])))
        zeros = values[np.isfinite(values) & (np.abs(values) < 1e6 * size)]
        s = 1.7 * size
        at = (
            self.C[[i]] @ np.linalg.solve(s * np.eye(n) - self.A, self.B[:, [j]])
            + self.D[[i]][:, [j]]
        )[0, 0]
        gain = (
            at
            * np.prod((s - poles) / size)
            / np.prod((s - zeros) / size)
            * size ** (len(poles) - len(zeros))
        )
        more = {} if self.dt is None else {"dt": self.dt}
        return signal.ZerosPolesGain(zeros, poles, float(np.real(gain)), **more)

    def to_control(self) -> Any:
        """`control.StateSpace` of the python-control package (the extra `control`)."""
        control = package("control")
        return control.ss(
            self.A,
            self.B,
            self.C,
            self.D,
            *(() if self.dt is None else (self.dt,)),
            inputs=list(self.inputs),
            outputs=list(self.outputs),
            states=list(self.states),
        )


def linearize(
    platform: Platform,
    motion: Motion | Pose,
    *,
    force: ArrayLike | None = None,
    stiffness: ArrayLike = 0.0,
    damping: ArrayLike = 0.0,
    universal: float = 0.0,
    spherical: float = 0.0,
    outputs: tuple[str, ...] = ("length",),
    wrench: bool = False,
) -> StateSpace:
    """The linear model at a pose (at rest) or along a motion, (...) batch axes.

    force      operating efforts (..., 6); default: those that give the motion's accelerations
    stiffness, damping   (6,) or one number: passive springs and dampers along the legs, N/m, N s/m
    universal, spherical  rotational stiffness of the joints, N m/rad, relaxed at this pose, beside the machine's own
    outputs    any of "length", "rate", "pose", "twist"
    Machines with fixed links, at rest only: states on the twists that the links allow (analysis/linked.py), inputs the
    efforts of the drives; `stiffness` and `damping` of links are not read.
    """
    check_platform(platform)
    motion, held = as_motion(motion), bool(len(links(platform).legs))
    if held:
        linked.check_rest(motion, force)
    k, c = six("stiffness", stiffness), six("damping", damping)
    if (k < 0).any() or (c < 0).any():
        raise InputError("stiffness", (stiffness, damping), "must not be negative")
    A, B, legs, given = full_model(platform, motion, force, (k, c), (universal, spherical))
    C, names = _outputs(tuple(outputs), legs)
    B, inputs = (B, FORCES + WRENCH) if wrench else (B[..., :6], FORCES)
    states = STATES
    if held:
        A, B, C = linked.reduced_model(platform, motion.pose, A, B, C)
        inputs = tuple(n for i, n in enumerate(inputs) if i not in links(platform).legs)
        states = linked.state_names(platform)
    D = np.zeros((*motion.shape, C.shape[-2], B.shape[-1]))
    return StateSpace(A, B, C, D, inputs, names, states, force=given)


def full_model(
    platform: Platform,
    motion: Motion,
    force: ArrayLike | None,
    legs_have: tuple[Array, Array],
    joints_have: tuple[float, float],
) -> tuple[Array, Array, Array, Array]:
    """A (..., 12, 12), B (..., 12, 12) over efforts and wrench, d(length, rate)/d(states), operating efforts.

    legs_have, joints_have   stiffness and damping along the legs, stiffness of universal and ball joints
    """
    kinds, (k, c) = kinds_of(platform), legs_have
    if packed(platform).spins:
        raise InputError(
            "platform", platform.name, "legs whose spin is part of the state are not linearized"
        )
    if force is None:
        given = inverse_dynamics(platform, motion).force
    else:
        given = fitting("force", array("force", force, (6,)), (*motion.shape, 6))
    acc, legs = _derivatives(platform, kinds, motion, given)
    A, B = np.zeros((*motion.shape, 12, 12)), np.zeros((*motion.shape, 12, 12))
    A[..., LINEAR.pose, LINEAR.twist] = np.eye(6)
    A[..., TWIST.angular, TWIST.angular] = skew(motion.angular_velocity)
    n = len(STATES)
    A[..., LINEAR.twist, :] = acc[..., :n] - acc[..., LINEAR.force] @ (
        k[:, None] * legs[..., :6, :] + c[:, None] * legs[..., 6:, :]
    )
    B[..., LINEAR.twist, :] = acc[..., n:]
    if any(joints_have):
        K = joint_stiffness(released(platform), motion.pose, *joints_have)
        if len(links(platform).legs):  # a wrench moves what the links let it move
            turned = np.kron(np.eye(2), np.swapaxes(motion.rotation, -1, -2))
            A[..., LINEAR.twist, LINEAR.pose] -= acc[..., LINEAR.wrench] @ turned @ K
        else:
            M = mass_matrix(platform, motion.pose)
            A[..., LINEAR.twist, LINEAR.pose] -= np.linalg.solve(M, K)
    return A, B, legs, given


def _derivatives(
    platform: Platform, kinds: tuple[str, ...], motion: Motion, force: Array
) -> tuple[Array, Array]:
    """d(acceleration)/d(12 states, 6 forces, 6 wrench) (..., 6, 24), and d(length, rate)/d(states) (..., 12, 12)."""
    shape, par = motion.shape, parameters(platform)
    moving = np.concatenate(motion_blocks(motion, len(STATE.names)), axis=1)
    n, wrench = len(moving), np.zeros((len(moving), 6))
    order = [
        *range(len(STATES)),
        *(JACOBIAN.at(name) + i for name in ("effort", "external") for i in range(6)),
    ]

    def found(function: str, loads: Array, columns: list[int]) -> Array:
        x = np.concatenate([moving, loads], axis=1)
        along = variations(function, motion.rotation.reshape(n, 3, 3), x[:, :0])[..., columns]
        return slopes(function, kinds, x, par, along)[1].reshape(*shape, -1, len(columns))

    driven = np.concatenate([force.reshape(n, 6), wrench], axis=1)
    legs = found("kinematics", np.zeros((n, 6)), order[: len(STATES)])
    rows = [
        legs[..., row :: LEG_MOTION.size, :] for row in (LEG_MOTION.coordinate, LEG_MOTION.rate)
    ]
    return found("forward", driven, order)[..., : TWIST.size, :], np.concatenate(rows, axis=-2)


def _outputs(outputs: tuple[str, ...], legs: Array) -> tuple[Array, tuple[str, ...]]:
    unknown = [o for o in outputs if o not in OUTPUTS]
    if unknown or not outputs:
        raise InputError("outputs", outputs, f"must be some of {', '.join(OUTPUTS)}")
    shape = legs.shape[:-2]
    eye = np.broadcast_to(np.eye(len(STATES)), (*shape, len(STATES), len(STATES)))
    parts = {
        "length": legs[..., :6, :],
        "rate": legs[..., 6:, :],
        "pose": eye[..., LINEAR.pose, :],
        "twist": eye[..., LINEAR.twist, :],
    }
    names = {
        "length": [f"length_{i}" for i in range(1, 7)],
        "rate": [f"rate_{i}" for i in range(1, 7)],
        "pose": list(STATES[LINEAR.pose]),
        "twist": list(STATES[LINEAR.twist]),
    }
    return np.concatenate([parts[o] for o in outputs], axis=-2), tuple(
        n for o in outputs for n in names[o]
    )
