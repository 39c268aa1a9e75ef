"""Every command in this process: what it prints is what the library answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.analysis
import gough.cli.bench
import gough.cli.design
import gough.cli.export
import gough.cli.fk
import gough.cli.machine
import gough.cli.report
import gough.cli.simulate
import gough.cli.studio
import gough.cli.verify
from gough.analysis.envelope import limit_report
from gough.analysis.sizing import size
from gough.analysis.volume import exact_volume
from gough.cli.app import app
from gough.design import optimize, read_problem
from gough.export.facts import workspace_facts
from gough.trajectory import load_trajectory

EXAMPLES = Path(__file__).parents[2] / "examples"
WAVES = EXAMPLES / "trajectories" / "waves.toml"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def run(*arguments: str | Path) -> tuple[str, str]:
    """What a command says on stdout and on stderr."""
    found = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout, found.stderr


def row(text: str, first: str) -> list[float]:
    """The numbers of the line that begins with `first`."""
    line = next(line for line in text.splitlines() if line.strip().startswith(first))
    return [float(x) for x in NUMBER.findall(line.strip().removeprefix(first))]


def test_workspace_prints_the_volumes_and_draws_three_slices(tmp_path: Path) -> None:
    platform = gough.load("motion-base-1500")
    assert platform.home is not None
    said, told = run("workspace", "motion-base-1500", "--points", "20", "--out", tmp_path)
    volume = exact_volume(platform, platform.home.rotation).value
    assert row(said, "volume m3")[0] == pytest.approx(volume, rel=1e-5)
    facts = workspace_facts(platform, platform.home.rotation, None, 20)
    assert row(said, "grid volume m3")[0] == pytest.approx(facts["grid_volume_m3"], rel=1e-5)
    assert {p.name for p in tmp_path.iterdir()} == {"workspace.png", "workspace.json"}
    assert told.count("wrote") == 2
    assert "box" not in said
    assert row(said, "reachable m3")[0] == pytest.approx(facts["reachable_m3"], rel=1e-5)
    low, high = facts["reachable_at_least_m3"], facts["reachable_at_most_m3"]
    assert low < facts["reachable_m3"] < high
    assert low < volume < high  # nothing lies beyond a singularity here
    assert facts["judged"][0] in " ".join(told.split())


def test_workspace_says_what_lies_beyond_a_singularity(tmp_path: Path) -> None:
    """Strokes that go far beyond the singular poses at a tilted orientation."""
    limits = gough.Limits(stroke=(0.4, 1.0))
    machine = tmp_path / "wide.toml"
    gough.save(gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, limits=limits), machine)
    mesh = tmp_path / "part.stl"
    options = ("--rpy", "45 0 17", "--points", "16", "--mesh", mesh, "--json")
    said, told = run("workspace", machine, *options)
    facts = json.loads(said)
    assert facts["beyond_singularity_m3"] > 0.3 * facts["grid_volume_m3"]
    assert facts["reachable_share"] < 0.7
    assert "beyond a singularity" in told
    assert facts["mesh"]["proved"]
    assert facts["mesh"]["volume_m3"] == pytest.approx(facts["reachable_at_least_m3"])
    assert mesh.stat().st_size > 84


def test_workspace_of_cranks_is_drawn_without_a_profile(tmp_path: Path) -> None:
    facts = json.loads(
        run("workspace", "servo-hexapod", "--points", "12", "--out", tmp_path, "--json")[0]
    )
    assert [Path(f).name for f in facts["files"]] == ["workspace.png", "workspace.json"]


def test_limits_prints_margins_and_the_reasons_in_order() -> None:
    """[Dasgupta1998] Path III passes a singular pose; the machine has no limits of its own to compare with."""
    platform = gough.load("motion-base-1500")
    found = limit_report(platform, load_trajectory(str(WAVES)).sample(51))
    said, _ = run("limits", "motion-base-1500", WAVES, "--samples", "51")
    for wanted in found["rows"]:
        line = next(
            line for line in said.splitlines() if wanted["leg"] in line and wanted["kind"] in line
        )
        numbers = [float(x) for x in NUMBER.findall(line.split(wanted["kind"])[1])]
        np.testing.assert_allclose(numbers[:2], [wanted["min"], wanted["max"]], rtol=1e-4)
        assert ("%" in line) is (wanted["margin"] is not None)
    with pytest.raises(gough.InfeasibleError, match="crosses a singular pose"):
        run("limits", "dasgupta-1998", "001-III", "--samples", "100")


def test_size_prints_legs_motors_and_cases() -> None:
    platform = gough.load("motion-base-1500")
    motion = load_trajectory(str(WAVES)).sample(41)
    loads = {"payload 100,0,0,0.5 kg": gough.Body(100.0, (0.0, 0.0, 0.5))}
    found = size(platform, {"waves.toml": motion}, loads)
    said, told = run(
        "size", "motion-base-1500", WAVES, "--samples", "41", "--payload", "100,0,0,0.5"
    )
    assert ", ".join(found.cases) in said
    leg = found.legs[2]
    low, high, peak, rms = row(said, leg.name)[:4]
    np.testing.assert_allclose([low, high], [leg.min_length, leg.max_length], atol=5e-5)
    np.testing.assert_allclose([peak, rms], [leg.peak_force, leg.rms_force], rtol=1e-4)
    assert leg.drive is not None
    motor = [line for line in said.splitlines() if line.strip().startswith(leg.name)][1]
    torque, _, rpm = (float(x) for x in NUMBER.findall(motor.replace(leg.name, "", 1))[:3])
    assert torque == pytest.approx(leg.drive.peak_torque, rel=1e-3)
    assert rpm == pytest.approx(leg.drive.peak_speed * 60.0 / (2.0 * np.pi), rel=1e-4)
    assert [s for s in found.overload if s not in told] == []


def test_two_motions_of_one_file_name_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.toml").write_text(WAVES.read_text())
    files = [str(tmp_path / name / "m.toml") for name in ("a", "b")]
    found = json.loads(run("size", "motion-base-1500", *files, "--samples", "11", "--json")[0])
    assert [case.startswith(file) for case, file in zip(found["cases"], files, strict=True)]
    assert len(found["cases"]) == 2


def test_a_machine_without_drives_has_no_motor_table() -> None:
    said, _ = run("size", "dasgupta-1998", "001-I", "--samples", "11")
    assert "motor" not in said
    assert "peak effort" in said


DESIGN = """
[machine]
family = "octahedral"
platform_radius = "0.25 m"
height = "0.5 m"
[parameters]
base_radius = ["0.3 m", "0.7 m"]
[task]
box = "30 30 30 mm"
[objective]
footprint = 1
[search]
generations = 2
population = 4
"""


def test_optimize_prints_the_best_design(tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(DESIGN)
    said, _ = run("optimize", tmp_path / "d.toml", "--out", tmp_path / "out")
    found = optimize(read_problem(tmp_path / "d.toml")).as_dict()
    assert row(said, "base_radius")[0] == pytest.approx(
        found["parameters"]["base_radius"], rel=1e-5
    )
    assert row(said, "footprint")[0] == pytest.approx(found["metrics"]["footprint"], rel=1e-5)
    assert row(said, "cost")[0] == pytest.approx(found["cost"], rel=1e-5)


def test_sweep_in_processes_names_its_files(tmp_path: Path) -> None:
    spec = EXAMPLES / "design" / "sweep.toml"
    said, told = run("sweep", spec, "--out", tmp_path / "o", "--workers", "1", "--format", "csv")
    assert "84 cases" in told
    assert Path(said.strip()).read_text().count("\n") == 85


@pytest.mark.parametrize(
    ("error", "words"),
    [(KeyboardInterrupt(), "resume with --resume"), (None, "the disk is full")],
)
def test_a_stopped_sweep_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException | None, words: str
) -> None:
    import gough.design

    def stops(*_: Any, **__: Any) -> None:
        raise error or gough.design.SweepStoppedError("the disk is full")

    monkeypatch.setattr(gough.design, "sweep", stops)
    spec = EXAMPLES / "design" / "sweep.toml"
    found = CliRunner().invoke(app, ["sweep", str(spec), "--out", str(tmp_path / "o")])
    assert found.exit_code == 1
    assert words in found.stderr


def test_exports_name_every_file_they_write(tmp_path: Path) -> None:
    for kind, ending in (("mjcf", "xml"), ("sdf", "sdf"), ("urdf", "urdf")):
        _, told = run("export", kind, "motion-base-1500", "--out", tmp_path / f"m.{ending}")
        assert f"m.{ending}" in told
        assert 'name="' in (tmp_path / f"m.{ending}").read_text()
    _, told = run("export", "c", "motion-base-1500", "--out", tmp_path / "c", "--name", "hexa")
    wrote = sorted(p.name for p in (tmp_path / "c").iterdir())
    assert all(name in told for name in wrote)
    assert "hexa.c" in wrote
    with pytest.raises(gough.InputError, match="baked or struct"):
        run("export", "c", "motion-base-1500", "--out", tmp_path, "--parameters", "fried")


def test_report_names_the_machine_the_motion_and_its_size(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    _, told = run(
        *("report", "motion-base-1500", WAVES, "--samples", "21"),
        *("--compare", "kane", "--title", "Waves & more", "--out", page),
    )
    text = page.read_text()
    assert f"({page.stat().st_size / 1e6:.2f} MB)" in told
    for words in ("Waves &amp; more", "waves.toml", "kane"):
        assert words in text, words
    _, told = run("report", "servo-hexapod", "--out", tmp_path / "still.html")
    assert "still.html" in told


def test_verify_says_what_speaks_for_a_file(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    pa = pytest.importorskip("pyarrow")
    pq.write_table(pa.table({"x": list(range(1000))}), tmp_path / "other.parquet")
    with pytest.raises(gough.InputError, match="has no checksum"):
        run("verify", tmp_path / "other.parquet")
    assert "no checksum" in run("verify", WAVES)[1]
    (tmp_path / "old.npz").write_bytes(b"PK\x03\x04")
    with pytest.raises(gough.InputError, match="has no checksum"):
        run("verify", tmp_path / "old.npz")
    motion = tmp_path / "m.csv"
    motion.write_text("t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n0.5,0,0,1.1,0,0,0\n1,0,0,1,0,0,0\n")
    assert "readable as a motion" in run("verify", motion)[1]
    run(
        "forces",
        "motion-base-1500",
        WAVES,
        "--out",
        tmp_path / "f",
        "--samples",
        "3",
        "--no-figures",
    )
    assert json.loads(run("verify", tmp_path / "f" / "forces.nc", "--json")[0])["found"].startswith(
        "whole"
    )


def test_cite_gives_page_and_doi_and_refuses_a_machine_without_source(tmp_path: Path) -> None:
    source = gough.load("lopes-6pus").source
    said, _ = run("cite", "lopes-6pus")
    assert source.title in said
    for part in (source.page, source.doi):
        assert not part or part in said
    with pytest.raises(gough.InputError, match="names no source"):
        run("cite", gough.save(gough.octahedral(0.5, 0.3, 0.6), tmp_path / "mine.toml"))


def test_schema_and_presets_are_complete() -> None:
    schema = json.loads(run("schema")[0])
    assert {"platform", "legs"} <= set(schema["properties"]) or "$defs" in schema
    said, _ = run("presets")
    assert all(name in said for name in gough.presets())


def test_show_as_a_file_is_the_machine() -> None:
    said, _ = run("show", "servo-hexapod", "--toml")
    assert gough.loads(said) == gough.load("servo-hexapod")
    assert gough.loads(said) != gough.load("motion-base-1500")


def test_show_prints_strokes_and_limits_of_every_leg() -> None:
    platform = gough.load("motion-base-1500")
    said, _ = run("show", "motion-base-1500")
    low, high = platform.legs[0].limits.stroke
    assert said.count(f"{low:g} to {high:g} m") == 6
    assert f"{platform.body.mass:g} kg" in said


def test_modes_prints_what_was_removed_and_which_aspect() -> None:
    said, _ = run("modes", "motion-base-1500", "--filter", "above", "--aspects")
    assert re.search(r"[1-9]\d* removed by above", said)
    assert "(+)" in said or "(-)" in said
    assert "complete: no pose is missing" in said


def test_bench_refuses_a_case_that_there_is_not() -> None:
    with pytest.raises(gough.InputError, match="must be of"):
        run("bench", "--only", "teleportation")


def test_studio_opens_the_machine_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine by file name makes its folder the work folder; the address goes to stderr and to the browser."""
    import webbrowser

    import gough.studio.server as server

    gough.save(gough.load("motion-base-1500"), tmp_path / "m.toml")
    seen: dict[str, Any] = {}

    def serve(place: Any, host: str, port: int, **options: Any) -> None:
        seen.update(options, root=place.root, host=host, port=port)
        options["ready"]("http://127.0.0.1:1/")

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(webbrowser, "open", lambda address: seen.update(opened=address))
    import threading

    class Now:
        def __init__(self, _: float, call: Any, arguments: list[Any]) -> None:
            self.start = lambda: call(*arguments)

    monkeypatch.setattr(threading, "Timer", Now)
    _, told = run("studio", tmp_path / "m.toml", "--port", "1")
    assert seen["start"] == "m.toml"
    assert Path(seen["root"]) == tmp_path.resolve()
    assert seen["opened"] == "http://127.0.0.1:1/"
    assert "http://127.0.0.1:1/" in told
    seen.clear()
    run("studio", "--no-open")
    assert "opened" not in seen
    with pytest.raises(gough.InputError):
        run("studio", tmp_path / "none.toml")
