"""Cues: inside every stroke, felt like the vehicle, and what telemetry files may say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough import cueing
from gough.cueing import vestibular
from gough.cueing.making import METHODS
from gough.cueing.predictive import _Program
from gough.cueing.washout import tilt_of

ROOT = Path(__file__).parents[2]
DRIVE = ROOT / "examples" / "cueing" / "drive.csv"
G = 9.80665


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def drive() -> cueing.Telemetry:
    whole = cueing.load_telemetry(DRIVE)
    keep = whole.time <= 14.0
    return cueing.telemetry(whole.time[keep], whole.specific_force[keep], whole.angular_rate[keep])


@pytest.mark.parametrize("method", METHODS)
def test_a_recorded_drive_stays_inside_every_stroke(
    base: gough.Platform, drive: cueing.Telemetry, method: str
) -> None:
    found = cueing.cue(base, drive, method)
    assert found.within_limits
    dense = gough.analysis.check(base, found.trajectory.sample(20_001))
    assert dense.ok.all()
    assert (found.score.missed[:3] < vestibular.FORCE_THRESHOLD * 4).all()
    still = np.zeros_like(found.score.sensed)
    nothing = np.sqrt(np.mean((still - found.score.sensed) ** 2, axis=0))
    assert found.score.missed[0] < 0.7 * nothing[0]  # better than not moving
    if method == "predictive":
        assert found.score.missed[0] < 0.4 * nothing[0]


def test_ten_times_the_drive_is_held_by_prediction_and_refused_by_washout(
    base: gough.Platform, drive: cueing.Telemetry
) -> None:
    """The brake that is always checked keeps the strokes, whatever comes in; a filter knows nothing of them."""
    wild = cueing.telemetry(
        drive.time[:351],
        [0, 0, G] + 10.0 * (drive.specific_force[:351] - [0, 0, G]),
        10.0 * drive.angular_rate[:351],
    )
    assert cueing.cue(base, wild, cueing.PredictiveCueing(scale=1.0)).within_limits
    washed = cueing.cue(base, wild, cueing.ClassicalWashout(force_scale=1.0))
    assert not washed.within_limits
    assert "beyond its maximum" in repr(washed) or "below its minimum" in repr(washed)
    fitted = cueing.cue(base, wild, cueing.ClassicalWashout(force_scale=1.0), scale=None)
    assert fitted.within_limits
    assert 0.0 < fitted.scale < 1.0
    assert not cueing.cue(
        base, wild, cueing.ClassicalWashout(force_scale=1.0), scale=1.05 * fitted.scale
    ).within_limits


def test_a_lasting_force_ends_as_tilt() -> None:
    """After the washout only gravity is left: its direction is that of the scaled force."""
    time = np.linspace(0.0, 60.0, 3001)
    force = np.tile([1.5, -1.0, G], (3001, 1))
    way = cueing.ClassicalWashout(force_scale=0.8).drive(cueing.telemetry(time, force))
    roll, pitch, yaw = way.angles[-1]
    felt = G * np.array([-np.sin(pitch), np.cos(pitch) * np.sin(roll)])
    assert felt == pytest.approx([1.2, -0.8], rel=1e-6)
    assert yaw == 0.0
    rate = np.abs(np.diff(way.angles[:, :2], axis=0)).max() / way_step(time)
    assert rate <= np.radians(3.0) * (1 + 1e-9)
    assert np.abs(way.velocity[-1]).max() < 1e-2


def way_step(time: np.ndarray) -> float:
    return float(time[1] - time[0])


def test_tilt_has_the_direction_of_the_force() -> None:
    for force in ([2.0, 1.0, 9.0], [-3.0, 2.0, 9.0], [0.0, 0.0, 9.8]):
        roll, pitch = tilt_of(np.array(force))
        assert G * -np.sin(pitch) == pytest.approx(force[0])
        assert G * np.cos(pitch) * np.sin(roll) == pytest.approx(force[1])


def test_pure_rotation_is_high_passed() -> None:
    """A step of yaw rate: the angle of s/(s + 1) of it over s is ``r (1 - exp(-t))``."""
    time = np.linspace(0.0, 10.0, 1001)
    rate = np.tile([0.0, 0.0, 0.2], (1001, 1))
    rate[0] = 0.0
    way = cueing.ClassicalWashout(rate_scale=1.0).drive(
        cueing.telemetry(time, np.tile([0, 0, G], (1001, 1)), rate)
    )
    wanted = 0.2 * (1.0 - np.exp(-(time - 0.005)))
    assert np.allclose(way.angles[5:, 2], wanted[5:], rtol=0, atol=1e-5)
    assert np.abs(way.angles[:, :2]).max() < 1e-12


def test_the_program_is_solved_to_its_conditions() -> None:
    """Stationarity, feasibility and signs of the multipliers, from the program's own matrices."""
    law = cueing.PredictiveCueing(horizon=6)
    rng = np.random.default_rng(2)
    program = _Program(law)
    J = rng.standard_normal((6, 6))
    y, v = 0.01 * rng.standard_normal(6), 0.05 * rng.standard_normal(6)
    force, rate = rng.standard_normal(3), 0.2 * rng.standard_normal(3)
    wide = program.solve(y, v, force, rate, J, np.full(6, -np.inf), np.full(6, np.inf))
    tight = program.solve(y, v, force, rate, J, np.full(6, -0.02), np.full(6, 0.02))
    assert wide is not None
    assert tight is not None
    from scipy.optimize import LinearConstraint, minimize

    n = law.horizon
    coast = y + program.times[:, None] * v

    def cost(x: np.ndarray) -> float:
        place = coast.reshape(-1) + program.place @ x
        speed = np.tile(v, n) + program.speed @ x
        felt = program.felt @ x + (coast @ program.lean[:3].T).reshape(-1) - np.tile(force, n)
        turn = np.tile(v[3:], n) + program.turn @ x - np.tile(rate, n)
        total = law.force * felt @ felt + law.rate * turn @ turn + place @ (program.home * place)
        return 0.5 * float(total + law.speed * speed @ speed + law.effort * x @ x)

    A = np.kron(program.to_place, J)
    drift = ((coast - y) @ J.T).reshape(-1)
    inside = LinearConstraint(A, -0.02 - drift, 0.02 - drift)
    for found, constraints in ((wide, ()), (tight, inside)):
        options = {"maxiter": 500, "ftol": 1e-13}
        best = minimize(
            cost, np.zeros(6 * n), method="SLSQP", constraints=constraints, options=options
        )
        assert cost(found) <= best.fun * (1 + 1e-9)
        assert cost(found) >= best.fun * (1 - 1e-3)
    assert (np.abs(A @ tight + drift) <= 0.02 * (1 + 1e-9)).all()
    assert np.abs(A @ wide + drift).max() > 0.02  # the bounds matter
    assert program.solve(y, v, force, rate, J, np.full(6, 0.5), np.full(6, -0.5)) is None


