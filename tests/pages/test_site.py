"""The site as it is built: no warning, nothing from elsewhere, no dead link, everything within two clicks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from handbook import gallery
from handbook.checking import clicks, wrong_in
from handbook.picture import TARGET, draw
from handbook.sources import site_text

FIFTEEN = {  # what people ask of a hexapod, and the page that says more
    "inverse-kinematics-with-reasons": "reach.html",
    "travel-limits": "reach.html",
    "forward-kinematics-that-never-jumps": "forward-kinematics.html",
    "pivot-and-frames": "reach.html#axes-frames-pivot",
    "leg-forces-and-sizing": "design.html",
    "forces-for-a-motion": "trajectories.html",
    "joint-reactions": "derivations/exact.html",
    "gravity-compensation": "control.html",
    "controller-design": "control.html#tuning-margins-frequency-response",
    "limited-moves": "trajectories.html",
    "motion-cueing": "cueing.html",
    "simulator-models": "export.html",
    "calibration": "metrology.html",
    "theory": "which-formulation.html",
    "geometry-optimization": "design.html",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip(
        "mkdocs", reason="the docs extra is not installed: the site is not built here"
    )
    pytest.importorskip("latex2mathml", reason="the docs extra is not installed")
    from handbook.__main__ import build

    folder = tmp_path_factory.mktemp("site")
    wrong = build(folder, gallery=False)  # `make docs` builds and checks the gallery too
    assert wrong == []  # no warning, no load from elsewhere, no dead link
    return folder.resolve()


@pytest.mark.slow
def test_the_fifteen_things_are_within_two_clicks(site: Path) -> None:
    near = clicks(site)
    for place, page in FIFTEEN.items():
        assert near[f"how-do-i.html#{place}"] == 1
        assert near[page] <= 2
    for user in ("student", "servo-rig", "precision", "control", "learning"):
        assert near[f"tutorials/{user}.html"] == 1
        assert near[f"tutorials/{user}.ipynb"] == 2


@pytest.mark.slow
def test_pages_hold_what_they_promise(site: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="images/moving.svg"' in first
    assert "<math" in (site / "derivations/newton_euler.html").read_text(encoding="utf-8")
    for path in site.rglob("*.html"):
        article = path.read_text(encoding="utf-8").split("<article")[-1]
        assert not re.search(r"\$\$|\\frac|<!-- (setup|not run)", article), path
    assert 'id="gough.inverse_dynamics"' in (site / "reference/gough.html").read_text(
        encoding="utf-8"
    )


def written(folder: Path, **pages: str) -> Path:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder.resolve()


def test_dead_links_and_loads_from_elsewhere_are_seen(tmp_path: Path) -> None:
    good = written(
        tmp_path, index='<a href="b.html#x">b</a><a href="https://a.org">out</a>', b='<p id="x">'
    )
    assert wrong_in(good) == []
    written(tmp_path, index='<a href="c.html">c</a><a href="b.html#y">y</a>')
    assert [line.split(", ")[1] for line in wrong_in(good)] == [
        "which has no such place",
        "which is not there",
    ]
    written(
        tmp_path, index='<script src="https://cdn.org/x.js"></script><img src="//cdn.org/y.png">'
    )
    assert len(wrong_in(good)) == 2
    written(
        tmp_path,
        index='<link rel="stylesheet" href="here.css"><p style="background: url(http://a.org/z)">',
    )
    (tmp_path / "here.css").write_text("@import 'https://fonts.org/f.css'; a { b: url(data:x) }")
    assert wrong_in(good) == [
        "index.html loads http://a.org/z",
        "here.css loads https://fonts.org/f.css",
    ]


def test_clicks_are_counted(tmp_path: Path) -> None:
    chain = {
        "index": '<a href="b.html">',
        "b": '<a href="c.html">',
        "c": '<a href="d.html">',
        "d": "",
    }
    assert clicks(written(tmp_path, **chain)) == {"index.html": 0, "b.html": 1, "c.html": 2}


def test_pages_of_a_git_host_become_pages_of_the_site(tmp_path: Path) -> None:
    links = "[x](../examples/hello.py) `[y](../no.md)`\n"
    text = f"Words\n- one\n- two\n\n{links}<!-- not run: why -->\n```python\n- z\n```\n"
    made = site_text(text, "docs/page.md", tmp_path)
    assert made.startswith("Words\n\n- one\n- two\n")
    assert "[x](files/examples/hello.py.txt) `[y](../no.md)`" in made
    assert (tmp_path / "files/examples/hello.py.txt").is_file()
    assert "not run" not in made
    assert "python\n- z\n" in made
    assert "(contributing.md)" in site_text("[c](../CONTRIBUTING.md)", "docs/page.md", tmp_path)
    with pytest.raises(ValueError, match="leads nowhere"):
        site_text("[c](../nowhere.md)", "docs/page.md", tmp_path)


def test_an_item_of_the_gallery_hangs_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(gallery.items()) >= 10
    assert all(item["command"].startswith("gough ") for item in gallery.items())
    one = [item for item in gallery.items() if item["file"] == "octahedral-33.png"]
    monkeypatch.setattr(gallery, "items", lambda: one)
    (tmp_path / "gallery.md").write_text(f"# G\n{gallery.PLACE}\n", encoding="utf-8")
    gallery.hang(tmp_path)
    page = (tmp_path / "gallery.md").read_text(encoding="utf-8")
    assert one[0]["command"] in page
    assert 'href="gallery/octahedral-33.png"' in page
    assert (tmp_path / "gallery/octahedral-33.png").read_bytes().startswith(b"\x89PNG")


def test_the_moving_picture_is_drawn_from_the_motion() -> None:
    """What is committed is what the command draws, up to rounding of coordinates and colors."""

    def numbers(text: str) -> list[float]:
        plain = re.sub(
            r"#[0-9a-f]{6}", lambda m: " ".join(str(b) for b in bytes.fromhex(m[0][1:])), text
        )
        return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", plain)]

    drawn, kept = draw(), TARGET.read_text(encoding="utf-8")
    assert len(kept) < 1_500_000
    assert numbers(drawn) == pytest.approx(numbers(kept), abs=1.01)
    assert re.sub(r"[\d.]+|#[0-9a-f]{6}", "", drawn) == re.sub(r"[\d.]+|#[0-9a-f]{6}", "", kept)
