"""The machine as a plant in exported C: stage and end of a step, efforts of the drives, forward dynamics.

All are traced from what `gough.simulate` runs (simulation/programs.py): the same chart, leg laws and equations.  What a
plant in C does not carry is refused, never left out: springs and oil between motor and leg, fixed links.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.dynamics.laws import Laws, in_use
from gough.dynamics.laws import states as law_states
from gough.dynamics.laws.machine import drive_laws, ideal_laws
from gough.engines.tracer import Program, record, trace
from gough.equations.machine import crank_count, offsets, spinning
from gough.export.c_compact import LegPlaces
from gough.layout import DRIVEN_STATE, FORWARD, LEG_LAW, MOTION, Layout
from gough.model import Platform
from gough.simulation import programs
from gough.simulation.programs import LAW_INPUTS, LEGS, METHODS, Machine, named
from gough.simulation.state import Rows, State
from gough.spatial import Motion

REFUSED = {
    "series": ("drive.stiffness", "elastic drives are"),
    "hydraulic": ("drive.hydraulic", "cylinders and their oil are"),
}
LIMITLESS = {"double": float(np.finfo(np.float64).max), "float": float(np.finfo(np.float32).max)}


@dataclass(frozen=True)
class PlantParts:
    """What the C of a plant is made from: six leg kinds, laws of the drives, their numbers, the method of its steps."""

    kinds: tuple[str, ...]
    laws: Laws
    numbers: Array
    method: str

    @cached_property
    def state(self) -> Layout:
        """Rows of the state."""
        return programs.state_layout(self.kinds, self.laws)

    @cached_property
    def moving(self) -> Layout:
        """Rows that a step advances."""
        return programs.moving_layout(METHODS[self.method], self.kinds, self.laws)

    @cached_property
    def stage(self) -> Layout:
        """Rows that a stage reads."""
        return programs.stage_layout(METHODS[self.method], self.kinds, self.laws)

    @cached_property
    def acting(self) -> Layout:
        """Rows that the drives read."""
        return Layout(**dict.fromkeys((*LAW_INPUTS, *law_states(self.laws)), 6))

    @property
    def angular(self) -> bool:
        """Coordinates and rates stand in rows of a stage of their own."""
        return bool(self.laws) and crank_count(self.kinds) > 0

    @property
    def loaded(self) -> tuple[str, ...]:
        """States that start with the effort that holds the pose."""
        return law_states(self.laws)

    def programs(self, short: bool) -> dict[str, Program]:
        """By the names of their C functions; `short`: a stage in pieces, which other functions call too."""
        _, finish, reach = programs.steps_programs(self.method, self.kinds, self.laws, 1)
        found = {"finish": finish.program}
        if self.laws:
            found["acts"] = self._acts()
        if not short:
            found |= {"reach": reach.program} if reach is not None else {}
            return found | {"stage": self._stage()}
        found["chart"] = self._chart()
        if self.loaded:
            found |= {"felt": self._felt(), "own": self._own()}
        return found

    def places(self) -> dict[str, LegPlaces]:
        """Where the programs find the numbers of a leg."""
        at = offsets(self.kinds)
        head, row = at[0], at[1] - at[0]
        tail = LEG_LAW.size if self.laws else 0
        acting = tuple(self.acting.at(name) for name in self.acting.names)
        return {
            "felt": LegPlaces((), head, row),
            "acts": LegPlaces(acting, head, row, tail),
            "own": LegPlaces((*acting, self.acting.size), head, row, tail),
        }

    def _chart(self) -> Program:
        """x: rows of `stage`  ->  pose and twist 18, rates of the chart."""
        method = METHODS[self.method]

        def f(x: Any) -> list[Any]:
            z = named(self.stage, x)
            return [*programs.state_of(method, z), *method.rates(z)]

        return record(f, {"x": self.stage.size})

    def _felt(self) -> Program:
        """x: motion 24  ->  accelerations of the coordinates as rotors on the legs feel them."""

        def f(x: Any, par: Any) -> list[Any]:
            return Machine(self.kinds, par).accelerations(x[:18], x[18:], {})

        return record(f, {"x": MOTION.size, "par": offsets(self.kinds)[-1]})

    def _own(self) -> Program:
        """x: rows of `acting`, accelerations as felt 6  ->  rates of the states of the laws."""
        first = offsets(self.kinds)[-1]

        def f(x: Any, par: Any) -> list[Any]:
            z = named(self.acting, x) | {"law": par[first:]}
            legs = Machine(self.kinds, par[:first]).under(self.laws, z)
            return legs.rates(x[self.acting.size :], 0.0)

        return record(f, {"x": self.acting.size + 6, "par": first + self.numbers.size})

    def _stage(self) -> Program:
        """x: rows of `stage`; par: machine, laws  ->  rates of the moving rows, anchors where laws act, risk."""
        method, first = METHODS[self.method], offsets(self.kinds)[-1]
        wanted = self.moving.size + (6 if self.laws else 0)

        def f(x: Any, par: Any) -> list[Any]:
            law = {"law": par[first:]} if self.laws else {}
            machine = Machine(self.kinds, par[:first])
            rows, risk = programs.stage_rows(method, self.laws, named(self.stage, x) | law, machine)
            return [*rows[:wanted], risk]

        return record(f, {"x": self.stage.size, "par": first + self.numbers.size})

    def _acts(self) -> Program:
        """x: rows of `acting`; par: machine, laws  ->  efforts on the coordinates, of motors and stops, anchors."""
        first = offsets(self.kinds)[-1]

        def f(x: Any, par: Any) -> list[Any]:
            z = named(self.acting, x) | {"law": par[first:]}
            legs = Machine(self.kinds, par[:first]).under(self.laws, z)
            return [
                value for name in ("effort", "motor", "stop", "anchor") for value in legs.all(name)
            ]

        return record(f, {"x": self.acting.size, "par": first + self.numbers.size})


def plant_parts(
    platform: Platform, kinds: tuple[str, ...], drives: bool, method: str, precision: str
) -> PlantParts:
    """Laws and numbers of a machine's drives; what C does not carry is refused."""
    if method not in METHODS:
        raise InputError("integrator", method, f"must be one of {', '.join(METHODS)}")
    law = drive_laws(platform) if drives else ideal_laws()
    laws = in_use(law)
    for name, (field, what) in REFUSED.items():
        if name in laws:
            allowed = f"{what} not carried by exported plants: take them out, or drives=False"
            raise InputError(field, "given", allowed)
    most = LIMITLESS[precision]
    numbers = np.clip(law, -most, most).ravel() if laws else np.zeros(0)
    return PlantParts(kinds, laws, numbers, method)


