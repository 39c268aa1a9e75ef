"""One combination of motor, gear and screw by hand: its drive, what each part bears, its life, and the words for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import drive_choice
from gough.analysis.catalogue import Catalogue, GearData, MotorData, ScrewData
from gough.analysis.drive_choice import DIRECT, _Trial, select_drives
from gough.analysis.drive_verdicts import (
    SAMPLED,
    DriveCheck,
    DriveChoice,
    DriveOption,
    compare,
    harder,
)
from gough.analysis.duty import Duty, Spread
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED
from gough.checks import Array
from gough.model import UCU

MACHINE = gough.load("motion-base-1500")
MOTOR = MotorData(2.0, 300.0, 6.0, 500.0, 2e-3)
GEAR = GearData(3.0, 0.9, 80.0, 900.0, 1e-3)
SCREW = ScrewData(0.01, 0.8, 2e4, 4e4, 250.0, 5e-3)
RADIAN = 0.01 / (2.0 * np.pi)  # m of the screw


def spread(low: Any, high: Any) -> Spread:
    """(n, 6) from one row each, the same for all legs."""
    a, b = (np.tile(np.array(x, dtype=float)[:, None], (1, 6)) for x in (low, high))
    return Spread(a, b, 0.5 * (a + b))


def duty(**parts: Spread) -> Duty:
    n = len(next(iter(parts.values())).low)
    none = spread(np.zeros(n), np.zeros(n))
    given = dict.fromkeys(("effort", "rate", "acceleration", "coordinate"), none) | parts
    return Duty(np.arange(n) + 0.5, np.ones(n), proved=True, **given)


def trial(**parts: Any) -> _Trial:
    given = {"motor": MOTOR, "gear": GEAR, "screw": SCREW} | parts
    return _Trial(given.pop("platform", MACHINE), given.pop("legs", [1, 4]), **given)


def test_the_drive_of_a_combination() -> None:
    """Ratio over lead, inertias seen by the motor, efficiencies multiplied, drags added."""
    made = trial(motor=replace(MOTOR, drag=0.02, curve=None), gear=replace(GEAR, drag=0.03)).drive
    assert made.ratio == pytest.approx(3.0 / RADIAN)
    assert made.rotor_inertia == pytest.approx(2e-3 + 1e-3 + 5e-3 / 9.0)
    assert made.efficiency == pytest.approx(0.72)
    assert made.back_efficiency == pytest.approx((2.0 - 1.0 / 0.9) * (2.0 - 1.0 / 0.8))
    assert made.coulomb == pytest.approx(0.05)
    plain = trial(screw=None).drive
    assert plain.ratio == 3.0
    assert plain.rotor_inertia == pytest.approx(3e-3)
    assert plain.efficiency == pytest.approx(0.9)
    assert plain.back_efficiency == pytest.approx(2.0 - 1.0 / 0.9)
    assert plain.coulomb == 0.0
    direct = trial(gear=DIRECT, screw=None).drive
    assert (direct.ratio, direct.efficiency, direct.back_efficiency) == (1.0, 1.0, 1.0)
    assert direct.rotor_inertia == MOTOR.rotor_inertia


@pytest.mark.parametrize(
    ("gear", "screw", "back"),
    [(0.6, 0.5, 0.3), (-0.5, 0.8, -0.5), (0.7, -0.25, -0.25), (-0.5, -0.25, -0.5)],
)
def test_two_stages_that_hold_by_themselves_do_not_drive_back_together(
    gear: float, screw: float, back: float
) -> None:
    made = trial(
        gear=replace(GEAR, back_efficiency=gear), screw=replace(SCREW, back_efficiency=screw)
    )
    assert made.drive.back_efficiency == pytest.approx(back)


def test_torque_with_drag_goes_either_way_where_the_leg_may_stand_still() -> None:
    """No losses: load and inertia over the ratio, drag against the motion; rest counts as either direction."""
    lossless = {"gear": replace(GEAR, efficiency=1.0), "screw": replace(SCREW, efficiency=1.0)}
    made = trial(motor=replace(MOTOR, drag=0.5, curve=None), **lossless)
    nu, inertia = made.drive.ratio, made.drive.rotor_inertia
    for rates, below, above in (
        ((0.1, 0.2), 0.5, 0.5),
        ((-0.2, -0.1), -0.5, -0.5),
        ((-0.1, 0.1), -0.5, 0.5),
        ((0.0, 0.1), -0.5, 0.5),
        ((-0.1, 0.0), -0.5, 0.5),
    ):
        d = duty(
            effort=spread([100.0], [300.0]),
            rate=spread([rates[0]], [rates[1]]),
            acceleration=spread([-2.0], [5.0]),
        )
        found = made._torque(d)
        assert found.low.shape == (1, 2)
        np.testing.assert_allclose(found.low, 100.0 / nu - 2.0 * nu * inertia + below, rtol=1e-6)
        np.testing.assert_allclose(found.high, 300.0 / nu + 5.0 * nu * inertia + above, rtol=1e-6)
        low, high = found.low[0, 0], found.high[0, 0]
        exact = 100.0 / nu - 2.0 * nu * inertia + below, 300.0 / nu + 5.0 * nu * inertia + above
        assert low < exact[0]  # rounding is inside
        assert high > exact[1]


def test_what_the_output_of_a_gear_bears() -> None:
    """Load through the screw with its loss, and the screw's own inertia; without a screw the effort itself."""
    d = duty(effort=spread([-400.0], [-100.0]), acceleration=spread([-0.3], [0.2]))
    most, least = trial()._gear_torque(d)
    turn = 5e-3 / RADIAN * 0.3
    np.testing.assert_allclose(most, 400.0 / 0.8 * RADIAN + turn, rtol=1e-12)
    np.testing.assert_allclose(least, max(100.0 * 0.75 * RADIAN - turn, 0.0), rtol=1e-12)
    light = trial(screw=replace(SCREW, inertia=1e-5, efficiency=0.96, back_efficiency=0.5))
    most, least = light._gear_torque(d)
    np.testing.assert_allclose(most, 400.0 / 0.96 * RADIAN + turn / 500.0, rtol=1e-12)
    np.testing.assert_allclose(least, 100.0 * 0.5 * RADIAN - turn / 500.0, rtol=1e-12)
    for efficiency, back in ((0.96, 2.0 - 1.0 / 0.96), (0.8, 0.75), (0.5, 0.0), (0.4, 0.0)):
        # without a number of its own: as much is lost driving back as forth
        own = trial(screw=replace(SCREW, inertia=0.0, efficiency=efficiency))
        np.testing.assert_allclose(own._gear_torque(d)[1], 100.0 * back * RADIAN, atol=1e-15)
    held = trial(screw=replace(SCREW, inertia=0.0, back_efficiency=-0.2))
    np.testing.assert_array_equal(held._gear_torque(d)[1], np.zeros((1, 2)))
    most, least = trial(screw=None)._gear_torque(d)
    np.testing.assert_array_equal(most, np.full((1, 2), 400.0))
    np.testing.assert_array_equal(least, np.full((1, 2), 100.0))


