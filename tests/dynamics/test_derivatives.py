"""Derivatives on the CPU against complex steps through the equations."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from gough.dynamics.parameters import packed_names
from gough.engines import pack
from gough.engines.tracer import Graph, inputs, record
from gough.spatial import rotation_exp
from oracles.machines import Case, case
from support.complex_steps import STEP, complex_step, spin_of, worst

TOLERANCE = 1e-10


def possible(c: Case, jacobian: np.ndarray) -> np.ndarray:
    """Only changes that a machine can make: a rail stays a unit vector, the sign of an assembly stays."""
    out, par = jacobian.copy(), pack.parameters(c.platform)
    for i, name in enumerate(packed_names(c.platform)):
        if name.endswith(".rail.x"):
            e = par[i : i + 3]
            out[:, 42 + i : 45 + i] -= np.outer(out[:, 42 + i : 45 + i] @ e, e)
        elif name.endswith((".assembly", ".elbow")):
            out[:, 42 + i] = 0.0
    return out


@pytest.mark.parametrize(
    "kind",
    [
        "UPS",
        "SPS-general",
        "PUS",
        "RUS",
        pytest.param("SPS-free", marks=pytest.mark.slow),
        pytest.param("UPS-rotor", marks=pytest.mark.slow),
        pytest.param("mixed", marks=pytest.mark.slow),
    ],
)
def test_inverse_dynamics_against_complex_step(kind: str) -> None:
    c = case(kind, seed=11, states=3)
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external, spin=spin_of(c))
    force = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin_of(c)).force
    np.testing.assert_allclose(found.value, force, rtol=1e-11, atol=1e-11 * np.abs(force).max())
    keep = np.r_[:24, 30 : found.jacobian.shape[-1]]  # efforts are the answer here, not an input
    for i in range(3):
        _, wanted = complex_step("forces", c, i, np.zeros((3, 6)))
        assert worst(found.jacobian[i][:, keep], wanted[:, keep]) < TOLERANCE


@pytest.mark.parametrize(
    "kind",
    [
        "UPS",
        pytest.param("SPS-general", marks=pytest.mark.slow),
        "RUS",
        pytest.param("PUS", marks=pytest.mark.slow),
        pytest.param("mixed", marks=pytest.mark.slow),
    ],
)
def test_forward_dynamics_against_complex_step(kind: str) -> None:
    c = case(kind, seed=12, states=3)
    effort = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin_of(c)).force
    found = forward_dynamics_derivatives(c.platform, c.motion, effort, c.external, spin=spin_of(c))
    np.testing.assert_allclose(
        found.value,
        np.concatenate([c.motion.acceleration, c.motion.angular_acceleration], axis=-1),
        rtol=1e-8,
        atol=1e-9,
    )
    keep = np.r_[:12, 18 : found.jacobian.shape[-1]]
    for i in range(3):
        _, wanted = complex_step("forward", c, i, effort)
        a, b = (possible(c, jacobian)[:, keep] for jacobian in (found.jacobian[i], wanted))
        assert worst(a, b) < TOLERANCE


def test_linear_system_is_the_slope_of_the_motion() -> None:
    """A and B against differences of the state's rate, the rotation followed on the group."""
    c = case("UPS", seed=13, states=1)
    m, h = c.motion, 1e-6
    effort = gough.inverse_dynamics(c.platform, m, c.external).force
    system = forward_dynamics_derivatives(c.platform, m, effort, c.external)

    def rate(dz: np.ndarray, du: np.ndarray) -> np.ndarray:
        """State rate, its rotation part as rate of the rotation vector from the nominal motion."""
        turned = rotation_exp(dz[3:6]) @ m.rotation
        moved = gough.Motion(
            m.position + dz[:3],
            turned,
            m.velocity + dz[6:9],
            m.angular_velocity + dz[9:12],
            np.zeros((1, 3)),
            np.zeros((1, 3)),
        )
        a = gough.forward_dynamics(c.platform, moved, effort + du, c.external)
        dt = 1e-4  # phi(t) = log(R'(t) R(t)^T) to first order in dz
        later = rotation_exp(dt * moved.angular_velocity[0]) @ turned[0]
        nominal = rotation_exp(dt * m.angular_velocity[0]) @ m.rotation[0]
        E = later @ nominal.T
        phi = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
        return np.concatenate(
            [moved.velocity[0], (phi - dz[3:6]) / dt, a.acceleration[0], a.angular_acceleration[0]]
        )

    zero, none = np.zeros(12), np.zeros(6)
    for k, e in enumerate(np.eye(12)):
        slope = (rate(h * e, none) - rate(-h * e, none)) / (2 * h)
        tolerance = np.r_[
            np.full(3, 1e-6), np.full(3, 3e-3), 1e-5 * (1 + np.abs(system.A[0, 6:, k]))
        ]
        assert (np.abs(slope - system.A[0, :, k]) < tolerance).all(), k
    for k, e in enumerate(np.eye(6)):
        slope = (rate(zero, h * e) - rate(zero, -h * e)) / (2 * h)
        np.testing.assert_allclose(slope[6:], system.B[0, 6:, k], rtol=1e-4, atol=1e-7)


