"""What may happen on the way: stroke ends, speeds, joint cones, singularity, saturation; and what to do then."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, Frozen, InputError, number
from gough.layout import LEG_MOTION, STATE
from gough.limits import broken
from gough.model import Platform
from gough.results import condition_number
from gough.simulation import leg_law
from gough.simulation.state import Rows
from gough.struts import wrench_rows

Flags = NDArray[np.bool_]
ACTIONS = ("stop", "note", "off")


@dataclass(frozen=True, eq=False)
class Events(Frozen):
    """What to do when a limit is passed: "stop" the run there, "note" it and go on, or "off".

    stroke, speed, cone, force   the legs' own `Limits` (force: the command exceeds what the drive can give)
    singularity                  condition number of H (characteristic length) beyond `condition`
    Diverging and unreachable states always end a run.  Events are seen at the recorded instants.
    """

    stroke: str = "note"
    speed: str = "note"
    cone: str = "note"
    singularity: str = "note"
    force: str = "note"
    condition: float = 1000.0

    def __post_init__(self) -> None:
        for name in NAMES:
            if getattr(self, name) not in ACTIONS:
                raise InputError(
                    f"events.{name}", getattr(self, name), f"must be one of {', '.join(ACTIONS)}"
                )
        object.__setattr__(self, "condition", number("events.condition", self.condition, above=1.0))

    @property
    def stops(self) -> bool:
        """Some event ends a run."""
        return any(getattr(self, name) == "stop" for name in NAMES)


NAMES = ("stroke", "speed", "cone", "singularity", "force")


@dataclass(frozen=True)
class Event:
    """One event of one run: when it began, which leg (None: the platform), and a sentence."""

    run: int
    time: float
    name: str
    leg: str | None
    text: str


@dataclass(eq=False)
class Kinematics:
    """Legs along recorded states: (K, n, 6) coordinates and rates, (K, n, 6, 3) directions, (K, n) condition."""

    length: Array
    rate: Array
    direction: Array
    condition: Array


def kinematics(rows: Rows, states: Array) -> Kinematics:
    """Legs of states (K, rows, n); NaN where the state is."""
    K, _, n = states.shape
    out = rows.kinematics(np.moveaxis(states, 1, 0).reshape(states.shape[1], K * n))
    coordinate, rate, direction = (
        out[..., at] for at in (LEG_MOTION.coordinate, LEG_MOTION.rate, LEG_MOTION.direction)
    )
    return legs(rows, states, coordinate, rate, direction)


def legs(rows: Rows, states: Array, coordinate: Array, rate: Array, direction: Array) -> Kinematics:
    """The same of legs that are known already; adds the condition number of H."""
    K, _, n = states.shape
    s = direction.reshape(K, n, 6, 3)
    R = np.moveaxis(states[:, STATE.rotation], 1, -1).reshape(K, n, 3, 3)
    H = np.swapaxes(wrench_rows(rows.platform.platform_joints @ np.swapaxes(R, -1, -2), s), -1, -2)
    good = np.isfinite(H).all(axis=(-1, -2))
    condition = np.full((K, n), np.nan)
    if good.any():
        with np.errstate(all="ignore"):
            condition[good] = condition_number(H[good], rows.platform.characteristic_length)
    return Kinematics(coordinate.reshape(K, n, 6), rate.reshape(K, n, 6), s, condition)


def passed(
    rows: Rows, found: Kinematics, states: Array, command: Array, law: Array, condition: float
) -> dict[str, Flags]:
    """Which limits are passed: (K, n, 6) per leg, (K, n, 1) for the singularity."""
    platform = rows.platform
    R = np.moveaxis(states[:, STATE.rotation], 1, -1).reshape(*found.length.shape[:2], 3, 3)
    out = broken(platform, found.length, found.rate, found.direction, R)
    u = np.moveaxis(command, 1, 0)  # (6, K, n or 1)
    with np.errstate(invalid="ignore"):
        given = leg_law.motor_force(law[:, :, None, :], u, np.moveaxis(found.rate, -1, 0))
        out["force"] = np.moveaxis(leg_law.clipped(given, u), 0, -1) & np.isfinite(found.rate)
        out["singularity"] = (found.condition > condition)[..., None]
    return out


def collect(
    platform: Platform,
    events: Events,
    flags: dict[str, Flags],
    times: Array,
    found: Kinematics,
    limit: int = 1000,
) -> list[Event]:
    """The beginnings of all noted events, in order of time."""
    out: list[Event] = []
    for name, flag in flags.items():
        if getattr(events, name) == "off":
            continue
        before = np.concatenate([np.zeros_like(flag[:1]), flag[:-1]])
        for k, run, leg in zip(*np.nonzero(flag & ~before), strict=True):
            leg_name = None if name == "singularity" else platform.leg_names[leg]
            out.append(
                Event(
                    int(run),
                    float(times[k]),
                    name,
                    leg_name,
                    _sentence(name, leg_name, found, k, run, leg),
                )
            )
    return sorted(out, key=lambda e: (e.time, e.run, e.name))[:limit]


def first_stop(events: Events, flags: dict[str, Flags], runs: int) -> NDArray[np.intp]:
    """Per run the first record at which a stopping event holds, or -1."""
    first = np.full(runs, -1, dtype=np.intp)
    for name, flag in flags.items():
        if getattr(events, name) != "stop":
            continue
        hit = flag.any(axis=2)
        at = np.where(hit.any(axis=0), hit.argmax(axis=0), -1)
        first = np.where((at >= 0) & ((first < 0) | (at < first)), at, first)
    return first


def _sentence(name: str, leg: str | None, found: Kinematics, k: int, run: int, i: int) -> str:
    if name == "singularity":
        return f"near a singularity: condition number {found.condition[k, run]:.4g}"
    what = {
        "stroke": f"coordinate {found.length[k, run, i]:.6g} leaves the stroke",
        "speed": f"rate {found.rate[k, run, i]:.6g} exceeds the limit",
        "cone": "a joint leaves its cone",
        "force": "the command exceeds what the drive can give",
    }[name]
    return f"leg {leg}: {what}"


def to_json(events: list[Event]) -> str:
    """Events as a JSON list, for file attributes."""
    return json.dumps([vars(e) for e in events])
