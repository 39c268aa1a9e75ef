"""The PyTorch rollout without PyTorch: a few names of it, played by NumPy, carry tensors there and back
(torch_rollout.py, array_rollout.py)."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.simulation import rollout, torch_rollout

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()


class Tensor(np.ndarray):
    """An array that knows its device."""

    device: str = "cpu"

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> Array:
        return np.asarray(self)


def as_tensor(value: Any, dtype: Any = None, device: str = "cpu") -> Tensor:
    found = np.array(value, dtype=dtype).view(Tensor)
    found.device = device
    return found


class Function:
    """Calls forward, and keeps what it needs to go back."""

    @classmethod
    def apply(cls, *given: Any) -> Any:
        context = SimpleNamespace()
        context.save_for_backward = lambda *kept: setattr(context, "saved_tensors", kept)
        cls.last = cls, context  # type: ignore[attr-defined]
        return cls.forward(context, *given)  # type: ignore[attr-defined]


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    fake = SimpleNamespace(broadcast_shapes=np.broadcast_shapes, stack=np.stack)
    fake.broadcast_to = lambda a, shape: as_tensor(np.broadcast_to(a, shape), device=a.device)
    fake.concatenate = lambda rows, axis: as_tensor(
        np.concatenate(rows, axis=axis), device=rows[0].device
    )
    fake.Tensor, fake.as_tensor, fake.float64 = Tensor, as_tensor, np.float64
    fake.autograd = SimpleNamespace(Function=Function)
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


def test_states_and_slopes_are_those_of_a_rollout(torch: Any) -> None:
    """By default a millisecond a step, every step recorded; on the device of the efforts."""
    roll = torch_rollout(MACHINE)
    hold = gough.inverse_dynamics(MACHINE, HOME).force
    push = np.repeat(hold[None], 4, axis=0) * np.linspace(0.9, 1.1, 4)[:, None]
    found = roll(HOME.position, HOME.rotation, as_tensor(push, device="card"))
    wanted = rollout(MACHINE, HOME, push, step=1e-3, every=1)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        np.testing.assert_allclose(found[name], getattr(wanted, name), rtol=1e-12, atol=1e-14)
    operation, context = next(
        (kept for kind in Function.__subclasses__() if (kept := getattr(kind, "last", None))), None
    )
    states, *given = context.saved_tensors
    assert states.shape == (5, 18)
    assert states.device == "card"
    assert [a.shape for a in given[:2]] == [(4, 6), (1, 6)]
    weight = as_tensor(np.random.default_rng(1).normal(size=(5, 18)), device="card")
    start, to_push, to_wrench, to_par = operation.backward(context, weight)
    assert to_push.device == "card"
    parts = {"position": weight[:, :3], "rotation": weight[:, 3:12].reshape(5, 3, 3)}
    parts |= {"velocity": weight[:, 12:15], "angular_velocity": weight[:, 15:]}
    slopes = wanted.slopes(**{k: np.asarray(v) for k, v in parts.items()}, parameters=True)  # type: ignore[arg-type]
    np.testing.assert_allclose(to_push, slopes.effort, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(to_wrench[0], slopes.external.sum(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(start, slopes.rows, rtol=1e-9, atol=1e-12)
    assert slopes.packed is not None
    np.testing.assert_allclose(to_par, slopes.packed, rtol=1e-8, atol=1e-9)


def test_without_pytorch_the_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(gough.InputError, match="pip install torch"):
        torch_rollout(MACHINE)
