"""Limits between the samples: verdicts against dense truth, and errors planted in the proof that must show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough import taylor
from gough import trajectory as tr
from gough.analysis import leg_models, proved
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED, proved_limits
from gough.limits import check
from gough.model import Limits, Platform
from gough.struts import PAIRS, pair_distances, shared_joints, struts
from gough.trajectory import bounds

MACHINES = ("positioner-300", "hexaglide", "servo-hexapod", "robot-head-rss", "motion-base-ucu")
SPREAD = 0.1  # limits lie this far around what the motion needs


def motion(rng: np.random.Generator, machine: Platform) -> tr.Trajectory:
    """A random motion about home."""
    home, L = machine.require_home(), machine.characteristic_length
    size = np.concatenate([np.full(3, 0.02 * L), np.full(3, 0.04)])

    def pose() -> tuple[Any, Any]:
        x = rng.uniform(-1.0, 1.0, 6) * size
        return home.position + x[:3], home.rpy + x[3:]

    kind = int(rng.integers(5))
    if kind == 0:
        A = rng.uniform(-0.5, 0.5, (3, 6)) * size
        f, phase = rng.uniform(0.1, 1.0, 3), rng.uniform(0.0, 6.0, (3, 6))
        way = ("rpy", "vector")[int(rng.integers(2))]
        return tr.harmonic(home, A, f, phase, duration=6.0, orientation=way)
    if kind == 1:
        return tr.there_and_back(pose(), pose(), rng.uniform(0.5, 3.0))
    if kind == 2:
        return tr.line(pose(), pose(), 2.0, orientation="geodesic")
    poses = [gough.Pose.from_rpy(*pose()) for _ in range(5)]
    path = tr.waypoints(poses, np.cumsum(rng.uniform(0.3, 1.0, 5)))
    return path if kind == 3 else tr.retimed(path, 3.0, profile="quintic")


def limited(rng: np.random.Generator, machine: Platform, path: tr.Trajectory) -> Platform:
    """The machine with limits near what the motion needs, some kept and some broken."""
    m = path(np.linspace(0.0, path.duration, 301))
    g = struts(machine, m)
    lam, rate = g.coordinate, np.abs(g.rate(m.velocity, m.angular_velocity)).max(axis=0)
    span = np.maximum(np.ptp(lam, axis=0), 1e-6)
    bare = machine.replace(
        legs=[x.replace(limits=Limits(base_cone=1.0, platform_cone=1.0)) for x in machine.legs]
    )
    cones = check(bare, m).value
    apart = np.where(shared_joints(machine), np.inf, pair_distances(g)).min()

    def near() -> float:
        return 1.0 + rng.uniform(-SPREAD, SPREAD)

    legs = []
    for i, leg in enumerate(machine.legs):
        ends = lam[:, i].mean() + span[i] * near() * np.array([-0.6, 0.6])
        angles = {
            k.replace(" ", "_"): max(float(cones[k][:, i].max()) * near(), 1e-3)
            for k in ("base cone", "platform cone")
        }
        speed = max(rate[i] * near(), 1e-6)
        limits = Limits(stroke=ends, speed=speed, radius=0.5 * apart * near(), **angles)
        legs.append(leg.replace(limits=limits))
    return machine.replace(legs=legs)


def judge(
    machine: Platform, path: tr.Trajectory, samples: int = 3001
) -> tuple[int, int, list[str]]:
    """Verdicts, how many are undecided, and those that dense samples contradict."""
    found = proved_limits(machine, path)
    dense = check(machine, path(np.linspace(0.0, path.duration, samples)))
    apart = pair_distances(dense.geometry)
    need = np.array(
        [machine.legs[i].limits.radius + machine.legs[j].limits.radius for i, j in PAIRS.T]
    )
    pair = {(int(i), int(j)): n for n, (i, j) in enumerate(PAIRS.T)}
    wrong, count, undecided = [], 0, 0
    for v in found.verdicts:
        if v.kind in ("determinant", "force", "reach"):
            continue
        count += 1
        undecided += v.status == UNDECIDED
        if v.kind == "distance":
            n = pair[v.legs]  # type: ignore[index]
            least = float((apart[:, n] - need[n]).min())
        else:
            least = float(dense.margin[v.kind][:, v.legs[0]].min())
        if v.status == HOLDS and least < -1e-12:
            wrong.append(f"{v.sentence}, but {least:.3g}")
        if v.status == BROKEN:
            at = check(machine, path(v.time))  # type: ignore[arg-type]
            value = (
                at.margin[v.kind].min() if v.kind == "distance" else at.margin[v.kind][v.legs[0]]
            )
            if not value < 0.0:
                wrong.append(f"{v.sentence}, but {value:.3g} there")
    return count, undecided, wrong


def campaign(count: int, seed: int) -> tuple[int, int, list[str]]:
    """`count` random motions."""
    total, open_, wrong = 0, 0, []
    for n in range(count):
        rng = np.random.default_rng([seed, n])
        machine = gough.load(MACHINES[n % len(MACHINES)])
        path = motion(rng, machine)
        a, b, c = judge(limited(rng, machine, path), path)
        total, open_, wrong = total + a, open_ + b, wrong + [f"{seed}-{n}: {x}" for x in c]
    return total, open_, wrong


def test_verdicts_against_dense_truth() -> None:
    total, open_, wrong = campaign(20, 1)
    assert not wrong
    assert total > 500
    assert open_ < 0.01 * total


def resonant() -> tuple[Platform, tr.Trajectory]:
    """Ten minutes at 0.5 Hz: at 601 samples, once a second, the platform seems to stand still."""
    machine = gough.load("positioner-300")
    z = np.array([0.0, 0.0, 0.005, 0.0, 0.0, 0.0])
    path = tr.harmonic(machine.require_home(), z, 0.5, 0.5 * np.pi, duration=600.0)
    legs = [x.replace(limits=Limits(speed=0.01)) for x in machine.legs]
    return machine.replace(legs=legs), path


def test_a_motion_that_samples_pass_is_refused() -> None:
    machine, path = resonant()
    seen = check(machine, path.sample(601))
    assert seen.ok.all()
    assert seen.value["speed"].max() < 1e-12
    found = proved_limits(machine, path, determinant=False)
    assert found.ok is False
    assert [v.status for v in found.of("speed")] == [BROKEN] * 6
    assert check(machine, path(found.verdicts[0].time)).value["speed"].max() > 0.01


def test_what_gives_no_bounds_is_undecided_and_says_so() -> None:
    machine, _ = resonant()
    path = tr.sweep(machine.require_home(), "z", 0.1, 1.0, 5.0, 4.0)
    found = proved_limits(machine, path)
    assert found.ok is None
    assert all("this trajectory gives no bounds" in s for s in found.sentences())


def test_a_singular_pose_on_the_way_is_found() -> None:
    """[Dasgupta1998] path III: the ends have opposite signs of the determinant."""
    machine, path = gough.load("dasgupta-1998"), tr.paper("001-III")
    assert isinstance(path, tr.Trajectory)
    assert proved_limits(machine, path).of("determinant")[0].status == BROKEN
    good = tr.paper("001-I")
    assert isinstance(good, tr.Trajectory)
    assert proved_limits(machine, good).of("determinant")[0].status == HOLDS


def _shrunk(m: taylor.Model) -> taylor.Model:
    return taylor.Model(m.c, 0.0 * m.r)


@pytest.mark.parametrize("planted", ["no remainder of a product", "slow rates", "no deviation"])
def test_planted_errors_show(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unsound bound: the verdicts or the models contradict dense samples."""
    machine, path = resonant()
    t, half = np.array([0.5]), np.array([0.5])  # a quarter of a period and more
    if planted == "no remainder of a product":
        times = taylor.Model.__mul__
        monkeypatch.setattr(taylor.Model, "__mul__", lambda a, b: _shrunk(times(a, b)))
        whole = taylor.composed
        monkeypatch.setattr(taylor, "composed", lambda *x: _shrunk(whole(*x)))
    elif planted == "slow rates":
        whole3 = bounds.sines
        monkeypatch.setattr(
            bounds, "sines", lambda *x: (whole3(*x)[0], whole3(*x)[1] * 0.5, whole3(*x)[2])
        )
    else:
        monkeypatch.setattr(taylor.Model, "_doubt", lambda self: 0.0 * self.r)
    assert not _encloses(machine, path, t, half)


