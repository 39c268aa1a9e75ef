"""The shape of a machine file: tables, keys, units.  Loaded only when a file is read (pydantic is slow to import).

Every table mirrors a class of the model; its keys are that class's fields.  `build` makes the object, and
runs as part of the validation, so that all errors of a file arrive together.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, WithJsonSchema, model_validator

from gough.checks import InputError
from gough.model import units
from gough.model.body import Body, Friction, collected_warnings
from gough.model.drive import Drive
from gough.model.legs import PUS, RUS, SPS, UPS
from gough.model.limits import Limits
from gough.model.platform import Source
from gough.spatial import Pose

_NUMBER = {"type": "number"}


def _text(dimension: str, example: str) -> dict[str, Any]:
    return {"type": "string", "description": f"{example}; units of {dimension}: "
            + ", ".join(units.unit_names(dimension))}


def _scalar_schema(dimension: str) -> dict[str, Any]:
    return {"anyOf": [_NUMBER, _text(dimension, f"\"<number> {units.unit_names(dimension)[0]}\"")]}


def _vector_schema(dimension: str) -> dict[str, Any]:
    row = {"type": "array", "items": _scalar_schema(dimension), "minItems": 3, "maxItems": 3}
    return {"anyOf": [row, _text(dimension, f"\"1 2 3 {units.unit_names(dimension)[0]}\"")]}


def _scalar(dimension: str) -> Any:
    return Annotated[float, BeforeValidator(lambda v: units.quantity("", v, dimension)),
                     WithJsonSchema(_scalar_schema(dimension))]


def _vector(dimension: str) -> Any:
    return Annotated[list[float], BeforeValidator(lambda v: units.quantities("", v, dimension)),
                     WithJsonSchema(_vector_schema(dimension))]


def _point(value: object) -> list[float]:
    """Cartesian, or ``{radius, angle, height}`` about the z axis."""
    if not isinstance(value, dict):
        return units.quantities("", value, "length")
    unknown = sorted(set(value) - {"radius", "angle", "height"})
    if unknown or "radius" not in value or "angle" not in value:
        raise InputError("", value, "must be three lengths, or a table {radius, angle, height}")
    r = units.quantity("radius", value["radius"], "length")
    a = units.quantity("angle", value["angle"], "angle")
    return [r * math.cos(a), r * math.sin(a), units.quantity("height", value.get("height", 0.0), "length")]


def _directions(value: object) -> list[float]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError("", value, "must be a list of three numbers")
    return [units._plain(f"[{i}]", x, "pure number") for i, x in enumerate(value)]


def _tensor(value: object) -> list[Any]:
    if isinstance(value, list) and len(value) == 3 and all(isinstance(row, list) for row in value):
        return [units.quantities(f"[{i}]", row, "inertia") for i, row in enumerate(value)]
    return units.quantities("", value, "inertia")


def _stroke(dimension: str) -> Any:
    def check(value: object) -> list[float]:
        if not isinstance(value, list) or len(value) != 2:
            raise InputError("", value, "must be a list of two quantities, min and max")
        return [units.quantity(f"[{i}]", x, dimension) for i, x in enumerate(value)]

    schema = {"type": "array", "items": _scalar_schema(dimension), "minItems": 2, "maxItems": 2}
    return Annotated[list[float], BeforeValidator(check), WithJsonSchema(schema)]


def _rotation(value: object) -> list[list[float]]:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError("", value, "must be three rows of three numbers")
    return [_directions(row) for row in value]


_polar = {"type": "object", "additionalProperties": False, "required": ["radius", "angle"], "properties": {
    "radius": _scalar_schema("length"), "angle": _scalar_schema("angle"), "height": _scalar_schema("length")}}
_triple = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3}
_rows = {"type": "array", "items": _triple, "minItems": 3, "maxItems": 3}

Length, Angle, Mass = _scalar("length"), _scalar("angle"), _scalar("mass")
Number = _scalar("pure number")
LengthVector = _vector("length")
Point = Annotated[list[float], BeforeValidator(_point), WithJsonSchema(
    {"anyOf": [*_vector_schema("length")["anyOf"], _polar]})]
Direction = Annotated[list[float], BeforeValidator(_directions), WithJsonSchema(_triple)]
Tensor = Annotated[list[Any], BeforeValidator(_tensor), WithJsonSchema({"anyOf": [
    *_vector_schema("inertia")["anyOf"],
    {"type": "array", "items": _vector_schema("inertia"), "minItems": 3, "maxItems": 3}]})]
Rotation = Annotated[list[list[float]], BeforeValidator(_rotation), WithJsonSchema(_rows)]


class Table(BaseModel):
    """A TOML table; unknown keys are refused; `built` is the model object."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    _built: Any = PrivateAttr(default=None)
    _warnings: list[str] = PrivateAttr(default_factory=list)

    @model_validator(mode="after")
    def _construct(self) -> Table:
        with collected_warnings() as found:
            self._built = self.build()
        self._warnings = found
        return self

    @property
    def built(self) -> Any:
        """The validated model object."""
        return self._built

    @property
    def warnings(self) -> list[str]:
        """What the model said about it without refusing it."""
        return self._warnings

    def given(self) -> dict[str, Any]:
        """The keys written in the file, nested tables replaced by the objects they build."""
        values = {name: getattr(self, name) for name in self.model_fields_set}
        return {k: v.built if isinstance(v, Table) else v for k, v in values.items()}

    def build(self) -> Any:
        """The model object of this table; InputError names a key of it."""
        return None


