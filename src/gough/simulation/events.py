"""What may happen on the way: stroke ends, speeds, joint cones, singularity, saturation; and what to do then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, Frozen, InputError, number
from gough.layout import LEG_MOTION, STATE
from gough.results import condition_number
from gough.simulation import leg_law
from gough.simulation.machines import broken_by
from gough.simulation.state import Rows
from gough.struts import wrench_rows

if TYPE_CHECKING:
    from gough.simulation.job import Job, Steps

Flags = NDArray[np.bool_]
ACTIONS = ("stop", "note", "off")
MOST = 1000  # events kept of all runs together, the earliest
SENTENCES = {
    "stroke": "leg {leg}: coordinate {length:.6g} leaves the stroke",
    "speed": "leg {leg}: rate {rate:.6g} exceeds the limit",
    "cone": "leg {leg}: a joint leaves its cone",
    "force": "leg {leg}: the command exceeds what the drive can give",
    "singularity": "near a singularity: condition number {condition:.4g}",
}


@dataclass(frozen=True, eq=False)
class Events(Frozen):
    """What to do when a limit is passed: "stop" the run there, "note" it and go on, or "off".

    stroke, speed, cone, force   the legs' own `Limits` (force: the command exceeds what the drive can give)
    singularity                  condition number of H (characteristic length) beyond `condition`
    Diverging and unreachable states always end a run, whatever the records.  Events are seen at the recorded instants
    only: what begins and ends between two of them stays unseen.  The answer's attribute ``record_interval`` (s) says
    how far apart they are: one step by default, more where all runs together would exceed 200,000 records.
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


NAMES = ("stroke", "speed", "cone", "singularity", "force")


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
    wanted = LEG_MOTION.coordinate, LEG_MOTION.rate, LEG_MOTION.direction
    return legs(rows, states, *(out[..., at] for at in wanted))


def legs(rows: Rows, states: Array, coordinate: Array, rate: Array, direction: Array) -> Kinematics:
    """The same of legs that are known already; adds the condition number of H."""
    K, _, n = states.shape
    s = direction.reshape(K, n, 6, 3)
    R = np.moveaxis(states[:, STATE.rotation], 1, -1).reshape(K, n, 3, 3)
    H = np.swapaxes(
        wrench_rows(rows.of_legs(lambda leg: leg.joint) @ np.swapaxes(R, -1, -2), s), -1, -2
    )
    good = np.isfinite(H).all(axis=(-1, -2))
    condition = np.full((K, n), np.nan)
    if good.any():
        with np.errstate(all="ignore"):
            size = [machine.characteristic_length for machine in rows.machines]
            size = np.broadcast_to(np.array(size)[:, None, None], (K, n, 1, 1))
            condition[good] = condition_number(H[good], size[good])
    return Kinematics(coordinate.reshape(K, n, 6), rate.reshape(K, n, 6), s, condition)


def passed(
    job: Job, found: Kinematics, index: Steps, states: Array, command: Array
) -> dict[str, Flags]:
    """Which limits are passed at the steps `index`: (K, n, 6) per leg, (K, n, 1) for the singularity."""
    R = np.moveaxis(states[:, STATE.rotation], 1, -1).reshape(*found.length.shape[:2], 3, 3)
    out = broken_by(job.rows.machines, found.length, found.rate, found.direction, R)
    out["force"], laws = np.zeros(found.rate.shape, dtype=bool), job.law_at(index)
    with np.errstate(invalid="ignore"):
        for i in np.unique(laws):
            pick = laws == i
            u, rate = np.moveaxis(command[pick], 1, 0), np.moveaxis(found.rate[pick], -1, 0)
            given = leg_law.motor_force(job.laws[i][1][:, :, None, :], u, rate)
            clipped = leg_law.clipped(given, u) & np.isfinite(rate)
            out["force"][pick] = np.moveaxis(clipped, 0, -1)
        out["singularity"] = (found.condition > job.plant.events.condition)[..., None]
    return out


def as_json(job: Job, flags: dict[str, Flags], time: Array, found: Kinematics) -> str:
    """The beginnings of all events that are not off, in order of time: a list of run, time, name, leg (None: the
    platform) and a sentence."""
    out = []
    for name, flag in flags.items():
        if getattr(job.plant.events, name) == "off":
            continue
        before = np.concatenate([np.zeros_like(flag[:1]), flag[:-1]])
        for k, run, i in zip(*np.nonzero(flag & ~before), strict=True):
            leg = None if name == "singularity" else job.rows.platform.leg_names[i]
            about = {"length": found.length[k, run, i], "rate": found.rate[k, run, i]}
            text = SENTENCES[name].format(leg=leg, condition=found.condition[k, run], **about)
            when = {"run": int(run), "time": float(time[k])}
            out.append({**when, "name": name, "leg": leg, "text": text})
    return json.dumps(sorted(out, key=lambda e: (e["time"], e["run"], e["name"]))[:MOST])


def first_stop(flags: dict[str, Flags], runs: int) -> NDArray[np.intp]:
    """Per run the first record at which one of the flags holds, or -1."""
    hit = np.zeros((1, runs), dtype=bool)
    for flag in flags.values():
        hit = hit | flag.any(axis=2)
    return np.where(hit.any(axis=0), hit.argmax(axis=0), -1)
