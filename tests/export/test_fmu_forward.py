"""Forward kinematics as an FMU, run by an independent reader along a path; parameters tuned while it runs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.export.fmu import write_fmu
from gough.spatial import quaternion_from_rotation, rotation_exp
from gough.struts import struts

fmpy = pytest.importorskip("fmpy", reason="NO FMPY: the FMUs were not run")
from fmpy.fmi2 import FMU2Slave  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

pytestmark = [
    pytest.mark.skipif(
        shutil.which("gcc") is None, reason="NO C COMPILER: the FMUs hold no library to run"
    ),
    pytest.mark.filterwarnings("ignore"),
]
PRESETS = {"UPS": "motion-base-1500", "PUS": "hexaglide", "RUS": "servo-hexapod"}
QUICK = {("UPS", "2.0"), ("RUS", "3.0")}
STEP, COUNT = 0.01, 21


def names(name: str, count: int) -> list[str]:
    return [f"{name}[{i + 1}]" for i in range(count)]


def path_of(platform: gough.Platform) -> gough.Motion:
    """A loop of a twentieth of the machine's size and 5 degrees about home."""
    home, size = platform.require_home(), 0.05 * platform.characteristic_length
    angle = np.linspace(0.0, 2 * np.pi, COUNT)
    around = np.stack([np.sin(angle), 1 - np.cos(angle), 0.5 * np.sin(2 * angle)], axis=-1)
    return gough.Motion(
        home.position + size * around, rotation_exp(0.09 * around[:, ::-1]) @ home.rotation
    )


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        pytest.param(k, v, marks=() if (k, v) in QUICK else pytest.mark.slow)
        for k in PRESETS
        for v in ("2.0", "3.0")
    ],
)
def test_poses_along_a_path_are_those_of_the_verb(tmp_path: Path, kind: str, version: str) -> None:
    platform = gough.load(PRESETS[kind])
    block = "forward-kinematics"
    path = write_fmu(platform, tmp_path / "fk.fmu", block=block, version=version)
    assert validate_fmu(str(path)) == []
    motion = path_of(platform)
    given = struts(platform, motion).coordinate
    time = STEP * np.arange(COUNT)
    columns = [("time", float), *((name, float) for name in names("coordinate", 6))]
    table = np.array([(t, *row) for t, row in zip(time, given, strict=True)], dtype=columns)
    told = names("position", 3) + names("quaternion", 4) + names("coordinate", 6)
    turns = quaternion_from_rotation(motion.rotation)
    for fmi_type in ("CoSimulation", "ModelExchange"):
        run: Any = fmpy.simulate_fmu(
            str(path),
            fmi_type=fmi_type,
            stop_time=time[-1],
            step_size=STEP,
            output_interval=STEP,
            input=table,
            output=told,
        )
        found = np.array([run[name] for name in told]).T
        off = np.abs(found[:, None, 7:] - given).max(axis=-1)
        which, met = off.argmin(axis=1), off.min(axis=1) < 1e-15  # samples, not between them
        assert len(set(which[met])) >= COUNT - 1
        sign = np.sign((found[:, 3:7] * turns[which]).sum(axis=-1, keepdims=True))
        wanted = np.hstack([motion.position[which], sign * turns[which]])
        assert np.abs(found[:, :7] - wanted)[met].max() < 1e-9
        row = found[met][-4]
        verb = gough.forward_kinematics(platform, row[7:], guess=platform.require_home()).pose
        assert np.abs(row[:3] - verb.position).max() < 1e-9
        steady = (found[1:, 3:7] * found[:-1, 3:7]).sum(axis=-1)
        assert steady.min() > 0.9  # the quaternion does not change sides


def test_coordinates_out_of_reach_are_an_error_and_no_number(tmp_path: Path) -> None:
    platform = gough.load(PRESETS["UPS"])
    path = write_fmu(platform, tmp_path / "fk.fmu", block="forward-kinematics")
    with pytest.raises(Exception, match="fmi"):
        fmpy.simulate_fmu(str(path), stop_time=0.01, start_values={"coordinate[1]": 50.0})


def test_parameters_are_tuned_between_two_steps(tmp_path: Path) -> None:
    """Gravity and mass changed while it runs are the machine with these; a fixed one is told as fixed."""
    platform = gough.load(PRESETS["UPS"])
    path = write_fmu(platform, tmp_path / "id.fmu", block="inverse-dynamics")
    about = fmpy.read_model_description(str(path))
    by_name = {v.name: v for v in about.modelVariables}
    assert by_name["L1.base.x"].variability == "fixed"
    tuned = {"gravity.z": -3.7, "body.mass": platform.body.mass + 300.0}
    assert {by_name[name].variability for name in tuned} == {"tunable"}
    folder = fmpy.extract(str(path))
    try:
        identifier = about.coSimulation.modelIdentifier
        one = FMU2Slave(guid=about.guid, unzipDirectory=folder, modelIdentifier=identifier)
        one.instantiate()
        one.setupExperiment(startTime=0.0)
        one.enterInitializationMode()
        one.exitInitializationMode()
        references = [by_name[name].valueReference for name in names("force", 6)]
        home = platform.require_home()
        one.doStep(0.0, 0.01)
        before = np.array(one.getReal(references))
        one.setReal([by_name[name].valueReference for name in tuned], list(tuned.values()))
        one.doStep(0.01, 0.01)
        after = np.array(one.getReal(references))
        one.terminate()
        one.freeInstance()
    finally:
        shutil.rmtree(folder)
    np.testing.assert_allclose(before, gough.inverse_dynamics(platform, home).force, rtol=1e-12)
    # mass and first moment are parameters of their own: more mass at the reference point
    body = platform.body
    heavier = body.mass + 300.0
    center = body.center * (body.mass / heavier)
    at_point = body.second_moment() + body.mass * np.outer(body.center, body.center)
    second = at_point - heavier * np.outer(center, center)
    inertia = np.trace(second) * np.eye(3) - second
    other = platform.replace(gravity=[0.0, 0.0, -3.7], body=gough.Body(heavier, center, inertia))
    np.testing.assert_allclose(after, gough.inverse_dynamics(other, home).force, rtol=1e-9)
