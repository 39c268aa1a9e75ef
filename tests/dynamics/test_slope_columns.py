"""Columns of the derivatives: what each of them is a change of, on fixed links and in pieces too."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import gough
from gough.dynamics import derivatives, forward_dynamics_derivatives
from gough.dynamics.complex_step import slopes, variations
from gough.dynamics.derivatives import Derivatives, Slopes, spinning_blocks
from gough.dynamics.parameters import derivative_kinds
from gough.engines import pack, plain
from gough.engines.evaluate import evaluation
from gough.equations.machine import FUNCTIONS
from gough.layout import FORWARD, JACOBIAN, LEG_RECORD
from gough.spatial import rotation_exp
from oracles.machines import Case, case

COLUMNS = {
    "motion": (0, 18),
    "external": (18, 24),
    "effort": (24, 30),
    "spin_angle": (30, 36),
    "spin_rate": (36, 42),
}
STATES = 2


def spun(seed: int) -> Case:
    return case("SPS-general", seed=seed, states=STATES)


def inputs(function: str, c: Case, column: int, h: float) -> np.ndarray:
    """(N, width) of a function's inputs with one column of a Jacobian changed by h."""
    dz = h * np.eye(JACOBIAN.size)[column]
    m, motion = c.motion, dz[:18].reshape(6, 3)
    rates = (m.velocity, m.angular_velocity, m.acceleration, m.angular_acceleration)
    parts = {
        "position": m.position + motion[0],
        "rotation": (rotation_exp(motion[1]) @ m.rotation).reshape(STATES, 9),
        "external": c.external + dz[18:24],
        "effort": np.arange(6.0) + np.zeros((STATES, 6)) + dz[24:30],
    }
    names = ("velocity", "angular_velocity", "acceleration", "angular_acceleration")
    parts |= {n: a + d for n, a, d in zip(names, rates, motion[2:], strict=True)}
    angle, rate = c.spin_angle + dz[30:36], c.spin_rate + dz[36:42]
    turns = np.stack([np.cos(angle), np.sin(angle), rate], axis=-1).reshape(STATES, 18)
    own = [parts[name] for name, _ in FUNCTIONS[function].inputs.blocks()]
    return np.concatenate([*own, turns], axis=1)


@pytest.mark.parametrize("function", ["forces", "record", "forward", "energy", "mass"])
def test_variations_are_the_changes_of_a_functions_inputs(function: str) -> None:
    c, h = spun(3), 1e-6
    spins = inputs(function, c, 0, 0.0)[:, -18:]
    found = variations(function, c.motion.rotation, spins)
    for column in range(JACOBIAN.size):
        wanted = (inputs(function, c, column, h) - inputs(function, c, column, -h)) / (2 * h)
        np.testing.assert_allclose(found[..., column], wanted, atol=1e-8, err_msg=str(column))
    bare = variations(function, c.motion.rotation, np.zeros((STATES, 0)))
    np.testing.assert_array_equal(bare[..., :30], found[:, :-18, :30])
    assert not bare[..., 30:].any()