def test_forces_are_linear_in_the_inertial_parameters() -> None:
    """``F = F_0 + sum dF/dtheta theta`` over masses, moments, friction and drives: no remainder."""
    c = case("UPS", seed=14, states=4, external=False)
    names = packed_names(c.platform)
    inertial = [
        i
        for i, n in enumerate(names)
        if any(w in n for w in ("mass", "first", "second", "friction", "drive"))
    ]
    found = inverse_dynamics_derivatives(c.platform, c.motion)
    assert len(names) == found.packed.shape[-1]
    total = found.packed[..., inertial] @ pack.parameters(c.platform)[inertial]
    np.testing.assert_allclose(
        total, found.value, rtol=1e-10, atol=1e-9 * np.abs(found.value).max()
    )


def test_batch_axes_and_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    c = case("UPS", seed=15, states=150)
    whole = inverse_dynamics_derivatives(c.platform, c.motion, c.external).jacobian
    monkeypatch.setenv("GOUGH_THREADS", "2")
    assert (
        inverse_dynamics_derivatives(c.platform, c.motion, c.external).jacobian.tobytes()
        == whole.tobytes()
    )
    one = inverse_dynamics_derivatives(c.platform, c.motion[7], c.external[7])
    assert one.jacobian.shape == whole.shape[1:]
    assert one.jacobian.tobytes() == whole[7].tobytes()


def test_reverse_mode_of_every_operation() -> None:
    from gough.engines.adjoint import gradient
    from gough.engines.tracer import Program
    from gough.equations.scalar import angle, sqrt

    graph = Graph()
    x = inputs(graph, "x", 3)
    y = sqrt(x[0] * x[1] + 2.0) / (x[2] - x[0]) + angle(x[1], x[2]) * -x[0]
    at = gradient(graph, {y.at: graph.const(1.0)}, [("x", 0), ("x", 1), ("x", 2)])
    program = Program.of(graph, at, {"x": 3})
    point = np.array([0.7, 1.3, 2.1])
    for k in range(3):
        z = point + 1j * STEP * np.eye(3)[k]
        wanted = (np.sqrt(z[0] * z[1] + 2) / (z[2] - z[0])).imag / STEP
        s, c = z[1], z[2]
        a = np.arctan2(s.real, c.real) + 1j * (c.real * s.imag - s.real * c.imag) / (
            abs(s.real) ** 2 + c.real**2
        )
        wanted += (a * -z[0]).imag / STEP
        assert abs(program.run(point, ())[k] - wanted) < 1e-13


def test_a_wrong_slope_would_be_seen() -> None:
    """The comparison notices one parameter's column off by one part in a million."""
    c = case("UPS", seed=11, states=1)
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external).jacobian[0].copy()
    _, wanted = complex_step("forces", c, 0, np.zeros((1, 6)))
    found[:, 60] *= 1.0 + 1e-6
    keep = np.r_[:24, 30 : found.shape[-1]]
    assert worst(found[:, keep], wanted[:, keep]) > TOLERANCE


def test_parameter_jacobian_costs_at_most_25_values() -> None:
    """In operations: platform stage once, body stage six times, leg stage thirty-six times."""
    from gough.engines.derivative_programs import body_stage, inverse_stage, leg_stage
    from gough.engines.tracer import trace

    for kind in ("ups", "sps", "pus", "rus"):
        value = trace("forces", (kind,) * 6).counts().flops
        jacobian = (
            inverse_stage((kind,) * 6).counts().flops
            + 6 * body_stage().counts().flops
            + 36 * leg_stage(kind).counts().flops
        )
        assert jacobian < 25 * value


def test_record_of_a_constant_function() -> None:
    program = record(lambda x: [1.5, x[0] * 0.0], {"x": 2})
    assert program.run([3.0, 4.0], ()) == [1.5, 0.0]
    assert program.counts().flops == 0
