"""Forward kinematics of exported C: reaches what Python reaches, stays orthogonal, refuses guesses that are none."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.export import c_forward
from gough.export.c_code import c_project
from gough.kinematics.forward_results import flat_pose
from gough.spatial import Pose, rotation_exp
from gough.struts import struts

pytestmark = [
    pytest.mark.skipif(
        shutil.which("gcc") is None, reason="NO C COMPILER: the exported C was not compiled"
    ),
    pytest.mark.filterwarnings("ignore::gough.ModelWarning"),
]
OK, BAD_INPUT, NOT_CONVERGED, WRONG_BRANCH = 0, 1, 3, 5
ORTHOGONAL = 2.5e-7  # four roundings of single precision: one answer is no worse
NUMBERS = {"double": np.float64, "float": np.float32}
Solve = Callable[[Array, Array], tuple[int, Array]]


def shared(files: dict[str, str], folder: Path) -> ctypes.CDLL:
    for name, text in files.items():
        (folder / name).write_text(text)
    sources = [str(folder / name) for name in files if name.endswith(".c")]
    flags = ["-O1", "-std=c99", "-shared", "-fPIC", "-lm", "-o", str(folder / "all.so")]
    subprocess.run(["gcc", *sources, *flags], check=True)
    return ctypes.CDLL(str(folder / "all.so"))


def texts(
    machine: gough.Platform, precision: str, iterations: int = c_forward.ITERATIONS
) -> dict[str, str]:
    project = c_project(machine, name="mm", precision=precision, iterations=iterations, states=1)
    return {name: text for name, text in project.files.items() if name in ("mm.h", "mm.c")}


@lru_cache
def solver(name: str, precision: str = "double", iterations: int = c_forward.ITERATIONS) -> Solve:
    return built(gough.load(name), precision, iterations)


def built(machine: gough.Platform, precision: str, iterations: int = c_forward.ITERATIONS) -> Solve:
    with tempfile.TemporaryDirectory() as folder:
        library = shared(texts(machine, precision, iterations), Path(folder))
    kind = NUMBERS[precision]

    def solve(coordinate: Array, guess: Array) -> tuple[int, Array]:
        given, pose = [np.array(a, dtype=kind) for a in (coordinate, guess)], np.zeros(12, kind)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (*given, pose)]
        return int(library.mm_forward_kinematics(*pointers)), pose.astype(float)

    return solve


def reachable(machine: gough.Platform, count: int, far: float) -> tuple[Array, Array]:
    """Poses (N, 12) around home that the legs reach, and their coordinates."""
    home, rng = machine.require_home(), np.random.default_rng(16)
    t = home.position + far * machine.characteristic_length * rng.uniform(-1, 1, (count, 3))
    turns = [rotation_exp(2 * far * v) for v in rng.uniform(-1, 1, (count, 3))]
    pose = Pose(t, np.stack(turns) @ home.rotation)
    coordinate = struts(machine, pose).coordinate
    there = np.isfinite(coordinate).all(axis=1)
    return flat_pose(pose)[there], coordinate[there]


def lacking(name: str, solve: Solve, count: int, far: float) -> tuple[int, float]:
    """Poses that Python reaches from home and C does not, and how far the others are from Python's, m and rad."""
    machine = gough.load(name)
    _, coordinates = reachable(machine, count, far)
    home = machine.require_home()
    fk = gough.forward_kinematics(machine, coordinates, home, certify=False)
    assert fk.success.sum() > 0.1 * count
    lost, off = 0, 0.0
    for lam, pose in zip(coordinates[fk.success], flat_pose(fk.pose)[fk.success], strict=True):
        status, found = solve(lam, flat_pose(home))
        lost += status != OK
        off = max(off, float(np.abs(found - pose).max()) if status == OK else 0.0)
    return lost, off


