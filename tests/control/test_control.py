"""Controllers: tracking, gains from bandwidth, coupling against drive inertia, sampling effects, auto-tuning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import (
    ComputedForce,
    Decentralized,
    FeedForward,
    GravityCompensation,
    Impedance,
    Sampling,
    with_payload_error,
)
from gough.simulation import State
from gough.spatial import rotation_exp


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load("dasgupta-1998")


@pytest.fixture(scope="module")
def path():  # type: ignore[no-untyped-def]
    return gough.trajectory.paper("001-II")


def error(run, path) -> float:  # type: ignore[no-untyped-def]
    return float(np.linalg.norm(run.position.values - path(run.time.values).position, axis=1).max())


@pytest.mark.parametrize("space", ["task", "leg"])
def test_computed_force_tracks_path_II(machine: gough.Platform, path, space: str) -> None:  # type: ignore[no-untyped-def]
    controller = ComputedForce(machine, 150.0, 1.0, space)
    run = gough.simulate(
        machine,
        path(0.0),
        duration=0.6,
        step=5e-4,
        controller=controller,
        reference=path,
        sampling=Sampling(rate=2000.0),
    )
    assert run.attrs["status"] == "ok"
    assert error(run, path) < 1e-6


def test_errors_decay_as_the_gains_say(machine: gough.Platform) -> None:
    """Computed force makes the task error ``e'' + 2 z w e' + w^2 e = 0``: critically damped, known in closed form."""
    w = 40.0
    home = machine.home
    assert home is not None
    start = State(
        home.position + np.array([1e-3, -2e-3, 1e-3]),
        rotation_exp([2e-3, 0, -1e-3]) @ home.rotation,
    )
    run = gough.simulate(
        machine,
        start,
        duration=0.1,
        step=1e-4,
        controller=ComputedForce(machine, w, 1.0),
        reference=home,
        sampling=Sampling(rate=10_000.0),
        output=0.01,
    )
    t = run.time.values[:, None]
    expected = home.position + (start.position - home.position) * (1 + w * t) * np.exp(-w * t)
    assert np.abs(run.position.values - expected).max() < 5e-3 * 2e-3


def test_wrong_payload_costs_what_the_mass_says(machine: gough.Platform) -> None:
    """Static offset of computed force with a payload error: ``error = (F - F_model) / (w^2 M_model)``."""
    w = 60.0
    wrong = with_payload_error(machine, 0.2)
    assert wrong.body.mass == pytest.approx(48.0)
    run = gough.simulate(
        machine, machine.home, duration=0.4, controller=ComputedForce(wrong, w, 1.0), output=0.01
    )
    settled = gough.Motion(
        run.position.values[-1],
        gough.Pose.from_quaternion(run.position.values[-1], run.quaternion.values[-1]).rotation,
    )
    true, model = (gough.bias(m, settled) for m in (machine, wrong))
    expected = np.linalg.solve(gough.mass_matrix(wrong, settled.pose), true - model) / w**2
    assert -(run.position.values[-1] - machine.home.position) == pytest.approx(
        expected[:3], rel=1e-3, abs=1e-7
    )


def test_every_controller_holds_and_tracks() -> None:
    """A motion base with ideal drives: the better the model is used, the smaller the error."""
    machine = gough.load("motion-base-1500")
    path = gough.trajectory.harmonic(((0, 0, 1.15), (0, 0, 0)), [0.03] * 6, 1.0, duration=1.0)
    w = 60.0
    bounds = [
        (Decentralized.from_bandwidth(machine, bandwidth=w, integral=0.3), 1e-5, 1e-3),
        (FeedForward(machine, w), 1e-9, 1e-6),
        (GravityCompensation(machine, w), 1e-5, 2e-3),
        (Impedance.critically_damped(machine, [7e6] * 3 + [4e6] * 3), 1e-5, 2e-3),
        (ComputedForce(machine, w), 1e-9, 1e-6),
        (ComputedForce(machine, w, space="leg"), 1e-9, 1e-6),
    ]
    for controller, low, high in bounds:
        run = gough.simulate(
            machine,
            path(0.0),
            duration=0.4,
            controller=controller,
            reference=path,
            drives=False,
            reactions=False,
        )
        assert run.attrs["status"] == "ok"
        assert low < error(run, path) < high, controller


