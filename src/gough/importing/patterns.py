"""Which leg a chain of joints is: U two hinges, S a ball or three hinges through one point, P a slide, R a hinge that
is driven, C a slide and a hinge along it, T a hinge along the leg.

Of several readings that fit, the one that leaves the least mass inside its joints, and then the first of the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gough.checks import Array
from gough.importing.file_model import FileBody, FileJoint
from gough.importing.notes import ImportNotes
from gough.importing.structure import FileRotor, LegPath

PATTERNS = {
    "UPS": "UPS",
    "SPS": "SPS",
    "PUS": "PUS",
    "RUS": "RUS",
    "UCU": "UCU",
    "UCS": "UCS",
    "PSU": "PSU",
    "RSS": "RSS",
    "SPU": "SPU",  # made a UCU leg where that is the same
    "UPS link": "US",
    "SPS link": "SS",
    "UCU link": "UTU",
}
WIDTHS = {"U": ("HH",), "S": ("B", "HHH"), "P": ("P",), "R": ("H",), "C": ("PH", "HP"), "T": ("H",)}
CROSSES = {"UPS": (0,), "UCU": (0, 2)}  # joints of a leg whose cross piece may have mass
LETTERS = {"hinge": "H", "slide": "P", "ball": "B"}
ALONG = 1e-6  # sine of an angle that is none


class Group(NamedTuple):
    """A joint of a leg: its letter, its single joints, the bodies between them, the body behind it and the rotors on
    that (None behind the last: the platform)."""

    letter: str
    joints: tuple[FileJoint, ...]
    inside: tuple[FileBody, ...]
    behind: FileBody | None
    rotors: tuple[FileRotor, ...]

    @property
    def damping(self) -> tuple[float, ...]:
        """Of its single joints."""
        return tuple(joint.damping for joint in self.joints)


class FoundLeg(NamedTuple):
    """A leg by its kind (a key of PATTERNS), its joints from the ground to the platform."""

    kind: str
    groups: tuple[Group, ...]


def recognized(path: LegPath, what: str, tolerance: float, notes: ImportNotes) -> FoundLeg:
    """The leg that a chain is; a chain that is none is refused with its joints."""
    letters = "".join(LETTERS[joint.kind] for joint in path.joints)
    fitting = []
    for order, (kind, pattern) in enumerate(PATTERNS.items()):
        for widths in _splits(pattern, letters):
            found = FoundLeg(kind, _groups(path, pattern, widths))
            if _fits(found, tolerance):
                fitting.append((_inside(found), order, found))
    if not fitting:
        said = ", ".join(f"{joint.name} ({joint.kind})" for joint in path.joints)
        known = "UPS, SPS, PUS, RUS, UCU, UCS, PSU, RSS, or UPS, SPS, UCU of a fixed length"
        why = f"its joints from the ground, {said}, are those of no leg here: {known}"
        raise notes.refuse(what, why)
    return min(fitting, key=lambda entry: entry[:2])[2]


def _splits(pattern: str, letters: str) -> Iterator[tuple[int, ...]]:
    """Ways to cut the joints into those of a pattern."""
    if not pattern:
        if not letters:
            yield ()
        return
    for form in WIDTHS[pattern[0]]:
        if letters.startswith(form):
            for rest in _splits(pattern[1:], letters[len(form) :]):
                yield (len(form), *rest)


def _groups(path: LegPath, pattern: str, widths: tuple[int, ...]) -> tuple[Group, ...]:
    found, start = [], 0
    for letter, width in zip(pattern, widths, strict=True):
        end = start + width
        inside = tuple(b for b in path.after[start : end - 1] if b is not None and not b.weightless)
        rotors = path.rotors[end - 1]
        found.append(Group(letter, path.joints[start:end], inside, path.after[end - 1], rotors))
        start = end
    return tuple(found)


def _inside(found: FoundLeg) -> float:
    """Mass inside joints that have no place for it, kg."""
    own = CROSSES.get(found.kind, ())
    return sum(b.mass for i, g in enumerate(found.groups) if i not in own for b in g.inside)


def _fits(found: FoundLeg, tolerance: float) -> bool:
    """The axes lie as those of such joints do."""
    groups = found.groups
    for i, group in enumerate(groups):
        axes = [joint.axis for joint in group.joints if joint.kind != "ball"]
        if group.letter == "U" and _parallel(*axes):
            return False
        if len(group.joints) == 3:
            _, off = meeting(group.joints)
            if off > tolerance or abs(np.linalg.det(axes)) < ALONG:
                return False
        if group.letter == "C" and not _parallel(*axes):
            return False
        if group.letter == "R":
            _, off = meeting((group.joints[0], *groups[i + 1].joints))
            if off <= tolerance:
                return False
    return True


def _parallel(a: Array, b: Array) -> bool:
    return bool(np.linalg.norm(np.cross(a, b)) < ALONG)


def meeting(joints: tuple[FileJoint, ...]) -> tuple[Array, float]:
    """The point nearest to all axes (or the ball's center), and its largest distance from one of them, m."""
    if any(joint.kind == "ball" for joint in joints):
        balls = [joint.at for joint in joints if joint.kind == "ball"]
        point = balls[0]
    else:
        across = [np.eye(3) - np.outer(joint.axis, joint.axis) for joint in joints]
        right = sum(A @ (joint.at - joints[0].at) for A, joint in zip(across, joints, strict=True))
        point = joints[0].at + np.linalg.lstsq(sum(across), right, rcond=None)[0]  # type: ignore[arg-type]
    off = max(float(np.linalg.norm(_beside(joint, point))) for joint in joints)
    return point, off


def _beside(joint: FileJoint, point: Array) -> Array:
    """From a joint's axis (a ball's center) to a point."""
    r = point - joint.at
    return r - joint.axis * (joint.axis @ r)
