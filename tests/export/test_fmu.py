"""FMUs: valid by an independent reader, run by it as `gough.simulate` runs; what they do not carry is refused."""

from __future__ import annotations

import shutil
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.export.fmu import BLOCKS, VERSIONS, write_fmu
from gough.spatial import quaternion_from_rotation

fmpy = pytest.importorskip("fmpy", reason="NO FMPY: the FMUs were not run")
from fmpy.validation import validate_fmu  # noqa: E402

pytestmark = [
    pytest.mark.skipif(
        shutil.which("gcc") is None, reason="NO C COMPILER: the FMUs hold no library to run"
    ),
    pytest.mark.filterwarnings("ignore"),
]
STEP, END = 1e-3, 0.05
PRESETS = {"UPS": "motion-base-1500", "PUS": "hexaglide", "RUS": "servo-hexapod"}


@lru_cache
def machine(kind: str) -> gough.Platform:
    return gough.load(PRESETS[kind])


def pushed(platform: gough.Platform) -> Array:
    """More than what holds home, and not the same for all legs."""
    return gough.inverse_dynamics(platform, platform.require_home()).force * np.linspace(
        0.8, 1.4, 6
    )


def simulated(path: Path, kind: str, force: Array, output: list[str], **more: Any) -> Any:
    start = {f"force[{i + 1}]": float(f) for i, f in enumerate(force)}
    interval = {"output_interval": STEP, "stop_time": END, "relative_tolerance": 1e-11}
    if kind == "CoSimulation":
        interval |= {"step_size": STEP}
    names = {"fmi_type": kind, "start_values": start | more, "output": output}
    return fmpy.simulate_fmu(str(path), **interval, **names)


def names(name: str, count: int) -> list[str]:
    return [f"{name}[{i + 1}]" for i in range(count)]


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        ("UPS", "2.0"),
        ("RUS", "3.0"),
        pytest.param("UPS", "3.0", marks=pytest.mark.slow),
        pytest.param("PUS", "2.0", marks=pytest.mark.slow),
        pytest.param("PUS", "3.0", marks=pytest.mark.slow),
        pytest.param("RUS", "2.0", marks=pytest.mark.slow),
    ],
)
def test_plants_in_co_simulation_are_simulate(tmp_path: Path, kind: str, version: str) -> None:
    """Drives, friction, gears and all; the same scheme and step."""
    platform = machine(kind)
    path = write_fmu(platform, tmp_path / "plant.fmu", version=version)
    assert validate_fmu(str(path)) == []
    force = pushed(platform)
    told = (
        names("position", 3) + names("quaternion", 4) + names("coordinate", 6) + names("motor", 6)
    )
    found = simulated(path, "CoSimulation", force, told)
    run = gough.simulate(platform, platform.require_home(), duration=END, step=STEP, force=force)
    wanted = [run.position, run.quaternion, run.length, run.motor_force]
    last = np.concatenate([a.values[-1] for a in wanted])
    rows = np.array([found[name][-1] for name in told])
    rows[3:7] *= np.sign(rows[3:7] @ last[3:7])
    assert np.abs(rows - last).max() <= 1e-9 * max(1.0, np.abs(last).max())
    assert np.abs(run.length.values[-1] - run.length.values[0]).max() > 1e-6


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        ("UPS", "3.0"),
        pytest.param("PUS", "2.0", marks=pytest.mark.slow),
        pytest.param("RUS", "2.0", marks=pytest.mark.slow),
        pytest.param("RUS", "3.0", marks=pytest.mark.slow),
    ],
)
def test_plants_in_model_exchange_are_simulate(tmp_path: Path, kind: str, version: str) -> None:
    """Ideal drives: what a solver with tolerances of its own finds is what ours finds."""
    platform = machine(kind)
    path = write_fmu(platform, tmp_path / "plant.fmu", version=version, drives=False)
    assert validate_fmu(str(path)) == []
    force = pushed(platform)
    told = names("position", 3) + names("velocity", 3) + names("coordinate", 6)
    found = simulated(path, "ModelExchange", force, told)
    options = {"duration": END, "force": force, "drives": False}
    run = gough.simulate(platform, platform.require_home(), integrator="rk4", step=1e-4, **options)
    last = np.concatenate([a.values[-1] for a in (run.position, run.velocity, run.length)])
    rows = np.array([found[name][-1] for name in told])
    assert np.abs(rows - last).max() <= 1e-9 * max(1.0, np.abs(last).max())


@pytest.mark.slow
def test_friction_slips_in_model_exchange(tmp_path: Path) -> None:
    """Stuck, then pushed: dry friction holds and lets go as in `gough.simulate`, within what steps differ in."""
    platform = machine("UPS")
    path = write_fmu(platform, tmp_path / "plant.fmu")
    force = pushed(platform)
    found = simulated(path, "ModelExchange", force, names("coordinate", 6))
    run = gough.simulate(platform, platform.require_home(), duration=END, step=1e-4, force=force)
    moved = run.length.values[-1] - run.length.values[0]
    rows = np.array([found[name][-1] for name in names("coordinate", 6)]) - run.length.values[0]
    assert np.abs(rows - moved).max() < 1e-3 * np.abs(moved).max()


