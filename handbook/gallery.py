"""The gallery: commands of gallery.toml run at build, what they write is linked with a picture."""

from __future__ import annotations

import html
import shutil
import tomllib
from pathlib import Path

import gough
from gough.report.notebook import machine_svg
from handbook.blocks import Block
from handbook.running import run_commands, workshop

LIST = Path(__file__).with_name("gallery.toml")
PLACE = "<!-- gallery -->"


def items() -> list[dict[str, str]]:
    """What hangs in it."""
    return tomllib.loads(LIST.read_text(encoding="utf-8"))["item"]


def hang(source: Path, made: bool = True) -> None:
    """Make everything and put it into the page gallery.md of `source`; with ``made=False`` leave the page empty."""
    page = source / "gallery.md"
    cards = ""
    if made:
        folder = source / "gallery"
        folder.mkdir()
        with workshop():
            for item in items():
                run_commands(Block("sh", item["command"], 1, 1))
                cards += _card(item, folder)
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace(PLACE, f'<div class="cards">\n{cards}</div>'), encoding="utf-8")


def _card(item: dict[str, str], folder: Path) -> str:
    file = Path(item["file"])
    target = shutil.copy(file, folder / file.name)
    drawn = Path(item.get("picture", file.name))
    picture = drawn.name
    if picture.endswith(".svg"):
        platform = gough.load(picture.removesuffix(".svg"))
        drawing = machine_svg(platform).replace(
            "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1
        )
        (folder / picture).write_text(drawing, encoding="utf-8")
    elif not (folder / picture).exists():
        shutil.copy(drawn, folder / picture)
    title, text = html.escape(item["title"]), html.escape(item["text"])
    return (
        f'<div><a href="gallery/{Path(target).name}"><img src="gallery/{picture}" alt="{title}"></a>'
        f'<p><a href="gallery/{Path(target).name}"><b>{title}</b></a></p><p>{text}</p>'
        f"<p><code>{html.escape(item['command'])}</code></p></div>\n"
    )
