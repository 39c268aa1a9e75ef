"""From public arguments to an engine and back: batch axes, spin, choice of engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.checks import Array, InputError, array
from gough.engines.pack import kinds_of, parameters
from gough.model import SPS, Platform
from gough.results import Spin
from gough.spatial import Motion, Pose

ENGINES = ("native", "python", "cuda")


def motion_blocks(motion: Motion, upto: int = 6) -> list[Array]:
    """(N, width) views: position, rotation, velocity, angular velocity, acceleration, angular acceleration."""
    fields = (motion.position, motion.rotation, motion.velocity, motion.angular_velocity, motion.acceleration,
              motion.angular_acceleration)
    return [rows(a, motion.shape, 9 if i == 1 else 3) for i, a in enumerate(fields[:upto])]


def rows(a: Array, shape: tuple[int, ...], width: int) -> Array:
    """`a` with batch axes `shape` as an (N, width) array, without a copy where strides allow."""
    n = int(np.prod(shape, dtype=int))
    return a.reshape(n, width)


def vector_block(field: str, value: object, shape: tuple[int, ...], width: int = 6) -> Array:
    """A (..., width) argument broadcast to the batch; None is zero."""
    n = int(np.prod(shape, dtype=int))
    if value is None:
        return np.broadcast_to(np.zeros(width), (n, width))
    a = array(field, value, (width,))  # type: ignore[arg-type]
    try:
        return rows(np.broadcast_to(a, (*shape, width)), shape, width)
    except ValueError:
        raise InputError(field, f"shape {a.shape}", f"must broadcast to {(*shape, width)}") from None


def as_motion(motion: Motion | Pose) -> Motion:
    """A motion; a bare pose is at rest."""
    if isinstance(motion, Pose):
        return Motion.at_rest(motion)
    if not isinstance(motion, Motion):
        raise InputError("motion", motion, "must be a gough.Motion or gough.Pose")
    return motion


def check_platform(platform: Platform) -> None:
    """Refuse anything that is not a machine."""
    if not isinstance(platform, Platform):
        raise InputError("platform", platform, "must be a gough.Platform; gough.load reads one from a file")


def spin_block(platform: Platform, spin: Spin | None, shape: tuple[int, ...]) -> Array | None:
    """(N, 18) cosine, sine, rate per leg, or None when no leg carries its spin as state."""
    free = [i for i, leg in enumerate(platform.legs) if isinstance(leg, SPS) and not leg.spin_free]
    if spin is None:
        if free:
            names = ", ".join(platform.leg_names[i] for i in free)
            raise InputError("spin", None, (
                f"legs {names} are not axisymmetric or have ball friction, so their spin is part of the state: give "
                "spin=gough.Spin(angle, rate), (..., 6) each (gough.simulate integrates it)"))
        return None
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, SPS):
            axial = _axial_inertia(leg)
            if axial <= 0.0:
                raise InputError(f"legs[{i}]", "no inertia about its axis", "a spinning leg needs some")
    angle = vector_block("spin.angle", spin.angle, shape)
    rate = vector_block("spin.rate", spin.rate, shape)
    return np.stack([np.cos(angle), np.sin(angle), rate], axis=-1).reshape(-1, 18)


def _axial_inertia(leg: SPS) -> float:
    total = 0.0
    for body in (leg.lower, leg.upper):
        total += body.inertia[0, 0] + body.mass * float(body.center[1] ** 2 + body.center[2] ** 2)
    return float(total)


def run(function: str, platform: Platform, blocks: Sequence[Array], spin: Array | None, engine: str) -> Array:
    """Evaluate a machine function over N states with the chosen engine; (N, outputs)."""
    kinds = kinds_of(platform, spin is not None)
    blocks = list(blocks) if spin is None or "sps_spin" not in kinds else [*blocks, spin]
    if engine == "native":
        from gough.engines import native

        return native.run(function, kinds, blocks, parameters(platform))
    if engine == "python":
        from gough.engines import plain

        return plain.run(function, kinds, blocks, parameters(platform))
    if engine == "cuda":
        from gough.engines import cuda

        return cuda.run(function, kinds, blocks, parameters(platform))
    raise InputError("engine", engine, f"must be one of {', '.join(ENGINES)}")
