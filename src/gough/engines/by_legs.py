"""Programs of six like legs, cut in four: what all legs share, one leg, what joins the six, and what a leg makes of it.

A traced program of the machine does the same to each of its six legs and adds the six answers up.  `cut` finds that
again in the operations themselves: those that depend on one leg's inputs alone are that leg's, and legs are alike whose
operations are the same but for these inputs.  A card then runs one program six times, or on several lanes at once, and
reverse mode needs to keep the numbers of one leg only.  Sums over the legs are taken in another order, so answers
differ by rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from gough.engines.tracer import Graph, Operation, Program, operands, renumbered

LEGS = 6
ALL = frozenset(range(LEGS))
SUMS = ("add", "sub", "neg")
Owner = Callable[[str, int], tuple[int, int] | None]
"""(array, index) of an input -> its leg, and its place among such inputs of a leg; None: the machine's."""
Leaf = tuple[int, int]
"""An operation and its sign in a sum."""


class ByLegs(NamedTuple):
    """A program in four; `own` are a leg's inputs x by their places, par of leg and after the machine's and the leg's.

    common  x, par -> shared
    leg     x: shared, own; par -> the leg's terms of the sums, then what it keeps for `after`
    joint   x: shared, sums over six legs; par -> outputs that are no leg's own, then what `after` reads of them
    after   x: shared, own, kept, passed; par -> outputs of the leg
    joined  places of joint's outputs among those of the whole program;  told  the same of `after`, [leg][slot]
    """

    common: Program
    leg: Program
    joint: Program
    after: Program
    joined: tuple[int, ...]
    told: tuple[tuple[int, ...], ...]

    @property
    def shared(self) -> int:
        """Numbers that all read."""
        return len(self.common.outputs)

    @property
    def sums(self) -> int:
        """Numbers that are added up over the legs."""
        return self.joint.sizes["x"] - self.shared

    @property
    def kept(self) -> int:
        """Numbers of a leg that `after` reads again."""
        return len(self.leg.outputs) - self.sums

    @property
    def passed(self) -> int:
        """Numbers of the joint that `after` reads."""
        return len(self.joint.outputs) - len(self.joined)


def cut(program: Program, owner: Owner, own: int, par: int) -> ByLegs | None:
    """The program in four; None where its legs are not alike, or meet in another way than in sums.

    own, par  how many inputs x of its own a leg has, and inputs par the programs of a leg"""
    work = _Work(program, owner)
    return work.made(own, par) if work.alike else None


