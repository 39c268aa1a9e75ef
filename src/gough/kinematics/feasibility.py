"""Why a pose cannot be taken: reach, dead points and universal-joint singularities, leg by leg, with a sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError
from gough.model import PUS, RUS, SPS, UPS, Leg, Platform
from gough.spatial import Motion, rotation_exp

SINGULAR = 1e-6  # sine of the smallest angle between strut and universal axis, and of the dead-point angles


def leg_problem(leg: Leg, p: Array) -> str | None:
    """A sentence if the leg cannot serve its platform joint at p (world axes, m), else None."""
    if isinstance(leg, PUS):
        return _slider_problem(leg, p - leg.base)
    if isinstance(leg, RUS):
        return _crank_problem(leg, p - leg.base)
    strut = p - leg.base
    length = float(np.linalg.norm(strut))
    if length < 1e-12:
        return "base and platform joint coincide"
    if isinstance(leg, UPS):
        return _universal_problem(leg.axis, strut / length)
    return None


def _universal_problem(k: Array, s: Array) -> str | None:
    if np.linalg.norm(np.cross(k, s)) < SINGULAR:
        return "the strut lies along the universal joint's first axis (universal-joint singularity)"
    return None


def _slider_problem(leg: PUS, P: Array) -> str | None:
    Pe = float(P @ leg.rail)
    distance = float(np.linalg.norm(P - Pe * leg.rail))
    if distance > leg.length:
        return f"out of reach: the platform joint is {distance:.6g} m from the rail, the link is {leg.length:.6g} m"
    if np.sqrt(leg.length**2 - distance**2) < SINGULAR * leg.length:
        return "the link is perpendicular to the rail (rail singularity)"
    slider = Pe - leg.assembly * np.sqrt(leg.length**2 - distance**2)
    return _universal_problem(leg.axis, (P - slider * leg.rail) / leg.length)


def _crank_problem(leg: RUS, P: Array) -> str | None:
    e = leg.shaft
    h = float(e @ leg.arm)
    up = leg.arm - h * e
    A, B = float(P @ up), float(P @ np.cross(e, up))
    N = np.hypot(A, B)
    D = (P @ P + leg.arm @ leg.arm - leg.length**2) / 2 - h * (e @ P)
    if N < 1e-12:
        return "the platform joint lies on the shaft axis: the crank angle is undetermined"
    if D > N:
        return "out of reach: the rod is too short to bridge crank tip and platform joint"
    if D < -N:
        return "out of reach: the rod is too long, the platform joint is too near the shaft"
    X = leg.elbow * np.sqrt(N * N - D * D)
    angle = float(np.arctan2((B * D + A * X) / N**2, (A * D - B * X) / N**2))
    turn = rotation_exp(angle * e)
    s = (P - turn @ leg.arm) / leg.length
    if abs(s @ np.cross(e, turn @ leg.arm)) < SINGULAR * np.linalg.norm(up):
        return "the rod lies in the plane of shaft and crank arm (dead point)"
    return _universal_problem(turn @ leg.axis, s)


def pose_problem(platform: Platform, position: Array, rotation: Array) -> str | None:
    """The first leg problem at one pose, with the leg's name, or None."""
    for leg, name in zip(platform.legs, platform.leg_names, strict=True):
        problem = leg_problem(leg, position + rotation @ leg.joint)
        if problem:
            return f"leg {name}: {problem}"
    return None


def universal_singular(platform: Platform, coordinate: Array, direction: Array) -> NDArray[np.bool_]:
    """States (batch shape) in which some strut lies along its universal joint's first axis."""
    bad = np.zeros(coordinate.shape[:-1], dtype=bool)
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, SPS):
            continue
        k = leg.axis
        if isinstance(leg, RUS):
            k = rotation_exp(coordinate[..., i, None] * leg.shaft) @ leg.axis
        bad |= (np.cross(k, direction[..., i, :]) ** 2).sum(axis=-1) < SINGULAR**2
    return bad


def refuse(platform: Platform, motion: Motion, flagged: object, otherwise: str) -> InfeasibleError:
    """The error for the first flagged state (booleans of batch shape), with its index, time and reason."""
    bad = np.asarray(flagged)
    index = np.unravel_index(int(np.argmax(bad)), bad.shape) if bad.shape else ()
    problem = pose_problem(platform, motion.position[index], motion.rotation[index]) or otherwise
    where = "" if not index else f"state {', '.join(str(int(i)) for i in index)}"
    if motion.time is not None:
        where += f" (t = {float(motion.time[index]):.6g} s)"
    return InfeasibleError(f"{where + ': ' if where else ''}{problem}")
