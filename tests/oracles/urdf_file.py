"""The closed machine from a URDF and its companion alone, in Pinocchio.

Constraints: the companion's loops (points that coincide, axes at right angles) and the file's mimic joints.
Efforts: damping of the file; actuators, drive inertia, springs and friction in the loops of the companion.
    [M J^T; J 0] (qdd, -f) = (applied - bias, -Jdot qd),   Jdot qd by central differences along qd
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from gough.checks import Array
from gough.spatial import skew
from oracles.closure import cross
from oracles.model_files import Written

STEP = 1e-5


def across(axes: list[Array]) -> list[Array]:
    """Two directions at right angles to the axis (of none: none), fixed in the link that it is fixed in."""
    pairs = []
    for x in axes:
        u = cross(x, np.eye(3)[int(np.argmin(np.abs(x)))])
        u = u / np.linalg.norm(u)
        pairs += [u, cross(x, u)]
    return pairs


class ClosedFile(Written):
    """One URDF and its companion at the pose at which they were written; `spun`: links that spin freely about their x
    axes, and do not; `floating`: the platform's joint."""

    def __init__(
        self,
        text: str,
        companion: dict[str, Any],
        spun: Sequence[str] = (),
        floating: str = "platform-floating",
    ) -> None:
        self.spun, self.floating = spun, floating
        super().__init__(text, np.array(companion["gravity"]))
        self.companion, self.start = companion, self.q.copy()
        joints = ElementTree.fromstring(text).findall("joint")
        self.damping, self.mimics = np.zeros(self.model.nv), []
        for joint in joints:
            name, dynamics, mimic = joint.get("name"), joint.find("dynamics"), joint.find("mimic")
            if dynamics is not None:
                self.damping[self.index(name)] = float(dynamics.get("damping"))
            if mimic is not None:
                row = np.zeros(self.model.nv)
                row[self.index(name)] = 1.0
                row[self.index(mimic.get("joint"))] = -float(mimic.get("multiplier"))
                self.mimics.append(row)
        self.acting = np.zeros((len(companion["actuators"]), self.model.nv))
        for row, actuator in zip(self.acting, companion["actuators"], strict=True):
            for joint, share in actuator["acts_on"].items():
                row[self.index(joint)] = share

    def _frame(self, name: str) -> tuple[Array, Array, Array]:
        """Rotation, position and Jacobian (linear over angular, world axes) of a link."""
        at = self.model.getFrameId(name, pin.BODY)
        J = pin.computeFrameJacobian(
            self.model, self.data, self.q, at, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        place = self.data.oMf[at]
        return place.rotation.copy(), place.translation.copy(), J

    def constraints(self) -> tuple[Array, Array]:
        """What is left of the loops, and the Jacobian of all constraints, at q."""
        left, rows = [], [*self.mimics]
        for loop in self.companion["loops"]:
            points, turns, axes = [], [], []
            for i, link in enumerate(loop["links"]):
                R, p, J = self._frame(link)
                r = R @ np.array(loop["points"][i])
                points.append((p + r, J[:3] - skew(r) @ J[3:]))
                turns.append(J[3:])
                if "axes" in loop:
                    axes.append(R @ np.array(loop["axes"][i]))
            (a, Ja), (b, Jb) = points
            left += [*(a - b)]
            rows += [*(Ja - Jb)]
            against = {"ball": (), "universal": axes[:1], "revolute": across(axes[:1])}
            for own in against[loop["joint"]]:
                left.append(float(own @ axes[1]))
                rows.append(cross(own, axes[1]) @ (turns[0] - turns[1]))
        return np.array(left), np.array(rows)

    def rates(self, twist: Array) -> Array:
        """Joint rates for a twist of the platform in its own axes."""
        J, at = self.constraints()[1], self.index(self.floating)
        for name in self.spun:
            R, _, turn = self._frame(name)
            J = np.vstack([J, R[:, 0] @ turn[3:]])
        rest = np.ones(self.model.nv, bool)
        rest[at : at + 6] = False
        qd = np.zeros(self.model.nv)
        qd[~rest] = twist
        qd[rest] = np.linalg.lstsq(J[:, rest], -J[:, ~rest] @ twist, rcond=None)[0]
        assert np.abs(J @ qd).max() < 1e-8 * (1.0 + np.abs(qd).max())
        return qd

    def _applied(self, qd: Array, effort: Array) -> Array:
        """Efforts on the joints at the pose."""
        force = effort @ self.acting - self.damping * qd
        friction = self.companion["ball_friction"] | self.companion["loop_friction"]
        for loop in self.companion["loops"]:
            turn = self._frame(loop["links"][0])[2][3:] - self._frame(loop["links"][1])[2][3:]
            force -= friction[loop["leg"]] * turn.T @ (turn @ qd)
            for i, spring in enumerate(loop.get("springs", ())):
                axis = self._frame(loop["links"][i])[0] @ np.array(loop["axes"][i])
                force -= spring["stiffness"] * spring["rest"] * axis @ turn
        for springs in self.companion["springs"].values():
            for joint, spring in springs["universal"].items():
                force[self.index(joint)] += spring["stiffness"] * spring["rest"]
        return force

    def acceleration(self, velocity: Array, turn: Array, rotation: Array, effort: Array) -> Array:
        """(6,) classical acceleration of the platform, world axes."""
        at = self.index(self.floating)
        qd = self.rates(np.concatenate([rotation.T @ velocity, rotation.T @ turn]))
        sides = []
        for step in (STEP, -STEP):
            self.q = pin.integrate(self.model, self.start, step * qd)
            sides.append(self.constraints()[1])
        self.q = self.start.copy()
        drift, J = (sides[0] - sides[1]) @ qd / (2 * STEP), self.constraints()[1]
        M = self.mass_matrix()
        for row, actuator in zip(self.acting, self.companion["actuators"], strict=True):
            M += actuator["reflected_inertia"] * np.outer(row, row)
        force = self._applied(qd, effort) - self.effort(qd, np.zeros(self.model.nv))
        system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        found = np.linalg.solve(system, np.concatenate([force, -drift]))[at : at + 6]
        linear = rotation @ found[:3] + cross(turn, velocity)  # pinocchio's is spatial
        return np.concatenate([linear, rotation @ found[3:]])
