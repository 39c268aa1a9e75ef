"""What the compiled integrators and records compute, written over any kind of number and traced into programs.

A stage of a method: pose of its chart, leg law, forward dynamics, rates of chart and spins.  A record: leg law,
forward dynamics, energies, reactions.  Both read the legs' coordinates and rates, which a program of its own gives
first where a law needs them (the angle of a crank would keep the rest from becoming vector code).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from gough.dynamics.laws import STATES, Laws, gear, motor
from gough.dynamics.laws import leg as one
from gough.dynamics.laws import states as law_states
from gough.engines.llvm_program import Lowered
from gough.engines.plain import NO_SPIN, machine
from gough.engines.tracer import record
from gough.equations.machine import KINDS, crank_count, links, offsets, reference_of, spinning
from gough.equations.scalar import larger
from gough.equations.vec import Vec, dot
from gough.layout import (
    ELASTIC,
    ENERGY,
    FORWARD,
    LEG_LAW,
    LEG_MOTION,
    LEG_RECORD,
    SPINNING,
    STATE,
    Layout,
)
from gough.simulation.integrators import lie, rk4, semi_implicit
from gough.simulation.integrators.fixed_step import Blocks, FixedStep, RowList
from gough.simulation.leg_law import CLIPPED

METHODS: dict[str, FixedStep] = {m.METHOD.name: m.METHOD for m in (rk4, lie, semi_implicit)}
LEGS = Layout(coordinate=6, rate=6)
SPINS = tuple(name for name in SPINNING.names if name not in STATE.names)
LOADS = Layout(effort=6, external=6)
LAW_STATES = tuple(name for names in STATES.values() for name in names)
LAW_INPUTS = ("effort", "coordinate", "rate", "anchor")
REACTIONS = Layout(**{name: 3 for name in LEG_RECORD.names if name.endswith(("_force", "_moment"))})
RECORD = Layout(
    acceleration=3,
    angular_acceleration=3,
    kinetic=1,
    potential=1,
    stored=1,
    direction=18,
    force=6,
    motor=6,
    stop=6,
)
NOTHING = (0.0,) * 6
BLOCK = 32  # runs that advance together: all their rows stay in the first-level cache
WIDTH = BLOCK + 8  # rows that are a power of two apart would fall into the same cache sets
LANES = 8


def width_of(lanes: int) -> int:
    """Length of the rows of programs that serve so many columns at once; one run alone lies densely."""
    return WIDTH if lanes > 1 else 1


def _law_rows(laws: Laws) -> dict[str, int]:
    """State blocks that the laws in use add."""
    return dict.fromkeys(law_states(laws), 6)


def state_layout(kinds: tuple[str, ...], laws: Laws) -> Layout:
    """Rows of a run's state."""
    layout = SPINNING if spinning(kinds) else STATE
    return layout.then(**_law_rows(laws), anchor=6) if laws else layout


def moving_layout(method: FixedStep, kinds: tuple[str, ...], laws: Laws) -> Layout:
    """Rows that the tableau advances: the chart, velocities, spins, states of the laws."""
    spins = dict.fromkeys(SPINS, 6) if spinning(kinds) else {}
    return method.chart.then(velocity=3, angular_velocity=3, **spins, **_law_rows(laws))


def stage_layout(method: FixedStep, kinds: tuple[str, ...], laws: Laws) -> Layout:
    """Rows that a stage reads."""
    more = {**dict(method.held.blocks()), "step": 1, **dict(LOADS.blocks())}
    if laws:
        more |= {"anchor": 6, **(dict(LEGS.blocks()) if crank_count(kinds) else {})}
    return moving_layout(method, kinds, laws).then(**more)


def chart_rows(method: FixedStep, kinds: tuple[str, ...], laws: Laws) -> list[int]:
    """For each moving and held row its row of the state; one behind the last where the chart starts at zero."""
    state = state_layout(kinds, laws)
    return [
        state.at(name) + k if name in state.names else state.size
        for name, width in (*moving_layout(method, kinds, laws).blocks(), *method.held.blocks())
        for k in range(width)
    ]


def record_layout(kinds: tuple[str, ...], laws: Laws) -> Layout:
    """Rows that a record reads; the coordinates and rates come last."""
    layout = state_layout(kinds, laws).then(**dict(LOADS.blocks()))
    return layout.then(law=6 * LEG_LAW.size, coordinate=6, rate=6) if laws else layout


def named(layout: Layout, rows: RowList) -> Blocks:
    """Rows by the names of their blocks."""
    first = layout.at
    return {name: rows[first(name) : first(name) + width] for name, width in layout.blocks()}


