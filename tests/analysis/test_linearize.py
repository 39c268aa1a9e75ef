"""Linear models: against finite differences of the dynamics, against runs, and in their textbook cases."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gough
from gough.analysis import compliance, modes, stiffness_matrix
from gough.analysis.joint_stiffness import joint_stiffness
from gough.analysis.state_space import linearize
from gough.checks import Array
from gough.spatial import rotation_exp


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def moving(machine: gough.Platform) -> gough.Motion:
    assert machine.home is not None
    return gough.Motion(
        machine.home.position + np.array([0.05, -0.03, 0.02]),
        rotation_exp([0.05, -0.08, 0.1]),
        np.array([0.2, -0.1, 0.15]),
        np.array([0.1, 0.2, -0.15]),
        np.array([1.0, 0.5, -0.3]),
        np.array([0.4, -0.2, 0.6]),
    )


def shifted(m: gough.Motion, z: Array) -> gough.Motion:
    return gough.Motion(
        m.position + z[:3],
        rotation_exp(z[3:6]) @ m.rotation,
        m.velocity + z[6:9],
        m.angular_velocity + z[9:12],
    )


@pytest.mark.parametrize(
    "name", ["motion-base-1500", "hexaglide", "servo-hexapod", "syed-6sps-drive"]
)
def test_derivatives_equal_differences_of_the_dynamics(name: str) -> None:
    machine = gough.load(name)
    scale = machine.characteristic_length
    m = gough.Motion(
        machine.home.position,
        rotation_exp([0.02, -0.03, 0.04]) @ machine.home.rotation,
        scale * np.array([0.2, -0.1, 0.15]),
        np.array([0.1, 0.2, -0.15]),
    )
    model = linearize(machine, m, wrench=True, outputs=("length", "rate"))

    def acceleration(z: Array, u: Array) -> Array:
        f = gough.forward_dynamics(
            machine, shifted(m, z), model.force + u[:6], u[6:], engine="python"
        )
        return np.concatenate([f.acceleration, f.angular_acceleration])

    h = 1e-6
    size = np.abs(model.A[6:]).max()
    for i in range(12):
        d = h * np.eye(12)[i]
        difference = (acceleration(d, np.zeros(12)) - acceleration(-d, np.zeros(12))) / (2 * h)
        assert np.abs(difference - model.A[6:, i]).max() < 1e-6 * size
        legs = [gough.inverse_kinematics(machine, shifted(m, s * d)) for s in (1, -1)]
        assert np.abs((legs[0].length - legs[1].length) / (2 * h) - model.C[:6, i]).max() < 1e-6
        assert np.abs((legs[0].rate - legs[1].rate) / (2 * h) - model.C[6:, i]).max() < 1e-5
        push = np.eye(12)[i]
        difference = acceleration(np.zeros(12), push) - acceleration(np.zeros(12), -push)
        assert np.abs(difference / 2 - model.B[6:, i]).max() < 1e-9 * np.abs(model.B).max()


def test_a_small_step_moves_the_machine_as_the_model_says(machine: gough.Platform) -> None:
    """Sampled model against a run of the full equations: second order in the input."""
    model = linearize(machine, machine.home, outputs=("pose", "length"))
    sampled = model.discrete(1e-3)
    errors = []
    for size in (2.0, 1.0):
        u = size * np.array([1.0, -2, 3, 0.5, -1, 2])
        z = np.zeros(12)
        for _ in range(200):
            z = sampled.A @ z + sampled.B @ u
        run = gough.simulate(
            machine, machine.home, duration=0.2, force=model.force + u, drives=False
        )
        moved = run.length.values[-1] - run.length.values[0]
        assert np.abs(moved).max() > 1e-6
        errors.append(np.abs(sampled.C[6:] @ z - moved).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_along_a_trajectory_every_row_is_its_own_model(machine: gough.Platform) -> None:
    m = moving(machine)
    both = gough.Motion(
        *(
            np.stack([a, b])
            for a, b in zip(
                (
                    m.position,
                    m.rotation,
                    m.velocity,
                    m.angular_velocity,
                    m.acceleration,
                    m.angular_acceleration,
                ),
                (machine.home.position, machine.home.rotation, *[np.zeros(3)] * 4),
                strict=True,
            )
        )
    )
    rows = linearize(machine, both)
    assert rows.A.shape == (2, 12, 12)
    for i in range(2):
        one = linearize(machine, both[i])
        assert np.allclose(rows.A[i], one.A, rtol=1e-12, atol=1e-12)
        assert np.allclose(rows.B[i], one.B, rtol=1e-12, atol=1e-15)


def test_one_mass_on_six_springs_has_the_frequencies_of_the_book() -> None:
    """Massless legs, no gravity: ``det(J^T k J - w^2 M) = 0`` with the rigid body's M."""
    machine = gough.load("syed-6sps")
    bare = machine.replace(
        legs=[leg.replace(lower=gough.Body(0.0), upper=gough.Body(0.0)) for leg in machine.legs],
        gravity=(0, 0, 0),
    )
    found = modes(bare, bare.home, stiffness=1e6)
    J = gough.jacobian(bare, bare.home)
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = bare.body.mass * np.eye(3), bare.body.inertia
    w2 = np.sort(np.linalg.eigvals(np.linalg.solve(M, 1e6 * J.T @ J)).real)
    assert found.frequency == pytest.approx(np.sqrt(w2) / (2 * np.pi), rel=1e-10)
    assert found.stable.all()
    assert np.allclose(found.shape.T @ M @ found.shape, np.eye(6), atol=1e-12)


