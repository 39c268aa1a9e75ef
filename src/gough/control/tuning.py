"""Auto-tuning of the decentralized controller on the sampled, delayed, fully coupled machine."""

from __future__ import annotations

import numpy as np

from gough.checks import Array, InputError, number
from gough.control.decentralized import leg_mass_matrix
from gough.layout import Layout
from gough.model import Platform
from gough.results import Spin
from gough.spatial import Pose

LOOP = Layout(length=6, rate=6, integral=6)


def closed_loop(
    mass: Array,
    load: Array,
    *,
    bandwidth: float,
    damping: float,
    integral: float,
    period: float,
    delay: int,
) -> Array:
    """Matrix of one sample of ``M ldd = u`` under the decentralized PID, errors as states (l, ldot, integral, queue).

    The double integrator with a held force is exact: ``l+ = l + T ldot + T^2/2 M^-1 u``.
    """
    T, inverse = period, np.linalg.inv(mass)
    kp, kd, ki = load * bandwidth**2, 2 * damping * bandwidth * load, integral * bandwidth**3 * load
    errors, length, rate = LOOP.size, LOOP.length, LOOP.rate
    n = errors + 6 * delay
    A = np.eye(n)
    A[errors:, errors:] = 0.0
    A[length, rate] = T * np.eye(6)
    A[LOOP.integral, length] = T * np.eye(6)
    gain = -np.hstack([np.diag(kp), np.diag(kd), np.diag(ki)])
    force = np.zeros((6, n))
    if delay == 0:
        force[:, :errors] = gain
    else:
        force[:, errors : errors + 6] = np.eye(6)
        A[errors : n - 6, errors + 6 :] = np.eye(n - errors - 6)
        A[n - 6 :, :errors] = gain
    A[length] += 0.5 * T**2 * inverse @ force
    A[rate] += T * inverse @ force
    return A


def largest_bandwidth(
    model: Platform,
    poses: Pose,
    *,
    rate: float,
    delay: float,
    damping: float,
    integral: float,
    margin: float,
    spin: Spin | None = None,
) -> float:
    """Bisection on the bandwidth (rad/s); see `Decentralized.tuned`."""
    T = 1.0 / number("rate", rate, above=0.0)
    queue = round(number("delay", delay, minimum=0.0) / T)
    masses = leg_mass_matrix(model, poses, spin).reshape(-1, 6, 6)
    load = np.diagonal(masses[0]).copy()

    shape = {"damping": damping, "integral": integral, "period": T}

    def stable(w: float) -> bool:
        errors = LOOP.size if integral > 0 else LOOP.at("integral")  # without: a pole at one
        keep = np.r_[0:errors, LOOP.size : LOOP.size + 6 * queue]
        seen = [M / gain for M in masses for gain in (1.0, margin)]
        loops = [closed_loop(M, load, bandwidth=w, delay=queue, **shape) for M in seen]
        return all(np.abs(np.linalg.eigvals(A[np.ix_(keep, keep)])).max() < 1.0 for A in loops)

    low, high = 1e-3 / T, np.pi / T
    if number("margin", margin, minimum=1.0) and not stable(low):
        sentence = "no bandwidth is stable: lower the integral share or raise damping"
        raise InputError("integral", integral, sentence)
    for _ in range(40):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return float(low)
