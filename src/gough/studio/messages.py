"""What the page and the server say to each other, once: JSON objects with a `type` and these fields.

Requests carry an `id`; every answer repeats the `id` of the request it belongs to.  SI units and radians throughout.
``python -m gough.studio.generate`` writes web/src/messages.js from this file; a test fails when that is stale.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from dataclasses import dataclass, field
from typing import Any, Union

PROTOCOL = 1
LARGEST = 1_000_000  # characters of one message
LONGEST_LIST = 4096
DEEPEST = 12

Numbers = tuple[float, ...]


class MessageError(ValueError):
    """A message that cannot be understood; the text says why and goes back to the sender."""


@dataclass(frozen=True)
class PoseInput:
    """A pose as entered: `position` of the platform when its rotation is zero; turns are about `pivot`.

    The reference point is at ``position + pivot - R pivot``; pivot in platform axes.
    """

    position: Numbers = field(metadata={"length": (3,)})
    convention: str = "rpy"
    angles: Numbers = field(default=(0.0, 0.0, 0.0), metadata={"length": (3, 4)})
    pivot: Numbers = field(default=(0.0, 0.0, 0.0), metadata={"length": (3,)})


@dataclass(frozen=True)
class Payload:
    """A body carried by the platform: mass kg, center m (platform axes), principal inertia kg m^2 about it."""

    mass: float = 0.0
    center: Numbers = field(default=(0.0, 0.0, 0.0), metadata={"length": (3,)})
    inertia: Numbers = field(default=(0.0, 0.0, 0.0), metadata={"length": (3,)})


@dataclass(frozen=True)
class Hello:
    """First message of a page."""

    id: int
    protocol: int = PROTOCOL


@dataclass(frozen=True)
class OpenMachine:
    """Open a preset, a file of the work folder, or TOML text (`text`)."""

    id: int
    source: str
    name: str = ""
    text: str = ""


@dataclass(frozen=True)
class SetMachine:
    """The machine as edited in the page."""

    id: int
    document: dict[str, Any]
    label: str = ""


@dataclass(frozen=True)
class SolvePose:
    """Kinematics, efforts, reactions and limits at one pose; twist and acceleration zero unless given."""

    id: int
    pose: PoseInput
    payload: Payload = Payload()
    velocity: Numbers = field(default=(0.0,) * 6, metadata={"length": (6,)})
    acceleration: Numbers = field(default=(0.0,) * 6, metadata={"length": (6,)})
    external: Numbers = field(default=(0.0,) * 6, metadata={"length": (6,)})
    formulation: str = "exact"
    show: str = "rpy"


@dataclass(frozen=True)
class MakeMotion:
    """A trajectory with everything along it.

    kind       demo, waypoints, line, harmonic or file
    waypoints  rows x y z a b c in `convention`; for harmonic: centre, amplitude, frequency, phase
    """

    id: int
    kind: str
    waypoints: tuple[Numbers, ...] = ()
    convention: str = "rpy"
    duration: float = 10.0
    max_speed: float = 0.0
    max_rate: float = 0.0
    samples: int = 501
    file: str = ""
    payload: Payload = Payload()
    external: Numbers = field(default=(0.0,) * 6, metadata={"length": (6,)})
    formulations: tuple[str, ...] = ("exact",)


@dataclass(frozen=True)
class Simulate:
    """Follow the trajectory described by `motion` with a controller, from its first pose."""

    id: int
    motion: MakeMotion
    controller: str = "computed-force"
    bandwidth: float = 40.0
    integrator: str = ""
    step: float = 1e-3


@dataclass(frozen=True)
class Cancel:
    """Stop the simulation with this id."""

    id: int


@dataclass(frozen=True)
class FindModes:
    """Every assembly mode with the leg lengths of this pose."""

    id: int
    pose: PoseInput


@dataclass(frozen=True)
class SliceWorkspace:
    """Constant-orientation slice of the workspace through this pose."""

    id: int
    pose: PoseInput
    plane: str = "xy"
    points: int = 81
    width: float = 0.0


@dataclass(frozen=True)
class ListFiles:
    """Files of the work folder that the studio can open."""

    id: int


@dataclass(frozen=True)
class SaveMachine:
    """Write the machine of this page as TOML into the work folder."""

    id: int
    name: str
    overwrite: bool = False


@dataclass(frozen=True)
class GetToml:
    """The machine of this page as TOML text."""

    id: int


@dataclass(frozen=True)
class ShowCode:
    """Python and command line for what is on screen."""

    id: int
    solve: SolvePose
    motion: MakeMotion | None = None


@dataclass(frozen=True)
class Welcome:
    """Answer to Hello: what this server can do, and the machine it was started with."""

    id: int
    protocol: int
    version: str
    formulations: tuple[str, ...]
    conventions: dict[str, str]
    controllers: tuple[str, ...]
    capabilities: dict[str, str]
    gallery: tuple[dict[str, Any], ...]
    folder: str
    files: tuple[dict[str, str], ...]
    scenario: str = ""


@dataclass(frozen=True)
class Machine:
    """A machine accepted: its document, what to draw, warnings."""

    id: int
    label: str
    document: dict[str, Any]
    drawing: dict[str, Any]
    warnings: tuple[str, ...]
    sheet: dict[str, Any]


@dataclass(frozen=True)
class PoseState:
    """Answer to SolvePose."""

    id: int
    position: Numbers
    quaternion: Numbers
    angles: Numbers
    convention: str
    entered: Numbers
    coordinate: tuple[float | None, ...]
    rate: tuple[float | None, ...]
    force: tuple[float | None, ...]
    reactions: dict[str, Any]
    spherical_force: tuple[float | None, ...]
    condition: float | None
    condition_scaled: float | None
    sigma_min: float | None
    margin: tuple[float | None, ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...]
    milliseconds: float


@dataclass(frozen=True)
class Timeline:
    """Everything along a motion; arrays flattened row by row (time first)."""

    id: int
    kind: str
    label: str
    data: dict[str, Any]
    summary: dict[str, Any]
    refused: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Modes:
    """Answer to FindModes: rows position and quaternion with the actuator coordinates."""

    id: int
    poses: tuple[Numbers, ...]
    coordinate: Numbers
    count: int
    complete: bool
    text: str


@dataclass(frozen=True)
class WorkspaceSlice:
    """Answer to SliceWorkspace: reason per grid point, 0 inside."""

    id: int
    plane: str
    level: float
    u: Numbers
    v: Numbers
    reason: tuple[int, ...]
    kinds: tuple[str, ...]
    area: float
    text: str


@dataclass(frozen=True)
class Files:
    """Answer to ListFiles."""

    id: int
    folder: str
    files: tuple[dict[str, str], ...]


@dataclass(frozen=True)
class Saved:
    """Answer to SaveMachine."""

    id: int
    name: str


@dataclass(frozen=True)
class Toml:
    """Answer to GetToml."""

    id: int
    text: str


@dataclass(frozen=True)
class Code:
    """Answer to ShowCode."""

    id: int
    python: str
    command: str


@dataclass(frozen=True)
class Progress:
    """How far a long request is, 0..1."""

    id: int
    fraction: float
    text: str


@dataclass(frozen=True)
class Failure:
    """A request that could not be answered, and why; `field` where one is to blame."""

    id: int
    text: str
    field: str = ""
    kind: str = "input"


REQUESTS = (Hello, OpenMachine, SetMachine, SolvePose, MakeMotion, Simulate, Cancel, FindModes, SliceWorkspace,
            ListFiles, SaveMachine, GetToml, ShowCode)
ANSWERS = (Welcome, Machine, PoseState, Timeline, Modes, WorkspaceSlice, Files, Saved, Toml, Code, Progress, Failure)
Request = Union[Hello, OpenMachine, SetMachine, SolvePose, MakeMotion, Simulate, Cancel, FindModes,  # noqa: UP007
                SliceWorkspace, ListFiles, SaveMachine, GetToml, ShowCode]
_BY_NAME = {cls.__name__: cls for cls in REQUESTS}
_HINTS: dict[type, dict[str, Any]] = {}


def decode(text: str | bytes) -> Request:
    """A request from the text of one message; `MessageError` says what is wrong with it."""
    if len(text) > LARGEST:
        raise MessageError(f"message of {len(text)} characters; at most {LARGEST} are read")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise MessageError("message is nested too deeply") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise MessageError(f"message is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise MessageError("message must be a JSON object")
    cls = _BY_NAME.get(data.pop("type", None)) if isinstance(data.get("type"), str) else None
    if cls is None:
        raise MessageError("message needs a `type`: one of " + ", ".join(_BY_NAME))
    return _build(cls, data, cls.__name__, 0)


def request_id(text: str | bytes) -> int:
    """The id of a message, however broken the rest is; 0 when there is none."""
    if len(text) > LARGEST:
        return 0
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    value = data.get("id") if isinstance(data, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else 0


def encode(answer: Any) -> str:
    """An answer as the text of one message; NaN and infinity become null."""
    data = {"type": type(answer).__name__,
            **{f.name: getattr(answer, f.name) for f in dataclasses.fields(answer)}}
    try:
        return json.dumps(data, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(clean(data), allow_nan=False, separators=(",", ":"))


def clean(value: Any) -> Any:
    """`value` with NaN and infinity as None, tuples as lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    return value


