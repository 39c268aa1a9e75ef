"""Two machines at one pose: the page's and another, each solved as the page's own pose is."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from gough.analysis.drawing import drawing
from gough.checks import InputError
from gough.model import Platform
from gough.model.files import presets
from gough.model.json_document import to_document
from gough.orientations import from_rotation
from gough.spatial import Pose
from gough.studio import view_messages as v
from gough.studio.machines import preset, read_machine
from gough.studio.messages import PoseInput, SolvePose
from gough.studio.numbering import place

if TYPE_CHECKING:
    from gough.studio.session import Session


def solve_other(session: Session, message: v.SolveOther) -> v.OtherSolved:
    """Both machines at the pose of the message; the page's machine stays the page's."""
    other = session.snapshot()
    platform, label = _machine(session, message)
    other.use(label, platform)
    at = place(session.platform, message.solve.pose)
    if message.relative:
        at = _displaced(session.platform, platform, at)
    quaternion = tuple(from_rotation("quaternion", at.rotation).tolist())
    pose = PoseInput(tuple(at.position.tolist()), "quaternion", quaternion)
    asked: SolvePose = dataclasses.replace(message.solve, pose=pose)
    return v.OtherSolved(
        message.id,
        session.count,
        label,
        to_document(platform),
        drawing(platform),
        vars(session.solve_pose(message.solve)),
        vars(other.solve_pose(asked)),
    )


def _machine(session: Session, message: v.SolveOther) -> tuple[Platform, str]:
    if message.source == "preset" and message.name in presets():
        return preset(message.name)[0], message.name
    if message.source == "file":
        return read_machine(session.folder.read(message.name), message.name)[0], message.name
    raise InputError("source", message.source, "must be preset or file, with a known name")


def _displaced(own: Platform, other: Platform, pose: Pose) -> Pose:
    """The other machine as far from its home as `pose` is from the home of `own`, world axes."""
    a, b = own.likely_home, other.likely_home
    turned = pose.rotation @ a.rotation.T @ b.rotation
    return Pose(b.position + pose.position - a.position, turned)
