"""Fixed links against Pinocchio: the link as a slide that stands, its force, and motion by a Lagrange system.

One to three links among legs of all types; ``python -m campaigns.links_campaign`` (in tests) runs as many machines as
it is told.  Nothing is compiled here.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from campaigns.links_campaign import TOLERANCE, worst
from gough.checks import Array
from gough.engines import pack, plain
from gough.equations.links import factored, turned
from gough.equations.vec import Frame, Vec
from gough.layout import STATE
from gough.links import TWIST, misfits, released
from gough.model import SPS, UCU, UPS
from gough.spatial import Motion, Pose, rotation_exp
from oracles.compare import answers, errors, spin
from oracles.links import KINDS, fixed_links, inside, linked, outside
from oracles.machines import Case
from oracles.pinocchio_model import PinocchioEngine
from oracles.planted import Error, planted
from oracles.planted_links import LINKS
from oracles.source import equations, motion_numbers

CLEAR = 1e-6  # a planted error shows at least this much


@pytest.mark.parametrize("kind", KINDS)
def test_everything_equals_pinocchio_and_power_balances(kind: str) -> None:
    found = worst(kind, 6, states=2, seed=0)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_on_more_machines(kind: str) -> None:
    found = worst(kind, 30, states=3, seed=1)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", ["UPS", "SPS-general"])
def test_links_with_springs_in_their_joints(kind: str) -> None:
    found = worst(kind, 3, states=2, seed=2, springs=True)
    assert max(found.values()) < TOLERANCE, found


@cache
def sample(kind: str, count: int = 3) -> tuple[Case, Array, dict[str, Array]]:
    given = next(c for s in range(50) if (c := linked(kind, seed=s, count=count)) is not None)
    effort = np.random.default_rng(3).uniform(-900.0, 900.0, (3, 6))
    return given, effort, outside(given, effort)


@pytest.mark.parametrize("error", LINKS, ids=lambda e: e.name)
def test_planted_error_is_caught(error: Error) -> None:
    for kind in error.kinds:
        given, effort, theirs = sample(kind)
        assert max(errors(inside(given, effort), theirs).values()) < TOLERANCE
        with planted(error):
            found = errors(inside(given, effort), theirs)
        assert max(found.values()) > CLEAR, (kind, found)


def test_every_verb_of_a_machine_with_links() -> None:
    """Public verbs: efforts and link forces there and back, reactions, accelerations under other efforts."""
    given, effort, theirs = sample("UCU-mixed")
    options = spin(given, engine="python")
    found = gough.inverse_dynamics(given.platform, given.motion, given.external, **options)
    held = fixed_links(given.platform)
    assert found.links == tuple(held)
    np.testing.assert_array_equal(found.link_force, found.force[:, held])
    assert errors({"force": found.force}, theirs)["force"] < TOLERANCE
    back = gough.forward_dynamics(
        given.platform, given.motion, found.force, given.external, **options
    )
    assert np.abs(back.answer - np.hstack(given.motion.rates[2:])).max() < 1e-10
    other = gough.forward_dynamics(given.platform, given.motion, effort, given.external, **options)
    assert errors({"accelerated": other.answer}, theirs)["accelerated"] < TOLERANCE
    assert (np.asarray(other.digits) > 9).all()
    assert (np.abs(other.answer - theirs["accelerated"]) <= 2.0 * other.error).all()


def test_a_link_is_a_driven_leg_that_is_commanded_to_stand() -> None:
    """The released machine with the same motion and the links' forces as efforts: the same numbers."""
    for kind in ("UPS", "SPS-general", "UCU"):
        given, effort, _ = sample(kind)
        free = Case(
            released(given.platform),
            given.motion,
            given.external,
            given.spin_angle,
            given.spin_rate,
        )
        here, there = equations(given), equations(free)
        for name in here:
            assert np.array_equal(here[name], there[name]) or (
                np.abs(here[name] - there[name]).max() <= 1e-12 * np.abs(there[name]).max()
            ), name
        moved = inside(given, effort)
        pushed = np.array(effort)
        pushed[:, fixed_links(given.platform)] = moved["link_force"]
        x = np.concatenate([motion_numbers(given)[:, : STATE.size], pushed, given.external], axis=1)
        three = [np.cos(given.spin_angle), np.sin(given.spin_angle), given.spin_rate]
        spins = np.stack(three, axis=-1).reshape(len(x), 18)
        kinds, par = pack.kinds_of(free.platform), pack.pack(free.platform)
        out = plain.evaluate("forward", kinds, list(x.T), list(par), list(spins.T))
        assert errors({"a": np.stack(out[:6], axis=1)}, {"a": moved["accelerated"]})["a"] < 1e-12


