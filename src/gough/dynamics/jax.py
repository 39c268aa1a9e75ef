"""The machine functions for JAX: jit, vmap and grad through motion and every parameter (extra: ``gough[jax]``).

    model = gough.jax.machine(platform)
    force = model.inverse_dynamics(position, rotation, velocity, angular_velocity, acceleration, angular_acceleration)
    slope = jax.grad(lambda p: model.inverse_dynamics(..., parameters=p).sum())(model.parameters)

Traced programs run on components (arrays of the batch shape, legs of one kind along a leading axis), which XLA
fuses well.  Use double precision
(``jax.config.update("jax_enable_x64", True)``).  `jit` is jax.jit with the option that keeps XLA's CPU compiler
from taking minutes over long straight-line programs.

A state without a trustworthy answer (risk beyond the limit of gough/guard.py: near a singularity, out of reach) is
NaN inside jit, vmap and grad, where nothing can be raised; called with plain arrays the functions raise
`InfeasibleError` with the state's index.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.border import checked
from gough.checks import InputError
from gough.engines import leg_programs
from gough.engines.evaluate import check_platform
from gough.engines.native import check_precision
from gough.engines.pack import packed
from gough.engines.tracer import Program
from gough.equations.machine import LEG_WEIGHT, offsets, spinning
from gough.extras import package
from gough.guard import (
    DEPENDENT,
    MAX_CONDITION,
    OVERTURNED,
    SINGLE_CONDITION,
    refuse,
    risk_limit,
    sprung,
)
from gough.layout import BODY, BODY_ANSWER, FULL, LEG_ANSWER, LEG_INERTIA, POSE, Layout
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose

CPU_OPTIONS = {"xla_cpu_use_fusion_emitters": False}


def require_jax() -> Any:
    """JAX, or a sentence that says how to get it."""
    return package("jax")


def jit(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``jax.jit`` with the compiler option that suits these programs, where the backend knows it."""
    jax = require_jax()
    plain = jax.jit(function, **options)
    if jax.default_backend() != "cpu":
        return plain
    tuned = jax.jit(function, compiler_options=dict(CPU_OPTIONS), **options)
    known: list[bool] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        if not known or known[0]:
            try:
                out = tuned(*args, **kwargs)
                known[:] = [True]
                return out
            except Exception as error:
                if known or "xla_cpu_use_fusion_emitters" not in str(error):
                    raise
                known[:] = [False]
        return plain(*args, **kwargs)

    return call


@checked
def machine(platform: Platform) -> JaxMachine:
    """The functions of one platform; legs that carry their spin read it from `spin`."""
    check_platform(platform)
    refuse_links(platform, "JAX does not serve machines")
    found = packed(platform, None)
    return JaxMachine(found.kinds, found.parameters, platform)


