"""Efforts of the motors: the drive law undone to rounding, and simulations with real drives that follow the motion."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics import laws
from gough.dynamics.laws import friction, inverse, motor
from gough.dynamics.laws.leg import act
from gough.dynamics.laws.machine import drive_laws, ideal_laws
from gough.layout import LEG_LAW

AMPLITUDE = np.array([0.03, 0.02, 0.04, 0.03, 0.02, 0.03])
MACHINES = {  # a preset, its size against a motion base of 1.15 m, the ratio of its drives
    "UPS": ("motion-base-1500", 1.0, -600.0),
    "SPS": ("motion-base-1500", 1.0, 600.0),
    "PUS": ("lopes-6pus", 0.25, 600.0),
    "RUS": ("servo-hexapod", 0.1, 50.0),
}


def machine(kind: str, efficiency: float = 0.8) -> gough.Platform:
    """A preset whose drives lose 5 to 8 % of the largest static effort to friction, a fifth of the load in the gear."""
    name, _, ratio = MACHINES[kind]
    plain = gough.load(name)
    effort = np.abs(gough.inverse_dynamics(plain, plain.home).force).max()
    dry = effort / abs(ratio)
    inertia = 0.01 * plain.body.mass / ratio**2 * (1e-4 if kind == "RUS" else 1.0)
    legs = []
    for i, leg in enumerate(plain.legs):
        drive = gough.Drive(
            ratio=ratio,
            rotor_inertia=inertia,
            efficiency=efficiency + 0.02 * i,
            viscous=0.02 * dry / abs(ratio),
            coulomb=0.05 * dry,
            static=0.08 * dry,
            stribeck_rate=5.0,
        )
        if kind == "SPS":
            rod = gough.Body(20.0, [0.3, 0, 0], [0.1, 2.0, 2.0])
            leg = gough.SPS(leg.base, leg.joint, lower=rod, upper=rod)
        legs.append(leg.replace(drive=drive, limits=gough.Limits()))
    return plain.replace(legs=legs)


def path(kind: str, platform: gough.Platform) -> gough.trajectory.Trajectory:
    """One second of two turns and back in every coordinate, its power flowing both ways."""
    home = platform.require_home()
    size = AMPLITUDE * np.r_[np.full(3, MACHINES[kind][1]), np.ones(3)]
    return gough.trajectory.harmonic((home.position, home.rpy), size, 2.0, duration=1.0)


def drift(
    platform: gough.Platform, motions: gough.trajectory.Trajectory, force: object, step: float
) -> float:
    """Largest distance, m, of a simulation with drives from the motion."""
    options = {"duration": 0.5, "step": step, "output": 0.01, "reactions": False}
    run = gough.simulate(platform, motions(0.0), force=force, **options)
    assert run.attrs["status"] == "ok"
    return float(np.abs(run.position.values - motions(run.time.values).position).max())


@pytest.mark.parametrize("kind", MACHINES)
def test_simulation_with_real_drives_is_the_exact_inverse(kind: str) -> None:
    """Stages see the computed efforts (samples at half steps): what is left is the integrator's error at the kinks of
    friction, microns; without the drives' losses the machine ends centimeters off, with steady friction millimeters."""
    platform, step = machine(kind), 5e-4
    motions = path(kind, platform)
    t = 0.5 * step * np.arange(2001)
    motion = motions(t)
    found = gough.inverse_dynamics(platform, motion, drives=True)
    legs = gough.inverse_kinematics(platform, motion)
    power = found.force * legs.rate
    assert (power > 0).any(axis=0).all()
    assert (power < 0).any(axis=0).all()  # both directions of power in every leg
    still = gough.Motion(motion.position, motion.rotation, *motion.rates)
    steady = gough.inverse_dynamics(platform, still, drives=True)
    size = MACHINES[kind][1]
    right = drift(platform, motions, (t, found.force), step)
    assert right < 1e-5 * size
    assert drift(platform, motions, (t, steady.force), step) > 50 * right
    bare = found.actuator_force
    assert bare is not None
    np.testing.assert_array_equal(bare, gough.inverse_dynamics(platform, motion).force)
    assert drift(platform, motions, (t, bare), step) > 1000 * right


