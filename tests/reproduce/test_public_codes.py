"""Public codes, checked: verdicts follow the numbers, corrected formulas meet ours, every work has its source."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gough.reproduce.codes as room
from gough.dynamics import inverse_dynamics
from gough.reproduce.codes import check_codes, euler_dynamics, machine_tool, thesis, values
from gough.reproduce.codes.geometry import numbers
from gough.reproduce.paper_text import conditions_of, read
from gough.reproduce.verdicts import VERDICTS


@pytest.fixture(scope="module")
def found() -> dict[str, object]:
    return values()


def test_ten_works_with_source_and_claims(found: dict[str, object]) -> None:
    codes = check_codes(found)
    assert len(codes.works) == 10
    text = read("codes")
    assert {c["where"] for c in text.claims.values()} == set(numbers())
    for work in codes.works:
        assert work.claims
        assert re.search(r"\w+\.\w+/|\.rs", work.source), work.key
    for key, claim in text.claims.items():
        assert conditions_of(claim), key
        assert isinstance(claim.get("note", {}), dict), key  # a note hangs on its verdict
        assert set(claim.get("note", {})) <= set(VERDICTS), key


def test_every_verdict_flips_with_its_numbers(found: dict[str, object]) -> None:
    """With numbers that are right where they are wrong, and wrong where they are right, no verdict stays."""
    before = {c.statement: c.verdict for w in check_codes(found).works for c in w.claims}
    text = read("codes")
    for claim in text.claims.values():
        turned = dict(found)
        for test in conditions_of(claim):
            fine = test.outcomes(found) == {"holds"}
            if not (fine and before[claim["statement"]] == "mixed"):
                turned[test.value] = _other(test, found)
        after = {c.statement: c.verdict for w in check_codes(turned).works for c in w.claims}
        statement = claim["statement"]
        assert after[statement] != before[statement], statement


def _other(test, found):  # type: ignore[no-untyped-def]
    """A value for which the test ends differently."""
    holds = test.outcomes(found) == {"holds"}
    if test.equals is not None:
        return (not test.equals if isinstance(test.equals, bool) else -1) if holds else test.equals
    bound = next(x for x in (test.about, test.least, test.most) if x is not None)
    limit = float(found[bound]) if isinstance(bound, str) else float(bound)
    if not holds:
        return limit
    away = 1e6 * (1 + abs(limit))
    return limit - away if test.least is not None else limit + away


SLIPS = [("class", slip) for slip in euler_dynamics.CLASS_SLIPS]
SLIPS += [("matlab", slip) for slip in euler_dynamics.MATLAB_SLIPS]


@pytest.mark.parametrize(("code", "slip"), SLIPS)
def test_every_slip_changes_the_forces_and_without_them_they_are_right(
    code: str, slip: str
) -> None:
    if code == "class":
        machine, state, axes = euler_dynamics.cpp_class()
    else:
        machine, _, state = euler_dynamics.matlab_code()
        axes = None
    right = inverse_dynamics(machine, state.motion()).force
    off = euler_dynamics.forces(machine, state, axes, frozenset({slip})) - right
    assert np.abs(off).max() > 1e-4
    corrected = euler_dynamics.forces(machine, state, axes, frozenset())
    np.testing.assert_allclose(corrected, right, rtol=0, atol=1e-12 * np.abs(right).max())


def test_a_planted_digit_in_a_stiffness_table_is_noticed() -> None:
    K = thesis.cube(0.1, -0.05, 0.1, 0.05)
    assert thesis.digits_off(K[3, 3], 0.015) < 0.5 < thesis.digits_off(K[3, 3], 0.016)
    assert thesis.digits_off(1e-16, 0.0) == 0.0
    assert thesis.digits_off(1e-3, 0.0) == np.inf


def test_the_machine_tool_loop_reports_what_is_a_number() -> None:
    d = numbers()["machine_tool"]
    assert machine_tool.search(d, np.full(6, 5000.0), True)[0] == "too far"


def test_no_person_is_named_and_no_verdict_is_a_literal() -> None:
    """Works are cited by repository or page; verdict words stand only as keys of notes."""
    folder = Path(room.__file__).parent
    for path in folder.glob("*.py"):
        words = re.findall(r'"([a-z]+)"', path.read_text())
        assert not set(words) & set(VERDICTS), path
    for work in numbers().values():
        assert not re.search(r"\b(Dr|Prof|by [A-Z]\w+ [A-Z]\w+)\b", work["name"])
