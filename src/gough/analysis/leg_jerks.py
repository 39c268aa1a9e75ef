"""Jerks of the legs between two instants: third derivatives of their coordinates as Taylor models.

The formulas are those of gough/struts.py run on jets (trajectory/jets.py), with P the platform joint seen from the base
joint; the jerk is six times the last coefficient of the coordinate's jet, of a crank twice that of its rate's:

    strut    lam = |P|               slider   lam = e.P - sign sqrt((e.P)^2 - P.P + L^2)
    crank    lam' = cos sin' - sin cos' of its angle
World axes; m/s^3, rad/s^3 for cranks.  Of legs with screws or offset joints nothing is known.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.layout import LEG_GEOMETRY as LEG
from gough.model import Platform
from gough.struts import CRANK, SLIDER, STRUT, leg_table
from gough.taylor import Model, turned
from gough.trajectory.jets import (
    Jet,
    PoseJet,
    added,
    dot,
    each,
    power,
    product,
    reciprocal,
    scaled,
    shifted,
)


def jerk_models(platform: Platform, pose: PoseJet) -> Model:
    """(N, 6) jerks over the intervals of `pose`."""
    table = leg_table(platform)
    arm = each(pose.rotation, lambda m: turned(m, table[:, LEG.joint]))
    end = added(each(pose.position, lambda m: m[:, None, :]), arm)
    P = shifted(end, -table[:, LEG.base])
    order, found = [], []
    for kind, solve in ((STRUT, _strut), (SLIDER, _slider), (CRANK, _crank)):
        legs = np.nonzero(table[:, LEG.kind] == kind)[0].tolist()
        if legs:
            found.append(solve(table[legs], each(P, lambda m, legs=legs: m[:, legs])))
            order.extend(legs)
    back = np.argsort(order)
    return Model(
        np.concatenate([m.c for m in found], axis=2)[:, :, back],
        np.concatenate([m.r for m in found], axis=1)[:, back],
    )


def _strut(table: Array, P: Jet) -> Model:
    return power(dot(P, P), 0.5)[3] * 6.0


def _slider(table: Array, P: Jet) -> Model:
    along = each(P, lambda m: (m * table[:, LEG.e]).sum())
    L = table[:, LEG.length]
    room = shifted(added(product(along, along), scaled(dot(P, P), -1.0)), L * L)
    root = power(room, 0.5)
    return (along[3] - root[3] * table[:, LEG.sign]) * 6.0


def _crank(table: Array, P: Jet) -> Model:
    h, rho, L = table[:, LEG.h], table[:, LEG.rho], table[:, LEG.length]
    A, B, H = (
        each(P, lambda m, e=e: (m * e).sum())
        for e in (table[:, LEG.u], table[:, LEG.n], table[:, LEG.e])
    )
    D = added(shifted(scaled(dot(P, P), 0.5), 0.5 * (h * h + rho * rho - L * L)), scaled(H, -h))
    N2 = added(product(A, A), product(B, B))
    X = scaled(power(added(N2, scaled(product(D, D), -1.0)), 0.5), table[:, LEG.sign])
    over = reciprocal(N2)
    cos = product(added(product(A, D), scaled(product(B, X), -1.0)), over)
    sin = product(added(product(B, D), product(A, X)), over)
    # twice the coefficient of eps^2 of cos sin' - sin cos'
    turn = (cos[0] * sin[3] - sin[0] * cos[3]) * 3.0 + (cos[1] * sin[2] - sin[1] * cos[2])
    return turn * 2.0
