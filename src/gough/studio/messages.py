"""What the page and the server say to each other, once: JSON objects with a `type` and these fields.

An answer that holds arrays (`Timeline`) goes as a binary frame with the rest as its header (frames.py).

Requests carry an `id`; every answer repeats the `id` of the request it belongs to.  SI units and radians throughout.
``python -m gough.studio.generate`` writes web/src/messages.js from this file; a test fails when that is stale.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, dataclass_transform

PROTOCOL = 4

Numbers = tuple[float, ...]
Gaps = tuple[float | None, ...]  # numbers, null where there is none
Shape = dict[
    str, Any
]  # an object whose fields web/src/types.d.ts names, by the type in its annotation


def zeros(*length: int) -> Any:
    """A field of that many numbers (or another of the lengths), zero unless given."""
    return field(default=(0.0,) * length[0], metadata={"length": length})


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class MessagePart:
    """A piece of a message; every subclass becomes a frozen dataclass of its annotations."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Request(MessagePart):
    """What the page asks; the answer carries the same id."""

    id: int


class Answer(MessagePart):
    """What the server says to the request with this id.

    `machine` in an answer: which machine of this client it was computed for, counted from 1 (`MachineOpened`).
    """

    id: int


class Numbering(MessagePart):
    """In which numbers a pose is said: convention of angles, pivot (platform axes, m), and frames.

    `framed`: of the tool seen from the work frame of the machine file; else of the reference point in the world.
    """

    convention: str = "rpy"
    pivot: Numbers = zeros(3)
    framed: bool = False


class PoseInput(MessagePart):
    """A pose as entered, in the numbers of a `Numbering`: `position` of the tool when its rotation is zero.

    Without frames the reference point is at ``position + pivot - R pivot``; turns are about the pivot.
    """

    position: Numbers = field(metadata={"length": (3,)})
    convention: str = "rpy"
    angles: Numbers = zeros(3, 4)
    pivot: Numbers = zeros(3)
    framed: bool = False


class Payload(MessagePart):
    """A body carried by the platform: mass kg, center m (platform axes), principal inertia kg m^2 about it."""

    mass: float = 0.0
    center: Numbers = zeros(3)
    inertia: Numbers = zeros(3)


class CueParameter(MessagePart):
    """A parameter of a cueing method by its name, SI: one number, or three."""

    name: str
    values: Numbers = field(metadata={"length": (1, 3)})


class CueInput(MessagePart):
    """A vehicle's telemetry and how it becomes a motion (gough.cueing); parameters left out are the method's defaults.

    file         a CSV file of the work folder; empty: the made-up drive of the library
    scale        factor on the method's scales; null: the largest up to 1 that is found inside the limits
    fingerprint  of the telemetry that this was computed from: another one is refused; empty: any
    """

    file: str = ""
    method: str = "classical"
    scale: float | None = 1.0
    parameters: tuple[CueParameter, ...] = ()
    fingerprint: str = ""


class Hello(Request):
    """First message of a page."""

    protocol: int = PROTOCOL


class OpenMachine(Request):
    """Open a preset, a file of the work folder, or TOML text (`text`)."""

    source: str
    name: str = ""
    text: str = ""


class SetMachine(Request):
    """The machine as edited in the page."""

    document: Annotated[Shape, "MachineDocument"]
    label: str = ""


class SolvePose(Request):
    """Kinematics, efforts, reactions and limits at one pose; twist and acceleration zero unless given.

    show  in which numbers the answer says the pose
    """

    pose: PoseInput
    payload: Payload = Payload()
    velocity: Numbers = zeros(6)
    acceleration: Numbers = zeros(6)
    external: Numbers = zeros(6)
    formulation: str = "exact"
    show: Numbering = Numbering()


class MakeMotion(Request):
    """A trajectory with everything along it.

    kind       demo, waypoints, line, harmonic, file or cue
    waypoints  rows x y z a b c in the numbers of `convention`, `pivot`, `framed`; for harmonic: center in these,
               then amplitude, frequency, phase of the reference point, world axes, and roll, pitch, yaw
    """

    kind: str
    waypoints: tuple[Numbers, ...] = ()
    convention: str = "rpy"
    pivot: Numbers = zeros(3)
    framed: bool = False
    duration: float = 10.0
    max_speed: float = 0.0
    max_rate: float = 0.0
    samples: int = 501
    file: str = ""
    cue: CueInput | None = None
    payload: Payload = Payload()
    external: Numbers = zeros(6)
    formulations: tuple[str, ...] = ("exact",)


