"""The machine functions for JAX: jit, vmap and grad through motion and every parameter (extra: ``gough[jax]``).

    model = gough.jax.machine(platform)
    force = model.inverse_dynamics(position, rotation, velocity, angular_velocity, acceleration, angular_acceleration)
    slope = jax.grad(lambda p: model.inverse_dynamics(..., parameters=p).sum())(model.parameters)

Traced programs run on components (arrays of the batch shape, legs of one kind along a leading axis), which XLA
fuses well.  Use double precision
(``jax.config.update("jax_enable_x64", True)``).  `jit` is jax.jit with the option that keeps XLA's CPU compiler
from taking minutes over long straight-line programs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

from gough.checks import InputError
from gough.engines import leg_programs
from gough.engines.evaluate import check_platform
from gough.engines.pack import packed
from gough.engines.tracer import Program
from gough.equations.machine import offsets
from gough.model import Platform

CPU_OPTIONS = {"xla_cpu_use_fusion_emitters": False}


def _jax() -> Any:
    try:
        import jax
    except ImportError:
        raise InputError("jax", "not installed", "needs JAX: pip install 'gough[jax]'") from None
    return jax


def jit(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``jax.jit`` with the compiler option that suits these programs, where the backend knows it."""
    jax = _jax()
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


def machine(platform: Platform) -> Machine:
    """The functions of one platform; SPS legs that carry their spin read it from `spin`."""
    check_platform(platform)
    found = packed(platform, None)
    return Machine(found.kinds, found.parameters)


