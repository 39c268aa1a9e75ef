"""The workspace volume that the page draws: cells joined with the pose on screen, colored by a quantity.

Computed by `reachable_volume` and `workspace_map`.  The surface is that of cells whose centers were looked at (or of
those that are proved in all of them); the colors belong to the centers.  Work is bounded by the depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.analysis.cell_surface import cell_faces
from gough.analysis.connected import PROVED, REACHED, ReachableVolume, reachable_volume
from gough.analysis.workspace import default_width
from gough.analysis.workspace_maps import workspace_map
from gough.checks import InputError
from gough.model import Platform
from gough.spatial import Pose
from gough.studio import view_messages as v
from gough.studio.numbering import place

if TYPE_CHECKING:
    from gough.studio.session import Session

QUANTITIES = ("margin", "condition", "stiffness")
DEPTHS = (3, 6)
CUTS = ("", "x", "y", "z")


def map_volume(session: Session, message: v.MapVolume) -> v.VolumeShown:
    """The volume around the pose of the message."""
    if message.quantity not in QUANTITIES:
        raise InputError("quantity", message.quantity, "must be one of " + ", ".join(QUANTITIES))
    if not DEPTHS[0] <= message.depth <= DEPTHS[1]:
        raise InputError("depth", message.depth, f"must be from {DEPTHS[0]} to {DEPTHS[1]}")
    if message.cut not in CUTS:
        raise InputError("cut", message.cut, "must be x, y, z or empty")
    platform = session.platform
    part, within = joined_part(platform, place(platform, message.pose), message.depth)
    found = workspace_map(platform, part, message.quantity, stiffness=message.stiffness)
    least = PROVED if message.proved else REACHED
    drawn = (part.cells >= least) & _kept(part, message.cut)
    count = part.cells.shape[0]
    faces: list[int] = []
    values: list[float] = []
    for side, at in enumerate(cell_faces(drawn)):
        numbers = np.ravel_multi_index((at[:, 0], at[:, 1], at[:, 2]), part.cells.shape)
        faces += (6 * numbers + side).tolist()
        values += found.values.ravel()[numbers].tolist()
    return v.VolumeShown(
        message.id,
        session.count,
        message.quantity,
        found.unit,
        message.depth,
        message.proved,
        message.cut,
        tuple(part.box.ravel().tolist()),
        count,
        tuple(faces),
        tuple(values),
        found.worst,
        found.best,
        (part.value, part.low, part.high),
        part.proved or "",
        (*part.sentences(), found.sentence(), *within),
    )


def _kept(part: ReachableVolume, cut: str) -> NDArray[np.bool_]:
    """(n, n, n) the cells behind the cut through the start: seen from the front, from the left or from above."""
    kept = np.ones(part.cells.shape, dtype=bool)
    if not cut:
        return kept
    axis, n = "xyz".index(cut), part.cells.shape[0]
    low, high = part.box[:, axis]
    beyond = low + (np.arange(n) + 0.5) * (high - low) / n >= part.start.position[axis]
    side = ~beyond if cut == "z" else beyond
    return kept & np.moveaxis(np.broadcast_to(side, kept.shape), -1, axis)


def joined_part(
    platform: Platform, pose: Pose, depth: int
) -> tuple[ReachableVolume, tuple[str, ...]]:
    """What is joined with `pose`, and where was looked if the strokes do not say: a cube about home."""
    try:
        return reachable_volume(platform, pose, depth=depth), ()
    except InputError as error:
        if error.field not in ("box", "limits.stroke"):
            raise
    width = default_width(platform)
    corners = platform.likely_home.position + width * np.array([[-0.5], [0.5]])
    said = f"looked at within a cube of {1e3 * width:.4g} mm about home; nothing is said of what lies outside"
    return reachable_volume(platform, pose, box=corners, depth=depth), (said,)
