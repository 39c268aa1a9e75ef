"""Which formulation answers: the exact model of this room, or a published one from the register, guarded alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gough import formulations
from gough.checks import InputError
from gough.kinematics.feasibility import ill_conditioned, refuse
from gough.kinematics.jacobian import wrench_matrix
from gough.model import Platform
from gough.reach import FINE, problems
from gough.results import InverseDynamics, Spin, condition_number
from gough.spatial import Motion
from gough.struts import struts

FORMULATIONS = ("exact", *formulations.FORMULATIONS)


def published_verb(
    verb: str, formulation: str, published: bool, spin: Spin | None
) -> Callable[..., Any] | None:
    """The function of that name in a published formulation, its options filled in; None: the exact model answers."""
    if formulation == "exact":
        if published:
            raise InputError(
                "published",
                True,
                "the exact model was not published with errors; choose a formulation",
            )
        return None
    function = formulations.verb(formulation, verb)
    if spin is None:
        return partial(function, published=published)
    if "spin" not in formulations.FORMULATIONS[formulation].ABOUT.gives:
        raise InputError(
            "spin", spin, f"{formulation} has no spinning legs; exact and multibody have"
        )
    return partial(function, published=published, spin=spin)


def guarded(
    platform: Platform,
    motion: Motion,
    answer: Callable[[], Any],
    max_condition: float = math.inf,
) -> Any:
    """What a published formulation answers, refused with the exact model's sentences.

    Refused are states with a leg problem (`gough.reach`), those beyond `max_condition` of H with the characteristic
    length, and answers that are not finite; a formulation's own refusal of an otherwise good state stands.
    """
    with np.errstate(all="ignore"):
        legs = problems(platform, struts(platform, motion.pose)) != FINE
    if legs.any():
        raise refuse(platform, motion, legs.any(axis=-1), "a leg cannot take this pose")
    if math.isfinite(max_condition):
        H = wrench_matrix(platform, motion)
        condition = condition_number(H, platform.characteristic_length)
        singular = ~(condition <= max_condition)
        if singular.any():
            sentence = ill_conditioned(float(np.max(condition)), max_condition)
            raise refuse(platform, motion, singular, sentence)
    with np.errstate(all="ignore"):
        result = answer()
    given = result.force if isinstance(result, InverseDynamics) else result
    finite = np.isfinite(given).reshape(*motion.shape, -1).all(axis=-1)
    if not finite.all():
        raise refuse(platform, motion, ~finite, "the answer is not made of finite numbers")
    return result
