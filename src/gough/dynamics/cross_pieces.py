"""What the cross pieces of universal joints with offsets carry: forces and moments at their second axes.

A cross piece turns about the joint's first axis only; the part of the leg turns in it about the second axis.  With the
wrench (F, M) on it at the joint's center, its own load and the arm r from there to the second axis, it hands on
``F' = F - m (a - g)``, ``M' = M - moment of its load - r x F'``.  docs/derivations/offset.md
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.engines import plain
from gough.engines.evaluate import evaluation
from gough.engines.pack import packed
from gough.equations.machine import KINDS, balance, joint_arms, leg_spins
from gough.equations.platform import wrench_world
from gough.equations.strut import CrossLoad
from gough.equations.vec import Vec, cross, rate_matrix
from gough.guard import MAX_CONDITION
from gough.model import Leg, Platform
from gough.results import CrossPieces, Spin
from gough.spatial import Motion, Pose

SIDES = ("base", "platform")


def cross_pieces(
    platform: Platform,
    motion: Motion | Pose,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
) -> CrossPieces:
    """Forces and moments of the cross pieces on the parts of their legs; zero where a joint has no offsets.

    motion, external, spin   as in `gough.inverse_dynamics`; states that it refuses are refused
    """
    asked = evaluation("forces", platform, motion, spin, "python", external=external)
    asked.judged(MAX_CONDITION)
    machine = packed(platform, asked.spins is not None)
    functions = plain.machine(machine.kinds)
    x = [column for block in asked.blocks for column in block.T]
    spins = plain.NO_SPIN if asked.spins is None else tuple(asked.spins.T)
    data = functions.unpack(tuple(machine.parameters))
    m = functions.motion(x, data)
    q = joint_arms(m.R, data.legs)
    states = functions.states(data, m, q, rate_matrix(m.w, m.al), leg_spins(spins))
    pushes = balance(m, q, states, data.body, wrench_world(m.R, x)).y
    out = np.zeros((2 * len(SIDES), len(x[0]), 6, 3))
    every = zip(platform.legs, machine.kinds, data.legs, states, pushes, strict=True)
    for i, (leg, kind, constants, state, y) in enumerate(every):
        r = KINDS[kind].reactions(constants, state, y)
        above = state.couple if r.platform_moment is None else r.platform_moment
        ends = (r.universal_force, r.universal_moment), (-r.spherical_force, -above)
        for side, (load, end) in enumerate(zip(state.crosses, ends, strict=False)):
            if _crooked(leg, SIDES[side]):
                out[2 * side : 2 * side + 2, :, i] = _handed_on(load, *end)
    return CrossPieces(*out.reshape(len(out), *asked.motion.shape, 6, 3))


def _crooked(leg: Leg, side: str) -> bool:
    return getattr(leg, f"{side}_offset", None) is not None


def _handed_on(piece: CrossLoad, force: Vec, moment: Vec) -> list[Array]:
    """Force and moment at the second axis, (n, 3) each."""
    F = force - piece.load.lin
    M = moment - piece.load.ang - cross(piece.arm, F)
    return [np.stack(np.broadcast_arrays(*vector), axis=-1) for vector in (F, M)]
