"""Range of every limited quantity along a motion, leg by leg, beside what is allowed: the report of `gough limits`."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from gough.analysis.judged import at_samples, by_proof, unseen
from gough.analysis.looks import instants, sharpened
from gough.analysis.proved import UNDECIDED, ProvedLimits, proved_limits
from gough.checks import InfeasibleError
from gough.dynamics import inverse_dynamics
from gough.kinematics.jacobian import wrench_matrix
from gough.limits import KINDS, LimitCheck, allowed_range, check
from gough.model import CRANKS, Platform
from gough.spatial import Motion
from gough.trajectory.base import Trajectory

_UNITS = {
    "stroke": "m",
    "base cone": "rad",
    "platform cone": "rad",
    "distance": "m",
    "platform clearance": "m",
    "base clearance": "m",
    "speed": "m/s",
    "force": "N",
}
_UNITS_CRANK = {**_UNITS, "stroke": "rad", "speed": "rad/s", "force": "N m"}


def limit_report(
    platform: Platform, motion: Motion | Trajectory, *, proof: ProvedLimits | None = None
) -> dict[str, Any]:
    """Plain numbers: ``rows`` (leg, kind, unit, min, max, allowed, margin, time of the smallest margin), ``ok``,
    ``reasons`` and ``unchecked`` as sentences.

    motion  samples, or a trajectory: that is judged at every instant (`proved_limits`), and its rows are those of
            instants near enough to see what it does, nearer around the peaks of limited efforts
    proof   of the trajectory that the samples were taken from
    ``ok``: no limit is found broken.  ``proved``: every limit holds at every instant.  ``judged``: what is proved and
    what is only sampled, in words.  A motion that a leg cannot reach, or that is singular, has no efforts: its reason
    comes first.
    """
    if isinstance(motion, Trajectory):
        proof = proved_limits(platform, motion)
        motion = _looked(platform, motion)
    reasons: list[str] = []
    try:
        force = inverse_dynamics(platform, motion).force
    except InfeasibleError as error:
        force = None
        reasons.append(str(error))
    else:
        reasons += singular_crossings(platform, motion)
    result = check(platform, motion, force=force)
    rows = [
        row
        for leg in range(6)
        for kind in KINDS[1:]
        if (row := _row(platform, motion, result, leg, kind))
    ]
    reasons += [said for said in result.sentences() if said not in reasons]
    if proof is not None:
        reasons += unseen(proof, result.violations())
    return {
        "machine": platform.name,
        "ok": not reasons,
        "proved": proof is not None and proof.ok is True,
        "judged": _judged(motion, proof),
        "rows": rows,
        "reasons": reasons,
        "unchecked": list(result.unchecked),
    }


def _judged(motion: Motion, proof: ProvedLimits | None) -> list[str]:
    if proof is None:
        return list(at_samples(motion))
    opened = any(v.status == UNDECIDED for v in proof.of("force"))
    return [*by_proof(proof), *(at_samples(motion, "efforts") if opened else ())]


def _limits_forces(platform: Platform) -> bool:
    return any(leg.limits.force is not None for leg in platform.legs)


def _looked(platform: Platform, path: Trajectory) -> Motion:
    """Samples near enough to one another, nearer around the largest efforts where those are limited."""
    t = instants(path)
    if _limits_forces(platform):
        with suppress(InfeasibleError):  # no efforts: the report says why
            t = sharpened(t, lambda at: inverse_dynamics(platform, path(at)).force)
    return path(t)


def singular_crossings(platform: Platform, motion: Motion) -> list[str]:
    """Sentences for the samples between which ``det H`` changes its sign: a singular pose lies between them."""
    if motion.position.ndim != 2 or len(motion.position) < 2:
        return []
    sign = np.sign(np.linalg.det(wrench_matrix(platform, motion)))
    said = []
    for k in np.nonzero(sign[1:] * sign[:-1] < 0)[0].tolist():
        where = f"samples {k} and {k + 1}"
        if motion.time is not None:
            where = f"t = {motion.time[k]:.6g} s and {motion.time[k + 1]:.6g} s"
        said.append(f"the motion crosses a singular pose of the platform between {where}")
    return said


def _row(
    platform: Platform, motion: Motion, result: LimitCheck, leg: int, kind: str
) -> dict[str, Any] | None:
    """One leg and kind; None when there is nothing to say about it."""
    value = result.value[kind].reshape(-1, 6)[:, leg]
    known = value[np.isfinite(value)]
    if not known.size:
        return None
    margin = result.margin[kind].reshape(-1, 6)[:, leg]
    limited = bool(np.isfinite(margin).any())
    worst = int(np.nanargmin(margin)) if limited else 0
    time = None if motion.time is None or not limited else float(motion.time.reshape(-1)[worst])
    units = _UNITS_CRANK if isinstance(platform.legs[leg], CRANKS) else _UNITS
    return {
        "leg": platform.leg_names[leg],
        "kind": kind,
        "unit": units[kind],
        "min": float(known.min()),
        "max": float(known.max()),
        "allowed": _allowed(platform, result, leg, kind),
        "margin": float(margin[worst]) if limited else None,
        "time": time,
    }


def _allowed(
    platform: Platform, result: LimitCheck, leg: int, kind: str
) -> tuple[float | None, float | None]:
    if kind == "distance":
        near = np.unique(result.partner.reshape(-1, 6)[:, leg])
        return max(
            (allowed_range(platform, kind, leg, int(k))[0] for k in near if k >= 0), default=0.0
        ) or None, None
    low, high = allowed_range(platform, kind, leg)
    if kind.endswith("clearance"):
        return low or None, None
    return low if kind == "stroke" and np.isfinite(high) else None, high if np.isfinite(
        high
    ) else None
