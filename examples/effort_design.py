"""The base radius and the height of a motion base for the least leg forces along a motion, by exact slopes.

The forces of a motion and their slopes over every number of the machine and over the pose come from one call,
`inverse_dynamics_derivatives`; by the chain rule they are slopes over two design numbers: a factor of the base joints'
radius, and the height at which the motion is made.  The legs stay what they are: at the middle of the motion each has
the length that it has now.  SLSQP takes a handful of evaluations.

python examples/effort_design.py [figure.png]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import minimize

import gough
from gough.dynamics import inverse_dynamics_derivatives
from gough.results import LegMotion

MACHINE = gough.load("motion-base-1500")
BOUNDS = ((0.6, 1.25), (-0.25, 0.25))  # factor of the base radius, m of height above home
TIMES = np.linspace(0.0, 2.0, 81)


def motion(height: float) -> gough.Motion:
    """Surge, sway and heave of 1 Hz about home, higher by so much: 0.15 m, 0.1 m, 0.05 m."""
    home, w = MACHINE.require_home(), 2.0 * np.pi
    size, phase = np.array([0.15, 0.1, 0.05]), np.array([0.0, 0.5 * np.pi, 0.25 * np.pi])
    angle = w * TIMES[:, None] + phase
    t = home.position + np.array([0.0, 0.0, height]) + size * np.sin(angle)
    R = np.broadcast_to(home.rotation, (len(TIMES), 3, 3))
    zero = np.zeros_like(t)
    return gough.Motion(t, R, w * size * np.cos(angle), zero, -w * w * size * np.sin(angle), zero)


def machine(factor: float) -> gough.Platform:
    """The machine with its base joints on another radius; their axes turn with nothing."""
    wide = np.array([factor, factor, 1.0])
    return MACHINE.replace(legs=tuple(leg.replace(base=wide * leg.base) for leg in MACHINE.legs))


def cost(design: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean square of the leg forces in kN^2, and its slopes over the factor and the height."""
    factor, height = design
    found = inverse_dynamics_derivatives(machine(factor), motion(height))
    share = 2e-6 * found.value / found.value.size
    over_machine = np.einsum("tk,tkp->p", share, found.parameters)
    by_name = dict(zip(found.names, over_machine, strict=True))
    legs = zip(MACHINE.leg_names, MACHINE.legs, strict=True)
    over_factor = sum(
        by_name[f"{name}.base.x"] * leg.base[0] + by_name[f"{name}.base.y"] * leg.base[1]
        for name, leg in legs
    )
    over_height = np.einsum("tk,tk->", share, found.motion[..., 2])
    return 1e-6 * float((found.value**2).mean()), np.array([over_factor, over_height])


def spare(design: np.ndarray) -> float:
    """How much longer than now the first leg is at the middle of the motion, m: all six are by as much."""
    return float(middle(design).length[0] - middle(np.array([1.0, 0.0])).length[0])


def spare_slope(design: np.ndarray) -> np.ndarray:
    """Its slopes: the leg's direction along what moves at either end."""
    s = middle(design).direction[0]
    return np.array([-s[:2] @ MACHINE.legs[0].base[:2], s[2]])


def middle(design: np.ndarray) -> LegMotion:
    """The legs at the middle of the motion."""
    home = MACHINE.require_home()
    pose = gough.Pose(home.position + np.array([0.0, 0.0, design[1]]), home.rotation)
    return gough.inverse_kinematics(machine(design[0]), pose)


def best() -> tuple[np.ndarray, list[np.ndarray]]:
    """The design of least forces, and the designs tried on the way."""
    tried: list[np.ndarray] = []

    def watched(design: np.ndarray) -> tuple[float, np.ndarray]:
        tried.append(design.copy())
        return cost(design)

    held = {"type": "eq", "fun": spare, "jac": spare_slope}
    found = minimize(
        watched,
        np.array([1.0, 0.0]),
        jac=True,
        method="SLSQP",
        bounds=BOUNDS,
        constraints=held,
        options={"ftol": 1e-10},
    )
    return found.x, tried


def main() -> None:
    """Print the design and what it saves; draw the way over the map."""
    design, tried = best()
    print("| design | base radius | height of the motion | root mean square | largest force |")
    print("|---|---|---|---|---|")
    radius = np.hypot(*MACHINE.legs[0].base[:2])
    for name, (factor, height) in (("as it is", (1.0, 0.0)), ("least forces", design)):
        force = gough.inverse_dynamics(machine(factor), motion(height)).force
        root, most = 1e-3 * np.sqrt((force**2).mean()), 1e-3 * np.abs(force).max()
        place = MACHINE.require_home().position[2] + height
        print(
            f"| {name} | {factor * radius:.3f} m | {place:.3f} m | {root:.3f} kN | {most:.2f} kN |"
        )
    slope, across = cost(design)[1], spare_slope(design)
    left = abs(slope[0] * across[1] - slope[1] * across[0]) / np.hypot(*across)
    print(
        f"\n{len(tried)} evaluations with slopes; slope along legs of this length: {left:.1e} kN^2"
    )
    if len(sys.argv) > 1:
        draw(tried, sys.argv[1])


def draw(tried: list[np.ndarray], path: str) -> None:
    """Root mean square of the forces over both numbers, and the way taken."""
    import matplotlib.pyplot as plt

    factors, heights = np.linspace(*BOUNDS[0], 33), np.linspace(*BOUNDS[1], 31)
    level = np.empty((len(heights), len(factors)))
    for j, height in enumerate(heights):
        for k, factor in enumerate(factors):
            force = gough.inverse_dynamics(machine(factor), motion(height)).force
            level[j, k] = 1e-3 * np.sqrt((force**2).mean())
    figure, axes = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
    shown = axes.contour(factors, heights, level, levels=np.linspace(level.min(), level.max(), 30))
    axes.clabel(shown, fontsize="small", fmt="%.2f")
    same = [[spare(np.array([f, h])) for f in factors] for h in heights]
    axes.contour(factors, heights, same, levels=[0.0], colors="gray", linestyles="dashed")
    way = np.array(tried)
    axes.plot(way[:, 0], way[:, 1], "o-", color="black", markersize=4, linewidth=1.0)
    axes.set_xlabel("factor of the base radius")
    axes.set_ylabel("height above home in m")
    axes.set_title("root mean square of the leg forces in kN")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
