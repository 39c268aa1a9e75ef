"""Set-points over UDP to a simulated machine: packets in, a watchdog, packets back.

waiting     no set-point yet: it holds its pose
following   the newest set-point is the target of a limited reference (follower.py)
holding     no set-point for `timeout`: the last one is still the target
stopping    none for `timeout + hold`: the reference slows down within its limits
stopped     it rests; packets are counted and not followed until `rearm`
ended       the simulation has ended (its status says why)
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import InputError, number
from gough.hardware.closing import Closing
from gough.hardware.follower import PoseFollower
from gough.hardware.planning import MoveLimits
from gough.hardware.server import LOCAL
from gough.hardware.setpoints import SETPOINT, SetpointReceiver, pack_state
from gough.simulation.observation import Observation
from gough.simulation.simulator import Simulator
from gough.spatial import quaternion_from_rotation

MOST = 64  # packets taken in one period: a flood is left to the system's own buffer, which drops it


class SetpointServer(Closing):
    """A `Simulator` with a controller whose references come over UDP; use it in a ``with`` block, or `close` it.

    simulator  it must have a controller: its references are this server's
    limits     of the reference (default: `MoveLimits.usual`)
    timeout    s without a set-point until it holds;  hold  s from then until it stops
    host, port where it listens (default: this computer only, any free port: see `port`)
    One sender is followed at a time: the first that sends a sound set-point, until it has stopped.
    """

    def __init__(
        self,
        simulator: Simulator,
        *,
        limits: MoveLimits | None = None,
        timeout: float = 0.1,
        hold: float = 0.2,
        host: str = LOCAL,
        port: int = 0,
    ) -> None:
        if not isinstance(simulator, Simulator) or not simulator.controlled:
            raise InputError("simulator", simulator, "must be a gough.Simulator with a controller")
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
            raise InputError("port", port, "must be a number from 0 to 65535")
        self.timeout = number("timeout", timeout, above=0.0)
        self.hold = number("hold", hold, minimum=0.0)
        platform = simulator.platform
        self.simulator, self.limits = simulator, limits or MoveLimits.usual(platform)
        self.receiver = SetpointReceiver(platform)
        self.follower = PoseFollower(platform, simulator.observe().pose, self.limits)
        self.phase = "waiting"
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((host, port))
        except OSError:
            self._socket.close()
            raise
        self._socket.setblocking(False)
        self.host, self.port = self._socket.getsockname()[:2]

    def take(self, data: bytes, peer: Any = None) -> bool:
        """A packet that came another way than over the socket; True: it is followed."""
        if self.phase in ("stopping", "stopped", "ended"):
            return False
        now = self.simulator.time
        return self.receiver.receive(data, now, peer, self.follower.pose)

    def poll(self) -> int:
        """Take what lies in the socket, at most MOST packets; how many."""
        for count in range(MOST):
            try:
                data, peer = self._socket.recvfrom(SETPOINT.size + 1)
            except BlockingIOError:
                return count
            except OSError:  # a sender that is gone
                continue
            self.take(data, peer)
        return MOST

    def tick(self) -> str:
        """One step of the simulator: packets in, the reference on, the state back.  The phase."""
        if self.phase == "ended":
            return self.phase
        self.poll()
        now, receiver = self.simulator.time, self.receiver
        self.phase = self._phase(receiver.age(now))
        target = receiver.target if self.phase in ("following", "holding") else None
        reference = self.follower.advance(target, self.simulator.step_size)
        if self.phase == "stopping" and self.follower.still:
            self.phase = "stopped"
        self.simulator.step(reference)
        if self.simulator.ended:
            self.phase = "ended"
        self._tell()
        return self.phase

    def _phase(self, age: float) -> str:
        if self.phase in ("stopping", "stopped"):
            return self.phase
        if age == np.inf:
            return "waiting"
        late = age - self.timeout
        return "following" if late <= 0.0 else "holding" if late <= self.hold else "stopping"

    def rearm(self) -> None:
        """Follow again, after it has stopped; any sender and any number may come next."""
        if self.phase != "stopped":
            raise InputError("phase", self.phase, "must be stopped")
        self.receiver.forget()
        self.phase = "waiting"

    def state_packet(self) -> bytes:
        """The machine's state now, as it is sent."""
        seen: Observation = self.simulator.observe()
        age = self.receiver.age(seen.time)
        turn = quaternion_from_rotation(seen.pose.rotation)
        parts = seen.position, turn, seen.velocity, seen.angular_velocity, seen.length, seen.rate
        values = np.concatenate([*parts, [age if np.isfinite(age) else -1.0]])
        return pack_state(self.phase, self.receiver.sequence, seen.time, values)

    def _tell(self) -> None:
        if not isinstance(self.receiver.peer, tuple):  # nobody, or not over the socket
            return
        try:
            self._socket.sendto(self.state_packet(), self.receiver.peer)
        except OSError:  # nobody listens there, or its buffer is full: the next one tells more
            return

    def run(
        self,
        duration: float,
        *,
        pace: float | None = 1.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> str:
        """Steps for `duration` seconds of the machine; `pace`: seconds of the machine in one of the clock's, None: as
        fast as it goes.  Steps that come late are made up for, not left out."""
        start, first = clock(), self.simulator.time
        steps = round(number("duration", duration, above=0.0) / self.simulator.step_size)
        for _ in range(steps):
            if pace is not None:
                early = (self.simulator.time - first) / pace - (clock() - start)
                if early > 0.0:
                    sleep(early)
            if self.tick() == "ended":
                break
        return self.phase

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
