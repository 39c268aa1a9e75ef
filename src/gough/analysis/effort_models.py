"""Efforts between two instants: the exact equations (gough/equations) run on Taylor models (gough/taylor.py).

What encloses a motion's numbers over an interval goes through the very operations that `gough.inverse_dynamics`
compiles (engines/model_program.py), and encloses the efforts when it comes out.  The machine's parameters are packed
as numbers (engines/pack.py); what they lost by rounding there is given `ROOM` of a limit.
"""

from __future__ import annotations

import numpy as np

from gough import taylor
from gough.checks import Array
from gough.engines.pack import packed
from gough.layout import FORCES
from gough.links import links
from gough.model import Platform
from gough.taylor import Model
from gough.trajectory.bounds import MotionModel

ROOM = 1e-9  # of a limit
EFFORTS = tuple(range(*FORCES.effort.indices(FORCES.size)))


def without_efforts(platform: Platform) -> str:
    """Why the efforts of a machine are not bounded, in words; empty where they are."""
    if packed(platform).spins:
        return "the efforts of legs that spin freely are not bounded between samples"
    if len(links(platform).legs):
        return "the efforts of machines with fixed links are not bounded between samples"
    return ""


def effort_models(platform: Platform, motion: MotionModel, external: Array) -> Model:
    """(N, 6) efforts over the intervals of `motion`, N (N m for cranks); external (6,): platform axes, constant."""
    from gough.engines.model_program import program_table, run_on_models

    machine = packed(platform)
    vectors = (motion.velocity, motion.angular_velocity)
    vectors += (motion.acceleration, motion.angular_acceleration)
    x = [motion.position[:, j] for j in range(3)]
    x += [motion.rotation[:, i, j] for i in range(3) for j in range(3)]
    x += [vector[:, j] for vector in vectors for j in range(3)]
    x += [taylor.constant(np.asarray(part)) for part in external.tolist()]
    table = program_table("forces", machine.kinds, EFFORTS)
    return run_on_models(table, x, np.asarray(machine.parameters, dtype=float))


def share_room(used: Model, most: Array) -> Model:
    """(N, m, 2) at least 0 where what is used (N, m) is within `most` (m,), as shares of it."""
    share = used * (1.0 / most)
    share = Model(share.c, share.r + ROOM)
    return taylor.stack([1.0 - share, share + 1.0])