def test_impedance_gives_way_like_its_stiffness(machine: gough.Platform) -> None:
    K = np.array([2e4, 3e4, 4e4, 800.0, 900.0, 1000.0])
    controller = Impedance.critically_damped(machine, K)
    push = np.array([20.0, 0, 0, 0, 0, 0])
    home = gough.Pose(machine.home.position)  # platform axes along the world's
    run = gough.simulate(
        machine, home, duration=1.5, controller=controller, external=push, output=0.1
    )
    assert run.position.values[-1, 0] - home.position[0] == pytest.approx(20.0 / 2e4, rel=0.02)


def test_unstable_gains_end_with_the_time_of_divergence(machine: gough.Platform) -> None:
    """Twenty times the bandwidth that the sampling allows."""
    wild = Decentralized.from_bandwidth(machine, bandwidth=5000.0)
    start = State(machine.home, velocity=[1e-3, 0, 0])
    run = gough.simulate(
        machine,
        start,
        duration=2.0,
        controller=wild,
        reference=machine.home,
        sampling=Sampling(rate=500.0),
    )
    assert run.attrs["status"].startswith("diverged")
    assert f"t = {run.attrs['end_time']:.6g} s" in run.attrs["status"]
    assert run.attrs["end_time"] < 1.0


def test_auto_tuning_keeps_its_margin_with_any_sampling() -> None:
    """With the default observer too, which the first tuner ignored (tests/control/test_stability.py runs the edges)."""
    machine = gough.load("syed-6sps-drive")
    found = [
        Decentralized.tuned(machine, rate=500.0, delay=4e-3),
        Decentralized.tuned(machine, sampling=Sampling(rate=500.0, delay=4e-3)),
        Decentralized.tuned(
            machine, sampling=Sampling(rate=500.0, delay=4e-3, velocity="observed")
        ),
    ]
    assert found[0] == found[1]
    w = [float(np.sqrt(law.kp / law.mass)[0]) for law in found]
    assert w[0] == pytest.approx(72.4, rel=0.01)
    assert w[2] < 0.9 * w[0]


def test_decentralized_control_is_good_when_drive_inertia_dominates() -> None:
    """004: the error of the constant-load controller falls as the reflected inertia grows, at equal bandwidth."""
    base = gough.load("syed-6sps")
    path = gough.trajectory.harmonic(
        ((0, 0, 0.30), (0, 0, 0)), [0.02, 0.015, 0.02, 0.1, 0.1, 0.15], 2.0, duration=1.0
    )
    errors = []
    for reflected in (0.5, 5.0, 50.0):
        drive = gough.Drive(ratio=1000.0, rotor_inertia=reflected / 1e6)
        machine = base.replace(legs=[leg.replace(drive=drive) for leg in base.legs])
        controller = Decentralized.from_bandwidth(machine, bandwidth=60.0, gravity=True)
        run = gough.simulate(
            machine, path(0.0), duration=1.0, controller=controller, reference=path, output=5e-3
        )
        legs = gough.inverse_kinematics(machine, path(run.time.values)).length
        errors.append(float(np.sqrt(((run.length.values - legs) ** 2).mean())))
    assert errors[0] > 3 * errors[1] > 9 * errors[2]


@pytest.mark.parametrize(
    ("sampling", "largest"),
    [
        (Sampling(), 2e-4),
        (Sampling(delay=2e-3), 2e-3),
        (Sampling(quantization=1e-5), 1e-3),
        (Sampling(noise=2e-6), 1e-3),
        (Sampling(velocity="observed", bandwidth=800.0), 1e-3),
        (Sampling(pose="forward-kinematics"), 2e-4),
        (
            Sampling(pose="forward-kinematics", velocity="observed", noise=1e-6, quantization=1e-6),
            2e-3,
        ),
    ],
)
def test_sampling_costs_little_but_something(sampling: Sampling, largest: float) -> None:
    machine = gough.load("motion-base-1500")
    path = gough.trajectory.harmonic(
        ((0, 0, 1.15), (0, 0, 0)), [0.02, 0, 0.02, 0.02, 0, 0.02], 0.7, duration=1.0
    )
    controller = ComputedForce(machine, 60.0, space="leg")
    run = gough.simulate(
        machine,
        path(0.0),
        duration=0.25,
        controller=controller,
        reference=path,
        sampling=sampling,
        drives=False,
        reactions=False,
    )
    assert run.attrs["status"] == "ok"
    assert error(run, path) < largest
    if not sampling.ideal:
        ideal = gough.simulate(
            machine,
            path(0.0),
            duration=0.25,
            controller=controller,
            reference=path,
            drives=False,
            reactions=False,
        )
        moved = np.abs(run.position.values - ideal.position.values).max()
        assert (moved > 1e-10) == (
            sampling.noise + sampling.quantization > 0 or sampling.velocity == "observed"
        )


