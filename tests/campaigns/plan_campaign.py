"""Do planned ways keep their word?  Random machines of every leg type with bounds, random poses, by brute force.

    PYTHONPATH=src:tests python -m campaigns.plan_campaign --count 100 --seed 0 [--blocked]

Machines are those of travel_campaign.py; with --blocked those of blocked_ways.py,
whose straight ways are not free.  Truth: every margin and the sign of the determinant at `SAMPLES` places of
every piece.  A word is broken where
    a way said to be proved does not join the two poses, breaks a limit, or passes a change of sign
    a way said to be impossible has both ends inside the limits and signs that are alike
Exit code 1 if a word was broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from itertools import pairwise

import numpy as np

import gough
from campaigns.blocked_ways import BLOCKS, blocked
from campaigns.travel_campaign import MACHINES, ROUNDING, SAMPLES, least, machine, signs
from gough.analysis.path_planner import PathPlan
from gough.model import Limits, Platform
from gough.spatial import Pose, rotation_exp, rotation_log
from gough.struts import struts

AROUND = ("UPS", "PUS", "RUS", "SPS-free", "PSU", "RSS-free")


def valley() -> tuple[Platform, Pose, Pose]:
    """A machine and two poses between which two legs would be too short on the straight way; higher up they are not."""
    one = gough.hexapod(0.5, 0.3, 0.4, 0.6, 0.6)
    start, end, middle = (Pose([x, 0.0, 0.6]) for x in (-0.2, 0.2, 0.0))
    a, b, c = (struts(one, pose).coordinate for pose in (start, end, middle))
    ends = np.minimum(a, b)
    low = np.where(ends - c > 0.004, c + 0.004, np.minimum(ends, c) - 0.1)
    legs = [
        leg.replace(limits=Limits(stroke=(float(x), 2.0)))
        for leg, x in zip(one.legs, low, strict=True)
    ]
    return one.replace(legs=legs), start, end


def piece(a: Pose, b: Pose) -> Pose:
    """`SAMPLES` poses of the straight way, by another formula than the proof's."""
    u = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    turn = rotation_log(a.rotation.T @ b.rotation)
    return Pose(a.position + u * (b.position - a.position), a.rotation @ rotation_exp(u * turn))


def broken_plan(one: Platform, start: Pose, end: Pose, found: PathPlan) -> str:
    """What the brute-force look at an answer contradicts; empty: nothing."""
    if found.possible is False:
        kept = min(float(least(one, piece(p, p)).min()) for p in (start, end)) >= 0.0
        sign = [signs(one, piece(p, p))[0] for p in (start, end)]
        return "impossible, but not" if kept and sign[0] * sign[1] > 0.0 else ""
    if found.poses is None:
        return "possible, but no way" if found.possible else ""
    corners = [found.poses[i] for i in range(len(found.poses.position))]
    for mine, asked in ((corners[0], start), (corners[-1], end)):
        if np.abs(mine.position - asked.position).max() > 0.0:
            return "ends elsewhere"
    ways = [piece(a, b) for a, b in pairwise(corners)]
    if min(float(least(one, way).min()) for way in ways) < -ROUNDING:
        return "a limit is broken on the way"
    sign = np.concatenate([signs(one, way) for way in ways])
    return "" if (sign == sign[0]).all() and sign[0] != 0.0 else "a singular pose on the way"


def drawn(one: Platform, home: Pose, rng: np.random.Generator, size: float) -> Pose:
    """A random pose about home: inside the limits, if one of twenty is."""
    far = size * one.characteristic_length
    many = Pose(
        home.position + rng.uniform(-1, 1, (20, 3)) * far,
        rotation_exp(rng.uniform(-1, 1, (20, 3)) * size) @ home.rotation,
    )
    return many[int(np.argmax(least(one, many) >= 0.0))]


def plans(count: int, seed: int) -> Counter[str]:
    """Counts of answers and of broken words with what they were."""
    found: Counter[str] = Counter()
    for n in range(count):
        kind, number = MACHINES[n % len(MACHINES)], 1000 * seed + n
        one, rng = machine(kind, number), np.random.default_rng([number, 9])
        home = one.require_home()
        for size in (0.05, 0.3, 1.0):
            start, end = (drawn(one, home, rng, size) for _ in range(2))
            answer = gough.plan_path(one, start, end, samples=24, seed=number)
            corners = 0 if answer.poses is None else len(answer.poses.position)
            found[str(answer.possible)] += 1
            found["detours"] += corners > 2
            said = broken_plan(one, start, end, answer)
            if said:
                found["wrong"] += 1
                found[f"wrong: {kind} {number} size {size}: {said}"] += 1
    return found


def blocked_plans(count: int, seed: int) -> Counter[str]:
    """Likewise of ways that are blocked in their middle, `count` of each kind of block."""
    found: Counter[str] = Counter()
    for n, by in ((n, by) for n in range(count) for by in BLOCKS):
        kind, number = AROUND[n % len(AROUND)], 1000 * seed + n
        case = blocked(kind, number, by)
        if case is None:
            found[f"{by}: no such way"] += 1
            continue
        answer = gough.plan_path(*case, samples=64, seed=number)
        corners = 0 if answer.poses is None else len(answer.poses.position)
        found[f"{by}: {answer.possible}"] += 1
        found[f"{by}: detours"] += corners > 2
        said = broken_plan(*case, answer)
        if said:
            found["wrong"] += 1
            found[f"wrong: {kind} {number} {by}: {said}"] += 1
    return found


def main() -> int:
    """Run a campaign and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--blocked", action="store_true")
    options = parser.parse_args()
    began = time.perf_counter()
    found = (blocked_plans if options.blocked else plans)(options.count, options.seed)
    for name, number in sorted(found.items()):
        print(f"{name}: {number}")
    print(f"{options.count} machines in {time.perf_counter() - began:.0f} s")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
