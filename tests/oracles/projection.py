"""Loop closure by projection: from an engine's open tree to the closed machine.

Independent speeds u = (v, w) of the reference point, world axes, then the spin rates of legs that spin freely.
    qd = B u             each leg's joint rates from its tip Jacobian (engine) and the tip velocity v + w x q
    qdd = B ud + drift   the same for accelerations, drift from the engine at zero joint acceleration
    B^T (ID(q, qd, qdd) - friction - wrench) = J^T F,   J = rows of B at the actuators
No multiplier, no soft constraint.  Spin accelerations come from the spin rows, which no actuator enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gough.checks import Array
from gough.model import CRANKS, SLIDERS, UCU, Platform, Spinning
from gough.results import Reactions
from gough.spatial import Motion, skew
from oracles.closure import cross
from oracles.springs import rests
from oracles.tree import Tree, actuators, leg_coordinates, twist_of, universal_frame


class Engine(Protocol):
    """What an outside engine must answer about the open tree."""

    tree: Tree
    nv: int
    dofs: list[slice]

    def place(self, coordinates: Sequence[object], position: Array, rotation: Array) -> None: ...
    def origin(self, node: int) -> Array: ...
    def rotation(self, node: int) -> Array: ...
    def jacobian(self, node: int, point: Array) -> Array: ...
    def move(self, qd: Array) -> None: ...
    def drift(self, node: int, point: Array) -> Array: ...
    def mass_matrix(self) -> Array: ...
    def inverse(self, qdd: Array) -> Array: ...
    def joint_wrenches(
        self, qdd: Array, applied: dict[int, tuple[Array, Array]]
    ) -> list[tuple[Array, Array]]: ...


@dataclass
class Answer:
    """The closed machine in one state, as the engine sees it; see gough.results for the fields' meaning."""

    coordinate: Array
    rate: Array
    acceleration: Array
    direction: Array
    angular_velocity: Array
    angular_acceleration: Array
    force: Array
    spin_acceleration: Array
    mass_matrix: Array
    bias: Array
    jacobian: Array
    reactions: Reactions
    closure_error: float


