"""Forward motion by Pinocchio's constraint dynamics: the open tree with six closed loops, integrated adaptively."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from gough.checks import Array
from gough.model import Platform
from oracles.pinocchio_model import PinocchioEngine
from oracles.tree import leg_coordinates


class PinocchioMotion:
    """A UPS or PUS machine without drives, under constant efforts."""

    def __init__(self, machine: Platform) -> None:
        self.machine, self.engine = machine, PinocchioEngine(machine)
        model, tree = self.engine.model, self.engine.tree
        self.loops = pin.StdVec_RigidConstraintModel()
        end = self.engine.joint[tree.platform]
        for leg, nodes in zip(machine.legs, tree.legs, strict=True):
            self.loops.append(
                pin.RigidConstraintModel(
                    pin.ContactType.CONTACT_3D,
                    model,
                    self.engine.joint[nodes.end],
                    pin.SE3(np.eye(3), np.asarray(nodes.tip, float)),
                    end,
                    pin.SE3(np.eye(3), np.array(leg.joint)),
                    pin.ReferenceFrame.LOCAL,
                )
            )
        self.data = model.createData()
        self.loop_data = pin.StdVec_RigidConstraintData()
        for loop in self.loops:
            self.loop_data.append(loop.createData())
        pin.initConstraintDynamics(model, self.data, self.loops, self.loop_data)
        self.settings = pin.ProximalSettings(1e-14, 0.0, 10)

    def start(self) -> Array:
        """Configuration at the machine's home pose."""
        home = self.machine.home
        assert home is not None
        values: list[object] = []
        for leg, nodes in zip(self.machine.legs, self.engine.tree.legs, strict=True):
            values += leg_coordinates(leg, nodes, home.position + home.rotation @ leg.joint, 0.0)[0]
        self.engine.place(values, home.position, home.rotation)
        return self.engine.q.copy()

    def torques(self, v: Array, effort: Array) -> Array:
        """Efforts on the actuators and viscous friction in all joints, as joint torques."""
        model, tau = self.engine.model, np.zeros(self.engine.nv)
        top = pin.getJointJacobian(
            model, self.data, self.engine.joint[self.engine.tree.platform], pin.LOCAL_WORLD_ALIGNED
        )[3:]
        for i, (leg, nodes) in enumerate(
            zip(self.machine.legs, self.engine.tree.legs, strict=True)
        ):
            at = self.engine.dofs[nodes.actuator]
            tau[at] += effort[i] - leg.friction.prismatic * v[at]
            strut = pin.getJointJacobian(
                model, self.data, self.engine.joint[nodes.end], pin.LOCAL_WORLD_ALIGNED
            )[3:]
            tau -= leg.friction.universal * strut.T @ (strut @ v)
            tau -= leg.friction.spherical * (strut - top).T @ ((strut - top) @ v)
        return tau

    def rate(self, x: Array, effort: Array) -> Array:
        """d(q, v)/dt; the free body's quaternion turns with its local angular velocity."""
        model = self.engine.model
        q, v = x[: model.nq], x[model.nq :]
        at = model.idx_qs[self.engine.joint[-1]]
        q = q.copy()
        q[at + 3 : at + 7] /= np.linalg.norm(q[at + 3 : at + 7])
        pin.computeJointJacobians(model, self.data, q)
        tau = self.torques(v, effort)
        a = pin.constraintDynamics(
            model, self.data, q, v, tau, self.loops, self.loop_data, self.settings
        )
        qd = np.zeros(model.nq)
        n = at  # hinges and slides come first, one coordinate each
        qd[:n] = v[:n]
        R = pin.Quaternion(q[at + 3 : at + 7]).toRotationMatrix()
        w = v[n + 3 : n + 6]
        qd[at : at + 3] = R @ v[n : n + 3]
        xyz, s = q[at + 3 : at + 6], q[at + 6]
        qd[at + 3 : at + 6], qd[at + 6] = 0.5 * (s * w + np.cross(xyz, w)), -0.5 * xyz @ w
        return np.concatenate([qd, a])

    def run(self, effort: Array, times: Array, tolerance: float = 1e-10) -> tuple[Array, Array]:
        """Platform positions (K, 3) and rotations (K, 3, 3) from rest at home."""
        model = self.engine.model
        x0 = np.concatenate([self.start(), np.zeros(model.nv)])
        found = solve_ivp(
            lambda t, x: self.rate(x, effort),
            (times[0], times[-1]),
            x0,
            method="DOP853",
            t_eval=times,
            rtol=tolerance,
            atol=1e-2 * tolerance,
        )
        assert found.success, found.message
        at = model.idx_qs[self.engine.joint[-1]]
        quaternions = found.y[at + 3 : at + 7].T
        R = np.array(
            [pin.Quaternion(q / np.linalg.norm(q)).toRotationMatrix() for q in quaternions]
        )
        return found.y[at : at + 3].T, R