def test_one_way_sliding_has_no_kinks_to_lose_digits_at() -> None:
    """Friction that only slides: the drift is that of the same motion with ideal force sources."""
    platform = machine("UPS")
    home, step = platform.require_home(), 5e-4

    def motions(t: object) -> gough.Motion:
        time = np.asarray(t, dtype=float)
        up = np.array([0.0, 0.0, 1.0])
        return gough.Motion(
            home.position + (0.2 * time**2)[..., None] * up,
            home.rotation,
            (0.4 * time)[..., None] * up,
            acceleration=np.broadcast_to(0.4 * up, (*time.shape, 3)),
            time=time,
        )

    t = 0.5 * step * np.arange(2001)
    found = gough.inverse_dynamics(platform, motions(t), drives=True)
    assert drift(platform, motions, (t, found.force), step) < 2e-6
    sliding = gough.inverse_dynamics(platform, motions(t[400]), drives=True)
    law, dt = drive_laws(platform), 2 * (t[1] - t[0])
    legs = gough.inverse_kinematics(platform, motions(t))
    through = found.actuator_force - law[LEG_LAW.reflected] * legs.acceleration
    lag = law[LEG_LAW.loss] / law[LEG_LAW.load_rate] * (through[401] - through[399]) / dt
    np.testing.assert_allclose(sliding.force - found.force[400], lag, rtol=2e-2)  # first order


def steady(platform: gough.Platform, force: Array, rate: float, acceleration: float) -> Array:
    """The law's effort for `force` once the friction element has slipped and the load has settled."""
    law = drive_laws(platform)
    used = laws.in_use(law)
    given = {"coordinate": 0.0, "rate": rate, "anchor": -np.sign(rate)}
    now = {name: np.full(6, value) for name, value in given.items()}
    now |= {"load": force - law[LEG_LAW.reflected] * acceleration, "effort": np.zeros(6)}
    effort = force - act(used, law, now).effort
    assert np.abs(act(used, law, now | {"effort": effort}).effort - force).max() < 1e-9
    return effort


def test_steady_sliding_is_what_the_drive_says() -> None:
    """`Drive.motor_force`, `motor_torque` and the law agree once the friction element has slipped."""
    platform, rng = machine("UPS"), np.random.default_rng(1)
    force = rng.normal(size=6) * 1e3
    for rate, a in ((0.3, 0.0), (-0.3, 2.0), (1e-4, -1.0), (-1e-4, 0.5)):
        effort = steady(platform, force, rate, a)
        for each, one, wanted in zip(platform.legs, force, effort, strict=True):
            assert each.drive is not None
            assert each.drive.motor_force(one, rate, a) == pytest.approx(wanted, rel=1e-12)
            assert each.drive.motor_torque(one, rate, a) == pytest.approx(
                wanted / -600.0, rel=1e-12
            )


def test_a_gear_given_both_ways_is_the_papers() -> None:
    """Kane's formulation derives the torque by itself, with one efficiency for both directions of power."""
    plain = machine("UPS")
    drives = [leg.drive for leg in plain.legs]
    same = [d.replace(back_efficiency=d.efficiency, static=0.0) for d in drives if d is not None]
    legs = [leg.replace(drive=d) for leg, d in zip(plain.legs, same, strict=True)]
    platform = plain.replace(legs=legs)
    motion = path("UPS", platform)(np.linspace(0.01, 0.99, 40))
    states = gough.Motion(motion.position, motion.rotation, *motion.rates)
    found = gough.inverse_dynamics(platform, states, drives=True)
    paper = gough.inverse_dynamics(platform, states, formulation="kane").extra
    np.testing.assert_allclose(found.motor_torque, paper["motor_torque"], rtol=1e-9, atol=1e-9)
    wrong = gough.inverse_dynamics(plain, states, drives=True).motor_torque
    assert np.abs(wrong - paper["motor_torque"]).max() > 1e-2


