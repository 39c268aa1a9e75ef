"""The texts of the exported C project, from the files in templates/ (``${name}`` is filled in)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from gough.checks import Array
from gough.engines.emit_c import literal
from gough.export.c_forward import Closing
from gough.layout import CLOSURE


@dataclass(frozen=True)
class Parts:
    """What the texts are made from; `functions` and `sizes` by program name."""

    name: str
    number: str
    baked: bool
    iterations: int
    spinning: bool
    parameters: list[float]
    parameter_names: list[str]
    closing: Closing
    limit: float
    functions: dict[str, str]
    sizes: dict[str, dict[str, int]]

    @property
    def prefix(self) -> str:
        return self.name.upper()

    @property
    def first(self) -> str:
        """The leading parameter argument, if any."""
        return "" if self.baked else f"const {self.name}_parameters *parameters, "

    @property
    def spin(self) -> str:
        return f"const {self.number} spin[18], " if self.spinning else ""

    def call(self, program: str, x: str, y: str) -> str:
        """A call of one traced function."""
        arguments = [x]
        if "spin" in self.sizes[program]:
            arguments.append("spin")
        if "par" in self.sizes[program]:
            arguments.append("parameters->value")
        return f"{program}({', '.join([*arguments, y])});"


def _fill(template: str, p: Parts, **more: object) -> str:
    text = files("gough.export").joinpath("templates", template).read_text(encoding="utf-8")
    common = {
        key: getattr(p, key) for key in ("name", "prefix", "number", "first", "spin", "iterations")
    }
    return Template(text).substitute(common, **more)


def header(p: Parts) -> str:
    """NAME.h"""
    close = {"done": repr(p.closing.done), "skew": f"{p.closing.skew:.0e}"}
    return _fill("machine.h", p, struct="" if p.baked else _struct(p), **close)


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
    suffix = "" if p.number == "double" else "f"
    default = ""
    if not p.baked:
        values = ",\n        ".join(literal(v, p.number) for v in p.parameters)
        n = len(p.parameters)
        default = (
            f"void {p.name}_default_parameters({p.name}_parameters *parameters)\n{{\n"
            f"    static const {p.number} value[{n}] = {{\n        {values}\n    }};\n    int i;\n"
            f"    for (i = 0; i < {n}; i++) {{\n        parameters->value[i] = value[i];\n    }}\n}}\n\n"
        )
    return _fill(
        "machine.c",
        p,
        suffix=suffix,
        functions="\n".join(p.functions.values()) + "\n",
        default=default,
        spin_check=" || !finite_all(spin, 18)" if p.spinning else "",
        efforts=p.call("efforts", "x", "y"),
        limit=literal(p.limit, p.number),
        lengths=p.call("lengths", "motion", "y"),
        **_forward(p, suffix),
    )


def _forward(p: Parts, suffix: str) -> dict[str, str]:
    """What forward kinematics fills in: calls, constants, the legs whose coordinates are lengths or angles."""
    own = p.closing
    constants = {"zero": 0.0, "half": 0.5, "one": 1.0}
    constants |= {"done": own.done, "stride": own.stride, "skew": own.skew}
    cranks = []
    for i, zero, place in own.cranks:
        home = literal(zero, p.number) if p.baked else f"parameters->value[{place}]"
        for name, call in (("cosine", "cos"), ("sine", "sin")):
            angle = f"coordinate[{i}] - ({home})"
            cranks.append(f"    x[{CLOSURE.at(name) + i}] = {call}{suffix}({angle});\n")
    return {
        "close": p.call("close", "x", "y"),
        "close_again": p.call("close", "trial", "z"),
        "newton": p.call("newton", "y", "change"),
        "displace": p.call("displace", "moved", "trial"),
        "nearest": p.call("nearest", "x", "turned"),
        "positive": "".join(
            f"\n        || !(coordinate[{i}] > {literal(0.0, p.number)})" for i in own.lengths
        ),
        "cranks": "".join(cranks),
        **{name: literal(value, p.number) for name, value in constants.items()},
    }


def test_program(p: Parts, reference: list[dict[str, Array]]) -> str:
    """test_NAME.c"""

    def table(name: str, key: str) -> str:
        rows = ",\n    ".join(
            "{" + ", ".join(literal(float(v), p.number) for v in r[key]) + "}" for r in reference
        )
        return f"static const {p.number} {name}[STATES][{len(reference[0][key])}] = {{\n    {rows}\n}};\n"

    tables = [
        table("motions", "motion"),
        table("externals", "external"),
        table("forces", "force"),
        table("coordinates", "coordinate"),
        table("rates", "rate"),
    ]
    if p.spinning:
        tables.append(table("spins", "spin"))
    guess = ", ".join(literal(float(v), p.number) for v in reference[0]["guess"])
    tables.append(f"static const {p.number} guess[12] = {{{guess}}};\n")
    setup = (
        ""
        if p.baked
        else (
            f"    {p.name}_parameters parameters;\n    {p.name}_default_parameters(&parameters);\n"
        )
    )
    tolerance, pose_tolerance = ("1e-10", "1e-9") if p.number == "double" else ("2e-3", "1e-3")
    return _fill(
        "test_machine.c",
        p,
        states=len(reference),
        tables="\n".join(tables),
        setup=setup,
        arg="" if p.baked else "&parameters, ",
        spin="spins[i], " if p.spinning else "",
        tolerance=tolerance,
        pose_tolerance=pose_tolerance,
    )


def cmake(p: Parts) -> str:
    """CMakeLists.txt"""
    return _fill("CMakeLists.txt", p)