def test_models_enclose_dense_samples() -> None:
    machine, path = resonant()
    assert _encloses(machine, path, np.array([0.5]), np.array([0.5]))


def _encloses(machine: Platform, path: tr.Trajectory, t: Any, half: Any) -> bool:
    tau = np.linspace(-1.0, 1.0, 41)
    model = bounds.motion_model(path, t, half)
    assert model is not None
    legs = leg_models.leg_models(machine, model)
    m = path(t + tau[:, None] * half)
    g = struts(machine, m)
    pairs = (
        (legs.coordinate, g.coordinate),
        (legs.rate, g.rate(m.velocity, m.angular_velocity)),
        (legs.direction, g.direction),
    )
    for one, true in pairs:
        value, off = one.at(tau)
        if (np.abs(value - true) > off + 1e-12).any():
            return False
    return True


def test_limits_met_exactly_stay_undecided() -> None:
    """A leg that ends its stroke exactly at the limit: rounding cannot tell, and no verdict pretends to."""
    machine = gough.load("positioner-300")
    home = machine.require_home()
    path = tr.hold(home, 1.0)
    length = struts(machine, home).coordinate
    legs = [
        x.replace(limits=Limits(stroke=(0.5 * length[i], length[i])))
        for i, x in enumerate(machine.legs)
    ]
    found = proved_limits(machine.replace(legs=legs), path, determinant=False)
    assert {v.status for v in found.of("stroke")} == {UNDECIDED}
    assert proved.DEPTH >= 5
