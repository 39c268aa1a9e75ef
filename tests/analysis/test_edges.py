"""Where the analyses begin and end: parts of a workspace, machines upside down, one-row motions, bad requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gough.analysis.aspects import aspects

import gough
from gough.analysis.drawing import modes_drawing
from gough.analysis.envelope import limit_report, singular_crossings
from gough.analysis.points import points_inside
from gough.analysis.sensitivity import monte_carlo
from gough.analysis.sizing import size
from gough.analysis.state_space import linearize
from gough.analysis.timeline import mean_power, timeline
from gough.analysis.volume import (
    certified_volume,
    exact_volume,
    grid_volume,
    orientation_volume,
    slice_profile,
)
from gough.spatial import rotation_exp
from oracles.machines import case


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def home(machine: gough.Platform) -> gough.Pose:
    assert machine.home is not None
    return machine.home


def test_parts_of_the_height_add_up_to_the_workspace(machine: gough.Platform) -> None:
    whole = exact_volume(machine)
    cut = float(home(machine).position[2])
    parts = [exact_volume(machine, z=z).value for z in ((0.0, cut), (cut, 9.0))]
    assert not whole.clipped
    assert not certified_volume(machine, depth=2).clipped
    assert min(parts) > 0.05 * whole.value
    assert sum(parts) == pytest.approx(whole.value, rel=1e-6)
    heights, areas = slice_profile(machine, z=(cut, 9.0), levels=5)
    assert heights[0] == pytest.approx(cut, abs=1e-9)
    _, one = slice_profile(machine, z=(cut, 9.0), levels=1)
    assert one.shape == (1,)
    assert one[0] == areas[0]


def upside_down(machine: gough.Platform) -> gough.Platform:
    """Base above, platform hanging below it: the same machine turned by pi about x."""
    turn = rotation_exp([np.pi, 0.0, 0.0])
    legs = [leg.replace(base=turn @ leg.base, axis=turn @ leg.axis) for leg in machine.legs]
    pose = home(machine)
    return machine.replace(
        legs=legs, home=gough.Pose(turn @ pose.position, turn @ pose.rotation), gravity=(0, 0, 9.81)
    )


def test_a_hanging_machine_has_the_same_workspace(machine: gough.Platform) -> None:
    hanging = upside_down(machine)
    assert home(hanging).position[2] < 0
    assert exact_volume(hanging).value == pytest.approx(exact_volume(machine).value, rel=1e-6)
    found, wanted = certified_volume(hanging, depth=4), certified_volume(machine, depth=4)
    assert found.low == pytest.approx(wanted.low, rel=1e-6)


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_legs_that_end_in_one_point_share_their_shell() -> None:
    """An octahedron: two legs end in each joint of the platform; the tighter stroke of the two counts."""
    free = gough.octahedral(base_radius=0.5, platform_radius=0.3, height=0.6)
    length = gough.inverse_kinematics(free, home(free)).length
    centers = free.base_joints - free.platform_joints @ home(free).rotation.T
    assert len(np.unique(centers.round(9), axis=0)) == 6

    def limited(low: float, high: float, base: np.ndarray) -> gough.Platform:
        legs = [
            leg.replace(base=b, limits=gough.Limits(stroke=(low * l, high * l)))
            for leg, l, b in zip(free.legs, length, base, strict=True)
        ]
        return free.replace(legs=legs)

    shared = free.base_joints.copy()
    shared[1] = shared[0] - free.platform_joints[0] + free.platform_joints[1]
    both = limited(0.8, 1.2, shared)
    legs = list(both.legs)
    legs[1] = legs[1].replace(limits=gough.Limits(stroke=(0.9 * length[0], 1.1 * length[0])))
    tight = both.replace(legs=legs)
    legs[0] = legs[0].replace(limits=legs[1].limits)
    twice = both.replace(legs=legs)
    assert exact_volume(tight, np.eye(3)).value == pytest.approx(
        exact_volume(twice, np.eye(3)).value, rel=1e-6
    )
    grid = grid_volume(tight, np.eye(3), box=[[-0.5, -0.5, 0], [0.5, 0.5, 1]], points=60).value
    assert grid > 1e-3
    assert exact_volume(tight, np.eye(3)).value == pytest.approx(grid, rel=0.05)


def test_both_routes_to_points_and_no_other(machine: gough.Platform) -> None:
    points = home(machine).position + np.array([[0, 0, 0], [0, 0, 5.0], [0.1, 0, 0]])
    for route in ("compiled", "vectorized"):
        np.testing.assert_array_equal(points_inside(machine, points, route=route), [1, 0, 1])
    assert points_inside(machine, np.zeros((0, 3)), route="vectorized").shape == (0,)
    with pytest.raises(gough.InputError, match="route"):
        points_inside(machine, points, route="other")


def test_the_mean_of_one_row_is_that_row() -> None:
    assert mean_power(np.array([0.0]), np.array([-3.0]), 2) == pytest.approx(3.0)
    assert mean_power(np.array([1.0, 1.0]), np.array([3.0, 3.0]), 3) == pytest.approx(3.0)
    t = np.linspace(0.0, 2.0, 401)
    assert mean_power(t, np.sin(np.pi * t), 2) == pytest.approx(np.sqrt(0.5), rel=1e-4)
    assert mean_power(t, t, 3) == pytest.approx((2.0**4 / 4 / 2) ** (1 / 3), rel=1e-4)


def one_row(machine: gough.Platform, time: float | None = 0.0) -> gough.Motion:
    pose = home(machine)
    times = None if time is None else np.array([time])
    return gough.Motion(pose.position[None], pose.rotation[None], time=times)


def test_a_motion_of_one_row_has_ranges_of_one_number(machine: gough.Platform) -> None:
    found = limit_report(machine, one_row(machine))
    assert found["ok"]
    assert all(row["min"] == row["max"] for row in found["rows"])
    assert singular_crossings(machine, one_row(machine)) == []
    data, facts, refused, _ = timeline(machine, one_row(machine))
    assert facts["duration"] == 0.0
    assert facts["samples"] == 1
    assert not refused
    static = gough.inverse_dynamics(machine, home(machine)).force
    np.testing.assert_allclose(np.ravel(data["force"]["exact"]), static)


def test_a_motion_lasts_from_its_first_row_to_its_last(machine: gough.Platform) -> None:
    position, rotation = still(machine)
    _, facts, *_ = timeline(machine, gough.Motion(position, rotation, time=[0.5, 0.9, 1.7]))
    assert facts["duration"] == pytest.approx(1.2)
    assert facts["samples"] == 3


def test_motors_with_and_without_electrical_data(machine: gough.Platform) -> None:
    """Current is torque over the torque constant; voltage and copper loss need the resistance too."""
    motion = gough.trajectory.harmonic(
        home(machine), [0, 0, 0.02, 0, 0, 0], 1.0, duration=1.0
    ).sample(21)

    def sized(**electric: float | None) -> Any:
        known = {"torque_constant": None, "resistance": None, **electric}
        legs = [leg.replace(drive=leg.drive.replace(**known)) for leg in machine.legs]
        return size(machine.replace(legs=legs), {"m": motion}).legs[0].drive

    plain, current, both = (
        sized(),
        sized(torque_constant=0.5),
        sized(torque_constant=0.5, resistance=2.0),
    )
    assert plain.peak_current is plain.peak_voltage is None
    assert current.peak_voltage is None
    assert current.peak_current == pytest.approx(current.peak_torque / 0.5)
    assert both.rms_current == pytest.approx(both.rms_torque / 0.5)
    assert both.copper_loss == pytest.approx(2.0 * both.rms_current**2)
    assert both.peak_voltage > 0.9 * 0.5 * both.speed_at_peak_torque


def test_modes_of_cranks_are_drawn_from_their_elbows() -> None:
    servo = gough.load("servo-hexapod")
    coordinate = gough.inverse_kinematics(servo, home(servo)).length
    modes = gough.assembly_modes(servo, coordinate)
    drawn = modes_drawing(servo, modes)
    assert modes.on_branch.any()
    struts = np.linalg.norm(drawn["feet"] - drawn["tops"], axis=-1)[modes.on_branch]
    wanted = np.broadcast_to([leg.length for leg in servo.legs], struts.shape)
    np.testing.assert_allclose(struts, wanted, rtol=1e-9)


SPINNING = case("SPS-general", seed=1, states=1).platform
REFUSALS: list[tuple[Callable[[gough.Platform], Any], str]] = [
    (lambda m: exact_volume(m, z=(1.0, 1.0)), "low < high"),
    (lambda m: certified_volume(m, depth=10), "depth"),
    (lambda m: certified_volume(m, depth=0), "depth"),
    (lambda m: orientation_volume(m, np.zeros((0, 3, 3))), "at least one rotation"),
    (lambda m: grid_volume(m, points=0), "points"),
    (lambda m: grid_volume(m, points=10_000), "points"),
    (lambda m: grid_volume(m, box=[[0, 0, 1], [1, 1, 1]]), "box"),
    (lambda m: aspects(m, home(m)), "must be a list of poses"),
    (lambda m: monte_carlo(m, home(m)[None]), "single pose"),
    (lambda m: monte_carlo(m, home(m), base=5.0, samples=3), "disturbed machine has no pose"),
    (lambda m: linearize(m, home(m)).discrete(0.1).discrete(0.1), "already sampled"),
    (lambda m: linearize(SPINNING, SPINNING.home), "spin"),
    (lambda m: timeline(m, one_row(m, None)), "time"),
    (lambda m: size(m, {"m": gough.Motion(*still(m), time=[0.0, 1.0, 1.0])}), "must increase"),
]


def still(machine: gough.Platform) -> tuple[np.ndarray, np.ndarray]:
    pose = home(machine)
    return np.tile(pose.position, (3, 1)), np.tile(pose.rotation, (3, 1, 1))


@pytest.mark.parametrize(("call", "words"), REFUSALS)
def test_bad_requests_say_what_is_wrong(
    machine: gough.Platform, call: Callable[[gough.Platform], Any], words: str
) -> None:
    with pytest.raises(gough.InputError, match=words):
        call(machine)


def test_a_cone_needs_an_axis_or_a_home(machine: gough.Platform) -> None:
    legs = [
        leg.replace(limits=leg.limits.replace(base_cone=0.3, base_axis=None))
        for leg in machine.legs
    ]
    with pytest.raises(gough.InputError, match="cone"):
        exact_volume(machine.replace(legs=legs, home=None), np.eye(3))


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("end", [0, 1])
def test_a_box_that_cuts_one_side_says_so(machine: gough.Platform, axis: int, end: int) -> None:
    whole = exact_volume(machine).box
    room = whole + 0.2 * np.array([[-1.0], [1.0]]) * (whole[1] - whole[0])
    assert not grid_volume(machine, box=room, points=12).clipped
    cut = room.copy()
    cut[end, axis] = whole.mean(axis=0)[axis]
    assert grid_volume(machine, box=cut, points=12).clipped


def test_waypoints_lie_around_the_modes_and_nothing_needs_none(machine: gough.Platform) -> None:
    """Spread over the box of the modes, a characteristic length around it, to all sides."""
    modes = gough.Pose(np.array([[0.0, 0, 1], [0.4, -0.2, 1.2]]), np.tile(np.eye(3), (2, 1, 1)))
    found = aspects(machine, modes, samples=40, seed=3)
    around = machine.characteristic_length
    low, high = modes.position.min(axis=0) - around, modes.position.max(axis=0) + around
    w = found.waypoints.position
    assert (low <= w).all()
    assert (w <= high).all()
    assert (w.min(axis=0) < low + 0.25 * (high - low)).all()
    assert (w.max(axis=0) > high - 0.25 * (high - low)).all()
    assert len(aspects(machine, modes[:0], samples=2).label) == 0


def test_legs_that_only_pull_are_not_pushed(machine: gough.Platform) -> None:
    """A platform that hangs at rest pulls all its legs: nothing buckles."""
    hanging = upside_down(machine).replace(gravity=(0.0, 0.0, -9.81))
    position, rotation = still(hanging)
    found = size(hanging, {"hang": gough.Motion(position, rotation, time=[0.0, 1.0, 2.0])})
    static = gough.inverse_dynamics(hanging, home(hanging)).force
    assert (static < 0).all()
    for leg, force in zip(found.legs, static, strict=True):
        assert leg.push == leg.strut_push == 0.0
        assert leg.bending_stiffness == 0.0
        assert leg.peak_force == pytest.approx(force)
        assert leg.rms_force == pytest.approx(-force)
