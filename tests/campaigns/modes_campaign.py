"""Assembly modes of degenerate, nearly degenerate and special machines: is `complete` or `count` ever false?

    PYTHONPATH=src:tests python -m campaigns.modes_campaign --problems 5000 --seed 0

Truth that does not come from the solver: the pose in which the machine stands must be among the modes of a complete
answer; a machine singular in every pose has no complete answer; exactly special geometries have their known count, and
whatever deviates from them has 40.  Every fourth complete answer is compared with what paths from another general
machine find.  Prints one line per class, exit code 1 if a word was broken.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass, field

import numpy as np

import gough
from gough.kinematics.assembly import AssemblyModes, assembly_modes
from gough.kinematics.assembly.forms import to_pose
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.geometry import normalize
from gough.kinematics.assembly.paths import Legs, follow
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose
from support.degenerate import CLASSES, Machine, deviated, somewhere
from support.hexapods import hexapod, random_machine

SPECIAL = {
    "general": 40,
    "planar": 40,
    "6-5": 40,
    "6-4": 32,
    "semi-regular": 28,
    "6-3": 16,
    "3-3": 16,
}
NAMES = (*CLASSES, *SPECIAL)


@dataclass
class Tally:
    """What happened in one class; `broken`: sentences on false words."""

    problems: int = 0
    complete: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    broken: list[str] = field(default_factory=list)


def machine_of(name: str, rng: np.random.Generator) -> Machine:
    """Joints and a pose; where a continuum is possible it runs through the pose."""
    if name in CLASSES:
        return CLASSES[name](rng)
    platform = random_machine(name, rng)
    return platform.base_joints, platform.platform_joints, somewhere(rng)


def distance(modes: AssemblyModes, there: Pose) -> float:
    """From `there` to the nearest pose or cluster; clusters count with their spread."""
    gap = np.abs(modes.poses.position - there.position).max(axis=1, initial=0.0)
    gap = gap + np.abs(modes.poses.rotation - there.rotation).max(axis=(1, 2), initial=0.0)
    near = [float(gap.min(initial=np.inf))]
    for k in modes.clusters:
        if k.pose is not None:
            off = np.abs(k.pose.position - there.position).max() / (1e3 * k.spread + 1e-3)
            near.append(float(off) * 1e-6)
    return min(near)


def broken_words(
    name: str, deviation: float, modes: AssemblyModes, there: Pose, size: float
) -> list[str]:
    """What is said and is not so."""
    found = []
    true = SPECIAL.get(name, 0) if deviation == 0.0 else 40
    if not modes.count <= modes.expected <= 40:
        found.append(f"count {modes.count} of {modes.expected}")
    if modes.certified and not modes.complete:
        found.append("certified, not complete")
    if modes.residual.max(initial=0.0) > 1e-9 * size:
        found.append(f"a pose with residual {modes.residual.max():.1e}")
    if modes.complete:
        if modes.count != true:
            found.append(f"complete with {modes.count}, there are {true}")
        limit = 1e-6 + (1e-12 / deviation if deviation else 0.0)
        if not distance(modes, there) < limit:
            found.append(f"complete without the pose it stands in ({distance(modes, there):.1e})")
        if modes.certified and len(modes) % 2:
            found.append("an odd number of real poses")
    return found


def missed(platform: gough.Platform, length: np.ndarray, modes: AssemblyModes) -> list[str]:
    """Real poses that paths from another general machine find, and a complete answer does not have."""
    g = normalize(platform.base_joints, platform.platform_joints)
    legs, X = generic_start(2)
    ends = follow(legs, Legs(g.b, g.p, ((length / g.size) ** 2).astype(complex)), X, doubled=False)
    real = ends.X[ends.finite & (ends.real == 1)].real
    poses = Pose.trusted(*g.world(*to_pose(real)))
    far = [
        t
        for t, R in zip(poses.position, poses.rotation, strict=True)
        if distance(modes, Pose(t, R)) > 1e-5
    ]
    return [f"complete without a pose at {t}" for t in far]


def one_problem(tally: Tally, name: str, deviation: float, rng: np.random.Generator) -> None:
    """One machine in one pose."""
    machine = machine_of(name, rng)
    base, joint, there = deviated(machine, deviation, rng) if deviation else machine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        platform = hexapod(base, joint)
    length = actuator_coordinates(platform, there)
    began = time.process_time()
    modes = assembly_modes(platform, length, disk_cache=False)
    seconds = time.process_time() - began
    tally.problems += 1
    tally.complete += modes.complete
    tally.seconds += seconds
    tally.slowest = max(tally.slowest, seconds)
    words = broken_words(name, deviation, modes, there, platform.characteristic_length)
    if modes.complete and tally.problems % 4 == 0:
        words += missed(platform, length, modes)
    tally.broken += [f"{name}, deviation {deviation:.1e}: {word}" for word in words]


def campaign(problems: int, seed: int, names: tuple[str, ...] = NAMES) -> dict[str, Tally]:
    """Machines of all classes in turn; a third of them exact, the others 1e-12 to 1e-2 away."""
    tallies: dict[str, Tally] = {}
    for k in range(problems):
        rng = np.random.default_rng([seed, k])
        name = names[k % len(names)]
        deviation = 0.0 if k // len(names) % 3 == 0 else 10.0 ** rng.uniform(-12, -2)
        kind = f"{name}, exact" if deviation == 0.0 else f"{name}, near"
        tally = tallies.setdefault(kind, Tally())
        known = len(tally.broken)
        one_problem(tally, name, deviation, rng)
        for line in tally.broken[known:]:
            print(f"problem {k}: {line}", file=sys.stderr, flush=True)
    return tallies


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--names", nargs="*", default=NAMES, choices=NAMES)
    given = parser.parse_args()
    tallies = campaign(given.problems, given.seed, tuple(given.names))
    for name, t in sorted(tallies.items()):
        print(
            f"{name:32} problems {t.problems:5} complete {t.complete:5} broken {len(t.broken):3}  "
            f"mean {t.seconds / t.problems:.3f} s  slowest {t.slowest:.2f} s"
        )
        for line in t.broken[:5]:
            print(f"    {line}")
    return int(any(t.broken for t in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
