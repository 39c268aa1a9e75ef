"""A control loop drawn: Bode of each leg's loop, sensitivity, and how the platform gives way to a wrench."""

from __future__ import annotations

import os
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from gough.checks import Array
from gough.layout import TWIST
from gough.report.figures import COLORS, INK, plain_axes, save_figure

if TYPE_CHECKING:
    from gough.control.rest_motion import Residual
    from gough.control.stability import FrequencyResponse, Margins
    from gough.model import Platform

LINE: dict[str, Any] = {"color": INK, "linestyle": (0, (4, 2)), "linewidth": 0.9}
UP_TO = 200.0  # degrees: phases are drawn from this on down
DIRECTIONS = ("x", "y", "z")


def loop_figure(platform: Platform, response: FrequencyResponse, margins: Margins) -> Figure:
    """Four panels over frequency: gain and phase of each leg's loop (the others closed), largest sensitivity S and
    complementary sensitivity T, displacement per force and rotation per moment on the platform (same axis)."""
    w = response.omega
    figure = Figure(figsize=(8.2, 10.4), dpi=150, layout="constrained")
    grid: Any = figure.subplots(4, 1, sharex=True, height_ratios=[1.2, 1, 1, 1.2])
    gain, phase, closed, gives = grid
    legs = 1.0 / np.diagonal(response.sensitivity, axis1=1, axis2=2) - 1.0
    for i, name in enumerate(platform.leg_names):
        style = {
            "color": COLORS[i],
            "linewidth": 3.6 - 0.5 * i,
            "label": name,
        }  # alike, all are seen
        gain.loglog(w, np.abs(legs[:, i]), **style)
        phase.semilogx(w, _phase(legs[:, i]), **style)
    gain.axhline(1.0, **LINE)
    phase.axhline(-180.0, **LINE)
    low, high = phase.get_ylim()
    phase.yaxis.set_major_locator(MultipleLocator(30.0 if high - low < 180.0 else 90.0))
    for k, (name, A) in enumerate({"S": response.sensitivity, "T": response.complementary}.items()):
        largest = np.linalg.svd(A, compute_uv=False)[:, 0]
        closed.loglog(w, largest, color=COLORS[k], linewidth=1.3, label=f"{name}, largest")
    if np.isfinite(margins.together.modulus):
        label = f"1/modulus: {1 / float(margins.together.modulus):.3g}"
        closed.axhline(1 / float(margins.together.modulus), label=label, **LINE)
    _gives_way(gives, w, response)
    labels = ("gain of the loop", "phase (deg)", "sensitivity", "x, y, z: m/N;  about: rad/(N·m)")
    for axes, label in zip(grid, labels, strict=True):
        axes.set_ylabel(label, color=INK, fontsize=9)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
        axes.set_xlim(w[0], w[-1])
        plain_axes(axes)
    gives.set_xlabel("frequency (rad/s)", color=INK, fontsize=9)
    figure.suptitle(_title(platform, margins), color=INK, fontsize=10)
    return figure


def _gives_way(axes: Any, w: Array, response: FrequencyResponse) -> None:
    size = np.abs(np.diagonal(response.compliance, axis1=1, axis2=2))
    for k, name in enumerate(DIRECTIONS):
        style = {"color": COLORS[k], "linewidth": 2.6 - 0.7 * k}
        axes.loglog(w, size[:, TWIST.linear][:, k], label=f"along {name}", **style)
        axes.loglog(w, size[:, TWIST.angular][:, k], label=f"about {name}", linestyle=":", **style)


def _phase(gain: Any) -> Array:
    """Degrees, unwrapped, first value from -180 to 180; it may begin above UP_TO only by turns."""
    angle = np.degrees(np.unwrap(np.angle(gain)))
    return np.asarray(angle - 360.0 * np.ceil((angle.max() - UP_TO) / 360.0))


def _title(platform: Platform, margins: Margins) -> str:
    m, name = margins.together, platform.name or "machine"
    if not margins.stable:
        return (
            f"{name}: the loop is not stable (poles up to {float(margins.radius):.6g} per sample)"
        )
    up, down = float(m.gain_up), float(m.gain_down)
    gains = f"gain {_factor(down)} to {_factor(up)}"
    turn = "no crossing" if not isfinite(m.phase) else f"phase {np.degrees(float(m.phase)):.3g}°"
    late = "" if not isfinite(m.delay) else f", delay {1e3 * float(m.delay):.3g} ms"
    return f"{name}, all loops together: {gains}, {turn}{late}, modulus {float(m.modulus):.3g}"


def _factor(value: float) -> str:
    return (
        f"{value:.3g}"
        if 0.0 < value < np.inf
        else ("below 1/1000" if value == 0.0 else "above 1000")
    )


def loop_facts(margins: Margins, left: Residual) -> dict[str, Any]:
    """What `gough control` prints; null: none (no edge up to 1000 or down to 1/1000, no crossing, not stable)."""
    facts: dict[str, Any] = {"stable": bool(margins.stable), "largest_pole": float(margins.radius)}
    for kind, m in (("together", margins.together), ("worst_leg", margins.single)):
        least = {n: float(np.min(getattr(m, n))) for n in ("gain_up", "phase", "delay", "modulus")}
        least["gain_down"] = float(np.max(m.gain_down))
        facts |= {f"{kind}_{name}": x if isfinite(x) else None for name, x in least.items()}
    for name in ("displacement", "effort", "displacement_noise", "effort_noise"):
        values = getattr(left, name)
        facts[f"{name}_left"] = values.tolist() if np.isfinite(values).all() else None
    return facts


def write_loop(
    platform: Platform,
    response: FrequencyResponse,
    margins: Margins,
    out: str | os.PathLike[str],
) -> Path:
    """``loop.png`` in the folder `out`."""
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    return save_figure(loop_figure(platform, response, margins), folder / "loop.png")
