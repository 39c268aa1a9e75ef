"""The commands show, presets, forces and cite through a real process: output, files, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray

import gough as library


def gough(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gough", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=cwd,
    )


def test_presets_lists_every_machine() -> None:
    done = gough("presets", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["dasgupta-1998"].startswith("6-UPS")
    assert found["lopes-6pus"].startswith("6-PUS")


def test_show_says_what_the_machine_is_and_draws_it(tmp_path: Path) -> None:
    picture = tmp_path / "machine.png"
    done = gough("show", "dasgupta-1998", "--figure", picture)
    assert done.returncode == 0
    for text in (
        "40 kg",
        "0.04 0.03 -0.06",
        "-0.3 0.3 0.1",
        "0.548879 m",
        "chosen",
        "E001-7",
        "not physical",
    ):
        assert text in done.stdout, text
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert str(picture) in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["machine.png"]


def test_show_json_is_pure_json() -> None:
    done = gough("show", "servo-hexapod", "--json")
    facts = json.loads(done.stdout)
    assert len(facts["legs"]) == 6
    assert facts["legs"][0]["type"] == "RUS"
    assert facts["legs"][0]["force_unit"] == "N m"
    assert facts["home"]["reachable"] is True


def test_forces_of_path_i_are_the_golden_numbers(tmp_path: Path) -> None:
    """[Dasgupta1998] Path I, exact model: right limit at t = 0 and left limit at t = 6."""
    out = tmp_path / "out"
    done = gough("forces", "dasgupta-1998", "001-I", "--out", out, "--dt", "0.1", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["samples"] == 61
    assert sorted(Path(f).name for f in found["files"]) == [
        "condition.png",
        "forces.csv",
        "forces.nc",
        "forces.png",
        "lengths.png",
        "reactions.png",
    ]
    assert found["max_condition"] == pytest.approx(47.19, abs=0.005)
    with xarray.open_dataset(out / "forces.nc", engine="h5netcdf") as table:
        force = table["force"].values
        assert table["force"].attrs["units"] == "N"
    np.testing.assert_allclose(
        force[0], [411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364], atol=5e-5
    )
    np.testing.assert_allclose(
        force[-1], [569.7233, -516.9033, 459.2288, -69.4837, 151.0829, -154.1439], atol=5e-5
    )
    assert "not physical" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert all(
        (out / name).read_bytes().startswith(b"\x89PNG") for name in ("forces.png", "lengths.png")
    )


def test_forces_from_a_definition_with_another_formulation(tmp_path: Path) -> None:
    (tmp_path / "lift.toml").write_text("""
[trajectory]
kind = "move"
duration = "1 s"
start = {position = "0 0 2000 mm"}
end = {position = "0 0 2100 mm", rpy = "0 0 5 deg"}
""")
    done = gough(
        "forces",
        "lopes-6pus",
        "lift.toml",
        "--out",
        "out",
        "--samples",
        "5",
        "--no-figures",
        "--formulation",
        "lagrange",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "lift.toml: 5 samples, formulation lagrange" in done.stdout
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["forces.csv", "forces.nc"]


def test_forces_of_the_motors(tmp_path: Path) -> None:
    """``--drives``: the table says whose efforts they are, and they are those of the library."""
    (tmp_path / "lift.toml").write_text("""
