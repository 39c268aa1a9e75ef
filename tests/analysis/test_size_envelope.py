"""The envelope of several cases, field by field: the largest demand, the smallest of three, two from their own case."""

from __future__ import annotations

from dataclasses import asdict, fields

import numpy as np
import pytest

import gough
from gough.analysis import sizing
from gough.analysis.sizing import DriveSize, LegSize

SMALLEST = ("min_length", "pull", "peak_braking")
OF_THE_PEAK = ("name", "type", "peak_force", "duty", "worst_case")
AT_THE_PEAK = {"torque_at_peak_speed": "peak_speed", "speed_at_peak_torque": "peak_torque"}


def drive(rng: np.random.Generator, unknown: tuple[str, ...] = ()) -> DriveSize:
    given = {f.name: None if f.name in unknown else rng.uniform(1, 9) for f in fields(DriveSize)}
    return DriveSize(**given)


def leg(rng: np.random.Generator, case: str, peak: float, motor: DriveSize | None) -> LegSize:
    words = {"name": "L1", "type": "UPS", "worst_case": case, "drive": motor, "peak_force": peak}
    given = {f.name: rng.uniform(1, 9) for f in fields(LegSize) if f.name not in words}
    return LegSize(**given, **words)


@pytest.mark.parametrize("seed", range(4))
def test_the_envelope_of_legs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [leg(rng, f"case {k}", p, None) for k, p in enumerate((300.0, -900.0, 500.0))]
    found = asdict(sizing._envelope(rows))
    for f in fields(LegSize):
        each = [getattr(row, f.name) for row in rows]
        if f.name in OF_THE_PEAK:  # a pull of 900 N is the hardest case
            assert found[f.name] == each[1]
        elif f.name == "stroke":
            low, high = min(r.min_length for r in rows), max(r.max_length for r in rows)
            assert found["stroke"] == pytest.approx(high - low)
        elif f.name != "drive":
            assert found[f.name] == (min if f.name in SMALLEST else max)(each)
    assert found["drive"] is None


@pytest.mark.parametrize("seed", range(4))
def test_the_envelope_of_motors(seed: int) -> None:
    """What some cases do not tell is that of the others; what none tells stays unknown."""
    rng = np.random.default_rng(10 + seed)
    unknown = ("peak_voltage", "copper_loss")
    motors = [drive(rng, unknown), drive(rng, ("peak_voltage",)), drive(rng, unknown)]
    rows = [leg(rng, f"case {k}", 100.0 + k, motor) for k, motor in enumerate(motors)]
    found = sizing._envelope([*rows, leg(rng, "no motor", 1.0, None)]).drive
    assert found is not None
    for f in fields(DriveSize):
        each = [getattr(m, f.name) for m in motors if getattr(m, f.name) is not None]
        if f.name in AT_THE_PEAK:
            hardest = max(motors, key=lambda m: getattr(m, AT_THE_PEAK[f.name]))
            assert getattr(found, f.name) == getattr(hardest, f.name)
        else:
            assert getattr(found, f.name) == max(each, default=None)
    assert found.peak_voltage is None
    assert found.copper_loss == motors[1].copper_loss


@pytest.mark.parametrize(
    ("current", "voltage"), [(5.0, 50.0), (None, 50.0), (5.0, None), (9.0, 90.0)]
)
def test_overload_of_a_motor_by_current_and_voltage(
    current: float | None, voltage: float | None
) -> None:
    machine = gough.load("motion-base-1500")
    one = machine.legs[0]
    assert one.drive is not None
    limited = one.replace(drive=one.drive.replace(max_current=current, max_voltage=voltage))
    rng = np.random.default_rng(3)
    need = DriveSize(**{**asdict(drive(rng)), "peak_current": 7.0, "peak_voltage": 70.0})
    said = sizing._drive_overload(limited, leg(rng, "a", 1.0, need))
    words = ["current"] * (current == 5.0) + ["voltage"] * (voltage == 50.0)
    assert len(said) == len(words)
    for sentence, word in zip(said, words, strict=True):
        assert sentence.startswith(f"L1: motor {word} 7")
    assert sizing._drive_overload(limited, leg(rng, "a", 1.0, None)) == []
    assert sizing._drive_overload(one.replace(drive=None), leg(rng, "a", 1.0, need)) == []
    silent = DriveSize(**{**asdict(need), "peak_current": None, "peak_voltage": None})
    assert sizing._drive_overload(limited, leg(rng, "a", 1.0, silent)) == []


def test_every_number_of_a_leg_is_that_of_its_motion() -> None:
    """One case, field by field from the legs' motion, efforts and reactions; means over time by trapezoids."""
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    path = gough.trajectory.harmonic(
        home, [0.02, 0.01, 0.05, 0.03, 0.02, 0.05], [1.5], duration=2.0
    )
    motion = path.sample(161)
    t, legs = motion.time, gough.inverse_kinematics(machine, motion)
    found = gough.inverse_dynamics(machine, motion)
    r, F, v = found.reactions, found.force, legs.rate

    def mean(x: np.ndarray) -> float:
        return float(np.sum(0.5 * (x[1:] + x[:-1]) * np.diff(t)) / (t[-1] - t[0]))

    for i, one in enumerate(gough.analysis.size(machine, [motion]).legs):
        joint = np.linalg.norm(r.spherical_force[:, i], axis=-1)
        peak = F[np.abs(F[:, i]).argmax(), i]
        wanted = {
            "min_length": legs.length[:, i].min(),
            "max_length": legs.length[:, i].max(),
            "stroke": np.ptp(legs.length[:, i]),
            "peak_force": peak,
            "rms_force": np.sqrt(mean(F[:, i] ** 2)),
            "push": max(F[:, i].max(), 0.0),
            "pull": min(F[:, i].min(), 0.0),
            "peak_speed": np.abs(v[:, i]).max(),
            "peak_acceleration": np.abs(legs.acceleration[:, i]).max(),
            "peak_power": (F * v)[:, i].max(),
            "peak_braking": (F * v)[:, i].min(),
            "mean_power": mean((F * v)[:, i]),
            "duty": mean((np.abs(F[:, i]) > abs(peak) / 2) * 1.0),
            "joint_force": joint.max(),
            "joint_equivalent": mean(joint**3) ** (1 / 3),
            "base_joint_force": np.linalg.norm(r.universal_force[:, i], axis=-1).max(),
            "base_joint_moment": np.linalg.norm(r.universal_moment[:, i], axis=-1).max(),
        }
        for name, value in wanted.items():
            assert getattr(one, name) == pytest.approx(value, rel=1e-9, abs=1e-9), name