class SourceTable(Table):
    """Where the numbers come from."""

    title: str = ""
    doi: str = ""
    page: str = ""
    errata: list[str] = []
    chosen: list[str] = []

    def build(self) -> Source:
        return Source(self.title, self.doi, self.page, tuple(self.errata), tuple(self.chosen))


class PoseTable(Table):
    """A pose: position and one of rpy, quaternion, rotation."""

    position: LengthVector
    rpy: _vector("angle") | None = None  # type: ignore[valid-type]
    quaternion: list[Number] | None = None
    rotation: Rotation | None = None

    def build(self) -> Pose:
        turns = [name for name in ("rpy", "quaternion", "rotation") if getattr(self, name) is not None]
        if len(turns) > 1:
            raise InputError(turns[1], getattr(self, turns[1]), f"is given together with {turns[0]}; keep one")
        if self.quaternion is not None:
            return Pose.from_quaternion(self.position, self.quaternion)
        if self.rotation is not None:
            return Pose(self.position, self.rotation)  # type: ignore[arg-type]
        return Pose.from_rpy(self.position, self.rpy or (0.0, 0.0, 0.0))


class BodyTable(Table):
    """A rigid body: mass, mass centre, tensor about the mass centre."""

    mass: Mass
    center: LengthVector = [0.0, 0.0, 0.0]
    inertia: Tensor = [0.0, 0.0, 0.0]

    def build(self) -> Body:
        return Body(**self.given())


class LinearFriction(Table):
    """Viscous friction of a leg with a linear actuator."""

    universal: _scalar("rotary friction") = 0.0  # type: ignore[valid-type]
    prismatic: _scalar("linear friction") = 0.0  # type: ignore[valid-type]
    spherical: _scalar("rotary friction") = 0.0  # type: ignore[valid-type]

    def build(self) -> Friction:
        return Friction(**self.given())


class RotaryFriction(LinearFriction):
    """Viscous friction of a leg with a rotary actuator; `prismatic` is the shaft."""

    prismatic: _scalar("rotary friction") = 0.0  # type: ignore[valid-type]


class LinearLimits(Table):
    """Limits of a leg with a linear actuator."""

    stroke: _stroke("length") | None = None  # type: ignore[valid-type]
    force: _scalar("force") | None = None  # type: ignore[valid-type]
    speed: _scalar("speed") | None = None  # type: ignore[valid-type]
    base_cone: Angle | None = None
    base_axis: Direction | None = None
    platform_cone: Angle | None = None
    platform_axis: Direction | None = None
    radius: Length | None = None

    def build(self) -> Limits:
        return Limits(**self.given())


class RotaryLimits(LinearLimits):
    """Limits of a leg with a rotary actuator."""

    stroke: _stroke("angle") | None = None  # type: ignore[valid-type]
    force: _scalar("torque") | None = None  # type: ignore[valid-type]
    speed: _scalar("rate") | None = None  # type: ignore[valid-type]


class LinearDrive(Table):
    """Motor and transmission of a linear actuator: `ratio`, or one of the transmissions by name."""

    ratio: _scalar("linear ratio") | None = None  # type: ignore[valid-type]
    transmission: Literal["ball-screw", "rack-and-pinion", "belt"] | None = None
    gear: Number | None = None
    lead: Length | None = None
    pinion_radius: Length | None = None
    pulley_radius: Length | None = None
    rotor_inertia: _scalar("inertia") = 0.0  # type: ignore[valid-type]
    rotor_axis: Direction | None = None
    efficiency: Number = 1.0
    viscous: _scalar("rotary friction") = 0.0  # type: ignore[valid-type]
    coulomb: _scalar("torque") = 0.0  # type: ignore[valid-type]
    static: _scalar("torque") = 0.0  # type: ignore[valid-type]
    stribeck_rate: _scalar("rate") = 1.0  # type: ignore[valid-type]
    torque_constant: _scalar("torque constant") | None = None  # type: ignore[valid-type]
    resistance: _scalar("resistance") | None = None  # type: ignore[valid-type]
    max_current: _scalar("current") | None = None  # type: ignore[valid-type]
    max_voltage: _scalar("voltage") | None = None  # type: ignore[valid-type]
    backlash: Length = 0.0

    def build(self) -> Drive:
        return _drive(self.given(), {"ball-screw": "lead", "rack-and-pinion": "pinion_radius",
                                     "belt": "pulley_radius"})