def forward_program(kinds: tuple[str, ...]) -> Program:
    """x: DRIVEN_STATE  ->  accelerations 6, risk."""
    return trace("forward", kinds).select([*range(FORWARD.at("spin_acceleration")), FORWARD.risk])


def forward_places(kinds: tuple[str, ...]) -> LegPlaces:
    """Where it finds the numbers of a leg."""
    at = offsets(kinds)
    return LegPlaces((DRIVEN_STATE.at("effort"),), at[0], at[1] - at[0])


def law_names(platform: Platform) -> list[str]:
    """Names of the numbers of the laws, in their order."""
    return [f"{leg}.law.{name}" for name in LEG_LAW.names for leg in platform.leg_names]


def start_rows(platform: Platform, parts: PlantParts, motion: Motion, spin: Any) -> Array:
    """(rows,) the state of `gough.simulate` at the start of a run."""
    state = State(motion)
    rows = Rows(platform, spinning(parts.kinds), parts.laws)
    return rows.start(state.motion, spin)[:, 0]


def stepped(
    parts: PlantParts, par: Array, start: Array, force: Array, external: Array, step: float
) -> Array:
    """(rows,) the state after one step under held efforts and wrench: simulation/driven.py on plain numbers."""
    method, kinds, laws = METHODS[parts.method], parts.kinds, parts.laws
    machine = Machine(kinds, list(par[: offsets(kinds)[-1]]))
    source = programs.chart_rows(method, kinds, laws)
    chart = np.append(start, 0.0)[source]
    base, held = chart[: parts.moving.size], chart[parts.moving.size :]
    more = {"step": [step], "effort": list(force), "external": list(external)}
    anchor = start[parts.state.anchor] if laws else start[:0]
    total, D = np.zeros_like(base), np.zeros_like(base)
    for i, (node, weight) in enumerate(zip(method.nodes, method.weights, strict=True)):
        z = named(parts.moving, base + step * node * D) | named(method.held, held) | more
        if laws:
            z |= {"anchor": anchor, "law": parts.numbers}
            z |= named(LEGS, machine.coordinates(programs.state_of(method, z), z))
        rows = np.array(programs.stage_rows(method, laws, z, machine)[0], dtype=float)
        D = rows[: base.size]
        anchor = rows[base.size : base.size + len(anchor)] if i == 0 else anchor
        total += weight * D
    z = named(parts.moving, base + step * total) | named(method.held, held)
    return np.array([*programs.finished(method, z, step), *anchor], dtype=float)
