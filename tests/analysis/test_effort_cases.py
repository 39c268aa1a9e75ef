"""Worst cases in one pose by closed forms, whatever their sizes; masses where few legs are limited; words, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import effort_bounds, effort_boxes, payload_capacity, with_payload, worst_effort
from gough.analysis.box_search import BoxMaximum
from gough.analysis.effort_bounds import BoxOfPoses, CarriedMass
from gough.analysis.effort_models import ROOM, share_room, without_efforts
from gough.checks import Array
from gough.quadratic import Quadratic
from gough.spatial import Motion, Pose, rotation_from_rpy
from gough.taylor import constant

MACHINE = gough.load("motion-base-1500")
AT = Pose.from_rpy([0.05, -0.04, 1.2], [0.05, -0.06, 0.1])
NONE = (0.0, 0.0, 0.0)
POINT = np.array([0.1, -0.2, 0.3])


def columns(point: Array = POINT) -> dict[str, Array]:
    """(6, 3) efforts per unit acceleration, angular acceleration, force at a point and moment, by the dynamics."""
    still = np.zeros((3, 3))
    many = Pose(np.tile(AT.position, (3, 1)), np.tile(AT.rotation, (3, 1, 1)))
    rest = gough.inverse_dynamics(MACHINE, AT).force

    def effort(a: Array = still, al: Array = still, wrench: Any = None) -> Array:
        motion = Motion(many.position, many.rotation, still, still, a, al)
        return (gough.inverse_dynamics(MACHINE, motion, wrench).force - rest).T

    push = np.hstack([np.eye(3), np.cross(point, np.eye(3))])
    turn = np.hstack([still, np.eye(3)])
    return {
        "acceleration": effort(a=np.eye(3)),
        "angular_acceleration": effort(al=np.eye(3)),
        "force": effort(wrench=push),
        "moment": effort(wrench=turn),
    }


@pytest.mark.parametrize("size", [0.25, 40.0])
@pytest.mark.parametrize("name", ["acceleration", "angular_acceleration", "force", "moment"])
def test_one_ball_adds_its_own_length(name: str, size: float) -> None:
    """In a single pose: weight and ``size |column|``, both proved and found, for small and for large sizes."""
    found = worst_effort(MACHINE, NONE, at=AT, point=POINT, **{name: size})  # type: ignore[arg-type]
    rest = gough.inverse_dynamics(MACHINE, AT).force
    added = size * np.linalg.norm(columns()[name], axis=1)
    np.testing.assert_allclose(np.abs(found.found), np.abs(rest) + added, rtol=1e-7)
    np.testing.assert_allclose(found.bound, np.abs(rest) + added, rtol=1e-5)
    assert (np.sign(found.found) == np.sign(rest)).all()
    assert (found.bound >= np.abs(found.found)).all()
    sizes = {
        "acceleration": np.linalg.norm(found.motion.acceleration, axis=1),
        "angular_acceleration": np.linalg.norm(found.motion.angular_acceleration, axis=1),
        "force": np.linalg.norm(found.external[:, :3], axis=1),
    }
    arm = np.cross(POINT, found.external[:, :3])
    sizes["moment"] = np.linalg.norm(found.external[:, 3:] - arm, axis=1)
    for other, length in sizes.items():
        np.testing.assert_allclose(length, size if other == name else 0.0, rtol=1e-9, atol=1e-12)
    assert not np.any([found.motion.velocity, found.motion.angular_velocity])


def test_all_balls_add_up_and_springs_take_their_part() -> None:
    sizes = {"acceleration": 0.5, "angular_acceleration": 0.3, "force": 0.7, "moment": 0.9}
    k, l0 = 1e3 * np.arange(6.0), np.linspace(0.8, 1.6, 6)
    found = worst_effort(
        MACHINE,
        NONE,
        at=AT,
        point=POINT,
        stiffness=k,
        rest=l0,
        **sizes,  # type: ignore[arg-type]
    )
    own = gough.inverse_dynamics(MACHINE, AT).force
    own = own + k * (gough.inverse_kinematics(MACHINE, AT).length - l0)
    each = columns()
    added = sum(size * np.linalg.norm(each[name], axis=1) for name, size in sizes.items())
    np.testing.assert_allclose(np.abs(found.found), np.abs(own) + added, rtol=1e-7)
    np.testing.assert_allclose(found.bound, np.abs(own) + added, rtol=1e-5)
    assert (np.sign(found.found) == np.sign(own)).all()


def test_a_force_without_a_point_acts_at_the_reference_point() -> None:
    here, there = (
        worst_effort(MACHINE, NONE, at=AT, force=5.0, **more) for more in ({}, {"point": NONE})
    )
    np.testing.assert_allclose(here.found, there.found, rtol=1e-12)
    far = worst_effort(MACHINE, NONE, at=AT, force=5.0, point=POINT)
    assert np.abs(far.found - here.found).max() > 1e-3


def limited(most: dict[int, float]) -> gough.Platform:
    return MACHINE.replace(
        legs=[
            leg.replace(limits=gough.Limits(force=most.get(i)))
            for i, leg in enumerate(MACHINE.legs)
        ]
    )


@pytest.mark.parametrize("leg", [0, 4])
def test_one_limited_leg_decides_the_mass(leg: int) -> None:
    """``m = (e -+ own)/(+- w)`` of that leg alone, in one pose; the others bear anything."""
    own = gough.inverse_dynamics(MACHINE, AT).force
    center = (0.1, 0.05, 0.2)
    loaded = with_payload(MACHINE, gough.Body(1.0, center))
    w = gough.inverse_dynamics(loaded, AT).force - own
    most = 1.5 * abs(float(own[leg]))
    found = payload_capacity(limited({leg: most}), NONE, at=AT, center=center)
    due = max((most - own[leg]) / w[leg], (-most - own[leg]) / w[leg])
    assert found.high == pytest.approx(due, rel=1e-7)
    assert found.low == pytest.approx(due, rel=1e-5)
    assert found.low <= found.high
    assert found.leg == MACHINE.leg_names[leg]
    assert found.why == ""
    np.testing.assert_allclose(found.at.position, AT.position)
    assert f"{found.leg} bears no more than" in found.sentence()
    pulled = payload_capacity(
        limited({leg: most}), NONE, at=AT, center=center, force=3.0, moment=0.5
    )
    each = columns(np.zeros(3))
    less = 3.0 * np.linalg.norm(each["force"][leg]) + 0.5 * np.linalg.norm(each["moment"][leg])
    side = 1.0 if w[leg] > 0.0 else -1.0
    assert pulled.high == pytest.approx((most - less - side * own[leg]) / abs(w[leg]), rel=1e-7)


def test_a_box_that_is_looked_at_once_carries_nothing_for_sure_and_says_why() -> None:
    found = payload_capacity(MACHINE, (0.1, 0.1, 0.1), (0.3, 0.3, 0.8), boxes=2)
    assert found.low == 0.0
    assert found.high > 0.0
    assert "do not rule out a singular pose" in found.why
    assert found.boxes == 1
    assert found.sentence().startswith("nothing is proved; ")
    assert found.sentence().endswith(f"(no bound: {found.why})")
    fine = payload_capacity(MACHINE, NONE)
    assert fine.why == ""
    assert fine.sentence().startswith(f"{fine.low:.6g} kg are held everywhere, proved; ")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.5, 0.75, "0.5 kg are held everywhere, proved; L bears no more than 0.75 kg at "),
        (0.0, 0.75, "nothing is proved; L bears no more than 0.75 kg at "),
        (2.0, np.inf, "2 kg are held everywhere, proved; no pose with a limit was found"),
    ],
)
def test_words_of_a_mass(low: float, high: float, said: str) -> None:
    found = CarriedMass(low, high, "L", Pose([0.1, 0.0, -1e-12]), 3, "")
    assert found.sentence().startswith(said)
    told = found.as_dict()
    assert told["low_kg"] == low
    assert told["high_kg"] == (None if np.isinf(high) else high)
    if np.isfinite(high):
        assert found.sentence().endswith("at 0.1 0 0 m, rpy 0 0 0 deg")


def place(tilt: Any = NONE) -> BoxOfPoses:
    return BoxOfPoses.of(MACHINE, (0.1, 0.2, 0.3), tilt, AT)


def test_a_box_of_poses_is_about_its_middle() -> None:
    """Angles are turned in front of the middle's own orientation, world axes."""
    box = place((0.1, 0.2, np.pi))
    np.testing.assert_array_equal(box.half, [0.1, 0.2, 0.3, 0.1, 0.2, np.pi])
    np.testing.assert_array_equal(box.middle, [*AT.position, 0.0, 0.0, 0.0])
    x = box.middle + np.array([0.1, -0.1, 0.05, 0.02, -0.03, 0.04])
    found = box.pose(np.stack([x, box.middle]))
    np.testing.assert_allclose(found.position, [x[:3], AT.position])
    np.testing.assert_allclose(found.rotation[0], rotation_from_rpy(x[3:]) @ AT.rotation)
    np.testing.assert_allclose(found.rotation[1], AT.rotation)


