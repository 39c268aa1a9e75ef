"""Processor times of forward kinematics on one core, after compilation: python benchmarks/fk.py [--json]

Beside them, for the same question: the public elimination-template solver for all solutions (Martyushev 2025)
takes 10 to 24 ms per problem.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

import numpy as np

import gough
from gough.analysis.singularity import path_check
from gough.kinematics.assembly import assembly_modes
from gough.kinematics.assembly.examples import example
from gough.kinematics.forward import actuator_coordinates, forward_kinematics, track
from gough.spatial import Pose, rotation_exp, rotation_from_quaternion

HOME = Pose([0.0, 0.0, 0.55])


def hexapod() -> gough.Platform:
    """Semi-regular 6-6: base 0.5 m with pairs of 24 degrees, platform 0.3 m with pairs of 30 degrees."""

    def ring(radius: float, half: float, offset: float) -> np.ndarray:
        a = np.radians([120.0 * k + offset + side * half for k in range(3) for side in (-1, 1)])
        return np.stack([radius * np.cos(a), radius * np.sin(a), 0 * a], axis=1)

    base, joint = ring(0.5, 12.0, 0.0), np.roll(ring(0.3, 15.0, 60.0), 1, axis=0)
    return machine(base, joint)


def machine(base: np.ndarray, joint: np.ndarray) -> gough.Platform:
    """UPS legs between the given joints."""
    legs = [
        gough.UPS(base=b, joint=p, axis=[0.9, 0.3, 0.1]) for b, p in zip(base, joint, strict=True)
    ]
    return gough.Platform(gough.Body(1.0), legs, home=HOME)


def best(call: Callable[[], object], repeats: int = 7) -> float:
    """Shortest of several times, s."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def batch(n: int = 50_000) -> dict[str, float]:
    """Newton and certificate per solve in a compiled batch, steps of about 1 mm; us."""
    rng = np.random.default_rng(0)
    platform = hexapod()
    there = Pose(
        HOME.position + rng.uniform(-0.1, 0.1, (n, 3)), rotation_exp(rng.uniform(-0.3, 0.3, (n, 3)))
    )
    last = Pose(
        there.position + rng.uniform(-1e-3, 1e-3, (n, 3)),
        rotation_exp(rng.uniform(-2e-3, 2e-3, (n, 3))) @ there.rotation,
    )
    length = actuator_coordinates(platform, there)
    forward_kinematics(platform, length[:4], last[:4])
    result = forward_kinematics(platform, length, last)
    near, home = length[0].copy(), last[0]
    calls = 2000

    def single() -> None:
        for _ in range(calls):
            _ = forward_kinematics(platform, near, home).pose

    return {
        "fk from the last pose (us)": 1e6
        / n
        * best(lambda: forward_kinematics(platform, length, last, certify=False)),
        "fk from home (us)": 1e6
        / n
        * best(lambda: forward_kinematics(platform, length, certify=False)),
        "fk with certificate (us)": 1e6
        / n
        * best(lambda: forward_kinematics(platform, length, last)),
        "share certified": float(result.certified.mean()),
        "single call from Python, certificate and pose (us)": 1e6 / calls * best(single),
    }


def tracking(n: int = 20_000) -> dict[str, float]:
    """One branch through a smooth motion, certified step by step; us per sample."""
    platform = hexapod()
    t = np.linspace(0, 2 * np.pi, n)[:, None]
    path = Pose(
        HOME.position + 0.08 * np.sin(t * [1, 2, 3]), rotation_exp(0.25 * np.sin(t * [2, 3, 1]))
    )
    length = actuator_coordinates(platform, path)
    result = track(platform, length, path[0])
    return {
        "track (us)": 1e6 / n * best(lambda: track(platform, length, path[0])),
        "share of the track certified": float(result.certified.mean()),
    }


def every_mode(problems: int = 200) -> dict[str, float]:
    """All modes: fixed semi-regular machine, fixed and ever new general machines, Dietmaier's; ms, medians."""
    rng = np.random.default_rng(1)

    def measure(setup: Callable[[], tuple[gough.Platform, np.ndarray]], n: int) -> float:
        times = []
        for _ in range(n):
            platform, length = setup()
            begin = time.process_time()
            modes = assembly_modes(platform, length, disk_cache=False)
            times.append(time.process_time() - begin)
            if not modes.complete:
                raise RuntimeError(modes.reason)
        return 1e3 * float(np.median(times))

    def usual(platform: gough.Platform) -> tuple[gough.Platform, np.ndarray]:
        pose = Pose(
            HOME.position + rng.uniform(-0.1, 0.1, 3), rotation_exp(rng.uniform(-0.3, 0.3, 3))
        )
        return platform, actuator_coordinates(platform, pose)

    def general() -> gough.Platform:
        return machine(rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))

    def anywhere(platform: gough.Platform) -> tuple[gough.Platform, np.ndarray]:
        pose = Pose(rng.normal(size=3), rotation_from_quaternion(rng.normal(size=4)))
        return platform, actuator_coordinates(platform, pose)

    fixed, own = hexapod(), general()
    dietmaier = example("dietmaier-1998")
    for platform in (fixed, own, dietmaier[0]):  # compile, and make the start of each geometry
        for _ in range(2):
            assembly_modes(
                platform,
                usual(platform)[1] if platform is fixed else anywhere(platform)[1],
                disk_cache=False,
            )
    return {
        "all modes, fixed semi-regular hexapod (ms)": measure(lambda: usual(fixed), problems),
        "all modes, fixed general 6-6 (ms)": measure(lambda: anywhere(own), problems),
        "all modes, a new general 6-6 each time (ms)": measure(
            lambda: anywhere(general()), problems
        ),
        "all modes, Dietmaier's 40 (ms)": measure(lambda: dietmaier, 20),
    }


def paths(n: int = 20_000) -> dict[str, float]:
    """Is a straight path free of singularities, proved either way; us per path."""
    rng = np.random.default_rng(2)
    platform = hexapod()
    a, b = (
        Pose(
            HOME.position + 0.2 * rng.normal(size=(n, 3)),
            rotation_exp(0.7 * rng.normal(size=(n, 3))),
        )
        for _ in range(2)
    )
    found = path_check(platform, a, b)
    return {
        "path check (us)": 1e6 / n * best(lambda: path_check(platform, a, b), 3),
        "paths undecided": float((~found.regular & ~found.crossing).sum()),
    }


def cases() -> dict[str, float]:
    """Everything measured here."""
    return {**batch(), **tracking(), **every_mode(), **paths()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    found = cases()
    if parser.parse_args().json:
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
    else:
        width = max(map(len, found))
        sys.stdout.writelines(f"{name:<{width}}  {value:8.2f}\n" for name, value in found.items())
