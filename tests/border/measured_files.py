"""Files of measurements, catalogues and families, whole, with what is done with them once they are read."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gough
from border.calls import finite
from gough.analysis import load_catalogue, select_drives
from gough.cueing import load_telemetry
from gough.importing import joint_motion
from gough.kinematics.inverse import inverse_kinematics
from gough.metrology import calibrate, plan_poses
from gough.metrology.document import load_efforts, load_readings, load_sensors
from support.calibrating import disturbed

Samples = dict[str, tuple[str, list[bytes], Callable[[Path], Any]]]
ROOT = Path(gough.__file__).parents[2]
TRACKED = """
readings = "readings.csv"
[encoders]
sigma = "1 um"
[sensors.tracker]
kind = "pose"
position_sigma = "2 um"
rotation_sigma = "2 urad"
[calibrate]
find = ["base", "joint", "zero"]
"""
READINGS = (
    TRACKED
    + """robust = "huber"
tolerance = { base = "1 mm", zero = "2 mm" }
"""
)
SENSORS = """
[encoders]
sigma = "1 um"
[sensors.ball]
kind = "point"
point = "10 20 30 mm"
sigma = "5 um"
free = ["point"]
[sensors.wire]
kind = "distance"
anchor = "1 0 0 m"
point = "0 0 0 m"
sigma = "5 um"
offset = "3 mm"
[sensors.level]
kind = "tilt"
axis = [1.0, 0.0, 0.0]
sigma = "1 arcsec"
[sensors.swing]
kind = "swing"
leg = 2
axis = [1.0, 0.0, 0.0]
level = [0.0, 0.0, 1.0]
sigma = "10 urad"
"""
FAMILIES = (
    """
family = "servo-hexapod"
name = "desk rig"
base_radius = "100 mm"
platform_radius = "70 mm"
base_pair_angle = "40 deg"
platform_pair_angle = "20 deg"
crank_length = "24 mm"
rod_length = "130 mm"
limits = { stroke = "±60 deg" }
""",
    """
family = "hexaglide"
base_radius = "400 mm"
platform_radius = "150 mm"
base_pair_angle = "30 deg"
platform_pair_angle = "40 deg"
link_length = "600 mm"
incline = "20 deg"
height = "450 mm"
platform_mass = 12.0
leg_mass = 2.0
leg = "PSU"
""",
    """