class JaxMachine:
    """Pure functions of arrays with leading batch axes; parts that are not given are zero.

    parameters  the packed machine (order: `gough.dynamics.packed_names`); pass another vector of the
                same layout to any function to differentiate with respect to it
    spin        (..., 6, 3) cosine, sine, rate per leg
    """

    def __init__(self, kinds: tuple[str, ...], par: Any, platform: Platform) -> None:
        self.kinds, self.platform = kinds, platform
        self.parameters = require_jax().numpy.asarray(par)
        check_precision(kinds, str(self.parameters.dtype))

    def inverse_dynamics(
        self,
        position: Any,
        rotation: Any,
        velocity: Any = None,
        angular_velocity: Any = None,
        acceleration: Any = None,
        angular_acceleration: Any = None,
        external: Any = None,
        *,
        parameters: Any = None,
        spin: Any = None,
    ) -> Any:
        """Efforts (..., 6)."""
        x = self._columns(
            position, rotation, velocity, angular_velocity, acceleration, angular_acceleration
        )
        par, spins = self._par(parameters), self._spin(spin)
        return self._judged(self.efforts(x, self._split(external, 6), par, spins), x)

    def efforts(
        self, motion: list[Any], external: list[Any], parameters: Any, spin: list[Any]
    ) -> list[Any]:
        """The same on components, the fastest form: motion 24, wrench 6, spin 18; six arrays, NaN where refused."""
        legs = self._legs(leg_programs.leg, LEG_ANSWER, motion, parameters, spin)
        body = BODY_ANSWER.named(_run(leg_programs.body(), [*motion, *external], parameters))
        load = _added(body["load"], [leg["load"] for leg in legs])
        y = _run(
            leg_programs.solve_wrench(), [*(h for leg in legs for h in leg["column"]), *load], ()
        )
        values = [leg["eta"][0] * yi for leg, yi in zip(legs, y[:6], strict=True)]
        return self._marked(values, legs, y[6])

    def forward_dynamics(
        self,
        position: Any,
        rotation: Any,
        velocity: Any,
        angular_velocity: Any,
        force: Any,
        external: Any = None,
        *,
        parameters: Any = None,
        spin: Any = None,
    ) -> Any:
        """Accelerations (..., 6): linear, angular."""
        x, par = (
            self._columns(position, rotation, velocity, angular_velocity),
            self._par(parameters),
        )
        spins = self._spin(spin)
        states = self._legs(leg_programs.leg, LEG_ANSWER, x, par, spins)
        inertia = self._legs(leg_programs.leg_inertia, LEG_INERTIA, x, par, spins)
        body = BODY_ANSWER.named(_run(leg_programs.body(), [*x, *self._split(external, 6)], par))
        efforts = self._split(force, 6)
        push = [
            -body["load"][k]
            + sum(
                leg["transmission"][k] * f - state["load"][k]
                for leg, state, f in zip(inertia, states, efforts, strict=True)
            )
            for k in range(6)
        ]
        M = _added(body["mass"], [leg["mass"] for leg in inertia])
        found = _run(leg_programs.solve_mass(), [*M, *push], ())
        return self._judged(self._marked(found[:6], states, found[6]), x)

    def inverse_kinematics(
        self, position: Any, rotation: Any, *, parameters: Any = None, spin: Any = None
    ) -> Any:
        """Actuator coordinates (..., 6)."""
        x = self._columns(position, rotation)
        legs = self._legs(leg_programs.leg, LEG_ANSWER, x, self._par(parameters), self._spin(spin))
        return self._stack([leg["coordinate"][0] for leg in legs])

    def mass_matrix(
        self, position: Any, rotation: Any, *, parameters: Any = None, spin: Any = None
    ) -> Any:
        """(..., 6, 6) task space."""
        x = self._columns(position, rotation)
        upper = self._judged(self._inertia(x, parameters, spin, "mass"), x)
        return upper[..., require_jax().numpy.asarray(FULL)]

    def energy(
        self,
        position: Any,
        rotation: Any,
        velocity: Any = None,
        angular_velocity: Any = None,
        *,
        parameters: Any = None,
        spin: Any = None,
    ) -> Any:
        """Kinetic and potential energy (..., 2), J."""
        x = self._columns(position, rotation, velocity, angular_velocity)
        return self._judged(self._inertia(x, parameters, spin, "kinetic", "potential"), x)

    def _inertia(self, x: list[Any], parameters: Any, spin: Any, *names: str) -> list[Any]:
        """Blocks of LEG_INERTIA and BODY_ANSWER, summed over the machine."""
        par = self._par(parameters)
        inertia = self._legs(leg_programs.leg_inertia, LEG_INERTIA, x, par, self._spin(spin))
        body = BODY_ANSWER.named(_run(leg_programs.body(), [*x, *[0.0] * 6], par))
        values = [v for name in names for v in _added(body[name], [leg[name] for leg in inertia])]
        return self._marked(values, inertia, 0.0)

    def _marked(self, values: list[Any], legs: list[dict[str, list[Any]]], more: Any) -> list[Any]:
        """The values, NaN in states whose risk is beyond the guard's limit."""
        jnp = require_jax().numpy
        single = self.parameters.dtype == jnp.float32
        limit = risk_limit(self.platform, SINGLE_CONDITION if single else MAX_CONDITION)
        good = LEG_WEIGHT * sum(leg["risk"][0] for leg in legs) + more <= limit
        return [jnp.where(good, v, jnp.nan) for v in values]

    def _judged(self, values: list[Any], x: list[Any]) -> Any:
        """Stacked; refused here and now where the values are plain arrays."""
        jax, out = require_jax(), self._stack(values)
        if isinstance(out, jax.core.Tracer):
            return out
        bad = ~np.isfinite(np.asarray(out)).all(axis=-1)
        if bad.any():
            pose = np.stack(
                np.broadcast_arrays(*(np.asarray(v, float) for v in x[: POSE.size])), axis=-1
            )
            pose = np.broadcast_to(pose, (*bad.shape, POSE.size))
            at = Pose.trusted(
                pose[..., POSE.position], pose[..., POSE.rotation].reshape(*bad.shape, 3, 3)
            )
            why = f"{DEPENDENT}, or {OVERTURNED}" if sprung(self.platform) else DEPENDENT
            raise refuse(self.platform, at, bad, why, spinning(self.kinds))
        return out

    def _legs(
        self,
        program: Callable[[str], Program],
        outputs: Layout,
        motion: list[Any],
        par: Any,
        spin: list[Any],
    ) -> list[dict[str, list[Any]]]:
        """Outputs of each leg by name; legs of one kind run together along a leading axis."""
        jnp = require_jax().numpy
        at, out = offsets(self.kinds), [{} for _ in range(6)]
        for kind in dict.fromkeys(self.kinds):
            legs = [i for i, k in enumerate(self.kinds) if k == kind]
            shape = jnp.broadcast_shapes(*(jnp.shape(v) for v in (*motion, *spin)))
            wide = [v[None] if jnp.ndim(v) == len(shape) and shape else v for v in motion]
            table = jnp.stack(
                [jnp.concatenate([par[BODY.gravity], par[at[i] : at[i + 1]]]) for i in legs]
            )
            rows = [
                table[:, k].reshape(len(legs), *[1] * len(shape)) for k in range(table.shape[1])
            ]
            turns = [
                jnp.stack(
                    [
                        jnp.broadcast_to(jnp.asarray(spin[3 * i + j], dtype=par.dtype), shape)
                        for i in legs
                    ]
                )
                for j in range(3)
            ]
            found = [
                jnp.broadcast_to(v, (len(legs), *shape))
                for v in _run(program(kind), [*wide, *turns], rows)
            ]
            for place, i in enumerate(legs):
                out[i] = outputs.named([v[place] for v in found])
        return out

    def _par(self, parameters: Any) -> Any:
        jnp = require_jax().numpy
        par = self.parameters if parameters is None else jnp.asarray(parameters)
        if par.ndim != 1 or par.shape != self.parameters.shape:
            raise InputError(
                "parameters",
                f"shape {par.shape}",
                f"must have shape {self.parameters.shape}; vmap it",
            )
        return par

    def _columns(self, position: Any, rotation: Any, *more: Any) -> list[Any]:
        """24 components of a motion; what is not given is zero."""
        jnp = require_jax().numpy
        R = jnp.asarray(rotation)
        if R.shape[-2:] != (3, 3):
            raise InputError("rotation", f"shape {R.shape}", "must have shape (..., 3, 3)")
        x = [*self._split(position, 3), *(R[..., i, j] for i in range(3) for j in range(3))]
        for part in (*more, *[None] * (4 - len(more))):
            x += self._split(part, 3)
        shape = jnp.broadcast_shapes(*(jnp.shape(v) for v in x))
        return [jnp.broadcast_to(v, shape) if jnp.ndim(v) else v for v in x]

    def _split(self, value: Any, width: int) -> list[Any]:
        if value is None:
            return [0.0] * width
        value = require_jax().numpy.asarray(value)
        if value.shape[-1:] != (width,):
            raise InputError("array", f"shape {value.shape}", f"must have shape (..., {width})")
        return [value[..., k] for k in range(width)]

    def _spin(self, spin: Any) -> list[Any]:
        if spin is None:
            return [1.0, 0.0, 0.0] * 6
        spin = require_jax().numpy.asarray(spin)
        return [spin[..., i, j] for i in range(6) for j in range(3)]

    def _stack(self, values: list[Any]) -> Any:
        jnp = require_jax().numpy
        return jnp.stack(jnp.broadcast_arrays(*values), axis=-1)


def _added(first: list[Any], others: list[list[Any]]) -> list[Any]:
    """Component by component: the body's share and the legs'."""
    return [a + sum(other[k] for other in others) for k, a in enumerate(first)]


def _run(program: Program, x: list[Any], par: Any) -> list[Any]:
    jnp = require_jax().numpy
    calls = {"sqrt": lambda a, _: jnp.sqrt(a), "atan2": lambda a, b: jnp.arctan2(a, b)}
    return program.run(x, par, (), calls)
