"""The texts and tables of this room that are no code: kernels.toml and variables.toml."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any

from gough.documents.source import parse_toml


@lru_cache(maxsize=4)
def table(name: str) -> dict[str, Any]:
    """``<name>.toml`` of this folder."""
    file = f"{name}.toml"
    return parse_toml(files("gough.simulation").joinpath(file).read_text(encoding="utf-8"), file)
