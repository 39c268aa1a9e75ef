"""Reports and figures: HTML that opens anywhere, matplotlib figures, rich notebook representations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough.report.html import report_html as report_html
    from gough.report.html import write_report as write_report

_LAZY = {"report_html": "gough.report.html", "write_report": "gough.report.html"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'gough.report' has no attribute {name!r}")
