"""Rollouts for JAX: a pure function that jit, vmap and grad take as one operation (extra: ``gough[jax]``).

    roll = gough.simulation.jax_rollout(platform, step=1e-3)
    loss = lambda effort: ((roll(start.position, start.rotation, effort)["position"][-1] - goal) ** 2).sum()
    slope = jax.jit(jax.grad(loss))(effort)

States and slopes come from the compiled kernels (`rollout`, `Rollout.slopes`) over host arrays, called back from within
the JAX program, so XLA compiles nothing of the machine: a thousand steps compile as fast as one.  Forward-mode and
second derivatives are not served.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.dynamics.jax import require_jax
from gough.model import Platform
from gough.simulation.array_rollout import SHAPES, ArrayRollout


def jax_rollout(
    platform: Platform,
    *,
    step: float = 1e-3,
    every: int = 1,
    integrator: str = "rk4",
    engine: str = "native",
) -> Callable[..., dict[str, Any]]:
    """A rollout as a pure function of JAX arrays; `step`, `every`, `integrator`, `engine` as in `rollout`.

    ``roll(position, rotation, effort, velocity, angular_velocity, external, spin, parameters)``, five optional,
    with arrays (..., 3), (..., 3, 3), effort (..., steps, 6), external (..., steps, 6) or (..., 6), spin (..., 6, 3)
    cosine, sine, rate of legs that carry theirs, and the packed machine (`gough.dynamics.packed_names`) answers a
    dictionary: position, rotation, velocity, angular_velocity (..., records, ...), and spin.  Use double precision.
    A run without a trustworthy answer is NaN from there on.
    """
    jax = require_jax()
    made, jnp = ArrayRollout.of(platform, step, every, integrator, engine), jax.numpy
    if not jax.config.jax_enable_x64:
        allowed = 'needs double precision: jax.config.update("jax_enable_x64", True)'
        raise InputError("jax", "single precision", allowed)

    def told(shape: tuple[int, ...]) -> Any:
        return jax.ShapeDtypeStruct(shape, jnp.float64)

    def call(function: Callable[..., Any], told: Any, *args: Any) -> Any:
        return jax.pure_callback(function, told, *args, vmap_method="broadcast_all")

    def forwards(*given: Any) -> Any:
        return made.forwards(*(np.asarray(a) for a in given))

    def backwards(*given: Any) -> Any:
        return made.backwards(*(np.asarray(a) for a in given))

    @jax.custom_vjp
    def core(start: Any, effort: Any, external: Any, par: Any) -> Any:
        shape = *start.shape[:-1], made.records(effort.shape[-2]), made.rows
        return call(forwards, told(shape), start, effort, external, par)

    def core_forwards(*given: Any) -> tuple[Any, Any]:
        states = core(*given)
        return states, (states, *given[1:])

    def core_backwards(kept: Any, weight: Any) -> Any:
        states, effort, external, par = kept
        start = *states.shape[:-2], made.rows
        shapes = start, effort.shape, external.shape, par.shape
        return call(backwards, tuple(map(told, shapes)), states, effort, external, par, weight)

    core.defvjp(core_forwards, core_backwards)

    def roll(
        position: Any,
        rotation: Any,
        effort: Any,
        velocity: Any = None,
        angular_velocity: Any = None,
        external: Any = None,
        spin: Any = None,
        parameters: Any = None,
    ) -> dict[str, Any]:
        given = (position, rotation, effort, velocity, angular_velocity, external, spin, parameters)
        named = dict(zip(SHAPES, given, strict=True))
        return made.named(jnp, core(*made.laid_out(jnp, jnp.asarray, named)))

    return roll
