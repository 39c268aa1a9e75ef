"""Reports and figures: HTML that opens anywhere, matplotlib figures, rich notebook representations.

Data in, pictures and pages out: what is shown is computed elsewhere.  Loaded when first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.report.cues import cue_figure as cue_figure
    from gough.report.figures import leg_lines as leg_lines
    from gough.report.figures import machine_figure as machine_figure
    from gough.report.figures import motion_figures as motion_figures
    from gough.report.figures import save_figure as save_figure
    from gough.report.forces import write_folder as write_folder
    from gough.report.fronts import front_figure as front_figure
    from gough.report.html import report_html as report_html
    from gough.report.html import write_report as write_report
    from gough.report.loops import loop_figure as loop_figure
    from gough.report.maps import map_figure as map_figure
    from gough.report.modes import modes_figure as modes_figure
    from gough.report.modes import write_gallery as write_gallery
    from gough.report.notebook_view import view as view
    from gough.report.reproduction import write_reproduction as write_reproduction
    from gough.report.run_drawing import run_figure as run_figure
    from gough.report.run_report import run_page as run_page
    from gough.report.run_report import write_run_report as write_run_report
    from gough.report.shaking import transmissibility_figure as transmissibility_figure
    from gough.report.travels import travel_figure as travel_figure
    from gough.report.workspace import workspace_figure as workspace_figure

__getattr__, __dir__ = lazy.attach(__name__)
