"""Forces along the three paths of [Dasgupta1998] (001)."""

from __future__ import annotations

from dataclasses import dataclass

from gough.checks import Array
from gough.formulations import newton_euler
from gough.model import Platform
from gough.reproduce.builders import Forces, as_motion
from gough.spatial import Motion

SAMPLES = 61  # the paper's d tau on each path
PATHS = {"I": "001-I", "II": "001-II", "III": "001-III"}


@dataclass(frozen=True, eq=False)
class PathForces(Forces):
    """Also with massless legs, and the condition number of H."""

    massless: Array
    condition: Array


def path_forces(machine: Platform, key: str, samples: int = SAMPLES) -> PathForces:
    """Forces of `machine` along one of the paper's paths at the paper's sampling."""
    return forces_on(machine, as_motion(key).sample(samples))


def forces_on(machine: Platform, motion: Motion) -> PathForces:
    """Forces of `machine` along any motion."""
    exact = newton_euler.inverse_dynamics(machine, motion)
    printed = newton_euler.inverse_dynamics(machine, motion, published=True)
    return PathForces(motion, exact.force, printed.force, exact.extra["massless"], exact.condition)
