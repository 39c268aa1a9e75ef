"""Iterative learning: a task that is repeated is known a little better each time.

    f <- (1 - g) f + g (u + M_l e'' - c)
u    effort sent in the last trial, f included
e''  mean change of the coordinates' rate error over the sample in which it acted: M_l e'' (leg space, along the
     reference) is what was missing
c    what the controller alone asks for at the reference;  f  is added to its command in the next trial
Of a fast error, which the controller itself does not answer, ``1 - g M_true^-1 M_l`` is left: M_l needs to be right
only within a factor, every eigenvalue of that inside the unit circle.  Whole samples of delay are taken out by
shifting, a fraction is rounded.  Fails: what differs from trial to trial (noise) is learned too; what the drives
cannot give is never learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, Frozen, InputError, array, number
from gough.control.decentralized import leg_mass_matrix
from gough.control.signals import Controller, Measurement, Reference, Sampling
from gough.control.tracking import along
from gough.frozen import hinted
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Learned(Frozen):
    """A controller with a learned feed-forward (samples, 6), one row per sample of `rate` (1/s); the last row stays."""

    controller: Controller
    feed_forward: Array
    rate: float

    def __post_init__(self) -> None:
        if not callable(self.controller):
            raise InputError("controller", self.controller, "must be a controller without memory")
        rows = array("feed_forward", self.feed_forward, (6,))
        if rows.ndim != 2:
            raise InputError("feed_forward", f"shape {rows.shape}", "must have shape (samples, 6)")
        object.__setattr__(self, "feed_forward", rows)
        object.__setattr__(self, "rate", number("rate", self.rate, above=0.0))

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        at = min(round(t * self.rate), len(self.feed_forward) - 1)
        return self.controller(t, measurement, reference) + self.feed_forward[at]  # type: ignore[operator]


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Learning:
    """What trials have taught.

    controller  of the best trial, feed-forward included;  feed_forward  (samples, 6) N (N m)
    errors      (trials,) rms error of the coordinates, m (rad)
    """

    controller: Learned
    errors: Array

    @property
    def feed_forward(self) -> Array:
        """(samples, 6)"""
        return self.controller.feed_forward

    @property
    def monotone(self) -> bool:
        """Every trial was better than the one before."""
        return bool((np.diff(self.errors) < 0.0).all())


def learn(platform: Platform, scenario: Any, trials: int = 5, *, gain: float = 0.8) -> Learning:
    """Repeat a scenario and learn the feed-forward that its controller lacks.

    scenario  a `gough.simulation.scenario.Scenario`, or the arguments of `gough.simulate` as a table: ``state`` (one
              run), a ``controller`` without memory, a ``reference`` to follow, ``duration`` ...
    gain      g, share of the missing effort that is taken over after each trial, above 0 and at most 1
    Learned from what the controller measures; a trial that does not reach its end is refused with its status.  Limits
    that a trial passes do not end it: simulate the learned controller to see which.
    """
    from gough.simulation import simulate

    refuse_links(platform, "no feed-forward is learned")
    g, count = number("gain", gain, above=0.0), int(number("trials", trials, minimum=1.0))
    if g > 1.0:
        raise InputError("gain", gain, "must be at most 1")
    if not (isinstance(scenario, dict) or hasattr(scenario, "arguments")):
        raise InputError("scenario", scenario, "must be a Scenario, or the arguments of simulate")
    given = dict(scenario) if isinstance(scenario, dict) else scenario.arguments(platform)
    if not callable(given.get("controller")):
        raise InputError(
            "scenario", given.get("controller"), "must have a controller without memory"
        )
    law: Any = given.pop("controller")
    if "state" not in given:
        raise InputError("scenario", "no state", "must say where the run starts")
    state, sampling = given.pop("state"), given.get("sampling")
    if not callable(given.get("reference")):
        raise InputError("scenario", given.get("reference"), "must have a reference that moves")
    rate, delay = (sampling or Sampling()).rate, (sampling or Sampling()).delay
    model = getattr(law, "model", platform)
    learned = Learned(law, np.zeros((1, 6)), rate)
    best, errors = learned, list[float]()
    for trial in range(1, count + 1):
        watched = _Watched(learned)
        status = simulate(platform, state, controller=watched, **given).attrs["status"]
        if status != "ok" and not status.startswith("limits passed"):
            raise InputError("scenario", status, f"trial {trial} must reach its end")
        error, missing, sent, alone = watched.told(model, rate, round(delay * rate))
        errors.append(float(np.sqrt((error**2).mean())))
        best = learned if errors[-1] == min(errors) else best
        old = learned.feed_forward
        learned = Learned(law, (1 - g) * old + g * (sent + missing - alone), rate)
    return Learning(best, np.array(errors))


class _Watched:
    """One trial: the controller with its feed-forward, and what it saw and asked for at each sample."""

    def __init__(self, learned: Learned) -> None:
        self.learned, self.seen = learned, dict[int, tuple[Any, ...]]()
        self.model = getattr(learned.controller, "model", None)
        if self.model is None:
            del self.model

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        if len(measurement.length) != 1:
            raise InputError("state", f"{len(measurement.length)} runs", "learns one run at a time")
        wish, none = reference.motion, np.zeros_like(measurement.integral)
        there = Measurement(reference.length, reference.rate, wish, none, measurement.spin)
        alone = self.learned.controller(t, there, reference)  # type: ignore[operator]
        sent = self.learned(t, measurement, reference)
        errors = reference.length - measurement.length, reference.rate - measurement.rate
        pose = wish.position, wish.rotation
        self.seen[round(t * self.learned.rate)] = (*errors, sent, alone, *pose)
        return sent

    def told(self, model: Platform, rate: float, late: int) -> tuple[Array, Array, Array, Array]:
        """Errors of the coordinates, missing, sent and own efforts, (samples, 6) each."""
        columns = zip(*(self.seen[k] for k in sorted(self.seen)), strict=True)
        error, change, sent, alone, position, rotation = (np.concatenate(c) for c in columns)
        loads = leg_mass_matrix(model, Pose(position, rotation))
        missing = np.zeros_like(sent)
        missing[:-1] = along(loads[:-1], rate * np.diff(change, axis=0))
        missing = np.concatenate([missing[late:], np.zeros((min(late, len(missing)), 6))])
        return error, missing, sent, alone
