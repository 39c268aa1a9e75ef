"""The laws by name, once: scenario files, the tuner and the studio read this table.

A law is made from a model, its bandwidth (rad/s) and its own keys; `keys` says how a scenario file writes them.  To add
one: write its file, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gough.checks import InputError
from gough.control.adaptive import AdaptivePayload
from gough.control.admittance import Admittance
from gough.control.computed_force import ComputedForce
from gough.control.decentralized import Decentralized
from gough.control.disturbance_observer import DisturbanceObserver
from gough.control.feed_forward import FeedForward
from gough.control.gravity import GravityCompensation
from gough.control.impedance import Impedance
from gough.control.lqr import LQR
from gough.control.signals import Controller
from gough.control.sliding_mode import SlidingMode
from gough.documents import kinds as k
from gough.documents.source import did_you_mean

_number = k.scalar("pure number", minimum=0)
_damping = {"damping": k.scalar("pure number", above=0)}
_six = k.numbers("must be six numbers", 6)


class RegisteredLaw(NamedTuple):
    """How a law is made: ``make(model, bandwidth=w, **given)``, and its keys in a scenario file."""

    make: Callable[..., Controller]
    keys: dict[str, Any]


def _impedance(
    model: Any, bandwidth: float | None = None, stiffness: Any = None, **more: Any
) -> Impedance:
    """By its stiffness, or by its bandwidth."""
    if (bandwidth is None) == (stiffness is None):
        raise InputError("stiffness", stiffness, "must be given, or bandwidth, one of both")
    if stiffness is not None:
        return Impedance.critically_damped(model, stiffness, **more)
    return Impedance.from_bandwidth(model, bandwidth, **more)  # type: ignore[arg-type]


LAWS = {
    "decentralized": RegisteredLaw(
        Decentralized.from_bandwidth, {**_damping, "integral": _number, "feed_forward": k.flag}
    ),
    "computed-force": RegisteredLaw(
        ComputedForce, {**_damping, "integral": _number, "space": k.choice(("task", "leg"))}
    ),
    "disturbance-observer": RegisteredLaw(
        DisturbanceObserver, {**_damping, "observer": k.bandwidth(above=0)}
    ),
    "feed-forward": RegisteredLaw(FeedForward, _damping),
    "gravity": RegisteredLaw(GravityCompensation, _damping),
    "impedance": RegisteredLaw(_impedance, {**_damping, "stiffness": _six}),
    "admittance": RegisteredLaw(
        Admittance.from_bandwidth, {**_damping, "stiffness": _six, "wrench": _six}
    ),
    "sliding-mode": RegisteredLaw(SlidingMode, {"robustness": _six}),
    "lqr": RegisteredLaw(LQR.from_bandwidth, {**_damping, "rate": k.scalar("frequency", above=0)}),
    "adaptive": RegisteredLaw(
        AdaptivePayload, {"adaptation": _number, "largest": k.scalar("pure number", minimum=3)}
    ),
}


def law_of(name: str) -> Callable[..., Controller]:
    """How the law of that name is made."""
    if name not in LAWS:
        raise InputError("law", name, f"{did_you_mean(name, LAWS)}must be one of {', '.join(LAWS)}")
    return LAWS[name].make
