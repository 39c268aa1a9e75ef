"""`python -m benchmarks.positions [--points N]`: positions of every leg type, compiled and vectorized, ratios."""

from __future__ import annotations

import argparse
import time

import numpy as np

import gough
from gough.analysis.points import points_inside
from gough.checks import Array

MACHINES = {  # by the kind of their legs
    "struts": "motion-base-1500",
    "sliders": "hexaglide",
    "cranks": "servo-hexapod",
    "screws": "screw-hexapod",
    "offset joints": "screw-hexapod",
}
OFFSET = gough.JointOffset(0.004, 0.003, -0.002)
SHARE = 0.1  # of the characteristic length: half side of the cube of positions


def machine(kind: str, bodies: bool) -> gough.Platform:
    """A preset; with offsets in both joints of its legs, or between two plates."""
    one = gough.load(MACHINES[kind])
    size, home = one.characteristic_length, one.require_home()
    legs = list(one.legs)
    if kind == "offset joints":
        legs = [leg.replace(base_offset=OFFSET, platform_offset=OFFSET) for leg in legs]
    if not bodies:
        return one.replace(legs=legs)
    legs = [leg.replace(limits=leg.limits.replace(radius=1e-3 * size)) for leg in legs]
    low = float(min(one.base_joints[:, 2].min(), home.position[2])) - 0.1 * size
    high = float(one.platform_joints[:, 2].max()) + 0.1 * size
    return one.replace(
        legs=legs,
        base_shape=gough.Plate(low - size, low, radius=size, spared=0.1 * size),
        platform_shape=gough.Plate(high, high + size, radius=size, spared=0.1 * size),
    )


def seconds(one: gough.Platform, some: Array, route: str, repeats: int) -> float:
    """Processor time, best of repeats."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        points_inside(one, some, route=route)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=20_000)
    count = parser.parse_args().points
    rng = np.random.default_rng(1)
    print("| legs | bodies | inside | compiled, ns a position | vectorized over compiled |")
    print("|---|---|---|---|---|")
    for kind in MACHINES:
        for bodies in (False, True):
            one = machine(kind, bodies)
            home, size = one.require_home(), one.characteristic_length
            some = home.position + SHARE * size * rng.uniform(-1.0, 1.0, (count, 3))
            found = points_inside(one, some)
            if not np.array_equal(found, points_inside(one, some, route="vectorized")):
                raise SystemExit(f"{kind}: the routes differ")
            fast = seconds(one, some, "compiled", 5)
            slow = seconds(one, some, "vectorized", 2)
            said = f"{100 * found.mean():.0f} % | {1e9 * fast / count:.0f} | {slow / fast:.1f}"
            print(f"| {kind} | {'yes' if bodies else 'no'} | {said} |")


if __name__ == "__main__":
    main()
