"""The exported C as a plant: forward dynamics and steps agree with the library; what it does not carry is refused."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.export.c_code import c_project
from gough.layout import STATE
from gough.limits import check
from gough.simulation import State
from gough.spatial import rotation_exp

pytestmark = [
    pytest.mark.skipif(
        shutil.which("gcc") is None, reason="NO C COMPILER: the exported C was not compiled"
    ),
    pytest.mark.filterwarnings("ignore::gough.ModelWarning"),
]
OK, BAD_INPUT, UNREACHABLE, SINGULAR, OUT_OF_RANGE = 0, 1, 2, 4, 6
STEP, STEPS = 1e-3, 40


def pointer(a: Array) -> Any:
    return a.ctypes.data_as(ctypes.c_void_p)


def library(machine: gough.Platform, folder: Path, **options: Any) -> ctypes.CDLL:
    project = c_project(machine, name="mm", states=1, **options)
    project.write(folder)
    target = folder / "mm.so"
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O0", "-shared"]
    subprocess.run([*command, "-fPIC", str(folder / "mm.c"), "-o", str(target), "-lm"], check=True)
    return ctypes.CDLL(str(target))


@lru_cache
def preset(name: str) -> gough.Platform:
    return gough.load(name)


def near_home(machine: gough.Platform, seed: int) -> gough.Motion:
    """A moving state near home."""
    rng, home = np.random.default_rng(seed), machine.require_home()
    size = machine.characteristic_length
    t = home.position + 0.03 * size * rng.uniform(-1, 1, 3)
    R = rotation_exp(0.05 * rng.uniform(-1, 1, 3)) @ home.rotation
    v, w = 0.1 * size * rng.uniform(-1, 1, 3), 0.2 * rng.uniform(-1, 1, 3)
    return gough.Motion(t, R, v, w)


def flat(motion: gough.Motion) -> Array:
    return np.concatenate([getattr(motion, name).ravel() for name in STATE.names])


def run_steps(c: ctypes.CDLL, state: Array, force: Array, external: Array, count: int) -> int:
    for _ in range(count):
        given = [pointer(a) for a in (state, force, external, state)]
        status = c.mm_plant_step(ctypes.c_double(STEP), *given)
        if status:
            return int(status)
    return OK


@pytest.mark.parametrize(
    ("name", "compact", "integrator"),
    [
        ("motion-base-1500", True, "rk4"),
        pytest.param("motion-base-1500", False, "semi-implicit", marks=pytest.mark.slow),
        pytest.param("hexaglide", True, "lie", marks=pytest.mark.slow),
        ("servo-hexapod", True, "rk4"),
        pytest.param("hexaglide", False, "rk4", marks=pytest.mark.slow),
        pytest.param("screw-hexapod", True, "rk4", marks=pytest.mark.slow),
    ],
)
def test_plant_and_forward_dynamics_are_those_of_the_library(
    tmp_path: Path, name: str, compact: bool, integrator: str
) -> None:
    machine = preset(name)
    options = {"compact": compact, "integrator": integrator, "functions": ["fd", "plant"]}
    c = library(machine, tmp_path, **options)
    motion = near_home(machine, 4)
    rng = np.random.default_rng(5)
    force = gough.inverse_dynamics(machine, motion).force * rng.uniform(0.5, 1.5, 6)
    external = force.mean() * 0.1 * rng.uniform(-1, 1, 6)
    acceleration = np.zeros(6)
    given = [pointer(a) for a in (flat(motion), force, external, acceleration)]
    assert c.mm_forward_dynamics(*given) == OK
    said = gough.forward_dynamics(machine, motion, force, external)
    wanted = np.concatenate([said.acceleration, said.angular_acceleration])
    assert np.abs(acceleration - wanted).max() <= 1e-12 * np.abs(wanted).max()

    run = gough.simulate(
        machine,
        State(motion),
        duration=STEPS * STEP,
        step=STEP,
        force=force,
        external=external,
        integrator=integrator,
    )
    state = np.zeros(200)
    start = flat(motion)
    assert c.mm_plant_start(pointer(start), pointer(start[12:].copy()), pointer(state)) == OK
    assert run_steps(c, state, force, external, STEPS) == OK
    for block in STATE.names:
        if block == "rotation":
            last = gough.rotations.rotation_from_quaternion(run.quaternion.values[-1]).ravel()
        else:
            last = run[block].values[-1]
        off = np.abs(state[getattr(STATE, block)] - last).max()
        assert off <= 1e-9 * max(1.0, np.abs(last).max()), (block, off)
    assert np.abs(run.position.values[-1] - motion.position).max() > 1e-5  # it did move

    sensors = np.zeros(36)
    given = [pointer(a) for a in (state, force, external, sensors)]
    assert c.mm_plant_sensors(*given) == OK
    for k, block in enumerate(("length", "rate")):
        last = run[block].values[-1]
        assert np.abs(sensors[6 * k : 6 * k + 6] - last).max() <= 1e-9 * np.abs(last).max() + 1e-12


@pytest.mark.slow
def test_a_stop_pushes_and_a_limit_clips(tmp_path: Path) -> None:
    """Far more than the drives can give, towards the end of the stroke: neither is left out."""
    machine = preset("hexaglide")
    c = library(machine, tmp_path, compact=True, functions=["plant"])
    home = machine.require_home()
    state, sensors = np.zeros(200), np.zeros(36)
    pose = np.concatenate([home.position, home.rotation.ravel()])
    assert c.mm_plant_start(pointer(pose), pointer(np.zeros(6)), pointer(state)) == OK
    force, external = np.full(6, 1e6), np.zeros(6)
    run = gough.simulate(machine, home, duration=0.3, step=STEP, force=force)
    pushed = 0.0
    for k in range(300):
        assert run_steps(c, state, force, external, 1) == OK
        assert c.mm_plant_sensors(*[pointer(a) for a in (state, force, external, sensors)]) == OK
        assert np.abs(sensors[24:30]).max() < 1e4  # of a command of 1e6
        assert np.allclose(sensors[24:30], run.motor_force.values[k + 1], rtol=1e-9)
        pushed = max(pushed, -sensors[30:36].min())  # back, from the upper stop
        assert np.allclose(sensors[30:36], run.stop_force.values[k + 1], rtol=1e-6, atol=1e-3)
    assert pushed > 100.0
    assert np.abs(state[:3] - run.position.values[-1]).max() < 1e-9


def test_statuses_of_the_plant(tmp_path: Path) -> None:
    machine = preset("motion-base-1500")
    c = library(machine, tmp_path, compact=True, functions=["fd", "plant", "limits"])
    home = machine.require_home()
    pose, zero, state = (
        np.concatenate([home.position, home.rotation.ravel()]),
        np.zeros(6),
        np.zeros(200),
    )

    def start(changed: Array) -> int:
        return int(c.mm_plant_start(pointer(changed), pointer(zero), pointer(state)))

    assert start(pose) == OK
    rows = np.flatnonzero(state)[-1] + 1
    for bad in (np.nan, np.inf):
        assert start(np.where(np.arange(12) == 4, bad, pose)) == BAD_INPUT
        assert np.isnan(state[:rows]).all()
    assert start(np.where(np.arange(12) >= 3, 1.001 * pose, pose)) == BAD_INPUT
    assert start(np.where(np.arange(12) >= 9, -pose, pose)) == BAD_INPUT
    assert start(pose) == OK
    good = state.copy()
    for step in (0.0, -1e-3, np.nan, np.inf):
        given = [pointer(a) for a in (good, zero, zero, state)]
        assert c.mm_plant_step(ctypes.c_double(step), *given) == BAD_INPUT
        assert np.isnan(state[:rows]).all()
    # The strut of leg 1 has no length: no direction, no coordinate rate.
    fallen = pose.copy()
    fallen[:3] = machine.legs[0].base - home.rotation @ machine.legs[0].joint
    x, out = np.concatenate([fallen, zero]), np.zeros(6)
    assert c.mm_forward_dynamics(*[pointer(a) for a in (x, zero, zero, out)]) in (
        UNREACHABLE,
        SINGULAR,
    )
    assert np.isnan(out).all()
    x[:12] = pose
    assert c.mm_forward_dynamics(*[pointer(a) for a in (x, zero, zero, out)]) == OK

    margin, worst = np.zeros(18), np.zeros(1)
    low = np.where(np.arange(12) == 2, pose[2] - 0.5, pose)
    for given in (pose, low):
        assert c.mm_check_limits(pointer(given), pointer(margin), pointer(worst)) == OK
        said = check(machine, gough.Pose(given[:3], given[3:].reshape(3, 3))).margin
        each = np.concatenate([said[k] for k in ("stroke", "base cone", "platform cone")])
        assert np.allclose(margin, each, rtol=1e-12, atol=1e-12)
        assert worst[0] == margin.min()
    assert worst[0] < 0.0


REFUSED = {
    "functions": ({"functions": ["ik", "jacobian"]}, "must be some of id, ik"),
    "none": ({"functions": []}, "must be some of id, ik"),
    "servo": ({"functions": ["servo"]}, "needs cranks"),
    "angles": ({"functions": ["pose"], "angles": "quaternion"}, "sequence of three angles"),
    "integrator": ({"functions": ["plant"], "integrator": "hht"}, "must be one of rk4"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_there_is_refused(case: str) -> None:
    options, words = REFUSED[case]
    with pytest.raises(gough.InputError, match=words):
        c_project(preset("motion-base-1500"), **options)


def test_elastic_and_hydraulic_drives_are_refused_by_the_plant_alone() -> None:
    machine = preset("motion-base-1500")
    legs = [leg.replace(drive=leg.drive.replace(stiffness=1e8)) for leg in machine.legs]
    elastic = machine.replace(legs=legs)
    with pytest.raises(gough.InputError, match=r"drive\.stiffness.*not carried"):
        c_project(elastic, functions=["plant"])
    assert (
        "plant_step"
        in c_project(elastic, functions=["plant"], drives=False).files["motion_base_1500.h"]
    )
    assert c_project(elastic).files
