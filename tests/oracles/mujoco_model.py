"""MuJoCo behind the engine interface of `oracles.projection`.  Drives are joint armature.

No equality constraints, contacts, limits or dampers: MuJoCo only sees the open tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from gough.checks import Array
from gough.model import Platform
from gough.spatial import quaternion_from_rotation
from oracles.closure import cross
from oracles.tree import Node, build

JOINTS = {
    "hinge": mujoco.mjtJoint.mjJNT_HINGE,
    "slide": mujoco.mjtJoint.mjJNT_SLIDE,
    "ball": mujoco.mjtJoint.mjJNT_BALL,
    "free": mujoco.mjtJoint.mjJNT_FREE,
}


class MujocoEngine:
    """The open tree of a machine in MuJoCo."""

    def __init__(self, machine: Platform) -> None:
        self.tree = build(machine, real_rotors=False)
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.gravity = self.tree.gravity
        bodies: list = []
        for i, node in enumerate(self.tree.nodes):
            parent = spec.worldbody if node.parent < 0 else bodies[node.parent]
            if (
                node.joint == "hinge"
                and node.parent >= 0
                and self.tree.nodes[node.parent].body.mass == 0
            ):
                body = parent  # second hinge of a universal joint: same body, joints in sequence
            else:
                body = parent.add_body(pos=node.p, quat=quaternion_from_rotation(node.R))
            body.add_joint(
                name=f"n{i}", type=JOINTS[node.joint], axis=node.axis, armature=node.armature
            )
            if node.body.mass > 0:
                _set_inertial(body, node)
            bodies.append(body)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.nv = self.model.nv
        self.joint = [self.model.joint(f"n{i}") for i in range(len(self.tree.nodes))]
        self.body = [int(j.bodyid[0]) for j in self.joint]
        sizes = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
        self.dofs = [
            slice(int(j.dofadr[0]), int(j.dofadr[0]) + sizes[n.joint])
            for j, n in zip(self.joint, self.tree.nodes, strict=True)
        ]

    def place(self, coordinates: Sequence[object], position: Array, rotation: Array) -> None:
        """Set the configuration: joint coordinates of the legs, then the platform's pose."""
        q = self.data.qpos
        for j, node, value in zip(self.joint, self.tree.nodes, coordinates, strict=False):
            at = int(j.qposadr[0])
            if node.joint == "ball":
                q[at : at + 4] = quaternion_from_rotation(np.asarray(value))
            else:
                q[at] = value
        at = int(self.joint[-1].qposadr[0])
        q[at : at + 3], q[at + 3 : at + 7] = position, quaternion_from_rotation(rotation)
        self.data.qvel[:] = 0
        mujoco.mj_forward(self.model, self.data)

    def origin(self, node: int) -> Array:
        """World position of a node's frame."""
        return self.data.xpos[self.body[node]].copy()

    def rotation(self, node: int) -> Array:
        """World rotation of a node's frame (of the strut for both hinges of a universal joint)."""
        return self.data.xmat[self.body[node]].reshape(3, 3).copy()

    def jacobian(self, node: int, point: Array) -> Array:
        """(6, nv): linear velocity of a body-fixed point over angular velocity, world axes."""
        J = np.zeros((6, self.nv))
        at = self.origin(node) + self.rotation(node) @ point
        mujoco.mj_jac(self.model, self.data, J[:3], J[3:], at, self.body[node])
        return J

    def move(self, qd: Array) -> None:
        """Set the joint velocities."""
        self.data.qvel[:] = qd
        mujoco.mj_forward(self.model, self.data)

    def drift(self, node: int, point: Array) -> Array:
        """(6,): classical acceleration of the point and angular acceleration at zero joint acceleration."""
        J = np.zeros((6, self.nv))
        at = self.origin(node) + self.rotation(node) @ point
        mujoco.mj_jacDot(self.model, self.data, J[:3], J[3:], at, self.body[node])
        return J @ self.data.qvel

    def mass_matrix(self) -> Array:
        """Joint-space mass matrix."""
        M = np.zeros((self.nv, self.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def inverse(self, qdd: Array) -> Array:
        """mj_inverse: joint efforts for the present state and `qdd`, gravity included."""
        self.data.qacc[:] = qdd
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse.copy()

    def joint_wrenches(
        self, qdd: Array, applied: dict[int, tuple[Array, Array]]
    ) -> list[tuple[Array, Array]]:
        """(force, moment about the node's origin) from the parent side on each node, world axes.

        `applied` holds (force, moment about the node's origin) from outside on a node's body, world axes.
        """
        d = self.data
        d.xfrc_applied[:] = 0
        for node, (force, moment) in applied.items():
            body = self.body[node]
            arm = d.xipos[body] - self.origin(node)
            d.xfrc_applied[body] += np.concatenate([force, moment - cross(arm, force)])
        d.qacc[:] = qdd
        mujoco.mj_rnePostConstraint(self.model, d)
        out = []
        for node, body in enumerate(self.body):
            moment, force = d.cfrc_int[body, :3].copy(), d.cfrc_int[body, 3:].copy()
            about = d.subtree_com[self.model.body_rootid[body]] - self.origin(node)
            out.append((force, moment + cross(about, force)))
        d.xfrc_applied[:] = 0
        return out


def _set_inertial(body: mujoco.MjsBody, node: Node) -> None:
    body.explicitinertial = True
    body.mass, body.ipos = node.body.mass, node.body.center
    I = node.body.inertia
    if not I.any():
        I = (
            np.eye(3) * node.body.mass
        )  # a slider only translates: MuJoCo wants a tensor, the motion does not
    body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
