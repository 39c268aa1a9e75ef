"""Calibration: machines with errors, measured by Pinocchio's kinematics, are found again; what nothing depends on is
said; wrong words are not used."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import GoughError, InputError
from gough.kinematics.inverse import inverse_kinematics
from gough.metrology import (
    DistanceSensor,
    PointSensor,
    PoseSensor,
    SwingSensor,
    TiltSensor,
    calibrate,
    reachable_poses,
)
from gough.metrology.calibration import Readings
from gough.metrology.legs_seen import legs_seen
from gough.metrology.sensors import MeasuringSensor
from gough.metrology.unknowns import unknowns
from gough.model.numbers import places, with_numbers
from gough.spatial import Pose, rotation_exp
from support.calibrating import disturbed

RANKS = {  # unknowns, and how many combinations of them a tracker can see: 7, 9 and 11 a leg
    "motion-base-1500": (42, 42),
    "hexaglide": (66, 54),
    "servo-hexapod": (84, 66),
}


@pytest.mark.parametrize("name", RANKS)
def test_a_machine_is_found_again_from_exact_readings(name: str) -> None:
    nominal = gough.load(name)
    true, zero, poses = disturbed(nominal, 1, count=30, size=1e-4)
    read = inverse_kinematics(true, poses).length - zero
    found = calibrate(nominal, read, {"tracker": (PoseSensor(1e-6, 1e-6), poses)}, sigma=1e-6)
    assert found.settled
    assert (len(found.names), found.spectrum.rank) == RANKS[name]
    assert found.chi_square < 1e-6
    elsewhere = reachable_poses(nominal, 20, 77)
    told = gough.readings(found.platform, inverse_kinematics(found.platform, elsewhere).length)
    assert np.abs(told - (inverse_kinematics(true, elsewhere).length - zero)).max() < 1e-9
    seen = found.spectrum.seen
    now = places(true)
    values = np.array([now[n].value for n in unknowns(nominal).machine] + list(zero))
    assert np.abs(found.value - values)[seen].max() < 1e-8
    assert np.isfinite(found.sigma[seen]).all()
    assert np.isinf(found.sigma[~seen]).all()


def test_errors_of_a_millimeter_measured_by_an_outside_engine_lie_in_their_intervals() -> None:
    pytest.importorskip("pinocchio")
    from campaigns.calibration_campaign import trial

    normal, square, rank, _ = trial("motion-base-1500", 5)
    assert (np.abs(normal) < 1.96).mean() >= 0.88
    assert square < 76.1  # 99.9 % of 42 degrees of freedom
    assert rank == 42


@pytest.mark.slow
@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "positioner-300"])
def test_intervals_hold_as_often_as_they_say(name: str) -> None:
    """Twelve trials each; campaigns.calibration_campaign runs hundreds."""
    pytest.importorskip("pinocchio")
    from campaigns.calibration_campaign import trial

    drawn = [trial(name, 100 + k) for k in range(12)]
    inside = np.concatenate([np.abs(normal) < 1.96 for normal, *_ in drawn])
    squares = sum(square for _, square, _, _ in drawn) / sum(rank for _, _, rank, _ in drawn)
    assert 0.90 <= inside.mean() <= 0.99
    assert 0.8 < squares < 1.2


def test_wrong_deviations_are_noticed() -> None:
    """Planted: readings three times as noisy as they are said to be."""
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 3, count=20, size=1e-3)
    rng = np.random.default_rng(0)
    exact = inverse_kinematics(true, poses).length - zero
    read = exact + 3e-5 * rng.normal(size=exact.shape)
    sensors = {"tracker": (PoseSensor(1e-7, 1e-7), poses)}
    assert calibrate(nominal, read, sensors, sigma=1e-5).likelihood < 1e-6
    assert calibrate(nominal, read, sensors, sigma=3e-5).likelihood > 1e-3
    free = calibrate(nominal, read, sensors, sigma=1e-5, noise="estimated")
    assert 2.4 < free.noise < 3.6
    assert free.likelihood is None


def test_a_robust_estimator_sets_outliers_aside() -> None:
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 4, count=30, size=1e-3)
    rng = np.random.default_rng(1)
    read = inverse_kinematics(true, poses).length - zero + 1e-6 * rng.normal(size=(30, 6))
    read[7, 2] += 2e-3  # a misread encoder
    sensors = {"tracker": (PoseSensor(1e-6, 1e-6), poses)}
    now = places(true)
    values = np.array([now[n].value for n in unknowns(nominal).machine] + list(zero))
    plain = calibrate(nominal, read, sensors, sigma=1e-6)
    robust = calibrate(nominal, read, sensors, sigma=1e-6, robust="cauchy")
    assert plain.likelihood < 1e-9
    assert robust.likelihood is None  # its weights make residuals small: no such word
    errors = [np.abs(c.value - values).max() for c in (plain, robust)]
    assert errors[1] < 0.05 * errors[0]
    assert robust.weight["actuator"][7, 2] == robust.weight["actuator"].min() < 1e-3
    huber = calibrate(nominal, read, sensors, sigma=1e-6, robust="huber")
    assert np.abs(huber.value - values).max() < 0.2 * errors[0]


def test_combinations_that_nothing_depends_on_are_named() -> None:
    """A slider's zero and its base along the rail are one and the same."""
    nominal = gough.load("hexaglide")
    true, zero, poses = disturbed(nominal, 2, count=20, size=1e-4)
    read = inverse_kinematics(true, poses).length - zero
    sensors = {"tracker": (PoseSensor(1e-6, 1e-6), poses)}
    found = calibrate(nominal, read, sensors, sigma=1e-6, find=["base", "joint", "length", "zero"])
    assert len(found.unseen) == 6
    assert all(f"L{k}.encoder.zero" in " ".join(found.unseen) for k in range(1, 7))
    assert np.isinf(
        found.sigma[[found.names.index(f"L{k}.encoder.zero") for k in range(1, 7)]]
    ).all()
    without = calibrate(nominal, read, sensors, sigma=1e-6, find=["base", "joint", "length"])
    assert without.unseen == ()
    assert np.isfinite(without.sigma).all()


