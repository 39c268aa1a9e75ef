"""Which motors, gears and screws of a catalogue carry a machine through its motions, and why the others do not.

For each combination, with ``nu = ratio 2 pi/lead`` (rad/m; of cranks the ratio), the drive's own law (model/drive.py)

    u = F + m_r ldd + loss(F, ld) + friction,   T = u/nu,   m_r = nu^2 I,   I = I_motor + I_gear + I_screw/ratio^2
F the effort without a drive; the loss is ``1/eta - 1`` of the load while it is driven and ``1 - eta_b`` while it
drives, eta the product of gear and screw, eta_b that of their back efficiencies (``2 - 1/eta`` each where none is
given).  What each part must bear is a range over intervals of time (analysis/duty.py), hence each check one of

    holds     the largest it may be is allowed        broken    the least it must be is not
    undecided neither
"holds" is proved at every instant where the motion gives bounds, else it is said of samples.  Root-mean-square values
are over a motion's whole time, of the hardest motion.  Left out: the masses of the chosen parts on the legs, that a
motor riding on its leg turns with it, and the gear's loss on what accelerates the screw (it counts with the rotor).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.catalogue import Catalogue, GearData, MotorData, ScrewData
from gough.analysis.drive_verdicts import (
    ORDER,
    DriveCheck,
    DriveChoice,
    DriveOption,
    compare,
    harder,
)
from gough.analysis.duty import Duty, Spread, duty
from gough.analysis.rating_life import EXPONENTS, HOUR, cycles
from gough.checks import Array, InputError, array
from gough.links import links
from gough.model import CRANKS, SLIDERS, UCU, Drive, Platform
from gough.spatial import Motion
from gough.trajectory.base import Trajectory

DIRECT = GearData(1.0, 1.0, np.inf, np.inf)
WIDER = 1.0 + 1e-9  # rounding of the sums here, and of the machine's constants in the efforts


def select_drives(
    platform: Platform,
    motions: Mapping[str, Motion | Trajectory] | Sequence[Motion | Trajectory],
    catalogue: Catalogue,
    *,
    external: ArrayLike | None = None,
    life: float | None = None,
) -> DriveChoice:
    """Judge every combination of the catalogue on the driven legs of `platform`, in all `motions`.

    external  (6,) constant wrench on the platform, platform axes, N and N m
    life      hours that the screws shall last (basic rating life); None: not judged
    Cranks get motors and gears, all other legs a screw too; a machine with both kinds of legs gets options for each.
    The machine's own drives are not looked at.
    """
    wrench = np.zeros(6) if external is None else array("external", external, (6,))
    named = (
        motions
        if isinstance(motions, Mapping)
        else {f"motion {i + 1}": m for i, m in enumerate(motions)}
    )
    if not named:
        raise InputError("motions", "none", "must hold at least one motion")
    duties = {name: duty(platform, motion, wrench) for name, motion in named.items()}
    options: list[DriveOption] = []
    driven = links(platform).driven.tolist()
    for crank in (False, True):
        legs = [i for i in driven if isinstance(platform.legs[i], CRANKS) == crank]
        if legs:
            options += _options(platform, legs, duties, catalogue, life)
    options.sort(key=lambda o: (ORDER.index(o.status), o.use))
    judged = tuple(
        f"{name}: {'bounded at every instant' if d.proved else f'sampled at {len(d.time)} instants ({d.why})'}"
        for name, d in duties.items()
    )
    return DriveChoice(tuple(options), judged)


def _options(
    platform: Platform,
    legs: list[int],
    duties: Mapping[str, Duty],
    catalogue: Catalogue,
    life: float | None,
) -> Iterator[DriveOption]:
    screws: Mapping[str, ScrewData | None] = catalogue.screws
    if isinstance(platform.legs[legs[0]], CRANKS):
        screws = {"": None}
    elif not screws:
        raise InputError(
            "catalogue.screws", "none", "must hold at least one: legs move along a line"
        )
    gears = catalogue.gears or {"": DIRECT}
    for (motor, m), (gear, g), (screw, s) in product(
        catalogue.motors.items(), gears.items(), screws.items()
    ):
        trial = _Trial(platform, legs, m, g, s)
        checks, open_, hours = trial.judge(duties, life)
        names = tuple(platform.leg_names[i] for i in legs)
        proved = all(d.proved for d in duties.values())
        yield DriveOption(motor, gear, screw, names, trial.drive, checks, open_, hours, proved)


class _Trial:
    """One combination on some legs."""

    def __init__(
        self,
        platform: Platform,
        legs: list[int],
        motor: MotorData,
        gear: GearData,
        screw: ScrewData | None,
    ) -> None:
        self.platform, self.legs = platform, legs
        self.motor, self.gear, self.screw = motor, gear, screw
        self.per_turn = (
            1.0 if screw is None else screw.lead / (2.0 * np.pi)
        )  # m (rad) per rad of the screw (shaft)
        stages = [gear] if screw is None else [gear, screw]
        backs = [
            2.0 - 1.0 / x.efficiency if x.back_efficiency is None else x.back_efficiency
            for x in stages
        ]
        # two stages that hold by themselves do not drive back together
        back = min(backs) if min(backs) < 0.0 else float(np.prod(backs))
        own = 0.0 if screw is None else screw.inertia
        self.drive = Drive(
            ratio=gear.ratio / self.per_turn,
            rotor_inertia=motor.rotor_inertia + gear.inertia + own / gear.ratio**2,
            efficiency=float(np.prod([x.efficiency for x in stages])),
            back_efficiency=back,
            coulomb=motor.drag + gear.drag,
        )

    def judge(
        self, duties: Mapping[str, Duty], life: float | None
    ) -> tuple[tuple[DriveCheck, ...], tuple[str, ...], float | None]:
        """Checks of the hardest motion and leg each, what is not judged, and the screw's life in hours."""
        found: dict[str, DriveCheck] = {}
        hours: list[float] = []
        open_: set[str] = set()
        for d in duties.values():
            for check in self._checks(d, open_):
                old = found.get(check.name)
                found[check.name] = check if old is None else harder(old, check)
            if self.screw is not None:
                hours.append(self._life(d, most=True))
                if life is not None:
                    needs = [life / h for h in (hours[-1], self._life(d, most=False))]
                    check = DriveCheck("screw life", life, life, hours[-1], "h", *needs)
                    old = found.get(check.name)
                    found[check.name] = check if old is None else harder(old, check)
        return tuple(found.values()), tuple(sorted(open_)), min(hours, default=None)

    def _checks(self, d: Duty, open_: set[str]) -> Iterator[DriveCheck]:
        motor, gear, screw, nu = self.motor, self.gear, self.screw, self.drive.ratio
        F, v = self._own(d.effort), self._own(d.rate)
        torque = self._torque(d)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            most = torque.size / motor.torque_at(nu * v.size)
            least = torque.least / motor.torque_at(nu * v.least)
        most, least = (np.where(np.isnan(x), 0.0, x) for x in (most, least))
        at = np.unravel_index(int(most.argmax()), most.shape)
        have = float(motor.torque_at(nu * v.size)[at])
        need = float(torque.size[at])
        yield DriveCheck(
            "motor torque at its speed",
            need,
            need,
            have,
            "N m",
            float(most.max()),
            float(least.max()),
        )
        yield compare("motor speed", nu * v.size, nu * v.least, motor.peak_speed, "rad/s")
        rms, speed = (
            self._rms(torque, d),
            self._rms(Spread(nu * v.low, nu * v.high, nu * v.value), d),
        )
        yield compare("motor rms torque", *rms, motor.continuous_torque, "N m")
        yield compare("motor rms speed", *speed, motor.rated_speed, "rad/s")
        if gear is not DIRECT:
            turned = self._gear_torque(d)
            yield compare("gear output torque", *turned, gear.peak_torque, "N m")
            yield compare("gear input speed", nu * v.size, nu * v.least, gear.max_speed, "rad/s")
        if screw is not None:
            yield compare("screw load", F.size, F.least, screw.max_load, "N")
            yield compare(
                "screw speed",
                v.size / self.per_turn,
                v.least / self.per_turn,
                screw.max_speed,
                "rad/s",
            )
            yield from self._buckling(d, open_)

    def _own(self, spread: Spread) -> Spread:
        return Spread(*(x[:, self.legs] for x in (spread.low, spread.high, spread.value)))

    def _torque(self, d: Duty) -> Spread:
        """Range of the motor's torque, N m."""
        F, v, a = (self._own(x) for x in (d.effort, d.rate, d.acceleration))
        low, high = self._transmitted(F, v)
        m, dry = self.drive.reflected_inertia, self.drive.ratio * self.drive.coulomb
        low = (
            low + m * a.low - np.where(v.low <= 0.0, dry, -dry)
        )  # standing still it may act either way
        high = high + m * a.high + np.where(v.high >= 0.0, dry, -dry)
        slack = (WIDER - 1.0) * (F.size + m * a.size + dry)
        nu = self.drive.ratio
        value = self.drive.motor_torque(F.value + m * a.value, v.value, a.value)
        return Spread((low - slack) / nu, (high + slack) / nu, value)

    def _transmitted(self, F: Spread, v: Spread) -> tuple[Array, Array]:
        """Range of the load with its loss: linear in F on either side of 0, in either direction of motion."""
        along, against = self.drive.losses
        ends = [F.low, F.high, np.where((F.low < 0.0) & (F.high > 0.0), 0.0, F.low)]
        forward = [x * np.where(x > 0.0, 1.0 + along, 1.0 - against) for x in ends]
        backward = [x * np.where(x > 0.0, 1.0 - against, 1.0 + along) for x in ends]
        ahead, back = v.high >= 0.0, v.low <= 0.0
        lows = [
            np.where(ahead, np.min(forward, axis=0), np.inf),
            np.where(back, np.min(backward, axis=0), np.inf),
        ]
        highs = [
            np.where(ahead, np.max(forward, axis=0), -np.inf),
            np.where(back, np.max(backward, axis=0), -np.inf),
        ]
        return np.min(lows, axis=0), np.max(highs, axis=0)

    def _gear_torque(self, d: Duty) -> tuple[Array, Array]:
        """What the gear's output bears: load, loss and inertia of the screw; at most, and the load alone at least."""
        F, a = self._own(d.effort), self._own(d.acceleration)
        if self.screw is None:
            return F.size, F.least
        extra = max(1.0 / self.screw.efficiency, 1.0)
        turn = self.screw.inertia / self.per_turn
        least = np.maximum(
            F.least * min(self._screw_back(), 1.0) * self.per_turn - turn * a.size, 0.0
        )
        return F.size * extra * self.per_turn + turn * a.size, least

    def _screw_back(self) -> float:
        assert self.screw is not None
        back = self.screw.back_efficiency
        return max(2.0 - 1.0 / self.screw.efficiency if back is None else back, 0.0)

    def _rms(self, x: Spread, d: Duty) -> tuple[Array, Array]:
        """(legs,) at most and at least."""
        T = d.duration
        most, least = (
            np.sqrt((y * y * d.weight[:, None]).sum(axis=0) / T) for y in (x.size, x.least)
        )
        return most, least

    def _buckling(self, d: Duty, open_: set[str]) -> Iterator[DriveCheck]:
        screw = self.screw
        assert screw is not None
        if screw.root_diameter is None:
            open_.add("buckling: the screw has no root diameter")
            return
        slides = [isinstance(self.platform.legs[i], SLIDERS) for i in self.legs]
        turning = [isinstance(leg, UCU) and leg.screw is not None for leg in self._legs]
        if screw.length is None and (any(slides) or any(turning)):
            open_.add("buckling: the screw has no length, and its leg does not tell")
            return
        F = self._own(d.effort)
        either = np.array(slides)
        push = np.where(either, F.size, np.maximum(F.high, 0.0))
        sure = np.where(either, F.least, np.maximum(F.low, 0.0))
        length = float(self._own(d.coordinate).high.max()) if screw.length is None else screw.length
        bears = screw.buckling_load(length)
        assert bears is not None
        # of the leg's own length the shortest it is for sure decides what is broken
        shortest = (
            float(self._own(d.coordinate).low.min()) if screw.length is None else screw.length
        )
        often = screw.buckling_load(shortest)
        assert often is not None
        use, least = float(push.max()) / bears, float(sure.max()) / often
        yield DriveCheck("buckling", float(push.max()), float(sure.max()), bears, "N", use, least)

    @property
    def _legs(self) -> list[Any]:
        return [self.platform.legs[i] for i in self.legs]

    def _life(self, d: Duty, most: bool) -> float:
        """Hours of this motion until the screw's basic rating life is over: at least (`most` load), or at most."""
        assert self.screw is not None
        F, v = self._own(d.effort), self._own(d.rate)
        load, rate = (F.size, v.size) if most else (F.least, v.least)
        turns = rate / self.screw.lead * d.weight[:, None]
        often = cycles(self.screw.dynamic_load, load, turns, EXPONENTS["ball"])
        return float(often.min()) * d.duration / HOUR
