"""What is known of the limits along a cue, in words: a proof, looks without a proof, a broken limit, or no limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.cueing.proof import OUTSIDE
from gough.limits import KINDS, LimitCheck

PROVED, SAMPLED, BROKEN, NONE = "proved at every instant", "not proved", "broken", "no limits given"
NOT_JUDGED = (
    "reach",
    "force",
)  # reach is no limit that a machine has; efforts need masses and loads


@dataclass(frozen=True)
class CueVerdict:
    """word: one of PROVED, SAMPLED, BROKEN, NONE;  text: what that rests on."""

    word: str
    text: str

    def __str__(self) -> str:
        return f"{self.word}: {self.text}"


def judged_kinds(limits: LimitCheck) -> tuple[str, ...]:
    """Kinds of limits that the machine has and that were looked at; with the number of legs where not all have one."""
    found: list[str] = []
    for kind in KINDS:
        legs = np.isfinite(limits.margin[kind].reshape(-1, 6)).any(axis=0).sum()
        if kind not in NOT_JUDGED and legs:
            found.append(kind if legs == 6 else f"{kind} ({legs} of 6 legs)")
    return tuple(found)


def cue_verdict(limits: LimitCheck, looked: int, duration: float, doubt: str | None) -> CueVerdict:
    """Of limits at `looked` even times over `duration` (s), and the doubt of proof.py between them."""
    broken = limits.violations()
    if broken:
        first, *rest = broken
        when = first.sample * duration / (looked - 1)
        more = f"; {len(rest)} more" if rest else ""
        return CueVerdict(BROKEN, f"{first.sentence}, at t = {when:.4g} s{more}")
    kinds = ", ".join(judged_kinds(limits))
    if not kinds:
        why = limits.unchecked or ("the machine limits no stroke, cone, distance or speed",)
        return CueVerdict(NONE, f"{'; '.join(why)}: nothing was judged")
    if doubt is None:
        return CueVerdict(PROVED, kinds)
    if doubt.startswith(OUTSIDE):
        return CueVerdict(BROKEN, f"{doubt}, between the {looked} times at which {kinds} hold")
    held = f"{kinds} hold at {looked} times, nothing proved between"
    return CueVerdict(SAMPLED, f"{held}: {doubt}")