def test_backlash_hides_motion_from_the_encoder() -> None:
    """A wide play in the drives lets the legs wander inside it."""
    machine = gough.load("motion-base-1500")
    wide = machine.replace(
        legs=[leg.replace(drive=leg.drive.replace(backlash=1e-3)) for leg in machine.legs]
    )
    path = gough.trajectory.harmonic(
        ((0, 0, 1.15), (0, 0, 0)), [0, 0, 0.02, 0, 0, 0], 1.0, duration=2.0
    )
    controller = Decentralized.from_bandwidth(machine, bandwidth=60.0, integral=0.3)
    errors = [
        error(
            gough.simulate(
                wide,
                path(0.0),
                duration=1.0,
                controller=controller,
                reference=path,
                sampling=Sampling(backlash=play),
                reactions=False,
            ),
            path,
        )
        for play in (False, True)
    ]
    assert errors[1] > errors[0] + 2e-4


def test_noise_is_the_same_in_any_batch(machine: gough.Platform) -> None:
    sampling = Sampling(noise=1e-5, seed=4)
    controller = Decentralized.from_bandwidth(machine, bandwidth=3.0)
    two = gough.Motion(np.repeat(machine.home.position[None], 2, axis=0), machine.home.rotation)
    options = {"duration": 0.05, "controller": controller, "sampling": sampling}
    batch = gough.simulate(machine, two, **options)
    one = gough.simulate(machine, machine.home, **options)
    assert np.array_equal(batch.position.values[0], one.position.values)
    assert not np.array_equal(batch.position.values[0], batch.position.values[1])


@pytest.mark.parametrize(
    "make",
    [
        lambda m: Sampling(rate=0.0),
        lambda m: Sampling(delay=-1.0),
        lambda m: Sampling(velocity="guessed"),
        lambda m: Sampling(seed=-1),
        lambda m: ComputedForce(m, -1.0),
        lambda m: ComputedForce(m, 1.0, space="joint"),
        lambda m: ComputedForce("x", 1.0),
        lambda m: Impedance(m, [1.0] * 5, [1.0] * 6),
        lambda m: Impedance(m, [-1.0] * 6, [1.0] * 6),
        lambda m: Decentralized(1.0, -1.0, 0.0, 0.0, 0.0),
        lambda m: Decentralized([1.0, 2.0], 1.0, 0.0, 0.0, 0.0),
        lambda m: with_payload_error(m, -1.0),
        lambda m: gough.simulate(m, m.home, duration=0.01, controller=3),
        lambda m: gough.simulate(m, m.home, duration=0.01, controller=lambda t, y, r: np.zeros(5)),
        lambda m: gough.simulate(
            m,
            m.home,
            duration=0.01,
            controller=ComputedForce(m, 10.0),
            sampling=Sampling(rate=700.0),
        ),
        lambda m: gough.simulate(
            m, m.home, duration=0.01, controller=ComputedForce(m, 10.0), integrator="DOP853"
        ),
    ],
)
def test_bad_settings_are_refused(machine: gough.Platform, make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(gough.InputError):
        make(machine)


def test_the_signature_is_plain(machine: gough.Platform) -> None:
    """Any function (t, measurement, reference) -> command is a controller."""
    hold = gough.inverse_dynamics(machine, machine.home).force
    seen: list[float] = []

    def controller(
        t: float, measurement: gough.control.Measurement, reference: gough.control.Reference
    ) -> Array:
        seen.append(t)
        assert (
            measurement.length.shape
            == measurement.rate.shape
            == measurement.integral.shape
            == (1, 6)
        )
        assert reference.length.shape == (1, 6)
        return hold

    run = gough.simulate(
        machine, machine.home, duration=0.01, controller=controller, sampling=Sampling(rate=500.0)
    )
    assert seen == pytest.approx([0.0, 0.002, 0.004, 0.006, 0.008])
    plain = gough.simulate(machine, machine.home, duration=0.01, force=hold)
    assert np.array_equal(run.position.values, plain.position.values)