class Machine:
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

    def under(self, laws: Laws, z: Blocks) -> _Legs:
        """The six legs under their laws."""
        names = (*LAW_INPUTS, *law_states(laws))
        each = [(z["law"][i::6], {name: z[name][i] for name in names}) for i in range(6)]
        return _Legs(laws, each)

    def accelerations(self, state: Sequence[Any], acceleration: RowList, z: Blocks) -> list[Any]:
        """Of the six actuator coordinates, as rotors on the legs feel them."""
        flat = self.functions.kinematics((*state, *acceleration), self.spin(z), self.data)
        return felt(self.kinds, self.par, flat)

    def forward(
        self, state: Sequence[Any], effort: RowList, z: Blocks, motors: _Legs | None = None
    ) -> Blocks:
        """Accelerations; those of `motors` that ride behind springs too; `link_force` of the fixed links."""
        if motors is not None:
            inputs = *state, *effort, *z["external"], *z["drive_rate"], *motors.pushes()
            flat = self.functions.elastic(inputs, self.spin(z), self.data)
            return named(ELASTIC, flat) | {"link_force": ()}
        x = (*state, *effort, *z["external"])
        flat, forces = self.functions.driven(x, self.spin(z), self.data)
        return named(FORWARD, flat) | {"link_force": forces}

    def onto_links(self, rows: list[Any], z: Blocks) -> list[Any]:
        """Rows of a state, moved onto the fixed links where there are some."""
        if not links(self.kinds):
            return rows
        state = self.functions.onto_links(rows[: STATE.size], self.spin(z), self.data)
        return [*state, *rows[STATE.size :]]


def felt(kinds: tuple[str, ...], par: Any, flat: Sequence[Any]) -> list[Any]:
    """`gear.felt` of six rows of LEG_MOTION, one behind the other."""
    each = [named(LEG_MOTION, flat[LEG_MOTION.size * leg :]) for leg in range(6)]
    legs = [{**leg, "acceleration": leg["acceleration"][0]} for leg in each]
    return gear.felt(kinds, par, legs)


class _Legs:
    """Six legs under their laws: rows of parameters and inputs by name, leg by leg."""

    def __init__(self, laws: Laws, each: Sequence[tuple[Any, Blocks]]) -> None:
        self.laws, self.each = laws, each
        self.acted = [one.act(laws, law, now) for law, now in each]

    def all(self, name: str) -> list[Any]:
        """One of `one.Action`, of the six legs."""
        return [getattr(acted, name) for acted in self.acted]

    def rates(self, accelerations: Sequence[Any], lead: Any) -> list[Any]:
        """Rates of the laws' states, by blocks."""
        given = zip(self.each, self.acted, accelerations, strict=True)
        each = [one.rates(self.laws, law, now, acted, a, lead) for (law, now), acted, a in given]
        return [found[name] for name in law_states(self.laws) for found in each]

    def pushes(self) -> list[Any]:
        """What is left of the motors' efforts behind friction and what the springs transmit."""
        return [acted.given - acted.transmitted for acted in self.acted]

    def energies(self) -> tuple[Any, Any]:
        """Kinetic of rotors behind springs, stored in the laws."""
        rotors: Any = 0.0
        stored: Any = 0.0
        for (law, now), acted in zip(self.each, self.acted, strict=True):
            rotors = rotors + one.rotor(self.laws, law, now)
            stored = stored + one.stored(self.laws, law, now, acted)
        return rotors, stored


def lead(method: FixedStep, step: Any) -> Any:
    """Time by which the new rate of a law's state moves its coordinate: a step for semi-implicit methods, else none."""
    return step if len(method.nodes) == 1 else 0.0


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
        place = reference_of(kind)
        if place is not None:  # of an axisymmetric leg the angle is the integral of its rate
            start, (s, W) = offsets(kinds)[leg] + place, legs[leg]
            if kind.startswith("ucs_spin"):  # W is the lower part's
                W = W + s * (turn - dot(s, W))
            turn = spin_turn(Vec(*par[start : start + 3]), s, W, turn)
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
    return rows + [row for name in LAW_STATES if name in z for row in z[name]]


