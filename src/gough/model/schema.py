"""The shape of a machine file: tables and keys.  Imported only when a file is read (pydantic is slow).

Every table mirrors a class of the model; its keys are that class's fields.  `build` makes the object, and
runs as part of the validation, so that all errors of a file arrive together.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from gough.checks import InputError
from gough.model.body import Body, Friction, collected_warnings
from gough.model.drive import Drive
from gough.model.fields import (
    Angle,
    Direction,
    Length,
    LengthVector,
    Mass,
    Number,
    Point,
    Rate,
    RotaryDamping,
    Rotation,
    Tensor,
    Torque,
    interval,
    scalar,
    vector,
)
from gough.model.legs import PUS, RUS, SPS, UPS
from gough.model.limits import Limits
from gough.model.platform import Source
from gough.spatial import Pose


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
    rpy: Annotated[list[float], vector("angle")] | None = None
    quaternion: list[Number] | None = None
    rotation: Rotation | None = None

    def build(self) -> Pose:
        turns = [name for name in ("rpy", "quaternion", "rotation") if getattr(self, name) is not None]
        if len(turns) > 1:
            raise InputError(turns[1], getattr(self, turns[1]), f"is given beside {turns[0]}; keep one")
        if self.quaternion is not None:
            return Pose.from_quaternion(self.position, self.quaternion)
        if self.rotation is not None:
            return Pose(self.position, self.rotation)  # type: ignore[arg-type]
        return Pose.from_rpy(self.position, self.rpy or (0.0, 0.0, 0.0))


class BodyTable(Table):
    """A rigid body: mass, mass center, tensor about the mass center."""

    mass: Mass
    center: LengthVector = [0.0, 0.0, 0.0]
    inertia: Tensor = [0.0, 0.0, 0.0]

    def build(self) -> Body:
        return Body(**self.given())


class LinearFriction(Table):
    """Viscous friction of a leg with a linear actuator."""

    universal: RotaryDamping = 0.0
    prismatic: Annotated[float, scalar("linear friction")] = 0.0
    spherical: RotaryDamping = 0.0

    def build(self) -> Friction:
        return Friction(**self.given())


class RotaryFriction(LinearFriction):
    """Viscous friction of a leg with a rotary actuator; `prismatic` is the shaft."""

    prismatic: RotaryDamping = 0.0


class LinearLimits(Table):
    """Limits of a leg with a linear actuator."""

    stroke: Annotated[list[float], interval("length")] | None = None
    force: Annotated[float, scalar("force")] | None = None
    speed: Annotated[float, scalar("speed")] | None = None
    base_cone: Angle | None = None
    base_axis: Direction | None = None
    platform_cone: Angle | None = None
    platform_axis: Direction | None = None
    radius: Length | None = None

    def build(self) -> Limits:
        return Limits(**self.given())


class RotaryLimits(LinearLimits):
    """Limits of a leg with a rotary actuator."""

    stroke: Annotated[list[float], interval("angle")] | None = None
    force: Torque | None = None
    speed: Rate | None = None


class DriveTable(Table):
    """What every drive has."""

    gear: Number | None = None
    rotor_inertia: Annotated[float, scalar("inertia")] = 0.0
    rotor_axis: Direction | None = None
    efficiency: Number = 1.0
    viscous: RotaryDamping = 0.0
    coulomb: Torque = 0.0
    static: Torque = 0.0
    stribeck_rate: Rate = 1.0
    torque_constant: Annotated[float, scalar("torque constant")] | None = None
    resistance: Annotated[float, scalar("resistance")] | None = None
    max_current: Annotated[float, scalar("current")] | None = None
    max_voltage: Annotated[float, scalar("voltage")] | None = None


class LinearDrive(DriveTable):
    """Motor and transmission of a linear actuator: `ratio`, or one of the transmissions by name."""

    ratio: Annotated[float, scalar("linear ratio")] | None = None
    transmission: Literal["ball-screw", "rack-and-pinion", "belt"] | None = None
    lead: Length | None = None
    pinion_radius: Length | None = None
    pulley_radius: Length | None = None
    backlash: Length = 0.0

    def build(self) -> Drive:
        return _drive(self.given(), {"ball-screw": "lead", "rack-and-pinion": "pinion_radius",
                                     "belt": "pulley_radius"})


class RotaryDrive(DriveTable):
    """Motor and gear of a crank."""

    ratio: Number | None = None
    transmission: Literal["geared"] | None = None
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
    arm: Point
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
    gravity: Annotated[list[float], vector("acceleration")] = [0.0, 0.0, -9.81]
    body: BodyTable
    home: PoseTable | None = None
    source: SourceTable = Field(default_factory=SourceTable)


LEG_TABLES: dict[str, type[LegTable]] = {"UPS": UPSTable, "SPS": SPSTable, "PUS": PUSTable, "RUS": RUSTable}
