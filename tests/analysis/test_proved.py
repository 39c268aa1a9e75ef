"""Limits between the samples: verdicts against dense truth, and errors planted in the proof that must show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from campaigns.proved_campaign import MOTIONS, campaign
from gough import taylor
from gough import trajectory as tr
from gough.analysis import proved
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED, proved_limits
from gough.kinematics import leg_models
from gough.limits import check
from gough.model import Limits, Platform
from gough.struts import struts
from gough.trajectory import bounds
from oracles.machines import platform


def test_verdicts_against_dense_truth() -> None:
    """One motion of every kind; `campaigns.proved_campaign` asks thousands."""
    found = campaign(len(MOTIONS), 1)
    assert found["wrong"] == 0
    assert found["verdicts"] > 400
    assert found["undecided"] < 0.01 * found["verdicts"]


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
    machine, path = resonant()
    found = proved_limits(machine, tr.on_links(machine, path))
    assert found.ok is None
    assert all("this trajectory gives no bounds" in s for s in found.sentences())


def test_a_cone_without_an_axis_is_not_passed_over() -> None:
    machine, path = resonant()
    legs = [x.replace(limits=Limits(base_cone=1.0)) for x in machine.legs]
    found = proved_limits(machine.replace(legs=legs, home=None), path, determinant=False)
    assert found.ok is None
    assert all("neither axis nor home pose" in v.sentence for v in found.of("base cone"))


def test_broken_is_said_of_an_instant_that_is_broken() -> None:
    """Fast until the joint of a sequence, then at rest: at the joint itself the later part speaks."""
    machine = gough.load("positioner-300")
    home = machine.require_home()
    up = home.position + np.array([0.0, 0.0, 0.004])
    path = tr.sequence(tr.uniform(home, (up, home.rpy), 0.1), tr.hold((up, home.rpy), 0.1))
    legs = [x.replace(limits=Limits(speed=0.02)) for x in machine.legs]
    for v in proved_limits(machine.replace(legs=legs), path).of("speed"):
        assert v.status == BROKEN
        assert check(machine.replace(legs=legs), path(v.time)).margin["speed"][v.legs[0]] < 0.0


def test_legs_out_of_reach_leave_no_determinant_to_judge() -> None:
    machine = gough.load("servo-hexapod")
    home = machine.require_home()
    far = home.position + np.array([0.0, 0.0, machine.characteristic_length])
    found = proved_limits(machine, tr.there_and_back(home, (far, home.rpy), 1.0))
    assert BROKEN in {v.status for v in found.of("reach")}
    assert found.of("determinant")[0].status == UNDECIDED


def test_fixed_links_are_judged() -> None:
    machine = gough.load("positioner-300")
    home = machine.require_home()
    held = float(struts(machine, home).coordinate[0])
    legs = [x.replace(limits=Limits()) for x in machine.legs]
    legs[0] = legs[0].replace(fixed=held, drive=None, friction=gough.Friction())
    linked = machine.replace(legs=legs)
    still = proved_limits(linked, tr.hold(home, 1.0))
    assert [v.status for v in still.of("link")] == [HOLDS]
    _, path = resonant()
    (moved,) = proved_limits(linked, path).of("link")
    assert moved.status == BROKEN
    assert abs(float(struts(machine, path(moved.time)).coordinate[0]) - held) > 1e-9 * held


def test_motions_given_by_their_legs() -> None:
    """Their coordinates are judged, what needs poses is not; on another machine nothing is."""
    machine = gough.load("positioner-300")
    at = struts(machine, machine.require_home()).coordinate
    path = tr.legs_harmonic(at, np.full(6, 1e-3), 2.0, duration=2.0).on(machine)
    fastest = 1e-3 * 2.0 * np.pi * 2.0
    kinds = ("stroke", "speed")
    for share, status in ((1.001, HOLDS), (0.999, BROKEN)):
        limits = [
            Limits(
                stroke=(x - 1e-3 * share, x + 1e-3 * share), speed=fastest * share, base_cone=1.0
            )
            for x in at.tolist()
        ]
        legs = [x.replace(limits=y) for x, y in zip(machine.legs, limits, strict=True)]
        found = proved_limits(machine.replace(legs=legs), path)
        assert {v.status for kind in kinds for v in found.of(kind)} == {status}
        assert {v.status for v in found.of("base cone")} == {UNDECIDED}
    moved = machine.legs[0].replace(base=machine.legs[0].base + 1e-3)
    other = proved_limits(machine.replace(legs=[moved, *machine.legs[1:]]), path)
    assert {v.status for v in other.verdicts} == {UNDECIDED}


def test_struts_with_screws() -> None:
    """Cones and distances are those of the strut; what the screw does is not bounded."""
    machine = platform("UCU-screw", seed=3)
    home = machine.require_home()
    limits = Limits(stroke=(-10.0, 10.0), base_cone=1.0, platform_cone=1e-3, radius=1e-3)
    machine = machine.replace(legs=[x.replace(limits=limits) for x in machine.legs])
    path = tr.quintic(home, (home.position + 0.05, home.rpy + 0.05), 1.0)
    found = proved_limits(machine, path)
    kinds = ("stroke", "determinant", "base cone", "distance", "platform cone")
    said = {kind: {v.status for v in found.of(kind)} for kind in kinds}
    assert said["stroke"] == said["determinant"] == {UNDECIDED}
    assert said["base cone"] == said["distance"] == {HOLDS}
    assert BROKEN in said["platform cone"]
    for v in found.of("platform cone"):
        if v.status == BROKEN:
            assert check(machine, path(v.time)).margin["platform cone"][v.legs[0]] < 0.0


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
