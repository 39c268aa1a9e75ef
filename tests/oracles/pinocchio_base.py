"""Pinocchio with the base as one more free body whose motion is prescribed: everything happens in the world.

The tree of `oracles.tree` hangs on a free-flyer; joint rates come from the tip Jacobians as in `oracles.projection`,
with world velocities and accelerations of the platform joints on the other side.  Nothing relative is differentiated
here: Coriolis, centrifugal and gyroscopic terms are the engine's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from gough.checks import Array
from gough.model import CRANKS, SLIDERS, UCU, Platform, Spinning
from gough.spatial import Motion
from oracles.base_springs import BaseSprings
from oracles.base_tree import rotors_of_the_base, tree_on_base
from oracles.closure import cross
from oracles.machines import Case
from oracles.tree import LegNodes, actuators, leg_coordinates, twist_of


@dataclass
class OnBase:
    """One machine in one state as the engine sees it, base axes; reactions as in gough.results."""

    force: Array
    spin_acceleration: Array
    kinetic: float
    potential: float
    base_wrench: Array
    base_power: float
    reactions: dict[str, Array]
    bias: Array
    mass_matrix: Array


class PinocchioOnBase:
    """A machine on a free body; its rotors' own share of the base's inertia is taken off again."""

    def __init__(self, machine: Platform) -> None:
        self.machine, self.tree = machine, tree_on_base(machine)
        model = pin.Model()
        model.gravity.linear = self.tree.gravity
        root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
        make = {
            "hinge": lambda n: pin.JointModelRevoluteUnaligned(n.axis),
            "slide": lambda n: pin.JointModelPrismaticUnaligned(n.axis),
            "ball": lambda n: pin.JointModelSpherical(),
            "free": lambda n: pin.JointModelFreeFlyer(),
        }
        self.joint: list[int] = []
        for i, node in enumerate(self.tree.nodes):
            free = i == self.tree.platform
            parent = 0 if free else root if node.parent < 0 else self.joint[node.parent]
            j = model.addJoint(parent, make[node.joint](node), pin.SE3(node.R, node.p), f"n{i}")
            b = node.body
            model.appendBodyToJoint(j, pin.Inertia(b.mass, b.center, b.inertia), pin.SE3.Identity())
            self.joint.append(j)
        self.model, self.data, self.root = model, model.createData(), root
        self.dofs = [self._dofs(j) for j in self.joint]
        self.base_dofs = self._dofs(root)
        self.springs = BaseSprings(self)

    def _dofs(self, joint: int) -> slice:
        at = self.model.idx_vs[joint]
        return slice(at, at + self.model.nvs[joint])

    def jacobian(self, node: int, point: Array) -> Array:
        """(6, nv): velocity of a body-fixed point over angular velocity, world axes."""
        return self._shifted(self.joint[node], point)

    def _shifted(self, joint: int, point: Array) -> Array:
        J = pin.getJointJacobian(self.model, self.data, joint, pin.LOCAL_WORLD_ALIGNED).copy()
        r = self.data.oMi[joint].rotation @ point
        J[:3] -= np.stack([cross(r, J[3:, k]) for k in range(J.shape[1])], axis=1)
        return J

    def _drift(self, joint: int, point: Array) -> Array:
        r = self.data.oMi[joint].rotation @ point
        frame = pin.LOCAL_WORLD_ALIGNED
        linear = pin.getClassicalAcceleration(self.model, self.data, joint, frame).linear
        angular = pin.getAcceleration(self.model, self.data, joint, frame).angular
        w = self.data.oMi[joint].rotation @ self.data.v[joint].angular
        return np.concatenate([linear + cross(angular, r) + cross(w, cross(w, r)), angular])

    def answer(
        self, motion: Motion, base: Motion, external: Array, angle: Array, rate: Array
    ) -> OnBase:
        """Everything in one state: `motion` against the base in base axes, `base` in the world."""
        m, R0, tree = self.machine, base.rotation, self.tree
        model, data = self.model, self.data
        q = self._place(motion, base, angle)
        pin.computeJointJacobians(model, data, q)
        # the platform's motion in the world, by the rules of relative motion
        r, w0, al0 = R0 @ motion.position, base.angular_velocity, base.angular_acceleration
        v, w = R0 @ motion.velocity, R0 @ motion.angular_velocity
        a, al = R0 @ motion.acceleration, R0 @ motion.angular_acceleration
        V, W = base.velocity + cross(w0, r) + v, w0 + w
        still = base.acceleration + cross(al0, r) + cross(w0, cross(w0, r)) + 2 * cross(w0, v)
        still_turn = al0 + cross(w0, w)
        spinning = [i for i, leg in enumerate(m.legs) if isinstance(leg, Spinning)]
        R = R0 @ motion.rotation
        top = self.jacobian(tree.platform, np.zeros(3))
        tips = [self.jacobian(n.end, n.tip) for n in tree.legs]
        systems = [
            self._system(i, tips[i], self.axes[i] if i in spinning else None) for i in range(6)
        ]
        nu, nv = 6 + len(spinning), model.nv
        B = np.zeros((nv, nu))  # joint rates per unit of the relative twist and spins, base at rest
        free = self.dofs[tree.platform]
        B[free, :6] = np.linalg.inv(top[:, free])
        for i, (leg, (A, columns)) in enumerate(zip(m.legs, systems, strict=True)):
            rhs = np.zeros((len(columns), nu))
            p = R @ leg.joint
            rhs[:3, :3] = np.eye(3)
            rhs[:3, 3:6] = [[0, p[2], -p[1]], [-p[2], 0, p[0]], [p[1], -p[0], 0]]
            turn_plate(tree.legs[i], rhs[:, 3:6], np.eye(3))
            if i in spinning:
                rhs[3, 6 + spinning.index(i)] = 1.0
            B[columns] = np.linalg.solve(A, rhs)
        ground = self._shifted(self.root, np.zeros(3))
        qd = np.zeros(nv)
        qd[self.base_dofs] = np.linalg.solve(
            ground[:, self.base_dofs], np.concatenate([base.velocity, w0])
        )
        qd[free] = np.linalg.solve(top[:, free], np.concatenate([V, W]))
        for i, (leg, (A, columns)) in enumerate(zip(m.legs, systems, strict=True)):
            rhs = np.zeros(len(columns))
            rhs[:3] = V + cross(W, R @ leg.joint) - tips[i][:3, self.base_dofs] @ qd[self.base_dofs]
            turn_plate(tree.legs[i], rhs, W - tips[i][3:, self.base_dofs] @ qd[self.base_dofs])
            if i in spinning:
                rhs[3] = rate[i]
            qd[columns] = np.linalg.solve(A, rhs)
        pin.forwardKinematics(model, data, q, qd, np.zeros(nv))

        def accelerations(acc: Array, turn: Array, spins: Array) -> Array:
            """Joint accelerations for relative accelerations (world axes) and spin accelerations."""
            Acc, Turn = still + acc, still_turn + turn
            qdd = np.zeros(nv)
            qdd[self.base_dofs] = np.linalg.solve(
                ground[:, self.base_dofs],
                np.concatenate([base.acceleration, al0]) - self._drift(self.root, np.zeros(3)),
            )
            drift = self._drift(self.joint[tree.platform], np.zeros(3))
            qdd[free] = np.linalg.solve(top[:, free], np.concatenate([Acc, Turn]) - drift)
            for i, (leg, (A, columns)) in enumerate(zip(m.legs, systems, strict=True)):
                p, n = R @ leg.joint, tree.legs[i]
                rhs = np.zeros(len(columns))
                drift = self._drift(self.joint[n.end], n.tip)
                carried = tips[i][:, self.base_dofs] @ qdd[self.base_dofs]
                joint = Acc + cross(Turn, p) + cross(W, cross(W, p))
                rhs[:3] = joint - drift[:3] - carried[:3]
                turn_plate(n, rhs, Turn - drift[3:] - carried[3:])
                if i in spinning:  # A.s against the base, which adds al and Om x W_rel
                    turned = tips[i][3:, columns] @ qd[columns]
                    still_axis = al0 + cross(w0, turned) - drift[3:] - carried[3:]
                    rhs[3] = spins[spinning.index(i)] + self.axes[i] @ still_axis
                qdd[columns] = np.linalg.solve(A, rhs)
            return qdd

        def efforts(qdd: Array) -> Array:
            tau = pin.rnea(model, data, q, qd, qdd).copy() - self._friction(qd, tips, top, motion)
            for leg, n in zip(m.legs, tree.legs, strict=True):  # rotors without an axis: inerters
                drive = leg.drive
                if drive is not None and drive.rotor_axis is None and drive.mount_axis is None:
                    at = self.dofs[n.actuator]
                    tau[at] += drive.reflected_inertia * qdd[at]
            return tau

        M = self._mass(q, B)
        none = np.zeros(len(spinning))
        rest = B.T @ efforts(accelerations(np.zeros(3), np.zeros(3), none))
        xdd = np.concatenate([a, al])
        spins = none
        if spinning:
            spins = np.linalg.solve(M[6:, 6:], -(M[6:, :6] @ xdd + rest[6:]))
        qdd = accelerations(a, al, spins)
        tau = efforts(qdd)
        slides = [self.dofs[n.actuator].start for n in tree.legs]
        pick = actuators(tree, self.dofs, nv)
        wrench = np.concatenate([R @ external[:3], R @ external[3:]])
        force = np.linalg.solve((pick @ B)[:, :6].T, (B.T @ tau)[:6] - wrench)
        bias, Mx = rest[:6], M[:6, :6]
        if spinning:
            bias = bias - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], rest[6:])
            Mx = Mx - M[:6, 6:] @ np.linalg.solve(M[6:, 6:], M[6:, :6])
        back = np.kron(np.eye(2), R0.T)
        all_spins = np.zeros(6)
        all_spins[spinning] = spins
        kinetic = pin.computeKineticEnergy(model, data, q, qd) + sum(
            0.5 * leg.drive.reflected_inertia * qd[at] ** 2
            for leg, at in zip(m.legs, slides, strict=True)
            if leg.drive and leg.drive.rotor_axis is None and leg.drive.mount_axis is None
        )
        potential = pin.computePotentialEnergy(model, data, q) + self._springs(motion)
        reactions, on_base = self._reactions(q, qd, qdd, tau, force, tips, top, wrench)
        own_energy, own_moment = rotors_of_the_base(m, base)
        kinetic, on_base[3:] = kinetic - own_energy, on_base[3:] - own_moment
        power = on_base @ np.concatenate([base.velocity, w0])
        reactions = {name: value @ R0 for name, value in reactions.items()}
        return OnBase(
            force,
            all_spins,
            float(kinetic),
            float(potential),
            back @ on_base,
            float(power),
            reactions,
            back @ bias,
            back @ Mx @ back.T,
        )

    def _springs(self, motion: Motion) -> float:
        """Energy of the springs in the joints, and of the torsion springs."""
        return self.springs.energy(self.coordinates) + sum(
            0.5
            * leg.torsion
            * (twist_of(self.machine, self.tree, i, motion) - leg.torsion_rest) ** 2
            for i, leg in enumerate(self.machine.legs)
            if isinstance(leg, UCU)
        )

    def _mass(self, q: Array, B: Array) -> Array:
        Mj = pin.crba(self.model, self.data, q)
        Mj = np.triu(Mj) + np.triu(Mj, 1).T
        for leg, n in zip(self.machine.legs, self.tree.legs, strict=True):
            drive = leg.drive
            if drive is not None and drive.rotor_axis is None and drive.mount_axis is None:
                at = self.dofs[n.actuator].start
                Mj[at, at] += drive.reflected_inertia
        return B.T @ Mj @ B

    def _place(self, motion: Motion, base: Motion, angle: Array) -> Array:
        R0 = base.rotation
        self.coordinates: list[Any] = []
        self.axes: list[Array] = []  # of the struts, world axes
        for i, (leg, nodes) in enumerate(zip(self.machine.legs, self.tree.legs, strict=True)):
            P = motion.position + motion.rotation @ leg.joint
            found, c = leg_coordinates(leg, nodes, P, float(angle[i]), motion.rotation)
            self.coordinates += found
            self.axes.append(R0 @ c.s)
        on = base.position + R0 @ motion.position, R0 @ motion.rotation
        return self.numbers(self.coordinates, (base.position, R0), on)

    def numbers(
        self, coordinates: Sequence[Any], base: tuple[Array, Array], platform: tuple[Array, Array]
    ) -> Array:
        """(nq,) of the joints' coordinates and the places and axes of base and platform in the world."""
        q = np.zeros(self.model.nq)
        for joint, (t, R) in ((self.root, base), (self.joint[self.tree.platform], platform)):
            at = self.model.idx_qs[joint]
            q[at : at + 3], q[at + 3 : at + 7] = t, pin.Quaternion(np.ascontiguousarray(R)).coeffs()
        for j, node, value in zip(self.joint, self.tree.nodes, coordinates, strict=False):
            at = self.model.idx_qs[j]
            if node.joint == "ball":
                q[at : at + 4] = pin.Quaternion(np.asarray(value)).coeffs()
            else:
                q[at] = value
        return q

    def _system(self, i: int, tip: Array, s: Array | None) -> tuple[Array, Array]:
        """Square A of a leg and its dof indices: A qd_leg = (tip velocity, spin rate about s, 0 for the rotor)."""
        n = self.tree.legs[i]
        columns = np.concatenate([np.arange(self.dofs[k].start, self.dofs[k].stop) for k in n.all])
        rows = [tip if n.plate else tip[:3]]
        if s is not None:  # W.s against the base
            rows.append(s[None] @ tip[3:])
        for node, along, twisted in n.rotors:
            row = np.zeros((1, self.model.nv))
            row[0, self.dofs[node]] = 1.0
            row[0, self.dofs[n.actuator]] = -along
            if n.twist is not None:
                row[0, self.dofs[n.twist]] = -twisted
            rows.append(row)
        return np.concatenate(rows)[:, columns], columns

    def _couple(self, i: int, qd: Array, tips: list[Array], top: Array) -> Array:
        """C_s (W - w) and the moment of a flexure: of the leg on the platform."""
        rubbed = self.machine.legs[i].friction.spherical * (tips[i][3:] - top[3:]) @ qd
        return rubbed + self.springs.on_platform(i)

    def _friction(self, qd: Array, tips: list[Array], top: Array, motion: Motion) -> Array:
        out = np.zeros(self.model.nv)
        for i, leg in enumerate(self.machine.legs):
            n = self.tree.legs[i]
            out[self.dofs[n.actuator]] -= leg.friction.prismatic * qd[self.dofs[n.actuator]]
            for k in n.universal:
                out[self.dofs[k]] -= leg.friction.universal * qd[self.dofs[k]]
            for k in n.plate:
                out[self.dofs[k]] -= leg.friction.spherical * qd[self.dofs[k]]
            if n.twist is not None:
                out[self.dofs[n.twist]] -= leg.friction.cylindrical * qd[self.dofs[n.twist]]
            if isinstance(leg, UCU):
                spring = leg.torsion * (
                    twist_of(self.machine, self.tree, i, motion) - leg.torsion_rest
                )
                out[self.dofs[n.twist]] -= spring
            if not n.plate:
                out -= (tips[i][3:] - top[3:]).T @ self._couple(i, qd, tips, top)
            out -= self.springs.efforts(i, self.coordinates)
        return out

    def _reactions(
        self,
        q: Array,
        qd: Array,
        qdd: Array,
        tau: Array,
        force: Array,
        tips: list[Array],
        top: Array,
        wrench: Array,
    ) -> tuple[dict[str, Array], Array]:
        """Cut the ball joints, put their forces on the open legs, read the engine's joint wrenches, world axes."""
        m, data = self.machine, self.data
        outside = [pin.Force.Zero() for _ in range(self.model.njoints)]
        spherical, above = [], []
        pick = actuators(self.tree, self.dofs, self.model.nv)
        for i, n in enumerate(self.tree.legs):
            drive, known = self.dofs[n.actuator].start, tau - pick[i] * force[i]
            for node, along, twisted in n.rotors:
                known[drive] += along * tau[self.dofs[node].start]
                if n.twist is not None:
                    known[self.dofs[n.twist]] += twisted * tau[self.dofs[node].start]
            turning = [node for node, _, _ in n.rotors]
            rows = np.concatenate(
                [
                    np.arange(self.dofs[k].start, self.dofs[k].stop)
                    for k in n.all
                    if k not in turning
                ]
            )
            if isinstance(m.legs[i], Spinning):
                rows = rows[rows != self.dofs[n.spin].start]
            if n.plate:
                both = np.linalg.solve(tips[i][:, rows].T, known[rows])
                Fs, couple = both[:3], -both[3:]
            else:
                Fs = np.linalg.solve(tips[i][:3, rows].T, known[rows])
                couple = self._couple(i, qd, tips, top)
            spherical.append(-Fs)
            above.append(couple)
            R = data.oMi[self.joint[n.end]].rotation
            moment = cross(R @ n.tip, Fs) - couple
            outside[self.joint[n.end]] = pin.Force(R.T @ Fs, R.T @ moment)
        applied = pin.StdVec_Force()
        for f in outside:
            applied.append(f)
        pin.rnea(self.model, data, q, qd, qdd, applied)

        def on(joint: int) -> tuple[Array, Array]:
            R, f = data.oMi[joint].rotation, data.f[joint]
            return R @ f.linear, R @ f.angular

        names = ("universal_force", "universal_moment", "prismatic_force", "prismatic_moment")
        found: dict[str, list[Array]] = {name: [] for name in names}
        R0, origin = data.oMi[self.root].rotation, data.oMi[self.root].translation
        for leg, n in zip(m.legs, self.tree.legs, strict=True):
            universal = on(self.joint[n.universal[0]])
            push, couple = on(self.joint[n.actuator])
            if isinstance(leg, SLIDERS):
                rail = R0 @ leg.rail
                push = push - rail * (rail @ push)
            elif not isinstance(leg, CRANKS):
                place = data.oMi[self.joint[n.actuator]]
                couple = couple + cross(place.translation - origin - R0 @ leg.base, push)
                at = self.dofs[n.actuator].start
                push = push + leg.friction.prismatic * qd[at] * place.rotation[:, 0]
            for name, value in zip(names, (*universal, push, couple), strict=True):
                found[name].append(value)
        every = {name: np.array(value) for name, value in found.items()}
        force_on_base, moment_on_base = on(self.root)
        base = np.concatenate([force_on_base, moment_on_base])
        every |= {"spherical_force": np.array(spherical), "platform_moment": np.array(above)}
        return every, base


def turn_plate(n: LegNodes, rhs: Array, turn: Array) -> None:
    """The rows of a plate that turns with the platform."""
    if n.plate:
        rhs[3:6] = turn


def outside_answers(case: Case, base: Motion) -> dict[str, Array]:
    """The engine's answers in every state of a case, (n, ...) by name."""
    engine = PinocchioOnBase(case.platform)
    each = [
        engine.answer(
            case.motion[i], base[i], case.external[i], case.spin_angle[i], case.spin_rate[i]
        )
        for i in range(len(case.external))
    ]
    names = [name for name in OnBase.__dataclass_fields__ if name != "reactions"]
    out = {name: np.array([getattr(a, name) for a in each]) for name in names}
    return out | {name: np.array([a.reactions[name] for a in each]) for name in each[0].reactions}