class RotaryDrive(LinearDrive):
    """Motor and gear of a crank."""

    ratio: Number | None = None
    transmission: Literal["geared"] | None = None  # type: ignore[assignment]
    lead: None = None  # type: ignore[assignment]
    pinion_radius: None = None  # type: ignore[assignment]
    pulley_radius: None = None  # type: ignore[assignment]
    backlash: Angle = 0.0

    def build(self) -> Drive:
        return _drive(self.given(), {"geared": "gear"})


def _drive(given: dict[str, Any], needs: dict[str, str]) -> Drive:
    """A Drive from the keys of its table; `needs` says which key each transmission cannot do without."""
    kind = given.pop("transmission", None)
    sizes = {"gear", "lead", "pinion_radius", "pulley_radius"} & given.keys()
    if (kind is None) == ("ratio" not in given):
        raise InputError("ratio", given.get("ratio"), "give either ratio or transmission ("
                         + ", ".join(needs) + ")")
    allowed = {needs[kind], "gear"} if kind else set()
    for name in sorted(sizes - allowed):
        raise InputError(name, given[name], f"does not belong to a {kind or 'drive given by its ratio'}")
    if kind and needs[kind] not in given:
        raise InputError(needs[kind], None, f"is needed for a {kind}")
    makers = {"ball-screw": Drive.ball_screw, "rack-and-pinion": Drive.rack_and_pinion, "belt": Drive.belt,
              "geared": Drive.geared}
    if kind == "rack-and-pinion":
        given.setdefault("gear", 1.0)
    if kind:
        given.setdefault("rotor_inertia", 0.0)
        return makers[kind](**given)
    return Drive(**given)


class LegTable(Table):
    """What every leg type has."""

    type: str
    name: str = ""
    base: Point
    joint: Point

    def build(self) -> Any:
        given = self.given()
        return {"UPS": UPS, "SPS": SPS, "PUS": PUS, "RUS": RUS}[given.pop("type")](**given)


class LinearTable(LegTable):
    """Legs with a linear actuator."""

    friction: LinearFriction = Field(default_factory=LinearFriction)
    limits: LinearLimits = Field(default_factory=LinearLimits)
    drive: LinearDrive | None = None


class UPSTable(LinearTable):
    """Universal joint at the base, prismatic actuator, spherical joint at the platform."""

    type: Literal["UPS"]
    axis: Direction
    lower: BodyTable | None = None
    upper: BodyTable | None = None


class SPSTable(LinearTable):
    """Ball joints at both ends, prismatic actuator."""

    type: Literal["SPS"]
    reference: Direction = [1.0, 0.0, 0.0]
    lower: BodyTable | None = None
    upper: BodyTable | None = None


class PUSTable(LinearTable):
    """Slider on a rail, link of fixed length."""

    type: Literal["PUS"]
    rail: Direction
    axis: Direction
    length: Length
    slider_mass: Mass = 0.0
    slider_center: LengthVector = [0.0, 0.0, 0.0]
    link: BodyTable | None = None
    assembly: int = 1


class RUSTable(LegTable):
    """Crank on a shaft, rod of fixed length."""

    type: Literal["RUS"]
    shaft: Direction
    arm: LengthVector
    axis: Direction
    length: Length
    crank: BodyTable | None = None
    link: BodyTable | None = None
    elbow: int = 1
    friction: RotaryFriction = Field(default_factory=RotaryFriction)
    limits: RotaryLimits = Field(default_factory=RotaryLimits)
    drive: RotaryDrive | None = None


class HeadTable(Table):
    """Everything but the legs."""

    format: Literal[1] = 1
    name: str = ""
    gravity: _vector("acceleration") = [0.0, 0.0, -9.81]  # type: ignore[valid-type]
    body: BodyTable
    home: PoseTable | None = None
    source: SourceTable = Field(default_factory=SourceTable)


LEG_TABLES: dict[str, type[LegTable]] = {"UPS": UPSTable, "SPS": SPSTable, "PUS": PUSTable, "RUS": RUSTable}
