"""Machines the studio opens: from text, and the presets with their gallery."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from gough.analysis.drawing import drawing
from gough.model import Platform
from gough.model.body import collected_warnings
from gough.model.document import parse
from gough.model.files import presets


def read_machine(text: str, label: str) -> tuple[Platform, tuple[str, ...]]:
    """A machine from TOML and what is remarkable about it, as text: no warning is issued, clients share a process."""
    with collected_warnings() as about:
        platform, notes = parse(text, label)
    return platform, tuple(dict.fromkeys([*notes, *about]))


@cache
def preset(name: str) -> tuple[Platform, tuple[str, ...]]:
    """A preset and what is remarkable about it: one object for all clients, so that what is kept of it is found."""
    text = (resources.files("gough.model") / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    return read_machine(text, name)


@cache
def gallery() -> tuple[dict[str, Any], ...]:
    """Presets with what a thumbnail needs."""
    cards = []
    for name in presets():
        platform, _ = preset(name)
        shape = drawing(platform)
        kind, title = "6-" + "/".join(sorted(set(platform.kinds))), platform.source.title
        card = {"name": name, "kind": kind, "title": title, "base": platform.base_joints.tolist()}
        cards.append(card | {key: shape[key] for key in ("start", "end", "size", "up")})
    return tuple(cards)
