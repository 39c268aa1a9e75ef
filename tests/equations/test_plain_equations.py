"""The exact equations as they stand, nothing compiled, against thirteen bodies with constraints: every kind of leg,
every answer of every function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough.engines.evaluate import motion_blocks
from gough.engines.pack import packed
from gough.engines.plain import run
from gough.formulations.multibody import balance, kinematics, verbs
from gough.formulations.multibody.assembly import assemble
from gough.layout import DRIVEN_STATE, ENERGY, FORCES, FORWARD, LEG_MOTION, LEG_RECORD, MASS, SPIN
from oracles.machines import KINDS, Case, case

EXACT = 1e-9


class Plain:
    """Answers of the plain engine to one case."""

    def __init__(self, c: Case) -> None:
        self.case, self.machine = c, packed(c.platform, None)
        n = len(c.motion.position)
        spin = np.zeros((n, 6, SPIN.size))
        spin[..., SPIN.cosine], spin[..., SPIN.sine] = np.cos(c.spin_angle), np.sin(c.spin_angle)
        spin[..., SPIN.rate] = c.spin_rate
        self.spin = [spin.reshape(n, -1)] if self.machine.spins else []
        self.blocks = list(motion_blocks(c.motion, 6))

    def __call__(self, verb: str, *blocks: Any) -> np.ndarray:
        return run(verb, self.machine.kinds, [*blocks, *self.spin], self.machine.parameters)


def close(found: np.ndarray, wanted: np.ndarray, tolerance: float = EXACT) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max() + 1e-12)


@pytest.fixture(params=[(kind, seed) for kind in KINDS for seed in range(2)], ids=str)
def known(request: pytest.FixtureRequest) -> tuple[Case, Plain, Any]:
    kind, seed = request.param
    c = case(kind, seed=40 + seed, states=3)
    plain = Plain(c)
    return c, plain, (c.spin_angle, c.spin_rate) if plain.spin else None


def test_forces_and_reactions(known: tuple[Case, Plain, Any]) -> None:
    c, plain, spin = known
    bodies = verbs.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
    close(plain("forces", *plain.blocks, c.external)[:, FORCES.effort], bodies.force)
    record = plain("record", *plain.blocks, c.external).reshape(3, 6, LEG_RECORD.size)
    close(record[..., LEG_RECORD.effort], bodies.force)
    for name in (
        "spherical_force",
        "universal_force",
        "universal_moment",
        "prismatic_force",
        "prismatic_moment",
    ):
        close(record[..., getattr(LEG_RECORD, name)], getattr(bodies.reactions, name), 1e-8)
    if spin is not None:
        close(record[..., LEG_RECORD.spin_acceleration], bodies.spin_acceleration, 1e-8)


def test_mass_and_forward(known: tuple[Case, Plain, Any]) -> None:
    c, plain, spin = known
    mass = plain("mass", *plain.blocks[:2])
    M = np.zeros((3, 6, 6))
    rows, columns = np.triu_indices(6)
    M[:, rows, columns] = M[:, columns, rows] = mass[:, MASS.upper]
    close(M, verbs.mass_matrix(c.platform, c.motion.pose, spin=spin))
    bodies = verbs.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
    found = plain("forward", *plain.blocks[:4], bodies.force, c.external)
    assert DRIVEN_STATE.size == sum(b.shape[1] for b in plain.blocks[:4]) + 12
    close(found[:, FORWARD.acceleration], c.motion.acceleration, 1e-7)
    close(found[:, FORWARD.angular_acceleration], c.motion.angular_acceleration, 1e-7)
    close(found[:, FORWARD.bias], verbs.bias(c.platform, c.motion, spin=spin))
    if spin is not None:
        close(found[:, FORWARD.spin_acceleration], bodies.spin_acceleration, 1e-7)


def test_energy_and_motion_of_the_legs(known: tuple[Case, Plain, Any]) -> None:
    c, plain, spin = known
    found = plain("energy", *plain.blocks[:4])
    state, coordinate = kinematics.body_motion(c.platform, c.motion, spin)
    kinetic, potential = balance.energies(assemble(c.platform), state)
    close(found[:, ENERGY.kinetic], kinetic)
    close(found[:, ENERGY.potential], potential)
    legs = plain("kinematics", *plain.blocks).reshape(3, 6, LEG_MOTION.size)
    turn = legs[..., LEG_MOTION.coordinate] - coordinate
    crank = np.array(c.platform.kinds) == "RUS"
    turn -= np.where(crank, 2 * np.pi * np.round(turn / (2 * np.pi)), 0.0)
    close(turn + coordinate, coordinate)
    close(legs[..., LEG_MOTION.angular_velocity], state.w[:, 1:7])
