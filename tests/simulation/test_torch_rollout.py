"""Rollouts inside PyTorch's autograd: states and slopes are those of `rollout`; without PyTorch a sentence."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.engines.pack import packed
from gough.simulation import rollout, torch_rollout
from gough.simulation.array_rollout import ArrayRollout

STEPS = 12


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def push(base: gough.Platform) -> Array:
    hold = gough.inverse_dynamics(base, base.require_home()).force
    return hold * (1.0 + 0.05 * np.random.default_rng(0).normal(size=(STEPS, 6)))


def engines() -> list[str]:
    """Those of this machine."""
    from gough.engines import cuda

    try:
        cuda.cupy()
    except gough.InputError:
        return ["native"]
    return ["native", "cuda"]


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="PYTORCH IS NOT INSTALLED: autograd was not tried")


@pytest.mark.parametrize("engine", engines())
def test_autograd_goes_back_through_a_rollout(
    torch: Any, base: gough.Platform, push: Array, engine: str
) -> None:
    home, rng = base.require_home(), np.random.default_rng(1)
    wrench = rng.normal(size=6) * 20.0
    run = rollout(base, home, push, step=2e-3, every=3, external=wrench)
    weights = {name: rng.normal(size=getattr(run, name).shape) for name in ("position", "velocity")}
    given = push, home.rotation, wrench, packed(base).parameters
    place = engine if torch.cuda.is_available() and engine == "cuda" else "cpu"
    leaves = [torch.tensor(np.array(a), requires_grad=True, device=place) for a in given]
    roll = torch_rollout(base, step=2e-3, every=3, engine=engine)
    told = roll(home.position, leaves[1], leaves[0], external=leaves[2], parameters=leaves[3])
    torch.stack(
        [(told[name] * torch.tensor(w, device=place)).sum() for name, w in weights.items()]
    ).sum().backward()
    near = 0.0 if engine == "native" else 1e-12
    for name, values in told.items():
        assert values.device.type == place
        here = values.detach().cpu().numpy()
        np.testing.assert_allclose(here, getattr(run, name), rtol=0.0, atol=near)
    wanted = run.slopes(**weights, parameters=True)
    assert wanted.packed is not None
    slopes = wanted.effort, wanted.rotation, wanted.external.sum(axis=0), wanted.packed
    for leaf, slope in zip(leaves, slopes, strict=True):
        size = np.abs(slope).max()
        np.testing.assert_allclose(leaf.grad.cpu().numpy(), slope, rtol=0.0, atol=1e-11 * size)


def test_runs_side_by_side_and_a_second_slope_is_refused(
    torch: Any, base: gough.Platform, push: Array
) -> None:
    home = base.require_home()
    effort = torch.tensor(np.stack([push, 1.01 * push]), requires_grad=True)
    height = torch_rollout(base, every=STEPS)(home.position, home.rotation, effort)["position"]
    (slope,) = torch.autograd.grad(height[:, -1, 2].sum(), effort, create_graph=True)
    for i, each in enumerate((push, 1.01 * push)):
        run = rollout(base, home, each, every=STEPS)
        weight = np.zeros((2, 3))
        weight[1, 2] = 1.0
        assert float(height[i, -1, 2].detach()) == run.position[-1, 2]
        wanted = run.slopes(position=weight).effort
        np.testing.assert_allclose(slope[i].detach().numpy(), wanted, rtol=1e-12)
    with pytest.raises(NotImplementedError, match="second derivatives"):
        (slope.sum() + effort.sum()).backward()


def test_what_is_refused(torch: Any, base: gough.Platform, push: Array) -> None:
    home, roll = base.require_home(), torch_rollout(base)
    with pytest.raises(gough.InputError, match="effort: got 'shape"):
        roll(home.position, home.rotation, push[0])
    with pytest.raises(gough.InputError, match="engine"):
        torch_rollout(base, engine="python")
    bad = roll(home.position, home.rotation, np.stack([push, np.full_like(push, 1e12)]))
    assert torch.isfinite(bad["position"][0]).all()
    assert torch.isnan(bad["position"][1, -1]).all()


def test_without_torch_a_sentence_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, base: gough.Platform
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(gough.InputError, match="needs PyTorch: pip install torch"):
        torch_rollout(base)


def test_arrays_are_laid_out_alike_for_every_library(base: gough.Platform, push: Array) -> None:
    """NumPy in the place of PyTorch and JAX: what `forwards` takes, and states by their names."""
    made, home = ArrayRollout.of(base, 1e-3, 3, "rk4"), base.require_home()
    nothing = dict.fromkeys(("velocity", "angular_velocity", "external", "spin", "parameters"))
    given = {"position": home.position, "rotation": home.rotation, "effort": push, **nothing}
    states = made.forwards(*made.laid_out(np, np.asarray, given))
    run = rollout(base, home, push, every=3)
    for name, values in made.named(np, states).items():
        np.testing.assert_array_equal(values, getattr(run, name))
    with pytest.raises(gough.InputError, match="velocity: got 'shape"):
        made.laid_out(np, np.asarray, {**given, "velocity": np.zeros(2)})
