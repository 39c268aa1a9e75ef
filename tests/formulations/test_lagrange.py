"""Lagrange's formulation (002): published numbers, energy balance, charts, link models, errata."""

import numpy as np
import pytest

import geometric_energy as ge
from gough.checks import InfeasibleError, InputError
from gough.formulations import lagrange
from gough.formulations.lagrange import balance, chart, energies, legs
from gough.formulations.lagrange.errata import Variant
from gough.formulations.lagrange.kinematics import Strut
from gough.model import PUS, SPS, Body, Friction, Platform
from gough.model.files import load
from gough.spatial import Motion, Pose, rotation_exp, rotation_from_rpy, rotation_y
from gough.trajectory import paper, there_and_back

UPS6, PUS6, SPS6, RUS6 = (("UPS",) * 6, ("PUS",) * 6, ("SPS",) * 6, ("RUS",) * 6)
MIXED = ("UPS", "PUS", "SPS", "RUS", "PUS", "RUS")
P1, P2 = ((0.0, 0.0, 2.0), (0.0, 0.0, 0.0)), ((-0.1, -0.2, 2.5), np.radians([15.0, -15.0, 15.0]))
TABLE_2 = (0.194, 0.194)  # m_L1, m_L2
POWER = 1e-11  # Richardson derivative of the energy: measured 1e-12 and below


@pytest.fixture(scope="module")
def lopes():
    return load("lopes-6pus")


@pytest.mark.filterwarnings("ignore::gough.model.ModelWarning")
@pytest.mark.parametrize(
    ("t", "force"),
    [
        (0.0, [411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364]),
        (3.0, [372.0930, -745.9985, 918.7608, -336.7961, -1.2524, 216.2021]),
        (6.0, [569.7233, -516.9033, 459.2288, -69.4837, 151.0829, -154.1439]),
    ],
)
def test_path_I_of_001(t, force):
    found = lagrange.inverse_dynamics(load("dasgupta-1998"), paper("001-I")(t))
    np.testing.assert_allclose(found.force, force, rtol=0, atol=6e-5)


def test_rest_forces_of_002(lopes):
    """Equal forces at P1, their sum is the weight; P2 by hand-checked values."""
    at = {
        name: lagrange.inverse_dynamics(lopes, Motion.at_rest(Pose.from_rpy(*pose))).force
        for name, pose in (("P1", P1), ("P2", P2))
    }
    np.testing.assert_allclose(at["P1"], 7.36077, atol=5e-6)
    np.testing.assert_allclose(at["P1"].sum(), 44.1646, atol=5e-5)
    np.testing.assert_allclose(
        at["P2"], [7.45407, 6.88364, 4.03776, 10.68302, 5.70078, 9.40535], atol=6e-6
    )
    np.testing.assert_allclose(
        at["P2"].sum(), at["P1"].sum(), rtol=1e-13
    )  # vertical rails carry the weight


@pytest.mark.parametrize(("duration", "percent"), [(4.0, 0.5), (2.0, 1.6), (1.0, 5.2), (0.5, 8.7)])
def test_simplified_model_against_complete(lopes, duration, percent):
    """E002-8: the two end masses turn with 3.27 times the inertia, so the error grows with speed."""
    m = there_and_back(P1, P2, duration, profile="trigonometric").sample(401)
    full = lagrange.inverse_dynamics(lopes, m).force
    simple = lagrange.inverse_dynamics(lopes, m, links="two-mass", end_masses=TABLE_2).force
    assert 100 * np.abs(simple - full).max() / np.abs(full).max() == pytest.approx(
        percent, abs=0.06
    )


def test_end_masses_of_table_2_miss_a_gram(lopes):
    """E002-7: 0.194 + 0.194 kg against 0.389 kg, 0.0098 N per leg at rest."""
    rest = Motion.at_rest(Pose.from_rpy(*P1))
    lost = (
        lagrange.inverse_dynamics(lopes, rest).force
        - lagrange.inverse_dynamics(lopes, rest, links="two-mass", end_masses=TABLE_2).force
    )
    np.testing.assert_allclose(lost, 0.00981, rtol=1e-9)


