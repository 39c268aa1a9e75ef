"""What the compiled integrators and records compute, written over any kind of number and traced into programs.

A stage of a method: pose of its chart, leg law, forward dynamics, rates of chart and spins.  A record: leg law,
forward dynamics, energies, reactions.  Both read the legs' coordinates and rates, which a program of its own gives
first where a law needs them (the angle of a crank would keep the rest from becoming vector code).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from gough.dynamics.drive_law import delivered
from gough.engines.llvm_program import Lowered
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import record
from gough.equations.machine import KINDS, offsets, spinning
from gough.equations.vec import Vec, dot
from gough.layout import ENERGY, FORWARD, LEG_LAW, LEG_MOTION, LEG_RECORD, SPINNING, STATE, Layout
from gough.simulation.integrators import lie, rk4, semi_implicit
from gough.simulation.integrators.fixed_step import Blocks, FixedStep, RowList

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


def state_layout(kinds: tuple[str, ...], laws: bool) -> Layout:
    """Rows of a run's state."""
    layout = SPINNING if spinning(kinds) else STATE
    return layout.then(anchor=6) if laws else layout


def moving_layout(method: FixedStep, kinds: tuple[str, ...]) -> Layout:
    """Rows that the tableau advances: the chart, velocities, spins."""
    spins = dict.fromkeys(SPINS, 6) if spinning(kinds) else {}
    return method.chart.then(velocity=3, angular_velocity=3, **spins)


def stage_layout(method: FixedStep, kinds: tuple[str, ...], laws: bool) -> Layout:
    """Rows that a stage reads."""
    more = {**dict(method.held.blocks()), "step": 1, **dict(LOADS.blocks())}
    return moving_layout(method, kinds).then(**more, **(dict(LAWS.blocks()) if laws else {}))


def chart_rows(method: FixedStep, kinds: tuple[str, ...], laws: bool) -> list[int]:
    """For each moving and held row its row of the state; one behind the last where the chart starts at zero."""
    state = state_layout(kinds, laws)
    return [
        state.at(name) + k if name in state.names else state.size
        for name, width in (*moving_layout(method, kinds).blocks(), *method.held.blocks())
        for k in range(width)
    ]


def record_layout(kinds: tuple[str, ...], laws: bool) -> Layout:
    """Rows that a record reads; the coordinates and rates come last."""
    layout = state_layout(kinds, laws).then(**dict(LOADS.blocks()))
    return layout.then(law=6 * LEG_LAW.size, coordinate=6, rate=6) if laws else layout


def named(layout: Layout, rows: RowList) -> Blocks:
    """Rows by the names of their blocks."""
    first = layout.at
    return {name: rows[first(name) : first(name) + width] for name, width in layout.blocks()}


class _Machine:
    """The machine functions of six leg kinds on blocks of rows."""

    def __init__(self, kinds: tuple[str, ...], par: Any) -> None:
        self.kinds, self.par, self.functions = kinds, par, machine(kinds)

    @cached_property
    def data(self) -> Any:
        return self.functions.unpack(self.par)

    def spin(self, z: Blocks) -> Sequence[Any]:
        if not spinning(self.kinds):
            return NO_SPIN
        return [z[name][leg] for leg in range(6) for name in SPINS[:3]]

    def legs(self, state: Sequence[Any], z: Blocks) -> list[Blocks]:
        """Kinematics of the six legs, accelerations left out."""
        flat = self.functions.kinematics((*state, *NOTHING), self.spin(z), self.data)
        return [named(LEG_MOTION, flat[LEG_MOTION.size * leg :]) for leg in range(6)]

    def coordinates(self, state: Sequence[Any], z: Blocks) -> list[Any]:
        """Rows of LEGS."""
        found = self.legs(state, z)
        return [leg[name][0] for name in LEGS.names for leg in found]

    def law(self, z: Blocks) -> tuple[Any, Any, Any]:
        """Delivered and motor efforts and anchors of the six legs."""
        law, inputs = z["law"], [z[name] for name in ("effort", "coordinate", "rate", "anchor")]
        each = [delivered(law[leg::6], *(rows[leg] for rows in inputs)) for leg in range(6)]
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
        if not KINDS[kind].spins:
            each.append((0.0, 0.0, 0.0, 0.0))
            continue
        turn = z["spin_rate"][leg]
        if kind == "sps_spin":  # of an axisymmetric leg the angle is the integral of its rate
            start = offsets(kinds)[leg] + JOINT_AND_BASE
            turn = spin_turn(Vec(*par[start : start + 3]), *legs[leg], turn)
        sine, cosine = z["spin_sine"][leg], z["spin_cosine"][leg]
        each.append((-turn * sine, turn * cosine, acceleration[leg], turn))
    return [rate for block in zip(*each, strict=True) for rate in block]


