"""CUDA text of the slopes of rollouts: one thread hands the slopes of a run back through its steps.

Every stage is replaced by its vector-Jacobian product (`engines.adjoint.pulled_back`) as on the CPU; where the six legs
are alike that of one leg runs six times, so that a thread keeps the numbers of one leg and not of six.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gough.engines.adjoint import pulled_back
from gough.engines.by_legs import ByLegs
from gough.engines.emit_cuda import RECIPROCAL
from gough.engines.tracer import Program
from gough.equations.machine import links, offsets
from gough.simulation import programs
from gough.simulation.cuda_legs import own_blocks, stage_cut
from gough.simulation.cuda_text import filled, stage_words, step_numbers
from gough.simulation.cuda_writer import Form, Module, Read, Write, Writer, by_blocks
from gough.simulation.programs import METHODS
from gough.simulation.tables import table


def back_cut(method: str, kinds: tuple[str, ...]) -> ByLegs | None:
    """A stage by legs, where slopes are handed back so: like legs whose only own input is the effort."""
    moving = programs.moving_layout(METHODS[method], kinds, ()).size
    found = stage_cut(method, kinds, (), moving)
    return found if own_blocks(method, kinds, ()) == ("effort",) else None


@lru_cache(maxsize=16)
def pull_module(form: Form) -> Module:
    """The kernel of a form that hands slopes back."""
    made = _Back(form)
    words = made.words()
    words["constants"] = max(made.writer.count, 1)
    return Module(filled(table("cuda_rollout")["pull"], words), tuple(made.writer.parts))


class _Back:
    """The words of cuda_rollout.toml."""

    def __init__(self, form: Form) -> None:
        self.form, self.method, self.writer = form, METHODS[form.method], Writer()
        kinds = form.kinds
        self.state = programs.state_layout(kinds, ())
        self.layout = programs.stage_layout(self.method, kinds, ())
        self.moving = programs.moving_layout(self.method, kinds, ()).size
        self.source = programs.chart_rows(self.method, kinds, ())
        self.stage, self.finish = (
            lowered.program for lowered in programs.steps_programs(form.method, kinds, ())[:2]
        )
        self.cut = back_cut(form.method, kinds) if form.lanes else None
        self.edges, self.asked = offsets(kinds), bool(form.back)

    def words(self) -> dict[str, Any]:
        """All of them."""
        start = [f"X[{row}]" if row < self.state.size else "0.0" for row in self.source]
        self.start = start
        read = by_blocks(self.layout, stage_words(self.form, self.method, self.state))
        asked = self.asked and bool(links(self.form.kinds))
        end = pulled_back(self.finish, asked)
        ahead = [f"Z[{k}] = {start[k]} + h * S[{k}];" for k in range(self.moving)]
        kept = [(k, row) for k, row in enumerate(self.source) if row < self.state.size]
        found = step_numbers(self.form) | {
            "reciprocal": RECIPROCAL,
            "chart": "\n            ".join(f"Z[{k}] = {at};" for k, at in enumerate(start)),
            "sum": "\n            ".join(ahead),
            "finish": self._lines(self.finish, read, lambda k, v: f"X[{k}] = {v};"),
            "end_back": self._lines(
                end, self._weighed(read, self.layout.size, "G"), self._to_rows("A", "=")
            ),
            "given_back": "\n            ".join(f"G[{row}] += A[{k}];" for k, row in kept),
            "taken_back": "\n                ".join(f"G[{row}] += B[{k}];" for k, row in kept),
            "slopes": self.edges[-1] if self.asked else 0,
            "arrays": f"double Q[{self.edges[-1]}] = {{}};"
            if self.asked
            else "const double *Q = X;",
        }
        return found | (self._whole(read) if self.cut is None else self._legs(self.cut, read))

    def _lines(self, program: Program, read: Read, write: Write) -> str:
        return self.writer.lines("machine", program, read, write)

    def _weighed(self, read: Read, size: int, weights: str) -> Read:
        """Inputs of a program, then the weights of its outputs."""
        return lambda k: read(k) if k < size else f"{weights}[{k - size}]"

    def _onward(self, k: int, value: str) -> str:
        return f"S[{k}] += weight * {value}; Z[{k}] = {self.start[k]} + ahead * {value};"

    def _to_rows(self, name: str, sign: str) -> Write:
        """Slopes over the rows of a stage: those of the chart in an array, of the loads into their sums; then those
        over the machine's numbers."""
        layout, charted = self.layout, len(self.source)

        def write(k: int, value: str) -> str:
            if k < charted:
                return f"{name}[{k}] {sign} {value};"
            for block, target in (("effort", "toward"), ("external", "pushed")):
                first = layout.at(block)
                if first <= k < first + 6 and value != "0.0":
                    return f"{target}[{k - first}] += {value};" if name == "B" else ""
            return self._to_machine(k - layout.size, value)

        return write

    def _to_machine(self, k: int, value: str) -> str:
        return "" if k < 0 or value == "0.0" else f"Q[{k}] += {value};"

    def _whole(self, read: Read) -> dict[str, str]:
        """The stage and its slopes as one program each."""
        back = pulled_back(self.stage, self.asked)
        weighed = self._weighed(read, self.layout.size, "V")
        return {
            "stage": "{\n" + self._lines(self.stage, read, self._onward) + "\n                }",
            "stage_back": "{\n"
            + self._lines(back, weighed, self._to_rows("B", "="))
            + "\n                }",
        }

    def _legs(self, cut: ByLegs, read: Read) -> dict[str, Any]:
        """The same by legs."""
        n, sums, texts = cut.shared, cut.sums, table("cuda_rollout")["legs"]
        head, row = self.edges[0], self.edges[1] - self.edges[0]

        def shared(k: int) -> str:
            return f"COMMON[{k}]" if k < n else f"T[{k - n}]"

        def total(k: int) -> str:
            return f"COMMON[{k}]" if k < n else f"TOTAL[stage][{k - n}]"

        def own(k: int) -> str:
            return f"COMMON[{k}]" if k < n else "own0"

        def joint_back(k: int, value: str) -> str:
            if k < n + sums:
                return f"HELD[{k}] = {value};" if k < n else f"T[{k - n}] = {value};"
            return self._to_machine(k - n - sums, value)

        def leg_back(k: int, value: str) -> str:
            if k <= n:
                onto = f"HELD[{k}] += {value};" if value != "0.0" else ""
                return onto if k < n else f"own_slope = {value};"
            k -= n + 1
            if value == "0.0" or k < head:
                return self._to_machine(k, value)
            return f"Q[{k} + {row} * leg] += {value};"

        parts = cut.common, cut.joint, cut.leg
        common, joint, leg = (pulled_back(program, self.asked) for program in parts)
        lines, leg_lines = self._lines, self.writer.leg_lines

        def to_common(k: int, value: str) -> str:
            return f"COMMON[{k}] = {value};"

        return {
            "arrays": f"double TOTAL[{len(self.method.nodes)}][{sums}];\n    $slopes_array",
            "slopes_array": f"double Q[{self.edges[-1]}] = {{}};"
            if self.asked
            else "const double *Q = X;",
            "shared": n,
            "sums": sums,
            "stage": texts["stage"],
            "stage_back": texts["back"],
            "common": lines(cut.common, read, to_common),
            "leg": leg_lines("leg", cut.leg, own, lambda k, v: f"T[{k}] += {v};"),
            "joint": lines(cut.joint, shared, lambda k, v: self._onward(cut.joined[k], v)),
            "common_again": lines(cut.common, read, to_common),
            "joint_back": lines(joint, self._weighed(total, n + sums, "V"), joint_back),
            "leg_back": leg_lines("leg", leg, self._weighed(own, n + 1, "T"), leg_back),
            "common_back": lines(
                common, self._weighed(read, self.layout.size, "HELD"), self._to_rows("B", "=")
            ),
        }
