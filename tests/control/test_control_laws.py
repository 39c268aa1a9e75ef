"""What each law promises, as physics, on legs of all kinds; and where it must not hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.control import (
    LQR,
    AdaptivePayload,
    Admittance,
    ComputedForce,
    Decentralized,
    DisturbanceObserver,
    Sampling,
    SlidingMode,
    with_payload_error,
)
from gough.control.register import LAWS
from gough.control.signals import Measurement, Reference
from gough.simulation import Springs, State
from gough.spatial import rotation_exp

MACHINES = (
    "motion-base-1500",
    "hexaglide",
    "servo-hexapod",
    "syed-6sps-drive",
)  # UPS, PUS, RUS, SPS


def load(name: str) -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load(name)


def mixed() -> gough.Platform:
    """Two struts of a servo hexapod's size beside four cranks."""
    servo = load("servo-hexapod")
    home = servo.require_home()
    legs = list(servo.legs)
    for i in (0, 3):
        end = home.position + home.rotation @ legs[i].joint
        thin = gough.Body(0.02, (0.02, 0.0, 0.0), np.diag([1e-7, 1e-5, 1e-5]))
        base = np.array([*(1.3 * legs[i].base[:2]), 0.0])
        legs[i] = gough.UPS(base=base, joint=legs[i].joint, axis=(1, 0, 0), lower=thin, upper=thin)
        assert np.linalg.norm(end - base) > 0.05
    return servo.replace(legs=legs)


def level(machine: gough.Platform) -> gough.Pose:
    """Home with the platform's axes along the world's."""
    return gough.Pose(machine.require_home().position)


def push_of(machine: gough.Platform, size: float) -> Array:
    """A wrench that would accelerate the free platform by about `size` (m/s^2; rad/s^2 over its radius)."""
    M = gough.mass_matrix(machine, level(machine))
    return M @ (size * np.array([0.5, -0.4, 0.3, 0.6, 0.5, -0.8]))


def held(
    machine: gough.Platform, law: Any, push: Array, duration: float = 0.6, **more: Any
) -> tuple[Array, Array]:
    """Position and rotation error under a wrench (platform axes), and that wrench in world axes, at the end."""
    flat = level(machine)
    run = gough.simulate(
        machine,
        flat,
        duration=duration,
        controller=law,
        external=push,
        drives=False,
        reactions=False,
        output=duration,
        step=2e-3,
        sampling=Sampling(rate=500.0),
        **more,
    )
    assert run.attrs["status"] == "ok"
    R = gough.Pose.from_quaternion(run.position.values[-1], run.quaternion.values[-1]).rotation
    turn = gough.spatial.rotation_log(R)
    return np.concatenate([run.position.values[-1] - flat.position, turn]), (
        R @ push.reshape(2, 3, 1)
    ).ravel()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("space", ["task", "leg"])
def test_integral_action_removes_a_constant_disturbance(name: str, space: str) -> None:
    """Without it the error is ``M^-1 d/w^2``; with it, none."""
    machine, w = load(name), 60.0
    push = push_of(machine, 1.0)
    plain, world = held(machine, ComputedForce(machine, w, space=space), push)
    there = gough.Pose(level(machine).position + plain[:3], rotation_exp(plain[3:]))
    if space == "task":
        expected = np.linalg.solve(gough.mass_matrix(machine, there), world) / w**2
        np.testing.assert_allclose(plain, expected, rtol=1e-5)
    free, _ = held(machine, ComputedForce(machine, w, space=space, integral=0.5), push)
    assert np.abs(free).max() < 1e-3 * np.abs(plain).max()


@pytest.mark.parametrize("name", MACHINES)
def test_the_observer_estimates_the_wrench_and_removes_its_error(name: str) -> None:
    machine, w = load(name), 60.0
    push, seen = push_of(machine, 1.0), list[Array]()

    class Watched(DisturbanceObserver):
        def update(self, t: float, measurement: Any, reference: Any, memory: Any) -> Any:
            seen.append(memory["wrench"][0])
            return super().update(t, measurement, reference, memory)

    error, _ = held(machine, Watched(machine, w), push)
    np.testing.assert_allclose(seen[-1], push, rtol=1e-6, atol=1e-9 * np.abs(push).max())
    assert np.abs(error).max() < 1e-6 / w**2
    blind = np.abs(held(machine, ComputedForce(machine, w), push)[0]).max()
    assert np.abs(error).max() < 1e-6 * blind


