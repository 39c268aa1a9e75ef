"""The compiled kernels of rollouts (differentiable.py): steps under efforts that are held, and their slopes.

A step is ``z_1 = z_0, z_i = z_0 + h a_i k_(i-1), k_i = f(z_i), x' = finish(z_0 + h sum b_i k_i)``; the slopes of a loss
over x' are handed back through the same formulas, f and finish replaced by their vector-Jacobian products
(`engines.adjoint.pulled_back`), which are made from the same traced programs that `simulate` runs.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.engines import native
from gough.engines.adjoint import pulled_back
from gough.engines.cache import load_generated
from gough.engines.llvm_program import Lowered
from gough.equations.machine import links
from gough.layout import STATE
from gough.simulation import programs
from gough.simulation.compiled import LARGEST, in_parts, tableau_of
from gough.simulation.programs import BLOCK, LANES, METHODS, width_of
from gough.simulation.tables import table

Programs = tuple[Lowered, Lowered, Lowered | None, Lowered | None]


@lru_cache(maxsize=16)
def rollout_programs(
    method: str, kinds: tuple[str, ...], lanes: int, parameters: bool | None
) -> Programs:
    """Stage and finish of a method, and their slopes, over parameters too where asked for (None: no slopes);
    generated kernel modules call this."""
    stage, finish, _ = programs.steps_programs(method, kinds, (), lanes)
    if parameters is None:
        return stage, finish, None, None
    back = pulled_back(stage.program, parameters)
    end = pulled_back(finish.program, parameters and bool(links(kinds)))
    width = width_of(lanes)
    return stage, finish, Lowered(back, width, lanes), Lowered(end, width, lanes)


def text(name: str, kinds: tuple[str, ...], lanes: int, parameters: bool | None) -> str:
    """Source of the kernel module: forwards alone (`parameters` None), or backwards too."""
    method, texts = METHODS[name], table("rollout")
    layout, state = programs.stage_layout(method, kinds, ()), programs.state_layout(kinds, ())
    source = programs.chart_rows(method, kinds, ())
    asked = bool(parameters)
    size = rollout_programs(name, kinds, lanes, None)[0].program.sizes["par"] if asked else 0
    numbers = {name: layout.at(name) for name in ("step", "effort", "external")}
    numbers |= {"inputs": layout.size, "rows": state.size, "body": STATE.size}
    numbers |= {"moving": programs.moving_layout(method, kinds, ()).size, "charted": len(source)}
    numbers |= {"width": width_of(lanes), "block": BLOCK if lanes > 1 else 1, "vector": lanes}
    numbers |= {"par_rows": size, "back_rows": layout.size + size}
    held = bool(links(kinds))
    numbers |= {"end_rows": layout.size + (size if held else 0)}
    words = {"tableau": tableau_of(method), "source": source, "method": name, "kinds": kinds}
    words |= {"parameters": parameters, "largest": LARGEST}
    words["back_names"] = "" if parameters is None else texts["back_names"]
    words["end_par"] = texts["end_par"].format(**numbers).strip() if asked and held else ""
    parts = texts["text"], *(() if parameters is None else (texts["back"],))
    return "".join(parts).format(**numbers, **words)


@lru_cache(maxsize=16)
def kernels(name: str, kinds: tuple[str, ...], lanes: int, parameters: bool | None) -> ModuleType:
    """A module with `kernel` (forwards) and, with slopes, `pull` (backwards): see rollout.toml for their arguments."""
    form = {None: "", False: "_slopes", True: "_all_slopes"}[parameters]
    legs = native.legs_name(kinds)
    one = "_one" if lanes == 1 else ""
    with native.compiling:
        return load_generated(
            f"rollout_{name}{form}{one}_{legs}", text(name, kinds, lanes, parameters)
        )


class RolloutSteps(NamedTuple):
    """How rollouts advance: method, leg kinds, length of a step in s, steps between records."""

    integrator: str
    kinds: tuple[str, ...]
    step: float
    every: int

    def roll(
        self, par: Array, start: Array, effort: Array, external: Array
    ) -> tuple[Array, NDArray[np.int64]]:
        """States (records, rows, n) from `start` (rows, n) under loads (steps or 1, 6, n or 1), the first of them
        `start`; and, per run, the first step after which a state was beyond any machine (-1: none)."""
        steps, n = len(effort), start.shape[1]
        rows = np.empty((steps // self.every + 1, *start.shape))
        rows[0], bad = start, np.full(n, -1)
        roll = self._kernels(n, None).kernel

        def part(runs: slice) -> None:
            loads, own = (_cut(effort, runs), _cut(external, runs)), rows[:, :, runs]
            roll(steps, self.every, self.step, own[0], *loads, par, own[1:], bad[runs])

        in_parts(n, native.threads(), part)
        return rows, bad

    def pull(
        self,
        par: Array,
        rows: Array,
        effort: Array,
        external: Array,
        weight: Array,
        parameters: bool,
    ) -> tuple[Array, Array, Array, Array]:
        """Slopes of ``sum weight rows``: over efforts and wrenches (steps, 6, n), the start (rows, n), and the
        parameters (P, n), none of them where they are not asked for."""
        n, steps = rows.shape[2], len(effort)
        out = np.empty((steps, 6, n)), np.empty((steps, 6, n)), np.empty(rows.shape[1:])
        out = *out, np.empty((par.size if parameters else 0, n))
        pull = self._kernels(n, parameters).pull

        def part(runs: slice) -> None:
            loads = _cut(effort, runs), _cut(external, runs)
            given = rows[:, :, runs], *loads, par, weight[:, :, runs]
            pull(self.every, self.step, *given, *(a[..., runs] for a in out))

        in_parts(n, native.threads(), part)
        return out

    def _kernels(self, runs: int, parameters: bool | None) -> ModuleType:
        return kernels(self.integrator, self.kinds, 1 if runs == 1 else LANES, parameters)


def _cut(signal: Array, runs: slice) -> Array:
    return signal if signal.shape[2] == 1 else signal[:, :, runs]
