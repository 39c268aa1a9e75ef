"""Rollouts for PyTorch: one operation that autograd goes back through (PyTorch is not installed with gough).

    roll = gough.simulation.torch_rollout(platform, step=1e-3)
    loss = ((roll(start.position, start.rotation, effort)["position"][-1] - goal) ** 2).sum()
    loss.backward()  # effort.grad

States and slopes come from the kernels of `rollout` and `Rollout.slopes`; tensors pass through the host, and answers
lie where the efforts lie.  Forward-mode and second derivatives are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.checks import InputError
from gough.model import Platform
from gough.simulation.array_rollout import SHAPES, ArrayRollout


def require_torch() -> Any:
    """PyTorch, or a sentence that says how to get it."""
    try:
        import torch
    except ImportError:
        raise InputError("torch", "not installed", "needs PyTorch: pip install torch") from None
    return torch


def torch_rollout(
    platform: Platform,
    *,
    step: float = 1e-3,
    every: int = 1,
    integrator: str = "rk4",
    engine: str = "native",
) -> Callable[..., dict[str, Any]]:
    """A rollout as a function of PyTorch tensors; `step`, `every`, `integrator`, `engine` as in `rollout`.

    ``roll(position, rotation, effort, velocity, angular_velocity, external, spin, parameters)``, five optional, of
    tensors or arrays (..., 3), (..., 3, 3), effort (..., steps, 6), external (..., steps, 6) or (..., 6), spin
    (..., 6, 3) cosine, sine, rate of legs that carry theirs, and the packed machine (`gough.dynamics.packed_names`)
    answers a dictionary of float64 tensors: position, rotation, velocity, angular_velocity (..., records, ...), and
    spin.  A run without a trustworthy answer is NaN from there on.
    """
    torch = require_torch()
    made = ArrayRollout.of(platform, step, every, integrator, engine)
    operation = _operation(torch, made)

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
        place = effort.device if isinstance(effort, torch.Tensor) else "cpu"

        def tensor(value: Any) -> Any:
            value = np.array(value) if isinstance(value, np.ndarray) else value
            return torch.as_tensor(value, dtype=torch.float64, device=place)

        given = (position, rotation, effort, velocity, angular_velocity, external, spin, parameters)
        named = dict(zip(SHAPES, given, strict=True))
        return made.named(torch, operation.apply(*made.laid_out(torch, tensor, named)))

    return roll


def _operation(torch: Any, made: ArrayRollout) -> Any:
    """The rollout as an operation of autograd: rows of a state, loads and parameters in, rows of states out."""

    def here(a: Any) -> Any:
        return a.detach().cpu().numpy()

    class Slopes(torch.autograd.Function):
        """Backwards over the arrays."""

        @staticmethod
        def forward(context: Any, *given: Any) -> Any:
            found = made.backwards(*map(here, given))
            return tuple(torch.as_tensor(a, device=given[0].device) for a in found)

        @staticmethod
        def backward(context: Any, *weights: Any) -> Any:
            raise NotImplementedError("second derivatives of a rollout are not served")

    class Operation(torch.autograd.Function):
        """Forwards over the arrays."""

        @staticmethod
        def forward(context: Any, *given: Any) -> Any:
            states = torch.as_tensor(made.forwards(*map(here, given)), device=given[0].device)
            context.save_for_backward(states, *given[1:])
            return states

        @staticmethod
        def backward(context: Any, weight: Any) -> Any:
            return Slopes.apply(*context.saved_tensors, weight)

    return Operation
