"""Newton's steps for the pose of machines on screws and with offset joints, from 20 mm and 5 degrees away:
``cd tests && python -m campaigns.newton_campaign --machines 200``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from gough.analysis.singularity import singularity
from gough.kinematics.forward import forward_kinematics
from gough.kinematics.forward_results import ForwardKinematics
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from oracles.machines import Case, cases
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_cases

NEAR, TURN = 0.02, np.deg2rad(5.0)  # m, rad
STEPS, RESIDUAL, APART = 6, 1e-14, 4e-15  # steps; m; m per condition number
KINDS = ("UCU-screw", "UCU-upper", *(kind for kind in OFFSETS if kind != "mixed-offset"))


def asked(c: Case, seed: int) -> tuple[ForwardKinematics, Pose]:
    """The answer for the legs of the case's first pose, asked from nearby, and that pose."""
    rng, pose = np.random.default_rng(seed), Pose(c.motion.position[0], c.motion.rotation[0])
    shift, turn = rng.normal(size=(2, 3))
    shift *= NEAR / np.linalg.norm(shift)
    turn *= TURN / np.linalg.norm(turn)
    start = Pose(pose.position + shift, rotation_exp(turn) @ pose.rotation)
    length = struts(c.platform, pose).coordinate
    return forward_kinematics(c.platform, length, start), pose


def apart(c: Case, fk: ForwardKinematics, pose: Pose) -> float:
    """Distance of the answer from the pose per condition number, m."""
    away = np.abs(fk.pose.position - pose.position).max()
    return float(away / singularity(c.platform, pose).condition)


@dataclass
class Worst:
    """Over many machines: most steps, how many took more than STEPS, largest residual and distance of those that found
    the pose; how many had no answer, or that of another assembly."""

    steps: int = 0
    longer: int = 0
    residual: float = 0.0
    apart: float = 0.0
    lost: int = 0
    elsewhere: int = 0


def worst(kind: str, count: int, *, seed: int) -> Worst:
    """Of `count` machines of a kind."""
    out, sample = Worst(), offset_cases if kind in OFFSETS else cases
    for number, c in enumerate(sample(kind, count, states=1, seed=seed)):
        fk, pose = asked(c, number)
        if not fk.success:
            out.lost += 1
            continue
        if np.abs(fk.pose.position - pose.position).max() > 1e-6:
            out.elsewhere += 1
            continue
        out.steps = max(out.steps, int(fk.iterations))
        out.longer += int(fk.iterations) > STEPS
        out.residual = max(out.residual, float(fk.residual))
        out.apart = max(out.apart, apart(c, fk, pose))
    return out


def main() -> None:
    """Print the worst of every kind of machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    given = parser.parse_args()
    for kind in given.kinds:
        found = worst(kind, given.machines, seed=given.seed)
        print(
            f"{kind} {given.machines} machines: at most {found.steps} steps ({found.longer} more than {STEPS}), "
            f"residual {found.residual:.1e} m, "
            f"{found.apart:.1e} m per condition number from the pose; {found.lost} without an answer, "
            f"{found.elsewhere} at another pose",
            flush=True,
        )


if __name__ == "__main__":
    main()