@pytest.mark.parametrize(("precision", "near"), [("double", 1e-12), ("float", 2e-6)])
def test_reaches_what_python_reaches(precision: str, near: float) -> None:
    """A crank's pose on the way may be out of its reach: closed by coordinates, two of five were lost here."""
    lost, off = lacking("servo-hexapod", solver("servo-hexapod", precision), 1500, 0.2)
    assert lost == 0
    assert off < near


def test_too_few_steps_are_seen() -> None:
    assert lacking("servo-hexapod", solver("servo-hexapod", iterations=2), 500, 0.2)[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "far"),
    [
        ("motion-base-1500", 0.5),
        ("hexaglide", 0.3),
        ("screw-hexapod", 0.3),
        ("glide-psu", 0.2),
        ("robot-head-rss", 0.15),
    ],
)
def test_reaches_what_python_reaches_with_other_legs(name: str, far: float) -> None:
    lost, off = lacking(name, solver(name), 300, far)
    assert lost == 0
    assert off < 1e-9


DRIVER = """
#include <math.h>
#include "mm.h"
/* Sways, each call from the last answer: largest entry of R^T R - 1 of the last one, -1 where one fails. */
float sway(int steps, const float *home)
{
    float motion[24] = {0}, coordinate[6], rate[6], pose[12], skew = 0.0f;
    int n, i, j, k;
    for (i = 0; i < 12; i++) pose[i] = home[i];
    for (n = 0; n < steps; n++) {
        const float a = 0.1f * sinf(0.002f * (float)n), c = cosf(a), s = sinf(a);
        float guess[12];
        for (i = 0; i < 12; i++) guess[i] = pose[i], motion[i] = home[i];
        motion[3] = 1.0f; motion[4] = 0.0f; motion[5] = 0.0f;
        motion[6] = 0.0f; motion[7] = c; motion[8] = -s;
        motion[9] = 0.0f; motion[10] = s; motion[11] = c;
        if (mm_inverse_kinematics(motion, coordinate, rate)) return -1.0f;
        if (mm_forward_kinematics(coordinate, guess, pose)) return -1.0f;
    }
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            float sum = i == j ? -1.0f : 0.0f;
            for (k = 0; k < 3; k++) sum += pose[3 + 3 * k + i] * pose[3 + 3 * k + j];
            skew = fmaxf(skew, fabsf(sum));
        }
    return skew;
}
"""


def drift(folder: Path, steps: int) -> float:
    machine = gough.load("motion-base-1500")
    library = shared(texts(machine, "float") | {"sway.c": DRIVER}, folder)
    library.sway.restype = ctypes.c_float
    home = flat_pose(machine.require_home()).astype(np.float32)
    return float(library.sway(steps, home.ctypes.data_as(ctypes.c_void_p)))


def test_answers_as_guesses_stay_orthogonal(tmp_path: Path) -> None:
    """Single precision at 1 kHz for 200 s."""
    assert 0.0 <= drift(tmp_path, 200_000) < ORTHOGONAL


def test_a_drift_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_forward, "orthogonal", lambda R: R)
    assert drift(tmp_path, 200_000) > 2.0 * ORTHOGONAL


def test_guesses_that_are_no_rotations_are_refused() -> None:
    machine, solve = gough.load("servo-hexapod"), solver("servo-hexapod")
    home = machine.require_home()
    lam, R = struts(machine, home).coordinate, home.rotation
    shear = np.eye(3) + 1e-5 * np.eye(3)[[1, 2, 0]]
    for wrong in (1.00001 * R, shear @ R, -R, np.zeros((3, 3)), R[:, [1, 0, 2]]):
        with pytest.raises(gough.InputError):
            Pose(home.position, wrong)
        status, pose = solve(lam, np.concatenate([home.position, wrong.ravel()]))
        assert status == BAD_INPUT
        assert np.isnan(pose).all()
    rounded = np.concatenate([home.position, (1.0 + 3e-7) * R.ravel()])
    status, pose = solve(lam, rounded)
    assert status == OK
    found = pose[3:].reshape(3, 3)
    assert np.abs(found.T @ found - np.eye(3)).max() < 1e-15
    assert np.abs(pose - flat_pose(home)).max() < 1e-12


