"""MJCF and URDF files as machines.

What a file says is carried over as it is, refused, or (`approximate`) changed with a warning that says so; what is no
part of a machine is left out with a warning.  The world is the file's, the platform's frame its platform body's,
home the configuration of the file.  docs/import.md
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from gough.checks import Array, InputError, number
from gough.importing.file_model import ROUNDING, FileModel
from gough.importing.making_legs import Making, make_leg
from gough.importing.mujoco_models import mujoco_model
from gough.importing.notes import ImportNotes
from gough.importing.patterns import recognized
from gough.importing.structure import LegPath, six_legs
from gough.importing.urdf_models import urdf_model
from gough.model import Platform
from gough.trajectory.recorded import absent


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    keyframe: str | None = None,
    platform: str | None = None,
    approximate: bool = False,
    tolerance: float = 0.0,
) -> Platform:
    """The machine of an MJCF file, by MuJoCo's own reading of it (`gough[mujoco]`).

    keyframe     configuration in which the loops are closed; None: the initial one
    platform     body whose frame is the platform's; None: the heaviest of those that are the platform
    approximate  change what no machine here has, with a warning for each, instead of refusing the file
    tolerance    m: loops, axes and slides that miss each other by less are taken as meeting, with a warning
    """
    notes = _notes(path, approximate, tolerance)
    return _machine(mujoco_model(notes.path, notes, keyframe), notes, platform)


def read_urdf(
    path: str | os.PathLike[str],
    *,
    loops: str | os.PathLike[str] | None = None,
    platform: str | None = None,
    approximate: bool = False,
    tolerance: float = 0.0,
) -> Platform:
    """The machine of a URDF file and what closes its loops.

    loops  the companion (JSON or TOML, docs/import.md); None: the file beside it with the ending .loops.json or
           .loops.toml, or `loop_joint` elements of the file
    The others as of `read_mjcf`.
    """
    notes = _notes(path, approximate, tolerance)
    beside = None if loops is None else os.fspath(loops)
    return _machine(urdf_model(notes.path, beside, notes), notes, platform)


def _notes(path: str | os.PathLike[str], approximate: bool, tolerance: float) -> ImportNotes:
    label = os.fspath(path)
    if "\0" in label or not Path(label).is_file():
        gone = "" if "\0" in label else absent(label)
        raise InputError("path", label, f"{gone}must be a file")
    return ImportNotes(label, approximate, number("tolerance", tolerance, minimum=0.0))


def _machine(model: FileModel, notes: ImportNotes, platform: str | None) -> Platform:
    _finite(model, notes)
    body, paths = six_legs(model, notes, platform)
    paths = _ordered(model, paths)
    moving = {joint.name for path in paths for joint in path.joints}
    for motor in model.motors:
        if not moving & set(motor.shares):
            notes.outside(f"actuator {motor.name!r}", "acts on no joint of a leg, left out")
    names = _names(paths)
    rounding = ROUNDING * max(model.size, 1e-3)
    legs = []
    for i, (path, name) in enumerate(zip(paths, names, strict=True)):
        what = f"leg {name or i + 1}"
        found = recognized(path, what, max(rounding, notes.tolerance), notes)
        legs.append(
            make_leg(found, Making(model, body, what, name or f"L{i + 1}", rounding, notes))
        )
    if all(leg.name == f"L{i + 1}" for i, leg in enumerate(legs)):
        legs = [leg.replace(name="") for leg in legs]
    own = body.seen(body.position, body.rotation)
    made = Platform(own, legs, gravity=_clean(model.gravity), home=body.pose, name=model.name)
    notes.finish()
    return made


def _finite(model: FileModel, notes: ImportNotes) -> None:
    """Refuse numbers that are none."""
    for body in model.bodies:
        if not np.isfinite([*body.position, *body.center, *body.inertia.flat, body.mass]).all():
            raise notes.refuse(f"body {body.name!r}", "has a number that is not finite")
    for joint in (joint for edge in model.edges for joint in edge.joints):
        numbers = [joint.damping, joint.stiffness, joint.rest, joint.armature, joint.dry]
        if not np.isfinite([*joint.axis, *joint.at, *numbers, joint.reading]).all():
            raise notes.refuse(f"joint {joint.name!r}", "has a number that is not finite")
        if min(joint.damping, joint.stiffness, joint.armature, joint.dry) < 0.0:
            raise notes.refuse(
                f"joint {joint.name!r}", "has friction, stiffness or inertia below zero"
            )


def _clean(gravity: Array) -> Array:
    return gravity + 0.0


def _ordered(model: FileModel, paths: list[LegPath]) -> list[LegPath]:
    """In the order of the file's motors where every leg has one, else of its bodies."""
    order = {}
    for i, motor in enumerate(model.motors):
        order |= dict.fromkeys(motor.shares, i)
    numbers = [[order[j.name] for j in path.joints if j.name in order] for path in paths]
    if all(numbers):
        return [path for _, path in sorted(zip(numbers, paths, strict=True), key=lambda p: p[0][0])]
    return sorted(paths, key=lambda path: path.place)


def _names(paths: list[LegPath]) -> list[str]:
    """What the names of a leg's bodies begin with, where that tells the legs apart; else none."""
    found = []
    for path in paths:
        words = [name for body in path.after if body is not None for name in body.names]
        start = _common(words)
        if len(words) > 1 and any(len(word) > len(start) for word in words):
            start = re.sub(r"[^-_./: ]*$", "", start)
        found.append(start.strip("-_./: "))
    return found if all(found) and len(set(found)) == 6 else [""] * 6


def _common(words: list[str]) -> str:
    """What all of them begin with."""
    first, last = min(words, default=""), max(words, default="")
    same = [i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b]
    return first[: same[0]] if same else first