def test_too_few_poses_leave_unknowns_unseen() -> None:
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 6, count=6, size=1e-4)
    read = inverse_kinematics(true, poses).length - zero
    found = calibrate(nominal, read, {"t": (PoseSensor(1e-6, 1e-6), poses)}, sigma=1e-6)
    assert found.spectrum.rank == 36  # six poses tell six numbers of each leg
    assert not found.spectrum.seen.any()
    assert np.isinf(found.sigma).all()
    known = calibrate(
        nominal, read, {"t": (PoseSensor(1e-6, 1e-6), poses)}, sigma=1e-6, tolerance=1e-4
    )
    assert known.unseen == ()
    assert (known.sigma <= 1.0001e-4).all()


def _sensors(nominal: gough.Platform) -> dict[str, MeasuringSensor]:
    b = nominal.base_joints
    anchors = [b[0] + [0.3, 0.0, 0.1], b[2] + [0.0, 0.4, 0.0], b[4] - [0.2, 0.2, 0.0]]
    wires: dict[str, MeasuringSensor] = {
        f"wire{k}": DistanceSensor(a, [0.1 * k, 0.2, 0.05], 1e-6, offset=0.02)
        for k, a in enumerate(anchors)
    }
    return wires | {
        "target": PointSensor([0.1, -0.2, 0.3], 1e-6),
        "pitch": TiltSensor([1.0, 0.1, 0.0], 1e-6, zero=0.01),
        "roll": TiltSensor([0.0, 1.0, 0.2], 1e-6),
        "swing": SwingSensor(3, [1.0, 0.2, 0.0], [0.0, 0.0, 1.0], 1e-6, zero=0.1),
    }


