"""Transmissibility drawn: how each axis of the platform answers a base that shakes along the same axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from gough.checks import InputError
from gough.report.figures import COLORS, INK, plain_axes

if TYPE_CHECKING:
    from gough.analysis.base_excitation import Transmissibility


def transmissibility_figure(found: Transmissibility, title: str = "") -> Figure:
    """Size of platform over base acceleration per axis, over frequency (Hz), both logarithmic; one pose."""
    if found.gain.ndim != 2 or (found.frequency <= 0.0).any():
        allowed = "must be of one pose, at frequencies above zero"
        raise InputError("found", f"gain of shape {found.gain.shape}", allowed)
    figure = Figure(figsize=(8.2, 4.6), dpi=150, layout="constrained")
    axes: Any = figure.subplots()
    for i, name in enumerate(found.axes):
        style = {
            "color": COLORS[i],
            "linewidth": 2.6 - 0.3 * i,
            "label": name,
        }  # alike, all are seen
        axes.loglog(found.frequency, found.gain[:, i], **style)
    axes.axhline(1.0, color=INK, linestyle=(0, (4, 2)), linewidth=0.9)
    axes.set_xlabel("frequency (Hz)", color=INK, fontsize=9)
    axes.set_ylabel("platform over base acceleration", color=INK, fontsize=9)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    plain_axes(axes)
    figure.suptitle(title or "transmissibility", color=INK, fontsize=11)
    return figure
