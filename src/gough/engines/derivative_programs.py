"""Programs behind the analytic derivatives: one for the platform, one per leg kind, one for the body.

The dynamics is ``r = body + sum_i [load_i - h_i tau_i/eta_i] - wrench = 0`` (docs/derivations/exact.md), the same
for both directions, so ``d tau_k = lam_k . dr`` and ``d acc_k = lam_k . dr`` at fixed efforts and accelerations with
    inverse dynamics   lam_k = eta_k (H^-1)_k
    forward dynamics   lam_k = -(M^-1)_k
Each part's share ``lam . r_part`` is a scalar of few numbers whose gradient reverse mode gives at once; a leg's
program is compiled once for all legs of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from gough.engines.adjoint import gradient
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import Graph, Program, Symbol, inputs, record
from gough.equations.machine import (
    KINDS,
    body_data,
    joint_arms,
    leg_spins,
    offsets,
    spinning,
    total_mass,
)
from gough.equations.platform import (
    body_load,
    column,
    joint_motion,
    leg_load,
    platform_motion,
    transmission,
    wrench_world,
)
from gough.equations.solve import Six, components, inner, six_at, solve_columns, total
from gough.equations.strut import LegSpin
from gough.equations.vec import Vec, rate_matrix, vec_at
from gough.layout import (
    BODY,
    BODY_STAGE,
    DRIVEN_STATE,
    GRAVITY,
    LEG_STAGE,
    LOADED_MOTION,
    MOTION,
    SPIN,
    STATE,
)


def unit(k: int) -> Six:
    """A unit wrench."""
    e = [1.0 if i == k else 0.0 for i in range(6)]
    return Six(Vec(*e[:3]), Vec(*e[3:]))


@lru_cache(maxsize=32)
def inverse_stage(kinds: tuple[str, ...]) -> Program:
    """x: LOADED_MOTION -> STAGE: six efforts and the six rows ``eta_k (H^-1)_k``."""
    equations = machine(kinds)

    def f(x: Any, spin: Any, par: Any) -> list[Any]:
        m, data = platform_motion(x), equations.unpack(par)
        B, q = rate_matrix(m.w, m.al), joint_arms(m.R, data.legs)
        s = equations.states(data, m, q, B, leg_spins(spin))
        load = total(
            (leg_load(qi, si) for qi, si in zip(q, s, strict=True)),
            body_load(data.body, m) - wrench_world(m.R, x),
        )
        h = [column(qi, si) for qi, si in zip(q, s, strict=True)]
        answers = [solve_columns(h, c) for c in (load, *(unit(j) for j in range(6)))]
        rows = [[y * leg.eta for y, leg in zip(answer.y, s, strict=True)] for answer in answers]
        return [*rows[0], *(row[k] for k in range(6) for row in rows[1:])]

    return _recorded(f, kinds)


@lru_cache(maxsize=32)
def forward_stage(kinds: tuple[str, ...]) -> Program:
    """x: DRIVEN_STATE -> STAGE: accelerations and the six rows ``-(M^-1)_k``."""
    equations = machine(kinds)

    def f(x: Any, spin: Any, par: Any) -> list[Any]:
        m, data, spins = platform_motion(x, STATE), equations.unpack(par), leg_spins(spin)
        B, q = rate_matrix(m.w, m.al), joint_arms(m.R, data.legs)
        s = equations.states(data, m, q, B, spins)
        n = equations.masses(data, m, q, spins, data.body.g)
        push = wrench_world(m.R, x) - body_load(data.body, m)
        for qi, si, ni, tau in zip(q, s, n, x[DRIVEN_STATE.effort], strict=True):
            push = push + transmission(qi, ni, tau) - leg_load(qi, si)
        M = total_mass(data.body, m.R, q, n)
        answers = [components(M.solve(c)) for c in (push, *(unit(j) for j in range(6)))]
        return [*answers[0], *(-row[k] for k in range(6) for row in answers[1:])]

    return _recorded(f, kinds)


def _recorded(f: Callable[..., list[Any]], kinds: tuple[str, ...]) -> Program:
    sizes = {"x": LOADED_MOTION.size, "spin": 6 * SPIN.size, "par": offsets(kinds)[-1]}
    if spinning(kinds):
        return record(f, sizes)
    sizes.pop("spin")
    return record(lambda x, par: f(x, NO_SPIN, par), sizes)


@lru_cache(maxsize=8)
def leg_stage(kind: str) -> Program:
    """Gradient of one leg's share ``lam . (load - h tau/eta)``.

    x: LEG_STAGE;  par: GRAVITY, the leg's row  ->  LEG_SLOPES, the leg's row
    """
    graph, equations, at = Graph(), KINDS[kind], LEG_STAGE.at
    size = GRAVITY.size + equations.row.size
    x, par = inputs(graph, "x", LEG_STAGE.size), inputs(graph, "par", size)
    m, data = platform_motion(x), equations.data(par, GRAVITY.size)
    q = m.R.world(data.joint)
    spin = LegSpin(x[LEG_STAGE.cosine], x[LEG_STAGE.sine], x[LEG_STAGE.rate])
    state = equations.state(data, joint_motion(m, q, rate_matrix(m.w, m.al), vec_at(par, 0)), spin)
    lam = six_at(x, at("share"))
    share = inner(lam, leg_load(q, state)) - inner(lam, column(q, state)) * (
        x[LEG_STAGE.effort] / state.eta
    )
    motion, effort, cosine, sine, rate, row = _slopes(
        graph,
        share,
        (
            [("x", i) for i in range(MOTION.size)],
            *([("x", at(name))] for name in ("effort", "cosine", "sine", "rate")),
            [("par", i) for i in range(size)],
        ),
    )
    angle = [sine[0] * spin.cosine - cosine[0] * spin.sine]
    out = [*_motion(x, motion), *row[: GRAVITY.size], *effort, *angle, *rate, *row[GRAVITY.size :]]
    return Program.of(graph, [_index(graph, v) for v in out], {"x": LEG_STAGE.size, "par": size})


@lru_cache(maxsize=1)
def body_stage() -> Program:
    """Gradient of the platform's share ``lam . (inertia and weight - external wrench)``.

    x: BODY_STAGE;  par: BODY  ->  BODY_SLOPES
    """
    graph = Graph()
    x, par = inputs(graph, "x", BODY_STAGE.size), inputs(graph, "par", BODY.size)
    m = platform_motion(x)
    share = inner(
        six_at(x, BODY_STAGE.at("share")), body_load(body_data(par), m) - wrench_world(m.R, x)
    )
    motion, rest = _slopes(
        graph,
        share,
        (
            [("x", i) for i in range(MOTION.size)],
            [
                *(("x", i) for i in range(MOTION.size, LOADED_MOTION.size)),
                *(("par", i) for i in range(BODY.size)),
            ],
        ),
    )
    out = [*_motion(x, motion), *rest]
    return Program.of(
        graph, [_index(graph, v) for v in out], {"x": BODY_STAGE.size, "par": BODY.size}
    )


def _index(graph: Graph, value: Any) -> int:
    return value.at if isinstance(value, Symbol) else graph.const(value)


def _slopes(
    graph: Graph, share: Any, wanted: Sequence[list[tuple[str, int]]]
) -> list[list[Symbol]]:
    """Derivatives of `share` over groups of inputs."""
    flat = iter(
        gradient(graph, {share.at: graph.const(1.0)}, [one for group in wanted for one in group])
    )
    return [[Symbol(graph, next(flat)) for _ in group] for group in wanted]


def _motion(x: Any, slope: list[Any]) -> list[Any]:
    """From slopes over the numbers of a MOTION to a VARIATION: R turns by a small rotation vector, ``dR = phi x R``."""

    def rows(values: Any) -> list[Any]:
        first = MOTION.at("rotation")
        return [values[i : i + 3] for i in range(first, first + 9, 3)]

    R, S, turn = rows(x), rows(slope), []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        turn.append(total([S[j][k] * R[i][k] - S[i][k] * R[j][k] for k in range(3)]))
    return [*slope[MOTION.position], *turn, *slope[MOTION.at("velocity") :]]