def test_slopes_of_every_sensor_are_those_of_its_readings() -> None:
    nominal = gough.load("motion-base-1500")
    poses = reachable_poses(nominal, 3, 0)
    names = unknowns(nominal, ["base", "joint"]).machine
    rng = np.random.default_rng(2)
    h = 1e-6
    for name, sensor in _sensors(nominal).items():
        free = sensor.replace(free=tuple(sensor.CONSTANTS))
        legs = legs_seen(nominal, poses, names)
        step = rng.normal(size=(3, 6))

        def read(
            sign: float, step: np.ndarray = step, sensor: MeasuringSensor = sensor
        ) -> np.ndarray:
            turned = rotation_exp(sign * h * step[:, 3:]) @ poses.rotation
            moved = Pose(poses.position + sign * h * step[:, :3], turned)
            return sensor.expected(legs_seen(nominal, moved, names), moved)

        found = (sensor.by_pose(legs, poses) @ step[..., None])[..., 0]
        assert np.allclose(found, (read(1.0) - read(-1.0)) / (2 * h), atol=2e-8), name
        for constant, slope in free.by_constants(legs, poses).items():
            value = np.asarray(getattr(sensor, constant))
            along = rng.normal(size=value.shape)
            two = [
                sensor.replace(**{constant: value + sign * h * along}).expected(legs, poses)
                for sign in (1.0, -1.0)
            ]
            turned = (slope @ np.atleast_1d(along)[:, None])[..., 0]
            assert np.allclose(turned, (two[0] - two[1]) / (2 * h), atol=2e-8), (name, constant)
        if (by_machine := sensor.by_machine(legs, poses)) is not None:
            k = names.index("L3.joint.y")
            machines = [
                with_numbers(nominal, {names[k]: places(nominal)[names[k]].value + sign * h})
                for sign in (1.0, -1.0)
            ]
            up, down = (sensor.expected(legs_seen(m, poses, names), poses) for m in machines)
            assert np.allclose(by_machine[..., k], (up - down) / (2 * h), atol=2e-8)


def test_partial_measurements_calibrate_too() -> None:
    """Points, wires, inclinations and a joint's angle, none of which is a pose; some constants of theirs unknown."""
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 8, count=40, size=5e-4)
    legs = legs_seen(true, poses, ())
    rng = np.random.default_rng(3)
    readings = {}
    for name, sensor in _sensors(nominal).items():
        exact = sensor.expected(legs, poses)
        free = ("offset",) if isinstance(sensor, DistanceSensor) else ()
        free = ("zero",) if isinstance(sensor, (TiltSensor, SwingSensor)) else free
        started = sensor.replace(**{free[0]: 0.0}, free=free) if free else sensor
        readings[name] = (started, exact + 1e-6 * rng.normal(size=exact.shape))
    read = legs.coordinate - zero + 1e-6 * rng.normal(size=(40, 6))
    found = calibrate(nominal, read, readings, sigma=1e-6)
    assert found.settled
    assert found.unseen == ()
    now = places(true)
    truth = [now[n].value for n in unknowns(nominal).machine] + list(zero)
    truth += [0.02] * 3 + [0.01, 0.0, 0.1]
    assert found.names[-6:] == (
        *("wire0.offset", "wire1.offset", "wire2.offset"),
        *("pitch.zero", "roll.zero", "swing.zero"),
    )
    normal = (found.value - np.array(truth)) / found.sigma
    assert np.abs(normal).max() < 4.5
    assert (np.abs(normal) < 1.96).mean() > 0.85
    assert found.likelihood > 1e-3


def test_self_calibration_by_wires_alone_leaves_the_frames_open() -> None:
    """Legs and wires inside the machine cannot say where the machine stands: six combinations of motions of the base
    and six of the platform's frame; with one anchor and the target known some are seen."""
    nominal = gough.load("motion-base-1500")
    poses = reachable_poses(nominal, 60, 5)
    wires = {
        k: s.replace(free=("anchor", "point")) for k, s in _sensors(nominal).items() if "wire" in k
    }
    legs = legs_seen(nominal, poses, ())
    readings = {k: (s, s.expected(legs, poses)) for k, s in wires.items()}
    found = calibrate(nominal, legs.coordinate, readings, sigma=1e-6)
    assert len(found.unseen) == 12
    assert found.settled
    assert found.chi_square < 1e-9


def test_what_is_asked_for_is_found_by_groups() -> None:
    nominal = gough.load("motion-base-1500")
    first = nominal.leg_names[0]
    assert len(unknowns(nominal, "base").names) == 18
    assert len(unknowns(nominal, f"{first}.joint").names) == 3
    assert unknowns(nominal, f"{first}.joint.z").names == (f"{first}.joint.z",)
    assert unknowns(nominal, ["scale"]).scales == tuple(range(6))
    screw = gough.load("screw-hexapod")
    assert not {"lead", "axis", "scale"} & {p for n in unknowns(screw).names for p in n.split(".")}
    assert len(unknowns(screw, ["lead"]).names) == 6


