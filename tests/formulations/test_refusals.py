"""Every formulation refuses what the exact model refuses, in the same words, for every leg and place in a batch."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import gough
from gough import InfeasibleError, Motion, Platform
from gough.dynamics.formulation import FORMULATIONS
from gough.formulations import FORMULATIONS as REGISTER
from gough.results import condition_number

pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")
METHODS = list(REGISTER)
SAMPLE = {"UPS": "dasgupta-1998", "PUS": "lopes-6pus", "RUS": "servo-hexapod"}
FAR = np.array([50.0, 30.0, 50.0])  # m: no slider or crank reaches
VERBS = {
    "force": lambda platform, motion, name: gough.inverse_dynamics(
        platform, motion, formulation=name
    ),
    "mass": lambda platform, motion, name: gough.mass_matrix(
        platform, motion.pose, formulation=name
    ),
    "bias": lambda platform, motion, name: gough.dynamics.bias(platform, motion, formulation=name),
}


@lru_cache
def machine(kind: str) -> Platform:
    return gough.load(SAMPLE[kind])


def batch(platform: Platform, states: int = 3) -> Motion:
    """States near home, all of them good."""
    home = platform.home
    assert home is not None
    steps = np.linspace(0.0, 1e-3, states)[:, None] * [1.0, 0.5, -0.2]
    return Motion(home.position + steps, np.broadcast_to(home.rotation, (states, 3, 3)))


def moved(motion: Motion, place: int, position: np.ndarray) -> Motion:
    """`motion` with one state put elsewhere; `position` may be anything, even no number."""
    positions = np.array(motion.position)
    positions[place] = position
    return Motion.trusted(positions, motion.rotation)


def along_axis(platform: Platform, motion: Motion, leg: int, place: int, off: float) -> Platform:
    """The universal axis of one leg put along its strut in one state, `off` by that angle (rad)."""
    one = platform.legs[leg]
    s = gough.inverse_kinematics(platform, motion[place]).direction[leg]
    across = np.cross(s, np.eye(3)[np.argmin(np.abs(s))])
    axis = s + off * across / np.linalg.norm(across)
    if isinstance(one, gough.RUS):  # its axis is given at crank angle zero
        angle = gough.inverse_kinematics(platform, motion[place]).length[leg]
        axis = gough.spatial.rotation_exp(-angle * one.shaft) @ axis
    legs = [replace(x, axis=axis) if i == leg else x for i, x in enumerate(platform.legs)]
    return replace(platform, legs=legs)


def serves(name: str, kind: str) -> bool:
    return kind in REGISTER[name].ABOUT.legs


def refused(platform: Platform, motion: Motion, name: str, verb: str = "force") -> str:
    with pytest.raises(InfeasibleError) as error:
        VERBS[verb](platform, motion, name)
    return str(error.value)


CASES = [(name, kind) for name in METHODS for kind in SAMPLE if serves(name, kind)]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_strut_along_its_universal_axis(
    name: str, kind: str, leg: int, place: int, verb: str
) -> None:
    good, motion = machine(kind), batch(machine(kind))
    bad = along_axis(good, motion, leg, place, off=1e-8)
    sentence = refused(bad, motion, name, verb)
    assert sentence == refused(bad, motion, "exact")
    assert sentence.startswith(f"state {place}: leg {good.leg_names[leg]}: the strut lies along")
    clear = along_axis(good, motion, leg, place, off=0.3)
    VERBS[verb](clear, motion, name)  # the same machine with its axis aside is answered


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize(("name", "kind"), [c for c in CASES if c[1] != "UPS"])
def test_out_of_reach_of_slider_or_crank(
    name: str, kind: str, leg: int, place: int, verb: str
) -> None:
    good, motion = machine(kind), batch(machine(kind))
    legs = [replace(x, length=1e-3) if i == leg else x for i, x in enumerate(good.legs)]
    short = Platform(body=good.body, legs=legs, gravity=good.gravity)
    sentence = refused(short, motion, name, verb)
    assert sentence == refused(short, motion, "exact")
    assert f"leg {good.leg_names[leg]}: out of reach" in sentence
    away = refused(good, moved(motion, place, FAR), name, verb)
    assert away == refused(good, moved(motion, place, FAR), "exact")
    assert away.startswith(f"state {place}: ")


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", METHODS)
def test_singular_platform(name: str, place: int) -> None:
    """A flat machine: platform joints in the plane of the base, where six forces hold nothing across it."""
    good = machine("UPS")
    body = replace(good.body, center=np.zeros(3))
    legs = [
        replace(leg, base=leg.base * [1, 1, 0], joint=leg.joint * [1, 1, 0]) for leg in good.legs
    ]
    flat, at = Platform(body=body, legs=legs, gravity=good.gravity), np.array([0.01, 0.02, 0.0])
    motion = moved(Motion(np.tile([0.0, 0.0, 0.5], (3, 1)) + at), place, at)
    sentence = refused(flat, motion, name)
    assert sentence == refused(flat, motion, "exact")
    assert "singular" in sentence
    assert sentence.startswith(f"state {place}: ")


@pytest.mark.parametrize("name", METHODS)
def test_max_condition_is_kept(name: str) -> None:
    platform = machine("UPS")
    motion = batch(platform)
    cond = gough.inverse_dynamics(platform, motion).condition_scaled.max()
    with pytest.raises(InfeasibleError, match="pass a larger max_condition") as error:
        gough.inverse_dynamics(platform, motion, formulation=name, max_condition=0.99 * cond)
    with pytest.raises(InfeasibleError) as exact:
        gough.inverse_dynamics(platform, motion, max_condition=0.99 * cond)
    assert str(error.value) == str(exact.value)
    gough.inverse_dynamics(platform, motion, formulation=name, max_condition=1.01 * cond)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_what_is_no_number(name: str, kind: str, place: int, verb: str) -> None:
    motion = moved(batch(machine(kind)), place, np.array([np.nan, 0.0, 1.0]))
    assert "finite" in refused(machine(kind), motion, name, verb)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("place", [0, 2])
def test_velocity_that_is_no_number(name: str, place: int) -> None:
    good = batch(machine("UPS"))
    velocity = np.zeros((3, 3))
    velocity[place, 1] = np.inf
    fast = Motion.trusted(good.position, good.rotation, velocity)
    for verb in ("force", "bias"):
        assert refused(machine("UPS"), fast, name, verb).startswith(f"state {place}: ")


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_good_states_are_answered_with_wrench_matrix_and_reactions(name: str, kind: str) -> None:
    """The planted error of all tests above: a guard that refuses everything."""
    platform = machine(kind)
    found = gough.inverse_dynamics(platform, batch(platform), formulation=name)
    exact = gough.inverse_dynamics(platform, batch(platform))
    np.testing.assert_allclose(found.H, exact.H, atol=1e-12)
    np.testing.assert_allclose(found.condition_scaled, exact.condition_scaled, rtol=1e-9)
    if found.has_reactions:
        for value in vars(found.reactions).values():
            assert np.isfinite(value).all()


def test_every_formulation_is_asked() -> None:
    assert {name for name, _ in CASES} | {"exact"} == set(FORMULATIONS)


def test_a_matrix_of_zeros_has_no_condition_number_but_infinity() -> None:
    """And one that is no number has none; neither warns."""
    H = np.stack(
        [np.zeros((6, 6)), np.eye(6), np.diag([1.0, 1, 1, 1, 1, 0]), np.diag([4.0, 1, 1, 1, 1, 2])]
    )
    np.testing.assert_array_equal(condition_number(H), [np.inf, 1.0, np.inf, 4.0])
    assert condition_number(np.zeros((6, 6))) == np.inf
    assert condition_number(np.eye(6), 2.0) == 2.0
