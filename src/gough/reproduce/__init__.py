"""The five papers: their figures, tables and claims against ours, as plain data (report/ draws them)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from gough.checks import InputError
from gough.reproduce.page_types import PaperReport, Progress

PAPERS = ("001", "000", "002", "003", "004")


def chosen(keys: Sequence[str]) -> tuple[str, ...]:
    """Paper keys from a command's words; none or "all" means every paper."""
    if not keys or "all" in keys:
        return PAPERS
    for key in keys:
        if key not in PAPERS:
            raise InputError("paper", key, f"must be one of {', '.join(sorted(PAPERS))} or all")
    return tuple(key for key in PAPERS if key in keys)


def reproduce(key: str, progress: Progress | None = None) -> PaperReport:
    """Everything reproduced from one paper."""
    chosen([key])
    return importlib.import_module(f"gough.reproduce.paper_{key}").reproduce(progress)
