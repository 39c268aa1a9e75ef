"""The compiled kernels of a simulation: many steps of a method in one call, and everything a record tells.

Many runs advance side by side in component rows, so that LLVM vectorizes over runs; one run is a block of one,
filled up to whole vectors.  Every run takes the same instructions: results are bit-identical for any batch split,
any number of threads and any cut of the time axis into calls.  What is computed comes from programs.py, the loops
around it from kernels.toml.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.dynamics.laws import Laws
from gough.engines import native
from gough.engines.cache import load_generated
from gough.equations.machine import crank_count
from gough.layout import LEG_LAW, STATE, Layout
from gough.simulation import programs
from gough.simulation.integrators.fixed_step import FixedStep
from gough.simulation.programs import BLOCK, LANES, LEGS, METHODS, width_of
from gough.simulation.tables import table
from gough.simulation.watch import LIMITS, MARKS, NUMBERS, WATCH, parameter_count

Kernel = Callable[..., None]
Watched = tuple[Array, NDArray[np.int64], Array]
WATCHING = ("steps", "watch")
LARGEST = 1e12  # sum of squares of pose and twist beyond any machine
NO_LAW = np.zeros((LEG_LAW.size, 6, 1))


def _text(
    what: str,
    kinds: tuple[str, ...],
    laws: Laws,
    machines: bool,
    layout: Layout,
    lanes: int = LANES,
    **numbers: Any,
) -> str:
    """A text of kernels.toml with its numbers: first rows of the blocks of `layout`, sizes, and those given."""
    texts, more = table("kernels"), crank_count(kinds)  # each needs a row more: see Lowered.start
    numbers |= {name: layout.at(name) for name in layout.names}
    numbers |= {"kinds": kinds, "laws": laws, "inputs": layout.size, "largest": LARGEST}
    numbers |= {"width": width_of(lanes), "block": BLOCK if lanes > 1 else 1, "vector": lanes}
    numbers |= {"law_size": 6 * LEG_LAW.size if laws else 0}
    numbers |= {"legs_size": LEGS.size, "legs_rows": LEGS.size + more}
    numbers |= {"limits": parameter_count(kinds), "limits_size": LIMITS.size}
    numbers |= {"watch_rows": WATCH.size + more + 1}
    numbers["watch_numbers"] = numbers["limits"] + NUMBERS
    form, with_legs = (
        texts["machines" if machines else "machine"],
        what == "record" or (laws and more),
    )
    numbers["machine_leg_rows"] = form["machine_leg_rows"] if with_legs else ""
    numbers |= {name: line.format(**numbers) for name, line in form.items() if name not in numbers}
    for part, wanted in (("law", laws), ("angles", laws and more)):
        lines = texts.get(f"{what}_{part}", {}).items()
        numbers |= {name: line.format(**numbers) if wanted else "" for name, line in lines}
    parts = ("head", "watching", what) if what in WATCHING else ("head", what)
    return "".join(texts[part] for part in parts).format(**numbers)


def tableau_of(method: FixedStep) -> list[list[float]]:
    """Per stage: node of the next one, weight, input sample (0 start, 1 middle, 2 end), anchors that slide.

    The kernel takes it as an argument: known to LLVM, it would unroll and copy the whole stage.
    """
    after = (*method.nodes[1:], 0.0)
    return [
        [after[i], weight, round(2 * method.nodes[i]), 0 if i else 6]
        for i, weight in enumerate(method.weights)
    ]


def steps_text(
    name: str, kinds: tuple[str, ...], laws: Laws, machines: bool = False, lanes: int = LANES
) -> str:
    """Source of the integrator module of a method for six leg kinds, with or without leg laws.

    machines  every run has its own parameters;  lanes  1: for a single run
    """
    method, state = METHODS[name], programs.state_layout(kinds, laws)
    moving = programs.moving_layout(method, kinds, laws).size
    source = programs.chart_rows(method, kinds, laws)
    numbers = {"rows": state.size, "body": STATE.size, "moving": moving, "charted": len(source)}
    if laws:
        numbers["state_anchor"] = state.at("anchor")
    layout, rates = programs.stage_layout(method, kinds, laws), moving + (12 if laws else 0)
    given = {"method": name, "source": source, "tableau": tableau_of(method), "rates": rates}
    return _text("steps", kinds, laws, machines, layout, lanes, **given, **numbers)


def record_text(kinds: tuple[str, ...], laws: Laws, reactions: bool, machines: bool = False) -> str:
    """Source of the record module."""
    outputs = programs.RECORD.size + (6 * programs.REACTIONS.size if reactions else 0)
    layout, rows = programs.record_layout(kinds, laws), programs.state_layout(kinds, laws).size
    given = {"reactions": reactions, "outputs": outputs, "rows": rows}
    return _text("record", kinds, laws, machines, layout, **given)


def watch_text(kinds: tuple[str, ...], laws: Laws, machines: bool = False) -> str:
    """Source of the module that looks at states that are there already."""
    layout = programs.state_layout(kinds, laws)
    return _text("watch", kinds, laws, machines, layout, rows=layout.size)


_lock = threading.Lock()


@lru_cache(maxsize=64)
def _load(
    what: str, kinds: tuple[str, ...], laws: Laws, reactions: bool, machines: bool, lanes: int
) -> Kernel:
    legs = kinds[0] if len(set(kinds)) == 1 else "_".join(kinds)
    if what == "record":
        text = record_text(kinds, laws, reactions, machines)
    elif what == "watch":
        text = watch_text(kinds, laws, machines)
    else:
        text = steps_text(what, kinds, laws, machines, lanes)
    form = f"{'_'.join(laws) or 'bare'}{'_machines' if machines else ''}{'_one' * (lanes == 1)}"
    return load_generated(f"simulate_{what}_{form}_{legs}", text).kernel


def load(
    what: str,
    kinds: tuple[str, ...],
    laws: Laws,
    reactions: bool = False,
    machines: bool = False,
    lanes: int = LANES,
) -> Kernel:
    """The compiled steps of a method, "record" or "watch": from memory, from disk, or compiled now.

    machines  every run has its own parameters, limits and numbers of its leg laws
    lanes     1: steps of a single run, the same operations and bits without the other lanes of a vector
    """
    with _lock:
        return _load(what, kinds, laws, reactions, machines, lanes)


def parts_of(n: int, workers: int) -> list[slice]:
    """n runs cut over threads where that pays."""
    parts = max(1, min(workers, n // (2 * BLOCK)))
    edges = [n * i // parts for i in range(parts + 1)]
    return [slice(low, high) for low, high in pairwise(edges)]


def at_once(workers: int, calls: Sequence[Callable[[], None]]) -> None:
    """Calls that need not wait for each other."""
    for item in [native._pool(workers).submit(call) for call in calls]:
        item.result()


def in_parts(n: int, workers: int, work: Callable[[slice], None]) -> None:
    """``work(runs)`` over n runs."""
    parts = parts_of(n, workers)
    if len(parts) > 1:
        at_once(workers, [partial(work, runs) for runs in parts])
    elif n:
        work(*parts)


@lru_cache(maxsize=8)
def _unwatched(parameters: int) -> Watched:
    """Nothing to look at."""
    limits, marks = np.zeros((1, parameters + NUMBERS)), np.zeros((MARKS.size, 0), dtype=np.int64)
    return limits, marks, np.zeros((0, 0, 0))


def advance(
    compiled: Kernel,
    state: Array,
    steps: int,
    every: int,
    step: float,
    *,
    effort: Array,
    external: Array,
    law: Array,
    par: Array,
    workers: int = 1,
    watch: Watched | None = None,
) -> tuple[Array, NDArray[np.int64]]:
    """Advance all runs in place by `steps`; answers the recorded states (steps/every, rows, n) and, per run, the
    first step after which a state was not finite or beyond any machine (-1: none).

    state     (rows, n)
    effort    (3 steps, 6, n or 1): at the start, middle and end of each step; (1, 6, n or 1): held
    external  the same, platform axes
    law       (rows of LEG_LAW, 6, n or 1)
    par       (parameters,), or (n, parameters); where they, or the laws, differ the kernel must be one of `machines`
    watch     limits to look at after every step, behind the machine's parameters (1 or n, .); marks (rows of MARKS, n)
              and states and commands before first times (SLOTS, rows + 6, n), both updated; None: nothing is looked at
    """
    n = state.shape[1]
    limits, marks, before = given = watch or _unwatched(par.shape[-1])
    par = np.atleast_2d(par)
    out = np.empty((steps // every, state.shape[0], n))
    bad = np.empty(n, dtype=np.int64)
    bad.fill(-1)
    if n < 4 * BLOCK or workers == 1:
        compiled(steps, every, step, state, effort, external, law, par, out, bad, 0, *given)
        return out, bad

    def part(runs: slice) -> None:
        cut = [a if a.shape[2] == 1 else a[:, :, runs] for a in (effort, external, law)]
        own, limited = (a if len(a) == 1 else a[runs] for a in (par, limits))
        mine = state[:, runs], *cut, own, out[:, :, runs], bad[runs]
        compiled(steps, every, step, *mine, 0, limited, marks[:, runs], before[:, :, runs])

    in_parts(n, workers, part)
    return out, bad


def tell(
    kinds: tuple[str, ...],
    laws: Laws,
    reactions: bool,
    rows: Array,
    command: Array,
    external: Array,
    law: Array,
    par: Array,
) -> dict[str, Array]:
    """What a record says beside its state, (width, N) each by the names of LEGS, RECORD and REACTIONS.

    rows (state, N), command and external (6, N), law (rows of LEG_LAW, 6, runs or 1), par (parameters,) or
    (runs, parameters); N is records times runs
    """
    compiled, n = load("record", kinds, laws, reactions, par.ndim == 2), rows.shape[1]
    layout, each = LEGS.then(**dict(programs.RECORD.blocks())), programs.REACTIONS
    size = layout.size + (6 * each.size if reactions else 0)
    out, flat_law = np.empty((size, n)), law.reshape(law.shape[0] * 6, -1)
    runs = flat_law.shape[1]

    def part(some: slice) -> None:
        cut = [a[:, some] for a in (rows, command, external)]
        own = native.own_parameters(par, some.start)
        compiled(*cut, np.roll(flat_law, -(some.start % runs), 1), own, out[:, some])

    in_parts(n, native.threads(), part)
    told: dict[str, Any] = programs.named(layout, out)
    if reactions:
        blocks = out[layout.size :].reshape(6, each.size, n)
        told |= {name: blocks[:, getattr(each, name)] for name in each.names}
    return told
