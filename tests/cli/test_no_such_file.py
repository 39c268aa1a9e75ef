"""Every command says of a file that is not there that there is no such file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gough
from gough.cli.app import COMMAND_MODULES, app

WAVES = str(Path(__file__).parents[2] / "examples" / "trajectories" / "waves.toml")
MACHINE, GONE, POSE = "positioner-300", "gone.toml", "0 0 1 0 0 0"
MACHINES = [
    ("show",),
    ("travel",),
    ("modes",),
    ("workspace",),
    ("control",),
    ("cite",),
    ("studio",),
    ("report",),
    ("export", "sdf", "--out", "x.sdf"),
    ("export", "c", "--out", "x"),
]
OTHERS = [
    ("fk", GONE, "1 1 1 1 1 1"),
    ("ik", GONE, POSE),
    ("plan-path", GONE, POSE, POSE),
    ("worst", GONE, "--box", "0 0 0"),
    ("forces", MACHINE, GONE, "--out", "x"),
    ("forces", MACHINE, "gone.csv", "--out", "x"),
    ("forces", MACHINE, "gone.nc", "--out", "x"),
    ("limits", MACHINE, GONE),
    ("size", MACHINE, GONE),
    ("size", MACHINE, WAVES, "--samples", "11", "--catalogue", GONE),
    ("export", "joints", MACHINE, GONE, "--out", "x.csv"),
    ("report", MACHINE, GONE),
    ("report", MACHINE, "gone.nc"),
    ("simulate", MACHINE, GONE, "--out", "x"),
    ("cue", MACHINE, "gone.csv", "--out", "x"),
    ("calibrate", MACHINE, GONE),
    ("plan", MACHINE, GONE, "x.csv"),
    ("identify", MACHINE, WAVES, "gone.csv", "--sigma", "1"),
    ("optimize", GONE, "--out", "x"),
    ("sweep", GONE, "--out", "x"),
    ("import", "gone.xml", "--out", "x.toml"),
    ("import", "gone.urdf", "--out", "x.toml"),
    ("joints", MACHINE, "gone.csv", "--out", "x.csv"),
    *[("verify", f"gone.{kind}") for kind in ("nc", "toml", "npz", "csv")],
]


@pytest.mark.parametrize("command", [(*words, GONE) for words in MACHINES] + OTHERS, ids=" ".join)
def test_no_such_file(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in COMMAND_MODULES:
        import_module(f"gough.cli.{name}")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gough.InputError, match="no such file"):
        CliRunner().invoke(app, list(command), catch_exceptions=False)
    assert not any(tmp_path.iterdir())


def test_a_name_that_is_no_path_is_a_preset_misspelled() -> None:
    with pytest.raises(gough.InputError, match="did you mean positioner-300") as caught:
        gough.load("positoner-300")
    assert "no such file" not in str(caught.value)