def test_the_highest_mode_is_seen_in_a_run(machine: gough.Platform) -> None:
    """A run that starts in a mode shape swings at its frequency."""
    frictionless = machine.replace(
        legs=[leg.replace(friction=gough.Friction()) for leg in machine.legs]
    )
    k = 1e7
    found = modes(
        frictionless, machine.home, stiffness=k, motors="rigid"
    )  # springs beside the actuators
    i = 5
    static = gough.inverse_dynamics(frictionless, machine.home).force
    rest = gough.inverse_kinematics(frictionless, machine.home).length
    v = 1e-4 * found.shape[:, i] / np.abs(found.shape[:, i]).max()
    state = gough.simulation.State(machine.home, velocity=v[:3], angular_velocity=v[3:])
    period = 1.0 / found.frequency[i]
    run = gough.simulate(
        frictionless,
        state,
        duration=period,
        step=period / 400,
        force=static,
        drives=False,
        springs=gough.simulation.Springs(k, rest),
        reactions=False,
    )
    end = np.concatenate([run.velocity.values[-1], run.angular_velocity.values[-1]])
    half = np.concatenate([run.velocity.values[200], run.angular_velocity.values[200]])
    assert np.abs(end - v).max() < 1e-4 * np.abs(v).max()
    assert np.abs(half + v).max() < 1e-4 * np.abs(v).max()


def test_joint_stiffness_raises_frequencies_and_locks_free_directions(
    machine: gough.Platform,
) -> None:
    soft = modes(machine, machine.home, stiffness=1e6, preload=False)
    stiff = modes(machine, machine.home, stiffness=1e6, universal=1e5, spherical=1e5, preload=False)
    assert (stiff.frequency > soft.frequency).all()
    K = joint_stiffness(machine, machine.home, 1e3, 2e3)
    assert np.allclose(K, K.T)
    assert np.linalg.eigvalsh(K).min() > 0.0


