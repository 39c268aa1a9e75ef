"""What may happen on the way: stroke ends, speeds, joint cones, singularity, saturation; and what to do then.

Every margin of a run is looked at after every step (watch.py); the first time that one is passed is located inside
its step: the step is taken again with a part of its length until the part at which the margin is zero is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gough import limits
from gough.checks import Array, Frozen, InputError, number
from gough.layout import LEG_MOTION, STATE, Layout
from gough.model import Platform
from gough.offset_legs import off_sphere
from gough.results import condition_number
from gough.simulation.state import Rows
from gough.spatial import Pose
from gough.status import OK, Status
from gough.struts import struts, wrench_rows

ACTIONS = ("stop", "note", "off")
MOST = 1000  # events listed of all runs together, the earliest
MARGIN = Layout(low=6, high=6, speed=6, base=6, platform=6, force=6, singular=1)
MARGINS = MARGIN.size
LOW, HIGH, SPEED, BASE, PLATFORM, FORCE, SINGULAR = (MARGIN.at(name) for name in MARGIN.names)
EVENT = {
    "low": "stroke",
    "high": "stroke",
    "base": "cone",
    "platform": "cone",
    "singular": "singularity",
}
NAME = [EVENT.get(name, name) for name, width in MARGIN.blocks() for _ in range(width)]
"""The event of each margin; margins of legs come in blocks of six."""
SENTENCES = {
    "low": "leg {leg} left its stroke (coordinate {value:.6g})",
    "high": "leg {leg} left its stroke (coordinate {value:.6g})",
    "speed": "leg {leg} left its speed limit (rate {value:.6g})",
    "base": "leg {leg} left its base cone ({value:.6g} rad from the axis)",
    "platform": "leg {leg} left its platform cone ({value:.6g} rad from the axis)",
    "force": "leg {leg} was commanded more than its drive can give ({value:.6g})",
    "singular": "the platform came near a singularity (condition number {value:.4g})",
}
AT_START = {" left ": " started beyond ", " came near ": " started near "}
LIMITED = ("stroke", "speed", "cone")  # events that say that the machine could not have done it
PARTS = 2.0**-34  # of a step: how well an instant is known inside it
LOOKS = 40  # into a step for a dip: its place is known to 1e-8 of the step


@dataclass(frozen=True, eq=False)
class Events(Frozen):
    """What to do when a limit is passed: "stop" the run there, "note" it and go on, or "off": do not look.

    stroke, speed, cone, force   the legs' own `Limits` (force: the command exceeds what the drive can give)
    singularity                  condition number of H (characteristic length) beyond `condition`
    All are looked at after every step, whatever is recorded (force: at the start of every step, when it is commanded),
    and the instant is located inside the step.  A leg that passes an end of its stroke or a cone and is back before the
    step is over is found where its way back is no slower at the end of the step than before; a speed or a condition
    that is exceeded only between two steps is not seen.  Diverging and unreachable states always end a run.
    """

    stroke: str = "note"
    speed: str = "note"
    cone: str = "note"
    singularity: str = "note"
    force: str = "note"
    condition: float = 1000.0

    def __post_init__(self) -> None:
        for name in NAMES:
            value = getattr(self, name)
            if value not in ACTIONS:
                raise InputError(f"events.{name}", value, f"must be one of {', '.join(ACTIONS)}")
        object.__setattr__(self, "condition", number("events.condition", self.condition, above=1.0))

    @property
    def stops(self) -> bool:
        """Some event ends a run."""
        return any(getattr(self, name) == "stop" for name in NAMES)

    @property
    def off(self) -> tuple[str, ...]:
        """The events that are not looked for."""
        return tuple(name for name in NAMES if getattr(self, name) == "off")


NAMES = ("stroke", "speed", "cone", "singularity", "force")


class Passed(NamedTuple):
    """A margin that a run passed for the first time: when (s), and the value there (m, rad, m/s, N, or a number)."""

    run: int
    margin: int
    time: float
    value: float

    @property
    def name(self) -> str:
        """Of the event."""
        return NAME[self.margin]

    def action(self, events: Events) -> str:
        """What is to be done."""
        return getattr(events, self.name)

    def leg(self, platform: Platform) -> str | None:
        """Name of the leg; None: the platform."""
        return None if self.margin == SINGULAR else platform.leg_names[self.margin % 6]

    def words(self, platform: Platform) -> str:
        """What happened."""
        kind = next(name for name in reversed(MARGIN.names) if MARGIN.at(name) <= self.margin)
        what = SENTENCES[kind].format(leg=self.leg(platform), value=self.value)
        for word, other in AT_START.items() if self.time == 0.0 else ():
            what = what.replace(word, other)
        return what

    def stopped(self, platform: Platform) -> Status:
        """Of the run that it ends."""
        when = f"stopped by {self.name} at t = {self.time:.6g} s"
        return Status("stopped", f"{when}: {self.words(platform)}")

    def sentence(self, platform: Platform) -> str:
        """What happened, and when."""
        return f"{self.words(platform)} at t = {self.time:.6g} s"


@np.errstate(all="ignore")  # of states that have diverged
def judged(rows: Rows, X: Array, events: Events) -> tuple[Array, Array]:
    """Margins and values (E, MARGINS) of states (rows, E) by the one judge of limits; NaN where there is no limit, and
    for forces, which are no matter of the state."""
    legs, platform = rows.kinematics(X), rows.platform
    coordinate, rate, s = (
        legs[..., at] for at in (LEG_MOTION.coordinate, LEG_MOTION.rate, LEG_MOTION.direction)
    )
    R = X[STATE.rotation].T.reshape(-1, 3, 3)
    angle, cone = limits.cone_margins(platform, s, R)
    stroke, condition = (
        limits.stroke_margin(platform, coordinate),
        conditions(rows, s, R, X[STATE.position].T)[:, None],
    )
    speed, none = (
        limits.magnitude_margin(platform, "speed", np.abs(rate)),
        np.full((len(R), 6), np.nan),
    )
    margin = [stroke, stroke, speed, *cone, none, 1.0 - condition / events.condition]
    value = [coordinate, coordinate, rate, *angle, none, condition]
    off = [name in events.off for name in NAME]
    return np.where(off, np.nan, np.concatenate(margin, axis=1)), np.concatenate(value, axis=1)


def conditions(rows: Rows, s: Array, R: Array, t: Array) -> Array:
    """Condition number of H (characteristic length) of struts along s (..., 6, 3) at rotations R and positions t."""
    if off_sphere(rows.platform):
        H = struts(rows.platform, Pose.trusted(t, R)).wrench_matrix
    else:
        q = rows.platform.platform_joints @ np.swapaxes(R, -1, -2)
        H = np.swapaxes(wrench_rows(q, s), -1, -2)
    good = np.isfinite(H).all(axis=(-1, -2))
    out = np.full(good.shape, np.nan)
    if good.any():
        with np.errstate(all="ignore"):
            out[good] = condition_number(H[good], rows.platform.characteristic_length)
    return out


def crossing(margin: Callable[[Array], Array], top: Array) -> Array:
    """(E,) parts of a step, in 0..top, at which margins that are positive at 0 and not at `top` are zero.

    The upper end of a bracket no wider than PARTS, by the ITP method [Oliveira2020]; where the signs are no bracket's,
    the end that is beyond already (0), or the only one left (top).  Every event for itself: no neighbor changes it.
    """
    low, high = np.zeros_like(top), top.copy()
    f_low, f_high = margin(low), margin(high)
    high = np.where(f_low < 0.0, 0.0, high)
    open_ = (f_low >= 0.0) & (f_high < 0.0)
    most = int(np.ceil(-np.log2(PARTS))) + 1
    for tries in range(most + 1):
        wide = high - low
        open_ &= wide > PARTS
        if not open_.any():
            break
        half = 0.5 * (low + high)
        with np.errstate(all="ignore"):
            straight = (high * f_low - low * f_high) / (f_low - f_high)
        side = np.sign(half - straight)
        nudged = straight + side * np.minimum(0.2 * wide * wide, np.abs(half - straight))
        slack = 0.5 * PARTS * 2.0 ** (most - tries) - 0.5 * wide
        at = np.where(np.abs(nudged - half) <= slack, nudged, half - side * slack)
        at = np.where(open_ & np.isfinite(at), at, half)
        f = margin(at)
        beyond = f < 0.0
        high, f_high = np.where(open_ & beyond, at, high), np.where(open_ & beyond, f, f_high)
        low, f_low = np.where(open_ & ~beyond, at, low), np.where(open_ & ~beyond, f, f_low)
    return high


def deepest(margin: Callable[[Array], Array], top: Array) -> Array:
    """(E,) parts of a step, in 0..top, at which margins that fall and rise again are least: golden section."""
    ratio = 0.5 * (np.sqrt(5.0) - 1.0)
    low, high = np.zeros_like(top), top.copy()
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    f_a, f_b = margin(a), margin(b)
    for _ in range(LOOKS):
        left = f_a < f_b
        low, high = np.where(left, low, a), np.where(left, b, high)
        inner = np.where(left, high - ratio * (high - low), low + ratio * (high - low))
        f = margin(inner)
        a, b = np.where(left, inner, b), np.where(left, a, inner)
        f_a, f_b = np.where(left, f, f_b), np.where(left, f_a, f)
    return np.where(f_a < f_b, a, b)


def as_json(platform: Platform, found: list[Passed], counts: Any, whole: list[bool]) -> str:
    """Events in order of time: run, time, name, leg (None: the platform), a sentence and, of runs that are `whole`, how
    often the margin was passed at steps."""
    out: list[dict[str, Any]] = []
    for event in sorted(found, key=lambda e: (e.time, e.run, e.margin))[:MOST]:
        about = {
            "run": event.run,
            "time": event.time,
            "name": event.name,
            "leg": event.leg(platform),
        }
        about["text"] = event.sentence(platform)
        if whole[event.run]:
            about["count"] = max(1, int(counts[event.margin, event.run]))
        out.append(about)
    return json.dumps(out)


def limits_status(platform: Platform, found: list[Passed]) -> Status:
    """Of a run that reached its end: "ok" where no limit was passed, else the first that was."""
    broken = sorted((e for e in found if e.name in LIMITED), key=lambda e: (e.time, e.margin))
    if not broken:
        return OK
    more = f", and {len(broken) - 1} more: see events" if len(broken) > 1 else ""
    return Status("limits", f"limits passed: {broken[0].sentence(platform)}{more}")


def limits_looked_at(platform: Platform, events: Events) -> str:
    """The limits that "ok" speaks of: those the machine has and that are not off."""
    given = {
        "stroke": any(leg.limits.stroke is not None for leg in platform.legs),
        "speed": any(leg.limits.speed is not None for leg in platform.legs),
        "cone": any(
            leg.limits.base_cone is not None or leg.limits.platform_cone is not None
            for leg in platform.legs
        ),
    }
    return ", ".join(name for name in LIMITED if given[name] and name not in events.off) or "none"
