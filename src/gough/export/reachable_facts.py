"""How much of a workspace can be moved to from home, as plain numbers and in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.analysis.cell_judge import bounded
from gough.analysis.connected import ReachableVolume, reachable_volume
from gough.analysis.volume import NOT_ASKED
from gough.checks import Array, InfeasibleError
from gough.clearances import needed_clearances
from gough.limits import needed_distances
from gough.model import Platform
from gough.spatial import Pose

DEPTHS = (3, 7)  # 8 to 128 cells along a side


def reachable_part(
    platform: Platform, rotation: Array, box: Array | None, points: int
) -> ReachableVolume | str:
    """The part joined with home at `rotation`, some `points` cells a side (128 at most); or why not."""
    home = platform.home
    if home is None:
        return "reachable from home: not judged, the machine has no home pose"
    start = None if np.array_equal(rotation, home.rotation) else Pose(home.position, rotation)
    finer = np.ceil if bounded(platform) else np.floor  # samples are slow
    depth = int(np.clip(finer(np.log2(points)), *DEPTHS))
    try:
        return reachable_volume(platform, start, box=box, depth=depth)
    except InfeasibleError as error:
        return f"reachable from home: not judged, {error.allowed}"


def left_out(platform: Platform, facts: dict[str, Any]) -> list[str]:
    """What the volumes of `facts` do not look at, in words."""
    said = []
    near = not np.isnan(needed_distances(platform)).all() or bool(needed_clearances(platform))
    if "volume_m3" in facts and near:
        said.append("volume_m3 is within strokes and cones alone; grid_volume_m3 within all limits")
    if "orientations" in facts:
        said.append(f"every_orientation_m3, some_orientation_m3: {NOT_ASKED}")
    return said


def reachable_facts(part: ReachableVolume | str) -> dict[str, Any]:
    """Numbers, m^3, and `judged`: the words.  Bounds only where they are proved."""
    if isinstance(part, str):
        return {"judged": [part]}
    facts: dict[str, Any] = {
        "reachable_m3": part.value,
        "reachable_share": part.share if np.isfinite(part.share) else None,
        "beyond_singularity_m3": part.beyond,
        "not_joined_m3": part.apart,
    }
    if part.proved is None:
        facts |= {"reachable_at_least_m3": part.low, "reachable_at_most_m3": part.high}
    return facts | {"reachable_cells": int(part.cells.size), "judged": list(part.sentences())}
