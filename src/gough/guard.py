"""The one guard: every answer is right, refused with its reason, or marked with how many digits are left.

Each machine function answers a `risk` beside its numbers: a squared condition number, ``|H_1^-1|_F^2`` of the wrench
matrix with columns of unit length (or that of the mass matrix), to which each leg adds ``1e4 (1/sig^2 + 1/lever^2)``
(equations/machine.py), so that one comparison finds the few states that need a closer look.  These are refused

    when a leg is at a singularity of its own (closer than `gough.reasons.SINGULAR`),
    when the condition number of H with the characteristic length exceeds `max_condition`,
    when fewer than `LEAST_DIGITS` digits are proven (gough/engines/error_bound.py),

and so is every answer that is not finite.  How many digits the others have: `gough.results.Marked`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError, InputError, kept
from gough.model import Platform, Spinning
from gough.reasons import FINE, SINGULAR, problems, sentence
from gough.results import condition_number
from gough.spatial import Motion, Pose
from gough.struts import Struts, cross, struts

MAX_CONDITION = (
    1e8  # of H with the characteristic length: beyond it at most half of the digits are left
)
SINGLE_CONDITION = 1e4  # the same in single precision, without a closer look
LEAST_DIGITS = 3.0
DEPENDENT = "the legs' directions are dependent (platform singularity)"
OVERTURNED = "a joint with springs has turned more than 150 degrees from rest"


def checked_condition(value: Any) -> float:
    """`max_condition`: a number above 1, or infinity; NaN would switch the guard off."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError("max_condition", value, "must be a number") from None
    if not number > 1.0:
        raise InputError("max_condition", value, "must be above 1; inf computes all states")
    return number


@kept
def risk_factor(platform: Platform) -> float:
    """``c`` of ``condition_number(H, characteristic length l) <= c sqrt(risk)``.

    With the moments divided by l, ``|H'| <= sqrt(6 (1 + |p|^2/l^2))``, and ``|H'^-1| <= max(1, l) sqrt(risk)``: the
    columns of H are no shorter than 1.
    """
    reach2 = float((platform.platform_joints**2).sum(axis=-1).max())
    size = platform.characteristic_length
    return math.sqrt(6.0 * (1.0 + reach2 / size**2)) * max(1.0, size)


def risk_limit(platform: Platform, max_condition: float | None = None) -> float:
    """Up to this risk a state needs no closer look: its condition number is below the limit, its legs are clear."""
    return (min(max_condition or MAX_CONDITION, MAX_CONDITION) / risk_factor(platform)) ** 2


@dataclass(frozen=True)
class Question:
    """What an answer is asked for, for the guard.

    max_condition  of H; None: the answer does not need H, only the legs
    proven         which states -> digits proven for each of them; asked only for suspects
    legs           which states -> the legs' share of the risk; asked only for the reason of a refusal
    spinning       the spins of legs that spin freely are part of the state
    otherwise      what is wrong when no leg is
    """

    max_condition: float | None = None
    proven: Callable[[NDArray[np.bool_]], Array] | None = None
    legs: Callable[[NDArray[np.bool_]], Array] | None = None
    spinning: bool = False
    otherwise: str = DEPENDENT


def sprung(platform: Platform) -> bool:
    """Some leg has springs in its joints."""
    return any(leg.springs.any for leg in platform.legs)


Finding = tuple[NDArray[np.bool_], str]
"""States (booleans of batch shape) without a trustworthy answer, and why."""


def findings(
    platform: Platform, motion: Motion | Pose, risk: Array, finite: Any, question: Question
) -> list[Finding]:
    """All states without a trustworthy answer; `risk` (...) from the kernel; `finite` (...): the whole answer is."""
    limit = risk_limit(platform, question.max_condition)
    if not motion.shape and finite and risk <= limit:
        return []
    with np.errstate(invalid="ignore"):
        broken, suspect = ~(np.isfinite(risk) & finite), np.asarray(risk > limit)
    found = [(broken, question.otherwise)]
    if broken.any() and question.legs is not None and sprung(platform):
        bent = np.zeros_like(broken)
        bent[broken] = np.isnan(question.legs(broken))
        found.insert(0, (bent, OVERTURNED))
    suspect = suspect & ~broken
    if suspect.any() and question.max_condition != np.inf:
        found += inspected(platform, motion, question, suspect)
        for bad, _ in found:
            suspect = suspect & ~bad
        if question.proven is not None and suspect.any():
            left = question.proven(suspect)
            unsure = np.zeros(suspect.shape, dtype=bool)
            unsure[suspect] = ~(left >= LEAST_DIGITS)
            why = f"fewer than {LEAST_DIGITS:g} digits are proven so close to a singularity"
            by_leg = np.zeros_like(unsure)
            if question.legs is not None and unsure.any():
                by_leg[unsure] = question.legs(unsure) > limit
            found += [(by_leg, f"{why} of a leg"), (unsure, f"{question.otherwise}: {why}")]
    return [(bad, why) for bad, why in found if bad.any()]


