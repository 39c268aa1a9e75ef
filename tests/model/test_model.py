"""Bodies, legs, limits, drives, platforms and units: what is accepted, what is refused."""

from __future__ import annotations

import math
import pickle
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
from gough.documents.units import UNITS, quantities, quantity
from gough.model.body import inertia_problem

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
RNG = np.random.default_rng(11)


def ups(**changes: object) -> UPS:
    given = {"base": RNG.normal(size=3), "joint": RNG.normal(size=3), "axis": X, **changes}
    return UPS(**given)  # type: ignore[arg-type]


def pus(**changes: object) -> PUS:
    return PUS(**{"base": X, "rail": Z, "joint": X, "axis": X, "length": 1.0, **changes})  # type: ignore[arg-type]


def rus(**changes: object) -> RUS:
    given = {"base": X, "shaft": Z, "arm": X, "joint": X, "axis": Z, "length": 1.0, **changes}
    return RUS(**given)  # type: ignore[arg-type]


# ---- refusals


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Body(-1.0), "mass"),
        (lambda: Body(float("nan")), "mass"),
        (lambda: Body("3"), "mass"),  # type: ignore[arg-type]
        (lambda: Body(1.0, (0, 0)), "center"),
        (lambda: Body(1.0, (0, 0, math.inf)), "center"),
        (lambda: Body(1.0, inertia=np.ones((2, 2))), "inertia"),
        (lambda: Body(1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "inertia"),
        (lambda: Friction(-0.1), "universal"),
        (lambda: Friction(prismatic=float("inf")), "prismatic"),
        (lambda: Limits(stroke=(1.0, 0.5)), "stroke"),
        (lambda: Limits(stroke=(1.0,)), "stroke"),
        (lambda: Limits(force=0.0), "force"),
        (lambda: Limits(base_axis=(0, 0, 0)), "base_axis"),
        (lambda: Drive(ratio=0.0), "ratio"),
        (lambda: Drive(ratio=1.0, efficiency=1.1), "efficiency"),
        (lambda: Drive(ratio=1.0, efficiency=0.0), "efficiency"),
        (lambda: Drive(ratio=1.0, rotor_inertia=-1e-6), "rotor_inertia"),
        (lambda: Drive.ball_screw(lead=0.0, rotor_inertia=0.0), "lead"),
        (lambda: ups(axis=(0, 0, 0)), "axis"),
        (lambda: ups(axis=(1e200, 0, 0)), "axis"),
        (lambda: ups(base=(0, 0)), "base"),
        (lambda: ups(joint=(0, float("nan"), 0)), "joint"),
        (lambda: ups(lower=3), "lower"),
        (lambda: ups(friction=3), "friction"),
        (lambda: ups(limits=None), "limits"),
        (lambda: ups(drive=3), "drive"),
        (lambda: SPS(X, X, reference=(0, 0, 0)), "reference"),  # type: ignore[arg-type]
        (lambda: pus(rail=(0, 0, 0)), "rail"),
        (lambda: pus(length=0.0), "length"),
        (lambda: pus(slider_mass=-1.0), "slider_mass"),
        (lambda: pus(assembly=2), "assembly"),
        (lambda: pus(drive=Drive(ratio=1.0, rotor_axis=X)), "drive.rotor_axis"),  # type: ignore[arg-type]
        (lambda: rus(elbow=0), "elbow"),
        (lambda: rus(arm=(0, 0, 2.0)), "arm"),
        (lambda: rus(shaft=(0, 0, 0)), "shaft"),
        (lambda: Platform(Body(1.0), [ups()] * 5), "legs"),
        (lambda: Platform(Body(1.0), [ups()] * 7), "legs"),
        (lambda: Platform(Body(1.0), [*[ups()] * 5, 3]), "legs[5]"),  # type: ignore[list-item]
        (lambda: Platform(3, [ups()] * 6), "body"),  # type: ignore[arg-type]
        (lambda: Platform(Body(1.0), [pus()] * 6, gravity=(0, 0)), "gravity"),
        (lambda: Platform(Body(1.0), [pus()] * 6, home=3), "home"),  # type: ignore[arg-type]
        (lambda: Platform(Body(1.0), [pus()] * 6, home=Pose(np.zeros((2, 3)))), "home"),
    ],
)
def test_bad_input_names_the_field(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.field == field
    assert field in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_error_seen_from_outside() -> None:
    error = InputError("axis", (0, 0, 0), "must not have zero length").within("legs[2]")
    assert str(error) == "legs[2].axis: got (0, 0, 0); must not have zero length"
    assert len(str(InputError("x", list(range(10_000)), "is long"))) < 200


# ---- values


def test_mixed_legs_are_one_machine() -> None:
    sps = SPS(np.array(X), np.array(Z))
    platform = Platform(Body(1.0), [ups(), sps, pus(), rus(), ups(), ups(name="tail")])
    assert platform.kinds == ("UPS", "SPS", "PUS", "RUS", "UPS", "UPS")
    assert platform.leg_names == ("L1", "L2", "L3", "L4", "L5", "tail")
    assert platform.base_joints.shape == platform.platform_joints.shape == (6, 3)


def test_values_are_frozen_compared_by_content_and_pickled() -> None:
    legs = [ups() for _ in range(6)]
    a, b = Platform(Body(1.0), legs), Platform(Body(1.0), legs)
    assert a == b
    assert hash(a) == hash(b)
    assert a != a.replace(gravity=(0.0, 0.0, -1.6))
    assert pickle.loads(pickle.dumps(a)) == a
    with pytest.raises((AttributeError, TypeError)):
        a.legs[0].base = np.zeros(3)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        a.legs[0].base[0] = 3.0
    given = np.zeros(3)
    body = Body(1.0, given)
    given[0] = 5.0
    assert body.center[0] == 0.0
    assert Limits(stroke=np.array([0.0, 1.0])) != Limits()
    assert hash(Body(1.0, (0.0, 0.0, 0.0))) == hash(
        Body(1.0, (-0.0, 0.0, 0.0))
    )  # equal, so equal hashes


def test_axes_are_normalized_and_stay_so() -> None:
    for _ in range(200):
        axis = RNG.normal(size=3)
        leg = ups(axis=axis)
        np.testing.assert_allclose(leg.axis * np.linalg.norm(axis), axis, rtol=1e-14)
        assert ups(axis=leg.axis).axis.tobytes() == leg.axis.tobytes()


def test_non_physical_inertia_is_accepted_with_a_reason() -> None:
    with pytest.warns(ModelWarning, match="triangle inequality"):
        Body(1.0, inertia=(1.0, 1.0, 2.1))
    with pytest.warns(ModelWarning, match="is negative") as caught:
        body = Body(1.0, inertia=(-0.1, 1.0, 1.0))
    assert caught[0].filename == __file__
    repaired = body.admissible()
    assert inertia_problem(repaired.inertia) is None
    assert np.linalg.eigvalsh(repaired.second_moment()).min() == pytest.approx(1e-5, rel=1e-6)
    assert repaired.admissible() == repaired


def test_admissible_is_the_nearest_in_second_moment() -> None:
    """No other tensor with Σ >= floor is nearer to the given Σ (tried against random admissible ones)."""
    with pytest.warns(ModelWarning):
        body = Body(
            1.0, inertia=[[0.010, 0.005, 0.007], [0.005, 0.002, 0.003], [0.007, 0.003, 0.001]]
        )
    best = np.linalg.norm(body.admissible().second_moment() - body.second_moment())
    for _ in range(500):
        A = RNG.normal(size=(3, 3)) * 0.05
        sigma = A @ A.T + 1e-5 * np.eye(3)
        assert np.linalg.norm(sigma - body.second_moment()) >= best
        step = body.admissible().second_moment() + 1e-4 * (
            sigma - body.admissible().second_moment()
        )
        assert (
            np.linalg.norm(step - body.second_moment()) >= best - 1e-15
        )  # projection on a convex set


def test_second_moment_of_point_masses() -> None:
    r, m = RNG.normal(size=(8, 3)), RNG.uniform(1, 2, 8)
    r = r - (m @ r) / m.sum()
    inertia = sum(
        mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True)
    )
    np.testing.assert_allclose(
        Body(m.sum(), inertia=inertia).second_moment(), (m * r.T) @ r, atol=1e-12
    )


