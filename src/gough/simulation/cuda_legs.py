"""CUDA text of a stage whose six like legs run one program (`engines/by_legs.py`), one after another or on lanes.

One thread of a run takes the legs one after another: a sixth of the text.  With several threads ("lanes") each takes
its share of the legs, the sums are exchanged by shuffles, and all else is done by all of them alike, bit for bit:
few runs then use the card better.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics.laws import Laws
from gough.engines.by_legs import LEGS, ByLegs, cut
from gough.equations.machine import offsets
from gough.layout import LEG_LAW
from gough.simulation import programs
from gough.simulation.cuda_writer import Form, Read, Write, Writer
from gough.simulation.programs import LAW_STATES, METHODS, SPINS
from gough.simulation.tables import table

LANES = 2  # of a run, three legs each: four and eight do more things alike, and are no faster
FEW = 16384  # runs up to which lanes are worth their exchanges: beyond, the card is full without
OWN = ("effort", "anchor", *programs.LEGS.names, *SPINS, *LAW_STATES)
"""Blocks of a stage's rows that hold a number for each leg."""


def own_blocks(method: str, kinds: tuple[str, ...], laws: Laws) -> tuple[str, ...]:
    """Those that a stage has."""
    return tuple(n for n in programs.stage_layout(METHODS[method], kinds, laws).names if n in OWN)


@lru_cache(maxsize=64)
def stage_cut(method: str, kinds: tuple[str, ...], laws: Laws, outputs: int) -> ByLegs | None:
    """The first outputs of a stage by legs; None where the legs are not alike."""
    if len(set(kinds)) > 1:
        return None
    program = programs.steps_programs(method, kinds, laws)[0].program.select(range(outputs))
    layout = programs.stage_layout(METHODS[method], kinds, laws)
    blocks = own_blocks(method, kinds, laws)
    place = {layout.at(name) + k: (k, j) for j, name in enumerate(blocks) for k in range(LEGS)}
    edges = offsets(kinds)
    head, row = edges[0], edges[1] - edges[0]

    def owner(code: str, k: int) -> tuple[int, int] | None:
        if code == "x":
            return place.get(k)
        if k < head:
            return None
        if k < edges[-1]:
            return (k - head) // row, head + (k - head) % row
        return (k - edges[-1]) % LEGS, head + row + (k - edges[-1]) // LEGS

    return cut(program, owner, len(blocks), head + row + (LEG_LAW.size if laws else 0))


def outputs_of(form: Form) -> int:
    """Outputs of a stage that a kernel reads: rates; where laws act anchors and, for the limits, excess of commands."""
    moving = programs.moving_layout(METHODS[form.method], form.kinds, form.laws).size
    return moving + ((12 if form.watched else 6) if form.laws else 0)


def fitted(form: Form, runs: int) -> Form:
    """The form with as many threads for each of so many runs as were fastest on an H200; one where legs differ."""
    if stage_cut(form.method, form.kinds, form.laws, outputs_of(form)) is None:
        return form
    if runs <= FEW:
        return replace(form, lanes=LANES)
    return form if form.single else replace(form, lanes=1)


def numbers_of_legs(kinds: tuple[str, ...], machine: Array, law: Array) -> dict[str, Array]:
    """What the programs of one leg read, "leg 0" to "leg 5": (m, n) of the machine's (P, n) and the laws' (6 L, n)."""
    edges = offsets(kinds)
    n = max(machine.shape[1], law.shape[1])

    def of(leg: int) -> Array:
        parts = machine[: edges[0]], machine[edges[leg] : edges[leg + 1]], law[leg::LEGS]
        return np.concatenate([np.broadcast_to(a, (len(a), n)) for a in parts])

    return {f"leg {leg}": of(leg) for leg in range(LEGS)}


