"""Instants at which a motion is looked at: near enough together to see what it does, nearer around what is largest.

Between two instants a time h apart positions, velocities and accelerations must agree,

    x1 - x0 = h (v0 + v1)/2 - h^2 (a1 - a0)/12 + O(h^5)        v1 - v0 = h (a0 + a1)/2 + O(h^3)
and the same for rotations.  Where they do not, to a share of the largest that is seen, something happened in between.
A sine that is looked at once in a period seems to stand still and is found out by these sums, since its velocity and
acceleration never vanish together.  That is a good look, not a proof: a motion that is at rest at every instant of a
grid passes it.  `gough.analysis.proved_limits` proves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.checks import Array
from gough.spatial import Motion, rotation_log
from gough.trajectory.base import Trajectory, time_grid
from gough.trajectory.bounds import pieces

AGREE = 0.02  # share to which two instants of a trajectory must agree: ten looks a period
CONTRADICT = 0.1  # share from which samples are said to contradict one another
LEAST = 1e-9  # m, rad, and per s: what is smaller is taken for rounding
PARTS = 4  # of an interval in which something happened
ROUNDS = 8
MOST = 200_000  # instants
PEAKS = 5  # local extremes that are looked at more closely
CLOSER = 4  # times, each four times nearer


def disagreement(motion: Motion) -> Array:
    """(N - 1,) of a motion over one time axis, N instants: by how much each two contradict one another, as a share."""
    assert motion.time is not None
    h = np.diff(motion.time)[:, None]
    p, v, w = motion.position, motion.velocity, motion.angular_velocity
    a, al = motion.acceleration, motion.angular_acceleration
    bend, bend_w = h * h * np.diff(a, axis=0) / 12.0, h * h * np.diff(al, axis=0) / 12.0
    turn = rotation_log(motion.rotation[1:] @ np.swapaxes(motion.rotation[:-1], -1, -2))
    pairs = (
        (np.diff(p, axis=0), h * (v[1:] + v[:-1]) / 2.0 - bend, np.ptp(p, axis=0)),
        (turn, h * (w[1:] + w[:-1]) / 2.0 - bend_w, turn),
        (np.diff(v, axis=0), h * (a[1:] + a[:-1]) / 2.0, v),
        (np.diff(w, axis=0), h * (al[1:] + al[:-1]) / 2.0, w),
    )
    shares = []
    for seen, said, size in pairs:
        scale = max(float(np.abs(size).max()), float(np.abs(said).max()), LEAST)
        shares.append(np.abs(seen - said).max(axis=1) / scale)
    return np.asarray(np.max(shares, axis=0))


def contradiction(motion: Motion) -> str | None:
    """What samples that are too far apart show, in words; None where they agree, or do not say when they are."""
    t = motion.time
    if t is None or t.ndim != 1 or len(t) < 2 or not (np.diff(t) > 0.0).all():
        return None
    share = disagreement(motion)
    worst = int(share.argmax())
    if not share[worst] > CONTRADICT:
        return None
    return (
        f"the samples at t = {t[worst]:.6g} s and {t[worst + 1]:.6g} s contradict one another: the platform moves "
        "otherwise than its velocities and accelerations there say"
    )


def instants(path: Trajectory) -> Array:
    """Times from 0 to the duration: an even grid, the motion's pieces cut in four, more where those disagree."""
    edges = pieces(path)
    parts = int(np.clip(MOST // len(edges), 1, PARTS))
    cut = (edges[:-1, None] + np.diff(edges)[:, None] * np.arange(parts) / parts).ravel()
    t = np.unique(np.concatenate([time_grid(path.duration), path.breaks, cut]))
    for _ in range(ROUNDS):
        bad = np.nonzero(disagreement(path(t)) > AGREE)[0]
        if not len(bad) or len(t) + PARTS * len(bad) > MOST:
            break
        step = np.diff(t)[bad, None] / PARTS
        t = np.unique(np.concatenate([t, (t[bad, None] + step * np.arange(1, PARTS)).ravel()]))
    return t


def sharpened(t: Array, look: Callable[[Array], Array]) -> Array:
    """`t` with more instants around the largest and smallest values of every column of ``look(t)``, (N, m)."""
    value = look(t)
    for _ in range(CLOSER):
        new = np.unique(np.concatenate([_around(t, value), _around(t, -value)]))
        new = np.setdiff1d(new, t)
        if not len(new):
            break
        both = np.concatenate([t, new])
        order = np.argsort(both)
        t, value = both[order], np.concatenate([value, look(new)])[order]
    return t


def _around(t: Array, value: Array) -> Array:
    """Seven instants about each of the highest local maxima."""
    padded = np.pad(value, ((1, 1), (0, 0)), constant_values=-np.inf)
    top = (padded[1:-1] >= padded[:-2]) & (padded[1:-1] > padded[2:])
    order = np.argsort(np.where(top, value, -np.inf), axis=0)[-PEAKS:]
    at = np.unique(order[np.take_along_axis(top, order, axis=0)])
    low, high = t[np.maximum(at - 1, 0)], t[np.minimum(at + 1, len(t) - 1)]
    return (low[:, None] + (high - low)[:, None] * np.arange(1, 8) / 8.0).ravel()
