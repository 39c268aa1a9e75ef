"""A machine in 3D inside a notebook: the report's own page in a frame that can reach nothing outside itself.

Works wherever a notebook shows HTML (Jupyter, VS Code, saved pages): no package, no server, no address to load from.
Where frames or scripts are not allowed a drawing and a table stay.
"""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path

from gough.checks import InputError
from gough.model import Platform
from gough.report.html import page, report_data
from gough.report.notebook import machine_svg, platform_html
from gough.spatial import Motion
from gough.storage import write_whole
from gough.trajectory import Trajectory, hold

REPLAY_FIRST = ".sheet>.replay{order:-1}"
PLACE = '<div id="app"></div>'
FRAME = "width:100%;height:640px;border:1px solid #d3dae3;border-radius:4px"


def view(
    platform: Platform, motion: Motion | Trajectory | None = None, *, samples: int = 201
) -> View:
    """The machine, and a motion of it with a replay, to turn and play in a notebook.

    motion   states along one time axis, or a trajectory: then its limits are proved at every instant; default: at home
    samples  taken from a trajectory

    >>> import gough
    >>> shown = gough.report.view(gough.load("positioner-300"))
    >>> shown  # in a notebook: the 3D view
    View('positioner-300')
    """
    return View(platform, motion, samples)


class View:
    """What `view` answers: HTML for notebooks (``_repr_html_``), the whole page as text, and as a file."""

    def __init__(
        self, platform: Platform, motion: Motion | Trajectory | None, samples: int
    ) -> None:
        self.platform = platform
        if motion is None and platform.home is not None:
            motion = hold(platform.home, 1.0)  # stands still, to be turned
        self._path = None if isinstance(motion, Motion) else motion
        self._motion = motion if isinstance(motion, Motion) else motion and motion.sample(samples)

    def __repr__(self) -> str:
        return f"View({self.platform.name or 'platform'!r})"

    @cached_property
    def html(self) -> str:
        """The page: scripts, styles and data inside, a drawing for where scripts do not run."""
        text = page(report_data(self.platform, self._motion, trajectory=self._path), REPLAY_FIRST)
        still = f"<noscript>{machine_svg(self.platform)}</noscript>"
        return text.replace(PLACE, PLACE + still, 1)

    def _repr_html_(self) -> str:
        frame = f'<iframe sandbox="allow-scripts" style="{FRAME}" srcdoc="{escape(self.html)}"></iframe>'
        still = f"<details><summary>as a drawing</summary>{platform_html(self.platform)}</details>"
        return f"<div>{frame}{still}</div>"

    def save(self, path: str | Path) -> Path:
        """Write the page to a file that opens by double click."""
        target = Path(path)
        if target.is_dir() or not target.parent.is_dir():
            raise InputError("path", str(path), "must be a file name in an existing folder")
        return write_whole(target, self.html)
