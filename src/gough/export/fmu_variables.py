"""The variables of an FMU and its modelDescription.xml, FMI 2.0 and 3.0.

Every variable is a real number; its value reference is its place, time is 0.  Units are those of the machine: m, rad, N
(N m for cranks), with the exponents of the SI base units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

UNITS: dict[str, dict[str, int]] = {
    "1": {},
    "s": {"s": 1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s2": {"rad": 1, "s": -2},
    "1/s": {"s": -1},
    "kg": {"kg": 1},
    "kg.m": {"kg": 1, "m": 1},
    "kg.m2": {"kg": 1, "m": 2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "N/s": {"kg": 1, "m": 1, "s": -3},
    "N.m/s": {"kg": 1, "m": 2, "s": -3},
    "N/m": {"kg": 1, "s": -2},
    "N.s/m": {"kg": 1, "s": -1},
    "N.m.s": {"kg": 1, "m": 2, "s": -1},
}
"""Units and their exponents of the base units, as both versions of the standard write them."""


@dataclass(frozen=True)
class FmuVariable:
    """A variable: what the standard says about it; `derivative`: place of the state whose rate it is."""

    name: str
    causality: str
    variability: str
    initial: str | None = None
    start: float | None = None
    unit: str | None = None
    description: str = ""
    derivative: int | None = None


TIME = FmuVariable("time", "independent", "continuous", unit="s", description="time")


def named_block(
    name: str, units: Sequence[str | None], causality: str, what: str, **more: object
) -> list[FmuVariable]:
    """Variables ``name[1]``, ``name[2]``, ... ; `more` as in `FmuVariable`, `start` a list."""
    starts = more.pop("start", None)
    variability = str(more.pop("variability", "continuous"))
    out = []
    for k, unit in enumerate(units):
        start = float(starts[k]) if starts is not None else None  # type: ignore[index]
        out.append(
            FmuVariable(
                f"{name}[{k + 1}]",
                causality,
                variability,
                start=start,
                unit=unit,
                description=what,
                **more,  # type: ignore[arg-type]
            )
        )
    return out


def description(
    version: str,
    name: str,
    identifier: str,
    guid: str,
    step: float,
    variables: Sequence[FmuVariable],
    slips: bool,
    sources: Sequence[str],
) -> str:
    """modelDescription.xml"""
    two = version == "2.0"
    root = Xml.Element("fmiModelDescription", fmiVersion=version, modelName=name)
    root.set("guid" if two else "instantiationToken", guid)
    root.set("generationTool", "gough")
    root.set("variableNamingConvention", "structured")
    if two:
        root.set("numberOfEventIndicators", "0")
    able = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    if not two:
        able = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    exchange = Xml.SubElement(root, "ModelExchange", {"modelIdentifier": identifier, **able})
    if two:
        exchange.set("completedIntegratorStepNotNeeded", "false" if slips else "true")
    else:
        exchange.set("needsCompletedIntegratorStep", "true" if slips else "false")
    together = Xml.SubElement(root, "CoSimulation", {"modelIdentifier": identifier, **able})
    together.set("canHandleVariableCommunicationStepSize", "true")
    if two:
        for element in (exchange, together):
            listed = Xml.SubElement(element, "SourceFiles")
            for file in sources:
                Xml.SubElement(listed, "File", name=file)
    used = {v.unit for v in variables if v.unit is not None}
    units = Xml.SubElement(root, "UnitDefinitions")
    for unit, exponents in UNITS.items():
        if unit in used:
            each = Xml.SubElement(units, "Unit", name=unit)
            Xml.SubElement(each, "BaseUnit", {k: str(n) for k, n in exponents.items()})
    log = Xml.SubElement(root, "LogCategories")
    Xml.SubElement(log, "Category", name="logStatusError")
    Xml.SubElement(
        root, "DefaultExperiment", startTime="0", stopTime="1", stepSize=repr(float(step))
    )
    _listed(root, variables, two)
    _structure(root, variables, two)
    Xml.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"
    )


def _listed(root: Xml.Element, variables: Sequence[FmuVariable], two: bool) -> None:
    listed = Xml.SubElement(root, "ModelVariables")
    for place, v in enumerate(variables):
        common = {"name": v.name, "valueReference": str(place), "causality": v.causality}
        common |= {"variability": v.variability}
        if v.initial is not None:
            common["initial"] = v.initial
        if v.description:
            common["description"] = v.description
        real: dict[str, str] = {}
        if v.unit is not None:
            real["unit"] = v.unit
        if v.start is not None:
            real["start"] = repr(float(v.start))
        if v.derivative is not None:
            real["derivative"] = str(v.derivative + 1 if two else v.derivative)
        if two:
            Xml.SubElement(Xml.SubElement(listed, "ScalarVariable", common), "Real", real)
        else:
            Xml.SubElement(listed, "Float64", common | real)


def _structure(root: Xml.Element, variables: Sequence[FmuVariable], two: bool) -> None:
    """Which variables are outputs, rates and unknowns of the initialization; dependencies are left open: on all."""
    places = dict(enumerate(variables))
    outputs = [k for k, v in places.items() if v.causality == "output"]
    rates = [k for k, v in places.items() if v.derivative is not None]
    states = {v.derivative for v in variables if v.derivative is not None}
    unknown = [
        k
        for k, v in places.items()
        if v.causality == "output" and v.initial in (None, "calculated")
    ]
    unknown = sorted(
        {
            *unknown,
            *rates,
            *(k for k in states if k is not None and places[k].initial == "calculated"),
        }
    )
    structure = Xml.SubElement(root, "ModelStructure")
    if not two:
        for word, found in (
            ("Output", outputs),
            ("ContinuousStateDerivative", rates),
            ("InitialUnknown", unknown),
        ):
            for k in found:
                Xml.SubElement(structure, word, valueReference=str(k))
        return
    for word, found in (("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", unknown)):
        if found:
            group = Xml.SubElement(structure, word)
            for k in found:
                Xml.SubElement(group, "Unknown", index=str(k + 1))


def build_description(identifier: str, sources: Sequence[str]) -> str:
    """sources/buildDescription.xml of FMI 3.0"""
    root = Xml.Element("fmiBuildDescription", fmiVersion="3.0")
    build = Xml.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    files = Xml.SubElement(build, "SourceFileSet", language="C99")
    for file in sources:
        Xml.SubElement(files, "SourceFile", name=file)
    Xml.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"
    )
