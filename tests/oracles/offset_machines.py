"""Random machines whose universal joints have offsets to 50 mm and cross pieces with mass, made from those without.

A state of `oracles.machines` is kept where the offset legs are clear of their first axes too; mass centers lie off
every axis, one joint of four has no offsets.
"""

from __future__ import annotations

import numpy as np

from gough.model import UCU, UPS, JointOffset, Leg, Platform
from gough.model.offset import offset
from oracles.machines import Case, body
from oracles.machines import case as plain_case
from oracles.offset_chain import angles, chain_closure

KINDS = {  # by the machine without offsets
    "UPS-offset": "UPS",
    "UPS-rotor-offset": "UPS-rotor",
    "UCU-offset": "UCU",
    "UCU-rotor-offset": "UCU-rotor",
    "UCU-screw-offset": "UCU-screw",
    "UCU-upper-offset": "UCU-upper",
    "mixed-offset": "UCU-mixed",
}
CLEAR = 0.3  # sine of the angle between strut and first axis
LARGEST = 0.05  # m


def joint(rng: np.random.Generator, largest: float = LARGEST) -> JointOffset:
    """Offsets up to `largest` and a cross piece with a full tensor."""
    e, d, f = rng.uniform(-largest, largest, 3)
    return JointOffset(e, d, f, body(rng, (0.3, 2.0), (0, 0, 0), 0.05))


def with_offsets(rng: np.random.Generator, leg: Leg) -> Leg:
    """The leg with offsets; other types as they are."""
    if isinstance(leg, UPS):
        return leg.replace(base_offset=joint(rng))
    if not isinstance(leg, UCU):
        return leg
    sides = [("base_offset", "platform_offset"), ("base_offset",), ("platform_offset",)]
    which = sides[rng.choice(3, p=[0.5, 0.25, 0.25])]
    return leg.replace(**{side: joint(rng) for side in which})


def clear(machine: Platform, case: Case) -> bool:
    """All legs with offsets are clear of their first axes in all states."""
    for t, R in zip(case.motion.position, case.motion.rotation, strict=True):
        for leg in machine.legs:
            if offset(leg):
                s = chain_closure(leg, angles(leg, t + R @ leg.joint, R)).s  # type: ignore[arg-type]
                above = R @ leg.platform_axis if isinstance(leg, UCU) else leg.axis  # type: ignore[union-attr]
                if max(abs(leg.axis @ s), abs(above @ s)) > np.sqrt(1 - CLEAR**2):  # type: ignore[union-attr]
                    return False
    return True


def offset_case(kind: str, *, seed: int, states: int = 2, **options: bool) -> Case:
    """One machine (see KINDS) and its states; the same seed gives the same case."""
    rng = np.random.default_rng([300 + list(KINDS).index(kind), seed])
    for attempt in range(50):
        found = plain_case(KINDS[kind], seed=1000 * seed + attempt, states=states, **options)
        legs = tuple(with_offsets(rng, leg) for leg in found.platform.legs)
        machine = found.platform.replace(legs=legs, name=f"random {kind}")
        if clear(machine, found):
            return Case(machine, found.motion, found.external, found.spin_angle, found.spin_rate)
    raise RuntimeError(f"no clear machine found for {kind} seed {seed}")


def offset_cases(
    kind: str, count: int, *, states: int = 2, seed: int = 0, **options: bool
) -> list[Case]:
    """`count` machines of one kind, each with `states` random states."""
    return [
        offset_case(kind, seed=seed * 100_000 + i, states=states, **options) for i in range(count)
    ]
