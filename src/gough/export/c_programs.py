"""The traced programs behind the functions of exported C, and their texts: straight, or one leg and a loop."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines import emit_c
from gough.engines.leg_programs import solve_wrench
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import Graph, Program, Symbol, inputs, record, trace
from gough.equations.machine import (
    LEG_WEIGHT,
    joint_arms,
    leg_loads,
    leg_spins,
    offsets,
    spinning,
)
from gough.equations.platform import body_load, column, wrench_world
from gough.equations.solve import components, total
from gough.equations.vec import rate_matrix
from gough.export import c_forward, c_limits, c_plant, c_text
from gough.export.c_compact import LegPlaces, bound, compact
from gough.layout import CLOSURE, LEG_MOTION, LOADED_MOTION, WRENCH_SYSTEM
from gough.model import Platform

SYSTEM = WRENCH_SYSTEM.then(eta=6, risk=1)  # columns, load, transmission ratios, risk of the legs


@dataclass(frozen=True)
class Traced:
    """A program; where its legs' numbers stand; what else its compact text calls; parameters that are always constants.

    tail  numbers behind the machine's parameters that are constants of the code in any case
    """

    program: Program
    places: LegPlaces | None = None
    system: Program | None = None
    tail: Array | None = None

    def sizes_in_c(self, baked: bool) -> dict[str, int]:
        """Inputs of the C function."""
        return {code: n for code, n in self.program.sizes.items() if code != "par" or not baked}


def programs(
    platform: Platform,
    kinds: tuple[str, ...],
    chosen: tuple[str, ...],
    plant: c_plant.PlantParts | None,
    angles: str,
    short: bool,
) -> dict[str, Traced]:
    """The programs that the chosen functions call, by the names of their C functions; `short`: of a compact project."""
    at = offsets(kinds)
    head, row = at[0], at[1] - at[0]
    closed = tuple(CLOSURE.at(name) for name in ("coordinate", "cosine", "sine"))
    wanted = {program for name in chosen for program in c_text.FUNCTIONS[name]}
    pieces = short and not spinning(kinds)
    if plant is not None:
        wanted |= {"efforts"} if plant.loaded else set()
        wanted |= {"forward"} if pieces else set()
    found: dict[str, Traced] = {}
    if "efforts" in wanted:
        efforts = trace("forces", kinds)
        system = None if "spin" in efforts.sizes else _system(kinds)
        found["efforts"] = Traced(efforts, LegPlaces((), head, row), system)
    if "lengths" in wanted:
        found["lengths"] = Traced(_lengths(kinds), LegPlaces((), head, row))
    if "close" in wanted or "nearest" in wanted:
        forward = c_forward.programs(kinds, platform.characteristic_length)
        places = {"close": LegPlaces(closed, head, row)}
        found |= {k: Traced(p, places.get(k)) for k, p in forward.items() if k in wanted}
    if "forward" in wanted:
        found["forward"] = Traced(c_plant.forward_program(kinds), c_plant.forward_places(kinds))
    if plant is not None:
        own = plant.places()
        found |= {k: Traced(p, own.get(k)) for k, p in plant.programs(pieces).items()}
    if "turned" in wanted:
        found["turned"] = Traced(c_limits.turned_program(angles))
    if "margins" in wanted:
        numbers = c_limits.limit_numbers(platform)
        margins = c_limits.margins_program(kinds, numbers)
        given = np.nan_to_num(numbers.ravel())
        found["margins"] = Traced(margins, c_limits.margins_places(kinds), tail=given)
    return found


def texts(made: dict[str, Traced], par: Array | None, number: str, short: bool) -> dict[str, str]:
    """The C functions; `par`: parameters as constants, None: an argument; `short`: one leg and a loop where the legs
    are alike."""
    found = {name: _text(name, traced, par, number, short) for name, traced in made.items()}
    if any(" solve(" in each for each in found.values()):
        found = {"solve": emit_c.function(solve_wrench(), "solve", number, static=True), **found}
    return found


def _text(name: str, traced: Traced, par: Array | None, number: str, short: bool) -> str:
    program = traced.program
    if short and name == "newton":
        return Template(NEWTON).substitute(number=number)
    made = _short(name, traced, par, number) if short and traced.places is not None else None
    if made is not None:
        return made
    if traced.tail is not None and par is None:
        free = [None] * (program.sizes["par"] - traced.tail.size)
        program = bound(program, [*free, *(float(v) for v in traced.tail)])
    elif par is not None and "par" in program.sizes:
        program = specialised(program, par if traced.tail is None else _with(par, traced))
    return emit_c.function(program, name, number, static=True)


def _with(par: Array, traced: Traced) -> Array:
    """The machine's parameters, then those of the program's own tail."""
    assert traced.tail is not None
    return np.concatenate([par[: traced.program.sizes["par"] - traced.tail.size], traced.tail])


def _short(name: str, traced: Traced, par: Array | None, number: str) -> str | None:
    places, stored = traced.places, number == "float" and par is not None
    assert places is not None
    if traced.tail is not None:
        if par is None:
            return None
        par = _with(par, traced)
    if name != "efforts":
        return compact(traced.program, name, places, number, par, stored)
    made = None
    if traced.system is not None:
        made = compact(traced.system, "system_of", places, number, par, stored)
    if made is None:
        return None
    argument = "" if par is not None else f"const {number} par[{traced.program.sizes['par']}], "
    words = {"number": number, "argument": argument, "par": "" if par is not None else "par, "}
    return made + Template(EFFORTS).substitute(words, **_PLACES)


_PLACES = {"size": SYSTEM.size, "eta": SYSTEM.at("eta"), "risk": SYSTEM.at("risk")}
EFFORTS = """
static void efforts(const ${number} x[30], ${argument}${number} y[7])
{
    ${number} h[${size}];
    int i;
    system_of(x, ${par}h);
    solve(h, y);
    for (i = 0; i < 6; i++) {
        y[i] *= h[${eta} + i];
    }
    y[6] += h[${risk}];
}
"""
NEWTON = """static void newton(const ${number} x[42], ${number} y[6])
{
    ${number} h[42], found[7];
    int i, j;
    for (i = 0; i < 6; i++) {
        for (j = 0; j < 6; j++) {
            h[6 * j + i] = x[6 * i + j];
        }
        h[36 + i] = x[36 + i];
    }
    solve(h, found);
    for (i = 0; i < 6; i++) {
        y[i] = found[i];
    }
}
"""


def _system(kinds: tuple[str, ...]) -> Program:
    """x: LOADED_MOTION  ->  SYSTEM: what `MachineEquations.forces` solves."""
    equations = machine(kinds)

    def f(x: Any, par: Any) -> list[Any]:
        data = equations.unpack(par)
        m = equations.motion(x, data)
        q = joint_arms(m.R, data.legs)
        s = equations.states(data, m, q, rate_matrix(m.w, m.al), leg_spins(NO_SPIN))
        load = body_load(data.body, m) + leg_loads(q, s) - wrench_world(m.R, x)
        columns = [c for qi, si in zip(q, s, strict=True) for c in components(column(qi, si))]
        risk = total(leg.risk for leg in s) * LEG_WEIGHT
        return [*columns, *components(load), *(leg.eta for leg in s), risk]

    return record(f, {"x": LOADED_MOTION.size, "par": offsets(kinds)[-1]})


def _lengths(kinds: tuple[str, ...]) -> Program:
    """x: motion 24 -> six actuator coordinates, six rates."""
    rows = range(0, 6 * LEG_MOTION.size, LEG_MOTION.size)
    found = trace("kinematics", kinds).select(
        [row + block for block in (LEG_MOTION.coordinate, LEG_MOTION.rate) for row in rows]
    )
    found.sizes.pop("spin", None)  # neither depends on the spins
    return found


def specialised(program: Program, par: Array) -> Program:
    """The program with the parameters as constants, folded: zeros of this machine cost nothing."""
    graph = Graph()
    sizes = {code: size for code, size in program.sizes.items() if code != "par"}
    given = {code: inputs(graph, code, size) for code, size in sizes.items()}
    out = program.run(given.get("x", ()), [float(v) for v in par], given.get("spin", NO_SPIN))
    return Program.of(
        graph, [v.at if isinstance(v, Symbol) else graph.const(v) for v in out], sizes
    )
