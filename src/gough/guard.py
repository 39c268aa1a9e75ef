"""The one guard: every answer is right, refused with its reason, or marked with how many digits are left.

Each machine function answers a `risk` beside its numbers: a squared condition number, ``|H_1^-1|_F^2`` of the wrench
matrix with columns of unit length (or that of the mass matrix), to which each leg adds ``1e4 (1/sig^2 + 1/lever^2)``
(equations/machine.py), so that one comparison finds the few states that need a closer look.  These are refused

    when a leg is at a singularity of its own (closer than `gough.reach.SINGULAR`),
    when the condition number of H with the characteristic length exceeds `max_condition`,
    when fewer than `LEAST_DIGITS` digits are proven (gough/engines/error_bound.py),

and so is every answer that is not finite.  How many digits the others have: `gough.results.Marked`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InfeasibleError, InputError, kept
from gough.model import SPS, Platform
from gough.reach import FINE, SINGULAR, problems, sentence
from gough.results import condition_number
from gough.spatial import Motion, Pose
from gough.struts import Struts, cross, struts

MAX_CONDITION = (
    1e8  # of H with the characteristic length: beyond it at most half of the digits are left
)
LEAST_DIGITS = 3.0
DEPENDENT = "the legs' directions are dependent (platform singularity)"

Bound = Callable[[NDArray[np.bool_]], Array]
"""Which states -> the digits proven for each of them."""


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
    """``c`` of ``condition_number(H, characteristic length) <= c sqrt(risk)``.

    ``|H_1| <= sqrt(6)``; the lengths of the columns differ by at most ``sqrt(1 + |p|^2)``; dividing the moments by a
    length changes the condition by at most that length or its inverse.
    """
    reach2 = float((platform.platform_joints**2).sum(axis=-1).max())
    size = platform.characteristic_length
    return math.sqrt(6.0 * (1.0 + reach2)) * max(size, 1.0 / size)


def risk_limit(platform: Platform, max_condition: float = MAX_CONDITION) -> float:
    """Up to this risk a state needs no closer look: its condition number is below the limit, its legs are clear."""
    return (min(max_condition, MAX_CONDITION) / risk_factor(platform)) ** 2


def judge(
    platform: Platform,
    motion: Motion | Pose,
    risk: Array,
    *,
    finite: NDArray[np.bool_] | bool = True,
    max_condition: float | None = None,
    proven: Bound | None = None,
    spinning: bool = False,
    otherwise: str = DEPENDENT,
) -> None:
    """Refuse the first state that has no trustworthy answer, with its index, time, leg and cause.

    risk, finite   (...) the kernel's risk; is the whole answer finite?
    max_condition  None: the answer does not need H, only the legs
    proven         digits proven for some states; asked only for suspects
    spinning       the spins of SPS legs are part of the state
    """
    limit = risk_limit(platform, MAX_CONDITION if max_condition is None else max_condition)
    if not motion.shape and finite and risk <= limit:
        return
    bad = ~(np.isfinite(risk) & finite)
    if bad.any():
        raise refuse(platform, motion, bad, otherwise, spinning)
    suspect = np.asarray(risk > limit)
    if not suspect.any() or max_condition == np.inf:
        return
    inspect(platform, motion, suspect, max_condition=max_condition, spinning=spinning)
    if proven is not None:
        left = proven(suspect)
        bad[suspect] = ~(left >= LEAST_DIGITS)
        if bad.any():
            why = f"only {float(np.min(left)):.1f} digits are proven so close to a singularity"
            raise refuse(platform, motion, bad, f"{otherwise}: {why}", spinning)


def inspect(
    platform: Platform,
    motion: Motion | Pose,
    suspect: NDArray[np.bool_] | None = None,
    *,
    max_condition: float | None = None,
    spinning: bool = False,
) -> None:
    """The closer look at some states (None: all): refuse legs at their own singularities, and ill-conditioned H."""
    if max_condition == np.inf:
        return
    which = np.ones(motion.shape, dtype=bool) if suspect is None else suspect
    g = struts(platform, motion[which] if motion.shape else motion)
    bad = np.zeros(which.shape, dtype=bool)
    bad[which] = (leg_problems(platform, g, spinning) != FINE).any(axis=-1)
    if bad.any():
        raise refuse(platform, motion, bad, DEPENDENT, spinning)
    if max_condition is not None:
        condition = condition_number(g.wrench_matrix, platform.characteristic_length)
        bad[which] = ~(condition <= max_condition)
        if bad.any():
            worst = f"condition number {float(np.max(condition)):.3g} exceeds {max_condition:.3g}"
            more = "pass a larger max_condition to compute the forces all the same"
            raise refuse(platform, motion, bad, f"singular: {worst}; {more}", spinning)


def finite(platform: Platform, motion: Motion | Pose, answer: Array) -> Array:
    """The answer (..., n), or the error for its first state that is not finite."""
    bad = ~np.isfinite(answer).all(axis=-1)
    if bad.any():
        raise refuse(platform, motion, bad, DEPENDENT)
    return answer


ALONG_REFERENCE = -1


def leg_problems(platform: Platform, g: Struts, spinning: bool) -> NDArray[np.intp]:
    """(..., 6) as `gough.reach.problems`; where spins are state also `ALONG_REFERENCE`: the angle has no zero there."""
    codes = np.atleast_1d(problems(platform, g))
    if spinning:
        for i, leg in enumerate(platform.legs):
            if isinstance(leg, SPS):
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
    where = "" if not index else f"state {', '.join(str(int(i)) for i in index)}"
    time = getattr(motion, "time", None)
    if time is not None:
        where += f" (t = {float(time[index]):.6g} s)"
    return InfeasibleError(f"{where + ': ' if where else ''}{problem}")
