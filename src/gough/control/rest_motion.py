"""What the steps and the noise of the sensors leave of the motion when nothing else moves the machine.

A reading is the truth and an error q, ``|q| <= step/2`` whatever limit cycle there is.  So the closed loop of
one_sample.py, ``z' = M z + S q``, cannot leave, once its start is forgotten,

    |y_i| <= sum_k |P M^k S|_ij step_j/2          peak gain; some sequence of errors comes as near as one likes
    cov z  = M cov z M^T + S diag(noise^2) S^T    of white noise
A proof for the linear loop, that is for small motions of the machine without dry friction, gear loss, backlash and
limits.  The sum is cut where M^N is small; what is left out is bounded by ``|P M^N| max|z|`` and added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.control.decentralized import home
from gough.control.one_sample import LinearSample, OneSample
from gough.control.signals import CHANNELS, Controller, Sampling
from gough.extras import package
from gough.frozen import hinted
from gough.model import Platform
from gough.spatial import Pose

SMALL = 1e-3  # norm of M^N at which the sum is cut
LONGEST = 1_000_000  # samples: a loop that forgets more slowly has no bound here


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Residual:
    """Motion and commands about rest, (6,) each: position and rotation vector, m and rad, world axes; N (N m).

    displacement, effort            bounds that quantization alone cannot pass; infinite for a loop that is not stable
    displacement_noise, effort_noise  standard deviations from noise alone
    """

    displacement: Array
    effort: Array
    displacement_noise: Array
    effort_noise: Array


def residual(
    platform: Platform,
    controller: Controller,
    *,
    sampling: Sampling,
    pose: Pose | None = None,
    step: float | None = None,
) -> Residual:
    """What quantization and noise of `sampling` leave at a pose (default: home).  docs/control.md

    Counted are the sensors that the loop reads at each sample (coordinates, rates, pose and twist); bias is not: it
    moves the machine and stays.
    """
    loop = OneSample(platform, controller, sampling, home(platform, pose), step).linear()
    peaks = peak(loop, sampling)
    spread = _noise(loop, sampling)
    return Residual(peaks[:6], peaks[6:], spread[:6], spread[6:])


def peak(loop: LinearSample, sampling: Sampling, gain: Array | float = 1.0) -> Array:
    """(12,) bounds on displacement and commands under quantization, with factors (6,) on the loop gains."""
    M, out = loop.A + (loop.B * gain) @ loop.C, np.vstack([loop.P, loop.C])
    G = loop.S * _steps(sampling)
    G = G[:, G.any(axis=0)]
    total, inside, X = np.zeros((len(out), G.shape[1])), np.zeros(G.shape), np.array(G)
    if not G.size:
        return np.zeros(len(out))
    rho = float(np.abs(np.linalg.eigvals(M)).max())
    if not rho < 1.0:
        return np.full(len(out), np.inf)
    count, power = _until_small(M)
    if not count:
        return np.full(len(out), np.inf)
    for _ in range(count):
        total += np.abs(out @ X)
        inside += np.abs(X)
        X = M @ X
    left = float(np.abs(power).sum(axis=1).max())
    largest = inside.sum(axis=1).max() / (
        1.0 - left
    )  # of |z|: it is at most `inside` and what M^N leaves of itself
    return total.sum(axis=1) + np.abs(out @ power).sum(axis=1) * largest


def _until_small(M: Array) -> tuple[int, Array]:
    """N and M^N with a norm below SMALL, by doubling; 0 where N would be above LONGEST."""
    count, power = 1, M
    while np.abs(power).sum(axis=1).max() > SMALL:
        count, power = 2 * count, power @ power
        if count > LONGEST:
            return 0, power
    return count, power


def _steps(sampling: Sampling) -> Array:
    """(CHANNELS,) largest errors of rounding; three components of a rotation vector err together by sqrt(3) at most
    where it is not small."""
    half = np.zeros(CHANNELS.size)
    for name in CHANNELS.names:
        half[getattr(CHANNELS, name)] = 0.5 * sampling.sensor(name).quantization
    half[CHANNELS.rotation] *= np.sqrt(3.0)
    return half


def _noise(loop: LinearSample, sampling: Sampling) -> Array:
    """(12,) standard deviations of displacement and commands; infinite for a loop that is not stable."""
    solve_discrete_lyapunov = package("scipy.linalg").solve_discrete_lyapunov

    sigma = np.zeros(CHANNELS.size)
    for name in CHANNELS.names:
        sigma[getattr(CHANNELS, name)] = sampling.sensor(name).noise
    M, out, G = loop.A + loop.B @ loop.C, np.vstack([loop.P, loop.C]), loop.S * sigma
    if not G.any():
        return np.zeros(len(out))
    if not np.abs(np.linalg.eigvals(M)).max() < 1.0:
        return np.full(len(out), np.inf)
    covariance = out @ solve_discrete_lyapunov(M, G @ G.T) @ out.T
    return np.asarray(np.sqrt(np.maximum(np.diagonal(covariance), 0.0)))
