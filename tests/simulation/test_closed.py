"""The compiled control loop: the same runs as with the same controller asked in Python, whatever the sampling."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from xarray import Dataset

import gough
from gough.control import (
    CompiledLaw,
    ComputedForce,
    Decentralized,
    FeedForward,
    GravityCompensation,
    Impedance,
    Sampling,
    Sensor,
)
from gough.simulation import Brake, Events, closed_kernels, closed_laws
from gough.spatial import rotation_exp, rotation_log

ROUND_OFF = 1e-12  # of a machine of a meter, after a tenth of a second
MAKE: dict[str, Callable[[gough.Platform], Any]] = {
    "decentralized": lambda m: Decentralized.from_bandwidth(m, bandwidth=30.0, integral=0.3),
    "no feed-forward": lambda m: Decentralized.from_bandwidth(
        m, bandwidth=30.0, feed_forward=False
    ),
    "computed force": lambda m: ComputedForce(m, 40.0),
    "computed leg force": lambda m: ComputedForce(m, 40.0, space="leg"),
    "feed-forward": lambda m: FeedForward(m, 30.0),
    "gravity": lambda m: GravityCompensation(m, 30.0),
    "impedance": lambda m: Impedance.critically_damped(m, [7e6] * 3 + [4e6] * 3),
}
SAMPLINGS = {
    "ideal": Sampling(),
    "slow and late": Sampling(rate=250.0, delay=3e-3, measurement_delay=6e-3),
    "coarse": Sampling(quantization=1e-5, noise=1e-6, rate=500.0, delay=2e-3, backlash=True),
    "observed": Sampling(
        rate=500.0, velocity="observed", quantization=1e-6, measurement_delay=1e-3
    ),
    "sensors": Sampling(
        rate=500.0,
        sensors={
            "rate": Sensor(noise=1e-4, quantization=1e-5),
            "position": Sensor(1e-5, 1e-6, [1e-4, 0.0, -1e-4]),
            "rotation": Sensor(noise=1e-5, quantization=1e-6, bias=1e-5),
            "velocity": Sensor(noise=1e-4),
            "angular_velocity": Sensor(quantization=1e-5),
        },
    ),
}


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def path() -> Any:
    return gough.trajectory.harmonic(
        ((0, 0, 1.15), (0, 0, 0)), [0.02, 0.01, 0.03, 0.02, 0, 0.01], 1.0, duration=3.0
    )


def asked(controller: Any) -> Any:
    """The same controller as a plain function: asked in Python at each sample."""
    return lambda t, measurement, reference: controller(t, measurement, reference)


def run(machine: gough.Platform, path: Any, controller: Any, **more: Any) -> Dataset:
    options = {"duration": 0.096, "reference": path, "reactions": False, "output": 3e-3, **more}
    return gough.simulate(machine, path(0.0), controller=controller, **options)


def distance(a: Dataset, b: Dataset) -> float:
    """Largest difference of poses, coordinates and readings, m and rad."""
    names = ("position", "rpy", "length", "measured_length", "reference_length", "error")
    assert a.attrs["status"] == b.attrs["status"]
    return max(float(np.abs(a[n].values - b[n].values).max()) for n in names if n in a)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("name", MAKE)
def test_compiled_and_asked_agree(
    machine: gough.Platform, path: Any, name: str, sampling: str
) -> None:
    controller, seen = MAKE[name](machine), SAMPLINGS[sampling]
    one = run(machine, path, controller, sampling=seen)
    other = run(machine, path, asked(controller), sampling=seen)
    assert one.attrs["status"] == "ok"
    assert distance(one, other) < ROUND_OFF
    assert np.abs(one.command.values / other.command.values - 1.0).max() < 1e-7


def test_every_built_in_controller_is_compiled(machine: gough.Platform) -> None:
    """A class that gains a field is asked in Python until its law here knows it: this test tells."""
    for make in MAKE.values():
        controller = make(machine)
        name = closed_laws.name_of(controller)
        assert name is not None
        assert closed_laws.LAWS[name].known == tuple(f.name for f in fields(controller))


def test_a_subclass_is_not_taken_for_its_base(machine: gough.Platform) -> None:
    class Mine(Decentralized):
        pass

    d = MAKE["decentralized"](machine)
    mine = Mine(d.mass, d.kp, d.ki, d.kd, d.offset)
    assert closed_laws.name_of(mine) is None
    assert closed_laws.name_of(asked(d)) is None


def test_a_wrong_law_is_noticed(
    machine: gough.Platform, path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the gains of a law off by one part in 1e7."""
    controller, law = MAKE["gravity"](machine), closed_laws.LAWS["gravity"]
    wrong = {**law.take(controller), "kp": controller.bandwidth**2 * (1 + 1e-7)}
    changed = {
        **closed_laws.LAWS,
        "gravity": closed_laws.CompiledForm(law.known, law.gains, lambda c: wrong, law.law),
    }
    right = run(machine, path, asked(controller))
    monkeypatch.setattr(closed_laws, "LAWS", changed)
    assert distance(run(machine, path, controller), right) > ROUND_OFF


