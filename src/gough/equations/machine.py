"""Whole-machine functions of flat numbers, for any six leg types: what the engines run and the tracer records.

``MachineEquations(kinds)`` offers straight-line functions ``f(x, spin, data) -> tuple`` over any kind of number.
    x     state, layout per function: `FUNCTIONS`
    spin  per leg cosine, sine of the spin angle and spin rate (SPIN; only legs of kinds that spin read theirs)
    data  ``unpack(par)`` of the parameter vector that engines/pack.py makes: body, then each leg's row
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gough import layout
from gough.equations.base import Base, Mount, base_motion, mount_at
from gough.equations.kinds import ANGULAR as ANGULAR
from gough.equations.kinds import HELD as HELD
from gough.equations.kinds import KINDS as KINDS
from gough.equations.kinds import PULLING as PULLING
from gough.equations.kinds import SPRUNG as SPRUNG
from gough.equations.kinds import crank_count as crank_count
from gough.equations.kinds import links as links
from gough.equations.kinds import offsets as offsets
from gough.equations.kinds import reference_of as reference_of
from gough.equations.kinds import spinning as spinning
from gough.equations.links import hold, onto_links
from gough.equations.platform import (
    BodyData,
    PlatformMotion,
    body_load,
    body_mass,
    column,
    joint_motion,
    joint_place,
    leg_kinetic,
    leg_load,
    leg_mass,
    platform_motion,
    transmission,
    wrench_world,
)
from gough.equations.solve import Mass, Six, Solution, components, inner, solve_columns, total
from gough.equations.strut import LegMass, LegReactions, LegSpin, LegState, Rub
from gough.equations.vec import (
    Frame,
    Mat,
    Scalar,
    Sym,
    Vec,
    blocks_at,
    cross,
    dot,
    rate_matrix,
    vec_at,
)
from gough.layout import Layout

LEG_WEIGHT = 1e4  # a leg 1e-6 from its own singularity risks as much as a condition number of 1e8
TINY = 1e-300  # keeps 0/0 of a leg without free spin at zero, without a branch


class Function(NamedTuple):
    """Inputs of a machine function (the spins of SPS legs follow), its outputs, and whether these are per leg."""

    inputs: Layout
    outputs: Layout
    per_leg: bool = False

    @property
    def n_out(self) -> int:
        """How many numbers it answers."""
        return self.outputs.size * (6 if self.per_leg else 1)


MOVING = (
    "moving_"  # prefix: reads the motion of the base too, and a MOUNT per leg behind the parameters
)
FUNCTIONS = {
    "forces": Function(layout.LOADED_MOTION, layout.FORCES),
    "record": Function(layout.LOADED_MOTION, layout.LEG_RECORD, per_leg=True),
    "kinematics": Function(layout.MOTION, layout.LEG_MOTION, per_leg=True),
    "mass": Function(layout.POSE, layout.MASS),
    "forward": Function(layout.DRIVEN_STATE, layout.FORWARD),
    "energy": Function(layout.STATE, layout.ENERGY),
}
FIXED = tuple(FUNCTIONS)
FUNCTIONS |= {
    MOVING + name: f._replace(inputs=f.inputs.then(**dict(layout.BASE.blocks())))
    for name, f in FUNCTIONS.items()
    if name in ("forces", "record", "forward", "energy")
}
FUNCTIONS |= {  # elastic.py
    "elastic": Function(layout.ELASTIC_STATE, layout.ELASTIC),
    "elastic_energy": Function(layout.ELASTIC_SPEED, layout.ENERGY),
    "elastic_record": Function(layout.ELASTIC_MOTION, layout.LEG_RECORD, per_leg=True),
}
FUNCTIONS["rubbed"] = Function(
    layout.LOADED_MOTION.then(**dict(layout.JOINT_MOMENTS.blocks())),
    layout.LEG_RECORD,
    per_leg=True,
)
FUNCTIONS[MOVING + "record"] = FUNCTIONS[MOVING + "record"]._replace(outputs=layout.MOVING_RECORD)


def parameter_count(function: str, kinds: tuple[str, ...]) -> int:
    """Numbers of the parameter vector that a function reads."""
    return offsets(kinds)[-1] + (6 * layout.MOUNT.size if function.startswith(MOVING) else 0)


def body_data(par: Scalar) -> BodyData:
    """The platform's constants from the head of the parameter vector."""
    return BodyData(*blocks_at(layout.BODY, par, 0))