def test_axisymmetry_and_spin_of_sps_legs() -> None:
    rod = Body(1.0, (0.3, 0, 0), (0.1, 0.2, 0.2))
    leg = SPS(np.array(X), np.array(Z), rod, rod)
    assert leg.axisymmetric
    assert leg.spin_free
    assert not leg.replace(lower=Body(1.0, (0.3, 0.01, 0), (0.1, 0.2, 0.2))).axisymmetric
    assert not leg.replace(upper=Body(1.0, (0.3, 0, 0), (0.1, 0.2, 0.21))).axisymmetric
    assert not leg.replace(friction=Friction(spherical=0.1)).spin_free
    drive = Drive(ratio=100.0, rotor_inertia=1e-5, rotor_axis=np.array(X))
    assert not leg.replace(drive=drive).spin_free


def test_transmissions() -> None:
    """One meter of travel turns the rotor by nu radians; the reflected mass is nu^2 I."""
    screw = Drive.ball_screw(lead=0.005, gear=2.0, rotor_inertia=1e-5)
    assert screw.ratio == pytest.approx(2 * np.pi * 2 / 0.005)
    assert screw.reflected_inertia == pytest.approx(screw.ratio**2 * 1e-5)
    rack = Drive.rack_and_pinion(gear=20, pinion_radius=0.01, rotor_inertia=1e-6)
    assert rack.reflected_inertia == pytest.approx(4)
    assert Drive.belt(pulley_radius=0.02, rotor_inertia=0.0).ratio == pytest.approx(50)
    assert Drive.geared(gear=-90, rotor_inertia=0.0).ratio == -90


