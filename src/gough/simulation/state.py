"""The state of a run: pose, twist and leg spins, and its rows inside the compiled integrators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough import reasons
from gough.checks import Array, Frozen, InfeasibleError, InputError, array
from gough.dynamics.laws import Laws, hydraulic, series, states
from gough.dynamics.laws.machine import drive_laws, static_load
from gough.dynamics.rotors import without_rotors
from gough.engines import native
from gough.engines.evaluate import motion_blocks, spin_block
from gough.engines.pack import packed
from gough.equations.machine import MOVING
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import LEG_MOTION, SPIN, SPINNING, STATE, TWIST
from gough.links import TWIST as TWIST_TOO
from gough.links import refuse_off_links
from gough.model import Leg, Platform
from gough.results import Spin
from gough.simulation.machines import machines_of, of_runs
from gough.simulation.programs import SPINS, Machine, state_layout
from gough.spatial import Motion, Pose
from gough.struts import struts

BODY = slice(0, STATE.size)
BLOCKS = [getattr(STATE, name) for name in STATE.names]
LENGTH_TOLERANCE = 1e-9  # of leg coordinates that come with a state, m (rad)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class State(Frozen):
    """Where a run starts: pose and twist of the reference point (world axes), (...) runs.

    position (..., 3) m; rotation (..., 3, 3); velocity m/s; angular_velocity rad/s
    spin     of legs that carry it as state;  length  (..., 6) actuator coordinates: if given, they must
             belong to the pose
    """

    position: Array
    rotation: Array
    velocity: Array
    angular_velocity: Array
    spin: Spin | None = None
    length: Array | None = None

    def __init__(
        self,
        position: ArrayLike | Pose | Motion,
        rotation: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        *,
        spin: Spin | None = None,
        length: ArrayLike | None = None,
    ) -> None:
        if isinstance(position, Motion):
            motion = position
        else:
            if isinstance(position, Pose):
                position, rotation = position.position, position.rotation
            t, v = array("position", position, (3,)), array("velocity", velocity, (3,))
            R = np.eye(3) if rotation is None else array("rotation", rotation, (3, 3))
            motion = Motion(t, R, v, array("angular_velocity", angular_velocity, (3,)))
        given = {name: getattr(motion, name) for name in STATE.names}
        given |= {"spin": spin, "length": None if length is None else array("length", length, (6,))}
        for name, value in given.items():
            object.__setattr__(self, name, value)

    @property
    def motion(self) -> Motion:
        """Pose and twist, no acceleration."""
        return Motion.trusted(self.position, self.rotation, self.velocity, self.angular_velocity)


def initial(
    platform: Platform, state: State | Motion | Pose, spin: Spin | None
) -> tuple[Motion, Spin | None]:
    """The start checked: every pose can be taken, lengths given with it belong to it."""
    if isinstance(state, (Motion, Pose)):
        state = State(state)
    if not isinstance(state, State):
        allowed = "must be a gough.simulation.State, gough.Motion or gough.Pose"
        raise InputError("state", state, allowed)
    motion, spin = state.motion, spin if spin is not None else state.spin
    t, R = motion.position.reshape(-1, 3), motion.rotation.reshape(-1, 3, 3)
    bad = reasons.problems(platform, struts(platform, Pose.trusted(t, R))).any(axis=-1)
    for run in np.flatnonzero(bad)[:1]:
        problem = reasons.pose_problem(platform, t[run], R[run])
        raise InfeasibleError(f"state{f' of run {run}' if motion.shape else ''}: {problem}")
    refuse_off_links(platform, motion, TWIST_TOO)
    if state.length is not None:
        error = np.abs(inverse_kinematics(platform, motion).length - state.length).max()
        if not error <= LENGTH_TOLERANCE:
            allowed = (
                "must be the actuator coordinates of the given pose (inconsistent initial state)"
            )
            raise InputError("state.length", f"off by {error:.3g}", allowed)
    return motion, spin


class Rows:
    """How the states of n runs lie in rows (`programs.state_layout`), and the machine's functions of them.

    machines  one for all runs, or one for each; `platform` is the first of them
    par       its parameters (P,), or (n, P): state j of a function here is one of run ``j % n``
    """

    def __init__(
        self, platform: Platform | Sequence[Platform], spinning: bool, laws: Laws = ()
    ) -> None:
        self.machines, self.several = machines_of(platform), not isinstance(platform, Platform)
        apart = "series" in laws and "riding" not in laws
        own = [without_rotors(m) if apart else m for m in self.machines]
        each = [packed(machine, spinning) for machine in own]
        self.platform, self.laws, self.kinds = self.machines[0], laws, each[0].kinds
        self.par, self.spins = each[0].parameters, each[0].spins
        if self.several:
            self.par = np.stack([machine.parameters for machine in each])
        self.layout = state_layout(self.kinds, laws)
        self.size = self.layout.size
        self.carried: Callable[[float], list[Array]] | None = None
        self._seen: Array | None = None
        self._inputs: list[Array] = []

    @cached_property
    def machine(self) -> Machine:
        """The machine functions over rows of numbers."""
        return Machine(self.kinds, list(self.par.T))

    @cached_property
    def _kinematics(self) -> Callable[..., None]:
        return native.kernel("kinematics", self.kinds, "machines" if self.several else "batch")

    def start(self, motion: Motion, spin: Spin | None) -> Array:
        """(rows, n) of initial motions; anchors at the actuator coordinates."""
        n = int(np.prod(motion.shape, dtype=int))
        X = np.zeros((self.size, n))
        X[BODY] = np.concatenate(motion_blocks(motion, 4), axis=1).T
        if self.spins:
            block = spin_block(self.platform, spin, motion.shape)
            assert block is not None
            assert spin is not None
            for k, name in enumerate(SPINS[:3]):
                X[getattr(SPINNING, name)] = block.reshape(n, 6, SPIN.size)[:, :, k].T
            X[SPINNING.spin_angle] = np.broadcast_to(spin.angle, (*motion.shape, 6)).reshape(n, 6).T
        if self.laws:
            self._start_laws(X, motion, spin)
        return X

    def _start_laws(self, X: Array, motion: Motion, spin: Spin | None) -> None:
        """Friction at ease; gears, springs of drives, currents and oil loaded by what holds the pose."""
        own = states(self.laws)
        length, rate = (a.T for a in self.legs(X))
        X[self.layout.anchor] = length
        if not own:
            return
        load = of_runs(self.machines, motion, lambda m, now: static_load(m, now, spin))
        load = load.reshape(-1, 6).T
        given = {"load": load, "current": load, "drive_rate": rate, "valve": 0.0}
        if "series" in self.laws or "hydraulic" in self.laws:
            law = np.stack([drive_laws(machine) for machine in self.machines], axis=2)
            if "series" in self.laws:
                given["drive_coordinate"] = X[self.layout.anchor] = series.start(law, length, load)
            else:
                given["cap_oil"], given["rod_oil"] = hydraulic.start(law, length, load)
        for name in own:
            X[getattr(self.layout, name)] = given[name]

    def blocks(self, X: Array) -> list[Array]:
        """(n, width) inputs of the batch kernels: t, R, v, w."""
        return [X[block].T for block in BLOCKS]

    def spin_inputs(self, X: Array) -> list[Array]:
        """The spins as the batch kernels take them, or nothing."""
        if not self.spins:
            return []
        each = np.stack([X[getattr(SPINNING, name)] for name in SPINS[:3]], axis=-1)
        return [each.transpose(1, 0, 2).reshape(X.shape[1], 6 * SPIN.size)]

    @cached_property
    def carried_par(self) -> Array:
        """Parameters of the machine on a base that moves."""
        return packed(self.platform, self.spins).numbers(MOVING)

    def forward(
        self, X: Array, command: Array, external: Array, t: float, push: Array | None = None
    ) -> Array:
        """Forward dynamics of the states in rows at time t, (n, FORWARD); with the net push (n, 6) of motors that ride
        behind springs (n, ELASTIC)."""
        inputs, spin = [*self.blocks(X), command, external], self.spin_inputs(X)
        if push is not None:
            inputs += [np.ascontiguousarray(X[self.layout.drive_rate].T), push]
            return native.run("elastic", self.kinds, [*inputs, *spin], self.par)
        if self.carried is None:
            return native.run("forward", self.kinds, [*inputs, *spin], self.par)
        base = [np.broadcast_to(b, (X.shape[1], b.shape[1])) for b in self.carried(t)]
        given = [*inputs, *base, *spin]
        return native.run(MOVING + "forward", self.kinds, given, self.carried_par)

    def kinematics(self, X: Array, acceleration: Array | None = None) -> Array:
        """The legs of the states in rows, (n, 6, LEG_MOTION); without acceleration (6, n) theirs have no meaning."""
        n = X.shape[1]
        if acceleration is not None:
            a = [np.ascontiguousarray(acceleration[at].T) for at in (TWIST.linear, TWIST.angular)]
            inputs = [*self.blocks(X), *a, *self.spin_inputs(X)]
            return native.run("kinematics", self.kinds, inputs, self.par).reshape(n, 6, -1)
        if X is not self._seen:  # a loop asks with the same rows again: their views are made once
            none = np.zeros((n, 3))
            self._seen, self._inputs = X, [*self.blocks(X), none, none]
        out = np.empty((n, 6, LEG_MOTION.size))
        inputs = [*self._inputs, *self.spin_inputs(X)]
        threads = native.threads() if n > 1 else 1
        native.run_into(self._kinematics, inputs, self.par, out.reshape(n, -1), threads)
        return out

    def resting_legs(self, pose: Pose, runs: NDArray[np.intp]) -> Array:
        """(len(runs), 6, LEG_MOTION) legs of some runs at rest in these poses; NaN where a leg cannot reach."""
        t, R = pose.position, pose.rotation.reshape(-1, 9)
        inputs, own = [t, R, *[np.zeros_like(t)] * 4], self.par[runs] if self.several else self.par
        return native.run("kinematics", self.kinds, inputs, own).reshape(len(t), 6, -1)

    def of_legs(self, number: Callable[[Leg], ArrayLike]) -> Array:
        """(1 or n, 6, ...) a number of each leg of the machines."""
        return np.array([[number(leg) for leg in m.legs] for m in self.machines], dtype=float)

    def legs(self, X: Array) -> tuple[Array, Array]:
        """Actuator coordinates and rates, (n, 6) each."""
        out = self.kinematics(X)
        return out[:, :, LEG_MOTION.coordinate], out[:, :, LEG_MOTION.rate]

    def motion(self, X: Array) -> Motion:
        """The platform's motion, (n,); rows that are not finite become the identity at rest (masked by callers)."""
        good = np.isfinite(X[BODY]).all(axis=0)
        R = np.where(good, X[STATE.rotation], np.eye(3).reshape(9, 1)).T.reshape(-1, 3, 3)
        rest = (STATE.position, STATE.velocity, STATE.angular_velocity)
        t, v, w = (np.where(good, X[a], 0.0).T for a in rest)
        return Motion.trusted(t, orthogonal(R), v, w)

    def spin(self, X: Array) -> Spin | None:
        """Spins (n, 6)."""
        return Spin(spin_angle(X).T, X[SPINNING.spin_rate].T) if self.spins else None