def leg_spins(spin: Scalar) -> list[LegSpin]:
    """Spin states of the six legs."""
    size = layout.SPIN.size
    return [LegSpin(*spin[i : i + size]) for i in range(0, 6 * size, size)]


def leg_kinematics(s: LegState) -> tuple[Scalar, ...]:
    """One leg's LEG_MOTION: coordinate, rate, acceleration, s, W, A."""
    return (s.coordinate, s.rate, s.acceleration, *s.s, *s.W, *s.A)


def leg_record(s: LegState, r: LegReactions, effort: Scalar, risk: Scalar) -> tuple[Scalar, ...]:
    """One leg's LEG_RECORD; the risk is the machine's: every reaction needs all six legs."""
    forces = (r.spherical_force, r.universal_force, r.universal_moment)
    above = s.couple if r.platform_moment is None else r.platform_moment
    loads = (c for f in (*forces, r.prismatic_force, r.prismatic_moment, above) for c in f)
    return (*leg_kinematics(s), s.eta, effort, s.spin_acceleration, *loads, risk)


def upper_triangle(M: Mass) -> tuple[Scalar, ...]:
    """MASS: 21 numbers of the symmetric 6x6 by rows."""
    A, B, C = M.A, M.B, M.C
    return (A.xx, A.xy, A.xz, *B.a, A.yy, A.yz, *B.b, A.zz, *B.c, *C)


def mass_of(upper: Sequence[Scalar]) -> Mass:
    """The mass matrix back from its upper triangle."""
    xx, xy, xz, ax, ay, az, yy, yz, bx, by, bz, zz, cx, cy, cz, *angular = upper
    B = Mat(Vec(ax, ay, az), Vec(bx, by, bz), Vec(cx, cy, cz))
    return Mass(Sym(xx, xy, xz, yy, yz, zz), B, Sym(*angular))


def joint_arms(R: Frame, legs: Sequence[Any]) -> list[Vec]:
    """``q_i = R p_i``"""
    return [R.world(leg.joint) for leg in legs]


def leg_loads(q: Sequence[Vec], s: Sequence[LegState]) -> Six:
    """Sum of what the legs take from the platform at zero effort."""
    return total(leg_load(qi, si) for qi, si in zip(q, s, strict=True))


def balance(
    m: PlatformMotion, q: Sequence[Vec], s: Sequence[LegState], body: BodyData, external: Six
) -> Solution:
    """``H y = M (a_G - g), ... + sum loads - external``"""
    load = body_load(body, m) + leg_loads(q, s) - external
    return solve_columns([column(qi, si) for qi, si in zip(q, s, strict=True)], load)


def total_mass(body: BodyData, R: Frame, q: Sequence[Vec], n: Sequence[LegMass]) -> Mass:
    """Task-space mass matrix of platform and legs."""
    return total((leg_mass(qi, ni) for qi, ni in zip(q, n, strict=True)), body_mass(body, R))


def risk_of(legs: Sequence[LegState] | Sequence[LegMass], more: Scalar) -> Scalar:
    """The machine's risk: what the legs risk, weighted, and that of the solved system, each a squared condition."""
    return total(leg.risk for leg in legs) * LEG_WEIGHT + more


def spin_response(n: LegMass, q: Vec, s: LegState, acc: Six) -> Scalar:
    """Spin acceleration: the coasting answer plus the share ``-mu.pdd/I_a`` of the joint's acceleration."""
    return s.spin_acceleration - dot(n.mu, acc.lin + cross(acc.ang, q)) / (n.axial + TINY)


def ground_wrench(base: Base, mount: Mount, s: LegState, r: LegReactions) -> Six:
    """Of the base on a leg, about the base's origin; a rotor on the base adds ``gam (qdd d + qd Om x d)``."""
    turn = mount.rotor * s.acceleration + cross(base.w, mount.rotor) * s.rate
    return Six(r.ground_force, r.ground_moment + turn)


@dataclass(slots=True, eq=False)
class MachineData:
    """All constants of a machine: body, six legs; what these have on a base that moves, or six times None; numbers and
    lengths of its fixed links."""

    body: BodyData
    legs: list[Any]
    mounts: Sequence[Mount | None]
    links: list[tuple[int, Scalar]]


