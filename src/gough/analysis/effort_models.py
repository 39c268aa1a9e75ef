"""Efforts between two instants: the exact equations (gough/equations) run on Taylor models (gough/taylor.py).

They are written for any kind of number with + - * / and roots, so that what encloses a motion's numbers over an
interval goes through the very formulas that `gough.inverse_dynamics` runs, and encloses the efforts when it comes out.
The machine's own constants are numbers; what they lose by rounding among themselves is given `ROOM` of a limit.
"""

from __future__ import annotations

import numpy as np

from gough import taylor
from gough.checks import Array
from gough.engines import plain
from gough.engines.pack import packed
from gough.equations.scalar import angle, sqrt
from gough.layout import FORCES
from gough.links import links
from gough.model import Platform
from gough.taylor import Model
from gough.trajectory.bounds import MotionModel

ROOM = 1e-9  # of a limit


@sqrt.register
def _(x: Model) -> Model:
    return taylor.power(x, 0.5)


@angle.register
def _(sine: Model, cosine: Model) -> Model:
    """No effort asks for the angle of a crank; of one that does nothing is known."""
    return Model(0.0 * sine.c, np.full_like(sine.r, np.inf))


def without_efforts(platform: Platform) -> str:
    """Why the efforts of a machine are not bounded, in words; empty where they are."""
    if packed(platform).spins:
        return "the efforts of legs that spin freely are not bounded between samples"
    if len(links(platform).legs):
        return "the efforts of machines with fixed links are not bounded between samples"
    return ""


def effort_models(platform: Platform, motion: MotionModel, external: Array) -> Model:
    """(N, 6) efforts over the intervals of `motion`, N (N m for cranks); external (6,): platform axes, constant."""
    machine = packed(platform)
    vectors = (motion.velocity, motion.angular_velocity)
    vectors += (motion.acceleration, motion.angular_acceleration)
    x = [motion.position[:, j] for j in range(3)]
    x += [motion.rotation[:, i, j] for i in range(3) for j in range(3)]
    x += [vector[:, j] for vector in vectors for j in range(3)]
    x += external.tolist()
    out = plain.evaluate("forces", machine.kinds, x, machine.parameters.tolist())
    return taylor.stack(list(out[FORCES.effort]))


def effort_room(effort: Model, most: Array) -> Model:
    """(N, m, 2) at least 0 where efforts (N, m) are within `most` (m,), as shares of it."""
    share = effort * (1.0 / most)
    share = Model(share.c, share.r + ROOM)
    return taylor.stack([1.0 - share, share + 1.0])
