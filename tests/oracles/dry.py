"""Machines whose joints rub dry, and an outside engine with that friction in its own joints, of loads given to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import gough
from gough.checks import Array
from gough.model import Spinning
from oracles.compare import spin
from oracles.machines import Case, case
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_case
from oracles.pinocchio_model import PinocchioEngine
from oracles.projection import Answer, Closed

BASE, TOP = 2e-3, 3e-3  # mu r, m


class DryClosed(Closed):
    """The outside engine with dry friction of given loads (6, 2) in its own joints."""

    loads: Array

    def _friction(self) -> Array:
        out = super()._friction()
        for i, (leg, n) in enumerate(zip(self.machine.legs, self.engine.tree.legs, strict=True)):
            for k in n.universal:  # two hinges, or a ball at the base side against what carries it
                rate = self.qd[self.engine.dofs[k]]
                held = leg.friction.universal_dry * self.loads[i, 0]
                out[self.engine.dofs[k]] -= held * rate / np.linalg.norm(rate)
            for k in n.plate:  # two hinges at the platform
                rate = self.qd[self.engine.dofs[k]]
                held = leg.friction.spherical_dry * self.loads[i, 1]
                out[self.engine.dofs[k]] -= held * np.sign(rate)
        return out

    def _ball_couple(self, i: int) -> Array:
        relative = (self.tips[i][3:] - self.top[3:]) @ self.qd
        held = self.machine.legs[i].friction.spherical_dry * self.loads[i, 1]
        return super()._ball_couple(i) + held * relative / np.linalg.norm(relative)

    def joint_rates(self) -> Array:
        """(6, 2) at which the joints rub: of a ball the size of its turning, of two hinges the sum of both."""
        out = np.zeros((6, 2))
        for i, n in enumerate(self.engine.tree.legs):
            for side, nodes in enumerate((n.universal, n.plate)):
                turning = [self.qd[self.engine.dofs[k]] for k in nodes]
                out[i, side] = sum(np.linalg.norm(rate) for rate in turning)
            if not n.plate:
                out[i, 1] = np.linalg.norm((self.tips[i][3:] - self.top[3:]) @ self.qd)
        return out


def dry_case(
    kind: str, seed: int, base: float = BASE, top: float = TOP, *, springs: bool = False
) -> Case:
    """A random machine with dry joints."""
    make = offset_case if kind in OFFSETS else case
    found = make(kind, seed=seed, springs=springs)
    legs = [
        leg.replace(friction=leg.friction.replace(universal_dry=base, spherical_dry=top))
        for leg in found.platform.legs
    ]
    return replace(found, platform=found.platform.replace(legs=legs))


def solved(given: Case, **options: object) -> gough.results.InverseDynamics:
    """The library's answer, with the spins where a leg spins."""
    some = {"spin": gough.Spin(given.spin_angle, given.spin_rate)}
    more = some if any(isinstance(leg, Spinning) for leg in given.platform.legs) else spin(given)
    return gough.inverse_dynamics(
        given.platform, given.motion, given.external, dry=True, engine="python", **more, **options
    )


def closed(given: Case, i: int) -> DryClosed:
    """The outside engine in state i."""
    return DryClosed(
        PinocchioEngine(given.platform),
        given.platform,
        given.motion[i],
        given.external[i],
        given.spin_angle[i],
        given.spin_rate[i],
    )


def witness(given: Case, loads: Array, i: int) -> Answer:
    """What the outside engine says of state i with friction of these loads (6, 2)."""
    engine = closed(given, i)
    engine.loads = loads
    return engine.answer()


def agree(given: Case, found: gough.results.InverseDynamics) -> None:
    """Our loads as friction in Pinocchio's joints: the same efforts, moments, accelerations of spins, and joint forces
    of just these sizes."""
    plain = gough.inverse_dynamics(
        given.platform, given.motion, given.external, engine="python", **spin(given)
    )
    assert found.dry is not None
    assert (found.dry.contraction < 0.5).all()
    assert not found.dry.stuck.any()
    assert not found.dry.band.any()
    for i in range(2):
        theirs = witness(given, found.dry.load[i], i)
        size = np.abs(theirs.force).max()
        assert np.abs(found.force[i] - theirs.force).max() < 1e-11 * size
        assert np.abs(found.force[i] - plain.force[i]).max() > 1e-4 * size  # it matters
        pairs = ((theirs.reactions.universal_force, 0), (theirs.reactions.spherical_force, 1))
        for force, side in pairs:
            load = found.dry.load[i, :, side]
            assert np.abs(np.linalg.norm(force, axis=-1) - load).max() < 1e-11 * load.max()
        for name in ("universal_moment", "platform_moment"):
            ours, moment = (getattr(r, name) for r in (found.reactions, theirs.reactions))
            assert np.abs(ours[i] - moment).max() < 1e-11 * size
        spun = np.abs(found.spin_acceleration[i] - theirs.spin_acceleration).max()
        assert spun <= 1e-11 * np.abs(theirs.spin_acceleration).max()