def test_root_mean_squares_are_over_the_weights() -> None:
    d = replace(duty(effort=spread([3.0, -2.0], [4.0, 1.0])), weight=np.array([3.0, 1.0]))
    made = trial()
    most, least = made._rms(made._own(d.effort), d)
    np.testing.assert_allclose(most, np.sqrt((3.0 * 16.0 + 4.0) / 4.0))
    np.testing.assert_allclose(least, np.sqrt(3.0 * 9.0 / 4.0))


def numbers(made: _Trial, d: Duty) -> dict[str, DriveCheck]:
    open_: set[str] = set()
    return {c.name: c for c in made._checks(d, open_)}


def test_every_check_of_a_combination_by_hand() -> None:
    """Lossless, without inertia: torques are loads over the ratio, speeds rates times it."""
    parts = {
        "motor": replace(MOTOR, rotor_inertia=0.0, curve=np.array([[0.0, 6.0], [400.0, 2.0]])),
        "gear": replace(GEAR, efficiency=1.0, inertia=0.0, ratio=2.0),
        "screw": replace(SCREW, efficiency=1.0, inertia=0.0),
    }
    made = trial(**parts)
    nu = 2.0 / RADIAN
    d = duty(
        effort=spread([800.0, -500.0], [1000.0, -400.0]), rate=spread([0.1, -0.3], [0.2, -0.2])
    )
    found = numbers(made, d)
    torques, speeds = np.array([1000.0, 500.0]) / nu, np.array([0.2, 0.3]) * nu
    have = np.interp(speeds, [0.0, 400.0], [6.0, 2.0])
    worst = int((torques / have).argmax())
    at = found["motor torque at its speed"]
    assert at.use == pytest.approx((torques / have).max(), rel=1e-6)
    assert at.have == pytest.approx(have[worst], rel=1e-6)
    assert at.need == at.least == pytest.approx(torques[worst], rel=1e-6)
    sure = np.array([800.0, 400.0]) / nu / np.interp(np.array([0.1, 0.2]) * nu, [0, 400], [6, 2])
    assert at.least_use == pytest.approx(sure.max(), rel=1e-6)
    due = {
        "motor speed": (0.3 * nu, 0.2 * nu, 500.0),
        "motor rms torque": (
            np.sqrt((torques**2).mean()),
            np.sqrt((800.0**2 + 400.0**2) / 2.0) / nu,
            2.0,
        ),
        "motor rms speed": (
            np.sqrt((speeds**2).mean()),
            nu * np.sqrt((0.1**2 + 0.2**2) / 2.0),
            300.0,
        ),
        "gear output torque": (1000.0 * RADIAN, 800.0 * RADIAN, 80.0),
        "gear input speed": (0.3 * nu, 0.2 * nu, 900.0),
        "screw load": (1000.0, 800.0, 4e4),
        "screw speed": (0.3 / RADIAN, 0.2 / RADIAN, 250.0),
    }
    assert set(found) == {*due, "motor torque at its speed"}
    for name, (need, least, allowed) in due.items():
        check = found[name]
        assert check.need == pytest.approx(need, rel=1e-6), name
        assert check.least == pytest.approx(least, rel=1e-6), name
        assert check.have == allowed
        assert check.use == pytest.approx(need / allowed, rel=1e-6)
        assert check.least_use == pytest.approx(least / allowed, rel=1e-6)
    direct = numbers(trial(**(parts | {"gear": DIRECT})), d)
    assert set(due) - set(direct) == {"gear output torque", "gear input speed"}
    assert set(numbers(trial(**(parts | {"screw": None})), d)) == {
        "motor torque at its speed", *list(due)[:5],
    }  # fmt: skip


