"""Random machines of every kind near every kind of singularity, against the truth: does each answer keep its word?

    PYTHONPATH=src:tests python -m campaigns.guard_campaign --states 100000 --seed 0 --seconds 600

Each machine (one kind, or six legs drawn at random) has one leg moved next to a singularity; its states lie around
that pose at distances from 1e-15 to 0.1, on random motions.  Every verb is asked through the public interface: inverse
dynamics (guarded, and with ``max_condition=inf``) with reactions and spins, forward dynamics, bias, mass matrix,
energy; with ``--slopes`` the derivatives.  An answer breaks its word if it is not finite, or if its true error exceeds
the bound that it claims; states that the guard finds bad must be refused by the verb.  Truth: the traced equations in
double-double arithmetic (32 digits) on the very numbers that the engines read; one state per machine and verb also in
mpmath with 50 digits, which must agree with it.  One line per kind of singularity; exit code 1 if a word was broken.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import mpmath
import numpy as np
from numpy.typing import NDArray

import gough
from campaigns import slopes
from gough.checks import LARGEST, Array
from gough.dynamics import bias_error, mass_matrix_error
from gough.engines import plain
from gough.engines.evaluate import ENGINES, Evaluation, evaluation
from gough.engines.pack import packed
from gough.engines.tracer import trace
from gough.guard import MAX_CONDITION, findings
from gough.layout import ENERGY, FORCES, FORWARD, FULL, LEG_RECORD
from gough.model import Platform
from gough.results import Reactions, Spin
from gough.spatial import Motion, rotation_exp
from oracles.machines import KINDS, MIXTURE, Case, case
from support.double_double import evaluated
from support.near_singular import APPLIES, applies, near

DIGITS = 50
STATES = 256  # of one machine
ALL = (*KINDS, MIXTURE)
REACTIONS = [
    LEG_RECORD.size * leg + k
    for leg in range(6)
    for name in (f.name for f in fields(Reactions))
    for k in range(LEG_RECORD.at(name), LEG_RECORD.at(name) + 3)
]
EFFORTS = [LEG_RECORD.size * leg + LEG_RECORD.at("effort") for leg in range(6)]
SPINS = [LEG_RECORD.size * leg + LEG_RECORD.at("spin_acceleration") for leg in range(6)]


@dataclass
class Tally:
    """What happened near one kind of singularity; `worst` is the largest true error per claimed bound."""

    states: int = 0
    answers: int = 0
    refused: int = 0
    broken: int = 0
    worst: float = 0.0
    fewest: float = 16.0
    examples: list[str] = field(default_factory=list)

    def fail(self, why: str) -> None:
        """A word that was not kept."""
        self.broken += 1
        self.examples.append(why)

    def add(self, what: str, answer: Array, error: Array, truth: tuple[Array, Array]) -> None:
        """Answers (N, n) with their claimed bounds and the truth as high and low part."""
        self.answers += len(answer)
        with np.errstate(all="ignore"):
            wrong = np.abs((answer - truth[0]) - truth[1])
            share = np.where(error == np.inf, 0.0, wrong / error)
            share = np.where((wrong == 0.0) & (error == 0.0), 0.0, share)
            bad = ~(np.isfinite(answer) & (share <= 1.0)).all(axis=-1)
            known = np.isfinite(error).all(axis=-1) & ~bad
            size = np.abs(truth[0]).max(axis=-1)
            digits = -np.log10(wrong.max(axis=-1) / size)[known]
        self.broken += int(bad.sum())
        for i in np.nonzero(bad)[0][:3]:
            at = int(np.argmax(np.where(np.isnan(share[i]), np.inf, share[i])))
            self.examples.append(
                f"{what}, state {i}, number {at}: {answer[i, at]:.17g}, error {wrong[i, at]:.3g}, "
                f"claimed {error[i, at]:.3g}"
            )
        if known.any():
            self.worst = max(self.worst, float(share[known].max()))
            self.fewest = min(self.fewest, float(np.nanmin(digits, initial=16.0)))


@dataclass(frozen=True)
class Batch:
    """States of one machine: loads and spins (N, 6); `spin_rate` None: no leg spins."""

    machine: Platform
    motion: Motion
    external: Array
    force: Array
    spin_angle: Array
    spin_rate: Array | None
    engine: str

    def at(self, some: Array) -> Batch:
        """Some of the states."""
        rate = None if self.spin_rate is None else self.spin_rate[some]
        loads = (self.external[some], self.force[some], self.spin_angle[some], rate)
        return Batch(self.machine, self.motion[some], *loads, self.engine)

    @property
    def options(self) -> dict[str, Any]:
        """What every verb is given."""
        return {"spin": self.spin, "engine": self.engine}

    @property
    def spin(self) -> Spin | None:
        """The spins."""
        return None if self.spin_rate is None else Spin(self.spin_angle, self.spin_rate)

    def question(self, function: str) -> Evaluation:
        """The same states as the guard sees them."""
        loads = {"forces": ("external",), "forward": ("force", "external")}.get(function, ())
        given = {name: getattr(self, name) for name in loads}
        return evaluation(function, self.machine, self.motion, self.spin, self.engine, **given)


def flat(*arrays: Array) -> Array:
    """(N, n) of arrays (N, ...)."""
    return np.concatenate([a.reshape(len(a), -1) for a in arrays], axis=1)


def legwise(r: Reactions) -> Array:
    """(N, 90) reactions leg by leg."""
    return flat(np.concatenate([getattr(r, f.name) for f in fields(Reactions)], axis=-1))


def inverse(b: Batch) -> tuple[Array, Array]:
    """Efforts, reactions, spins."""
    r = gough.inverse_dynamics(b.machine, b.motion, b.external, **b.options)
    spins = np.zeros_like(r.force) if r.spin_acceleration is None else r.spin_acceleration
    return flat(r.force, legwise(r.reactions), spins), flat(
        r.error, legwise(r.reactions_error), r.spin_error
    )


def unlimited(b: Batch) -> tuple[Array, Array]:
    """Efforts of whatever is finite."""
    r = gough.inverse_dynamics(b.machine, b.motion, b.external, max_condition=np.inf, **b.options)
    return r.force, r.error


def forward(b: Batch) -> tuple[Array, Array]:
    """Accelerations, spins."""
    r = gough.forward_dynamics(b.machine, b.motion, b.force, b.external, **b.options)
    return flat(r.answer, r.spin_acceleration), flat(r.error, r.spin_error)


def bias(b: Batch) -> tuple[Array, Array]:
    """Gravity, velocity and friction terms."""
    found = gough.dynamics.bias(b.machine, b.motion, **b.options)
    asked = np.where(np.abs(found) < LARGEST, found, 0.0)  # the border takes no larger number
    error = bias_error(b.machine, b.motion, asked, spin=b.spin)
    return found, np.where(asked == found, error, np.inf)


def mass(b: Batch) -> tuple[Array, Array]:
    """The mass matrix."""
    M = gough.mass_matrix(b.machine, b.motion.pose, **b.options)
    asked = np.where(np.abs(M) < LARGEST, M, 0.0)
    error = mass_matrix_error(b.machine, b.motion.pose, asked, spin=b.spin)
    return flat(M), flat(np.where(asked == M, error, np.inf))


def energy(b: Batch) -> tuple[Array, Array]:
    """Kinetic, potential."""
    r = gough.energy(b.machine, b.motion, **b.options)
    return r.answer, r.error


class Verb(NamedTuple):
    """What is called; whose outputs are the truth, which of them (None: slopes); what the guard asks."""

    call: Callable[[Batch], tuple[Array, Array]]
    function: str
    columns: list[int] | None
    asked: str
    limit: float | None = None
    part: tuple[str, slice] | None = None


def outputs(block: slice) -> list[int]:
    """Their numbers."""
    return list(range(block.start, block.stop))


VERBS = (
    Verb(inverse, "record", [*EFFORTS, *REACTIONS, *SPINS], "forces", MAX_CONDITION),
    Verb(unlimited, "forces", outputs(FORCES.effort), "forces", np.inf),
    Verb(forward, "forward", outputs(slice(0, FORWARD.at("bias"))), "forward"),
    Verb(bias, "forward", outputs(FORWARD.bias), "forward", part=("forward", FORWARD.bias)),
    Verb(mass, "mass", [i for row in FULL for i in row], "mass"),
    Verb(energy, "energy", outputs(slice(0, ENERGY.risk)), "energy"),
)
SLOPES = (
    VERBS[1],
    Verb(slopes.inverse_slopes, "inverse", None, "forces", MAX_CONDITION),
    Verb(slopes.forward_slopes, "forward", None, "forward"),
)


def refused(e: Evaluation, verb: Verb) -> NDArray[np.bool_]:
    """States that the guard finds without a trustworthy answer."""
    out = e.run(e.function)
    bad, finite = np.zeros(len(out), dtype=bool), np.isfinite(out).all(axis=-1)
    question = e.question(verb.limit, verb.part)
    for states, _ in findings(e.platform, e.motion, e.risk(out), finite, question):
        bad |= states
    return bad


def settle(tally: Tally, what: str, verb: Verb, b: Batch, rng: np.random.Generator) -> Array:
    """Ask one verb; its first six answers, NaN where it refused."""
    what = f"{what}, {verb.call.__name__}"
    bad = refused(b.question(verb.asked), verb)
    tally.refused += int(bad.sum())
    for i in rng.permutation(np.nonzero(bad)[0])[:1]:
        try:
            verb.call(b.at(np.arange(len(bad)) == i))
            tally.fail(f"{what}, state {i}: found bad by the guard, answered by the verb")
        except gough.GoughError:
            pass
    whole = np.full((len(bad), 6), np.nan)
    if not bad.all():
        good = b.at(~bad)
        answer, error = verb.call(good)
        tally.add(what, answer, error, truth(tally, what, verb, good, error, rng))
        whole[~bad] = answer[:, :6] if answer.shape[1] >= 6 else np.nan
    return whole


def truth(
    tally: Tally, what: str, verb: Verb, b: Batch, error: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """High and low parts (N, n) on the numbers that the engines read; one state is computed again with 50 digits."""
    e = b.question(verb.asked)
    machine = packed(b.machine, e.spins is not None)
    inputs = flat(*e.blocks, *([e.spins] if e.spins is not None and machine.spins else []))
    i = int(rng.integers(len(inputs)))
    numbers, par = ([mpmath.mpf(float(v)) for v in row] for row in (inputs[i], machine.parameters))
    try:
        if verb.columns is None:
            high, low = slopes.doubled(verb.function, machine, inputs)
            found = slopes.jacobian(verb.function, machine, numbers, par)
        else:
            program = trace(verb.function, machine.kinds)
            high, low = evaluated(program.select(verb.columns), inputs, machine.parameters)
            n = program.sizes["x"]
            given = (numbers[:n], par, numbers[n:] or plain.NO_SPIN)
            every = plain.evaluate(verb.function, machine.kinds, *given)
            found = [every[at] for at in verb.columns]
    except (ZeroDivisionError, AttributeError):  # singular, or out of reach (complex): no claim
        if np.isfinite(error[i]).all():
            tally.fail(f"{what}, state {i}: a claim where there is nothing")
        return high, low
    for k, (value, claim) in enumerate(zip(found, error[i], strict=True)):
        apart = abs(value - mpmath.mpf(high[i, k]) - mpmath.mpf(low[i, k]))
        if claim < np.inf and not apart <= max(1e-8 * claim, 1e-25 * abs(high[i, k])):
            tally.fail(f"{what}, state {i}, number {k}: the truth is off by {float(apart):.3g}")
    return high, low


def around(c: Case, machine: Platform, count: int, rng: np.random.Generator, engine: str) -> Batch:
    """States around the one of the case: the first is itself, the others 1e-15 to 0.1 away, on random motions."""
    away = 10.0 ** rng.uniform(-15.0, -1.0, (count, 1))
    away[0] = 0.0
    shift, turn = (away * v for v in rng.normal(size=(2, count, 3)))
    pose = c.motion[0]
    R = np.stack([rotation_exp(phi) @ pose.rotation for phi in turn])
    rates = (rng.uniform(-top, top, (count, 3)) for top in (3.0, 6.0, 40.0, 80.0))
    motion = Motion(pose.position + shift, R, *rates)
    angle, rate = rng.uniform(-np.pi, np.pi, (count, 6)), rng.uniform(-15, 15, (count, 6))
    wrench = rng.uniform(-200, 200, (count, 6))
    spins = rate if c.needs_spin else None
    return Batch(machine, motion, wrench, np.zeros((count, 6)), angle, spins, engine)


def one_machine(
    tally: Tally, what: str, b: Batch, verbs: Sequence[Verb], rng: np.random.Generator
) -> None:
    """All verbs on the states of one machine; forward dynamics is driven by the efforts found."""
    tally.states += len(b.force)
    for verb in verbs:
        found = settle(tally, what, verb, b, rng)
        if verb.call is unlimited:
            usable = (np.abs(found) < LARGEST).all(axis=-1, keepdims=True)
            b = replace(b, force=np.where(usable, found, 0.0))


def campaign(
    states: int,
    seed: int,
    kinds: tuple[str, ...] = ALL,
    each: int = STATES,
    nearest: float = 1e-15,
    seconds: float = math.inf,
    engine: str = "native",
    verbs: Sequence[Verb] = VERBS,
) -> dict[str, Tally]:
    """About `states` states (fewer if `seconds` end first), spread over kinds of machines and of singularities."""
    rng = np.random.default_rng(seed)
    tallies = {name: Tally() for name in APPLIES}
    mpmath.mp.dps = DIGITS
    end, number = time.monotonic() + seconds, 0
    while sum(t.states for t in tallies.values()) < states and time.monotonic() < end:
        kind = kinds[number % len(kinds)]
        c = case(kind, seed=seed * 1_000_000 + number, states=1)
        number += 1
        leg = int(rng.integers(6))
        possible = [name for name in APPLIES if applies(c.platform, leg, name)]
        name = possible[int(rng.integers(len(possible)))]
        distance = float(
            rng.choice([0.0, 10.0 ** rng.uniform(np.log10(nearest), -1)], p=[0.1, 0.9])
        )
        try:
            machine = near(c, 0, leg, name, distance)
        except gough.GoughError:  # a machine that the model refuses
            continue
        what = f"{kind} {number - 1}, leg {leg}, {name} {distance:.2e}"
        plain_too = (
            kind == MIXTURE and engine == "native"
        )  # every mixture would be a kernel to compile
        b = around(c, machine, each, rng, "python" if plain_too else engine)
        one_machine(tallies[name], what, b, verbs, rng)
    return tallies


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--states", type=int, default=5000)
    parser.add_argument("--each", type=int, default=STATES, help="states of one machine")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slopes", action="store_true", help="the derivatives instead")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--engine", default="native", choices=tuple(ENGINES))
    parser.add_argument("--kinds", nargs="*", default=ALL, choices=ALL)
    given = parser.parse_args()
    kinds = tuple(given.kinds)
    options = {"seconds": given.seconds, "engine": given.engine}
    verbs = SLOPES if given.slopes else VERBS
    tallies = campaign(given.states, given.seed, kinds, given.each, verbs=verbs, **options)
    for name, t in tallies.items():
        print(
            f"{name:12} states {t.states:8} answers {t.answers:8} refused {t.refused:8} broken {t.broken:4}  "
            f"worst error per bound {t.worst:.2e}  fewest true digits {t.fewest:.1f}"
        )
        for line in t.examples[:5]:
            print(f"    {line}")
    print(f"{'all':12} states {sum(t.states for t in tallies.values()):8}")
    return int(any(t.broken for t in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
