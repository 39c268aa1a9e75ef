"""The machine functions for JAX: jit, vmap and grad through motion and every parameter (extra: ``gough[jax]``).

    model = gough.jax.machine(platform)
    force = model.inverse_dynamics(position, rotation, velocity, angular_velocity, acceleration, angular_acceleration)
    slope = jax.grad(lambda p: model.inverse_dynamics(..., parameters=p).sum())(model.parameters)

The traced program runs on components (arrays of the batch shape), which XLA fuses well.  Use double precision
(``jax.config.update("jax_enable_x64", True)``).  `jit` is jax.jit with the option that keeps XLA's CPU compiler
from taking minutes over long straight-line programs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gough.checks import InputError
from gough.engines.evaluate import check_platform
from gough.engines.native import LAYOUTS, inputs_of
from gough.engines.pack import kinds_of, parameters
from gough.engines.tracer import trace
from gough.model import SPS, Platform

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
    spinning = any(isinstance(leg, SPS) and not leg.spin_free for leg in platform.legs)
    return Machine(kinds_of(platform, spinning), parameters(platform))


class Machine:
    """Pure functions of arrays with leading batch axes; parts that are not given are zero.

    parameters  the packed machine (order: `gough.engines.derivatives.parameter_names`); pass another vector of the
                same layout to any function to differentiate with respect to it
    spin        (..., 18) cosine, sine, rate per leg
    """

    def __init__(self, kinds: tuple[str, ...], par: Any) -> None:
        self.kinds = kinds
        self.parameters = _jax().numpy.asarray(par)

    def evaluate(self, function: str, blocks: dict[str, Any], parameters: Any = None) -> Any:
        """Any machine function by name on named input blocks (..., width); (..., outputs)."""
        jnp = _jax().numpy
        par = self.parameters if parameters is None else jnp.asarray(parameters)
        columns: list[Any] = []
        shape: tuple[int, ...] = ()
        for name, width in inputs_of(function, self.kinds):
            block = blocks.get(name)
            if block is None:
                columns += ([1.0, 0.0, 0.0] * 6) if name == "spin" else [0.0] * width
                continue
            block = jnp.asarray(block)
            if block.shape[-1] != width:
                raise InputError(name, f"shape {block.shape}", f"must have shape (..., {width})")
            shape = jnp.broadcast_shapes(shape, block.shape[:-1])
            columns += [block[..., k] for k in range(width)]
        program = trace(function, self.kinds)
        n_x = program.sizes["x"]
        calls = {"sqrt": lambda a, _: jnp.sqrt(a), "atan2": lambda a, b: jnp.arctan2(a, b)}
        out = program.run(columns[:n_x], [par[..., k] for k in range(par.shape[-1])], columns[n_x:], calls)
        shape = jnp.broadcast_shapes(shape, par.shape[:-1])
        return jnp.stack([jnp.broadcast_to(jnp.asarray(v, dtype=par.dtype), shape) for v in out], axis=-1)

    def _motion(self, *parts: Any, **more: Any) -> dict[str, Any]:
        jnp = _jax().numpy
        names = ("position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration")
        blocks = dict(zip(names, parts, strict=False))
        R = jnp.asarray(blocks["rotation"])
        if R.shape[-2:] != (3, 3):
            raise InputError("rotation", f"shape {R.shape}", "must have shape (..., 3, 3)")
        return {**blocks, "rotation": R.reshape(*R.shape[:-2], 9), **more}

    def inverse_dynamics(self, position: Any, rotation: Any, velocity: Any = None, angular_velocity: Any = None,
                         acceleration: Any = None, angular_acceleration: Any = None, external: Any = None, *,
                         parameters: Any = None, spin: Any = None) -> Any:
        """Efforts (..., 6)."""
        blocks = self._motion(position, rotation, velocity, angular_velocity, acceleration, angular_acceleration,
                              external=external, spin=spin)
        return self.evaluate("forces", blocks, parameters)[..., :6]

    def forward_dynamics(self, position: Any, rotation: Any, velocity: Any, angular_velocity: Any, force: Any,
                         external: Any = None, *, parameters: Any = None, spin: Any = None) -> Any:
        """Accelerations (..., 6): linear, angular."""
        blocks = self._motion(position, rotation, velocity, angular_velocity, effort=force, external=external,
                              spin=spin)
        return self.evaluate("forward", blocks, parameters)[..., :6]

    def inverse_kinematics(self, position: Any, rotation: Any, *, parameters: Any = None) -> Any:
        """Actuator coordinates (..., 6)."""
        blocks = self._motion(position, rotation)
        return self.evaluate("kinematics", blocks, parameters)[..., ::LAYOUTS["kinematics"].n_out // 6]

    def mass_matrix(self, position: Any, rotation: Any, *, parameters: Any = None, spin: Any = None) -> Any:
        """(..., 6, 6) task space."""
        jnp = _jax().numpy
        upper = self.evaluate("mass", self._motion(position, rotation, spin=spin), parameters)
        index = [[0] * 6 for _ in range(6)]
        k = 0
        for i in range(6):
            for j in range(i, 6):
                index[i][j] = index[j][i] = k
                k += 1
        return upper[..., jnp.asarray(index)]

    def energy(self, position: Any, rotation: Any, velocity: Any = None, angular_velocity: Any = None, *,
               parameters: Any = None, spin: Any = None) -> Any:
        """Kinetic and potential energy (..., 2), J."""
        return self.evaluate("energy", self._motion(position, rotation, velocity, angular_velocity, spin=spin),
                             parameters)
