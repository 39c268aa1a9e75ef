"""The library's answer and an outside engine's answer side by side, each as named arrays.

Relative error: largest difference in a state over the largest entry of that quantity in that state.  Moments
of the joints are taken together, since a ball joint without friction has none of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough.checks import Array
from gough.model import Spinning
from oracles.machines import Case
from oracles.projection import Answer, Closed, Engine

MOMENTS = ("universal_moment", "prismatic_moment", "platform_moment")
REACTIONS = ("spherical_force", "universal_force", *MOMENTS, "prismatic_force")


def spin(case: Case, **options: Any) -> dict[str, Any]:
    """The keyword `spin` where the machine needs it."""
    return (
        {**options, "spin": gough.Spin(case.spin_angle, case.spin_rate)}
        if case.needs_spin
        else options
    )


def answers(engine: Engine, case: Case) -> list[Answer]:
    """The outside engine's answer in every state of a case."""
    return [
        Closed(
            engine,
            case.platform,
            case.motion[i],
            case.external[i],
            case.spin_angle[i],
            case.spin_rate[i],
        ).answer()
        for i in range(len(case.external))
    ]


def efforts(case: Case, **options: Any) -> dict[str, Array]:
    """Efforts and reactions by the public verb, compiled unless `engine` says otherwise."""
    result = gough.inverse_dynamics(
        case.platform, case.motion, case.external, **spin(case, **options)
    )
    return {"force": result.force, **{name: getattr(result.reactions, name) for name in REACTIONS}}


def library(case: Case, **options: Any) -> dict[str, Array]:
    """Every quantity the public verbs give for a case, (n, ...)."""
    options = spin(case, **options)
    legs = gough.inverse_kinematics(case.platform, case.motion, **options)
    result = gough.inverse_dynamics(case.platform, case.motion, case.external, **options)
    out = {
        "coordinate": legs.length,
        "rate": legs.rate,
        "acceleration": legs.acceleration,
        "direction": legs.direction,
        "angular_velocity": legs.angular_velocity,
        "angular_acceleration": legs.angular_acceleration,
        "force": result.force,
        "mass_matrix": gough.mass_matrix(case.platform, case.motion.pose, **options),
    }
    for name in REACTIONS:
        out[name] = getattr(result.reactions, name)
    if case.needs_spin:
        assert result.spin_acceleration is not None
        free = [isinstance(leg, Spinning) and not leg.spin_free for leg in case.platform.legs]
        out["spin_acceleration"] = np.where(free, result.spin_acceleration, 0.0)
    acc = gough.forward_dynamics(case.platform, case.motion, result.force, case.external, **options)
    out["forward"] = np.concatenate([acc.acceleration, acc.angular_acceleration], axis=-1)
    return out


def engine_arrays(case: Case, found: list[Answer]) -> dict[str, Array]:
    """The same quantities from an outside engine."""
    names = (
        "coordinate",
        "rate",
        "acceleration",
        "direction",
        "angular_velocity",
        "angular_acceleration",
        "force",
        "mass_matrix",
        *(("spin_acceleration",) if case.needs_spin else ()),
    )
    out = {name: np.array([getattr(a, name) for a in found]) for name in names}
    for name in REACTIONS:
        out[name] = np.array([getattr(a.reactions, name) for a in found])
    forward = []
    for i, a in enumerate(
        found
    ):  # the engine's own equations of motion, solved for its own efforts
        R = case.motion.rotation[i]
        wrench = np.concatenate([R @ case.external[i, :3], R @ case.external[i, 3:]])
        forward.append(np.linalg.solve(a.mass_matrix, a.jacobian.T @ a.force + wrench - a.bias))
    out["forward"] = np.array(forward)
    return out


def errors(mine: dict[str, Array], theirs: dict[str, Array]) -> dict[str, float]:
    """Largest relative error over the states of every quantity that both have."""
    out = {}
    for name in mine.keys() & theirs.keys():
        value = theirs[name]
        apart = mine[name] - value
        if name == "coordinate":  # crank angles up to whole turns: ours are counted from home
            apart = apart - 2 * np.pi * np.round(apart / (2 * np.pi))
        difference = _largest(apart)
        scale = _largest(value)
        if name in MOMENTS:
            scale = np.max([_largest(theirs[m]) for m in MOMENTS if m in theirs], axis=0)
        out[name] = float(np.max(difference / scale))
    return out


def joined(parts: list[dict[str, Array]]) -> dict[str, Array]:
    """The states of several answers in one."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _largest(a: Array) -> Array:
    return np.abs(a).reshape(len(a), -1).max(axis=1)