def test_scales_of_encoders_are_found() -> None:
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 9, count=30, size=1e-4)
    scale = 1.0 + 1e-3 * np.arange(6)
    read = scale * (inverse_kinematics(true, poses).length - zero)
    sensors = {"tracker": (PoseSensor(1e-6, 1e-6), poses)}
    every = ["base", "joint", "zero", "scale"]
    found = calibrate(nominal, read, sensors, sigma=1e-6, find=every)
    assert found.settled
    assert np.abs(np.array([leg.encoder.scale for leg in found.platform.legs]) - scale).max() < 1e-8


def test_encoders_that_count_their_own_way_are_calibrated() -> None:
    """Counts, one way or the other, from any place: the machine found is the same."""
    nominal = gough.load("motion-base-1500")
    true, zero, poses = disturbed(nominal, 11, count=12, size=1e-4)
    length = inverse_kinematics(true, poses).length - zero
    sensors = {"tracker": (PoseSensor(1e-6, 1e-6), poses)}
    plain = calibrate(nominal, length, sensors, sigma=1e-6)
    legs = [
        leg.replace(encoder=gough.Encoder(zero=0.5, scale=sign * 2e4, offset=7.0, unit="counts"))
        for leg, sign in zip(nominal.legs, (1, -1, 1, -1, 1, 1), strict=True)
    ]
    counting = nominal.replace(legs=tuple(legs))
    found = calibrate(counting, gough.readings(counting, length), sensors, sigma=1e-6)
    assert np.abs(found.value - plain.value)[:36].max() < 1e-8
    assert np.abs(found.value - plain.value - 0.5)[36:].max() < 1e-8
    assert np.allclose(found.sigma, plain.sigma, rtol=1e-4)
    seen = inverse_kinematics(found.platform, poses).length
    assert (
        np.abs(gough.readings(found.platform, seen) - gough.readings(counting, length)).max() < 1e-2
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sigma": 0.0}, "sigma"),
        ({"sigma": float("nan")}, "sigma"),
        ({"find": "bass"}, "did you mean"),
        ({"robust": "median"}, "robust"),
        ({"noise": "none"}, "noise"),
        ({"tolerance": {"rail": 1e-3}}, "tolerance"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"readings": {"t": 3}}, "readings"),
        (
            {"readings": {"w": (DistanceSensor([0, 0, 0], [0, 0, 1], 1e-6), np.zeros(7))}},
            r"readings.w",
        ),
        ({"length": np.full((5, 6), np.nan)}, "length"),
        ({"length": np.zeros((0, 6))}, "length"),
    ],
)
def test_bad_input_is_one_sentence(change: dict, says: str) -> None:
    nominal = gough.load("motion-base-1500")
    poses = reachable_poses(nominal, 5, 0)
    given = {
        "length": inverse_kinematics(nominal, poses).length,
        "readings": {"t": (PoseSensor(1e-6, 1e-6), poses)},
        "sigma": 1e-6,
    } | change
    with pytest.raises(InputError, match=says):
        calibrate(nominal, **given)


def test_sensors_refuse_what_they_cannot_be() -> None:
    for make in (
        lambda: PointSensor([0.0, 0.0], 1e-6),
        lambda: PointSensor([0.0, 0.0, 0.0], -1.0),
        lambda: TiltSensor([0.0, 0.0, 0.0], 1e-6),
        lambda: TiltSensor([1.0, 0.0, 0.0], 1e-6, free=("axis",)),
        lambda: SwingSensor(7, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], 1e-6),
        lambda: SwingSensor(1, [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 1e-6),
        lambda: PoseSensor(0.0, 1e-6),
    ):
        with pytest.raises(GoughError):
            make()


def test_an_upright_inclinometer_has_no_slope() -> None:
    nominal = gough.load("motion-base-1500")
    poses = Pose(np.tile(nominal.likely_home.position, (8, 1)), np.tile(np.eye(3), (8, 1, 1)))
    model = Readings(
        unknowns(nominal),
        np.zeros((8, 6)),
        np.full(6, 1e-6),
        {"t": (TiltSensor([0.0, 0.0, 1.0], 1e-6), np.zeros((8, 1)))},
    )
    with pytest.raises(InputError, match="upright"):
        model.rows(model.begin, poses)
