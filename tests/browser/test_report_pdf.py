"""The report that is sent: its PDF is whole, on A4 and Letter, in vector form, and says what the library computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.report.html import write_report
from gough.report.pdf import write_pdf
from gough.studio.motions import demo

READER = shutil.which("pdftotext")
needs_reader = pytest.mark.skipif(
    READER is None, reason="NO PDF TESTS: pdftotext is missing; `apt-get install poppler-utils`"
)


SIZES = {"a4": (595, 842), "letter": (612, 792)}  # pt


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pdf")


def report(folder: Path, paper: str, preset: str = "motion-base-1500", **changes: Any) -> Path:
    """The PDF of a report on a preset and its demonstration, printed once for all tests."""
    target = folder / f"{preset}-{paper}.pdf"
    if target.exists():
        return target
    platform = gough.load(preset).replace(**changes)
    path = gough.trajectory.trajectory_from(demo(platform))
    assert not isinstance(path, gough.trajectory.LegTrajectory)
    page = write_report(
        folder / "r.html",
        platform,
        path.sample(101),
        trajectory=path,
        label="demo",
        author="A. Author",
        date="2020-02-29",
        definition="kind = harmonic",
        formulations=("exact", "kane", "kane/published") if not changes else ("exact",),
        provenance=(("controller", "computed force"), ("status", "ok")),
        paper=paper,
    )
    return write_pdf(page, target)


@pytest.fixture(params=list(SIZES))
def paper(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def printed(folder: Path, paper: str) -> Path:
    return report(folder, paper)


def text_of(path: Path, *options: str) -> str:
    assert READER is not None
    done = subprocess.run([READER, *options, str(path), "-"], capture_output=True, check=True)
    return done.stdout.decode()


@needs_reader
def test_the_text_is_complete(printed: Path) -> None:
    text = text_of(printed, "-layout")
    words = " ".join(text.split())
    for title in (
        *("Result", "Loads and load cases", "Motion", "Machine", "Along the motion", "Actuators"),
        *("Joint reactions", "Workspace", "Parameters", "MACHINE FILE", "A. Author", "2020-02-29"),
        *("kind = harmonic", "computed force", f"gough {gough.__version__}"),
    ):
        assert title in words, title
    platform = gough.load("motion-base-1500")
    path = gough.trajectory.trajectory_from(demo(platform))
    assert not isinstance(path, gough.trajectory.LegTrajectory)
    peaks = abs(gough.inverse_dynamics(platform, path.sample(101)).force).max(axis=0)
    for peak in peaks:
        assert f"{peak:.0f}" in words
    share = f"{100 * peaks.max() / 15000.0:.0f} %"
    assert share in words
    toml = gough.model.files.dumps(platform)  # type: ignore[attr-defined]
    dense = re.sub(r"\s+", "", text)
    for line in toml.splitlines():
        assert re.sub(r"\s+", "", line) in dense, line


@needs_reader
def test_nothing_lies_outside_the_page_and_pages_are_numbered(printed: Path, paper: str) -> None:
    judge_pages(printed, SIZES[paper])


@needs_reader
@pytest.mark.slow
def test_a_machine_with_cranks_and_without_limits(folder: Path, paper: str) -> None:
    free = [leg.replace(limits=gough.Limits()) for leg in gough.load("servo-hexapod").legs]
    printed = report(folder, paper, "servo-hexapod", legs=free, name="cranks")
    judge_pages(printed, SIZES[paper])
    words = " ".join(text_of(printed, "-layout").split())
    assert "No limits given" in words
    assert "ithin the limits" not in words
    assert "N·m" in words


def judge_pages(printed: Path, size: tuple[int, int]) -> None:
    """Every page of that size, all text inside its margins, each numbered."""
    found = text_of(printed, "-bbox")
    pages = re.findall(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', found, re.S)
    assert len(pages) >= 4
    for number, (width, height, inside) in enumerate(pages, 1):
        assert (round(float(width)), round(float(height))) == size
        boxes = re.findall(
            r'xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)"', inside
        )
        assert boxes
        for box in boxes:
            x0, y0, x1, y1 = map(float, box)
            assert min(x0, y0) >= 20.0, box
            assert max(x1 - float(width), y1 - float(height)) <= -10.0, box
        words = re.sub(r"<[^>]+>", " ", inside).split()
        assert " ".join(words).endswith(f"page {number} of {len(pages)}")


@pytest.mark.skipif(shutil.which("pdfimages") is None, reason="NO PDF TESTS: pdfimages is missing")
def test_drawings_are_vectors(printed: Path) -> None:
    done = subprocess.run(
        ["pdfimages", "-list", str(printed)], capture_output=True, check=True, text=True
    )
    assert len(done.stdout.splitlines()) == 2, done.stdout  # the heading alone
