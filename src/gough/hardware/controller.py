"""The emulated hexapod controller: what it does with one line of text, and where its machine is.

No socket and no thread is here: `answer(client, line)` takes a line and gives the line to send back, and `clock` says
what time it is (seconds, never backwards).  The machine is ideal: it is where its planned motion says.
Lines, units, frames and error codes: docs/controller.md; the table of verbs is `VERBS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gough.analysis.proved import proved_limits
from gough.checks import Array, GoughError, InputError
from gough.hardware.lines import ERRORS, LineError, numbers, options, said, words
from gough.hardware.planning import (
    MoveLimits,
    PlannedMove,
    RefusedMoveError,
    asked,
    plan_move,
    same,
    stopped,
)
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Frames, Platform
from gough.spatial import Motion, Pose
from gough.trajectory.point_to_point import PointToPoint

LENGTHS, ANGLES = {"M": 1.0, "MM": 1e-3}, {"RAD": 1.0, "DEG": np.pi / 180.0}
ANSWERS = {True: "YES", False: "NO", None: "UNPROVED"}
MOVE_OPTIONS = ("SPEED", "RATE")


class HexapodController:
    """A machine that is told what to do line by line.

    platform  the machine; it must have a home, where it starts
    limits    of its moves (default: `MoveLimits.usual`);  clock  s (default: the system's, which never goes back)
    scale     how many seconds of the machine pass in one of the clock's
    """

    def __init__(
        self,
        platform: Platform,
        *,
        limits: MoveLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
        scale: float = 1.0,
    ) -> None:
        if not isinstance(platform, Platform):
            raise InputError("platform", platform, "must be a gough.Platform")
        if not 0.0 < scale < np.inf:
            raise InputError("scale", scale, "must be positive")
        self.platform, self.limits = platform, limits or MoveLimits.usual(platform)
        self._clock, self._scale = clock, scale
        self.frames = platform.frames or Frames()
        if self.frames.convention == "quaternion":
            self.frames = self.frames.replace(convention="rpy")  # lines have three angles
        self._rest = platform.require_home()
        refuse = asked(platform, self._rest, self._rest)
        if not refuse.within:
            raise InputError("platform", platform.name, f"home is refused: {refuse.sentences[0]}")
        self._plan: PlannedMove | None = None
        self._way: PointToPoint | None = None
        self._begun, self._moves, self._stopping, self._proved = 0.0, 0, False, True
        self.owner: object | None = None
        self._length, self._angle = "M", "RAD"

    # where it is

    def now(self) -> float:
        """The machine's time, s."""
        return self._clock() * self._scale

    def motion(self) -> Motion:
        """Where it is and how it moves; a move that is over becomes the pose it rests in."""
        if self._way is not None:
            t = self.now() - self._begun
            if t < self._way.duration:
                return self._way(max(t, 0.0))
            self._rest = self._way(self._way.duration).pose
            self._way = self._plan = None
            self._stopping = False
        return Motion.at_rest(self._rest)

    @property
    def state(self) -> str:
        """IDLE, MOVING or STOPPING."""
        self.motion()
        return "IDLE" if self._way is None else "STOPPING" if self._stopping else "MOVING"

    # what it answers

    def answer(self, client: Any, line: Any) -> str:
        """One line for one line, whatever it says; without the end of line."""
        try:
            if not isinstance(line, str):
                raise LineError("ARGUMENT", "must be text")
            verb, given = words(line)
            if verb not in VERBS:
                known = ", ".join(VERBS)
                raise LineError("UNKNOWN", f"no such command; there are {known}")
            owner_only, do = VERBS[verb]
            if owner_only is True or (owner_only is None and given):
                self._own(client)
            return said("OK", do(self, client, given))
        except LineError as error:
            return f"ERR {ERRORS[error.code]} {error.code} {said(str(error))}"
        except RefusedMoveError as error:
            return f"ERR {ERRORS[error.code]} {error.code} {said(str(error))}"
        except GoughError as error:
            return f"ERR {ERRORS['ARGUMENT']} ARGUMENT {said(str(error))}"

    def leave(self, client: object) -> None:
        """A client is gone: what it owns is free, and a move that it began is stopped."""
        if self.owner is client:
            self._stop()
            self.owner = None

    def _own(self, client: object) -> None:
        if self.owner is None:
            self.owner = client
        elif self.owner is not client:
            raise LineError("OWNED", "another client owns the motion until it says RELEASE")

    def _still(self) -> Pose:
        """The pose it rests in."""
        if self.state != "IDLE":
            raise LineError("BUSY", "it is moving: wait for IDLE, or STOP it")
        return self._rest

    # places in the units and frames of the lines

    def _scales(self) -> Array:
        return np.repeat([LENGTHS[self._length], ANGLES[self._angle]], 3)

    def _place(self, given: list[str]) -> Pose:
        six = numbers(given, 6) * self._scales()
        return self.frames.pose(six[:3], six[3:])

    def _numbers(self, pose: Pose) -> str:
        six = np.concatenate(self.frames.numbers(pose)) / self._scales()
        return " ".join(f"{x + 0.0:.9g}" for x in six)

    # the verbs

    def _version(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        return f"gough-controller 1 {self.platform.name or 'platform'}"

    def _position(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        return self._numbers(self.motion().pose)

    def _legs(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        legs = inverse_kinematics(self.platform, self.motion().pose).length
        return " ".join(f"{x:.9g}" for x in legs)

    def _status(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        state = self.state
        left = 0.0 if self._way is None else self._way.duration - (self.now() - self._begun)
        who = "FREE" if self.owner is None else "YOURS" if self.owner is client else "OWNED"
        return f"{state} {self._moves} {left:.6g} {who}"

    def _move(self, client: object, given: list[str]) -> str:
        given, chosen = options(given, MOVE_OPTIONS)
        return self._go(self._place(given), chosen)

    def _move_by(self, client: object, given: list[str]) -> str:
        given, chosen = options(given, MOVE_OPTIONS)
        six = numbers(given, 6) * self._scales()
        at, turned = self.frames.numbers(self._still())
        return self._go(self.frames.pose(at + six[:3], turned + six[3:]), chosen)

    def _home(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        return self._go(self.platform.require_home(), {})

    def _go(self, end: Pose, chosen: dict[str, float]) -> str:
        start = self._still()
        limits = self.limits
        if "SPEED" in chosen:
            limits = limits.replace(speed=chosen["SPEED"] * LENGTHS[self._length])
        if "RATE" in chosen:
            limits = limits.replace(rate=chosen["RATE"] * ANGLES[self._angle])
        if limits.speed > self.limits.speed or limits.rate > self.limits.rate:
            raise LineError("LIMITS", "faster than LIMIT allows")
        if same(self.platform, start, end):
            self._moves += 1
            return f"{self._moves} 0 1"
        self._plan = plan_move(self.platform, start, end, limits)
        self._way, self._begun, self._stopping = self._plan.trajectory, self.now(), False
        self._moves += 1
        return f"{self._moves} {self._way.duration:.6g} {self._plan.share:.6g}"

    def _can(self, client: object, given: list[str]) -> str:
        found = asked(self.platform, self._ends(), self._place(given))
        return f"{ANSWERS[found.reachable]} {'; '.join(found.sentences)}"

    def _ends(self) -> Pose:
        """Where it will rest, as far as it is known."""
        self.motion()
        return self._rest if self._way is None else self._way(self._way.duration).pose

    def _stop_line(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        return self._stop()

    def _stop(self) -> str:
        """Slow down on the way; how long it takes, and what is proved of it."""
        self.motion()
        if self._way is None or self._plan is None:
            return "IDLE 0"
        t = self.now() - self._begun
        if t <= 0.0:  # not begun
            self._way = self._plan = None
            return "IDLE 0"
        if not self._stopping:
            slow = stopped(self._plan, t)
            if slow is not None:
                self._way, self._begun = slow, self._begun + t
            self._stopping = True
            proof = None if slow is None else proved_limits(self.platform, slow)
            self._proved = proof is None or proof.ok is True
        left = self._way.duration - (self.now() - self._begun)
        return f"STOPPING {max(left, 0.0):.6g} {'PROVED' if self._proved else 'UNPROVED'}"

    def _limit(self, client: object, given: list[str]) -> str:
        if given:
            name, value = given[0].upper(), numbers(given[1:], 1)[0]
            scales = dict(zip(LIMITS, self._limit_scales(), strict=True))
            if name not in LIMITS:
                raise LineError("ARGUMENT", f"no such limit; there are {', '.join(LIMITS)}")
            self.limits = self.limits.replace(**{LIMITS[name]: value * scales[name]})
        values = [getattr(self.limits, field) for field in LIMITS.values()]
        pairs = zip(LIMITS, values, self._limit_scales(), strict=True)
        return " ".join(f"{name} {value / k:.9g}" for name, value, k in pairs)

    def _limit_scales(self) -> list[float]:
        return [LENGTHS[self._length]] * 3 + [ANGLES[self._angle]] * 3

    def _strokes(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        each = [leg.limits.stroke for leg in self.platform.legs]
        return " ".join("- -" if s is None else f"{s[0]:.9g} {s[1]:.9g}" for s in each)

    def _pivot(self, client: object, given: list[str]) -> str:
        if given:
            self._still()
            none = [word.upper() for word in given] == ["NONE"]
            pivot = None if none else numbers(given, 3) * LENGTHS[self._length]
            self.frames = self.frames.replace(pivot=pivot)
        pivot = self.frames.pivot
        if pivot is None:
            return "NONE"
        return " ".join(f"{x / LENGTHS[self._length]:.9g}" for x in pivot)

    def _work(self, client: object, given: list[str]) -> str:
        return self._frame("work", given)

    def _tool(self, client: object, given: list[str]) -> str:
        return self._frame("tool", given)

    def _frame(self, name: str, given: list[str]) -> str:
        plain = Frames(convention=self.frames.convention)
        if given:
            self._still()
            six = numbers(given, 6) * self._scales()
            self.frames = self.frames.replace(**{name: plain.pose(six[:3], six[3:])})
        six = np.concatenate(plain.numbers(getattr(self.frames, name))) / self._scales()
        return " ".join(f"{x + 0.0:.9g}" for x in six)

    def _units(self, client: object, given: list[str]) -> str:
        if given:
            told = [word.upper() for word in given]
            if len(told) != 2 or told[0] not in LENGTHS or told[1] not in ANGLES:
                raise LineError("ARGUMENT", "UNITS takes M or MM, then RAD or DEG")
            self._length, self._angle = told
        return f"{self._length} {self._angle}"

    def _claim(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        return "YOURS"

    def _release(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        self.owner = None
        return "FREE"

    def _help(self, client: object, given: list[str]) -> str:
        numbers(given, 0)
        return " ".join(VERBS)


LIMITS = {
    "SPEED": "speed",
    "ACCELERATION": "acceleration",
    "JERK": "jerk",
    "RATE": "rate",
    "ANGULAR-ACCELERATION": "angular_acceleration",
    "ANGULAR-JERK": "angular_jerk",
}
_C = HexapodController
VERBS: dict[str, tuple[bool | None, Callable[[Any, object, list[str]], str]]] = {
    "VERSION": (False, _C._version),
    "HELP": (False, _C._help),
    "POS": (False, _C._position),
    "LEGS": (False, _C._legs),
    "STATUS": (False, _C._status),
    "CAN": (False, _C._can),
    "STROKES": (False, _C._strokes),
    "STOP": (False, _C._stop_line),  # whoever sees the danger
    "MOVE": (True, _C._move),
    "MOVEBY": (True, _C._move_by),
    "HOME": (True, _C._home),
    "LIMIT": (None, _C._limit),
    "PIVOT": (None, _C._pivot),
    "WORK": (None, _C._work),
    "TOOL": (None, _C._tool),
    "UNITS": (None, _C._units),
    "CLAIM": (True, _C._claim),
    "RELEASE": (True, _C._release),
}
"""Verb -> whether only the owner of the motion may say it (None: with numbers; alone it asks), and what it does."""
