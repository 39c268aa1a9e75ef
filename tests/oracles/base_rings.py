"""How far the equations on a base that moves are from Pinocchio and from the power balance."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.spatial import Motion
from oracles.compare import errors
from oracles.machines import Case
from oracles.moving import at_rest_in_the_world, energy_rate, library_on_base, power
from oracles.pinocchio_base import outside_answers


def outside(case: Case, base: Motion) -> dict[str, Array]:
    """The engine's answers, and what forward dynamics must give back."""
    theirs = outside_answers(at_rest_in_the_world(case, base), base)
    m = case.motion
    theirs["forward"] = np.concatenate([m.acceleration, m.angular_acceleration], axis=-1)
    theirs["forward_spin"] = theirs["spin_acceleration"]
    return theirs


def disagreement(case: Case, base: Motion, theirs: dict[str, Array]) -> tuple[float, float]:
    """How far the equations, as they are now, are from the engine and from the power balance."""
    mine = library_on_base(case, base, engine="python")
    found = errors(mine, theirs)
    assert len(found) >= 12
    expected, scale = power(case, base, mine)
    balance = np.abs(energy_rate(case, base, mine) - expected) / scale
    return max(found.values()), float(balance.max())
