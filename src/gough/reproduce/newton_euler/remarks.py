"""What [Dasgupta1998] (001) says beside its forces: joint reactions, joint-space paths, parallel computation."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler
from gough.formulations.arrays import (
    MotionArrays,
    UPSArrays,
    motion_arrays,
    ups_arrays,
    wrench_matrix,
)
from gough.formulations.linear import dot, transpose
from gough.formulations.newton_euler.balance import balance, joint_reactions
from gough.model import Platform
from gough.reproduce.builders import (
    as_motion,
    quiet_body,
    quiet_replace,
    ups_legs,
    without_friction,
)
from gough.reproduce.counting import Number, count, elimination
from gough.reproduce.newton_euler.forces import PathForces
from gough.reproduce.newton_euler.operations import TOTAL, counts
from gough.results import Reactions
from gough.spatial import Pose, rotation_exp

JOINTS = ("ball", "universal", "prismatic", "moment")
CONVERGED = 1e-10  # m: leg lengths of a position solved for


def values(machine: Platform, paths: dict[str, PathForces]) -> dict[str, Any]:
    """Everything the claims about these remarks ask for."""
    return {**_reactions(machine, paths), **_joint_space(machine, paths["I"]), **_parallel(machine)}


def _parts(force: Array, r: Reactions, direction: Array) -> dict[str, Array]:
    """F_s (21), F_u (27), F_c (28) and the moment (29) of every leg."""
    across = r.prismatic_force - force[..., None] * direction  # (28)
    return dict(
        zip(
            JOINTS,
            (r.spherical_force, r.universal_force, across, r.universal_moment),
            strict=True,
        )
    )


def reactions(machine: Platform, path: PathForces) -> dict[str, float]:
    """Largest error of each joint's reaction as printed, percent of its largest exact value on the path."""
    found = []
    for published in (False, True):
        result = newton_euler.inverse_dynamics(machine, path.motion, published=published)
        s = newton_euler.leg_motion(machine, path.motion).direction
        found.append(_parts(result.force, result.reactions, s))
    exact, printed = found
    size = lambda v: np.linalg.norm(v, axis=-1).max()  # noqa: E731
    return {name: 100 * size(printed[name] - exact[name]) / size(exact[name]) for name in JOINTS}


def _reactions(machine: Platform, paths: dict[str, PathForces]) -> dict[str, Any]:
    found = {}
    for word, path in (("slow", "I"), ("fast", "II")):
        off = reactions(machine, paths[path])
        found |= {f"reaction_{name}_{word}": off[name] for name in JOINTS}
        found[f"reaction_forces_{word}"] = np.array([off[name] for name in JOINTS[:3]])
    smooth, motion = without_friction(machine), paths["II"].motion[6]
    legs, g = ups_arrays(smooth), smooth.gravity
    x = newton_euler.inverse_dynamics(smooth, motion).force

    def forces(number: Number) -> None:
        state = MotionArrays(*(number(v) for v in motion_arrays(motion)))
        balance(legs, smooth.body, state, None, g, newton_euler.PRINTED)

    def everything(number: Number) -> None:
        state = MotionArrays(*(number(v) for v in motion_arrays(motion)))
        system = balance(legs, smooth.body, state, None, g, newton_euler.PRINTED)
        joint_reactions(legs, system, number(x), g)

    alone = count(forces).total
    extra = count(everything).total - alone
    share = 100 * extra / (alone + elimination(6).total)
    return found | {"reaction_operations": extra, "reaction_share": share}


def position(machine: Platform, length: Array, guess: Pose) -> tuple[Pose, int]:
    """The pose near `guess` with these leg lengths by Newton's method on eq (2), and its number of steps."""
    legs, pose = ups_arrays(machine), guess
    for step in range(1, 50):
        off, H = _length_error(legs, pose.position, pose.rotation, length)
        move = np.linalg.solve(H.T, -off)
        pose = Pose(pose.position + move[:3], rotation_exp(move[3:]) @ pose.rotation)
        if np.abs(_length_error(legs, pose.position, pose.rotation, length)[0]).max() < CONVERGED:
            return pose, step
    raise ArithmeticError("the position was not found")


def _length_error(legs: UPSArrays, t: Any, R: Any, length: Any) -> tuple[Any, Any]:
    """Eqs (1)-(3): length less the one wanted (6,), and H whose transpose is its derivative by the platform's twist."""
    q = legs.p @ transpose(R)
    S = t + q - legs.b
    L = np.sqrt(dot(S, S))
    return L - length, wrench_matrix(S / L[..., None], q)


def _joint_space(machine: Platform, path: PathForces) -> dict[str, Any]:
    """Poses and twists of Path I found again from its leg motion, and what that costs more than a Cartesian path."""
    legs = newton_euler.leg_motion(machine, path.motion)
    pose, steps, off = path.motion[0].pose, [], 0.0
    for length, wanted in zip(legs.length[1:], path.motion.position[1:], strict=True):
        pose, used = position(machine, length, pose)
        steps.append(used)
        off = max(off, float(np.abs(pose.position - wanted).max()))
    H = newton_euler.inverse_dynamics(machine, path.motion).H
    twist = np.linalg.solve(np.swapaxes(H, -1, -2), legs.rate[..., None])[..., 0]
    wanted = np.concatenate([path.motion.velocity, path.motion.angular_velocity], axis=-1)
    data, x, solve = ups_arrays(machine), motion_arrays(path.motion[6]), elimination(6).total
    each = count(lambda n: _length_error(data, n(x.t), n(x.R), n(legs.length[6]))).total
    extra = (
        max(steps) * (each + solve) + 2 * solve
    )  # eq (2) by Newton's method, eqs (5) and (8) by one solve each
    return {
        "joint_off": max(off, float(np.abs(twist - wanted).max())),
        "joint_steps": max(steps),
        "joint_extra": extra,
        "joint_share": 100 * extra / TOTAL,
    }


def _parallel(machine: Platform) -> dict[str, Any]:
    """Longest branch by our count; how much the other legs' branches feel of a changed leg and platform."""
    six, alone = counts()
    motion = motion_arrays(as_motion("001-II")(0.1))
    first, *others = ups_legs(machine)
    upper = quiet_body(2 * first.upper.mass, first.upper.center, first.upper.inertia)
    body = quiet_body(2 * machine.body.mass, machine.body.center, machine.body.inertia)
    changed = quiet_replace(machine, legs=[first.replace(upper=upper), *others], body=body)
    K, other = (
        balance(ups_arrays(m), m.body, motion, None, m.gravity, frozenset()).K
        for m in (machine, changed)
    )
    return {
        "parallel_ours": max(round(six.total / 6), alone.total) + elimination(6).total,
        "branch_coupling": float(np.abs(K[1:] - other[1:]).max()),
    }
