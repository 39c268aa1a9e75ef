"""C99 for controllers: header, source, test program with reference values, CMake file.

The functions are the traced equations of one machine: no dependencies beside <math.h>, no allocation, recursion,
globals or unbounded loops; every function answers a status and, when it fails, NaN.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gough.checks import Array, InputError
from gough.dynamics.parameters import packed_names
from gough.engines import emit_c
from gough.engines.evaluate import check_platform
from gough.engines.pack import kinds_of, parameters
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import Graph, Program, Symbol, inputs, trace
from gough.equations.machine import spinning as any_spins
from gough.export import c_forward, c_text
from gough.export.c_forward import ITERATIONS
from gough.guard import MAX_CONDITION, SINGLE_CONDITION, risk_limit
from gough.layout import LEG_MOTION
from gough.links import refuse_links
from gough.model import Platform, Spinning
from gough.spatial import rotation_exp
from gough.storage import write_whole


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
) -> CProject:
    """C code of one machine.

    precision   "double" or "float"
    baked       parameters as constants of the code; False: as an argument ``const NAME_parameters *``
    iterations  Newton steps of forward kinematics, at most; each is halved at most 11 times
    states      reference states of the test program, around the machine's home pose
    """
    check_platform(platform)
    refuse_links(platform, "C code is not written for machines")
    if precision not in ("double", "float"):
        raise InputError("precision", precision, "must be double or float")
    if not 1 <= iterations <= 100:
        raise InputError("iterations", iterations, "must be between 1 and 100")
    spinning = any(isinstance(leg, Spinning) and not leg.spin_free for leg in platform.legs)
    kinds, par = kinds_of(platform, spinning), parameters(platform)
    programs = {
        "efforts": trace("forces", kinds),
        "lengths": _lengths(kinds),
        **c_forward.programs(kinds, platform.characteristic_length),
    }
    if baked:
        programs = {key: specialised(program, par) for key, program in programs.items()}
    name = identifier(name or platform.name or "platform")
    reference = _reference(platform, kinds, par, states)
    parts = c_text.Parts(
        name=name,
        number=precision,
        baked=baked,
        iterations=iterations,
        spinning=spinning,
        parameters=[float(v) for v in par],
        parameter_names=list(packed_names(platform)),
        closing=c_forward.closing(platform, kinds, precision),
        limit=risk_limit(platform, MAX_CONDITION if precision == "double" else SINGLE_CONDITION),
        functions={
            key: emit_c.function(program, key, precision, static=True)
            for key, program in programs.items()
        },
        sizes={key: program.sizes for key, program in programs.items()},
    )
    return CProject(
        name,
        {
            f"{name}.h": c_text.header(parts),
            f"{name}.c": c_text.source(parts),
            f"test_{name}.c": c_text.test_program(parts, reference),
            "CMakeLists.txt": c_text.cmake(parts),
        },
    )


def identifier(text: str) -> str:
    """A C identifier from a machine's name."""
    word = re.sub(r"\W+", "_", text.lower(), flags=re.ASCII).strip("_")
    if not word:
        raise InputError("name", text, "must hold a letter")
    return (
        word if word[0].isalpha() and word != "m" else f"machine_{word}"
    )  # libm would be linked to itself


def specialised(program: Program, par: Array) -> Program:
    """The program with the parameters as constants, folded: zeros of this machine cost nothing."""
    graph = Graph()
    sizes = {code: size for code, size in program.sizes.items() if code != "par"}
    given = {code: inputs(graph, code, size) for code, size in sizes.items()}
    out = program.run(given.get("x", ()), [float(v) for v in par], given.get("spin", NO_SPIN))
    return Program.of(
        graph, [v.at if isinstance(v, Symbol) else graph.const(v) for v in out], sizes
    )


def _lengths(kinds: tuple[str, ...]) -> Program:
    """x: motion 24 -> six actuator coordinates, six rates."""
    rows = range(0, 6 * LEG_MOTION.size, LEG_MOTION.size)
    found = trace("kinematics", kinds).select(
        [row + block for block in (LEG_MOTION.coordinate, LEG_MOTION.rate) for row in rows]
    )
    found.sizes.pop("spin", None)  # neither depends on the spins
    return found


def _reference(
    platform: Platform, kinds: tuple[str, ...], par: Array, states: int
) -> list[dict[str, Array]]:
    """States near home with their efforts, coordinates and rates, and a guess for forward kinematics."""
    home = platform.require_home()  # the test program's states lie around it
    rng = np.random.default_rng(20)
    size, out = platform.characteristic_length, []
    functions = machine(kinds)
    for _ in range(200):
        t = home.position + 0.05 * size * rng.uniform(-1, 1, 3)
        R = rotation_exp(0.05 * rng.uniform(-1, 1, 3)) @ home.rotation
        motion = np.concatenate(
            [t, R.ravel(), *(s * rng.uniform(-1, 1, 3) for s in (0.5, 1.0, 3.0, 5.0))]
        )
        wrench = rng.uniform(-50, 50, 6)
        angle, rate = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
        spin = (
            np.stack([np.cos(angle), np.sin(angle), rate], axis=1).ravel()
            if any_spins(kinds)
            else NO_SPIN
        )
        x = tuple(np.concatenate([motion, wrench]))
        effort = np.array(functions.forces(x, tuple(spin), functions.unpack(par))[:6])
        legs = np.array(functions.kinematics(x, NO_SPIN, functions.unpack(par))).reshape(
            6, LEG_MOTION.size
        )
        if np.isfinite(effort).all() and np.isfinite(legs).all():
            out.append(
                {
                    "motion": motion,
                    "external": wrench,
                    "spin": np.array(spin),
                    "force": effort,
                    "coordinate": legs[:, LEG_MOTION.coordinate],
                    "rate": legs[:, LEG_MOTION.rate],
                    "guess": np.concatenate([home.position, home.rotation.ravel()]),
                }
            )
        if len(out) == states:
            return out
    raise InputError("home", home.position, "the machine cannot be evaluated around its home pose")
