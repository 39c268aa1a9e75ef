"""Sines, cosines and arc tangents of compact C code in single precision: short ones of its own.

The library's take any angle: with their reduction by many digits of pi they are 4 kB on a Cortex-M4, with the arc
tangent 5 kB.  Those of templates/machine.toml reduce by three pieces of pi/2 (Cody and Waite), which is exact to
8192 rad, and have the polynomials of least largest error of that length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gough.engines.emit_c import literal
from gough.layout import CLOSURE

if TYPE_CHECKING:
    from gough.export.c_text import Parts

_LIBRARY, _OWN = "atan2f(", "arc_tangent("


def small(p: Parts) -> bool:
    """Code that has its own."""
    return p.compact and p.number == "float"


def own(functions: str, p: Parts) -> str:
    """The traced functions with its own arc tangent."""
    return functions.replace(_LIBRARY, _OWN) if small(p) else functions


def helpers(p: Parts, common: dict[str, Any]) -> str:
    """The functions that this code needs, from templates/machine.toml."""
    if not small(p):
        return ""
    turns = "pose" in p.chosen or ("fk" in p.chosen and bool(p.closing.cranks))
    bends = any(_LIBRARY in text for text in p.functions.values())
    return (common["circle"] if turns else "") + (common["arc_tangent"] if bends else "")


def turned(p: Parts, angle: str, cosine: str, sine: str) -> str:
    """Statements: cosine and sine of an angle."""
    if small(p):
        return f"circle({angle}, &{cosine}, &{sine});"
    return f"{cosine} = cos{p.suffix}({angle});\n        {sine} = sin{p.suffix}({angle});"


def cranks(p: Parts) -> str:
    """Cosines and sines of crank angles from home, for forward kinematics."""
    cosine, sine = (CLOSURE.at(name) for name in ("cosine", "sine"))
    if small(p) and p.baked and len(p.closing.cranks) == 6:
        homes = ", ".join(literal(zero, p.number) for _, zero, _ in p.closing.cranks)
        call = turned(p, "coordinate[i] - home[i]", f"x[{cosine} + i]", f"x[{sine} + i]")
        table = f"        static const {p.number} home[6] = {{{homes}}};\n"
        return f"    for (i = 0; i < 6; i++) {{\n{table}        {call}\n    }}\n"
    lines = []
    for i, zero, place in p.closing.cranks:
        home = literal(zero, p.number) if p.baked else f"parameters->value[{place}]"
        angle = f"coordinate[{i}] - ({home})"
        lines.append(f"    {turned(p, angle, f'x[{cosine + i}]', f'x[{sine + i}]')}\n")
    return "".join(lines)
