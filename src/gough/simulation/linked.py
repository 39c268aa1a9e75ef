"""Controllers of machines with fixed links."""

from __future__ import annotations

from gough.checks import InputError
from gough.control import Decentralized, FeedForward
from gough.control.signals import Controller, Sampling
from gough.links import links
from gough.model import Platform

SERVED = (Decentralized, FeedForward)


def check_controller(platform: Platform, controller: Controller, sampling: Sampling) -> None:
    """Refuse laws of this library that ask for accelerations which fixed links do not allow.

    Those of others are theirs to answer for: commands for links are not read.
    """
    if not len(links(platform).legs):
        return
    built_in = type(controller).__module__.startswith("gough.control.")
    if built_in and type(controller) not in SERVED:
        names = " and ".join(law.__name__ for law in SERVED)
        why = f"asks for motions that fixed links do not allow; {names} serve machines with them"
        raise InputError("controller", type(controller).__name__, why)
    if sampling.pose != "measured":
        why = 'must be "measured": a fixed link has no sensor, and no pose follows from five'
        raise InputError("sampling.pose", sampling.pose, why)