def test_a_wrong_payload_is_a_wrench_to_the_observer() -> None:
    """Model 20 % too heavy: what it estimates is the weight that is not there."""
    machine = load("motion-base-1500")
    law, seen = DisturbanceObserver(with_payload_error(machine, 0.2), 60.0), list[Array]()
    update = law.update

    def watched(t: float, measurement: Any, reference: Any, memory: Any) -> Any:
        seen.append(memory["wrench"][0])
        return update(t, measurement, reference, memory)

    object.__setattr__(law, "update", watched)
    error, _ = held(machine, law, np.zeros(6))
    assert np.abs(error).max() < 1e-9
    assert seen[-1][2] == pytest.approx(0.2 * machine.body.mass * 9.81, rel=1e-3)


@pytest.mark.parametrize("name", MACHINES)
def test_sliding_mode_stays_in_its_layer(name: str) -> None:
    """Under accelerations of the unknown below eta, ``|e| <= eta/w^2`` and s stays inside; above, it leaves."""
    machine, w = load(name), 60.0
    seen = list[Array]()

    class Watched(SlidingMode):
        def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
            seen.append(self.surface(measurement, reference)[0])
            return super().__call__(t, measurement, reference)

    def shaken(size: float) -> tuple[Array, Any]:
        """Largest |s| over the layer, under a wrench that turns about."""
        seen.clear()
        law, M = Watched(machine, w, np.full(6, 2.0)), gough.mass_matrix(machine, level(machine))
        run = gough.simulate(
            machine,
            gough.Pose(machine.home.position),
            duration=0.4,
            controller=law,
            external=lambda t: M @ (size * np.sign(np.sin(30.0 * t + np.arange(6)))),
            drives=False,
            reactions=False,
        )
        return np.abs(seen).max(axis=0) / law.layer, run

    inside, run = shaken(1.4)
    assert (inside < 1.0).all()
    assert inside.max() > 0.5
    far = np.abs(run.position.values - machine.home.position).max()
    assert far <= 2.0 / w**2
    assert (shaken(6.0)[0] > 1.0).any()


@pytest.mark.parametrize("name", MACHINES)
def test_admittance_gives_the_asked_stiffness(name: str) -> None:
    machine, w = load(name), 60.0
    law = Admittance.from_bandwidth(machine, w)
    error, push = held(machine, law, push_of(machine, 0.3), 1.2)
    np.testing.assert_allclose(error, push / law.stiffness, rtol=1e-5)


def test_force_control_presses_as_asked() -> None:
    """Against springs of the surroundings, free in z: the platform moves until it is pressed with the wrench."""
    machine = load("motion-base-1500")
    w, home = 60.0, machine.home.position
    K = gough.mass_matrix(machine, machine.home).diagonal() * (w / 4) ** 2
    K[2] = 0.0
    law = Admittance.from_bandwidth(machine, w, stiffness=K, wrench=[0, 0, 500.0, 0, 0, 0])
    rest = gough.inverse_kinematics(machine, gough.Pose(home)).length
    run = gough.simulate(
        machine,
        gough.Pose(home),
        duration=2.4,
        step=4e-3,
        sampling=Sampling(rate=250.0),
        controller=law,
        springs=Springs(1e5, rest),
        drives=False,
        reactions=False,
        output=2.4,
    )
    pose = gough.Pose.from_quaternion(run.position.values[-1], run.quaternion.values[-1])
    pressed = gough.jacobian(machine, pose).T @ (-1e5 * (run.length.values[-1] - rest))
    assert pressed[2] == pytest.approx(-500.0, rel=1e-3)
    assert run.position.values[-1, 2] - home[2] > 1e-3


