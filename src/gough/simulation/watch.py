"""What is looked at after every step of a run: how far it is from the limits of its machine and from a singularity.

The rows of WATCH are traced into one program of the state; LIMITS are the numbers they are compared with.

    coordinate, rate     of the actuators
    base, platform       cosines between strut and cone axis, and their slopes in time (1/s): ``(W x s).a``
    wrench               rows ``(s, q x s / L)`` of H, L the characteristic length
    bound                ``(|G|_F |G^-1|_F)^(1/2)``, G the Gram matrix of these rows: the condition number lies between
                         bound/6^(1/2) and bound, because ``lambda_max <= |G|_F <= 6^(1/2) lambda_max``, likewise G^-1
A bound below the limit proves that the condition number is; else the kernel computes it (watch_kernel.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics.laws import Laws
from gough.engines.llvm_program import Lowered
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import record
from gough.equations.machine import KINDS, PULLING, body_data, offsets, spinning
from gough.equations.platform import column, joint_motion, platform_motion
from gough.equations.scalar import sqrt
from gough.equations.strut import LegSpin
from gough.equations.vec import Vec, cross, dot, rate_matrix
from gough.layout import LEG_MOTION, Layout
from gough.limits import cone_axes
from gough.model import Platform
from gough.simulation.events import MARGINS, Events
from gough.simulation.integrators.fixed_step import columns
from gough.simulation.programs import (
    LANES,
    NOTHING,
    SPINS,
    named,
    state_layout,
    width_of,
)

WATCH = Layout(
    coordinate=6, rate=6, base=6, platform=6, base_slope=6, platform_slope=6, wrench=36, bound=1
)
LIMITS = Layout(low=6, high=6, speed=6, base=6, platform=6, screen=1, condition=1)
AXES = Layout(base_axis=18, platform_axis=18, length=1)
NUMBERS = LIMITS.size + AXES.size
SUSPICIONS = 11  # slots of a run in one call of a kernel after which no suspicion is kept
SLOTS = MARGINS + SUSPICIONS  # every first time finds one: there are no more of them than margins
MARKS = Layout(now=1, ever=1, missed=1, count=MARGINS, used=1, step=SLOTS, bits=SLOTS, dips=SLOTS)
"""What is kept of a run between its steps, as whole numbers: margins it is beyond now and has ever been beyond (bits);
suspicions that found no slot; how often each margin was passed; slots used in this call, and in each the step (from the
start of the call), the margins that were passed for the first time, and those that may have been within the step."""
ROUNDING = 1.001  # the bound is computed with errors of about 1e-16 condition^2
TRUSTED = 1e6  # largest condition number at which these stay below that


def numbers(platform: Platform, events: Events) -> Array:
    """LIMITS, then AXES, of a machine; a limit that it does not have, or that is off, is never passed."""

    def column(name: str, kind: str, without: Any) -> Array:
        given = [
            getattr(leg.limits, name) if kind not in events.off else None for leg in platform.legs
        ]
        return np.array([without if value is None else value for value in given], dtype=float)

    out = np.zeros(NUMBERS)
    limits, axes = out[: LIMITS.size], out[LIMITS.size :]
    limits[LIMITS.low], limits[LIMITS.high] = column("stroke", "stroke", (-np.inf, np.inf)).T
    limits[LIMITS.speed] = column("speed", "speed", np.inf)
    for name, axis in zip(("base", "platform"), cone_axes(platform), strict=True):
        half, known = column(f"{name}_cone", "cone", np.nan), np.isfinite(axis).all(axis=1)
        limits[getattr(LIMITS, name)] = np.where(known & (half < np.pi), np.cos(half), -2.0)
        axes[getattr(AXES, f"{name}_axis")] = np.where(known[:, None], axis, 0.0).ravel()
    axes[AXES.length] = platform.characteristic_length
    most = np.inf if "singularity" in events.off else events.condition
    limits[LIMITS.condition] = most
    limits[LIMITS.screen] = most if most == np.inf else min(most, TRUSTED) / ROUNDING
    return out


def parameter_count(kinds: tuple[str, ...]) -> int:
    """Numbers of the machine's parameter vector: the watch takes them, then those of `numbers`."""
    return int(offsets(kinds)[-1])