@pytest.mark.parametrize("given", ["inputs", "parameters", "both"])
def test_slopes_are_those_of_the_function_along_what_is_given(given: str) -> None:
    """Central differences along two directions; what has no direction stays."""
    c, rng, h = spun(4), np.random.default_rng(1), 1e-6
    x = inputs("energy", c, 0, 0.0)
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    along, changed = rng.normal(size=(*x.shape, 2)), rng.normal(size=(par.size, 2))
    changed[: par.size // 2] = 0.0
    dx = along if given != "parameters" else None
    dp = changed if given != "inputs" else None
    value, found = slopes("energy", kinds, x, par, dx, dp)

    def answer(step: float, k: int) -> np.ndarray:
        moved = x if dx is None else x + step * along[..., k]
        numbers = par if dp is None else par + step * changed[:, k]
        size = FUNCTIONS["energy"].inputs.size
        columns = list(moved.T)
        out = plain.evaluate("energy", kinds, columns[:size], list(numbers), columns[size:])
        return np.stack(np.broadcast_arrays(*out), axis=1)

    np.testing.assert_allclose(value, answer(0.0, 0), rtol=1e-12)
    for k in range(2):
        wanted = (answer(h, k) - answer(-h, k)) / (2 * h)
        np.testing.assert_allclose(found[:, :2, k], wanted[:, :2], rtol=1e-5, atol=1e-4)


def made(direction: str, more: object = None) -> Derivatives:
    rng = np.random.default_rng(2)
    jacobian, w = rng.normal(size=(2, 3, 6, JACOBIAN.size + 5)), rng.normal(size=(2, 3, 3))
    numbers = SimpleNamespace(names=("a", "b"), units=("m", "kg"), packing=rng.normal(size=(5, 2)))
    return Derivatives(rng.normal(size=(2, 3, 6)), jacobian, direction, numbers, w, more)  # type: ignore[arg-type]


@pytest.mark.parametrize("direction", ["inverse", "forward"])
def test_columns_have_their_names(direction: str) -> None:
    """A forward answer does not depend on accelerations: zeros stand in their place."""
    d = made(direction)
    for name, (first, last) in COLUMNS.items():
        wanted = d.jacobian[..., first:last]
        if name == "motion" and direction == "forward":
            wanted = np.concatenate([wanted[..., :12], np.zeros((2, 3, 6, 6))], axis=-1)
        np.testing.assert_array_equal(getattr(d, name), wanted)
    np.testing.assert_array_equal(d.packed, d.jacobian[..., 42:])
    np.testing.assert_allclose(d.parameters, d.jacobian[..., 42:] @ d.machine.packing)
    assert (d.names, d.units) == (("a", "b"), ("m", "kg"))


def test_the_linear_system_of_a_batch() -> None:
    """``phi' = dw + w x phi`` above, accelerations below; efforts act on accelerations only."""
    d = made("forward")
    assert d.A.shape == (2, 3, 12, 12)
    for at in np.ndindex(2, 3):
        dz = np.random.default_rng(7).normal(size=12)
        turned = dz[9:] + np.cross(d.angular_velocity[at], dz[3:6])
        accelerated = d.jacobian[at][:, :12] @ dz
        wanted = np.concatenate([dz[6:9], turned, accelerated])
        np.testing.assert_allclose(d.A[at] @ dz, wanted, atol=1e-12)
        np.testing.assert_array_equal(d.B[at][:6], np.zeros((6, 6)))
        np.testing.assert_array_equal(d.B[at][6:], d.jacobian[at][:, 24:30])
    for name in ("A", "B"):
        with pytest.raises(AttributeError, match="belong to forward"):
            getattr(made("inverse"), name)
    with pytest.raises(AttributeError, match="belong to inverse"):
        _ = d.reactions


def test_a_copy_holds_what_was_still_to_be_computed() -> None:
    def more() -> dict[str, Slopes]:
        return {"spin_acceleration": Slopes(np.ones(6), np.ones((6, 47)), "forward", None)}  # type: ignore[arg-type]

    d = made("forward", more)
    state = d.__getstate__()
    assert state["compute_more"] is None
    assert "compute_more" in d.__dict__
    assert d.compute_more is more
    np.testing.assert_array_equal(state["_more"]["spin_acceleration"].value, np.ones(6))


@pytest.mark.parametrize("width", [(), (4,)])
def test_rows_are_named(width: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    forward = rng.normal(size=(5, FORWARD.size, *width))
    found = derivatives._named("forward", forward)
    np.testing.assert_array_equal(found["spin_acceleration"], forward[:, 6:12])
    assert list(found) == ["spin_acceleration"]
    record = rng.normal(size=(5, 6 * LEG_RECORD.size, *width))
    legs = record.reshape(5, 6, LEG_RECORD.size, *width)
    named = derivatives._named("record", record)
    for name, rows in named.items():
        at = LEG_RECORD.at(name)
        wanted = legs[:, :, at] if name == "spin_acceleration" else legs[:, :, at : at + 3]
        np.testing.assert_array_equal(rows, wanted)


def on_links() -> tuple[gough.Platform, gough.Motion, np.ndarray]:
    """A machine whose third and fifth legs have fixed lengths, at five states that these allow."""
    machine = gough.load("motion-base-1500")
    home, legs = machine.require_home(), list(machine.legs)
    for i in (2, 4):
        span = home.position + home.rotation @ legs[i].joint - legs[i].base
        free = legs[i].friction.replace(prismatic=0.0)
        legs[i] = legs[i].replace(
            fixed=float(np.linalg.norm(span)), drive=None, friction=free, limits=gough.Limits()
        )
    machine = machine.replace(legs=legs)
    J = gough.jacobian(machine, home)
    rng = np.random.default_rng(8)
    twist = rng.normal(size=(5, 6)) * 0.1
    held = J[[2, 4]]
    twist -= (np.linalg.pinv(held) @ held @ twist.T).T
    motion = gough.Motion(
        np.tile(home.position, (5, 1)),
        np.tile(home.rotation, (5, 1, 1)),
        twist[:, :3],
        twist[:, 3:],
    )
    return machine, motion, rng.normal(size=(5, 6)) * 100.0


def test_states_on_fixed_links_are_differentiated_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Any size of pieces gives the same numbers; efforts of links do nothing, those of others what differences say."""
    machine, motion, force = on_links()
    monkeypatch.setattr(derivatives, "evaluation", partial(evaluation, engine="python"))
    whole = forward_dynamics_derivatives(machine, motion, force)
    for piece in (2, 5):
        monkeypatch.setattr(derivatives, "CHUNK", piece)
        cut = forward_dynamics_derivatives(machine, motion, force)
        np.testing.assert_allclose(cut.jacobian, whole.jacobian, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(cut.value, whole.value, rtol=1e-12, atol=1e-12)
        spins = cut.spin_acceleration
        assert spins.jacobian.shape == whole.jacobian.shape
        assert not spins.value.any()
    exact = gough.forward_dynamics(machine, motion, force, engine="python")
    due = np.concatenate([exact.acceleration, exact.angular_acceleration], axis=-1)
    np.testing.assert_allclose(whole.value, due, rtol=1e-9, atol=1e-9)
    assert not whole.effort[..., [2, 4]].any()
    for k in range(6):
        pushed = gough.forward_dynamics(machine, motion, force + np.eye(6)[k], engine="python")
        more = np.concatenate([pushed.acceleration, pushed.angular_acceleration], axis=-1)
        np.testing.assert_allclose(whole.effort[..., k], more - due, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("kind", "given", "read"), [
    ("UPS", False, False), ("UPS", True, False), ("SPS-general", True, True)
])  # fmt: skip
def test_spins_are_inputs_where_a_leg_reads_them(kind: str, given: bool, read: bool) -> None:
    c = case(kind, seed=5, states=2)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if given else None
    e = evaluation("forces", c.platform, c.motion, spin, "python", external=c.external)
    blocks = spinning_blocks(e, derivative_kinds(c.platform, e.spins is not None))
    assert len(blocks) == len(e.blocks) + read
    if read:
        assert blocks[-1] is e.spins
