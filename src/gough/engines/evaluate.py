"""From public arguments to an engine and back: batch axes, spin, choice of engine."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gough import guard
from gough.checks import Array, InputError, array
from gough.engines import native
from gough.engines.error_bound import bounds
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS
from gough.layout import MOTION, SPIN
from gough.model import SPS, Platform
from gough.results import Spin, proven_digits
from gough.spatial import Motion, Pose

ENGINES = {
    "native": "gough.engines.native",
    "python": "gough.engines.plain",
    "cuda": "gough.engines.cuda",
}
_NOTHING = np.zeros((1, 6))
_NOTHING.flags.writeable = False


def motion_blocks(motion: Motion, upto: int = 6) -> list[Array]:
    """(N, width) views: position, rotation, velocity, angular velocity, acceleration, angular acceleration."""
    n = size_of(motion.shape)
    fields = (
        motion.position,
        motion.rotation,
        motion.velocity,
        motion.angular_velocity,
        motion.acceleration,
        motion.angular_acceleration,
    )
    return [a.reshape(n, width) for a, width in zip(fields[:upto], MOTION.widths, strict=False)]


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


def check_platform(platform: Platform) -> None:
    """Refuse anything that is not a machine."""
    if not isinstance(platform, Platform):
        raise InputError(
            "platform", platform, "must be a gough.Platform; gough.load reads one from a file"
        )


def check_function(function: str) -> None:
    """Refuse what is not a machine function."""
    if function not in FUNCTIONS:
        raise InputError("function", function, f"must be one of {', '.join(FUNCTIONS)}")


def spin_block(platform: Platform, spin: Spin | None, shape: tuple[int, ...]) -> Array | None:
    """(N, 18) cosine, sine, rate per leg, or None when no leg carries its spin as state."""
    if spin is None:
        if not packed(platform).spins:
            return None
        names = ", ".join(
            name
            for name, kind in zip(platform.leg_names, packed(platform).kinds, strict=True)
            if kind == "sps_spin"
        )
        raise InputError(
            "spin",
            None,
            (
                f"legs {names} are not axisymmetric or have ball friction, so their spin is part of the state: give "
                "spin=gough.Spin(angle, rate), (..., 6) each (gough.simulate integrates it)"
            ),
        )
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, SPS) and _axial_inertia(leg) <= 0.0:
            raise InputError(f"legs[{i}]", "no inertia about its axis", "a spinning leg needs some")
    angle = vector_block("spin.angle", spin.angle, shape)
    rate = vector_block("spin.rate", spin.rate, shape)
    return np.stack([np.cos(angle), np.sin(angle), rate], axis=-1).reshape(-1, 6 * SPIN.size)


def _axial_inertia(leg: SPS) -> float:
    total = 0.0
    for body in (leg.lower, leg.upper):
        total += body.inertia[0, 0] + body.mass * float(body.center[1] ** 2 + body.center[2] ** 2)
    return float(total)


def run(
    function: str, platform: Platform, blocks: Sequence[Array], spin: Array | None, engine: str
) -> Array:
    """Evaluate a machine function over N states with the chosen engine; (N, outputs)."""
    machine = packed(platform, spin is not None)
    if spin is not None and machine.spins:
        blocks = [*blocks, spin]
    if engine == "native":
        return native.run(function, machine.kinds, blocks, machine.parameters)
    if engine not in ENGINES:
        raise InputError("engine", engine, f"must be one of {', '.join(ENGINES)}")
    module = importlib.import_module(ENGINES[engine])
    return module.run(function, machine.kinds, blocks, machine.parameters)


class Evaluation:
    """A machine function over the states of a batch, guarded: its numbers, and how wrong they can be.

    platform, motion   checked, a bare pose made a motion
    blocks, spins      the (N, width) inputs: motion, loads; spins where some leg carries its own
    """

    def __init__(
        self,
        function: str,
        platform: Platform,
        motion: Motion | Pose,
        spin: Spin | None = None,
        engine: str = "native",
        **loads: object,
    ) -> None:
        check_platform(platform)
        self.function, self.platform, self.engine = function, platform, engine
        self.motion = as_motion(motion)
        self.shape = self.motion.shape
        given = [n for n in FUNCTIONS[function].inputs.names if n in MOTION.names]
        self.blocks = [
            *motion_blocks(self.motion, len(given)),
            *(vector_block(name, value, self.shape) for name, value in loads.items()),
        ]
        self.spins = spin_block(platform, spin, self.shape)

    def run(self, function: str) -> Array:
        """(..., outputs) of some function with these inputs."""
        out = run(function, self.platform, self.blocks, self.spins, self.engine)
        return out.reshape(*self.shape, out.shape[-1])

    @cached_property
    def values(self) -> Array:
        """(..., outputs), not judged."""
        return self.run(self.function)

    def bounds(self, which: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
        """The plain engine's answer and bounds on its errors, (N, outputs) each, of all states or of some."""
        machine = packed(self.platform, self.spins is not None)
        given = [*self.blocks, self.spins] if machine.spins else self.blocks
        chosen = given if which is None else [b[which.ravel()] for b in given]  # type: ignore[index]
        return bounds(self.function, machine.kinds, chosen, machine.parameters)  # type: ignore[arg-type]

    def error(self, answer: Array, columns: slice) -> Array:
        """(..., n) bounds on the errors of any answer to this question: its distance to ours, plus our bound."""
        value, error = (a[:, columns].reshape(*self.shape, -1) for a in self.bounds())
        return np.abs(answer - value) + error

    def judged(self, columns: slice, otherwise: str, max_condition: float | None = None) -> Array:
        """(..., outputs): the numbers, or `InfeasibleError` for the first state without a trustworthy answer.

        columns  the answer, of one unit as far as it goes: what must have digits
        """
        out = self.values

        def proven(which: NDArray[np.bool_]) -> Array:
            value, error = self.bounds(which)
            return proven_digits(value[:, columns], error[:, columns])

        guard.judge(
            self.platform,
            self.motion,
            out[..., FUNCTIONS[self.function].outputs.risk],
            finite=np.isfinite(out).all(axis=-1),
            max_condition=max_condition,
            proven=proven,
            spinning=self.spins is not None,
            otherwise=otherwise,
        )
        return out
