"""Random numbers of many environments at once, each from a stream of its own: an environment with a seed draws the same
episodes alone or beside any others.

The generator is a counter behind SplitMix64's mixing function [Steele, Lea, Flood 2014, "Fast splittable pseudorandom
number generators"]: number c of try k of episode e is a function of (seed, e, k, c) alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array

Counters = NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: the step of the counter
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
TRIES = np.uint64(1 << 20)  # tries of an episode


def mixed(z: Counters) -> Counters:
    """SplitMix64's finalizer: every bit depends on all bits."""
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


def uniforms(seed: Counters, episode: Counters, number: int, count: int) -> Array:
    """(n, count) numbers in [0, 1) of try `number` of an episode; seed and episode (n,)."""
    at = episode * TRIES + np.uint64(number)
    stream = mixed(mixed(seed + GOLDEN) + at * GOLDEN)
    z = mixed(stream[:, None] + GOLDEN * np.arange(1, count + 1, dtype=np.uint64))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53