class Closed:
    """One machine in one state on one engine."""

    def __init__(
        self,
        engine: Engine,
        machine: Platform,
        motion: Motion,
        external: Array,
        spin_angle: Array,
        spin_rate: Array,
    ) -> None:
        self.engine, self.machine, self.motion, self.external = engine, machine, motion, external
        t, R = motion.position, motion.rotation
        coordinates: list[object] = []
        self.closures = []
        self.rests = rests(engine, machine)
        for i, (leg, nodes) in enumerate(zip(machine.legs, engine.tree.legs, strict=True)):
            values, c = leg_coordinates(leg, nodes, t + R @ leg.joint, float(spin_angle[i]), R)
            coordinates += values
            self.closures.append(c)
        self.coordinates = coordinates
        engine.place(coordinates, t, R)
        self.spinning = [i for i, leg in enumerate(machine.legs) if isinstance(leg, Spinning)]
        self.u = np.concatenate(
            [motion.velocity, motion.angular_velocity, spin_rate[self.spinning]]
        )
        self._jacobians()
        self.systems = [self._leg_system(i) for i in range(6)]
        self.B = self._velocity_map()
        self.qd = self.B @ self.u
        engine.move(self.qd)
        self.drift = self._drift()

    def _jacobians(self) -> None:
        e, tree = self.engine, self.engine.tree
        self.top = e.jacobian(tree.platform, np.zeros(3))
        self.tips = [e.jacobian(n.end, n.tip) for n in tree.legs]
        self.closure_error = max(
            float(
                np.abs(
                    e.origin(n.end)
                    + e.rotation(n.end) @ n.tip
                    - self.motion.position
                    - self.motion.rotation @ leg.joint
                ).max()
            )
            for n, leg in zip(tree.legs, self.machine.legs, strict=True)
        )
        for n, leg in zip(tree.legs, self.machine.legs, strict=True):
            if n.plate:
                plate = self.motion.rotation @ universal_frame(leg.platform_axis)
                turned = float(np.abs(e.rotation(n.end) - plate).max())
                self.closure_error = max(self.closure_error, turned)

    def _leg_system(self, i: int) -> tuple[Array, Array]:
        """Square A of a leg and its dof indices: A qd_leg = (tip velocity, spin rate, 0 for the rotor)."""
        n = self.engine.tree.legs[i]
        columns = _columns(self.engine, n.all)
        rows = [self.tips[i] if n.plate else self.tips[i][:3]]  # a plate turns with the platform
        if i in self.spinning:  # w_s = W.s
            rows.append(self.closures[i].s[None] @ self.tips[i][3:])
        for node, along, twisted in n.rotors:
            row = np.zeros((1, self.engine.nv))
            row[0, self.engine.dofs[node]] = 1.0
            row[0, self.engine.dofs[n.actuator]] = -along
            if n.twist is not None:
                row[0, self.engine.dofs[n.twist]] = -twisted
            rows.append(row)
        return np.concatenate(rows)[:, columns], columns

    def _velocity_map(self) -> Array:
        nu = len(self.u)
        B = np.zeros((self.engine.nv, nu))
        free = self.engine.dofs[self.engine.tree.platform]
        B[free, :6] = np.linalg.inv(self.top[:, free])
        for i, leg in enumerate(self.machine.legs):
            A, columns = self.systems[i]
            rhs = np.zeros((len(columns), nu))
            rhs[:3, :3], rhs[:3, 3:6] = np.eye(3), -skew(self.motion.rotation @ leg.joint)
            if self.engine.tree.legs[i].plate:
                rhs[3:6, 3:6] = np.eye(3)
            if i in self.spinning:
                rhs[3, 6 + self.spinning.index(i)] = 1.0
            B[columns] = np.linalg.solve(A, rhs)
        return B

    def _drift(self) -> Array:
        """qdd at ud = 0."""
        e, w = self.engine, self.motion.angular_velocity
        out = np.zeros(e.nv)
        free = e.dofs[e.tree.platform]
        out[free] = np.linalg.solve(self.top[:, free], -e.drift(e.tree.platform, np.zeros(3)))
        for i, leg in enumerate(self.machine.legs):
            A, columns = self.systems[i]
            n = e.tree.legs[i]
            rhs = np.zeros(len(columns))
            q = self.motion.rotation @ leg.joint
            drift = e.drift(n.end, n.tip)
            rhs[:3] = cross(w, cross(w, q)) - drift[:3]
            if n.plate:
                rhs[3:6] = -drift[3:]
            if i in self.spinning:  # a_t = A.s
                rhs[3] = -self.closures[i].s @ drift[3:]
            out[columns] = np.linalg.solve(A, rhs)
        return out

    def _friction(self) -> Array:
        """Generalized forces of the viscous and sprung joints."""
        e = self.engine
        out = np.zeros(e.nv)
        for i, leg in enumerate(self.machine.legs):
            n = e.tree.legs[i]
            out[e.dofs[n.actuator]] -= leg.friction.prismatic * self.qd[e.dofs[n.actuator]]
            for k in n.universal:
                out[e.dofs[k]] -= leg.friction.universal * self.qd[e.dofs[k]]
            if n.twist is not None:
                out[e.dofs[n.twist]] -= leg.friction.cylindrical * self.qd[e.dofs[n.twist]]
            if isinstance(leg, UCU):
                out[e.dofs[n.twist]] -= leg.torsion * (self._twist(i) - leg.torsion_rest)
            for k in n.plate:
                out[e.dofs[k]] -= leg.friction.spherical * self.qd[e.dofs[k]]
            if not n.plate:
                out -= (self.tips[i][3:] - self.top[3:]).T @ self._ball_couple(i)
            rest = self.rests.get(i)
            if rest is not None:
                out -= rest.universal_efforts(e, self.coordinates)
                out -= rest.base_efforts(e)
        return out

    def _twist(self, i: int) -> float:
        return twist_of(self.machine, self.engine.tree, i, self.motion)

    def _ball_couple(self, i: int) -> Array:
        """f = C_s (W - w) and the moment of a flexure: of the leg on the platform."""
        f = self.machine.legs[i].friction.spherical * (self.tips[i][3:] - self.top[3:]) @ self.qd
        return f + self.rests[i].platform_moment(self.engine) if i in self.rests else f

    def _wrench(self) -> Array:
        R = self.motion.rotation
        return np.concatenate([R @ self.external[:3], R @ self.external[3:]])

    def answer(self) -> Answer:
        """Efforts, reactions, mass matrix and kinematics."""
        e = self.engine
        pick = self._actuators()
        J = (pick @ self.B)[:, :6]
        Mj = e.mass_matrix()
        M = self.B.T @ Mj @ self.B
        rest = self.B.T @ (e.inverse(self.drift) - self._friction())
        xdd = np.concatenate([self.motion.acceleration, self.motion.angular_acceleration])
        spin = (
            np.linalg.solve(M[6:, 6:], -(M[6:, :6] @ xdd + rest[6:]))
            if self.spinning
            else np.zeros(0)
        )
        qdd = self.B @ np.concatenate([xdd, spin]) + self.drift
        effort = e.inverse(qdd) - self._friction()
        force = np.linalg.solve(J.T, (self.B.T @ effort)[:6] - self._wrench())
        Mx, bx = M[:6, :6], rest[:6]
        if self.spinning:
            Mx = Mx - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6])
            bx = bx - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], rest[6:])
        all_spin = np.zeros(6)
        all_spin[self.spinning] = spin
        W, A = [], []
        for n in e.tree.legs:
            turn = e.jacobian(n.universal[-1], np.zeros(3))[3:]
            W.append(turn @ self.qd)
            A.append(turn @ qdd + e.drift(n.universal[-1], np.zeros(3))[3:])
        reactions = self._reactions(qdd, effort, force)
        return Answer(
            np.array([self._coordinate(i) for i in range(6)]),
            pick @ self.qd,
            pick @ qdd,
            np.array([c.s for c in self.closures]),
            np.array(W),
            np.array(A),
            force,
            all_spin,
            Mx,
            bx,
            J,
            reactions,
            self.closure_error,
        )

    def _actuators(self) -> Array:
        return actuators(self.engine.tree, self.engine.dofs, self.engine.nv)

    def _coordinate(self, i: int) -> float:
        travel, leg = self.engine.tree.legs[i].travel, self.machine.legs[i]
        if not (isinstance(leg, UCU) and leg.screw):
            return self.closures[i].coordinate
        return self.closures[i].coordinate + travel * (self._twist(i) - leg.screw.zero)

    def _reactions(self, qdd: Array, effort: Array, force: Array) -> Reactions:
        """Cut the platform joints, put their forces on the open legs, read the engine's joint wrenches."""
        e = self.engine
        applied: dict[int, tuple[Array, Array]] = {}
        spherical, above = [], []
        for i, n in enumerate(e.tree.legs):
            known = (
                effort.copy()
            )  # already less the friction; what is left is the drive and the cut joint
            known -= self._actuators()[i] * force[i] - self._carried_on(i, effort)
            turning = [node for node, _, _ in n.rotors]
            rows = _columns(e, tuple(k for k in n.all if k not in turning))
            if i in self.spinning:  # spinning about s does not move the tip
                rows = rows[rows != e.dofs[n.spin].start]
            if n.plate:
                wrench = np.linalg.solve(self.tips[i][:, rows].T, known[rows])
                Fs, couple = wrench[:3], -wrench[3:]
            else:
                Fs = np.linalg.solve(self.tips[i][:3, rows].T, known[rows])
                couple = self._ball_couple(i)
            spherical.append(-Fs)
            above.append(couple)
            tip = e.rotation(n.end) @ n.tip
            applied[n.end] = (Fs, cross(tip, Fs) - couple)
        wrenches = self.wrenches = e.joint_wrenches(qdd, applied)
        return self._collect(np.array(spherical), np.array(above), wrenches)

    def _carried_on(self, i: int, effort: Array) -> Array:
        """Generalized force of the transmission of one leg, which carries its rotors' torques on."""
        e, n, out = self.engine, self.engine.tree.legs[i], np.zeros_like(effort)
        for node, along, twisted in n.rotors:
            out[e.dofs[n.actuator]] += along * effort[e.dofs[node].start]
            if n.twist is not None:
                out[e.dofs[n.twist]] += twisted * effort[e.dofs[node].start]
        return out

    def _collect(
        self, spherical: Array, above: Array, wrenches: list[tuple[Array, Array]]
    ) -> Reactions:
        e = self.engine
        universal, moment, prismatic, prismatic_moment = [], [], [], []
        for i, (leg, n) in enumerate(zip(self.machine.legs, e.tree.legs, strict=True)):
            force, couple = wrenches[n.universal[0]]
            universal.append(force)
            moment.append(couple)
            force, couple = wrenches[n.actuator]
            if not isinstance(leg, (*SLIDERS, *CRANKS)):
                s = self.closures[i].s
                couple = couple + cross(e.origin(n.actuator) - leg.base, force)
                force = force + leg.friction.prismatic * self.qd[e.dofs[n.actuator].start] * s
            elif isinstance(leg, SLIDERS):
                force = force - leg.rail * (leg.rail @ force)
            prismatic.append(force)
            prismatic_moment.append(couple)
        return Reactions(
            spherical,
            np.array(universal),
            np.array(moment),
            np.array(prismatic),
            np.array(prismatic_moment),
            above,
        )


def _columns(e: Engine, nodes: tuple[int, ...]) -> Array:
    return np.concatenate([np.arange(e.dofs[k].start, e.dofs[k].stop) for k in nodes])
