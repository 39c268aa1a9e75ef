"""What the compiled integrators and records compute, written over any kind of number and traced into programs.

A stage of a method: pose of its chart, leg law, forward dynamics, rates of chart and spins.  A record: leg law,
forward dynamics, energies, reactions.  Both read the legs' coordinates and rates, which a program of its own gives
first where a law needs them (the angle of a crank would keep the rest from becoming vector code).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from gough.engines.llvm_program import Lowered
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import Program, record
from gough.equations.machine import offsets
from gough.equations.vec import Vec, dot
from gough.layout import ENERGY, FORWARD, LEG_LAW, LEG_MOTION, LEG_RECORD, SPINNING, STATE, Layout
from gough.simulation.integrators import lie, rk4, semi_implicit
from gough.simulation.integrators.fixed_step import Blocks, FixedStep, RowList
from gough.simulation.leg_law import delivered

METHODS: dict[str, FixedStep] = {m.METHOD.name: m.METHOD for m in (rk4, lie, semi_implicit)}
LEGS = Layout(coordinate=6, rate=6)
SPINS = tuple(name for name in SPINNING.names if name not in STATE.names)
LOADS = Layout(effort=6, external=6)
LAWS = Layout(anchor=6, law=6 * LEG_LAW.size, coordinate=6, rate=6)
REACTIONS = Layout(**{name: 3 for name in LEG_RECORD.names if name.endswith(("_force", "_moment"))})
RECORD = Layout(
    acceleration=3, angular_acceleration=3, kinetic=1, potential=1, direction=18, force=6, motor=6
)
NOTHING = (0.0,) * 6
JOINT_AND_BASE = 6  # parameters of a leg before its spin reference
BLOCK = 32  # runs that advance together: all their rows stay in the first-level cache
WIDTH = BLOCK + 8  # rows that are a power of two apart would fall into the same cache sets
LANES = 8


def spins_of(kinds: tuple[str, ...]) -> bool:
    """Some leg's spin is part of the state."""
    return "sps_spin" in kinds


def state_layout(kinds: tuple[str, ...], laws: bool) -> Layout:
    """RowList of a run's state."""
    layout = SPINNING if spins_of(kinds) else STATE
    return layout.then(anchor=6) if laws else layout


def moving_layout(method: FixedStep, kinds: tuple[str, ...]) -> Layout:
    """RowList that the tableau advances: the chart, velocities, spins."""
    spins = dict.fromkeys(SPINS, 6) if spins_of(kinds) else {}
    return method.chart.then(velocity=3, angular_velocity=3, **spins)


def stage_layout(method: FixedStep, kinds: tuple[str, ...], laws: bool) -> Layout:
    """RowList that a stage reads."""
    layout = moving_layout(method, kinds).then(
        **dict(method.held.blocks()), step=1, **dict(LOADS.blocks())
    )
    return layout.then(**dict(LAWS.blocks())) if laws else layout


def chart_rows(method: FixedStep, kinds: tuple[str, ...], laws: bool) -> list[int]:
    """For each moving and held row its row of the state; one behind the last where the chart starts at zero."""
    state = state_layout(kinds, laws)
    return [
        state.at(name) + k if name in state.names else state.size
        for name, width in (*moving_layout(method, kinds).blocks(), *method.held.blocks())
        for k in range(width)
    ]


def record_layout(kinds: tuple[str, ...], laws: bool) -> Layout:
    """RowList that a record reads; the coordinates and rates come last."""
    layout = state_layout(kinds, laws).then(**dict(LOADS.blocks()))
    return layout.then(law=6 * LEG_LAW.size, coordinate=6, rate=6) if laws else layout


def named(layout: Layout, rows: RowList) -> Blocks:
    """RowList by the names of their blocks."""
    return {
        name: rows[layout.at(name) : layout.at(name) + width] for name, width in layout.blocks()
    }


