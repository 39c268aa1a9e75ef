"""Show code: the Python and the command line that repeat a calibration, or a plan, of the page."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from gough.checks import InputError
from gough.studio import calibration_messages as c
from gough.studio.code import loading, machine_name
from gough.studio.messages import Code
from gough.studio.reading_files import chosen_words, file_fingerprint, trial_sensors

if TYPE_CHECKING:
    from gough.model import Platform
    from gough.studio.session import Session

NO_COMMAND = "# synthetic readings: from Python only\n"
NO_CHOICE = "# other unknowns than the file names: from Python only\n"


def show_calibration(session: Session, message: c.ShowCalibration) -> Code:
    """Python text and shell commands of what the message asks for."""
    now = file_fingerprint(session.folder, message.given.file)
    if message.fingerprint not in ("", now):
        raise InputError("file", message.given.file, "has changed since it was read; compute again")
    lines = _plan(session, message) if message.plan else _calibration(session, message)
    python = "\n".join(["import gough", *lines]) + "\n"
    return Code(message.id, session.count, python, _command(session, message))


def _calibration(session: Session, message: c.ShowCalibration) -> list[str]:
    given = message.given
    find = chosen_words(session.platform, given)
    load = loading(session.label, session.edited)
    if given.file:
        return [
            "from gough.metrology import calibrate",
            "from gough.metrology.document import load_readings",
            "",
            *load,
            f"given = load_readings(machine, {given.file!r})",
            *([f"given['find'] = {find!r}"] if find else []),
            "found = calibrate(machine, **given)",
            *_told(),
        ]
    trial = given.trial
    choice = f", find={find!r}" if find else ""
    planned = trial.poses == "planned"
    verbs = ["calibrate", "plan_poses" if planned else "reachable_poses"]
    if planned:
        drawn = f"plan_poses(machine, {trial.count}, sensors, sigma=sigma{choice}, seed={trial.seed}).pose"
    else:
        drawn = f"reachable_poses(machine, {trial.count}, {trial.seed})"
    return [
        f"from gough.metrology import {', '.join(sorted([*verbs, _sensor(trial)]))}",
        "from gough.metrology.trials import synthetic_readings",
        "",
        *load,
        *_sensors(session.platform, trial),
        f"poses = {drawn}",
        "# synthetic: nothing is measured, errors and noise are drawn",
        f"trial = synthetic_readings(machine, poses, sensors, sigma=sigma, error={trial.error!r}{choice}, "
        f"seed={trial.seed})",
        f"found = calibrate(machine, trial.length, trial.readings, sigma=trial.sigma{choice})",
        *_told(),
    ]


def _told() -> list[str]:
    return [
        "print(found.settled, found.likelihood)",
        "print(*found.unseen, sep='\\n')   # combinations that no reading depends on",
        "for row in found.table():",
        "    print(row)",
    ]


def _sensor(trial: c.TrialInput) -> str:
    return {"pose": "PoseSensor", "point": "PointSensor", "tilt": "TiltSensor"}[trial.sensor]


def _sensors(platform: Platform, trial: c.TrialInput) -> list[str]:
    _, sigma = trial_sensors(platform, trial)
    at, turn = trial.position_sigma, trial.rotation_sigma
    made = {
        "pose": f"{{'tracker': PoseSensor({at!r}, {turn!r})}}",
        "point": f"{{'target': PointSensor([0.0, 0.0, 0.0], {at!r})}}",
        "tilt": f"{{'tilt x': TiltSensor([1.0, 0.0, 0.0], {turn!r}), "
        f"'tilt y': TiltSensor([0.0, 1.0, 0.0], {turn!r})}}",
    }
    return [f"sensors = {made[trial.sensor]}   # m, rad", f"sigma = {sigma!r}   # of the encoders"]


def _plan(session: Session, message: c.ShowCalibration) -> list[str]:
    given = message.given
    find = chosen_words(session.platform, given)
    load = loading(session.label, session.edited)
    call = f"plan = plan_poses(machine, {message.count}, sensors, sigma=sigma, find=find, seed={message.seed})"
    told = [call, "print(plan.by_chance / plan.spread)   # times as accurate as random poses"]
    if given.file:
        return [
            "from gough.metrology import plan_poses",
            "from gough.metrology.document import load_sensors",
            "",
            *load,
            f"sensors, sigma, find = load_sensors(machine, {given.file!r})",
            *([f"find = {find!r}"] if find else []),
            *told,
        ]
    return [
        f"from gough.metrology import {', '.join(sorted(['plan_poses', _sensor(given.trial)]))}",
        "",
        *load,
        *_sensors(session.platform, given.trial),
        f"find = {find!r}" if find else "find = None   # the usual ones",
        *told,
    ]


def _command(session: Session, message: c.ShowCalibration) -> str:
    """What the commands can say: readings files as they are."""
    given = message.given
    if not given.file:
        return NO_COMMAND
    if given.find is not None:
        return NO_CHOICE
    machine = shlex.quote(machine_name(session.label, session.edited))
    name = f"./{given.file}" if given.file.startswith("-") else given.file  # no option
    file = shlex.quote(name)
    if message.plan:
        return (
            f"gough plan {machine} {file} plan.csv --count {message.count} --seed {message.seed}\n"
        )
    return f"gough calibrate {machine} {file} --out calibrated\n"
