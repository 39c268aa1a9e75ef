"""How wrong an answer can be: running error analysis of the very programs that the engines are made from.

Every intermediate result carries a bound on its distance from the exact value ([Higham2002], Sec. 3.3): with the
unit roundoff u and operands known to within ``ea, eb``

    a + b    ea + eb + u|a + b|              1/a      ea/(|a|(|a| - ea)) + u/|a|
    a b      |a| eb + |b| ea + ea eb + u|ab|  sqrt a   ea/(sqrt a + sqrt(a - ea)) + u sqrt a

States and loads are taken as they are given; the packed parameters as known to a few roundings of their block (first
and second moments are products).  The bound is a proof (barring underflow), not an estimate, and so pessimistic: near
a singularity by one to three digits.  It holds for any other answer too, by the distance to the one computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines import leg_programs
from gough.engines.plain import NO_SPIN
from gough.engines.tracer import Program, trace
from gough.equations import scalar
from gough.equations.machine import FUNCTIONS, KINDS, links, offsets
from gough.equations.solve import total
from gough.layout import (
    BODY,
    BODY_ANSWER,
    DRIVEN_STATE,
    FORCES,
    FORWARD,
    FULL,
    LEG_ANSWER,
    LEG_INERTIA,
    LEG_RECORD,
    LOADED_MOTION,
    MOTION,
    MOUNT,
    MOVING_SYSTEM,
    SPIN,
    STATE,
    Layout,
)

ROUNDOFF = (
    1.125 * 2.0**-53
)  # a little above the unit roundoff: pays for the rounding of the bounds themselves
PACKING = 8.0 * ROUNDOFF  # of the largest number of a parameter block
_ALONE = Layout(acceleration=1)
CHUNK = 1024  # states whose intermediate results are held at once


class Bounded:
    """A number, or an array of them, with a bound on its error."""

    __slots__ = ("error", "value")
    __array_ufunc__ = None

    def __init__(self, value: Any, error: Any) -> None:
        self.value, self.error = value, error

    def __add__(self, other: Any) -> Bounded:
        o = _bounded(other)
        value = self.value + o.value
        return Bounded(value, self.error + o.error + ROUNDOFF * np.abs(value))

    def __sub__(self, other: Any) -> Bounded:
        return self + -_bounded(other)

    def __rsub__(self, other: Any) -> Bounded:
        return _bounded(other) + -self

    def __mul__(self, other: Any) -> Bounded:
        o = _bounded(other)
        value = self.value * o.value
        spread = np.abs(self.value) * o.error + (np.abs(o.value) + o.error) * self.error
        return Bounded(value, spread + ROUNDOFF * np.abs(value))

    def __rtruediv__(self, other: Any) -> Bounded:
        value, size = 1.0 / self.value, np.abs(self.value)
        spread = self.error / (size * np.maximum(size - self.error, 0.0))
        return Bounded(value, spread + ROUNDOFF * np.abs(value)) * other

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def sqrt(self) -> Bounded:
        """Square root."""
        value = np.sqrt(self.value)
        nearest = value + np.sqrt(np.maximum(self.value - self.error, 0.0))
        return Bounded(value, self.error / nearest + ROUNDOFF * value)

    __radd__, __rmul__ = __add__, __mul__


def _bounded(value: Any) -> Bounded:
    return value if isinstance(value, Bounded) else Bounded(value, 0.0)


@scalar.angle.register
def _(sine: Bounded, cosine: Any) -> Bounded:
    """``|d atan2| <= (|c| es + |s| ec)/(r (r - e))``, ``e`` the distance that both errors span."""
    c = _bounded(cosine)
    r, e = np.hypot(sine.value, c.value), np.hypot(sine.error, c.error)
    value = np.arctan2(sine.value, c.value)
    return Bounded(value, 2.0 * e / np.maximum(r - e, 0.0) + 4.0 * ROUNDOFF * np.abs(value))


@scalar.restart.register
def _(x: Bounded) -> Bounded:
    """Any start of the last step gives the solution, but for the square of that step (equations/offset_pair.py)."""
    return Bounded(x.value, 0.0)


def bounded_parameters(kinds: tuple[str, ...], par: Array) -> list[Bounded]:
    """The parameter vector with the rounding of its packing, block by block."""
    error, at = np.zeros_like(par), 0
    rows = [BODY, *(KINDS[kind].row for kind in kinds)]
    for layout in (*rows, *[MOUNT] * ((len(par) - offsets(kinds)[-1]) // MOUNT.size)):
        for _, width in layout.blocks():
            error[at : at + width] = PACKING * np.abs(par[at : at + width]).max()
            at += width
    return [Bounded(float(v), float(e)) for v, e in zip(par, error, strict=True)]


def bounds(
    function: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array
) -> tuple[Array, Array]:
    """A machine function over N states and bounds on its errors, (N, outputs) each; infinite where nothing is known.

    blocks  (N, width) arrays in the order of `gough.engines.native.inputs_of`
    Of everything but the risks.
    """
    rows = np.concatenate(blocks, axis=1)
    value, error = np.full((2, len(rows), FUNCTIONS[function].n_out), np.nan)
    numbers = bounded_parameters(kinds, par)
    of = OF_ITS_OWN.get(function, _program_bounds)
    for low in range(0, len(rows), CHUNK):
        part = slice(low, low + CHUNK)
        columns = [Bounded(column, 0.0) for column in rows[part].T]
        with np.errstate(all="ignore"):
            for columns_of, v, e in of(function, kinds, columns, numbers):
                value[part, columns_of], error[part, columns_of] = v, e
    return value, np.where(np.isfinite(value) & np.isfinite(error), error, np.inf)


Part = tuple[slice, Array, Array]
"""Which columns of an answer, their values and their errors, (N, width)."""


def _program_bounds(
    function: str, kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> list[Part]:
    """Straight through the program."""
    program = trace(function, kinds)
    n = program.sizes["x"]
    found = stacked(program.run(columns[:n], par, columns[n:]), columns)
    return [(slice(0, len(program.outputs)), *found)]


def leg_parts(
    program: Callable[[str], Program],
    layout: Layout,
    kinds: tuple[str, ...],
    motion: Sequence[Any],
    spins: Sequence[Any],
    par: list[Bounded],
    pushes: Sequence[Any] = (),
) -> list[dict[str, list[Any]]]:
    """The six legs' answers by name; `pushes`: a number more that each of them reads."""
    gravity, at = par[BODY.gravity], offsets(kinds)
    each = []
    for i, kind in enumerate(kinds):
        spin = spins[SPIN.size * i : SPIN.size * (i + 1)] or NO_SPIN[: SPIN.size]
        flat = program(kind).run(
            [*motion, *spin, *pushes[i : i + 1]], [*gravity, *par[at[i] : at[i + 1]]]
        )
        each.append(layout.named(flat))
    return each