def test_the_ear_feels_only_what_lasts_the_right_time() -> None:
    """Canals forget a steady rate, otoliths keep a steady force at 0.4 of it."""
    n = 30_000
    rate = np.tile([0.1, 0.1, 0.1], (n, 1))
    felt = vestibular.sensed(0.01, np.tile([1.0, 0, G], (n, 1)), rate)
    assert felt[-1, 0] == pytest.approx(0.4, rel=1e-6)
    assert np.abs(felt[-1, 3:]).max() < 1e-4
    assert felt[1, 3:] == pytest.approx([0.1] * 3, rel=1e-2)


def test_a_perfect_platform_misses_nothing(drive: cueing.Telemetry) -> None:
    """A platform that moves like the vehicle (no limits): score zero; a mirrored one: false cues."""
    n = 500
    time = 0.02 * np.arange(n)
    a = np.stack([np.sin(time), np.zeros(n), np.zeros(n)], axis=1)
    motion = gough.Motion(np.zeros((n, 3)), np.eye(3), np.zeros(3), np.zeros(3), a, np.zeros(3))
    vehicle = cueing.telemetry(time, a + np.array([0, 0, G]))
    assert cueing.score(vehicle, motion).missed.max() < 1e-12
    mirrored = cueing.telemetry(time, -a + np.array([0, 0, G]))
    assert cueing.score(mirrored, motion).false_cue[0] > 0.5


def test_telemetry_files(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(
        "time [ms],ax [g0],ay,az,roll [deg],pitch,yaw\n0,0.1,0,0,0,0,0\n10,0.1,0,0,0,0,0\n20,0.1,0,0,3,0,0\n"
    )
    found = cueing.load_telemetry(file)
    assert found.step == pytest.approx(0.01)
    assert found.specific_force[0] == pytest.approx([0.980665, 0, G])
    assert found.specific_force[2, 1] == pytest.approx(G * np.sin(np.radians(3)))
    assert found.angular_rate[2, 0] == pytest.approx(np.radians(3) / 0.01)
    uneven = cueing.telemetry([0.0, 0.1, 0.25, 0.3], np.arange(12.0).reshape(4, 3))
    assert np.ptp(np.diff(uneven.time)) < 1e-12
    assert uneven.specific_force[-1].tolist() == [9.0, 10.0, 11.0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("time,fx,fy,fz,ax,ay,az\n0,1,1,1,1,1,1\n1,1,1,1,1,1,1\n", "either"),
        ("time,p,q,r\n0,1,1,1\n1,1,1,1\n", "either"),
        ("fx,fy,fz\n1,1,1\n2,2,2\n", "time"),
        ("time,fx,fy\n0,1,1\n1,1,1\n", "fz"),
        ("time,fx,fy,fz\n0,1,1,1\n0,1,1,1\n", "increase"),
        ("time,fx,fy,fz\n0,1,1,nan\n1,1,1,1\n", "finite"),
        ("time,fx [kg],fy,fz\n0,1,1,1\n1,1,1,1\n", "fx"),
        ("", "header"),
    ],
)
def test_telemetry_that_is_none_is_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(gough.InputError, match=why):
        cueing.load_telemetry(file)


def test_what_cue_refuses(base: gough.Platform, drive: cueing.Telemetry) -> None:
    with pytest.raises(gough.InputError, match="must be one of classical"):
        cueing.cue(base, drive, "washing")
    with pytest.raises(gough.InputError, match="vehicle"):
        cueing.cue(base, base)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="scale"):
        cueing.cue(base, drive, scale=0.0)
    with pytest.raises(gough.InputError, match="margin"):
        cueing.PredictiveCueing(margin=0.6)
    with pytest.raises(gough.InputError, match="tilt"):
        cueing.ClassicalWashout(tilt=-1.0)


def test_the_example_writes_itself(tmp_path: Path) -> None:
    import runpy
    import sys

    file = tmp_path / "drive.csv"
    old, sys.argv = sys.argv, ["drive.py", str(file)]
    try:
        runpy.run_path(str(DRIVE.with_suffix(".py")), run_name="__main__")
    finally:
        sys.argv = old
    assert file.read_bytes() == DRIVE.read_bytes()
