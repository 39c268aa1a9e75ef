"""A machine in MuJoCo: the exported model (`gough.export.mjcf`), loaded, with its numbers by leg and part.

MuJoCo's free joint turns by ``w`` in the platform's axes, and moves by the world's.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from gough.checks import Array
from gough.export.engine_bridge import Bridge, JointIndex, LegIndex, numbers, screws_of
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, Chain
from gough.export.mjcf import mjcf
from gough.extras import package
from gough.model import Platform
from gough.spatial import Pose

WIDTH = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}  # free, ball, slide, hinge: sizes in q and v


class MujocoModel(Bridge):
    """The machine in MuJoCo; see `gough.mujoco`."""

    def _platform_rates(self, pose: Pose) -> Array:
        out = np.zeros((6, 6))
        out[:3, :3], out[3:, 3:] = np.eye(3), pose.rotation.T
        return out

    def _along_strut(self, q: Array, leg: LegIndex) -> Array:
        mujoco = package("mujoco")
        data = mujoco.MjData(self.model)
        data.qpos[:] = q
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_comPos(self.model, data)
        body, turn = list(leg.bodies.values())[-1], np.zeros((3, self.model.nv))
        mujoco.mj_jacBody(self.model, data, None, turn, body)
        return data.xmat[body].reshape(3, 3)[:, 0] @ turn

    def _rows(self, q: Any) -> tuple[Array, Array]:
        """Jacobian and gaps of all equality constraints at q."""
        mujoco = package("mujoco")
        dense = copy.copy(self.model)
        dense.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        data = mujoco.MjData(dense)
        data.qpos[:] = numbers("q", q, self.model.nq)
        mujoco.mj_fwdPosition(dense, data)
        wanted = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        J = np.asarray(data.efc_J).reshape(-1, self.model.nv)[: data.nefc]
        return J[wanted].copy(), data.efc_pos[wanted].copy()

    def loop_jacobian(self, q: Any) -> Array:
        return self._rows(q)[0]

    def open_loops(self, q: Any) -> float:
        return float(np.abs(self._rows(q)[1]).max())


def mujoco(platform: Platform, pose: Pose | None = None) -> MujocoModel:
    """The machine as a MuJoCo model, built at `pose` (default: home), and its data at that pose.

    What the file says and does not say of the machine is in docs/export.md; the loops are MuJoCo's soft constraints.

    >>> bridge = gough.mujoco(gough.load("motion-base-1500"))
    >>> bridge.pose_of(bridge.q(bridge.platform.home)).position.round(6)[2]
    np.float64(1.15)
    """
    engine = package("mujoco")
    start, legs = chains(platform, pose, "MJCF")
    model = engine.MjModel.from_xml_string(mjcf(platform, start))
    names = [model.joint(i).name for i in range(model.njnt)]
    joints = {name: _place(model, i) for i, name in enumerate(names)}
    places = {chain.name: _leg(engine, model, chain, names) for chain in legs}
    data = engine.MjData(model)
    body = engine.mj_name2id(model, engine.mjtObj.mjOBJ_BODY, PLATFORM)
    made = MujocoModel(platform, start, model, data, joints, places, body)
    made.screws = screws_of(legs)
    data.qpos[:] = made.q(start)
    engine.mj_forward(model, data)
    return made


def _place(model: Any, i: int) -> JointIndex:
    q, v = int(model.jnt_qposadr[i]), int(model.jnt_dofadr[i])
    wide, rates = WIDTH[int(model.jnt_type[i])]
    return JointIndex(i, slice(q, q + wide), slice(v, v + rates))


def _leg(engine: Any, model: Any, chain: Chain, names: list[str]) -> LegIndex:
    def number(kind: Any, name: str) -> int:
        return int(engine.mj_name2id(model, kind, name))

    kinds = engine.mjtObj
    bodies = {part.name: number(kinds.mjOBJ_BODY, part.name) for part in chain.parts}
    bodies = {name: at for name, at in bodies.items() if at >= 0}  # a cross without mass is none
    own = {f.name for part in chain.parts for f in part.freedoms} | {f.name for f in chain.top}
    own |= {rotor.name for rotor in chain.rotors}
    tie = f"{chain.name}-{'ball' if chain.tied('joints') else 'weld'}"
    return LegIndex(
        tuple(name for name in names if name in own),
        chain.drive_joint if chain.driven else None,
        bodies,
        number(kinds.mjOBJ_ACTUATOR, chain.name) if chain.driven else None,
        number(kinds.mjOBJ_EQUALITY, tie),
    )
