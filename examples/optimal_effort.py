"""The efforts that take a motion base to a pose in 0.4 s, by slopes through the simulation: least energy, least peak.

python examples/optimal_effort.py [figure.png]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy.optimize import minimize

import gough
from gough.simulation.differentiable import Rollout

MACHINE = gough.load("motion-base-1500")
STEPS, STEP = 100, 4e-3
LIFT, TILT = 0.05, 0.08  # m, rad


def goal() -> gough.Pose:
    """Higher than home, and rolled."""
    home = MACHINE.home
    assert home is not None
    turn = gough.spatial.rotation_exp(np.array([TILT, 0.0, 0.0]))
    return gough.Pose(home.position + np.array([0.0, 0.0, LIFT]), turn @ home.rotation)


def terminal(run: Rollout) -> tuple[float, dict[str, Any]]:
    """How far the end is from rest at the goal, squared (m, rad, m/s, rad/s alike), and the slopes of that."""
    wanted = goal()
    last = np.zeros((len(run.time), 1))
    last[-1] = 2.0
    off = run.position[-1] - wanted.position
    turned = run.rotation[-1] - wanted.rotation
    v, w = run.velocity[-1], run.angular_velocity[-1]
    value = off @ off + 0.5 * (turned**2).sum() + 0.05 * (v @ v + w @ w)
    slopes = {"position": last * off, "rotation": 0.5 * last[:, :, None] * turned}
    return value, slopes | {"velocity": 0.05 * last * v, "angular_velocity": 0.05 * last * w}


def optimal(power: int) -> Rollout:
    """Efforts that reach the goal with the least mean of ``|effort/hold - 1|^power``; 2: energy, large: the peak."""
    home = MACHINE.home
    assert home is not None
    hold = gough.inverse_dynamics(MACHINE, home).force

    def cost(u: np.ndarray) -> tuple[float, np.ndarray]:
        share = u.reshape(STEPS, 6)
        run = gough.simulation.rollout(MACHINE, home, hold * (1.0 + share), step=STEP)
        value, over_states = terminal(run)
        slope = 1e4 * run.slopes(**over_states).effort * hold
        peak = np.abs(share) ** power
        mean = peak.mean() ** (2.0 / power)
        inside = 2.0 * mean / peak.sum() if peak.sum() > 0.0 else 0.0
        slope += inside * np.sign(share) * np.abs(share) ** (power - 1)
        return 1e4 * value + mean, slope.ravel()

    start = 1e-3 * np.ones(6 * STEPS)
    found = minimize(
        cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 250, "maxfun": 400}
    )
    return gough.simulation.rollout(
        MACHINE, home, hold * (1.0 + found.x.reshape(STEPS, 6)), step=STEP
    )


def main() -> None:
    """Print what each costs and how near it comes; draw the efforts."""
    names = {"least energy": 2, "least peak": 12}
    runs = {name: optimal(power) for name, power in names.items()}
    print("| efforts | mean of squares | largest | off the goal | speed at the end |")
    print("|---|---|---|---|---|")
    for name, run in runs.items():
        force = run.effort[:, :, 0]
        off, v = run.position[-1] - goal().position, run.velocity[-1]
        root, most = np.sqrt((force**2).mean()), np.abs(force).max()
        print(
            f"| {name} | ({1e-3 * root:.2f} kN)^2 | {1e-3 * most:.2f} kN |"
            f" {1e3 * np.linalg.norm(off):.2f} mm | {1e3 * np.linalg.norm(v):.1f} mm/s |"
        )
    if len(sys.argv) > 1:
        draw(runs, sys.argv[1])


def draw(runs: dict[str, Rollout], path: str) -> None:
    """Efforts and height over time, side by side."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, 2, sharex=True, sharey="row", figsize=(9, 5), layout="constrained"
    )
    for column, (name, run) in zip(axes.T, runs.items(), strict=True):
        column[0].step(run.time[:-1], 1e-3 * run.effort[:, :, 0], where="post", linewidth=1.0)
        column[0].set_title(name)
        column[1].plot(run.time, 1e3 * (run.position[:, 2] - run.position[0, 2]))
        column[1].axhline(1e3 * LIFT, color="gray", linestyle=":")
        column[1].set_xlabel("time in s")
    axes[0, 0].set_ylabel("leg force in kN")
    axes[1, 0].set_ylabel("lift in mm")
    axes[0, 1].legend([f"leg {name}" for name in MACHINE.leg_names], fontsize="small", ncol=2)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