def test_characteristic_length() -> None:
    angles = np.radians([10, 50, 130, 170, 250, 290])
    legs = [ups(joint=(0.4 * np.cos(a) + 1, 0.4 * np.sin(a) + 2, 0.3)) for a in angles]
    assert Platform(Body(1.0), legs).characteristic_length == pytest.approx(0.4, rel=1e-12)


# ---- units


@pytest.mark.parametrize(
    ("text", "dimension", "expected"),
    [
        ("250 mm", "length", 0.25),
        ("1 in", "length", 0.0254),
        ("12.5um", "length", 12.5e-6),
        ("15 deg", "angle", math.radians(15)),
        ("-90°", "angle", -math.pi / 2),
        ("1.5 kg", "mass", 1.5),
        ("200 N", "force", 200.0),
        ("3 rpm", "rate", math.pi / 10),
        ("9.81 m/s^2", "acceleration", 9.81),
        ("2 kg·m²", "inertia", 2.0),
        ("40 kg cm^2", "inertia", 0.004),
        ("10 kgf cm", "torque", 0.980665),
        ("1000 lbf", "force", 4448.2216152605),  # 0.45359237 kg times 9.80665 m/s^2
        ("2 kgf", "force", 19.6133),
        ("1 kgf m", "torque", 9.80665),
        ("3 inch", "length", 0.0762),
        ("2 ft", "length", 0.6096),
        ("90 deg/s", "rate", math.pi / 2),
        ("20 mm/s", "speed", 0.02),
        ("2 kN", "force", 2000.0),
        ("5 N mm", "torque", 0.005),
        ("7 g cm^2", "inertia", 7e-7),
        ("2 h", "time", 7200.0),
        ("12 lbf in", "torque", 1.3558179483314004),  # one lbf ft
        ("1 lbf ft", "torque", 1.3558179483314004),
        ("144 lb in^2", "inertia", 0.0421401100938048),  # one lb ft^2
        ("1 lb ft^2", "inertia", 0.0421401100938048),
        ("90 %", "pure number", 0.9),
        ("1e3 N s/m", "linear friction", 1000.0),
        ("5 mm", "length", 0.005),
    ],
)
def test_units(text: str, dimension: str, expected: float) -> None:
    assert quantity("x", text, dimension) == pytest.approx(expected, rel=3e-16)


def test_a_foreign_unit_is_told_with_both_names() -> None:
    for unit, dimension, said in (
        ("kg", "length", "kg is a unit of mass, this is a length: m, "),
        ("mm", "angle", "mm is a unit of length, this is an angle: rad, "),
        ("m/s", "acceleration", "m/s is a unit of speed, this is an acceleration: "),
    ):
        with pytest.raises(InputError, match=said):
            quantity("x", f"3 {unit}", dimension)


def test_decimal_units_are_correctly_rounded() -> None:
    """'0.1 mm' is the float 0.0001, never 0.1 * 0.001 with its own rounding."""
    for n in range(1, 3000):
        assert quantity("x", f"{n / 10} mm", "length") == float(f"{n}e-4")


def test_vectors_with_units() -> None:
    assert quantities("x", "10 -20, 2.5e1 mm", "length") == [0.01, -0.02, 0.025]
    assert quantities("x", ["10 mm", 0.5, 1], "length") == [0.01, 0.5, 1.0]


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "mm",
        "3",
        "3 furlong",
        "3 kg",
        "nan mm",
        "inf mm",
        "1e999 mm",
        "3 mm 4",
        "0x3 m",
        "3 mm\n4 m",
        "1" * 500 + " mm",
        True,
        None,
        [],
        math.nan,
        10**400,
    ],
)
def test_bad_quantities(bad: object) -> None:
    with pytest.raises(InputError) as caught:
        quantity("legs[2].length", bad, "length")
    assert caught.value.field == "legs[2].length"


def test_bad_units_are_explained() -> None:
    with pytest.raises(InputError, match="kg is a unit of mass, this is a length: m, cm, mm"):
        quantity("x", "3 kg", "length")
    with pytest.raises(InputError, match=r"did you mean deg\?"):
        quantity("x", "3 degr", "angle")
    with pytest.raises(InputError, match="write a bare number"):
        quantity("x", "3", "length")
    assert quantity("x", "1e-999999999 m", "length") == 0.0  # no giant integers on the way


def test_si_unit_comes_first() -> None:
    assert all(
        next(iter(table.values())) == 1 for name, table in UNITS.items() if name != "pure number"
    )