def test_a_motor_at_rest_without_a_load_is_asked_for_nothing() -> None:
    """Nothing over nothing is nothing; something above the largest speed is without end."""
    still = duty(effort=spread([0.0], [0.0]))
    lossless = {"gear": replace(GEAR, efficiency=1.0), "screw": replace(SCREW, efficiency=1.0)}
    assert numbers(trial(**lossless), still)["motor torque at its speed"].use == pytest.approx(
        0.0, abs=1e-12
    )
    fast = duty(effort=spread([100.0], [100.0]), rate=spread([5.0], [5.0]))
    found = numbers(trial(**lossless), fast)["motor torque at its speed"]
    assert (found.use, found.least_use, found.have) == (np.inf, np.inf, 0.0)
    assert found.sentence(True).endswith("there is none at this speed")


THICK = replace(SCREW, root_diameter=0.02)


def buckling(made: _Trial, d: Duty) -> tuple[DriveCheck | None, set[str]]:
    open_: set[str] = set()
    found = list(made._buckling(d, open_))
    return (found[0] if found else None), open_


def test_buckling_counts_pushes_of_struts_and_both_ways_of_sliders() -> None:
    d = duty(
        effort=spread([-900.0, 100.0], [-700.0, 300.0]), coordinate=spread([0.8, 1.0], [0.9, 1.25])
    )
    found, open_ = buckling(trial(screw=THICK), d)
    assert found is not None
    assert not open_
    long, short = (THICK.buckling_load(x) for x in (1.25, 0.8))
    assert long is not None
    assert short is not None
    assert (found.need, found.least, found.have) == (300.0, 100.0, long)
    assert found.use == pytest.approx(300.0 / long)
    assert found.least_use == pytest.approx(100.0 / short)
    own, _ = buckling(trial(screw=replace(THICK, length=0.5)), d)
    bears = THICK.buckling_load(0.5)
    assert own is not None
    assert bears is not None
    assert (own.use, own.least_use) == (pytest.approx(300.0 / bears), pytest.approx(100.0 / bears))
    pulled = duty(effort=spread([-900.0], [-700.0]), coordinate=spread([0.8], [0.9]))
    only, _ = buckling(trial(screw=THICK), pulled)
    assert only is not None
    assert (only.need, only.least) == (0.0, 0.0)
    rails = gough.load("hexaglide")
    slid, _ = buckling(trial(platform=rails, screw=replace(THICK, length=0.5)), d)
    assert slid is not None
    assert (slid.need, slid.least) == (900.0, 700.0)


