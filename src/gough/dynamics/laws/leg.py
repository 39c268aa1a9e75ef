"""One leg under all its laws: the effort on its coordinate, and the rates of the laws' own states.

    effort = y - springs(l) + stops(l)      y = drive force ``u - c v - f``, or the force of the series spring
The drive acts at (x, v): the leg's coordinate, or its own behind a spring.  `now` holds effort (the command),
coordinate, rate, anchor and the states of the laws in use, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gough.dynamics.laws import (
    Laws,
    friction,
    gear,
    hydraulic,
    motor,
    series,
    springs,
    states,
    stops,
)
from gough.layout import LEG_LAW

Now = Mapping[str, Any]


class Action(NamedTuple):
    """effort on the coordinate, motor's part, anchor after slipping, stop's part; the drive's force before its rotor,
    and what it transmits (equal but for a series spring)."""

    effort: Any
    motor: Any
    anchor: Any
    stop: Any
    given: Any
    transmitted: Any


def turning(laws: Laws, now: Now) -> tuple[Any, Any]:
    """Coordinate and rate at which the drive turns."""
    if "series" in laws:
        return now["drive_coordinate"], now["drive_rate"]
    return now["coordinate"], now["rate"]


def act(laws: Laws, law: Any, now: Now) -> Action:
    """Everything along one coordinate; `law` holds the rows of LEG_LAW."""
    length, rate = now["coordinate"], now["rate"]
    x, v = turning(laws, now)
    if "hydraulic" in laws:
        u = hydraulic.force(law, now)
    else:
        u = motor.effort(laws, law, now["effort"], v, now.get("current"))
    through = series.force(laws, law, x - length, v - rate) if "series" in laws else None
    up = down = friction.dry(law, v)
    if "gear" in laws:
        along, against = gear.levels(law, now["load"] if through is None else through)
        up, down = up + along, down + against
    f, anchor = friction.element(law, x, v, now["anchor"], up, down)
    given = u - law[LEG_LAW.viscous] * v - f
    through = given if through is None else through
    stop = stops.force(law, length, rate) if "stops" in laws else 0.0 * length
    effort = through - springs.force(law, length, rate) + stop
    return Action(effort, u, anchor, stop, given, through)


def rates(
    laws: Laws, law: Any, now: Now, acted: Action, acceleration: Any, lead: Any = 0.0
) -> dict[str, Any]:
    """Rates of the states of the laws; `acceleration` of the coordinate, of a rotor that rides behind a spring its own;
    `lead`: s by which the drive's new rate moves its coordinate (the step of a semi-implicit method)."""
    out: dict[str, Any] = {}
    for name in states(laws):
        if name == "load":
            out[name] = gear.load_rate(law, now["load"], acted.given, acceleration)
        elif name == "drive_coordinate":
            push = acceleration
            if "riding" not in laws:
                push = (acted.given - acted.transmitted) / law[LEG_LAW.reflected]
            out |= {name: now["drive_rate"] + lead * push, "drive_rate": push}
        elif name == "current":
            v = turning(laws, now)[1]
            out[name] = motor.current_rate(laws, law, now["effort"], v, now["current"])
        elif name == "valve":
            out |= hydraulic.rates("force_loop" in laws, law, now)
    return out


def stored(laws: Laws, law: Any, now: Now, acted: Action) -> Any:
    """Energy in friction element, stops, series spring and oil, J; the leg's own springs are counted beside it."""
    x, _ = turning(laws, now)
    total = friction.stored(law, x, acted.anchor)
    if "stops" in laws:
        total = total + stops.stored(law, now["coordinate"])
    if "series" in laws:
        total = total + series.stored(laws, law, x - now["coordinate"])
    if "hydraulic" in laws:
        total = total + hydraulic.stored(law, now)
    return total


def dissipated(laws: Laws, law: Any, now: Now, acted: Action, slip: Any) -> Any:
    """Heat of all laws, W; `slip`: rate at which the friction element's anchor slides (0 while it sticks)."""
    length, rate = now["coordinate"], now["rate"]
    x, v = turning(laws, now)
    rubbing = acted.motor - acted.given - law[LEG_LAW.viscous] * v
    total = springs.dissipated(law, rate) + law[LEG_LAW.viscous] * v * v
    total = total + friction.dissipated(law, x - acted.anchor, v, rubbing, slip)
    if "stops" in laws:
        total = total + stops.dissipated(law, length, rate)
    if "series" in laws:
        total = total + series.dissipated(laws, law, x - length, v - rate)
    if "hydraulic" in laws:
        total = total + hydraulic.dissipated(law, now)
    return total


def rotor(laws: Laws, law: Any, now: Now) -> Any:
    """Kinetic energy of a rotor that is no part of the leg's equations, J."""
    if "series" not in laws or "riding" in laws:
        return 0.0
    return 0.5 * law[LEG_LAW.reflected] * now["drive_rate"] * now["drive_rate"]
