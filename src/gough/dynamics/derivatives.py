"""Analytic derivatives of inverse and forward dynamics: motion, wrench, efforts, spins and every parameter.

A rotation is turned by a small rotation vector phi in world axes, ``R -> exp([phi]x) R``; so the 18 columns of
`motion` are position, phi, velocity, angular velocity, acceleration, angular acceleration, all world axes.
Parameters are the numbers of the machine file, `parameter_names` in `parameter_units` (dynamics/parameters.py).
Efforts and accelerations come from compiled reverse mode, joint reactions and spin accelerations, which are asked for
rarely, from complex steps through the same equations, and so do accelerations of machines with fixed links; both are
exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array
from gough.dynamics.complex_step import slopes, variations
from gough.dynamics.parameters import Parameters, derivative_kinds, machine_parameters
from gough.engines import native
from gough.engines.derivative_kernel import kernel
from gough.engines.evaluate import Evaluation, evaluation
from gough.engines.pack import packed
from gough.equations.machine import FUNCTIONS, links, spinning
from gough.frozen import hinted
from gough.guard import MAX_CONDITION, judge_finite
from gough.layout import FORWARD, JACOBIAN, LEG_RECORD, MOTION, STATE_VARIATION, VARIATION
from gough.model import Platform
from gough.results import Reactions, Result, Spin
from gough.spatial import Motion, Pose, skew

CHUNK = 32  # states whose reactions are differentiated together: some 6 MB of complex numbers each operation


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Slopes(Result):
    """Numbers and their Jacobian, (...) batch axes first, then the axes of the answer itself.

    value       (..., 6) or another answer
    jacobian    (..., 6, n) over motion 18, external wrench 6, efforts 6, spin angles 6, spin rates 6, packed parameters
    names, units  of the columns of `parameters`
    """

    value: Array
    jacobian: Array
    direction: str
    machine: Parameters = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the machine's parameters, as its file has them."""
        return self.machine.names

    @property
    def units(self) -> tuple[str, ...]:
        """Their SI units."""
        return self.machine.units

    @property
    def motion(self) -> Array:
        """(..., 6, 18); the last six columns are zero for forward dynamics."""
        if self.direction == "forward":
            out = np.zeros((*self.value.shape, VARIATION.size))
            out[..., : STATE_VARIATION.size] = self.jacobian[..., : STATE_VARIATION.size]
            return out
        return self.jacobian[..., JACOBIAN.motion]

    @property
    def external(self) -> Array:
        """(..., 6, 6) over the external wrench in platform axes."""
        return self.jacobian[..., JACOBIAN.external]

    @property
    def effort(self) -> Array:
        """(..., 6, 6) of forward dynamics: ``M^-1 J^T``; of inverse dynamics zero: they are the answer."""
        return self.jacobian[..., JACOBIAN.effort]

    @property
    def spin_angle(self) -> Array:
        """(..., 6, 6) over the spin angles of legs that spin."""
        return self.jacobian[..., JACOBIAN.spin_angle]

    @property
    def spin_rate(self) -> Array:
        """(..., 6, 6) over the spin rates of legs that spin."""
        return self.jacobian[..., JACOBIAN.spin_rate]

    @cached_property
    def parameters(self) -> Array:
        """(..., 6, n) over the machine's parameters: per unit of each, in the order of `names`."""
        return self.packed @ self.machine.packing

    @property
    def packed(self) -> Array:
        """(..., 6, n) over the engines' vector, in the order of `packed_names`."""
        return self.jacobian[..., JACOBIAN.size :]


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Derivatives(Slopes):
    """Six efforts (inverse) or accelerations, linear and angular (forward), with their slopes.

    The slopes of joint reactions and spin accelerations are computed when first asked for.
    """

    angular_velocity: Array
    compute_more: Callable[[], dict[str, Slopes]] | None = field(repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """A copy holds what is still to be computed as numbers: its maker may be closed over anything."""
        _ = self._more
        return {**self.__dict__, "compute_more": None}

    @cached_property
    def _more(self) -> dict[str, Slopes]:
        assert self.compute_more is not None
        return self.compute_more()

    @property
    def spin_acceleration(self) -> Slopes:
        """Spin accelerations (..., 6) and their slopes; zero for legs that do not spin."""
        return self._more["spin_acceleration"]

    @property
    def reactions(self) -> dict[str, Slopes]:
        """Joint reactions (..., 6, 3) by their names in `gough.results.Reactions`, with their slopes."""
        if self.direction != "inverse":
            raise AttributeError("reactions belong to inverse dynamics")
        return {f.name: self._more[f.name] for f in fields(Reactions)}

    @property
    def A(self) -> Array:
        """(..., 12, 12) of ``d(dz)/dt = A dz + B dtau``, dz = (position, rotation vector, velocity, angular velocity).

        The rotation vector in world axes obeys ``phi' = dw + w x phi``.
        """
        if self.direction != "forward":
            raise AttributeError("A and B belong to forward dynamics")
        n, turn, twist = (
            STATE_VARIATION.size,
            STATE_VARIATION.rotation_vector,
            STATE_VARIATION.at("velocity"),
        )
        A = np.zeros((*self.value.shape[:-1], n, n))
        A[..., :twist, twist:] = np.eye(6)
        A[..., turn, turn] = skew(self.angular_velocity)
        A[..., twist:, :] = self.jacobian[..., :n]
        return A

    @property
    def B(self) -> Array:
        """(..., 12, 6) of the same system, over the efforts."""
        if self.direction != "forward":
            raise AttributeError("A and B belong to forward dynamics")
        return np.concatenate([np.zeros_like(self.effort), self.effort], axis=-2)


def inverse_dynamics_derivatives(
    platform: Platform,
    motion: Motion | Pose,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
) -> Derivatives:
    """Efforts and their derivatives over motion, wrench, spins and all parameters; singular states are refused."""
    exact = evaluation("forces", platform, motion, spin, external=external)
    exact.judged(MAX_CONDITION)
    return _derivatives("inverse", exact)


def forward_dynamics_derivatives(
    platform: Platform,
    motion: Motion | Pose,
    force: ArrayLike,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
) -> Derivatives:
    """Accelerations and their derivatives over pose, twist, efforts, wrench, spins and all parameters."""
    driven = evaluation("forward", platform, motion, spin, force=force, external=external)
    driven.judged()
    return _derivatives("forward", driven)


def spinning_blocks(e: Evaluation, kinds: Sequence[str]) -> list[Array]:
    """Inputs of a function's equations: with the spins, if a leg reads them."""
    return e.blocks if e.spins is None or not spinning(kinds) else [*e.blocks, e.spins]


def _derivatives(direction: str, e: Evaluation) -> Derivatives:
    shape, par = e.motion.shape, packed(e.platform).parameters
    kinds = derivative_kinds(e.platform, e.spins is not None)
    blocks = spinning_blocks(e, kinds)
    n = len(blocks[0])
    value, jacobian = np.empty((n, 6)), np.zeros((n, 6, JACOBIAN.size + par.size))
    if direction == "forward" and links(kinds):  # reverse mode does not know their constraints
        for low in range(0, n, CHUNK):
            x = np.concatenate([block[low : low + CHUNK] for block in blocks], axis=1)
            rows, slope = _all_slopes("forward", kinds, x, par)
            value[low : low + CHUNK], jacobian[low : low + CHUNK] = rows[:, :6], slope[:, :6]
    else:
        native.run_into(
            kernel(direction, kinds),
            blocks,
            par,
            (value, jacobian),
            native.threads(),
            native.BLOCK,
        )
    judge_finite(e.platform, e.motion, jacobian.reshape(*shape, -1), e.question())
    machine = machine_parameters(e.platform, e.spins is not None)

    def more() -> dict[str, Slopes]:
        function, x = (
            "record" if direction == "inverse" else "forward",
            np.concatenate(blocks, axis=1),
        )
        found = [_stepped(function, kinds, x[low : low + CHUNK], par) for low in range(0, n, CHUNK)]
        out: dict[str, Slopes] = {}
        for name in found[0]:
            both = (
                np.concatenate(parts) for parts in zip(*(part[name] for part in found), strict=True)
            )
            value, jacobian = (a.reshape(*shape, *a.shape[1:]) for a in both)
            out[name] = Slopes(value, jacobian, direction, machine)
        return out

    return Derivatives(
        value.reshape(*shape, 6),
        jacobian.reshape(*shape, 6, -1),
        direction,
        machine,
        np.broadcast_to(e.motion.angular_velocity, (*shape, 3)),
        more,
    )


def _stepped(
    function: str, kinds: tuple[str, ...], x: Array, par: Array
) -> dict[str, tuple[Array, Array]]:
    """Spin accelerations (N, 6) and, of records, reactions (N, 6, 3), each with its slopes over all columns."""
    values, found = (_named(function, rows) for rows in _all_slopes(function, kinds, x, par))
    return {name: (values[name], found[name]) for name in found}


def _all_slopes(function: str, kinds: tuple[str, ...], x: Array, par: Array) -> tuple[Array, Array]:
    """Answers (N, outputs) and their slopes over the columns of a Jacobian, by complex steps."""
    size = FUNCTIONS[function].inputs.size
    moved = variations(function, x[:, MOTION.rotation].reshape(-1, 3, 3), x[:, size:])
    still = np.zeros((*moved.shape[:2], par.size))
    along = np.concatenate([np.zeros((par.size, JACOBIAN.size)), np.eye(par.size)], axis=1)
    return slopes(function, kinds, x, par, np.concatenate([moved, still], axis=2), along)


def _named(function: str, rows: Array) -> dict[str, Array]:
    """(N, outputs, ...) -> by name: spin accelerations (N, 6, ...), reactions (N, 6, 3, ...)."""
    if function == "forward":
        return {"spin_acceleration": rows[:, FORWARD.spin_acceleration]}
    legs = rows.reshape(len(rows), 6, LEG_RECORD.size, *rows.shape[2:])
    names = ("spin_acceleration", *(f.name for f in fields(Reactions)))
    return {name: legs[:, :, getattr(LEG_RECORD, name)] for name in names}
