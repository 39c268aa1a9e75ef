"""The state of a run: pose, twist and leg spins, and its rows inside the compiled integrators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InfeasibleError, InputError, array
from gough.engines import native
from gough.engines.evaluate import motion_blocks, spin_block
from gough.engines.pack import kinds_of, parameters
from gough.kinematics.feasibility import pose_problem
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.results import Spin
from gough.simulation import kernel
from gough.spatial import Motion, Pose

LENGTH_TOLERANCE = 1e-9  # of leg coordinates that come with a state, relative to one meter or radian


@dataclass(frozen=True, eq=False)
class State(Frozen):
    """Where a run starts: pose and twist of the reference point (world axes), (...) runs.

    position (..., 3) m; rotation (..., 3, 3); velocity m/s; angular_velocity rad/s
    spin     of SPS legs that carry it as state;  length  (..., 6) actuator coordinates: if given, they must
             belong to the pose
    """

    position: Array
    rotation: Array
    velocity: Array
    angular_velocity: Array
    spin: Spin | None = None
    length: Array | None = None

    def __init__(self, position: ArrayLike | Pose | Motion, rotation: ArrayLike | None = None,
                 velocity: ArrayLike = (0.0, 0.0, 0.0), angular_velocity: ArrayLike = (0.0, 0.0, 0.0), *,
                 spin: Spin | None = None, length: ArrayLike | None = None) -> None:
        if isinstance(position, Motion):
            motion = position
        elif isinstance(position, Pose):
            motion = Motion(position.position, position.rotation, array("velocity", velocity, (3,)),
                            array("angular_velocity", angular_velocity, (3,)))
        else:
            motion = Motion(array("position", position, (3,)),
                            np.eye(3) if rotation is None else array("rotation", rotation, (3, 3)),
                            array("velocity", velocity, (3,)), array("angular_velocity", angular_velocity, (3,)))
        lengths = None if length is None else array("length", length, (6,))
        for name, value in (("position", motion.position), ("rotation", motion.rotation),
                            ("velocity", motion.velocity), ("angular_velocity", motion.angular_velocity),
                            ("spin", spin), ("length", lengths)):
            object.__setattr__(self, name, value)

    @property
    def motion(self) -> Motion:
        """Pose and twist, no acceleration."""
        return Motion(self.position, self.rotation, self.velocity, self.angular_velocity)


def initial(platform: Platform, state: State | Motion | Pose, spin: Spin | None) -> tuple[Motion, Spin | None]:
    """The start checked: every pose can be taken, lengths given with it belong to it."""
    if isinstance(state, (Motion, Pose)):
        state = State(state)
    if not isinstance(state, State):
        raise InputError("state", state, "must be a gough.simulation.State, gough.Motion or gough.Pose")
    motion, spin = state.motion, spin if spin is not None else state.spin
    flat = motion.position.reshape(-1, 3), motion.rotation.reshape(-1, 3, 3)
    for i, (t, R) in enumerate(zip(*flat, strict=True)):
        problem = pose_problem(platform, t, R)
        if problem:
            raise InfeasibleError(f"state{f' of run {i}' if motion.shape else ''}: {problem}")
    if state.length is not None:
        error = np.abs(inverse_kinematics(platform, motion).length - state.length).max()
        if not error <= LENGTH_TOLERANCE:
            raise InputError("state.length", f"off by {error:.3g}",
                             "must be the actuator coordinates of the given pose (inconsistent initial state)")
    return motion, spin


@dataclass(frozen=True, eq=False)
class Rows:
    """How the states of n runs lie in rows; see kernel.py."""

    platform: Platform
    kinds: tuple[str, ...]
    laws: bool

    @classmethod
    def of(cls, platform: Platform, spinning: bool, laws: bool) -> Rows:
        """The layout for a machine."""
        return cls(platform, kinds_of(platform, spinning), laws)

    @property
    def spins(self) -> bool:
        """Some leg's spin is part of the state."""
        return "sps_spin" in self.kinds

    @property
    def size(self) -> int:
        """Numbers per run."""
        return kernel.rows(self.kinds, self.laws)

    @property
    def anchors(self) -> slice:
        """Rows of the friction anchors."""
        return slice(self.size - 6, self.size)

    def start(self, motion: Motion, spin: Spin | None) -> Array:
        """(rows, n) of initial motions; anchors at the actuator coordinates."""
        n = int(np.prod(motion.shape, dtype=int))
        X = np.zeros((self.size, n))
        X[:18] = np.concatenate(motion_blocks(motion, 4), axis=1).T
        if self.spins:
            block = spin_block(self.platform, spin, motion.shape)
            assert block is not None
            assert spin is not None
            X[18:36] = block.reshape(n, 6, 3).transpose(2, 1, 0).reshape(18, n)
            X[36:42] = np.broadcast_to(spin.angle, (*motion.shape, 6)).reshape(n, 6).T
        if self.laws:
            X[self.anchors] = self.legs(X)[0]
        return X

    def blocks(self, X: Array) -> list[Array]:
        """(n, width) inputs of the batch kernels: t, R, v, w."""
        return [X[0:3].T, X[3:12].T, X[12:15].T, X[15:18].T]

    def spin_inputs(self, X: Array) -> list[Array]:
        """The spins as the batch kernels take them, or nothing."""
        if not self.spins:
            return []
        return [np.stack([X[18:24], X[24:30], X[30:36]], axis=-1).transpose(1, 0, 2).reshape(X.shape[1], 18)]

    def run(self, function: str, X: Array, *more: Array) -> Array:
        """A machine function of the states in rows: (n, outputs)."""
        count = {"kinematics": 4, "forward": 4, "energy": 4, "mass": 2}[function]
        blocks = self.blocks(X)[:count]
        if function == "kinematics":
            none = np.broadcast_to(np.zeros(3), (X.shape[1], 3))
            blocks += [none, none]
        return native.run(function, self.kinds, [*blocks, *more, *self.spin_inputs(X)], parameters(self.platform))

    def legs(self, X: Array) -> tuple[Array, Array]:
        """Actuator coordinates and rates, (6, n) each."""
        out = self.run("kinematics", X).reshape(-1, 6, 12)
        return out[:, :, 0].T, out[:, :, 1].T

    def motion(self, X: Array) -> Motion:
        """The platform's motion, (n,); rows that are not finite become the identity at rest (masked by callers)."""
        good = np.isfinite(X[:18]).all(axis=0)
        R = np.where(good, X[3:12], np.eye(3).reshape(9, 1)).T.reshape(-1, 3, 3)
        t, v, w = (np.where(good, X[a:a + 3], 0.0).T for a in (0, 12, 15))
        return Motion(t, orthogonal(R), v, w)

    def spin(self, X: Array) -> Spin | None:
        """Spins (n, 6): the angle follows its cosine and sine, whole turns its integral."""
        if not self.spins:
            return None
        angle = np.arctan2(X[24:30], X[18:24])
        turns = np.round((X[36:42] - angle) / (2 * np.pi))
        return Spin((angle + 2 * np.pi * turns).T, X[30:36].T)


def orthogonal(R: Array) -> Array:
    """The rotation nearest to a matrix: two Newton steps of the polar decomposition where that is enough."""
    R = np.clip(R, -2.0, 2.0)  # entries of a run about to diverge must not overflow
    for _ in range(2):
        R = R @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(R, -1, -2) @ R)
    far = ~(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2)) < 1e-12)
    if far.any():  # a run that is about to diverge
        U, _, V = np.linalg.svd(np.nan_to_num(R[far], nan=0.0, posinf=1.0, neginf=-1.0))
        U[..., -1] *= np.linalg.det(U @ V)[..., None]
        R = R.copy()
        R[far] = U @ V
    return R
