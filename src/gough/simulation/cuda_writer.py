"""What the CUDA texts of runs are made with: the form of a kernel, and the writer of its programs.

What depends on parameters alone is computed on the host (`emit_cuda.split`) and lies in constant memory or, of runs
that each have their own machine, in rows on the device.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.dynamics.laws import Laws
from gough.engines.by_legs import LEGS
from gough.engines.emit_c import statements
from gough.engines.emit_cuda import branch_free, split
from gough.engines.tracer import Program, record
from gough.layout import Layout

THREADS = 64  # of a block; 128 are no faster, and spread 4,096 runs over fewer multiprocessors
INDENT = "                "  # of a program's lines
Read = Callable[[int], str]
Write = Callable[[int, str], str]


@dataclass(frozen=True)
class Form:
    """What a kernel is made for.

    method, kinds, laws   of the compiled kernels
    law        built-in controller and leg kinds of its model; None: efforts are given
    encoder    the controller reads the drives' own coordinates, behind their springs
    machines   every run has its own numbers;  watched  limits are looked at after every step
    held       efforts and wrenches have one sample per step, else three: start, middle, end
    lanes      threads of a run, which share the legs (cuda_legs.py); 0: one thread, no program of a single leg
    single     stages in single precision; the state, its sums, controllers and limits stay double
    back       slopes are handed back (cuda_rollout.py), over the machine's numbers too if True; None: steps ahead
    """

    method: str
    kinds: tuple[str, ...]
    laws: Laws = ()
    law: tuple[str, tuple[str, ...]] | None = None
    encoder: bool = False
    machines: bool = False
    watched: bool = True
    threads: int = THREADS
    held: bool = False
    lanes: int = 0
    single: bool = False
    back: bool | None = None


@dataclass(frozen=True)
class Module:
    """Text, and for each of its programs which numbers it takes and what it makes of them on the host."""

    text: str
    parts: tuple[tuple[str, Program], ...]

    def constants(self, given: dict[str, Array]) -> Array:
        """(count,) of one machine, (count, n) of machines; `given`: numbers (m,) or (m, n) by the names of the parts.

        Of each part what its program of the parameters gives; of `limits` the numbers themselves."""
        found = [value for name, once in self.parts for value in once.run((), list(given[name]))]
        return np.stack(np.broadcast_arrays(*found)) if found else np.zeros(1)


class Writer:
    """Collects the parts of a module while its text is made."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, Program]] = []
        self.count = 0
        self.of_legs: list[tuple[int, int]] = []  # of each program of a leg: first number, count

    def lines(
        self,
        name: str,
        program: Program,
        read: Read,
        write: Write,
        single: bool = False,
    ) -> str:
        """Statements of a program whose parameters are the numbers `name`."""
        once, rest = split(program)
        first = self.count
        self.parts.append((name, once))
        self.count += len(once.outputs)
        word = "SINGLE" if single else "NUMBER"
        given = (lambda k: f"{word}({first + k})", read)
        return _written(rest, given, write, single)

    def leg_lines(
        self,
        name: str,
        program: Program,
        read: Read,
        write: Write,
        single: bool = False,
    ) -> str:
        """The same of a program of one leg, whose parameters are the numbers `name` 0 to 5: the text reads those of the
        `leg` that it runs for."""
        once, rest = split(program)
        first, count = self.count, len(once.outputs)
        self.parts += [(f"{name} {leg}", once) for leg in range(LEGS)]
        self.count += LEGS * count
        place = sum(size for _, size in self.of_legs)
        self.of_legs.append((first, count))
        word = "OWN_SINGLE" if single else "OWN"
        given = (lambda k: f"{word}({first} + leg * {count} + {k}, {place + k})", read)
        return _written(rest, given, write, single)

    def kept(self, name: str, size: int) -> int:
        """Numbers that the text reads as they are: where they begin."""
        first = self.count
        self.parts.append((name, record(lambda par: par, {"par": size})))
        self.count += size
        return first


def _written(program: Program, given: tuple[Read, Read], write: Write, single: bool) -> str:
    """Statements; `given`: how parameters and inputs are read."""

    def fetch(code: str, k: int) -> str:
        return given[0](k) if code == "par" else given[1](k)

    number = "float" if single else "double"
    return "\n".join(statements(branch_free(program), number, fetch, write, INDENT))


def by_blocks(layout: Layout, words: dict[str, Callable[[int], str]]) -> Read:
    """How the rows of a layout are read: by block, given a row's place in it."""
    each = [
        words[name](k) if name in words else "" for name, w in layout.blocks() for k in range(w)
    ]
    return lambda row: each[row]


def at(word: str, first: int) -> Callable[[int], str]:
    """Rows from `first` on, by a word with a place for the row."""
    return lambda k: word.format(first + k)
