"""Mass, center and inertia of a payload from one recorded motion, by slopes through the simulation.

A machine of which only the empty platform is known is shaken by known leg forces for half a second; its pose and twist
are recorded with noise.  The numbers of the body for which a rollout repeats the record are found by least squares
(L-BFGS-B), with the slopes of `Rollout.slopes`: one call backwards per trial, whatever the number of unknowns.

python examples/payload_identification.py [figure.png]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import minimize

import gough
from gough.simulation.differentiable import Rollout, RolloutSlopes

EMPTY = gough.load("motion-base-1500")
STEPS, STEP, EVERY = 250, 2e-3, 5
NAMES = (
    "body.mass",
    *(f"body.center.{k}" for k in "xyz"),
    *(f"body.inertia.{k}{k}" for k in "xyz"),
)
SCALE = np.array([500.0, 0.1, 0.1, 0.1, 200.0, 200.0, 200.0])  # a unit of the search: kg, m, kg m^2
NOISE = {"position": 2e-5, "rotation": 2e-5, "velocity": 2e-4, "angular_velocity": 2e-4}


def loaded(numbers: np.ndarray) -> gough.Platform:
    """The machine with a body of these numbers."""
    mass, center, inertia = numbers[0], numbers[1:4], np.diag(numbers[4:])
    return EMPTY.replace(body=EMPTY.body.replace(mass=mass, center=center, inertia=inertia))


def numbers_of(platform: gough.Platform) -> np.ndarray:
    """The numbers of a machine's body, in the order of NAMES."""
    body = platform.body
    return np.array([body.mass, *body.center, *np.diag(body.inertia)])


def shaking(truth: gough.Platform) -> np.ndarray:
    """(STEPS, 6) forces: what holds the machine, and tones that differ from leg to leg."""
    hold = gough.inverse_dynamics(truth, truth.require_home()).force
    t = STEP * np.arange(STEPS)[:, None]
    tones = np.array([2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    return hold * (1.0 + 0.3 * np.sin(2.0 * np.pi * tones * t))


def measured(truth: gough.Platform, force: np.ndarray) -> dict[str, np.ndarray]:
    """The record of the true machine, with noise."""
    run, rng = rolled(truth, force), np.random.default_rng(1)
    clean = {name: getattr(run, name) for name in NOISE}
    return {name: a + NOISE[name] * rng.normal(size=a.shape) for name, a in clean.items()}


def rolled(platform: gough.Platform, force: np.ndarray) -> Rollout:
    """From home under these forces."""
    home = platform.require_home()
    return gough.simulation.rollout(platform, home, force, step=STEP, every=EVERY)


def misfit(
    platform: gough.Platform, force: np.ndarray, record: dict[str, np.ndarray]
) -> tuple[float, RolloutSlopes]:
    """Mean square of the differences to the record, each by its noise, and its slopes."""
    run = rolled(platform, force)
    off = {name: (getattr(run, name) - a) / NOISE[name] for name, a in record.items()}
    count = sum(a.size for a in off.values())
    weights = {name: 2.0 * a / (NOISE[name] * count) for name, a in off.items()}
    return sum((a**2).sum() for a in off.values()) / count, run.slopes(**weights, parameters=True)


def identified(
    force: np.ndarray, record: dict[str, np.ndarray]
) -> tuple[gough.Platform, list[float]]:
    """The machine that repeats the record best, and the misfit along the way."""
    start, way = numbers_of(EMPTY), list[float]()

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, slopes = misfit(loaded(start + SCALE * x), force, record)
        way.append(value)
        at = [slopes.names.index(name) for name in NAMES]
        slope = slopes.parameters[at] * SCALE
        return np.log(value), slope / value  # the logarithm tames the first, far misfits

    options = {"maxiter": 200, "ftol": 1e-12, "gtol": 1e-6}
    found = minimize(cost, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B", options=options)
    return loaded(start + SCALE * found.x), way


def main() -> None:
    """Print what was found beside the truth; draw how the misfit falls."""
    truth = loaded(numbers_of(EMPTY) + np.array([320.0, -0.04, 0.06, 0.08, 140.0, 90.0, 60.0]))
    force = shaking(truth)
    record = measured(truth, force)
    found, way = identified(force, record)
    print("| number | empty | found | true |")
    print("|---|---|---|---|")
    each = zip(NAMES, *map(numbers_of, (EMPTY, found, truth)), strict=True)
    for name, empty, here, true in each:
        print(f"| {name} | {empty:.2f} | {here:.3f} | {true:.3f} |")
    print(
        f"\nmisfit {way[0]:.3g} -> {way[-1]:.3g} (1: noise alone) in {len(way)} rollouts with slopes"
    )
    if len(sys.argv) > 1:
        draw(way, rolled(EMPTY, force), rolled(found, force), record, sys.argv[1])


def draw(
    way: list[float], empty: Rollout, found: Rollout, record: dict[str, np.ndarray], path: str
) -> None:
    """The misfit over the trials, and the height as it was recorded and as it is repeated."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.semilogy(np.minimum.accumulate(way))
    left.axhline(1.0, color="gray", linestyle=":")
    left.set_xlabel("rollouts with slopes")
    left.set_ylabel("least misfit so far")
    height = 1e3 * (record["position"][:, 2] - record["position"][0, 2])
    right.plot(found.time, height, ".", markersize=4, label="recorded")
    for name, run in (("empty", empty), ("found", found)):
        right.plot(run.time, 1e3 * (run.position[:, 2] - run.position[0, 2]), label=name)
    right.set_xlabel("time in s")
    right.set_ylabel("lift in mm")
    right.legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
