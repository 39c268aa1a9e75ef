"""The report that is sent: its PDF is whole, on A4, in vector form, and says what the library computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import gough
from gough.report.html import write_report
from gough.report.pdf import write_pdf
from gough.studio.motions import demo

READER = shutil.which("pdftotext")
needs_reader = pytest.mark.skipif(
    READER is None, reason="NO PDF TESTS: pdftotext is missing; `apt-get install poppler-utils`"
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pdf")
    platform = gough.load("motion-base-1500")
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
        formulations=("exact", "kane", "kane/published"),
        provenance=(("controller", "computed force"), ("status", "ok")),
    )
    return write_pdf(page, folder / "r.pdf")


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
def test_nothing_lies_outside_the_page_and_pages_are_numbered(printed: Path) -> None:
    found = text_of(printed, "-bbox")
    pages = re.findall(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', found, re.S)
    assert len(pages) >= 4
    for number, (width, height, inside) in enumerate(pages, 1):
        assert (round(float(width)), round(float(height))) == (595, 842), "A4"
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
