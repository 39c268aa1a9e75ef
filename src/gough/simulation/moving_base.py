"""A base that moves while the machine runs: its motion as a function of time, and what a record then tells.

Fixed-step methods take their stages from Python here (driven.py), as for forces that depend on the motion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.engines import native
from gough.engines.evaluate import motion_blocks
from gough.equations.machine import MOVING, links
from gough.layout import ENERGY, FORWARD, MOVING_RECORD
from gough.simulation.programs import REACTIONS
from gough.simulation.state import Rows
from gough.spatial import Motion

Carrier = Callable[[float], list[Array]]
"""Time -> six blocks (1 or runs, width) of the base's motion in the world."""
ALLOWED = (
    "must be a function of time or a trajectory that answers the base's gough.Motion in the world"
)


def carrier(value: Any, runs: int) -> Carrier | None:
    """The base's motion over time from the option `base`; one that does not move may be given as it stands."""
    if value is None:
        return None
    if isinstance(value, Motion):
        if any(rate.any() for rate in value.rates):
            raise InputError("base", "one motion", f"{ALLOWED}: it moves")
        still = _blocks(value, runs)
        return lambda t: still
    if not callable(value):
        raise InputError("base", value, ALLOWED)
    _blocks(value(0.0), runs)
    return lambda t: _blocks(value(t), runs)


def _blocks(motion: Any, runs: int) -> list[Array]:
    if not isinstance(motion, Motion):
        raise InputError("base", motion, ALLOWED)
    if motion.shape not in ((), (1,), (runs,)):
        raise InputError("base", f"shape {motion.shape}", f"must answer one motion, or {runs}")
    return motion_blocks(motion)


def told(
    rows: Rows, times: Array, X: Array, force: Array, external: Array, reactions: bool
) -> dict[str, Array]:
    """What a record says otherwise on a base that moves, (width, N) each, reactions (6, 3, N).

    X (rows, N), efforts of the drives and wrench (6, N); N is times (K,) by runs
    """
    n, carried = X.shape[1] // len(times), rows.carried
    assert carried is not None
    each = [[np.broadcast_to(b, (n, b.shape[1])) for b in carried(float(t))] for t in times]
    base = [np.concatenate(blocks) for blocks in zip(*each, strict=True)]
    state, spin = rows.blocks(X), rows.spin_inputs(X)

    def run(function: str, *inputs: Array) -> Array:
        given = [*state, *inputs, *base, *spin]
        return native.run(MOVING + function, rows.kinds, given, rows.carried_par)

    moved = run("forward", force.T, external.T)
    energy = run("energy")
    names = ("acceleration", "angular_acceleration")
    out = {name: moved[:, getattr(FORWARD, name)].T for name in names}
    out |= {name: energy[:, [getattr(ENERGY, name)]].T for name in ("kinetic", "potential")}
    held = links(rows.kinds)
    if reactions or held:
        legs = run("record", *(out[name].T for name in names), external.T)
        legs = legs.reshape(-1, 6, MOVING_RECORD.size)
        out["force"] = force.copy()
        out["force"][held] = legs[:, held, MOVING_RECORD.effort].T
        for name in REACTIONS.names if reactions else ():
            out[name] = np.moveaxis(legs[:, :, getattr(MOVING_RECORD, name)], 0, -1)
    return out
