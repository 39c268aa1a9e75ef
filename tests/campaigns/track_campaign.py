"""Does a track keep its word?  Random machines and trajectories, a third through singularities along the null twist.

    PYTHONPATH=src:tests python -m campaigns.track_campaign --count 10000 --seed 0

Machines: irregular and semi-regular hexapods, sliders, cranks, mixtures.  Trajectories: regular motions (every sample
far from singular), wide random ones (some cross), and along the null twist of a singular pose, the crossing anywhere.
A third of each kind has gaps, a third noisy lengths; some are recovered after the loss with an inclinometer.  A word is
broken where a certified or connected pose is not the true one, or where a set of branches misses it.
Exit code 1 if a word was broken, or less than 99 % of the regular samples are certified.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

import gough
from gough.kinematics.forward import actuator_coordinates, track
from gough.model import Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import struts, wrench_rows
from support.forward_machines import HOME, joints

KINDS = ("irregular", "semi-regular", "PUS", "RUS", "mixed")
MOTIONS = ("regular", "wide", "null twist")
FLOOR = 0.05  # smallest singular value of a regular motion's poses
NOISE = 1e-8  # m, largest


def machine(kind: str, rng: np.random.Generator) -> Platform:
    """A machine of about half a meter, with links and cranks long enough to reach through singularities."""
    rough = 0.0 if kind == "semi-regular" else 0.02
    base = joints(rng.uniform(0.4, 0.6), rng.uniform(8, 20), 0.0) + rough * rng.normal(size=(6, 3))
    ring = joints(rng.uniform(0.2, 0.35), rng.uniform(8, 20), 60.0)
    top = np.roll(ring, 1, axis=0) + rough * rng.normal(size=(6, 3))
    names = {"PUS": ["PUS"] * 6, "RUS": ["RUS"] * 6}.get(kind, ["UPS"] * 6)
    names = ["UPS", "SPS", "PUS", "RUS", "PUS", "RUS"] if kind == "mixed" else names
    legs: list[gough.model.Leg] = []
    for i, (name, b, p) in enumerate(zip(names, base, top, strict=True)):
        if name in ("UPS", "SPS"):
            legs.append(gough.SPS(base=b, joint=p))
        elif name == "PUS":
            rail = [0.1, 0.05 * i, 1]
            legs.append(gough.PUS(base=b, rail=rail, joint=p, axis=[0, 1, 0], length=1.1))
        else:
            radial = b / np.linalg.norm(b)
            shaft, bend = np.cross([0, 0, 1.0], radial), 1 if i % 2 else -1
            leg = gough.RUS(
                base=b, shaft=shaft, arm=0.5 * radial, joint=p, axis=[0.3, 1, 0],
                length=0.95, elbow=bend,
            )  # fmt: skip
            legs.append(leg)
    return Platform(gough.Body(1.0), legs, home=HOME)


def determinant(platform: Platform, pose: Pose) -> np.ndarray:
    """Of the rows (s, q x s/size); NaN where a leg does not reach."""
    g = struts(platform, pose)
    rows = wrench_rows(g.arm / platform.characteristic_length, g.direction)
    good = np.isfinite(rows).all(axis=(-1, -2))
    return np.where(good, np.linalg.det(np.where(good[..., None, None], rows, np.eye(6))), np.nan)


def smooth(size: float, rng: np.random.Generator, samples: int) -> Pose:
    """A random smooth motion that starts at home."""
    t = np.linspace(0, 1, samples)[:, None]
    wave, turn = (
        sum(rng.normal(size=3) * np.sin(k * np.pi * t) / k for k in (1, 2, 3)) for _ in "ab"
    )
    return Pose(HOME.position + 0.1 * size * wave, rotation_exp(size * turn))


def through(platform: Platform, rng: np.random.Generator, samples: int) -> Pose | None:
    """Along the null twist of a singular pose that yaw leads to; None where yaw leads to none."""
    tilt, way = rotation_exp(0.2 * rng.normal(size=3)), 0.05 * rng.normal(size=3)
    side = rng.choice([-1.0, 1.0])

    def at(yaw: np.ndarray) -> Pose:
        spin = rotation_exp(side * yaw[:, None] * [0.0, 0.0, 1.0])
        return Pose(np.broadcast_to(HOME.position + way, (len(yaw), 3)), spin @ tilt)

    yaw = np.linspace(0.0, 2.8, 60)
    sign = np.sign(determinant(platform, at(yaw)))
    change = np.flatnonzero(sign[1:] * sign[:-1] < 0)
    if not len(change) or not np.isfinite(sign[: change[0] + 2]).all():
        return None
    low, high = yaw[change[0]], yaw[change[0] + 1]
    for _ in range(50):
        middle = 0.5 * (low + high)
        same = np.sign(determinant(platform, at(np.array([middle]))))[0] == sign[change[0]]
        low, high = (middle, high) if same else (low, middle)
    there = at(np.array([low]))[0]
    g = struts(platform, there)
    null = np.linalg.svd(wrench_rows(g.arm, g.direction))[2][-1]
    step = rng.uniform(1e-3, 2e-2) / np.abs(null).max()
    place = rng.integers(1, 4) if rng.random() < 0.5 else rng.integers(2, samples - 2)
    tau = step * (np.arange(samples) - place + rng.uniform(-0.5, 0.5))
    turns = rotation_exp(tau[:, None] * null[3:]) @ there.rotation
    return Pose(there.position + tau[:, None] * null[:3], turns)


def trajectory(motion: str, platform: Platform, rng: np.random.Generator) -> Pose | None:
    """A path of that kind which all legs can follow, or None."""
    if motion == "null twist":
        path = through(platform, rng, int(rng.integers(20, 60)))
    elif motion == "wide":
        path = smooth(rng.uniform(0.3, 1.2), rng, 120)
    else:
        path = smooth(rng.uniform(0.02, 0.12), rng, 200)
    if path is None or not np.isfinite(determinant(platform, path)).all():
        return None
    if motion == "regular":
        g = struts(platform, path)
        rows = wrench_rows(g.arm / platform.characteristic_length, g.direction)
        if np.linalg.svd(rows, compute_uv=False).min() < FLOOR or np.abs(g.lever).min() < FLOOR:
            return None
    return path


def inclinometer(path: Pose) -> Callable[[int, Pose], np.ndarray]:
    """Poses whose vertical is within 0.02 of the true one."""

    def accept(n: int, candidates: Pose) -> np.ndarray:
        seen = np.swapaxes(candidates.rotation, -1, -2) @ [0.0, 0.0, 1.0]
        return np.linalg.norm(seen - path.rotation[n].T @ [0.0, 0.0, 1.0], axis=-1) < 0.02

    return accept


def near(a: Pose, b: Pose, tolerance: float) -> np.ndarray:
    gap = np.abs(a.rotation - b.rotation).max(axis=(-1, -2))
    return (gap < tolerance) & (np.abs(a.position - b.position).max(axis=-1) < tolerance)


def one(k: int, platform: Platform, path: Pose, rng: np.random.Generator) -> Counter[str]:
    """Follow one path; k decides on gaps, noise and recovery."""
    length = actuator_coordinates(platform, path)
    noisy = k % 3 == 2
    if k % 3 == 1:
        gaps = rng.choice(np.arange(1, len(length)), len(length) // 10, replace=False)
        length[gaps] = np.nan
    if noisy:
        length += NOISE * rng.uniform(-1, 1, length.shape)
    recover = k % 19 == 0
    run = track(
        platform,
        length,
        path[0],
        margin=2 * NOISE if noisy else None,
        recover=recover,
        accept=inclinometer(path) if recover else None,
    )
    right = near(run.pose, path, 1e-3 if noisy else 1e-6)
    told: Counter[str] = Counter()
    whole = np.isfinite(length).all(axis=1)
    told["samples"], told["certified"] = int(whole.sum()), int(run.certified.sum())
    told["wrong"] = int(((run.certified | run.connected) & ~right).sum())
    told["flipped"] = int((np.asarray(run.success) & ~right).any())
    told["again"] = int((run.certified & ~run.connected).any())
    for m, branch in enumerate(run.branches):
        told["sets"] += branch is not None
        told["missing"] += branch is not None and not near(branch, path[m], 1e-3).any()
    return told


def campaign(count: int, seed: int) -> dict[str, Counter[str]]:
    """`count` trajectories, kind after kind; what happened, by the kind of motion."""
    rng = np.random.default_rng(seed)
    told = {motion: Counter[str]() for motion in MOTIONS}
    k = 0
    while k < count:
        platform = machine(KINDS[int(rng.integers(len(KINDS)))], rng)
        for _ in range(6):  # of one machine: its starts are kept
            motion = MOTIONS[k % 3]
            path = trajectory(motion, platform, rng)
            if path is not None and k < count:
                told[motion] += one(int(rng.integers(57)), platform, path, rng)
                told[motion]["paths"] += 1
                k += 1
    return told


def share(told: dict[str, Counter[str]]) -> float:
    """Of the samples of regular motions that are certified."""
    return told["regular"]["certified"] / max(told["regular"]["samples"], 1)


def broken(told: dict[str, Counter[str]]) -> int:
    """Certified or connected poses that are wrong, and sets without the truth."""
    return sum(t["wrong"] + t["missing"] for t in told.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    begin = time.process_time()
    result = campaign(given.count, given.seed)
    for name, counter in result.items():
        sys.stdout.write(
            f"{name:<11}" + "  ".join(f"{k} {v}" for k, v in sorted(counter.items())) + "\n"
        )
    sys.stdout.write(
        f"broken words {broken(result)}, regular samples certified {share(result):.4f}, "
    )
    sys.stdout.write(f"{time.process_time() - begin:.0f} s of processor time\n")
    sys.exit(int(broken(result) > 0 or share(result) < 0.99))
