"""Kane's formulation (004): agreement with Lagrange, leg space, drives, errata and sizes, planted errors."""

import numpy as np
import pytest

import geometric_energy as ge
from gough.checks import InfeasibleError, InputError
from gough.formulations import kane, lagrange
from gough.formulations.kane import balance, kinematics, partial_velocities
from gough.formulations.kane.errata import KaneModel
from gough.model import SPS, Body, Drive, Platform
from gough.model.files import load
from gough.spatial import Motion, Pose, rotation_exp, rotation_z
from gough.trajectory import paper

UPS6, PUS6, SPS6, RUS6 = (("UPS",) * 6, ("PUS",) * 6, ("SPS",) * 6, ("RUS",) * 6)
MIXED = ("UPS", "PUS", "SPS", "RUS", "PUS", "RUS")
LOAD = np.array([30.0, -50.0, 20.0, 5.0, -8.0, 9.0])
TIMES = np.linspace(0.0, 0.1, 201)  # 004: 0.1 s
QUARTER = 50  # index of the largest acceleration


@pytest.fixture(scope="module")
def syed():
    return load("syed-6sps")


@pytest.fixture(scope="module")
def driven():
    return load("syed-6sps-drive")


def off(a, b):
    """Largest difference in units of the largest entry of the state."""
    axes = tuple(range(1, a.ndim))
    return float((np.abs(a - b).max(axis=axes) / np.abs(b).max(axis=axes)).max())


@pytest.mark.parametrize("kinds", [UPS6, PUS6, SPS6, RUS6, MIXED])
@pytest.mark.parametrize("drive", [None, "base", "leg"])
@pytest.mark.parametrize("seed", [1, 31, 61])
def test_kane_is_lagrange(kinds, drive, seed):
    """Full tensors, offset mass centers, friction, drives, load: 1e-10 relative (measured 1e-13)."""
    platform, m = ge.machine(kinds, seed, drive=drive), ge.states(seed + 1)
    assert (
        off(
            kane.inverse_dynamics(platform, m, LOAD).force,
            lagrange.inverse_dynamics(platform, m, LOAD).force,
        )
        < 1e-10
    )
    assert off(kane.mass_matrix(platform, m.pose), lagrange.mass_matrix(platform, m.pose)) < 1e-10
    assert off(kane.bias(platform, m), lagrange.bias(platform, m)) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_kane_is_lagrange_on_many_machines(seed):
    kinds = tuple(np.random.default_rng(seed).choice(["UPS", "PUS", "SPS", "RUS"], size=6))
    platform, m = ge.machine(kinds, seed, drive="leg"), ge.states(seed + 1, n=100)
    assert (
        off(
            kane.inverse_dynamics(platform, m, LOAD).force,
            lagrange.inverse_dynamics(platform, m, LOAD).force,
        )
        < 1e-10
    )


@pytest.mark.parametrize("kinds", [UPS6, MIXED])
def test_power_balance(kinds):
    platform, m = ge.machine(kinds, seed=41, drive="leg"), ge.states(42, n=6)
    force = kane.inverse_dynamics(platform, m, LOAD).force
    assert max(ge.power_residual(platform, m[i], force[i], LOAD) for i in range(6)) < 1e-11


@pytest.mark.filterwarnings("ignore::gough.model.ModelWarning")
def test_path_I_of_001():
    found = kane.inverse_dynamics(load("dasgupta-1998"), paper("001-I")(np.array([0.0, 6.0])))
    np.testing.assert_allclose(
        found.force,
        [
            [411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364],
            [569.7233, -516.9033, 459.2288, -69.4837, 151.0829, -154.1439],
        ],
        rtol=0,
        atol=6e-5,
    )


def test_partial_velocities_have_true_rates():
    """dV/dt of partial_velocities.py against the same matrices a moment later."""
    platform, m = ge.machine(MIXED, seed=51), ge.states(52, n=3)
    h = 1e-5
    now = partial_velocities.speeds(platform, m)
    ends = [partial_velocities.speeds(platform, _later(m, s * h)) for s in (1, -1)]
    for kind, struts in now.struts.items():
        for name in ("turn", "tip"):
            a, b = (getattr(e.struts[kind], name).value for e in ends)
            rate = getattr(struts, name).rate
            np.testing.assert_allclose(
                rate, (a - b) / (2 * h), rtol=0, atol=1e-7 * np.abs(rate).max()
            )
    np.testing.assert_allclose(
        now.acceleration,
        (ends[0].rate - ends[1].rate) / (2 * h),
        rtol=0,
        atol=1e-7 * np.abs(now.acceleration).max(),
    )
    np.testing.assert_allclose(
        now.rate, (ends[0].length - ends[1].length) / (2 * h), rtol=0, atol=1e-7
    )


