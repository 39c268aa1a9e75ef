"""The exact model against MuJoCo: the open tree from the public Platform, loops closed by projection.

MuJoCo sees no constraint at all, so nothing here is soft.  Drives are joint armature, so machines whose motors
ride on their legs are left to Pinocchio.
"""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

from oracles.compare import answers, efforts, engine_arrays, errors, joined
from oracles.machines import KINDS, cases
from oracles.mujoco_model import MujocoEngine
from oracles.source import equations

TOLERANCE = 1e-10  # relative, every state; the sampled states have cond H < 60
CLOSURE = 1e-14  # m, by which the legs miss the platform joints in the engine
COMPILED = ("UPS", "PUS", "RUS", "SPS-general")
COUNTS = {kind: 200 if kind in COMPILED else 30 for kind in KINDS if not kind.endswith("rotor")}


@pytest.mark.parametrize("kind", COUNTS)
def test_everything_equals_mujoco(kind: str) -> None:
    sample = cases(kind, COUNTS[kind], states=2, seed=7)
    theirs = []
    for case in sample:
        found = answers(MujocoEngine(case.platform), case)
        assert max(a.closure_error for a in found) < CLOSURE
        theirs.append(engine_arrays(case, found))
    out = errors(equations(*sample), joined(theirs))
    assert len(out) == len(theirs[0])
    if kind in COMPILED:
        compiled = errors(joined([efforts(case) for case in sample]), joined(theirs))
        out.update({f"compiled {name}": value for name, value in compiled.items()})
    assert max(out.values()) < TOLERANCE, out


@pytest.mark.parametrize("kind", COUNTS)
def test_the_two_engines_agree_with_each_other(kind: str) -> None:
    pytest.importorskip("pinocchio")
    from oracles.pinocchio_model import PinocchioEngine

    for case in cases(kind, 3, seed=8):
        first = engine_arrays(case, answers(MujocoEngine(case.platform), case))
        second = engine_arrays(case, answers(PinocchioEngine(case.platform), case))
        found = errors(first, second)
        assert max(found.values()) < TOLERANCE, (kind, found)
