"""[Pedrammehr2012]: two angular routes, closed form and recursion against each other and the power."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from gough.checks import InfeasibleError, InputError
from gough.formulations import universal
from gough.model import SPS, Body, ModelWarning, Platform
from gough.model.files import load
from gough.spatial import Pose
from gough.trajectory import line, uniform
from oracles.machines import case
from ups_energy import power_terms, random_machine, random_motion

ENDS = (
    Pose.from_rpy((0.1, 0.0, 0.4), (0.0, 0.0, -0.2)),
    Pose.from_rpy((0.3, 0.0, 0.6), (0.0, 0.0, 0.2)),
)
PATH_2 = line(*ENDS, duration=6.0, max_speed=0.08, max_rate=0.08)
PATH_3 = line(*ENDS, duration=0.6, max_speed=0.8, max_rate=0.8)


@pytest.fixture(scope="module")
def machine():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load("pedrammehr-2012")


@pytest.fixture(scope="module")
def original():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load("dasgupta-1998")


def test_golden_forces_of_the_shared_machine(original):
    """Same golden numbers as 001: the two papers describe one machine."""
    np.testing.assert_allclose(
        universal.inverse_dynamics(original, PATH_2([0.0, 3.0])).force,
        [
            (411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364),
            (372.0930, -745.9985, 918.7608, -336.7961, -1.2524, 216.2021),
        ],
        atol=6e-5,
    )
    np.testing.assert_allclose(
        universal.inverse_dynamics(original, PATH_3(0.6)).force,
        (809.0963, -401.6700, 74.7153, 129.9521, 314.4939, -611.3334),
        atol=6e-5,
    )


@pytest.mark.parametrize(
    ("errata", "slow", "fast"),
    [
        ({"E000-3", "E000-4"}, 1.207, 120.74),  # as printed
        ({"E000-3"}, 2.310, 230.98),  # bracket in local components
        ({"E000-5"}, 0.140, 14.00),  # closed form 42/43 with tensors about the mass centers
        ({"E000-1"}, 0.003, 0.332),
        ({"E000-2"}, 0.032, 3.163),
    ],
)
def test_cost_of_each_erratum(machine, errata, slow, fast):
    for path, expected in ((PATH_2, slow), (PATH_3, fast)):
        x = path.sample(61)
        exact = universal.inverse_dynamics(machine, x).force
        cost = np.abs(universal.inverse_dynamics(machine, x, errata=errata).force - exact).max()
        assert cost == pytest.approx(expected, rel=2e-4, abs=5e-4)


def test_published_share_of_peak(machine):
    x = PATH_3.sample(61)
    exact = universal.inverse_dynamics(machine, x).force
    printed = universal.inverse_dynamics(machine, x, published=True)
    assert printed.published
    assert np.abs(exact).max() == pytest.approx(2128.05, abs=0.01)
    assert np.abs(printed.force - exact).max() / np.abs(exact).max() == pytest.approx(
        0.0567, abs=5e-5
    )


@pytest.mark.parametrize(("part", "cost"), [("32", 108.73), ("33", 4.165), ("50", 14.958)])
def test_double_counting_equation_by_equation(original, part, cost):
    x = PATH_3.sample(61)
    exact = universal.inverse_dynamics(original, x).force
    printed = universal.inverse_dynamics(original, x, errata={f"E000-3:{part}", "E000-4"}).force
    assert np.abs(printed - exact).max() == pytest.approx(cost, rel=2e-4)


@pytest.mark.parametrize("drive", [None, "fixed", "riding"])
@pytest.mark.parametrize("seed", range(4))
def test_power_balance(seed, drive):
    machine, x = random_machine(seed + 20, drive=drive), random_motion(seed + 20)
    external = np.random.default_rng(seed).normal(size=6) * 30
    for route in universal.ROUTES:
        force = universal.inverse_dynamics(machine, x, external, route=route).force
        residual, _, scale = power_terms(machine, x, force, external)
        assert abs(residual) < 1e-12 * scale


def test_power_balance_finds_every_erratum(machine):
    path = PATH_3.sample(121)

    def worst(**kind):
        force = universal.inverse_dynamics(machine, path, **kind).force
        return max(abs(power_terms(machine, path[i], force[i])[0]) for i in range(0, 121, 4))

    assert worst() < 1e-11
    assert worst(published=True) > 8.0
    assert worst(simplified=True) > 0.1
    for key in ("E000-1", "E000-2", "E000-3", "E000-3:32", "E000-3:33", "E000-3:50", "E000-5"):
        assert worst(errata={key}) > 1e-3


def test_routes_agree_on_angular_motion():
    """(12)-(14), (18)-(21) about the joint axes = (15)-(17), (22)-(25) along and across the pod."""
    machine, x = random_machine(30), random_motion(31, (50,))
    a = universal.leg_motion(machine, x, route="axes")
    b = universal.leg_motion(machine, x, route="components")
    np.testing.assert_allclose(a.angular_velocity, b.angular_velocity, atol=1e-12)
    np.testing.assert_allclose(a.angular_acceleration, b.angular_acceleration, atol=1e-10)
    k = np.array([leg.axis for leg in machine.legs])
    c = np.cross(k, np.cross(k, a.direction))
    assert np.abs((a.angular_velocity * c).sum(axis=-1)).max() < 1e-12
    printed = universal.leg_motion(machine, x, errata={"E000-1"})
    assert np.abs(printed.angular_acceleration - a.angular_acceleration).max() > 0.1
    printed = universal.leg_motion(machine, x, errata={"E000-2"})
    assert np.abs(printed.angular_acceleration - a.angular_acceleration).max() > 0.1


def test_sign_of_the_moving_axis_drops_out_of_the_angular_motion():
    """Reversing u reverses v and c; a pod's rotation must not notice (eq 25 as printed does)."""
    machine, x = random_machine(32), random_motion(33, (20,))
    turned = machine.replace(legs=[leg.replace(axis=-leg.axis) for leg in machine.legs])
    for route in ("axes", "components"):
        a, b = (
            universal.leg_motion(m, x, route=route).angular_acceleration for m in (machine, turned)
        )
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_angular_acceleration_is_the_derivative(machine):
    h, t = 1e-5, 2.0
    legs = universal.leg_motion(machine, PATH_2([t - h, t, t + h]))
    np.testing.assert_allclose(
        (legs.angular_velocity[2] - legs.angular_velocity[0]) / (2 * h),
        legs.angular_acceleration[1],
        atol=1e-9,
    )
    np.testing.assert_allclose(
        (legs.rate[2] - legs.rate[0]) / (2 * h), legs.acceleration[1], atol=1e-9
    )


