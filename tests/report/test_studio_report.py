"""The report and the notebook tables: complete, small, closed to the network, and with the library's numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.timeline import flat, mean_power, timeline
from gough.cli.app import main
from gough.model.files import load
from gough.report import html as report
from gough.report import notebook
from gough.studio.motions import demo


def motion_of(name: str, samples: int = 500) -> tuple[gough.Platform, gough.Motion]:
    platform = load(name)
    return platform, gough.trajectory.trajectory_from(demo(platform)).sample(samples)  # type: ignore[union-attr]


def inside(text: str) -> dict[str, Any]:
    found = re.search(
        r'<script type="application/json" id="gough-report">(.*?)</script>', text, re.S
    )
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide"])
def test_five_hundred_samples_fit_in_two_megabytes(name: str, tmp_path: Path) -> None:
    platform, motion = motion_of(name)
    text = report.report_html(
        platform, motion, formulations=("exact", "newton-euler", "kane", "lagrange")
    )
    assert len(text.encode()) <= 2_000_000
    data = inside(text)
    force = np.reshape(data["timeline"]["data"]["force"]["exact"], (500, 6))
    expected = gough.inverse_dynamics(platform, motion).force
    assert force == pytest.approx(expected, rel=1e-5, abs=1e-5 * np.abs(expected).max())
    legs = data["timeline"]["summary"]["legs"]
    assert [leg["peak_force"] for leg in legs] == pytest.approx(
        np.abs(expected).max(axis=0), rel=1e-12
    )
    assert gough.model.files.loads(data["toml"]) == platform  # type: ignore[attr-defined]


def test_nothing_is_loaded_from_anywhere(tmp_path: Path) -> None:
    platform, motion = motion_of("motion-base-1500", 21)
    text = report.report_html(platform, motion)
    assert "default-src 'none'" in text
    assert "unsafe" not in re.search(r'content="(default-src[^"]*)"', text)[1]  # type: ignore[index]
    head = text.split('<script type="module">')[0]
    assert not re.search(r'(src|href)\s*=\s*["\']', head)
    assert len(re.findall(r"<script", text)) == 2


def test_hostile_names_stay_text() -> None:
    evil = "</script><script>alert(1)</script><!--"
    platform = load("octahedral-33").replace(name=evil)
    text = report.report_html(platform, title=evil)
    assert "<script>alert" not in text
    assert inside(text)["machine"]["document"]["name"] == evil
    assert "<script>" not in notebook.platform_html(platform)


def test_written_in_one_piece_or_refused(tmp_path: Path) -> None:
    platform = load("octahedral-33")
    path = report.write_report(tmp_path / "r.html", platform)
    assert path.read_text(encoding="utf-8").endswith("</html>\n")
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]
    for bad in (tmp_path, tmp_path / "no" / "r.html"):
        with pytest.raises(gough.InputError, match="out"):
            report.write_report(bad, platform)


def test_summaries_are_integrals() -> None:
    t = np.linspace(0, 2 * np.pi, 20001)
    assert mean_power(t, np.sin(t), 2) == pytest.approx(np.sqrt(0.5), rel=1e-6)
    assert mean_power(t, 3 * np.abs(np.sin(t)), 3) == pytest.approx(
        3 * (4 / (3 * np.pi)) ** (1 / 3), rel=1e-6
    )
    uneven = np.concatenate([np.linspace(0, 1, 3), np.linspace(1.001, 2, 1000)])
    assert mean_power(uneven, np.where(uneven <= 1, 2.0, 0.0), 2) == pytest.approx(
        np.sqrt(2.0), rel=1e-2
    )


def test_a_motion_out_of_reach_says_when_and_why() -> None:
    platform = load("hexaglide")
    assert platform.home is not None
    far = gough.Pose(platform.home.position + np.array([3.0, 0, 0]))
    motion = gough.trajectory.quintic(platform.home, far, 2.0).sample(41)
    with pytest.raises(gough.InfeasibleError, match=r"leaves the reach .* t = .*cannot reach"):
        timeline(platform, motion)


def test_broken_limits_are_listed_with_their_time() -> None:
    platform = load("motion-base-1500")
    assert platform.home is not None
    high = gough.Pose(platform.home.position + np.array([0, 0, 0.5]))
    _, _, refused, _ = timeline(
        platform, gough.trajectory.quintic(platform.home, high, 2.0).sample(41)
    )
    assert any("beyond its maximum" in text and "t = " in text for text in refused)


def test_numbers_are_flattened_without_nan() -> None:
    assert flat({"a": np.array([[1.0, np.nan], [np.inf, 2.5]])}) == {"a": [1.0, None, None, 2.5]}
    assert flat(np.array([1.23456789, 3.0, np.nan]), 4) == [1.235, 3, None]


def test_notebook_tables_have_the_numbers() -> None:
    platform, motion = motion_of("octahedral-33", 51)
    text = notebook.platform_html(platform)
    assert "octahedral-33" in text
    assert text.count("<tr>") == 7
    result = gough.inverse_dynamics(platform, motion)
    table = notebook.result_html(result)
    assert f"{np.abs(result.force[:, 0]).max():.6g}" in table
    assert "51 states" in table
    assert notebook.result_html(gough.inverse_dynamics(platform, motion[0])).count("<tr>") == 7
    assert "0 … 10 s" in notebook.motion_html(motion)
    crank = notebook.platform_html(load("servo-hexapod"))
    assert "°" in crank


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["gough", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "r.html"
    more = ("--out", str(out), "--samples", "31", "--compare", "kane")
    assert run(monkeypatch, "report", "dasgupta-1998", "001-I", *more) == 0
    data = inside(out.read_text(encoding="utf-8"))
    assert set(data["timeline"]["data"]["force"]) == {"exact", "kane"}
    assert any("not physical" in text for text in data["machine"]["warnings"])
    assert run(monkeypatch, "report", "octahedral-33", "--out", str(out)) == 0
    assert inside(out.read_text(encoding="utf-8"))["timeline"] is None
    assert run(monkeypatch, "report", "nobody", "--out", str(out)) == 2
    assert run(monkeypatch, "report", "octahedral-33", "nowhere.csv", "--out", str(out)) == 2


def test_the_studio_command_refuses_what_it_cannot_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("legs = 3")
    assert run(monkeypatch, "studio", str(broken), "--no-open") == 2
    assert run(monkeypatch, "studio", "nobody-1900", "--no-open") == 2
    outside = tmp_path / "work"
    outside.mkdir()
    (tmp_path / "m.toml").write_text(gough.model.files.dumps(load("octahedral-33")))  # type: ignore[attr-defined]
    assert (
        run(monkeypatch, "studio", str(tmp_path / "m.toml"), "--no-open", "--folder", str(outside))
        == 2
    )
