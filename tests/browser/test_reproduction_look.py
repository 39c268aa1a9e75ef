"""The page of the five papers in Chromium: nothing overflows a phone, figures fit a window, it prints on few pages."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gough.report.paper_figures import draw, svg
from gough.report.reproduction import page as whole_page
from gough.reproduce import PAPERS, Reproduction, reproduce
from gough.reproduce.agreement import Agreement
from gough.reproduce.codes import check_codes
from gough.reproduce.operations import table

PAGES = 40
WINDOW = 900
TOO_WIDE = """[...document.querySelectorAll("main *")].filter((x) => !x.closest(".scroll") && !x.closest("svg")
  && x.scrollWidth > x.clientWidth + 1 && x.clientWidth > 0 && getComputedStyle(x).display !== "inline")
  .map((x) => `${x.tagName} ${x.className} ${x.closest("[id]")?.id}: ${x.scrollWidth} > ${x.clientWidth}`)"""
TALL = """[...document.querySelectorAll("figure")].map((f) => [f.id, f.getBoundingClientRect().height])"""


def write(folder: Path, papers: tuple[str, ...]) -> Path:
    """The page with some of the papers, public codes and a small agreement matrix."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reports = tuple(reproduce(key) for key in papers)
    small = Agreement(("exact", "kane"), ("m",), 1, np.array([[np.nan, 1e-12], [1e-12, np.nan]]))
    found = Reproduction(reports, small, table(), check_codes())
    figures = [found.overview, *(f for r in reports for f in r.figures)]
    target = folder / "index.html"
    target.write_text(whole_page(found, {f.key: svg(draw(f)) for f in figures}), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("page"), ("000",))


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("page"), tuple(PAPERS))


def opened(browser: Any, path: Path, width: int, height: int = WINDOW) -> Any:
    found = browser.new_page(viewport={"width": width, "height": height})
    found.goto(path.as_uri())
    return found


def check_widths(browser: Any, path: Path) -> None:
    for width in (390, 1280, 1600):
        shown = opened(browser, path, width)
        wide, window = shown.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= window == width
        assert shown.evaluate(TOO_WIDE) == []
        shown.close()


def check_heights(browser: Any, path: Path) -> None:
    shown = opened(browser, path, 1280)
    for figure, height in shown.evaluate(TALL):
        assert height <= WINDOW, figure
    shown.close()


def printed_pages(browser: Any, path: Path) -> int:
    shown = opened(browser, path, 1280)
    pdf = shown.pdf(format="A4", prefer_css_page_size=True)
    shown.close()
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_nothing_overflows_and_figures_fit(browser: Any, some: Path) -> None:
    check_widths(browser, some)
    check_heights(browser, some)


def test_formulas_are_drawn_as_formulas(browser: Any, some: Path) -> None:
    """A fraction is higher than a letter: Chromium typesets the MathML instead of showing its text in a row."""
    shown = opened(browser, some, 1280)
    fraction = shown.evaluate("document.querySelector('mfrac').getBoundingClientRect().height")
    letter = shown.evaluate("document.querySelector('math mi').getBoundingClientRect().height")
    assert fraction > 1.4 * letter
    shown.close()


def test_a_planted_long_word_is_noticed(browser: Any, some: Path, tmp_path: Path) -> None:
    text = some.read_text(encoding="utf-8")
    wide = '<p style="overflow-wrap: normal">' + "overflow" * 40 + "</p>"
    planted = tmp_path / "planted.html"
    planted.write_text(text.replace("<h3", wide + "<h3", 1), encoding="utf-8")
    with pytest.raises(AssertionError):
        check_widths(browser, planted)


@pytest.mark.slow
def test_the_whole_page(browser: Any, every: Path) -> None:
    check_widths(browser, every)
    check_heights(browser, every)
    assert printed_pages(browser, every) < PAGES
