"""Coordinates that go on beyond half a turn from home in a run: angles of cranks, travels of screws on wound-up legs.

A screw's coordinate is the leg's length and its twist's share ``h (phi - phi_s)``, which changes by a lead per turn:
what is read follows the share from sample to sample (each in the turn nearest to the one before), never the coordinate,
which may well change by more than a lead.  Only what is read, asked for and recorded goes on: see docs/simulation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.equations.kinds import KINDS, PULLING
from gough.equations.machine import ANGULAR, offsets
from gough.equations.ucu import pair_at
from gough.equations.vec import Frame, Vec
from gough.kinematics.inverse import going_on
from gough.layout import LEG_LAW, STATE
from gough.model import CRANKS, Platform
from gough.simulation.closed_laws import REFERENCE, SENSED
from gough.simulation.state import Rows, orthogonal
from gough.spatial import Motion
from gough.status import Status
from gough.struts import struts
from gough.twist import TURN, leads, screw_shares, screwed

LEG_LENGTHS = REFERENCE.leg_length
# rows of laws that read a coordinate
READ = ("stiffness", "stop_stiffness", "series_stiffness", "play", "coulomb")
UNSEEN = "cranks or screws went on beyond half a turn from home, where limits, springs and dry friction lose them"


def traced_shares(kinds: tuple[str, ...], state: Sequence[Any], par: Sequence[Any]) -> list[Any]:
    """Shares of the six twists, then what a whole turn adds to each, m; zero without a screw.  For kernels."""
    t, r = Vec(*state[:3]), state[3:12]
    R = Frame(*(Vec(r[k], r[3 + k], r[6 + k]) for k in range(3)))
    shares, turns = [], []
    for kind, start in zip(kinds, offsets(kinds), strict=False):
        share, turn = 0.0, 0.0
        if kind in PULLING:
            leg = KINDS[kind].data(par, start)
            twist = pair_at(leg, t + R.world(leg.joint), R).twist(leg)
            share, turn = leg.screw * (twist + leg.start), leg.screw * TURN
        shares.append(share)
        turns.append(turn)
    return [*shares, *turns]


def winds(kinds: Sequence[str]) -> bool:
    """Some leg may have a screw: its kernels tell the shares of the twists."""
    return any(kind in PULLING for kind in kinds)


def shares(rows: Rows, X: Array) -> Array:
    """(6, n) of the states in rows, in home's turn."""
    if not screwed(rows.platform):
        return np.zeros((6, X.shape[1]))
    pose = rows.motion(X).pose
    if not rows.several:
        return screw_shares(rows.platform, struts(rows.platform, pose)).T
    return np.stack([screw_shares(m, struts(m, pose[i])) for i, m in enumerate(rows.machines)], -1)


def begin(rows: Rows, model: Platform, reference: Array, start: Motion, sensed: Array) -> None:
    """Put the first readings (rows of SENSED) into the turn of the reference's first sample (rows of REFERENCE)."""
    cranks = np.flatnonzero([kind in ANGULAR for kind in rows.kinds])
    wanted, now = reference[LEG_LENGTHS][cranks], sensed[SENSED.play]
    now[cranks] += TURN * np.rint((wanted - now[cranks]) / TURN)
    if not screwed(rows.platform):
        return
    lead = np.stack([leads(m) for m in rows.machines], axis=-1)  # (6, n or 1)
    screws, wound = lead.any(axis=1), sensed[SENSED.wound]
    due = screw_shares(model, struts(model, start.pose)).T
    turns = np.rint((due - wound)[screws] / lead[screws])
    wound[screws] += lead[screws] * turns


def in_home_turn(model: Platform, sensed: Array, length: Array) -> Array:
    """Readings (n, 6) as forward kinematics counts them: travels of screws within half a turn of home."""
    lead = leads(model)
    if not lead.any():
        return length
    home = screw_shares(model, struts(model, model.likely_home))
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = np.rint((sensed[SENSED.wound].T - home) / lead)
    return length - np.where(lead == 0.0, 0.0, lead * turns)


def recorded(rows: Rows, time: Array, states: Array, length: Array, rate: Array) -> Array | None:
    """(K, n, 6) coordinates of records that go on; None where records lie too far apart to follow them."""
    out = length.copy()
    for i in range(length.shape[1]):
        last = int(
            np.isfinite(length[:, i]).all(axis=-1).sum()
        )  # nothing is told after the end of a run
        parts = (STATE.position, STATE.rotation, STATE.velocity, STATE.angular_velocity)
        t, R, v, w = (states[:last, at, i] for at in parts)
        own = Motion.trusted(t, orthogonal(R.reshape(-1, 3, 3)), v, w, time=time[:last])
        machine = rows.machines[i] if rows.several else rows.platform
        try:
            out[:last, i] = going_on(machine, own, length[:last, i], rate[:last, i])
        except InfeasibleError:
            return None
    return out


def worded(time: Array, length: Array, found: Array | None) -> tuple[Array, str]:
    """Coordinates to be told, of those in home's turn and those that go on (None: not known), and a word on them."""
    if found is None:
        return length, "do not go on: records lie too far apart to count turns"
    beyond = (np.isfinite(length) & (found != length)).any(axis=(-2, -1))
    if not beyond.any():
        return length, "are not reached"
    last = time[max(int(np.argmax(beyond)) - 1, 0)]
    why = "limits, laws of the drives and torsion springs do not: wrong after"
    return found, f"go on; {why} t = {last:g} s"


def seen_until(time: Array, length: Array, found: Array | None) -> Array:
    """(n,) per run the last record before some coordinate is beyond half a turn from home; infinite: none is."""
    if found is None:
        return np.full(length.shape[1], np.inf)
    beyond = (np.isfinite(length) & (found != length)).any(axis=-1)
    last = time[np.maximum(beyond.argmax(axis=0) - 1, 0)]
    return np.where(beyond.any(axis=0), last, np.inf)


def turns(platform: Platform) -> list[bool]:
    """Per leg: a crank, or a screw that turns with the platform."""
    lead = leads(platform)
    return [isinstance(leg, CRANKS) or bool(lead[i]) for i, leg in enumerate(platform.legs)]


def judged(platform: Platform, laws: Sequence[Array], off: Sequence[str]) -> bool:
    """Some crank or screw has a stroke that is looked at (not `off`), or laws and springs that read its coordinate."""
    turn = turns(platform)
    legs = [leg for leg, may in zip(platform.legs, turn, strict=True) if may]
    if any(leg.springs.any for leg in legs):
        return True
    if "stroke" not in off and any(leg.limits.stroke is not None for leg in legs):
        return True
    return any(law[getattr(LEG_LAW, name)][turn].any() for law in laws for name in READ)


def qualified(status: Status, before: Status, until: float) -> Status:
    """What is said of a run with a coordinate beyond half a turn; `before`: of its limits until then."""
    if until == np.inf:
        return status
    said = f"not known after t = {until:.6g} s: {UNSEEN}"
    if status.code in ("ok", "limits"):
        return Status("beyond", f"{said}; until then: {before}")
    return Status(status.code, f"{status}; {said}")


def turning(rows: Rows) -> bool:
    """Some coordinate may go on beyond half a turn."""
    return screwed(rows.platform) or any(kind in ANGULAR for kind in rows.kinds)