@pytest.mark.parametrize("name", ["decentralized", "computed leg force"])
@pytest.mark.parametrize("preset", ["servo-hexapod", "syed-6sps-drive"])
def test_other_leg_types(preset: str, name: str) -> None:
    machine = gough.load(preset)
    home = machine.require_home()
    controller = {
        "decentralized": lambda: Decentralized.from_bandwidth(machine, bandwidth=20.0),
        "computed leg force": lambda: ComputedForce(machine, 20.0, space="leg"),
    }[name]()
    options = {"duration": 0.05, "reactions": False, "sampling": Sampling(rate=500.0)}
    start = gough.Pose(home.position + 1e-3, home.rotation)
    each = [
        gough.simulate(machine, start, controller=c, reference=home, **options)
        for c in (controller, asked(controller))
    ]
    assert distance(*each) < ROUND_OFF


def test_a_batch_its_runs_and_any_number_of_threads(
    machine: gough.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit for bit: 150 runs at once by one and by two threads, and some of them alone."""
    home, n = machine.require_home(), 150
    shift = 1e-3 * np.random.default_rng(1).normal(size=(n, 3))
    start = gough.Pose(home.position + shift, np.broadcast_to(home.rotation, (n, 3, 3)))
    sampling = Sampling(
        rate=500.0, delay=1e-3, measurement_delay=1e-3, noise=1e-6, quantization=1e-6
    )
    options = {"duration": 0.03, "reference": home, "sampling": sampling, "reactions": False}
    controller = MAKE["computed force"](machine)
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("GOUGH_THREADS", threads)
        found.append(gough.simulate(machine, start, controller=controller, loop=True, **options))
    for name in ("position", "command", "measured_length"):
        np.testing.assert_array_equal(found[0][name].values, found[1][name].values)
    few = gough.simulate(machine, start[:3], controller=controller, **options)
    np.testing.assert_array_equal(few.position.values, found[0].position.values[:3])


def test_faults_between_samples(machine: gough.Platform, path: Any) -> None:
    """A brake that closes inside a sample period."""
    options = {"sampling": Sampling(rate=250.0), "faults": [Brake(0.022, 1e4)]}
    controller = MAKE["decentralized"](machine)
    one = run(machine, path, controller, **options)
    assert distance(one, run(machine, path, asked(controller), **options)) < ROUND_OFF
    assert distance(one, run(machine, path, controller, sampling=Sampling(rate=250.0))) > 1e-6


def test_a_compiled_run_resumes_bit_for_bit(
    machine: gough.Platform, path: Any, tmp_path: Path
) -> None:
    options = {
        "duration": 1.2,
        "output": 4e-3,
        "sampling": Sampling(rate=500.0, delay=3e-3, measurement_delay=5e-3, noise=1e-6),
    }
    controller, folder = MAKE["decentralized"](machine), tmp_path / "run"
    whole = run(machine, path, controller, **options)
    run(machine, path, controller, checkpoint=folder, **options)
    sorted(folder.glob("piece-*.npz"))[-1].unlink()
    again = run(machine, path, controller, checkpoint=folder, resume=True, **options)
    assert all(np.array_equal(again[n].values, whole[n].values) for n in whole.data_vars)


@numba.njit
def law(
    t, length, rate, integral, pose, ref_length, ref_rate, ref_acceleration, ref_motion, memory, out
):  # type: ignore[no-untyped-def]
    """PD whose offset is learned in its memory; its gains grow with the measured height."""
    for i in range(6):
        error = ref_length[i] - length[i]
        memory[i] += 50.0 * error
        out[i] = 3000.0 + memory[i] + 2e5 * error * pose[2] + 3e4 * (ref_rate[i] - rate[i])
        out[i] += 100.0 * ref_acceleration[i] + 10.0 * ref_motion[2] + integral[i] + t


@numba.njit
def broken(
    t, length, rate, integral, pose, ref_length, ref_rate, ref_acceleration, ref_motion, memory, out
):  # type: ignore[no-untyped-def]
    out[3] = np.inf if t > 0.0125 else 0.0


def test_a_user_s_compiled_law(machine: gough.Platform, path: Any, tmp_path: Path) -> None:
    """Compiled into the loop, or asked from Python through `update`: the same run; and it resumes."""
    mine = CompiledLaw(law, memory=6)
    options = {"duration": 0.6, "output": 3e-3, "sampling": Sampling(delay=1e-3)}
    one = run(machine, path, mine, **options)
    assert one.attrs["status"] == "ok"

    class Asked:
        init, update = mine.init, mine.update

    assert distance(one, run(machine, path, Asked(), **options)) < 1e-11
    run(machine, path, mine, checkpoint=tmp_path / "run", **options)
    sorted((tmp_path / "run").glob("piece-*.npz"))[-1].unlink()
    again = run(machine, path, mine, checkpoint=tmp_path / "run", resume=True, **options)
    assert all(np.array_equal(again[n].values, one[n].values) for n in one.data_vars)
    for bad in (lambda: CompiledLaw(lambda *x: None), lambda: CompiledLaw(law, memory=-1)):
        with pytest.raises(gough.InputError):
            bad()


def test_a_command_that_is_no_number_says_so(machine: gough.Platform, path: Any) -> None:
    found = run(machine, path, CompiledLaw(broken))
    assert found.attrs["status"].startswith(
        "the controller asked leg L4 for inf, which is no effort"
    )
    assert found.attrs["end_time"] == pytest.approx(0.013)


def test_a_controller_under_a_wrench_of_the_motion(machine: gough.Platform, path: Any) -> None:
    """It was not asked at all there: the drives gave nothing."""
    pull = np.array([300.0, 0.0, -500.0, 0.0, 20.0, 0.0])
    sampling = Sampling(rate=500.0, delay=3e-3, measurement_delay=1e-3)
    for controller in (MAKE["computed force"](machine), CompiledLaw(law, memory=6)):
        still = run(machine, path, controller, external=pull, sampling=sampling, drives=False)
        felt = run(
            machine,
            path,
            controller,
            external=lambda t, motion: pull,
            sampling=sampling,
            drives=False,
        )
        assert distance(still, felt) < 1e-10


def test_rotations_in_the_kernel() -> None:
    """The compiled logarithm and exponential against those of gough.spatial, near nothing and near half a turn."""
    kernel = closed_kernels._module("sense", "ups", closed_kernels.sense_text(("ups",) * 6))
    rng, v, out = np.random.default_rng(3), np.empty(3), np.empty(9)
    for size in (0.0, 1e-9, 1e-4, 0.3, 2.0, 3.0, np.pi - 1e-7):
        for _ in range(20):
            axis = rng.normal(size=3)
            w = size * axis / np.linalg.norm(axis)
            R = rotation_exp(w)
            kernel.rotation_log(R.ravel(), v)
            assert np.abs(rotation_exp(v) - R).max() < 1e-12
            assert np.abs(np.linalg.norm(v) - np.linalg.norm(rotation_log(R))) < 1e-9
            kernel.turned(w, np.eye(3).ravel(), out)
            assert np.abs(out.reshape(3, 3) - R).max() < 1e-14


def test_delays_must_be_whole_steps(machine: gough.Platform, path: Any) -> None:
    for name in ("delay", "measurement_delay"):
        with pytest.raises(gough.InputError, match=f"{name}.*whole number of steps"):
            run(machine, path, MAKE["decentralized"](machine), sampling=Sampling(**{name: 1.5e-3}))


@pytest.mark.parametrize("action", ["note", "stop"])
def test_events_are_those_of_the_loop_in_python(
    machine: gough.Platform, path: Any, action: str
) -> None:
    """Strokes two millimeters wide about the start: looked for at every step, whoever commands, records far apart."""
    length = gough.inverse_kinematics(machine, path(0.0)).length
    narrow = machine.replace(
        legs=[
            leg.replace(limits=leg.limits.replace(stroke=(x - 1e-3, x + 1e-3)))
            for leg, x in zip(machine.legs, length, strict=True)
        ]
    )
    options = {"events": Events(stroke=action), "output": 0.048, "sampling": Sampling(rate=250.0)}
    controller = MAKE["decentralized"](machine)
    each = [run(narrow, path, c, **options) for c in (controller, asked(controller))]
    one, other = (json.loads(found.attrs["events"]) for found in each)
    assert len(one) == len(other) > 0
    for a, b in zip(one, other, strict=True):
        assert (a["name"], a["leg"]) == (b["name"], b["leg"])
        assert a["time"] == pytest.approx(b["time"], abs=1e-9)
    assert each[0].attrs["status"].split(" at ")[0] == each[1].attrs["status"].split(" at ")[0]
    assert each[0].attrs["end_time"] == pytest.approx(each[1].attrs["end_time"], abs=1e-9)
    assert (each[0].attrs["end_time"] < 0.096) == (action == "stop")
