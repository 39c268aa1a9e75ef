"""Motions of a ship in a seaway: a JONSWAP spectrum through a table of response amplitudes.

    S(w) ~ w^-5 exp(-1.25 (wp/w)^4) gamma^exp(-(w/wp - 1)^2 / (2 s^2)),   s = 0.07 (w <= wp), 0.09 (w > wp)
scaled so that its area is ``Hs^2 / 16`` (Hasselmann et al. 1973; the scale replaces Phillips' constant).  The band is
cut into parts of equal energy, one sine each: the variance of the elevation is ``Hs^2 / 16`` to rounding, whatever the
number of sines.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, number
from gough.trajectory.base import endpoint
from gough.trajectory.harmonic import Harmonic, sines
from gough.trajectory.recorded import read_columns

GRAVITY = 9.80665
BAND = 0.25, 8.0  # of the peak frequency: outside lies less than 1e-3 of the energy
POINTS = 20_000
NOTHING_BELOW = 8.0  # of peak over frequency: exp(-1.25 8^4) is zero in double precision


def jonswap(frequency: ArrayLike, height: float, period: float, gamma: float = 3.3) -> Array:
    """Spectral density of the elevation, m^2 s/rad, at circular frequencies (rad/s).

    height  significant height Hs = 4 sqrt(m0), m;  period  of the peak, s;  gamma  peakedness, 1: Pierson-Moskowitz
    """
    w = array("frequency", frequency)
    if not (w > 0.0).all():
        raise InputError("frequency", "zero or negative", "must be positive")
    H, T = number("height", height, above=0.0), number("period", period, above=0.0)
    g = number("gamma", gamma, minimum=1.0)
    peak = 2.0 * np.pi / T
    band = np.geomspace(BAND[0] * peak, BAND[1] * peak, POINTS)
    area = float(np.trapezoid(_shape(band, peak, g), band))
    return H**2 / 16.0 / area * _shape(w, peak, g)


def _shape(w: Array, peak: float, gamma: float) -> Array:
    width = np.where(w <= peak, 0.07, 0.09)
    bell = np.exp(-((w / peak - 1.0) ** 2) / (2.0 * width**2))
    with np.errstate(under="ignore", over="ignore"):
        ratio = np.minimum(peak / w, NOTHING_BELOW)
        return ratio**5 * np.exp(-1.25 * ratio**4) * gamma**bell / peak


@dataclass(frozen=True, eq=False)
class Responses(Frozen):
    """Response amplitude operators of a ship at one heading: what a wave of one meter moves.

    frequency  (n,) rad/s, increasing
    amplitude  (n, 6) surge, sway, heave m/m; roll, pitch, yaw rad/m
    phase      (n, 6) rad, ahead of the wave's crest at the reference point
    Between the rows amplitude and phase are straight lines; outside them the ship does not move.
    """

    frequency: Array
    amplitude: Array
    phase: Array

    def __post_init__(self) -> None:
        f = array("frequency", self.frequency)
        if f.ndim != 1 or len(f) < 2 or not (np.diff(f) > 0.0).all() or f[0] <= 0.0:
            raise InputError(
                "frequency", self.frequency, "must be two or more increasing positive numbers"
            )
        for name in ("amplitude", "phase"):
            value = array(name, getattr(self, name))
            if value.shape != (len(f), 6):
                raise InputError(name, f"shape {value.shape}", f"must have shape ({len(f)}, 6)")
            object.__setattr__(self, name, value)
        if (self.amplitude < 0.0).any():
            raise InputError("amplitude", "a negative one", "must not be negative: turn its phase")
        object.__setattr__(self, "frequency", f)

    def at(self, w: Array) -> tuple[Array, Array]:
        """Amplitudes and phases (m, 6) at circular frequencies (m,)."""
        inside = ((w >= self.frequency[0]) & (w <= self.frequency[-1]))[:, None]
        columns = range(6)
        size = np.stack(
            [np.interp(w, self.frequency, self.amplitude[:, j]) for j in columns], axis=-1
        )
        turn = np.stack([np.interp(w, self.frequency, self.phase[:, j]) for j in columns], axis=-1)
        return np.where(inside, size, 0.0), turn


_SIX = ("surge", "sway", "heave", "roll", "pitch", "yaw")
_TABLE = {
    "frequency": (("frequency",), "rate"),
    "linear": (_SIX[:3], ""),
    "angular": (_SIX[3:], "angle"),
    "phases": (tuple(f"{name} phase" for name in _SIX), "angle"),
}


def load_responses(path: str | os.PathLike[str]) -> Responses:
    """`Responses` from a CSV file: columns frequency (rad/s), surge, sway, heave (m/m), roll, pitch, yaw (rad per m, or
    ``roll [deg]``: deg per m) and, optionally, the phases ``surge phase [deg]`` and so on."""
    file = Path(path)
    data = read_columns(file, _TABLE, kind="a CSV file of response amplitudes")
    for name, columns in (
        ("frequency", "frequency"),
        ("linear", "surge, sway, heave"),
        ("angular", "roll, pitch, yaw"),
    ):
        if name not in data:
            raise InputError(f"{file.name}: {columns}", "missing", "must be there")
    size = np.concatenate([data["linear"], data["angular"]], axis=1)
    return Responses(data["frequency"][:, 0], size, data.get("phases", np.zeros_like(size)))


def follower(w: Array, heading: float) -> tuple[Array, Array]:
    """Amplitudes and phases (n, 6) of a small buoy on deep water: it moves with the water and tilts with its slope.

    Elevation ``cos(w t - k (x cos b + y sin b))``, ``k = w^2/g``; the water moves on circles, a quarter behind.
    """
    c, s = np.cos(heading), np.sin(heading)
    slope, one, none = w**2 / GRAVITY, np.ones_like(w), np.zeros_like(w)
    signed = np.stack([c * one, s * one, one, s * slope, -c * slope, none], axis=-1)
    signed[np.abs(signed) < 1e-15] = 0.0
    behind = -0.5 * np.pi * np.array([1.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    return np.abs(signed), behind + np.pi * (signed < 0.0)


def sea_state(
    center: object,
    height: float,
    period: float,
    *,
    gamma: float = 3.3,
    heading: float = np.pi,
    responses: Responses | None = None,
    duration: float = 60.0,
    components: int = 120,
    seed: int = 0,
) -> Harmonic:
    """The motion of a ship about `center` in long-crested waves: sums of sines with exact derivatives.

    height, period, gamma   significant height (m), peak period (s), peakedness of the `jonswap` spectrum
    heading    direction into which the waves run, rad from the bow's axis x: pi is head sea
    responses  the ship's `Responses` at this heading (default: a buoy that follows the surface, `follower`)
    seed       of the phases of the waves: the same seed is the same sea
    """
    if not isinstance(components, int) or not 1 <= components <= 5000:
        raise InputError("components", components, "must be a whole number from 1 to 5000")
    if not isinstance(seed, int) or seed < 0:
        raise InputError("seed", seed, "must be a whole number, not negative")
    w = frequencies(height, period, gamma, components)
    wave = height / 4.0 * np.sqrt(2.0 / components)
    size, ahead = follower(w, number("heading", heading)) if responses is None else responses.at(w)
    phase = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, components)
    s = sines(np.zeros(6), wave * size, w / (2.0 * np.pi), phase[:, None] + ahead + 0.5 * np.pi)
    pose = endpoint("center", center)
    return Harmonic(pose, s, number("duration", duration, above=0.0), "rpy")


def frequencies(height: float, period: float, gamma: float, components: int) -> Array:
    """Circular frequencies (rad/s) that halve the energy of each of `components` equal shares of the spectrum."""
    peak = 2.0 * np.pi / number("period", period, above=0.0)
    band = np.geomspace(BAND[0] * peak, BAND[1] * peak, POINTS)
    S = jonswap(band, height, period, gamma)
    energy = np.concatenate([[0.0], np.cumsum(0.5 * (S[1:] + S[:-1]) * np.diff(band))])
    shares = (np.arange(components) + 0.5) / components
    return np.interp(shares * energy[-1], energy, band)
