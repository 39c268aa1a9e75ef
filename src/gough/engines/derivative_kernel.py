"""Generates the compiled kernels of the derivatives from the programs of `derivative_programs`.

A block of states runs through the platform's stage once, then for each of the six answers through the body's stage
and each leg's.  Columns of the result: gough.layout.JACOBIAN (efforts of forward dynamics, spins of legs that carry
them; the others are left as they are), then the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gough import layout
from gough.engines import native
from gough.engines.cache import load_generated
from gough.engines.native import BLOCK, VECTOR, WIDTH, copies, inputs_of, legs_name
from gough.engines.widths import SIDE
from gough.equations.machine import KINDS, offsets, spinning

STAGES = {"inverse": "forces", "forward": "forward"}

PART = """
_{name} = Lowered(programs.{program}, {width})
prepare_{name}, evaluate_{name} = _{name}.prepare, _{name}.evaluate


@njit(void(float64[:, ::1], int64, numbers, float64[:, ::1]), nogil=True, error_model="numpy",
      fastmath={{"contract"}})
def {name}(X, vectors, par, Y):
    wide_vectors()
    data = prepare_{name}(par)
    for i in range(vectors * {vector}):
        evaluate_{name}(X, i, data, Y)

"""
MAIN = '''"""Generated from gough.equations; do not edit."""
import numpy as np
from numba import float64, int64, types, void

from gough.engines import derivative_programs as programs
from gough.engines.block_moves import square
from gough.engines.cache import njit
from gough.engines.llvm_program import Lowered, wide_vectors

read = types.Array(float64, 2, "A", readonly=True)
numbers = types.Array(float64, 1, "C", readonly=True)
{parts}

@njit(void(float64[:, ::1], int64, int64, float64[:, :], int64, int64), nogil=True)
def put(Y, row, count, J, m, column):
    side = {side}
    whole = m // side * side if J.strides[1] == J.itemsize and count >= side else 0
    for low in range(0, whole, side):
        for j in range(0, count - side, side):
            square(Y, row + j, low, J, low, column + j)
        square(Y, row + count - side, low, J, low, column + count - side)  # over some of those before
    for i in range(whole, m):
        for j in range(count):
            J[i, column + j] = Y[row + j, i]


@njit(void(float64[:, ::1], int64, int64, float64[:, ::1], int64, int64), nogil=True)
def add(Y, row, count, total, at, m):
    for j in range(count):
        for i in range(m):
            total[at + j, i] += Y[row + j, i]


@njit(void({types}, numbers, float64[:, :], float64[:, :, :]), nogil=True, error_model="numpy")
def kernel({names}, par, value, jacobian):
    n = value.shape[0]
    X, S = np.empty(({n_in}, {width})), np.empty(({stage}, {width}))
    XB, XL = np.empty(({body_in}, {width})), np.empty(({leg_in}, {width}))
    YB, YL = np.empty(({body_out}, {width})), np.empty(({leg_out}, {width}))
    total = np.empty(({variation} + 3, {width}))  # slopes over motion and gravity, of body and legs together
    body_par = par[:{body_par}].copy()
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
            for k in range({motion_in}):
                XB[k, i] = {motion}
                XL[k, i] = XB[k, i]
            for k in range(6):
                XB[{motion_in} + k, i] = X[{wrench_in} + k, i]
        for answer in range(6):
            J = jacobian[low:low + m, answer]
            for k in range(6):
                for i in range(padded):
                    XB[{body_share} + k, i] = S[{shares} + 6 * answer + k, i]
                    XL[{leg_share} + k, i] = XB[{body_share} + k, i]
            body(XB, vectors, body_par, YB)
            total[:] = 0.0
            add(YB, 0, {variation}, total, 0, padded)
            add(YB, {body_gravity}, 3, total, {variation}, padded)
            put(YB, {body_external}, 6, J, m, {external})
            put(YB, {body_mass}, {inertial}, J, m, {parameters})
            {legs}
            put(total, 0, {variation}, J, m, 0)
            put(total, {variation}, 3, J, m, {gravity})
'''
LEG = """for i in range(padded):
                XL[{at_effort}, i] = {effort}[{effort_row}, i]
                XL[{at_cosine}, i], XL[{at_sine}, i], XL[{at_rate}, i] = {spin}
            leg_{kind}(XL, vectors, par_{leg}, YL)
            add(YL, 0, {shared}, total, 0, padded)
            {more}put(YL, {row}, {size}, J, m, {column})"""
ONE = "put(YL, {row}, 1, J, m, {column})\n            "
NUMBERS = {
    "stage": layout.STAGE.size,
    "shares": layout.STAGE.at("shares"),
    "body_in": layout.BODY_STAGE.size,
    "leg_in": layout.LEG_STAGE.size,
    "body_out": layout.BODY_SLOPES.size,
    "variation": layout.VARIATION.size,
    "motion_in": layout.MOTION.size,
    "wrench_in": layout.LOADED_MOTION.at("external"),
    "body_share": layout.BODY_STAGE.at("share"),
    "leg_share": layout.LEG_STAGE.at("share"),
    "body_gravity": layout.BODY_SLOPES.at("gravity"),
    "body_external": layout.BODY_SLOPES.at("external"),
    "body_mass": layout.BODY_SLOPES.at("mass"),
    "body_par": layout.BODY.size,
    "inertial": layout.BODY.at("gravity"),
    "external": layout.JACOBIAN.at("external"),
    "parameters": layout.JACOBIAN.size,
    "gravity": layout.JACOBIAN.size + layout.BODY.at("gravity"),
    "width": WIDTH,
    "block": BLOCK,
    "vector": VECTOR,
    "side": SIDE,
}
LEG_NUMBERS = {
    "at_effort": layout.LEG_STAGE.effort,
    "at_cosine": layout.LEG_STAGE.cosine,
    "at_sine": layout.LEG_STAGE.sine,
    "at_rate": layout.LEG_STAGE.rate,
    "shared": layout.LEG_SLOPES.at("effort"),
    "row": layout.LEG_SLOPES.size,
}


def generate(direction: str, kinds: tuple[str, ...]) -> str:
    """Source of the kernel module: `direction` is "inverse" or "forward"."""
    inputs = inputs_of(STAGES[direction], kinds)
    parts = [
        PART.format(
            name="stage", program=f"{direction}_stage({kinds!r})", vector=VECTOR, width=WIDTH
        ),
        PART.format(name="body", program="body_stage()", vector=VECTOR, width=WIDTH),
    ]
    parts += [
        PART.format(name=f"leg_{k}", program=f"leg_stage({k!r})", vector=VECTOR, width=WIDTH)
        for k in dict.fromkeys(kinds)
    ]
    legs, leg_par, at = [], [], offsets(kinds)
    for i, kind in enumerate(kinds):
        first = layout.LOADED_MOTION.size + layout.SPIN.size * i
        spin = (
            ", ".join(f"X[{first + j}, i]" for j in range(layout.SPIN.size))
            if spinning(kinds)
            else "1.0, 0.0, 0.0"
        )
        size = KINDS[kind].row.size
        wanted = ["effort"] * (direction == "forward") + ["spin_angle", "spin_rate"] * (
            KINDS[kind].spins
        )
        legs.append(
            LEG.format(
                effort="S" if direction == "inverse" else "X",
                effort_row=i if direction == "inverse" else layout.DRIVEN_STATE.at("effort") + i,
                spin=spin,
                kind=kind,
                leg=i,
                size=size,
                column=layout.JACOBIAN.size + at[i],
                more="".join(
                    ONE.format(row=layout.LEG_SLOPES.at(name), column=layout.JACOBIAN.at(name) + i)
                    for name in wanted
                ),
                **LEG_NUMBERS,
            )
        )
        gravity = f"par[{layout.BODY.at('gravity')}:{layout.BODY.size}]"
        leg_par.append(f"par_{i} = np.concatenate(({gravity}, par[{at[i]}:{at[i] + size}]))")
    motion = (
        "X[k, i]"
        if direction == "inverse"
        else f"X[k, i] if k < {layout.STATE.size} else S[k - {layout.STATE.size}, i]"
    )
    return MAIN.format(
        parts="".join(parts),
        types=", ".join("read" for _ in inputs),
        names=", ".join(name for name, _ in inputs),
        n_in=sum(width for _, width in inputs),
        copy=copies(inputs),
        motion=motion,
        leg_out=layout.LEG_SLOPES.size + max(KINDS[k].row.size for k in kinds),
        leg_par="\n    ".join(leg_par),
        legs="\n            ".join(legs),
        **NUMBERS,
    )


@lru_cache(maxsize=32)
def kernel(direction: str, kinds: tuple[str, ...]) -> Callable[..., None]:
    """``kernel(blocks..., par, value (N, 6), jacobian (N, 6, 42 + parameters))``, compiled or from the cache."""
    with native.compiling:
        return load_generated(
            f"{direction}_derivatives_{legs_name(kinds)}", generate(direction, kinds)
        ).kernel
