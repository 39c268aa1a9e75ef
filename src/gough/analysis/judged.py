"""What a verdict on a motion rests on, in words: a proof at every instant, or samples and no proof between them."""

from __future__ import annotations

from collections.abc import Iterable

from gough.analysis.looks import contradiction
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED, ProvedLimits
from gough.limits import Violation
from gough.spatial import Motion


def at_samples(motion: Motion, what: str = "limits") -> tuple[str, ...]:
    """Of samples alone; and where they contradict one another, that."""
    count = motion.position.size // 3
    said = f"{what} judged at {count} samples, no proof between them"
    broken = contradiction(motion)
    return (said,) if broken is None else (said, broken)


def held_kinds(proof: ProvedLimits) -> list[str]:
    """Kinds of limits that every leg is proved to keep."""
    kinds = dict.fromkeys(v.kind for v in proof.verdicts)
    return [kind for kind in kinds if all(v.status == HOLDS for v in proof.of(kind))]


def by_proof(proof: ProvedLimits) -> tuple[str, ...]:
    """Kinds of limits that are proved to hold, and those that are left open, with the reason."""
    kinds = list(dict.fromkeys(v.kind for v in proof.verdicts))
    held = held_kinds(proof)
    said = [f"proved at every instant: {', '.join(held)}"] if held else []
    for kind in kinds:
        opened = [v for v in proof.of(kind) if v.status == UNDECIDED]
        reasons = dict.fromkeys(v.sentence.partition(f"{kind}: ")[2] for v in opened)
        said += [f"{kind}: {reason}" for reason in reasons]
    return tuple(said)


def unseen(proof: ProvedLimits, seen: Iterable[Violation]) -> list[str]:
    """Sentences on limits that are proved broken and that samples do not show."""
    known = {(v.kind, leg) for v in seen for leg in (v.leg, v.other)}
    return [
        v.sentence
        for v in proof.verdicts
        if v.status == BROKEN and not any((v.kind, leg) in known for leg in v.legs)
    ]
