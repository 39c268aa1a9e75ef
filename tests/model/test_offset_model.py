"""Offset universal joints in the model: files, numbers by name, documents, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics.parameters import parameter_names, parameter_units
from gough.model.document import json_schema
from gough.model.files import dumps, loads
from gough.model.geometry import hexapod
from gough.model.json_document import from_document, leg_mass, to_document
from gough.model.numbers import places, with_numbers
from oracles.offset_machines import KINDS, offset_case


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_written_and_read_again(kind: str, springs: bool) -> None:
    platform = offset_case(kind, seed=55, states=1, springs=springs).platform
    assert loads(dumps(platform)) == platform
    assert from_document(to_document(platform))[0] == platform


def test_a_file_may_name_units_and_only_the_offsets_there_are() -> None:
    text = dumps(hexapod(0.25, 0.15, 0.3, 1.0, 0.35, leg="UCU"))
    joint = 'base_offset = { e = "20 mm", cross = { mass = 0.4, center = [0.01, 0, 0] } }\n'
    at = text.index("[leg_defaults]\n") + len("[leg_defaults]\n")
    found = loads(text[:at] + joint + text[at:])
    for leg in found.legs:
        assert leg.base_offset == gough.JointOffset(e=0.02, cross=gough.Body(0.4, [0.01, 0, 0]))
        assert leg.platform_offset is None
    with pytest.raises(gough.MachineFileError, match="base_offset"):
        loads(text[:at] + joint.replace("e =", "g =") + text[at:])
    table = json_schema()["$defs"]["JointOffset"]["properties"]
    assert set(table) == {"e", "d", "f", "cross"}


def test_only_legs_with_such_joints_take_them() -> None:
    text = (
        dumps(gough.load("octahedral-33"))
        .replace('"UPS"', '"SPS"')
        .replace("axis =", "reference =")
    )
    at = text.index("[leg_defaults]\n") + len("[leg_defaults]\n")
    with pytest.raises(gough.MachineFileError, match="base_offset"):
        loads(
            text[:at]
            + "base_offset = { e = 0.01 }\n"
            + text[at:].replace("[[legs]]\n", "[[legs]]\nbase_offset = { e = 0.01 }\n", 1)
        )
    for kind in (gough.SPS, gough.PUS, gough.RUS):
        assert not {"base_offset", "platform_offset"} & set(kind.__dataclass_fields__)
    assert "platform_offset" not in gough.UPS.__dataclass_fields__


def test_refusals() -> None:
    leg = gough.load("octahedral-33").legs[0]
    with pytest.raises(gough.InputError, match="JointOffset or None"):
        leg.replace(base_offset=0.02)
    with pytest.raises(gough.InputError, match="e"):
        gough.JointOffset(e=np.nan)
    with pytest.raises(gough.InputError, match="cross"):
        gough.JointOffset(cross=1.0)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError, match="fixed"):
        leg.replace(base_offset=gough.JointOffset(e=0.02), fixed=1.0)
    with pytest.raises(gough.InputError, match="the joint there is universal"):
        leg.replace(base_offset=gough.JointOffset(), springs=gough.JointSprings(base_ball=1.0))
    assert leg.replace(base_offset=gough.JointOffset(e=0.02)).base_offset.e == 0.02


def test_springs_must_be_relaxed_where_the_joints_close() -> None:
    platform = offset_case("UCU-offset", seed=57, states=1, springs=True).platform
    leg, home = platform.legs[0], platform.require_home()
    P = home.position + home.rotation @ leg.joint - leg.base
    along = leg.replace(axis=P / np.linalg.norm(P), base_offset=gough.JointOffset(e=0.03, f=0.05))
    with pytest.raises(gough.InputError, match=r"legs\[0\].springs.home.*the leg cannot be there"):
        platform.replace(legs=(along, *platform.legs[1:]))


def test_numbers_by_name() -> None:
    platform = offset_case("UCU-offset", seed=56, states=1).platform
    side = "base" if platform.legs[0].base_offset is not None else "platform"  # type: ignore[union-attr]
    name = f"L1.{side}_offset"
    known = places(platform)
    assert f"{name}.e" in known
    assert f"{name}.cross.center.x" in known
    changed = with_numbers(platform, {f"{name}.d": 0.031, f"{name}.cross.mass": 2.5})
    joint = getattr(changed.legs[0], f"{side}_offset")
    assert (joint.d, joint.cross.mass) == (0.031, 2.5)
    assert joint.e == getattr(platform.legs[0], f"{side}_offset").e
    units = dict(zip(parameter_names(platform), parameter_units(platform), strict=True))
    assert units[f"{name}.e"] == units[f"{name}.cross.center.y"] == "m"
    assert set(units) <= set(known)


def test_a_legs_mass_counts_its_cross_pieces() -> None:
    leg = gough.load("octahedral-33").legs[0]
    cross = gough.Body(0.7)
    assert leg_mass(leg.replace(base_offset=gough.JointOffset(cross=cross))) == pytest.approx(
        leg_mass(leg) + 0.7
    )