@lru_cache(maxsize=64)
def watch_program(kinds: tuple[str, ...], laws: Laws, lanes: int = LANES) -> Lowered:
    """Rows of WATCH from rows of the state; generated kernel modules call this."""
    layout, first, functions = state_layout(kinds, laws), parameter_count(kinds), machine(kinds)

    def traced(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        z, axes = named(layout, x), named(AXES, par[first + LIMITS.size :])
        state = *z["position"], *z["rotation"], *z["velocity"], *z["angular_velocity"]
        spin = (
            [z[name][leg] for leg in range(6) for name in SPINS[:3]] if spinning(kinds) else NO_SPIN
        )
        moving = (*state, *NOTHING)
        flat = functions.kinematics(moving, spin, functions.unpack(par))
        R, w, shorter = columns(z["rotation"]), Vec(*z["angular_velocity"]), 1.0 / axes["length"][0]
        out: dict[str, list[Any]] = {name: [] for name in WATCH.names}
        rows: list[tuple[Any, ...]] = []

        def world(a: Any) -> Vec:
            return R[0] * a[0] + R[1] * a[1] + R[2] * a[2]

        for leg, start in enumerate(offsets(kinds)[:6]):
            motion = named(LEG_MOTION, flat[LEG_MOTION.size * leg :])
            s, turn = Vec(*motion["direction"]), Vec(*motion["angular_velocity"])
            slope, axis = cross(turn, s), slice(3 * leg, 3 * leg + 3)
            base, platform = Vec(*axes["base_axis"][axis]), world(axes["platform_axis"][axis])
            out["coordinate"] += motion["coordinate"]
            out["rate"] += motion["rate"]
            out["base"].append(dot(s, base))
            out["base_slope"].append(dot(slope, base))
            out["platform"].append(-dot(s, platform))
            out["platform_slope"].append(-dot(slope, platform) - dot(s, cross(w, platform)))
            rows.append(wrench_row(kinds[leg], moving, par, start, s, shorter))
        out["wrench"] = [value for row in rows for value in row]
        out["bound"] = [condition_bound(rows)]
        return [value for name in WATCH.names for value in out[name]]

    sizes = {"x": layout.size, "par": first + NUMBERS}
    return Lowered(record(traced, sizes), width_of(lanes), lanes)


def wrench_row(
    kind: str, x: Sequence[Any], par: Sequence[Any], start: int, s: Vec, shorter: Any
) -> tuple[Any, ...]:
    """``(s, q x s/l)`` of a leg whose row starts at par[start], or what its pull gives."""
    m, leg = platform_motion(x), KINDS[kind].data(par, start)
    q, wrench = m.R.world(leg.joint), None
    if kind in PULLING:
        joint = joint_motion(m, q, rate_matrix(m.w, m.al), body_data(par).g)
        wrench = column(q, KINDS[kind].state(leg, joint, LegSpin(1.0, 0.0, 0.0)))
    force, moment = (s, cross(q, s)) if wrench is None else (wrench.lin, wrench.ang)
    return (*force, *(moment * shorter))


def condition_bound(rows: Sequence[Sequence[Any]]) -> Any:
    """``(|G|_F |G^-1|_F)^(1/2)`` of the Gram matrix G of six rows, by ``G = L D L^T`` and the inverse of L."""
    n = len(rows)

    def inner(a: Sequence[Any], b: Sequence[Any]) -> Any:
        return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])

    G = [[inner(rows[i], rows[j]) for j in range(i + 1)] for i in range(n)]
    L: list[list[Any]] = [[0.0] * n for _ in range(n)]  # below its diagonal of ones
    pivots: list[Any] = []
    for i in range(n):
        scaled = []  # L[i][k] D[k]
        for j in range(i):
            scaled.append(G[i][j] - sum((scaled[k] * L[j][k] for k in range(j)), 0.0))
        L[i][:i] = [scaled[j] / pivots[j] for j in range(i)]
        pivots.append(G[i][i] - sum((scaled[j] * L[i][j] for j in range(i)), 0.0))
    K: list[list[Any]] = [[0.0] * n for _ in range(n)]  # inverse of L, below its diagonal of ones
    for i in range(n):
        for j in range(i):
            K[i][j] = -L[i][j] - sum((L[i][k] * K[k][j] for k in range(j + 1, i)), 0.0)

    def inverse(i: int, j: int) -> Any:
        terms = [
            (K[k][i] * K[k][j] if k > i else K[k][j] if k > j else 1.0) / pivots[k]
            for k in range(i, n)
        ]
        return sum(terms[1:], terms[0])

    def square(entry: Any) -> Any:
        pairs = [(i, j, entry(i, j)) for i in range(n) for j in range(i + 1)]
        return sum((x * x * (1.0 if i == j else 2.0) for i, j, x in pairs), 0.0)

    return sqrt(sqrt(square(lambda i, j: G[i][j]) * square(inverse)))
