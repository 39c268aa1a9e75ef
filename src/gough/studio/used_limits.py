"""The used share of every kind of limit along a motion, for the page: also those that nothing limits, with the word."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.utilisation import utilisation
from gough.checks import Array
from gough.limits import KINDS, LimitCheck

NO_LIMIT, UNCHECKED, UNJUDGED = "no limit given", "given, not checked", "given, not judged here"
OUT_OF_REACH = "not known: a leg does not reach"


def used_limits(limits: LimitCheck, t: Array) -> tuple[dict[str, Any], ...]:
    """A row per kind: its legs as `utilisation` has them, or none and a word; forces unless `limits` are of a motion
    with forces are given but not judged."""
    judged = {row["kind"]: row["legs"] for row in utilisation(limits, t)}
    return tuple(
        {"kind": kind, "legs": judged.get(kind, []), "word": _word(limits, kind, kind in judged)}
        for kind in KINDS
        if kind != "reach"
    )


def _word(limits: LimitCheck, kind: str, judged: bool) -> str:
    if judged:
        return ""
    if any(f": {kind} not checked" in sentence for sentence in limits.unchecked):
        return UNCHECKED
    if kind == "force":
        given = any(leg.limits.force is not None for leg in limits.platform.legs)
        return UNJUDGED if given else NO_LIMIT
    return OUT_OF_REACH if bool(np.isfinite(limits.margin["reach"]).any()) else NO_LIMIT
