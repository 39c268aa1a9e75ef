"""Exact volumes of random machines with cones: stated error against a finer quadrature, and points at random.

cd tests && python -m campaigns.volume_campaign [--count 200] [--seed 1] [--points 200000]
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np

import gough
from gough.analysis.arcs import surfaces
from gough.analysis.volume import exact_volume
from gough.spatial import rotation_from_rpy

FINE = 1e-7


class Seen(NamedTuple):
    """One machine.

    value, stated  m^3 of the coarse volume and its stated error
    gap            to the fine one; allowed: both stated errors and rounding
    sigmas         of the count of random points in its box, off the fine volume
    seconds        of this process for the coarse volume
    """

    value: float
    stated: float
    gap: float
    allowed: float
    sigmas: float
    seconds: float


def drawn(seed: int) -> tuple[gough.Platform, np.ndarray]:
    """A hexapod with strokes and cones that cut, at a random rotation."""
    rng = np.random.default_rng(seed)
    base, top, height = rng.uniform(0.4, 1.2), rng.uniform(0.2, 0.8), rng.uniform(0.5, 1.3)
    machine = gough.hexapod(base, top, rng.uniform(0.15, 0.6), rng.uniform(0.65, 0.9), height)
    length = gough.inverse_kinematics(machine, machine.require_home()).length
    legs = []
    for leg, own in zip(machine.legs, length, strict=True):
        stroke = own * np.array([rng.uniform(0.7, 0.95), rng.uniform(1.05, 1.5)])
        cones = {
            name: rng.uniform(0.12, 1.0)
            for name in ("base_cone", "platform_cone")
            if rng.random() < 0.8
        }
        legs.append(leg.replace(limits=gough.Limits(stroke=stroke, **cones)))
    rpy = rng.normal(size=3) * rng.choice([0.0, 0.05, 0.2])
    return machine.replace(legs=legs), rotation_from_rpy(rpy)


def look(seed: int, points: int, tolerance: float = 1e-4) -> Seen:
    """Judge the volume of machine number `seed`."""
    machine, R = drawn(seed)
    start = time.process_time()
    coarse = exact_volume(machine, R, tolerance=tolerance)
    seconds = time.process_time() - start
    fine = exact_volume(machine, R, tolerance=FINE)
    stated = (coarse.high - coarse.low) / 2
    allowed = stated + (fine.high - fine.low) / 2 + 1e-12 * float(np.prod(np.ptp(fine.box, axis=0)))
    low, side = fine.box[0], np.ptp(fine.box, axis=0)
    at = low + side * np.random.default_rng([seed, 1]).random((points, 3))
    share = float(surfaces(machine, R).inside(at).mean())
    whole = float(side.prod())
    wanted = fine.value / whole if whole else 0.0
    spread = np.sqrt(max(wanted * (1 - wanted), 1.0 / points) / points)
    gap = abs(coarse.value - fine.value)
    return Seen(coarse.value, stated, gap, allowed, abs(share - wanted) / spread, seconds)


def main() -> None:
    """Print how many machines were seen and the worst of each."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--count", type=int, default=200)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--points", type=int, default=200_000)
    given.add_argument("--tolerance", type=float, default=1e-4)
    asked = given.parse_args()
    look(asked.seed, 10)  # compiled now
    seen = [look(asked.seed + k, asked.points, asked.tolerance) for k in range(asked.count)]
    full = [one for one in seen if one.value > 0]
    wrong = sum(one.gap > one.allowed for one in seen)
    print(f"{len(seen)} machines, {len(full)} with a volume")
    print(
        f"beyond the stated error: {wrong}, worst {max(s.gap / s.allowed for s in full):.3g} of it"
    )
    print(f"stated error, relative: at most {max(s.stated / s.value for s in full):.3g}")
    print(f"random points: at most {max(s.sigmas for s in seen):.2f} sigma")
    times = np.array([s.seconds for s in full])
    print(
        f"CPU s: median {np.median(times):.3g}, 95 % {np.quantile(times, 0.95):.3g}, most {times.max():.3g}"
    )


if __name__ == "__main__":
    main()
