"""Forward kinematics on the GPU (``engine="cuda"``): one problem per thread, legs that are struts.

The round of Newton is the traced one of forward_lanes.py; forward_card.toml holds the loop around it and the
certificate (certificate.py).  What does not contract at once, and what is not proved as a whole, is left to the
compiled kernels on the CPU, whose answers these are then: pieces of the straight motion, failures and their reasons.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.documents.source import parse_toml
from gough.engines.cuda import cupy
from gough.engines.emit_c import statements
from gough.engines.emit_cuda import split
from gough.engines.held_kernel import HeldKernel
from gough.engines.tracer import Program
from gough.kinematics.certificate import ROUND, WIDEN
from gough.kinematics.forward_batch import solve_batch
from gough.kinematics.forward_kernel import ROUNDING
from gough.kinematics.forward_lanes import (
    CONTRACTS,
    MACHINE,
    PROBLEM,
    ROUNDS,
    machine_row,
    newton_round,
)
from gough.kinematics.forward_lanes import ROUND as ROUND_ROWS
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE, Layout
from gough.model import Platform
from gough.struts import lengths_only

ENGINES = ("native", "cuda")
PART = 1 << 20  # problems of a launch
THREADS = 64
TOLD = Layout(settled=1, iterations=1, residual=1)


def check_engine(platform: Platform, engine: str) -> None:
    """An error for any other name, where there is no GPU, and for legs that are no struts."""
    if engine not in ENGINES:
        raise InputError("engine", engine, f"must be one of {', '.join(ENGINES)}")
    if engine == "cuda":
        cupy()
        if not lengths_only(platform):
            allowed = "serves legs whose coordinate is the distance of their joints; native serves the others"
            raise InputError("engine", engine, allowed)


@lru_cache(maxsize=1)
def _parts() -> tuple[Program, Program, Layout]:
    """What the round of Newton makes of the machine once, the rest of it, and the rows of constant memory."""
    once, rest = split(newton_round())
    return once, rest, Layout(once=len(once.outputs), base=18, joint=18, scale=1)


@lru_cache(maxsize=1)
def text() -> str:
    """The module with its function `kernel`."""
    _, rest, numbers = _parts()
    words: dict[str, Any] = {name: numbers.at(name) for name in numbers.names}
    for layout in (POSE, ROUND_ROWS):
        words |= {name: layout.at(name) for name in layout.names}
    words |= {
        "constants": numbers.size,
        "pose": POSE.size,
        "round_rows": ROUND_ROWS.size,
        "threads": THREADS,
        "rounds": ROUNDS,
        "rounding": repr(ROUNDING),
        "contracts": repr(CONTRACTS),
        "widen": repr(WIDEN),
        "round": repr(ROUND),
    }
    each = [f"X[{k}]" for k in range(POSE.size)]
    each += [f"BASE({k})" for k in range(PROBLEM.at("lengths") - PROBLEM.at("centers"))]
    each += [f"l[{k}]" for k in range(6)]
    words["newton"] = "\n".join(
        statements(
            rest,
            "double",
            lambda code, k: f"par[{k}]" if code == "par" else each[k],
            lambda k, value: f"Y[{k}] = {value};",
            " " * 12,
        )
    )
    file = "forward_card.toml"
    source = files("gough.kinematics").joinpath(file).read_text(encoding="utf-8")
    return Template(parse_toml(source, file)["kernel"]).substitute(words)


@lru_cache(maxsize=8)
def _compiled(device: int) -> HeldKernel:
    return HeldKernel(text(), THREADS)


class CardForward:
    """The kernel on the current device, with the numbers of a machine: table (6, LEG.size) and its size, m."""

    def __init__(self, table: Array, scale: float) -> None:
        self.kernel = _compiled(int(cupy().cuda.Device().id))
        once, _, layout = _parts()
        row = np.empty(layout.size)
        machine = machine_row(table, scale)
        row[layout.once] = once.run((), machine.tolist())
        row[layout.base], row[layout.joint] = table[:, LEG.base].ravel(), machine[MACHINE.joints]
        row[layout.scale] = scale
        self.numbers = row

    def solve(self, lengths: Any, guess: Any, margin: float, proof: bool) -> tuple[Any, Any]:
        """Of lengths (n, 6) and guesses (n, 12) or (1, 12) on the device: poses (n, 12) and TOLD (n, 3), there."""
        cp, n = cupy(), len(lengths)
        poses, told = cp.empty((n, POSE.size)), cp.empty((n, TOLD.size))
        given = np.int64(n), lengths, guess, np.int64(len(guess))
        asked = np.float64(margin), np.int64(proof)
        self.kernel.launch(self.numbers, n, *given, *asked, poses, told)
        return poses, told


def solve_on_card(
    table: Array,
    lam: Array,
    guess: Array,
    scale: float,
    margin: float,
    proof: bool,
    pose: Array,
    info: Array,
) -> None:
    """As `forward_batch.solve_batch`."""
    cp, kernel, single = cupy(), CardForward(table, scale), len(guess) == 1
    told = np.empty((len(lam), TOLD.size))
    with cp.cuda.Stream.null:
        for low in range(0, len(lam), PART):
            part = slice(low, low + PART)
            begin = np.ascontiguousarray(guess if single else guess[part])
            found = kernel.solve(cp.asarray(lam[part]), cp.asarray(begin), margin, proof)
            for to, there in zip((pose, told), found, strict=True):
                cp.asnumpy(there, out=to[part])
    info[:] = 0.0
    info[:, INFO.iterations], info[:, INFO.residual] = (
        told[:, TOLD.iterations],
        told[:, TOLD.residual],
    )
    if proof:
        info[:, INFO.at("certified") :] = 1.0
    left = np.flatnonzero(told[:, TOLD.settled] == 0.0)
    if len(left):
        begin = guess if single else np.ascontiguousarray(guess[left])
        found, said = np.empty((len(left), POSE.size)), np.empty((len(left), INFO.size))
        solve_batch(table, lam[left], begin, scale, margin, proof, found, said)
        pose[left], info[left] = found, said