def test_loads_without_the_rotor_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the gear is loaded by the whole effort, the rotor's inertia included."""
    wrong = machine("UPS")
    rotors = [leg.replace(drive=leg.drive.replace(rotor_inertia=1e-3)) for leg in wrong.legs]
    platform, step = wrong.replace(legs=rotors), 5e-4
    motions = path("UPS", platform)
    t = 0.5 * step * np.arange(2001)
    right = gough.inverse_dynamics(platform, motions(t), drives=True).force
    given = drive_laws(platform)
    given[LEG_LAW.reflected] = 0.0
    monkeypatch.setattr(inverse, "drive_laws", lambda platform: given)
    planted = gough.inverse_dynamics(platform, motions(t), drives=True).force
    assert drift(platform, motions, (t, planted), step) > 20 * drift(
        platform, motions, (t, right), step
    )


def test_batches_are_rows_and_formulations_take_part() -> None:
    platform = machine("UPS")
    motions = path("UPS", platform)
    t = 0.01 * np.arange(51)
    one = motions(t)
    found = gough.inverse_dynamics(platform, one, np.full(6, 10.0), drives=True)
    two = gough.Motion(
        *(np.stack([a, a[::-1]]) for a in (one.position, one.rotation, *one.rates)),
        time=np.stack([t, t]),
    )
    both = gough.inverse_dynamics(platform, two, np.full(6, 10.0), drives=True)
    assert both.force.shape == (2, 51, 6)
    np.testing.assert_array_equal(both.force[0], found.force)
    assert np.abs(both.force[1] - found.force[::-1]).max() > 1.0  # friction remembers the way
    for formulation in ("newton-euler", "kane", "multibody"):
        other = gough.inverse_dynamics(platform, one, np.full(6, 10.0), formulation, drives=True)
        np.testing.assert_allclose(other.force, found.force, rtol=1e-8, atol=1e-6)
        assert other.formulation == formulation
    assert found.motor_torque is not None
    np.testing.assert_array_equal(found.motor_torque, found.force / -600.0)


def test_what_the_answer_says_of_itself() -> None:
    platform = machine("UPS")
    motions = path("UPS", platform)
    found = gough.inverse_dynamics(platform, motions(0.3), drives=True)
    with pytest.raises(AttributeError, match="motors behind friction"):
        _ = found.error
    copy = pickle.loads(pickle.dumps(found))
    for array in (found.force, found.actuator_force, found.motor_torque, copy.motor_torque):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    plain = gough.inverse_dynamics(platform, motions(0.3))
    assert plain.actuator_force is plain.motor_torque is None
    legs = [platform.legs[0].replace(drive=None), *platform.legs[1:]]
    partly = gough.inverse_dynamics(platform.replace(legs=legs), motions(0.3), drives=True)
    assert partly.motor_torque is None
    assert partly.actuator_force is not None
    assert partly.force[0] == partly.actuator_force[0]
    assert (partly.force[1:] != partly.actuator_force[1:]).all()


@pytest.mark.parametrize("times", [np.zeros(3), np.array([0.0, 2.0, 1.0])])
def test_times_that_do_not_increase_are_refused(times: Array) -> None:
    platform = machine("UPS")
    motion = path("UPS", platform)(np.array([0.0, 0.1, 0.2]))
    wrong = gough.Motion(motion.position, motion.rotation, *motion.rates, time=times)
    with pytest.raises(gough.InputError, match=r"motion.time: .*must increase"):
        gough.inverse_dynamics(platform, wrong, drives=True)
    gough.inverse_dynamics(platform, wrong)


