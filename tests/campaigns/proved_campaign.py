"""Do the verdicts between samples keep their word?  Random machines and motions against refined truth.

    PYTHONPATH=src:tests python -m campaigns.proved_campaign --count 2000 --seed 0

Machines: random ones of every leg whose platform joint is on a sphere (`MACHINES`).  Motions: every kind of trajectory
that gives bounds (`MOTIONS`).  Limits, of efforts too, lie within `SPREAD` of what each motion needs: some are broken.
Truth: every limit's margin at `COARSE` even instants and at all pieces of the motion, cut in four; then around its
`VALLEYS` lowest local minima at nine instants a bracket, `ROUNDS` times (brackets fall to 1e-9 of their length).
A word is broken where a limit that holds, proved, is short by more than `ROUNDING` at an instant, or a broken one is
not broken at the instant that is named.  Determinants: a limit that holds must keep its sign, a broken one change it.
Exit code 1 if a word was broken, or 1 % of the verdicts or more are undecided.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

import gough
from gough import trajectory as tr
from gough.analysis.effort_models import without_efforts
from gough.analysis.proved import BROKEN, HOLDS, UNDECIDED, Verdict, proved_limits
from gough.checks import Array
from gough.kinematics.jacobian import wrench_matrix
from gough.limits import check, needed_distances
from gough.model import Limits, Platform
from gough.struts import PAIRS, pair_distances, shared_joints, struts
from gough.trajectory.bounds import pieces
from oracles.machines import platform

MACHINES = ("UPS", "SPS-free", "PUS", "RUS", "mixed", "PSU", "UCS-free", "RSS-free", "UCU")
SPREAD = 0.1  # limits lie this far around what the motion needs
COARSE, VALLEYS, ROUNDS = 1001, 3, 15
ROUNDING = 1e-12  # of the margins, which are shares of their ranges
Ends = tuple[Array, Array]
Maker = Callable[[np.random.Generator, Callable[[], Ends], Array], tr.Trajectory]


def _harmonic(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    A, phase = rng.uniform(-0.5, 0.5, (3, 6)) * size, rng.uniform(0.0, 6.0, (3, 6))
    way = ("rpy", "vector")[int(rng.integers(2))]
    center = pose()
    return tr.harmonic(center, A, rng.uniform(0.1, 1.0, 3), phase, duration=6.0, orientation=way)


def _move(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    profile = str(rng.choice(["uniform", "trigonometric", "quintic"]))
    way = str(rng.choice(["rpy", "geodesic", "screw"]))
    return tr.move(pose(), pose(), rng.uniform(0.5, 3.0), profile=profile, orientation=way)


def _jerk_limited(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    turning = {"max_rate": 1.0, "max_angular_acceleration": 4.0, "max_angular_jerk": 20.0}
    limits = {"max_speed": 0.3, "max_acceleration": 1.0, "max_jerk": 5.0}
    return tr.jerk_limited(pose(), pose(), **limits, **turning)


def _waypoints(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    poses = [gough.Pose.from_rpy(*pose()) for _ in range(5)]
    return tr.waypoints(poses, np.cumsum(rng.uniform(0.3, 1.0, 5)))


def _shaking(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    record = rng.normal(size=(40, 3)) * size[:3] * 20.0
    return tr.shaking(pose(), 0.02 * np.arange(40), record)


def _sweep(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    axis = int(rng.integers(6))
    name = ("x", "y", "z", "rx", "ry", "rz")[axis]
    low, high = rng.uniform(0.5, 4.0, 2)
    spacing = str(rng.choice(["logarithmic", "linear"]))
    how = str(rng.choice(["acceleration", "displacement"]))
    most = size[axis] * ((2.0 * np.pi * min(low, high)) ** 2 if how == "acceleration" else 1.0)
    return tr.sweep(pose(), name, most, low, high, 3.0, spacing=spacing, controlled=how)


def _sequence(rng: np.random.Generator, pose: Callable[[], Ends], size: Array) -> tr.Trajectory:
    a, b, c = pose(), pose(), pose()
    return tr.sequence(
        tr.line(a, b, rng.uniform(0.5, 2.0)), tr.hold(b, 0.3), tr.uniform(b, c, rng.uniform(0.5, 2))
    )


MOTIONS: dict[str, Maker] = {
    "hold": lambda r, pose, size: tr.hold(pose(), 1.0),
    "harmonic": _harmonic,
    "sea": lambda r, pose, size: tr.sea_state(pose(), 0.05, 4.0, duration=20.0),
    "acceleration": lambda r, pose, size: tr.acceleration_profile(
        pose(), str(r.choice(["x", "z", "ry"])), 2.0 * np.pi * size[0], 1.0
    ),
    "line": lambda r, pose, size: tr.line(pose(), pose(), 2.0, orientation="geodesic"),
    "move": _move,
    "jerk limited": _jerk_limited,
    "waypoints": _waypoints,
    "there and back": lambda r, pose, size: tr.there_and_back(pose(), pose(), r.uniform(0.5, 3.0)),
    "shaking": _shaking,
    "sweep": _sweep,
    "sequence": _sequence,
    "retimed": lambda r, pose, size: tr.retimed(_waypoints(r, pose, size), 3.0, profile="quintic"),
    "retimed sequence": lambda r, pose, size: tr.retimed(_sequence(r, pose, size), 2.0),
}


def motion(rng: np.random.Generator, machine: Platform, kind: str) -> tr.Trajectory | None:
    """A random motion about home; None where the machine does not reach it."""
    home, L = machine.require_home(), machine.characteristic_length
    size = np.concatenate([np.full(3, 0.03 * L), np.full(3, 0.04)])

    def pose() -> Ends:
        x = rng.uniform(-1.0, 1.0, 6) * size
        return home.position + x[:3], home.rpy + x[3:]

    path = MOTIONS[kind](rng, pose, size)
    reached = struts(machine, path(np.linspace(0.0, path.duration, 301))).reachable
    return path if reached.all() else None


def limited(rng: np.random.Generator, machine: Platform, path: tr.Trajectory) -> Platform:
    """The machine with limits near what the motion needs, some kept and some broken."""
    m = path(np.linspace(0.0, path.duration, 301))
    g = struts(machine, m)
    lam, rate = g.coordinate, np.abs(g.rate(m.velocity, m.angular_velocity)).max(axis=0)
    span = np.maximum(np.ptp(lam, axis=0), 1e-6)
    bare = machine.replace(
        legs=[x.replace(limits=Limits(base_cone=1.0, platform_cone=1.0)) for x in machine.legs]
    )
    cones = check(bare, m).value
    apart = np.where(shared_joints(machine), np.inf, pair_distances(g)).min()

    effort = None if without_efforts(machine) else np.abs(_efforts(machine, m)).max(axis=0)

    def near() -> float:
        return 1.0 + rng.uniform(-SPREAD, SPREAD)

    legs = []
    for i, leg in enumerate(machine.legs):
        ends = lam[:, i].mean() + span[i] * near() * np.array([-0.6, 0.6])
        angles = {
            k.replace(" ", "_"): max(float(cones[k][:, i].max()) * near(), 1e-3)
            for k in ("base cone", "platform cone")
        }
        speed = max(rate[i] * near(), 1e-6)
        limits = Limits(stroke=ends, speed=speed, radius=0.5 * apart * near(), **angles)
        if effort is not None:
            limits = limits.replace(force=float(effort[i]) * near())
        legs.append(leg.replace(limits=limits))
    return machine.replace(legs=legs)


def _efforts(machine: Platform, m: gough.Motion) -> Array:
    return gough.inverse_dynamics(machine, m, engine="python", max_condition=np.inf).force


class Truth:
    """Margins of single limits at any instants, as columns, one per verdict."""

    def __init__(self, machine: Platform, path: tr.Trajectory, verdicts: list[Verdict]) -> None:
        self.machine, self.path, self.verdicts = machine, path, verdicts
        self.need = needed_distances(machine)
        self.pair = {(int(i), int(j)): n for n, (i, j) in enumerate(PAIRS.T)}
        self.sign = np.sign(np.linalg.det(wrench_matrix(machine, path(0.0))))

    def __call__(self, t: Array) -> Array:
        """(..., verdicts)"""
        m = self.path(t)
        judged = any(v.kind == "force" for v in self.verdicts)
        seen = check(self.machine, m, force=_efforts(self.machine, m) if judged else None)
        apart = pair_distances(seen.geometry)
        det = np.linalg.det(wrench_matrix(self.machine, m)) * self.sign
        return np.stack([self._column(v, seen, apart, det) for v in self.verdicts], axis=-1)

    def _column(self, v: Verdict, seen: gough.limits.LimitCheck, apart: Array, det: Array) -> Array:
        if v.kind == "determinant":
            return det
        if v.kind == "distance":
            n = self.pair[v.legs]  # type: ignore[index]
            return (apart[..., n] - self.need[n]) / self.need[n]
        return seen.margin[v.kind][..., v.legs[0]]

    def least(self) -> Array:
        """(verdicts,) the smallest margin, by looks that are refined around the lowest local minima."""
        edges = pieces(self.path)
        cut = (edges[:-1, None] + np.diff(edges)[:, None] * np.arange(4) / 4.0).ravel()
        t = np.unique(np.concatenate([cut, np.linspace(0.0, self.path.duration, COARSE)]))
        seen = self(t)
        padded = np.pad(seen, ((1, 1), (0, 0)), constant_values=np.inf)
        valley = (padded[1:-1] <= padded[:-2]) & (padded[1:-1] <= padded[2:])
        order = np.argsort(np.where(valley, seen, np.inf), axis=0)[:VALLEYS]  # (VALLEYS, verdicts)
        low, high = t[np.maximum(order - 1, 0)], t[np.minimum(order + 1, len(t) - 1)]
        best = seen.min(axis=0)
        column = np.arange(seen.shape[1])
        for _ in range(ROUNDS):
            places = low + (high - low) * np.linspace(0.0, 1.0, 9)[:, None, None]
            value = self(places)[:, :, column, column]  # (9, VALLEYS, verdicts)
            best = np.minimum(best, value.min(axis=(0, 1)))
            at = value.argmin(axis=0)[None]
            low, high = (
                np.take_along_axis(places, np.clip(at + by, 0, 8), axis=0)[0] for by in (-1, 1)
            )
        return best


def judge(machine: Platform, path: tr.Trajectory) -> tuple[int, int, list[str]]:
    """Verdicts, how many are undecided, and those that truth contradicts."""
    found = [v for v in proved_limits(machine, path).verdicts if v.kind != "reach"]
    truth = Truth(machine, path, found)
    wrong = []
    for n, (v, least) in enumerate(zip(found, truth.least().tolist(), strict=True)):
        if v.status == HOLDS and not least >= -ROUNDING:
            wrong.append(f"{v.sentence}, but {least:.3g}")
        if v.status == BROKEN:
            there = truth(np.array([0.0, v.time]))[1, n]  # type: ignore[list-item]
            if not (least if v.kind == "determinant" else there) < 0.0:
                wrong.append(f"{v.sentence}, but {there:.3g} there")
    return len(found), sum(v.status == UNDECIDED for v in found), wrong


def campaign(count: int, seed: int, say: Callable[[str], None] | None = None) -> Counter[str]:
    """`count` random motions: motions, verdicts, undecided, wrong; whatever is wrong is said."""
    out: Counter[str] = Counter()
    began, n = time.perf_counter(), 0
    kinds = list(MOTIONS)
    while out["motions"] < count:
        rng = np.random.default_rng([seed, n])
        bare = platform(MACHINES[n % len(MACHINES)], seed=int(rng.integers(100_000)))
        kind = kinds[n % len(kinds)]
        path, n = motion(rng, bare, kind), n + 1
        if path is None:
            continue
        verdicts, undecided, wrong = judge(limited(rng, bare, path), path)
        out.update(motions=1, verdicts=verdicts, undecided=undecided, wrong=len(wrong))
        if say is not None:
            for text in wrong:
                say(f"WRONG {seed}-{n - 1} {kind}: {text}")
            if out["motions"] % 100 == 0:
                say(f"{dict(out)}, {time.perf_counter() - began:.0f} s")
    return out


def main() -> None:
    """Print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = campaign(given.count, given.seed, lambda text: print(text, flush=True))
    print(dict(found), flush=True)
    sys.exit(found["wrong"] > 0 or found["undecided"] >= 0.01 * found["verdicts"])


if __name__ == "__main__":
    main()
