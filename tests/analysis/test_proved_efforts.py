"""Efforts between the samples: the exact equations on Taylor models against dense samples, and planted errors."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import taylor
from gough import trajectory as tr
from gough.analysis import effort_models
from gough.analysis.proved import BROKEN, HOLDS, proved_limits
from gough.checks import Array
from gough.model import Limits, Platform
from gough.trajectory.bounds import motion_model
from oracles.machines import platform

MACHINES = ("UPS", "SPS-free", "PUS", "RUS", "UCU-screw", "PSU")
WRENCH = np.array([30.0, -20.0, 50.0, 4.0, 5.0, -6.0])
T, HALF = np.array([0.3, 1.1]), np.array([0.02, 0.02])


def shaken(machine: Platform) -> tr.Trajectory:
    """A motion in all six coordinates about home."""
    A = np.array([0.03, 0.02, 0.03, 0.05, 0.04, 0.06])
    return tr.harmonic(machine.require_home(), A, 0.7, np.arange(6.0), duration=2.0)


def efforts(machine: Platform, path: tr.Trajectory, t: Array) -> Array:
    return gough.inverse_dynamics(machine, path(t), WRENCH, engine="python").force


def enclosed(machine: Platform, path: tr.Trajectory) -> tuple[bool, float]:
    """Dense samples lie in the models; the largest remainder as a share of the largest effort."""
    motion = motion_model(path, T, HALF)
    assert motion is not None
    model = effort_models.effort_models(machine, motion, WRENCH)
    tau = np.linspace(-1.0, 1.0, 21)
    value, off = model.at(tau)
    true = efforts(machine, path, (T + tau[:, None] * HALF).ravel()).reshape(value.shape)
    size = float(np.abs(true).max())
    return bool((np.abs(value - true) <= off + 1e-11 * size).all()), float(off.max() / size)


@pytest.mark.parametrize("kind", MACHINES)
def test_efforts_lie_in_their_models(kind: str) -> None:
    machine = platform(kind, seed=5)
    inside, width = enclosed(machine, shaken(machine))
    assert inside
    assert width < 0.1


def test_planted_errors_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remainders dropped; the wrench forgotten."""
    machine = platform("UPS", seed=5)
    path = shaken(machine)
    own = effort_models.effort_models
    for wrong in (lambda a, b, c: _bare(own(a, b, c)), lambda a, b, c: own(a, b, 0.0 * c)):
        monkeypatch.setattr(effort_models, "effort_models", wrong)
        assert not enclosed(machine, path)[0]


def _bare(m: taylor.Model) -> taylor.Model:
    return taylor.Model(m.c, 0.0 * m.r)


def test_force_limits_are_judged_at_every_instant() -> None:
    """Limits a thousandth beside the largest efforts, which dense samples say to 1e-6."""
    machine = platform("UPS", seed=5)
    path = shaken(machine)
    peak = np.abs(efforts(machine, path, np.linspace(0.0, 2.0, 4001))).max(axis=0)
    for share, status in ((1.001, HOLDS), (0.999, BROKEN)):
        legs = [
            leg.replace(limits=Limits(force=float(most) * share))
            for leg, most in zip(machine.legs, peak, strict=True)
        ]
        limited = machine.replace(legs=legs)
        found = proved_limits(limited, path, determinant=False, external=WRENCH).of("force")
        assert [v.status for v in found] == [status] * 6
        for v in found:
            if v.time is not None:
                there = np.abs(efforts(limited, path, np.array([v.time])))[0, v.legs[0]]
                assert there > share * peak[v.legs[0]]


def test_a_wrench_is_one_wrench() -> None:
    machine = platform("UPS", seed=5)
    with pytest.raises(gough.InputError, match="external"):
        proved_limits(machine, shaken(machine), external=np.zeros((2, 6)))
