"""MuJoCo's reading of an exported MJCF with its constraints held hard.

MuJoCo's own constraints are soft and leave out how they change while the machine moves.  Here its tree, its joint
forces and its constraint Jacobian J are taken, and the accelerations solve
    [M J^T; J 0] (qdd, -f) = (passive + actuator - bias, -Jdot qd)
with Jdot qd by central differences along qd.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from gough.checks import Array

STEP = 1e-5


def constraint_jacobian(
    m: mujoco.MjModel, d: mujoco.MjData, at: Array, qd: Array, step: float
) -> Array:
    """J of all constraints, a step along the rates qd from the coordinates `at`; the data stay there."""
    d.qpos[:], d.qvel[:] = at, 0.0
    mujoco.mj_integratePos(m, d.qpos, qd, step)
    mujoco.mj_forward(m, d)
    J = np.zeros((d.nefc, m.nv))
    if mujoco.mj_isSparse(m):
        mujoco.mju_sparse2dense(J, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
    else:
        J[:] = d.efc_J.reshape(J.shape)
    return J


class HardFile:
    """One MJCF at the pose at which it was written; `spun`: bodies that spin freely about their x axes, and do not."""

    def __init__(self, text: str, spun: Sequence[str] = ()) -> None:
        self.spun = spun
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.home = self.data.qpos.copy()
        at = int(self.model.joint("platform").dofadr[0])
        self.top = slice(at, at + 6)
        self.gap = float(np.abs(self._place(np.zeros(self.model.nv), 0.0)[1]).max())

    def _place(self, qd: Array, step: float) -> tuple[Array, Array]:
        """J and what is left of the constraints, a step along qd."""
        J = constraint_jacobian(self.model, self.data, self.home, qd, step)
        return J, self.data.efc_pos.copy()

    def rates(self, twist: Array) -> Array:
        """Joint rates of the closed machine, platform twist given as MuJoCo has it."""
        J, rest = self._place(np.zeros(self.model.nv), 0.0)[0], np.ones(self.model.nv, bool)
        for name in self.spun:
            body, turn = self.data.body(name), np.zeros((3, self.model.nv))
            mujoco.mj_jacBody(self.model, self.data, None, turn, body.id)
            J = np.vstack([J, body.xmat.reshape(3, 3)[:, 0] @ turn])
        rest[self.top] = False
        qd = np.zeros(self.model.nv)
        qd[self.top] = twist
        qd[rest] = np.linalg.lstsq(J[:, rest], -J[:, self.top] @ twist, rcond=None)[0]
        assert np.abs(J @ qd).max() < 1e-8 * (1.0 + np.abs(qd).max())
        return qd

    def acceleration(self, velocity: Array, turn: Array, rotation: Array, effort: Array) -> Array:
        """(6,) of the platform, world axes, for actuator efforts in the order of the legs."""
        m, d = self.model, self.data
        qd = self.rates(np.concatenate([velocity, rotation.T @ turn]))
        ahead, behind = (self._place(qd, step)[0] for step in (STEP, -STEP))
        drift = (ahead - behind) @ qd / (2 * STEP)
        J, M = self._place(qd, 0.0)[0], np.zeros((m.nv, m.nv))
        d.qvel[:], d.ctrl[:] = qd, effort
        mujoco.mj_forward(m, d)
        mujoco.mj_fullM(m, d, M)
        force = d.qfrc_passive + d.qfrc_actuator - d.qfrc_bias
        system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        found = np.linalg.solve(system, np.concatenate([force, -drift]))[self.top]
        return np.concatenate([found[:3], rotation @ found[3:]])