@pytest.mark.filterwarnings("ignore:all joints coincide")
@pytest.mark.parametrize("kind", ["UPS", "RUS"])
def test_rows_of_the_law_are_those_of_the_drive(kind: str) -> None:
    """Rotor-side data at the actuator coordinate, term by term; a leg without a drive hands everything through."""
    platform = machine(kind)
    leg = platform.legs[1]
    drive = leg.drive.replace(
        torque_constant=0.5, resistance=2.0, max_voltage=48.0, max_current=6.0, rotor_inertia=0.0
    )
    limits = [gough.Limits(), gough.Limits(force=7.0), gough.Limits()]
    legs = [leg.replace(drive=drive, limits=one) for one in limits]
    legs += [leg.replace(drive=None, limits=limits[1]), leg.replace(drive=None), leg]
    law = drive_laws(platform.replace(legs=legs))
    nu, volts = abs(drive.ratio), 48.0 / 2.0 * 0.5
    row = dict(zip(LEG_LAW.names, law[:, 0], strict=True))
    top = 0.5 * 6.0 * nu
    share = platform.body.mass / 6 * (leg.arm @ leg.arm if kind == "RUS" else 1.0)
    loss = 1 / drive.efficiency - 1
    level = nu * drive.static + min(loss, 0.25) * top
    grip = level / (1e-3 if kind == "RUS" else 2e-5)
    wanted = {
        "stiffness": 0.0,
        "rest": 0.0,
        "damping": 0.0,
        "viscous": nu**2 * drive.viscous,
        "coulomb": nu * drive.coulomb,
        "excess": nu * (drive.static - drive.coulomb),
        "stribeck": 5.0 / nu,
        "grip": grip,
        "grip_damping": 2 * 0.5 * np.sqrt(grip * share),
        "loss": loss,
        "back_loss": loss,
        "load_rate": 1 / (1e-3 * (1 + loss)),
        "reflected": 0.0,
        "limit": top,
        "voltage_force": nu * volts,
        "voltage_slope": (nu * 0.5) ** 2 / 2.0,
        **dict.fromkeys(LEG_LAW.names[LEG_LAW.current_rate :], 0.0),
    }
    assert row == pytest.approx(wanted, rel=1e-12)
    assert law[LEG_LAW.limit, 1] == law[LEG_LAW.limit, 3] == 7.0
    np.testing.assert_array_equal(law[:, 4], ideal_laws()[:, 4])
    heavy = leg.replace(drive=leg.drive.replace(rotor_inertia=10 * share / nu**2))
    held = drive_laws(platform.replace(legs=[heavy, *legs[1:]]))[:, 0]
    free = nu * drive.static + min(loss, 0.25) * platform.body.mass / 6 * 9.81  # no limit known
    assert held[LEG_LAW.grip] == pytest.approx(free / (1e-3 if kind == "RUS" else 2e-5), rel=1e-12)
    mass = held[LEG_LAW.grip_damping] ** 2 / held[LEG_LAW.grip]
    assert mass == pytest.approx(10 * share, rel=1e-12)  # the larger of leg share and rotor
    easy = gough.Drive(ratio=nu, efficiency=1.0)
    smooth = drive_laws(platform.replace(legs=[leg.replace(drive=easy), *legs[1:]]))
    assert smooth[LEG_LAW.grip, 0] == 1.0  # nothing to stick
    assert smooth[LEG_LAW.grip_damping, 0] == 0.0


@pytest.mark.parametrize(
    "known", [(), ("torque_constant",), ("torque_constant", "resistance"), ("max_voltage",)]
)
def test_a_voltage_limit_needs_all_three_numbers(known: tuple[str, ...]) -> None:
    platform = machine("UPS")
    drive = platform.legs[0].drive.replace(**dict.fromkeys(known, 2.0))
    law = drive_laws(
        platform.replace(legs=[platform.legs[0].replace(drive=drive), *platform.legs[1:]])
    )
    assert law[LEG_LAW.voltage_force, 0] == np.inf
    assert law[LEG_LAW.voltage_slope, 0] == 0.0


def test_a_brake_without_a_drive_is_damped_by_the_share_of_the_platform() -> None:
    leg, law = machine("UPS").legs[0].replace(drive=None), ideal_laws()[:, 0]
    friction.set_grip(law, 4e4, leg, 0.01)
    assert law[LEG_LAW.grip] == 4e4
    assert law[LEG_LAW.grip_damping] == pytest.approx(np.sqrt(4e4 * 0.01))