@pytest.mark.parametrize("name", MACHINES)
def test_lqr_places_the_poles_of_a_free_mass(name: str) -> None:
    """Without gravity and friction at rest the machine is a free mass: two poles of frequency w and damping z each."""
    machine, w, z = load(name).replace(gravity=(0.0, 0.0, 0.0)), 30.0, 0.9
    smooth = gough.Friction(0.0, 0.0, 0.0)
    legs = [
        leg.replace(friction=smooth, drive=leg.drive.replace(viscous=0.0)) for leg in machine.legs
    ]
    machine = machine.replace(legs=legs)
    law = LQR.from_bandwidth(machine, w, damping=z)
    A, B, _, _ = gough.analysis.linearize(machine, machine.home)
    poles = np.linalg.eigvals(A - B @ law.gain)
    np.testing.assert_allclose(np.abs(poles), w, rtol=1e-5)
    np.testing.assert_allclose(-poles.real / np.abs(poles), z, rtol=1e-5)
    sampled = LQR.from_bandwidth(machine, w, damping=z, rate=20_000.0)
    np.testing.assert_allclose(
        sampled.gain, law.gain, rtol=0.01, atol=0.01 * np.abs(law.gain).max()
    )


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", [*MACHINES, "mixed"])
def test_every_law_holds_legs_of_every_kind_in_batches(law: str, name: str) -> None:
    """Two runs side by side are the runs alone, and both come home."""
    machine = mixed() if name == "mixed" else load(name)
    home = machine.require_home()
    controller: Any = LAWS[law].make(machine, bandwidth=25.0)
    shift = np.array([[1e-4, 0.0, 0.0], [0.0, -1e-4, 2e-4]])
    starts = State(home.position + shift, np.repeat(home.rotation[None], 2, axis=0))
    more: dict[str, Any] = {
        "duration": 0.4,
        "step": 4e-3,
        "sampling": Sampling(rate=250.0),
        "controller": controller,
        "reference": home,
        "drives": False,
        "reactions": False,
        "output": 0.4,
    }
    both = gough.simulate(machine, starts, **more)
    assert list(both.status.values) == ["ok", "ok"] if "status" in both else True
    assert np.abs(both.position.values[:, -1] - home.position).max() < 4e-5
    alone = gough.simulate(machine, State(home.position + shift[1], home.rotation), **more)
    np.testing.assert_array_equal(alone.position.values, both.position.values[1])


@pytest.mark.parametrize(
    "make",
    [
        lambda m: ComputedForce(m, 10.0, integral=-1.0),
        lambda m: DisturbanceObserver(m, 10.0, observer=0.0),
        lambda m: SlidingMode(m, 10.0, [1.0] * 5),
        lambda m: SlidingMode(m, 10.0, [0.0] * 6),
        lambda m: Admittance(m, [0.0] * 6, [1.0] * 6, [1.0] * 6, 10.0),
        lambda m: Admittance(m, [1.0] * 6, [1.0] * 6, [1.0] * 6, 10.0, wrench=[1.0] * 5),
        lambda m: AdaptivePayload(m, 10.0, adaptation=-0.1),
        lambda m: LQR(m, np.zeros((6, 6))),
        lambda m: LQR.from_bandwidth(m, 10.0, damping=0.5),
        lambda m: LAWS["impedance"].make(m),
        lambda m: LAWS["impedance"].make(m, bandwidth=3.0, stiffness=[1.0] * 6),
        lambda m: gough.control.tune(m, "computed-torque"),
        lambda m: gough.control.tune(m, margin=0.5),
        lambda m: gough.control.frequency_response(m, ComputedForce(m, 10.0), [1e5]),
        lambda m: Decentralized.tuned(m),
        lambda m: Decentralized.tuned(m, rate=100.0, sampling=Sampling()),
    ],
)
def test_bad_laws_are_refused(make: Callable[[gough.Platform], object]) -> None:
    with pytest.raises(gough.InputError):
        make(load("motion-base-1500"))
