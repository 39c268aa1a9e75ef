"""Derivatives by complex steps through the equations."""

from __future__ import annotations

import numpy as np

import gough
from gough.engines import pack, plain
from oracles.machines import Case

STEP = 1e-30


def spin_of(c: Case) -> gough.Spin | None:
    return gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None


def complex_step(
    function: str, c: Case, i: int, effort: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Value (6,) and Jacobian (6, n) of state i over z, one complex evaluation per column."""
    m = c.motion
    kinds, par = pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)
    n = 42 + par.size
    z = (
        1j * STEP * np.eye(n)
    )  # all columns at once: z[k] is the change of variable k in each of the n evaluations
    t, v, w = (
        a[i][:, None] + z[k : k + 3]
        for a, k in ((m.position, 0), (m.velocity, 6), (m.angular_velocity, 9))
    )
    R = m.rotation[i][..., None] + np.stack(
        [np.cross(z[3:6], m.rotation[i][:, j][:, None], axis=0) for j in range(3)], axis=1
    )
    wrench, efforts = c.external[i][:, None] + z[18:24], effort[i][:, None] + z[24:30]
    if function == "forces":
        tail = [
            *(m.acceleration[i][:, None] + z[12:15]),
            *(m.angular_acceleration[i][:, None] + z[15:18]),
            *wrench,
        ]
    else:
        tail = [*efforts, *wrench]
    x = [*t, *R.reshape(9, n), *v, *w, *tail]
    angle, rate = c.spin_angle[i][:, None] + z[30:36], c.spin_rate[i][:, None] + z[36:42]
    spin = np.stack([np.cos(angle), np.sin(angle), rate], axis=1).reshape(18, n)
    with np.errstate(all="ignore"):
        out = np.array(plain.evaluate(function, kinds, x, par[:, None] + z[42:], spin)[:6])
    return out[:, 0].real, out.imag / STEP


def worst(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest difference over the size of each answer's Jacobian row block."""
    scale = np.abs(wanted).max(axis=0)
    return float((np.abs(found - wanted) / np.where(scale > 0, scale, 1.0)).max())