class Simulate(Request):
    """Follow the trajectory described by `motion` with a controller, from its first pose."""

    motion: MakeMotion
    controller: str = "computed-force"
    bandwidth: float = 40.0
    integrator: str = ""
    step: float = 1e-3


class Cancel(Request):
    """Stop the simulation with this id."""


class FindModes(Request):
    """Every assembly mode with the leg lengths of this pose."""

    pose: PoseInput


class SliceWorkspace(Request):
    """Constant-orientation slice of the workspace through this pose."""

    pose: PoseInput
    plane: str = "xy"
    points: int = 81
    width: float = 0.0


class Restate(Request):
    """The same poses in other numbers: rows x y z and angles."""

    rows: tuple[Numbers, ...]
    of: Numbering = Numbering()
    to: Numbering = Numbering()


class ListFiles(Request):
    """Files of the work folder that the studio can open."""


class SaveMachine(Request):
    """Write the machine of this page as TOML into the work folder."""

    name: str
    overwrite: bool = False


class GetToml(Request):
    """The machine of this page as TOML text."""


class ShowCode(Request):
    """Python and command line for what is on screen.

    motion  the trajectory on the plots;  run: the simulation on the plots (then `motion` is its own)
    time    s: the timeline stands there, not at the pose of `solve`
    """

    solve: SolvePose
    motion: MakeMotion | None = None
    run: Simulate | None = None
    time: float | None = None


class Welcome(Answer):
    """Answer to Hello: what this server can do, and the machine it was started with."""

    protocol: int
    version: str
    formulations: tuple[str, ...]
    conventions: dict[str, str]
    controllers: tuple[str, ...]
    capabilities: dict[str, str]
    gallery: tuple[Annotated[Shape, "GalleryItem"], ...]
    folder: str
    files: tuple[dict[str, str], ...]
    scenario: str = ""


class MachineOpened(Answer):
    """A machine accepted: its document, what to draw, warnings."""

    machine: int
    label: str
    document: Annotated[Shape, "MachineDocument"]
    drawing: Annotated[Shape, "Drawing"]
    warnings: tuple[str, ...]
    sheet: Annotated[Shape, "Sheet"]


class PoseState(Answer):
    """Answer to SolvePose; `broken`, `near`: limits of each leg (gough/analysis/marks.py)."""

    machine: int
    position: Numbers
    quaternion: Numbers
    angles: Numbers
    show: Numbering
    entered: Numbers
    coordinate: Gaps
    rate: Gaps
    force: Gaps
    reactions: Annotated[Shape, "Reactions"]
    spherical_force: Gaps
    condition: float | None
    condition_scaled: float | None
    sigma_min: float | None
    margin: Gaps
    broken: tuple[int, ...]
    near: tuple[int, ...]
    refused: tuple[str, ...]
    notes: tuple[str, ...]
    milliseconds: float


class Timeline(Answer):
    """Everything along a motion: arrays, row by row (time first), by name."""

    machine: int
    kind: str
    label: str
    data: Annotated[Shape, "TimelineData"]
    summary: Annotated[Shape, "Summary"]
    refused: tuple[str, ...]
    notes: tuple[str, ...]


class ModesFound(Answer):
    """Answer to FindModes: rows position and quaternion with the actuator coordinates."""

    machine: int
    poses: tuple[Numbers, ...]
    coordinate: Numbers
    count: int
    complete: bool
    text: str


class SliceShown(Answer):
    """Answer to SliceWorkspace: reason per grid point, 0 inside."""

    machine: int
    plane: str
    level: float
    u: Numbers
    v: Numbers
    reason: tuple[int, ...]
    kinds: tuple[str, ...]
    area: float
    text: str


class Restated(Answer):
    """Answer to Restate."""

    rows: tuple[Numbers, ...]


class Files(Answer):
    """Answer to ListFiles."""

    folder: str
    files: tuple[dict[str, str], ...]


class Saved(Answer):
    """Answer to SaveMachine."""

    name: str


class Toml(Answer):
    """Answer to GetToml."""

    text: str


class Code(Answer):
    """Answer to ShowCode."""

    machine: int
    python: str
    command: str


class Progress(Answer):
    """How far a long request is, 0..1."""

    fraction: float
    text: str


class Failure(Answer):
    """A request that could not be answered, and why; `field` where one is to blame."""

    text: str
    field: str = ""
    kind: str = "input"


REQUESTS = tuple(Request.__subclasses__())
ANSWERS = tuple(Answer.__subclasses__())
