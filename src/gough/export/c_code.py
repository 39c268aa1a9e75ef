"""C99 for controllers and plants: header, source, test program with reference values, CMake file.

The functions are the traced equations of one machine: no dependencies beside <math.h>, no allocation, recursion,
globals or unbounded loops; every function answers a status and, when it fails, NaN.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gough.checks import InputError
from gough.dynamics.parameters import packed_names
from gough.engines.evaluate import check_platform
from gough.engines.pack import kinds_of, parameters
from gough.export import c_forward, c_programs, c_text
from gough.export.c_forward import ITERATIONS
from gough.export.c_plant import PlantParts, law_names, plant_parts
from gough.export.c_reference import references
from gough.guard import MAX_CONDITION, SINGLE_CONDITION, risk_limit
from gough.links import refuse_links
from gough.model import CRANKS, Platform, Spinning
from gough.storage import write_whole

CONTROLLER = ("id", "ik", "fk")


@dataclass(frozen=True)
class CProject:
    """Texts by file name; `write` puts them into a folder."""

    name: str
    files: dict[str, str]

    def write(self, folder: str | Path) -> list[Path]:
        """Write all files, the folder is made; their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        return [write_whole(folder / name, text) for name, text in self.files.items()]


def c_project(
    platform: Platform,
    *,
    name: str | None = None,
    precision: str = "double",
    baked: bool = True,
    iterations: int = ITERATIONS,
    states: int = 5,
    functions: Sequence[str] = CONTROLLER,
    compact: bool = False,
    angles: str = "rpy",
    drives: bool = True,
    integrator: str = "rk4",
) -> CProject:
    """C code of one machine.

    precision   "double" or "float"
    baked       parameters as constants of the code; False: as an argument ``const NAME_parameters *``
    iterations  Newton steps of forward kinematics, at most; each is halved at most 11 times
    states      reference states of the test program, around the machine's home pose
    functions   some of id, ik, fk (inverse dynamics, inverse and forward kinematics), fd (forward dynamics), plant (the
                machine under its drives, step by step), pose (from angles), limits (margins of strokes and cones),
                servo (pulses from crank angles)
    compact     one function for six like legs and a loop: less code, answers that differ by rounding; machines whose
                legs are not alike, or carry spin as state, get straight code all the same
    angles      convention of `pose`: rpy, or a sequence of three such as "ZXZ" (gough/orientations.py)
    drives, integrator  of `plant`, as in `gough.simulate`: "rk4", "lie" or "semi-implicit"
    """
    check_platform(platform)
    refuse_links(platform, "C code is not written for machines")
    if precision not in ("double", "float"):
        raise InputError("precision", precision, "must be double or float")
    if not 1 <= iterations <= 100:
        raise InputError("iterations", iterations, "must be between 1 and 100")
    chosen = chosen_functions(platform, functions)
    spinning = any(isinstance(leg, Spinning) and not leg.spin_free for leg in platform.legs)
    kinds, par = kinds_of(platform, spinning), parameters(platform)
    plant: PlantParts | None = None
    if "plant" in chosen:
        plant = plant_parts(platform, kinds, drives, integrator, precision)
    whole = par if plant is None else np.concatenate([par, plant.numbers])
    made = c_programs.programs(platform, kinds, chosen, plant, angles, compact)
    own = whole if baked else None
    texts = c_programs.texts(made, own, precision, compact)
    sizes = {key: made[key].sizes_in_c(baked) for key in made}
    if plant is not None and "stage" not in made:
        texts["stage"] = c_text.stage_in_pieces(plant, sizes, precision)
        sizes["stage"] = {"x": 0} if baked else {"x": 0, "par": 0}
    name = identifier(name or platform.name or "platform")
    found = references(platform, kinds, par, states, angles, plant, c_text.REFERENCE_STEP)
    names = list(packed_names(platform))
    parts = c_text.Parts(
        name=name,
        number=precision,
        baked=baked,
        stored=any("STORED" in text for text in texts.values()),
        iterations=iterations,
        spinning=spinning,
        chosen=chosen,
        parameters=[float(v) for v in whole],
        parameter_names=names + (law_names(platform) if plant and plant.laws else []),
        closing=c_forward.closing(platform, kinds, precision),
        limit=risk_limit(platform, MAX_CONDITION if precision == "double" else SINGLE_CONDITION),
        convention=angles,
        plant=plant,
        compact=compact,
        functions=texts,
        sizes=sizes,
    )
    return CProject(
        name,
        {
            f"{name}.h": c_text.header(parts),
            f"{name}.c": c_text.source(parts),
            f"test_{name}.c": c_text.test_program(parts, found),
            "CMakeLists.txt": c_text.cmake(parts),
        },
    )


def chosen_functions(platform: Platform, functions: Sequence[str]) -> tuple[str, ...]:
    """The functions in the order of the header; unknown ones, and those that the machine cannot have, are refused."""
    wanted = (functions,) if isinstance(functions, str) else tuple(functions)
    for one in wanted:
        if one not in c_text.FUNCTIONS:
            raise InputError("functions", one, f"must be some of {', '.join(c_text.FUNCTIONS)}")
    if not wanted:
        raise InputError("functions", "none", f"must be some of {', '.join(c_text.FUNCTIONS)}")
    if "servo" in wanted and not all(isinstance(leg, CRANKS) for leg in platform.legs):
        raise InputError("functions", "servo", "needs cranks: these legs do not turn")
    return tuple(one for one in c_text.FUNCTIONS if one in wanted)


def identifier(text: str) -> str:
    """A C identifier from a machine's name."""
    word = re.sub(r"\W+", "_", text.lower(), flags=re.ASCII).strip("_")
    if not word:
        raise InputError("name", text, "must hold a letter")
    return (
        word if word[0].isalpha() and word != "m" else f"machine_{word}"
    )  # libm would be linked to itself