@pytest.mark.parametrize("bad", [(-0.1, 0.2, 0.3), (0.1, 0.2, -0.3), (0.1, 0.2), [[0.1, 0.2, 0.3]]])
@pytest.mark.parametrize("field", ["box", "tilt"])
def test_boxes_have_three_sides_none_negative(field: str, bad: Any) -> None:
    given = {"box": (0.1, 0.1, 0.1), "tilt": NONE} | {field: bad}
    with pytest.raises(gough.InputError, match="three numbers, not negative") as error:
        BoxOfPoses.of(MACHINE, at=AT, **given)
    assert error.value.field == field


def test_more_than_half_a_turn_is_no_tilt() -> None:
    with pytest.raises(gough.InputError, match="at most half a turn"):
        place((0.0, 1.01 * np.pi, 0.0))


def test_what_is_said_of_a_bound_that_is_not_known() -> None:
    box, known = place(), np.ones(6)
    nothing = BoxMaximum(known, np.zeros((6, 6)), known, 17, None)
    assert box.why(known, nothing) == ""
    lost = known.copy()
    lost[3] = np.inf
    assert box.why(lost, nothing).startswith("17 boxes do not rule out")
    assert " about " not in box.why(lost, nothing)
    rest = nothing._replace(open=np.stack([box.middle + 0.1 * np.eye(6)[0], box.half]))
    assert box.why(lost, rest).endswith(" about 0.15 -0.04 1.2 m, rpy 2.86 -3.44 5.73 deg")