@pytest.mark.parametrize("version", VERSIONS)
def test_blocks_answer_what_the_verbs_answer(tmp_path: Path, version: str) -> None:
    platform = machine("UPS")
    home = platform.require_home()
    turn = quaternion_from_rotation(home.rotation)
    for block, told in (("inverse-dynamics", "force"), ("inverse-kinematics", "coordinate")):
        path = write_fmu(platform, tmp_path / f"{block}.fmu", block=block, version=version)
        assert validate_fmu(str(path)) == []
        start = {f"position[{i + 1}]": float(v) for i, v in enumerate(home.position + 0.02)}
        start |= {f"quaternion[{i + 1}]": float(v) for i, v in enumerate(3.0 * turn)}
        motion = gough.Motion(home.position + 0.02, home.rotation)
        wanted = gough.inverse_kinematics(platform, motion).length
        if told == "force":
            wanted = gough.inverse_dynamics(platform, motion).force
        for kind in ("CoSimulation", "ModelExchange"):
            found = fmpy.simulate_fmu(
                str(path), fmi_type=kind, stop_time=0.01, start_values=start, output=names(told, 6)
            )
            rows = np.array([found[name][-1] for name in names(told, 6)])
            assert np.abs(rows - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_linear_models_are_those_of_the_analysis(tmp_path: Path) -> None:
    from scipy.linalg import expm

    platform = machine("PUS")
    path = write_fmu(platform, tmp_path / "linear.fmu", block="linear", version="3.0", step=1e-4)
    assert validate_fmu(str(path)) == []
    force = 1e4 * np.array(
        [1.0, -2.0, 3.0, 0.5, 0.0, -1.0]
    )  # states of size one: solvers have absolute tolerances
    model = gough.analysis.linearize(platform, platform.require_home(), outputs=("length",))
    both = np.zeros((18, 18))
    both[:12, :12], both[:12, 12:] = model.A, model.B
    wanted = model.C @ (expm(both * END)[:12, 12:] @ force)
    for kind in ("CoSimulation", "ModelExchange"):
        found = simulated(path, kind, force, names("coordinate", 6))
        rows = np.array([found[name][-1] for name in names("coordinate", 6)])
        assert np.abs(rows - wanted).max() <= 1e-9 * np.abs(wanted).max()


def test_parameters_can_be_tuned(tmp_path: Path) -> None:
    """Another gravity given as a parameter is the machine with that gravity."""
    platform = machine("UPS")
    path = write_fmu(platform, tmp_path / "id.fmu", block="inverse-dynamics")
    kinds = {v.name: v for v in fmpy.read_model_description(str(path)).modelVariables}
    assert kinds["gravity.z"].variability == kinds["body.mass"].variability == "tunable"
    assert (kinds["gravity.z"].unit, kinds["body.mass"].unit) == ("m/s2", "kg")
    found = fmpy.simulate_fmu(
        str(path), stop_time=0.01, start_values={"gravity.z": -3.7}, output=names("force", 6)
    )
    moon = platform.replace(gravity=[0.0, 0.0, -3.7])
    wanted = gough.inverse_dynamics(moon, platform.require_home()).force
    rows = np.array([found[name][-1] for name in names("force", 6)])
    assert np.abs(rows - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_a_pose_out_of_reach_is_an_error_and_no_number(tmp_path: Path) -> None:
    platform = machine("PUS")
    path = write_fmu(platform, tmp_path / "ik.fmu", block="inverse-kinematics")
    with pytest.raises(Exception, match="fmi2"):
        fmpy.simulate_fmu(str(path), stop_time=0.01, start_values={"position[3]": 50.0})


def elastic() -> gough.Platform:
    platform = machine("UPS")
    legs = [leg.replace(drive=leg.drive.replace(stiffness=1e8)) for leg in platform.legs]
    return platform.replace(legs=legs)


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "elastic": (elastic, {}, r"drive\.stiffness.*not carried"),
    "block": (lambda: machine("UPS"), {"block": "controller"}, "must be one of plant"),
    "version": (lambda: machine("UPS"), {"version": "1.0"}, "must be one of 2.0, 3.0"),
    "integrator": (lambda: machine("UPS"), {"integrator": "DOP853"}, "must be one of rk4"),
    "step": (lambda: machine("UPS"), {"step": 0.0}, "step"),
    "home": (lambda: machine("UPS").replace(home=None), {}, "home"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_an_fmu_does_not_carry_is_refused(tmp_path: Path, case: str) -> None:
    platform, options, words = REFUSED[case]
    with pytest.raises(gough.InputError, match=words):
        write_fmu(platform(), tmp_path / "no.fmu", compiled=False, **options)
    assert not (tmp_path / "no.fmu").exists()


def test_commands(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    import gough.cli.export
    from gough.cli.app import app

    assert gough.cli.export

    def said(*words: str) -> str:
        found = CliRunner().invoke(app, ["export", *words])
        assert found.exit_code == 0, found.output
        return found.output

    out = tmp_path / "linear.fmu"
    said("fmu", "hexaglide", "--out", str(out), "--block", "linear", "--fmi", "3.0", "--no-drives")
    assert validate_fmu(str(out)) == []
    chosen = ["--functions", "ik, pose", "--compact", "--precision", "float", "--angles", "ZXZ"]
    said("c", "hexaglide", "--out", str(tmp_path / "c"), *chosen)
    text = (tmp_path / "c" / "hexaglide.h").read_text()
    assert "hexaglide_pose(" in text
    assert "forward_kinematics(" not in text
    said("host", "hexaglide", "arduino", "--out", str(tmp_path / "sketch"))
    assert (tmp_path / "sketch" / "hexaglide.ino").exists()


def test_sources_are_always_inside(tmp_path: Path) -> None:
    for block in BLOCKS:
        for version in VERSIONS:
            path = write_fmu(
                machine("UPS"), tmp_path / "m.fmu", block=block, version=version, compiled=False
            )
            inside = set(zipfile.ZipFile(path).namelist())
            wrapper = f"sources/fmi{version[0]}.c"
            assert {"modelDescription.xml", "sources/model.c", "sources/model.h", wrapper} <= inside
            assert not any(name.startswith("binaries/") for name in inside)
