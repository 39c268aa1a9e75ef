"""Every field that a formulation gives, against the exact model, on machines where every term is on.

Random tensors, mass centers, axes, frictions, gravity, wrench and drives; rotors that ride on some legs only.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.formulations import FORMULATIONS
from gough.formulations.protocol import EVERY_LEG
from gough.results import LegMotion, Reactions, Spin
from oracles.machines import CYLINDERS, Case, case, direction

DIGITS = 1e-9
KINDS = {
    "UPS": ("UPS", "UPS-rotor"),
    "SPS": ("SPS-free", "SPS-general", "SPS-rotor"),
    "PUS": ("PUS",),
    "RUS": ("RUS",),
    "UCU": CYLINDERS[:-1],
}
RIDING = ("UPS-rotor", "SPS-rotor")
REACTIONS = [f.name for f in fields(Reactions)]
MOTIONS = [f.name for f in fields(LegMotion)]


def served(name: str) -> list[str]:
    about = FORMULATIONS[name].ABOUT
    free = [] if "spin" in about.gives else ["SPS-general", "SPS-rotor"]
    kinds = [kind for leg in about.legs for kind in KINDS[leg] if kind not in free]
    every = set(about.legs) == set(EVERY_LEG) and "spin" in about.gives
    return kinds + (["mixed", "UCU-mixed"] if every else [])


GIVERS = [
    (name, kind)
    for name, formulation in FORMULATIONS.items()
    if "reactions" in formulation.ABOUT.gives
    for kind in served(name)
]


def far(found: Array, wanted: Array) -> float:
    """Largest difference over the largest number; of zeros, the difference itself."""
    return float(np.abs(found - wanted).max() / (np.abs(wanted).max() or 1.0))


def spin_of(c: Case) -> Spin | None:
    return Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None


def answers(c: Case, name: str) -> gough.InverseDynamics:
    """By a formulation; the exact model without kernels, which every mixture of legs would compile anew."""
    return gough.inverse_dynamics(
        c.platform, c.motion, c.external, formulation=name, spin=spin_of(c), engine="python"
    )


def test_all_that_give_reactions_are_asked() -> None:
    assert {name for name, _ in GIVERS} == {"newton-euler", "universal", "multibody"}


@pytest.mark.parametrize("field", REACTIONS)
@pytest.mark.parametrize(("name", "kind"), GIVERS)
def test_reactions_are_those_of_the_exact_model(name: str, kind: str, field: str) -> None:
    for seed in range(3):
        c = case(kind, seed=700 + seed, states=2)
        wanted = getattr(answers(c, "exact").reactions, field)
        assert far(getattr(answers(c, name).reactions, field), wanted) < DIGITS, seed
        if kind != "SPS-free" or field not in ("universal_moment", "platform_moment"):
            # a ball without friction has none
            assert (np.abs(wanted).max(axis=(0, 2)) > 1e-3).all()


@pytest.mark.parametrize("field", [f for f in REACTIONS if f != "platform_moment"])
@pytest.mark.parametrize("part", ["lower", "upper"])
def test_a_mass_center_off_by_a_millimeter_is_seen_in_every_field(part: str, field: str) -> None:
    """Planted: the comparison above would notice."""
    c = case("UPS", seed=700, states=2)
    legs = list(c.platform.legs)
    body = getattr(legs[3], part)
    legs[3] = legs[3].replace(
        **{part: body.replace(center=body.center + np.array([0.0, 1e-3, 1e-3]))}
    )
    wrong = c.platform.replace(legs=tuple(legs))
    right = getattr(answers(c, "exact").reactions, field)
    found = getattr(gough.inverse_dynamics(wrong, c.motion, c.external).reactions, field)
    assert far(found, right) > 1e3 * DIGITS


@pytest.mark.parametrize("field", MOTIONS)
@pytest.mark.parametrize("name", ["newton-euler", "universal"])
def test_leg_motions_are_those_of_the_exact_model(name: str, field: str) -> None:
    c = case("UPS", seed=710, states=3)
    wanted = getattr(gough.inverse_kinematics(c.platform, c.motion), field)
    found = FORMULATIONS[name].leg_motion(c.platform, c.motion)  # type: ignore[attr-defined]
    assert far(getattr(found, field), wanted) < DIGITS


def some_ride(kind: str, riders: tuple[int, ...], seed: int = 720) -> Case:
    """A machine whose motors ride on these legs and stand on the base at the others."""
    c = case(kind, seed=seed, states=2)
    rng = np.random.default_rng(seed)
    legs = []
    for i, leg in enumerate(c.platform.legs):
        assert isinstance(leg, gough.UPS | gough.SPS)
        assert leg.drive is not None
        axis = direction(rng) if i in riders else None
        legs.append(leg.replace(drive=leg.drive.replace(rotor_axis=axis)))
    return Case(
        c.platform.replace(legs=tuple(legs)), c.motion, c.external, c.spin_angle, c.spin_rate
    )


@pytest.mark.parametrize("riders", [(0,), (5,), (1, 2, 4)])
@pytest.mark.parametrize("name", ["newton-euler", "universal", "lagrange", "kane", "multibody"])
def test_rotors_riding_on_some_legs_only(name: str, riders: tuple[int, ...]) -> None:
    c = some_ride("UPS-rotor", riders)
    exact = answers(c, "exact")
    assert far(answers(c, name).force, exact.force) < DIGITS
    module = FORMULATIONS[name]
    assert (
        far(
            module.mass_matrix(c.platform, c.motion.pose),
            gough.mass_matrix(c.platform, c.motion, engine="python"),
        )
        < DIGITS
    )
    assert (
        far(module.bias(c.platform, c.motion), gough.bias(c.platform, c.motion, engine="python"))
        < DIGITS
    )
    if "reactions" in module.ABOUT.gives:
        for field in REACTIONS:
            wanted = getattr(exact.reactions, field)
            assert far(getattr(answers(c, name).reactions, field), wanted) < DIGITS, field


@pytest.mark.parametrize("riders", [(0,), (1, 2, 4)])
def test_rotors_riding_on_some_spinning_legs_only(riders: tuple[int, ...]) -> None:
    c = some_ride("SPS-rotor", riders)
    exact, found = answers(c, "exact"), answers(c, "multibody")
    assert far(found.force, exact.force) < DIGITS
    for field in REACTIONS:
        assert far(getattr(found.reactions, field), getattr(exact.reactions, field)) < 1e-8, field


def test_which_legs_carry_their_motors_matters() -> None:
    """Planted: with the motors on other legs the forces differ, so the comparison sees a mix-up of legs."""
    one, other = some_ride("UPS-rotor", (1, 2, 4)), some_ride("UPS-rotor", (0, 2, 4))
    assert far(answers(other, "exact").force, answers(one, "exact").force) > 1e3 * DIGITS
