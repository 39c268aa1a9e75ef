"""What the verbs answer can be kept: pickled, copied, printed in a line, not written into."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields

import numpy as np
import pytest

import gough
from gough.results import Reactions
from oracles.machines import case

FORMULATIONS = ("exact", "newton-euler", "lagrange", "kane", "multibody")


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "clone",
    [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)
def test_inverse_dynamics_survives_a_copy(formulation: str, clone: object) -> None:
    c = case("UPS", seed=4, states=3)
    fresh = gough.inverse_dynamics(c.platform, c.motion, formulation=formulation)
    other = clone(gough.inverse_dynamics(c.platform, c.motion, formulation=formulation))  # type: ignore[operator]
    assert np.array_equal(other.force, fresh.force)
    assert np.array_equal(other.H, fresh.H)
    assert np.array_equal(other.condition_scaled, fresh.condition_scaled)
    assert other.has_reactions == fresh.has_reactions
    assert not other.force.flags.writeable
    if not fresh.has_reactions:
        with pytest.raises(AttributeError, match="joint reactions"):
            _ = other.reactions
        return
    for f in fields(Reactions):
        assert np.array_equal(getattr(other.reactions, f.name), getattr(fresh.reactions, f.name))


def test_answers_cannot_be_written_into() -> None:
    c = case("UPS", seed=4, states=2)
    legs = gough.inverse_kinematics(c.platform, c.motion)
    result = gough.inverse_dynamics(c.platform, c.motion)
    forward = gough.forward_dynamics(c.platform, c.motion, result.force)
    energy = gough.energy(c.platform, c.motion)
    again = pickle.loads(pickle.dumps(result.reactions))
    for a in (
        legs.length,
        legs.direction,
        result.force,
        result.reactions.spherical_force,
        forward.acceleration,
        energy.kinetic,
        again.universal_moment,
    ):
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 0.0


def test_reprs_are_short() -> None:
    c = case("UPS", seed=4, states=500)
    result = gough.inverse_dynamics(c.platform, c.motion)
    for answer in (
        result,
        result.reactions,
        gough.inverse_kinematics(c.platform, c.motion),
        gough.energy(c.platform, c.motion),
    ):
        assert len(repr(answer)) < 300
        assert "500" in repr(answer)
    assert "412.6" in repr(
        gough.inverse_dynamics(gough.load("dasgupta-1998"), gough.load("dasgupta-1998").home)
    )
