"""Machines that differ from run to run: what runs side by side must share, and what is asked machine by machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError
from gough.engines.evaluate import check_platform
from gough.engines.pack import packed
from gough.model import Platform
from gough.simulation.leg_law import Springs, leg_laws
from gough.spatial import Motion

Machines = tuple[Platform, ...]
"""One for all runs, or one for each."""


def machines_of(platform: Platform | Sequence[Platform]) -> Machines:
    """One machine, or several that agree in the kinds and the names of their legs."""
    if isinstance(platform, Platform):
        return (platform,)
    machines = tuple(platform) if isinstance(platform, Sequence) else ()
    if not machines:
        raise InputError("platform", platform, "must be a gough.Platform, or one for each run")
    first = machines[0]
    for i, machine in enumerate(machines):
        check_platform(machine)
        for spinning in (False, True):
            own, other = packed(first, spinning).kinds, packed(machine, spinning).kinds
            if own != other:
                given = f"legs {' '.join(other)}, the first machine's {' '.join(own)}"
                allowed = "must have legs of the same kinds as the others, in the same order"
                raise InputError(f"platform[{i}]", given, allowed)
        if machine.leg_names != first.leg_names:
            allowed = f"must call its legs as the first machine does: {', '.join(first.leg_names)}"
            raise InputError(f"platform[{i}]", ", ".join(machine.leg_names), allowed)
    return machines


def of_runs(
    machines: Machines, motion: Motion, function: Callable[[Platform, Motion], Any]
) -> NDArray[Any]:
    """``function(machine, its motions)`` of all runs (n,), one behind the other."""
    if len(machines) == 1:
        return function(machines[0], motion)
    return np.concatenate([function(m, motion[i : i + 1]) for i, m in enumerate(machines)])


def laws_of(machines: Machines, springs: Springs | None, drives: bool, runs: int) -> Array:
    """(rows of LEG_LAW, 6, runs or 1), see `leg_laws`; each run has the drives of its own machine."""
    if len(machines) == 1:
        return leg_laws(machines[0], springs, drives, runs)
    each = (leg_laws(machine, springs, drives, runs) for machine in machines)
    return np.stack([law[:, :, i % law.shape[2]] for i, law in enumerate(each)], axis=2)