def stacked(numbers: Sequence[Any], like: Sequence[Bounded]) -> tuple[Array, Array]:
    """(N, n) values and errors of n bounded numbers."""
    shape = (len(like[0].value), len(numbers))
    value, error = np.empty((2, *shape))
    for k, one in enumerate(map(_bounded, numbers)):
        value[:, k], error[:, k] = one.value, one.error
    return value, error


System = tuple[Array, Array, Array, Array]
"""A, dA (N, n, n), c, dc (N, n) of ``A y = c``: values and errors."""


def wrench_system(
    kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> tuple[list[dict[str, list[Any]]], System]:
    """The six legs, and ``H y = load``."""
    n = LOADED_MOTION.size
    motion, spins = columns[: MOTION.size], columns[n:]
    legs = leg_parts(leg_programs.leg, LEG_ANSWER, kinds, motion, spins, par)
    body = leg_programs.body().run(columns[:n], par[: BODY.size])
    load = [total((leg["load"][k] for leg in legs), body[k]) for k in range(6)]
    H = stacked([leg["column"][k] for k in range(6) for leg in legs], columns)
    H, dH = (a.reshape(-1, 6, 6) for a in H)
    return legs, (H, dH, *stacked(load, columns))


def solved(*system: Array) -> list[Bounded]:
    """The numbers y: the legs by running bounds, the system by its residual."""
    y, error = solution_bounds(*system)
    return [Bounded(y[:, k], error[:, k]) for k in range(y.shape[1])]


def _force_bounds(
    function: str, kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> list[Part]:
    """``tau = eta y``"""
    legs, system = wrench_system(kinds, columns, par)
    each = [y * leg["eta"][0] for y, leg in zip(solved(*system), legs, strict=True)]
    return [(FORCES.effort, *stacked(each, columns))]


def _moving_force_bounds(
    function: str, kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> list[Part]:
    """The same on a base that moves, the six legs in one program."""
    program = leg_programs.moving_wrench(kinds)
    n = program.sizes["x"]
    found = MOVING_SYSTEM.named(program.run(columns[:n], par, columns[n:] or NO_SPIN))
    H, dH = (a.reshape(-1, 6, 6) for a in stacked(found["columns"], columns))
    y = solved(H, dH, *stacked(found["load"], columns))
    each = [a * eta for a, eta in zip(y, found["eta"], strict=True)]
    return [(FORCES.effort, *stacked(each, columns))]


def _record_bounds(
    function: str, kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> list[Part]:
    """Each leg's record at its y."""
    _, system = wrench_system(kinds, columns, par)
    motion, spins = columns[: MOTION.size], columns[LOADED_MOTION.size :]
    of = leg_programs.record_of_leg
    legs = leg_parts(of, LEG_RECORD, kinds, motion, spins, par, solved(*system))
    flat = [number for leg in legs for name in LEG_RECORD.names for number in leg[name]]
    return [(slice(0, len(flat)), *stacked(flat, columns))]


def mass_system(
    kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> tuple[list[Bounded], System]:
    """The bias, and ``M xdd = J^T tau + wrench - bias``; with fixed links `held_system`."""
    efforts, external = columns[DRIVEN_STATE.effort], columns[DRIVEN_STATE.external]
    motion = [*columns[: STATE.size], *[0.0] * (MOTION.size - STATE.size)]
    inputs = (kinds, motion, columns[DRIVEN_STATE.size :], par)
    states = leg_parts(leg_programs.leg, LEG_ANSWER, *inputs)
    legs = leg_parts(leg_programs.leg_inertia, LEG_INERTIA, *inputs)
    body, still = (
        leg_programs.body().run([*motion, *wrench], par[: BODY.size])
        for wrench in (external, [0.0] * 6)
    )
    bias = [total((leg["load"][k] for leg in states), still[k]) for k in range(6)]
    held = links(kinds)
    efforts = [0.0 if i in held else f for i, f in enumerate(efforts)]
    push = [
        total(
            (
                leg["transmission"][k] * f - state["load"][k]
                for leg, state, f in zip(legs, states, efforts, strict=True)
            ),
            -_bounded(body[k]),
        )
        for k in range(6)
    ]
    at = BODY_ANSWER.at("mass")
    upper = [total((leg["mass"][k] for leg in legs), body[at + k]) for k in range(21)]
    M, dM = (a[:, FULL].reshape(-1, 6, 6) for a in stacked(upper, columns))
    if held:
        alone = leg_parts(leg_programs.acceleration_of_leg, _ALONE, *inputs, [0.0] * 6)
        G = stacked([x for i in held for x in legs[i]["transmission"]], columns)
        drift = stacked([-alone[i]["acceleration"][0] for i in held], columns)
        return bias, held_system((M, dM), stacked(push, columns), G, drift)
    return bias, (M, dM, *stacked(push, columns))


def held_system(
    M: tuple[Array, Array],
    push: tuple[Array, Array],
    G: tuple[Array, Array],
    drift: tuple[Array, Array],
) -> System:
    """``M xdd - G^T lam = push``, ``G xdd = drift``: values and errors of each, (N, ...)."""
    n, m = drift[0].shape
    out = []
    for sign, mass, rows in zip((-1.0, 1.0), M, G, strict=True):
        A, g = np.zeros((n, 6 + m, 6 + m)), rows.reshape(n, m, 6)
        A[:, :6, :6], A[:, 6:, :6], A[:, :6, 6:] = mass, g, sign * np.swapaxes(g, 1, 2)
        out.append(A)
    c, dc = (np.concatenate(pair, axis=1) for pair in zip(push, drift, strict=True))
    return out[0], out[1], c, dc


def _forward_bounds(
    function: str, kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> list[Part]:
    """Accelerations, then the spins that go with them; bias."""
    bias, system = mass_system(kinds, columns, par)
    found = solved(*system)[:6]
    moved = [*columns[: STATE.size], *found]
    given = (kinds, moved, columns[DRIVEN_STATE.size :], par, [0.0] * 6)
    spun = leg_parts(leg_programs.spin_of_leg, Layout(spin_acceleration=1), *given)
    spins = [leg["spin_acceleration"][0] for leg in spun]
    return [
        (slice(0, FORWARD.at("spin_acceleration")), *stacked(found, columns)),
        (FORWARD.spin_acceleration, *stacked(spins, columns)),
        (FORWARD.bias, *stacked(bias, columns)),
    ]


OF_ITS_OWN = {
    "forces": _force_bounds,
    "moving_forces": _moving_force_bounds,
    "record": _record_bounds,
    "forward": _forward_bounds,
}
"""Functions whose 6x6 system is bounded by its residual; the others go straight through their program."""


def solution_bounds(A: Array, dA: Array, c: Array, dc: Array) -> tuple[Array, Array]:
    """``y`` (N, n) of ``A y = c`` and bounds on its error over all systems within dA and dc ([Higham2002], Sec. 7.1).

    With an approximate inverse Z and the residual ``r = c - A y``: ``|d| <= |Z| e + G |d|``,
    ``e = |r| + dc + dA |y|``, ``G = |E - Z A| + |Z| dA``, each with its own rounding; where ``G w <= q w`` for
    ``w = |Z| e`` and some q < 1, ``|d| <= w/(1 - q)``.
    """
    good = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(c).all(axis=1)
    Z = np.full_like(A, np.nan)
    try:
        Z[good] = np.linalg.inv(A[good])
    except np.linalg.LinAlgError:  # one exactly singular matrix stops the batch
        for i in np.nonzero(good)[0]:
            with suppress(np.linalg.LinAlgError):
                Z[i] = np.linalg.inv(A[i])
    y = (Z @ c[..., None])[..., 0]
    size, rounding = np.abs(A) @ np.abs(y)[..., None], (2.0 + A.shape[-1]) * ROUNDOFF
    e = np.abs(c - (A @ y[..., None])[..., 0]) + rounding * (np.abs(c) + size[..., 0])
    e += dc + (dA @ np.abs(y)[..., None])[..., 0]
    G = np.abs(np.eye(A.shape[-1]) - Z @ A) + np.abs(Z) @ (dA + rounding * np.abs(A))
    w = (np.abs(Z) @ e[..., None])[..., 0]
    q = ((G @ w[..., None])[..., 0] / np.where(w == 0.0, 1.0, w)).max(axis=-1, keepdims=True)
    return y, np.where(q < 1.0, w / (1.0 - q) * (1.0 + rounding), np.inf)
