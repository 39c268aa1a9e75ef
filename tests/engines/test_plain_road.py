"""The plain road answers as the compiled one does: numbers within their bounds, refusals in the same words."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.engines import evaluate
from gough.engines.plain_modules import plain_kernel, plain_module
from gough.kinematics import forward
from gough.kinematics.forward import actuator_coordinates, flat_pose
from oracles.machines import case
from support.forward_machines import KINDS, machine, poses
from support.near_singular import PLATFORM, UNIVERSAL, near

LEGS = ["UPS", "PUS", "RUS", "SPS-general"]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as no kernel is there."""
    monkeypatch.setattr(evaluate.native, "in_memory", lambda *_: False)
    monkeypatch.setattr(evaluate, "plainly", lambda *_: True)


@pytest.mark.parametrize("kind", LEGS)
def test_numbers_lie_within_the_bounds_of_both(kind: str, plain: None) -> None:
    c = case(kind, seed=2, states=3)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    given = {"spin": spin}
    first = gough.inverse_dynamics(c.platform, c.motion, c.external, **given)
    then = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="native", **given)
    assert (np.abs(first.force - then.force) <= first.error + then.error).all()
    np.testing.assert_allclose(first.error, then.error, rtol=1e-2)
    force = then.force
    a = gough.forward_dynamics(c.platform, c.motion, force, c.external, **given)
    b = gough.forward_dynamics(c.platform, c.motion, force, c.external, engine="native", **given)
    both = np.concatenate(
        [a.acceleration - b.acceleration, a.angular_acceleration - b.angular_acceleration], axis=-1
    )
    assert (np.abs(both) <= a.error + b.error).all()
    legs = [
        gough.inverse_kinematics(c.platform, c.motion, **given, **e).length
        for e in ({}, {"engine": "native"})
    ]
    np.testing.assert_allclose(legs[0], legs[1], rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("kind", "singularity"),
    [("UPS", UNIVERSAL), ("PUS", UNIVERSAL), ("RUS", UNIVERSAL), ("UPS", PLATFORM)],
)
def test_refusals_have_the_same_words(kind: str, singularity: str, plain: None) -> None:
    c = case(kind, seed=5, states=5)
    bad = near(c, 2, 1, singularity, 1e-9)
    said: list[list[str]] = []
    for engine in ({}, {"engine": "native"}):
        calls = [lambda e=engine: gough.inverse_dynamics(bad, c.motion, c.external, **e)]
        if singularity == UNIVERSAL:
            calls.append(lambda e=engine: gough.inverse_kinematics(bad, c.motion, **e))
        said.append([])
        for call in calls:
            with pytest.raises(gough.InfeasibleError) as caught:
                call()
            said[-1].append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("kind", KINDS)
def test_forward_kinematics(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Poses, statuses, proofs and iterations, of problems with and without an answer."""
    platform, there, guess = machine(kind), poses(12, seed=3), poses(12, 0.2, 0.4, seed=4)
    length = actuator_coordinates(platform, there)
    length[7, 0] += 2.5  # out of reach
    length[3] *= 1.02  # another pose, or none
    native = gough.forward_kinematics(platform, length, guess, engine="native")
    alone = plain_kernel("gough.kinematics.forward_batch", "solve_batch")
    monkeypatch.setattr(forward, "solver", lambda *_: alone)
    plain = gough.forward_kinematics(platform, length, guess)
    assert [s.value for s in np.ravel(plain.status)] == [s.value for s in np.ravel(native.status)]
    np.testing.assert_allclose(flat_pose(plain.pose), flat_pose(native.pose), atol=1e-12)
    for told in ("certified", "straight", "success"):
        np.testing.assert_array_equal(getattr(plain, told), getattr(native, told))
    assert not plain.success[7]
    assert plain.success.sum() >= 10


def test_copies_are_of_kernel_modules_only() -> None:
    copy = plain_module("gough.kinematics.forward_batch")
    from gough.kinematics import forward_batch

    assert copy is not forward_batch
    assert copy.STATUS == forward_batch.STATUS
    assert not hasattr(copy.solve_batch, "py_func")
    with pytest.raises(ImportError):
        plain_module("os.path")
