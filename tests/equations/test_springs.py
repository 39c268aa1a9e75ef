"""Springs in the joints: against Pinocchio with springs on its own joint angles, and by themselves.

Planted errors: tests/oracles/planted_springs.py and planted_rod_springs.py, which
tests/equations/test_planted_errors.py tries; the power balance with the springs' energy is checked there too.
Campaigns: GOUGH_SPRING_MACHINES machines of every kind.
"""

from __future__ import annotations

import os
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pytest.importorskip("pinocchio")

import gough
from gough.checks import Array
from gough.dynamics.parameters import machine_parameters
from gough.engines import pack, plain
from gough.equations import springs
from gough.equations.kinds import KINDS as EQUATIONS
from gough.equations.kinds import offsets
from gough.equations.vec import Frame, Sym, Vec
from gough.model.numbers import places, with_numbers
from gough.spatial import rotation_exp
from oracles.compare import answers, engine_arrays, errors, joined
from oracles.machines import Case, cases, stiffness
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_case, offset_cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.projection import Closed
from oracles.source import equations, run, spin_numbers

TOLERANCE = 1e-11  # relative, every state; cond H < 60
KINDS = (
    "UPS",
    "UPS-rotor",
    "SPS-axisymmetric",
    "SPS-general",
    "SPS-rotor",
    "PUS",
    "RUS",
    "mixed",
    "UCU",
    "UCU-rotor",
    "UCU-screw",
    "UCU-upper",
    "UCU-mixed",
    "PSU",
    "UCS-free",
    "UCS-axisymmetric",
    "UCS-general",
    "UCS-rotor",
    "RSS-free",
    "RSS-axisymmetric",
    "RSS-general",
    "rods-mixed",
)
EVERY = (*KINDS, *OFFSETS)
COUNT = int(os.environ.get("GOUGH_SPRING_MACHINES", "8"))
LARGEST = np.radians(springs.LARGEST)


def sprung(kind: str, count: int, *, states: int, seed: int) -> list[Case]:
    """Random machines with springs in all their joints."""
    make = offset_cases if kind in OFFSETS else cases
    return make(kind, count, states=states, seed=seed, springs=True)