@pytest.mark.parametrize("drive", [None, "riding"])
def test_closed_form_equals_recursion(drive):
    machine, x = random_machine(34, drive=drive), random_motion(35, (9,))
    closed = universal.inverse_dynamics(machine, x, route="closed").force
    np.testing.assert_allclose(
        closed, universal.inverse_dynamics(machine, x).force, rtol=1e-10, atol=1e-9
    )
    Q, V = universal.pod_matrices(machine, x)
    assert np.abs(Q - np.swapaxes(Q, -1, -2)).max() < 1e-13 * np.abs(Q).max() * 10
    assert np.linalg.eigvalsh(Q).min() > 0
    F = -universal.reactions(machine, x).spherical_force  # platform on pod, (41)
    P = x.acceleration[:, None] + np.cross(
        x.angular_acceleration[:, None], machine.platform_joints @ np.swapaxes(x.rotation, -1, -2)
    )
    s = universal.leg_motion(machine, x).direction
    right = -closed[..., None] * s + np.einsum("...ij,...j->...i", Q, P) + V
    np.testing.assert_allclose(F, right, rtol=1e-10, atol=1e-9)


def test_printed_closed_form_is_right_only_for_thin_pods(machine):
    """E000-5: the printed Q is unsymmetric here; exact for centers on the axis and I = diag(a, b, b)."""
    x = PATH_3.sample(13)
    Q, _ = universal.pod_matrices(machine, x, errata={"E000-5"})
    assert np.abs(Q - np.swapaxes(Q, -1, -2)).max() > 0.3
    lower, upper = (
        Body(3.0, (0.2, 0, 0), (0.01, 0.05, 0.05)),
        Body(1.0, (-0.1, 0, 0), (0.002, 0.03, 0.03)),
    )
    thin = machine.replace(legs=[leg.replace(lower=lower, upper=upper) for leg in machine.legs])
    Q, _ = universal.pod_matrices(thin, x, errata={"E000-5"})
    np.testing.assert_allclose(Q, universal.pod_matrices(thin, x)[0], atol=1e-14)