def test_a_command_is_clipped_on_both_sides() -> None:
    law = ideal_laws()
    law[LEG_LAW.limit] = 100.0
    law[LEG_LAW.voltage_force], law[LEG_LAW.voltage_slope] = 120.0, 50.0
    for command, rate, wanted in (
        (40.0, 0.0, 40.0),
        (1e6, 0.0, 100.0),
        (-1e6, 0.0, -100.0),
        (1e6, 1.0, 70.0),  # the voltage drives the current against the motor's own
        (-1e6, -1.0, -70.0),
        (-1e6, 1.0, -100.0),
        (1e6, -2.0, 100.0),
        (0.0, 3.0, -30.0),  # faster than the voltage can follow: it brakes
        (0.0, -3.0, 30.0),
    ):
        found = motor.clip(law, np.full(6, command), np.full(6, rate))
        np.testing.assert_array_equal(found, np.full(6, wanted))


def test_the_law_by_hand() -> None:
    """Sliding out and back, sticking, pulled back by its spring: numbers that one can add up."""
    law = ideal_laws()
    law[LEG_LAW.viscous], law[LEG_LAW.damping] = 4.0, 6.0
    law[LEG_LAW.coulomb], law[LEG_LAW.loss], law[LEG_LAW.back_loss] = 5.0, 0.2, 0.1
    law[LEG_LAW.grip], law[LEG_LAW.grip_damping] = 1000.0, 2.0
    law[LEG_LAW.stiffness], law[LEG_LAW.rest] = 100.0, 0.3

    def left(load: float, length: float, rate: float, anchor: float) -> tuple[float, float]:
        given = {"effort": 50.0, "coordinate": length, "rate": rate, "anchor": anchor, "load": load}
        now = {name: np.full(6, value) for name, value in given.items()}
        acted = act(("drive", "gear"), law, now)
        assert (acted.motor == 50.0).all()
        return float(acted.effort[0]), float(acted.anchor[0])

    along, against = 5.0 + 0.2 * 40.0, 5.0 + 0.1 * 40.0
    assert left(40.0, 0.3, 1.0, 0.0) == pytest.approx((50 - 10 - along, 0.3 - along / 1000))
    assert left(-40.0, 0.3, 1.0, 0.0) == pytest.approx((50 - 10 - against, 0.3 - against / 1000))
    assert left(40.0, 0.3, -1.0, 0.6) == pytest.approx((50 + 10 + against, 0.3 + against / 1000))
    assert left(-40.0, 0.3, -1.0, 0.6) == pytest.approx((50 + 10 + along, 0.3 + along / 1000))
    assert left(40.0, 0.302, 0.0, 0.3) == pytest.approx((50 - 2.0 - 0.2, 0.3))  # sticks: no slip
    assert left(40.0, 0.302, 0.1, 0.3) == pytest.approx((50 - 2.0 - 0.2 - 1.0 - 0.2, 0.3))


@pytest.mark.parametrize("kind", MACHINES)
def test_what_comes_later_changes_no_effort_before_it(kind: str) -> None:
    """The first effort is that of the first sample alone, gears loaded by what holds its pose."""
    platform = machine(kind)
    motions = path(kind, platform)

    def efforts(t: Array) -> Array:
        return gough.inverse_dynamics(platform, motions(t), drives=True).force

    t = np.linspace(0.03, 0.4, 30)
    whole = efforts(t)
    for k in (1, 2, 7):
        np.testing.assert_allclose(efforts(t[:k]), whole[:k], rtol=1e-12)
    other = t.copy()
    other[1:] += 0.3
    np.testing.assert_allclose(efforts(other)[0], whole[0], rtol=1e-12)
    assert np.abs(efforts(other)[1] - whole[1]).max() > 1e-3 * np.abs(whole[1]).max()