def _refuse_constant(name: str) -> float:
    raise MessageError(f"{name} is not a number that can be used")


def _build(cls: type, data: dict[str, Any], where: str, depth: int) -> Any:
    if cls not in _HINTS:
        _HINTS[cls] = typing.get_type_hints(cls)
    hints = _HINTS[cls]
    fields = {f.name: f for f in dataclasses.fields(cls)}
    unknown = sorted(str(k) for k in set(data) - set(fields))
    if unknown:
        raise MessageError(f"{where} has no field {unknown[0]!r}")
    values = {}
    for name, f in fields.items():
        if name in data:
            values[name] = _convert(hints[name], data[name], f"{where}.{name}", depth + 1, f.metadata.get("length"))
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise MessageError(f"{where} needs {name!r}")
    return cls(**values)


def _convert(hint: Any, value: Any, where: str, depth: int, length: tuple[int, ...] | None = None) -> Any:
    if hint is float:
        return _number(value, where)
    if hint is int:
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**53:
            raise MessageError(f"{where} must be a whole number")
        return value
    if hint in (str, bool):
        if not isinstance(value, hint):
            raise MessageError(f"{where} must be {'text' if hint is str else 'true or false'}")
        return value
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        inner = [h for h in typing.get_args(hint) if h is not type(None)]
        return None if value is None else _convert(inner[0], value, where, depth, length)
    if origin is tuple:
        if not isinstance(value, list) or len(value) > LONGEST_LIST:
            raise MessageError(f"{where} must be a list of at most {LONGEST_LIST}")
        if length is not None and len(value) not in length:
            raise MessageError(f"{where} must have {' or '.join(map(str, length))} numbers, got {len(value)}")
        item = typing.get_args(hint)[0]
        return tuple(_convert(item, v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value))
    if not isinstance(value, dict):
        raise MessageError(f"{where} must be an object")
    if origin is dict:
        _check_depth(value, where, depth)
        return value
    return _build(hint, value, where, depth)


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MessageError(f"{where} must be a number")
    try:
        x = float(value)
    except OverflowError:
        raise MessageError(f"{where} is too large") from None
    if not math.isfinite(x):
        raise MessageError(f"{where} must be finite")
    return x


def _check_depth(value: Any, where: str, depth: int) -> None:
    if depth > DEEPEST:
        raise MessageError(f"{where} is nested too deeply")
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        _check_depth(item, where, depth + 1)
