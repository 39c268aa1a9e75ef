"""A machine as an FMU: plant, inverse dynamics, inverse or forward kinematics, linear model, for FMI 2.0 and 3.0.

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
from importlib.resources import files
from pathlib import Path
from string import Template

from gough.checks import InputError, number
from gough.documents.source import parse_toml
from gough.engines.pack import kinds_of
from gough.export.c_code import c_project, identifier
from gough.export.c_plant import plant_parts
from gough.export.fmu_models import (
    FmuModel,
    forward_model,
    linear_model,
    plant_model,
    still_model,
)
from gough.export.fmu_variables import build_description, description
from gough.links import refuse_links
from gough.model import Platform, Spinning
from gough.simulation.programs import METHODS
from gough.storage import write_whole

BLOCKS = ("plant", "inverse-dynamics", "inverse-kinematics", "forward-kinematics", "linear")
VERSIONS = ("2.0", "3.0")
CALLED = {
    "plant": "plant",
    "inverse-dynamics": "id",
    "inverse-kinematics": "ik",
    "forward-kinematics": "fk",
}
SHARED = {  # pieces of model.toml before and after a block's own
    "plant": ("turned", "facing", "plant"),
    "inverse-dynamics": ("turned", "inverse-dynamics", "inverse", "still"),
    "inverse-kinematics": ("turned", "inverse-kinematics", "inverse", "still"),
    "forward-kinematics": ("turned", "facing", "forward-kinematics", "still"),
    "linear": ("linear",),
}
NOW = (1980, 1, 1, 0, 0, 0)  # of the files in an archive: the same machine gives the same bytes


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
                set), "inverse-dynamics", "inverse-kinematics", "forward-kinematics" (each answer is the next guess, the
                first one a parameter: home), "linear" (about home, held against gravity)
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
) -> tuple[FmuModel, dict[str, str]]:
    """The block's model and the exported C that it calls."""
    if integrator not in METHODS:
        raise InputError("integrator", integrator, f"must be one of {', '.join(METHODS)}")
    if block == "linear":
        return linear_model(platform, step), {}
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
    if block == "forward-kinematics":
        return forward_model(platform), sources
    if block != "plant":
        return still_model(platform, block), sources
    parts = plant_parts(platform, kinds_of(platform), drives, integrator, "double")
    return plant_model(platform, parts, step), sources


def _template(name: str) -> str:
    return files("gough.export").joinpath("templates", name).read_text(encoding="utf-8")


def _model_texts(made: FmuModel, name: str, block: str) -> dict[str, str]:
    """model.h and model.c"""
    table = parse_toml(_template("model.toml"), "model.toml")
    places = "\n".join(f"#define {group} {at}" for group, at in made.places.items())
    words = {**made.words, "name": name, "block": block, "guid": "@GUID@", "places": places}
    words |= {"values": len(made.variables), "states": made.states, "computed": made.computed}
    first = made.computed - made.states if made.states else 0
    words |= {"state": first, "rates": made.places.get("RATES", 0)}
    own = "".join(table[piece] for piece in SHARED[block])
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
            write_whole(Path(folder) / file, text)
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
