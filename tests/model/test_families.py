"""Machine files of a family: the constructor's numbers, defaults marked as no data, mistakes with key and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.model import files
from gough.model.families import DIMENSIONS, FAMILIES, LEG_KINDS, OPTIONAL

DEG = np.pi / 180
VALUES: dict[str, tuple[str, float]] = {
    "base_radius": ("300 mm", 0.3),
    "platform_radius": ("20 cm", 0.2),
    "base_pair_angle": ("15 deg", 15 * DEG),
    "platform_pair_angle": ("20 deg", 20 * DEG),
    "height": ("0.4 m", 0.4),
    "edge": ("300 mm", 0.3),
    "fraction": ("60 %", 0.6),
    "link_length": ("0.5 m", 0.5),
    "incline": ("45 deg", 45 * DEG),
    "crank_length": ("60 mm", 0.06),
    "rod_length": ("400 mm", 0.4),
}


def written(family: str, **more: str) -> str:
    """The shortest file of a family, with further lines."""
    lines = [f'family = "{family}"']
    needed = [name for name in FAMILIES[family][1] if name not in OPTIONAL]
    lines += [f'{name} = "{VALUES[name][0]}"' for name in needed]
    return "\n".join([*lines, *(f"{key} = {text}" for key, text in more.items())])


def numbers(family: str) -> dict[str, float]:
    return {name: VALUES[name][1] for name in FAMILIES[family][1] if name not in OPTIONAL}


def without_source(platform: gough.Platform) -> gough.Platform:
    return platform.replace(source=gough.Source())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_short_file_is_the_constructor(family: str) -> None:
    platform = files.loads(written(family))
    made = FAMILIES[family][0](**numbers(family))
    assert without_source(platform) == without_source(made)
    assert platform.kinds == (LEG_KINDS[family][0],) * 6
    assert all(said in platform.source.chosen for said in made.source.chosen)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("leg", [1, -1])
def test_every_leg_type_and_option_passes_through(family: str, leg: int) -> None:
    kind = LEG_KINDS[family][leg]
    turning = family == "servo-hexapod"
    text = written(
        family,
        leg=f'"{kind}"',
        name='"mine"',
        gravity="[0, 0, -1.6]",
        platform_mass='"500 g"',
        leg_mass='"200 g"',
        limits='{ stroke = "±10 deg", force = "2 N m" }'
        if turning
        else '{ stroke = "±20 mm", force = "2 kN" }',
        friction='{ spherical = "0.1 N m s" }',
    )
    platform = files.loads(text)
    limits = gough.Limits(
        stroke=(-10 * DEG, 10 * DEG) if turning else (-0.02, 0.02),
        force=2.0 if turning else 2000.0,
        about_home=True,
    )
    made = FAMILIES[family][0](
        **numbers(family),
        leg=kind,
        name="mine",
        gravity=(0, 0, -1.6),
        platform_mass=0.5,
        leg_mass=0.2,
        limits=limits,
        friction=gough.Friction(spherical=0.1),
    )
    assert without_source(platform) == without_source(made)


@pytest.mark.parametrize("family", FAMILIES)
def test_written_in_full_it_loads_to_the_same_numbers(family: str) -> None:
    platform = files.loads(written(family))
    text = files.dumps(platform)
    assert files.loads(text) == platform
    assert "family" not in text.replace("the family's default", "")


def test_what_was_assumed_is_said_and_what_was_given_is_not() -> None:
    bare = files.loads(written("cubic"))
    said = " ".join(bare.source.chosen)
    for part in ("body: 10 kg", "legs: 1 kg", "legs: of type UPS", "legs: 0.7 of the cube's"):
        assert part in said
    told = files.loads(
        written("cubic", leg='"SPS"', fraction="0.6", body="{ mass = 3 }", leg_mass="0.1")
    )
    assert told.source.chosen == (
        "legs: their mass is that of uniform rods (cranks: bars); inertia and mass centers are assumed, not data",
    )
    heavier = files.loads(written("cubic", platform_mass="3"))
    assert any(s.startswith("body: a uniform disc") for s in heavier.source.chosen)
    own = files.loads(written("cubic", source='{ title = "rig", chosen = ["mass by scale"] }'))
    assert own.source.title == "rig"
    assert own.source.chosen[0] == "mass by scale"
    assert len(own.source.chosen) == 1 + len(bare.source.chosen)


def test_what_was_assumed_stands_above_its_table() -> None:
    lines = files.dumps(files.loads(written("hexapod"))).splitlines()
    assert lines[lines.index("[body]") - 1].startswith("# 10 kg, a uniform disc")
    above = lines[lines.index("[leg_defaults]") - 2 : lines.index("[leg_defaults]")]
    assert all(line.startswith("# ") for line in above)
    plain = gough.load("positioner-300")
    assert "# " not in files.dumps(plain)


def test_constructors_mark_what_they_assume() -> None:
    made = gough.hexapod(0.3, 0.2, 0.3, 0.3, 0.4)
    assert made.source.chosen == files.loads(written("hexapod")).source.chosen[:2]
    body = gough.Body(2.0, inertia=(0.1, 0.1, 0.1))
    assert len(gough.hexapod(0.3, 0.2, 0.3, 0.3, 0.4, body=body).source.chosen) == 1


REFUSED: list[tuple[str, tuple[str, ...]]] = [
    ('family = "hexapd"', ("line 1: family", "did you mean hexapod?", "must be one of")),
    ("family = 3", ("line 1: family", "must be one of")),
    ('family = ["cubic"]', ("line 1: family", "must be one of")),
    (written("cubic") + '\n[[legs]]\ntype = "UPS"', ("line 3: legs", "has its own")),
    (written("cubic", leg_defaults="{}"), ("line 3: leg_defaults", "stand at the top")),
    (written("cubic", home="{ position = [0, 0, 1] }"), ("line 3: home", "has its own")),
    (written("cubic", heigt="3"), ("line 3: heigt", "unknown key", "allowed:")),
    (written("cubic", crank_length="3"), ("line 3: crank_length", "unknown key")),
    (written("cubic", leg='"RUS"'), ("line 3: leg", "must be one of UPS, SPS, UCU, UCS")),
    (written("cubic", platform_mass='"3 mm"'), ("line 3: platform_mass", "this is a mass")),
    (written("cubic", leg_mass="-1"), ("line 3: leg_mass", "at least 0")),
    (written("cubic", fraction="1.5"), ("line 3: fraction", "at most 1")),
    (written("cubic", screw='{ lead = "5 mm" }'), ("screw", "UCU legs")),
    (written("servo-hexapod", limits='{ force = "3 N" }'), ("limits.force", "this is a torque")),
    (written("cubic", format="2"), ("line 3: format", "must be 1")),
]


@pytest.mark.parametrize(("text", "parts"), REFUSED)
def test_mistakes_are_named_with_key_and_line(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(gough.MachineFileError) as caught:
        files.loads(text)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_dimension_is_needed_in_its_own_unit(family: str) -> None:
    """Each left out, each with a unit of something else, each not a number, each negative: all named, none passes."""
    foreign = {"length": "kg", "angle": "mm", "mass": "s", "pure number": "m"}
    lines = written(family).splitlines()
    for n, name in enumerate(numbers(family), 1):
        others = [line for i, line in enumerate(lines) if i != n]
        with pytest.raises(gough.MachineFileError, match=f"{name}: is missing"):
            files.loads("\n".join(others))
        wrong: list[tuple[str, str]] = [
            (f'"3 {foreign[DIMENSIONS[name]]}"', f"this is an? {DIMENSIONS[name]}"),
            ("true", "must be a number"),
            ('"three"', "must be a number"),
            ("inf", "must be finite"),
        ]
        for value, why in wrong:
            changed = [*lines[:n], f"{name} = {value}", *lines[n + 1 :]]
            with pytest.raises(gough.MachineFileError, match=rf"line {n + 1}: {name}: .*{why}"):
                files.loads("\n".join(changed))


def test_several_mistakes_are_one_error() -> None:
    text = 'family = "hexapod"\nheight = "3 kg"\nbase_radius = "1 m"\nradius = 2'
    with pytest.raises(gough.MachineFileError) as caught:
        files.loads(text)
    paths = [problem.path for problem in caught.value.problems]
    pairs = ["base_pair_angle", "platform_pair_angle"]
    assert sorted(paths) == sorted([*pairs, "platform_radius", "height", "radius"])


def test_a_machine_that_cannot_be_is_refused_by_the_constructor() -> None:
    short = written("servo-hexapod").replace("400 mm", "1 mm")
    with pytest.raises(gough.MachineFileError, match=r"line 7: rod_length: .*longer than"):
        files.loads(short)
    with pytest.raises(gough.MachineFileError, match="architecturally singular"):
        files.loads(written("hexapod").replace("15 deg", "100 deg"))


def test_the_schema_knows_families() -> None:
    schema: dict[str, Any] = files.json_schema()
    for family, (_, dimensions) in FAMILIES.items():
        keys = {"family", "leg", "limits", "drive", "body", *dimensions}
        assert keys <= set(schema["properties"])
        title = "".join(word.title() for word in family.split("-")) + "Family"
        table = schema["$defs"][title]
        assert {"$ref": f"#/$defs/{title}"} in schema["then"]["anyOf"]
        assert table["properties"]["family"] == {"const": family, **_about(table)}
        assert set(table["required"]) == {"family", *numbers(family)}
        assert table["properties"]["leg"] == {"enum": list(LEG_KINDS[family])}
    assert schema["else"] == {"required": ["body", "legs"]}
    assert schema["if"] == {"required": ["family"]}


def _about(table: dict[str, Any]) -> dict[str, str]:
    return {"description": table["properties"]["family"]["description"]}


def test_documentation_is_true() -> None:
    page = (Path(__file__).parents[2] / "docs" / "machine-files.md").read_text("utf-8")
    example = page.split("```toml\nfamily")[1].split("```")[0]
    platform = files.loads("family" + example)
    assert platform.name == "desk rig"
    assert "legs: of type RUS, the family's default" in platform.source.chosen
    for family in FAMILIES:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{family}` |"))
        own = set(FAMILIES[family][1])
        told = {name for name in DIMENSIONS if f"`{name}`" in row}
        if "those of `hexapod`" in row:
            told |= set(FAMILIES["hexapod"][1])
        assert told == own
        assert "likewise" in row or all(f"`{kind}`" in row for kind in LEG_KINDS[family])
