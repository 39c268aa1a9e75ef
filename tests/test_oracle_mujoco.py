"""The exact model against MuJoCo: the open tree from the public Platform, loops closed by projection.

MuJoCo sees no constraint at all, so nothing here is soft.  Drives are joint armature.
"""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

from oracles.compare import answers, engine_arrays, errors, library
from oracles.machines import cases
from oracles.mujoco_model import MujocoEngine

TOLERANCE = 1e-10  # relative, every state; the sampled states have cond H < 60
CLOSURE = 1e-14  # m, by which the legs miss the platform joints in the engine
COUNTS = {"UPS": 200, "PUS": 200, "RUS": 200, "SPS-general": 200, "SPS-axisymmetric": 50, "SPS-free": 50,
          "mixed": 50}


@pytest.mark.parametrize("kind", COUNTS)
def test_everything_equals_mujoco(kind: str) -> None:
    worst: dict[str, float] = {}
    for case in cases(kind, COUNTS[kind], states=2, seed=7):
        found = answers(MujocoEngine(case.platform), case)
        assert max(a.closure_error for a in found) < CLOSURE
        for name, value in errors(library(case), engine_arrays(case, found)).items():
            worst[name] = max(worst.get(name, 0.0), value)
    assert max(worst.values()) < TOLERANCE, worst


@pytest.mark.parametrize("kind", COUNTS)
def test_the_two_engines_agree_with_each_other(kind: str) -> None:
    pytest.importorskip("mujoco")
    from oracles.pinocchio_model import PinocchioEngine

    for case in cases(kind, 5, seed=8):
        first = engine_arrays(case, answers(MujocoEngine(case.platform), case))
        second = engine_arrays(case, answers(PinocchioEngine(case.platform), case))
        found = errors(first, second)
        assert max(found.values()) < TOLERANCE, (kind, found)
