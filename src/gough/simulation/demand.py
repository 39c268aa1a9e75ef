"""What a run asks for, said before anything is allocated: its steps, its memory, and a step that its laws stand."""

from __future__ import annotations

import numpy as np

from gough.checks import Array, InputError, number
from gough.dynamics.laws.stiffness import REACH, elastic_masses, largest_step, leg_masses
from gough.layout import LEG_LAW
from gough.model import Platform
from gough.simulation.integrators.fixed_step import FixedStep
from gough.system import memory

MOST_STEPS = 10**10  # a day of one run
TOLD = 160  # numbers of an answer and of its making per recorded state of a run, reactions left out
REACTIONS = 380  # and with them
BODIES = 200  # numbers of thirteen bodies and their joints at a step, halved: see `check_memory`
SAMPLED = 120  # numbers of a reference per sample
EXPLICIT = 2.0  # the same for a decaying state
FIRST_ORDER = ("load_rate", "current_rate", "electric_rate", "loss", "back_loss")
ONE_STAGE = 0.8  # |h lambda| within which semi-implicit steps are stable: ``(h w)^2 + 4 z h w < 4``, damping z <= 1


def grid(duration: float, step: float) -> tuple[int, float]:
    """Number of steps and their exact length: `duration` must be a whole number of steps."""
    T, h = number("duration", duration, above=0.0), number("step", step, above=0.0)
    if T / h > MOST_STEPS:
        allowed = f"is {T / h:.3g} steps of {h:g} s; a run has at most {MOST_STEPS:.0e}"
        raise InputError("duration", duration, allowed)
    steps = round(T / h)
    if steps < 1 or abs(steps * h - T) > 1e-9 * T:
        raise InputError("step", step, f"must divide the duration {T:g} s into whole steps")
    return steps, h


def check_memory(records: int, runs: int, rows: int, samples: int, reactions: bool) -> None:
    """Refuse a run whose records, or whose reference at all samples, do not fit into this machine's memory."""
    each = 2 * rows + (REACTIONS if reactions else TOLD)
    need, there = 8.0 * (records * runs * each + samples * SAMPLED), memory()
    if need > there:
        what = f"{records:.3g} records of {runs} runs" + (
            f", {samples:.3g} samples" if samples else ""
        )
        allowed = f"would need about {need / 1e9:.3g} GB; there are {there / 1e9:.3g} GB: record less often (output)"
        raise InputError("output", what, allowed)


def check_step(
    platform: Platform, method: FixedStep, step: float, laws: list[tuple[int, Array]]
) -> None:
    """Refuse a step that the method may not stand under the stiffest law, judged at home as in laws/stiffness.py."""
    elastic = any(law[LEG_LAW.series_stiffness].any() for _, law in laws)
    masses = elastic_masses(platform) if elastic else leg_masses(platform)
    with np.errstate(over="ignore"):
        most = min(_stable(law, masses, len(method.nodes)) for _, law in laws)
    if step > most:
        allowed = (
            f"is too long for the stiffest law along the legs (springs, brakes, stops, friction at rest, oil): "
            f"{method.name} is known to be stable for steps up to {most:.3g} s"
        )
        raise InputError("step", step, allowed)


def _stable(law: Array, masses: Array, stages: int) -> float:
    """Largest step of a method; with one stage second-order modes and first-order states have ranges of their own."""
    if stages > 1:
        return largest_step(law, masses)
    modes, alone = law.copy(), np.zeros_like(law)
    for name in FIRST_ORDER:
        alone[getattr(LEG_LAW, name)] = law[getattr(LEG_LAW, name)]
    for name in FIRST_ORDER[:3]:
        modes[getattr(LEG_LAW, name)] = 0.0
    steps = largest_step(modes, masses) * ONE_STAGE, largest_step(alone, masses) * EXPLICIT
    return min(steps) / REACH
