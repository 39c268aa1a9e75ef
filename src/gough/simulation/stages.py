"""Integrators driven from Python, for forces that depend on the motion at every stage, and SciPy's adaptive ones.

The right-hand side is the same compiled `forward` as in kernel.py; only the loop over stages runs in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.pack import parameters
from gough.equations.machine import offsets
from gough.simulation import laws
from gough.simulation.state import Rows
from gough.spatial import Motion

Efforts = Callable[[float, Array], tuple[Array, Array]]
"""(time, state rows) -> command (6, n or 1) and external wrench (6, n or 1)."""
ADAPTIVE = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
NODES, WEIGHTS, TIMES = (0.0, 0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0.0, 0.5, 0.5, 1.0)


def derivative(rows: Rows, t: float, X: Array, efforts: Efforts, law: Array | None) -> Array:
    """Rates of all rows; R as a matrix, anchors at rest."""
    command, external = efforts(t, X)
    n = X.shape[1]
    spins = rows.spins
    g = rows.run("kinematics", X).reshape(n, 6, 12) if law is not None or spins else None
    if law is not None and g is not None:
        command, _, _ = laws.delivered(law, command, g[:, :, 0].T, g[:, :, 1].T, X[rows.anchors])
    out = rows.run("forward", X, np.broadcast_to(command, (6, n)).T, np.broadcast_to(external, (6, n)).T).T
    D = np.zeros_like(X)
    D[0:3] = X[12:15]
    R = X[3:12].reshape(3, 3, n)
    D[3:12] = np.cross(X[15:18][:, None], R, axis=0).reshape(9, n)
    D[12:18] = out[:6]
    if spins and g is not None:
        _spin_rates(rows, X, g, out[6:12], D)
    return D


def _spin_rates(rows: Rows, X: Array, g: Array, acceleration: Array, D: Array) -> None:
    par = parameters(rows.platform)
    for i, (kind, start) in enumerate(zip(rows.kinds, offsets(rows.kinds), strict=False)):
        if kind != "sps_spin":
            continue
        k, s, W, ws = par[start + 6:start + 9], g[:, i, 3:6], g[:, i, 6:9], X[30 + i]
        kap = s @ k
        turn = ws - kap * (W @ k - kap * ws) / (1.0 - kap * kap)
        D[18 + i], D[24 + i], D[30 + i], D[36 + i] = -turn * X[24 + i], turn * X[18 + i], acceleration[i], turn


def cayley(u: Array, R: Array) -> Array:
    """``cay(u) R`` for u (3, n), R (9, n)."""
    f = 4.0 / (4.0 + (u * u).sum(axis=0))
    A = R.reshape(3, 3, -1)
    p = np.cross(u[:, None], A, axis=0)
    return (A + f * (p + 0.5 * np.cross(u[:, None], p, axis=0))).reshape(9, -1)


def step(rows: Rows, method: str, t: float, X: Array, h: float, efforts: Efforts, law: Array | None) -> Array:
    """One step of a fixed-step method (kernel.METHODS)."""
    if law is not None:
        X = X.copy()
        command, _ = efforts(t, X)
        length, rate = rows.legs(X)
        X[rows.anchors] = laws.delivered(law, command, length, rate, X[rows.anchors])[2]
    if method == "semi-implicit":
        D = derivative(rows, t, X, efforts, law)
        out = X + h * np.where(np.arange(len(X))[:, None] < 12, 0.0, D)
        out[0:3] = X[0:3] + h * out[12:15]
        out[3:12] = cayley(h * out[15:18], X[3:12])
        return _clean(rows, out)
    total, D, u = np.zeros_like(X), np.zeros_like(X), np.zeros((3, X.shape[1]))
    turn, last = np.zeros_like(u), np.zeros_like(u)
    for a, b, c in zip(NODES, WEIGHTS, TIMES, strict=True):
        XS = X + a * h * D
        if method == "lie":
            u = a * h * last
            XS[3:12] = cayley(u, X[3:12])
        D = derivative(rows, t + c * h, XS, efforts, law)
        total += b * D
        w = XS[15:18]
        last = w - 0.5 * np.cross(u, w, axis=0) + 0.25 * u * (u * w).sum(axis=0)
        turn += b * last
    out = X + h * total
    if method == "lie":
        out[3:12] = cayley(h * turn, X[3:12])
    else:
        R = out[3:12].reshape(3, 3, -1).transpose(2, 0, 1)
        R = R @ (1.5 * np.eye(3) - 0.5 * R.transpose(0, 2, 1) @ R)
        out[3:12] = R.transpose(1, 2, 0).reshape(9, -1)
    return _clean(rows, out)


def _clean(rows: Rows, X: Array) -> Array:
    if rows.spins:
        scale = 1.5 - 0.5 * (X[18:24] ** 2 + X[24:30] ** 2)
        X[18:24] *= scale
        X[24:30] *= scale
    return X


def adaptive(rows: Rows, method: str, X: Array, times: Array, efforts: Efforts, law: Array | None, *, rtol: float,
             atol: float, max_step: float) -> tuple[Array, str]:
    """SciPy's `solve_ivp` on the rows of one run; (records, rows, 1) at `times`, and "ok" or what it said."""
    from scipy.integrate import solve_ivp

    def rhs(t: float, x: Any) -> Array:
        with np.errstate(all="ignore"):
            return derivative(rows, t, x[:, None], efforts, law)[:, 0]

    found = solve_ivp(rhs, (times[0], times[-1]), X[:, 0], method=method, t_eval=times, rtol=rtol, atol=atol,
                      max_step=max_step)
    out = np.full((len(times), len(X), 1), np.nan)
    values = np.asarray(found.y)
    if values.ndim == 2:
        out[:values.shape[1], :, 0] = values.T
    return out, "ok" if found.success and np.isfinite(out).all() else str(found.message)


def motion_of(rows: Rows, X: Array, batched: bool) -> Motion:
    """The motion that feedback functions see: (n,) runs, or a single one."""
    motion = rows.motion(X)
    return motion if batched else motion[0]
