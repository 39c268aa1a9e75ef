"""Which numbers of a field are parameters of their own, and what a change of each is."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics.laws.motor import fill
from gough.dynamics.parameters import _components, machine_parameters, packing_of
from gough.engines.pack import packed
from gough.layout import LEG_LAW


@pytest.mark.parametrize("round_leg", [False, True])
@pytest.mark.parametrize("name", ["center", "axis", "base_joint"])
def test_components_of_vectors(name: str, round_leg: bool) -> None:
    """A round part has its center on its axis; every other vector has three components."""
    found = _components(name, (3,), round_leg)
    count = 1 if round_leg and name == "center" else 3
    assert [suffix for suffix, _ in found] == [".x", ".y", ".z"][:count]
    np.testing.assert_array_equal([change for _, change in found], np.eye(3)[:count])


def test_components_of_numbers_and_inertias() -> None:
    assert _components("mass", (), True) == [("", 1.0)]
    round_part = _components("inertia", (3, 3), True)
    assert [s for s, _ in round_part] == [".xx", ".across"]
    np.testing.assert_array_equal(round_part[0][1], np.diag([1.0, 0.0, 0.0]))
    np.testing.assert_array_equal(round_part[1][1], np.diag([0.0, 1.0, 1.0]))
    rng = np.random.default_rng(1)
    half = rng.normal(size=(3, 3))
    inertia, total = half + half.T, np.zeros((3, 3))
    for suffix, change in _components("inertia", (3, 3), False):
        i, j = ("xyz".index(c) for c in suffix[1:])
        total += inertia[i, j] * change
    np.testing.assert_allclose(total, inertia)


def test_some_columns_are_those_of_all() -> None:
    machine = gough.load("motion-base-1500")
    every = machine_parameters(machine)
    names = [every.names[k] for k in (0, 5, len(every.names) - 1)]
    found = packing_of(machine, names)
    wanted = every.packing[:, [every.names.index(name) for name in names]]
    np.testing.assert_array_equal(found, wanted)
    assert found.shape[0] == packed(machine, False).parameters.size


@pytest.mark.parametrize("ratio", [40.0, -40.0])
def test_the_law_of_a_motor_is_its_windings(ratio: float) -> None:
    """Stall force and its fall with speed by voltage, torque constant and resistance; rates by bandwidth and
    inductance; the smaller of two limits."""
    drive = gough.load("motion-base-1500").legs[0].drive
    assert drive is not None
    known = {"max_voltage": 48.0, "torque_constant": 0.3, "resistance": 0.5, "inductance": 2e-3}
    whole = drive.replace(ratio=ratio, current_bandwidth=700.0, **known)
    law = np.zeros(LEG_LAW.size)
    law[LEG_LAW.limit] = whole.max_force + 1.0
    fill(law, whole)
    rows = {name: float(law[getattr(LEG_LAW, name)]) for name in LEG_LAW.names}
    assert rows["limit"] == whole.max_force > 7.0
    assert rows["voltage_force"] == pytest.approx(40.0 * 0.3 * 48.0 / 0.5)
    assert rows["voltage_slope"] == pytest.approx((40.0 * 0.3) ** 2 / 0.5)
    assert rows["current_rate"] == 700.0
    assert rows["electric_rate"] == pytest.approx(250.0)
    for missing in ("max_voltage", "torque_constant", "resistance"):
        law = np.full(LEG_LAW.size, 7.0)
        fill(law, whole.replace(**{"inductance": None, missing: None}))
        assert law[LEG_LAW.voltage_force] == law[LEG_LAW.voltage_slope] == 7.0
        assert law[LEG_LAW.limit] == 7.0
