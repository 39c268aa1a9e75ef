"""The tree of a machine on a base that moves: which of its rotors turn there, and what they are of the base's own."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.model import Platform
from gough.spatial import Motion
from oracles.closure import cross
from oracles.tree import Node, Tree, _Raw, build


def tree_on_base(machine: Platform) -> Tree:
    """The tree of a machine whose rotors without an axis are left out and those mounted on the base turn there."""
    tree = build(machine, real_rotors=True)
    nodes = list(tree.nodes)
    for leg, n in zip(machine.legs, tree.legs, strict=True):
        if n.rotor is None or leg.drive is None or leg.drive.rotor_axis is not None:
            continue
        d, inertia = leg.drive.mount_axis, leg.drive.rotor_inertia
        axis = np.array([1.0, 0.0, 0.0]) if d is None else d
        body = _Raw(0.0, np.zeros(3), (0.0 if d is None else inertia) * np.outer(axis, axis))
        nodes[n.rotor] = Node(-1, "hinge", axis, body=body)
    return Tree(tuple(nodes), tree.legs, tree.platform, tree.gravity)


def rotors_of_the_base(machine: Platform, base: Motion) -> tuple[float, Array]:
    """Energy and rate of angular momentum of the mounted rotors without their spin: the base's own inertia."""
    energy, moment = 0.0, np.zeros(3)
    w, al = base.angular_velocity, base.angular_acceleration
    for leg in machine.legs:
        drive = leg.drive
        if drive is not None and drive.rotor_axis is None and drive.mount_axis is not None:
            d, I = base.rotation @ drive.mount_axis, drive.rotor_inertia
            energy += 0.5 * I * float(d @ w) ** 2
            moment = moment + I * ((d @ al) * d + (d @ w) * cross(w, d))
    return energy, moment
