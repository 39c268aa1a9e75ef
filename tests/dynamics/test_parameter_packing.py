"""``d packed/d parameter``: every column is the difference of machines built anew, and nothing of it is compiled."""

from __future__ import annotations

import numpy as np
import pytest

from gough.dynamics.parameters import machine_parameters, packed_names, packing_of
from gough.engines.pack import packed
from oracles.machines import case
from support.parameter_slopes import differences

KINDS = (
    "UPS",
    "UPS-rotor",
    "SPS-general",
    "PUS",
    "PSU",
    "UCS-general",
)  # no angle of a crank is refitted
LEG = "L3."


def close(found: np.ndarray, wanted: np.ndarray, name: str) -> None:
    scale = np.abs(wanted).max() + 1e-6
    assert np.abs(found - wanted).max() < 1e-6 * scale, name


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_the_differences_of_packed_machines(kind: str) -> None:
    """Body, gravity and one leg with all its parts; a leg's column touches its own row only."""
    machine = case(kind, seed=4, states=1).platform
    spin = packed(machine).spins
    made = machine_parameters(machine, spin)
    assert made.packing.shape == (packed(machine, spin).parameters.size, len(made.names))
    assert len(made.units) == len(made.names) == len(set(made.names))
    checked = 0
    for k, (name, unit) in enumerate(zip(made.names, made.units, strict=True)):
        if not name.startswith((LEG, "body.", "gravity.")):
            continue
        wanted = differences(machine, name, unit, lambda m: packed(m, spin).parameters)
        close(made.packing[:, k], wanted, name)
        checked += 1
    assert checked > 30
    others = [k for k, name in enumerate(made.names) if name.startswith("L5.")]
    mine = [k for k, name in enumerate(made.names) if name.startswith(LEG)]
    touched = made.packing[:, mine].any(axis=1)
    assert not (touched & made.packing[:, others].any(axis=1)).any()
    assert not (touched & made.packing[:, : made.names.index("L1.base.x")].any(axis=1)).any()


def test_columns_of_some_names_come_in_the_order_asked_for() -> None:
    machine = case("RUS", seed=4, states=1).platform
    whole = machine_parameters(machine)
    names = ["L6.shaft.y", "body.mass", "L2.arm.x"]
    found = packing_of(machine, names)
    for column, name in zip(found.T, names, strict=True):
        np.testing.assert_array_equal(column, whole.packing[:, whole.names.index(name)])
    assert packing_of(machine, []).shape == (len(whole.packing), 0)


@pytest.mark.parametrize("kind", ["UPS", "RUS", "SPS-general", "UCU-screw", "UCS-general"])
def test_packed_numbers_have_names_of_their_own_leg(kind: str) -> None:
    """One name each, legs in their order, friction by its three joints, what turns with a crank in three parts."""
    machine = case(kind, seed=4, states=1).platform
    names = packed_names(machine)
    assert len(names) == len(set(names)) == packed(machine).parameters.size
    legs = [name.split(".")[0] for name in names if name.startswith("L")]
    assert legs == sorted(legs)
    first = [name for name in names if name.startswith("L1.")]
    assert [name.replace("L1.", "L4.") for name in first] == [
        name for name in names if name.startswith("L4.")
    ]
    for part in ("universal", "prismatic", "spherical"):
        assert f"L1.friction.{part}" in first
    assert {"L1.joint.x", "L1.joint.y", "L1.joint.z"} <= {*first}
    assert ("L1.arm.cosine.y" in first) == (kind == "RUS")
    second = [n for n in names if n.startswith("body.second")]
    assert second == [f"body.second.{p}" for p in ("xx", "xy", "xz", "yy", "yz", "zz")]
    assert [n for n in names if n.startswith("gravity")] == ["gravity.x", "gravity.y", "gravity.z"]
