"""Springs in the joints of UCS, PSU and RSS legs on a base that moves: they know only what turns against it.

On a base at rest they are Pinocchio's (test_springs.py); legs without springs on a base that moves are Pinocchio's too
(test_moving_base.py).  What springs add to forces, moments and energies is the same on both.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough.checks import Array
from gough.equations import pus, rss, slider_springs, springs, ucs
from gough.spatial import Motion
from oracles.compare import REACTIONS, spin
from oracles.machines import Case, case
from oracles.moving import energy_rate, library_on_base, power, random_base
from oracles.planted import Error, planted

KINDS = ("PSU", "UCS-general", "UCS-rotor", "RSS-general", "rods-mixed")
TOLERANCE, CLEAR = 1e-11, 1e-6


def answers(c: Case, platform: gough.Platform, base: Motion | None) -> dict[str, Array]:
    given = spin(c, engine="python", base=base)
    found = gough.inverse_dynamics(platform, c.motion, c.external, **given)
    return {
        "force": found.force,
        "bias": gough.bias(platform, c.motion, **given),
        "potential": gough.energy(platform, c.motion, **given).potential,
        "spin": found.spin_acceleration,
        **{name: getattr(found.reactions, name) for name in REACTIONS},
    }


def added(c: Case, base: Motion | None) -> dict[str, tuple[Array, float]]:
    """What the springs add to each answer, and the size of that answer."""
    bare = c.platform.replace(
        legs=[leg.replace(springs=gough.JointSprings()) for leg in c.platform.legs]
    )
    own, without = (answers(c, platform, base) for platform in (c.platform, bare))
    return {name: (own[name] - without[name], np.abs(own[name]).max()) for name in own}


def apart(kind: str) -> float:
    """Largest difference of what the springs add on a base that moves from what they add on one at rest."""
    c = case(kind, seed=29, springs=True)
    moving, still = added(c, random_base(np.random.default_rng(30), 2)), added(c, None)
    assert len(moving) == 10
    for name, (more, size) in still.items():
        assert np.abs(more).max() > 1e-3 * size or (name == "spin" and kind == "PSU"), name
    return max(
        float(np.abs(moving[name][0] - still[name][0]).max()) / max(1.0, moving[name][1], size)
        for name, (_, size) in still.items()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_springs_add_the_same_on_every_base(kind: str) -> None:
    assert apart(kind) < TOLERANCE


@pytest.mark.parametrize("kind", KINDS)
def test_power_on_a_base_that_moves_is_the_rate_of_energy(kind: str) -> None:
    c, base = case(kind, seed=31, springs=True), random_base(np.random.default_rng(32), 2)
    mine = library_on_base(c, base, engine="python")
    expected, scale = power(c, base, mine)
    assert (np.abs(energy_rate(c, base, mine) - expected) < TOLERANCE * scale).all()


MOVED = "springs is not None and at.base is None"
PLANTED = [
    Error("none on a base that moves", pus.link_state, "springs is not None", MOVED, ("PSU",)),
    Error(
        "none on a base that moves", rss.rss_spin, "springs is not None", MOVED, ("RSS-general",)
    ),
    Error(
        "none below on a base that moves",
        ucs.ucs_state,
        "springs is not None",
        MOVED,
        ("UCS-general",),
    ),
    Error(
        "none above on a base that moves",
        ucs._upper,
        "springs is not None",
        MOVED,
        ("UCS-general", "UCS-rotor"),
    ),
]


@pytest.mark.parametrize("error", PLANTED, ids=lambda e: f"{e.kinds[0]}: {e.name}")
def test_a_planted_error_is_seen(error: Error) -> None:
    for kind in error.kinds:
        with planted(error):
            assert apart(kind) > CLEAR


ENERGIES = [
    Error(
        "energy of the ball on the slider forgotten",
        slider_springs.slider_load,
        "foot.energy(springs.base) + top.energy",
        "top.energy",
        ("PSU",),
    ),
    Error(
        "energy of the ball on the crank forgotten",
        springs.ball_load,
        "foot.energy(springs.base) + top.energy(springs.platform)",
        "top.energy(springs.platform)",
        ("RSS-general",),
    ),
    Error(
        "energy of the ball at the platform forgotten",
        springs.universal_load,
        "foot.energy + top.energy(springs.platform)",
        "foot.energy",
        ("UCS-general",),
    ),
]


@pytest.mark.parametrize("error", ENERGIES, ids=lambda e: f"{e.kinds[0]}: {e.name}")
def test_energy_that_is_forgotten_breaks_the_balance(error: Error) -> None:
    c = case(error.kinds[0], seed=31, springs=True)
    base = random_base(np.random.default_rng(32), 2)
    with planted(error):
        mine = library_on_base(c, base, engine="python")
        expected, scale = power(c, base, mine)
        lost = np.abs(energy_rate(c, base, mine) - expected) / scale
    assert lost.max() > CLEAR