@dataclass(frozen=True)
class MachineEquations:
    """The machine functions for six leg kinds (names of `KINDS`); inputs and outputs as in `FUNCTIONS`."""

    kinds: tuple[str, ...]

    def unpack(self, par: Scalar) -> MachineData:
        """The machine's constants from its parameter vector."""
        at = offsets(self.kinds)
        mounts: Sequence[Mount | None] = (None,) * 6
        if len(par) > at[-1]:
            mounts = [mount_at(par, at[-1] + leg * layout.MOUNT.size) for leg in range(6)]
        legs = [KINDS[kind].data(par, start) for kind, start in zip(self.kinds, at, strict=False)]
        held = [(i, par[at[i + 1] - layout.LINK.size]) for i in links(self.kinds)]
        return MachineData(body_data(par), legs, mounts, held)

    def motion(self, x: Scalar, data: MachineData, given: Layout = layout.MOTION) -> PlatformMotion:
        """The platform's motion, on the base that moves as the last numbers of x say where the machine has mounts."""
        m = platform_motion(x, given)
        if data.mounts[0] is not None:
            m.base = base_motion(x, len(x) - layout.BASE.size, data.body.g)
        return m

    def states(
        self,
        data: MachineData,
        m: PlatformMotion,
        q: Sequence[Vec],
        B: Mat,
        spins: Sequence[LegSpin],
        rubs: Sequence[Rub | None] = (None,) * 6,
    ) -> list[LegState]:
        """Answers of the six legs; B is the platform's rate matrix, `rubs` moments given in their joints."""
        return [
            KINDS[kind].state(leg, joint_motion(m, qi, B, data.body.g, mount, rub), c)
            for kind, leg, qi, mount, rub, c in zip(
                self.kinds, data.legs, q, data.mounts, rubs, spins, strict=True
            )
        ]

    def masses(
        self,
        data: MachineData,
        m: PlatformMotion,
        q: Sequence[Vec],
        spins: Sequence[LegSpin],
        g: Vec,
    ) -> list[LegMass]:
        """Reflected masses of the six legs; potentials with gravity g."""
        return [
            KINDS[kind].mass(leg, joint_place(m, qi, g), c)
            for kind, leg, qi, c in zip(self.kinds, data.legs, q, spins, strict=True)
        ]

    def moving_kinetic(
        self, data: MachineData, m: PlatformMotion, q: Sequence[Vec], spins: Sequence[LegSpin]
    ) -> Iterator[Scalar]:
        """Energies of the six legs on a base that moves, ``gam qd d.Om`` of the rotors on it included."""
        states = self.states(data, m, q, rate_matrix(m.w, m.al), spins)
        for state, mount in zip(states, data.mounts, strict=True):
            if m.base is not None and mount is not None:
                yield state.kinetic + state.rate * dot(mount.rotor, m.base.w)

    def forces(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Inverse dynamics: six efforts, risk (a squared condition number; infinite or NaN at a singularity)."""
        m = self.motion(x, data)
        q = joint_arms(m.R, data.legs)
        s = self.states(data, m, q, rate_matrix(m.w, m.al), leg_spins(spin))
        found = balance(m, q, s, data.body, wrench_world(m.R, x))
        efforts = (y * leg.eta for y, leg in zip(found.y, s, strict=True))
        return (*efforts, risk_of(s, found.risk))

    def record(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Everything about each leg, its joint reactions."""
        return self._record(x, spin, data, (None,) * 6)

    def rubbed(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """The same with moments in the joints that are given."""
        i, size = layout.LOADED_MOTION.size, 3 * 6
        pairs = [(vec_at(x, i + 3 * leg), vec_at(x, i + size + 3 * leg)) for leg in range(6)]
        return self._record(x, spin, data, [Rub(*pair) for pair in pairs])

    def _record(
        self, x: Scalar, spin: Scalar, data: MachineData, rubs: Sequence[Rub | None]
    ) -> tuple[Scalar, ...]:
        m = self.motion(x, data)
        q = joint_arms(m.R, data.legs)
        s = self.states(data, m, q, rate_matrix(m.w, m.al), leg_spins(spin), rubs)
        found = balance(m, q, s, data.body, wrench_world(m.R, x))
        out: list[Scalar] = []
        risk = risk_of(s, found.risk)
        for kind, leg, mount, state, y in zip(
            self.kinds, data.legs, data.mounts, s, found.y, strict=True
        ):
            reactions = KINDS[kind].reactions(leg, state, y)
            out += leg_record(state, reactions, y * state.eta, risk)
            if m.base is not None and mount is not None:
                out += components(ground_wrench(m.base, mount, state, reactions))
        return tuple(out)

    def kinematics(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Motion of each leg."""
        m = platform_motion(x)
        q = joint_arms(m.R, data.legs)
        s = self.states(data, m, q, rate_matrix(m.w, m.al), leg_spins(spin))
        return tuple(value for state in s for value in leg_kinematics(state))

    def mass(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Task-space mass matrix, upper triangle; risk."""
        m = platform_motion(x, layout.POSE)
        q = joint_arms(m.R, data.legs)
        n = self.masses(data, m, q, leg_spins(spin), data.body.g)
        return (*upper_triangle(total_mass(data.body, m.R, q, n)), risk_of(n, 0.0))

    def forward(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Accelerations ``M^-1 (J^T tau + wrench - bias)``, spin accelerations, bias, risk.

        Efforts of fixed links are not read: their forces keep their lengths (equations/links.py).
        """
        return self.driven(x, spin, data)[0]

    def driven(
        self, x: Scalar, spin: Scalar, data: MachineData
    ) -> tuple[tuple[Scalar, ...], list[Scalar]]:
        """Forward dynamics, and the forces in the fixed links."""
        m, spins = self.motion(x, data, layout.STATE), leg_spins(spin)
        q = joint_arms(m.R, data.legs)
        s = self.states(data, m, q, rate_matrix(m.w, m.al), spins)
        n = self.masses(data, m, q, spins, data.body.g)
        bias = body_load(data.body, m) + leg_loads(q, s)
        M = total_mass(data.body, m.R, q, n)
        held = [i for i, _ in data.links]
        each = list(zip(q, n, x[layout.DRIVEN_STATE.effort], strict=True))
        push = total(transmission(*leg) for i, leg in enumerate(each) if i not in held)
        acc, risk = M.solved(push + wrench_world(m.R, x) - bias)
        forces: list[Scalar] = []
        if held:
            links = hold(M, [transmission(q[i], n[i]) for i in held])
            drift = [s[i].acceleration for i in held]
            forces = links.forces(
                [inner(g, acc) + d for g, d in zip(links.rows, drift, strict=True)]
            )
            acc, risk = acc + links.answer(forces), risk + links.risk()
        spun = [spin_response(ni, qi, si, acc) for ni, qi, si in zip(n, q, s, strict=True)]
        out = (*components(acc), *spun, *components(bias), risk_of(n, risk * risk))
        return out, forces

    def onto_links(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """A STATE moved onto the fixed links, by the least in the metric of the mass matrix."""
        m = self.motion(x, data, layout.STATE)
        q = joint_arms(m.R, data.legs)
        n = self.masses(data, m, q, leg_spins(spin), data.body.g)
        M = total_mass(data.body, m.R, q, n)
        m = onto_links(m, M, [(data.legs[i], length) for i, length in data.links])
        rotation = (getattr(column, i) for i in "xyz" for column in (m.R.x, m.R.y, m.R.z))
        return (*m.t, *rotation, *m.v, *m.w)

    def energy(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Kinetic, potential energy, J; risk."""
        m, spins = self.motion(x, data, layout.STATE), leg_spins(spin)
        q = joint_arms(m.R, data.legs)
        g, twist, legs = data.body.g, Six(m.v, m.w), self.moving_kinetic(data, m, q, spins)
        if m.base is not None:
            g, twist = m.base.weight, Six(m.base.velocity(m.t, m.v), m.w + m.base.w)
        n = self.masses(data, m, q, spins, g)
        if m.base is None:
            legs = (
                leg_kinetic(ni, m.v + cross(m.w, qi), m.w, c.rate)
                for ni, qi, c in zip(n, q, spins, strict=True)
            )
        kinetic = total(legs, 0.5 * inner(twist, body_mass(data.body, m.R).times(twist)))
        potential = total(leg.potential for leg in n) - dot(
            g, m.t * data.body.mass + m.R.world(data.body.first)
        )
        if m.base is not None:
            potential = potential - dot(g, m.base.t) * total(
                (leg.moving_mass for leg in data.legs), data.body.mass
            )
        return (kinetic, potential, risk_of(n, 0.0))
