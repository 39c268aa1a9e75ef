"""From public arguments to an engine and back: batch axes, spin, choice of engine."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gough import guard
from gough.checks import Array, InputError, array, batch_shape
from gough.engines import native
from gough.engines.background import plainly
from gough.engines.error_bound import bounds
from gough.engines.pack import packed
from gough.equations.machine import FIXED, FUNCTIONS, KINDS, MOVING
from gough.layout import ENERGY, FORCES, FORWARD, MASS, MOTION, SPIN
from gough.links import links, refuse_off_links
from gough.model import Platform, Spinning
from gough.results import Spin, proven_digits
from gough.spatial import Motion, Pose

ENGINES = {
    "native": "gough.engines.native",
    "python": "gough.engines.plain",
    "cuda": "gough.engines.cuda",
}
AUTO = "auto"  # native, or python while its kernel is compiled elsewhere (background.py)
MOTION_BLOCKS = MOTION.blocks()
SINGULAR_LINKS = "the mass matrix is singular, or the directions of the fixed links are dependent"
SINGULAR_MASS = "the mass matrix is singular: give the platform or its legs some mass"
_NOTHING = np.zeros((1, 6))
_NOTHING.flags.writeable = False


def motion_blocks(motion: Motion, upto: int = 6) -> list[Array]:
    """(N, width) views: position, rotation, velocity, angular velocity, acceleration, angular acceleration."""
    n, given = size_of(motion.shape), motion.__dict__
    return [given[name].reshape(n, width) for name, width in MOTION_BLOCKS[:upto]]


def size_of(shape: tuple[int, ...]) -> int:
    """Number of states in a batch."""
    return math.prod(shape)


def vector_block(field: str, value: object, shape: tuple[int, ...], width: int = 6) -> Array:
    """A (..., width) argument broadcast to the batch; None is zero."""
    n = size_of(shape)
    if value is None:
        return _NOTHING if n == 1 and width == 6 else np.broadcast_to(np.zeros(width), (n, width))
    a = array(field, value, (width,))  # type: ignore[arg-type]
    if a.ndim == 1 and n == 1:
        return a.reshape(1, width)
    try:
        return np.broadcast_to(a, (*shape, width)).reshape(n, width)
    except ValueError:
        raise InputError(
            field, f"shape {a.shape}", f"must broadcast to {(*shape, width)}"
        ) from None


def as_motion(motion: Motion | Pose) -> Motion:
    """A motion; a bare pose is at rest."""
    if isinstance(motion, Motion):
        return motion
    if isinstance(motion, Pose):
        return Motion.at_rest(motion)
    raise InputError("motion", motion, "must be a gough.Motion or gough.Pose")


def together(motion: Motion, base: Motion) -> tuple[Motion, Motion]:
    """A motion and that of the base it is against, with the batch axes of both."""
    if not isinstance(base, Motion):
        raise InputError("base", base, "must be a gough.BaseMotion, or a gough.Motion in the world")
    if motion.shape == base.shape:
        return motion, base
    shape = batch_shape("base", motion.shape, base.shape)
    return motion.broadcast(shape), base.broadcast(shape)


def check_platform(platform: Platform) -> None:
    """Refuse anything that is not a machine."""
    if not isinstance(platform, Platform):
        raise InputError(
            "platform", platform, "must be a gough.Platform; gough.load reads one from a file"
        )


def check_function(function: str) -> None:
    """Refuse what is not a machine function."""
    if function not in FIXED:
        raise InputError("function", function, f"must be one of {', '.join(FIXED)}")


def spin_block(platform: Platform, spin: Spin | None, shape: tuple[int, ...]) -> Array | None:
    """(N, 18) cosine, sine, rate per leg, or None when no leg carries its spin as state."""
    if spin is None:
        if not packed(platform).spins:
            return None
        names = ", ".join(
            name
            for name, kind in zip(platform.leg_names, packed(platform).kinds, strict=True)
            if KINDS[kind].spins
        )
        raise InputError(
            "spin",
            None,
            (
                f"legs {names} are not axisymmetric or have friction or springs about their axis, so their spin is "
                "part of the state: give spin=gough.Spin(angle, rate), (..., 6) each (gough.simulate integrates it)"
            ),
        )
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, Spinning) and leg.axial_inertia <= 0.0:
            raise InputError(f"legs[{i}]", "no inertia about its axis", "a spinning leg needs some")
    angle = vector_block("spin.angle", spin.angle, shape)
    rate = vector_block("spin.rate", spin.rate, shape)
    return np.stack([np.cos(angle), np.sin(angle), rate], axis=-1).reshape(-1, 6 * SPIN.size)


def run(
    function: str, platform: Platform, blocks: Sequence[Array], spin: Array | None, engine: str
) -> Array:
    """Evaluate a machine function over N states with the chosen engine; (N, outputs)."""
    machine = packed(platform, spin is not None)
    par = machine.numbers(function)
    if spin is not None and machine.spins:
        blocks = [*blocks, spin]
    if engine == AUTO:
        engine = _at_hand(function, machine.kinds, len(blocks[0]))
    if engine == "native":
        return native.run(function, machine.kinds, blocks, par)
    if engine not in ENGINES:
        raise InputError("engine", engine, f"must be one of {', '.join((AUTO, *ENGINES))}")
    if engine == "cuda" and function.startswith(MOVING):
        raise InputError("engine", engine, "does not serve a base that moves; native and python do")
    module = importlib.import_module(ENGINES[engine])
    return module.run(function, machine.kinds, blocks, par)


def _at_hand(function: str, kinds: tuple[str, ...], states: int) -> str:
    """The native engine; the plain one for a few states whose kernel is being compiled."""
    if native.in_memory(function, kinds):
        return "native"
    return "python" if plainly(native.wanted(function, kinds), states) else "native"


Part = tuple[str, slice]
"""Columns of a machine function's answer."""
ANSWERS: dict[str, tuple[str, slice, str]] = {
    # function -> whose risk and digits count, which of its columns must have them, what is wrong if no leg is
    "forces": ("forces", FORCES.effort, guard.DEPENDENT),
    "record": ("forces", FORCES.effort, guard.DEPENDENT),
    "forward": ("forward", slice(0, FORWARD.at("spin_acceleration")), SINGULAR_MASS),
    "mass": ("mass", MASS.upper, "a leg has no finite mass here"),
    "energy": ("energy", slice(0, ENERGY.risk), "a leg has no finite energy here"),
    "kinematics": ("kinematics", slice(0), "a leg has no finite motion here"),
}
ANSWERS |= {
    MOVING + name: (MOVING + answer, columns, why)
    for name, (answer, columns, why) in ANSWERS.items()
    if MOVING + name in FUNCTIONS
}


