"""The 3D view of notebooks: one piece of HTML that reaches nothing outside itself."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import gough


class Frames(HTMLParser):
    """The frames of a text, with their attributes, and everything that it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.frames: list[dict[str, str]] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "iframe":
            self.frames.append(given)
        self.loads += [given[name] for name in ("src", "href", "data") if name in given]


def seen(shown: object) -> Frames:
    return Frames(shown._repr_html_())  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def platform() -> gough.Platform:
    return gough.load("positioner-300")


def test_the_frame_holds_the_whole_page_and_loads_nothing(platform: gough.Platform) -> None:
    shown = gough.report.view(platform)
    found = seen(shown)
    assert len(found.frames) == 1
    frame = found.frames[0]
    assert frame["sandbox"] == "allow-scripts"  # no same origin, no forms, no way up
    assert frame["srcdoc"] == shown.html  # unescaped, the page is what was meant
    assert found.loads == []
    assert Frames(shown.html).loads == []
    assert "default-src 'none'" in shown.html


def test_a_drawing_stays_where_scripts_and_frames_do_not(platform: gough.Platform) -> None:
    shown = gough.report.view(platform)
    assert re.search(r"<noscript><svg .*?</svg></noscript>", shown.html, re.S)
    outside = re.sub(r"<iframe.*?</iframe>", "", shown._repr_html_(), flags=re.S)
    assert "<svg" in outside
    assert "<script" not in outside


def test_a_motion_is_replayed(platform: gough.Platform) -> None:
    path = gough.trajectory.quintic(platform.home, gough.Pose([0, 0, 0.222]), 1.0)
    from_states = gough.report.view(platform, path.sample(7))
    from_path = gough.report.view(platform, path, samples=7)
    standing = gough.report.view(platform, samples=7)
    for shown in (from_states, from_path, standing):
        assert '"timeline":null' not in shown.html
    nowhere = gough.report.view(platform.replace(home=None))
    assert '"timeline":null' in nowhere.html


def test_names_are_escaped() -> None:
    evil = '"></iframe><script>alert(1)</script>'
    shown = gough.report.view(gough.load("positioner-300").replace(name=evil))
    text = shown._repr_html_()
    assert evil not in text
    assert "<script>alert" not in text
    assert "<script>alert" not in shown.html
    assert len(seen(shown).frames) == 1


def test_it_is_written_whole(platform: gough.Platform, tmp_path: Path) -> None:
    shown = gough.report.view(platform)
    assert shown.save(tmp_path / "view.html").read_text(encoding="utf-8") == shown.html
    with pytest.raises(gough.InputError, match="existing folder"):
        shown.save(tmp_path / "nowhere" / "view.html")
    assert repr(shown) == "View('positioner-300')"
