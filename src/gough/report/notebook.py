"""Rich HTML for notebooks: what ``_repr_html_`` of a platform and of results returns.

Plain tables with inline styles and no script, so that they survive in a saved notebook.
"""

from __future__ import annotations

from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.drawing import drawing
from gough.model import CRANKS, Platform
from gough.model.json_document import sheet
from gough.results import Reactions
from gough.spatial import Motion, Pose
from gough.struts import struts

if TYPE_CHECKING:
    from gough.analysis.natural_modes import NaturalModes
    from gough.analysis.state_space import StateSpace
    from gough.kinematics.assembly.answers import AssemblyModes
    from gough.kinematics.forward_results import ForwardKinematics

COLORS = ("#d6303a", "#1971c2", "#237a37", "#ad5200", "#6741d9", "#0b7285")
_CELL = "padding:2px 10px;text-align:right;border-bottom:1px solid #d3dae3"


def platform_html(platform: Platform) -> str:
    """A machine: drawing, masses, legs with their home coordinates and limits."""
    facts = sheet(platform)
    kinds = "/".join(sorted(set(platform.kinds)))
    head = (
        f"<b>{escape(platform.name or 'platform')}</b> &nbsp;6-{kinds}, moving mass {facts['moving_mass']:.4g} kg"
        + (f"<br><small>{escape(platform.source.title)}</small>" if platform.source.title else "")
    )
    home = None if platform.home is None else struts(platform, platform.home).coordinate
    rows = []
    for i, leg in enumerate(platform.legs):
        turns = isinstance(leg, CRANKS)
        k, unit = (np.degrees(1.0), "°") if turns else (1000.0, " mm")
        ends = leg.limits.stroke
        stroke = "–" if ends is None else f"{ends[0] * k:.4g} … {ends[1] * k:.4g}{unit}"
        at = "–" if home is None or not np.isfinite(home[i]) else f"{home[i] * k:.4f}{unit}"
        force = (
            "–" if leg.limits.force is None else f"{leg.limits.force:.4g} {'N m' if turns else 'N'}"
        )
        mass = f"{facts['leg_mass'][i]:.4g} kg"
        rows.append([platform.leg_names[i], platform.kinds[i], at, stroke, force, mass])
    table = _table(["leg", "type", "home", "stroke", "effort", "mass"], rows)
    picture = machine_svg(platform)
    return f'<div style="display:flex;gap:24px;align-items:center">{picture}<div>{head}{table}</div></div>'


def forces_html(
    force: Any, formulation: str = "exact", condition: Any = None, names: tuple[str, ...] = ()
) -> str:
    """Efforts of the six legs: the numbers of one state, or peak and RMS along a batch."""
    f = np.asarray(force, dtype=float)
    names = names or tuple(f"L{i + 1}" for i in range(6))
    if f.ndim == 1:
        rows = [[names[i], f"{f[i]:.6g}"] for i in range(6)]
        body = _table(["leg", "effort"], rows)
    else:
        flat = f.reshape(-1, 6)
        rows = []
        for name, leg in zip(names, flat.T, strict=True):
            figures = (leg.min(), leg.max(), np.abs(leg).max(), np.sqrt((leg**2).mean()))
            rows.append([name, *(f"{x:.6g}" for x in figures)])
        body = _table(["leg", "min", "max", "peak", "RMS"], rows)
    worst = (
        "" if condition is None else f", largest condition number {float(np.max(condition)):.4g}"
    )
    shape = "" if f.ndim == 1 else f", {int(np.prod(f.shape[:-1]))} states"
    return f"<div><b>inverse dynamics</b>, {escape(formulation)}{shape}{worst}{body}</div>"


def result_html(result: Any) -> str:
    """``_repr_html_`` of an InverseDynamics."""
    name = result.formulation + (" as printed" if result.published else "")
    return forces_html(result.force, name, result.condition_scaled)


def pose_html(pose: Pose) -> str:
    """``_repr_html_`` of a Pose: its numbers, or the range of a batch."""
    mm, deg = 1e3 * pose.position.reshape(-1, 3), np.degrees(pose.rpy).reshape(-1, 3)
    rows = [["position", *_ranges(mm), "mm"], ["roll pitch yaw", *_ranges(deg), "°"]]
    many = f", {len(mm)} poses" if pose.shape else ""
    return f"<div><b>pose</b>{many}{_table(['', 'x', 'y', 'z', ''], rows)}</div>"


def _ranges(values: Any) -> list[str]:
    """Each column (n, k) as its number, or from its least to its largest; NaN is left out."""
    known = values[~np.isnan(values).any(axis=1)]
    if not len(known):
        return ["–"] * values.shape[1]
    ends = zip(known.min(axis=0), known.max(axis=0), strict=True)
    return [f"{lo + 0.0:.6g}" if lo == hi else f"{lo:.4g} … {hi:.4g}" for lo, hi in ends]


def reactions_html(reactions: Reactions) -> str:
    """``_repr_html_`` of Reactions: the size of each, leg by leg; the largest along a batch."""
    rows = []
    for field in fields(reactions):
        sizes = np.linalg.norm(getattr(reactions, field.name), axis=-1).reshape(-1, 6)
        figures = (f"{x:.6g}" for x in sizes.max(axis=0))
        rows.append([field.name.replace("_", " "), *figures, reactions.UNITS[field.name]])
    shape = reactions.spherical_force.shape[:-2]
    many = f", largest of {int(np.prod(shape))} states" if shape else ""
    head = ["", *(f"L{i + 1}" for i in range(6)), ""]
    return f"<div><b>joint reactions</b>{many}{_table(head, rows)}</div>"