@pytest.mark.parametrize("ends", [TABLE_2, (0.15, 0.24)])
def test_two_masses_are_part_of_platform_and_actuators(lopes, ends):
    """002 eqs 86-91: m_L1 moves to the platform, m_L2 to the slider."""
    m = paper("002").sample(23)
    extra = sum(
        (ends[0] * ((p @ p) * np.eye(3) - np.outer(p, p)) for p in lopes.platform_joints),
        np.zeros((3, 3)),
    )
    np.testing.assert_allclose(
        np.diag(extra), ends[0] * 0.75**2 * np.array([3, 3, 6]), rtol=1e-12
    )  # eqs 89-91
    bare = Platform(
        Body(lopes.body.mass + 6 * ends[0], (0, 0, 0), lopes.body.inertia + extra),
        [leg.replace(slider_mass=leg.slider_mass + ends[1], link=Body(0.0)) for leg in lopes.legs],
        lopes.gravity,
    )
    simple = lagrange.inverse_dynamics(lopes, m, links="two-mass", end_masses=ends).force
    np.testing.assert_allclose(lagrange.inverse_dynamics(bare, m).force, simple, rtol=0, atol=1e-12)


def test_three_masses_match_a_slender_link(lopes):
    m = there_and_back(P1, P2, 0.5, profile="trigonometric").sample(41)
    full = lagrange.inverse_dynamics(lopes, m).force
    three = lagrange.inverse_dynamics(lopes, m, links="three-mass").force
    np.testing.assert_allclose(three, full, rtol=0, atol=1e-12 * np.abs(full).max())
    rod = lopes.legs[0].replace(
        link=Body(0.6, (1.837 / 2, 0, 0), (0, 0.6 * 1.837**2 / 12, 0.6 * 1.837**2 / 12))
    )
    masses = legs._point_masses(rod, Variant("three-mass"))
    np.testing.assert_allclose(masses, [0.1, 0.4, 0.1], rtol=1e-12)  # 1/6, 2/3, 1/6


@pytest.mark.parametrize("kinds", [UPS6, PUS6, SPS6, RUS6, MIXED])
@pytest.mark.parametrize("drive", [None, "base", "leg"])
def test_power_balance(kinds, drive):
    """dE/dt of a geometric energy equals the power of actuators, load and friction."""
    platform = ge.machine(kinds, seed=1, drive=drive)
    external = np.array([30.0, -50.0, 20.0, 5.0, -8.0, 9.0])
    m = ge.states(2, n=6)
    force = lagrange.inverse_dynamics(platform, m, external).force
    worst = max(ge.power_residual(platform, m[i], force[i], external) for i in range(6))
    assert worst < POWER


def test_gradient_is_the_derivative_of_the_mass_matrix():
    """dI/dx of eq 78 against central differences of T^T M T."""
    platform, m = ge.machine(MIXED, seed=3), ge.states(4, n=3)
    found = lagrange.terms(platform, m, chart="euler")
    h = 1e-5
    for k in range(6):
        sides = []
        for sign in (1, -1):
            x = found.x + sign * h * np.eye(6)[k]
            T = chart.velocity_map(x)
            M = lagrange.mass_matrix(platform, Pose(x[..., :3], chart.rotation(x, np.eye(3))))
            sides.append(np.swapaxes(T, -1, -2) @ M @ T)
        numeric = (sides[0] - sides[1]) / (2 * h)
        np.testing.assert_allclose(
            found.gradient[..., k, :, :], numeric, rtol=0, atol=1e-7 * np.abs(numeric).max()
        )


def test_coriolis_matrix_is_passive():
    """x^T (dI/dt - 2V) x = 0 with dI/dt from two mass matrices on the path, eq 76."""
    platform, m = ge.machine(MIXED, seed=5), ge.states(6, n=4)
    found = lagrange.terms(platform, m, chart="local")
    h = 1e-5
    ends = []
    for sign in (1, -1):
        x = found.x + sign * h * found.xd
        T = chart.velocity_map(x)
        M = lagrange.mass_matrix(platform, Pose(x[..., :3], chart.rotation(x, m.rotation)))
        ends.append(np.swapaxes(T, -1, -2) @ M @ T)
    N = (ends[0] - ends[1]) / (2 * h) - 2 * found.coriolis
    assert np.abs(N + np.swapaxes(N, -1, -2)).max() < 1e-6 * np.abs(found.coriolis).max()


def test_charts_agree():
    """The result does not depend on the coordinates: the paper's Euler angles or angles from the pose."""
    platform, m = ge.machine(MIXED, seed=7), ge.states(8, n=30)
    local, euler = (lagrange.inverse_dynamics(platform, m, chart=c) for c in ("local", "euler"))
    np.testing.assert_allclose(
        local.force, euler.force, rtol=0, atol=1e-11 * np.abs(local.force).max()
    )
    np.testing.assert_allclose(
        local.extra["base_force"],
        euler.extra["base_force"],
        rtol=0,
        atol=1e-11 * np.abs(local.extra["base_force"]).max(),
    )


