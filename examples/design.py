"""Workspace, sizing, error budget and a small optimization of a motion base."""

import numpy as np

import gough
from gough.analysis.sensitivity import error_budget
from gough.analysis.sizing import size
from gough.analysis.volume import certified_volume, exact_volume
from gough.design import Task, evaluate

platform = gough.load("motion-base-1500")

volume = exact_volume(platform)
cells = certified_volume(platform, depth=6)
print(f"workspace {volume.value:.6f} m3, proved between {cells.low:.3f} and {cells.high:.3f}")

wave = gough.trajectory.harmonic(platform.home, [0, 0, 0.08, 0.05, 0, 0], [0.5], duration=4.0)
needs = size(
    platform,
    {"wave": wave.sample(401)},
    {"empty": gough.Body(0.0), "full": gough.Body(300.0, (0, 0, 0.8))},
)
for leg in needs.legs[:2]:
    print(
        f"{leg.name}: stroke {leg.stroke:.3f} m, peak {leg.peak_force:.0f} N, motor {leg.drive.peak_torque:.1f} N m"
    )

budget = error_budget(platform, platform.home, base=1e-4, joint=1e-4, actuator=2e-5, backlash=True)
print("position error", np.round(1e6 * budget.sigma[:3], 1), "um")
print("rotation error", np.round(1e6 * budget.sigma[3:], 1), "urad")

task = Task(box=(0.1, 0.1, 0.1), tilt=np.radians((5, 5, 5)))
for scale in (0.8, 1.0, 1.2):
    legs = [leg.replace(base=scale * leg.base) for leg in platform.legs]
    found = evaluate(platform.replace(legs=legs), task, ["dexterity", "stroke", "footprint"])
    print(f"base x {scale}: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()))