def forward_html(found: ForwardKinematics) -> str:
    """``_repr_html_`` of a ForwardKinematics: pose and proof, or how many of a batch ended how."""
    if found.info.ndim > 1:
        return f"<div><b>forward kinematics</b><br>{escape(repr(found).strip('<>'))}</div>"
    told = f"{found.status.code}; {found.proof}"
    where = pose_html(found.pose) if found.success else ""
    return f"<div><b>forward kinematics</b>, {escape(told)}{where}</div>"


def modes_html(found: AssemblyModes) -> str:
    """``_repr_html_`` of AssemblyModes: every real pose."""
    proved = "certified" if found.certified else "complete" if found.complete else "not complete"
    places = zip(found.poses.position.reshape(-1, 3), found.poses.rpy.reshape(-1, 3), strict=True)
    rows = [
        [str(k), *(f"{x + 0.0:.4f}" for x in (*(1e3 * t), *np.degrees(angles)))]
        for k, (t, angles) in enumerate(places, 1)
    ]
    head = ["mode", "x, mm", "y, mm", "z, mm", "roll, °", "pitch, °", "yaw, °"]
    told = f"{len(found)} real poses, {proved}; {found.reason}"
    return f"<div><b>assembly modes</b>, {escape(told)}{_table(head, rows)}</div>"


def natural_modes_html(found: NaturalModes) -> str:
    """``_repr_html_`` of NaturalModes: frequencies, and whether they are stable; their ranges over a batch."""
    n = found.frequency.shape[-1]
    stable = np.all(found.stable.reshape(-1, n), axis=0).tolist()
    frequency = _ranges(found.frequency.reshape(-1, n))
    rows = [[str(k + 1), frequency[k], "yes" if stable[k] else "no"] for k in range(n)]
    return f"<div><b>natural modes</b>{_table(['mode', 'frequency, Hz', 'stable'], rows)}</div>"


def state_space_html(model: StateSpace) -> str:
    """``_repr_html_`` of a StateSpace: what goes in and out, and its poles."""
    unit = "rad/s" if model.dt is None else "per sample"
    poles = model.poles if model.A.ndim == 2 else []
    rows = [["inputs", ", ".join(model.inputs)], ["outputs", ", ".join(model.outputs)]]
    rows += [[f"pole, {unit}", f"{p.real + 0.0:.5g} {p.imag + 0.0:+.5g}j"] for p in poles]
    return (
        f"<div><b>linear model</b>, {escape(repr(model).strip('<>'))}{_table(['', ''], rows)}</div>"
    )


def motion_html(motion: Motion) -> str:
    """``_repr_html_`` of a Motion: range of position, largest speeds and accelerations."""
    t = motion.time
    rows = []
    for name, unit in (
        ("position", "m"),
        ("velocity", "m/s"),
        ("angular_velocity", "rad/s"),
        ("acceleration", "m/s²"),
        ("angular_acceleration", "rad/s²"),
    ):
        a = getattr(motion, name).reshape(-1, 3)
        rows.append(
            [
                name.replace("_", " "),
                *(
                    f"{lo:.4g} … {hi:.4g}" if len(a) > 1 else f"{lo:.6g}"
                    for lo, hi in zip(a.min(axis=0), a.max(axis=0), strict=True)
                ),
                unit,
            ]
        )
    span = "" if t is None or t.size < 2 else f", {float(t.min()):.4g} … {float(t.max()):.4g} s"
    return f"<div><b>motion</b>, {int(np.prod(motion.shape))} states{span}{_table(['', 'x', 'y', 'z', ''], rows)}</div>"


def machine_svg(platform: Platform, width: int = 230, height: int = 190) -> str:
    """The machine at home, seen from the front and a little above."""
    shape = drawing(platform)
    up = np.array(shape["up"])
    side = np.cross(up, (1.0, 0.0, 0.0) if abs(up[0]) < 0.9 else (0.0, 1.0, 0.0))
    side /= np.linalg.norm(side)
    ahead = np.cross(side, up)
    right = 0.85 * ahead + 0.53 * side
    above = 0.42 * (-0.53 * ahead + 0.85 * side) + 0.907 * up
    view = np.stack([right, above], axis=1)
    start, end, base = (
        np.array(points) @ view for points in (shape["start"], shape["end"], platform.base_joints)
    )
    everything = np.vstack([start, end, base])
    low, high = everything.min(axis=0), everything.max(axis=0)
    k = min((width - 20) / max(high[0] - low[0], 1e-9), (height - 20) / max(high[1] - low[1], 1e-9))

    def at(p: Any) -> str:
        x, y = (p - (low + high) / 2) * k
        return f"{width / 2 + x:.1f} {height / 2 - y:.1f}"

    def ring(points: Any, solid: Any) -> str:
        flat = np.array(solid) @ np.stack([ahead, side], axis=1)
        middle = flat.mean(axis=0)
        order = np.argsort(np.arctan2(*(flat - middle).T[::-1]))
        return "M" + "L".join(at(points[i]) for i in order) + "Z"

    legs = "".join(
        f'<path d="M{at(b)}L{at(s)}" stroke="#8b98a9" stroke-dasharray="3 2"/>'
        f'<path d="M{at(s)}L{at(e)}" stroke="{COLORS[i]}" stroke-width="2"/>'
        for i, (b, s, e) in enumerate(zip(base, start, end, strict=True))
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" fill="none">'
        f'<path d="{ring(base, platform.base_joints)}" fill="#7f8fa633" stroke="#7f8fa6"/>{legs}'
        f'<path d="{ring(end, shape["end"])}" fill="#e2953a55" stroke="#b45f06" stroke-width="1.6"/></svg>'
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    top = "".join(f'<th style="{_CELL};color:#566373">{escape(text)}</th>' for text in head)
    cells = ("".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table style="border-collapse:collapse"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
