"""How much of each limit a motion uses, and the instants that ask most of the actuators.

Used share u, 1 on the limit, by the margin mu of `gough.limits` at the worst sample of each leg:

    stroke                  u = 1 - 2 mu                0 in the middle of the stroke, 1 at either end
    force, speed, cones     u = 1 - mu                  value over what is allowed
    distance, clearances    u = 1 / (1 + mu)            needed distance over the distance there is

These are looked up at the samples and prove nothing between them; what is proved is said beside them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.clearances import CLEARANCES
from gough.limits import KINDS, LimitCheck, allowed_range

APART = ("distance", *CLEARANCES)


def used_share(kind: str, margin: Array) -> Array:
    """The used share of a limit of that kind from its margin; infinite where bodies touch or pass each other."""
    if kind == "stroke":
        return 1.0 - 2.0 * margin
    if kind not in APART:
        return 1.0 - margin
    with np.errstate(divide="ignore"):
        return np.where(margin > -1.0, 1.0 / np.maximum(1.0 + margin, 0.0), np.inf)


def utilisation(limits: LimitCheck, t: Array) -> list[dict[str, Any]]:
    """Per kind of limit that any leg has: of each leg the largest share (None: no such limit), its value, what is
    allowed, and when, SI; `limits` of a motion over one time axis `t`."""
    rows = []
    for kind in KINDS:
        margin = limits.margin[kind]
        if kind == "reach" or np.isnan(margin).all():
            continue
        legs = [_leg(limits, kind, leg, t) for leg in range(6)]
        rows.append({"kind": kind, "legs": legs})
    return rows


def _leg(limits: LimitCheck, kind: str, leg: int, t: Array) -> dict[str, Any] | None:
    margin = limits.margin[kind][:, leg]
    if np.isnan(margin).all():
        return None
    k = int(np.nanargmin(margin))
    other = int(limits.partner[k, leg]) if kind == "distance" else None
    low, high = allowed_range(limits.platform, kind, leg, other)
    share = float(used_share(kind, margin[k]))
    return {
        "share": share if np.isfinite(share) else None,
        "broken": bool(margin[k] < 0.0),
        "value": float(limits.value[kind][k, leg]),
        "low": float(low) if np.isfinite(low) else None,
        "high": float(high) if np.isfinite(high) else None,
        "time": float(t[k]),
    }


def load_cases(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The samples at which an actuator effort is largest in size, in order of time, with all six efforts and the
    platform's position: the load cases of frames and bearings."""
    force, t = data["force"]["exact"], data["t"]
    peaks = np.abs(force).argmax(axis=0)
    return [
        {
            "time": float(t[k]),
            "legs": np.nonzero(peaks == k)[0].tolist(),
            "position": data["position"][k].tolist(),
            "quaternion": data["quaternion"][k].tolist(),
            "force": force[k].tolist(),
        }
        for k in np.unique(peaks).tolist()
    ]
