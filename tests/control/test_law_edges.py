"""Where the words of the laws end: each promise just inside its condition, and broken just outside."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.state_space import linearize
from gough.checks import Array
from gough.control import (
    LQR,
    Admittance,
    ComputedForce,
    Decentralized,
    DisturbanceObserver,
    Impedance,
    OnMovingBase,
    Sampling,
    SlidingMode,
    learn,
    leg_mass_matrix,
    with_payload_error,
)
from gough.control.one_sample import OneSample, smooth
from gough.control.register import LAWS
from gough.control.signals import Measurement, Reference
from gough.control.stability import radius
from oracles.machines import case

ONE = np.ones((1, 6))


@cache
def load(name: str = "motion-base-1500") -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load(name)


def largest_pole(machine: gough.Platform, law: Any, rate: float, **more: Any) -> float:
    loop = OneSample(machine, law, Sampling(rate=rate, **more), machine.require_home()).linear()
    return float(radius(loop, ONE)[0])


@pytest.mark.parametrize("space", ["task", "leg"])
def test_integral_action_is_stable_up_to_twice_the_damping(space: str) -> None:
    """``c < 2 z`` without delay, in both spaces, at a high rate; late, less is left."""
    machine = smooth(load())

    def law(share: float) -> ComputedForce:
        return ComputedForce(machine, 20.0, 0.6, space, integral=share * 1.2)

    assert largest_pole(machine, law(0.97), 4000.0) < 1.0 < largest_pole(machine, law(1.03), 4000.0)
    assert largest_pole(machine, law(0.8), 500.0, delay=0.02) > 1.0


def test_the_integral_bound_of_coupled_legs() -> None:
    """``integral < 2 z r``: with dominating drives r is one, on a machine whose legs are coupled a small part of it."""
    free = {"friction": gough.Friction(0.0, 0.0, 0.0)}
    alone = smooth(load("syed-6sps-drive"))
    alone = alone.replace(
        legs=[
            leg.replace(
                drive=leg.drive.replace(rotor_inertia=1e3 * leg.drive.rotor_inertia, viscous=0.0),
                **free,
            )
            for leg in alone.legs
        ]
    )
    coupled = load("dasgupta-1998")
    coupled = coupled.replace(legs=[leg.replace(**free) for leg in coupled.legs])
    for machine, least, most in ((alone, 0.99, 1.0), (coupled, 0.0, 0.3)):
        machine = machine.replace(gravity=(0.0, 0.0, 0.0))
        M = leg_mass_matrix(machine, machine.require_home())
        r = np.linalg.eigvals(np.linalg.solve(M, np.diag(np.diagonal(M)))).real.min()
        assert least < r <= most

        def pole(share: float, machine: gough.Platform = machine, r: float = r) -> float:
            law = Decentralized.from_bandwidth(
                machine, bandwidth=20.0, damping=0.7, integral=share * 1.4 * r
            )
            return largest_pole(machine, law, 4000.0)

        assert pole(0.95) < 1.0 < pole(1.05)


def test_lqr_of_the_sampled_machine_is_stable_where_the_continuous_one_is_not() -> None:
    machine = smooth(load())
    w, rate = 80.0, 50.0
    held, plain = (LQR.from_bandwidth(machine, w, rate=r) for r in (rate, None))
    assert largest_pole(machine, held, rate) < 1.0 < largest_pole(machine, plain, rate)
    assert largest_pole(machine, held, rate, delay=1 / rate) > 1.0  # it does not know of delay


def test_lqr_ends_far_from_its_pose() -> None:
    """The poles asked for are had at its pose alone: turned by 25 degrees they are others."""
    machine = smooth(load("servo-hexapod"))
    w, home = 30.0, machine.require_home()
    law = LQR.from_bandwidth(machine, w)
    turned = gough.Pose(home.position, gough.spatial.rotation_exp([0, 0, 0.43]) @ home.rotation)
    off = []
    for pose in (home, turned):
        A, B, _, _ = gough.analysis.linearize(machine.replace(gravity=(0.0, 0.0, 0.0)), pose)
        off.append(np.abs(np.abs(np.linalg.eigvals(A - B @ law.gain)) / w - 1.0).max())
    assert off[0] < 0.1 < off[1]


class WatchedSurface(SlidingMode):
    seen: list[Array]

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        self.seen.append(self.surface(measurement, reference)[0])
        return super().__call__(t, measurement, reference)


@pytest.mark.parametrize(("rate", "inside"), [(500.0, True), (40.0, False)])
def test_sampled_slowly_the_layer_is_left(rate: float, inside: bool) -> None:
    """Under 0.9 eta: ``w T`` of 0.12 keeps the layer, 1.5 does not."""
    machine = load()
    law = WatchedSurface(machine, 60.0, np.full(6, 2.0))
    object.__setattr__(law, "seen", [])
    M = gough.mass_matrix(machine, gough.Pose(machine.require_home().position))
    gough.simulate(
        machine,
        gough.Pose(machine.require_home().position),
        duration=0.5,
        step=1e-3,
        controller=law,
        sampling=Sampling(rate=rate),
        external=lambda t: M @ (1.8 * np.sign(np.sin(12.0 * t + np.arange(6)))),
        drives=False,
        reactions=False,
    )
    assert (np.abs(law.seen).max() < law.layer[0]) == inside


def at_end(machine: gough.Platform, law: Any, duration: float = 0.8, **more: Any) -> Array:
    """Displacement in z at the end of a run from home, level."""
    flat = gough.Pose(machine.require_home().position)
    given = {"drives": False, "step": 2e-3, "sampling": Sampling(rate=500.0), **more}
    run = gough.simulate(
        machine, flat, duration=duration, controller=law, reactions=False, output=duration, **given
    )
    return run.position.values[-1] - flat.position


def test_a_wrong_weight_is_a_push_to_admittance_and_impedance() -> None:
    """Model 20 % too heavy: both rise by the weight that is not there over their stiffness."""
    machine = load()
    wrong = with_payload_error(machine, 0.2)
    extra = 0.2 * machine.body.mass * 9.81
    soft = Admittance.from_bandwidth(wrong, 60.0)
    assert at_end(machine, soft, 1.6)[2] == pytest.approx(extra / soft.stiffness[2], rel=0.02)
    spring = Impedance.from_bandwidth(wrong, 20.0)
    assert at_end(machine, spring)[2] == pytest.approx(extra / spring.stiffness[2], rel=0.02)


def test_what_drives_cannot_give_is_estimated_wrongly_and_forgotten() -> None:
    """A push that the drives cannot hold, then none: the estimate overshoots while they saturate; a few 1/w_o later
    nothing of it is left."""
    machine = smooth(load())
    rest = gough.inverse_dynamics(machine, machine.require_home()).force
    most = 1.3 * float(np.abs(rest).max())
    weak = machine.replace(
        legs=[leg.replace(limits=leg.limits.replace(force=most)) for leg in machine.legs]
    )
    push = np.array([0.0, 0.0, -0.6 * machine.body.mass * 9.81, 0.0, 0.0, 0.0])
    law, seen = DisturbanceObserver(machine, 20.0), list[tuple[float, float]]()
    update = law.update

    def watched(t: float, measurement: Any, reference: Any, memory: Any) -> Any:
        command, after = update(t, measurement, reference, memory)
        seen.append((t, float(after["wrench"][0, 2])))
        return command, after

    object.__setattr__(law, "update", watched)
    pushed: dict[str, Any] = {"external": lambda t: push * (t < 0.1), "drives": True}
    at_end(weak, law, 0.6, **pushed)
    t, d = np.array(seen).T
    assert d.min() < 3.0 * push[2]
    assert np.abs(d[t > 0.1 + 16.0 / law.observer]).max() < 0.05 * abs(push[2])


@pytest.mark.parametrize("law", LAWS)
def test_legs_whose_spin_is_a_state_are_refused_by_the_tuner(law: str) -> None:
    machine = case("SPS-general", seed=2, states=1, friction=False, drive=False).platform
    with pytest.raises(gough.GoughError, match=r"spin"):
        gough.control.margins(machine, LAWS[law].make(machine, bandwidth=20.0))


def test_learning_bears_a_wrong_model_up_to_its_factor() -> None:
    """``|1 - g M_true^-1 M_l| < 1``: with models that make its largest eigenvalue 0.8 and 1.4 the error falls, and
    grows in the end."""
    machine = smooth(load())
    home = machine.require_home()
    path = gough.trajectory.harmonic(home, [0.02] * 3 + [0.02] * 3, 2.5, duration=0.3)
    true, g = leg_mass_matrix(machine, home), 0.8

    def model(factor: float) -> gough.Platform:
        body = machine.body
        return machine.replace(
            body=gough.Body(factor * body.mass, body.center, factor * body.inertia)
        )

    def left(factor: float) -> float:
        loads = leg_mass_matrix(model(factor), home)
        return float(np.abs(1 - g * np.linalg.eigvals(np.linalg.solve(true, loads))).max())

    good, bad = 2.1, 3.4
    assert left(good) < 0.9
    assert left(bad) > 1.3
    errors = {}
    for factor in (good, bad):
        law = Decentralized.from_bandwidth(machine, bandwidth=15.0, load=1.0)
        object.__setattr__(law, "model", model(factor))
        given = {
            "state": path(0.0),
            "controller": law,
            "reference": path,
            "duration": 0.3,
            "step": 2e-3,
            "sampling": Sampling(rate=500.0),
            "drives": False,
            "reactions": False,
        }
        errors[factor] = learn(machine, given, 9, gain=g).errors
    assert errors[good][-1] < 0.2 * errors[good][0]
    assert errors[bad][-1] > 3.0 * errors[bad].min()


def shaken(t: float) -> gough.Motion:
    """Heave of 4 mm and roll of 4 mrad at 2 Hz."""
    w = 4 * np.pi
    s, c = np.sin(w * t), np.cos(w * t)
    x = np.array([1.0, 0.0, 0.0])
    z = np.array([0.0, 0.0, 1.0])
    a = 0.004
    R = gough.spatial.rotation_exp(a * s * x)
    speed, push = a * w * c, -a * w**2 * s
    return gough.Motion(a * s * z, R, speed * z, speed * x, push * z, push * x)


def test_a_base_that_moves_is_a_disturbance_unless_it_is_told() -> None:
    """Computed force about home: told the base's motion, the error falls to that of the hold; a wrong base (planted:
    the other way) doubles it.  Laws with and without memory; what has no model must be given one."""
    machine = load()
    home = machine.require_home()

    def error(law: Any, base: Any = shaken) -> float:
        run = gough.simulate(
            machine,
            home,
            duration=0.3,
            step=2e-3,
            controller=law,
            reference=home,
            sampling=Sampling(rate=500.0),
            base=base,
            drives=False,
            reactions=False,
        )
        assert run.attrs["status"] == "ok"
        return float(np.abs(run.length.values - run.length.values[0]).max())

    plain = ComputedForce(machine, 20.0)
    assert (
        error(plain, lambda t: gough.Motion(np.zeros(3), np.eye(3))) < 1e-12
    )  # it is asked there too
    blind = error(plain)
    told = error(OnMovingBase(plain, shaken, ahead=1e-3))
    assert told < 0.01 * blind
    assert error(OnMovingBase(plain, lambda t: shaken(-t), ahead=1e-3)) > 1.5 * blind
    assert (
        error(OnMovingBase(DisturbanceObserver(machine, 20.0), shaken, ahead=1e-3)) < 0.01 * blind
    )
    legs = Decentralized.from_bandwidth(machine, bandwidth=20.0)
    with pytest.raises(gough.InputError, match="model"):
        OnMovingBase(legs, shaken)
    with pytest.raises(gough.InputError, match="base"):
        OnMovingBase(plain, home)  # type: ignore[arg-type]
    assert OnMovingBase(legs, shaken, machine).model is machine


@pytest.mark.parametrize("name", ["hexaglide", "servo-hexapod", "motion-base-1500"])
def test_regulators_of_any_bandwidth_are_found_and_stable(name: str) -> None:
    """From a millihertz to ten kilohertz: masses and units of machine and time do not matter to the solver."""
    machine = gough.load(name)
    plant = linearize(machine, machine.require_home())
    for w in np.geomspace(1e-2, 1e5, 15):
        gain = gough.control.LQR.from_bandwidth(machine, w, damping=0.9).gain
        poles = np.linalg.eigvals(plant.A - plant.B @ gain)
        assert poles.real.max() < 0.0
        if w > 1e3:  # what gravity and friction add is small against it: a free mass
            assert np.abs(poles) == pytest.approx(w, rel=0.05)
            assert -poles.real / np.abs(poles) == pytest.approx(0.9, rel=0.05)
