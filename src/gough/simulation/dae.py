"""A platform as a constrained system of thirteen bodies, driven (lengths given) or forced (forces given).

Configuration q (91,): for each moving body its mass center (3) and quaternion (w, x, y, z); speeds u (78,) as
in `gough.formulations.multibody`: velocity of the mass center and angular velocity, world axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError, array
from gough.formulations.linear import cross
from gough.formulations.multibody.assembly import GROUND, Assembly, assemble
from gough.formulations.multibody.balance import damping, energies, forces, mass
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.joint_reactions import joint_reactions
from gough.formulations.multibody.kinematics import SpinLike, body_motion
from gough.formulations.multibody.verbs import refuse_links
from gough.model import Platform
from gough.results import Reactions
from gough.simulation.alpha_family import ConstrainedSystem as ConstrainedSystem
from gough.simulation.alpha_family import DaeRun as DaeRun
from gough.simulation.alpha_family import Method as Method
from gough.simulation.alpha_family import Newton as Newton
from gough.simulation.alpha_family import consistent as consistent
from gough.simulation.alpha_family import integrate as integrate
from gough.simulation.integrators.generalized_alpha import generalized_alpha as generalized_alpha
from gough.simulation.integrators.hht import hht as hht
from gough.spatial import Motion, Pose, quaternion_from_rotation, rotation_from_quaternion
from gough.status import Status

Lengths = Callable[[float], tuple[ArrayLike, ArrayLike, ArrayLike]]
"""Time -> actuator coordinates and their first and second derivatives, each (6,)."""
Force = Callable[[float, Motion], ArrayLike] | ArrayLike
"""Actuator forces (6,), or a function of time and platform motion (its acceleration fields are zero)."""
Profile = Array | Callable[[float, Motion], Array]
MEMBERS: dict[str, Callable[..., Method]] = {"hht": hht, "generalized-alpha": generalized_alpha}


class MachineSystem:
    """`ConstrainedSystem` of a platform.  Give `lengths` (driven) or `force` (forced; default: no force)."""

    def __init__(
        self,
        platform: Platform,
        *,
        lengths: Lengths | None = None,
        force: Force | None = None,
        external: Force | None = None,
    ) -> None:
        if lengths is not None and force is not None:
            raise InputError("force", force, "give either lengths or force")
        if lengths is None:
            refuse_links(platform)
        self.assembly: Assembly = assemble(platform)
        self.platform = platform
        self.lengths = lengths
        self._force, self._external = _profile("force", force), _profile("external", external)
        rows = self.assembly.size if lengths is not None else self.assembly.kinematic
        self._rows = np.arange(rows)
        self._at: bytes = b""
        self._state: BodyState | None = None
        self._phi: Array = np.zeros(0)

    @property
    def size(self) -> tuple[int, int]:
        """78 speeds; 72 or more constraints when driven, six fewer when forced."""
        return 78, len(self._rows)

    def state(self, q: Array, v: Array | None = None) -> BodyState:
        """Bodies at configuration q (..., 91) with speeds v (..., 78)."""
        bodies = q.reshape(*q.shape[:-1], 13, 7)
        shape = bodies.shape[:-2]
        r, A = np.zeros((*shape, 14, 3)), np.empty((*shape, 14, 3, 3))
        r[..., :GROUND, :] = bodies[..., :3]
        A[..., :GROUND, :, :] = rotation_from_quaternion(bodies[..., 3:])
        A[..., GROUND, :, :] = np.eye(3)
        rest = BodyState(r, A, np.zeros_like(r), np.zeros_like(r))
        return rest if v is None else rest.with_speeds(v)

    def configuration(self, state: BodyState) -> Array:
        """q (..., 91) of a `BodyState`."""
        moving = quaternion_from_rotation(state.A[..., :GROUND, :, :])
        return np.concatenate([state.r[..., :GROUND, :], moving], axis=-1).reshape(*state.shape, 91)

    def _here(self, q: Array) -> tuple[BodyState, Array]:
        key = q.tobytes()
        if self._state is None or key != self._at:
            self._state, self._at = self.state(q), key
            self._phi = self.assembly.jacobian(self._state)
        return self._state, self._phi

    def mass(self, q: Array) -> Array:
        state, Phi = self._here(q)
        return mass(self.assembly, state, Phi)

    def force(self, q: Array, v: Array, t: float) -> Array:
        state, Phi = self._here(q)
        state = state.with_speeds(v)
        f = forces(self.assembly, state, Phi, None, self._applied(self._external, t, state))
        if self.lengths is None:
            f = f + self._applied(self._force, t, state) @ Phi[self.assembly.driver_rows]
        return f

    def _applied(self, profile: Profile, t: float, state: BodyState) -> Array:
        if not callable(profile):
            return profile
        return profile(t, platform_motion(self.platform, state, t))

    def actuator_force(self, t: float, motion: Motion) -> Array:
        """The given actuator forces (6,)."""
        return self._force(t, motion) if callable(self._force) else self._force

    def damping(self, q: Array, v: Array, t: float) -> Array | None:
        if not self.assembly.friction.any() and self.assembly.pairs is None:
            return None
        return damping(self.assembly, *self._here(q))

    def constraint(self, q: Array, t: float) -> Array:
        Phi = self.assembly.value(self._here(q)[0])
        if self.lengths is not None:
            Phi[self.assembly.driver_rows] -= np.asarray(self.lengths(t)[0], dtype=float)
        return Phi[self._rows]

    def jacobian(self, q: Array, t: float) -> Array:
        return self._here(q)[1][self._rows]

    def constraint_rate(self, t: float) -> Array:
        rate = np.zeros(self.assembly.size)
        if self.lengths is not None:
            rate[self.assembly.driver_rows] = -np.asarray(self.lengths(t)[1], dtype=float)
        return rate[self._rows]

    def gamma(self, q: Array, v: Array, t: float) -> Array:
        gamma = self.assembly.gamma(self._here(q)[0].with_speeds(v))
        if self.lengths is not None:
            gamma[self.assembly.driver_rows] += np.asarray(self.lengths(t)[2], dtype=float)
        return gamma[self._rows]

    def blocks(self) -> list[NDArray[np.intp]] | None:
        """One set per leg: its twelve speeds and its kinematic rows."""
        return self.assembly.leg_unknowns

    def retract(self, q: Array, dx: Array) -> Array:
        """Mass centers add, rotations multiply: ``exp(dtheta) q``, dtheta in world axes."""
        bodies, d = q.reshape(13, 7), dx.reshape(13, 6)
        half = 0.5 * np.linalg.norm(d[:, 3:], axis=1, keepdims=True)
        e = np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * d[:, 3:]], axis=1)
        w, x = e[:, :1], e[:, 1:]
        W, X = bodies[:, 3:4], bodies[:, 4:]
        scalar = w * W - (x * X).sum(axis=1, keepdims=True)
        turned = np.concatenate([scalar, w * X + W * x + cross(x, X)], axis=1)
        turned = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return np.concatenate([bodies[:, :3] + d[:, :3], turned], axis=1).reshape(91)


def _profile(name: str, given: Force | None) -> Profile:
    if callable(given):
        return lambda t, motion: array(name, given(t, motion), (6,))
    fixed = np.zeros(6) if given is None else array(name, given, (6,))
    if fixed.shape != (6,):
        allowed = "must be six numbers or a function of (time, motion)"
        raise InputError(name, f"shape {fixed.shape}", allowed)
    return fixed


def platform_motion(
    platform: Platform, state: BodyState, t: ArrayLike | None = None, ud: Array | None = None
) -> Motion:
    """Motion of the reference point from the platform body; `ud` (..., 78) adds the accelerations."""
    R, w = state.A[..., 0, :, :], state.w[..., 0, :]
    arm = -(R @ platform.body.center)
    position, velocity = state.r[..., 0, :] + arm, state.v[..., 0, :] + cross(w, arm)
    time = None if t is None else np.asarray(t, dtype=float)
    if ud is None:
        return Motion(position, R, velocity, w, time=time)
    a, al = ud[..., :3], ud[..., 3:6]
    return Motion(position, R, velocity, w, a + cross(al, arm) + cross(w, cross(w, arm)), al, time)


@dataclass(eq=False)
class DaeResult:
    """A run of the machine; first axis time.

    motion        platform reference point with accelerations;  length, rate (n, 6) actuator coordinates
    force         (n, 6) actuator forces (driven: from the multipliers)
    kinetic, potential  J;  status: how it ended;  run: the raw integration, see `DaeRun`
    """

    time: Array
    motion: Motion
    length: Array
    rate: Array
    force: Array
    kinetic: Array
    potential: Array
    status: Status
    run: DaeRun
    system: MachineSystem

    @property
    def ok(self) -> bool:
        """The run reached its end."""
        return self.status.ok

    @property
    def states(self) -> BodyState:
        """All bodies at all instants."""
        return self.system.state(self.run.q, self.run.v)

    @property
    def reactions(self) -> Reactions:
        """Joint reactions at every sample, from the multipliers."""
        full = np.zeros((len(self.time), self.system.assembly.size))
        full[:, : self.run.multiplier.shape[1]] = self.run.multiplier
        full[:, self.system.assembly.driver_rows] = -self.force
        return joint_reactions(self.system.assembly, self.states, self.run.vd, full)


def _check_lengths(lengths: Lengths, start: float) -> None:
    try:
        shapes = [np.asarray(part, dtype=float).shape for part in lengths(start)]
    except (TypeError, ValueError):
        shapes = []
    if shapes != [(6,)] * 3:
        allowed = "must be a function of time to six lengths, their rates and accelerations"
        raise InputError("lengths", lengths, allowed)


def simulate_dae(
    platform: Platform,
    state: Motion | Pose,
    duration: float,
    step: float,
    *,
    force: Force | None = None,
    external: Force | None = None,
    lengths: Lengths | None = None,
    spin: SpinLike | None = None,
    method: str | Method = "hht",
    damping: float | None = None,
    project: bool = True,
    newton: Newton | None = None,
    start: float = 0.0,
    initial_speeds: str = "consistent",
    progress: Callable[[float], None] | None = None,
) -> DaeResult:
    """Simulate the machine as a DAE of thirteen bodies.

    state      platform motion at the start; with `lengths` its pose is a guess and velocities follow
    force      actuator forces, constant (6,) or ``f(t, motion)``
    lengths    instead of forces: drive the legs, ``f(t) -> (l, ld, ldd)``; forces are then a result
    external   wrench (6,) force then moment, platform axes, at the reference point; or ``f(t, motion)``
    method     "hht" (damping: alpha, -1/3..0) or "generalized-alpha" (damping: spectral radius, 0..1)
    damping    by default both leave about nine tenths of the fastest oscillations in a step (-0.05; 0.9)
    project    meet the hidden constraints too, see `integrate`; False is plain HHT as in 003
    initial_speeds  "consistent", or "zero": start at rest whatever the drivers say (what 003 appears to do)
    """
    if lengths is not None:
        _check_lengths(lengths, start)
    system = MachineSystem(platform, lengths=lengths, force=force, external=external)
    given = state if isinstance(state, Motion) else Motion.at_rest(state)
    bodies, _ = body_motion(platform, given, spin)
    speeds = None if lengths is not None else bodies.speeds
    q, v = consistent(system, system.configuration(bodies), speeds, start)
    if initial_speeds == "zero":
        v = np.zeros(78)
    elif initial_speeds != "consistent":
        raise InputError("initial_speeds", initial_speeds, 'must be "consistent" or "zero"')
    run = integrate(
        system,
        q,
        v,
        duration=duration,
        step=step,
        start=start,
        method=_member(method, damping),
        project=project,
        newton=newton,
        progress=progress,
    )
    return collect(system, run)


def _member(method: str | Method, damping: float | None) -> Method:
    if isinstance(method, Method):
        return method
    if method not in MEMBERS:
        raise InputError("method", method, 'must be "hht" or "generalized-alpha"')
    return MEMBERS[method]() if damping is None else MEMBERS[method](damping)


def collect(system: MachineSystem, run: DaeRun) -> DaeResult:
    """A raw run as motion, lengths, forces and energies."""
    states = system.state(run.q, run.v)
    motion = platform_motion(system.platform, states, run.time, run.vd)
    drivers = system.assembly.driver_rows
    Phi = system.assembly.jacobian(states)
    length = system.assembly.value(states)[:, drivers]
    rate = (Phi[:, drivers] @ run.v[..., None])[..., 0]
    if system.lengths is None:
        force = np.array([system.actuator_force(t, motion[k]) for k, t in enumerate(run.time)])
    else:
        force = -run.multiplier[:, drivers]
    kinetic, potential = energies(system.assembly, states)
    legs, energy = (length, rate, force), (kinetic, potential)
    return DaeResult(run.time, motion, *legs, *energy, run.status, run, system)
