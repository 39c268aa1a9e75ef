"""A machine as an FMU: plant, inverse dynamics, inverse kinematics or linear model, for FMI 2.0 and 3.0.

The archive holds the exported C (`c_project` with its parameters as arguments), the standard's functions over it, the
description of its variables and, where a C compiler is at hand, the compiled library.  Both kinds, model exchange and
co-simulation, are in every file.  Orientations are quaternions (w, x, y, z), platform to world.
"""

from __future__ import annotations

import hashlib
import io
import platform as computer
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from gough.analysis.state_space import linearize
from gough.checks import InputError, number
from gough.documents.source import parse_toml
from gough.dynamics.parameters import packed_names
from gough.engines.pack import kinds_of, parameters
from gough.export.c_code import c_project, identifier
from gough.export.c_plant import PlantParts, law_names, plant_parts
from gough.export.fmu_variables import (
    TIME,
    FmuVariable,
    build_description,
    description,
    named_block,
)
from gough.links import refuse_links
from gough.model import CRANKS, Platform, Spinning
from gough.simulation.programs import METHODS
from gough.spatial import quaternion_from_rotation
from gough.storage import write_whole

BLOCKS = ("plant", "inverse-dynamics", "inverse-kinematics", "linear")
VERSIONS = ("2.0", "3.0")
CALLED = {"plant": "plant", "inverse-dynamics": "id", "inverse-kinematics": "ik"}
TUNABLE = ("mass", "first", "second", "gravity", "friction", "reflected", "law")
METRES, TURNS = ["m"] * 3, ["rad"] * 3
SPEEDS, WRENCH = ["m/s"] * 3 + ["rad/s"] * 3, ["N"] * 3 + ["N.m"] * 3
NOW = (1980, 1, 1, 0, 0, 0)  # of the files in an archive: the same machine gives the same bytes


@dataclass(frozen=True)
class _Model:
    """A block: its variables, the first place of each of its groups, what its source fills in."""

    variables: list[FmuVariable]
    places: dict[str, int]
    words: dict[str, Any]
    computed: int
    states: int
    slips: bool = False


def write_fmu(
    platform: Platform,
    path: str | Path,
    *,
    block: str = "plant",
    version: str = "2.0",
    name: str | None = None,
    step: float = 1e-3,
    drives: bool = True,
    integrator: str = "rk4",
    compiled: bool | None = None,
) -> Path:
    """Write an FMU of the machine; the path.

    block       "plant" (forward dynamics with drives, stops and sensors, from home at rest unless its start values are
                set), "inverse-dynamics", "inverse-kinematics", "linear" (about home, held against gravity)
    version     "2.0" or "3.0" of the Functional Mock-up Interface
    step        of co-simulation, s, at most; a communication step that it does not divide is cut into equal ones
    drives, integrator  of the plant's co-simulation, as in `gough.simulate`
    compiled    with a library for this computer; None: where a C compiler is found
    Refused: fixed links, elastic and hydraulic drives in a plant, legs whose spin is part of the state.
    """
    if block not in BLOCKS:
        raise InputError("block", block, f"must be one of {', '.join(BLOCKS)}")
    if version not in VERSIONS:
        raise InputError("version", version, f"must be one of {', '.join(VERSIONS)}")
    step = number("step", step, above=0.0)
    refuse_links(platform, "FMUs are not written for machines")
    for leg, label in zip(platform.legs, platform.leg_names, strict=True):
        if isinstance(leg, Spinning) and not leg.spin_free:
            allowed = "legs whose spin is part of the state are not carried by FMUs"
            raise InputError("platform", f"leg {label}", allowed)
    word = identifier(name or platform.name or "platform")
    made, sources = _made(platform, word, block, step, drives, integrator)
    texts = dict(sources)
    texts |= _model_texts(made, word, block)
    wrapper = "fmi2.c" if version == "2.0" else "fmi3.c"
    texts[wrapper] = _template(wrapper)
    guid = hashlib.sha256(
        "".join([version, repr(made.variables), *texts.values()]).encode()
    ).hexdigest()[:32]
    texts = {k: text.replace("@GUID@", guid) for k, text in texts.items()}
    written = sorted(k for k in texts if k.endswith(".c"))
    about = description(
        version, platform.name or word, word, guid, step, made.variables, made.slips, written
    )
    inside: dict[str, str | bytes] = {"modelDescription.xml": about}
    inside |= {f"sources/{k}": text for k, text in texts.items()}
    if version == "3.0":
        inside["sources/buildDescription.xml"] = build_description(word, written)
    library = _library(texts, word, version, compiled)
    if library is not None:
        inside[library[0]] = library[1]
    return write_whole(Path(path), _archive(inside))


