"""Linear models in words and numbers: what they are called, sampled ones, entries for other tools."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis.linked import state_names
from gough.analysis.state_space import StateSpace, linearize

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()


def small(batch: tuple[int, ...] = (), dt: float | None = None) -> StateSpace:
    """Two states: an undamped swing of 3 rad/s, and what passes straight through."""
    A = np.broadcast_to([[0.0, 1.0], [-9.0, 0.0]], (*batch, 2, 2))
    B, C, D = (
        np.broadcast_to(x, (*batch, *np.shape(x))) for x in ([[0.0], [2.0]], [[1.0, 0.0]], [[0.5]])
    )
    return StateSpace(A, B, C, D, ("u",), ("y",), ("x", "v"), dt)


def test_a_model_says_what_it_is() -> None:
    assert repr(small()) == "<StateSpace: continuous, 2 states, 1 inputs, 1 outputs>"
    assert repr(small((3,))) == "<StateSpace (3,): continuous, 2 states, 1 inputs, 1 outputs>"
    assert repr(small((2, 3), 0.01)).startswith("<StateSpace (2, 3): sampled every 0.01 s, ")
    np.testing.assert_array_equal(small().force, np.zeros(6))
    np.testing.assert_allclose(np.sort(small().poles.imag), [-3.0, 3.0])
    A, B, C, D = small()
    assert (A.shape, B.shape, C.shape, D.shape) == ((2, 2), (2, 1), (1, 2), (1, 1))


def test_a_sampled_swing_is_a_rotation() -> None:
    h = 0.1
    found = small().discrete(h)
    c, s = np.cos(3.0 * h), np.sin(3.0 * h)
    np.testing.assert_allclose(found.A, [[c, s / 3.0], [-3.0 * s, c]], rtol=1e-12)
    np.testing.assert_allclose(found.B, [[2.0 * (1.0 - c) / 9.0], [2.0 * s / 3.0]], rtol=1e-12)
    assert found.dt == h
    np.testing.assert_array_equal(found.D, [[0.5]])
    many = small((2, 3)).discrete(h)
    np.testing.assert_allclose(many.A, np.broadcast_to(found.A, (2, 3, 2, 2)))
    with pytest.raises(gough.InputError, match="already sampled"):
        found.discrete(h)
    with pytest.raises(gough.InputError, match="dt"):
        small().discrete(0.0)


def test_answers_to_a_frequency() -> None:
    """``2/(9 - w^2) + 1/2``; sampled, at the same point of the unit circle."""
    w = np.array([0.5, 2.0, 5.0])
    np.testing.assert_allclose(small().response(w)[:, 0, 0], 2.0 / (9.0 - w**2) + 0.5, rtol=1e-12)
    assert small((2,)).response(w).shape == (2, 3, 1, 1)
    assert small().response(1.0).shape == (1, 1, 1)
    sampled = small().discrete(0.01)
    z = np.exp(1j * w * 0.01)
    due = [
        (sampled.C @ np.linalg.solve(x * np.eye(2) - sampled.A, sampled.B) + 0.5)[0, 0] for x in z
    ]
    np.testing.assert_allclose(sampled.response(w)[:, 0, 0], due, rtol=1e-9)


@pytest.mark.parametrize("dt", [None, 0.02])
def test_one_entry_has_the_zeros_poles_and_gain_of_the_model(dt: float | None) -> None:
    """``2/(s^2 + 9) + 1/2``: zeros where s^2 = -13, gain a half."""
    model = small() if dt is None else small().discrete(dt)
    found = model.transfer("y", "u")
    if dt is None:
        np.testing.assert_allclose(np.sort(found.zeros.imag), [-np.sqrt(13.0), np.sqrt(13.0)])
        np.testing.assert_allclose(found.zeros.real, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(model.poles))
    assert found.gain == pytest.approx(0.5)
    assert found.dt == dt
    assert model.to_scipy().dt == dt


def test_names_of_inputs_outputs_and_states() -> None:
    every = ("length", "rate", "pose", "twist")
    found = linearize(MACHINE, HOME, outputs=every, wrench=True)
    legs = range(1, 7)
    pose = ("tx", "ty", "tz", "thetax", "thetay", "thetaz")
    twist = ("vx", "vy", "vz", "wx", "wy", "wz")
    assert found.outputs == (
        *(f"length_{i}" for i in legs),
        *(f"rate_{i}" for i in legs),
        *pose,
        *twist,
    )
    assert found.inputs == (*(f"force_{i}" for i in legs), "fx", "fy", "fz", "mx", "my", "mz")
    assert found.states == (*pose, *twist)
    np.testing.assert_array_equal(found.C[12:], np.eye(12))
    plain = linearize(MACHINE, HOME)
    assert plain.inputs == found.inputs[:6]
    np.testing.assert_array_equal(plain.B, found.B[:, :6])
    assert plain.outputs == found.outputs[:6]
    J = gough.jacobian(MACHINE, HOME)
    np.testing.assert_allclose(found.C[:6, :6], J, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.C[6:12, 6:], J, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.force, gough.inverse_dynamics(MACHINE, HOME).force)
    first, *rest = MACHINE.legs
    length = float(gough.inverse_kinematics(MACHINE, HOME).length[0])
    held = first.replace(fixed=length, drive=None, limits=gough.Limits(), friction=gough.Friction())
    names = state_names(MACHINE.replace(legs=[held, *rest]))
    assert names == (*(f"free_{i}" for i in range(1, 6)), *(f"free_rate_{i}" for i in range(1, 6)))
