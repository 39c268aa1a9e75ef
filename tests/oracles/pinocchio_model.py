"""Pinocchio behind the engine interface of `oracles.projection`.  Drives are real rotor bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from gough.checks import Array
from gough.model import Platform
from oracles.closure import cross
from oracles.tree import build


class PinocchioEngine:
    """The open tree of a machine in Pinocchio."""

    def __init__(self, machine: Platform) -> None:
        self.tree = build(machine, real_rotors=True)
        model = pin.Model()
        model.gravity.linear = self.tree.gravity
        self.joint: list[int] = []
        for i, node in enumerate(self.tree.nodes):
            parent = 0 if node.parent < 0 else self.joint[node.parent]
            make = {
                "hinge": lambda n=node: pin.JointModelRevoluteUnaligned(n.axis),
                "slide": lambda n=node: pin.JointModelPrismaticUnaligned(n.axis),
                "ball": pin.JointModelSpherical,
                "free": pin.JointModelFreeFlyer,
            }[node.joint]
            j = model.addJoint(parent, make(), pin.SE3(node.R, node.p), f"n{i}")
            b = node.body
            model.appendBodyToJoint(j, pin.Inertia(b.mass, b.center, b.inertia), pin.SE3.Identity())
            self.joint.append(j)
        self.model, self.data, self.nv = model, model.createData(), model.nv
        self.dofs = [slice(model.idx_vs[j], model.idx_vs[j] + model.nvs[j]) for j in self.joint]

    def place(self, coordinates: Sequence[object], position: Array, rotation: Array) -> None:
        """Set the configuration: joint coordinates of the legs, then the platform's pose."""
        q = np.zeros(self.model.nq)
        for j, node, value in zip(self.joint, self.tree.nodes, coordinates, strict=False):
            at = self.model.idx_qs[j]
            if node.joint == "ball":
                q[at : at + 4] = pin.Quaternion(np.asarray(value)).coeffs()
            else:
                q[at] = value
        at = self.model.idx_qs[self.joint[-1]]
        q[at : at + 3], q[at + 3 : at + 7] = position, pin.Quaternion(np.asarray(rotation)).coeffs()
        self.q = q
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)

    def origin(self, node: int) -> Array:
        """World position of a node's frame."""
        return self.data.oMi[self.joint[node]].translation.copy()

    def rotation(self, node: int) -> Array:
        """World rotation of a node's frame."""
        return self.data.oMi[self.joint[node]].rotation.copy()

    def jacobian(self, node: int, point: Array) -> Array:
        """(6, nv): linear velocity of a body-fixed point over angular velocity, world axes."""
        J = pin.getJointJacobian(self.model, self.data, self.joint[node], pin.LOCAL_WORLD_ALIGNED)
        J[:3] -= _cross(self.rotation(node) @ point) @ J[3:]
        return J

    def move(self, qd: Array) -> None:
        """Set the joint velocities."""
        self.qd = qd
        pin.forwardKinematics(self.model, self.data, self.q, qd, np.zeros(self.nv))

    def drift(self, node: int, point: Array) -> Array:
        """(6,): classical acceleration of the point and angular acceleration at zero joint acceleration."""
        j = self.joint[node]
        r = self.rotation(node) @ point
        linear = pin.getClassicalAcceleration(
            self.model, self.data, j, pin.LOCAL_WORLD_ALIGNED
        ).linear
        angular = pin.getAcceleration(self.model, self.data, j, pin.LOCAL_WORLD_ALIGNED).angular
        w = self.rotation(node) @ self.data.v[j].angular
        linear = linear + cross(angular, r) + cross(w, cross(w, r))
        return np.concatenate([linear, angular])

    def mass_matrix(self) -> Array:
        """Joint-space mass matrix."""
        M = pin.crba(self.model, self.data, self.q)
        return np.triu(M) + np.triu(M, 1).T

    def inverse(self, qdd: Array) -> Array:
        """Recursive Newton-Euler: joint efforts for the present state and `qdd`, gravity included."""
        return pin.rnea(self.model, self.data, self.q, self.qd, qdd).copy()

    def joint_wrenches(
        self, qdd: Array, applied: dict[int, tuple[Array, Array]]
    ) -> list[tuple[Array, Array]]:
        """(force, moment about the node's origin) from the parent side on each node, world axes.

        `applied` holds (force, moment about the node's origin) from outside on a node's body, world axes.
        """
        external = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            external.append(pin.Force.Zero())
        for node, (force, moment) in applied.items():
            R = self.rotation(node)
            external[self.joint[node]] = pin.Force(R.T @ force, R.T @ moment)
        pin.rnea(self.model, self.data, self.q, self.qd, qdd, external)
        out = []
        for node, j in enumerate(self.joint):
            R, f = self.rotation(node), self.data.f[j]
            out.append((R @ f.linear, R @ f.angular))
        return out


def _cross(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