class _Machine:
    """The machine functions of six leg kinds on blocks of rows."""

    def __init__(self, kinds: tuple[str, ...], par: Any) -> None:
        self.kinds, self.par, self.functions = kinds, par, machine(kinds)
        self.data = self.functions.unpack(par)

    def spin(self, z: Blocks) -> Sequence[Any]:
        if not spins_of(self.kinds):
            return NO_SPIN
        return [z[name][leg] for leg in range(6) for name in SPINS[:3]]

    def legs(self, state: Sequence[Any], z: Blocks) -> list[Blocks]:
        """Kinematics of the six legs, accelerations left out."""
        flat = self.functions.kinematics((*state, *NOTHING), self.spin(z), self.data)
        return [named(LEG_MOTION, flat[LEG_MOTION.size * leg :]) for leg in range(6)]

    def law(self, z: Blocks) -> tuple[Any, Any, Any]:
        """Delivered and motor efforts and anchors of the six legs."""
        each = [
            delivered(
                z["law"][leg::6],
                z["effort"][leg],
                z["coordinate"][leg],
                z["rate"][leg],
                z["anchor"][leg],
            )
            for leg in range(6)
        ]
        return tuple(zip(*each, strict=True))  # type: ignore[return-value]

    def forward(self, state: Sequence[Any], effort: RowList, z: Blocks) -> Blocks:
        """Accelerations."""
        flat = self.functions.forward((*state, *effort, *z["external"]), self.spin(z), self.data)
        return named(FORWARD, flat)


def spin_rates(
    kinds: tuple[str, ...],
    par: Any,
    z: Blocks,
    legs: Sequence[tuple[Vec, Vec]],
    acceleration: RowList,
) -> list[Any]:
    """Rates of cosine, sine, rate and angle of the six spins; `legs`: axis and angular velocity of each strut."""
    each = []
    for leg, kind in enumerate(kinds):
        if kind != "sps_spin":
            each.append((0.0, 0.0, 0.0, 0.0))
            continue
        start = offsets(kinds)[leg] + JOINT_AND_BASE
        turn = spin_turn(Vec(*par[start : start + 3]), *legs[leg], z["spin_rate"][leg])
        each.append(
            (-turn * z["spin_sine"][leg], turn * z["spin_cosine"][leg], acceleration[leg], turn)
        )
    return [rate for block in zip(*each, strict=True) for rate in block]


def spin_turn(k: Vec, s: Vec, W: Vec, rate: Any) -> Any:
    """Rate of the spin angle about the leg's axis s from its reference k and the strut's angular velocity W."""
    kap = dot(k, s)
    return rate - kap * (dot(k, W) - kap * rate) / (1.0 - kap * kap)


def state_of(method: FixedStep, z: Blocks) -> tuple[Any, ...]:
    """Pose and twist of a chart."""
    position, rotation = method.pose(z)
    return *position, *rotation, *z["velocity"], *z["angular_velocity"]


