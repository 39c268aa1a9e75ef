"""Machine files of a family: a few dimensions instead of six legs.  The format: docs/machine-files.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gough.documents import kinds as k
from gough.documents.reader import BAD, Field, Keyed, Place, Schema, ValueKind, need
from gough.documents.source import did_you_mean
from gough.model.families import DIMENSIONS, FAMILIES, LEG_KINDS, OPTIONAL, OPTIONS
from gough.model.joint_circles import CUBE_SHARE
from gough.model.platform import Platform, Source

OF_A_LEG = ("friction", "limits", "drive")  # the same for all legs
_ITS_OWN = "a machine of a family has its own; leave it out, or leave out `family` and describe "
NOT_BESIDE = {
    "legs": f"{_ITS_OWN}all six legs",
    "leg_defaults": f"{_ITS_OWN}all six legs; limits, friction and drive of all legs stand at the top",
    "home": f"{_ITS_OWN}all six legs; `height` or the rods say where it is",
}


class FamilyFile(ValueKind[Platform]):
    """A document with a key `family`: the dimensions of that family, and what any machine may have."""

    def __init__(self, shared: Mapping[str, Any], legs: Mapping[str, Keyed[Any]]) -> None:
        """`shared`: keys of every machine file;  `legs`: the tables of the leg types, for what all legs have alike."""
        self.tables = {name: _table(name, shared, legs) for name in FAMILIES}

    def read(self, value: Any, at: Place) -> Platform:
        family = value["family"]
        for key, why in NOT_BESIDE.items():
            if key in value:
                at[key].report(why)
        if not isinstance(family, str) or family not in self.tables:
            hint = did_you_mean(family, FAMILIES)
            at["family"].wrong(family, f"{hint}must be one of {', '.join(FAMILIES)}")
            return BAD
        rest = {key: x for key, x in value.items() if key not in NOT_BESIDE}
        return self.tables[family].read(rest, at)

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        return {"anyOf": [table.schema(definitions) for table in self.tables.values()]}

    def keys(self, definitions: dict[str, Schema]) -> Schema:
        """Every key of every family, with what one or the other takes there."""
        found: dict[str, list[Schema]] = {}
        for table in self.tables.values():
            table.schema(definitions)
            for key, schema in definitions[table.name]["properties"].items():
                known = found.setdefault(key, [])
                known += [] if schema in known else [schema]
        return {key: {"anyOf": each} if len(each) > 1 else each[0] for key, each in found.items()}


def _table(name: str, shared: Mapping[str, Any], legs: Mapping[str, Keyed[Any]]) -> Keyed[Platform]:
    kinds = LEG_KINDS[name]
    leg = legs[kinds[0]].fields
    fields: dict[str, Any] = {
        **shared,
        "family": need(k.choice((name,)), "the constructor gough." + name.replace("-", "_")),
        **{key: _dimension(key) for key in FAMILIES[name][1]},
        **{key: k.scalar(DIMENSIONS[key], minimum=0) for key in OPTIONS},
        "leg": k.choice(kinds),
        **{key: leg[key] for key in OF_A_LEG},
    }
    if (
        "UCU" in kinds
    ):  # friction of the twist and a screw are theirs alone: the constructor says so
        fields["screw"] = legs["UCU"].fields["screw"]
    title = "".join(word.title() for word in name.split("-")) + "Family"
    return Keyed(title, fields, _build)


def _dimension(key: str) -> Field:
    kind = k.scalar(DIMENSIONS[key])
    return Field(kind) if key in OPTIONAL else need(kind)


def _build(
    family: str,
    format: int = 1,
    source: Source | None = None,
    frames: Any = None,
    **given: Any,
) -> Platform:
    """A machine from the dimensions of its family."""
    constructor, dimensions = FAMILIES[family]
    platform = constructor(**given)
    assumed = [*platform.source.chosen]
    if "leg" not in given:
        assumed.append(f"legs: of type {LEG_KINDS[family][0]}, the family's default")
    if "fraction" in dimensions and "fraction" not in given:
        assumed.append(f"legs: {CUBE_SHARE:g} of the cube's edges, the family's default")
    told = source or Source()
    return platform.replace(
        source=told.replace(chosen=(*told.chosen, *assumed)), frames=frames or platform.frames
    )
