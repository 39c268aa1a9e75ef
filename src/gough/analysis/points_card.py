"""`points_inside` on the GPU (``engine="cuda"``): one position per thread, as `workspace_kernel.inside`."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.documents.source import parse_toml
from gough.engines.cuda import cupy
from gough.engines.held_kernel import HeldKernel
from gough.layout import Layout
from gough.struts import PAIRS

NUMBERS = Layout(base=18, arm=18, low=6, high=6, axes=36, cosines=12, need=15)
"""Constant memory: base joints, platform joints from the reference point in world axes, strokes, axes and cosines of
the cones of both ends, and the distances that each pair of legs needs, -1 where it needs none."""
THREADS = 128
PART = 1 << 24  # positions of a launch
EXACT = ("--std=c++14", "--fmad=false")


@lru_cache(maxsize=1)
def text() -> str:
    """The module with its function `kernel`."""
    file = "points_card.toml"
    source = files("gough.analysis").joinpath(file).read_text(encoding="utf-8")
    words: dict[str, Any] = {name: NUMBERS.at(name) for name in NUMBERS.names}
    words |= {"constants": NUMBERS.size, "threads": THREADS}
    return Template(parse_toml(source, file)["kernel"]).substitute(words)


@lru_cache(maxsize=8)
def _compiled(device: int) -> HeldKernel:
    return HeldKernel(text(), THREADS, EXACT)


class CardPoints:
    """The kernel on the current device, with the tables of `workspace_kernel.inside`: a machine at one rotation."""

    def __init__(self, tables: tuple[Array, ...]) -> None:
        self.kernel = _compiled(int(cupy().cuda.Device().id))
        *blocks, pairs, need = tables
        row = np.full(NUMBERS.size, -1.0)
        for name, block in zip(NUMBERS.names, blocks, strict=False):
            row[getattr(NUMBERS, name)] = block.ravel()
        known = PAIRS.T.tolist()
        row[[NUMBERS.at("need") + known.index(pair) for pair in pairs.tolist()]] = need
        self.numbers = row

    def inside(self, points: Any) -> Any:
        """(n,) uint8 of points (n, 3) on the device, m."""
        n = len(points)
        out = cupy().empty(n, dtype=np.uint8)
        self.kernel.launch(self.numbers, n, np.int64(n), points, out)
        return out


def inside_on_card(points: Array, tables: tuple[Array, ...]) -> NDArray[np.uint8]:
    """As `workspace_kernel.inside`: (N,) of points (N, 3), m."""
    cp, kernel = cupy(), CardPoints(tables)
    out = np.empty(len(points), dtype=np.uint8)
    with cp.cuda.Stream.null:
        for low in range(0, len(points), PART):
            part = slice(low, low + PART)
            cp.asnumpy(kernel.inside(cp.asarray(points[part])), out=out[part])
    return out
