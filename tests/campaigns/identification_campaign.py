"""Do intervals of an identification hold what they promise?  Machines with other bodies, their efforts by Pinocchio.

    PYTHONPATH=src:tests python -m campaigns.identification_campaign --trials 100 --seed 0

Each trial: every body of the machine distorted by about a tenth (as bodies that can exist are), friction and rotors by
a fifth, a random motion of sines about home within the limits, efforts by Pinocchio with normal errors of 0.1 % of the
largest.  Counted: intervals of 95 % that hold the true base parameters; how well the machine whose bodies can exist
foretells the efforts of another motion.  Exit code 1 if fewer than 93 of 100 intervals hold.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

import gough
from gough.checks import Array
from gough.metrology import identify
from gough.metrology.consistent import machine_with
from gough.metrology.identification import Identification
from gough.metrology.inertial import inertial, moments_of, pseudo_inertia
from gough.model import Platform
from gough.spatial import Motion
from gough.trajectory import harmonic
from oracles.efforts import outside_efforts

MACHINES = ("motion-base-1500", "hexaglide", "servo-hexapod")
SAMPLES, NOISE = 60, 1e-3


def other_bodies(nominal: Platform, rng: np.random.Generator) -> tuple[Platform, Array]:
    """The machine with distorted bodies, and its inertial numbers."""
    known = inertial(nominal)
    value = known.value.copy()
    for place in known.places:
        own = slice(place.first, place.first + place.width)
        if place.width == 10:
            P = pseudo_inertia(value[own])
            size = np.sqrt(max(np.trace(P[:3, :3]) / P[3, 3], 1e-6))
            unit = np.array([size, size, size, 1.0])
            C = np.eye(4) + 0.1 * rng.normal(size=(4, 4)) * np.outer(unit, 1.0 / unit)
            value[own] = moments_of(C @ P @ C.T)
        else:
            value[own] *= np.exp(0.2 * rng.normal())
    return machine_with(known, dict(zip(known.names, value.tolist(), strict=True))), value


def motion(nominal: Platform, rng: np.random.Generator) -> Motion:
    """Sines about home."""
    unit = np.repeat([nominal.characteristic_length, 1.0], 3)
    size = 0.02 * rng.normal(size=(4, 6)) * unit
    phase = rng.uniform(0.0, 6.0, (4, 6))
    path = harmonic(nominal.likely_home, size, [0.5, 0.8, 1.3, 2.1], phase, duration=10.0)
    return path.sample(SAMPLES)


def trial(name: str, seed: int) -> tuple[Array, Identification, tuple[float, float, float]]:
    """Errors of the base parameters over their deviations; errors of foretold efforts: nominal, found, noise."""
    rng = np.random.default_rng(seed)
    nominal = gough.load(name)
    true, value = other_bodies(nominal, rng)
    along = motion(nominal, rng)
    F = outside_efforts(true, along)
    sigma = NOISE * float(np.abs(F).max())
    found = identify(nominal, along, F + sigma * rng.normal(size=F.shape), sigma=sigma)
    errors = found.value - (value[found.base] + found.beside @ value[found.other])
    other = motion(nominal, rng)
    exact = gough.inverse_dynamics(true, other).force
    off = [
        float(np.sqrt(np.mean((gough.inverse_dynamics(m, other).force - exact) ** 2)))
        for m in (nominal, found.machine)
    ]
    return errors / found.sigma, found, (off[0], off[1], sigma)


def all_at_once(found: Identification, normal: Array) -> float:
    """Squared error of all base parameters together over its expectation: about 1."""
    correlation = found.covariance / np.outer(found.sigma, found.sigma)
    return float(normal @ np.linalg.solve(correlation, normal)) / len(normal)


def main() -> int:
    """Print the counts; 1 if they are not what was promised."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    fine = True
    for name in MACHINES:
        inside, shares, ranks = [], [], set()
        for k in range(given.trials):
            normal, found, (_, after, sigma) = trial(name, given.seed + k)
            inside.append(np.abs(normal) < 1.96)
            shares.append(after / sigma)
            ranks.add(len(found.base))
        held = np.concatenate(inside)
        print(
            f"{name}: {100 * held.mean():.1f} % of {held.size} intervals hold (base parameters {sorted(ranks)}); "
            f"efforts foretold to {np.median(shares):.2f} of the noise, at worst {max(shares):.2f}",
            flush=True,
        )
        fine &= bool(held.mean() >= 0.93)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