[trajectory]
kind = "move"
duration = "1 s"
start = {position = "0 0 1150 mm"}
end = {position = "0 0 1200 mm"}
""")
    given = ("forces", "motion-base-1500", "lift.toml", "--samples", "11", "--no-figures")
    done = gough(*given, "--out", "out", "--drives", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with xarray.open_dataset(tmp_path / "out" / "forces.nc", engine="h5netcdf") as table:
        assert table["force"].attrs["long_name"].startswith("motor effort, ")
        force, rate, time = (table[name].values for name in ("force", "rate", "time"))
        motion = {name: table[name].values for name in ("position", "velocity", "acceleration")}
    machine = library.load("motion-base-1500")
    wanted = library.inverse_dynamics(machine, library.Motion(**motion, time=time), drives=True)
    np.testing.assert_allclose(force, wanted.force, rtol=1e-9)
    assert (wanted.force > wanted.actuator_force)[rate > 1e-3].all()


def test_legs_that_prescribe_the_motion(tmp_path: Path) -> None:
    """[ElBadawy]: actuator forces at t = 0, from leg lengths by forward kinematics."""
    done = gough(
        "forces",
        "elbadawy-6sps",
        "003",
        "--out",
        tmp_path / "out",
        "--samples",
        "3",
        "--no-figures",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    with xarray.open_dataset(tmp_path / "out" / "forces.nc", engine="h5netcdf") as table:
        force = table["force"].values[0]
    np.testing.assert_allclose(
        force, [4.75092, 4.75409, 4.74696, 4.75732, 4.75999, 4.70485], atol=2e-4
    )


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("forces", "dasgupta-1998", "001-IV"), 2, "did you mean 001-I"),
        (("forces", "dasgupta-98", "001-I"), 2, "did you mean dasgupta-1998"),
        (("forces", "dasgupta-1998", "001-I", "--formulation", "newton"), 2, "formulation"),
        (("forces", "dasgupta-1998", "001-I", "--samples", "1"), 2, "samples"),
        (("forces", "dasgupta-1998", "001-I", "--wrench", "1 2 3"), 2, "six numbers"),
        (("forces", "servo-hexapod", "001-I"), 3, "out of reach"),
        (("forces", "dasgupta-1998", "001-III", "--max-condition", "100"), 3, "singular"),
    ],
)
def test_failures_have_a_reason_a_code_and_no_files(
    tmp_path: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = gough(*arguments, "--out", tmp_path / "out")
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_malformed_files_are_usage_errors(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text("legs = [")
    assert gough("show", tmp_path / "m.toml").returncode == 2
    (tmp_path / "empty.csv").write_text("")
    done = gough("forces", "dasgupta-1998", tmp_path / "empty.csv", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "empty file" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_picture_needs_a_known_ending(tmp_path: Path) -> None:
    done = gough("show", "dasgupta-1998", "--figure", tmp_path / "machine.gif")
    assert done.returncode == 2
    assert ".png, .svg or .pdf" in done.stderr


def test_cite_names_the_software_and_the_source() -> None:
    done = gough("cite", "lopes-6pus")
    assert done.returncode == 0
    assert "@software{gough" in done.stdout
    assert "Lopes: Complete dynamic model" in done.stdout


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_every_preset_can_be_drawn_and_a_pose_out_of_reach_cannot() -> None:
    import gough as library
    from gough.report.figures import machine_figure

    for name in library.presets():
        axes = machine_figure(library.load(name)).axes[0]
        assert "(m)" in axes.get_xlabel()
        assert {t.get_text() for t in axes.texts} >= set(library.load(name).leg_names)
    with pytest.raises(library.InfeasibleError, match="cannot reach"):
        machine_figure(library.load("servo-hexapod"), library.Pose.from_rpy((0, 0, 5.0)))


def test_a_singular_peak_does_not_flatten_the_figure() -> None:
    from gough.report.figures import leg_lines

    t = np.linspace(0, 1, 101)
    calm = np.ones((101, 6)) * np.arange(1.0, 7.0)
    wild = calm / (np.abs(t - 0.503) + 1e-6)[:, None]
    figure = leg_lines(t, [("calm (N)", calm), ("wild (N)", wild)], list("abcdef"))
    assert [a.get_yscale() for a in figure.axes] == ["linear", "linear"]
    wild[50] *= 1e4
    assert leg_lines(t, [("wild (N)", wild)], list("abcdef")).axes[0].get_yscale() == "asinh"
