"""The shape of a machine document: every table mirrors a class of the model, its keys are that class's fields.

Read from TOML (files.py) and from the studio's JSON, which spells out every leg.  The format: docs/machine-files.md.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gough.checks import InputError
from gough.documents import kinds as k
from gough.documents.reader import (
    BAD,
    Field,
    Keyed,
    Place,
    Reading,
    Schema,
    Tagged,
    ValueKind,
    each,
    need,
)
from gough.documents.source import KeyPath, parse_toml
from gough.model.body import Body, Friction, check_tensor, collected_warnings
from gough.model.drive import Drive
from gough.model.family_document import FamilyFile
from gough.model.hydraulic_document import HYDRAULIC
from gough.model.legs import PUS, RUS, SPS, UCU, UPS
from gough.model.links import inherited
from gough.model.offset_document import offset_tables
from gough.model.plate_document import PLATE
from gough.model.platform import Platform, Source
from gough.model.pose_document import FRAMES, POSE, encoder, read_limits, stroke
from gough.model.rod_document import rod_legs
from gough.model.screw_document import SCREW
from gough.model.springs import HINGES, JointSprings, check_stiffness

BODIES = ("lower", "upper", "link", "crank", "cross")


class BodyTable(Keyed[Body]):
    """A rigid body; what the model remarks about it is noted with its place."""

    def read(self, value: Any, at: Place, tag: tuple[str, ...] = ()) -> Body:
        with collected_warnings() as found:
            made = super().read(value, at, tag)
        at.reading.notes += [(at.path, remark) for remark in found]
        return made


class SixLegs(ValueKind[list[Any]]):
    """Exactly six legs, each with its type."""

    def __init__(self, leg: Tagged) -> None:
        self.leg = leg

    def read(self, value: Any, at: Place) -> list[Any]:
        if not isinstance(value, list) or not all(isinstance(leg, dict) for leg in value):
            at.report("must be six tables, each under its own [[legs]]")
            return BAD
        if len(value) != 6:
            at.report(f"got {len(value)}; must be exactly six")
        return [self.leg.read(leg, at[i]) for i, leg in enumerate(value[:MOST_LEGS])]

    def schema(self, definitions: dict[str, Schema]) -> Schema:
        return {
            "type": "array",
            "items": self.leg.schema(definitions),
            "minItems": 6,
            "maxItems": 6,
        }


MOST_LEGS = 100  # read further than six, to name their mistakes, but not without end


def _source(
    errata: list[str] | None = None, chosen: list[str] | None = None, **given: str
) -> Source:
    return Source(**given, errata=tuple(errata or ()), chosen=tuple(chosen or ()))


def _drive(needs: dict[str, str], transmission: str | None = None, **given: Any) -> Drive:
    """A Drive from the keys of its table; `needs` says which key each transmission cannot do without."""
    if "hydraulic" in given:
        given.setdefault("ratio", 1.0)
    if (transmission is None) == ("ratio" not in given):
        raise InputError(
            "ratio", given.get("ratio"), f"give either ratio or transmission ({', '.join(needs)})"
        )
    own = {needs[transmission], "gear"} if transmission else set()
    for name in sorted({"gear", "lead", "pinion_radius", "pulley_radius"} & given.keys() - own):
        raise InputError(
            name, given[name], f"does not belong to a {transmission or 'drive given by its ratio'}"
        )
    if transmission is None:
        return Drive(**given)
    if needs[transmission] not in given:
        raise InputError(needs[transmission], None, f"is needed for a {transmission}")
    makers = {
        "ball-screw": Drive.ball_screw,
        "rack-and-pinion": Drive.rack_and_pinion,
        "belt": Drive.belt,
        "geared": Drive.geared,
    }
    return makers[transmission](**{"gear": 1.0, "rotor_inertia": 0.0, **given})


def _platform(
    legs: list[Any], format: int = 1, leg_defaults: object = None, **given: Any
) -> Platform:
    return Platform(legs=legs, **given)


def _positive(dimension: str) -> ValueKind[float]:
    return k.scalar(dimension, above=0)


def _actuator(
    kind: str,
    effort: str,
    rate: str,
    travel: str,
    friction: str,
    ratio: str,
    stiffness: str,
    needs: dict[str, str],
    sizes: dict[str, Any],
) -> dict[str, ValueKind[Any]]:
    """Friction, limits and drive of a linear or rotary actuator: the same keys in other units."""
    losses = {
        **each(_damping, "universal", "spherical", "cylindrical"),
        "prismatic": k.scalar(friction, minimum=0),
        **each(k.scalar("length", minimum=0), "universal_dry", "spherical_dry"),
    }
    limits = {
        "stroke": stroke(travel),
        "about_home": k.flag,
        "force": _positive(effort),
        "speed": _positive(rate),
        **each(_positive("angle"), "base_cone", "platform_cone"),
        "radius": _positive("length"),
        "stop_stiffness": k.scalar(stiffness, minimum=0),
        "stop_loss": k.scalar(f"time per {travel}", minimum=0),
        "stop_gap": k.scalar(travel, minimum=0),
        **each(k.direction, "base_axis", "platform_axis"),
    }
    drive = {
        "ratio": k.scalar(ratio),
        "transmission": k.choice(tuple(needs)),
        "gear": k.scalar("pure number"),
        **sizes,
        "rotor_inertia": k.scalar("inertia", minimum=0),
        **each(k.direction, "rotor_axis", "mount_axis"),
        "efficiency": k.scalar("pure number", above=0, maximum=1),
        "back_efficiency": k.scalar("pure number", maximum=1),
        "viscous": _damping,
        **each(k.scalar("torque", minimum=0), "coulomb", "static"),
        "stribeck_rate": _positive("rate"),
        "torque_constant": _positive("torque constant"),
        "resistance": _positive("resistance"),
        "max_current": _positive("current"),
        "max_voltage": _positive("voltage"),
        "backlash": k.scalar(travel, minimum=0),
        "current_bandwidth": k.bandwidth(above=0),
        "inductance": _positive("inductance"),
        "presliding": _positive(travel),
        "stiffness": _positive(stiffness),
        "damping": k.scalar(friction, minimum=0),
    }
    return {
        "friction": Keyed(f"{kind}Friction", losses, Friction),
        "limits": Keyed(f"{kind}Limits", limits, read_limits),
        "encoder": encoder(kind, travel),
        "drive": Keyed(f"{kind}Drive", drive, partial(_drive, needs)),
    }


_damping = k.scalar("rotary friction", minimum=0)
_body = BodyTable(
    "Body",
    {
        "mass": need(k.scalar("mass", minimum=0), "kg, not negative"),
        "center": Field(k.length_vector, about="mass center from the local origin"),
        "inertia": Field(
            k.checked(k.tensor, check_tensor), about="about the mass center, local axes"
        ),
    },
    Body,
)
_source_table = Keyed(
    "Source", {**each(k.text, "title", "doi", "page"), **each(k.texts, "errata", "chosen")}, _source
)
_SCREWS = {"ball-screw": "lead", "rack-and-pinion": "pinion_radius", "belt": "pulley_radius"}
_linear = _actuator(
    "Linear",
    "force",
    "speed",
    "length",
    "linear friction",
    "linear ratio",
    "linear stiffness",
    _SCREWS,
    {**each(_positive("length"), *_SCREWS.values()), "hydraulic": HYDRAULIC},
)
_rotary = _actuator(
    "Rotary",
    "torque",
    "rate",
    "angle",
    "rotary friction",
    "pure number",
    "rotary stiffness",
    {"geared": "gear"},
    {},
)
_ball_stiffness = k.checked(
    k.tensor_of("rotary stiffness", single=True), partial(check_stiffness, "")
)
_springs = {
    "springs": Keyed(
        "JointSprings",
        {
            **each(k.scalar("rotary stiffness", minimum=0), *HINGES),
            **each(_ball_stiffness, "base_ball", "platform_ball"),
            "home": POSE,
        },
        JointSprings,
    )
}
_ends = {**each(need(k.point), "base", "joint"), "name": k.text, **_springs}
_strut = {**each(_body, "lower", "upper"), **_linear}
_held = {**_strut, "fixed": _positive("length")}
_link = {"length": need(_positive("length")), "link": _body}
_rod = {**_link, "axis": need(k.direction)}
_slider = {
    "slider_mass": k.scalar("mass", minimum=0),
    "slider_center": k.length_vector,
    "assembly": k.choice((1, -1)),
}
_crank = {
    "shaft": need(k.direction),
    "arm": need(k.point),
    "crank": _body,
    "elbow": k.choice((1, -1)),
}
_cylinder = {
    **each(need(k.direction), "axis", "platform_axis"),
    **_held,
    "screw": SCREW,
    "torsion": k.scalar("rotary stiffness", minimum=0),
    "torsion_rest": k.scalar("angle"),
}
_offset_base, _offset_both = offset_tables(_body, "base"), offset_tables(_body, "base", "platform")
LEGS: dict[str, Keyed[Any]] = {
    "UPS": Keyed("UPS", {**_ends, "axis": need(k.direction), **_held, **_offset_base}, UPS),
    "SPS": Keyed("SPS", {**_ends, "reference": k.direction, **_held}, SPS),
    "PUS": Keyed("PUS", {**_ends, "rail": need(k.direction), **_rod, **_slider, **_linear}, PUS),
    "RUS": Keyed("RUS", {**_ends, **_crank, **_rod, **_rotary}, RUS),
    "UCU": Keyed("UCU", {**_ends, **_cylinder, **_springs, **_offset_both}, UCU),
    **rod_legs(_ends, _strut, {**_link, **_slider, **_linear}, {**_link, **_crank, **_rotary}),
}
_shared = {
    "format": k.choice((1,)),
    "name": k.text,
    "gravity": k.vector("acceleration"),
    "body": _body,
    "source": _source_table,
    "frames": FRAMES,
    **each(PLATE, "base_shape", "platform_shape"),
}
FAMILY = FamilyFile(_shared, LEGS)
MACHINE = Keyed(
    "Machine",
    {
        **_shared,
        "body": need(_body),
        "home": POSE,
        "legs": need(SixLegs(Tagged("type", LEGS))),
        "leg_defaults": Field(k.anything, about="Keys shared by all legs"),
    },
    _platform,
)


def parse(text: str, label: str) -> tuple[Platform, list[str]]:
    """The machine described by `text`, and remarks about its bodies; `label` names it in errors."""
    return _read(parse_toml(text, label), Reading(label, text))


def platform_from(data: dict[str, Any], label: str = "machine") -> tuple[Platform, list[str]]:
    """The machine of a document that never was text, such as the studio's; absent values may be None."""
    return _read(_without_none(data), Reading(label))


