"""Programs behind the analytic derivatives: one for the platform, one per leg kind, one for the body.

The dynamics is ``r = body + sum_i [load_i - h_i tau_i/eta_i] - wrench = 0`` (docs/derivations/exact.md), the same
for both directions, so ``d tau_k = lam_k . dr`` and ``d acc_k = lam_k . dr`` at fixed efforts and accelerations with
    inverse dynamics   lam_k = eta_k (H^-1)_k
    forward dynamics   lam_k = -(M^-1)_k
Each part's share ``lam . r_part`` is a scalar of few numbers whose gradient reverse mode gives at once; a leg's
program is compiled once for all legs of its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from gough.engines.adjoint import gradient
from gough.engines.plain import NO_SPIN
from gough.engines.tracer import Graph, Program, Symbol, inputs, record
from gough.equations.machine import KINDS, coasting, offsets, six_spins, total_mass, wrench_world
from gough.equations.platform import (
    PlatformMotion,
    body_data,
    body_load,
    column,
    joint_motion,
    leg_load,
    platform_motion,
)
from gough.equations.solve import Six, inner, solve_columns
from gough.equations.strut import Spin
from gough.equations.vec import Vec, rate_matrix, vec_at
from gough.layout import BODY

MOTION = 18  # position, rotation vector, velocity, angular velocity, acceleration, angular acceleration
LEG_INPUTS = 24 + 6 + 1 + 3  # motion, lam, effort, spin
BODY_INPUTS = 24 + 6 + 6  # motion, external wrench, lam


def six(a: Any, i: int) -> Six:
    """Six numbers from a[i]."""
    return Six(vec_at(a, i), vec_at(a, i + 3))


def unit(k: int) -> Six:
    """A unit wrench."""
    e = [1.0 if i == k else 0.0 for i in range(6)]
    return Six(Vec(*e[:3]), Vec(*e[3:]))


def leg_states(kinds: tuple[str, ...], m: PlatformMotion, spin: Any, par: Any) -> tuple[list[Any], list[Any]]:
    """Joint arms q and leg answers."""
    B, g, c, at = rate_matrix(m.w, m.al), body_data(par).g, six_spins(spin), offsets(kinds)
    q = [m.R.world(vec_at(par, at[i])) for i in range(6)]
    return q, [KINDS[k].state(KINDS[k].data(par, at[i] + 3), joint_motion(m, q[i], B, g), c[i])
               for i, k in enumerate(kinds)]


@lru_cache(maxsize=32)
def inverse_stage(kinds: tuple[str, ...]) -> Program:
    """x: motion 24, external 6 -> six efforts and the six rows ``eta_k (H^-1)_k``."""
    def f(x: Any, spin: Any, par: Any) -> list[Any]:
        m = platform_motion(x)
        q, s = leg_states(kinds, m, spin, par)
        load = body_load(body_data(par), m) - wrench_world(m.R, x)
        for qi, si in zip(q, s, strict=True):
            load = load + leg_load(qi, si)
        h1, h2, h3, h4, h5, h6 = (column(qi, si.s) for qi, si in zip(q, s, strict=True))
        answers = [solve_columns(h1, h2, h3, h4, h5, h6, c) for c in (load, *(unit(j) for j in range(6)))]
        rows = [[getattr(y, f"y{k + 1}") * s[k].eta for k in range(6)] for y in answers]
        return [*rows[0], *(rows[1 + j][k] for k in range(6) for j in range(6))]

    return _recorded(f, kinds)


@lru_cache(maxsize=32)
def forward_stage(kinds: tuple[str, ...]) -> Program:
    """x: pose and twist 18, efforts 6, external 6 -> accelerations 6 and the six rows ``-(M^-1)_k``."""
    def f(x: Any, spin: Any, par: Any) -> list[Any]:
        m, c, at = coasting(x), six_spins(spin), offsets(kinds)
        q, s = leg_states(kinds, m, spin, par)
        body = body_data(par)
        n = [KINDS[k].mass(KINDS[k].data(par, at[i] + 3), m.t + q[i], body.g, c[i]) for i, k in enumerate(kinds)]
        push = wrench_world(m.R, x) - body_load(body, m)
        for i in range(6):
            push = push + column(q[i], n[i].j * x[18 + i]) - leg_load(q[i], s[i])
        M = total_mass(body, m.R, q, n)
        columns = [M.solve(c) for c in (push, *(unit(j) for j in range(6)))]
        flat = [[a.lin.x, a.lin.y, a.lin.z, a.ang.x, a.ang.y, a.ang.z] for a in columns]
        return [*flat[0], *(-flat[1 + j][k] for k in range(6) for j in range(6))]

    return _recorded(f, kinds)


def _recorded(f: Callable[..., list[Any]], kinds: tuple[str, ...]) -> Program:
    sizes = {"x": 30, "spin": 18, "par": offsets(kinds)[-1]}
    if "sps_spin" in kinds:
        return record(f, sizes)
    sizes.pop("spin")
    return record(lambda x, par: f(x, NO_SPIN, par), sizes)


@lru_cache(maxsize=8)
def leg_stage(kind: str) -> Program:
    """Gradient of one leg's share ``lam . (load - h tau/eta)``.

    x: motion 24, lam 6, effort, spin (cosine, sine, rate);  par: gravity 3, joint 3, row
    -> motion 18, gravity 3, effort 1, spin (angle, rate) 2, joint 3, row
    """
    graph = Graph()
    size = 6 + KINDS[kind].size
    x, par = inputs(graph, "x", LEG_INPUTS), inputs(graph, "par", size)
    m, g = platform_motion(x), vec_at(par, 0)
    q = m.R.world(vec_at(par, 3))
    spin = Spin(x[31], x[32], x[33])
    state = KINDS[kind].state(KINDS[kind].data(par, 6), joint_motion(m, q, rate_matrix(m.w, m.al), g), spin)
    lam = six(x, 24)
    share = inner(lam, leg_load(q, state)) - inner(lam, column(q, state.s)) * (x[30] / state.eta)
    wanted = [*(("x", i) for i in range(24)), ("x", 30), *(("x", i) for i in (31, 32, 33)),
              *(("par", i) for i in range(size))]
    slopes = _slopes(graph, share, wanted)
    angle = slopes[26] * spin.cosine - slopes[25] * spin.sine
    out = [*_motion(x, slopes), *slopes[28:31], slopes[24], angle, slopes[27], *slopes[31:]]
    return Program.of(graph, [_index(graph, v) for v in out], {"x": LEG_INPUTS, "par": size})


@lru_cache(maxsize=1)
def body_stage() -> Program:
    """Gradient of the platform's share ``lam . (inertia and weight - external wrench)``.

    x: motion 24, external 6, lam 6;  par: body and gravity 13  ->  motion 18, external 6, body and gravity 13
    """
    graph = Graph()
    x, par = inputs(graph, "x", BODY_INPUTS), inputs(graph, "par", BODY.size)
    m = platform_motion(x)
    share = inner(six(x, 30), body_load(body_data(par), m) - wrench_world(m.R, x))
    wanted = [*(("x", i) for i in range(30)), *(("par", i) for i in range(BODY.size))]
    slopes = _slopes(graph, share, wanted)
    out = [*_motion(x, slopes), *slopes[24:]]
    return Program.of(graph, [_index(graph, v) for v in out], {"x": BODY_INPUTS, "par": BODY.size})


def _index(graph: Graph, value: Any) -> int:
    return value.at if isinstance(value, Symbol) else graph.const(value)


def _slopes(graph: Graph, share: Any, wanted: list[tuple[str, int]]) -> list[Symbol]:
    return [Symbol(graph, at) for at in gradient(graph, {share.at: graph.const(1.0)}, wanted)]


def _motion(x: Any, slope: list[Any]) -> list[Any]:
    """From slopes over the 24 numbers of a motion to 18: R turns by a small rotation vector, ``dR = phi x R``."""
    R = [[x[3 + 3 * i + j] for j in range(3)] for i in range(3)]
    S = [[slope[3 + 3 * i + j] for j in range(3)] for i in range(3)]
    turn = []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        terms = [S[j][k] * R[i][k] - S[i][k] * R[j][k] for k in range(3)]
        turn.append(terms[0] + terms[1] + terms[2])
    return [*slope[:3], *turn, *slope[12:24]]
