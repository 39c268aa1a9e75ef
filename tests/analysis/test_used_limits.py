"""How much of a limit is used: shares by hand, legs without a limit, the worst sample; marks; load cases."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import workspace
from gough.analysis.envelope import limit_report
from gough.analysis.marks import NEAR, limit_marks
from gough.analysis.utilisation import load_cases, used_share, utilisation
from gough.analysis.workspace import workspace_slice
from gough.limits import KINDS, check
from gough.model import Limits, Plate
from gough.spatial import Motion, Pose
from gough.struts import struts

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
UP = np.array([0.0, 0.0, 1.0])


def limited(**of_leg: Limits) -> gough.Platform:
    """Limits of some legs ("leg2": the third), none of the others."""
    legs = [
        leg.replace(limits=of_leg.get(f"leg{i}", Limits())) for i, leg in enumerate(MACHINE.legs)
    ]
    return MACHINE.replace(legs=legs)


@pytest.mark.parametrize(
    ("kind", "margin", "share"),
    [
        ("stroke", 0.5, 0.0),
        ("stroke", 0.0, 1.0),
        ("stroke", -0.25, 1.5),
        ("speed", 0.75, 0.25),
        ("base cone", 1.0, 0.0),
        ("distance", 3.0, 0.25),
        ("platform clearance", 0.0, 1.0),
        ("distance", -0.5, 2.0),
        ("base clearance", -1.0, np.inf),
        ("distance", -1.5, np.inf),
    ],
)
def test_shares_of_limits(kind: str, margin: float, share: float) -> None:
    assert float(used_share(kind, np.array(margin))) == share


def heave(*heights: float) -> Motion:
    n = len(heights)
    position = np.tile(HOME.position, (n, 1))
    position[:, 2] += heights
    return Motion(position, np.tile(HOME.rotation, (n, 1, 1)), time=np.arange(n) * 0.5)


def test_the_worst_sample_of_each_limited_leg() -> None:
    """Strokes of two legs and a distance of two others; the rest has no such limit."""
    length = gough.inverse_kinematics(MACHINE, HOME).length
    stroke = (float(length[2]) - 0.1, float(length[2]) + 0.1)
    machine = limited(
        leg2=Limits(stroke=stroke), leg4=Limits(radius=0.02), leg5=Limits(radius=0.03)
    )
    motion = heave(0.0, 0.2, -0.05)
    rows = {row["kind"]: row["legs"] for row in utilisation(check(machine, motion), motion.time)}
    assert set(rows) == {"stroke", "distance"}
    assert [leg is None for leg in rows["stroke"]] == [i != 2 for i in range(6)]
    high = gough.inverse_kinematics(MACHINE, Pose(HOME.position + 0.2 * UP)).length[2]
    one = rows["stroke"][2]
    assert one["time"] == 0.5
    assert one["value"] == pytest.approx(high)
    assert (one["low"], one["high"]) == pytest.approx(stroke)
    assert one["share"] == pytest.approx(abs(high - length[2]) / 0.1)
    assert one["broken"] is bool(high > stroke[1])
    pair = rows["distance"]
    assert [leg is None for leg in pair] == [i not in (4, 5) for i in range(6)]
    assert pair[4]["low"] == pytest.approx(0.05)
    assert pair[4]["high"] is None
    assert not pair[4]["broken"]
    assert pair[4]["share"] == pytest.approx(0.05 / pair[4]["value"])
    touching = limited(leg0=Limits(radius=1.0), leg1=Limits(radius=1.0))
    told = utilisation(check(touching, motion), motion.time)
    worst = next(row for row in told if row["kind"] == "distance")["legs"][0]
    assert worst["broken"] is True


def test_marks_are_bits_of_kinds() -> None:
    """Below nothing is broken, from there to the edge near, beyond it nothing; without a limit nothing."""
    margin = {kind: np.full((2, 6), np.nan) for kind in KINDS}
    margin["stroke"][0] = [-0.1, 0.0, 0.99 * NEAR, NEAR, 0.4, np.nan]
    margin["speed"][0, :2] = [-1.0, 0.01]
    margin["force"][1, 3] = 0.0
    broken, near = limit_marks(SimpleNamespace(margin=margin))  # type: ignore[arg-type]
    stroke, speed, force = (1 << KINDS.index(kind) for kind in ("stroke", "speed", "force"))
    assert broken.tolist() == [[stroke | speed, 0, 0, 0, 0, 0], [0] * 6]
    assert near.tolist() == [[0, stroke | speed, stroke, 0, 0, 0], [0, 0, 0, force, 0, 0]]


def test_load_cases_are_the_samples_of_the_largest_efforts() -> None:
    rng = np.random.default_rng(0)
    force = rng.uniform(-1.0, 1.0, (5, 6))
    force[3, :2] = [-9.0, 8.0]
    force[1, 2:] = [7.0, -7.0, 6.0, -6.0]
    data: dict[str, Any] = {
        "force": {"exact": force},
        "t": np.arange(5) * 0.1,
        "position": rng.normal(size=(5, 3)),
        "quaternion": rng.normal(size=(5, 4)),
    }
    found = load_cases(data)
    assert [case["time"] for case in found] == pytest.approx([0.1, 0.3])
    assert [case["legs"] for case in found] == [[2, 3, 4, 5], [0, 1]]
    for case, k in zip(found, (1, 3), strict=True):
        assert case["force"] == force[k].tolist()
        assert case["position"] == data["position"][k].tolist()
        assert case["quaternion"] == data["quaternion"][k].tolist()


def test_reports_tell_what_is_allowed_of_each_kind() -> None:
    """Both ends of a stroke, the upper end of rates and cones, the lower one of distances and clearances."""
    machine = limited(
        leg0=Limits(stroke=(0.5, 2.5), speed=0.7, base_cone=0.9, force=9e5, radius=0.02),
        leg3=Limits(radius=0.04),
    ).replace(base_shape=Plate(bottom=-0.5, top=-0.3, radius=1.0, spared=0.0))
    found = limit_report(machine, heave(0.0, 0.01))
    rows = {(row["leg"], row["kind"]): row for row in found["rows"]}
    names = machine.leg_names
    due = {
        "stroke": (0.5, 2.5), "speed": (None, 0.7), "base cone": (None, 0.9), "force": (None, 9e5),
        "distance": (0.06, None), "base clearance": (0.02, None),
    }  # fmt: skip
    for kind, allowed in due.items():
        told = rows[names[0], kind]["allowed"]
        assert told == tuple(None if x is None else pytest.approx(x) for x in allowed), kind
    assert rows[names[3], "base clearance"]["allowed"] == (pytest.approx(0.04), None)
    free = rows[names[1], "stroke"]
    assert free["allowed"] == (None, None)
    assert free["margin"] is None
    assert free["time"] is None
    assert free["max"] > free["min"]
    assert rows[names[0], "stroke"]["time"] in (0.0, 0.5)


def test_a_slice_has_no_sides_where_home_is_singular_or_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the sides are those of the determinant, of points inside the limits alone."""
    rails = gough.load("hexaglide")
    far = Pose(rails.require_home().position + 50.0 * UP)
    assert float(workspace.determinant_signs(rails, struts(rails, far))) == 0.0
    position = np.tile(HOME.position, (3, 1))
    found = check(MACHINE, Pose(position, np.tile(HOME.rotation, (3, 1, 1))))
    assert workspace._beyond(MACHINE.replace(home=None), found) is None
    for here, due in ((1.0, [True, False, False]), (-1.0, [False, True, False]), (0.0, None)):
        told = iter([np.array(here), np.array([-1.0, 1.0, 0.0])])
        monkeypatch.setattr(workspace, "determinant_signs", lambda *_, told=told: next(told))
        beyond = workspace._beyond(MACHINE, found)
        assert (None if beyond is None else beyond.tolist()) == due


def test_words_of_a_slice() -> None:
    found = workspace_slice(MACHINE, points=4)
    names = ("plane", "level", "rotation", "u", "v", "margin")
    grid: dict[str, Any] = {name: getattr(found, name) for name in names}
    reason = np.zeros((4, 4), dtype=int)
    reason[0] = 2
    beyond = np.zeros((4, 4), dtype=bool)

    def said(limited: bool = True, beyond: Any = None) -> str:
        return workspace.WorkspaceSlice(
            **grid, reason=reason, area=0.25, limited=limited, beyond=beyond
        ).words()

    assert said(False) == "no stroke, cone or radius limits are set: the slice shows reach only"
    assert said().startswith("xy slice, 0.25 m² inside all limits; on which side")
    assert said(beyond=beyond) == "xy slice, 0.25 m² inside all limits"
    beyond[2, :3] = True
    assert "25 % of its points inside lie beyond a singularity" in said(beyond=beyond)