def _archive(inside: dict[str, str | bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in inside.items():
            archive.writestr(zipfile.ZipInfo(file, NOW), content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def _made(
    platform: Platform, name: str, block: str, step: float, drives: bool, integrator: str
) -> tuple[_Model, dict[str, str]]:
    """The block's model and the exported C that it calls."""
    if integrator not in METHODS:
        raise InputError("integrator", integrator, f"must be one of {', '.join(METHODS)}")
    if block == "linear":
        return _linear(platform, step), {}
    project = c_project(
        platform,
        name=name,
        baked=False,
        states=1,
        compact=True,
        functions=[CALLED[block]],
        drives=drives,
        integrator=integrator,
    )
    sources = {k: text for k, text in project.files.items() if k in (f"{name}.c", f"{name}.h")}
    if block != "plant":
        return _still(platform, block), sources
    parts = plant_parts(platform, kinds_of(platform), drives, integrator, "double")
    return _plant(platform, parts, step), sources


class _Listing:
    """Variables one behind the other, and the places of their groups."""

    def __init__(self) -> None:
        self.variables, self.places = [TIME], dict[str, int]()

    def add(self, group: str, variables: list[FmuVariable]) -> None:
        self.places[group] = len(self.variables)
        self.variables += variables

    def rates_of(self, first: int, count: int) -> None:
        """Rates of `count` states from place `first`."""
        states = self.variables[first : first + count]
        slope = {
            "m": "m/s",
            "1": "1/s",
            "m/s": "m/s2",
            "rad/s": "rad/s2",
            "N": "N/s",
            "N.m": "N.m/s",
            "rad": "rad/s",
        }
        self.add(
            "RATES",
            [
                FmuVariable(
                    f"der({v.name})",
                    "local",
                    "continuous",
                    "calculated",
                    unit=slope[v.unit or "1"],
                    derivative=first + k,
                )
                for k, v in enumerate(states)
            ],
        )


def _units_of_legs(platform: Platform) -> tuple[list[str], list[str], list[str]]:
    cranks = [isinstance(leg, CRANKS) for leg in platform.legs]
    return tuple(
        [a if c else b for c in cranks] for a, b in (("rad", "m"), ("rad/s", "m/s"), ("N.m", "N"))
    )  # type: ignore[return-value]


def _add_parameters(to: _Listing, platform: Platform, law: PlantParts | None) -> None:
    names = list(packed_names(platform))
    values = [float(v) for v in parameters(platform)]
    if law is not None and law.laws:
        names, values = names + law_names(platform), values + [float(v) for v in law.numbers]
    units = {
        "mass": "kg",
        "first": "kg.m",
        "second": "kg.m2",
        "gravity": "m/s2",
        "joint": "m",
        "base": "m",
    }
    made = []
    for name, value in zip(names, values, strict=True):
        words = {part for piece in name.split(".") for part in piece.split("_")}
        fixed = not words & set(TUNABLE)
        unit = next(
            (
                u
                for w, u in units.items()
                if w in name.split(".") or name.split(".")[-1].endswith(f"_{w}")
            ),
            None,
        )
        made.append(
            FmuVariable(
                name,
                "parameter",
                "fixed" if fixed else "tunable",
                "exact",
                value,
                unit if "law" not in words else None,
            )
        )
    to.add("PARAMETER", made)


def _home(platform: Platform) -> tuple[Any, Any]:
    home = platform.require_home()
    return home.position, quaternion_from_rotation(home.rotation)


def _plant(platform: Platform, parts: PlantParts, step: float) -> _Model:
    to, (position, turn) = _Listing(), _home(platform)
    length, rate, effort = _units_of_legs(platform)
    to.add(
        "STEP",
        [
            FmuVariable(
                "step", "parameter", "fixed", "exact", step, "s", "largest step of co-simulation"
            )
        ],
    )
    _add_parameters(to, platform, parts)
    zero = [0.0] * 6
    to.add("FORCE", named_block("force", effort, "input", "commanded effort", start=zero))
    to.add(
        "EXTERNAL",
        named_block(
            "external", WRENCH, "input", "wrench at the reference point, platform axes", start=zero
        ),
    )
    exact = {"initial": "exact"}
    first = len(to.variables)
    to.add(
        "POSITION",
        named_block(
            "position", METRES, "output", "position of the reference point", start=position, **exact
        ),
    )
    to.add(
        "QUATERNION",
        named_block(
            "quaternion", ["1"] * 4, "output", "orientation (w, x, y, z)", start=turn, **exact
        ),
    )
    to.add(
        "VELOCITY",
        named_block(
            "velocity", SPEEDS[:3], "output", "velocity of the reference point", start=zero, **exact
        ),
    )
    to.add(
        "ANGULAR",
        named_block(
            "angular_velocity",
            SPEEDS[3:],
            "output",
            "angular velocity, world axes",
            start=zero,
            **exact,
        ),
    )
    for name in parts.loaded:
        to.add(
            name.upper(),
            named_block(name, effort, "local", f"{name} of the drive", initial="calculated"),
        )
    states = len(to.variables) - first
    computed = len(to.variables)
    to.rates_of(first, states)
    told = {
        "coordinate": (length, "actuator coordinate"),
        "rate": (rate, "rate of the actuator coordinate"),
        "acceleration": (
            ["m/s2"] * 3 + ["rad/s2"] * 3,
            "acceleration of the reference point, linear and angular",
        ),
        "effort": (effort, "effort on the actuator coordinate"),
        "motor": (effort, "effort of the motor after its limits"),
        "stop": (effort, "effort of the end stops"),
    }
    for name, (units, what) in told.items():
        to.add(name.upper(), named_block(name, units, "output", what, initial="calculated"))
    numbers = to.places["FORCE"] - to.places["PARAMETER"]
    laws = 6 * len(parts.loaded)
    words = {
        "rows": parts.state.size,
        "laws": laws,
        "numbers": numbers,
        "inside": parts.state.size + 1,
    }
    return _Model(to.variables, to.places, words, computed, states, slips=bool(parts.laws))


def _still(platform: Platform, block: str) -> _Model:
    """Inverse dynamics and kinematics: outputs of inputs, no state."""
    to, (position, turn) = _Listing(), _home(platform)
    length, rate, effort = _units_of_legs(platform)
    _add_parameters(to, platform, None)
    numbers = len(to.variables) - to.places["PARAMETER"]
    zero = [0.0] * 6
    to.add(
        "POSITION",
        named_block("position", METRES, "input", "position of the reference point", start=position),
    )
    to.add(
        "QUATERNION",
        named_block("quaternion", ["1"] * 4, "input", "orientation (w, x, y, z)", start=turn),
    )
    to.add(
        "VELOCITY",
        named_block("velocity", SPEEDS[:3], "input", "velocity of the reference point", start=zero),
    )
    to.add(
        "ANGULAR",
        named_block(
            "angular_velocity", SPEEDS[3:], "input", "angular velocity, world axes", start=zero
        ),
    )
    if block == "inverse-dynamics":
        linear, angular = "acceleration", "angular_acceleration"
        to.add(
            "LINEAR",
            named_block(
                linear, ["m/s2"] * 3, "input", "acceleration of the reference point", start=zero
            ),
        )
        to.add(
            "TURNING",
            named_block(angular, ["rad/s2"] * 3, "input", "angular acceleration", start=zero),
        )
        to.add(
            "EXTERNAL",
            named_block(
                "external",
                WRENCH,
                "input",
                "wrench at the reference point, platform axes",
                start=zero,
            ),
        )
    computed = len(to.variables)
    if block == "inverse-dynamics":
        to.add(
            "FORCE",
            named_block("force", effort, "output", "effort of the actuator", initial="calculated"),
        )
    else:
        to.add(
            "COORDINATE",
            named_block(
                "coordinate", length, "output", "actuator coordinate", initial="calculated"
            ),
        )
        to.add(
            "RATE",
            named_block(
                "rate", rate, "output", "rate of the actuator coordinate", initial="calculated"
            ),
        )
    return _Model(to.variables, to.places, {"numbers": numbers, "inside": 1}, computed, 0)


def _linear(platform: Platform, step: float) -> _Model:
    found = linearize(platform, platform.require_home(), outputs=("length", "rate"), wrench=True)
    to = _Listing()
    length, rate, effort = _units_of_legs(platform)
    states = METRES + TURNS + SPEEDS
    to.add(
        "STEP",
        [
            FmuVariable(
                "step", "parameter", "fixed", "exact", step, "s", "largest step of co-simulation"
            )
        ],
    )
    zero = [0.0] * len(states)
    to.add(
        "INPUT",
        named_block("force", effort, "input", "effort beside that which holds home", start=zero),
    )
    to.add("WRENCH", named_block("external", WRENCH, "input", "wrench, platform axes", start=zero))
    what = "displacement, small turn, velocity and angular velocity from home"
    to.add("STATE", named_block("state", states, "output", what, start=zero, initial="exact"))
    first = to.places["STATE"]
    computed = len(to.variables)
    to.rates_of(first, len(states))
    to.add(
        "OUTPUT",
        named_block(
            "coordinate",
            length,
            "output",
            "change of the actuator coordinate",
            initial="calculated",
        ),
    )
    to.add("OUTPUT_RATE", named_block("rate", rate, "output", "its rate", initial="calculated"))
    words: dict[str, Any] = {k: _numbers(getattr(found, k)) for k in "ABC"}
    words |= {"inputs": found.B.shape[1], "outputs": len(found.outputs), "inside": 1}
    return _Model(to.variables, to.places, words, computed, len(states))


def _numbers(values: Any) -> str:
    return ",\n    ".join(", ".join(repr(float(v)) for v in row) for row in np.atleast_2d(values))


def _template(name: str) -> str:
    return files("gough.export").joinpath("templates", name).read_text(encoding="utf-8")


def _model_texts(made: _Model, name: str, block: str) -> dict[str, str]:
    """model.h and model.c"""
    table = parse_toml(_template("model.toml"), "model.toml")
    places = "\n".join(f"#define {group} {at}" for group, at in made.places.items())
    words = {**made.words, "name": name, "block": block, "guid": "@GUID@", "places": places}
    words |= {"values": len(made.variables), "states": made.states, "computed": made.computed}
    first = made.computed - made.states if made.states else 0
    words |= {"state": first, "rates": made.places.get("RATES", 0)}
    own = table[block] if block == "linear" else table["turned"] + table[block]
    own += table["still"] if block.startswith("inverse") else ""
    values = [0.0 if v.start is None else v.start for v in made.variables]
    start = ",\n    ".join(
        ", ".join(repr(v) for v in values[k : k + 8]) for k in range(0, len(values), 8)
    )
    words |= {"include": "" if block == "linear" else f'#include "{name}.h"\n', "start": start}
    words["own"] = Template(own).substitute(words)
    return {
        "model.h": Template(table["header"]).substitute(words),
        "model.c": Template(table["source"]).substitute(words),
    }


def _library(
    texts: dict[str, str], name: str, version: str, compiled: bool | None
) -> tuple[str, bytes] | None:
    """Path in the archive and bytes of the compiled library; None: without."""
    found = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    known = sys.platform.startswith("linux") and computer.machine() == "x86_64"
    if compiled is False or (compiled is None and (found is None or not known)):
        return None
    if found is None or not known:
        raise InputError(
            "compiled",
            True,
            "needs a C compiler (cc, gcc or clang) on 64-bit Linux: FMUs hold their sources",
        )
    with tempfile.TemporaryDirectory() as folder:
        for file, text in texts.items():
            (Path(folder) / file).write_text(text)
        sources = [file for file in texts if file.endswith(".c")]
        flags = ["-O2", "-std=c99", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
        run = subprocess.run(
            [found, *flags, *sources, "-o", f"{name}.so", "-lm"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
        if run.returncode:
            raise InputError("compiled", True, f"{found} failed: {run.stderr.strip()[:300]}")
        folder_of = "linux64" if version == "2.0" else "x86_64-linux"
        return f"binaries/{folder_of}/{name}.so", (Path(folder) / f"{name}.so").read_bytes()
