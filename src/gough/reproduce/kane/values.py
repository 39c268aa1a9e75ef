"""What [Syed] (004) states, computed on machines it may have had."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.formulations import kane, multibody
from gough.formulations.kane import partial_velocities
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.reproduce import builders
from gough.reproduce.builders import Newtons, worst
from gough.reproduce.kane.forces import (
    NAMES,
    LegAndDriveForces,
    coupling,
    leg_mass_matrix,
    motion_of,
)
from gough.reproduce.kane.machines import REFLECTED, pattern_machine, readings

PINION = 0.01  # m, chosen


def values(
    machine: Platform, driven: Platform, found: dict[str, LegAndDriveForces]
) -> dict[str, Any]:
    """Everything the claims and errata of 004 ask for."""
    return {
        **_legs(machine),
        **_drives(machine, driven, found),
        **_method(machine),
        **_errata(driven, found),
        "errors": (max((f.speed, f.percent(f.printed)) for n, f in found.items() if n in "xyz"),),
    }


def _legs(machine: Platform) -> dict[str, Any]:
    """Shares of the legs (percent of the peak) and their pattern, on every machine tried."""
    rows = [_leg_shares(platform) for platform in readings(machine).values()]
    names = list(readings(machine))
    whole = {key: [row[key] for row in rows] for key in rows[0]}
    motion = motion_of(pattern_machine(), "x", 5)[1]
    rate = inverse_kinematics(pattern_machine(), motion).rate
    return {
        **whole,
        "x_pattern_words": "; ".join(
            f"{n}: {p}" for n, p in zip(names, whole["x_pattern"], strict=True)
        ),
        "machines": names,
        "contraction_1": float(rate[0]),
        "contraction_2": float(rate[1]),
        "contraction_5": float(rate[4]),
    }


def _leg_shares(platform: Platform) -> dict[str, Any]:
    """Smallest and largest share over the six trajectories; what the legs add along z; the pattern along x."""
    share: dict[str, list[float]] = {"full": [], "lower": [], "upper": []}
    found: dict[str, Any] = {}
    uneven = []
    for name in NAMES:
        motion = motion_of(platform, name, 41)
        force = {k: kane.inverse_dynamics(platform, motion, legs=k).force for k in kane.LEGS}
        peak, none = np.abs(force["full"]).max(), force["massless"]
        added = force["full"] - none
        for part, row in share.items():
            row.append(100 * np.abs(force[part] - none).max() / peak)
        if name == "z":
            found |= {"z_uneven": np.ptp(added, axis=1).max(), "z_added": added[10].mean()}
        else:
            uneven.append(100 * np.ptp(added, axis=1).max() / np.abs(added).max())
        if name == "x":
            found["x_pattern"] = _pattern(np.abs(force["full"][10]) - np.abs(none[10]))
    least = {f"{part}_least": min(row) for part, row in share.items()}
    most = {f"{part}_most": max(row) for part, row in share.items()}
    return found | least | most | {"uneven": min(uneven)}


def _pattern(change: Array) -> str:
    up = [str(i + 1) for i in range(6) if change[i] > 0]
    down = [str(i + 1) for i in range(6) if change[i] < 0]
    return f"up {', '.join(up) or 'none'}; down {', '.join(down) or 'none'}"


def _drives(
    machine: Platform, driven: Platform, found: dict[str, LegAndDriveForces]
) -> dict[str, Any]:
    z, drive = found["z"], driven.legs[0].drive
    m_r = drive.reflected_inertia if drive else np.nan
    per_kg = [np.abs(f.rotor).max() / f.peak / m_r for f in found.values()]
    larger = [(np.abs(f.driven).max() - f.peak) / f.peak / m_r for f in found.values()]
    own, other = coupling(leg_mass_matrix(machine, "full"))
    q = z.quarter
    return {
        "reflected": REFLECTED,
        "drive": [min(per_kg) * m for m in REFLECTED],
        "drive_enough": 1 / min(per_kg),
        "larger": [100 * larger[NAMES.index("z")] * m for m in REFLECTED],
        "coupled": [100 * other / (own + m) for m in REFLECTED],
        "coupled_none": 100 * other / own,
        "coupled_enough": other / 0.05 - own,
        "z_without": z.exact[q, 0],
        "z_with": z.driven[q, 0],
        "example_kg": m_r,
        "inverse_square": m_r,
        "square": m_r * PINION**4,
    }


def _method(machine: Platform) -> dict[str, Any]:
    motion = builders.as_motion("004-x")(0.04)
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
    twice = [f.percent(f.printed) for f in found.values()]
    return {
        "vanish": Newtons(worst(vanish, z.driven), peak),
        "slip": z.slip[z.quarter, 0],
        "twice": twice,
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
