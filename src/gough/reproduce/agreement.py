"""The agreement matrix: largest difference of every pair of formulations on every machine they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.dynamics import FORMULATIONS, inverse_dynamics
from gough.formulations.protocol import EVERY_LEG
from gough.formulations.protocol import FORMULATIONS as REGISTER
from gough.kinematics.links import on_links
from gough.links import links
from gough.model import Platform
from gough.model.files import load
from gough.reasons import pose_problem
from gough.spatial import Motion, rotation_exp

MACHINES = (
    "dasgupta-1998",
    "pedrammehr-2012",
    "lopes-6pus",
    "elbadawy-6sps",
    "syed-6sps-drive",
    "motion-base-1500",
    "servo-hexapod",
    "motion-base-ucu",
    "screw-hexapod",
)
APPLIES = {"exact": EVERY_LEG, **{name: module.ABOUT.legs for name, module in REGISTER.items()}}


REACH, TURN = 0.25, 0.4  # of the machine's size, and rad, about the home pose
WELL = 1000.0  # largest condition number of H to be compared; differences grow with it


@dataclass(frozen=True, eq=False)
class Agreement:
    """`largest[i, j]`: largest relative difference of formulations i and j over all states; NaN: no machine shared.

    reach, turn: how far the states lie from home, of the machine's size and rad;  left_out: states drawn again
    """

    formulations: tuple[str, ...]
    machines: tuple[str, ...]
    states: int
    largest: Array
    reach: float = REACH
    turn: float = TURN
    left_out: int = 0


def random_motion(
    platform: Platform, count: int, seed: int, reach: float = 0.05, turn: float = 0.06
) -> Motion:
    """Fast random states around the home pose: up to 3 sizes/s, 3 rad/s, 20 sizes/s^2, 20 rad/s^2 per component; on
    the fixed links of a machine that has some."""
    home = platform.require_home()
    rng = np.random.default_rng(seed)
    size = platform.characteristic_length
    turned = rotation_exp(rng.uniform(-turn, turn, (count, 3)))
    motion = Motion(
        home.position + size * rng.uniform(-reach, reach, (count, 3)),
        home.rotation @ turned,
        size * rng.uniform(-3, 3, (count, 3)),
        rng.uniform(-3, 3, (count, 3)),
        size * rng.uniform(-20, 20, (count, 3)),
        rng.uniform(-20, 20, (count, 3)),
    )
    return on_links(platform, motion).motion if len(links(platform).legs) else motion


def wide_motion(platform: Platform, count: int, seed: int) -> tuple[Motion, int]:
    """States over `REACH` and `TURN` that every leg can take, away from singular poses; how many were left out."""
    motion = random_motion(platform, 20 * count, seed, REACH, TURN)
    kept: list[int] = []
    for i in range(20 * count):
        if len(kept) == count:
            break
        if pose_problem(platform, motion.position[i], motion.rotation[i]) is None:
            result = inverse_dynamics(platform, motion[i], formulation="exact")
            if result.condition < WELL:
                kept.append(i)
    return motion[np.array(kept)], (kept[-1] + 1 - len(kept))


def agreement(states: int = 100, seed: int = 11) -> Agreement:
    """Efforts of all formulations on `MACHINES` x `states` random states, compared pair by pair.

    A difference is taken relative to the largest effort of its state.
    """
    names = tuple(FORMULATIONS)
    largest = np.full((len(names), len(names)), np.nan)
    left_out = 0
    for machine in MACHINES:
        platform = load(machine)
        motion, refused = wide_motion(platform, states, seed)
        left_out += refused
        forces = {
            name: inverse_dynamics(platform, motion, formulation=name).force
            for name in names
            if set(platform.kinds) <= set(APPLIES[name])
        }
        scale = np.abs(forces["exact"]).max(axis=-1, keepdims=True)
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                if i != j and a in forces and b in forces:
                    difference = float((np.abs(forces[a] - forces[b]) / scale).max())
                    largest[i, j] = np.nanmax([largest[i, j], difference])
    return Agreement(names, MACHINES, states, largest, left_out=left_out)
