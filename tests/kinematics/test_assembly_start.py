"""The start systems: completeness by the trace test, the cache on disk, and planted damage."""

from __future__ import annotations

from pathlib import Path

import mpmath
import numpy as np
import pytest

from gough.engines.tracer import Program
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.assembly import start as starts
from gough.kinematics.assembly.doubled import walk, walkable
from gough.kinematics.assembly.forms import from_pose, leg_rows, mirror, psi, to_pose
from gough.kinematics.assembly.generic import STARTS, generic_start, trace
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.lanes import ball, put_legs, put_point
from gough.kinematics.assembly.leg_equations import POINT
from gough.kinematics.assembly.paths import Legs, known, sharpen
from gough.kinematics.assembly.proof_program import PROOF, QUESTION, proof
from gough.kinematics.assembly.step_programs import advance, series
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose, rotation_from_quaternion
from support.hexapods import hexapod, pairs, random_machine


def test_the_seventeen_forms_make_legs_linear() -> None:
    rng = np.random.default_rng(1)
    t, q = rng.normal(size=3), rng.normal(size=4)
    R = rotation_from_quaternion(q)
    X = 1.7 * from_pose(t, q)
    f = psi(X) / psi(X)[0]
    np.testing.assert_allclose(f, np.r_[1.0, R.ravel(), t, R.T @ t, t @ t], atol=1e-12)
    b, p = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    L2 = ((t + p @ R.T - b) ** 2).sum(1)
    np.testing.assert_allclose(leg_rows(b, p, L2) @ f, 0.0, atol=1e-12)
    np.testing.assert_allclose(leg_rows(b, p, L2 + 0.1) @ f, -0.1, atol=1e-12)
    back = to_pose(X)
    np.testing.assert_allclose(back[0], t, atol=1e-12)
    np.testing.assert_allclose(back[1], R, atol=1e-12)
    Z = np.diag([1.0, 1.0, -1.0])
    flipped = to_pose(mirror(X))
    np.testing.assert_allclose(flipped[0], Z @ t, atol=1e-12)
    np.testing.assert_allclose(flipped[1], Z @ R @ Z, atol=1e-12)


def test_the_general_start_is_complete_by_the_trace_test() -> None:
    """Linear with all 40 solutions; a planted loss of one is seen at once."""
    legs, X = generic_start()
    assert X.shape == (40, 8)
    assert known(legs, X).finite.all()
    assert trace(legs, X).max() < 1e-12
    assert trace(legs, X[1:]).max() > 1e-4


@pytest.mark.parametrize("which", range(1, STARTS))
def test_the_other_general_starts_have_forty_solutions_of_their_own(which: int) -> None:
    legs, X = generic_start(which)
    assert known(legs, X).finite.all()
    assert np.abs(legs.b - generic_start(0)[0].b).max() > 0.1


def test_a_planted_duplicate_and_a_planted_wrong_root_are_seen() -> None:
    legs, X = generic_start()
    twice = X.copy()
    twice[7] = X[3] * (0.3 + 2j)  # the same point of projective space
    ends = known(legs, twice)
    assert ends.finite.sum() == 39
    assert ends.same[7] == 3
    other = legs._replace(K=legs.K + 0.5 * np.eye(6)[2])
    # another machine: its roots are elsewhere, Newton must not claim the old ones
    ends = known(other, X)
    sharp = ends.finite & (ends.radius < 1e-9)
    assert sharp.any()
    gap = np.abs(psi(ends.X[sharp]) @ leg_rows(*other).T).max()
    assert gap < 1e-12


@pytest.mark.parametrize("program", [series(), series(moving=False), advance()])
def test_programs_in_doubled_precision_have_their_digits(program: Program) -> None:
    """The same operations with 60 digits differ in the 27th, in double precision in the 13th."""
    rng = np.random.default_rng(5)
    x = np.zeros((program.sizes["x"], 2))
    x[:, 0] = rng.normal(size=len(x))
    y = np.zeros((len(program.outputs), 2))
    walk(walkable(program), x, np.zeros((len(program.operations), 2)), y)
    with mpmath.workdps(60):
        exact = program.run(
            [mpmath.mpf(float(v)) for v in x[:, 0]], [], calls={"sqrt": lambda a, _: mpmath.sqrt(a)}
        )
        scale = max(abs(v) for v in exact)
        error = max(
            abs(mpmath.mpf(h) + mpmath.mpf(l) - v)
            for (h, l), v in zip(y.tolist(), exact, strict=True)
        )
        rough = max(abs(mpmath.mpf(h) - v) for h, v in zip(y[:, 0].tolist(), exact, strict=True))
    assert error < 1e-26 * scale
    assert rough > 1e-20 * scale


def test_a_proof_refuses_a_point_that_is_no_root() -> None:
    """Planted: points beside the roots, and two roots made one by a fold, are not proved without Newton's help."""
    legs, X = generic_start()
    question = np.zeros((QUESTION.size, 1))
    chart = put_point(question, 0, X[0])
    put_legs(question[QUESTION.at("legs") :], 0, chart, legs.b, legs.p, legs.K)
    question[QUESTION.unit] = 2.3e-16
    run = proof().run

    def radius(rows: np.ndarray) -> float:
        found = run(list(rows[:, 0]), [])
        parts = (PROOF.eta, PROOF.kappa, PROOF.delta, PROOF.total, PROOF.wv)
        return ball(*(found[k] for k in parts))[0]

    assert 0 <= radius(question) < 1e-10
    for step in (1e-6, 1e-4):
        off = question.copy()
        off[: POINT.size, 0] += step
        assert radius(off) < 0 or radius(off) > 0.5 * step
    off[: POINT.size, 0] += 0.5
    assert radius(off) < 0