def spin_turn(k: Vec, s: Vec, W: Vec, rate: Any) -> Any:
    """Rate of the spin angle about the leg's axis s from its reference k and the strut's angular velocity W."""
    kap = dot(k, s)
    return rate - kap * (dot(k, W) - kap * rate) / (1.0 - kap * kap)


def state_of(method: FixedStep, z: Blocks) -> tuple[Any, ...]:
    """Pose and twist of a chart."""
    position, rotation = method.pose(z)
    return *position, *rotation, *z["velocity"], *z["angular_velocity"]


def finished(method: FixedStep, z: Blocks, h: Any) -> list[Any]:
    """Rows of the state at the end of a step; cosine and sine of the spins brought back to the unit circle."""
    position, rotation = method.finish(z, h)
    rows = [*position, *rotation, *z["velocity"], *z["angular_velocity"]]
    if "spin_cosine" in z:
        cosine, sine = z["spin_cosine"], z["spin_sine"]
        scale = [1.5 - 0.5 * (c * c + s * s) for c, s in zip(cosine, sine, strict=True)]
        rows += [c * f for c, f in zip(cosine, scale, strict=True)]
        rows += [s * f for s, f in zip(sine, scale, strict=True)]
        rows += [*z["spin_rate"], *z["spin_angle"]]
    return rows


def _lowered(
    kinds: tuple[str, ...], layout: Layout, function: Callable[[Blocks, _Machine], list[Any]]
) -> Lowered:
    """A function of (rows of `layout` by name, machine), traced and ready for LLVM."""

    def traced(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        return function(named(layout, x), _Machine(kinds, par))

    return Lowered(record(traced, {"x": layout.size, "par": offsets(kinds)[-1]}), WIDTH, LANES)


@lru_cache(maxsize=64)
def steps_programs(
    name: str, kinds: tuple[str, ...], laws: bool
) -> tuple[Lowered, Lowered, Lowered | None]:
    """Stage (rates of the moving rows, then the anchors where laws act), finish (rows of the state without anchors)
    and, with laws, legs of a method, all on rows of `stage_layout`; generated kernel modules call this."""
    method = METHODS[name]
    layout = stage_layout(method, kinds, laws)

    def stage(z: Blocks, m: _Machine) -> list[Any]:
        state = state_of(method, z)
        effort, _, anchor = m.law(z) if laws else (z["effort"], None, ())
        found = m.forward(state, effort, z)
        spins = []
        if spinning(kinds):
            struts = [
                (Vec(*leg["direction"]), Vec(*leg["angular_velocity"])) for leg in m.legs(state, z)
            ]
            spins = spin_rates(kinds, m.par, z, struts, found["spin_acceleration"])
        acceleration = *found["acceleration"], *found["angular_acceleration"]
        return [*method.rates(z), *acceleration, *spins, *anchor]

    return (
        _lowered(kinds, layout, stage),
        _lowered(kinds, layout, lambda z, m: finished(method, z, z["step"][0])),
        _lowered(kinds, layout, lambda z, m: m.coordinates(state_of(method, z), z))
        if laws
        else None,
    )


@lru_cache(maxsize=64)
def record_programs(kinds: tuple[str, ...], laws: bool, reactions: bool) -> tuple[Lowered, Lowered]:
    """Record (rows of RECORD, then six times REACTIONS where wanted) and legs, on rows of `record_layout`; generated
    kernel modules call this."""
    layout = record_layout(kinds, laws)

    def told(z: Blocks, m: _Machine) -> list[Any]:
        state = state_of(rk4.METHOD, z)
        force, motor, _ = m.law(z) if laws else (z["effort"], z["effort"], ())
        found = m.forward(state, force, z)
        acceleration = *found["acceleration"], *found["angular_acceleration"]
        energy = m.functions.energy(state, m.spin(z), m.data)
        directions = [x for leg in m.legs(state, z) for x in leg["direction"]]
        out = [*acceleration, *energy[: ENERGY.risk], *directions, *force, *motor]
        if reactions:
            motion = *state, *acceleration, *z["external"]
            flat = m.functions.record(motion, m.spin(z), m.data)
            for leg in range(6):
                blocks = named(LEG_RECORD, flat[LEG_RECORD.size * leg :])
                out += [x for name in REACTIONS.names for x in blocks[name]]
        return out

    legs = _lowered(kinds, layout, lambda z, m: m.coordinates(state_of(rk4.METHOD, z), z))
    return _lowered(kinds, layout, told), legs
