"""What [ElBadawy] (003) states, computed with its own equations and with the exact model."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics import inverse_dynamics
from gough.formulations import multibody
from gough.formulations.multibody.euler import EulerSystem
from gough.formulations.multibody.kinematics import configuration
from gough.model import SPS, Body, Platform
from gough.reproduce.agreement import random_motion
from gough.reproduce.builders import quiet_load, worst
from gough.reproduce.multibody import operations, tables
from gough.reproduce.multibody.branches import STEPS
from gough.reproduce.multibody.runs import PERIOD, MultibodyRuns, drivers, joint_force, slope
from gough.reproduce.multibody.tables import JOINTS, LOWER_PARTS, UPPER_PARTS
from gough.simulation.dae import simulate_dae
from gough.spatial import Motion, Pose

EVERY_KIND = ("dasgupta-1998", "elbadawy-6sps", "lopes-6pus", "servo-hexapod")


def values(runs: MultibodyRuns) -> dict[str, Any]:
    """Everything the claims and errata of 003 ask for."""
    error = worst(runs.printed_force, runs.exact.force)
    peak = float(np.abs(runs.exact.force).max())
    speed = float(np.linalg.norm(runs.exact.motion.velocity, axis=-1).max())
    return {
        "error": error,
        "peak": peak,
        "percent": 100 * error / peak,
        **_motion(runs),
        **_poses(runs),
        **_bodies(runs),
        **_forces(runs),
        **_structure(runs),
        **_errata(runs),
        "errors": ((speed, 100 * error / peak),),
    }


def _motion(runs: MultibodyRuns) -> dict[str, Any]:
    x, y, _ = runs.position.T
    beta = runs.euler[:, 1]
    return {
        "x_range": [x.min(), x.max()],
        "x_least": x.min(),
        "x_most": x.max(),
        "y_start": y[0],
        "y_range": [y.min(), y.max()],
        "start_off": np.abs(runs.position[0, [0, 2]]).max(),
        "beta": beta.max(),
        "beta_range": [beta.min(), beta.max()],
        "period": PERIOD,
        "repeats": worst(runs.position[-1], runs.position[0]),
        "x_lower_start": _lower_start(runs),
    }


def _lower_start(runs: MultibodyRuns) -> float:
    """Lowest X if the machine starts at the text's height, m."""
    pose = Pose(np.array([0.0, 0.0, tables.TEXT_HEIGHT]))
    lengths = drivers(configuration(runs.machine, pose)[1])
    run = simulate_dae(runs.machine, pose, PERIOD, PERIOD / 80, lengths=lengths, project=False)
    return float(run.motion.position[:, 0].min())


def _poses(runs: MultibodyRuns) -> dict[str, Any]:
    """All poses with the driven leg lengths along the motion, and the proof that the branch followed stays regular."""
    all_, every = runs.branches, STEPS // 8
    names = ("real_poses", "poses_above", "most_above", "least_above")
    counted: tuple[Any, ...] = (None,) * len(names)
    if all_.complete.all():
        rows = [count[:-1:every].tolist() for count in (all_.real, all_.above)]
        counted = (*rows, int(all_.above.max()), int(all_.above.min()))
    return {
        **dict(zip(names, counted, strict=True)),
        "times_counted": len(all_.time),
        "modes_proved": int(all_.certified.sum()),
        "steps": len(runs.track.certified),
        "unproved": int((~runs.track.certified).sum()),
        "closes": worst(runs.track.pose.position[-1], runs.track.pose.position[0]),
        "branch_condition": inverse_dynamics(runs.machine, runs.exact.motion).condition.max(),
        "kinematics": runs.kinematics_error,
    }


def _bodies(runs: MultibodyRuns) -> dict[str, Any]:
    """Every joint and every body as printed, percent of the largest exact value of its kind."""
    joints = {
        kind: (getattr(runs.printed_reactions, name), getattr(runs.reactions, name))
        for kind, name in JOINTS.items()
    }
    exact, printed = runs.exact.states, runs.printed_states
    acceleration = runs.exact.run.vd.reshape(runs.printed_acceleration.shape)[..., 3:]
    legs = slice(UPPER_PARTS.start, LOWER_PARTS.stop)
    rates = {
        part: (printed.w[:, which], exact.w[:, which])
        for part, which in (("platform", 0), ("leg", legs))
    }
    wrong = np.abs(runs.printed_acceleration[..., 3:] - acceleration)[:, legs]
    return {
        "joint_percents": [_percent(*pair) for pair in joints.values()],
        "joint_kinds": list(joints),
        **{f"{part}_rates": _percent(*pair) for part, pair in rates.items()},
        "center_speeds": _percent(printed.v[:, : legs.stop], exact.v[:, : legs.stop]),
        "leg_rate": np.linalg.norm(exact.w[:, legs], axis=-1).max(),
        "leg_accelerations": [wrong.max(), np.abs(acceleration[:, legs]).max()],
        "exact_joints": _exact_joints(runs),
    }


