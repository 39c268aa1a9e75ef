"""One tuner for all laws: the largest bandwidth at which the loop, as it would run, keeps its gain margin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import InfeasibleError, InputError, number
from gough.control.decentralized import home
from gough.control.one_sample import OneSample
from gough.control.signals import Controller, Sampling
from gough.control.stability import holds, room_of
from gough.model import Platform
from gough.spatial import Pose

GRID = 40  # bandwidths tried from half the sampling rate down, over four decades
NARROW = 1e-3  # relative width to which the largest bandwidth is closed in


def tune(
    platform: Platform,
    law: str = "computed-force",
    *,
    sampling: Sampling | None = None,
    margin: float = 2.0,
    poses: Pose | None = None,
    step: float | None = None,
    within: ArrayLike | None = None,
    **given: Any,
) -> Controller:
    """The controller of that law (a name of register.py) with the largest bandwidth that keeps the gain margin.

    The loop is linearized as it runs (one_sample.py): sampling, delay, observer, drives.  Every factor on all loop
    gains from ``1/margin`` to `margin` (tried at nine) must leave it stable at each of `poses` (default: home).
    Bandwidths are tried from half the sampling rate down; the first that holds is closed in from above.
    within  (6,) m and rad, above what quantization leaves of the motion at rest (rest_motion.py), gains as they are;
            without it quantization does not count
    given  further arguments of the law, such as ``damping=0.7``
    """
    from gough.control.register import law_of

    make = law_of(law)
    w = largest_bandwidth(
        platform,
        lambda bandwidth: make(platform, bandwidth=bandwidth, **given),
        sampling=sampling or Sampling(),
        margin=margin,
        poses=poses,
        step=step,
        within=within,
    )
    return make(platform, bandwidth=w, **given)


def largest_bandwidth(
    platform: Platform,
    make: Callable[[float], Controller],
    *,
    sampling: Sampling,
    margin: float = 2.0,
    poses: Pose | None = None,
    step: float | None = None,
    within: ArrayLike | None = None,
) -> float:
    """The bandwidth (rad/s) of `tune` for any controller made from one; a little below the edge it has found."""
    where, m = home(platform, poses), number("margin", margin, minimum=1.0)
    room, as_is = room_of(within), np.ones((1, 6))
    flat = where.position.reshape(-1, 3), where.rotation.reshape(-1, 3, 3)
    each = [Pose(t, R) for t, R in zip(*flat, strict=True)]
    gains = np.repeat(np.geomspace(1.0 / m, m, 9 if m > 1.0 else 1)[:, None], 6, axis=1)

    def keeps(w: float) -> bool:
        controller = make(w)
        try:
            loops = (
                OneSample(platform, controller, sampling, pose, step).linear() for pose in each
            )
            return all(
                holds(loop, gains, sampling, None).all() and holds(loop, as_is, sampling, room)[0]
                for loop in loops
            )
        except InfeasibleError:
            return False

    tried = np.geomspace(np.pi, np.pi * 1e-4, GRID) * sampling.rate
    good = next((i for i, w in enumerate(tried) if keeps(float(w))), None)
    if good is None:
        tried_from = f"{tried[-1]:.3g} to {tried[0]:.3g} rad/s"
        also = "" if room is None else " and stays within its room"
        raise InputError(
            "margin", margin, f"no bandwidth is stable with it{also}, from {tried_from}"
        )
    low, high = tried[good], tried[max(good - 1, 0)]
    while high / low > 1.0 + NARROW:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if keeps(middle) else (low, middle)
    return float(low)