def test_mass_matrix_and_bias():
    machine, x = random_machine(36), random_motion(37, (5,))
    M, b = universal.mass_matrix(machine, x.pose), universal.bias(machine, x)
    assert np.abs(M - np.swapaxes(M, -1, -2)).max() < 1e-12 * np.abs(M).max()
    assert np.linalg.eigvalsh(M).min() > 0
    result = universal.inverse_dynamics(machine, x)
    xdd = np.concatenate([x.acceleration, x.angular_acceleration], axis=-1)
    wrench = np.einsum("...ij,...j->...i", result.wrench_matrix, result.force)
    np.testing.assert_allclose(
        np.einsum("...ij,...j->...i", M, xdd) + b, wrench, rtol=1e-11, atol=1e-9
    )


@pytest.mark.parametrize(
    "errata", [universal.PRINTED, {"E000-1"}, {"E000-2"}, {"E000-3"}, {"E000-5"}]
)
def test_printed_variants_are_consistent(machine, errata):
    """M, b and the forces of a printed variant belong together."""
    x = PATH_3.sample(7)
    result = universal.inverse_dynamics(machine, x, errata=errata)
    xdd = np.concatenate([x.acceleration, x.angular_acceleration], axis=-1)
    M, b = (
        universal.mass_matrix(machine, x.pose, errata=errata),
        universal.bias(machine, x, errata=errata),
    )
    wrench = np.einsum("...ij,...j->...i", result.wrench_matrix, result.force)
    np.testing.assert_allclose(
        np.einsum("...ij,...j->...i", M, xdd) + b, wrench, rtol=1e-10, atol=1e-9
    )


def test_pods_that_do_not_spin(machine):
    """Path 1: spin of pods 1, 2, 6 is small, of pod 4 zero (u_4 is along the motion), of pod 3 large."""
    path = uniform(Pose((0.1, 0.0, 0.5)), Pose((0.6, 0.0, 0.5)), duration=6.0).sample(61)
    full = np.linalg.norm(universal.leg_motion(machine, path).angular_velocity, axis=-1)
    simple = np.linalg.norm(
        universal.leg_motion(machine, path, simplified=True).angular_velocity, axis=-1
    )
    share = 100 * (full - simple).max(axis=0) / simple.max(axis=0)
    np.testing.assert_allclose(share, (1.58, 0.93, 26.87, 0.0, 5.43, 1.63), atol=5e-3)


def test_bad_input(machine):
    x = PATH_2(0.0)
    for field, kind in (
        ("errata", {"errata": {"E000-99"}}),
        ("errata", {"errata": {"E000-1", "E000-2"}}),
        ("route", {"route": "sideways"}),
        ("route", {"route": "axes", "errata": {"E000-5"}}),
        ("route", {"route": "closed", "simplified": True}),
    ):
        with pytest.raises(InputError, match=field):
            universal.inverse_dynamics(machine, x, **kind)
    leg = machine.legs[0]
    mixed = Platform(
        machine.body, [SPS(leg.base, leg.joint, Body(1.0), Body(1.0)), *machine.legs[1:]]
    )
    with pytest.raises(InputError, match=r"legs\[0\].*SPS"):
        universal.bias(mixed, x)
    along = leg.replace(axis=x.position + x.rotation @ leg.joint - leg.base)
    with pytest.raises(InfeasibleError, match="leg 1: the strut lies along the first axis"):
        universal.inverse_dynamics(machine.replace(legs=[along, *machine.legs[1:]]), x)