def _read(data: dict[str, Any], reading: Reading) -> tuple[Platform, list[str]]:
    if "family" in data:
        platform = reading.finish(FAMILY.read(data, reading.root))
        return platform, _remarks(reading.notes)
    data, origin = _with_defaults(data, reading.root)
    platform = reading.finish(MACHINE.read(data, Place(reading, (), origin)))
    return platform, _remarks(reading.notes)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_none(v) for k, v in value.items() if v is not None}
    return [_without_none(v) for v in value] if isinstance(value, list) else value


def _remarks(notes: list[tuple[KeyPath, str]]) -> list[str]:
    """One sentence per distinct warning, with all the bodies it is about."""
    about: dict[tuple[str, str], list[str]] = {}
    order = ("body", *BODIES)
    for path, remark in sorted(notes, key=lambda note: order.index(str(note[0][-1]))):
        place = "body" if len(path) == 1 else f"legs[{path[1]}].{path[-1]}"
        about.setdefault((str(path[-1]), remark), []).append(place)
    return [
        f"{f'{part} body of every leg' if len(places) == 6 else ', '.join(places)}: {remark}"
        for (part, remark), places in about.items()
    ]


def _with_defaults(data: dict[str, Any], at: Place) -> tuple[dict[str, Any], Any]:
    """The document with ``leg_defaults`` merged into each leg, and where each key was written."""
    legs, defaults = data.get("legs"), data.get("leg_defaults", {})
    if not isinstance(defaults, dict):
        at["leg_defaults"].wrong(defaults, "must be a table")
        defaults = {}
    every = ["type", *dict.fromkeys(key for table in LEGS.values() for key in table.fields)]
    for key in defaults:
        if key not in every:
            at["leg_defaults"].unknown(key, every)
    if not isinstance(legs, list) or not all(isinstance(leg, dict) for leg in legs):
        return data, None

    def merged(leg: dict[str, Any]) -> dict[str, Any]:
        table = LEGS.get(str(leg.get("type", defaults.get("type"))))
        own = {k: v for k, v in defaults.items() if k == "type" or (table and k in table.fields)}
        return _merge(inherited(own, leg), leg)

    def origin(path: KeyPath) -> KeyPath:
        if path[:1] != ("legs",) or len(path) < 3 or not isinstance(path[1], int):
            return path
        own, shared = _depth(legs[path[1]], path[2:]), _depth(defaults, path[2:])
        return ("leg_defaults", *path[2:]) if shared > own else path

    return {**data, "legs": [merged(leg) for leg in legs[:MOST_LEGS]] + legs[MOST_LEGS:]}, origin


