"""The checks themselves are checked: every planted physical error must break agreement or the power balance.

Each error is put into the source of the equations (oracles/planted_list.py) and run on random machines; two
rings look at it: Pinocchio (with the loops closed by projection) and the energy balance.
"""

from __future__ import annotations

import warnings
from collections import Counter
from functools import cache

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from gough.checks import Array
from gough.equations import machine
from gough.equations.solve import Six, Solution, components, solve_columns
from gough.equations.vec import Vec
from oracles.compare import answers, engine_arrays, errors
from oracles.machines import Case, cases
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.planted import Error, planted
from oracles.planted_list import ERRORS as WITHOUT_SPRINGS
from oracles.planted_offset import ERRORS as CROOKED
from oracles.planted_rod_springs import ERRORS as SPRUNG_RODS
from oracles.planted_springs import ERRORS as SPRUNG
from oracles.planted_springs import SPRINGS
from oracles.source import energy_rate, equations, power

CLEAR = 1e-6  # a planted error must show at least this much; the right equations stay below 1e-10
FINE = 1e-10
ERRORS = [*WITHOUT_SPRINGS, *SPRUNG, *SPRUNG_RODS, *CROOKED]
KINDS = sorted({kind for error in ERRORS for kind in error.kinds})


@cache
def sample(kind: str) -> tuple[tuple[Case, dict[str, Array]], ...]:
    """A machine of a kind and the outside engine's answers."""
    bare, sprung = kind.removesuffix(SPRINGS), kind.endswith(SPRINGS)
    make = offset_cases if bare in OFFSETS else cases
    found = make(bare, 1, states=3, seed=11, springs=sprung)
    return tuple(
        (case, engine_arrays(case, answers(PinocchioEngine(case.platform), case))) for case in found
    )


def disagreement(kind: str) -> tuple[float, float]:
    """How far the equations, as they are now, are from the engine and from the power balance."""
    outside = balance = 0.0
    for case, theirs in sample(kind):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine = equations(case)
            found = {
                **errors(mine, theirs),
                "kernel": errors({"force": mine["forces"]}, theirs)["force"],
            }
            expected, scale = power(case, mine)
            residual = np.abs((energy_rate(case, mine) - expected) / scale)
        outside = max(outside, *(np.inf if np.isnan(v) else v for v in found.values()))
        balance = max(balance, *(np.inf if np.isnan(v) else v for v in residual))
    return outside, balance


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_equations_pass_both_rings(kind: str) -> None:
    outside, balance = disagreement(kind)
    assert outside < FINE
    assert balance < 1e-11


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.name)
def test_planted_error_is_caught(error: Error) -> None:
    for kind in error.kinds:
        with planted(error):
            outside, balance = disagreement(kind)
        assert max(outside, balance) > CLEAR, (kind, outside, balance)


def test_transposed_jacobian_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def six(row: list) -> Six:
        return Six(Vec(*row[:3]), Vec(*row[3:]))

    def transposed(columns: list[Six], load: Six) -> Solution:
        flat = [components(c) for c in columns]
        return solve_columns([six([flat[i][j] for i in range(6)]) for j in range(6)], load)

    monkeypatch.setattr(machine, "solve_columns", transposed)
    assert disagreement("UPS")[0] > CLEAR


def test_machine_upside_down_is_caught() -> None:
    """Base and platform joints of every leg exchanged in the machine itself."""
    from gough.model import Platform

    case, theirs = sample("UPS")[0]
    swapped = Platform(
        case.platform.body,
        [leg.replace(base=leg.joint, joint=leg.base) for leg in case.platform.legs],
        case.platform.gravity,
    )
    wrong = Case(swapped, case.motion, case.external, case.spin_angle, case.spin_rate)
    assert errors(equations(wrong), theirs)["force"] > CLEAR


def test_the_list_is_long_and_has_no_repetition() -> None:
    names = Counter(error.name for error in ERRORS)
    assert len(ERRORS) >= 60
    assert max(names.values()) == 1


def test_an_error_that_no_longer_fits_its_source_is_noticed() -> None:
    stale = ERRORS[0].__class__("stale", ERRORS[0].function, "text that is not there", "", ("UPS",))
    with pytest.raises(AssertionError, match="occurs 0 times"), planted(stale):
        pass