def inspected(
    platform: Platform,
    motion: Motion | Pose,
    question: Question,
    suspect: NDArray[np.bool_] | None = None,
) -> list[Finding]:
    """The closer look at some states (None: all): legs at their own singularities, ill-conditioned H."""
    which = np.ones(motion.shape, dtype=bool) if suspect is None else suspect
    g = struts(platform, motion[which] if motion.shape else motion)
    stuck, ill = np.zeros(which.shape, dtype=bool), np.zeros(which.shape, dtype=bool)
    stuck[which] = (leg_problems(platform, g, question.spinning) != FINE).any(axis=-1)
    found = [(stuck, question.otherwise)]
    largest = question.max_condition
    if largest is not None:
        H = np.where(np.isfinite(g.wrench_matrix), g.wrench_matrix, 0.0)
        condition = condition_number(H, platform.characteristic_length)
        ill[which] = ~(condition <= largest)
        why = f"singular: condition number {float(np.max(condition, initial=1.0)):.3g} exceeds {largest:.3g}"
        more = "pass a larger max_condition to compute the forces all the same"
        found.append((ill, f"{why}; {more}"))
    return found


def judge(
    platform: Platform, motion: Motion | Pose, risk: Array, finite: Any, question: Question
) -> None:
    """Refuse the first state that has no trustworthy answer, with its index, time, leg and cause."""
    raise_first(platform, motion, findings(platform, motion, risk, finite, question), question)


def judge_pose(platform: Platform, motion: Motion, question: Question) -> None:
    """The same for an answer that comes without a risk: every state gets the closer look."""
    if question.max_condition != np.inf:
        raise_first(platform, motion, inspected(platform, motion, question), question)


def judge_finite(platform: Platform, motion: Motion, answer: Array, question: Question) -> None:
    """Refuse the first state of an answer (..., n) that is not finite."""
    broken = np.asarray(~np.isfinite(answer).all(axis=-1))
    raise_first(platform, motion, [(broken, question.otherwise)], question)


def raise_first(
    platform: Platform,
    motion: Motion | Pose,
    found: list[Finding],
    question: Question,
    first: int = 0,
) -> None:
    """Raise for the first state that is found bad; `first` is the number of the batch's first state."""
    bad = np.zeros(motion.shape, dtype=bool)
    for states, _ in found:
        bad = bad | states
    if bad.any():
        at = np.unravel_index(int(np.argmax(bad)), bad.shape) if bad.shape else ()
        why = next(why for states, why in found if states[at])
        raise refuse(platform, motion, bad, why, question.spinning, first)


ALONG_REFERENCE = -1


def leg_problems(platform: Platform, g: Struts, spinning: bool) -> NDArray[np.intp]:
    """(..., 6) as `gough.reasons.problems`; where spins are state also `ALONG_REFERENCE`: no zero there."""
    codes = np.atleast_1d(problems(platform, g))
    if spinning:
        for i, leg in enumerate(platform.legs):
            if isinstance(leg, Spinning) and leg.reads_reference:
                lean = cross(leg.reference, g.direction[..., i, :])
                along = (lean * lean).sum(axis=-1) < SINGULAR**2
                codes[..., i] = np.where(
                    along & (codes[..., i] == FINE), ALONG_REFERENCE, codes[..., i]
                )
    return codes


def refuse(
    platform: Platform,
    motion: Motion | Pose,
    flagged: object,
    otherwise: str,
    spinning: bool = False,
    first: int = 0,
) -> InfeasibleError:
    """The error for the first flagged state (booleans of batch shape), with its index, time, leg and reason."""
    bad = np.asarray(flagged)
    index = np.unravel_index(int(np.argmax(bad)), bad.shape) if bad.shape else ()
    pose = Pose.trusted(motion.position[index], motion.rotation[index])
    g = struts(platform, pose)
    codes = leg_problems(platform, g, spinning)
    problem = otherwise
    if (codes != FINE).any():
        leg = int(np.argmax(codes != FINE))
        code = int(codes[leg])
        why = (
            "the strut lies along its `reference`, from which its spin angle is measured: choose another one"
            if code == ALONG_REFERENCE
            else sentence(platform, code, leg, g.end[leg])
        )
        problem = f"leg {platform.leg_names[leg]}: {why}"
    where = "" if not index else f"state {', '.join(str(int(i) + first) for i in index)}"
    time = getattr(motion, "time", None)
    if time is not None:
        where += f" (t = {float(time[index]):.6g} s)"
    return InfeasibleError(f"{where + ': ' if where else ''}{problem}")