def _percent(found: Array, exact: Array) -> float:
    """Largest error of vectors (..., 3), percent of the largest exact one."""
    error, size = (np.linalg.norm(x, axis=-1).max() for x in (found - exact, exact))
    return 100 * float(error / size)


def _exact_joints(runs: MultibodyRuns) -> float:
    """Largest difference between the multipliers' reactions and those of the exact model, N and N m."""
    other = inverse_dynamics(runs.machine, runs.exact.motion).reactions
    return max(
        worst(getattr(runs.reactions, name), getattr(other, name)) for name in JOINTS.values()
    )


def _forces(runs: MultibodyRuns) -> dict[str, Any]:
    share = runs.machine.body.mass * 9.81 / 6
    static = multibody.inverse_dynamics(runs.machine, Motion.at_rest(runs.exact.motion[0].pose))
    rest, start, fine = (runs.worst(run) for run in (runs.rest, runs.start, runs.rest_fine))
    legs = [leg for leg in runs.machine.legs if isinstance(leg, SPS)]
    point = [leg.replace(lower=_point(leg.lower), upper=_point(leg.upper)) for leg in legs]
    light = inverse_dynamics(runs.machine.replace(legs=point), runs.exact.motion).force
    inertia = [np.diag(part.inertia).max() for leg in legs for part in (leg.lower, leg.upper)]
    first = joint_force(runs.rest)[0, 1]
    return {
        "share": share,
        "static": static.reactions.spherical_force[0, 2],
        "first_rest": first,
        "inertia_rest": first - share,
        "inertia_moving": runs.joint[0, 1] - share,
        "first_moving": runs.joint[0, 1],
        **{f"rest_{i}": x for i, x in enumerate(rest)},
        **{f"start_{i}": x for i, x in enumerate(start)},
        **{f"fine_{i}": x for i, x in enumerate(fine)},
        "turning": worst(light, runs.exact.force),
        "leg_inertia": min(inertia),
        "spin": np.abs(runs.printed_spin).max(),
    }


def _point(body: Body) -> Body:
    return Body(body.mass, body.center)


def _structure(runs: MultibodyRuns) -> dict[str, Any]:
    count = multibody.counts(runs.machine)
    found = operations.operations(runs.machine, runs.exact.motion[60])
    *stages, full = (tally.total for tally in found.values())
    return {
        **{name: count[name] for name in ("bodies", "coordinates", "kinematic", "driving", "free")},
        "rank": _rank(runs, ()),
        "rank_printed": _rank(runs, ("E003-6",)),
        "orders": [slope(errors) for errors in runs.order.values()],
        "residual": runs.exact.run.residual.max(),
        "drift": [runs.order_drift[0], runs.order_drift[-1]],
        "by_leg": sum(stages),
        "whole": sum(stages[:3]) + full,
        "simple": None,
        "general": [_general(quiet_load(name)) for name in EVERY_KIND],
        "kinds": [quiet_load(name).kinds[0] for name in EVERY_KIND],
    }


def _general(platform: Platform) -> float:
    """Relative difference of this method's and the exact forces on another machine."""
    motion = random_motion(platform, 5, 2)
    exact = inverse_dynamics(platform, motion).force
    found = inverse_dynamics(platform, motion, formulation="multibody").force
    return worst(found, exact) / float(np.abs(exact).max())


def _system(runs: MultibodyRuns, errata: tuple[str, ...] = ()) -> EulerSystem:
    still = (runs.length, 0 * runs.length, 0 * runs.length)
    return EulerSystem(runs.machine, lambda t: still, errata)


def _rank(runs: MultibodyRuns, errata: tuple[str, ...]) -> int:
    start = tables.initial_coordinates(runs.machine)
    return int(np.linalg.matrix_rank(_system(runs, errata).jacobian(start, 0.0)))


def _errata(runs: MultibodyRuns) -> dict[str, Any]:
    cosine = np.abs(np.cos(runs.leg_angles[:, 7:, 1])).min(axis=0)
    along = 0.1 * (tables.UPPER[:, :3] - tables.LOWER) / tables.DISTANCE  # half a leg part, upwards
    ends = (tables.LOWER - along, tables.UPPER[:, :3] + along)
    base, top = (np.linalg.norm(x[:, [0, 2]], axis=1).mean() for x in ends)
    system = _system(runs)
    rows = next(block.rows for block in system.assembly.blocks if block.name == "base")
    gap = system.constraint(tables.initial_coordinates(runs.machine), 0.0)[rows]
    mass = runs.machine.body.mass
    return {
        "joint_error": worst(runs.printed_joint, runs.joint),
        "joint_peak": np.linalg.norm(runs.joint, axis=1).max(),
        "cosines": [cosine[0], cosine[5]],
        "gap": 1e3 * np.linalg.norm(gap, axis=1).max(),
        "gap_force": runs.worst(runs.gap)[0],
        "radii": [base, top],
        "discs": [mass * r**2 / 2 for r in (tables.PLATFORM_RADIUS, tables.BASE_RADIUS)],
    }
