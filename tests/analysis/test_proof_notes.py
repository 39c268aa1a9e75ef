"""What a proof notes on its way: the worst instant, what was left open first, signs, jumps; and what it then says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough import trajectory as tr
from gough.analysis import jerk_proof, proved
from gough.analysis.proved import BROKEN, HOLDS, PLACES, UNDECIDED, LimitProof, proved_limits
from gough.analysis.verdicts import ProvedLimits, Verdict
from gough.checks import Array
from gough.model import Limits

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()


def proof(moving: dict[str, Array] | None = None, duration: float = 10.0) -> LimitProof:
    return LimitProof(MACHINE, tr.hold(HOME, duration), moving or {}, True, np.zeros(6))


class Functions:
    """Values (5, N, m, k) at the places, exact."""

    def __init__(self, value: Array) -> None:
        self.value = value

    def at(self, places: Array) -> tuple[Array, Array]:
        assert len(places) == len(PLACES)
        return self.value, np.zeros(self.value.shape[1:])


def test_a_broken_limit_is_noted_at_its_worst_instant() -> None:
    """Of all places of all intervals and both sides of the limit; each leg by itself; once."""
    made = proof()
    t, half = np.array([1.0, 4.0, 9.9]), np.array([0.5, 0.25, 0.5])
    value = np.ones((5, 3, 6, 2))
    value[3, 1, 0] = [0.5, -3.0]
    value[0, 0, 0] = [-2.0, 9.0]
    value[4, 2, 2] = [-1.0, -1.0]
    value[1, 0, 5] = [-1e-3, 0.2]
    value[1, 2, 5] = [7.0, -2e-3]
    made._note("stroke", Functions(value), t, half)  # type: ignore[arg-type]
    due = [4.0 + 0.5 * 0.25, np.nan, 10.0, np.nan, np.nan, 9.9 - 0.5 * 0.5]
    np.testing.assert_allclose(made.broken["stroke"], due)
    again = np.ones((5, 3, 6, 2))
    again[2, 0, :2] = -9.0
    made._note("stroke", Functions(again), t, half)  # type: ignore[arg-type]
    due[1] = 1.0
    np.testing.assert_allclose(made.broken["stroke"], due)  # the first that was found stays


def test_what_is_left_open_is_the_first_interval_of_each_limit() -> None:
    made = proof()
    each = np.zeros((3, 6), dtype=bool)
    each[1, 0] = each[2, 0] = each[2, 4] = True
    t, half = np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    made._leave("stroke", each, t, half)
    made._leave("stroke", np.ones((3, 6), dtype=bool), t + 5.0, half)
    later = [6.0, 0.1]
    assert made.open["stroke"].tolist() == [[2.0, 0.2], later, later, later, [3.0, 0.3], later]


def test_two_signs_break_the_determinant_between_their_first_instants() -> None:
    made = proof()
    made._note_signs(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    assert np.isnan(made.broken["determinant"][0])
    made._note_signs(np.array([3.0, 4.0, 5.0]), np.array([1.0, -1.0, -1.0]))
    assert made.signs == [(1.0, 1.0), (4.0, -1.0)]
    assert made.broken["determinant"][0] == 4.0
    (said,) = (made._verdict("determinant", tuple(range(6)), 0, None),)
    assert said.sentence == "determinant: broken: its sign changes between t = 1 s and t = 4 s"
    assert said.time == 4.0
    early = proof()
    early._note_signs(np.array([8.0]), np.array([-1.0]))
    early._note_signs(np.array([2.0]), np.array([1.0]))
    assert early.broken["determinant"][0] == 8.0


def test_distances_are_noted_where_they_are_least_and_by_more_than_rounding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    thick = MACHINE.replace(legs=[x.replace(limits=Limits(radius=0.01)) for x in MACHINE.legs])
    made = LimitProof(thick, tr.hold(HOME, 10.0), {}, False, np.zeros(6))
    pairs = len(made.limits["distance"])
    left = np.ones((3, pairs))
    slack = 1e-9 * thick.characteristic_length
    left[:, 0] = [0.1, -0.2, -0.3]
    left[:, 1] = [-0.5 * slack] * 3
    left[1, 2] = -2.0 * slack
    asked = list[int]()

    def room(platform: Any, kind: str, poses: Any) -> Array:
        asked.append(len(poses.position))
        return left

    monkeypatch.setattr(proved, "room", room)
    t = np.array([1.0, 2.0, 3.0])
    made._near("distance", t)
    np.testing.assert_array_equal(made.broken["distance"][:4], [3.0, np.nan, 2.0, np.nan])
    made.broken["distance"][:] = 7.0
    made._near("distance", t)
    assert asked == [3]  # all are known: nobody looks again


def test_every_kind_of_limit_names_its_legs() -> None:
    found = proved_limits(MACHINE, tr.hold(HOME, 1.0), max_acceleration=1.0, max_jerk=2.0)
    assert found.ok is True
    assert found.intervals >= 1
    assert found.of("determinant")[0].legs == (0, 1, 2, 3, 4, 5)
    assert [v.legs for v in found.of("jerk")] == [(i,) for i in range(6)]
    assert [v.legs for v in found.of("stroke")] == [(i,) for i in range(6)]
    assert found.of("determinant")[0].sentence == f"determinant: {HOLDS}"
    assert found.of("stroke")[2].sentence == f"{MACHINE.leg_names[2]}: stroke: {HOLDS}"
    assert not proved_limits(MACHINE, tr.hold(HOME, 1.0), determinant=False).of("determinant")


def test_intervals_are_counted_round_by_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """One piece that stays open: four parts each time, until the depth is reached or there are too many."""
    asked = list[int]()

    def judge(self: LimitProof, t: Array, half: Array) -> Any:
        asked.append(len(t))
        edges = np.stack([t - half, t + half])
        np.testing.assert_allclose(edges[0, 1:], edges[1, :-1])
        np.testing.assert_allclose([edges.min(), edges.max()], [0.0, 10.0], atol=1e-12)
        return said(self, len(t), False)

    def said(self: LimitProof, n: int, held: bool) -> Any:
        """Nothing but the determinant is proved, or everything; no model is tight."""
        out = {}
        for kind, legs in self.limits.items():
            known = np.full((n, len(legs)), held or kind == "determinant")
            out[kind] = known, np.zeros_like(known)
        return out

    monkeypatch.setattr(proved, "pieces", lambda path: np.array([0.0, 10.0]))
    monkeypatch.setattr(LimitProof, "_judge", judge)
    monkeypatch.setattr(proved, "DEPTH", 3)
    found = proof().verdicts()
    assert asked == [1, 4, 16, 64]
    assert found.intervals == 85
    assert {v.status for v in found.of("stroke")} == {UNDECIDED}
    assert found.of("determinant")[0].status == HOLDS
    one = found.of("stroke")[0]
    assert one.within == pytest.approx(10.0 / 128)
    assert one.time == pytest.approx(10.0 / 128)
    monkeypatch.setattr(proved, "MOST", 16)
    asked.clear()
    assert proof().verdicts().intervals == 21
    monkeypatch.setattr(proved, "BATCH", 3)
    monkeypatch.setattr(LimitProof, "_judge", lambda self, t, half: said(self, len(t), True))
    assert proof().verdicts().ok is True


def test_verdicts_together() -> None:
    def one(status: str, kind: str = "stroke") -> Verdict:
        return Verdict(kind, (0,), status, f"said {status}")

    assert ProvedLimits((one(HOLDS), one(HOLDS)), 2).ok is True
    assert ProvedLimits((one(HOLDS), one(UNDECIDED)), 2).ok is None
    assert ProvedLimits((one(UNDECIDED), one(BROKEN), one(HOLDS)), 2).ok is False
    assert ProvedLimits((), 0).ok is True
    both = ProvedLimits((one(HOLDS), one(BROKEN, "speed"), one(UNDECIDED)), 2)
    assert both.sentences() == ("said broken", "said undecided")
    assert [v.status for v in both.of("stroke")] == [HOLDS, UNDECIDED]


def jumps(monkeypatch: pytest.MonkeyPatch, steps: Array, doubt: float) -> tuple[Array, Array]:
    """Accelerations that jump by `steps` (m, 6) at the edges 1, 2, ... of a motion of 10 s."""
    edges = np.array([0.0, *range(1, len(steps) + 1), 10.0])
    monkeypatch.setattr(jerk_proof, "pieces", lambda path: edges)

    def acceleration(platform: Any, path: Any, t: Array, half: Array, end: float) -> Any:
        side = np.sign(t - edges[1:-1])
        assert (side == -end).all()
        np.testing.assert_allclose(np.abs(t - edges[1:-1]), half)
        assert (half <= 1e-10 + 1e-15).all()
        return np.where(side[:, None] > 0.0, steps, 0.0), np.full_like(steps, doubt)

    monkeypatch.setattr(jerk_proof, "_acceleration", acceleration)
    path: Any = SimpleNamespace(duration=10.0)
    return jerk_proof.acceleration_jumps(MACHINE, path, np.full(6, 2.0))


def test_jumps_are_told_where_they_are_sure_and_where_they_are_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A limit of 2 and a duration of 10: 2e-8 is left to rounding, as the module says."""
    steps = np.zeros((3, 6))
    steps[1, 0] = steps[2, 0] = 1.0
    steps[2, 1] = -1.0
    steps[0, 2] = 1.5e-8
    steps[1, 3] = 3e-8
    steps[2, 4] = 2.05e-8
    broken, opened = jumps(monkeypatch, steps, 1e-9)
    np.testing.assert_array_equal(broken, [2.0, 3.0, np.nan, 2.0, np.nan, np.nan])
    np.testing.assert_array_equal(opened[:, 0], [2.0, 3.0, np.nan, 2.0, 3.0, np.nan])
    assert (np.isfinite(opened[:, 1]) == np.isfinite(opened[:, 0])).all()
    assert np.nanmax(opened[:, 1]) <= 1e-10 * (1 + 1e-12)
    lost = jumps(monkeypatch, steps, np.nan)
    assert np.isnan(lost[0]).all()
    np.testing.assert_array_equal(lost[1][:, 0], 1.0)


def test_one_piece_has_no_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jerk_proof, "pieces", lambda path: np.array([0.0, 2.0]))
    broken, opened = jerk_proof.acceleration_jumps(MACHINE, tr.hold(HOME, 2.0), np.ones(6))
    assert broken.shape == (6,)
    assert opened.shape == (6, 2)
    assert np.isnan(broken).all()
    assert np.isnan(opened).all()


@pytest.mark.parametrize("bad", [np.zeros((2, 6)), np.zeros(5)])
def test_one_wrench_is_asked_for(bad: Array) -> None:
    with pytest.raises(gough.InputError, match="external"):
        proved_limits(MACHINE, tr.hold(HOME, 1.0), external=bad)
