"""All modes on the GPU (``engine="cuda"``): many problems of one geometry by the kernels of card_text.py.

What they settle is settled by the rules of the compiled call (batch.py): every root proved, real or not real, distinct,
closed under conjugation, as many as the geometry has.  Everything else is left to the CPU, problem by problem.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines.cuda import cupy
from gough.engines.held_kernel import HeldKernel
from gough.kinematics.assembly import card_text, lanes
from gough.kinematics.assembly.batch import Found
from gough.kinematics.assembly.card_text import GEOMETRY, ROOT, THREADS
from gough.kinematics.assembly.forms import Complex
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.leg_equations import POINT
from gough.kinematics.assembly.paths import LEVELS, Legs
from gough.layout import POSE

PART = 1 << 17  # problems of a launch
BLOCKS = 4  # of paths per multiprocessor, each thread with one path after the other


@lru_cache(maxsize=32)
def _compiled(name: str, paths: int, halved: bool, device: int) -> HeldKernel:
    return HeldKernel(card_text.text(name, paths, halved), THREADS[name])


class CardModes:
    """The kernels of one geometry and start on the current device, and its numbers."""

    def __init__(
        self, geometry: Geometry, base: Array, joint: Array, start: tuple[Legs, Complex, bool]
    ) -> None:
        cp, (legs, X, halved) = cupy(), start
        self.device = cp.cuda.Device()
        self.paths, self.roots = len(X), len(X) * (2 if halved else 1)
        self.size = geometry.size
        self.form = len(X), halved, int(self.device.id)
        self.numbers = _constants(geometry, base, joint, legs.K)
        self.starts = cp.asarray(_starts(X))

    def launch(self, name: str, threads: int, *arguments: Any) -> None:
        """So many threads, one for each question."""
        _compiled(name, *self.form).launch(self.numbers, threads, *arguments)

    def roots_of(self, lengths: Any) -> tuple[Any, Any]:
        """Paths and proofs of lengths (n, 6), m, on the device: roots (n, roots, ROOT) and their words (n, roots)."""
        cp, n = cupy(), len(lengths)
        squares = (lengths / self.size) ** 2
        total = n * self.paths
        ends = cp.empty((total, POINT.size))
        charts, states = (cp.empty(total, dtype=np.int32) for _ in range(2))
        tolerance, fraction, most = LEVELS[0]
        walk = np.float64(tolerance), np.float64(fraction), np.int64(most)
        waiting = cp.zeros(1, dtype=np.uint64)
        workers = min(total, BLOCKS * _multiprocessors(self.device) * THREADS["paths"])
        out = waiting, ends, charts, states
        self.launch("paths", workers, np.int64(n), squares, self.starts, *walk, *out)
        roots = cp.empty((n, self.roots, ROOT.size))
        words = cp.empty((n, self.roots), dtype=np.int32)
        given = np.int64(n), squares, ends, charts, states
        self.launch("proofs", total, *given, roots, words)
        return roots, words

    def solve(self, lengths: Any) -> tuple[Any, Any, Any, Any, Any]:
        """As `Found`, everything on the device, rows and residual with room behind their ends."""
        cp, n = cupy(), len(lengths)
        roots, words = self.roots_of(lengths)
        count, number = (cp.empty(n, dtype=np.int64) for _ in range(2))
        real = cp.empty(n, dtype=np.uint64)
        self.launch("judge", n, np.int64(n), roots, words, count, number, real)
        first = cp.cumsum(number) - number
        rows, residual = cp.empty((n * self.roots, POSE.size)), cp.empty(n * self.roots)
        self.launch("poses", n, np.int64(n), lengths, roots, real, first, rows, residual)
        return count, number, first, rows, residual


def _multiprocessors(device: Any) -> int:
    return int(device.attributes["MultiProcessorCount"])


def _constants(geometry: Geometry, base: Array, joint: Array, K: Complex) -> Array:
    """GEOMETRY of a machine with these joints, m, and a start with these K."""
    g, row = geometry, np.empty(GEOMETRY.size)
    parts: dict[str, Any] = {
        "base": g.b,
        "joint": g.p,
        "unit": g.size,
        "start": np.stack([np.real(K), np.imag(K)], axis=-1),
        "base_origin": g.base_origin,
        "base_axes": g.base_axes,
        "joint_origin": g.joint_origin,
        "joint_axes": g.joint_axes,
        "own_base": base - g.base_origin,
        "own_joint": joint - g.joint_origin,
    }
    for name, value in parts.items():
        row[getattr(GEOMETRY, name)] = np.ravel(value) if np.ndim(value) else value
    return row


def _starts(X: Complex) -> Array:
    """(n, POINT and chart): the start's solutions in the charts of their largest coordinates."""
    rows = np.empty((POINT.size, len(X)))
    charts = [lanes.put_point(rows, n, x) for n, x in enumerate(np.ascontiguousarray(X))]
    return np.ascontiguousarray(np.concatenate([rows, [charts]]).T)


def find_on_card(
    geometry: Geometry, base: Array, l: Array, joint: Array, start: tuple[Legs, Complex, bool]
) -> Found:
    """As `batch.find`, for one geometry: base joints (6, 3) and lengths l (P, 6), m."""
    cp, P = cupy(), len(l)
    with cp.cuda.Stream.null:
        modes = CardModes(geometry, base, joint, start)
        answers = _Fetched(P, modes.roots)
        for low in range(0, P, PART):
            part = slice(low, min(P, low + PART))
            found = modes.solve(cp.asarray(np.ascontiguousarray(l[part])))
            done = cp.cuda.Event()
            done.record()
            answers.fetch()  # of the part before, while this one is computed
            answers.waiting = part, found, done
        answers.fetch()
    return answers.all()


class _Fetched:
    """Answers on the host; memory behind the last row is never touched."""

    def __init__(self, P: int, roots: int) -> None:
        self.count, self.number, self.first = (np.empty(P, dtype=np.int64) for _ in range(3))
        self.rows, self.residual = np.empty((P * roots, POSE.size)), np.empty(P * roots)
        self.stream = cupy().cuda.Stream(non_blocking=True)
        self.waiting: tuple[slice, tuple[Any, ...], Any] | None = None
        self.used = 0

    def fetch(self) -> None:
        """Copy what waits, as soon as it is computed."""
        if self.waiting is None:
            return
        part, found, done = self.waiting
        self.stream.wait_event(done)
        for to, there in zip((self.count, self.number, self.first), found[:3], strict=True):
            self._copy(there, to[part])
        first = self.first[part]
        total = int(first[-1] + self.number[part][-1])
        first += self.used
        here = slice(self.used, self.used + total)
        for to, there in zip((self.rows, self.residual), found[3:], strict=True):
            self._copy(there[:total], to[here])
        self.used, self.waiting = here.stop, None

    def _copy(self, there: Any, to: Any) -> None:
        cupy().asnumpy(there, stream=self.stream, out=to)

    def all(self) -> Found:
        """Everything that was fetched."""
        rows, residual = self.rows[: self.used], self.residual[: self.used]
        return Found(self.count, self.number, self.first, rows, residual)
