"""The packed machine: made once per platform object, read-only, never carried into copies."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import gough
from gough.engines import pack
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS, parameter_count
from oracles.machines import KINDS, case


def test_packed_once_per_object() -> None:
    machine = case("mixed", seed=3, states=1).platform
    assert packed(machine) is packed(machine)
    assert packed(machine).parameters is packed(machine, True).parameters
    twin = pickle.loads(pickle.dumps(machine))
    assert twin == machine
    assert hash(twin) == hash(machine)
    for other in (twin, copy.copy(machine), machine.replace(name="another")):
        assert "_packed" not in other.__dict__
        assert packed(other) is not packed(machine)
        np.testing.assert_array_equal(packed(other).parameters, packed(machine).parameters)


def test_a_changed_copy_has_its_own_numbers() -> None:
    machine = case("UPS", seed=3, states=1).platform
    before = packed(machine).parameters
    heavier = machine.replace(gravity=(0.0, 0.0, -20.0))
    assert (packed(heavier).parameters != before).sum() >= 1


def test_packing_compares_no_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """500 comparisons of equal machines were what a pose in the studio cost."""

    def refuse(*_: object) -> bool:
        raise AssertionError("machines were compared or hashed")

    c = case("UPS", seed=3, states=1)
    monkeypatch.setattr(gough.Platform, "__eq__", refuse)
    monkeypatch.setattr(gough.Platform, "__hash__", refuse)
    gough.inverse_dynamics(c.platform, c.motion, c.external)


def test_parameters_are_read_only() -> None:
    par = packed(case("UPS", seed=3, states=1).platform).parameters
    with pytest.raises(ValueError, match="read-only"):
        par[0] = 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_which_legs_spin(kind: str) -> None:
    c = case(kind, seed=3, states=1)
    every = packed(c.platform, None)
    assert every is packed(c.platform, c.needs_spin)
    assert every.spins == c.needs_spin
    assert packed(c.platform, True).kinds == tuple(
        pack.kind_of(leg, True) for leg in c.platform.legs
    )


@pytest.mark.parametrize("kind", ["UPS", "RUS"])
def test_one_state_is_its_row_of_the_batch(kind: str) -> None:
    """Bit for bit, through the public verbs."""
    c = case(kind, seed=5, states=9)
    many = gough.inverse_dynamics(c.platform, c.motion, c.external)
    legs = gough.inverse_kinematics(c.platform, c.motion)
    back = gough.forward_dynamics(c.platform, c.motion, many.force, c.external)
    for i in range(9):
        one = gough.inverse_dynamics(c.platform, c.motion[i], c.external[i])
        assert one.force.tobytes() == many.force[i].tobytes()
        assert (
            gough.inverse_kinematics(c.platform, c.motion[i]).rate.tobytes()
            == legs.rate[i].tobytes()
        )
        found = gough.forward_dynamics(c.platform, c.motion[i], many.force[i], c.external[i])
        assert found.acceleration.tobytes() == back.acceleration[i].tobytes()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_function_reads_as_many_numbers_as_are_packed(kind: str, function: str) -> None:
    found = packed(case(kind, seed=3, states=1).platform)
    assert parameter_count(function, found.kinds) == len(found.numbers(function))
