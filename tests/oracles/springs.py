"""Springs in the joints as an outside engine sees them: its own joint coordinates, its own rotations, Pinocchio's log.

The tree is placed in the pose where a leg's springs are relaxed, and its coordinates and rotations there are kept.
    hinges   effort ``k (q - q_0)``, the difference taken within half a turn
    balls    ``th = log(Rr)``, ``th' = Jlog(Rr) Rr^T omega``, so the moment is ``Rr Jlog^T K th``; one at the base side
             in the axes of the body that carries it in the tree (none, a slider, a crank from angle zero)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from gough.checks import Array
from gough.model import JointSprings, Platform
from oracles.tree import LegNodes, leg_coordinates


@dataclass(frozen=True)
class Rest:
    """One leg's springs: hinge angles at rest, strut axes at rest as what carries a ball at the base side sees them,
    and in platform axes."""

    springs: JointSprings
    nodes: LegNodes
    platform: int
    angles: dict[int, float]
    stiffness: dict[int, float]
    base: Array
    seat: Array

    def universal_efforts(self, engine: Any, coordinates: Sequence[Any]) -> Array:
        """(nv,) efforts of the hinges' springs."""
        out = np.zeros(engine.nv)
        for node, angle in self.angles.items():
            turned = float(coordinates[node]) - angle
            turned -= 2 * np.pi * np.round(turned / (2 * np.pi))
            out[engine.dofs[node]] = self.stiffness[node] * turned
        return out

    def base_efforts(self, engine: Any) -> Array:
        """(nv,) efforts of the springs of a ball at the base side: its moment on what it turns, and on its carrier."""
        node = self.nodes.universal[0]
        parent = engine.tree.nodes[node].parent
        turning = engine.jacobian(node, np.zeros(3))[3:]
        if parent >= 0:
            turning = turning - engine.jacobian(parent, np.zeros(3))[3:]
        moment = flexure(self.bent(engine), self.springs.base_ball)[0]
        return turning.T @ _carrier(engine, self.nodes) @ moment

    def bent(self, engine: Any) -> Array:
        """The part in the joint at the base side from rest, axes of its carrier."""
        return _held(engine, self.nodes) @ self.base.T

    def platform_moment(self, engine: Any) -> Array:
        """Of the strut on the platform, world axes."""
        return (
            engine.rotation(self.platform)
            @ flexure(self.turned(engine), self.springs.platform_ball)[0]
        )

    def turned(self, engine: Any) -> Array:
        """The strut from rest, platform axes."""
        R, T = engine.rotation(self.platform), engine.rotation(self.nodes.end)
        return R.T @ T @ self.seat.T

    def energy(self, engine: Any, coordinates: Sequence[Any]) -> float:
        """J."""
        out = flexure(self.turned(engine), self.springs.platform_ball)[1]
        out += flexure(self.bent(engine), self.springs.base_ball)[1]
        efforts = self.universal_efforts(engine, coordinates)
        for node, k in self.stiffness.items():
            out += 0.5 * float(efforts[engine.dofs[node]][0]) ** 2 / k
        return out


def flexure(Rr: Array, K: Array) -> tuple[Array, float]:
    """Moment and energy of a flexure turned by Rr."""
    th = pin.log3(Rr)
    return Rr @ pin.Jlog3(Rr).T @ K @ th, 0.5 * float(th @ K @ th)


def rests(engine: Any, machine: Platform) -> dict[int, Rest]:
    """Of all legs that have springs; moves the engine."""
    out = {}
    for i, leg in enumerate(machine.legs):
        if leg.springs.any:
            pose = leg.springs.home or machine.require_home()
            coordinates: list[Any] = []
            for other, nodes in zip(machine.legs, engine.tree.legs, strict=True):
                P = pose.position + pose.rotation @ other.joint
                coordinates += leg_coordinates(other, nodes, P, 0.0, pose.rotation)[0]
            engine.place(coordinates, pose.position, pose.rotation)
            nodes = engine.tree.legs[i]
            stiffness = _hinges(leg.springs, nodes)
            angles = {n: float(coordinates[n]) for n in stiffness}
            held, seat = _held(engine, nodes), pose.rotation.T @ engine.rotation(nodes.end)
            out[i] = Rest(leg.springs, nodes, engine.tree.platform, angles, stiffness, held, seat)
    return out


def _carrier(engine: Any, nodes: LegNodes) -> Array:
    """Axes of what carries the joint at the base side."""
    parent = engine.tree.nodes[nodes.universal[0]].parent
    return engine.rotation(parent) if parent >= 0 else np.eye(3)


def _held(engine: Any, nodes: LegNodes) -> Array:
    """Axes of the part in that joint, in those of its carrier."""
    return _carrier(engine, nodes).T @ engine.rotation(nodes.universal[0])


def _hinges(springs: JointSprings, nodes: LegNodes) -> dict[int, float]:
    """Stiffness by hinge; a platform joint's first axis is the last of the chain."""
    out: dict[int, float] = {}
    if len(nodes.universal) > 1:
        out |= zip(nodes.universal, (springs.first, springs.second), strict=True)
    out |= zip(
        nodes.plate, (springs.platform_second, springs.platform_first), strict=bool(nodes.plate)
    )
    return out
