"""gough fk and gough modes: tables, JSON, figures, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough.cli.fk
from gough.checks import InfeasibleError, InputError
from gough.cli.app import app
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.assembly.examples import example
from gough.report.modes import gallery_html, modes_figure, write_gallery
from support.hexapods import published

assert gough.cli.fk  # registers the commands


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_fk_gives_the_home_pose_back() -> None:
    found = json.loads(run("fk", "motion-base-1500", _home_lengths(), "--json"))
    assert found["certified"]
    assert found["residual"] < 1e-12
    home = gough.load("motion-base-1500").home
    assert home is not None
    np.testing.assert_allclose(found["position"], home.position, atol=1e-12)
    assert "whatever the legs do" in run("fk", "motion-base-1500", _home_lengths())
    assert "straight motion of the legs from the guess: connected" in run(
        "fk", "motion-base-1500", _home_lengths(0.1)
    )


def _home_lengths(change: float = 0.0) -> str:
    from gough.kinematics.forward import actuator_coordinates

    platform = gough.load("motion-base-1500")
    assert platform.home is not None
    return " ".join(repr(float(x) + change) for x in actuator_coordinates(platform, platform.home))


def test_modes_of_dietmaier() -> None:
    found = json.loads(run("modes", "dietmaier-1998", "--json"))
    assert found["real"] == found["count"] == len(found["modes"]) == 40
    assert found["complete"]
    assert found["certified"]
    assert max(m["residual"] for m in found["modes"]) < 1e-10
    text = run("modes", "dietmaier-1998")
    assert "40 real poses" in text
    assert "no pose is missing" in text


def test_modes_of_a_preset_with_filter_and_aspects(tmp_path: Path) -> None:
    page, picture = tmp_path / "modes.html", tmp_path / "modes.png"
    found = json.loads(
        run(
            "modes",
            "motion-base-1500",
            "--filter",
            "above",
            "--aspects",
            "--json",
            "--gallery",
            str(page),
            "--figure",
            str(picture),
        )
    )
    assert found["count"] == 28
    assert found["removed"]["above"] > 0
    assert all(m["position"][2] > 0 and m["aspect"] >= 0 for m in found["modes"])
    assert "<svg" not in page.read_text()[:200]
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("arguments", "kind", "word"),
    [
        (("fk", "motion-base-1500", "1 2 3"), InputError, "six numbers"),
        (("fk", "motion-base-1500", "1 2 3 4 5 x"), InputError, "six numbers"),
        (("fk", "motion-base-1500", "1.6 1.6 1.6 1.6 1.6 -1"), InputError, "positive"),
        (("fk", "motion-base-1500", "1.6 1.6 1.6 1.6 1.6 nan"), InputError, "finite"),
        (("fk", "motion-base-1500", "1.6 1.6 1.6 1.6 1.6 9"), InfeasibleError, "contradict"),
        (
            ("fk", "motion-base-1500", "0.9 0.9 0.9 0.9 0.9 0.9"),
            InfeasibleError,
            "all 28 solutions are complex",
        ),
        (
            (
                "fk",
                "motion-base-1500",
                "1.6 1.6 1.6 1.6 1.6 1.6",
                "--guess",
                "0 0 -1.3 3.1 0.2 1.4",
            ),
            InfeasibleError,
            "poses have these",
        ),
        (("modes", "lopes-6pus", "--pose", "9 0 0 0 0 0"), InfeasibleError, "cannot reach"),
        (("modes", "motion-base-1500", "1.6 1.6 1.6 1.6 1.6 9"), InfeasibleError, "no pose exists"),
        (("modes", "motion-base-1500", "--filter", "weather"), InputError, "filters"),
    ],
)
def test_refusals(arguments: tuple[str, ...], kind: type[Exception], word: str) -> None:
    with pytest.raises(kind, match=word):
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def test_exit_code_of_the_program() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "gough", "fk", "motion-base-1500", "1.6 1.6 1.6 1.6 1.6 9"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 3
    assert "contradict" in answer.stderr
    assert answer.stdout == ""


def test_the_gallery_holds_every_mode_and_nothing_from_outside() -> None:
    platform, length = example("dietmaier-1998")
    modes = assembly_modes(platform, length)
    page = gallery_html(platform, modes)
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert len(data["tops"]) == 40
    struts = np.linalg.norm(np.array(data["tops"]) - np.array(data["feet"]), axis=-1)
    np.testing.assert_allclose(struts, np.broadcast_to(length, (40, 6)), atol=1e-10)
    assert "@@" not in page
    for outside in ("http://", "https://"):
        assert outside not in page.replace("http://www.w3.org/2000/svg", "")
    assert "Dietmaier" in page


def test_titles_cannot_inject_markup(tmp_path: Path) -> None:
    platform, length, _ = published("octahedral33")
    named = platform.replace(name="</script><b>")
    page = gallery_html(named, assembly_modes(named, length))
    assert "</script><b>" not in page
    with pytest.raises(InputError, match="html"):
        write_gallery(tmp_path / "page.txt", named, assembly_modes(named, length))


def test_the_figure_has_one_panel_per_mode() -> None:
    platform, length, _ = published("hexapod_semireg")
    modes = assembly_modes(platform, length)
    assert len(modes_figure(platform, modes).axes) == len(modes) == 8
    nothing = assembly_modes(platform, length + np.array([3.0, 0, 0, 0, 0, 0]))
    with pytest.raises(InputError, match="at least one"):
        modes_figure(platform, nothing)
