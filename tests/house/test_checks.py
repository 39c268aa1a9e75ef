"""The checks at the border, one by one: what passes, what is refused, and in which words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import gough
from gough import checks
from gough.checks import InputError

REFUSED: list[tuple[Any, tuple[Any, ...], str]] = [
    (checks.real, ("x", np.ma.array([1.0, 2.0], mask=[0, 1])), "number everywhere"),
    (checks.real, ("x", [1.0, None]), "must be numbers"),
    (checks.real, ("x", np.array([1, True], dtype=object)), "must be numbers"),
    (checks.real, ("x", [1j]), "real numbers"),
    (checks.real, ("x", [[1.0, 2.0], [3.0]]), "must be numbers"),
    (checks.real, ("x", np.zeros((2, 4)), (3,)), "must have shape"),
    (checks.real, ("x", np.zeros(4), (None, 4)), "must have shape"),
    (checks.array, ("x", [1.0, np.nan]), "finite"),
    (checks.vector, ("x", [1.0, 2.0]), "three numbers"),
    (checks.six, ("x", [1.0, 2.0]), "one number or six"),
    (checks.text, ("x", 3), "must be text"),
    (checks.unit, ("x", [0.0, 0.0, 1e-13]), "zero length"),
    (checks.unit, ("x", [1e99, 1e200, 0.0]), "must"),
    (checks.number, ("x", [1.0, 2.0]), "must be a number"),
    (checks.number, ("x", np.inf), "finite"),
    (checks.number, ("x", 1e300), "must not exceed"),
    (checks.positive, ("x", 0.0), "greater than 0"),
    (checks.positive, ("x", 1e-320), "at least"),
    (checks.not_negative, ("x", -1e-9), "at least 0"),
    (checks.instance(gough.Body), ("x", 3), "gough.Body"),
    (checks.batch_shape, ("x", (2,), (3,)), "broadcast"),
    (checks.fitting, ("x", np.zeros((4, 3)), (3,)), "must fit"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    check, given, word = REFUSED[number]
    with pytest.raises(InputError, match=word):
        check(*given)


def test_what_passes() -> None:
    np.testing.assert_array_equal(checks.real("x", [Decimal("1.5"), 10**30]), [1.5, 1e30])
    assert checks.real("x", np.zeros((5, 3, 4)), (None, 4)).shape == (5, 3, 4)
    assert checks.real("x", np.ma.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert checks.six("x", 2.0).tolist() == [2.0] * 6
    assert checks.number("x", np.array([[2]])) == 2.0
    assert checks.optional(checks.positive)("x", None) is None
    assert checks.optional(checks.positive)("x", 2) == 2.0
    axis = np.array([0.6, 0.0, 0.8])
    assert checks.unit("x", axis).tobytes() == axis.tobytes()
    np.testing.assert_allclose(checks.unit("x", [0.0, 0.0, 5.0]), [0.0, 0.0, 1.0])
    assert checks.text("x", "a") == "a"


def test_pick_takes_state_by_state() -> None:
    a = np.arange(6.0).reshape(2, 3)
    assert checks.pick(a[0], np.array([2, 0])).tolist() == [2.0, 0.0]
    assert checks.pick(a, np.array([[2, 0], [1, 1]])).tolist() == [[2.0, 0.0], [4.0, 4.0]]


def test_frozen_things_are_equal_by_content() -> None:
    one, same = gough.Body(1.0, center=[0.0, -0.0, 1.0]), gough.Body(1.0, center=[0.0, 0.0, 1.0])
    assert one == same
    assert hash(one) == hash(same)
    assert one != gough.Body(1.0, center=[0.0, 0.0, 2.0])
    assert one != 3
    assert one.__eq__(gough.Limits()) is NotImplemented
