"""Random motions of the base for the machines of `oracles.machines`, and the library's answers on them.

Ranges (per component): v 3 m/s, Om 4 rad/s, a 15 m/s^2, al 30 rad/s^2; any rotation, position 5 m.  Every other rotor
whose axis is fixed turns about a random axis of the base (`Drive.mount_axis`); the others are inerters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from gough.checks import Array
from gough.engines import pack
from gough.layout import ENERGY
from gough.model import Spinning
from gough.model.offset import offset
from gough.results import LegMotion
from gough.spatial import Motion, rotation_exp, skew
from oracles.compare import REACTIONS, spin
from oracles.machines import Case, cases, direction
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_cases
from oracles.source import STEP, _spin_angle_rate, friction_power, run


def random_base(rng: np.random.Generator, count: int) -> gough.BaseMotion:
    """`count` random motions of a base."""
    turned = rotation_exp(rng.uniform(-np.pi, np.pi, (count, 3)))
    place = rng.uniform(-5, 5, (count, 3))
    rates = (rng.uniform(-top, top, (count, 3)) for top in (3.0, 4.0, 15.0, 30.0))
    return gough.BaseMotion(place, turned, *rates)


def mounted(case: Case, rng: np.random.Generator) -> Case:
    """The same case with axes for every other rotor that does not ride on its leg."""
    legs = list(case.platform.legs)
    for i in range(0, 6, 2):
        drive = legs[i].drive
        if drive is not None and drive.rotor_axis is None:
            legs[i] = legs[i].replace(drive=drive.replace(mount_axis=direction(rng)))
    platform = case.platform.replace(legs=tuple(legs))
    return Case(platform, case.motion, case.external, case.spin_angle, case.spin_rate)


def moving_cases(
    kind: str, count: int, *, states: int = 3, seed: int = 0, **options: bool
) -> list[tuple[Case, gough.BaseMotion]]:
    """Machines of a kind with mounted rotors, and motions of their bases."""
    out = []
    sample = offset_cases if kind in OFFSETS else cases
    for i, case in enumerate(sample(kind, count, states=states, seed=seed, **options)):
        rng = np.random.default_rng([seed, i])
        out.append((mounted(case, rng), random_base(rng, states)))
    return out


def _legs(case: Case) -> LegMotion:
    """Their motion; compiled, where planted errors cannot reach it, but for kinds that nothing else compiles."""
    new = {"UCU", "UCS", "PSU", "RSS"} & set(case.platform.kinds)
    engine = "python" if new or any(offset(leg) for leg in case.platform.legs) else "native"
    return gough.inverse_kinematics(case.platform, case.motion, **spin(case, engine=engine))


def at_rest_in_the_world(case: Case, base: Motion) -> Case:
    """The same case with the spin rates that free legs have on that base: none in the world, ``-Om.s`` against it."""
    legs = _legs(case)
    turn = np.einsum("nji,nj->ni", base.rotation, base.angular_velocity)
    free = [isinstance(leg, Spinning) and leg.spin_free for leg in case.platform.legs]
    rate = np.where(free, -np.einsum("nij,nj->ni", legs.direction, turn), case.spin_rate)
    return Case(case.platform, case.motion, case.external, case.spin_angle, rate)


def library_on_base(case: Case, base: Motion, **options: Any) -> dict[str, Array]:
    """What the public verbs answer on a base that moves, (n, ...) by the names of `pinocchio_base.OnBase`."""
    given = spin(case, base=base, **options)
    found = gough.inverse_dynamics(case.platform, case.motion, case.external, **given)
    energy = gough.energy(case.platform, case.motion, **given)
    back = gough.forward_dynamics(case.platform, case.motion, found.force, case.external, **given)
    out = {
        "force": found.force,
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "base_wrench": found.base_wrench,
        "base_power": found.base_power,
        "bias": gough.bias(case.platform, case.motion, **given),
        "forward": back.answer,
        **{name: getattr(found.reactions, name) for name in REACTIONS},
    }
    if case.needs_spin:
        free = [isinstance(leg, Spinning) and not leg.spin_free for leg in case.platform.legs]
        out["spin_acceleration"] = np.where(free, found.spin_acceleration, 0.0)
        out["forward_spin"] = np.where(free, back.spin_acceleration, 0.0)
    return out


def energy_rate(case: Case, base: Motion, found: dict[str, Array]) -> Array:
    """d(T + V)/dt in the world along both motions by complex step through the equations, (n,), W."""
    kinds, n = pack.kinds_of(case.platform), len(case.external)
    par = np.concatenate([pack.pack(case.platform), pack.pack_mounts(case.platform)])
    x, spun = [], spin_rates(case, found)
    for m in (case.motion, base):
        turned = skew(m.angular_velocity) @ m.rotation
        now = (m.position, m.rotation, m.velocity, m.angular_velocity)
        change = (m.velocity, turned, m.acceleration, m.angular_acceleration)
        x.append([a + 1j * STEP * b for a, b in zip(now, change, strict=True)])
    x[1] += [m.acceleration, m.angular_acceleration]
    flat = np.concatenate([a.reshape(n, -1) for block in x for a in block], axis=1)
    energy = run("moving_energy", kinds, flat, spun, par)
    return energy[:, : ENERGY.risk].imag.sum(axis=-1) / STEP


def power(case: Case, base: Motion, found: dict[str, Array]) -> tuple[Array, Array]:
    """Power of drives, wrench and base less friction, and the sum of its terms' sizes, (n,), W."""
    legs = _legs(case)
    known = {"angular_velocity": legs.angular_velocity, "rate": legs.rate}
    known["direction"] = legs.direction
    m, R0 = case.motion, base.rotation
    turn, speed = (np.einsum("nji,nj->ni", R0, v) for v in (base.angular_velocity, base.velocity))
    v = speed + np.cross(turn, m.position) + m.velocity
    force, moment = (
        np.einsum("nij,nj->ni", m.rotation, f) for f in (case.external[:, :3], case.external[:, 3:])
    )
    outside = [(force * v).sum(axis=1), (moment * (turn + m.angular_velocity)).sum(axis=1)]
    terms = [found["force"] * legs.rate, -friction_power(case, known), np.stack(outside, axis=1)]
    every = np.concatenate([*terms, found["base_power"][:, None]], axis=1)
    return every.sum(axis=1), np.abs(every).sum(axis=1)


def spin_rates(case: Case, found: dict[str, Array]) -> Array:
    """(n, 18) cosine, sine and rate of the spins, a complex step along their motion."""
    legs = _legs(case)
    known = {"direction": legs.direction, "angular_velocity": legs.angular_velocity}
    c, s, angle = np.cos(case.spin_angle), np.sin(case.spin_angle), _spin_angle_rate(case, known)
    up = found.get("spin_acceleration", np.zeros_like(c))
    now, rate = np.stack([c, s, case.spin_rate], -1), np.stack([-s * angle, c * angle, up], -1)
    return (now + 1j * STEP * rate).reshape(len(c), 18)