def test_the_forms_for_other_tools_agree(machine: gough.Platform) -> None:
    model = linearize(machine, machine.home, stiffness=1e7, damping=1e4)
    w = np.array([1.0, 30.0, 200.0])
    own = model.response(w)
    _, theirs = model.transfer("length_2", "force_3").freqresp(w)
    assert np.allclose(own[:, 1, 2], theirs, rtol=1e-6, atol=1e-9 * np.abs(own).max())
    assert np.array_equal(model.to_scipy().A, model.A)
    A, B, C, D = model
    from scipy.signal import cont2discrete

    Ad, Bd, *_ = cont2discrete((A, B, C, D), 1e-3)
    sampled = model.discrete(1e-3)
    assert np.allclose(sampled.A, Ad, rtol=1e-9, atol=1e-12)
    assert np.allclose(sampled.B, Bd, rtol=1e-9, atol=1e-15)
    assert np.allclose(
        np.exp(model.poles * 1e-3)[np.argsort(np.abs(np.exp(model.poles * 1e-3)))].prod(),
        sampled.poles.prod(),
        rtol=1e-9,
    )


def test_python_control_sees_the_same_model(machine: gough.Platform) -> None:
    """Poles, names and frequency response, continuous and sampled."""
    pytest.importorskip("control")
    w = np.array([1.0, 30.0, 200.0])
    model = linearize(machine, machine.home, stiffness=1e7, damping=1e4)
    for own in (model, model.discrete(1e-3)):
        theirs = own.to_control()
        assert (theirs.input_labels, theirs.output_labels) == (list(own.inputs), list(own.outputs))
        assert theirs.dt == (own.dt or 0)
        found = np.moveaxis(theirs.frequency_response(w).frdata, -1, 0)
        np.testing.assert_allclose(found, own.response(w), rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(np.sort_complex(theirs.poles()), np.sort_complex(own.poles))


def test_one_entry_of_a_stiff_machine_keeps_its_fast_zeros(machine: gough.Platform) -> None:
    """Poles and zeros beyond 1e6 rad/s: none of the finite zeros may be taken for one at infinity."""
    model = linearize(machine, machine.home, stiffness=1e16, damping=1e8)
    assert np.abs(model.poles).max() > 2e6
    w = np.array([1e6, 1e7])
    _, found = model.transfer("length_2", "force_3").freqresp(w)
    np.testing.assert_allclose(found, model.response(w)[:, 1, 2], rtol=5e-3)


def test_bad_requests_are_refused(machine: gough.Platform) -> None:
    for options in (
        {"outputs": ("color",)},
        {"stiffness": -1.0},
        {"universal": -1.0},
        {"force": [1.0]},
    ):
        with pytest.raises(gough.InputError):
            linearize(machine, machine.home, **options)


def test_a_missing_package_is_named(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(gough.InputError, match=r"gough\[control\]"):
        linearize(machine, machine.home).to_control()


def test_a_push_moves_the_held_platform_by_its_compliance(machine: gough.Platform) -> None:
    """The equilibrium of a damped run under a small wrench."""
    k = 1e7
    home = machine.home
    static = gough.inverse_dynamics(machine, home).force
    springs = gough.simulation.Springs(k, gough.inverse_kinematics(machine, home).length, 2e5)
    wrench = np.array([100.0, -200, 300, 50, 80, -60])
    run = gough.simulate(
        machine,
        home,
        duration=0.5,
        force=static,
        springs=springs,
        external=wrench,
        drives=False,
        output=0.1,
        reactions=False,
    )
    expected = compliance(machine, home, stiffness=k) @ wrench
    moved = np.concatenate([run.position.values[-1] - home.position, run.rpy.values[-1]])
    assert moved == pytest.approx(expected, rel=2e-3, abs=1e-9)
    K = stiffness_matrix(machine, home, stiffness=k)
    assert np.allclose(K, K.T)
    plain = stiffness_matrix(machine, home, stiffness=k, preload=False)
    assert 1e-5 < np.abs(K - plain).max() / np.abs(K).max() < 1e-2
    with pytest.raises(gough.InputError):
        stiffness_matrix(machine, home, stiffness=-1.0)


def test_the_public_names_stay_functions() -> None:
    """No submodule may take a public name's place once it is imported."""
    for name in ("linearize", "modes", "compliance", "stiffness_matrix"):
        assert callable(getattr(gough.analysis, name)), name


@pytest.mark.parametrize("outputs", [np.array([]), np.array([], dtype=str), [], ()])
def test_no_outputs_are_refused_in_one_sentence(machine: gough.Platform, outputs: object) -> None:
    with pytest.raises(gough.InputError, match=r"outputs: .* must be some of length, rate"):
        gough.analysis.linearize(machine, machine.home, outputs=outputs)


def test_outputs_may_be_an_array(machine: gough.Platform) -> None:
    found = gough.analysis.linearize(machine, machine.home, outputs=np.array(["rate", "pose"]))
    plain = linearize(machine, machine.home, outputs=("rate", "pose"))
    assert found.outputs == plain.outputs
    np.testing.assert_array_equal(found.C, plain.C)


def _joint_energy(
    machine: gough.Platform, pose: gough.Pose, z: Array, universal: float, spherical: float
) -> float:
    """Energy of joints that resist turning, from how far each strut and the platform have turned since `pose`."""
    from gough.spatial import rotation_log

    def frames(at: gough.Pose) -> Array:
        s = gough.inverse_kinematics(machine, at).direction
        y = np.cross([leg.axis for leg in machine.legs], s)
        y /= np.linalg.norm(y, axis=-1, keepdims=True)
        return np.stack([s, y, np.cross(s, y)], axis=-1)

    turn = rotation_exp(z[3:])
    there = gough.Pose(pose.position + z[:3], turn @ pose.rotation)
    struts = frames(there) @ frames(pose).mT
    at_base, at_platform = rotation_log(struts), rotation_log(struts.mT @ turn)
    return 0.5 * float(universal * (at_base**2).sum() + spherical * (at_platform**2).sum())


def test_linearize_with_joint_stiffness_is_the_curvature_of_the_joints_energy(
    machine: gough.Platform,
) -> None:
    """``M (A - A_0) = -d2U/dz2`` in the rows of the twist and the columns of the pose, nothing elsewhere."""
    m = moving(machine)
    for universal, spherical in ((4e3, 0.0), (0.0, 7e3), (4e3, 7e3)):
        with_joints = linearize(machine, m, universal=universal, spherical=spherical)
        change = with_joints.A - linearize(machine, m).A
        K = -gough.mass_matrix(machine, m) @ change[6:, :6]
        h, basis = 1e-4, np.eye(6)
        U = {
            (i, j, a, b): _joint_energy(
                machine, m.pose, h * (a * basis[i] + b * basis[j]), universal, spherical
            )
            for i in range(6)
            for j in range(6)
            for a in (-1, 1)
            for b in (-1, 1)
        }
        wanted = [
            [
                (U[i, j, 1, 1] - U[i, j, 1, -1] - U[i, j, -1, 1] + U[i, j, -1, -1]) / (4 * h * h)
                for j in range(6)
            ]
            for i in range(6)
        ]
        np.testing.assert_allclose(K, wanted, atol=1e-6 * np.abs(K).max())
        assert not change[:6].any()
        assert not change[:, 6:].any()


def test_joint_stiffness_along_a_motion_is_row_by_row(machine: gough.Platform) -> None:
    assert machine.home is not None
    poses = gough.Pose(
        machine.home.position + np.array([[0.0, 0, 0], [0.03, -0.02, 0.05]]),
        rotation_exp([[0.0, 0, 0], [0.05, 0.1, -0.1]]),
    )
    rows = linearize(machine, poses, universal=1e3, spherical=2e3).A
    for i in range(2):
        one = linearize(machine, poses[i], universal=1e3, spherical=2e3).A
        np.testing.assert_allclose(rows[i], one, rtol=1e-12, atol=1e-12)