class Machine:
    """Pure functions of arrays with leading batch axes; parts that are not given are zero.

    parameters  the packed machine (order: `gough.engines.derivatives.parameter_names`); pass another vector of the
                same layout to any function to differentiate with respect to it
    spin        (..., 6, 3) cosine, sine, rate per leg
    """

    def __init__(self, kinds: tuple[str, ...], par: Any) -> None:
        self.kinds = kinds
        self.parameters = _jax().numpy.asarray(par)

    def inverse_dynamics(self, position: Any, rotation: Any, velocity: Any = None, angular_velocity: Any = None,
                         acceleration: Any = None, angular_acceleration: Any = None, external: Any = None, *,
                         parameters: Any = None, spin: Any = None) -> Any:
        """Efforts (..., 6)."""
        x = self._columns(position, rotation, velocity, angular_velocity, acceleration, angular_acceleration)
        return self._stack(self.efforts(x, self._split(external, 6), self._par(parameters), self._spin(spin)))

    def efforts(self, motion: list[Any], external: list[Any], parameters: Any, spin: list[Any]) -> list[Any]:
        """The same on components: 24 arrays of motion, 6 of wrench, 18 of spin; six arrays.  The fastest form."""
        legs = self._legs(leg_programs.leg, motion, parameters, spin)
        load = _run(leg_programs.body(), [*motion, *external], parameters)[:6]
        load = [a + sum(leg[k] for leg in legs) for k, a in enumerate(load)]
        y = _run(leg_programs.solve_wrench(), [*(h for leg in legs for h in leg[6:12]), *load], ())
        return [leg[12] * yi for leg, yi in zip(legs, y, strict=True)]

    def forward_dynamics(self, position: Any, rotation: Any, velocity: Any, angular_velocity: Any, force: Any,
                         external: Any = None, *, parameters: Any = None, spin: Any = None) -> Any:
        """Accelerations (..., 6): linear, angular."""
        x, par = self._columns(position, rotation, velocity, angular_velocity), self._par(parameters)
        spins = self._spin(spin)
        states = self._legs(leg_programs.leg, x, par, spins)
        inertia = self._legs(leg_programs.leg_inertia, x, par, spins)
        body = _run(leg_programs.body(), [*x, *self._split(external, 6)], par)
        push = [-body[k] + sum(leg[21 + k] * f - state[k] for leg, state, f in
                               zip(inertia, states, self._split(force, 6), strict=True)) for k in range(6)]
        M = [body[6 + k] + sum(leg[k] for leg in inertia) for k in range(21)]
        return self._stack(_run(leg_programs.solve_mass(), [*M, *push], ()))

    def inverse_kinematics(self, position: Any, rotation: Any, *, parameters: Any = None, spin: Any = None) -> Any:
        """Actuator coordinates (..., 6)."""
        x = self._columns(position, rotation)
        legs = self._legs(leg_programs.leg, x, self._par(parameters), self._spin(spin))
        return self._stack([leg[13] for leg in legs])

    def mass_matrix(self, position: Any, rotation: Any, *, parameters: Any = None, spin: Any = None) -> Any:
        """(..., 6, 6) task space."""
        x, par = self._columns(position, rotation), self._par(parameters)
        inertia = self._legs(leg_programs.leg_inertia, x, par, self._spin(spin))
        body = _run(leg_programs.body(), [*x, *[0.0] * 6], par)
        upper = self._stack([body[6 + k] + sum(leg[k] for leg in inertia) for k in range(21)])
        index = [[0] * 6 for _ in range(6)]
        for k, (row, column) in enumerate(combinations_with_replacement(range(6), 2)):
            index[row][column] = index[column][row] = k
        return upper[..., _jax().numpy.asarray(index)]

    def energy(self, position: Any, rotation: Any, velocity: Any = None, angular_velocity: Any = None, *,
               parameters: Any = None, spin: Any = None) -> Any:
        """Kinetic and potential energy (..., 2), J."""
        x, par = self._columns(position, rotation, velocity, angular_velocity), self._par(parameters)
        inertia = self._legs(leg_programs.leg_inertia, x, par, self._spin(spin))
        body = _run(leg_programs.body(), [*x, *[0.0] * 6], par)
        return self._stack([body[27 + k] + sum(leg[27 + k] for leg in inertia) for k in range(2)])

    def _legs(self, piece: Callable[[str], Program], motion: list[Any], par: Any, spin: list[Any]) -> list[list[Any]]:
        """Outputs of each leg; legs of one kind run together along a leading axis."""
        jnp = _jax().numpy
        at, out = offsets(self.kinds), [[] for _ in range(6)]
        for kind in dict.fromkeys(self.kinds):
            legs = [i for i, k in enumerate(self.kinds) if k == kind]
            shape = jnp.broadcast_shapes(*(jnp.shape(v) for v in (*motion, *spin)))
            wide = [v[None] if jnp.ndim(v) == len(shape) and shape else v for v in motion]
            table = jnp.stack([jnp.concatenate([par[10:13], par[at[i]:at[i + 1]]]) for i in legs])
            rows = [table[:, k].reshape(len(legs), *[1] * len(shape)) for k in range(table.shape[1])]
            turns = [jnp.stack([jnp.broadcast_to(jnp.asarray(spin[3 * i + j], dtype=par.dtype), shape) for i in legs])
                     for j in range(3)]
            found = _run(piece(kind), [*wide, *turns], rows)
            for place, i in enumerate(legs):
                out[i] = [jnp.broadcast_to(v, (len(legs), *shape))[place] for v in found]
        return out

    def _par(self, parameters: Any) -> Any:
        jnp = _jax().numpy
        par = self.parameters if parameters is None else jnp.asarray(parameters)
        if par.ndim != 1 or par.shape != self.parameters.shape:
            raise InputError("parameters", f"shape {par.shape}", f"must have shape {self.parameters.shape}; vmap it")
        return par

    def _columns(self, position: Any, rotation: Any, *more: Any) -> list[Any]:
        """24 components of a motion; what is not given is zero."""
        jnp = _jax().numpy
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
        value = _jax().numpy.asarray(value)
        if value.shape[-1:] != (width,):
            raise InputError("array", f"shape {value.shape}", f"must have shape (..., {width})")
        return [value[..., k] for k in range(width)]

    def _spin(self, spin: Any) -> list[Any]:
        if spin is None:
            return [1.0, 0.0, 0.0] * 6
        spin = _jax().numpy.asarray(spin)
        return [spin[..., i, j] for i in range(6) for j in range(3)]

    def _stack(self, values: list[Any]) -> Any:
        jnp = _jax().numpy
        return jnp.stack(jnp.broadcast_arrays(*values), axis=-1)


def _run(program: Program, x: list[Any], par: Any) -> list[Any]:
    jnp = _jax().numpy
    calls = {"sqrt": lambda a, _: jnp.sqrt(a), "atan2": lambda a, b: jnp.arctan2(a, b)}
    return program.run(x, par, (), calls)
