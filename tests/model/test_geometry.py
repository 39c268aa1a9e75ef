"""Constructors of the usual machines: symmetry, conditioning, and singular geometries refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from gough import (
    PUS,
    RUS,
    SPS,
    UPS,
    Body,
    Drive,
    Friction,
    InputError,
    Limits,
    ModelWarning,
    Platform,
    Pose,
)
from gough.model import files, geometry
from gough.model.body import inertia_problem
from gough.struts import struts

DEG = np.pi / 180

MACHINES: dict[str, Callable[..., Platform]] = {
    "hexapod": lambda **k: geometry.hexapod(0.3, 0.2, 15 * DEG, 20 * DEG, 0.4, **k),
    "hexapod-sps": lambda **k: geometry.hexapod(0.3, 0.2, 15 * DEG, 20 * DEG, 0.4, leg="SPS", **k),
    "octahedral": lambda **k: geometry.octahedral(0.3, 0.2, 0.3, **k),
    "six-three": lambda **k: geometry.six_three(0.3, 0.2, 20 * DEG, 0.3, **k),
    "cubic": lambda **k: geometry.cubic(0.3, **k),
    "hexaglide": lambda **k: geometry.hexaglide(
        0.6, 0.15, 30 * DEG, 20 * DEG, 0.45, link_length=0.5, incline=45 * DEG, **k
    ),
    "servo": lambda **k: geometry.servo_hexapod(
        0.1, 0.07, 40 * DEG, 20 * DEG, crank_length=0.024, rod_length=0.13, **k
    ),
}


def matrix(b: np.ndarray, p: np.ndarray, pose: Pose) -> np.ndarray:
    """[s; q x s] of strut legs."""
    q = p @ pose.rotation.T
    s = pose.position + q - b
    s = s / np.linalg.norm(s, axis=1, keepdims=True)
    return np.vstack([s.T, np.cross(q, s).T])


@pytest.mark.parametrize("name", MACHINES)
def test_constructed_machines_are_sound(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = MACHINES[name]()
    assert machine.home is not None
    assert geometry.home_condition(machine) < 10
    bodies = [machine.body]
    for leg in machine.legs:
        bodies += [
            b for b in (getattr(leg, n, None) for n in ("lower", "upper", "link", "crank")) if b
        ]
    assert all(inertia_problem(b.inertia) is None and b.mass > 0 for b in bodies)
    assert files.loads(files.dumps(machine)) == machine


@pytest.mark.parametrize("name", MACHINES)
def test_home_is_symmetric_and_axes_are_usable(name: str) -> None:
    machine = MACHINES[name]()
    assert machine.home is not None
    directions = struts(machine, machine.home).direction
    turn = np.array([[-0.5, -np.sqrt(0.75), 0], [np.sqrt(0.75), -0.5, 0], [0, 0, 1]])  # by 120 deg
    np.testing.assert_allclose(directions[2:], directions[:4] @ turn.T, atol=1e-14)
    np.testing.assert_allclose(
        machine.base_joints[2:], machine.base_joints[:4] @ turn.T, atol=1e-15
    )
    np.testing.assert_allclose(
        directions[1::2, 2], directions[::2, 2], atol=1e-14
    )  # pairs lean alike
    for leg, s in zip(machine.legs, directions, strict=True):
        k = leg.reference if isinstance(leg, SPS) else leg.axis
        assert abs(k @ s) < 0.5
        if isinstance(leg, (UPS, SPS)):
            assert abs(k @ s) < 1e-15


def test_hexapod_dimensions() -> None:
    machine = geometry.hexapod(0.3, 0.2, 15 * DEG, 20 * DEG, 0.4)
    b, p = machine.base_joints, machine.platform_joints
    np.testing.assert_allclose(np.linalg.norm(b, axis=1), 0.3)
    np.testing.assert_allclose(np.linalg.norm(p, axis=1), 0.2)
    np.testing.assert_allclose(
        np.linalg.norm(b[0] - b[5]), 2 * 0.3 * np.sin(7.5 * DEG)
    )  # base pair 6-1
    np.testing.assert_allclose(
        np.linalg.norm(p[0] - p[1]), 2 * 0.2 * np.sin(10 * DEG)
    )  # platform pair 1-2
    assert machine.home is not None
    lengths = np.linalg.norm(machine.home.position + p - b, axis=1)
    expected = np.sqrt(0.4**2 + 0.3**2 + 0.2**2 - 2 * 0.3 * 0.2 * np.cos(42.5 * DEG))
    np.testing.assert_allclose(lengths, expected, rtol=1e-14)


def test_three_point_platforms() -> None:
    machine = geometry.octahedral(0.3, 0.2, 0.3)
    assert len(np.unique(machine.base_joints.round(12), axis=0)) == 3
    assert len(np.unique(machine.platform_joints.round(12), axis=0)) == 3
    machine = geometry.six_three(0.3, 0.2, 0.3, 0.3)
    assert len(np.unique(machine.base_joints.round(12), axis=0)) == 6
    assert len(np.unique(machine.platform_joints.round(12), axis=0)) == 3


@pytest.mark.parametrize("fraction", [0.4, 0.7, 1.0])
def test_cubic_legs_are_orthogonal(fraction: float) -> None:
    machine = geometry.cubic(0.3, fraction=fraction)
    assert machine.home is not None
    top = machine.home.position + machine.platform_joints
    legs = top - machine.base_joints
    np.testing.assert_allclose(np.linalg.norm(legs, axis=1), 0.3 * fraction, rtol=1e-12)
    s = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    np.testing.assert_allclose(
        s.T @ s, 2 * np.eye(3), atol=1e-14
    )  # equal stiffness in all directions
    np.testing.assert_allclose(np.abs([s[i] @ s[i - 1] for i in range(6)]), 0, atol=1e-14)


def test_servo_cranks_are_level_and_lift() -> None:
    machine = MACHINES["servo"]()
    assert machine.home is not None
    g = struts(machine, machine.home)
    for leg, x, s in zip(machine.legs, g.end, g.direction, strict=True):
        assert isinstance(leg, RUS)
        tip = x - leg.length * s
        np.testing.assert_allclose(tip, leg.base + leg.arm, atol=1e-14)  # crank angle 0
        assert np.cross(leg.shaft, leg.arm)[2] > 0  # positive angles lift the tip


def test_hexaglide_links_close() -> None:
    machine = MACHINES["hexaglide"]()
    assert machine.home is not None
    g = struts(machine, machine.home)
    for leg, x, s in zip(machine.legs, g.end, g.direction, strict=True):
        assert isinstance(leg, PUS)
        slider = x - leg.length * s - leg.base
        np.testing.assert_allclose(np.cross(slider, leg.rail), 0, atol=1e-14)  # on the rail
        assert np.sin(45 * DEG) == pytest.approx(leg.rail[2])


def test_options_reach_the_machine() -> None:
    options = {
        "platform_mass": 3.0,
        "leg_mass": 0.4,
        "friction": Friction(0.1, 0.2, 0.3),
        "name": "mine",
        "limits": Limits(stroke=(0.1, 0.2)),
        "drive": Drive(ratio=100.0),
        "gravity": (0.0, 0.0, -1.6),
    }
    for make in MACHINES.values():
        machine = make(**options)
        assert machine.body.mass == 3.0
        assert machine.name == "mine"
        assert machine.gravity.tolist() == [0.0, 0.0, -1.6]
        for leg in machine.legs:
            assert leg.friction == options["friction"]
            assert leg.limits == options["limits"]
            assert leg.drive == options["drive"]
            parts = [
                getattr(leg, n).mass for n in ("lower", "upper", "link", "crank") if hasattr(leg, n)
            ]
            assert sum(parts) + getattr(leg, "slider_mass", 0.0) == pytest.approx(0.4, rel=1e-14)
        body = Body(2.0, (0, 0, 0.1), (1, 1, 1))
        assert make(body=body).body == body
        with pytest.raises(InputError, match="unknown option"):
            make(platfrom_mass=3.0)


# ---- singular geometries


@pytest.mark.parametrize(
    ("base", "platform"), [(15, 105), (60, 60), (30, 90), (105, 15), (0.5, 119.5)]
)
def test_similar_hexagons_are_refused(base: float, platform: float) -> None:
    with pytest.raises(InputError, match="architecturally singular"):
        geometry.hexapod(0.3, 0.2, base * DEG, platform * DEG, 0.4)


def test_detection_agrees_with_the_determinant_on_planted_and_free_hexagons() -> None:
    """det H vanishes in every pose for an affine image of joints on a conic, and only then.

    Similar hexagons that are not on a conic, and free hexagons on a circle, keep full rank.
    """
    rng = np.random.default_rng(3)
    for trial in range(60):
        turn = rng.uniform(0, 2 * np.pi, (2, 6, 1))
        rings = np.concatenate([np.cos(turn), np.sin(turn), 0 * turn], axis=-1)
        image = np.zeros((3, 3))
        image[:2, :2] = rng.normal(size=(2, 2))
        scattered = np.column_stack([rng.normal(size=(6, 2)), np.zeros(6)])
        planted = trial % 3 == 0
        b, p = [
            (rings[0] * [1.0, 0.6, 1.0], rings[0] @ image),
            (scattered, 0.5 * scattered),
            (rings[0], 0.5 * rings[1]),
        ][trial % 3]
        legs = [UPS(bi, pi, (1, 0, 0)) for bi, pi in zip(b, p, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            problem = Platform(Body(1.0), legs).architecture_problem()
        assert (problem is not None) == planted
        worst = 1.0
        for _ in range(5):
            pose = Pose.from_quaternion(rng.normal(size=3), rng.normal(size=4))
            values = np.linalg.svd(matrix(b, p, pose), compute_uv=False)
            worst = min(worst, values[-1] / values[0])
        assert (worst < 1e-12) == planted


def test_platform_itself_warns() -> None:
    b = geometry.hexapod(0.3, 0.2, 15 * DEG, 20 * DEG, 0.4).base_joints
    with pytest.warns(ModelWarning, match="architecturally singular") as caught:
        Platform(Body(1.0), [UPS(x, 0.5 * x, (0, 0, 1)) for x in b])
    assert caught[0].filename == __file__
    with pytest.warns(ModelWarning, match="all joints coincide"):
        Platform(Body(1.0), [UPS((0, 0, 0), (0, 0, 0), (0, 0, 1))] * 6)
    with pytest.warns(ModelWarning, match="coincident legs"):
        Platform(
            Body(1.0),
            [UPS(b[0], b[3], (0, 0, 1))] * 2 + [UPS(x, x[::-1], (0, 0, 1)) for x in b[2:]],
        )


@pytest.mark.parametrize("name", files.presets())
def test_no_preset_is_singular(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        machine = files.load(name)
    assert machine.architecture_problem() is None
    assert geometry.home_condition(machine) < 30


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: geometry.hexapod(-1, 0.2, 0.1, 0.2, 0.4), "base_radius"),
        (lambda: geometry.hexapod(0.3, float("nan"), 0.1, 0.2, 0.4), "platform_radius"),
        (lambda: geometry.hexapod(0.3, 0.2, 2.2, 0.2, 0.4), "base_pair_angle"),
        (lambda: geometry.hexapod(0.3, 0.2, 0.1, -0.2, 0.4), "platform_pair_angle"),
        (lambda: geometry.hexapod(0.3, 0.2, 0.1, 0.2, 0.0), "height"),
        (lambda: geometry.hexapod(0.3, 0.2, 0.1, 0.2, 0.4, leg="RUS"), "leg"),  # type: ignore[arg-type]
        (lambda: geometry.hexapod(0.3, 0.2, 0.1, 0.2, 0.4, leg_mass=-1), "leg_mass"),
        (lambda: geometry.cubic(0.3, fraction=1.2), "fraction"),
        (
            lambda: geometry.hexaglide(0.6, 0.1, 0.2, 0.3, 0.5, link_length=0.1, incline=1.0),
            "link_length",
        ),
        (
            lambda: geometry.servo_hexapod(0.1, 0.07, 0.6, 0.3, crank_length=0.02, rod_length=0.01),
            "rod_length",
        ),
    ],
)
def test_bad_dimensions(call: Callable[[], Platform], field: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field


def test_rod_and_disc_against_integration() -> None:
    """Σ m r r^T of a uniform grid of points reproduces the tensors."""
    rng = np.random.default_rng(5)
    n = 400_000
    x, y = rng.uniform(0, 0.8, n), 0.05 * np.sqrt(rng.uniform(0, 1, n))
    turn = rng.uniform(0, 2 * np.pi, n)
    points = np.column_stack([x, y * np.cos(turn), y * np.sin(turn)])
    body = geometry.rod(2.0, 0.8, radius=0.05)
    sigma = 2.0 * np.cov(points.T, bias=True)
    np.testing.assert_allclose(
        body.inertia, np.trace(sigma) * np.eye(3) - sigma, atol=1e-3 * body.inertia.max()
    )
    np.testing.assert_allclose(body.center, [0.4, 0, 0])
    plate = geometry.disc(2.0, 0.05, 0.8)
    np.testing.assert_allclose(np.diag(plate.inertia)[[2, 0, 1]], np.diag(body.inertia), rtol=1e-14)