def test_gimbal_lock_hurts_only_the_euler_chart():
    """At theta = 90 deg the base-frame form is as good as anywhere."""
    platform = ge.machine(UPS6, seed=9)
    m = Motion(
        [0.05, 0.1, 1.4],
        rotation_y(np.pi / 2),
        [0.3, -0.2, 0.5],
        [1.0, 2.0, -1.0],
        [1, 2, 3],
        [4, -5, 6],
    )
    force = lagrange.inverse_dynamics(platform, m).force
    assert ge.power_residual(platform, m, force) < POWER
    with pytest.raises(InfeasibleError, match="local"):
        lagrange.inverse_dynamics(platform, m, chart="euler")


def test_mass_matrix_and_bias_make_the_force():
    platform, m = ge.machine(MIXED, seed=11, drive="leg"), ge.states(12)
    external = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = lagrange.inverse_dynamics(platform, m, external)
    M, b = lagrange.mass_matrix(platform, m.pose), lagrange.bias(platform, m)
    np.testing.assert_allclose(M, np.swapaxes(M, -1, -2), rtol=0, atol=1e-12 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0
    xdd = np.concatenate([m.acceleration, m.angular_acceleration], -1)
    load = np.concatenate([m.rotation @ external[:3], m.rotation @ external[3:]], -1)
    J = lagrange.terms(platform, m).energies.J_C
    np.testing.assert_allclose(
        np.einsum("nij,nj->ni", M, xdd) + b,
        np.einsum("nji,nj->ni", J, found.force) + load,
        rtol=0,
        atol=1e-11 * np.abs(b).max(),
    )


def test_kinetic_energy_is_the_sum_of_its_parts(lopes):
    platform, m = ge.machine(PUS6, seed=13), ge.states(14, n=2)
    K, P = lagrange.energy(platform, m)
    for i in range(2):
        assert K[i] + P[i] == pytest.approx(ge.energy(platform, m[i], 0.0), rel=1e-12)
    parts = lagrange.parts(lopes, Pose.from_rpy(*P2))
    assert {"platform", "actuators", "links, translating", "links, turning"} <= parts.keys()
    np.testing.assert_allclose(
        sum(parts.values()), lagrange.mass_matrix(lopes, Pose.from_rpy(*P2)), rtol=1e-14
    )


def test_batch_axes(lopes):
    m = paper("002").sample(6)
    folded = Motion(
        *(
            getattr(m, n).reshape(2, 3, *getattr(m, n).shape[1:])
            for n in (
                "position",
                "rotation",
                "velocity",
                "angular_velocity",
                "acceleration",
                "angular_acceleration",
            )
        )
    )
    whole, rows = (
        lagrange.inverse_dynamics(lopes, folded).force,
        lagrange.inverse_dynamics(lopes, m).force,
    )
    assert whole.shape == (2, 3, 6)
    np.testing.assert_array_equal(whole.reshape(6, 6), rows)
    np.testing.assert_allclose(lagrange.inverse_dynamics(lopes, m[4]).force, rows[4], rtol=1e-13)


def spinning(lopes, I_xx):
    return Platform(
        lopes.body,
        [leg.replace(link=Body(0.389, (0.919, 0, 0), (I_xx, 0.1, 0.1))) for leg in lopes.legs],
        lopes.gravity,
    )


@pytest.mark.parametrize(("I_xx", "newton"), [(0.0, 0.0), (0.001, 0.0019), (0.01, 0.019)])
def test_E002_1_spin_of_the_link(lopes, I_xx, newton):
    """No effect with Table 2 (I_Lxx = 0), 0.0019 N and 0.019 N with a little axial inertia."""
    m = paper("002").sample(401)
    platform = spinning(lopes, I_xx)
    cost = (
        lagrange.inverse_dynamics(platform, m, published=True).force
        - lagrange.inverse_dynamics(platform, m).force
    )
    assert np.abs(cost).max() == pytest.approx(newton, rel=0.03, abs=1e-12)


@pytest.mark.parametrize(
    ("key", "fraction"), [("E002-2", 0.001), ("E002-3", 0.01), ("E002-5", 0.01), ("E002-6", 0.01)]
)
def test_damaged_equations_matter(lopes, key, fraction):
    """Read as printed, each changes the forces by more than this fraction of the peak."""
    m = paper("002").sample(101)
    links = "two-mass" if key == "E002-6" else "complete"
    right = lagrange.inverse_dynamics(lopes, m, links=links).force
    printed = lagrange.inverse_dynamics(lopes, m, links=links, errata={key})
    assert printed.published
    assert np.abs(printed.force - right).max() > fraction * np.abs(right).max()


def test_published_J_D_breaks_its_own_rule(lopes):
    """E002-2: a_iz for a_ix in row 3 breaks omega_L . a = 0."""
    pose = Pose.from_rpy(*P2)
    for errata, size in ((frozenset(), 0.0), (frozenset({"E002-2"}), 0.1)):
        found = balance.energies_at(
            lopes, pose.position, pose.rotation, Variant(errata=errata | {"E002-1"})
        )
        along = np.abs(found.s[..., None, :] @ found.J_D).max()
        assert along < 1e-15 if size == 0 else along > size


@pytest.mark.parametrize("planted", ["gradient", "transposed", "spin", "gravity"])
def test_planted_errors_are_caught(monkeypatch, planted):
    """The energy balance sees a wrong Coriolis term, a wrong map, a missing spin and a wrong potential."""
    platform, m = ge.machine(UPS6, seed=1), ge.states(2, n=4)
    options = {}
    if planted == "gradient":
        monkeypatch.setattr(balance, "derivative", lambda v: 1.01 * chart.derivative(v))
    elif planted == "transposed":
        monkeypatch.setattr(
            energies,
            "turning",
            lambda b, s, f=energies.turning: f(b, Strut(s.s, np.swapaxes(s.T, -1, -2), s.J_D)),
        )
    elif planted == "gravity":
        monkeypatch.setattr(energies, "weight", lambda *a, f=energies.weight: 1.01 * f(*a))
    else:
        options = {"errata": {"E002-1"}}
    force = lagrange.inverse_dynamics(platform, m, **options).force
    assert max(ge.power_residual(platform, m[i], force[i]) for i in range(4)) > 1e-5


def test_bad_input(lopes):
    m = Motion.at_rest(Pose.from_rpy(*P1))
    with pytest.raises(InputError, match="errata"):
        lagrange.inverse_dynamics(lopes, m, errata={"E001-1"})
    with pytest.raises(InputError, match="links"):
        lagrange.inverse_dynamics(lopes, m, links="rods")
    with pytest.raises(InputError, match="end_masses"):
        lagrange.inverse_dynamics(lopes, m, end_masses=TABLE_2)
    with pytest.raises(InputError, match="external"):
        lagrange.inverse_dynamics(lopes, m, [1, 2, 3])
    with pytest.raises(InputError, match="chart"):
        lagrange.inverse_dynamics(lopes, m, chart="quaternion")
    ups = ge.machine(UPS6, seed=1)
    with pytest.raises(InputError, match="fixed length"):
        lagrange.inverse_dynamics(ups, ge.states(2), links="two-mass")
    with pytest.raises(InputError, match="vertical rails"):
        lagrange.inverse_dynamics(ups, ge.states(2), errata={"E002-3"})
    spins = Platform(
        ups.body, [*ups.legs[:5], SPS(ups.legs[5].base, ups.legs[5].joint, Body(1, (0.1, 0.1, 0)))]
    )
    with pytest.raises(InputError, match=r"legs\[5\].*axisymmetric"):
        lagrange.inverse_dynamics(spins, ge.states(2))
    dry = Platform(
        ups.body,
        [*ups.legs[:5], SPS(ups.legs[5].base, ups.legs[5].joint, friction=Friction(1, 0, 0))],
    )
    with pytest.raises(InputError, match="ball friction"):
        lagrange.mass_matrix(dry, ge.states(2).pose)


def test_infeasible_poses_name_the_leg(lopes):
    with pytest.raises(InfeasibleError, match="leg 1: the link is too short"):
        lagrange.inverse_dynamics(lopes, Motion([0.0, 3.0, 2.0], rotation_exp([0, 0, 0.0])))
    upright = lopes.legs[0].replace(base=np.array([0.75, 0.0, 0.0]))
    with pytest.raises(InfeasibleError, match="first axis of its universal joint"):
        lagrange.mass_matrix(
            Platform(lopes.body, [upright, *lopes.legs[1:]]), Pose([0.0, 0.0, 2.0])
        )


def test_assembly_backward():
    """A slider above the platform (assembly -1) balances power too."""
    forward = ge.machine(PUS6, seed=21)
    backward = [leg.replace(assembly=-1) for leg in forward.legs if isinstance(leg, PUS)]
    platform, m = Platform(forward.body, backward, forward.gravity), ge.states(22, n=3)
    force = lagrange.inverse_dynamics(platform, m).force
    assert max(ge.power_residual(platform, m[i], force[i]) for i in range(3)) < POWER


def test_rotation_of_eq_4():
    x = np.array([0.0, 0.0, 0.0, 0.3, -0.4, 0.5])
    np.testing.assert_allclose(
        chart.rotation(x, np.eye(3)), rotation_from_rpy([0.5, -0.4, 0.3]), atol=1e-15
    )
