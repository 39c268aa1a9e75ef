"""What passes between a machine and its controller, sample by sample; first axis: runs.

Actuator coordinates, rates and forces have shape (n, 6); motions (n,).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Protocol

import numpy as np

from gough.checks import Array, Frozen, InputError, array, not_negative, positive
from gough.frozen import hinted
from gough.layout import Layout
from gough.results import Spin
from gough.spatial import Motion

CHANNELS = Layout(length=6, rate=6, position=3, rotation=3, velocity=3, angular_velocity=3)
"""What the loop reads at every sample, each block by a sensor of its own; rotations by their rotation vectors."""
MORE = Layout(force=6, current=6, acceleration=3, angular_rate=3)
"""What it reads when asked."""
SENSORS = CHANNELS.then(**dict(MORE.blocks()))


class Measurement:
    """What the controller knows at a sample.

    length, rate  actuator coordinates and rates, as measured or observed, (n, 6)
    motion        platform pose and twist (n,), measured or by forward kinematics; worked out when first asked for
    integral      (n, 6) time integral of the coordinates' error; stands still where the drive saturates
    spin          of legs that carry it as state
    force         (n, 6) efforts on the actuator coordinates: motor, springs, friction, brakes, N (N m)
    current       (n, 6) of the motors, A; NaN where no drive says its torque constant
    acceleration  (n, 3) what an accelerometer at the reference point reads, ``R^T (a - g)``, platform axes, m/s^2
    angular_rate  (n, 3) what a gyroscope reads, ``R^T w``, platform axes, rad/s
    Each passes the sensor of its name (`Sampling`).  The last four are worked out when first asked for; at an instant
    of sampling they belong to the command before.
    """

    __slots__ = ("_more", "_motion", "integral", "length", "rate", "spin")

    def __init__(
        self,
        length: Array,
        rate: Array,
        motion: Motion | Callable[[], Motion],
        integral: Array,
        spin: Spin | None = None,
        more: Callable[[str], Array] | None = None,
    ) -> None:
        """`more`: what the other sensors read, by name."""
        self.length, self.rate, self._motion = length, rate, motion
        self.integral, self.spin, self._more = integral, spin, more

    @property
    def motion(self) -> Motion:
        """Platform pose and twist (n,)."""
        if not isinstance(self._motion, Motion):
            self._motion = self._motion()
        return self._motion

    def __getattr__(self, name: str) -> Array:
        if name not in MORE.names or self._more is None:
            raise AttributeError(f"the measurement has no {name}")
        return self._more(name)


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


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Sensor(Frozen):
    """A sensor that reads ``x + bias + noise``, rounded to whole steps; in units of what it reads.

    noise         standard deviation, independent at each sample and in each component
    quantization  step of the reading; 0: none
    bias          one number, or one for each component
    Of a rotation R it reads ``exp(bias + noise) R``, world axes, in steps of its rotation vector.
    """

    noise: float = 0.0
    quantization: float = 0.0
    bias: Array = field(default_factory=lambda: np.zeros(()))

    def __post_init__(self) -> None:
        for name in ("noise", "quantization"):
            object.__setattr__(self, name, not_negative(f"sensor.{name}", getattr(self, name)))
        object.__setattr__(self, "bias", array("sensor.bias", self.bias))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Sampling(Frozen):
    """How the controller sees the machine and how its command arrives.

    rate          samples per second; the command is held in between
    delay         s from a sample to the instant at which its command reaches the drives
    measurement_delay  s from the instant that a sample shows to the sample; the machine had stood as at the start
                  Both are whole numbers of integration steps, fractions of a sample among them; others are refused.
    quantization  (older spelling: quantisation) step of the encoders on the actuator coordinates, m (rad); 0: none
    noise         standard deviation of the coordinates' measurement, m (rad)
    sensors       errors of what else is read: `Sensor` by "rate" (tachometers; an observer has none), "position",
                  "rotation", "velocity", "angular_velocity" (of the measured pose, world axes), "force", "current",
                  "acceleration", "angular_rate"
    velocity      "measured", or "observed": a double-pole observer on the coordinates
    pose          "measured", or "forward-kinematics": from the measured coordinates, in the loop
    bandwidth     of the velocity observer, rad/s
    encoder       "motor": coordinates and rates are those at which the drives turn, behind their springs; "leg": the
                  legs' own.  None: "motor" where the drives are elastic (without a stiffness both are the same)
    backlash      the encoders sit on the motors, behind each drive's backlash (an elastic drive has it in its spring)
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
    measurement_delay: float = 0.0
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    quantisation: InitVar[float | None] = None
    encoder: str | None = None

    def __post_init__(self, quantisation: float | None) -> None:
        if quantisation is not None:
            if self.quantization:
                twice = "is the same as quantization: give it once"
                raise InputError("sampling.quantisation", quantisation, twice)
            object.__setattr__(self, "quantization", quantisation)
        for name in ("rate", "delay", "measurement_delay", "quantization", "noise", "bandwidth"):
            check = positive if name in ("rate", "bandwidth") else not_negative
            object.__setattr__(self, name, check(f"sampling.{name}", getattr(self, name)))
        for name, other in (("velocity", "observed"), ("pose", "forward-kinematics")):
            value = getattr(self, name)
            if value not in ("measured", other):
                raise InputError(f"sampling.{name}", value, f"must be one of measured, {other}")
        if self.encoder not in (None, "motor", "leg"):
            raise InputError("sampling.encoder", self.encoder, "must be one of motor, leg")
        if self.encoder == "leg" and self.backlash:
            raise InputError("sampling.backlash", True, 'is not seen by an encoder="leg"')
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError("sampling.seed", self.seed, "must be a whole number, not negative")
        for name, sensor in self.sensors.items():
            if name not in SENSORS.names[1:] or not isinstance(sensor, Sensor):
                allowed = f"must be a Sensor by one of {', '.join(SENSORS.names[1:])}"
                raise InputError(f"sampling.sensors.{name}", sensor, allowed)
            width = dict(SENSORS.blocks())[name]
            if sensor.bias.shape not in ((), (width,)):
                allowed = f"must be one number or {width}"
                raise InputError(f"sampling.sensors.{name}.bias", sensor.bias, allowed)

    def sensor(self, name: str) -> Sensor:
        """The sensor of a block of `SENSORS`."""
        if name == "length":
            return Sensor(self.noise, self.quantization)
        return self.sensors.get(name) or Sensor()

    @property
    def ideal(self) -> bool:
        """The controller sees the true coordinates, rates and pose."""
        exact = self.quantization == 0.0 == self.noise and not self.backlash and not self.sensors
        return exact and self.velocity == "measured" == self.pose and not self.measurement_delay
