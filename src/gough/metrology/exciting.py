"""Motions that tell most about masses, moments and friction: sums of sines about home, within the machine's limits.

Amplitudes and phases are drawn, scaled as far as strokes, speeds and cones allow at the samples, and improved by random
changes.  The figure of merit is ``log det (Y_1^T Y_1)`` over independent columns (D-optimal): it does not depend on the
units of the numbers.  Limits are looked at at the samples here; `gough limits`, or `analysis.proved_limits`, decides
between them.  Periodic: bring the machine to the first state, or average whole periods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from gough.checks import Array, InputError, number
from gough.frozen import hinted
from gough.limits import check
from gough.metrology.identification import DEPENDENT, regressor
from gough.metrology.inertial import chosen
from gough.model import Platform
from gough.trajectory.harmonic import Harmonic, harmonic

SAMPLES, SEEN = 160, 64  # instants for limits, and for the efforts
FIRST, LATER = 6, 14  # motions drawn, and changes tried
START, MARGIN = (
    0.12,
    0.02,
)  # amplitude in machine sizes or rad at first; limits are kept by this share of their range

Columns = NDArray[np.int64]


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ExcitingMotion:
    """A motion for identification.

    trajectory  the motion;   merit   log det of the information about the base parameters, of unit efforts' deviations
    first       the same of the first motion drawn, scaled to the limits;   rank   number of base parameters it shows
    """

    trajectory: Harmonic
    merit: float
    first: float
    rank: int


def excite(
    platform: Platform,
    duration: float = 10.0,
    *,
    harmonics: int = 5,
    find: Sequence[str] | str | None = None,
    seed: int = 0,
) -> ExcitingMotion:
    """A periodic motion about home, one period `duration` (s) long, that shows the inertial numbers well.

    harmonics  sines per coordinate, whole multiples of the period's frequency
    find       what is to be identified, as in `identify`
    """
    if not any(leg.limits.given for leg in platform.legs):
        raise InputError(
            "platform", platform.name, "has no limits: motions about home have no bound"
        )
    duration = number("duration", duration, minimum=1e-3)
    rng = np.random.default_rng(seed)
    drawn = [_drawn(rng, harmonics) for _ in range(FIRST)]
    scored = [_scaled(platform, d, duration) for d in drawn]
    columns = _independent(platform, scored[0], find)
    merits = [_merit(platform, s, columns, find) for s in scored]
    best = int(np.argmax(merits))
    shape, merit = drawn[best], merits[best]
    for k in range(LATER):
        change = 0.5 * 0.9**k
        size, phase = (rng.normal(size=x.shape) for x in shape)
        new = shape[0] + change * size, shape[1] + 2.0 * change * phase
        found = _merit(platform, _scaled(platform, new, duration), columns, find)
        if found > merit:
            shape, merit = new, found
    return ExcitingMotion(_scaled(platform, shape, duration), merit, merits[0], len(columns))


def _drawn(rng: np.random.Generator, harmonics: int) -> tuple[Array, Array]:
    size = rng.normal(size=(harmonics, 6)) / np.sqrt(np.arange(1, harmonics + 1))[:, None]
    return size, rng.uniform(0.0, 2.0 * np.pi, (harmonics, 6))


def _scaled(platform: Platform, drawn: tuple[Array, Array], duration: float) -> Harmonic:
    """The motion of these sines, as large as the limits allow."""
    size, phase = drawn
    unit = np.repeat([platform.characteristic_length, 1.0], 3)
    frequency = np.arange(1, len(size) + 1) / duration
    home = platform.likely_home

    def made(factor: float) -> Harmonic:
        return harmonic(home, factor * size * unit, frequency, phase, duration=duration)

    low, high = 0.0, START
    if not _inside(platform, made(0.0)):
        raise InputError("platform", platform.name, "breaks a limit at home")
    for _ in range(14):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _inside(platform, made(middle)) else (low, middle)
    return made(low)


def _inside(platform: Platform, path: Harmonic) -> bool:
    found = check(platform, path.sample(SAMPLES))
    return bool((found.worst > MARGIN).all())


def _rows(platform: Platform, path: Harmonic, find: Sequence[str] | str | None) -> Array:
    Y, _, known = regressor(platform, path.sample(SEEN))
    return Y[..., chosen(known.names, find)].reshape(-1, len(chosen(known.names, find)))


def _independent(platform: Platform, path: Harmonic, find: Sequence[str] | str | None) -> Columns:
    A = _rows(platform, path, find)
    size = np.linalg.norm(A, axis=0)
    found: Any = qr(A / np.where(size > 0.0, size, 1.0), mode="economic", pivoting=True)
    _, R, order = found
    pivots = np.abs(np.diagonal(R))
    return order[: int((pivots > DEPENDENT * pivots.max()).sum())].astype(np.int64)


def _merit(
    platform: Platform, path: Harmonic, columns: Columns, find: Sequence[str] | str | None
) -> float:
    R = np.linalg.qr(_rows(platform, path, find)[:, columns], mode="r")
    pivots = np.abs(np.diagonal(R))
    return float(2.0 * np.log(np.maximum(pivots, np.finfo(float).tiny)).sum())
