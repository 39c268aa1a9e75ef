"""Everything along a motion: the numbers behind the timeline of a page.

Lengths, rates, efforts by any formulation, joint reactions, condition number, energies, and the summaries that
choose actuators and bearings.  Arrays are flattened row by row (time first) for the page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.judged import at_samples, by_proof, held_kinds, unseen
from gough.analysis.marks import limit_marks
from gough.analysis.proved import proved_limits
from gough.analysis.utilisation import load_cases, utilisation
from gough.checks import Array, GoughError, InfeasibleError, InputError
from gough.dynamics import FORMULATIONS, energy, inverse_dynamics
from gough.kinematics.inverse import inverse_kinematics
from gough.limits import check
from gough.model import Platform, Spinning
from gough.results import InverseDynamics, Spin
from gough.spatial import Motion
from gough.struts import struts
from gough.trajectory.base import Trajectory

REACTIONS = (
    "spherical_force",
    "universal_force",
    "universal_moment",
    "prismatic_force",
    "prismatic_moment",
)


def solve(
    platform: Platform,
    motion: Motion,
    external: Any = None,
    formulation: str = "exact",
    engine: str = "native",
) -> InverseDynamics:
    """Inverse dynamics by name; ``kane/published`` asks for the paper as printed.  Legs that spin freely do not spin
    (`spin_note`)."""
    name, _, rest = formulation.partition("/")
    if name not in FORMULATIONS or rest not in ("", "published"):
        raise InputError("formulation", formulation, "must be one of " + ", ".join(FORMULATIONS))
    asked = {"formulation": name, "published": bool(rest), "engine": engine}
    return inverse_dynamics(platform, motion, external, spin=_no_spin(platform, motion), **asked)


def _spinning(platform: Platform) -> list[str]:
    """Legs whose spin is part of the state."""
    return [
        name
        for name, leg in zip(platform.leg_names, platform.legs, strict=True)
        if isinstance(leg, Spinning) and not leg.spin_free
    ]


def _no_spin(platform: Platform, motion: Motion) -> Spin | None:
    zero = np.zeros((*motion.shape, 6))
    return Spin(zero, zero) if _spinning(platform) else None


def spin_note(platform: Platform) -> tuple[str, ...]:
    """What is taken of legs whose spin is part of the state, in words; none where there are none."""
    names = ", ".join(_spinning(platform))
    return (f"{names}: free to spin, taken without spin (angle and rate zero)",) if names else ()


def timeline(
    platform: Platform,
    motion: Motion,
    external: Any = None,
    formulations: tuple[str, ...] = ("exact",),
    path: Trajectory | None = None,
) -> tuple[dict[str, Any], dict[str, Any], list[str], list[str]]:
    """Data, summary, refusals (limits broken) and notes for a motion with a `time` axis.

    path  the trajectory that it was taken from: then its limits are judged at every instant, not at the samples
    """
    if motion.time is None or motion.position.ndim != 2:
        raise InputError(
            "motion", motion.shape, "must be a motion over one time axis with `time` set"
        )
    notes = [*spin_note(platform)]
    t = np.asarray(motion.time)
    g = struts(platform, motion)
    if not g.reachable.all():
        first = int(np.argmin(g.reachable.all(axis=1)))
        why = [
            v.sentence
            for v in check(platform, motion.pose[first]).violations()
            if v.kind == "reach"
        ]
        raise InfeasibleError(
            f"the motion leaves the reach of the machine at t = {t[first]:.4g} s: "
            + "; ".join(why[:2])
        )
    legs = inverse_kinematics(platform, motion)
    result = solve(platform, motion, external)
    data: dict[str, Any] = {
        "t": t,
        "position": motion.position,
        "quaternion": _continuous(motion.pose.quaternion),
        "coordinate": legs.length,
        "rate": legs.rate,
        "acceleration": legs.acceleration,
        "force": {"exact": result.force},
        "power": result.force * legs.rate,
        "condition": result.condition,
        "condition_scaled": result.condition_scaled,
        "sigma_min": smallest_singular_value(result),
    }
    for name in formulations:
        if name != "exact":
            try:
                data["force"][name] = solve(platform, motion, external, name).force
            except (GoughError, ImportError, AttributeError, NotImplementedError) as error:
                notes.append(f"{name}: {error}")
    r = result.reactions
    data["spherical_vector"] = r.spherical_force.reshape(len(t), 18)
    data["reactions"] = {name: np.linalg.norm(getattr(r, name), axis=-1) for name in REACTIONS}
    data["energy"] = energies(platform, motion)
    limits = check(platform, motion, rate=legs.rate, force=result.force, geometry=g)
    data["margin"] = limits.worst
    data["leg_margin"] = limits.leg_margin
    data["broken"], data["near"] = limit_marks(limits)
    notes.extend(limits.unchecked)
    refused = [_when(v.sentence, t[v.sample]) for v in limits.violations()]
    proved: list[str] = []
    if path is None or np.ndim(external) > 1:  # a wrench that changes is known at the samples only
        notes.extend(at_samples(motion))
    else:
        proof = proved_limits(platform, path, external=external)
        refused += unseen(proof, limits.violations())
        notes.extend(by_proof(proof))
        proved = held_kinds(proof)
    judged = {"utilisation": utilisation(limits, t), "proved": proved}
    judged |= {"unchecked": list(limits.unchecked), "load_cases": load_cases(data)}
    return data, summary(platform, data) | judged, refused, notes


def smallest_singular_value(result: InverseDynamics) -> Array:
    """Of H with its moment rows divided by the characteristic length: distance to a singular pose, (...)."""
    H = np.array(result.H)
    H[..., 3:, :] /= result.characteristic_length
    return np.asarray(np.linalg.svd(H, compute_uv=False)[..., -1], dtype=float)


def energies(platform: Platform, motion: Motion) -> dict[str, Array]:
    """Kinetic, potential and total energy along the motion, J."""
    e = energy(platform, motion, spin=_no_spin(platform, motion))
    return {
        "kinetic": np.asarray(e.kinetic),
        "potential": np.asarray(e.potential),
        "total": np.asarray(e.kinetic) + np.asarray(e.potential),
    }


def summary(platform: Platform, data: dict[str, Any]) -> dict[str, Any]:
    """Peak, RMS and bearing figures per leg, and what the whole motion needs."""
    t, force, rate, power = data["t"], data["force"]["exact"], data["rate"], data["power"]
    legs = []
    for i, name in enumerate(platform.leg_names):
        legs.append(
            {
                "name": name,
                "kind": platform.kinds[i],
                "coordinate_min": float(data["coordinate"][:, i].min()),
                "coordinate_max": float(data["coordinate"][:, i].max()),
                "peak_force": float(np.abs(force[:, i]).max()),
                "rms_force": mean_power(t, force[:, i], 2),
                "peak_speed": float(np.abs(rate[:, i]).max()),
                "peak_power": float(np.abs(power[:, i]).max()),
                "rms_power": mean_power(t, power[:, i], 2),
                "reactions": {
                    k: {
                        "peak": float(v[:, i].max()),
                        "rms": mean_power(t, v[:, i], 2),
                        "cubic": mean_power(t, v[:, i], 3),
                    }
                    for k, v in data["reactions"].items()
                },
            }
        )
    worst = int(np.argmax(data["condition_scaled"]))
    return {
        "legs": legs,
        "duration": float(t[-1] - t[0]),
        "samples": len(t),
        "worst_condition": float(data["condition_scaled"][worst]),
        "worst_condition_time": float(t[worst]),
        "smallest_margin": _none(float(data["margin"].min())),
    }


def mean_power(t: Array, x: Array, p: int) -> float:
    """``(1/T int |x|^p dt)^(1/p)``, trapezium rule: RMS for p = 2, the bearing-life mean for p = 3."""
    y = np.abs(x) ** p
    if len(t) < 2 or t[-1] == t[0]:
        return float(np.mean(y) ** (1 / p))
    return float((np.sum((y[1:] + y[:-1]) / 2 * np.diff(t)) / (t[-1] - t[0])) ** (1 / p))


def flat(data: Any, digits: int | None = None) -> Any:
    """Nested arrays as flat lists for JSON; NaN and infinity as None; rounded to significant digits if asked."""
    if isinstance(data, dict):
        return {k: flat(v, digits) for k, v in data.items()}
    a = np.asarray(data, dtype=float).ravel()
    if digits is not None:
        a = np.array([float(f"{x:.{digits}g}") for x in a])
        return [
            None if not np.isfinite(x) else int(x) if x == int(x) and abs(x) < 1e9 else x
            for x in a.tolist()
        ]
    if np.isfinite(a).all():
        return a.tolist()
    return [x if np.isfinite(x) else None for x in a.tolist()]


def _continuous(q: Array) -> Array:
    """Quaternions along a path without sign jumps."""
    flips = np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return q * np.concatenate([[1.0], np.cumprod(flips)])[:, None]


def _when(sentence: str, t: float) -> str:
    return f"{sentence} (t = {t:.4g} s)"


def _none(x: float) -> float | None:
    return x if np.isfinite(x) else None