family = "cubic"
edge = "300 mm"
leg = "UCU"
gravity = [0, 0, -9.81]
friction = { prismatic = 20.0 }
drive = { transmission = "ball-screw", lead = "10 mm", rotor_inertia = 1e-4 }
""",
)
START = gough.Pose([0.0, 0.0, 1.15])
RESPONSES = b"""frequency,surge,sway,heave,roll [deg],pitch [deg],yaw [deg]
0.2,1,1,1,2,2,1
0.6,0.8,0.8,0.9,3,3,1
1.2,0.2,0.2,0.3,1,1,0.5
3,0,0,0,0,0,0"""
SAMPLES, SHAKE = np.linspace(0.0, 1.0, 24), np.array([1.0, 0.1, -0.3, 0.2])
AT2 = b"""PEER STRONG MOTION RECORD
somewhere
ACCELERATION TIME HISTORY IN UNITS OF G
NPTS=   10, DT=   .0100 SEC
 .10E-02 .20E-02 -.30E-02 .10E-02 .00E+00
 .10E-02 .20E-02 -.30E-02 .10E-02 .00E+00"""


@cache
def _machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@cache
def _candidates() -> gough.Pose:
    home = _machine().require_home()
    shifts = np.random.default_rng(1).uniform(-0.05, 0.05, (6, 3))
    return gough.Pose(home.position + shifts, home.rotation)


def _readings(path: Path) -> Any:
    """Calibrate by what was read: an answer in finite numbers, or a reason."""
    (path.parent / "readings.csv").exists() or (path.parent / "readings.csv").write_bytes(_table())
    return calibrate(_machine(), **load_readings(_machine(), path)).residual


def _readings_table(path: Path) -> Any:
    (path.parent / "around.toml").write_text(READINGS)
    return _readings(path.parent / "around.toml")


def _sensors(path: Path) -> Any:
    sensors, sigma, find = load_sensors(_machine(), path)
    plan_poses(_machine(), 3, sensors, sigma=sigma, find=find, candidates=_candidates())


def _efforts(path: Path) -> Any:
    return load_efforts(_machine(), path)


def _telemetry(path: Path) -> Any:
    """Load; what is loaded has even times and numbers at each."""
    found = load_telemetry(path)
    if not (found.step > 0.0 and finite((found.specific_force, found.angular_rate, found.time))):
        raise AssertionError("accepted, and not all of it are numbers at increasing times")


def _catalogue(path: Path) -> Any:
    """Load and choose from it: shares of limits that are numbers, or a reason."""
    lift = gough.trajectory.line(([0, 0, 1.15], [0, 0, 0]), ([0, 0, 1.2], [0, 0, 0]), 2.0)
    found = select_drives(_machine(), [lift.sample(5)], load_catalogue(path), life=1e4)
    return [1.0 / option.use for option in found.options]  # infinite: a torque that is not there


def _joints(path: Path) -> Any:
    _moves(joint_motion(_machine(), path))


def _moves(found: Any) -> None:
    t = np.linspace(0.0, found.duration, 4)
    if not finite([getattr(found(t), name) for name in ("position", "velocity", "acceleration")]):
        raise AssertionError("accepted, and moves where no numbers are")


def _responses(path: Path) -> Any:
    found = gough.trajectory.load_responses(path)
    _moves(gough.trajectory.sea_state(START, 2.0, 8.0, responses=found, components=20, seed=3))


def _shaking(path: Path) -> Any:
    _moves(gough.trajectory.load_shaking(START, path))


@cache
def _table() -> bytes:
    """What the encoders and a tracker read of a disturbed machine."""
    true, zero, poses = disturbed(_machine(), 21, count=9, size=5e-4)
    rng = np.random.default_rng(4)
    length = inverse_kinematics(true, poses).length - zero + 1e-6 * rng.normal(size=(9, 6))
    rows = np.concatenate([1e3 * length, poses.position, np.degrees(poses.rpy)], axis=1)
    heads = [f"{name} [mm]" for name in _machine().leg_names]
    heads += ["x [m]", "y [m]", "z [m]", "roll [deg]", "pitch [deg]", "yaw [deg]"]
    return _csv(heads, rows)


def _csv(heads: list[str], rows: np.ndarray) -> bytes:
    return "\n".join([",".join(heads), *(",".join(map(repr, r)) for r in rows.tolist())]).encode()


def samples(machine: Callable[[Path], Any]) -> Samples:
    """Kind -> the file's name, good contents, and the reader; `machine` reads families."""
    line = gough.trajectory.line(([0, 0, 1.15], [0, 0, 0]), ([0, 0.1, 1.2], [0, 0, 0.1]), 1.0)
    motion = line.sample(12)
    efforts = gough.inverse_dynamics(_machine(), motion).force
    heads = ["time [s]", *(f"{name} [N]" for name in _machine().leg_names)]
    timed = np.concatenate([np.linspace(0.0, 1.0, 12)[:, None], efforts], axis=1)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        gough.export.write_csv(gough.export.joint_table(_machine(), motion), "joints.csv")
        joints = Path("joints.csv").read_bytes()
    drive = (ROOT / "examples/cueing/drive.csv").read_bytes().split(b"\n")[:200]
    catalogue = (ROOT / "examples/drives/catalogue.toml").read_bytes()
    return {
        "family": ("a.toml", [text.encode() for text in FAMILIES], machine),
        "readings": ("a.toml", [READINGS.encode()], _readings),
        "readings table": ("readings.csv", [_table()], _readings_table),
        "sensors": ("a.toml", [SENSORS.encode()], _sensors),
        "efforts": ("a.csv", [_csv(heads, timed)], _efforts),
        "telemetry": ("a.csv", [b"\n".join(drive)], _telemetry),
        "catalogue": ("a.toml", [catalogue], _catalogue),
        "joints": ("a.csv", [joints], _joints),
        "responses": ("a.csv", [RESPONSES], _responses),
        "shaking": (
            "a.csv",
            [_csv(["time", "ax [g0]", "ay", "az"], np.outer(SAMPLES, SHAKE))],
            _shaking,
        ),
        "record": ("a.at2", [AT2], _shaking),
    }