def _later(m, h):
    turn = m.angular_velocity * h + m.angular_acceleration * h**2 / 2
    return Motion(
        m.position + m.velocity * h + m.acceleration * h**2 / 2,
        rotation_exp(turn) @ m.rotation,
        m.velocity + m.acceleration * h,
        m.angular_velocity + m.angular_acceleration * h,
    )


def test_equation_11_in_leg_space():
    """[m] ldd + b + g + sigma + f = 0 with partial velocities J^-1; [m] is minus a mass matrix."""
    platform, m = ge.machine(MIXED, seed=53), ge.states(54)
    eq = kane.equations(platform, m)
    leg = eq.in_leg_space()
    sigma = kane.inverse_dynamics(platform, m).force
    ldd = eq.speeds.acceleration
    total = np.einsum("nij,nj->ni", leg.m, ldd) + leg.b + leg.gravity + leg.friction + sigma
    assert np.abs(total).max() < 1e-10 * np.abs(sigma).max()
    assert np.linalg.eigvalsh(-(leg.m + np.swapaxes(leg.m, -1, -2)) / 2).min() > 0
    np.testing.assert_allclose(
        leg.partial @ eq.speeds.J, np.broadcast_to(np.eye(6), leg.m.shape), atol=1e-12
    )


def test_near_singular_pose_keeps_its_digits():
    """Rounding grows with the condition number of J, not with its square."""
    platform = load("syed-6sps")
    m = ge.states(55, n=40)
    m = Motion(
        [0.0, 0.0, 0.3],
        rotation_z(np.pi / 2 - 1e-3),
        0.1 * m.velocity,
        0.1 * m.angular_velocity,
        m.acceleration,
        m.angular_acceleration,
    )
    a, b = kane.inverse_dynamics(platform, m), lagrange.inverse_dynamics(platform, m)
    assert a.condition.max() > 1e3
    assert off(a.force, b.force) < 1e-9


# 004, on the example machine (its own data are missing); sinusoidal accelerations of 10 m/s^2 and 8 rad/s^2


@pytest.mark.parametrize(
    ("name", "legs", "lower", "upper"),
    [
        ("x", 12.5, 1.7, 10.9),
        ("y", 12.7, 1.8, 10.9),
        ("z", 15.9, 0.6, 15.2),
        ("rx", 16.8, 0.9, 15.9),
        ("ry", 16.8, 0.9, 15.9),
        ("rz", 16.8, 1.1, 15.7),
    ],
)
def test_share_of_the_legs(syed, name, legs, lower, upper):
    """Percent of the peak force that comes from the legs, from their lower and from their upper halves."""
    m = paper(f"004-{name}")(TIMES)
    forces = {k: kane.inverse_dynamics(syed, m, legs=k).force for k in kane.LEGS}
    peak = np.abs(forces["full"]).max()
    share = {
        k: 100 * np.abs(forces[k] - forces["massless"]).max() / peak
        for k in ("full", "lower", "upper")
    }
    assert share == pytest.approx({"full": legs, "lower": lower, "upper": upper}, abs=0.06)


def test_translation_along_z_loads_all_legs_alike(syed, driven):
    """004 Sec. 3.2: uniform increase along z, 1.378 N; 8.69 N without drives, 44.88 N with.

    The sign of [m_d] in eq 12 as printed gives -27.51 N.

    The three are bound by 4 kg: (44.88 - 27.51) / 2 = 8.69.
    """
    m = paper("004-z")(TIMES)
    full, bare = (kane.inverse_dynamics(syed, m, legs=k).force for k in ("full", "massless"))
    np.testing.assert_allclose((full - bare)[QUARTER], 1.378, atol=5e-4)
    assert np.ptp(full - bare, axis=1).max() < 1e-12
    assert np.abs(full).max() == pytest.approx(8.69, abs=0.005)
    right = kane.inverse_dynamics(driven, m).force[QUARTER]
    slip = kane.inverse_dynamics(driven, m, errata={"E004-2"}).force[QUARTER]
    np.testing.assert_allclose(right, 44.88, atol=0.005)
    np.testing.assert_allclose(slip, -27.51, atol=0.005)


def test_E004_1_makes_the_drive_vanish(syed, driven):
    """Eq 14 as printed gives 4e-8 in place of 4.0 kg."""
    assert driven.legs[0].drive.reflected_inertia == pytest.approx(4.0)
    m = paper("004-z")(TIMES)
    printed = kane.inverse_dynamics(driven, m, errata={"E004-1"}).force
    np.testing.assert_allclose(printed, kane.inverse_dynamics(syed, m).force, atol=1e-6)


def test_E004_3_counts_accelerations_twice(syed):
    """0.590 N of 8.69 N along z."""
    m = paper("004-z")(TIMES)
    cost = (
        kane.inverse_dynamics(syed, m, errata={"E004-3"}).force
        - kane.inverse_dynamics(syed, m).force
    )
    assert np.abs(cost).max() == pytest.approx(0.590, abs=5e-4)


