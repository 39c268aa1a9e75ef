"""Reports and figures: HTML that opens anywhere, matplotlib figures, rich notebook representations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.report.html import report_html as report_html
    from gough.report.html import write_report as write_report

__getattr__, __dir__ = lazy.attach(__name__)
