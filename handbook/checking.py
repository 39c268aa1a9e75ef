"""What a built site must keep: nothing is loaded from elsewhere, no link is dead, everything is near the first page."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}
LOADING = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest", "preconnect"}
STYLE_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


@dataclass
class Page:
    """What a page loads, where it leads, and the places in it that can be led to."""

    loads: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.places |= {given[name] for name in ("id", "name") if name in given}
        if tag in LOADS and LOADS[tag] in given:
            self.page.loads.add(given[LOADS[tag]])
        if tag == "link" and LOADING & set(given.get("rel", "").split()):
            self.page.loads.add(given.get("href", ""))
        if tag == "a" and "href" in given:
            self.page.links.add(given["href"])
        self.page.loads |= _styled(given.get("style", ""))


def read_page(path: Path) -> Page:
    """A page of the site."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def _styled(text: str) -> set[str]:
    found = (a or b for a, b in STYLE_URL.findall(text))
    return {address for address in found if not address.startswith(("data:", "#"))}


def wrong_in(site: Path) -> list[str]:
    """Every load from elsewhere and every dead link, in words."""
    pages = {path: read_page(path) for path in sorted(site.rglob("*.html"))}
    said = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for address in sorted(page.loads):
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                said.append(f"{name} loads {address}")
            elif not _target(path, address).exists():
                said.append(f"{name} loads {address}, which is not there")
        for address in sorted(page.links):
            said += _dead(path, name, address, pages)
    for path in sorted(site.rglob("*.css")):
        said += [
            f"{path.relative_to(site).as_posix()} loads {address}"
            for address in sorted(_styled(path.read_text(encoding="utf-8")))
            if urlsplit(address).scheme or urlsplit(address).netloc
        ]
    return said


def _target(path: Path, address: str) -> Path:
    inner = unquote(urlsplit(address).path)
    return Path(os.path.normpath(path.parent / inner)) if inner else path


def _dead(path: Path, name: str, address: str, pages: dict[Path, Page]) -> list[str]:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return []
    target = _target(path, address)
    if not target.is_file():
        return [f"{name} leads to {address}, which is not there"]
    place = unquote(parts.fragment)
    if place and target in pages and place not in pages[target].places:
        return [f"{name} leads to {address}, which has no such place"]
    return []


def clicks(site: Path, start: str = "index.html", most: int = 2) -> dict[str, int]:
    """Pages (and places in them, ``page.html#place``) by how many clicks they are away, up to `most`."""
    found, edge = {start: 0}, [start]
    for count in range(1, most + 1):
        after: list[str] = []
        for name in edge:
            path = site / name.split("#")[0]
            for address in read_page(path).links if path.suffix == ".html" else ():
                parts = urlsplit(address)
                if parts.scheme or parts.netloc:
                    continue
                target = _target(path, address).relative_to(
                    site.resolve() if path.is_absolute() else site
                )
                reached = target.as_posix() + (
                    f"#{unquote(parts.fragment)}" if parts.fragment else ""
                )
                if reached not in found:
                    found[reached] = count
                    after.append(reached)
        edge = after
    return found