def spin_angle(X: Array, axis: int = 0) -> Array:
    """Angles of the spins of state rows: they follow cosine and sine, whole turns their integral."""
    blocks = (SPINNING.spin_cosine, SPINNING.spin_sine, SPINNING.spin_angle)
    cosine, sine, integral = (X[(slice(None),) * axis + (block,)] for block in blocks)
    angle = np.arctan2(sine, cosine)
    return angle + 2 * np.pi * np.round((integral - angle) / (2 * np.pi))


def orthogonal(R: Array) -> Array:
    """The rotation nearest to a matrix: two Newton steps of the polar decomposition where that is enough.

    What holds a NaN becomes the identity."""
    M = np.clip(R, -2.0, 2.0)  # entries of a run about to diverge must not overflow
    square = np.swapaxes(M, -1, -2) @ M
    far = ~(_off(square) < 0.5)  # steps turn an axis around that is longer than the root of 3
    R = M @ (1.5 * np.eye(3) - 0.5 * square)
    R = R @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(R, -1, -2) @ R)
    far |= ~(_off(np.swapaxes(R, -1, -2) @ R) < 1e-12)
    if far.any():  # a run that is about to diverge
        whole = np.isfinite(M[far]).all(axis=(-1, -2), keepdims=True)
        U, _, V = np.linalg.svd(np.where(whole, M[far], np.eye(3)))
        U[..., -1] *= np.linalg.det(U @ V)[..., None]
        R[far] = U @ V
    return R


def _off(square: Array) -> Array:
    """How far from the identity, by its largest entry."""
    return np.abs(square - np.eye(3)).max(axis=(-1, -2))
