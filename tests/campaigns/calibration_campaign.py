"""Do intervals of a calibration hold what they promise?  Machines with errors, measured by an outside engine.

    PYTHONPATH=src:tests python -m campaigns.calibration_campaign --trials 100 --seed 0

Each trial: every length of the machine off by 1 mm (standard deviation; directions and angles by 1 mrad; a small crank
machine by a fifth of it), 40 random poses within the limits, encoders read by Pinocchio's own kinematics
(`oracles.encoders`), a tracker for the whole pose, normal errors on both.  Counted: intervals of 95 % that hold the
true number, over all unknowns that are seen; trials whose true numbers lie within the ellipsoid of 95 % of them all;
errors with planned and with random poses.
Exit code 1 if fewer than 93 of 100 hold, or planned poses are not twice as accurate.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np
from scipy import stats

import gough
from gough.checks import Array
from gough.metrology import PoseSensor, calibrate, plan_poses, reachable_poses
from gough.metrology.calibration import Calibration
from gough.metrology.unknowns import unknowns
from gough.model import Platform
from gough.model.numbers import places, with_numbers
from gough.spatial import Pose, rotation_exp
from gough.struts import struts
from oracles.encoders import encoder_readings

MACHINES = {  # smallest lever of a leg, errors in m and rad
    "motion-base-1500": (0.0, 1e-3),
    "hexaglide": (0.4, 1e-3),
    "positioner-300": (0.0, 1e-3),
    "servo-hexapod": (0.5, 2e-4),  # arms of 25 mm
}
POSES = 40
ENCODER, TRACKER = 5e-6, (2e-5, 2e-5)  # m or rad; m and rad


def clear_poses(nominal: Platform, count: int, seed: int, rim: float, lever: float) -> Pose:
    """Poses whose legs are well away from dead points, so that a machine with errors reaches them too."""
    many = reachable_poses(nominal, 4 * count, seed, rim=rim)
    clear = np.abs(struts(nominal, many).lever).min(axis=-1) > lever
    return many[np.flatnonzero(clear)[:count]]


def disturbed(
    nominal: Platform, rng: np.random.Generator, size: float
) -> tuple[Platform, Array, Array]:
    """A machine whose geometry is off, its encoders' zeros, and the true unknowns."""
    wanted = unknowns(nominal)
    start = places(nominal)
    off = {name: start[name].value + size * rng.normal() for name in wanted.machine}
    zero = size * rng.normal(size=6)
    machine = with_numbers(nominal, off)
    is_now = places(machine)
    true = np.array([is_now[name].value for name in wanted.machine] + list(zero))
    return machine, zero, true


def measured(
    nominal: Platform, true: Platform, zero: Array, poses: Pose, rng: np.random.Generator
) -> Calibration:
    """A calibration from one set of noisy readings; the platform stands where the encoders' true machine has it."""
    n = len(poses)
    read = encoder_readings(true, poses) - zero + ENCODER * rng.normal(size=(n, 6))
    turn = rotation_exp(TRACKER[1] * rng.normal(size=(n, 3)))
    seen = Pose(poses.position + TRACKER[0] * rng.normal(size=(n, 3)), turn @ poses.rotation)
    return calibrate(nominal, read, {"tracker": (PoseSensor(*TRACKER), seen)}, sigma=ENCODER)


def seen_share(found: Calibration, true: Array) -> tuple[Array, float]:
    """Errors over their standard deviations of what is seen, and the squared distance in the seen combinations."""
    error = found.value - true
    known = found.spectrum.seen
    s = found.spectrum
    along = s.directions[: s.rank] @ (error / s.sizes) * s.singular[: s.rank]
    return error[known] / found.sigma[known], float((along**2).sum())


def trial(name: str, seed: int, poses: Pose | None = None) -> tuple[Array, float, int, Array]:
    """One machine: normalized errors, squared distance, rank, errors in changes of equal weight."""
    rng = np.random.default_rng(seed)
    nominal = gough.load(name)
    true, zero, values = disturbed(nominal, rng, MACHINES[name][1])
    poses = clear_poses(nominal, POSES, seed, 0.0, MACHINES[name][0]) if poses is None else poses
    found = measured(nominal, true, zero, poses, rng)
    assert found.settled
    normal, square = seen_share(found, values)
    s = found.spectrum
    off = s.directions[: s.rank] @ ((found.value - values) / s.sizes)
    return normal, square, s.rank, off


def main() -> int:
    """Print the counts; 1 if they are not what was promised."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    fine = True
    for name in MACHINES:
        nominal = gough.load(name)
        tracker = {"tracker": PoseSensor(*TRACKER)}
        some = clear_poses(nominal, 600, given.seed, 0.8, MACHINES[name][0])
        planned = plan_poses(nominal, POSES, tracker, sigma=ENCODER, candidates=some).pose
        inside = total = whole = 0
        off: dict[str, list[Array]] = {"random": [], "planned": []}
        for k in range(given.trials):
            normal, square, rank, error = trial(name, given.seed + k)
            inside += int((np.abs(normal) < stats.norm.ppf(0.975)).sum())
            total += len(normal)
            whole += square < stats.chi2.ppf(0.95, rank)
            off["random"].append(error)
            off["planned"].append(trial(name, given.seed + k, planned)[3])
        share = 100.0 * inside / total
        rms = {way: float(np.sqrt(np.mean(np.square(errors)))) for way, errors in off.items()}
        ratio = rms["random"] / rms["planned"]
        print(
            f"{name}: {share:.1f} % of {total} intervals hold; all at once in {whole} of {given.trials} trials; "
            f"planned poses {ratio:.2f} times as accurate as random ones",
            flush=True,
        )
        fine &= share >= 93.0 and ratio >= 2.0
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
