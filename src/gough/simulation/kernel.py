"""Compiled fixed-step integrators, generated around the machine's `forward` equations like the batch kernels.

Many runs advance side by side in component rows, so that LLVM vectorizes over runs; one run is a block of one,
filled up to whole vectors.  Every run takes the same instructions: results are bit-identical for any batch split,
any number of threads and any cut of the time axis into calls.

State rows of a run
    0..17    t (3), R by rows (9), v (3), w (3)
    then, where some SPS leg spins: cosine, sine, rate, angle of the six spins (24)
    then, with leg laws: the six friction anchors
Methods
    rk4            classical Runge-Kutta on all rows; R made orthogonal again after each step by
                   ``R (3 E - R^T R)/2``
    lie            the same tableau in Lie-group form (Runge-Kutta-Munthe-Kaas): ``R = cay(u) R_0`` with
                   ``u' = w - u x w/2 + u (u.w)/4``, ``cay(u) = E + (u~ + u~ u~/2) 4/(4 + u.u)``: R stays a
                   rotation to round-off, no trigonometry
    semi-implicit  ``v1 = v0 + h a(x0, v0)``, ``t1 = t0 + h v1``, ``R1 = cay(h w1) R0``
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines import native
from gough.engines.cache import load_generated
from gough.equations.machine import offsets

METHODS = {"rk4": 0, "lie": 1, "semi-implicit": 2}
BLOCK = 64
VECTOR = 8
BASE_ROWS, SPIN_ROWS, ANCHOR_ROWS = 18, 24, 6
LAW = ("stiffness", "rest", "damping", "coulomb", "excess", "stribeck", "grip", "grip_damping", "loss", "limit",
       "voltage_force", "voltage_slope")
"""Rows of a leg law: see laws.py."""

TEXT = '''"""Generated from gough.equations; do not edit."""
import numpy as np
from numba import float64, int64, types, void

from gough.engines.cache import njit
from gough.engines.llvm_program import lowered, wide_vectors
from gough.simulation.selects import larger, smaller

_forward, _legs = lowered("forward", {kinds!r}), lowered("kinematics", {kinds!r})
prepare, evaluate, prepare_legs, kinematics = _forward.prepare, _forward.evaluate, _legs.prepare, _legs.evaluate
read3 = types.Array(float64, 3, "A", readonly=True)
numbers = types.Array(float64, 1, "C", readonly=True)
OPTIONS = dict(nogil=True, error_model="numpy", fastmath={{"contract"}})


@njit(void(int64, int64, int64, float64, float64[:, :], read3, read3, read3, numbers, float64[:, :, :],
           int64[:]), **OPTIONS)
def kernel(method, steps, every, h, state, effort, external, law, par, out, bad):
    wide_vectors()
    data, leg_data = prepare(par), prepare_legs(par)
    F, r = np.zeros((48, {block})), np.zeros((18, {block}))
    K, g = np.zeros((42, {block})), np.zeros((72, {block}))
    n = state.shape[1]
    A = np.array([0.0, 0.5, 0.5, 1.0])
    B = np.array([1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0])
    C = np.array([0, 1, 1, 2])
    stages = 1 if method == 2 else 4
    X0 = np.zeros(({rows}, {block}))
    XS = np.zeros(({rows}, {block}))
    D = np.zeros(({rows}, {block}))
    S = np.zeros(({rows}, {block}))
    U = np.zeros((12, {block}))
    V = np.zeros((6, {block}))
    G = np.zeros((12, {block}))
    Q = np.zeros(({law_rows}, {block}))
    for block in range((n + {block} - 1) // {block}):
        low = block * {block}
        m = min({block}, n - low)
        padded = (m + {vector} - 1) // {vector} * {vector}
        for k in range({rows}):
            for i in range(padded):
                X0[k, i] = state[k, low + min(i, m - 1)]
        for k in range({law_rows}):
            for i in range(padded):
                Q[k, i] = law[k // 6, k % 6, min(low + min(i, m - 1), law.shape[2] - 1)]
        for step in range(steps):
            for k in range({rows}):
                for i in range(padded):
                    XS[k, i] = X0[k, i]
                    S[k, i] = 0.0
            for stage in range(stages):
                if stage != 2:
                    e = min(3 * step + C[stage], effort.shape[0] - 1)
                    x = min(3 * step + C[stage], external.shape[0] - 1)
                    for k in range(6):
                        for i in range(padded):
                            j = low + min(i, m - 1)
                            U[k, i] = effort[e, k, min(j, effort.shape[2] - 1)]
                            U[6 + k, i] = external[x, k, min(j, external.shape[2] - 1)]
                {leg_law}
                for i in range(padded):
                    {evaluate}
                if stage == 0:
                    for k in range({moving}, {rows}):
                        for i in range(padded):
                            X0[k, i] = D[k, i]
                            XS[k, i] = D[k, i]
                if method == 0:
                    for i in range(padded):
                        D[0, i], D[1, i], D[2, i] = XS[12, i], XS[13, i], XS[14, i]
                        wx, wy, wz = XS[15, i], XS[16, i], XS[17, i]
                        for c in range(3, 6):
                            a0, a1, a2 = XS[c, i], XS[c + 3, i], XS[c + 6, i]
                            D[c, i] = wy * a2 - wz * a1
                            D[c + 3, i] = wz * a0 - wx * a2
                            D[c + 6, i] = wx * a1 - wy * a0
                elif method == 1:
                    for i in range(padded):
                        D[0, i], D[1, i], D[2, i] = XS[12, i], XS[13, i], XS[14, i]
                        wx, wy, wz = XS[15, i], XS[16, i], XS[17, i]
                        ux, uy, uz = 0.0, 0.0, 0.0
                        if stage > 0:
                            f = A[stage] * h
                            ux, uy, uz = f * D[6, i], f * D[7, i], f * D[8, i]
                        q = 0.25 * (ux * wx + uy * wy + uz * wz)
                        D[3, i] = wx - 0.5 * (uy * wz - uz * wy) + ux * q
                        D[4, i] = wy - 0.5 * (uz * wx - ux * wz) + uy * q
                        D[5, i] = wz - 0.5 * (ux * wy - uy * wx) + uz * q
                        D[6, i], D[7, i], D[8, i] = D[3, i], D[4, i], D[5, i]
                if method < 2:
                    b = B[stage]
                    for k in range({moving}):
                        for i in range(padded):
                            S[k, i] += b * D[k, i]
                    if stage < 3:
                        f = A[stage + 1] * h
                        for k in range({moving}):
                            for i in range(padded):
                                XS[k, i] = X0[k, i] + f * D[k, i]
                        if method == 1:
                            for i in range(padded):
                                {cayley_stage}
            if method < 2:
                if method == 1:
                    for i in range(padded):
                        {cayley_end}
                    for k in range(3):
                        for i in range(padded):
                            X0[k, i] += h * S[k, i]
                else:
                    for k in range(12):
                        for i in range(padded):
                            X0[k, i] += h * S[k, i]
                    for i in range(padded):
                        {orthogonal}
                for k in range(12, {moving}):
                    for i in range(padded):
                        X0[k, i] += h * S[k, i]
            else:
                for k in range(12, {moving}):
                    for i in range(padded):
                        X0[k, i] += h * D[k, i]
                for k in range(3):
                    for i in range(padded):
                        X0[k, i] += h * X0[12 + k, i]
                for i in range(padded):
                    {cayley_semi}
            {finish}
            for i in range(m):
                size = 0.0
                for k in range(18):
                    size += X0[k, i] * X0[k, i]
                if not size < 1e12 and bad[low + i] < 0:
                    bad[low + i] = step + 1
            if (step + 1) % every == 0:
                for k in range({rows}):
                    for i in range(m):
                        out[(step + 1) // every - 1, k, low + i] = X0[k, i]
        for k in range({rows}):
            for i in range(m):
                state[k, low + i] = X0[k, i]
'''
CAYLEY = '''ux, uy, uz = {u}
f = 4.0 / (4.0 + ux * ux + uy * uy + uz * uz)
for c in range(3, 6):
    a0, a1, a2 = X0[c, i], X0[c + 3, i], X0[c + 6, i]
    p0, p1, p2 = uy * a2 - uz * a1, uz * a0 - ux * a2, ux * a1 - uy * a0
    {target}[c, i] = a0 + f * (p0 + 0.5 * (uy * p2 - uz * p1))
    {target}[c + 3, i] = a1 + f * (p1 + 0.5 * (uz * p0 - ux * p2))
    {target}[c + 6, i] = a2 + f * (p2 + 0.5 * (ux * p1 - uy * p0))'''
ORTHOGONAL = '''a0, a1, a2 = X0[3, i], X0[4, i], X0[5, i]
b0, b1, b2 = X0[6, i], X0[7, i], X0[8, i]
c0, c1, c2 = X0[9, i], X0[10, i], X0[11, i]
xx = 1.5 - 0.5 * (a0 * a0 + b0 * b0 + c0 * c0)
yy = 1.5 - 0.5 * (a1 * a1 + b1 * b1 + c1 * c1)
zz = 1.5 - 0.5 * (a2 * a2 + b2 * b2 + c2 * c2)
xy = -0.5 * (a0 * a1 + b0 * b1 + c0 * c1)
xz = -0.5 * (a0 * a2 + b0 * b2 + c0 * c2)
yz = -0.5 * (a1 * a2 + b1 * b2 + c1 * c2)
X0[3, i], X0[4, i], X0[5, i] = a0 * xx + a1 * xy + a2 * xz, a0 * xy + a1 * yy + a2 * yz, a0 * xz + a1 * yz + a2 * zz
X0[6, i], X0[7, i], X0[8, i] = b0 * xx + b1 * xy + b2 * xz, b0 * xy + b1 * yy + b2 * yz, b0 * xz + b1 * yz + b2 * zz
X0[9, i], X0[10, i] = c0 * xx + c1 * xy + c2 * xz, c0 * xy + c1 * yy + c2 * yz
X0[11, i] = c0 * xz + c1 * yz + c2 * zz'''
LEG_LAW = '''for i in range(padded):
                    {legs}
                    {store}
                for leg in range(6):
                    for i in range(padded):
                        l, ld = G[leg, i], G[6 + leg, i]
                        u = smaller(larger(U[leg, i], -Q[{limit} + leg, i]), Q[{limit} + leg, i])
                        u = smaller(u, Q[{voltage_force} + leg, i] - Q[{voltage_slope} + leg, i] * ld)
                        u = larger(u, -Q[{voltage_force} + leg, i] - Q[{voltage_slope} + leg, i] * ld)
                        ratio = ld / Q[{stribeck} + leg, i]
                        level = Q[{coulomb} + leg, i] + Q[{excess} + leg, i] / (1.0 + ratio * ratio)
                        level += Q[{loss} + leg, i] * abs(u)
                        reach = level / Q[{grip} + leg, i]
                        z = smaller(larger(l - XS[{moving} + leg, i], -reach), reach)
                        D[{moving} + leg, i] = l - z
                        slip = Q[{grip} + leg, i] * z + Q[{grip_damping} + leg, i] * ld
                        slip = smaller(larger(slip, -level), level)
                        u -= Q[{stiffness} + leg, i] * (l - Q[{rest} + leg, i]) + Q[{damping} + leg, i] * ld
                        V[leg, i] = u - slip'''
SPIN = '''kx, ky, kz = par[{k}], par[{k} + 1], par[{k} + 2]
kap = kx * g[{at} + 3, i] + ky * g[{at} + 4, i] + kz * g[{at} + 5, i]
ws = XS[{rate}, i]
around = kx * g[{at} + 6, i] + ky * g[{at} + 7, i] + kz * g[{at} + 8, i]
turn = ws - kap * (around - kap * ws) / (1.0 - kap * kap)
D[{cosine}, i], D[{sine}, i] = -turn * XS[{sine}, i], turn * XS[{cosine}, i]
D[{rate}, i], D[{angle}, i] = r[{acceleration}, i], turn'''
STILL_SPIN = '''D[{cosine}, i], D[{sine}, i], D[{rate}, i], D[{angle}, i] = 0.0, 0.0, 0.0, 0.0'''
FINISH_SPIN = '''for k in range(18, 24):
                for i in range(padded):
                    f = 1.5 - 0.5 * (X0[k, i] * X0[k, i] + X0[k + 6, i] * X0[k + 6, i])
                    X0[k, i] *= f
                    X0[k + 6, i] *= f'''


def rows(kinds: tuple[str, ...], laws: bool) -> int:
    """Numbers of state per run."""
    return BASE_ROWS + SPIN_ROWS * ("sps_spin" in kinds) + ANCHOR_ROWS * laws


def generate(kinds: tuple[str, ...], laws: bool) -> str:
    """Source of the integrator module for six leg kinds, with or without leg laws."""
    spin = "sps_spin" in kinds
    total, moving = rows(kinds, laws), BASE_ROWS + SPIN_ROWS * spin

    def given(to: str, first: int) -> list[str]:
        """State and spins into the rows of a program's inputs; its spins start at `first`."""
        rows = [f"{to}[{k}, i] = XS[{k}, i]" for k in range(18)]
        spins = range(6) if spin else ()
        return rows + [f"{to}[{first + 3 * k + j}, i] = XS[{18 + 6 * j + k}, i]" for k in spins for j in range(3)]

    legs = [*given("K", 24), "kinematics(K, i, leg_data, g)"]
    lines = [*(legs if spin else ()), *given("F", 30)]
    lines += [f"F[{18 + leg}, i] = {'V' if laws else 'U'}[{leg}, i]" for leg in range(6)]
    lines += [f"F[{24 + k}, i] = U[{6 + k}, i]" for k in range(6)]
    lines += ["evaluate(F, i, data, r)", *(f"D[{12 + k}, i] = r[{k}, i]" for k in range(6))]
    if spin:
        for leg, start in enumerate(offsets(kinds)[:6]):
            text = SPIN if kinds[leg] == "sps_spin" else STILL_SPIN
            lines += text.format(k=start + 6, at=12 * leg, cosine=18 + leg, sine=24 + leg, rate=30 + leg,
                                 angle=36 + leg, acceleration=6 + leg).split("\n")

    def indented(text: str, depth: int) -> str:
        return text.replace("\n", "\n" + " " * depth)

    law = ""
    if laws:
        store = [f"G[{leg}, i], G[{6 + leg}, i] = g[{12 * leg}, i], g[{12 * leg + 1}, i]" for leg in range(6)]
        law = LEG_LAW.format(legs=("\n" + " " * 20).join(legs), moving=moving, store=("\n" + " " * 20).join(store),
                             **{name: 6 * row for row, name in enumerate(LAW)})
    semi = CAYLEY.format(u="h * X0[15, i], h * X0[16, i], h * X0[17, i]", target="X0")
    return TEXT.format(
        kinds=kinds, rows=total, moving=moving, block=BLOCK, vector=VECTOR, law_rows=6 * len(LAW) if laws else 6,
        evaluate=("\n" + " " * 20).join(lines), orthogonal=indented(ORTHOGONAL, 24),
        cayley_stage=indented(CAYLEY.format(u="f * D[3, i], f * D[4, i], f * D[5, i]", target="XS"), 32),
        cayley_end=indented(CAYLEY.format(u="h * S[3, i], h * S[4, i], h * S[5, i]", target="X0"), 24),
        cayley_semi=indented(semi, 20), leg_law=law, finish=FINISH_SPIN if spin else "")