class LegStage:
    """The stage of a kernel by legs.

    read     its rows;  onward  what becomes of its outputs
    numbers  name of the parameters of the whole stage
    """

    def __init__(self, form: Form, found: ByLegs, read: Read, onward: Write) -> None:
        self.form, self.found, self.read, self.onward = form, found, read, onward
        self.blocks = own_blocks(form.method, form.kinds, form.laws)
        self.lanes, self.real = form.lanes, "float" if form.single else "double"
        self.share = "0" if self.lanes >= LEGS else f"leg / {self.lanes}"

    def words(self, writer: Writer, numbers: str) -> dict[str, Any]:
        """The words of cuda.toml's [legs]."""
        found, single = self.found, self.form.single
        per, slots = -(-LEGS // self.lanes), len(found.told[0])
        sizes = {"K": found.kept, "W": slots}
        arrays = [f"{name}[{size}][{per}]" for name, size in sizes.items() if size]
        arrays += [f"J[{found.passed}]"] if found.passed else []
        own = [f"const {self.real} own{j} = {self._own(j)};" for j in range(len(self.blocks))]
        total = f"for (int k = 0; k < {found.sums}; k++) T[k] = total(T[k], group);"
        return {
            "shared": found.shared,
            "sums": found.sums,
            "from_lane": "lane" if self.lanes > 1 else "0",
            "unroll": 3 if self.lanes == LANES or not self.form.laws else 1,
            "own": "\n                ".join(own),
            "kept": f"{self.real} {', '.join(arrays)};" if arrays else "",
            "total": f"#pragma unroll\n            {total}" if self.lanes > 1 else "",
            "common": writer.lines(
                numbers, found.common, self.read, lambda k, v: f"COMMON[{k}] = {v};", single
            ),
            "leg": writer.leg_lines("leg", found.leg, self._read_leg, self._term, single),
            "joint": writer.lines(numbers, found.joint, self._read_joint, self._join, single),
            "after": table("cuda")["legs"]["after"] if slots else "",
            "leg_end": writer.leg_lines("leg", found.after, self._read_leg, self._tell, single),
            "told": "\n            ".join(
                self._told(slot, leg) for slot in range(slots) for leg in range(LEGS)
            ),
        }

    def _own(self, place: int) -> str:
        name = self.blocks[place]
        if name == "effort" and self.form.law is None:
            return "command[leg * effort_runs]"
        method = METHODS[self.form.method]
        layout = programs.stage_layout(method, self.form.kinds, self.form.laws)
        each = [self.read(layout.at(name) + leg) for leg in range(LEGS)]
        return "".join(f"leg == {leg} ? {each[leg]} : " for leg in range(LEGS - 1)) + each[-1]

    def _read_leg(self, k: int) -> str:
        n, own = self.found.shared, len(self.blocks)
        if k < n + own:
            return f"COMMON[{k}]" if k < n else f"own{k - n}"
        k -= n + own
        kept = self.found.kept
        return f"K[{k}][{self.share}]" if k < kept else f"J[{k - kept}]"

    def _read_joint(self, k: int) -> str:
        n = self.found.shared
        return f"COMMON[{k}]" if k < n else f"T[{k - n}]"

    def _term(self, k: int, value: str) -> str:
        sums = self.found.sums
        return f"T[{k}] += {value};" if k < sums else f"K[{k - sums}][{self.share}] = {value};"

    def _join(self, k: int, value: str) -> str:
        joined = self.found.joined
        if k < len(joined):
            return self.onward(joined[k], value)
        return f"J[{k - len(joined)}] = {value};"

    def _tell(self, k: int, value: str) -> str:
        return f"W[{k}][{self.share}] = {value};"

    def _told(self, slot: int, leg: int) -> str:
        """What becomes of one leg's output, in all lanes."""
        value = f"W[{slot}][{leg // self.lanes}]"
        if self.lanes > 1:
            value = f"__shfl_sync(group, {value}, {leg % self.lanes}, {self.lanes})"
        done = self.onward(self.found.told[leg][slot], "given")
        return f"{{ const {self.real} given = {value}; {done} }}"
