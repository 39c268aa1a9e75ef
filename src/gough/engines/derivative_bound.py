"""How wrong an analytic derivative can be: error_bound.py carried through the programs of the derivatives.

``d answer_k = lam_k . dr`` (derivative_programs.py): the rows lam of the inverse are solutions of systems whose errors
are bounded by their residuals; body and legs are run on them with running bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.derivative_programs import body_stage, leg_stage
from gough.engines.error_bound import (
    Bounded,
    bounded_parameters,
    mass_system,
    solved,
    stacked,
    wrench_system,
)
from gough.engines.plain import NO_SPIN
from gough.equations.machine import KINDS, offsets
from gough.equations.solve import total
from gough.layout import (
    BODY,
    BODY_SLOPES,
    DRIVEN_STATE,
    JACOBIAN,
    LEG_SLOPES,
    LOADED_MOTION,
    MOTION,
    SPIN,
    STATE,
)

EFFORTS = range(JACOBIAN.at("effort"), JACOBIAN.at("spin_angle"))
CHUNK = 256  # states whose intermediate results are held at once


def jacobian_bounds(
    direction: str, kinds: tuple[str, ...], blocks: Sequence[Array], par: Array
) -> tuple[Array, Array]:
    """The Jacobian by the plain equations and bounds on its errors, (N, 6, n) each, as derivative_kernel.py orders it.

    direction  "inverse" or "forward";  blocks  its inputs (N, width);  infinite where nothing is known
    """
    rows = np.concatenate(blocks, axis=1)
    value, error = np.zeros((2, len(rows), 6, JACOBIAN.size + par.size))
    numbers = bounded_parameters(kinds, par)
    for low in range(0, len(rows), CHUNK):
        part = slice(low, low + CHUNK)
        columns = [Bounded(column, 0.0) for column in rows[part].T]
        with np.errstate(all="ignore"):
            for answer, found in enumerate(_rows(direction, kinds, columns, numbers)):
                for at, of in found.items():
                    v, e = stacked(of, columns)
                    value[part, answer, at : at + len(of)] = v
                    error[part, answer, at : at + len(of)] = e
    return value, np.where(np.isfinite(value) & np.isfinite(error), error, np.inf)


def _rows(
    direction: str, kinds: tuple[str, ...], columns: list[Bounded], par: list[Bounded]
) -> list[dict[int, list[Any]]]:
    """For each of the six answers its slopes by their first column."""
    n = len(columns[0].value)
    unit = [np.broadcast_to(row, (n, 6)) for row in np.eye(6)]
    none, external = np.zeros((n, 6)), columns[LOADED_MOTION.external]
    spins = columns[LOADED_MOTION.size :]
    if direction == "inverse":
        legs, (H, dH, *load) = wrench_system(kinds, columns, par)
        motion, eta = columns[: MOTION.size], [leg["eta"][0] for leg in legs]
        efforts = [y * e for y, e in zip(solved(H, dH, *load), eta, strict=True)]
        turned = [np.swapaxes(a, 1, 2) for a in (H, dH)]
        shares = [[v * e for v in solved(*turned, c, none)] for c, e in zip(unit, eta, strict=True)]
    else:
        _, (M, dM, *push) = mass_system(kinds, columns, par)
        motion = [*columns[: STATE.size], *solved(M, dM, *push)]
        efforts = columns[DRIVEN_STATE.effort]
        shares = [[-v for v in solved(M, dM, c, none)] for c in unit]
    found = [slopes(kinds, motion, external, efforts, spins, share, par) for share in shares]
    if direction == "inverse":  # the efforts are the answer: no slopes over them
        found = [{at: v for at, v in one.items() if at not in EFFORTS} for one in found]
    return found


def slopes(
    kinds: tuple[str, ...],
    motion: list[Bounded],
    external: list[Bounded],
    efforts: list[Bounded],
    spins: list[Bounded],
    share: list[Bounded],
    par: list[Bounded],
) -> dict[int, list[Any]]:
    """One answer's slopes by their first column: body and legs weighed by its share; any kind of number."""
    body = BODY_SLOPES.named(body_stage().run([*motion, *external, *share], par[: BODY.size]))
    legs, at, row = [], offsets(kinds), JACOBIAN.size
    for i, kind in enumerate(kinds):
        spin = spins[SPIN.size * i : SPIN.size * (i + 1)] or NO_SPIN[: SPIN.size]
        given = [*par[BODY.gravity], *par[at[i] : at[i + 1]]]
        flat = leg_stage(kind).run([*motion, *share, efforts[i], *spin], given)
        legs.append(LEG_SLOPES.then(row=at[i + 1] - at[i]).named(flat))

    def summed(name: str) -> list[Any]:
        return [total((leg[name][k] for leg in legs), v) for k, v in enumerate(body[name])]

    out = {0: summed("motion"), JACOBIAN.at("external"): body["external"]}
    out[row] = [v for name in BODY.names if name != "gravity" for v in body[name]]
    out[row + BODY.at("gravity")] = summed("gravity")
    for i, (kind, leg) in enumerate(zip(kinds, legs, strict=True)):
        out[row + at[i]] = leg["row"]
        for name in ("effort", *(("spin_angle", "spin_rate") if KINDS[kind].spins else ())):
            out[JACOBIAN.at(name) + i] = leg[name]
    return out
