"""Do travel ranges and verdicts on reachability keep their word?  Random machines of every leg type, by brute force.

    PYTHONPATH=src:tests python -m campaigns.travel_campaign --count 200 --seed 0

Machines: random ones (`MACHINES`; those of `UNPROVED` give no bounds), limits around what their legs do at home, random
work and tool frames, pivots and conventions.  Truth: the numbers that a user enters, one of them changed at `SAMPLES`
places of the range, through `Frames.pose`, every margin and the sign of the determinant there.  A word is broken where
    a sample inside a range breaks a limit by more than the slack, or has the other sign of the determinant
    the pose at the end's `beyond` keeps the limit that is named, or an axis that is free meets one
    a pose said to be reachable breaks something on the straight way, or one said not to be does not
Exit code 1 if a word was broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import Any

import numpy as np

import gough
from gough.analysis.ways import RayEnd
from gough.checks import Array
from gough.clearances import CLEARANCES
from gough.limits import check
from gough.links import POSE, off_links, released
from gough.model import Limits, Platform
from gough.orientations import SENSES, SEQUENCES
from gough.spatial import Pose, rotation_exp, rotation_log
from gough.struts import pair_distances, shared_joints, struts
from oracles.machines import platform
from oracles.offset_machines import offset_case

MACHINES = (
    "UPS",
    "SPS-free",
    "PUS",
    "RUS",
    "mixed",
    "PSU",
    "UCS-free",
    "RSS-free",
    "UCU",
    "UCU-screw",
    "UCU-upper",
    "UCU-mixed",
)
UNPROVED = ("offset UPS-offset", "offset UCU-offset", "offset UCU-screw-offset")
SAMPLES = 400
KINDS = ("reach", "stroke", "base cone", "platform cone", "distance", *CLEARANCES)
ROUNDING = (
    1e-7  # of the margins: the slack of the proofs, 1e-9 of the machine's size, in shares of ranges
)


def machine(kind: str, seed: int) -> Platform:
    """A random machine with limits around its home, and frames."""
    bare = (
        offset_case(kind.removeprefix("offset "), seed=seed, states=1).platform
        if kind.startswith("offset ")
        else platform(kind, seed=seed)
    )
    rng = np.random.default_rng([seed, 7])
    home = bare.require_home()
    at = struts(bare, home).coordinate
    d = pair_distances(struts(bare, home))[~shared_joints(bare)]
    thick = float(d.min()) if rng.random() < 0.4 else 0.0  # radii that fit at home
    legs, wide = [], float(rng.choice([1.0, 1.0, 6.0]))  # wide: singular poses and reach come first
    for x, leg in zip(at.tolist(), bare.legs, strict=True):
        low, high = rng.uniform(0.02, 0.25, 2) * max(1.0, abs(x)) * wide
        given: dict[str, Any] = {}
        if rng.random() < 0.8:
            given["stroke"] = (x - low, x + high)
        if rng.random() < 0.3:
            given["base_cone"] = rng.uniform(0.1, 0.6) * wide
        if rng.random() < 0.3:
            given["platform_cone"] = rng.uniform(0.1, 0.6) * wide
        if thick:
            given["radius"] = thick * rng.uniform(0.3, 0.49)
        legs.append(leg.replace(limits=Limits(**given)))
    return bare.replace(legs=legs, frames=frames(rng, bare.characteristic_length))


def frames(rng: np.random.Generator, size: float) -> gough.Frames:
    """Random ones; every convention that has angles."""
    names = ["rpy", *(f"{letters} {sense}" for letters in SEQUENCES for sense in SENSES)]
    work, tool = (
        Pose(rng.uniform(-1, 1, 3) * size, rotation_exp(rng.uniform(-1, 1, 3))) for _ in range(2)
    )
    pivot = rng.uniform(-1, 1, 3) * size if rng.random() < 0.7 else None
    return gough.Frames(work, tool, pivot, str(rng.choice(names)))


def margins(machine: Platform, pose: Pose) -> dict[str, Array]:
    """(n, 6) per geometric kind; of fixed links -1 where they do not fit."""
    free = released(machine)
    found = check(free, pose).margin
    out = {kind: found[kind] for kind in KINDS}
    off = off_links(machine, pose, POSE)
    out["link"] = np.where(off, -1.0, np.nan) if off.shape[-1] else np.full((1, 1), np.nan)
    return out


def least(machine: Platform, pose: Pose) -> Array:
    """(n,) smallest margin over legs and kinds."""
    each = [np.fmin.reduce(m, axis=-1) for m in margins(machine, pose).values()]
    return np.fmin.reduce(np.stack(np.broadcast_arrays(*each, np.inf)), axis=0)


def signs(machine: Platform, pose: Pose) -> Array:
    """(n,) of the determinant; 0 where a leg does not reach."""
    rows = struts(machine, pose).rows_over(machine.characteristic_length)
    good = np.isfinite(rows).all(axis=(-1, -2), keepdims=True)
    return np.sign(np.linalg.det(np.where(good, rows, 0.0)))


def along(machine: Platform, entered: Array, axis: int, places: Array) -> Pose:
    """Poses with one of the numbers as entered changed."""
    numbers = np.tile(entered, (len(places), 1))
    numbers[:, axis] += places
    return machine.frames.pose(numbers[:, :3], numbers[:, 3:])


def broken_range(machine: Platform, found: Any, axis: int, up: bool) -> str:
    """What the brute-force look at one end of a range contradicts; empty: nothing."""
    end: RayEnd = found.ends[axis][up]
    side = 1.0 if up else -1.0
    inside = along(machine, found.entered, axis, side * np.linspace(0.0, end.free, SAMPLES))
    sign = signs(machine, inside)
    if least(machine, inside).min() < -ROUNDING:
        return "a limit is broken inside"
    if (sign != sign[0]).any() or sign[0] == 0.0:
        return "a singular pose inside"
    if end.whole or not np.isfinite(end.beyond):
        return ""
    just = along(machine, found.entered, axis, side * np.array([end.beyond]))
    return _not_stopped(machine, end, just, sign[0])


def _not_stopped(machine: Platform, end: RayEnd, just: Pose, sign: float) -> str:
    if not end.stops:
        return "stopped by nothing"
    for stop in end.stops:
        if stop.kind == "determinant":
            if signs(machine, just)[0] == sign:
                return "the determinant keeps its sign"
        elif stop.kind == "link":
            if not off_links(machine, just, POSE).any():
                return "the link fits"
        elif not any(margins(machine, just)[stop.kind][0, leg] < 0.0 for leg in stop.legs):
            return f"{stop.kind} is kept"
    return ""


def broken_reach(machine: Platform, found: Any) -> str:
    """What the brute-force look at a verdict on one pose contradicts."""
    start, end = found.start, found.pose
    u = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    turn = rotation_log(end.rotation @ start.rotation.T)
    way = Pose(
        start.position + u * (end.position - start.position),
        rotation_exp(u * turn) @ start.rotation,
    )
    low, sign = least(machine, way), signs(machine, way)
    if found.reachable is True:
        return "" if low.min() >= -ROUNDING and (sign == sign[0]).all() else "reachable, but not"
    if found.within != bool(low[-1] >= -ROUNDING):
        return "the pose itself"
    if found.reachable is False:
        return "" if low[-1] < 0.0 or sign[-1] == -sign[0] else "not reachable, but it is"
    return ""


def campaign(count: int, seed: int, kinds: tuple[str, ...] = MACHINES) -> Counter[str]:
    """Counts of ends, of verdicts, of those not proved, and of broken words with what they were."""
    found: Counter[str] = Counter()
    for n in range(count):
        kind, number = kinds[n % len(kinds)], 1000 * seed + n
        one = machine(kind, number)
        home, rng = one.require_home(), np.random.default_rng([number, 8])
        ranges = gough.travel(one)
        for axis in range(6):
            for up in (False, True):
                end = ranges.ends[axis][up]
                found["ends"] += 1
                found["open"] += not (end.whole or np.isfinite(end.beyond))
                found["sampled"] += end.proved is not None
                found.update(f"stop: {stop.kind}" for stop in end.stops)
                said = broken_range(one, ranges, axis, up)
                if said:
                    found["wrong"] += 1
                    found[
                        f"wrong: {kind} {number} axis {axis} {'up' if up else 'down'}: {said}"
                    ] += 1
        for size in (0.02, 0.1, 0.4):
            shift = rng.uniform(-1, 1, 3) * size * one.characteristic_length
            target = Pose(
                home.position + shift, rotation_exp(rng.uniform(-1, 1, 3) * size) @ home.rotation
            )
            answer = gough.reach(one, target)
            found[f"reach: {answer.reachable}"] += 1
            said = broken_reach(one, answer)
            if said:
                found["wrong"] += 1
                found[f"wrong: {kind} {number} size {size}: {said}"] += 1
    return found


def main() -> int:
    """Run a campaign and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unproved", action="store_true", help="machines that give no bounds")
    options = parser.parse_args()
    began = time.perf_counter()
    kinds = UNPROVED if options.unproved else MACHINES
    found = campaign(options.count, options.seed, kinds)
    for name, number in sorted(found.items()):
        print(f"{name}: {number}")
    print(f"{options.count} machines in {time.perf_counter() - began:.0f} s")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
