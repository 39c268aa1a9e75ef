"""What a calibration is given: a readings file of the work folder, or a synthetic trial of the machine on screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from gough.checks import InputError
from gough.documents.source import parse_toml
from gough.metrology.candidates import reachable_poses
from gough.metrology.document import load_readings, load_sensors
from gough.metrology.planning import plan_poses
from gough.metrology.sensors import MeasuringSensor, PointSensor, PoseSensor, TiltSensor
from gough.metrology.trials import synthetic_readings
from gough.metrology.unknowns import short_words
from gough.model import CRANKS, Platform
from gough.studio.calibration_messages import CalibrationInput, TrialInput
from gough.studio.workfolder import WorkFolder

SENSORS = ("pose", "point", "tilt")
DRAWN = ("random", "planned")
MOST_POSES = 2000  # of a readings file
MOST_DRAWN = 400  # of a trial
MOST_PLANNED = 100
MOST_SEED = 2**32 - 1
DEVIATIONS = (1e-12, 0.1)  # m, rad


@dataclass(frozen=True, eq=False)
class GivenReadings:
    """What `calibrate` takes, and where it comes from.

    arguments  of `gough.metrology.calibrate` beside the machine
    planted    true numbers of a synthetic trial by name; None: measured
    left_out   poses of a trial that the machine with its planted errors does not reach
    """

    arguments: dict[str, Any]
    source: str
    planted: Mapping[str, float] | None = None
    left_out: int = 0


def given_readings(
    platform: Platform, folder: WorkFolder, given: CalibrationInput
) -> GivenReadings:
    """The readings of the file, or of the trial."""
    if not given.file:
        return _tried(platform, given)
    arguments = _from_file(load_readings, platform, folder, given.file)
    count = len(arguments["length"])
    if count > MOST_POSES:
        allowed = f"must be at most {MOST_POSES} here; the command gough calibrate takes more"
        raise InputError("readings", f"{count} poses", allowed)
    find = chosen_words(platform, given)
    if find is not None:
        arguments["find"] = find
    return GivenReadings(arguments, given.file)


def given_sensors(
    platform: Platform, folder: WorkFolder, given: CalibrationInput
) -> tuple[dict[str, MeasuringSensor], Any, list[str] | None]:
    """Sensors, deviation of the encoders and what is looked for, as `plan_poses` takes them."""
    if not given.file:
        sensors, sigma = trial_sensors(platform, given.trial)
        return sensors, sigma, chosen_words(platform, given)
    sensors, sigma, find = _from_file(load_sensors, platform, folder, given.file)
    chosen = chosen_words(platform, given)
    return sensors, sigma, find if chosen is None else chosen


def chosen_words(platform: Platform, given: CalibrationInput) -> list[str] | None:
    """What is looked for in the fewest words, as the code shows them; None: nothing else than usual was chosen."""
    if given.find is None:
        return None
    if not given.find:
        raise InputError("find", "no unknown", "must be at least one: tick what is to be found")
    return short_words(platform, given.find)


def _from_file(load: Any, platform: Platform, folder: WorkFolder, name: str) -> Any:
    path = readings_path(folder, name)
    try:
        return load(platform, path)
    except OSError as error:
        raise InputError("file", name, f"cannot be read: {error.strerror}") from None


def readings_path(folder: WorkFolder, name: str) -> Path:
    """The path of a readings file; the table that it names must be a plain file of the work folder as well."""
    return _checked(folder, name)[0]


def file_fingerprint(folder: WorkFolder, name: str) -> str:
    """Of a readings file and its table as they are now; empty where there is no file."""
    if not name:
        return ""
    told = sha256()
    for kind, file in zip(("readings", "table"), _checked(folder, name)[1], strict=False):
        told.update(folder.read(file, kind=kind).encode())
        told.update(b"\0")
    return told.hexdigest()[:16]


def _checked(folder: WorkFolder, name: str) -> tuple[Path, list[str]]:
    """The path of a readings file, and the names of it and of its table."""
    path, names = folder.file(name, kind="readings"), [name]
    table = parse_toml(folder.read(name, kind="readings"), path.name).get("readings")
    if isinstance(table, str):
        near = path.parent / table
        if not near.is_relative_to(folder.root):
            raise InputError("readings", table, "must be a file of the work folder")
        names.append(near.relative_to(folder.root).as_posix())
        try:
            folder.file(names[-1], kind="table")
        except InputError as error:
            said = f"must be a file of the work folder: {error.allowed}"
            raise InputError("readings", table, said) from None
    return path, names


def trial_sensors(
    platform: Platform, trial: TrialInput
) -> tuple[dict[str, MeasuringSensor], list[float]]:
    """The sensors of a trial, and the deviation of each encoder."""
    for name in ("sigma", "turn_sigma", "position_sigma", "rotation_sigma"):
        low, high = DEVIATIONS
        if not low <= getattr(trial, name) <= high:
            raise InputError(name, getattr(trial, name), f"must be from {low} to {high} m or rad")
    if trial.sensor not in SENSORS:
        raise InputError("sensor", trial.sensor, "must be one of " + ", ".join(SENSORS))
    at, turn = trial.position_sigma, trial.rotation_sigma
    made: dict[str, dict[str, MeasuringSensor]] = {
        "pose": {"tracker": PoseSensor(at, turn)},
        "point": {"target": PointSensor((0.0, 0.0, 0.0), at)},  # type: ignore[arg-type]
        "tilt": {
            f"tilt {name}": TiltSensor(axis, turn)  # type: ignore[arg-type]
            for name, axis in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0)))
        },
    }
    sigma = [trial.turn_sigma if isinstance(leg, CRANKS) else trial.sigma for leg in platform.legs]
    return made[trial.sensor], sigma


def check_count(count: int, most: int, seed: int) -> None:
    """How many poses, and the seed that they are drawn with."""
    if not 1 <= count <= most:
        raise InputError("count", count, f"must be from 1 to {most}")
    if not 0 <= seed < MOST_SEED:
        raise InputError("seed", seed, f"must be from 0 to {MOST_SEED - 1}")


def _tried(platform: Platform, given: CalibrationInput) -> GivenReadings:
    trial = given.trial
    if trial.poses not in DRAWN:
        raise InputError("poses", trial.poses, "must be one of " + ", ".join(DRAWN))
    planned = trial.poses == "planned"
    check_count(trial.count, MOST_PLANNED if planned else MOST_DRAWN, trial.seed)
    sensors, sigma = trial_sensors(platform, trial)
    find = chosen_words(platform, given)
    if planned:
        poses = plan_poses(
            platform, trial.count, sensors, sigma=sigma, find=find, seed=trial.seed
        ).pose
    else:
        poses = reachable_poses(platform, trial.count, trial.seed)
    made = synthetic_readings(
        platform, poses, sensors, sigma=sigma, error=trial.error, find=find, seed=trial.seed
    )
    arguments = {"length": made.length, "readings": made.readings, "sigma": made.sigma}
    source = f"synthetic trial, {len(made.pose)} {trial.poses} poses, seed {trial.seed}"
    left_out = len(poses) - len(made.pose)
    return GivenReadings(arguments | {"find": find}, source, made.planted, left_out)
