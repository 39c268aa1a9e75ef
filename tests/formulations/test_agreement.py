"""Every formulation against the exact model and so against every other: efforts, mass matrix, bias, reactions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough.formulations import FORMULATIONS
from gough.reproduce.agreement import APPLIES, random_motion
from oracles.machines import case

AGREEMENT = 1e-9  # relative to the largest effort of the state
REACTIONS = 1e-8
METHODS = {name: kinds for name, kinds in APPLIES.items() if name != "exact"}
GIVES_REACTIONS = ("newton-euler", "multibody")
REACTION_FIELDS = (
    "spherical_force",
    "universal_force",
    "universal_moment",
    "prismatic_force",
    "prismatic_moment",
    "platform_moment",
)


def applicable() -> list[tuple[str, str]]:
    pairs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in gough.presets():
            machine = gough.load(name)
            kinds = set(machine.kinds)
            if any(leg.springs.any for leg in machine.legs):
                continue  # refused: tests/formulations/test_refusals.py
            if any(getattr(leg, "fixed", None) is not None for leg in machine.legs):
                continue  # moves only as its links allow: test_turning_pairs.py, fixed links
            pairs += [(name, f) for f, types in METHODS.items() if kinds <= set(types)]
    return pairs


def relative(got: np.ndarray, want: np.ndarray, axes: tuple[int, ...]) -> float:
    scale = np.abs(want).max(axis=axes, keepdims=True)
    return float((np.abs(got - want) / np.maximum(scale, 1e-300)).max())


def engine_of(platform: gough.Platform) -> str:
    """Of the exact model: nothing is compiled for UCU legs here."""
    return "python" if "UCU" in platform.kinds else "native"


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
@pytest.mark.parametrize(("preset", "formulation"), applicable())
def test_formulation_agrees_on_preset(preset: str, formulation: str) -> None:
    platform = gough.load(preset)
    motion = random_motion(platform, 100, seed=7)
    wrench = np.random.default_rng(8).uniform(-50, 50, (100, 6))
    engine = engine_of(platform)
    exact = gough.inverse_dynamics(platform, motion, wrench, engine=engine)
    other = gough.inverse_dynamics(platform, motion, wrench, formulation=formulation)
    assert other.formulation == formulation
    assert relative(other.force, exact.force, (-1,)) < AGREEMENT
    module = FORMULATIONS[formulation]
    pose = motion.pose
    M, b = (
        gough.mass_matrix(platform, pose, engine=engine),
        gough.bias(platform, motion, engine=engine),
    )
    assert relative(module.mass_matrix(platform, pose), M, (-1, -2)) < AGREEMENT
    assert relative(module.bias(platform, motion), b, (-1,)) < AGREEMENT
    if formulation in GIVES_REACTIONS:
        for field in REACTION_FIELDS:
            want = getattr(exact.reactions, field)
            got = getattr(other.reactions, field)
            scale = np.abs(exact.reactions.spherical_force).max() * (
                1.0 if "force" in field else 0.1
            )
            assert np.abs(got - want).max() < REACTIONS * scale, field


@pytest.mark.parametrize("formulation", list(METHODS))
def test_formulation_agrees_on_random_machines(formulation: str) -> None:
    """Arbitrary tensors, mass centers, axes, friction, gravity, drives, wrench; fast states."""
    kinds = [{"SPS": "SPS-free"}.get(k, k) for k in METHODS[formulation]]
    for kind in kinds:
        for seed in range(12):
            c = case(kind, seed=500 + seed, states=3)
            engine = engine_of(c.platform)
            exact = gough.inverse_dynamics(c.platform, c.motion, c.external, engine=engine)
            other = gough.inverse_dynamics(
                c.platform, c.motion, c.external, formulation=formulation
            )
            assert relative(other.force, exact.force, (-1,)) < AGREEMENT, (kind, seed)


@pytest.mark.parametrize("formulation", list(METHODS))
def test_a_planted_error_in_one_formulation_is_caught(formulation: str) -> None:
    """One leg's upper mass center off by a millimeter, seen by one formulation only, breaks the agreement."""
    c = case("UPS", seed=900, states=3)
    leg = c.platform.legs[2]
    assert isinstance(leg, gough.UPS)
    moved = gough.Body(
        leg.upper.mass, leg.upper.center + np.array([0.0, 1e-3, 0.0]), leg.upper.inertia
    )
    legs = [*c.platform.legs[:2], leg.replace(upper=moved), *c.platform.legs[3:]]
    wrong = c.platform.replace(legs=tuple(legs))
    exact = gough.inverse_dynamics(c.platform, c.motion, c.external)
    other = gough.inverse_dynamics(wrong, c.motion, c.external, formulation=formulation)
    assert relative(other.force, exact.force, (-1,)) > 1e3 * AGREEMENT


def test_unknown_formulation_is_refused() -> None:
    c = case("UPS", seed=1, states=1)
    with pytest.raises(gough.InputError, match="newton-euler"):
        gough.inverse_dynamics(c.platform, c.motion, formulation="hamilton")
    with pytest.raises(gough.InputError, match="published"):
        gough.inverse_dynamics(c.platform, c.motion, published=True)


def test_spinning_legs_agree_with_multibody() -> None:
    for kind in ("SPS-general", "SPS-rotor"):
        c = case(kind, seed=40, states=4)
        spin = gough.Spin(c.spin_angle, c.spin_rate)
        exact = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
        other = gough.inverse_dynamics(c.platform, c.motion, c.external, "multibody", spin=spin)
        assert relative(other.force, exact.force, (-1,)) < AGREEMENT
        assert exact.spin_acceleration is not None
        assert other.spin_acceleration is not None
        assert relative(other.spin_acceleration, exact.spin_acceleration, (-1,)) < AGREEMENT
    with pytest.raises(gough.InputError, match="multibody"):
        gough.inverse_dynamics(c.platform, c.motion, formulation="kane", spin=spin)
