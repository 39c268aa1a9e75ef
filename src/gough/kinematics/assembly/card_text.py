"""CUDA text of all modes of one geometry: the traced programs of paths and proofs, and the loops of card.toml.

The joints lie in constant memory; a chart changes only the signs of the platform's, and on the way only K moves.  Paths
may use approximate quotients and roots, for a step is judged by its corrections; proofs use none but correctly rounded
operations (`ROUNDINGS` of proof_program.py counts them).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any

from gough.documents.source import parse_toml
from gough.engines.emit_c import statements
from gough.engines.emit_cuda import RECIPROCAL, branch_free
from gough.engines.tracer import Program
from gough.kinematics.assembly import lanes
from gough.kinematics.assembly.forms import MIRROR
from gough.kinematics.assembly.lane_tracker import DATA, EPS, SETTLED, TURNS
from gough.kinematics.assembly.leg_equations import LEG, POINT
from gough.kinematics.assembly.paths import SMALLEST
from gough.kinematics.assembly.proof_program import PROOF, QUESTION, proof
from gough.kinematics.assembly.roots import ROUNDING, SHARP
from gough.kinematics.assembly.step_programs import (
    ADVANCE,
    ADVANCED,
    COEFFICIENTS,
    ORDER,
    SERIES,
    advance,
    corrections,
    series,
)
from gough.layout import POSE, Layout

GEOMETRY = Layout(base=18, joint=18, unit=1, start=12, base_origin=3, base_axes=9).then(
    joint_origin=3, joint_axes=9, own_base=18, own_joint=18
)
"""Constant memory: normalized joints, unit of length (m), K of the start as pairs; for poses in the world the axes and
origins of both frames and the machine's own joints from these origins."""
ROOT = Layout(point=16, radius=1, unique=1, wq=1, wd=1)
THREADS = {"paths": 64, "proofs": 64, "judge": 64, "poses": 64}
Words = dict[str, Callable[[int], str]]


@lru_cache(maxsize=1)
def _texts() -> dict[str, Any]:
    text = files("gough.kinematics.assembly").joinpath("card.toml").read_text(encoding="utf-8")
    return parse_toml(text, "card.toml")


def _lines(program: Program, layout: Layout, words: Words, to: str, depth: int) -> str:
    """Statements of a program over the rows of a layout, read by block; its outputs go into the array `to`."""
    each = [words[name](k) for name, width in layout.blocks() for k in range(width)]
    found = statements(
        program, "double", lambda _, k: each[k], lambda k, v: f"{to}[{k}] = {v};", " " * 4 * depth
    )
    return "\n".join(found)


def _leg(K: Callable[[int, int], str]) -> Callable[[int], str]:
    """Rows of six legs in the chart at hand; K(leg, part): real and imaginary part of the squared length."""

    def row(k: int) -> str:
        leg, at = divmod(k, LEG.size)
        if at >= LEG.at("K"):
            return K(leg, at - LEG.at("K"))
        axis, sign = at % 3, "-" if at < LEG.at("m") else "+"
        return f"BASE({3 * leg + axis}) {sign} turn{axis} * JOINT({3 * leg + axis})"

    return row


def _on_the_way(left: str) -> Callable[[int, int], str]:
    """K where `left` of a path is left."""

    def K(leg: int, part: int) -> str:
        start = f"START({2 * leg + part})"
        return (
            f"{left} * {start}" if part else f"square[{leg}] - {left} * (square[{leg}] - {start})"
        )

    return K


def _slope(k: int) -> str:
    leg, at = divmod(k, LEG.size)
    if at < LEG.at("K"):
        return "0.0"
    start = f"START({2 * leg + at - LEG.at('K')})"
    return f"-{start}" if at > LEG.at("K") else f"square[{leg}] - {start}"


def _at_the_end(leg: int, part: int) -> str:
    return "0.0" if part else f"square[{leg}]"


def _rows(array: str, first: int = 0) -> Callable[[int], str]:
    return lambda k: f"{array}[{first + k}]"


def _paths() -> dict[str, str]:
    here: Words = {"v": _rows("X", POINT.at("v")), "w": _rows("X", POINT.at("w"))}
    ways: Words = {"legs": _leg(_on_the_way("left")), "slopes": _slope}
    onward: Words = {name: _rows("C", COEFFICIENTS.at(name)) for name in COEFFICIENTS.names}
    onward |= {"legs": _leg(_on_the_way("ahead")), "start": _rows("X"), "step": lambda k: "step"}
    return {
        "series": _lines(branch_free(series(moving=False)), SERIES, here | ways, "C", 3),
        "advance": _lines(branch_free(advance()), ADVANCE, onward, "Y", 3),
    }


def _proofs() -> dict[str, str]:
    here: Words = {"v": _rows("X", POINT.at("v")), "w": _rows("X", POINT.at("w"))}
    here["legs"] = _leg(_at_the_end)
    return {
        "correct": _lines(branch_free(corrections()), QUESTION, here | {"unit": str}, "Y", 3),
        "proof": _lines(proof(), QUESTION, here | {"unit": lambda k: repr(EPS)}, "A", 2),
    }


def _numbers() -> dict[str, Any]:
    """Rows, sizes and limits by the words of card.toml."""
    found: dict[str, Any] = {name: GEOMETRY.at(name) for name in GEOMETRY.names}
    for layout in (POINT, PROOF, ADVANCED, COEFFICIENTS, POSE, ROOT):
        found |= {name: layout.at(name) for name in layout.names if name != "point"}
    found |= {
        "constants": GEOMETRY.size,
        "point": POINT.size,
        "coefficients": COEFFICIENTS.size,
        "advanced": ADVANCED.size,
        "proof_rows": PROOF.size,
        "root": ROOT.size,
        "pose": POSE.size,
        "order": f"{ORDER}.0",
        "reached": lanes.REACHED,
        "stuck": lanes.STUCK,
        "long": lanes.LONG,
        "infinite": lanes.INFINITE,
        "rechart": repr(lanes.RECHART * lanes.RECHART),
        "off_chart": repr(lanes.OFF_CHART),
        "smallest": repr(SMALLEST),
        "turns": TURNS,
        "settled": repr(SETTLED),
        "eps": repr(EPS),
        "data": repr(DATA),
        "sharp": repr(SHARP),
        "rounding": repr(ROUNDING),
        "mirror": ", ".join(str(int(x)) for x in MIRROR),
    }
    return found


PARTS: dict[str, Sequence[str]] = {
    "paths": ("head", "charts", "paths"),
    "proofs": ("head", "charts", "proofs"),
    "judge": ("head", "judge"),
    "poses": ("head", "poses"),
}
PROGRAMS = {"paths": _paths, "proofs": _proofs}


@lru_cache(maxsize=16)
def text(name: str, paths: int, halved: bool) -> str:
    """The module `name` (PARTS) with its function `kernel`, for so many paths; `halved`: each for two roots."""
    words = _numbers() | {"paths": paths, "roots": paths * (2 if halved else 1)}
    words |= {"threads": THREADS[name]} | PROGRAMS.get(name, dict)()
    texts = _texts()
    whole = "".join(texts[part] for part in PARTS[name])
    return RECIPROCAL + Template(whole).substitute(words)
