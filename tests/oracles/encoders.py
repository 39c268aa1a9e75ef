"""What the encoders of a machine read at given poses, found by Pinocchio's own kinematics: leg by leg, Newton's steps
with its Jacobians until the chain from the base ends at the platform joint."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from gough.checks import Array
from gough.model import Platform
from gough.spatial import Pose
from oracles.pinocchio_model import PinocchioEngine
from oracles.tree import leg_coordinates

CLOSED = 1e-13  # m


def encoder_readings(machine: Platform, poses: Pose) -> Array:
    """(n, 6) actuator coordinates; the starts are a few millimeters beside the closed form."""
    engine = PinocchioEngine(machine)
    return np.array([_one(engine, machine, poses[k]) for k in range(len(poses))])


def _one(engine: PinocchioEngine, machine: Platform, pose: Pose) -> Array:
    start: list[object] = []
    for leg, nodes in zip(machine.legs, engine.tree.legs, strict=True):
        P = pose.position + pose.rotation @ leg.joint
        start += leg_coordinates(leg, nodes, P, 0.0, pose.rotation)[0]
    engine.place(start, pose.position, pose.rotation)
    q = engine.q.copy()
    for nodes in engine.tree.legs:
        q[engine.model.idx_qs[engine.joint[nodes.actuator]]] += 3e-3
    for _ in range(30):
        pin.computeJointJacobians(engine.model, engine.data, q)
        dq, worst = np.zeros(engine.nv), 0.0
        for leg, nodes in zip(machine.legs, engine.tree.legs, strict=True):
            tip = engine.origin(nodes.end) + engine.rotation(nodes.end) @ nodes.tip
            off = pose.position + pose.rotation @ leg.joint - tip
            moving = [n for n in nodes.all if n not in {r[0] for r in nodes.rotors}]
            columns = np.concatenate([np.r_[engine.dofs[n]] for n in moving])
            J = engine.jacobian(nodes.end, nodes.tip)[:3][:, columns]
            dq[columns] = np.linalg.lstsq(J, off, rcond=1e-9)[0]
            worst = max(worst, float(np.abs(off).max()))
        if worst < CLOSED:
            break
        q = pin.integrate(engine.model, q, dq)
    assert worst < CLOSED
    at = [engine.model.idx_qs[engine.joint[nodes.actuator]] for nodes in engine.tree.legs]
    return q[at]
