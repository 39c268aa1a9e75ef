"""What the page asks beside the pose and the motion: volumes, reachable ranges, ways between modes, comparisons.

Declared as in messages.py; `REQUESTS` and `ANSWERS` here are those of both files and of calibration_messages.py;
cueing_messages.py adds its own.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from gough.studio import calibration_messages as calibrating
from gough.studio.messages import ANSWERS as FIRST_ANSWERS
from gough.studio.messages import REQUESTS as FIRST_REQUESTS
from gough.studio.messages import (
    Answer,
    Gaps,
    Numbering,
    Numbers,
    PoseInput,
    Request,
    Shape,
    SolvePose,
)


class MapVolume(Request):
    """The workspace at the orientation of this pose that is joined with it, and a quantity over it.

    quantity   margin, condition or stiffness;  stiffness: of every leg, N/m (N m/rad), for the last
    depth      2^depth cells along each side;  proved: draw only the cells that are proved reachable
    cut        x, y or z: of the cells only those beyond the pose along x or y, or below it along z; empty: all
    """

    pose: PoseInput
    quantity: str = "margin"
    stiffness: float = 1e8
    depth: int = 4
    proved: bool = False
    cut: str = ""


class VolumeShown(Answer):
    """Answer to MapVolume.

    box, cells  corners (low, high) of the grid, m, and how many cells it has along each side
    faces       of the surface: 6 (cell number, z fastest) + 2 axis + side;  values: of the quantity in their cells
    volume      estimate, proved least, proved most, m^3;  why: no bound is proved
    """

    machine: int
    quantity: str
    unit: str
    depth: int
    proved: bool
    cut: str
    box: Numbers
    cells: int
    faces: tuple[int, ...]
    values: Gaps
    worst: float
    best: float
    volume: Numbers
    why: str
    text: tuple[str, ...]


class FindTravel(Request):
    """How far each number of the pose goes while the others stay, in the numbers of `show`."""

    pose: PoseInput
    show: Numbering = Numbering()


class TravelShown(Answer):
    """Answer to FindTravel: six lowest and highest numbers (m, rad), what ends each, and whether all ends are proved.

    axes  the numbers are the turns themselves: false for a rotation vector, whose three numbers are no turns
    """

    machine: int
    entered: Numbers
    low: Numbers
    high: Numbers
    why_low: tuple[str, ...]
    why_high: tuple[str, ...]
    proved: bool
    axes: bool
    unchecked: tuple[str, ...]


class RatePoses(Request):
    """Condition, determinant and limits at poses: rows x y z and a quaternion."""

    rows: tuple[Numbers, ...]


class PosesRated(Answer):
    """Answer to RatePoses, one of each per row; `determinant` of H over the characteristic length; null: none.

    limited    whether the machine has any limit of a pose (stroke, cone, distance);  unchecked: those not looked at
    """

    machine: int
    condition: Gaps
    determinant: Gaps
    margin: Gaps
    refused: tuple[str, ...]
    limited: bool
    unchecked: tuple[str, ...]


class FindWay(Request):
    """A way from a pose to another (x y z, quaternion): straight, or by the planner clear of singular poses."""

    pose: PoseInput
    to: Numbers = field(metadata={"length": (7,)})
    planned: bool = False


class WayShown(Answer):
    """Answer to FindWay: samples along it.

    share      0..1 of each sample;  rows: x y z and quaternion;  condition, determinant: as in PosesRated
    crossings  shares where the determinant changes its sign, between samples by bisection
    verdict    regular, crossing (both proved), sampled crossing, undecided
    """

    machine: int
    share: Numbers
    rows: tuple[Numbers, ...]
    condition: Gaps
    determinant: Gaps
    margin: Gaps
    crossings: Numbers
    verdict: str
    text: tuple[str, ...]


class SolveOther(Request):
    """The machine of this page and another one (preset or file) at the same pose.

    relative  the other is displaced from its home as this one is from its own
    """

    solve: SolvePose
    source: str
    name: str
    relative: bool = False


class OtherSolved(Answer):
    """Answer to SolveOther: `own` and `other` are PoseStates."""

    machine: int
    label: str
    document: Annotated[Shape, "MachineDocument"]
    drawing: Annotated[Shape, "Drawing"]
    own: Annotated[Shape, "ComparedPose"]
    other: Annotated[Shape, "ComparedPose"]


class ExportMachine(Request):
    """The machine at this pose as a file: form glb or stl."""

    pose: PoseInput
    form: str = "glb"


class MachineExported(Answer):
    """Answer to ExportMachine: the file in base64, and what it holds."""

    machine: int
    name: str
    data: str
    text: str


REQUESTS = (
    *FIRST_REQUESTS,
    MapVolume,
    FindTravel,
    RatePoses,
    FindWay,
    SolveOther,
    ExportMachine,
    *calibrating.REQUESTS,
)
ANSWERS = (
    *FIRST_ANSWERS,
    VolumeShown,
    TravelShown,
    PosesRated,
    WayShown,
    OtherSolved,
    MachineExported,
    *calibrating.ANSWERS,
)
