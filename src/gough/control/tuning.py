"""Auto-tuning of the decentralized controller on the sampled, delayed, fully coupled machine."""

from __future__ import annotations

import numpy as np

from gough.checks import Array, InputError, number
from gough.control.decentralized import leg_mass_matrix
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Pose


def closed_loop(mass: Array, load: Array, *, bandwidth: float, damping: float, integral: float, period: float,
                delay: int) -> Array:
    """Matrix of one sample of ``M ldd = u`` under the decentralized PID, errors as states (l, ldot, integral, queue).

    The double integrator with a held force is exact: ``l+ = l + T ldot + T^2/2 M^-1 u``.
    """
    T, inverse = period, np.linalg.inv(mass)
    kp, kd, ki = load * bandwidth**2, 2 * damping * bandwidth * load, integral * bandwidth**3 * load
    n = 18 + 6 * delay
    A = np.eye(n)
    A[6 * 3:, 6 * 3:] = 0.0
    A[0:6, 6:12] = T * np.eye(6)
    A[12:18, 0:6] = T * np.eye(6)
    gain = -np.hstack([np.diag(kp), np.diag(kd), np.diag(ki)])
    force = np.zeros((6, n))
    if delay == 0:
        force[:, :18] = gain
    else:
        force[:, 18:24] = np.eye(6)
        for k in range(delay - 1):
            A[18 + 6 * k:24 + 6 * k, 24 + 6 * k:30 + 6 * k] = np.eye(6)
        A[n - 6:, :18] = gain
    A[0:6] += 0.5 * T**2 * inverse @ force
    A[6:12] += T * inverse @ force
    return A


def largest_bandwidth(model: Platform, poses: Pose, *, rate: float, delay: float, damping: float, integral: float,
                      margin: float, spin: Spin | None = None) -> float:
    """Bisection on the bandwidth (rad/s); see `Decentralized.tuned`."""
    T = 1.0 / number("rate", rate, above=0.0)
    queue = round(number("delay", delay, minimum=0.0) / T)
    masses = leg_mass_matrix(model, poses, spin).reshape(-1, 6, 6)
    load = np.diagonal(masses[0]).copy()

    def stable(w: float) -> bool:
        keep = np.r_[0:18 if integral > 0 else 12, 18:18 + 6 * queue]  # without it the integral is a pole at one
        loops = [closed_loop(M / gain, load, bandwidth=w, damping=damping, integral=integral, period=T, delay=queue)
                 for M in masses for gain in (1.0, margin)]
        return all(np.abs(np.linalg.eigvals(A[np.ix_(keep, keep)])).max() < 1.0 for A in loops)

    low, high = 1e-3 / T, np.pi / T
    if number("margin", margin, minimum=1.0) and not stable(low):
        raise InputError("integral", integral, "no bandwidth is stable: lower the integral share or raise damping")
    for _ in range(40):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return float(low)