class _Work:
    """What is known of a program's operations while it is cut."""

    def __init__(self, program: Program, owner: Owner) -> None:
        self.program, self.operations, self.owner = program, program.operations, owner
        self.outputs, self.peeled = set(program.outputs), set[int]()
        legs: list[frozenset[int]] = []
        for operation in self.operations:
            found = self._owned(operation)
            own = [frozenset((found[0],))] if found else [legs[a] for a in operands(operation)]
            legs.append(frozenset().union(*own))
        self.legs = legs
        self._peel()
        self.behind: list[frozenset[int]] = []  # legs whose numbers meet those of all legs again
        for at in range(len(self.operations)):
            self.behind.append(self._behind(at))

    def _owned(self, operation: Operation) -> tuple[int, int] | None:
        return self.owner(operation.code, operation.a) if operation.code in ("x", "par") else None

    @cached_property
    def users(self) -> list[list[int]]:
        """Who reads an operation."""
        users: list[list[int]] = [[] for _ in self.operations]
        for at, operation in enumerate(self.operations):
            for a in operands(operation):
                users[a].append(at)
        return users

    def _joins(self, at: int) -> bool:
        return len(self.legs[at]) > 1 or at in self.peeled

    def _peel(self) -> None:
        """A sum of the machine's own and a leg's, which only joining operations read, joins them."""
        for at in range(len(self.operations) - 1, -1, -1):
            code, a, b = self.operations[at]
            if code in ("add", "sub") and {len(self.legs[a]), len(self.legs[b])} == {0, 1}:
                read = self.users[at] and all(map(self._joins, self.users[at]))
                if read and at not in self.outputs:
                    self.peeled.add(at)

    def _behind(self, at: int) -> frozenset[int]:
        if not self._joins(at):
            return frozenset()
        parts = operands(self.operations[at])
        found = frozenset().union(*(self.behind[a] for a in parts))
        if any(self.legs[a] == ALL for a in parts):
            found = found.union(*(self.legs[a] for a in parts if self._single(a)))
        return found

    def _single(self, at: int) -> bool:
        return len(self.legs[at]) == 1 and at not in self.peeled

    def side(self, at: int) -> int | None:
        """The leg of an operation, before the legs are joined or after; None: the machine's or all legs'."""
        own = self.legs[at] if self._single(at) else self.behind[at]
        return next(iter(own)) if own else None

    def _adds(self, at: int) -> bool:
        return self._joins(at) and not self.behind[at] and self.operations[at].code in SUMS

    def _inside(self, at: int) -> bool:
        """A part of one larger sum and nothing else."""
        users = self.users[at]
        return (
            self._adds(at) and len(users) == 1 and self._adds(users[0]) and at not in self.outputs
        )

    @cached_property
    def sums(self) -> dict[int, tuple[list[list[Leaf]], list[Leaf]]]:
        """Of each sum that a leg has a part in: the terms of every leg, and the others."""
        found = {}
        for root in range(len(self.operations)):
            if self._adds(root) and not self._inside(root):
                legs: list[list[Leaf]] = [[] for _ in range(LEGS)]
                rest: list[Leaf] = []
                for at, sign in self._leaves(root):
                    leg = self.side(at)
                    (rest if leg is None else legs[leg]).append((at, sign))
                if any(legs):
                    found[root] = legs, rest
        return found

    def _leaves(self, root: int) -> list[Leaf]:
        found, stack = [], [(root, 1)]
        while stack:
            at, sign = stack.pop()
            if at != root and not self._inside(at):
                found.append((at, sign))
                continue
            code, a, b = self.operations[at]
            stack.append((a, -sign if code == "neg" else sign))
            if b >= 0:
                stack.append((b, -sign if code == "sub" else sign))
        return sorted(found)

    @cached_property
    def told(self) -> tuple[tuple[int, ...], ...]:
        """Places of the outputs of each leg."""
        each = [self.side(at) for at in self.program.outputs]
        return tuple(tuple(p for p, own in enumerate(each) if own == leg) for leg in range(LEGS))

    @property
    def alike(self) -> bool:
        """Every leg has the same terms in every sum and the same own outputs, and meets the others in sums alone."""
        for at, operation in enumerate(self.operations):
            meets = self._joins(at) and not self._adds(at) and not self.behind[at]
            if len(self.behind[at]) > 1 or (meets and any(map(self._single, operands(operation)))):
                return False
        number = self._numbered()
        slots = [
            [[(number[at], sign) for at, sign in own] for own in legs]
            for legs, _ in self.sums.values()
        ]
        slots.append([[(number[self.program.outputs[p]], 1) for p in own] for own in self.told])
        some = bool(self.sums) or bool(self.told[0])
        return some and all(own == legs[0] for legs in slots for own in legs)

    def _numbered(self) -> dict[int, int]:
        """A number for each operation of a leg, the same for the same operation of another leg."""
        known: dict[tuple[object, ...], int] = {}
        number: dict[int, int] = {}
        for at, operation in enumerate(self.operations):
            if self.side(at) is None:
                continue
            found = self._owned(operation)
            parts = [(1, number[a]) if a in number else (0, a) for a in operands(operation)]
            if operation.code in ("add", "mul"):
                parts.sort()
            key = (operation.code, *parts) if found is None else (operation.code, found[1])
            number[at] = known.setdefault(key, len(known))
        return number

    def made(self, own: int, par: int) -> ByLegs:
        """The four programs."""
        fixed = self.program.constant_nodes()
        kept = [p for p, at in enumerate(self.program.outputs) if self.side(at) is None]
        told = [self.program.outputs[p] for p in self.told[0]]
        after = {at for at in range(len(self.operations)) if self.behind[at] == {0}}
        reads = {self.program.outputs[p] for p in kept}
        late = {a for at in after for a in operands(self.operations[at])} | set(told)
        for at, operation in enumerate(self.operations):
            if self.side(at) in (None, 0) and (self._joins(at) or self._single(at)):
                reads |= set(operands(operation))
        shared = sorted(a for a in reads | late if not self.legs[a] and not fixed[a])
        again = sorted(a for a in late if self._single(a) and not self._given(a, fixed))
        passed = sorted(a for a in late if self._joins(a) and not self.behind[a])
        leg = _Copy(self, shared)
        terms = [leg.total(each[0]) for each, _ in self.sums.values()]
        terms += [leg.put(at) for at in again]
        joint = _Copy(self, shared, sums={root: j for j, root in enumerate(self.sums)})
        joined = [joint.put(at) for at in (*(self.program.outputs[p] for p in kept), *passed)]
        end = _Copy(self, shared, more=(own, [*again, *passed]))
        answers = [end.put(at) for at in told]
        sizes, n = self.program.sizes, len(shared)
        last = n + own + len(again) + len(passed)
        return ByLegs(
            Program.of(_graph(self.operations), shared, sizes),
            Program.of(leg.graph, terms, {"x": n + own, "par": par}),
            Program.of(joint.graph, joined, {"x": n + len(self.sums), "par": sizes["par"]}),
            Program.of(end.graph, answers, {"x": last, "par": par}),
            tuple(kept),
            self.told,
        )

    def _given(self, at: int, fixed: Sequence[int]) -> bool:
        """An input of the leg, or a number that its parameters give."""
        return bool(fixed[at]) or self.operations[at].code == "x"


