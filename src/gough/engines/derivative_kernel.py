"""Generates the compiled kernels of the derivatives from the programs of `derivative_programs`.

A block of states runs through the platform's stage once, then for each of the six answers through the body's stage
and each leg's.  Columns of the result, z: motion 18, external wrench 6, efforts 6 (forward dynamics), spin angles 6
and rates 6 (legs that carry them), parameters; the others are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gough.engines import native
from gough.engines.cache import load_generated
from gough.engines.native import BLOCK, VECTOR, WIDTH, copies, inputs_of, legs_name
from gough.equations.machine import KINDS, offsets

EXTERNAL, EFFORT, ANGLE, RATE, PARAMETERS = 18, 24, 30, 36, 42
STAGES = {"inverse": "forces", "forward": "forward"}

PART = '''
_{name} = Lowered(programs.{program}, {width})
prepare_{name}, evaluate_{name} = _{name}.prepare, _{name}.evaluate


@njit(void(float64[:, ::1], int64, numbers, float64[:, ::1]), cache=True, nogil=True, error_model="numpy",
      fastmath={{"contract"}})
def {name}(X, vectors, par, Y):
    wide_vectors()
    data = prepare_{name}(par)
    for i in range(vectors * {vector}):
        evaluate_{name}(X, i, data, Y)

'''
MAIN = '''"""Generated from gough.equations; do not edit."""
import numpy as np
from numba import float64, int64, njit, types, void

from gough.engines import derivative_programs as programs
from gough.engines.llvm_program import Lowered, wide_vectors

read = types.Array(float64, 2, "A", readonly=True)
numbers = types.Array(float64, 1, "C", readonly=True)
{parts}

@njit(void(float64[:, ::1], int64, int64, float64[:, :], int64, int64), cache=True, nogil=True)
def put(Y, row, count, J, m, column):
    whole = m // 8 * 8
    for low in range(0, whole, 8):  # eight lines at a time stay in the first-level cache
        for j in range(count):
            for i in range(8):
                J[low + i, column + j] = Y[row + j, low + i]
    for i in range(whole, m):
        for j in range(count):
            J[i, column + j] = Y[row + j, i]


@njit(void(float64[:, ::1], int64, int64, float64[:, ::1], int64, int64), cache=True, nogil=True)
def add(Y, row, count, total, at, m):
    for j in range(count):
        for i in range(m):
            total[at + j, i] += Y[row + j, i]


@njit(void({types}, numbers, float64[:, :], float64[:, :, :]), cache=True, nogil=True, error_model="numpy")
def kernel({names}, par, value, jacobian):
    n = value.shape[0]
    X, S = np.empty(({n_in}, {width})), np.empty((42, {width}))
    XB, XL = np.empty((36, {width})), np.empty((34, {width}))
    YB, YL, total = np.empty((37, {width})), np.empty(({leg_rows}, {width})), np.empty((21, {width}))
    body_par = par[:13].copy()
    {leg_par}
    for block in range((n + {block} - 1) // {block}):
        low = block * {block}
        m = min({block}, n - low)
        vectors = (m + {vector} - 1) // {vector}
        padded = vectors * {vector}
        {copy}
        stage(X, vectors, par, S)
        put(S, 0, 6, value[low:low + m], m, 0)
        for i in range(padded):
            for k in range(24):
                XB[k, i] = {motion}
                XL[k, i] = XB[k, i]
            for k in range(6):
                XB[24 + k, i] = X[24 + k, i]
        for answer in range(6):
            J = jacobian[low:low + m, answer]
            for k in range(6):
                for i in range(padded):
                    XB[30 + k, i] = S[6 + 6 * answer + k, i]
                    XL[24 + k, i] = XB[30 + k, i]
            body(XB, vectors, body_par, YB)
            total[:] = 0.0
            add(YB, 0, 18, total, 0, padded)
            add(YB, 34, 3, total, 18, padded)
            put(YB, 18, 6, J, m, 18)
            put(YB, 24, 10, J, m, 42)
            {legs}
            put(total, 0, 18, J, m, 0)
            put(total, 18, 3, J, m, 52)
'''
LEG = '''for i in range(padded):
                XL[30, i] = {effort}[{effort_row}, i]
                XL[31, i], XL[32, i], XL[33, i] = {spin}
            leg_{kind}(XL, vectors, par_{leg}, YL)
            add(YL, 0, 21, total, 0, padded)
            {more}put(YL, 24, {size}, J, m, {column})'''
ONE = "put(YL, {row}, 1, J, m, {column})\n            "


def generate(direction: str, kinds: tuple[str, ...]) -> str:
    """Source of the kernel module: `direction` is "inverse" or "forward"."""
    spinning = "sps_spin" in kinds
    inputs = inputs_of(STAGES[direction], kinds)
    parts = [PART.format(name="stage", program=f"{direction}_stage({kinds!r})", vector=VECTOR, width=WIDTH),
             PART.format(name="body", program="body_stage()", vector=VECTOR, width=WIDTH)]
    parts += [PART.format(name=f"leg_{k}", program=f"leg_stage({k!r})", vector=VECTOR, width=WIDTH)
              for k in dict.fromkeys(kinds)]
    legs, leg_par, at = [], [], offsets(kinds)
    for i, kind in enumerate(kinds):
        spin = ", ".join(f"X[{30 + 3 * i + j}, i]" for j in range(3)) if spinning else "1.0, 0.0, 0.0"
        size = 3 + KINDS[kind].size
        wanted = [(21, EFFORT)] * (direction == "forward") + [(22, ANGLE), (23, RATE)] * (kind == "sps_spin")
        legs.append(LEG.format(
            effort="S" if direction == "inverse" else "X", effort_row=i if direction == "inverse" else 18 + i,
            spin=spin, kind=kind, leg=i, size=size, column=PARAMETERS + at[i],
            more="".join(ONE.format(row=row_, column=first + i) for row_, first in wanted)))
        leg_par.append(f"par_{i} = np.concatenate((par[10:13], par[{at[i]}:{at[i] + size}]))")
    motion = "X[k, i]" if direction == "inverse" else "X[k, i] if k < 18 else S[k - 18, i]"
    return MAIN.format(
        parts="".join(parts), types=", ".join("read" for _ in inputs), names=", ".join(name for name, _ in inputs),
        n_in=sum(width for _, width in inputs), width=WIDTH, block=BLOCK, vector=VECTOR, copy=copies(inputs),
        motion=motion,
        leg_rows=max(24 + 3 + KINDS[k].size for k in kinds), leg_par="\n    ".join(leg_par),
        legs="\n            ".join(legs))


@lru_cache(maxsize=32)
def _kernel(direction: str, kinds: tuple[str, ...]) -> Callable[..., None]:
    return load_generated(f"{direction}_derivatives_{legs_name(kinds)}", generate(direction, kinds)).kernel


def kernel(direction: str, kinds: tuple[str, ...]) -> Callable[..., None]:
    """``kernel(blocks..., par, value (N, 6), jacobian (N, 6, 42 + parameters))``, compiled or from the cache."""
    with native._lock:
        return _kernel(direction, kinds)