def printed_pod(leg, x, R, G, l_for_rate):
    """Q and V of one pod as (42), (43) and Appendix 1 print them, one line per printed term, by vectors alone."""
    t, v, w = x
    q = R @ leg.joint
    L = t + q - leg.base
    l = np.linalg.norm(L)
    n, u = L / l, leg.axis
    j = np.cross(u, n) / np.linalg.norm(np.cross(u, n))
    c = np.cross(u, j)
    T = np.stack([n, j, np.cross(n, j)], axis=1)
    rate = v + np.cross(w, q)
    ld = rate @ n
    wn = np.cross(n, rate) / l
    wl = wn - (wn @ c) / (n @ c) * n
    wu, wv = -(rate - ld * n) @ j / (l * (n @ c)), (rate - ld * n) @ u / (l * (n @ c))
    Lu, Ld = L + T @ leg.upper.center, T @ leg.lower.center
    m_u, m_d = leg.upper.mass, leg.lower.mass
    I = T @ (leg.upper.inertia + leg.lower.inertia) @ T.T
    kap, cn = u @ n, c @ n

    def X(a):
        return np.cross(np.eye(3), a)

    lever = np.cross(c, n) / cn
    moved = m_u * X(Lu) @ X(Lu) + m_d * X(Ld) @ X(Ld)
    tau = kap * (u @ X(n)) / (l * (1 - kap**2))
    Q = m_u * np.outer(n, n)
    Q = Q + X(n) @ moved @ X(n) / l**2
    Q = Q - X(n) @ I @ X(n) / l**2
    Q = Q + np.outer(lever, n @ moved @ X(n) / l**2)
    Q = Q - np.outer(lever, (n @ I @ n) * tau / l)

    twice = {name: np.cross(wl, np.cross(wl, r)) for name, r in (("L", L), ("Lu", Lu))}
    turning = np.cross(w, np.cross(w, q))
    S = np.cross(n, turning - twice["L"] - 2 * (l if l_for_rate else ld) * np.cross(wl, n))
    Su, Sd = np.cross(Lu, np.cross(Lu, S)), np.cross(Ld, np.cross(Ld, S))
    weight, gyro = np.cross(m_u * Lu + m_d * Ld, G), np.cross(wl, I @ wl)
    rub = leg.friction.universal * wl + leg.friction.spherical * (wl - w)
    V = m_u * (n @ twice["Lu"]) * n
    V = V + m_u * ((turning - twice["L"]) @ n) * n
    V = V - m_u * (n @ G) * n
    V = V + leg.friction.prismatic * ld * n
    V = V - np.cross(weight, n) / l
    V = V + m_u * np.cross(n, Su) / l**2
    V = V + m_u * np.cross(np.cross(Lu, twice["Lu"]), n) / l
    V = V + 2 * ld * m_u * np.cross(np.cross(Lu, np.cross(wl, n)), n) / l
    V = V + m_d * np.cross(n, Sd) / l**2
    V = V + m_d * np.cross(np.cross(Ld, twice["Lu"]), n) / l
    V = V - np.cross(n, I @ S) / l**2
    V = V + np.cross(gyro, n) / l
    V = V + np.cross(rub, n) / l
    V = V + (weight @ n) * lever / l
    V = V + m_u * (n @ Su) / l * lever / l
    V = V + m_d * (n @ Sd) / l * lever / l
    V = V - (n @ I @ n) * ((u @ S) * kap / (l * (1 - kap**2)) - wu * wv) * lever / l
    V = V - (gyro @ n) * lever / l
    return Q, V - (rub @ n) * lever / l


@pytest.mark.parametrize("slip", ["E000-5", "E000-5:S"])
def test_printed_closed_form_term_by_term(slip):
    """Any UPS pod, mass centers off its axis and full tensors, so that no printed term vanishes."""
    c = case("UPS", seed=52, states=2)
    bare = [replace(leg, drive=None) for leg in c.platform.legs]  # the paper has no rotors
    platform = replace(c.platform, legs=bare)
    Q, V = universal.pod_matrices(platform, c.motion, errata={"E000-5", slip})
    for k in range(2):
        x = c.motion[k]
        for i, leg in enumerate(bare):
            state = x.position, x.velocity, x.angular_velocity
            want = printed_pod(leg, state, x.rotation, platform.gravity, slip == "E000-5:S")
            np.testing.assert_allclose(Q[k, i], want[0], rtol=1e-10, atol=1e-10 * np.abs(Q).max())
            np.testing.assert_allclose(V[k, i], want[1], rtol=1e-10, atol=1e-10 * np.abs(V).max())


@pytest.mark.parametrize(
    ("route", "slips", "simplified", "wanted"),
    [
        (None, (), False, "axes"),
        (None, ("E000-1",), False, "components"),
        (None, ("E000-2",), False, "axes"),
        (None, ("E000-5",), False, "closed"),
        (None, ("E000-1", "E000-5"), False, "closed"),
        ("axes", ("E000-2",), False, "axes"),
        ("components", ("E000-1",), False, "components"),
        ("closed", ("E000-1",), False, "closed"),
        ("closed", ("E000-5",), False, "closed"),
        ("closed", (), False, "closed"),
        ("components", (), True, "components"),
        ("axes", ("E000-1",), False, None),
        ("axes", ("E000-5",), False, None),
        ("closed", ("E000-2",), False, None),
        ("components", ("E000-2",), False, None),
        ("components", ("E000-5",), False, None),
        ("closed", (), True, None),
        ("around", (), False, None),
    ],
)
def test_routes_and_the_errata_they_pass_through(
    route: str | None, slips: tuple[str, ...], simplified: bool, wanted: str | None
) -> None:
    from gough.formulations.universal.errata import checked_route

    if wanted is None:
        with pytest.raises(InputError, match="route"):
            checked_route(route, frozenset(slips), simplified)
    else:
        assert checked_route(route, frozenset(slips), simplified) == wanted
