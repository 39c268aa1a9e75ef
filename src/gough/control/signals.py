"""What passes between a machine and its controller, sample by sample; first axis: runs.

Actuator coordinates, rates and forces have shape (n, 6); motions (n,).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from typing import Protocol

from gough.checks import Array, Frozen, InputError, not_negative, positive
from gough.results import Spin
from gough.spatial import Motion


class Measurement:
    """What the controller knows at a sample.

    length, rate  actuator coordinates and rates, as measured or observed, (n, 6)
    motion        platform pose and twist (n,), measured or by forward kinematics; worked out when first asked for
    integral      (n, 6) time integral of the coordinates' error; stands still where the drive saturates
    spin          of SPS legs that carry it as state
    """

    __slots__ = ("_motion", "integral", "length", "rate", "spin")

    def __init__(
        self,
        length: Array,
        rate: Array,
        motion: Motion | Callable[[], Motion],
        integral: Array,
        spin: Spin | None = None,
    ) -> None:
        self.length, self.rate, self._motion = length, rate, motion
        self.integral, self.spin = integral, spin

    @property
    def motion(self) -> Motion:
        """Platform pose and twist (n,)."""
        if not isinstance(self._motion, Motion):
            self._motion = self._motion()
        return self._motion


class Reference:
    """What the machine shall do at a sample.

    motion   platform (n or 1); its accelerations are the means over the coming sample period, so that a force
             held over the period changes the velocity by the right amount
    length, rate, acceleration   the legs' coordinates, (n or 1, 6); the acceleration is the mean as well
    """

    __slots__ = ("_motion", "_sample", "acceleration", "length", "rate")

    def __init__(
        self,
        motion: Motion,
        length: Array,
        rate: Array,
        acceleration: Array,
        sample: int | None = None,
    ) -> None:
        """`sample`: the motion is that of all samples, this one is meant."""
        self._motion, self._sample = motion, sample
        self.length, self.rate, self.acceleration = length, rate, acceleration

    @property
    def motion(self) -> Motion:
        """Platform (n or 1)."""
        return self._motion if self._sample is None else self._motion[self._sample]


Memory = dict[str, Array]
"""What a controller keeps between samples: arrays whose first axis is runs, by name."""


class Stateful(Protocol):
    """A controller with a memory, which the loop keeps for it: saved, resumed and ended with its run.

    ``init`` gives the memory at the start of so many runs; ``update`` answers the command (n, 6) and the memory after
    it, arrays of the same names, shapes and types.  Nothing else may change: what an object keeps in itself is lost
    where a run is resumed, and belongs to no run where one of a batch has to be asked again.
    """

    def init(self, runs: int) -> Memory: ...

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]: ...


Controller = Callable[[float, Measurement, Reference], Array] | Stateful
"""(t, measurement, reference) -> command (n, 6): actuator efforts, N (N m); or an object with `init` and `update`."""


@dataclass(frozen=True, eq=False)
class Sampling(Frozen):
    """How the controller sees the machine and how its command arrives.

    rate          samples per second; the command is held in between
    delay         s between measurement and command, rounded to whole samples
    quantization  (older spelling: quantisation) step of the encoders on the actuator coordinates, m (rad); 0: none
    noise         standard deviation of the coordinates' measurement, m (rad)
    velocity      "measured", or "observed": a double-pole observer on the coordinates
    pose          "measured", or "forward-kinematics": from the measured coordinates, in the loop
    bandwidth     of the velocity observer, rad/s
    backlash      the encoders sit on the motors, behind each drive's backlash
    seed          of the noise; sample k of run i is the same in any run of the simulation
    """

    rate: float = 1000.0
    delay: float = 0.0
    quantization: float = 0.0
    noise: float = 0.0
    velocity: str = "measured"
    pose: str = "measured"
    bandwidth: float = 500.0
    backlash: bool = False
    seed: int = 0
    quantisation: InitVar[float | None] = None

    def __post_init__(self, quantisation: float | None) -> None:
        if quantisation is not None:
            if self.quantization:
                twice = "is the same as quantization: give it once"
                raise InputError("sampling.quantisation", quantisation, twice)
            object.__setattr__(self, "quantization", quantisation)
        for name in ("rate", "delay", "quantization", "noise", "bandwidth"):
            check = positive if name in ("rate", "bandwidth") else not_negative
            object.__setattr__(self, name, check(f"sampling.{name}", getattr(self, name)))
        for name, other in (("velocity", "observed"), ("pose", "forward-kinematics")):
            value = getattr(self, name)
            if value not in ("measured", other):
                raise InputError(f"sampling.{name}", value, f"must be one of measured, {other}")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError("sampling.seed", self.seed, "must be a whole number, not negative")

    @property
    def ideal(self) -> bool:
        """The controller sees the true coordinates, rates and pose."""
        exact = self.quantization == 0.0 == self.noise and not self.backlash
        return exact and self.velocity == "measured" == self.pose