@pytest.mark.parametrize("kind", EVERY)
def test_efforts_reactions_and_accelerations_equal_pinocchios(kind: str) -> None:
    sample = sprung(kind, -(-COUNT // 4) if kind in OFFSETS else COUNT, states=3, seed=21)
    theirs = joined([engine_arrays(c, answers(PinocchioEngine(c.platform), c)) for c in sample])
    mine = joined([equations(c) for c in sample])
    found = errors(mine, theirs)
    assert len(found) == len(theirs)
    assert max(found.values()) < TOLERANCE, found
    assert np.abs(theirs["platform_moment"]).max() > 1.0


@pytest.mark.parametrize("kind", EVERY)
def test_the_energy_of_the_springs_is_pinocchios(kind: str) -> None:
    for case in sprung(kind, 2, states=2, seed=23):
        engine = PinocchioEngine(case.platform)
        for i in range(2):
            args = (case.motion[i], case.external[i], case.spin_angle[i], case.spin_rate[i])
            closed = Closed(engine, case.platform, *args)
            wanted = sum(r.energy(engine, closed.coordinates) for r in closed.rests.values())
            bare = case.platform.replace(
                legs=[leg.replace(springs=gough.JointSprings()) for leg in case.platform.legs]
            )
            with_them, without = (_potential(case, p, i) for p in (case.platform, bare))
            assert with_them - without == pytest.approx(wanted, rel=1e-11)


def _potential(case: Case, platform: gough.Platform, state: int) -> float:
    x = np.concatenate(
        [case.motion.position[state], case.motion.rotation[state].ravel(), np.zeros(6)]
    )[None]
    spin = spin_numbers(case)[state : state + 1]
    found = run("energy", pack.kinds_of(platform, True), x, spin, pack.pack(platform))
    return float(found[0, 1])


def frame(R: Array) -> Frame:
    return Frame(*(Vec(*column) for column in R.T))


def turned(th: Array, rest: Array) -> springs.Turn:
    return springs.turn(frame(rotation_exp(th) @ rest), frame(rest))


@pytest.mark.parametrize("size", [0.0, 1e-14, 1e-8, 1e-4, 0.01, 0.3, 1.0, 2.0, 2.5, LARGEST - 1e-9])
def test_the_rotation_vector_keeps_its_digits_from_rest_to_the_edge(size: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        axis, rest = rng.normal(size=3), Rotation.random(rng=rng).as_matrix()
        th = size * axis / np.linalg.norm(axis)
        found = turned(th, rest)
        assert np.abs(np.array([*found.th]) - th).max() < (2e-15 if size < 2.0 else 2e-14)
        with mpmath.workdps(40):
            a = mpmath.mpf(size)
            b = (
                mpmath.mpf(1) / 12
                if size < 1e-6
                else 1 / a**2 - (1 + mpmath.cos(a)) / (2 * a * mpmath.sin(a))
            )
            assert abs(float(found.b - b)) < 5e-15 * float(b)


def test_the_series_leaves_out_less_than_rounding() -> None:
    with mpmath.workdps(40):
        x = mpmath.sin(mpmath.mpf(LARGEST) / 2 ** (springs.HALVINGS + 1))
        exact = (mpmath.asin(x) / x - 1) / x**2
        short = sum(mpmath.mpf(c) * x ** (2 * n) for n, c in enumerate(springs.SERIES))
        assert abs(short / exact - 1) < 1e-16
        dropped = short - mpmath.mpf(springs.SERIES[-1]) * x ** (2 * len(springs.SERIES) - 2)
        assert abs(dropped / exact - 1) > 1e-16  # one term less would be seen


def test_beyond_150_degrees_nothing_is_said() -> None:
    for degrees, finite in ((149.999, True), (150.001, False), (179.999, False), (180.0, False)):
        found = turned(np.radians(degrees) * np.array([0.6, 0.0, 0.8]), np.eye(3))
        assert np.isfinite([*found.th, found.b, found.risk]).all() == finite
        load = about_first_axis(np.radians(degrees))
        assert np.isfinite([*load.base, load.energy]).all() == finite


def about_first_axis(al: float, start: float = 0.3) -> springs.SpringLoad:
    """A universal joint turned by al about k = z from rest, where its strut lies `start` about z; no flexure."""

    def axes(azimuth: float) -> Array:
        s = rotation_exp([0, 0, azimuth]) @ np.array([0.8, 0.0, 0.6])
        y = np.cross([0, 0, 1], s) / np.linalg.norm(np.cross([0, 0, 1], s))
        return np.stack([s, y, np.cross(s, y)], axis=1)

    rest, nothing, k = axes(start), Sym(*[0.0] * 6), Vec(0.0, 0.0, 1.0)
    own = springs.LegSprings(nothing, frame(rest), frame(rest), 7.0, 5.0)
    now = axes(start + al)
    return springs.universal_load(own, k, k, own.rest.y, frame(now), frame(now @ rest.T))


@pytest.mark.parametrize("start", [0.0, 0.3, 3.1, np.pi, -3.0, 1.6])
def test_the_first_angle_counts_from_rest_wherever_that_is(start: float) -> None:
    """No cut where an angle of its own would have one (issue: silent jumps of 2 pi k)."""
    for al in np.linspace(-2.6, 2.6, 53):
        assert about_first_axis(al, start).energy == pytest.approx(
            3.5 * al * al, rel=1e-14, abs=1e-14
        )


def test_moments_are_the_slope_of_scipys_energy_and_isotropic_ones_go_with_the_turn() -> None:
    """``V' = M.omega`` by fourth-order differences of SciPy's rotation vectors."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        K, th = stiffness(rng), rng.normal(size=3)
        th *= rng.uniform(0.1, 2.4) / np.linalg.norm(th)
        now = rotation_exp(th)
        M = np.array([*turned(th, np.eye(3)).moment(Sym(*K[np.triu_indices(3)]))])

        def energy(small: Array, K: Array = K, now: Array = now) -> float:
            v = Rotation.from_matrix(rotation_exp(small) @ now).as_rotvec()
            return 0.5 * float(v @ K @ v)

        h = 2e-3
        slope = [
            (8 * (energy(h * e) - energy(-h * e)) - energy(2 * h * e) + energy(-2 * h * e))
            / (12 * h)
            for e in np.eye(3)
        ]
        assert np.abs(M - slope).max() < 1e-8 * np.abs(K).max()
        same = np.array([*turned(th, np.eye(3)).moment(Sym(40.0, 0.0, 0.0, 40.0, 0.0, 40.0))])
        assert np.abs(same - 40.0 * th).max() < 1e-13


def test_springs_are_linear_in_their_stiffness_and_none_is_none() -> None:
    """Half of the stiffness is half of what the springs ask for; zero stiffness is the old program."""
    case = cases("UPS", 1, states=1, seed=25, springs=True)[0]

    def with_share(share: float) -> gough.Platform:
        legs = []
        for leg in case.platform.legs:
            s = leg.springs
            own = {n: share * getattr(s, n) for n in ("first", "second", "platform_ball")}
            legs.append(leg.replace(springs=s.replace(**own)))
        return case.platform.replace(legs=legs)

    whole, half, none = (
        gough.inverse_dynamics(with_share(s), case.motion, engine="python").force
        for s in (1.0, 0.5, 0.0)
    )
    assert np.abs(whole + none - 2 * half).max() < 1e-11 * np.abs(whole).max()
    assert np.abs(whole - none).max() > 1e-2 * np.abs(none).max()
    assert pack.kinds_of(with_share(0.0)) == ("ups",) * 6


@pytest.mark.parametrize("kind", ["RUS", "UPS-offset", "UCU-screw-offset"])
def test_a_moving_base_feels_the_same_springs(kind: str) -> None:
    """On a base that moves the springs know only what turns against it: bases at rest and turned agree."""
    case = sprung(kind, 1, states=1, seed=26)[0]
    still = gough.inverse_dynamics(case.platform, case.motion, engine="python").force
    at_rest = gough.Motion.at_rest(gough.Pose(np.zeros(3), np.eye(3)))
    moving = gough.inverse_dynamics(case.platform, case.motion, engine="python", base=at_rest)
    assert np.abs(moving.force - still).max() < 1e-11 * np.abs(still).max()
    turn = rotation_exp([0.3, -0.4, 0.2])
    turned_base = gough.Motion.at_rest(gough.Pose(np.ones(3), turn))
    level = case.platform.replace(gravity=turn @ case.platform.gravity)
    again = gough.inverse_dynamics(level, case.motion, engine="python", base=turned_base)
    assert np.abs(again.force - still).max() < 1e-11 * np.abs(still).max()


def test_high_precision_says_the_same() -> None:
    case = cases("UPS", 1, states=1, seed=27, springs=True)[0]
    m = case.motion[0]
    x = np.concatenate([m.position, m.rotation.ravel(), np.zeros(12), case.external[0]])
    par, kinds = pack.pack(case.platform), pack.kinds_of(case.platform)
    plainly = plain.evaluate("forces", kinds, x, par)[:6]
    with mpmath.workdps(30):
        exact = plain.evaluate(
            "forces", kinds, [mpmath.mpf(v) for v in x], [mpmath.mpf(v) for v in par]
        )[:6]
        size = max(abs(float(e)) for e in exact)
        assert max(abs(float(a - e)) for a, e in zip(plainly, exact, strict=True)) < 1e-12 * size


@pytest.mark.parametrize(
    ("kind", "side"), [("UPS-offset", "rest"), ("UCU-offset", "rest"), ("UCU-screw-offset", "seat")]
)
def test_an_offset_joint_turned_beyond_150_degrees_has_no_finite_risk(kind: str, side: str) -> None:
    """Rest of one leg turned by 3.1 rad about a first axis: every function says so, by its risk."""
    c = offset_case(kind, seed=27, states=1, springs=True)
    m, leg = c.motion[0], c.platform.legs[2]
    kinds, par = pack.kinds_of(c.platform), pack.pack(c.platform)
    axis = leg.axis if side == "rest" else leg.platform_axis  # type: ignore[union-attr]
    bent, at = par.copy(), offsets(kinds)[2] + EQUATIONS[kinds[2]].row.at(f"springs_{side}_x")
    bent[at : at + 9] = (par[at : at + 9].reshape(3, 3) @ rotation_exp(3.1 * axis).T).ravel()
    x = [*m.position, *m.rotation.ravel(), *np.zeros(24)]
    for function, width in (("forces", 30), ("mass", 12), ("forward", 30), ("energy", 18)):
        assert np.isfinite(plain.evaluate(function, kinds, x[:width], par)[-1])
        assert not np.isfinite(plain.evaluate(function, kinds, x[:width], bent)[-1])


def test_every_kind_of_offset_joint_with_springs_has_its_machine() -> None:
    used = {
        k for name in OFFSETS for k in pack.kinds_of(sprung(name, 1, states=1, seed=0)[0].platform)
    }
    for name in ("UCU-upper-offset", "UCU-rotor-offset"):
        bare = offset_case(name, seed=0, states=1, springs=True, friction=False).platform
        used |= set(pack.kinds_of(bare))
    assert {name for name in EQUATIONS if name.endswith("_offset_sprung")} <= used


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset"])
def test_the_rest_moves_with_the_offsets(kind: str) -> None:
    """Slopes of the packed axes at rest, which the iterated closure gives, are those of machines built anew."""
    platform = offset_case(kind, seed=28, states=1, springs=True).platform
    found = machine_parameters(platform)
    row = EQUATIONS[pack.kinds_of(platform)[0]].row
    at = offsets(pack.kinds_of(platform))[0] + row.at("springs_rest_x")
    names = [n for n in found.names if n.startswith("L1.") and n.endswith(("offset.e", "offset.f"))]
    assert names
    for name in names:
        value, h = places(platform)[name].value, 1e-5
        a, b = (pack.pack(with_numbers(platform, {name: value + d})) for d in (h, -h))
        slope = ((a - b) / (2 * h))[at : at + 18]
        assert np.abs(slope).max() > 0.01
        assert found.packing[at : at + 18, found.names.index(name)] == pytest.approx(
            slope, abs=1e-7
        )


def test_the_series_is_that_of_the_arc_sine() -> None:
    """Exact coefficients ``(2n)! / (4^n n!^2 (2n + 1))``, and what is left out where angles are halved last."""
    exact = [
        Fraction(comb(2 * n, n), 4**n * (2 * n + 1)) for n in range(1, len(springs.SERIES) + 2)
    ]
    for found, wanted in zip(springs.SERIES, exact, strict=False):
        assert abs(Fraction(found) - wanted) <= Fraction(2) ** -53 * wanted
    largest = np.sin(np.radians(springs.LARGEST) / 2.0 / 2.0**springs.HALVINGS) ** 2
    assert float(exact[-1]) * largest ** len(springs.SERIES) < 1e-17
