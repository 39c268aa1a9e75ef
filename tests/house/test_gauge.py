"""Arbitrary choices change nothing: crank zero, slider origin, spin reference, leg order, world frame, units.

Each choice is turned on the machine itself (support/gauge.py); every verb and every controller must then do the same
physics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

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
)
from gough.spatial import rotation_exp
from oracles.machines import Case, case
from support.gauge import (
    ACCELERATION,
    CHOICES,
    FORCE,
    LENGTH,
    MASS,
    MOMENT,
    RATE,
    SYSTEMS,
    TIME,
    Turned,
    Unit,
    answers,
    back,
    coordinate_unit,
    crank_zero,
    loaded,
    seen,
    slider_origin,
    spin_reference,
    spun,
    units,
)

ROUND_OFF = 2e-11
ANGLES = tuple(SYSTEMS)
KINDS = ["UPS", "SPS-free", "SPS-axisymmetric", "SPS-general", "PUS", "RUS", "mixed"]
CONCERNS = {"crank zero": ("RUS", "mixed"), "slider origin": ("PUS", "mixed")}
CONCERNS["spin reference"] = ("SPS-free", "SPS-axisymmetric", "SPS-general", "mixed")


def close(found: Array, wanted: Array, tolerance: float = ROUND_OFF) -> bool:
    return bool(np.abs(found - wanted).max() <= tolerance * (1.0 + np.abs(wanted).max()))


AT_ONE_SPIN = {f"{what} over {i}" for what in ("force", "acceleration") for i in (0, 1)}
"""Slopes over the pose: of lopsided legs they hold the spin angle, which counts from the reference."""


def same_physics(
    c: Case,
    g: Turned,
    tolerance: float = ROUND_OFF,
    without: Collection[str] = (),
    **options: str,
) -> None:
    """Every verb, every number."""
    first = answers(c.platform, c.motion, c.external, spun(c, Turned(c.platform)), **options)
    other = answers(g.platform, seen(c.motion, g), loaded(c.external, g), spun(c, g), **options)
    for name, wanted in first.items():
        if name in without:
            continue
        assert close(back(other[name], g), wanted.value, tolerance), name


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(
    ("choice", "kind"), [(c, k) for c in CHOICES for k in CONCERNS.get(c, KINDS)]
)
def test_every_verb(choice: str, kind: str, angle: float) -> None:
    c = case(kind, seed=11, states=6)
    c = Case(
        c.platform.replace(home=c.motion[0].pose),
        *(getattr(c, name) for name in ("motion", "external", "spin_angle", "spin_rate")),
    )
    g = CHOICES[choice](c.platform, angle)
    lopsided = any(isinstance(leg, gough.SPS) and leg.reads_reference for leg in c.platform.legs)
    without = AT_ONE_SPIN if lopsided and choice == "spin reference" else ()
    mixed = choice == "leg order" and kind == "mixed"  # every order would be kernels to compile
    same_physics(c, g, without=without, **({"engine": "python"} if mixed else {}))
    there = seen(c.motion, g)
    legs = gough.inverse_kinematics(g.platform, there).length
    travel = np.array([coordinate_unit(leg).factor(g.scale) for leg in g.platform.legs])
    apart = (legs / travel)[:, g.order] + g.shift
    apart -= gough.inverse_kinematics(c.platform, c.motion).length
    turns = 2 * np.pi * np.round(apart[0] / (2 * np.pi)) * [k == "RUS" for k in c.platform.kinds]
    assert np.abs(apart - turns).max() < ROUND_OFF, "up to whole turns, the same for all states"
    fk = gough.forward_kinematics(g.platform, legs, guess=there.pose)
    assert fk.success.all()
    assert close(fk.pose.position, there.position)


@pytest.mark.parametrize("kind", ["SPS-free", "SPS-axisymmetric", "SPS-axial-rotor"])
def test_axisymmetric_legs_do_not_read_their_reference(kind: str) -> None:
    """Not even along it, where it gave six NaN, or 1e-9 beside it, where forces were 5 % wrong."""
    c = case(kind, seed=3, states=2)
    s = gough.inverse_kinematics(c.platform, c.motion).direction[0]
    beside = np.cross(s, [0.3, -0.5, 0.8])
    for distance in (0.0, 1e-12, 1e-9, 1e-4):
        for sign in (1.0, -1.0):
            legs = [
                leg.replace(reference=sign * s[i] + distance * beside[i])
                for i, leg in enumerate(c.platform.legs)
            ]
            g = Turned(c.platform.replace(legs=legs))
            same_physics(c, g, 1e-12, engine="python")
            if kind == "SPS-axisymmetric":
                same_physics(c, g, 1e-12)
                paper, exact = (
                    gough.inverse_dynamics(g.platform, c.motion, c.external, name, spin=spun(c, g))
                    for name in ("multibody", "exact")
                )
                assert close(paper.force, exact.force)


def test_lopsided_legs_beside_their_reference_are_right_refused_or_marked() -> None:
    c = case("SPS-general", seed=3, states=1)
    s = gough.inverse_kinematics(c.platform, c.motion).direction[0, 2]
    first = gough.inverse_dynamics(
        c.platform, c.motion, c.external, spin=spun(c, Turned(c.platform))
    )
    kinematics = gough.inverse_kinematics(c.platform, c.motion, spin=spun(c, Turned(c.platform)))
    beside = np.cross(s, [0.3, -0.5, 0.8])
    for distance in 3.0 * 10.0 ** np.arange(-16, -1):
        k = s + distance * beside / np.linalg.norm(beside)
        legs = [
            leg.replace(reference=k) if i == 2 else leg for i, leg in enumerate(c.platform.legs)
        ]
        g = Turned(c.platform.replace(legs=legs))
        spin = spun(c, g)
        if distance < 1e-6:
            with pytest.raises(gough.InfeasibleError, match="along its `reference`"):
                gough.inverse_dynamics(g.platform, c.motion, c.external, spin=spin)
            with pytest.raises(gough.InfeasibleError, match=r"leg L3: .* along its `reference`"):
                gough.inverse_kinematics(g.platform, c.motion, spin=spin)
            continue
        turning = gough.inverse_kinematics(g.platform, c.motion, spin=spin).angular_velocity
        assert np.abs(turning - kinematics.angular_velocity).max() <= 1e-14 / distance
        found = gough.inverse_dynamics(g.platform, c.motion, c.external, spin=spin)
        turned = 10 * 2.3e-16 / distance  # what the angle is worth that the test itself computes
        apart = np.abs(found.force - first.force)
        assert (apart <= found.error + first.error + turned * np.abs(first.force).max()).all()


def servo() -> gough.Platform:
    return gough.load("servo-hexapod")


def servo_on_sliders() -> gough.Platform:
    c = case("PUS", seed=11, states=1)
    return c.platform.replace(home=c.motion[0].pose)


def servo_on_spinning_struts() -> gough.Platform:
    c = case("SPS-axisymmetric", seed=11, states=1)
    return c.platform.replace(home=c.motion[0].pose)


def tracked(
    controller: Callable[[gough.Platform, Unit], object], g: Turned, start: gough.Pose
) -> Array:
    """Positions of a closed loop that lifts the platform by 2 mm, in the first machine's frame and units."""
    lift, second = np.array([0.0, 0.0, 0.002]), TIME.factor(g.scale)
    R, t, meter = g.rotation, g.origin, LENGTH.factor(g.scale)
    poses = [
        gough.Pose(meter * (t + R @ p), R @ start.rotation)
        for p in (start.position, start.position + lift)
    ]
    spins = any(isinstance(leg, gough.SPS) and not leg.spin_free for leg in g.platform.legs)
    run = gough.simulate(
        g.platform,
        poses[0],
        duration=0.05 * second,
        step=1e-3 * second,
        sampling=Sampling(rate=1000.0 / second),
        controller=controller(g.platform, g.scale),
        reference=poses[1],
        drives=False,
        spin=gough.Spin(np.zeros(6), np.linspace(-2, 2, 6) / second) if spins else None,
    )
    assert run.attrs["status"] == "ok", run.attrs["status"]
    return (run["position"].values / meter - t) @ R


