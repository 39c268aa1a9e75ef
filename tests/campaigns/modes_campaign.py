"""Assembly modes of degenerate, nearly degenerate and special machines: is `complete` or `count` ever false?

    PYTHONPATH=src:tests python -m campaigns.modes_campaign --problems 5000 --seed 0

Truth that does not come from the answer: the pose in which the machine stands must be among the modes of a complete
answer; a machine singular in every pose has no complete answer; exactly special geometries have their known count;
whatever deviates from them in all joints has 40, and what deviates in some of them has what the same deviation has
where it is large, and easy to solve.  `expected` must be that count, or be said to be an upper bound.  Every fourth
complete answer is compared with what paths from another general machine find.  Prints one line per class, exit code 1
if a word was broken.
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
from support.degenerate import CLASSES, MANNERS, SOLVABLE, Machine, deviated, somewhere
from support.hexapods import hexapod, random_machine

SPECIAL = {
    "general": 40,
    "planar": 40,
    "6-5": 40,
    "6-4": 32,
    "semi-regular": 28,
    "6-3": 16,
    "3-3": 16,
    **{name: count for name, (_, count) in SOLVABLE.items()},
}
RINGS = ("semi-regular", "3-3", "congruent rings", "similar hexagons")  # may stay rings
NAMES = (*CLASSES, *SPECIAL)
LARGE = 0.15  # a deviation that is far from every special geometry


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
    if name in SOLVABLE:
        return SOLVABLE[name][0](rng)
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
    true: int | None, deviation: float, modes: AssemblyModes, there: Pose, size: float
) -> list[str]:
    """What is said and is not so; true: number of solutions, 0: singular in every pose, None: unknown."""
    found = []
    if not modes.count <= modes.expected <= 40:
        found.append(f"count {modes.count} of {modes.expected}")
    bound = modes.expected == 40 and "of at most 40" in modes.reason
    if true is not None and modes.expected != true and not bound:
        found.append(f"expected {modes.expected}, there are {true}")
    if modes.certified and not modes.complete:
        found.append("certified, not complete")
    if modes.residual.max(initial=0.0) > 1e-9 * size:
        found.append(f"a pose with residual {modes.residual.max():.1e}")
    if modes.complete:
        if true == 0 or modes.count != (true or modes.count):
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
    error = np.abs(actuator_coordinates(platform, poses) - length).max(axis=1)
    words = [f"proved, but no solution: legs off by {e:.1e} m" for e in error[~(error < 1e-6)]]
    far = [k for k in range(len(real)) if distance(modes, poses[k]) > 1e-5]
    return words + [f"complete without a pose at {poses.position[k]}" for k in far]


@dataclass(frozen=True)
class Problem:
    """One machine in one pose; manner, deviation: how it differs from its class, and how much."""

    name: str
    manner: str
    deviation: float
    seed: tuple[int, int]

    def platform(self, deviation: float) -> tuple[gough.Platform, Pose]:
        """The machine and its pose."""
        rng = np.random.default_rng(self.seed)
        machine = machine_of(self.name, rng)
        if deviation:
            machine = deviated(machine, deviation, rng, self.manner)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gough.ModelWarning)
            return hexapod(*machine[:2]), machine[2]

    def true_count(self) -> int | None:
        """Number of solutions, 0: singular in every pose, None: unknown."""
        if self.deviation == 0.0:
            return None if self.name == "congruent" else SPECIAL.get(self.name, 0)
        if self.manner in ("all", "flat"):
            return 40
        platform, there = self.platform(LARGE)
        modes = assembly_modes(platform, actuator_coordinates(platform, there), disk_cache=False)
        return modes.count if modes.complete else 0 if modes.expected == 0 else None


def one_problem(tally: Tally, problem: Problem) -> None:
    """Ask and judge."""
    platform, there = problem.platform(problem.deviation)
    length = actuator_coordinates(platform, there)
    began = time.process_time()
    modes = assembly_modes(platform, length, disk_cache=False)
    seconds = time.process_time() - began
    tally.problems += 1
    tally.complete += modes.complete
    tally.seconds += seconds
    tally.slowest = max(tally.slowest, seconds)
    words = broken_words(
        problem.true_count(), problem.deviation, modes, there, platform.characteristic_length
    )
    if problem.name in CLASSES and problem.deviation == 0.0 and modes.complete:
        words.append("complete on a continuum")
    if modes.complete and tally.problems % 4 == 0:
        words += missed(platform, length, modes)
    tally.broken += [f"{problem}: {word}" for word in words]


def problem_of(k: int, seed: int, names: tuple[str, ...]) -> Problem:
    """Machines of all classes in turn; a fourth of them exact, the others 1e-12 to 1e-2 away, half of these not in all
    joints."""
    rng = np.random.default_rng([seed, k, 1])
    name, turn = names[k % len(names)], k // len(names) % 4
    manners = [*MANNERS, "ring"] if name in RINGS else list(MANNERS)
    manner = "all" if turn < 2 else str(rng.choice(manners[1:]))
    return Problem(name, manner, 10.0 ** rng.uniform(-12, -2) if turn else 0.0, (seed, k))


def campaign(
    problems: int, seed: int, names: tuple[str, ...] = NAMES, first: int = 0
) -> dict[str, Tally]:
    """Problems `first`, `first` + 1, ... of a seed, by class and manner."""
    tallies: dict[str, Tally] = {}
    for k in range(first, first + problems):
        problem = problem_of(k, seed, names)
        kind = f"{problem.name}, {problem.manner if problem.deviation else 'exact'}"
        tally = tallies.setdefault(kind, Tally())
        known = len(tally.broken)
        one_problem(tally, problem)
        for line in tally.broken[known:]:
            print(f"problem {k}: {line}", file=sys.stderr, flush=True)
    return tallies


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--names", nargs="*", default=NAMES, choices=NAMES)
    given = parser.parse_args()
    tallies = campaign(given.problems, given.seed, tuple(given.names), given.first)
    for name, t in sorted(tallies.items()):
        print(
            f"{name:34} problems {t.problems:5} complete {t.complete:5} broken {len(t.broken):3}  "
            f"mean {t.seconds / t.problems:.3f} s  slowest {t.slowest:.2f} s"
        )
        for line in t.broken[:5]:
            print(f"    {line}")
    return int(any(t.broken for t in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
