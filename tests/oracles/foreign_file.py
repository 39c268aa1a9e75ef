"""MuJoCo's reading of any MJCF with its constraints held hard: how a body of it accelerates.

As `oracles.mujoco_file`, for platforms that hang anywhere in the tree: the rates of the joints are those that give the
body its twist, its acceleration is ``J qdd + Jdot qd``.  Dry friction and limits of joints are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from gough.checks import Array
from oracles.mujoco_file import constraint_jacobian

STEP = 1e-5


class ForeignFile:
    """One file in its initial configuration; `spun`: bodies that must not spin about their z axes."""

    def __init__(self, path: str, body: str, spun: Sequence[str] = ()) -> None:
        self.model = mujoco.MjModel.from_xml_path(path)
        self.model.dof_frictionloss[:] = 0.0
        self.model.jnt_limited[:] = 0
        self.data, self.spun = mujoco.MjData(self.model), spun
        self.body = self.model.body(body).id
        self.home = self.data.qpos.copy()
        mujoco.mj_forward(self.model, self.data)
        self.position = self.data.xpos[self.body].copy()
        self.rotation = self.data.xmat[self.body].reshape(3, 3).copy()

    def _place(self, qd: Array, step: float) -> tuple[Array, Array]:
        """Jacobians of the constraints and of the body (linear over angular), a step along qd."""
        J = constraint_jacobian(self.model, self.data, self.home, qd, step)
        return J, self._of(self.body)

    def _of(self, body: int) -> Array:
        move, turn = np.zeros((2, 3, self.model.nv))
        mujoco.mj_jacBody(self.model, self.data, move, turn, body)
        return np.vstack([move, turn])

    def acceleration(self, twist: Array, effort: Array) -> Array:
        """(6,) of the body's frame, world axes, for efforts on the actuators' joints."""
        m, d = self.model, self.data
        J, own = self._place(np.zeros(m.nv), 0.0)
        still = [
            d.xmat[i].reshape(3, 3)[:, 2] @ self._of(i)[3:]
            for i in (m.body(name).id for name in self.spun)
        ]
        rows = np.vstack([J, own, *still])
        wanted = np.concatenate([np.zeros(len(J)), twist, np.zeros(len(still))])
        qd = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        assert np.abs(rows @ qd - wanted).max() < 1e-8 * (1.0 + np.abs(qd).max())
        (J1, own1), (J0, own0) = (self._place(qd, step) for step in (STEP, -STEP))
        drift, bend = (J1 - J0) @ qd / (2 * STEP), (own1 - own0) @ qd / (2 * STEP)
        J, own = self._place(qd, 0.0)
        d.qvel[:] = qd
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        force = d.qfrc_passive - d.qfrc_bias
        for i, value in enumerate(effort):
            force[m.jnt_dofadr[m.actuator_trnid[i, 0]]] += value
        system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        found = np.linalg.lstsq(system, np.concatenate([force, -drift]), rcond=None)[0]
        return own @ found[: m.nv] + bend