def bandwidth(scale: Unit) -> float:
    return 60.0 * RATE.factor(scale)


def impedance(platform: gough.Platform, scale: Unit) -> Impedance:
    M = np.diagonal(gough.mass_matrix(servo(), servo().require_home()))
    push, turn = 3600.0 * M[:3].min(), 3600.0 * M[3:].min()
    K = np.repeat([push * FORCE.per(LENGTH).factor(scale), turn * MOMENT.factor(scale)], 3)
    D = np.repeat(
        [
            push / 30 * FORCE.per(LENGTH).factor(scale) * TIME.factor(scale),
            turn / 30 * MOMENT.factor(scale) * TIME.factor(scale),
        ],
        3,
    )
    return Impedance(platform, K, D)


def proportional(platform: gough.Platform, scale: Unit) -> object:
    """No model: a gain of 5 N m/rad of each crank, 5000 N/m of each slide."""
    gains = [
        (5.0 * MOMENT.factor(scale))
        if isinstance(leg, gough.RUS)
        else 5000.0 * FORCE.per(LENGTH).factor(scale)
        for leg in platform.legs
    ]
    return lambda t, measured, wanted: np.array(gains) * (wanted.length - measured.length)


LAWS: dict[str, Callable[[gough.Platform, Unit], object]] = {
    "decentralized": lambda p, u: Decentralized.from_bandwidth(p, bandwidth=bandwidth(u)),
    "computed-force": lambda p, u: ComputedForce(p, bandwidth(u)),
    "computed-force of legs": lambda p, u: ComputedForce(p, bandwidth(u), space="leg"),
    "feed-forward": lambda p, u: FeedForward(p, bandwidth(u)),
    "gravity": lambda p, u: GravityCompensation(p, bandwidth(u)),
    "impedance": impedance,
    "plain": proportional,
}


