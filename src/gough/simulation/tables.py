"""The texts and tables of this room that are no code: kernels.toml and variables.toml."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=4)
def table(name: str) -> dict[str, Any]:
    """``<name>.toml`` of this folder."""
    return tomllib.loads(
        files("gough.simulation").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    )
