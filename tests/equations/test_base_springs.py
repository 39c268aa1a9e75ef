"""Springs in the joints of machines on a base that moves: against Pinocchio with the base as a free body of prescribed
motion, its springs on its own joint coordinates, and the power balance with their energy.

``GOUGH_BASES`` sets how many machines of each kind the slow test takes.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("pinocchio")

from gough.equations import offset_ucu, offset_ups, pair_springs
from oracles.base_rings import disagreement, outside
from oracles.moving import moving_cases
from oracles.offset_machines import KINDS as OFFSETS
from oracles.planted import Error, planted

TOLERANCE = 1e-11  # relative, every state
CLEAR = 1e-6  # a planted error must show at least this much
RODS = ("PSU", "UCS-general", "UCS-rotor", "RSS-axisymmetric", "RSS-general", "rods-mixed")
KINDS = ("UPS", "SPS-general", "PUS", "RUS", "UCU-upper", *RODS, *OFFSETS)


def worst(kind: str, count: int, *, states: int, seed: int = 0) -> float:
    """Largest disagreement of `count` machines with springs in all their joints."""
    out = 0.0
    for case, base in moving_cases(kind, count, states=states, seed=seed, springs=True):
        assert all(leg.springs.any for leg in case.platform.legs)
        out = max(out, *disagreement(case, base, outside(case, base)))
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_efforts_reactions_energies_and_power_equal_pinocchio(kind: str) -> None:
    assert worst(kind, 1, states=2) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_on_more_machines(kind: str) -> None:
    assert worst(kind, int(os.environ.get("GOUGH_BASES", "4")), states=3, seed=1) < TOLERANCE


UPS, UCU = ("UPS-offset",), ("UCU-screw-offset",)
ERRORS = [
    Error(
        "springs at the base forgotten",
        offset_ucu.offset_ucu,
        "grip + pair.springs.base",
        "grip",
        UCU,
    ),
    Error(
        "springs do not load the platform",
        offset_ups.offset_ups,
        "drag + springs.platform",
        "drag",
        UPS,
    ),
    Error(
        "energy of the springs forgotten",
        offset_ucu.offset_ucu_mass,
        "potential + pair.springs.energy",
        "potential",
        UCU,
    ),
    Error(
        "energy of the springs forgotten",
        offset_ups.offset_ups_mass,
        "potential + springs.energy",
        "potential",
        UPS,
    ),
    Error(
        "springs of the platform joint against the base",
        pair_springs.pair_load,
        "R.world(kp)",
        "kp",
        UCU,
    ),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.name)
def test_planted_errors_are_caught(error: Error) -> None:
    for kind in error.kinds:
        case, base = moving_cases(kind, 1, seed=2, states=1, springs=True)[0]
        theirs = outside(case, base)
        assert max(disagreement(case, base, theirs)) < TOLERANCE
        with planted(error):
            assert max(disagreement(case, base, theirs)) > CLEAR