def stage_function(
    method: FixedStep, kinds: tuple[str, ...], laws: bool
) -> Callable[..., list[Any]]:
    """(rows of `stage_layout`, parameters) -> rates of the moving rows, then the anchors where laws act."""
    layout = stage_layout(method, kinds, laws)

    def stage(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        z, m = named(layout, x), _Machine(kinds, par)
        state = state_of(method, z)
        effort, _, anchor = m.law(z) if laws else (z["effort"], None, ())
        found = m.forward(state, effort, z)
        spins = []
        if spins_of(kinds):
            legs = [
                (Vec(*leg["direction"]), Vec(*leg["angular_velocity"])) for leg in m.legs(state, z)
            ]
            spins = spin_rates(kinds, par, z, legs, found["spin_acceleration"])
        return [
            *method.rates(z),
            *found["acceleration"],
            *found["angular_acceleration"],
            *spins,
            *anchor,
        ]

    return stage


def finish_function(
    method: FixedStep, kinds: tuple[str, ...], laws: bool
) -> Callable[..., list[Any]]:
    """(rows of `stage_layout` at the end of a step, nothing) -> rows of the state without anchors."""
    layout = stage_layout(method, kinds, laws)

    def finish(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        z = named(layout, x)
        return finished(method, z, z["step"][0])

    return finish


def finished(method: FixedStep, z: Blocks, h: Any) -> list[Any]:
    """RowList of the state at the end of a step; cosine and sine of the spins brought back to the unit circle."""
    position, rotation = method.finish(z, h)
    rows = [*position, *rotation, *z["velocity"], *z["angular_velocity"]]
    if "spin_cosine" in z:
        cosine, sine = z["spin_cosine"], z["spin_sine"]
        scale = [1.5 - 0.5 * (c * c + s * s) for c, s in zip(cosine, sine, strict=True)]
        rows += [c * f for c, f in zip(cosine, scale, strict=True)]
        rows += [s * f for s, f in zip(sine, scale, strict=True)]
        rows += [*z["spin_rate"], *z["spin_angle"]]
    return rows


def legs_function(
    kinds: tuple[str, ...], layout: Layout, state: Callable[[Blocks], Any]
) -> Callable[..., list[Any]]:
    """(rows of `layout`, parameters) -> coordinates and rates of the legs."""

    def legs(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        z = named(layout, x)
        found = _Machine(kinds, par).legs(state(z), z)
        return [leg[name][0] for name in LEGS.names for leg in found]

    return legs


def record_function(
    kinds: tuple[str, ...], laws: bool, reactions: bool
) -> Callable[..., list[Any]]:
    """(rows of `record_layout`, parameters) -> rows of RECORD, then six times REACTIONS where wanted."""
    layout = record_layout(kinds, laws)

    def told(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        z, m = named(layout, x), _Machine(kinds, par)
        state = _plain_state(z)
        force, motor, _ = m.law(z) if laws else (z["effort"], z["effort"], ())
        found = m.forward(state, force, z)
        energy = m.functions.energy(state, m.spin(z), m.data)
        directions = [x for leg in m.legs(state, z) for x in leg["direction"]]
        out = [
            *found["acceleration"],
            *found["angular_acceleration"],
            *energy[: ENERGY.risk],
            *directions,
            *force,
            *motor,
        ]
        if reactions:
            motion = (
                *state,
                *found["acceleration"],
                *found["angular_acceleration"],
                *z["external"],
            )
            flat = m.functions.record(motion, m.spin(z), m.data)
            for leg in range(6):
                blocks = named(LEG_RECORD, flat[LEG_RECORD.size * leg :])
                out += [x for name in REACTIONS.names for x in blocks[name]]
        return out

    return told


def _plain_state(z: Blocks) -> tuple[Any, ...]:
    return *z["position"], *z["rotation"], *z["velocity"], *z["angular_velocity"]


def _program(function: Callable[..., list[Any]], layout: Layout, kinds: tuple[str, ...]) -> Program:
    return record(function, {"x": layout.size, "par": offsets(kinds)[-1]})


def _lower(program: Program) -> Lowered:
    return Lowered(program, WIDTH, LANES)


@lru_cache(maxsize=64)
def stage_programs(
    name: str, kinds: tuple[str, ...], laws: bool
) -> tuple[Lowered, Lowered, Lowered | None]:
    """Stage, finish and (with laws) legs of a method; generated kernel modules call this."""
    method = METHODS[name]
    layout = stage_layout(method, kinds, laws)
    legs = legs_function(kinds, layout, lambda z: state_of(method, z))
    return (
        _lower(_program(stage_function(method, kinds, laws), layout, kinds)),
        _lower(_program(finish_function(method, kinds, laws), layout, kinds)),
        _lower(_program(legs, layout, kinds)) if laws else None,
    )


@lru_cache(maxsize=64)
def record_programs(kinds: tuple[str, ...], laws: bool, reactions: bool) -> tuple[Lowered, Lowered]:
    """Record and legs; generated kernel modules call this."""
    layout = record_layout(kinds, laws)
    return (
        _lower(_program(record_function(kinds, laws, reactions), layout, kinds)),
        _lower(_program(legs_function(kinds, layout, _plain_state), layout, kinds)),
    )