def test_numbers_that_are_none_prove_nothing() -> None:
    """A comparison drops NaN, and a point driven off its chart overflows: neither may look like a proof."""
    assert ball(0.0, 1.0, 0.0, 1.0, 1.0)[0] == 0.0
    assert ball(0.0, 1.0, 0.0, np.nan, 1.0)[0] < 0
    assert ball(0.0, 1.0, 0.0, np.inf, 1.0)[0] < 0
    assert ball(0.0, 0.0, 0.0, 1.0, 1.0)[0] < 0
    assert ball(0.0, 1.0, 0.0, 1.0, 1e48)[0] < 0
    base = [[0.48, -0.29, 0.51], [-0.95, 0.18, 0.0], [0.52, 0.48, -0.5], [0.1, -0.9, 0.3]]
    g = normalize(
        np.array([*base, [0.3, 0.6, 0.8], [-0.7, -0.4, 0.2]]),
        np.repeat([[0.5, 0.1, 0.2], [-0.4, 0.3, 0.0], [0.1, -0.6, 0.1]], 2, axis=0),
    )
    target = Legs(g.b, g.p, np.ones(6, dtype=complex))
    q, w = np.array([2.0 + 8j, -9.0 + 4j, 5.0 + 5j]), np.array([6.0 + 5j, 9.0 - 1.7j, 1.0 - 3j])
    for far in 10.0 ** np.arange(20, 110, 10):
        X = np.array([[*(q * far), 1.0, 0.0, *(w * far**1.4)]])
        X[0, 4] = -(X[0, 1:4] @ X[0, 5:]) / X[0, 0]
        ends = known(target, X)
        assert not (sharpen(target, ends).finite & (np.abs(ends.X).max(axis=1) > 1e15)).any()


def test_roots_a_hair_apart_are_proved_distinct() -> None:
    """Near a singular pose two roots approach each other; doubled precision still separates them."""
    platform = hexapod(pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0))
    close = Pose.from_rpy([0.01, 0.02, 0.55], [0.02, 0.01, np.pi / 2 - 1e-5])
    modes = assembly_modes(platform, actuator_coordinates(platform, close), disk_cache=False)
    assert modes.certified
    gaps = np.linalg.norm(modes.poses.rotation - close.rotation, axis=(1, 2))
    assert np.sort(gaps)[0] < 1e-7
    assert 1e-9 < np.sort(gaps)[1] < 0.2


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private cache folder."""
    monkeypatch.setattr(starts, "cache_folder", lambda: tmp_path)
    starts.clear_memory()
    return tmp_path


def test_starts_are_kept_and_reused(folder: Path) -> None:
    rng = np.random.default_rng(2)
    platform = random_machine("semi-regular", rng)
    geometry = normalize(platform.base_joints, platform.platform_joints)
    first = starts.obtain(geometry, disk=True)
    assert first.count == 28
    assert first.halved
    assert len(first.X) == 14
    assert [f.suffix for f in folder.iterdir()] == [".sealed"]
    starts.clear_memory()
    again = starts.lookup(geometry, disk=True)
    assert again is not None
    np.testing.assert_array_equal(again.X, first.X)
    starts.clear_memory()
    assert starts.lookup(geometry, disk=False) is None


@pytest.mark.parametrize("damage", ["empty", "cut", "bit", "text"])
def test_a_damaged_file_is_built_again(folder: Path, damage: str) -> None:
    platform = random_machine("semi-regular", np.random.default_rng(2))
    geometry = normalize(platform.base_joints, platform.platform_joints)
    good = starts.obtain(geometry, disk=True)
    (file,) = folder.iterdir()
    data = bytearray(file.read_bytes())
    if damage == "bit":
        data[data.find(good.X.tobytes()[:64]) + 5] ^= 0x10
    file.write_bytes(
        {"empty": b"", "cut": data[: len(data) // 2], "bit": bytes(data), "text": b"not a file"}[
            damage
        ]
    )
    starts.clear_memory()
    assert starts.lookup(geometry, disk=True) is None
    np.testing.assert_array_equal(starts.obtain(geometry, disk=True).X, good.X)
    starts.clear_memory()
    assert starts.lookup(geometry, disk=True) is not None


def test_no_writable_folder_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "cache_folder", lambda: None)
    starts.clear_memory()
    platform = random_machine("3-3", np.random.default_rng(2))
    there = Pose([0.1, 0.2, 0.9], rotation_from_quaternion([1, 0.1, 0.1, 0.0]))
    assert assembly_modes(platform, actuator_coordinates(platform, there)).complete


def test_answers_do_not_depend_on_what_was_asked_before(folder: Path) -> None:
    """Directly from the general start, through the geometry's start, and from disk: the same poses."""
    rng = np.random.default_rng(4)
    platform = random_machine("general", rng)
    length = actuator_coordinates(
        platform, Pose([0.2, 0.1, 0.5], rotation_from_quaternion([1, 0.3, 0.2, 0.4]))
    )
    direct, own = assembly_modes(platform, length), assembly_modes(platform, length)
    starts.clear_memory()
    disk = assembly_modes(platform, length)
    assert len(direct) == len(own) == len(disk)
    for other in (own, disk):
        np.testing.assert_allclose(other.poses.position, direct.poses.position, atol=1e-11)
        np.testing.assert_allclose(other.poses.rotation, direct.poses.rotation, atol=1e-11)