def test_lengths_that_are_none_are_refused() -> None:
    machine, solve = gough.load("motion-base-1500"), solver("motion-base-1500")
    home = machine.require_home()
    for wrong in (0.0, -1.0, np.nan):
        lam = struts(machine, home).coordinate
        lam[2] = wrong
        assert solve(lam, flat_pose(home))[0] == BAD_INPUT


def test_the_other_side_of_a_slider_is_no_answer() -> None:
    """The slider stands behind its joint instead of before it: the link is as long, the leg another."""
    machine, solve = gough.load("hexaglide"), solver("hexaglide")
    home = machine.require_home()
    g, leg = struts(machine, home), machine.legs[1]
    lam = g.coordinate.copy()
    lam[1] += 2.0 * (g.end[1] - g.start[1]) @ leg.rail  # type: ignore[union-attr]
    assert gough.forward_kinematics(machine, lam, home, certify=False).status.code == "wrong-branch"
    assert solve(lam, flat_pose(home))[0] == WRONG_BRANCH
    assert solve(g.coordinate, flat_pose(home))[0] == OK


def test_lengths_without_a_pose_do_not_converge() -> None:
    machine, solve = gough.load("motion-base-1500"), solver("motion-base-1500")
    home = machine.require_home()
    lam = struts(machine, home).coordinate
    lam[0] *= 4.0
    status, pose = solve(lam, flat_pose(home))
    assert status == NOT_CONVERGED
    assert np.isnan(pose).all()


def moved(machine: gough.Platform, by: Array) -> gough.Platform:
    """The machine in a world whose origin is elsewhere."""
    home = machine.require_home()
    legs = [leg.replace(base=leg.base + by) for leg in machine.legs]
    return machine.replace(legs=legs, home=Pose(home.position + by, home.rotation))


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["double", "float"])
def test_frames_far_from_the_machine(precision: str) -> None:
    """OK says what it says there too: the struts close to the length printed, which is longer by the rounding of
    positions; the same text without the widening would not close."""
    by = np.array([4e3, -2e3, 1e3])
    machine = moved(gough.load("motion-base-1500"), by)
    plain, eps = gough.load("motion-base-1500"), float(np.finfo(NUMBERS[precision]).eps)
    near, far = (c_forward.closing(m, m.kinds, precision).done for m in (plain, machine))
    assert far >= c_forward.ROUNDINGS * eps * 4e3
    assert far > near
    solve = built(machine, precision)
    poses, coordinates = reachable(machine, 30, 0.1)
    for lam, pose in zip(coordinates, poses, strict=True):
        status, found = solve(lam, flat_pose(machine.require_home()))
        assert status == OK
        there = Pose(found[:3], _nearest(found[3:].reshape(3, 3)))
        off = np.abs(struts(machine, there).coordinate - lam).max()
        assert off <= far + 4e3 * eps  # what a position itself is rounded by when it is handed back
        assert np.abs(found - pose).max() < 100 * far


def _nearest(R: Array) -> Array:
    u, _, v = np.linalg.svd(R)
    return u @ v


@pytest.mark.slow
def test_universal_joints_with_offsets() -> None:
    """Legs whose axes do not meet are no spheres: their rows are those of their rates."""
    machine = gough.load("motion-base-1500")
    aside = gough.JointOffset(e=0.03, d=0.01, f=-0.02)
    machine = machine.replace(legs=[leg.replace(base_offset=aside) for leg in machine.legs])
    solve = built(machine, "double")
    poses, coordinates = reachable(machine, 30, 0.1)
    assert len(poses) == 30
    plain = struts(
        gough.load("motion-base-1500"), Pose(poses[0, :3], poses[0, 3:].reshape(3, 3))
    ).coordinate
    assert np.abs(plain - coordinates[0]).max() > 1e-3
    for lam, pose in zip(coordinates, poses, strict=True):
        status, found = solve(lam, flat_pose(machine.require_home()))
        assert status == OK
        assert np.abs(found - pose).max() < 1e-9
