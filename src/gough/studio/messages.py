"""What the page and the server say to each other, once: JSON objects with a `type` and these fields.

Requests carry an `id`; every answer repeats the `id` of the request it belongs to.  SI units and radians throughout.
``python -m gough.studio.generate`` writes web/src/messages.js from this file; a test fails when that is stale.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Union

PROTOCOL = 1

Numbers = tuple[float, ...]


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
    waypoints  rows x y z a b c in `convention`; for harmonic: center, amplitude, frequency, phase
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
