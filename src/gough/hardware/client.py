"""A client of the emulated controller: a method for each line, errors as exceptions with the protocol's code."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gough.checks import GoughError
from gough.hardware.closing import Closing
from gough.hardware.lines import LONGEST, SENTENCE
from gough.hardware.server import LOCAL


class ControllerError(GoughError):
    """The controller refused a line: `code` (a number), `word`, and its sentence; or it is gone (code 0)."""

    def __init__(self, code: int, word: str, sentence: str) -> None:
        self.code, self.word, self.sentence = code, word, sentence
        ValueError.__init__(self, f"{word}: {sentence}")


class AcceptedMove(NamedTuple):
    """A move that was accepted: its number, how long it takes (s), the share of the pace asked for."""

    number: int
    duration: float
    share: float


class ReachAnswer(NamedTuple):
    """Can it go there?  True, False or None (not proved), and why."""

    reachable: bool | None
    reason: str


class ControllerState(NamedTuple):
    """IDLE, MOVING or STOPPING; moves so far; s left; FREE, YOURS or OWNED."""

    state: str
    moves: int
    left: float
    owner: str


class ControllerClient(Closing):
    """A connection to a controller; use it in a ``with`` block, or `close` it.

    Positions are six numbers in the controller's units and frames.
    """

    def __init__(self, port: int, host: str = LOCAL, timeout: float = 10.0) -> None:
        self._connection = socket.create_connection((host, port), timeout)
        self._file = self._connection.makefile("rb")

    def ask(self, line: str) -> str:
        """What the controller says behind OK; `ControllerError` where it says ERR."""
        data = line.encode("ascii", "replace")
        if b"\n" in data or b"\r" in data or len(data) > LONGEST:
            raise ControllerError(3, "TOO-LONG", f"must be one line of at most {LONGEST} bytes")
        try:
            self._connection.sendall(data + b"\n")
            answer = self._file.readline(SENTENCE + 100).decode("ascii", "replace").rstrip("\n")
        except OSError as error:
            raise ControllerError(0, "GONE", str(error)) from error
        if not answer:
            raise ControllerError(0, "GONE", "the controller has ended the connection")
        word, _, rest = answer.partition(" ")
        if word == "OK":
            return rest
        _, code, what, sentence = f"{answer}   ".split(" ", 3)
        raise ControllerError(int(code) if code.isdigit() else 0, what, sentence.strip())

    def _six(self, line: str) -> tuple[float, ...]:
        return tuple(float(x) for x in self.ask(line).split())

    def position(self) -> tuple[float, ...]:
        """Where it is: six numbers."""
        return self._six("POS")

    def legs(self) -> tuple[float, ...]:
        """Coordinates of the actuators, m (rad)."""
        return self._six("LEGS")

    def move(
        self, to: Sequence[float], speed: float | None = None, rate: float | None = None
    ) -> AcceptedMove:
        """To a place; it does not wait."""
        return self._moved("MOVE", to, speed, rate)

    def move_by(
        self, by: Sequence[float], speed: float | None = None, rate: float | None = None
    ) -> AcceptedMove:
        """By so much from where it is."""
        return self._moved("MOVEBY", by, speed, rate)

    def home(self) -> AcceptedMove:
        """To the machine's home."""
        return self._move(self.ask("HOME"))

    def _moved(
        self, verb: str, six: Sequence[float], speed: float | None, rate: float | None
    ) -> AcceptedMove:
        given = {"SPEED": speed, "RATE": rate}
        more = [f"{name} {x:.9g}" for name, x in given.items() if x is not None]
        return self._move(self.ask(" ".join([verb, _told(six), *more])))

    @staticmethod
    def _move(text: str) -> AcceptedMove:
        number, duration, share = text.split()
        return AcceptedMove(int(number), float(duration), float(share))

    def can(self, to: Sequence[float]) -> ReachAnswer:
        """Can it go there from where it will rest?"""
        word, _, reason = self.ask(f"CAN {_told(to)}").partition(" ")
        return ReachAnswer({"YES": True, "NO": False}.get(word), reason)

    def status(self) -> ControllerState:
        """What it does, and whose it is."""
        state, moves, left, owner = self.ask("STATUS").split()
        return ControllerState(state, int(moves), float(left), owner)

    def stop(self) -> str:
        """Slow down now: IDLE or STOPPING, s it takes, whether all limits are proved on the way."""
        return self.ask("STOP")

    def wait(self, poll: float = 0.02, sleep: Callable[[float], None] = time.sleep) -> None:
        """Until it is idle."""
        while self.status().state != "IDLE":
            sleep(poll)

    def close(self) -> None:
        """End the connection."""
        self._file.close()
        self._connection.close()


def _told(six: Sequence[float]) -> str:
    return " ".join(f"{float(x):.12g}" for x in six)