def test_motion_by_the_freedom_that_is_left() -> None:
    """No multiplier: the engine's equations of motion on a basis of the allowed twists alone."""
    for kind in ("UPS", "SPS-general", "UCU-mixed"):
        given, effort, _ = sample(kind)
        held, found = fixed_links(given.platform), inside(given, effort)["accelerated"]
        free = np.setdiff1d(np.arange(6), held)
        for i, one in enumerate(answers(PinocchioEngine(given.platform), given)):
            now = np.hstack([a[i] for a in given.motion.rates[2:]])
            G, R = one.jacobian[held], given.motion.rotation[i]
            N = np.linalg.svd(G)[2][len(held) :].T
            start = -np.linalg.pinv(G) @ (one.acceleration[held] - G @ now)
            wrench = np.concatenate([R @ given.external[i, :3], R @ given.external[i, 3:]])
            push = one.jacobian[free].T @ effort[i, free] + wrench - one.bias
            push = N.T @ (push - one.mass_matrix @ start)
            wanted = start + N @ np.linalg.solve(N.T @ one.mass_matrix @ N, push)
            assert np.abs(found[i] - wanted).max() < TOLERANCE * np.abs(wanted).max()


def test_back_onto_the_links_by_the_least() -> None:
    """A state beside the links: lengths and rates hold afterwards; what moved is answered by forces of the links."""
    given, _, _ = sample("UPS")
    machine = given.platform
    functions, par = plain.machine(pack.kinds_of(machine)), pack.pack(machine)
    data = functions.unpack(list(par))
    x = motion_numbers(given)[:, : STATE.size]
    rng = np.random.default_rng(5)
    aside = np.array(x)
    aside[:, STATE.position] += rng.uniform(-1e-5, 1e-5, (3, 3))
    aside[:, STATE.velocity] += rng.uniform(-0.3, 0.3, (3, 3))
    still = [1.0, 0.0, 0.0] * 6
    found = np.stack(functions.onto_links(list(aside.T), still, data), axis=1)
    R = found[:, STATE.rotation].reshape(-1, 3, 3)
    motion = Motion(
        found[:, STATE.position], R, found[:, STATE.velocity], found[:, STATE.angular_velocity]
    )
    off, rate = misfits(machine, motion, TWIST)[0]
    assert np.abs(off).max() < 1e-15
    assert np.abs(rate).max() < 1e-14
    held = fixed_links(machine)
    M = gough.mass_matrix(released(machine), Pose(aside[:, STATE.position], R), engine="python")
    G = gough.jacobian(machine, motion)[:, held]
    N = np.swapaxes(np.linalg.svd(G)[2][:, len(held) :], 1, 2)
    impulse = (M @ (found - aside)[:, STATE.at("velocity") :, None])[..., 0]
    along = (np.swapaxes(N, 1, 2) @ impulse[..., None])[..., 0]
    assert np.abs(along).max() < 1e-3 * np.abs(impulse).max()  # M is that of the state beside them
    again = np.stack(functions.onto_links(list(found.T), still, data), axis=1)
    assert np.abs(again - found).max() < 1e-14


def test_the_small_system() -> None:
    rng = np.random.default_rng(0)
    for n in range(1, 6):
        A = rng.normal(size=(n, n + 2))
        A = A @ A.T
        c = rng.normal(size=n)
        found = factored(A.tolist()).solve(c.tolist())
        np.testing.assert_allclose(found, np.linalg.solve(A, c), rtol=1e-10)


def test_kinds() -> None:
    kinds = set()
    for kind in KINDS:
        given, _, _ = sample(kind)
        for i in fixed_links(given.platform):
            assert isinstance(given.platform.legs[i], (UPS, SPS, UCU))
            kinds.add(pack.kinds_of(given.platform)[i])
    assert kinds >= {"ups_held", "sps_held", "sps_axial_held", "sps_spin_held", "ucu_held"}
    assert "ucu_spring_held" in kinds


@pytest.mark.parametrize("size", [0.0, 1e-6, 0.3, 2.0, 30.0])
def test_a_small_turn_is_a_rotation_however_large(size: float) -> None:
    """Cayley's: about u by ``2 atan(|u|/2)``, nearly |u| where that is small."""
    rng = np.random.default_rng(6)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    R = rotation_exp(rng.normal(size=3))
    frame = turned(Frame(*(Vec(*column) for column in R.T)), Vec(*(size * axis)))
    found = np.array([[v.x, v.y, v.z] for v in (frame.x, frame.y, frame.z)]).T
    angle = 2.0 * np.arctan(size / 2.0)
    assert np.abs(found - rotation_exp(angle * axis) @ R).max() < 1e-14


def test_two_steps_back_onto_the_links_leave_the_fourth_power() -> None:
    """Newton squares what is left: twice as far aside leaves about 2^4 times as much, not 2^2 nor 2^8."""
    given, _, _ = sample("UPS")
    machine = given.platform
    functions = plain.machine(pack.kinds_of(machine))
    data = functions.unpack(list(pack.pack(machine)))
    x, left = motion_numbers(given)[:, : STATE.size], []
    for away in (0.04, 0.02):
        aside = np.array(x)
        aside[:, STATE.position] += away * np.array([0.3, -0.5, 0.8])
        found = np.stack(functions.onto_links(list(aside.T), [1.0, 0.0, 0.0] * 6, data), axis=1)
        R = found[:, STATE.rotation].reshape(-1, 3, 3)
        motion = Motion(found[:, STATE.position], R, found[:, STATE.velocity])
        left.append(np.abs(misfits(machine, motion, TWIST)[0][0]).max(axis=-1))
    order = np.log2(left[0] / left[1])
    assert (left[1] > 1e-13).all()
    assert ((order > 3.0) & (order < 5.5)).all()
