"""What is drawn of every leg type is what the model has: crosses, balls, flexures, offsets, threads, by their names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.drawing import drawing
from gough.checks import Array
from gough.model.json_document import to_document
from gough.spatial import rotation_from_quaternion, rotation_from_rpy
from gough.struts import struts

PIECES = """({ document, drawing, position, quaternion, coordinate }) => {
  const { viewer } = goughStudio;
  viewer.setMachine(document, drawing, true);
  viewer.machine.place(position, quaternion, coordinate);
  const names = [];
  viewer.machine.traverse((o) => { if (/^L1 /.test(o.name)) names.push(o.name.slice(3)); });
  const joint = (side) => ({
    pieces: Object.fromEntries((side.children ?? []).filter((o) => o.visible)
      .map((o) => [o.name, { at: o.position.toArray(), turn: o.quaternion.toArray() }])) });
  const [leg] = viewer.machine.legs;
  return { names, base: joint(leg.foot), platform: joint(leg.ball) };
}"""
UNIVERSAL = {
    "UPS": (True, False),
    "SPS": (False, False),
    "UCU": (True, True),
    "UCS": (True, False),
    "PUS": (True, False),
    "PSU": (False, True),
    "RUS": (True, False),
    "RSS": (False, False),
}


def machine(kind: str) -> gough.Platform:
    """A machine with legs of this type."""
    if kind in ("UPS", "SPS", "UCS"):
        m = gough.load("motion-base-1500")
        legs: list[Any] = list(m.legs)
        shared = [
            {"base": leg.base, "joint": leg.joint, "lower": leg.lower, "upper": leg.upper}
            for leg in legs
        ]
        if kind == "SPS":
            legs = [gough.SPS(**data) for data in shared]
        if kind == "UCS":
            legs = [
                gough.UCS(**data, axis=leg.axis) for data, leg in zip(shared, legs, strict=True)
            ]
        return m.replace(legs=legs)
    names = {"UCU": "motion-base-ucu", "PUS": "hexaglide", "PSU": "glide-psu"}
    m = gough.load(names.get(kind, "servo-hexapod"))
    if kind == "RSS":
        cranks: list[Any] = [
            gough.RSS(leg.base, leg.shaft, leg.arm, leg.joint, leg.length, elbow=leg.elbow)
            for leg in m.legs
            if isinstance(leg, gough.RUS)
        ]
        m = m.replace(legs=cranks)
    assert set(m.kinds) == {kind}
    return m


def changed(m: gough.Platform, **fields: Any) -> gough.Platform:
    return m.replace(legs=[leg.replace(**fields) for leg in m.legs])


def pieces(page: Any, m: gough.Platform, pose: gough.Pose | None = None) -> dict[str, Any]:
    """Names of what is drawn of the first leg at a pose, and the pieces of its joints."""
    pose = pose or m.require_home()
    where = {"position": pose.position.tolist(), "quaternion": pose.quaternion.tolist()}
    where["coordinate"] = struts(m, pose).coordinate.tolist()
    return page.js(PIECES, {"document": to_document(m), "drawing": drawing(m), **where})


def springs(kind: str, sides: tuple[bool, bool]) -> gough.JointSprings:
    """Springs about all axes of the joints on these sides."""
    given: dict[str, Any] = {}
    for side, universal, wanted in zip(("", "platform_"), UNIVERSAL[kind], sides, strict=True):
        if wanted and universal:
            given |= {f"{side}first": 0.5, f"{side}second": 0.5}
        elif wanted:
            given[f"{side or 'base_'}ball"] = 0.5
    return gough.JointSprings(**given)


@pytest.mark.parametrize("kind", UNIVERSAL)
def test_every_joint_is_drawn_as_what_it_is(page: Any, kind: str) -> None:
    """Without springs, with them at one side or the other, with both: a neck where there are some and nowhere else."""
    m = machine(kind)
    plain = ["cross" if universal else "ball" for universal in UNIVERSAL[kind]]
    for sides in ((False, False), (True, False), (False, True), (True, True)):
        found = pieces(page, changed(m, springs=springs(kind, sides)))
        ends = [n for n in found["names"] if n.split()[0] in ("base", "platform")]
        wanted = [
            f"{name} {'flexure' if stiff else what}"
            for name, what, stiff in zip(("base", "platform"), plain, sides, strict=True)
        ]
        assert sorted(ends) == sorted(wanted)
        assert ("stud" in found["names"]) == (not sides[1])
        for name, side, stiff in zip(("base", "platform"), UNIVERSAL[kind], sides, strict=True):
            shown = set(found[name]["pieces"])
            if stiff:
                assert shown == {"carrier neck", "leg neck"}
            else:
                assert shown == ({"first pin", "second pin", "hub"} if side else set())
        assert ("cylinder" in found["names"]) == (kind in ("UPS", "SPS", "UCU", "UCS"))
        assert ("slider" in found["names"]) == (kind in ("PUS", "PSU"))
        assert ("crank" in found["names"]) == (kind in ("RUS", "RSS"))
        assert "thread" not in found["names"]
    page.page.wait_for_timeout(100)
    page.picture(f"joints-{kind}")


def test_threads_and_offsets_only_where_the_model_has_them(page: Any) -> None:
    assert {"thread", "motor"} <= set(pieces(page, gough.load("screw-hexapod"))["names"])
    m = machine("UCU")
    plain = pieces(page, m)
    assert "thread" not in plain["names"]
    assert "cross arm" not in plain["base"]["pieces"]
    offset = changed(m, base_offset=gough.JointOffset(0.08, 0.0, 0.0))
    found = pieces(page, offset)
    assert "cross arm" in found["base"]["pieces"]
    assert "leg arm" not in found["base"]["pieces"], "the leg's axis meets the second one"
    assert "cross arm" not in found["platform"]["pieces"]
    first, second = (
        np.array(found["base"]["pieces"][n]["at"]) for n in ("cross arm", "second pin")
    )
    start = struts(offset, offset.require_home()).start[0]
    assert np.allclose(first, offset.legs[0].base, atol=1e-9)
    assert np.linalg.norm(start - first) == pytest.approx(0.08, abs=1e-9)
    half = found["base"]["pieces"]["second pin"]["turn"]
    along = rotation_from_quaternion(np.roll(half, 1))[:, 0]
    assert np.linalg.norm(np.cross(start - second, along)) < 1e-9, "the second pin goes through it"


def along(piece: dict[str, Any]) -> Array:
    return rotation_from_quaternion(np.roll(piece["turn"], 1))[:, 0]


@pytest.mark.parametrize("kind", ["SPS", "RSS", "PSU"])
def test_the_halves_of_a_flexure_are_in_line_where_its_springs_are_relaxed(
    page: Any, kind: str
) -> None:
    """Round necks: at the pose in which they are relaxed, given or home; elsewhere bent as the carrier has moved."""
    m = machine(kind)
    home = m.require_home()
    rest = gough.Pose(home.position, rotation_from_rpy((0.05, -0.04, 0.1)) @ home.rotation)
    for given, relaxed in ((None, home), (rest, rest)):
        stiff = gough.JointSprings(base_ball=0.5 * np.eye(3), home=given)
        made = changed(m, springs=stiff)
        base = pieces(page, made, relaxed)["base"]["pieces"]
        assert np.allclose(along(base["carrier neck"]), -along(base["leg neck"]), atol=1e-9)
        other = pieces(page, made, rest if given is None else home)["base"]["pieces"]
        assert not np.allclose(along(other["carrier neck"]), -along(other["leg neck"]), atol=1e-3)
