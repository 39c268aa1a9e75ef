"""What passes between a machine and its controller, sample by sample; first axis: runs.

Actuator coordinates, rates and forces have shape (n, 6); motions (n,).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gough.checks import Array, Frozen, InputError, number
from gough.results import Spin
from gough.spatial import Motion


@dataclass(frozen=True, eq=False)
class Measurement:
    """What the controller knows at a sample.

    length, rate  actuator coordinates and rates, as measured or observed, (n, 6)
    motion        platform pose and twist (n,), measured or by forward kinematics
    integral      (n, 6) time integral of the coordinates' error; stands still where the drive saturates
    spin          of SPS legs that carry it as state
    """

    length: Array
    rate: Array
    motion: Motion
    integral: Array
    spin: Spin | None = None


@dataclass(frozen=True, eq=False)
class Reference:
    """What the machine shall do at a sample.

    motion   platform (n or 1); its accelerations are the means over the coming sample period, so that a force
             held over the period changes the velocity by the right amount
    length, rate, acceleration   the legs' coordinates, (n or 1, 6); the acceleration is the mean as well
    """

    motion: Motion
    length: Array
    rate: Array
    acceleration: Array


Controller = Callable[[float, Measurement, Reference], Array]
"""(t, measurement, reference) -> command (n, 6): actuator efforts, N (N m)."""


@dataclass(frozen=True, eq=False)
class Sampling(Frozen):
    """How the controller sees the machine and how its command arrives.

    rate          samples per second; the command is held in between
    delay         s between measurement and command, rounded to whole samples
    quantization  step of the encoders on the actuator coordinates, m (rad); 0: none
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", number("sampling.rate", self.rate, above=0.0))
        for name in ("delay", "quantization", "noise"):
            object.__setattr__(self, name, number(f"sampling.{name}", getattr(self, name), minimum=0.0))
        object.__setattr__(self, "bandwidth", number("sampling.bandwidth", self.bandwidth, above=0.0))
        for name, allowed in (("velocity", ("measured", "observed")), ("pose", ("measured", "forward-kinematics"))):
            if getattr(self, name) not in allowed:
                raise InputError(f"sampling.{name}", getattr(self, name), f"must be one of {', '.join(allowed)}")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError("sampling.seed", self.seed, "must be a whole number, not negative")

    @property
    def ideal(self) -> bool:
        """The controller sees the true coordinates, rates and pose."""
        return (self.quantization == 0.0 == self.noise and self.velocity == "measured" and not self.backlash
                and self.pose == "measured")
