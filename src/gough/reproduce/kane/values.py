"""What [Syed] (004) states, computed on the machine found by search and over all machines searched."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.formulations import kane, multibody
from gough.formulations.kane import partial_velocities
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.reproduce import builders
from gough.reproduce.builders import Newtons, worst
from gough.reproduce.kane.control import ClosedLoop
from gough.reproduce.kane.forces import (
    LegAndDriveForces,
    coupling,
    dependence,
    leg_mass_matrix,
    motion_of,
    observed,
)
from gough.reproduce.kane.missing import PINION, stored
from gough.reproduce.kane.statements import ALWAYS, SHAPES, margins, measures
from gough.reproduce.paper_text import PaperText


def values(
    text: PaperText,
    machine: Platform,
    driven: Platform,
    found: dict[str, LegAndDriveForces],
    loops: dict[str, ClosedLoop],
) -> dict[str, Any]:
    """Everything the claims and errata of 004 ask for."""
    return {
        **_statements(text, machine, driven, loops),
        **_drives(machine, driven, found),
        **_method(machine),
        **_errata(driven, found),
        "errors": (max((f.speed, f.percent(f.printed)) for n, f in found.items() if n in "xyz"),),
    }


def _statements(
    text: PaperText, machine: Platform, driven: Platform, loops: dict[str, ClosedLoop]
) -> dict[str, Any]:
    """Measures here and their quantiles over all admissible machines; which statements are not met here."""
    searched, m_r = stored(), _reflected(driven)
    beyond = {
        "tracking": max(loop.percent("drives") for loop in loops.values()),
        **dependence(machine),
    }
    unmet: dict[str, list[str]] = {}
    here: dict[str, float] = {}
    for shape in reversed(SHAPES):  # the first is the page's
        measured = {**measures(observed(machine, m_r, shape)), **beyond}
        here = {name: float(value) for name, value in measured.items()}
        kept = margins(text, measured, [*text.paper["statements"], *text.paper["simulated"]])
        unmet[shape] = [key for key, value in kept.items() if not value >= 0]
    return {
        **{name: [value, *searched["quantiles"][name]] for name, value in here.items()},
        "here": here,
        **{k: searched[k] for k in ("share", "share_of_pattern", "machines", "admissible")},
        "pattern_machines": searched["pattern"],
        "simulated": searched["simulated"],
        "meet_all": searched["together"],
        "unmet": unmet[SHAPES[0]],
        "unmet_words": ", ".join(unmet[SHAPES[0]]) or "none",
        "unmet_others": ", ".join({k: 0 for s in SHAPES[1:] for k in unmet[s] if k != ALWAYS})
        or "none",
        "rates": inverse_kinematics(machine, motion_of(machine, "x", samples=3)).rate[1],
        "loop_without": max(loop.percent("without") for loop in loops.values()),
        "loop_model": max(loop.percent("model") for loop in loops.values()),
        "loop_constant": max(np.abs(loop.constant).max() for loop in loops.values()),
    }


def _reflected(driven: Platform) -> float:
    drive = driven.legs[0].drive
    assert drive is not None
    return drive.reflected_inertia


def _drives(
    machine: Platform, driven: Platform, found: dict[str, LegAndDriveForces]
) -> dict[str, Any]:
    z, m_r = found["z"], _reflected(driven)
    per_kg = min(np.abs(f.rotor).max() / f.peak / m_r for f in found.values())
    own, other = coupling(leg_mass_matrix(machine, "full"))
    shown = [(name, shape) for shape in SHAPES[:2] for name in ("z", "x")]
    return {
        "drive_enough": 2 / per_kg,
        "coupled_none": 100 * other / own,
        "coupled_enough": other / 0.05 - own,
        "varies": [_varies(machine, name, shape) for name, shape in shown],
        "z_without": z.exact[z.middle, 0],
        "z_with": z.driven[z.middle, 0],
        "reflected": m_r,
        "inverse_square": m_r,
        "square": m_r * PINION**4,
    }


def _varies(machine: Platform, name: str, shape: str) -> float:
    """How much the inertia force of the most loaded drive varies, percent of its largest."""
    pull = inverse_kinematics(machine, motion_of(machine, name, shape)).acceleration
    most = pull[:, np.abs(pull).max(axis=0).argmax()]
    return 100 * float(np.ptp(most) / np.abs(most).max())


def _method(machine: Platform) -> dict[str, Any]:
    motion = motion_of(machine, "x", samples=11)[4]
    leg = kane.equations(machine, motion).in_leg_space()
    struts = next(iter(partial_velocities.speeds(machine, motion).struts.values()))
    A = (struts.s[:, None, :] @ struts.tip.value)[:, 0, :] @ leg.partial
    eigen = np.linalg.eigvalsh((leg.m + leg.m.T) / 2)
    count = multibody.counts(machine)
    return {
        "a_off": np.abs(A - np.eye(6)).max(),
        "m_least": eigen.min(),
        "minus_m_least": -eigen.max(),
        "dependent": count["coordinates"] - 6,
    }


def _errata(driven: Platform, found: dict[str, LegAndDriveForces]) -> dict[str, Any]:
    z = found["z"]
    vanish = kane.inverse_dynamics(driven, z.motion, errata={"E004-1"}).force
    peak = float(np.abs(z.driven).max())
    return {
        "vanish": Newtons(worst(vanish, z.driven), peak),
        "slip": z.slip[z.middle, 0],
        "twice": [f.percent(f.printed) for f in found.values()],
        "twice_z": z.off(z.printed),
        "dasgupta_lower": dasgupta_halves("upper"),
        "dasgupta_upper": dasgupta_halves("lower"),
    }


def dasgupta_halves(kept: str) -> list[Newtons]:
    """What is lost on 001's machine, Paths I and II, if only one half of each leg is kept."""
    machine = builders.without_friction(builders.quiet_load("dasgupta-1998"))
    found = []
    for name in ("I", "II"):
        motion = builders.as_motion(f"001-{name}").sample(61)
        full = kane.inverse_dynamics(machine, motion).force
        part = kane.inverse_dynamics(machine, motion, legs=kept).force
        found.append(Newtons(worst(full, part), float(np.abs(full).max())))
    return found