def _merge(defaults: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """`own` over `defaults`, tables merged key by key."""
    out = dict(defaults)
    for key, value in own.items():
        old = out.get(key)
        out[key] = (
            _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return out


def _depth(data: Any, path: KeyPath) -> int:
    """How many steps of `path` exist in `data`."""
    for n, key in enumerate(path):
        if not isinstance(data, dict) or key not in data:
            return n
        data = data[key]
    return len(path)


def json_schema() -> Schema:
    """JSON Schema (2020-12) of a machine file, for completion and checking in editors.

    >>> {"body", "leg", "gravity", "family"} <= set(gough.json_schema()["properties"])
    True
    """
    definitions: dict[str, Schema] = {}
    MACHINE.schema(definitions)
    head = definitions.pop(MACHINE.name)
    for kind in LEGS:  # any key of a leg may come from leg_defaults
        definitions[kind].pop("required", None)
    head["properties"]["leg_defaults"] |= head["properties"]["legs"]["items"]
    head["properties"] = {**FAMILY.keys(definitions), **head["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gough machine file",
        **{key: value for key, value in head.items() if key not in ("title", "required")},
        "if": {"required": ["family"]},
        "then": FAMILY.schema(definitions),
        "else": {"required": head["required"]},
        "$defs": definitions,
    }
