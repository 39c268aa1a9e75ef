"""Every leg type as a sphere: its actuator coordinate fixes a point c and a distance l to the platform joint.

UPS, SPS: c = base, l = L;  PUS: c = base + L rail, l = link;  RUS: c = crank tip, l = rod.
So the six legs say ``|t + R p_i - c_i| = l_i`` whatever their type, and only `reduce_leg` and `coordinate`
know the difference.  Columns of the table (6, 20):

    0 kind (0 UPS/SPS, 1 PUS, 2 RUS)   1:4 base   4:7 joint   7:10 e (rail or shaft)
    10:13 u (arm across the shaft)     13:16 e x u   16 e.arm   17 length   18 assembly or elbow   19 |u| or 1
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.model import PUS, RUS, Platform

WIDTH = 20


def leg_table(platform: Platform) -> Array:
    """(6, 20) description of the legs for the compiled kernels, made once per platform."""
    table = platform.__dict__.get("_fk_table")
    if table is None:
        table = np.array([_row(leg) for leg in platform.legs])
        platform.__dict__["_fk_table"] = table
    return table


def _row(leg: object) -> Array:
    row = np.zeros(WIDTH)
    row[1:4], row[4:7], row[19] = leg.base, leg.joint, 1.0  # type: ignore[attr-defined]
    if isinstance(leg, PUS):
        row[0], row[7:10], row[17], row[18] = 1.0, leg.rail, leg.length, leg.assembly
    elif isinstance(leg, RUS):
        e, h = leg.shaft, float(leg.shaft @ leg.arm)
        u = leg.arm - h * e
        row[0], row[7:10], row[10:13], row[13:16] = 2.0, e, u, np.cross(e, u)
        row[16], row[17], row[18], row[19] = h, leg.length, leg.elbow, np.linalg.norm(u)
    return row


def reduced(platform: Platform, length: Array) -> tuple[Array, Array]:
    """Sphere centers c (..., 6, 3) and radii l (..., 6) for actuator coordinates `length` (..., 6)."""
    table, L = leg_table(platform), np.asarray(length, dtype=float)[..., None]
    kind = table[:, 0, None]
    base, e, u, n = table[:, 1:4], table[:, 7:10], table[:, 10:13], table[:, 13:16]
    tip = table[:, 16, None] * e + np.cos(L) * u + np.sin(L) * n
    c = base + np.where(kind == 1, L * e, 0.0) + np.where(kind == 2, tip, 0.0)
    return c, np.where(kind[:, 0] == 0, L[..., 0], table[:, 17])