def test_buckling_that_cannot_be_judged_says_why() -> None:
    d = duty(effort=spread([100.0], [300.0]), coordinate=spread([0.8], [0.9]))
    assert buckling(trial(), d) == (None, {"buckling: the screw has no root diameter"})
    lost = {"buckling: the screw has no length, and its leg does not tell"}
    assert buckling(trial(platform=gough.load("hexaglide"), screw=THICK), d) == (None, lost)
    turning = gough.load("screw-hexapod")
    assert any(isinstance(leg, UCU) and leg.screw is not None for leg in turning.legs)
    assert buckling(trial(platform=turning, screw=THICK), d) == (None, lost)
    assert buckling(trial(platform=turning, screw=replace(THICK, length=1.0)), d)[0] is not None


def test_the_life_of_a_screw_in_hours_of_the_motion() -> None:
    """``1e6 C^3 / sum F^3 turns`` cycles, each as long as the motion; of the leg that wears most."""
    d = duty(effort=spread([-2e3, 1e3], [-1e3, 2e3]), rate=spread([-0.2, 0.1], [0.1, 0.3]))
    d = replace(d, weight=np.array([2.0, 4.0]))
    cycles = 1e6 * 2e4**3 / (8e9 * 0.2 / 0.01 * 2.0 + 8e9 * 0.3 / 0.01 * 4.0)
    assert trial()._life(d, most=True) == pytest.approx(cycles * 6.0 / 3600.0)
    often = 1e6 * 2e4**3 / (1e9 * 0.1 / 0.01 * 4.0)
    assert trial()._life(d, most=False) == pytest.approx(often * 6.0 / 3600.0)
    first = d.effort.high.copy()
    first[:, 4] *= 2.0
    harder_leg = replace(d, effort=Spread(d.effort.low, first, d.effort.value))
    assert trial()._life(harder_leg, most=True) < trial()._life(d, most=True)
    assert trial(legs=[1])._life(harder_leg, most=True) == trial()._life(d, most=True)


def test_the_hardest_motion_decides_and_the_shortest_life() -> None:
    easy = duty(effort=spread([50.0], [100.0]), rate=spread([0.01], [0.02]))
    hard = duty(effort=spread([150.0], [300.0]), rate=spread([0.03], [0.04]))
    made = trial()
    for order in ({"a": easy, "b": hard}, {"b": hard, "a": easy}):
        checks, open_, hours = made.judge(order, 5.0)
        named = {c.name: c for c in checks}
        assert open_ == ("buckling: the screw has no root diameter",)
        lives = [made._life(d, most=True) for d in (easy, hard)]
        assert hours == min(lives) == lives[1]
        life = named["screw life"]
        assert (life.need, life.least, life.unit) == (5.0, 5.0, "h")
        assert life.have == lives[1]
        assert life.use == pytest.approx(5.0 / lives[1])
        assert life.least_use == pytest.approx(5.0 / made._life(hard, most=False))
        assert (named["screw load"].need, named["screw load"].least) == (300.0, 150.0)
    assert "screw life" not in {c.name for c in made.judge({"a": easy}, None)[0]}
    assert trial(screw=None).judge({"a": easy}, 5.0)[2] is None


def check(use: float, least: float, name: str = "load", have: float = 10.0) -> DriveCheck:
    return DriveCheck(name, use * have, least * have, have, "N", use, least)


@pytest.mark.parametrize(
    ("use", "least", "proved", "status", "said"),
    [
        (1.0, 0.5, True, HOLDS, "load: holds, proved of 10 N"),
        (1.0, 0.5, False, SAMPLED, "load: holds at samples of 10 N"),
        (1.25, 1.0, True, UNDECIDED, "load: undecided: between 100 and 125 % of 10 N"),
        (1.5, 1.25, True, BROKEN, "load: broken: at least 125 % of 10 N"),
        (1.5, 1.25, False, BROKEN, "load: broken at samples: at least 125 % of 10 N"),
    ],
)
def test_words_of_a_check(use: float, least: float, proved: bool, status: str, said: str) -> None:
    found = check(use, least)
    assert found.status(proved) == status
    assert found.sentence(proved) == said


def test_of_two_motions_the_harder_one_and_what_either_asks_for_sure() -> None:
    a, b = check(0.9, 0.2), check(0.5, 0.4)
    for one, other in ((a, b), (b, a)):
        found = harder(one, other)
        assert (found.use, found.least_use, found.need) == (0.9, 0.4, a.need)
    first, second = check(0.5, 0.1, "first"), check(0.5, 0.1, "second")
    assert harder(first, second).name == "first"
    found = compare("x", np.array([1.0, -4.0, 3.0]), np.array([0.5, 0.25]), 2.0, "N")
    assert found == DriveCheck("x", 3.0, 0.5, 2.0, "N", 1.5, 0.25)


