"""What is said of a cue's limits is true of it; the scaled vehicle and the seat; the made-up drive."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import cueing
from gough.cueing.making import method_of
from gough.cueing.proof import OUTSIDE
from gough.cueing.verdicts import BROKEN, NONE, PROVED, SAMPLED, cue_verdict, judged_kinds
from gough.limits import check

G = 9.80665
REST = np.array([0.0, 0.0, G])


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture(scope="module")
def short() -> cueing.Telemetry:
    v = cueing.example_drive()
    return cueing.telemetry(v.time[:301], v.specific_force[:301], v.angular_rate[:301])


def test_four_words_each_where_it_is_true(base: gough.Platform, short: cueing.Telemetry) -> None:
    good = cueing.cue(base, short)
    assert (good.verdict.word, good.proved) == (PROVED, True)
    assert good.verdict.text == "stroke, base cone, platform cone, distance, speed"
    wild = cueing.cue(base, short, cueing.ClassicalWashout(force_scale=10.0, force_limit=40.0))
    assert wild.verdict.word == BROKEN
    assert wild.limits.sentences()[0] in wild.verdict.text
    crank = cueing.cue(gough.load("servo-hexapod"), short, scale=0.01)
    assert crank.within_limits
    assert crank.verdict.word == SAMPLED
    assert f"at {crank.looked} times, nothing proved between: legs whose" in crank.verdict.text
    free = cueing.cue(gough.load("dasgupta-1998-physical"), short)
    assert free.within_limits  # of nothing: so it is not said
    assert free.verdict.word == NONE
    assert "within" not in repr(free)
    assert "proved" not in repr(free)
    for found in (good, wild, crank, free):
        assert str(found.verdict) in repr(found)


def test_an_instant_outside_between_the_looks_is_broken(base: gough.Platform) -> None:
    limits = check(base, gough.Motion.at_rest(base.require_home()))
    assert cue_verdict(limits, 5, 1.0, None).word == PROVED
    said = cue_verdict(limits, 5, 1.0, f"{OUTSIDE}0.3 s")
    assert said.word == BROKEN
    assert "0.3 s" in said.text


def test_cones_that_cannot_be_checked_are_no_limits_that_hold(short: cueing.Telemetry) -> None:
    """All that the machine limits is a cone whose axis nobody knows: nothing was judged, and it says why."""
    plain = gough.load("dasgupta-1998-physical")
    home = plain.require_home()
    cone = gough.Limits(base_cone=0.5)
    legs = tuple(leg.replace(limits=cone) for leg in plain.legs)
    found = cueing.cue(plain.replace(legs=legs, home=None), short, home=home)
    assert found.limits.unchecked
    assert judged_kinds(found.limits) == ()
    assert found.verdict.word == NONE
    assert found.limits.unchecked[0] in found.verdict.text


def test_force_and_rate_have_their_own_scales_in_the_score(
    base: gough.Platform, short: cueing.Telemetry
) -> None:
    law = cueing.ClassicalWashout(force_scale=(0.5, 0.4, 0.3), rate_scale=0.2)
    found = cueing.cue(base, short, law, scale=0.5)
    assert found.factors.tolist() == [0.25, 0.2, 0.15, 0.1, 0.1, 0.1]
    wanted = found.factors * np.hstack([short.specific_force - REST, short.angular_rate])
    assert np.allclose(found.wanted - np.append(REST, np.zeros(3)), wanted, rtol=0, atol=1e-14)
    same = cueing.score(short, found.trajectory(short.time), found.factors)
    assert np.array_equal(same.missed, found.score.missed)
    one = cueing.score(short, found.trajectory(short.time), 0.2)  # the factor of none of the rates
    assert abs(one.missed[4] - found.score.missed[4]) > 1e-4
    with pytest.raises(gough.InputError, match="one number or six"):
        cueing.score(short, found.trajectory(short.time), [1.0, 2.0])


def test_what_is_felt_does_not_depend_on_how_home_is_turned(
    base: gough.Platform, short: cueing.Telemetry
) -> None:
    """The seat looks along the world's x at the neutral pose, however the platform's own axes lie there."""
    home = base.require_home()
    turned = gough.Pose.from_rpy(home.position, [0.0, 0.0, 0.05])
    straight, other = (cueing.cue(base, short, home=at) for at in (home, turned))
    assert np.allclose(straight.felt, other.felt, rtol=0, atol=1e-9)
    assert np.allclose(straight.score.missed, other.score.missed, rtol=0, atol=1e-9)


def test_a_washout_that_diverges_is_a_sentence(
    base: gough.Platform, short: cueing.Telemetry
) -> None:
    with (
        np.errstate(all="ignore"),
        pytest.raises(gough.InputError, match="must stay finite"),
    ):
        cueing.cue(base, short, cueing.AdaptiveWashout(spring=1e8))


def test_methods_by_name_and_parameters() -> None:
    law = method_of("classical", {"third": [0.0], "translation": (1.0, 2.0, 3.0)})
    assert isinstance(law, cueing.ClassicalWashout)
    assert law.third.tolist() == [0.0, 0.0, 0.0]
    assert law.translation.tolist() == [1.0, 2.0, 3.0]
    for name, parameters, why in (
        ("magic", {}, "must be one of classical"),
        ("adaptive", {"third": [1.0]}, "must be of scale, damping"),
        ("adaptive", {"spring": [1.0, 2.0]}, "one number or three"),
        ("adaptive", {"spring": [-1.0]}, "must be at least 0"),
    ):
        with pytest.raises(gough.InputError, match=why):
            method_of(name, parameters)


def test_the_made_up_drive_is_physical() -> None:
    """Its yaw rate times its speed is the acceleration across; it begins and ends straight, at one speed."""
    v = cueing.example_drive()
    assert (v.step, v.duration) == (pytest.approx(0.02), 20.0)
    roll = np.concatenate(
        [[0.0], np.cumsum(0.5 * v.step * (v.angular_rate[1:, 0] + v.angular_rate[:-1, 0]))]
    )
    across = v.specific_force[:, 1] - G * np.sin(roll)
    assert np.allclose(roll, -0.012 * across, rtol=0, atol=1e-4)
    turning = np.abs(v.angular_rate[:, 2]) > 0.02
    speed = across[turning] / v.angular_rate[turning, 2]
    assert ((speed > 8.0) & (speed < 16.0)).all()
    assert np.abs(v.specific_force[[0, -1]] - REST).max() < 0.05
    assert abs(np.sum(v.specific_force[:, 0]) * v.step) < 0.2
