"""Small numbers of a timeline: means over time, flat lists, quaternions without jumps, words; what a page is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import timeline as lines
from gough.analysis.drawing import level_plane, pose_range
from gough.analysis.timeline import flat, mean_power, smallest_singular_value
from gough.model import Limits

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()


@pytest.mark.parametrize("p", [2, 3])
def test_means_of_powers_over_uneven_times(p: int) -> None:
    t, x = np.array([0.0, 1.0, 4.0]), np.array([1.0, -2.0, 3.0])
    whole = (1.0 + 2.0**p) / 2.0 * 1.0 + (2.0**p + 3.0**p) / 2.0 * 3.0
    assert mean_power(t, x, p) == pytest.approx((whole / 4.0) ** (1.0 / p))
    assert mean_power(t + 5.0, x, p) == pytest.approx((whole / 4.0) ** (1.0 / p))
    assert mean_power(t[:1], x[:1], p) == 1.0
    still = np.array([2.0, 2.0])
    assert mean_power(still, np.array([1.0, 3.0]), p) == pytest.approx(((1.0 + 3.0**p) / 2.0) ** (1.0 / p))  # fmt: skip
    two = np.array([1.0, 3.0])
    assert mean_power(two, np.array([4.0, 4.0]), p) == pytest.approx(4.0)


def test_numbers_for_a_page_are_flat_and_short() -> None:
    data = {"a": np.array([[1.0, np.nan], [np.inf, 2.5]]), "b": {"c": 3.14159}}
    assert flat(data) == {"a": [1.0, None, None, 2.5], "b": {"c": [3.14159]}}
    assert flat(data, 3) == {"a": [1, None, None, 2.5], "b": {"c": [3.14]}}
    short = flat(np.array([123456.0, 2e9, -7.0, 1234.5678]), 4)
    assert short == [123500, 2e9, -7, 1235]
    assert [type(x) for x in short] == [int, float, int, int]
    assert flat(np.array([1e9]), 4) == [1e9]
    assert type(flat(np.array([1e9]), 4)[0]) is float
    assert flat(np.array([1.0, 2.0])) == [1.0, 2.0]


def test_quaternions_do_not_jump() -> None:
    q = np.array(
        [
            [1.0, 0, 0, 0],
            [-0.9, -0.1, 0, 0],
            [-0.8, -0.2, 0, 0],
            [0.7, 0.3, 0, 0],
            [0.0, 0.0, 1.0, 0],
        ]
    )
    found = lines._continuous(q)
    np.testing.assert_allclose(np.abs(found), np.abs(q))
    assert ((found[1:] * found[:-1]).sum(axis=1) >= 0.0).all()
    np.testing.assert_array_equal(found[0], q[0])
    np.testing.assert_allclose(found[1], -q[1])
    np.testing.assert_allclose(found[3], q[3])
    np.testing.assert_allclose(found[4], q[4])


def test_the_smallest_singular_value_has_one_unit() -> None:
    """Moments over the characteristic length; the given matrix stays as it is."""
    rng = np.random.default_rng(0)
    H = rng.normal(size=(3, 6, 6))
    given = H.copy()
    result: Any = SimpleNamespace(H=given, characteristic_length=2.0)
    scaled = H.copy()
    scaled[:, 3:] /= 2.0
    due = [np.linalg.svd(h, compute_uv=False).min() for h in scaled]
    np.testing.assert_allclose(smallest_singular_value(result), due)
    np.testing.assert_array_equal(given, H)


def test_a_motion_without_a_time_axis_has_no_timeline() -> None:
    still = gough.Motion.at_rest(HOME)
    with pytest.raises(gough.InputError, match="one time axis"):
        lines.timeline(MACHINE, still)
    flat_motion = gough.Motion(HOME.position[None], HOME.rotation[None])
    with pytest.raises(gough.InputError, match="one time axis"):
        lines.timeline(MACHINE, flat_motion)


def test_a_motion_out_of_reach_is_refused_at_its_first_instant() -> None:
    """By one leg is enough; its time is told."""
    rails = gough.load("hexaglide")
    home = rails.require_home()
    position = np.tile(home.position, (4, 1))
    position[2:, 2] += [30.0, 40.0]
    motion = gough.Motion(position, np.tile(home.rotation, (4, 1, 1)), time=[0.0, 0.5, 1.25, 2.0])
    with pytest.raises(gough.InfeasibleError, match=r"at t = 1\.25 s"):
        lines.timeline(rails, motion)


def test_a_summary_has_the_duration_and_the_smallest_margin() -> None:
    path = gough.trajectory.harmonic(HOME, [0.02, 0, 0.05, 0.02, 0, 0], 1.0, duration=1.5)
    t = np.array([0.25, 0.5, 1.0, 1.25])
    data, facts, *_ = lines.timeline(MACHINE, path(t))
    assert facts["duration"] == 1.0
    assert facts["samples"] == 4
    assert facts["smallest_margin"] == pytest.approx(float(np.min(data["margin"])))
    np.testing.assert_allclose(data["power"], data["force"]["exact"] * data["rate"])
    energy = data["energy"]
    np.testing.assert_allclose(energy["total"], energy["kinetic"] + energy["potential"])
    for i, leg in enumerate(facts["legs"]):
        assert leg["coordinate_min"] == data["coordinate"][:, i].min()
        assert leg["rms_force"] == pytest.approx(mean_power(t, data["force"]["exact"][:, i], 2))
        assert leg["rms_power"] == pytest.approx(mean_power(t, data["power"][:, i], 2))
        for name, told in leg["reactions"].items():
            value = data["reactions"][name][:, i]
            assert told["peak"] == value.max()
            assert told["rms"] == pytest.approx(mean_power(t, value, 2))
            assert told["cubic"] == pytest.approx(mean_power(t, value, 3))
    bare = MACHINE.replace(legs=[leg.replace(limits=Limits()) for leg in MACHINE.legs])
    assert lines.timeline(bare, path(t))[1]["smallest_margin"] is None


@pytest.mark.parametrize("name", ["", "kane/printed", "exact/x", "newton euler"])
def test_formulations_go_by_their_names(name: str) -> None:
    with pytest.raises(gough.InputError, match="must be one of"):
        lines.solve(MACHINE, gough.Motion.at_rest(HOME), formulation=name)


@pytest.mark.parametrize(
    ("gravity", "plane"), [((0, 0, -9.81), "xy"), ((0, 9.81, 1), "xz"), ((-9.81, 0, 3), "yz")]
)
def test_the_level_plane_lies_across_gravity(gravity: tuple[float, ...], plane: str) -> None:
    assert level_plane(MACHINE.replace(gravity=gravity)) == plane


def test_sliders_of_a_page_go_about_as_far_as_the_legs() -> None:
    """0.8 of the longest stroke to one digit; without strokes 0.3 of the longest strut."""
    length = gough.inverse_kinematics(MACHINE, HOME).length
    strokes = [0.3, 0.31, 0.5, 0.3, 0.2, 0.3]
    legs = [
        leg.replace(limits=Limits(stroke=(1.0, 1.0 + s)))
        for leg, s in zip(MACHINE.legs, strokes, strict=True)
    ]
    found = pose_range(MACHINE.replace(legs=legs), HOME, length)
    assert found["travel"] == 0.4
    assert found["turn"] == pytest.approx(np.radians(40.0))
    assert found["middle"] == HOME.position.tolist()
    free = MACHINE.replace(legs=[leg.replace(limits=Limits()) for leg in MACHINE.legs])
    uneven = length * np.array([1.0, 1.0, 1.9, 1.0, 1.0, 1.0])
    due = float(f"{0.3 * uneven.max():.1g}")
    assert pose_range(free, HOME, uneven)["travel"] == due
    cranks = gough.load("servo-hexapod")
    shown = pose_range(cranks, cranks.require_home(), np.zeros(6))["travel"]
    longest = max(leg.length for leg in cranks.legs)  # type: ignore[attr-defined]
    assert shown == float(f"{0.3 * longest:.1g}")