def _lowered(
    kinds: tuple[str, ...],
    layout: Layout,
    function: Callable[[Blocks, Machine], list[Any]],
    lanes: int = LANES,
    laws: Laws = (),
) -> Lowered:
    """A function of (rows of `layout` by name, machine), traced and ready for LLVM.

    laws  the numbers of these stand behind the machine's parameters, six of each row of LEG_LAW: what depends on
          nothing else is computed once per call"""
    first = offsets(kinds)[-1]

    def traced(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        law = {"law": par[first:]} if laws else {}
        return function(named(layout, x) | law, Machine(kinds, par[:first]))

    sizes = {"x": layout.size, "par": first + (6 * LEG_LAW.size if laws else 0)}
    return Lowered(record(traced, sizes), width_of(lanes), lanes)


def _excess(z: Blocks) -> list[Any]:
    """Six numbers, positive where a drive gives another effort than commanded."""
    out, rate = [], z["drive_rate" if "drive_rate" in z else "rate"]
    for leg, u in enumerate(z["effort"]):
        off = motor.clip(z["law"][leg::6], u, rate[leg]) - u
        out.append(larger(off, -off) - CLIPPED * (1.0 + larger(u, -u)))
    return out


def stage_rows(method: FixedStep, laws: Laws, z: Blocks, m: Machine) -> tuple[list[Any], Any]:
    """What a stage answers (see `steps_programs`), and the risk of its forward dynamics."""
    state = state_of(method, z)
    if laws and not crank_count(m.kinds):
        z |= named(LEGS, m.coordinates(state, z))
    legs = m.under(laws, z) if laws else None
    rides = legs is not None and "riding" in laws
    found = m.forward(
        state, legs.all("effort") if legs else z["effort"], z, legs if rides else None
    )
    spins = []
    if spinning(m.kinds):
        struts = [
            (Vec(*leg["direction"]), Vec(*leg["angular_velocity"])) for leg in m.legs(state, z)
        ]
        spins = spin_rates(m.kinds, m.par, z, struts, found["spin_acceleration"])
    acceleration = *found["acceleration"], *found["angular_acceleration"]
    if legs is None:
        return [*method.rates(z), *acceleration, *spins], found["risk"][0]
    along = list(found.get("drive_acceleration", NOTHING))
    along = m.accelerations(state, acceleration, z) if "load" in z else along
    own = legs.rates(along, lead(method, z["step"][0]))
    rows = [*method.rates(z), *acceleration, *spins, *own, *legs.all("anchor"), *_excess(z)]
    return rows, found["risk"][0]


@lru_cache(maxsize=64)
def steps_programs(
    name: str, kinds: tuple[str, ...], laws: Laws, lanes: int = LANES
) -> tuple[Lowered, Lowered, Lowered | None]:
    """Stage (rates of the moving rows; where laws act then the anchors and the excess of the commands), finish (rows
    of the state without anchors) and, of angles under laws, legs of a method, all on rows of `stage_layout`; generated
    kernel modules call this."""
    method = METHODS[name]
    layout = stage_layout(method, kinds, laws)

    def stage(z: Blocks, m: Machine) -> list[Any]:
        return stage_rows(method, laws, z, m)[0]

    def finish(z: Blocks, m: Machine) -> list[Any]:
        return m.onto_links(finished(method, z, z["step"][0]), z)

    def found(z: Blocks, m: Machine) -> list[Any]:
        return m.coordinates(state_of(method, z), z)

    return (
        _lowered(kinds, layout, stage, lanes, laws),
        _lowered(kinds, layout, finish, lanes),
        _lowered(kinds, layout, found, lanes) if laws and crank_count(kinds) else None,
    )


def _told_efforts(
    kinds: tuple[str, ...], efforts: Sequence[RowList], forces: RowList
) -> list[list[Any]]:
    """Force, motor's effort and stop of each leg; in a fixed link its own force, and no motor's."""
    each = [list(block) for block in efforts]
    for leg, force in zip(links(kinds), forces, strict=True):
        for block, value in zip(each, (force, 0.0, 0.0), strict=True):
            block[leg] = value
    return each


@lru_cache(maxsize=64)
def record_programs(kinds: tuple[str, ...], laws: Laws, reactions: bool) -> tuple[Lowered, Lowered]:
    """Record (rows of RECORD, then six times REACTIONS where wanted) and legs, on rows of `record_layout`; generated
    kernel modules call this."""
    layout = record_layout(kinds, laws)

    def told(z: Blocks, m: Machine) -> list[Any]:
        state = state_of(rk4.METHOD, z)
        legs = m.under(laws, z) if laws else None
        efforts = (z["effort"], z["effort"], NOTHING)
        if legs is not None:
            efforts = tuple(legs.all(name) for name in ("effort", "motor", "stop"))
        rotors, stored = legs.energies() if legs is not None else (0.0, 0.0)
        motors = legs if "riding" in laws else None
        found = m.forward(state, efforts[0], z, motors)
        efforts = _told_efforts(kinds, efforts, found["link_force"])
        acceleration = *found["acceleration"], *found["angular_acceleration"]
        turning = () if motors is None else tuple(z["drive_rate"])
        energies = m.functions.energy if motors is None else m.functions.elastic_energy
        energy = energies((*state, *turning), m.spin(z), m.data)
        directions = [x for leg in m.legs(state, z) for x in leg["direction"]]
        kinetic = energy[ENERGY.kinetic] + rotors
        out = [*acceleration, kinetic, energy[ENERGY.potential], stored, *directions]
        out += [x for block in efforts for x in block]
        if reactions:
            motion = *state, *acceleration, *z["external"]
            if motors is None:
                flat = m.functions.record(motion, m.spin(z), m.data)
            else:
                motion = *motion, *turning, *found["drive_acceleration"]
                flat = m.functions.elastic_record(motion, m.spin(z), m.data)
            for leg in range(6):
                blocks = named(LEG_RECORD, flat[LEG_RECORD.size * leg :])
                out += [x for name in REACTIONS.names for x in blocks[name]]
        return out

    legs = _lowered(kinds, layout, lambda z, m: m.coordinates(state_of(rk4.METHOD, z), z))
    return _lowered(kinds, layout, told), legs