def option(*checks: DriveCheck, life: float | None = None, screw: str = "S") -> DriveOption:
    drive = gough.Drive(2.0, rotor_inertia=3e-3, efficiency=0.8, back_efficiency=0.7)
    return DriveOption("M", "G", screw, MACHINE.leg_names[:2], drive, checks, ("x",), life, True)


def test_an_option_is_as_good_as_its_worst_check() -> None:
    fine, open_, bad = check(0.5, 0.1, "a"), check(1.1, 0.9, "b"), check(3.0, 2.0, "c")
    assert option(fine).status == HOLDS
    assert option(fine, open_).status == UNDECIDED
    assert option(bad, open_, fine).status == BROKEN
    assert option(fine, bad, open_).use == 3.0
    assert option(fine, check(1.0, 1.0, "d"), bad).reasons() == (bad.sentence(True),)
    choice = DriveChoice((option(fine), option(bad)), ("said",))
    assert choice.holding == choice.options[:1]
    told = option(fine, bad, life=np.inf).as_dict()
    assert told["screw_life_h"] is None
    assert told["use"] == 3.0
    assert [c["status"] for c in told["checks"]] == [HOLDS, BROKEN]
    assert told["drive"]["ratio_unit"] == "rad/m"
    assert option(fine, screw="").as_dict()["drive"]["ratio_unit"] == "rad/rad"
    assert option(fine, life=4.0).as_dict()["screw_life_h"] == 4.0
    assert option(check(np.inf, np.inf)).as_dict()["use"] is None


def test_torque_of_a_motor_over_its_speed() -> None:
    """Along its curve, never above the peak, nothing beyond the largest speed of either."""
    flat = MOTOR.torque_at(np.array([0.0, 500.0, 500.1]))
    assert flat.tolist() == [6.0, 6.0, 0.0]
    curve = np.array([[0.0, 8.0], [200.0, 8.0], [400.0, 2.0]])
    bent = replace(MOTOR, curve=curve)
    at = np.array([0.0, 200.0, 300.0, 400.0, 401.0])
    np.testing.assert_allclose(bent.torque_at(at), [6.0, 6.0, 5.0, 2.0, 0.0])
    slow = replace(MOTOR, curve=curve, peak_speed=250.0)
    np.testing.assert_allclose(slow.torque_at(np.array([250.0, 251.0])), [6.0, 0.0])


def test_what_a_part_does_not_tell_is_nothing() -> None:
    """Drags and inertias that are left out; steel."""
    assert MOTOR.drag == GEAR.drag == GearData(1.0, 1.0, 1.0, 1.0).inertia == 0.0
    assert ScrewData(0.01, 0.8, 2e4, 4e4, 250.0).inertia == 0.0
    assert 190e9 < SCREW.modulus < 220e9  # Pa, steels
    with pytest.raises(gough.InputError, match="at least one motor"):
        Catalogue({})


def test_options_stand_in_order_of_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that hold first, the one with most room before the others; screws of struts, gears where there are any."""
    d = duty(effort=spread([100.0], [300.0]), rate=spread([0.01], [0.02]))
    monkeypatch.setattr(drive_choice, "duty", lambda *_: d)
    motors = {
        "small": replace(MOTOR, peak_torque=1e-3, curve=None),
        "large": replace(MOTOR, peak_torque=20.0, continuous_torque=20.0, curve=None),
        "middle": MOTOR,
    }
    screws = {"S": replace(SCREW, dynamic_load=1e5)}
    found = select_drives(MACHINE, [None], Catalogue(motors, {}, screws))  # type: ignore[list-item]
    assert [o.motor for o in found.options][-1] == "small"
    uses = [o.use for o in found.options]
    assert uses == sorted(uses)
    assert {o.gear for o in found.options} == {""}
    assert all(o.legs == MACHINE.leg_names for o in found.options)
    assert found.judged == ("motion 1: bounded at every instant",)
    with pytest.raises(gough.InputError, match="at least one motion"):
        select_drives(MACHINE, [], Catalogue(motors, {}, screws))


def rows(found: Array) -> list[float]:
    return np.asarray(found).ravel().tolist()


def test_a_trial_looks_at_its_own_legs_only() -> None:
    values = np.arange(12.0).reshape(2, 6)
    own = trial(legs=[5, 0])._own(Spread(values, values + 1.0, values + 0.5))
    assert rows(own.low) == [5.0, 0.0, 11.0, 6.0]
    assert rows(own.high) == [6.0, 1.0, 12.0, 7.0]
    assert rows(own.value) == [5.5, 0.5, 11.5, 6.5]