ONE_THREAD = 8192  # numbers
RISK = {
    name: f.outputs.risk if "risk" in f.outputs.names else None for name, f in FUNCTIONS.items()
}
MOTION_PARTS = {
    name: sum(block in MOTION.names for block in f.inputs.names) for name, f in FUNCTIONS.items()
}


@dataclass(eq=False)
class Evaluation:
    """A machine function over the states of a batch, guarded: its numbers, and how wrong they can be.

    blocks, spins   (N, width) inputs: motion, loads; (N, 18) spins where some leg carries its own
    """

    function: str
    platform: Platform
    motion: Motion
    blocks: list[Array]
    spins: Array | None
    engine: str = "native"
    proven: dict[str, tuple[Array, Array]] = field(
        default_factory=dict
    )  # of all states, by function

    def run(self, function: str) -> Array:
        """(..., outputs) of some function with these inputs."""
        out = run(function, self.platform, self.blocks, self.spins, self.engine)
        return out.reshape(self.motion.shape + out.shape[1:])

    def bounds(
        self, which: NDArray[np.bool_] | None = None, part: Part | None = None
    ) -> tuple[Array, Array]:
        """Some answer of the plain equations and bounds on its errors, (N, n) each, of all states or of some."""
        machine = packed(self.platform, self.spins is not None)
        function, columns = part or ANSWERS[self.function][:2]
        given = (
            self.blocks if self.spins is None or not machine.spins else [*self.blocks, self.spins]
        )
        found = self.proven.get(function)
        if found is None:
            chosen = given if which is None else [b[which.ravel()] for b in given]
            found = bounds(function, machine.kinds, chosen, machine.numbers(function))
            if which is None:
                self.proven[function] = found
        elif which is not None:
            found = tuple(a[which.ravel()] for a in found)  # type: ignore[assignment]
        return found[0][:, columns], found[1][:, columns]

    def error(self, answer: Array, part: Part | None = None) -> Array:
        """(..., n) bounds on the errors of any answer to this question: its distance to ours, plus our bound."""
        value, error = (a.reshape(answer.shape) for a in self.bounds(part=part))
        found = np.abs(answer - value) + error
        return np.where(np.isnan(found), np.inf, found)

    def question(
        self, max_condition: float | None = None, part: Part | None = None
    ) -> guard.Question:
        """What the guard asks of this answer."""

        def proven(which: NDArray[np.bool_]) -> Array:
            return proven_digits(*self.bounds(which, part))

        why = ANSWERS[self.function][2]
        return guard.Question(
            max_condition,
            None if self.function == "kinematics" else proven,
            self.legs_risk,
            self.spins is not None,
            SINGULAR_LINKS if why is SINGULAR_MASS and len(links(self.platform).legs) else why,
        )

    def legs_risk(self, which: NDArray[np.bool_], engine: str = "python") -> Array:
        """The legs' share of the risk, of some states; in double precision whatever the inputs are."""
        some = which.ravel()
        blocks = [b[some].astype(float, copy=False) for b in self.blocks[: MOTION_PARTS["mass"]]]
        spins = None if self.spins is None else self.spins[some].astype(float, copy=False)
        return run("mass", self.platform, blocks, spins, engine)[:, MASS.risk]

    def risk(self, out: Array) -> Array:
        """(...) the risk within the function's outputs (..., outputs)."""
        at = RISK[self.function]
        return np.zeros(out.shape[:-1]) if at is None else out[..., at]

    def judged(self, max_condition: float | None = None, part: Part | None = None) -> Array:
        """(..., outputs): the numbers, or `InfeasibleError` for the first state without a trustworthy answer.

        part  what must have its digits, if it is not what `ANSWERS` says
        """
        out = self.run(self.function)
        risk, limit = self.risk(out), guard.risk_limit(self.platform, max_condition)
        worst = risk.max(initial=0.0) if risk.ndim else risk
        if not (worst <= limit and sum_of_squares(out.ravel()) < np.inf):
            finite, question = np.isfinite(out).all(axis=-1), self.question(max_condition, part)
            guard.judge(self.platform, self.motion, risk, finite, question)
        return out


