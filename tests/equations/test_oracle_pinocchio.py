"""The exact model against Pinocchio: the tree from the public Platform, loops closed by projection.

Efforts, all joint reactions, leg motion, mass matrix, forward dynamics and spin acceleration, on random machines
in fast random states (see oracles/machines.py for the ranges).  Drives are real rotor bodies here.
Efforts and reactions come from the compiled verb for the four leg types; the other quantities, and the rarer leg
types, from the same equations run as they stand, which needs no compilation.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

pytest.importorskip("pinocchio")

from gough.checks import Array
from gough.model import PUS, RUS
from gough.spatial import Motion, rotation_z
from oracles.closure import wrench_matrix
from oracles.compare import answers, efforts, engine_arrays, errors, joined, library
from oracles.machines import KINDS, Case, cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.source import equations

TOLERANCE = 1e-10  # relative, every state; the sampled states have cond H < 60
CLOSURE = 1e-14  # m, by which the legs miss the platform joints in the engine
COMPILED = ("UPS", "PUS", "RUS", "SPS-general")
COUNTS = {kind: 200 if kind in COMPILED else 50 for kind in KINDS}


def worst(kind: str, count: int, states: int, seed: int = 0) -> dict[str, float]:
    """Largest error of every quantity over `count` machines."""
    sample = cases(kind, count, states=states, seed=seed)
    theirs = []
    for case in sample:
        found = answers(PinocchioEngine(case.platform), case)
        assert max(a.closure_error for a in found) < CLOSURE
        theirs.append(engine_arrays(case, found))
    out = errors(equations(*sample), joined(theirs))
    assert len(out) == len(theirs[0])
    if kind in COMPILED:
        compiled = errors(joined([efforts(case) for case in sample]), joined(theirs))
        out.update({f"compiled {name}": value for name, value in compiled.items()})
    return out


@pytest.mark.parametrize("kind", COUNTS)
def test_everything_equals_pinocchio(kind: str) -> None:
    found = worst(kind, COUNTS[kind], states=2)
    assert max(found.values()) < TOLERANCE, found


def test_the_sample_holds_both_branches_and_steep_rails() -> None:
    elbows = [
        leg.elbow for case in cases("RUS", 50) for leg in case.platform.legs if isinstance(leg, RUS)
    ]
    sliders = [
        leg for case in cases("PUS", 50) for leg in case.platform.legs if isinstance(leg, PUS)
    ]
    assert 100 < elbows.count(1) < 200
    assert 60 < sum(leg.assembly == 1 for leg in sliders) < 240
    assert min(abs(leg.rail[2]) for leg in sliders) < 0.1
    assert max(abs(leg.rail[2]) for leg in sliders) > 0.95


@pytest.mark.slow
@pytest.mark.parametrize("kind", COUNTS)
def test_everything_equals_pinocchio_on_more_machines(kind: str) -> None:
    found = worst(kind, 400, states=4, seed=1)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", KINDS)
def test_every_verb_equals_pinocchio(kind: str) -> None:
    for case in cases(kind, 2, seed=4):
        theirs = engine_arrays(case, answers(PinocchioEngine(case.platform), case))
        found = errors(library(case, engine="python"), theirs)
        assert len(found) == len(theirs)
        assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", COMPILED)
def test_no_drive_and_no_friction(kind: str) -> None:
    sample = cases(kind, 10, seed=2, drive=False, friction=False)
    theirs = [engine_arrays(case, answers(PinocchioEngine(case.platform), case)) for case in sample]
    found = errors(equations(*sample), joined(theirs))
    assert max(found.values()) < TOLERANCE, found


def test_error_grows_no_faster_than_the_condition_number() -> None:
    """A hexapod turned about its vertical towards a singularity, ever closer."""
    case = cases("UPS", 1, states=1, seed=4)[0]
    engine, m = PinocchioEngine(case.platform), case.motion

    def turned(angle: float) -> Array:
        return rotation_z(angle) @ m.rotation

    def sign(angle: float) -> float:
        return float(np.linalg.det(wrench_matrix(case.platform, m.position[0], turned(angle)[0])))

    singular = brentq(sign, -1.7, -1.5, xtol=1e-14)
    conditions = []
    for away in np.logspace(-1, -6, 11):
        motion = Motion(
            m.position,
            turned(singular + away),
            m.velocity,
            m.angular_velocity,
            m.acceleration,
            m.angular_acceleration,
        )
        state = Case(case.platform, motion, case.external, case.spin_angle, case.spin_rate)
        found = answers(engine, state)
        condition = float(np.linalg.cond(found[0].jacobian))
        assert errors(efforts(state), engine_arrays(state, found))["force"] < 1e-14 * condition
        conditions.append(condition)
    assert conditions[0] < 1e3
    assert conditions[-1] > 1e7
