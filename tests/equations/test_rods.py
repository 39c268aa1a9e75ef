"""UCS, PSU and RSS legs against Pinocchio with explicit joints, the power balance, and the legs that they become.

Efforts, all reactions, mass, forward dynamics with spin accelerations, leg motion, power; mixtures.  Nothing is
compiled here.  ``python -m campaigns.ucu_campaign --kinds PSU ...`` (in tests) runs as many machines as it is told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from campaigns.ucu_campaign import TOLERANCE, worst
from gough.checks import Array
from gough.engines import pack
from gough.layout import FORWARD
from gough.model import PSU, PUS, RSS, RUS, SPS, UCS, UPS, Body, Leg
from gough.spatial import rotation_x
from oracles.compare import answers, engine_arrays, errors, library, spin
from oracles.machines import RODS, Case, case, cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.source import equations, motion_numbers, run, spin_numbers

SAME = 1e-14  # of legs that are the same by another name
THIN = np.diag([0.0, 0.03, 0.03])  # no inertia about the leg's axis


@pytest.mark.parametrize("kind", RODS)
def test_everything_equals_pinocchio_and_power_balances(kind: str) -> None:
    found = worst(kind, 5, states=2, seed=0)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.slow
@pytest.mark.parametrize("kind", RODS)
def test_the_same_on_more_machines(kind: str) -> None:
    found = worst(kind, 25, states=3, seed=1)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", RODS)
def test_without_drive_and_friction(kind: str) -> None:
    found = worst(kind, 2, states=2, seed=2, drive=False, friction=False)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", RODS)
def test_every_verb_equals_pinocchio(kind: str) -> None:
    c = cases(kind, 1, seed=4)[0]
    theirs = engine_arrays(c, answers(PinocchioEngine(c.platform), c))
    found = errors(library(c, engine="python"), theirs)
    assert len(found) == len(theirs)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", ["UCS-axisymmetric", "UCS-rotor", "RSS-general", "rods-mixed"])
def test_forward_dynamics_answers_the_spins_too(kind: str) -> None:
    c = case(kind, seed=5, states=3)
    options = spin(c, engine="python")
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, **options)
    back = gough.forward_dynamics(c.platform, c.motion, found.force, c.external, **options)
    wanted = found.spin_acceleration
    assert wanted is not None
    assert np.abs(wanted).max() > 1.0
    assert np.abs(back.spin_acceleration - wanted).max() < 1e-11 * np.abs(wanted).max()


def test_kinds() -> None:
    kinds = {kind: pack.kinds_of(cases(kind, 1)[0].platform)[2] for kind in RODS}
    assert kinds == {
        "PSU": "psu",
        "UCS-free": "ucs",
        "UCS-axisymmetric": "ucs_axial",
        "UCS-general": "ucs_spin",
        "UCS-rotor": "ucs_spin",
        "UCS-still": "ucs_rotor",
        "RSS-free": "rss",
        "RSS-axisymmetric": "rss_axial",
        "RSS-general": "rss_spin",
        "rods-mixed": "ucs_spin",
    }
    free = case("RSS-free", seed=0).platform
    assert set(pack.kinds_of(free, True)) == {"rss_axial"}  # told to spin


def _with(c: Case, legs: list[Leg], angle: Array | None = None) -> Case:
    machine = c.platform.replace(legs=tuple(legs))
    turned = c.spin_angle if angle is None else angle
    return Case(machine, c.motion, c.external, turned, c.spin_rate)


def _same(one: dict[str, Array], other: dict[str, Array], tolerance: float = SAME) -> None:
    assert set(other) - set(one) <= {"spin_acceleration"}
    for name in one:
        if name.startswith("angular") or name == "spin_acceleration":
            continue  # of what has no inertia
        size = max(np.abs(other[n]).max() for n in (name, "universal_moment"))
        scale = size if name.endswith("_moment") else np.abs(other[name]).max()
        assert np.abs(one[name] - other[name]).max() <= tolerance * max(scale, 1.0), name


def _shared(leg: Leg, *names: str) -> dict[str, Any]:
    every = ("base", "joint", "drive", "limits", "name", *names)
    return {name: getattr(leg, name) for name in every}


def _thin(body: Body) -> Body:
    return Body(body.mass, [body.center[0], 0.0, 0.0], THIN)


def test_an_upper_part_without_axial_inertia_is_that_of_a_ups_leg() -> None:
    """UCS without friction: no one notices how the upper part spins."""
    for c in cases("UCS-free", 4, states=3, seed=3, friction=False):
        pair = [
            [
                kind(**_shared(leg, "axis", "lower"), upper=_thin(leg.upper))  # type: ignore[union-attr]
                for leg in c.platform.legs
            ]
            for kind in (UCS, UPS)
        ]
        _same(*(equations(_with(c, legs)) for legs in pair))


def test_without_a_lower_part_it_is_an_sps_leg() -> None:
    """UCS with a massless lower part and no friction of the pair and below: an SPS leg with that upper part; its spin
    too."""
    c = case("UCS-general", seed=31, states=3, drive=False)
    pair: list[list[Leg]] = [[], []]
    for leg in c.platform.legs:
        assert isinstance(leg, UCS)
        rubbed = gough.Friction(0.0, leg.friction.prismatic, leg.friction.spherical)
        given = _shared(leg, "upper", "reference") | {"friction": rubbed}
        pair[0].append(UCS(**given, axis=leg.axis))
        pair[1].append(SPS(**given))
    one, other = (equations(_with(c, legs)) for legs in pair)
    for name in ("force", "mass_matrix", "spherical_force", "spin_acceleration", "forward"):
        assert np.abs(one[name] - other[name]).max() <= 1e-13 * np.abs(other[name]).max(), name


def test_a_link_without_axial_inertia_is_that_of_a_pus_leg() -> None:
    """PSU without friction: whichever end of the link has the universal joint, no moment acts about it."""
    for c in cases("PSU", 4, states=3, seed=3, friction=False):
        pair: list[list[Leg]] = [[], []]
        rng = np.random.default_rng(5)
        for leg in c.platform.legs:
            assert isinstance(leg, PSU)
            names = ("rail", "length", "slider_mass", "slider_center", "assembly")
            given = _shared(leg, *names) | {"link": _thin(leg.link)}
            pair[0].append(PSU(**given, platform_axis=leg.platform_axis))
            pair[1].append(PUS(**given, axis=rng.normal(size=3)))
        _same(*(equations(_with(c, legs)) for legs in pair), tolerance=1e-13)


def test_a_rod_without_axial_inertia_is_that_of_a_rus_leg() -> None:
    for c in cases("RSS-free", 4, states=3, seed=3, friction=False):
        pair: list[list[Leg]] = [[], []]
        rng = np.random.default_rng(6)
        for leg in c.platform.legs:
            assert isinstance(leg, RSS)
            names = ("shaft", "arm", "length", "elbow", "crank")
            given = _shared(leg, *names) | {"link": _thin(leg.link)}
            pair[0].append(RSS(**given))
            pair[1].append(RUS(**given, axis=rng.normal(size=3)))
        _same(*(equations(_with(c, legs)) for legs in pair), tolerance=1e-12)


def test_a_link_with_axial_inertia_is_another_leg() -> None:
    """Planted: the same comparison notices what a thin link hides."""
    c = case("PSU", seed=3, states=2, friction=False)
    pus = [
        PUS(
            **_shared(leg, "rail", "length", "slider_mass", "slider_center", "assembly", "link"),
            axis=leg.platform_axis,  # type: ignore[union-attr]
        )
        for leg in c.platform.legs
    ]
    one, other = equations(c), equations(_with(c, pus))
    assert np.abs(one["force"] - other["force"]).max() > 1e-3 * np.abs(other["force"]).max()


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("RSS-axisymmetric", ("rss_axial", "rss_spin")),
        ("UCS-axisymmetric", ("ucs_axial", "ucs_spin")),
        ("RSS-free", ("rss", "rss_axial", "rss_spin")),
        ("UCS-free", ("ucs", "ucs_axial", "ucs_spin")),
    ],
)
def test_equations_of_round_parts_are_those_of_any_part(kind: str, names: tuple[str, ...]) -> None:
    """Another program, the same numbers; without friction and spin all three."""
    c = case(kind, seed=8, states=3)
    x = np.concatenate([motion_numbers(c), c.external], axis=1)
    par, every = pack.pack(c.platform), []
    for name in names:
        kinds = (name,) * 6
        record = run("record", kinds, x, spin_numbers(c), par).reshape(3, 6, -1)[..., :-1]
        mass = run("mass", kinds, x[:, :12], spin_numbers(c), par)[:, :21]
        force = run("forces", kinds, x, spin_numbers(c), par)[:, :6]
        y = np.concatenate([x[:, :18], force, c.external], axis=1)
        forward = run("forward", kinds, y, spin_numbers(c), par)[:, : FORWARD.risk]
        energy = run("energy", kinds, x[:, :18], spin_numbers(c), par)[:, :2]
        every.append((record, mass, force, forward, energy))
    for other in every[1:]:
        for a, b in zip(every[0], other, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * np.abs(b).max())


@pytest.mark.parametrize("kind", ["UCS-general", "RSS-general"])
def test_where_the_spin_counts_from_does_not_matter(kind: str) -> None:
    """The rod turned in its axes by 0.7 rad and its angle set back by as much is the same rod."""
    c, turn = case(kind, seed=9, states=3), rotation_x(0.7)
    legs = []
    for leg in c.platform.legs:
        assert isinstance(leg, (UCS, RSS))
        name = leg.SPUN[0]
        body = getattr(leg, name)
        turned = Body(body.mass, turn @ body.center, turn @ body.inertia @ turn.T)
        legs.append(leg.replace(**{name: turned}))
    one, other = equations(c), equations(_with(c, legs, c.spin_angle - 0.7))
    for name in one:
        assert np.abs(one[name] - other[name]).max() <= 1e-11 * np.abs(one[name]).max(), name