@pytest.mark.parametrize("leg", [0, 5])
def test_springs_are_never_negative_and_need_a_rest(leg: int) -> None:
    k = np.ones(6)
    k[leg] = -1e-3
    with pytest.raises(gough.InputError, match="must not be negative"):
        effort_bounds._springs(k, 1.0)
    with pytest.raises(gough.InputError, match="beside a stiffness"):
        effort_bounds._springs(np.maximum(k - 1.0, 0.0) + np.eye(6)[leg], None)
    none = effort_bounds._springs(None, None)
    assert not np.any(none)
    found = effort_bounds._springs(3.0, 0.5)
    np.testing.assert_array_equal(found, [np.full(6, 3.0), np.full(6, 0.5)])
    assert not effort_bounds._springs(0.0, None)[0].any()


def test_a_point_is_three_numbers() -> None:
    with pytest.raises(gough.InputError, match="one point, three numbers"):
        effort_bounds._vector("point", [[0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(effort_bounds._vector("point", None), np.zeros(3))


@pytest.mark.parametrize(
    "asked",
    [
        effort_boxes.Asked(),
        effort_boxes.Asked(True),
        effort_boxes.Asked(True, POINT),
        effort_boxes.Asked(False, POINT, POINT),
        effort_boxes.Asked(True, POINT, POINT),
    ],
)
def test_columns_that_are_asked_for_follow_one_another(asked: effort_boxes.Asked) -> None:
    widths = {
        "acceleration": 3 if asked.acceleration else 0,
        "angular_acceleration": 3 if asked.acceleration else 0,
        "force": 0 if asked.point is None else 3,
        "moment": 0 if asked.point is None else 3,
        "weight": 0 if asked.payload is None else 1,
    }
    begin, due = 0, {}
    for name, width in widths.items():
        if width:
            due[name] = slice(begin, begin + width)
        begin += width
    assert asked.blocks == due
    assert not effort_boxes.Asked().acceleration


def test_columns_of_a_box_without_width_are_those_of_the_dynamics() -> None:
    """Accelerations, forces at a point, moments and the weight of a kilogram; coordinates; but for rounding."""
    asked = effort_boxes.Asked(True, POINT, np.array([0.2, 0.1, 0.4]))
    middle = np.array([[*AT.position, 0.0, 0.0, 0.0]])
    found = effort_boxes.box_efforts(MACHINE, AT.rotation, middle, np.zeros((1, 6)), asked)
    rest = gough.inverse_dynamics(MACHINE, AT).force
    np.testing.assert_allclose(found.own.c[0, 0], rest, rtol=1e-9)
    np.testing.assert_allclose(
        found.coordinate.c[0, 0], gough.inverse_kinematics(MACHINE, AT).length, rtol=1e-12
    )
    due = columns()
    due["weight"] = (
        gough.inverse_dynamics(with_payload(MACHINE, gough.Body(1.0, asked.payload)), AT).force
        - rest
    )[:, None]
    for name, block in asked.blocks.items():
        size = np.abs(due[name]).max()
        np.testing.assert_allclose(
            found.columns.c[0, 0][:, block], due[name], rtol=1e-6, atol=1e-7 * size
        )
        assert found.columns.r[0][:, block].max() < 1e-6 * size


def test_matrix_products_of_models_are_exact_up_to_their_second_order() -> None:
    """At random points of the box: the product of the parts' values within the model's own remainder."""
    rng = np.random.default_rng(6)
    n, pairs = 3, 6

    def drawn(m: int) -> Quadratic:
        sizes = np.array([1.0, *[0.1] * n, *[0.01] * pairs])
        c = rng.normal(size=(1 + n + pairs, 1, 6, m)) * sizes[:, None, None, None]
        return Quadratic(c, np.full((1, 6, m), 1e-3))

    A, B = drawn(6), drawn(2)
    found = effort_boxes._product(A, B)
    _, i, j = effort_boxes.pairs(1 + n + pairs)
    for e in rng.uniform(-1.0, 1.0, (40, n)):
        terms = np.concatenate([[1.0], e, e[i] * e[j]])
        a, b, c = (np.tensordot(terms, m.c, axes=1) for m in (A, B, found))
        off_a, off_b = (rng.uniform(-1e-3, 1e-3, m.r.shape) for m in (A, B))
        true = (a + off_a) @ (b + off_b)
        assert (np.abs(true - c) <= found.r * (1.0 + 1e-12)).all()
    assert found.r.max() < 0.5
    small = effort_boxes._product(*(Quadratic(m.c, 0.0 * m.r) for m in (A, B)))
    size = 6 * (0.3 * 0.06 * 2 + 0.06**2) * 9.0
    assert small.r.max() < size


def test_a_limit_has_room_on_both_sides_and_leaves_the_rounding_of_parameters() -> None:
    used = constant(np.array([[3.0, -6.0]]))
    room = share_room(used, np.array([4.0, 6.0]))
    low = room.lower()
    np.testing.assert_allclose(low[0], [[0.25, 1.75], [2.0, 0.0]], atol=2 * ROOM)
    assert low[0, 1, 1] < 0.0  # met exactly: not proved to hold
    assert low[0, 1, 1] > -1.2e-9  # 1e-9 of a limit, as the module says
    assert (low[0] <= np.array([[0.25, 1.75], [2.0, 0.0]]) - 0.999e-9).all()


def test_why_efforts_are_not_bounded() -> None:
    assert without_efforts(MACHINE) == ""
    length = gough.inverse_kinematics(MACHINE, MACHINE.require_home()).length
    first, *rest = MACHINE.legs
    held = first.replace(
        fixed=float(length[0]), drive=None, limits=gough.Limits(), friction=gough.Friction()
    )
    assert "fixed links" in without_efforts(MACHINE.replace(legs=[held, *rest]))
