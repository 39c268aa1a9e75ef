"""Is the part of a workspace that is joined with home as large as brute force says?  With bodies that legs may touch.

    PYTHONPATH=src:tests python -m campaigns.flood_campaign --cells 60 --depth 6

Four machines, each between two plates that come before its strokes: struts, struts far beyond singular poses, sliders,
cranks.  Truth: every center of another grid by NumPy alone, filled from the start cell by cell (support/flood.py).
Prints both volumes, their difference and the proved bounds; exit code 1 where they differ by more than 1 %.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

import gough
from gough.analysis.connected import ReachableVolume, reachable_volume
from gough.analysis.workspace import default_width
from gough.clearances import leg_clearances
from gough.model import Limits, Plate, Platform
from gough.spatial import Pose, rotation_from_rpy
from gough.struts import lengths_only, struts
from support.flood import flood_volume

MACHINES = ("motion-base-1500", "wide", "hexaglide", "servo-hexapod")
ROOM = {"motion-base-1500": 0.97, "wide": 0.6, "hexaglide": 0.9, "servo-hexapod": 0.9}
MOST = 0.01


def shaped(name: str) -> tuple[Platform, Pose]:
    """A machine with bodies, of which legs at the start keep their radius, and the start."""
    if name == "wide":
        one = gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, limits=Limits(stroke=(0.4, 1.0)))
        start = Pose(one.require_home().position, rotation_from_rpy((0.8, 0.0, 0.3)))
    else:
        one = gough.load(name)
        start = one.require_home()
    size = one.characteristic_length
    b, p = one.base_joints, one.platform_joints
    low, high = float(b[:, 2].min()), float(p[:, 2].max())
    wide = float(np.linalg.norm(b[:, :2], axis=1).max())
    outline = 1.3 * size * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    spared = 0.12 * size
    bodies = {
        "base_shape": Plate(bottom=low - size, top=low, radius=1.1 * wide, spared=spared),
        "platform_shape": Plate(bottom=high, top=high + size, outline=outline, spared=spared),
    }
    thin = [x.replace(limits=x.limits.replace(radius=1e-6)) for x in one.legs]
    one = one.replace(legs=thin, **bodies)
    d = min(float(x.min()) for x in leg_clearances(one, struts(one, start), start).values())
    legs = [x.replace(limits=x.limits.replace(radius=ROOM[name] * d)) for x in one.legs]
    return one.replace(legs=legs), start


def compared(name: str, cells: int, depth: int) -> tuple[ReachableVolume, float, float]:
    """The answer, the filled volume and that within the limits, m^3."""
    one, start = shaped(name)
    box = None
    if not lengths_only(one):
        half = default_width(one) / 2
        box = np.stack([start.position - half, start.position + half])
    found = reachable_volume(one, start, box=box, depth=depth)
    joined, within, _ = flood_volume(one, start, found.box, cells)
    return found, joined, within


def main() -> int:
    """Compare all machines and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=60)
    parser.add_argument("--depth", type=int, default=6)
    options, bad = parser.parse_args(), 0
    for name in MACHINES:
        began = time.perf_counter()
        found, joined, within = compared(name, options.cells, options.depth)
        off = found.value / joined - 1.0 if joined else np.inf
        bad += not (abs(off) <= MOST and found.low <= joined <= found.high)
        one, start = shaped(name)
        free = one.replace(base_shape=None, platform_shape=None)
        bare = reachable_volume(free, start, box=found.box, depth=min(options.depth, 5)).value
        print(
            f"{name}: {found.value:.6g} m3, flood fill {joined:.6g} m3 ({100 * off:+.2f} %), proved "
            f"{found.low:.6g} to {found.high:.6g}; within the limits {within:.6g}, without bodies "
            f"{bare:.6g}; {time.perf_counter() - began:.0f} s",
            flush=True,
        )
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