@pytest.mark.parametrize("choice", ["crank zero", "leg order", "world frame", "units"])
@pytest.mark.parametrize("law", LAWS)
def test_closed_loops_of_a_servo_hexapod(law: str, choice: str) -> None:
    """Its cranks counted from pi - 0.001 further asked for 20.5 N m instead of 0.11 and ended "unreachable"."""
    first = servo()
    home = first.require_home()
    old = tracked(LAWS[law], Turned(first), home)
    assert np.abs(old[-1] - old[0]).max() > 1e-5
    for angle in ANGLES:
        new = tracked(LAWS[law], CHOICES[choice](first, angle), home)
        np.testing.assert_allclose(new, old, atol=1e-12, err_msg=str(angle))


@pytest.mark.parametrize("law", ["decentralized", "computed-force", "plain"])
def test_closed_loops_do_not_see_origins_of_sliders(law: str) -> None:
    first = servo_on_sliders()
    old = tracked(LAWS[law], Turned(first), first.require_home())
    new = tracked(LAWS[law], slider_origin(first, 0.7), first.require_home())
    np.testing.assert_allclose(new, old, atol=1e-12)


def test_closed_loops_do_not_see_the_reference_of_spinning_struts() -> None:
    first = servo_on_spinning_struts()
    s = gough.inverse_kinematics(first, first.require_home()).direction
    along = Turned(
        first.replace(legs=[leg.replace(reference=k) for leg, k in zip(first.legs, s, strict=True)])
    )
    old = tracked(LAWS["plain"], Turned(first), first.require_home())
    for g in (spin_reference(first, 2.0), along):
        new = tracked(LAWS["plain"], g, first.require_home())
        np.testing.assert_allclose(new, old, atol=1e-12)


def test_limits_move_with_the_crank_zero() -> None:
    first = servo()
    home = first.require_home()
    for angle in ANGLES:
        moved = crank_zero(first, angle).platform
        for lift in (0.0, 0.01, 0.03, 0.06):
            pose = gough.Pose(home.position + np.array([0.0, 0.0, lift]), home.rotation)
            found = [gough.analysis.check(p, pose) for p in (first, moved)]
            assert found[0].ok == found[1].ok
            np.testing.assert_allclose(
                found[0].margin["stroke"], found[1].margin["stroke"], atol=1e-12
            )


def test_a_different_machine_is_seen() -> None:
    """The comparison can fail: an arm longer by a millionth, or one unit forgotten, breaks it."""
    c = case("RUS", seed=11, states=6)
    g = crank_zero(c.platform.replace(home=c.motion[0].pose), 2.0)
    legs = [leg.replace(arm=leg.arm * (1 + 1e-6)) for leg in g.platform.legs]
    with pytest.raises(AssertionError):
        same_physics(c, Turned(g.platform.replace(legs=legs), shift=g.shift), engine="python")
    g = units(c.platform, ANGLES[0])
    forgotten = g.platform.replace(gravity=c.platform.gravity)
    with pytest.raises(AssertionError):
        same_physics(c, Turned(forgotten, scale=g.scale), engine="python")
    assert (ACCELERATION.factor(g.scale), MASS.factor(g.scale)) == (1000.0, 1.0)


def test_a_lopsided_leg_along_its_reference_is_seen() -> None:
    """Planted: a leg 1e-4 of its size out of balance does read its reference."""
    c = case("SPS-axisymmetric", seed=3, states=2)
    leg = c.platform.legs[0]
    heavy = gough.Body(
        leg.lower.mass, leg.lower.center + np.array([0.0, 1e-4, 0.0]), leg.lower.inertia
    )
    legs = [leg.replace(lower=heavy), *c.platform.legs[1:]]
    lopsided = Case(c.platform.replace(legs=legs), c.motion, c.external, c.spin_angle, c.spin_rate)
    turn = rotation_exp(np.array([0.3, -0.5, 0.8]))
    turned = [leg.replace(reference=turn @ leg.reference) for leg in legs]
    g = Turned(lopsided.platform.replace(legs=turned))
    same_physics(lopsided, g, engine="python")
    spins = gough.Spin(c.spin_angle, c.spin_rate)
    forces = [
        gough.inverse_dynamics(p, c.motion, c.external, spin=spins, engine="python").force
        for p in (lopsided.platform, g.platform)
    ]
    assert not close(*forces)
