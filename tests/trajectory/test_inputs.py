"""Seaways, shaking records and sweeps: statistics of the spectrum, exact derivatives, what files may say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough import trajectory as tr

HOME = gough.Pose([0.0, 0.0, 0.5])


def derivatives_agree(path: tr.Trajectory, times: np.ndarray, size: float) -> None:
    """Velocity and acceleration are the derivatives of position and rotation, by central differences."""
    h = 1e-4
    a, m, b = path(times - h), path(times), path(times + h)
    assert np.allclose((b.position - a.position) / (2 * h), m.velocity, rtol=0, atol=size)
    assert np.allclose((b.velocity - a.velocity) / (2 * h), m.acceleration, rtol=0, atol=size)
    rate = (b.rotation - a.rotation) / (2 * h) @ np.swapaxes(m.rotation, -1, -2)
    turn = np.stack([rate[..., 2, 1], rate[..., 0, 2], rate[..., 1, 0]], axis=-1)
    assert np.allclose(turn, m.angular_velocity, rtol=0, atol=size)
    change = (b.angular_velocity - a.angular_velocity) / (2 * h)
    assert np.allclose(change, m.angular_acceleration, rtol=0, atol=size)


def test_the_spectrum_has_the_height_and_the_peak_it_says() -> None:
    w = np.geomspace(0.05, 40.0, 400_001)
    for gamma in (1.0, 3.3, 7.0):
        S = tr.jonswap(w, 2.5, 8.0, gamma)
        assert 16.0 * np.trapezoid(S, w) == pytest.approx(2.5**2, rel=2e-3)
        assert w[S.argmax()] == pytest.approx(2 * np.pi / 8.0, rel=1e-3)
    # Pierson-Moskowitz: S = 5/16 Hs^2 wp^4 w^-5 exp(-1.25 (wp/w)^4)
    wp = 2 * np.pi / 8.0
    wanted = 5 / 16 * 2.5**2 * wp**4 * w**-5 * np.exp(-1.25 * (wp / w) ** 4)
    assert np.allclose(tr.jonswap(w, 2.5, 8.0, 1.0), wanted, rtol=2e-3, atol=0)


def test_the_sea_has_the_variance_it_says_and_exact_derivatives() -> None:
    sea = tr.sea_state(HOME, 2.0, 6.0, duration=4000.0, seed=3)
    heave = sea.sines.amplitude[:, 2]
    assert (heave**2 / 2).sum() == pytest.approx(2.0**2 / 16, rel=1e-12)
    t = np.linspace(0.0, 4000.0, 40_001)
    assert np.std(sea(t).position[:, 2]) == pytest.approx(0.5, rel=0.05)
    derivatives_agree(sea, np.linspace(1.0, 50.0, 97), 1e-5)
    again = tr.sea_state(HOME, 2.0, 6.0, duration=4000.0, seed=3)
    other = tr.sea_state(HOME, 2.0, 6.0, duration=4000.0, seed=4)
    assert np.array_equal(again(t[:9]).position, sea(t[:9]).position)
    assert not np.allclose(other(t[:9]).position, sea(t[:9]).position)


def test_a_buoy_tilts_with_the_slope_of_the_water() -> None:
    """Head sea: pitch is the slope of the surface under the buoy, ``-d eta/dx``, from two buoys a little apart."""
    sea = tr.sea_state(HOME, 1.0, 5.0, heading=np.pi, duration=60.0, components=40, seed=1)
    t = np.linspace(0, 30, 301)
    eta, _, _ = sea.sines(t)
    w = 2 * np.pi * sea.sines.frequency
    phase = sea.sines.phase[:, 2]
    # a wave that runs to -x: eta = sum a sin(w t + k x + phase)
    slope = (sea.sines.amplitude[:, 2] * w**2 / 9.80665 * np.cos(w * t[:, None] + phase)).sum(
        axis=1
    )
    assert np.allclose(eta[:, 4], -slope, rtol=0, atol=1e-12)
    assert np.abs(eta[:, 3]).max() < 1e-15  # no roll in head sea
    beam = tr.sea_state(HOME, 1.0, 5.0, heading=np.pi / 2, components=40, seed=1).sines(t)[0]
    assert np.abs(beam[:, 4]).max() < 1e-15


def test_responses_from_a_table(tmp_path: Path) -> None:
    file = tmp_path / "rao.csv"
    file.write_text(
        "frequency,surge,sway,heave,roll [deg],pitch [deg],yaw,heave phase [deg],surge phase,sway phase,"
        "roll phase,pitch phase,yaw phase\n"
        "0.2,1,0,1,0,2,0,0,0,0,0,0,0\n1.0,0.5,0,1,0,4,0,90,0,0,0,0,0\n3.0,0,0,0,0,0,0,90,0,0,0,0,0\n"
    )
    ship = tr.load_responses(file)
    size, turn = ship.at(np.array([0.1, 0.6, 1.0, 3.5]))
    assert size[:, 0].tolist() == [0.0, 0.75, 0.5, 0.0]
    assert size[1, 4] == pytest.approx(np.deg2rad(3.0))
    assert turn[2, 2] == pytest.approx(np.pi / 2)
    sea = tr.sea_state(HOME, 1.0, 7.0, responses=ship)
    assert not sea.sines.amplitude[:, 1].any()
    file.write_text("frequency,surge\n1,2\n2,3\n")
    with pytest.raises(gough.InputError, match="sway, heave"):
        tr.load_responses(file)


def test_a_shaking_record_is_integrated_exactly_and_ends_at_rest() -> None:
    rng = np.random.default_rng(5)
    t = np.sort(rng.uniform(0.0, 8.0, 400))
    a = rng.standard_normal((400, 3))
    path = tr.shaking(HOME, t, a)
    end = path(path.duration)
    assert np.abs(end.position - HOME.position).max() < 1e-12
    assert np.abs(end.velocity).max() < 1e-12
    now = path(t - t[0])
    line = path.removed[0] + (t - t[0])[:, None] * path.removed[1]
    assert np.allclose(now.acceleration + line, a, rtol=0, atol=1e-12)
    derivatives_agree(path, np.linspace(0.5, 7.0, 23), 2e-2)
    raw = tr.shaking(HOME, t, a, correct=False)
    assert not raw.removed.any()
    assert np.allclose(raw(t - t[0]).acceleration, a, rtol=0, atol=1e-12)


def test_a_pulse_moves_as_newton_says() -> None:
    """Constant acceleration for 1 s, then none: v = a, x = a/2 + a (t - 1); samples an instant apart make the jump."""
    path = tr.shaking(
        HOME, [0.0, 1.0, 1.0 + 1e-9, 3.0], [[2.0, 0, 0]] * 2 + [[0, 0, 0]] * 2, correct=False
    )
    end = path(3.0)
    assert end.velocity[0] == pytest.approx(2.0, rel=1e-8)
    assert end.position[0] == pytest.approx(1.0 + 4.0, rel=1e-8)


AT2 = "PEER\nSOMEWHERE\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS=    6, DT=   .0100 SEC\n .1 -.1 .2 .0\n-.2 .05\n"


def test_files_of_records(tmp_path: Path) -> None:
    file = tmp_path / "quake.AT2"
    file.write_text(AT2)
    path = tr.load_shaking(HOME, file, coordinate="y", correct=False)
    assert path.duration == pytest.approx(0.05)
    assert path.acceleration[:, 1] == pytest.approx(
        9.80665 * np.array([0.1, -0.1, 0.2, 0.0, -0.2, 0.05])
    )
    csv = tmp_path / "quake.csv"
    csv.write_text("time,ax [g0],ay,az\n0,0.1,0,0\n0.5,0.2,0,0\n")
    assert tr.load_shaking(HOME, csv, correct=False).acceleration[1, 0] == pytest.approx(1.96133)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[trajectory]\nkind = "shaking"\npath = "quake.AT2"\n[trajectory.start]\nposition = [0, 0, 1]\n'
    )
    assert tr.load_trajectory(plan).duration == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (AT2.replace("NPTS=    6", "NPTS=    7"), "NPTS promises"),
        (AT2.replace("DT=", "TD="), "must say NPTS= and DT="),
        (AT2.replace(".05", "oops"), "no number"),
        (AT2.replace(".05", "nan"), "finite"),
        ("", "must say NPTS= and DT="),
    ],
)
def test_records_that_say_something_else_are_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "quake.at2"
    file.write_text(text)
    with pytest.raises(gough.InputError, match=why):
        tr.load_shaking(HOME, file)


@pytest.mark.parametrize("spacing", ["linear", "logarithmic"])
@pytest.mark.parametrize("controlled", ["acceleration", "displacement"])
@pytest.mark.parametrize("coordinate", ["y", "rz"])
def test_a_sweep_runs_through_its_band(spacing: str, controlled: str, coordinate: str) -> None:
    size = 0.5 if controlled == "acceleration" else 1e-3
    path = tr.sweep(HOME, coordinate, size, 1.0, 8.0, 40.0, spacing=spacing, controlled=controlled)
    derivatives_agree(path, np.linspace(0.3, 39.7, 197), 5e-4)
    ends = path(np.array([0.0, 40.0]))
    for part in (
        ends.velocity,
        ends.angular_velocity,
        ends.acceleration,
        ends.angular_acceleration,
    ):
        assert np.abs(part).max() < 1e-12
    t = np.linspace(10.0, 30.0, 200_001)
    x, _, a = path.shake(t)
    top = np.abs(a if controlled == "acceleration" else x)
    assert top.max() == pytest.approx(size, rel=3e-3)
    crossings = t[:-1][np.diff(np.sign(x)) != 0]
    middle = 0.5 * (crossings[1:] + crossings[:-1])
    share = middle / 40.0
    wanted = 1.0 + 7.0 * share if spacing == "linear" else 8.0**share
    assert np.allclose(0.5 / np.diff(crossings), wanted, rtol=2e-2)


def test_what_a_sweep_refuses() -> None:
    for given, field in (
        ({"coordinate": "q"}, "coordinate"),
        ({"low": 0.0}, "low"),
        ({"spacing": "cubic"}, "spacing"),
        ({"controlled": "jerk"}, "controlled"),
        ({"fade": 30.0}, "fade"),
    ):
        usual = {"coordinate": "x", "size": 1.0, "low": 1.0, "high": 2.0, "duration": 10.0}
        with pytest.raises(gough.InputError, match=field):
            tr.sweep(HOME, **{**usual, **given})  # type: ignore[arg-type]
