"""The exact model against Pinocchio: the tree from the public Platform, loops closed by projection.

Efforts, all joint reactions, leg motion, mass matrix, forward dynamics and spin acceleration, on random
machines in fast random states (see oracles/machines.py for the ranges).  Drives are real rotor bodies here.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from oracles.compare import answers, engine_arrays, errors, library
from oracles.machines import cases
from oracles.pinocchio_model import PinocchioEngine

TOLERANCE = 1e-10  # relative, every state; the sampled states have cond H < 60
CLOSURE = 1e-14  # m, by which the legs miss the platform joints in the engine
COUNTS = {"UPS": 200, "PUS": 200, "RUS": 200, "SPS-general": 200, "SPS-axisymmetric": 50, "SPS-free": 50,
          "UPS-rotor": 50, "SPS-rotor": 50, "mixed": 50}


def worst(kind: str, count: int, states: int, seed: int = 0) -> dict[str, float]:
    """Largest error of every quantity over `count` machines."""
    out: dict[str, float] = {}
    for case in cases(kind, count, states=states, seed=seed):
        found = answers(PinocchioEngine(case.platform), case)
        assert max(a.closure_error for a in found) < CLOSURE
        for name, value in errors(library(case), engine_arrays(case, found)).items():
            out[name] = max(out.get(name, 0.0), value)
    return out


@pytest.mark.parametrize("kind", COUNTS)
def test_everything_equals_pinocchio(kind: str) -> None:
    found = worst(kind, COUNTS[kind], states=2)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.slow
@pytest.mark.parametrize("kind", COUNTS)
def test_everything_equals_pinocchio_on_more_machines(kind: str) -> None:
    found = worst(kind, 400, states=5, seed=1)
    assert max(found.values()) < TOLERANCE, found


def test_no_drive_and_no_friction() -> None:
    for kind in ("UPS", "PUS", "RUS", "SPS-general"):
        for case in cases(kind, 10, seed=2, drive=False, friction=False):
            found = answers(PinocchioEngine(case.platform), case)
            e = errors(library(case), engine_arrays(case, found))
            assert max(e.values()) < TOLERANCE, (kind, e)


def test_error_grows_no_faster_than_the_condition_number() -> None:
    """Turning the platform about its vertical towards +-90 deg brings a hexapod to singularity."""
    from gough.spatial import Motion, rotation_z

    case = cases("UPS", 1, states=1, seed=3)[0]
    seen = []
    for angle in np.linspace(0.6, 1.6, 21):
        m = case.motion
        turned = Motion(m.position, rotation_z(angle) @ m.rotation, m.velocity, m.angular_velocity,
                        m.acceleration, m.angular_acceleration)
        state = type(case)(case.platform, turned, case.external, case.spin_angle, case.spin_rate)
        found = answers(PinocchioEngine(case.platform), state)
        condition = np.linalg.cond(found[0].jacobian)
        error = errors(library(state), engine_arrays(state, found))
        assert error["force"] < 1e-13 * condition
        seen.append(condition)
    assert max(seen) > 100
