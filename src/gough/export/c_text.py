"""The texts of the exported C project, from the files in templates/ (``${name}`` is filled in)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import Any

from gough.checks import Array
from gough.documents.source import parse_toml
from gough.engines.emit_c import literal
from gough.export import c_circle
from gough.export.c_forward import ForwardConstants
from gough.export.c_limits import UNLIMITED
from gough.export.c_plant import PlantParts
from gough.simulation.compiled import LARGEST
from gough.simulation.programs import METHODS, chart_rows

FUNCTIONS = {
    "id": ("efforts", "lengths"),
    "ik": ("lengths",),
    "fk": ("close", "newton", "displace", "nearest"),
    "fd": ("forward", "lengths"),
    "plant": ("lengths", "nearest"),  # and those of `PlantParts.programs`
    "pose": ("turned",),
    "limits": ("margins", "lengths"),
    "servo": (),
}
"""Functions that can be chosen, and the traced programs that each calls."""
LOADS = ("effort", "external")
LARGE = ("fk", "plant")  # that call `largest`
NUMBERS = ("name", "prefix", "number", "first", "spin", "iterations")
LAW_WORDS = {"gear": "losses of the gears", "stops": "end stops", "current": "current loops"}
LAW_WORDS |= {"inductance": "windings", "drive": "friction, limits of effort and voltage"}


@dataclass(frozen=True)
class Parts:
    """What the texts are made from; `functions` and `sizes` by program name."""

    name: str
    number: str
    baked: bool
    stored: bool
    iterations: int
    spinning: bool
    chosen: tuple[str, ...]
    parameters: list[float]
    parameter_names: list[str]
    closing: ForwardConstants
    limit: float
    convention: str
    plant: PlantParts | None
    compact: bool
    functions: dict[str, str]
    sizes: dict[str, dict[str, int]]

    @property
    def prefix(self) -> str:
        return self.name.upper()

    @property
    def suffix(self) -> str:
        """Of the functions of <math.h>."""
        return "" if self.number == "double" else "f"

    @property
    def first(self) -> str:
        """The leading parameter argument, if any."""
        return "" if self.baked else f"const {self.name}_parameters *parameters, "

    @property
    def spin(self) -> str:
        return f"const {self.number} spin[18], " if self.spinning else ""

    def call(self, program: str, x: str, y: str, spin: str = "spin") -> str:
        """A call of one traced function."""
        if program not in self.sizes:
            return ""
        arguments = [x]
        if "spin" in self.sizes[program]:
            arguments.append(spin)
        if "par" in self.sizes[program]:
            arguments.append("parameters->value")
        return f"{program}({', '.join([*arguments, y])});"


@lru_cache(maxsize=4)
def _table(name: str) -> dict[str, Any]:
    text = files("gough.export").joinpath("templates", f"{name}.toml").read_text(encoding="utf-8")
    return parse_toml(text, f"{name}.toml")


def _fill(text: str, p: Parts, **more: object) -> str:
    return Template(text).substitute({key: getattr(p, key) for key in NUMBERS}, **more)


def header(p: Parts) -> str:
    """NAME.h"""
    words = _words(p)
    each = [_fill(_table("functions")[name]["header"], p, **words) for name in p.chosen]
    struct = "" if p.baked else _struct(p)
    return _fill(_table("machine")["header"], p, struct=struct, declarations="\n".join(each))


def _struct(p: Parts) -> str:
    names = [re.sub(r"\W", "_", n).upper() for n in p.parameter_names]
    entries = ",\n".join(f"    {p.prefix}_{n} = {i}" for i, n in enumerate(names))
    return (
        "\n/* Places of the parameters: first moments m r and second moments of mass about the part's joint. */\n"
        f"enum {{\n{entries}\n}};\n\n"
        f"typedef struct {{\n    {p.number} value[{len(names)}];\n}} {p.name}_parameters;\n"
        f"\n/* The machine as exported. */\nvoid {p.name}_default_parameters({p.name}_parameters *parameters);\n"
    )


def source(p: Parts) -> str:
    """NAME.c"""
    words, common = _words(p), _table("machine")
    each = [_fill(_table("functions")[name]["source"], p, **words) for name in p.chosen]
    large = any(name in LARGE for name in p.chosen)
    return _fill(
        common["source"],
        p,
        stored=common["stored"] if p.stored else "",
        helpers=(_fill(common["largest"], p, **words) if large else "")
        + c_circle.helpers(p, common),
        functions=c_circle.own("\n".join(p.functions.values()), p) + "\n",
        default="" if p.baked else _default(p),
        definitions="\n".join(each),
    )


def _default(p: Parts) -> str:
    values = ",\n        ".join(literal(v, p.number) for v in p.parameters)
    n = len(p.parameters)
    return (
        f"void {p.name}_default_parameters({p.name}_parameters *parameters)\n{{\n"
        f"    static const {p.number} value[{n}] = {{\n        {values}\n    }};\n    int i;\n"
        f"    for (i = 0; i < {n}; i++) {{\n        parameters->value[i] = value[i];\n    }}\n}}\n\n"
    )


def _words(p: Parts) -> dict[str, Any]:
    """What the functions fill in: calls of the traced ones, constants, and what forward kinematics and plant add."""
    own = p.closing
    constants = {"zero": 0.0, "half": 0.5, "one": 1.0, "limit": p.limit, "beyond": LARGEST}
    constants |= {"done": own.done, "stride": own.stride, "skew": own.skew}
    constants["unlimited"] = 0.1 * UNLIMITED
    words: dict[str, Any] = {name: literal(v, p.number) for name, v in constants.items()}
    calls = {
        "efforts": ("efforts", "x", "y"),
        "forward": ("forward", "x", "y"),
        "lengths": ("lengths", "x", "y"),
        "lengths_motion": ("lengths", "motion", "y"),
        "lengths_state": ("lengths", "state", "y"),
        "lengths_z": ("lengths", "x", "z"),
        "close": ("close", "x", "y"),
        "close_again": ("close", "trial", "z"),
        "newton": ("newton", "y", "change"),
        "displace": ("displace", "moved", "trial"),
        "nearest": ("nearest", "x", "turned"),
        "nearest_y": ("nearest", "x", "y"),
        "turned": ("turned", "x", "pose + 3"),
        "margins": ("margins", "x", "y"),
    }
    words |= {name: p.call(*call) for name, call in calls.items()}
    words |= {"suffix": p.suffix, "convention": p.convention}
    words["circle_pose"] = c_circle.turned(p, "angles[i]", "x[i]", "x[3 + i]")
    words |= {"done_length": repr(own.done), "skewness": f"{own.skew:.0e}"}
    words["spin_check"] = " || !finite_all(spin, 18)" if p.spinning else ""
    words["pass"] = "" if p.baked else "parameters, "
    words["positive"] = "".join(
        f"\n        || !(coordinate[{i}] > {words['zero']})" for i in own.lengths
    )
    words["cranks"] = c_circle.cranks(p)
    return words | (_plant_words(p, p.plant) if p.plant else {})


def _six(*lines: str) -> str:
    """Statements for each of six legs."""
    each = "".join(f"        {line}\n" for line in lines)
    return f"    for (i = 0; i < 6; i++) {{\n{each}    }}\n" if lines else ""


def _plant_words(p: Parts, own: PlantParts) -> dict[str, Any]:
    """Rows, tableau and what only laws or spins need."""
    method, laws, state, stage = METHODS[own.method], own.laws, own.state, own.stage
    source = chart_rows(method, own.kinds, laws)

    def numbers(values: tuple[float, ...]) -> str:
        return ", ".join(literal(float(v), p.number) for v in values)

    anchor = state.at("anchor") if laws else state.size
    reach = ""
    if "reach" in p.sizes:
        at = stage.at("coordinate")
        reach = f"    {p.call('reach', 'z', 'y')}\n"
        reach += f"    for (i = 0; i < 12; i++) {{\n        z[{at} + i] = y[i];\n    }}\n"
    again = "".join("        " + line + "\n" for line in reach.splitlines())
    slide = anchored = ""
    if laws:
        row = stage.at("anchor")
        anchored = _six(f"z[{row} + i] = state[{anchor} + i];")
        slide = _six(f"y[{anchor} + i] = z[{row} + i] = d[{own.moving.size} + i];")
    said = [LAW_WORDS[law] for law in laws if law in LAW_WORDS]
    blocks = ", ".join(f"{name.replace('_', ' ')} {width}" for name, width in state.blocks())
    return {
        "law_words": "reflected inertia" + "".join(f", {word}" for word in said),
        "state_words": blocks,
        "method": own.method,
        "rows": state.size,
        "integrated": anchor,
        "inputs": stage.size,
        "outputs": own.moving.size + (6 if laws else 0) + 1,
        "at_risk": own.moving.size + (6 if laws else 0),
        "moving": own.moving.size,
        "chart": method.chart.size,
        "charted": len(source),
        "source": ", ".join(map(str, source)),
        "at_step": stage.at("step"),
        "at_effort": stage.at("effort"),
        "at_external": stage.at("external"),
        "stages": len(method.nodes),
        "nodes": numbers((*method.nodes[1:], 0.0)),
        "weights": numbers(method.weights),
        "stage": p.call("stage", "z", "d"),
        "finish": p.call("finish", "z", "y"),
        "anchored": anchored,
        "slide": slide,
        "reached": reach,
        "reached_again": again,
        "start": _start(p, own),
        "acted": _acted(p, own),
    }


def stage_in_pieces(own: PlantParts, sizes: dict[str, dict[str, int]], number: str) -> str:
    """The stage of a compact plant: chart, lengths, drives, forward dynamics and rates of the laws, one by one."""

    def call(name: str, *arguments: str) -> str:
        x, y = arguments
        return f"    {name}({', '.join([x, *(['par'] if 'par' in sizes[name] else []), y])});\n"

    acting, stage, chart = own.acting, own.stage, METHODS[own.method].chart.size
    par = f"const {number} *par, " if "par" in sizes["forward"] else ""
    lines = f"static void stage(const {number} *z, {par}{number} *d)\n{{\n"
    lines += f"    {number} s[{18 + chart}], x[30], f[7];\n"
    lines += f"    {number} y[12], a[{acting.size + 6}], e[24];\n" if own.laws else ""
    lines += "    int i;\n" + call("chart", "z", "s")
    lines += "    for (i = 0; i < 18; i++) {\n        x[i] = s[i];\n    }\n"
    lines += _six(*(f"x[{18 + 6 * k} + i] = z[{stage.at(n)} + i];" for k, n in enumerate(LOADS)))
    if own.laws:
        rows = {"coordinate": "y[i]", "rate": "y[6 + i]"}
        each = {
            n: rows.get(n, f"z[{stage.at(n)} + i]" if n in stage.names else "")
            for n in acting.names
        }
        lines += call("lengths", "x", "y")
        lines += _six(*(f"a[{acting.at(n)} + i] = {value};" for n, value in each.items()))
        lines += call("acts", "a", "e") + _six("x[18 + i] = e[i];")
    lines += call("forward", "x", "f")
    if chart:
        lines += f"    for (i = 0; i < {chart}; i++) {{\n        d[i] = s[18 + i];\n    }}\n"
    lines += _six(f"d[{chart} + i] = f[i];")
    if own.loaded:
        lines += _six("x[18 + i] = f[i];") + call("felt", "x", f"a + {acting.size}")
        lines += call("own", "a", f"d + {chart + 6}")
    if own.laws:
        lines += _six(f"d[{own.moving.size} + i] = e[18 + i];")
    return lines + f"    d[{own.moving.size + (6 if own.laws else 0)}] = f[6];\n}}\n"


def _start(p: Parts, own: PlantParts) -> str:
    """Spins, anchors, and efforts that hold the pose."""
    text, at = "", own.state.at
    if p.spinning:
        rows = (("spin_cosine", 0), ("spin_sine", 1), ("spin_rate", 2))
        lines = [f"state[{at(name)} + i] = spin[3 * i + {k}];" for name, k in rows]
        angle = f"atan2{p.suffix}(spin[3 * i + 1], spin[3 * i])"
        text += _six(*lines, f"state[{at('spin_angle')} + i] = {angle};")
    if not own.laws:
        return text
    text += _six(f"state[{at('anchor')} + i] = y[i];")
    if own.loaded:
        zero, call = literal(0.0, p.number), p.call("efforts", "x", "y", "still")
        text += _six(f"x[12 + i] = {zero};")
        if p.spinning:
            still = [
                f"still[3 * i + {k}] = {f'spin[3 * i + {k}]' if k < 2 else zero};" for k in range(3)
            ]
            text += f"    {p.number} still[18];\n" + _six(*still)
        text += f"    {call}\n"
        text += _six(*(f"state[{at(n)} + i] = isfinite(y[i]) ? y[i] : {zero};" for n in own.loaded))
    return text


def _acted(p: Parts, own: PlantParts) -> str:
    """Efforts on the coordinates, of motors and stops."""
    if not own.laws:
        same = "sensors[18 + i] = sensors[24 + i] = force[i];"
        return _six(same, f"sensors[30 + i] = {literal(0.0, p.number)};")
    at, state = own.acting.at, own.state.at
    lines = [
        f"z[{at('effort')} + i] = force[i];",
        f"z[{at('coordinate')} + i] = y[i];",
        f"z[{at('rate')} + i] = y[6 + i];",
        f"z[{at('anchor')} + i] = state[{state('anchor')} + i];",
    ]
    lines += [f"z[{at(name)} + i] = state[{state(name)} + i];" for name in own.loaded]
    told = "    for (i = 0; i < 18; i++) {\n        sensors[18 + i] = e[i];\n    }\n"
    return f"    {p.number} e[24];\n" + _six(*lines) + f"    {p.call('acts', 'z', 'e')}\n" + told


def test_program(p: Parts, reference: list[dict[str, Array]]) -> str:
    """test_NAME.c"""

    def table(name: str, key: str) -> str:
        rows = ",\n    ".join(
            "{" + ", ".join(literal(float(v), p.number) for v in r[key]) + "}" for r in reference
        )
        return f"static const {p.number} {name}[STATES][{len(reference[0][key])}] = {{\n    {rows}\n}};\n"

    checks = {name: _table("functions")[name]["check"] for name in p.chosen}
    text = "".join(checks.values())
    names = {"motions": "motion", "externals": "external", "forces": "force", "rates": "rate"}
    names |= {"coordinates": "coordinate", "angles": "angles", "margins_of": "margins"}
    names |= {"starts": "start", "steps": "step"}
    tables = [table(n, key) for n, key in names.items() if re.search(rf"\b{n}\[", text)]
    if p.spinning and "${spins}" in text:
        tables.append(table("spins", "spin"))
    if re.search(r"\bguess\b", text):
        guess = ", ".join(literal(float(v), p.number) for v in reference[0]["guess"])
        tables.append(f"static const {p.number} guess[12] = {{{guess}}};\n")
    loose = p.number != "double"
    words = {
        **_words(p),
        "arg": "" if p.baked else "parameters, ",
        "spins": "spins[i], " if p.spinning else "",
        "tolerance": "2e-3" if loose else "1e-10",
        "pose_tolerance": "1e-3" if loose else "1e-9",
        "step_tolerance": "2e-3" if loose else "1e-10",
        "step": literal(REFERENCE_STEP, p.number),
    }
    arguments, given = ("int i", "i") if p.baked else (f"{p.first}int i", "&parameters, i")
    written, called = [], []
    for name, check in checks.items():
        unused = "" if p.baked or "${arg}" in check else "    (void)parameters;\n"
        body = unused + _fill(check, p, **words).lstrip("\n")
        written.append(f"\nstatic void check_{name}({arguments})\n{{\n{body}}}\n")
        called.append(f"        check_{name}({given});\n")
    setup = f"    {p.name}_parameters parameters;\n    {p.name}_default_parameters(&parameters);\n"
    return _fill(
        _table("machine")["test"],
        p,
        states=len(reference),
        tables="\n".join(tables),
        checks="".join(written),
        setup="" if p.baked else setup,
        calls="".join(called),
    )


REFERENCE_STEP = 1e-4  # s, of the test program's plant


def cmake(p: Parts) -> str:
    """CMakeLists.txt"""
    text = files("gough.export").joinpath("templates", "CMakeLists.txt").read_text(encoding="utf-8")
    return _fill(text, p)