def test_E004_4_and_5_change_the_force():
    platform, m = ge.machine(UPS6, seed=57), ge.states(58)
    right = kane.inverse_dynamics(platform, m).force
    for key in ("E004-4", "E004-5"):
        assert off(kane.inverse_dynamics(platform, m, errata={key}).force, right) > 1e-3
    assert kane.inverse_dynamics(platform, m, published=True).published


def test_motor_torque(driven):
    """F / nu without losses; power at the motor covers gear loss and rotor friction otherwise."""
    m = paper("004-x")(TIMES[::10])
    found = kane.inverse_dynamics(driven, m)
    nu = driven.legs[0].drive.ratio
    np.testing.assert_allclose(found.extra["motor_torque"], found.force / nu, rtol=0, atol=1e-15)
    eq = kane.equations(driven, m)
    rate, ldd = eq.speeds.rate, eq.speeds.acceleration
    np.testing.assert_allclose(
        found.extra["transmitted_force"], found.force - 4.0 * ldd, rtol=0, atol=1e-12
    )
    lossy = Drive.rack_and_pinion(
        gear=20, pinion_radius=0.01, rotor_inertia=1e-6, efficiency=0.8, viscous=1e-6, coulomb=1e-3
    )
    worn = Platform(driven.body, [leg.replace(drive=lossy) for leg in driven.legs], driven.gravity)
    torque = kane.inverse_dynamics(worn, m).extra["motor_torque"]
    through = found.extra["transmitted_force"] * rate
    motor = (
        torque * nu * rate
        - 1e-6 * nu * ldd * nu * rate
        - 1e-6 * (nu * rate) ** 2
        - 1e-3 * np.abs(nu * rate)
    )
    np.testing.assert_allclose(
        motor, np.where(through >= 0, through / 0.8, through * 0.8), rtol=0, atol=1e-10
    )
    assert "motor_torque" not in kane.inverse_dynamics(driven, m, drive=False).extra


@pytest.mark.parametrize("planted", ["rate", "frame", "spin", "published"])
def test_planted_errors_are_caught(monkeypatch, planted):
    """Agreement with Lagrange fails when one term of Kane's equations is wrong."""
    platform, m = ge.machine(UPS6, seed=59), ge.states(60)
    right = lagrange.inverse_dynamics(platform, m).force
    options = {}
    if planted == "rate":
        cross = partial_velocities.Partial.cross
        monkeypatch.setattr(
            partial_velocities.Partial, "cross", lambda self, r, rdot: cross(self, r, 0 * rdot)
        )
    elif planted == "frame":
        monkeypatch.setattr(kinematics, "_frame", lambda s, k, f=kinematics._frame: f(s, -k))
    elif planted == "spin":
        joint = kinematics._joint
        monkeypatch.setattr(
            kinematics, "_joint", lambda i, s, sd, N, k: (*N, joint(i, s, sd, N, k)[2])
        )
    else:
        options = {"published": True}
    assert off(kane.inverse_dynamics(platform, m, **options).force, right) > 1e-4


def test_bad_input(syed):
    m = paper("004-z")(TIMES[:3])
    with pytest.raises(InputError, match="legs"):
        kane.inverse_dynamics(syed, m, legs="none")
    with pytest.raises(InputError, match="errata"):
        kane.inverse_dynamics(syed, m, errata=["E004-9"])
    with pytest.raises(InputError, match="external"):
        kane.inverse_dynamics(syed, m, [0, 0, 0])
    wobbly = Platform(
        syed.body,
        [*syed.legs[:5], SPS(syed.legs[5].base, syed.legs[5].joint, Body(1, (0, 0.1, 0)))],
    )
    with pytest.raises(InputError, match=r"legs\[5\].*spin"):
        kane.inverse_dynamics(wobbly, m)
    with pytest.raises(InfeasibleError, match="leg 1"):
        kane.mass_matrix(load("lopes-6pus"), Pose([0.0, 3.0, 2.0]))


def test_singular_jacobian_is_refused():
    """All legs vertical: actuator rates are no coordinates."""
    ups = ge.machine(UPS6, seed=61)
    feet = [np.array([*leg.joint[:2], 0.0]) for leg in ups.legs]
    legs = [leg.replace(base=foot, joint=foot) for leg, foot in zip(ups.legs, feet, strict=True)]
    flat = Platform(ups.body, legs)
    m = Motion([0.0, 0.0, 1.0])
    with pytest.raises(InfeasibleError, match="singular"):
        kane.inverse_dynamics(flat, m)
    assert np.isfinite(
        balance.assemble(flat, m, KaneModel("full", True, frozenset(), 0.01)).m
    ).all()