class _Copy:
    """Operations copied into a graph of their own: shared ones and sums are inputs there, a leg's by their places."""

    def __init__(
        self,
        work: _Work,
        shared: Sequence[int],
        sums: dict[int, int] | None = None,
        more: tuple[int, Sequence[int]] = (0, ()),
    ) -> None:
        self.work, self.graph, self.sums = work, Graph(), sums or {}
        self.first = len(shared)
        inputs = [*enumerate(shared), *enumerate(more[1], self.first + more[0])]
        self.number = {at: self.graph.put("x", j) for j, at in inputs}

    def put(self, wanted: int) -> int:
        """Where an operation is in the graph, copied with all it needs."""
        stack = [wanted]
        while stack:
            at = stack[-1]
            needs = [] if at in self.number else self._needs(at)
            missing = [a for a in needs if a not in self.number]
            stack += missing
            if not missing:
                stack.pop()
                if at not in self.number:
                    self.number[at] = self._copied(at)
        return self.number[wanted]

    def _needs(self, at: int) -> Sequence[int]:
        if at in self.sums:
            return [a for a, _ in self.work.sums[at][1]]
        return operands(self.work.operations[at])

    def _copied(self, at: int) -> int:
        operation = self.work.operations[at]
        if at in self.sums:
            total = self.graph.put("x", self.first + self.sums[at])
            return self._added(total, self.work.sums[at][1])
        if operation.code in ("x", "par"):
            found = self.work.owner(operation.code, operation.a)
            place = operation.a if found is None else found[1]
            return self.graph.put(operation.code, place + self.first * (operation.code == "x"))
        return self.graph.put(*renumbered(operation, self.number))

    def total(self, terms: Sequence[Leaf]) -> int:
        """A sum of operations with signs."""
        for at, _ in terms:
            self.put(at)
        return self._added(self.graph.const(0.0), terms)

    def _added(self, total: int, terms: Sequence[Leaf]) -> int:
        for at, sign in terms:
            each = self.number[at]
            total = self.graph.add(total, each) if sign > 0 else self.graph.sub(total, each)
        return total


def _graph(operations: Sequence[Operation]) -> Graph:
    graph = Graph()
    graph.operations = list(operations)
    return graph
