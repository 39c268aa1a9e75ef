"""The machine on elastic drives: twelve degrees of freedom, the platform and the six coordinates lam of the motors.

    [[M_0, B], [B^T, J_m]] (xdd ; lamdd) = (J^T y + wrench - b_0 ; u - G.A_c),    u = motor effort - friction - y
``M_0``, ``b_0``: of the machine whose rotors do not turn against what carries them; column i of B is rider.pull about
the reference point; b_0 has the moments ``lamd W_c x G``; y is what the springs between motors and legs transmit.
Each lam is condensed out of its leg: ``M = M_0 - sum B_i B_i^T/J_i``.  docs/derivations/elastic.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gough import layout
from gough.equations.machine import (
    KINDS,
    MachineData,
    MachineEquations,
    balance,
    joint_arms,
    leg_loads,
    leg_record,
    leg_spins,
    risk_of,
    spin_response,
    total_mass,
)
from gough.equations.platform import (
    PlatformMotion,
    body_load,
    joint_motion,
    joint_wrench,
    transmission,
    wrench_world,
)
from gough.equations.riders import Rider, locked, rider, rub_of, unrubbed
from gough.equations.solve import Mass, Six, components, inner, total
from gough.equations.strut import LegMass, LegSpin, LegState
from gough.equations.vec import Mat, Scalar, Sym, Vec, dot, outer, rate_matrix


@dataclass(slots=True, eq=False)
class Ride:
    """The legs with their rotors locked: answers (moments of the rotors' rates included), masses; and the rotors."""

    states: list[LegState]
    masses: list[LegMass]
    riders: list[Rider | None]


def locked_machine(data: MachineData) -> MachineData:
    """The machine whose rotors do not turn against their carriers."""
    return replace(data, legs=[locked(leg) for leg in data.legs])


def rotor_mass(g: Six, share: Scalar) -> Mass:
    """``g g^T share``"""
    side, linear, angular = g.ang * share, outer(g.lin), outer(g.ang)
    return Mass(
        Sym(*(a * share for a in linear)),
        Mat(side * g.lin.x, side * g.lin.y, side * g.lin.z),
        Sym(*(a * share for a in angular)),
    )


def about_reference(q: Vec, r: Rider) -> Six:
    """``P^T G`` about the reference point: a column of B."""
    return joint_wrench(q, r.pull.lin, r.pull.ang)


class ElasticEquations(MachineEquations):
    """The machine functions, and those of the machine on elastic drives."""

    def ride(
        self,
        data: MachineData,
        m: PlatformMotion,
        q: Sequence[Vec],
        spins: Sequence[LegSpin],
        turning: Sequence[tuple[Scalar, Scalar]],
    ) -> Ride:
        """Legs and rotors in a motion; `turning`: rates and accelerations of the rotors."""
        held, B, g = locked_machine(data), rate_matrix(m.w, m.al), data.body.g
        masses = self.masses(held, m, q, spins, g)

        def riders(states: list[LegState]) -> list[Rider | None]:
            each = zip(self.kinds, data.legs, q, spins, states, masses, strict=True)
            return [
                rider(k, leg, joint_motion(m, qi, B, g), c, s, n) for k, leg, qi, c, s, n in each
            ]

        loose = riders(self.states(held, m, q, B, spins))
        moments = [
            None if r is None else r.moment(*how) for r, how in zip(loose, turning, strict=True)
        ]
        own = list(zip(self.kinds, moments, strict=True))
        rubs = [None if moment is None else rub_of(kind, moment) for kind, moment in own]
        found = self.states(held, m, q, B, spins, rubs)
        states = [
            s if moment is None else unrubbed(kind, s, moment)
            for s, (kind, moment) in zip(found, own, strict=True)
        ]
        return Ride(states, masses, riders(states))

    def elastic(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Accelerations of the platform, of the spins and of the motors; risk."""
        given, m, spins = layout.ELASTIC_STATE, self.motion(x, data, layout.STATE), leg_spins(spin)
        q = joint_arms(m.R, data.legs)
        ride = self.ride(data, m, q, spins, [(rate, 0.0) for rate in x[given.drive_rate]])
        M = total_mass(data.body, m.R, q, ride.masses)
        force = wrench_world(m.R, x) - body_load(data.body, m) - leg_loads(q, ride.states)
        each = zip(q, ride.masses, x[given.effort], strict=True)
        force = force + total(transmission(*one) for one in each)
        rotors: list[tuple[Six | None, Scalar, Scalar]] = []
        for qi, r, leg, u in zip(q, ride.riders, data.legs, x[given.push], strict=True):
            g, J = None, leg.reflected
            if r is not None:
                g, J, u = about_reference(qi, r), r.inertia, u - r.turned
                M, force = M + rotor_mass(g, -1.0 / J), force - g * (u / J)
            rotors.append((g, J, u))
        acc, risk = M.solved(force)
        own = [(u if g is None else u - inner(g, acc)) / J for g, J, u in rotors]
        spun = []
        for qi, n, s, r, lamdd in zip(q, ride.masses, ride.states, ride.riders, own, strict=True):
            free = spin_response(n, qi, s, acc)
            spun.append(free if r is None else free - r.spins * lamdd)
        return (*components(acc), *spun, *own, risk_of(ride.masses, risk * risk))

    def elastic_record(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """As `record`: what the springs transmit, and all reactions, with the motors' motion given."""
        given, m = layout.ELASTIC_MOTION, self.motion(x, data)
        q, rates = joint_arms(m.R, data.legs), (x[given.drive_rate], x[given.drive_acceleration])
        ride = self.ride(data, m, q, leg_spins(spin), list(zip(*rates, strict=True)))
        found = balance(m, q, ride.states, data.body, wrench_world(m.R, x))
        risk, out = risk_of(ride.states, found.risk), list[Scalar]()
        for kind, leg, state, y in zip(self.kinds, data.legs, ride.states, found.y, strict=True):
            out += leg_record(state, KINDS[kind].reactions(leg, state, y), y * state.eta, risk)
        return tuple(out)

    def elastic_energy(self, x: Scalar, spin: Scalar, data: MachineData) -> tuple[Scalar, ...]:
        """Kinetic energy, ``lamd (J_m lamd/2 + G.W_c)`` of the rotors included, potential energy, J; risk."""
        m, spins = self.motion(x, data, layout.STATE), leg_spins(spin)
        q, rates = joint_arms(m.R, data.legs), x[layout.ELASTIC_SPEED.drive_rate]
        kinetic, potential, risk = self.energy(x, spin, locked_machine(data))
        ride = self.ride(data, m, q, spins, [(rate, 0.0) for rate in rates])
        for r, leg, rate in zip(ride.riders, data.legs, rates, strict=True):
            own = 0.5 * leg.reflected * rate
            if r is not None:
                own = own + dot(r.G, r.W)
            kinetic = kinetic + rate * own
        return kinetic, potential, risk

    def couplings(
        self, x: Scalar, spin: Scalar, data: MachineData
    ) -> list[tuple[Six | None, Scalar]]:
        """Of each motor in a pose: its column of B (None: zero) and its inertia J, any spin condensed out."""
        m, spins = self.motion(x, data, layout.POSE), leg_spins(spin)
        q = joint_arms(m.R, data.legs)
        ride = self.ride(data, m, q, spins, [(0.0, 0.0)] * 6)
        return [
            (None, leg.reflected) if r is None else (about_reference(qi, r), r.inertia)
            for qi, r, leg in zip(q, ride.riders, data.legs, strict=True)
        ]