_lock = threading.Lock()


@lru_cache(maxsize=64)
def _load(kinds: tuple[str, ...], laws: bool) -> Callable[..., None]:
    text = generate(kinds, laws)
    legs = kinds[0] if len(set(kinds)) == 1 else "_".join(kinds)
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    return load_generated(f"integrate_{'law' if laws else 'bare'}_{legs}_{mark}", text).kernel


def load(kinds: tuple[str, ...], laws: bool) -> Callable[..., None]:
    """The compiled integrator, from memory, from disk, or compiled now."""
    with _lock:
        return _load(kinds, laws)


NO_LAW = np.zeros((1, 6, 1))


def advance(compiled: Callable[..., None], method: str, state: Array, *, steps: int, every: int, step: float,
            effort: Array, external: Array, law: Array, par: Array, workers: int = 1) -> tuple[Array, Any]:
    """Advance all runs in place by `steps`; answers the recorded states (steps/every, rows, n) and, per run, the
    first step after which a state was not finite or beyond any machine (-1: none).

    state     (rows, n)
    effort    (3 steps, 6, n or 1): at the start, middle and end of each step; (1, 6, n or 1): held
    external  the same, platform axes
    law       (rows of LAW, 6, n or 1)
    """
    n = state.shape[1]
    out = np.empty((steps // every, state.shape[0], n))
    bad = np.full(n, -1, dtype=np.int64)
    method_code = METHODS[method]

    def part(low: int, high: int) -> None:
        cut = [a if a.shape[2] == 1 else a[:, :, low:high] for a in (effort, external, law)]
        compiled(method_code, steps, every, step, state[:, low:high], *cut, par, out[:, :, low:high], bad[low:high])

    parts = min(workers, n // (2 * BLOCK))
    if parts < 2:
        if n:
            part(0, n)
        return out, bad
    edges = [n * i // parts for i in range(parts + 1)]
    work = [native._pool(workers).submit(part, low, high) for low, high in pairwise(edges)]
    for item in work:
        item.result()
    return out, bad