def sum_of_squares(flat: Array) -> float:
    """Finite if all numbers are, unless they are huge.  In this thread: for many numbers BLAS wakes threads of its own,
    which burn milliseconds where the processors are busy."""
    return flat.dot(flat) if flat.size <= ONE_THREAD else np.einsum("i,i", flat, flat)


def evaluation(
    function: str,
    platform: Platform,
    motion: Motion | Pose,
    spin: Spin | None = None,
    engine: str = "native",
    base: Motion | None = None,
    **loads: object,
) -> Evaluation:
    """From the arguments of a verb; `loads` (..., 6) are those of the function, None is zero."""
    check_platform(platform)
    motion = as_motion(motion)
    if base is not None:
        function, (motion, base) = MOVING + function, together(motion, base)
    refuse_off_links(platform, motion, MOTION_PARTS[function] // 2)
    blocks = motion_blocks(motion, MOTION_PARTS[function])
    blocks += [vector_block(name, value, motion.shape) for name, value in loads.items()]
    if base is not None:
        blocks += motion_blocks(base)
    return Evaluation(
        function, platform, motion, blocks, spin_block(platform, spin, motion.shape), engine
    )


def evaluation_of_rows(function: str, platform: Platform, rows: Array) -> Evaluation:
    """From flat (N, width) inputs of the compiled engine."""
    inputs = native.inputs_of(function, packed(platform, None).kinds)
    edges = np.cumsum([0, *(width for _, width in inputs)])
    blocks = {n: rows[:, a:b] for (n, _), (a, b) in zip(inputs, pairwise(edges), strict=True)}
    spins = blocks.pop("spin", None)
    position, rotation = blocks["position"], blocks["rotation"].reshape(-1, 3, 3)
    motion = Motion.at_rest(Pose.trusted(position, rotation))
    return Evaluation(function, platform, motion, list(blocks.values()), spins)


def judge_rows(function: str, platform: Platform, rows: Array, out: Array) -> list[guard.Finding]:
    """The guard's findings about flat answers (N, outputs) to flat inputs (N, width) of the compiled engine."""
    e = evaluation_of_rows(function, platform, rows)
    condition = guard.MAX_CONDITION if ANSWERS[function][0] == "forces" else None
    finite = np.isfinite(out).all(axis=-1)
    if out.dtype == np.float32:  # no closer look: half of its digits are the limit
        everywhere = np.ones(len(out), dtype=bool)
        risk = e.legs_risk(everywhere, "native") if RISK[function] is None else e.risk(out)
        bad = ~(finite & (risk <= guard.risk_limit(platform, guard.SINGLE_CONDITION)))
        return [(bad, "too close to a singularity for single precision")] if bad.any() else []
    return guard.findings(platform, e.motion, e.risk(out), finite, e.question(condition))
