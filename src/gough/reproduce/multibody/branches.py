"""Every pose of the leg lengths along the motion of [ElBadawy] (003), by all assembly modes.

The lengths at t and at pi - t are the same, so half a period says everything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.kinematics.assembly.modes import assembly_modes
from gough.model import Platform
from gough.reproduce.multibody.tables import AMPLITUDES

STEPS = 192  # of a period; a multiple of eight


@dataclass(frozen=True, eq=False)
class Branches:
    """All real poses at STEPS + 1 times of a period.

    time      s;  heights: of the platform in each pose, m, highest first
    complete  at each time: no pose is missing;  certified: each pose proved, and proved distinct from the others
    """

    time: Array
    heights: tuple[Array, ...]
    complete: Array
    certified: Array

    @property
    def real(self) -> Array:
        """Number of real poses at each time."""
        return np.array([len(z) for z in self.heights])

    @property
    def above(self) -> Array:
        """Number of those above the base."""
        return np.array([int((z > 0).sum()) for z in self.heights])


def branches(machine: Platform, length: Array) -> Branches:
    """All poses along the motion whose legs are `length` + Table 2's amplitudes times sin t."""
    quarter = STEPS // 4
    rising = [
        assembly_modes(machine, length + AMPLITUDES * np.sin(2 * np.pi * k / STEPS))
        for k in range(-quarter, quarter + 1)
    ]
    steps = np.arange(STEPS + 1)
    folded = (steps + quarter) % STEPS  # from -pi/2 on
    chosen = [rising[k if k <= 2 * quarter else STEPS - k] for k in folded]
    return Branches(
        2 * np.pi * steps / STEPS,
        tuple(modes.poses.position[:, 2] for modes in chosen),
        np.array([modes.complete for modes in chosen]),
        np.array([modes.certified for modes in chosen]),
    )
