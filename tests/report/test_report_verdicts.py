"""What the first page of a report claims, and when it must not."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.marks import limit_marks
from gough.analysis.utilisation import used_share
from gough.checks import InfeasibleError
from gough.export.tables import write_netcdf
from gough.limits import KINDS, check
from gough.model.limits import Limits
from gough.report import pdf
from gough.report.html import report_data
from gough.report.modes import gallery_html
from gough.report.verdicts import run_provenance
from gough.storage import csv_cell
from gough.studio.motions import demo

MACHINE = gough.load("motion-base-1500")


def told(platform: gough.Platform, proved: bool = True, lift: float = 0.0) -> dict[str, Any]:
    home = platform.require_home()
    away = gough.Pose(home.position + np.array([0.02, 0.0, lift]))
    path = gough.trajectory.quintic(home, away, 2.0)
    return report_data(platform, path.sample(21), trajectory=path if proved else None)


def without_limits() -> gough.Platform:
    return MACHINE.replace(legs=tuple(leg.replace(limits=Limits()) for leg in MACHINE.legs))


def test_each_verdict_claims_what_was_judged() -> None:
    assert report_data(MACHINE)["verdict"]["kind"] == "none"
    assert told(MACHINE)["verdict"]["kind"] == "ok"
    assert "proved at every instant" in told(MACHINE)["verdict"]["text"]
    samples = told(MACHINE, proved=False)["verdict"]
    assert samples["kind"] == "open"
    assert "no proof between them" in samples["text"]
    assert "proved at every instant" not in samples["text"]
    assert told(MACHINE, lift=0.5)["verdict"]["kind"] == "not"
    bare = told(without_limits())["verdict"]
    assert bare["kind"] == "none"
    assert bare["text"].startswith("No limits given")


def test_shares_are_values_over_what_is_allowed() -> None:
    data = told(MACHINE)
    rows = {row["kind"]: row["legs"] for row in data["timeline"]["summary"]["utilisation"]}
    summary = data["timeline"]["summary"]["legs"]
    for leg, figures in zip(rows["force"], summary, strict=True):
        assert leg["value"] == pytest.approx(figures["peak_force"], rel=1e-12)
        assert leg["share"] == pytest.approx(figures["peak_force"] / leg["high"], rel=1e-12)
    for leg in rows["stroke"]:
        middle, half = (leg["high"] + leg["low"]) / 2, (leg["high"] - leg["low"]) / 2
        assert leg["share"] == pytest.approx(abs(leg["value"] - middle) / half, rel=1e-9)
    for leg in rows["distance"]:
        assert leg["share"] == pytest.approx(leg["low"] / leg["value"], rel=1e-9)
    assert used_share("distance", np.array([-1.0])) == np.inf


def test_marks_name_the_limit_that_is_broken() -> None:
    """A pose beyond the stroke alone, a force beyond its limit alone: one bit each."""
    home = gough.Motion.at_rest(MACHINE.require_home())
    quiet, _ = limit_marks(check(MACHINE, home, force=np.zeros(6)))
    assert not quiet.any()
    strong, _ = limit_marks(check(MACHINE, home, force=[1e6, 0, 0, 0, 0, 0]))
    assert strong.tolist() == [1 << KINDS.index("force"), 0, 0, 0, 0, 0]
    _, near = limit_marks(check(MACHINE, home, force=[14900.0, 0, 0, 0, 0, 0]))
    assert near.tolist() == [1 << KINDS.index("force"), 0, 0, 0, 0, 0]


def test_a_run_of_another_machine_is_refused(tmp_path: Path) -> None:
    home = MACHINE.require_home()
    law = gough.control.GravityCompensation(MACHINE, bandwidth=20.0)
    run = gough.simulate(MACHINE, home, duration=0.02, controller=law, drives=False)
    file = write_netcdf(run, tmp_path / "run.nc")
    rows = dict(run_provenance(file, MACHINE))
    assert rows["status"] == "ok"
    assert "controller" in rows
    assert "not known" in rows["tracking error"]
    (tmp_path / "summary.json").write_text('{"tracking": {"position_max_m": 0.001}}')
    assert (
        dict(run_provenance(file, MACHINE))[
            "tracking error, position max m (summary.json beside it)"
        ]
        == "0.001"
    )
    with pytest.raises(gough.InputError, match="a run of"):
        run_provenance(file, MACHINE.replace(name="other"))
    legs = list(MACHINE.legs)
    legs[0] = legs[0].replace(joint=np.add(legs[0].joint, [0.01, 0.0, 0.0]))
    with pytest.raises(gough.InputError, match="differ by"):
        run_provenance(file, MACHINE.replace(legs=tuple(legs)))
    body = MACHINE.body
    heavier = MACHINE.replace(body=body.replace(mass=body.mass * (1 + 1e-15)))
    assert heavier.body.mass != body.mass
    with pytest.raises(gough.InputError, match="other numbers"):
        run_provenance(file, heavier)
    assert run_provenance(file, MACHINE.replace(source=gough.model.Source(title="renamed")))
    del run.attrs["machine_fingerprint"]
    write_netcdf(run, file)
    assert dict(run_provenance(file, heavier))["masses of the machine"].startswith("not compared")
    assert run_provenance(tmp_path / "none.nc", MACHINE) == ()


def test_names_never_reach_a_template_or_a_formula() -> None:
    platform = gough.load("octahedral-33").replace(name="@@DATA@@ @@SOURCE@@ $title")
    at = platform.require_home()
    modes = gough.assembly_modes(platform, gough.inverse_kinematics(platform, at).length)
    text = gallery_html(platform, modes)
    assert text.count("@@DATA@@") == 2, "in the title of the page and of its heading, as text"
    for name in ("=1+1", "+x", "-x", "@x", "a,b", 'say "x"', "plain [m]"):
        (back,) = next(csv.reader([csv_cell(name)]))
        assert back.lstrip("'") == name
        assert back[0] not in "=+-@"


def test_without_a_browser_the_pdf_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(InfeasibleError, match="Chromium"):
        pdf.browser()
    with pytest.raises(gough.InputError, match=r"\.pdf"):
        pdf.write_pdf(tmp_path / "a.html", tmp_path / "a.txt")


def test_load_cases_are_the_peaks() -> None:
    path = gough.trajectory.trajectory_from(demo(MACHINE))
    assert not isinstance(path, gough.trajectory.LegTrajectory)
    motion = path.sample(51)
    cases = report_data(MACHINE, motion)["timeline"]["summary"]["load_cases"]
    force = gough.inverse_dynamics(MACHINE, motion).force
    peaks = np.abs(force).max(axis=0)
    for leg, peak in enumerate(peaks):
        assert max(abs(case["force"][leg]) for case in cases if leg in case["legs"]) == peak
