"""gough worst and gough size --catalogue: sentences, JSON, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import gough
from gough.cli import analysis as analysis_commands
from gough.cli import worst as worst_commands
from gough.cli.app import app

EXAMPLES = Path(__file__).parents[2] / "examples"
CATALOGUE = EXAMPLES / "drives" / "catalogue.toml"
WAVES = EXAMPLES / "trajectories" / "waves.toml"
assert analysis_commands
assert worst_commands


def run(*arguments: str | Path) -> tuple[str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout, found.stderr


def test_worst_says_what_is_proved() -> None:
    call = ("worst", "motion-base-1500", "--box", "0.02 0.02 0.02", "--payload", "0 0 0.3")
    call += ("--springs", "rms", "--point", "0 0 0.1", "--force", "10", "--tilt", "1 0 0")
    said, _ = run(*call)
    assert said.count("proved") == 13  # six legs, the mass, six with springs
    assert "kg are held everywhere, proved" in said
    found = json.loads(run(*call, "--json")[0])
    assert found["worst_effort"]["legs"][0]["unit"] == "N"
    assert found["payload"]["low_kg"] <= found["payload"]["high_kg"]
    assert found["springs"]["legs"][0]["coordinate_unit"] == "m"


def test_size_by_a_catalogue() -> None:
    call = ("size", "motion-base-1500", WAVES, "--samples", "41", "--catalogue", CATALOGUE)
    said, told = run(*call, "--life", "1000")
    assert "servo-5" in said
    assert "holds at samples" in said
    assert "sampled at 41 instants" in told
    found = json.loads(run(*call, "--payload", "10", "--json")[0])
    options = found["drives"]["payload 10 kg"]["options"]
    assert len(options) == 12
    assert {o["status"] for o in options} <= {"holds at samples", "broken", "undecided"}
    assert all(o["reasons"] for o in options if o["status"] == "broken")


def test_no_drive_that_holds_is_exit_code_three(tmp_path: Path) -> None:
    weak = tmp_path / "weak.toml"
    text = CATALOGUE.read_text(encoding="utf-8").replace('"45 N m"', '"1 N m"')
    weak.write_text(
        text.replace('"20 N m"', '"1 N m"')
        .replace('"40 N m"', '"1 N m"')
        .replace('"18 N m"', '"1 N m"')
        .replace('"15 N m"', '"1 N m"')
        .replace('"8 N m"', '"1 N m"'),
        encoding="utf-8",
    )
    call = ["size", "motion-base-1500", str(WAVES), "--samples", "11", "--catalogue", str(weak)]
    found = CliRunner().invoke(app, call)
    assert isinstance(found.exception, gough.checks.InfeasibleError)
    assert "no combination of the catalogue holds on L1" in str(found.exception)
