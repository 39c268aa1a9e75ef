"""What is said of samples: exact motions agree, each planted contradiction has its size; worst conditions, drawings of
mixed machines, sentences of plans."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import looks
from gough.analysis.drawing import modes_drawing
from gough.analysis.path_planner import _found
from gough.analysis.timeline import timeline
from gough.analysis.ways import RayEnd
from gough.checks import Array
from gough.spatial import Motion, Pose, rotation_exp
from oracles.machines import platform

T = np.array([0.0, 0.3, 0.5, 1.1, 1.2])
CUBIC = np.array([[0.4, -0.2, 0.1], [0.3, 0.5, -0.6], [1.0, 2.0, -1.0], [-0.7, 0.2, 0.9]])
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


def powers(derivative: int) -> Array:
    """(N, 3) of the cubic, or of its derivative."""
    each = [np.polynomial.Polynomial(CUBIC[:, k]) for k in range(3)]
    return np.stack([p.deriv(derivative)(T) if derivative else p(T) for p in each], axis=1)


def motion(**changed: tuple[int, Array]) -> Motion:
    """Cubic in position, the first of its coordinates as an angle about an axis; some number of some sample changed."""
    angle = [powers(k)[:, :1] * AXIS for k in range(3)]
    parts = {
        "position": powers(0),
        "velocity": powers(1),
        "acceleration": powers(2),
        "angular_velocity": angle[1],
        "angular_acceleration": angle[2],
    }
    for name, (k, by) in changed.items():
        parts[name] = parts[name].copy()
        parts[name][k] += by
    return Motion(rotation=rotation_exp(angle[0]), time=T, **parts)


def test_a_cubic_motion_agrees_with_itself() -> None:
    np.testing.assert_allclose(looks.disagreement(motion()), 0.0, atol=1e-12)
    assert looks.contradiction(motion()) is None


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(
    "name", ["position", "velocity", "acceleration", "angular_velocity", "angular_acceleration"]
)
def test_a_planted_contradiction_has_its_size(name: str, k: int) -> None:
    """By the integral of what was changed over the two intervals beside it, a share of the largest number there."""
    by = 2e-3 * np.array([1.0, -2.0, 0.5])
    m = motion(**{name: (k, by)})
    h, most = np.diff(T), float(np.abs(by).max())
    angular = name.startswith("angular")
    turn = np.diff(powers(0)[:, :1] * AXIS, axis=0)
    of_place = [np.diff(m.position, axis=0), np.ptp(m.position, axis=0)]
    speed, push = (
        (m.angular_velocity, m.angular_acceleration) if angular else (m.velocity, m.acceleration)
    )
    said = h[:, None] * (speed[1:] + speed[:-1]) / 2 - (h**2)[:, None] * np.diff(push, axis=0) / 12
    sizes = [turn, turn] if angular else of_place
    place = max(np.abs(sizes[1]).max(), np.abs(said).max())
    gained = h[:, None] * (push[1:] + push[:-1]) / 2
    rate = max(np.abs(speed).max(), np.abs(gained).max())
    found, due = looks.disagreement(m), np.zeros(4)
    for i in (k - 1, k):
        if 0 <= i < 4:
            parts = {
                "position": [most / place],
                "velocity": [most * h[i] / 2 / place, most / rate],
                "acceleration": [most * h[i] ** 2 / 12 / place, most * h[i] / 2 / rate],
            }[name.removeprefix("angular_")]
            due[i] = max(parts)
    np.testing.assert_allclose(found, due, rtol=1e-9, atol=1e-12)


def test_a_contradiction_names_the_two_instants() -> None:
    wild = motion(velocity=(3, np.array([9.0, 0.0, 0.0])))
    said = looks.contradiction(wild)
    share = looks.disagreement(wild)
    worst = int(share.argmax())
    assert said is not None
    assert f"t = {T[worst]:.6g} s and {T[worst + 1]:.6g} s" in said
    fair = motion(velocity=(3, np.array([1e-3, 0.0, 0.0])))
    assert looks.contradiction(fair) is None
    for time in (None, np.array([0.0, 0.3, 0.3, 1.1, 1.2])):
        given = {n: getattr(wild, n) for n in ("position", "rotation", "velocity")}
        assert looks.contradiction(Motion(**given, time=time)) is None


def test_the_worst_condition_is_the_largest_and_its_time() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    path = gough.trajectory.harmonic(home, [0.1, 0, 0.1, 0.2, 0, 0], 1.0, duration=0.6)
    data, facts, *_ = timeline(machine, path.sample(9))
    condition = np.asarray(data["condition_scaled"])
    assert np.ptp(condition) > 0.0
    assert facts["worst_condition"] == condition.max()
    assert facts["worst_condition_time"] == data["t"][condition.argmax()]
    for i, leg in enumerate(facts["legs"]):
        assert leg["coordinate_max"] == data["coordinate"][:, i].max()
        assert leg["peak_force"] == np.abs(data["force"]["exact"][:, i]).max()
        assert leg["peak_speed"] == np.abs(data["rate"][:, i]).max()
        assert leg["peak_power"] == np.abs(data["power"][:, i]).max()


def test_struts_of_a_mixed_machine_are_drawn_from_their_carried_ends() -> None:
    """One kind with carried ends is enough."""
    from gough.struts import struts

    machine = platform("mixed", seed=2)
    home = machine.likely_home
    true = struts(machine, home)

    class One:
        poses = Pose.trusted(home.position[None], home.rotation[None])
        on_branch = np.array([True])

    modes: Any = One()
    drawn = modes_drawing(machine, modes)
    along = (drawn["tops"] - drawn["feet"])[0]
    long = np.linalg.norm(along, axis=1, keepdims=True)
    np.testing.assert_allclose(along / long, true.direction, atol=1e-9)
    assert np.abs(drawn["feet"][0] - machine.base_joints).max() > 1e-3
    One.on_branch = np.array([False])
    np.testing.assert_array_equal(modes_drawing(machine, modes)["feet"][0], machine.base_joints)


@pytest.mark.parametrize("unchecked", [(), ("cones without an axis",)])
@pytest.mark.parametrize("pieces", [1, 3])
def test_what_is_said_of_a_way(pieces: int, unchecked: tuple[str, ...]) -> None:
    poses = Pose(np.zeros((pieces + 1, 3)), np.eye(3))
    plan = _found(poses, RayEnd(0.4375, 0.5, False, ()), 7, unchecked)
    ways = "the straight way" if pieces == 1 else "a way of 3 straight pieces"
    limits = "all limits that could be checked" if unchecked else "all limits"
    said = [f"{ways} between the poses is inside {limits} and free of singular poses, proved"]
    said += [] if pieces == 1 else ["the straight way stops at 43.75 % of it"]
    assert list(plan.sentences) == [*said, *unchecked]
    assert plan.possible is (None if unchecked else True)
    assert plan.tried == 7
