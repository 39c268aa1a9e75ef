"""What [Syed] (004) states about its machine, as numbers measured on forces; claims.toml says when each holds.

Every measure takes any number of machines at once (leading axes): `search` asks it of many, the page of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.reproduce.paper_text import PaperText, conditions_of
from gough.reproduce.verdicts import Test

NAMES = ("x", "y", "z", "rx", "ry", "rz")
DURATION = 0.1  # s, given by the paper
PEAKS = (10.0, 10.0, 10.0, 8.0, 8.0, 8.0)  # m/s^2 and rad/s^2, given by the paper
SHAPES = ("constant", "sine", "half sine")
"""How the accelerations may depend on time: constant, a whole period, half a period."""
ALWAYS = "x-pattern-always"  # the one statement that only a constant acceleration can meet
SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])  # forces 1, 3, 4, 6 rise, 2 and 5 fall
FALLING, NAMED = [1, 4], [0, 4]  # legs 2 and 5, whose forces fall; legs 1 and 5, which it names
X, Z = NAMES.index("x"), NAMES.index("z")
OTHERS = [i for i in range(6) if i != Z]


def profile(shape: str, time: Array) -> tuple[Array, Array, Array]:
    """Displacement, speed and acceleration from rest, of a largest acceleration of one."""
    if shape == "constant":
        return time**2 / 2, time, np.ones_like(time)
    w = {"sine": 2 * np.pi, "half sine": np.pi}[shape] / DURATION
    return (time - np.sin(w * time) / w) / w, (1 - np.cos(w * time)) / w, np.sin(w * time)


@dataclass(frozen=True, eq=False)
class Observed:
    """Forces (..., 6 trajectories, times, 6 legs) along trajectories of one shape, N, and what else is measured.

    massless, lower, upper   whose leg halves have mass, no drives
    weight        (..., times, 6) what the weights of the legs alone add along x, N
    rate, acceleration       of the legs, m/s and m/s^2
    mass          (..., 6, 6) mass matrix for the leg rates at the start, without drives, kg
    reflected     (...,) mass of a drive, kg
    """

    shape: str
    massless: Array
    lower: Array
    upper: Array
    weight: Array
    rate: Array
    acceleration: Array
    mass: Array
    reflected: Array

    @property
    def full(self) -> Array:
        """Forces with both leg halves: they are linear in the masses."""
        return self.lower + self.upper - self.massless

    @property
    def now(self) -> int:
        """Sample of the largest acceleration; the middle where it is constant."""
        last = self.massless.shape[-2] - 1
        return last // 4 if self.shape == "sine" else last // 2


def peak(force: Array) -> Array:
    """(..., 6) largest force along each trajectory."""
    return np.abs(force).max(axis=(-2, -1))


def measures(o: Observed) -> dict[str, Array]:
    """Every measure, (...,) each; percent of the peak where not said otherwise.

    rise, larger          by how much legs, and drives, raise the largest force, least of the six trajectories, percent
    lower_most, upper_least   what the leg halves add, largest and smallest over the trajectories
    z_uneven, z_added     unevenness between legs of what the legs add along z, and its least value then, N
    uneven                the same unevenness on the other trajectories, smallest, percent of what is added
    pattern, pattern_always   change of the six sizes of force along x times the signs stated, the least, over the
                          largest change: at the largest acceleration, at every time
    falling_contract, named_contract   largest rate of legs 2 and 5, of 1 and 5, over the largest of all
    assisted              what the legs' weights add to the sizes of forces 2 and 5, over the largest of all
    drive                 largest drive inertia force over the largest other force, least of the six
    coupled               largest coupling over the mean of the diagonal of the mass matrix with drives, percent
    """
    full, added = o.full, o.full - o.massless
    top, rotor = peak(full), o.reflected[..., None, None, None] * o.acceleration
    along_z, other = added[..., Z, :, :], added[..., OTHERS, :, :]
    change = (np.abs(full) - np.abs(o.massless))[..., X, :, :]
    pattern = (SIGNS * change).min(axis=-1) / np.abs(added[..., X, :, :]).max(axis=(-2, -1))[
        ..., None
    ]
    rate, weight = o.rate[..., X, o.now, :], o.weight[..., o.now, :]
    fastest = np.abs(rate).max(axis=-1)
    help_ = (np.sign(full[..., X, o.now, :]) * weight)[..., FALLING].max(axis=-1)
    own = np.diagonal(o.mass, axis1=-2, axis2=-1)
    coupling = np.abs(o.mass - own[..., None] * np.eye(6)).max(axis=(-2, -1))
    return {
        "rise": 100 * (top / peak(o.massless) - 1).min(axis=-1),
        "lower_most": 100 * (peak(o.lower - o.massless) / top).max(axis=-1),
        "upper_least": 100 * (peak(o.upper - o.massless) / top).min(axis=-1),
        "z_uneven": np.ptp(along_z, axis=-1).max(axis=-1),
        "z_added": along_z[..., o.now, :].min(axis=-1),
        "uneven": 100 * (np.ptp(other, axis=-1).max(axis=-1) / peak(other)).min(axis=-1),
        "pattern": pattern[..., o.now],
        "pattern_always": pattern.min(axis=-1),
        "falling_contract": rate[..., FALLING].max(axis=-1) / fastest,
        "named_contract": rate[..., NAMED].max(axis=-1) / fastest,
        "assisted": help_ / np.abs(weight).max(axis=-1),
        "drive": (peak(rotor) / top).min(axis=-1),
        "larger": 100 * (peak(full + rotor) / top - 1).min(axis=-1),
        "coupled": 100 * coupling / (own.mean(axis=-1) + o.reflected),
    }


def margin(test: Test, found: Mapping[str, Array]) -> Array:
    """By how much a bound is kept, relative to it; of a bound of zero, as it is.  Not negative: it holds."""
    value, bound = found[test.value], test.least if test.least is not None else test.most
    assert bound is not None
    size = abs(float(bound)) or 1.0
    return (value - float(bound)) / size * (1 if test.least is not None else -1)


def margins(text: PaperText, found: Mapping[str, Array], keys: Sequence[str]) -> dict[str, Array]:
    """The margin of every statement, by the key of its claim: the least of its tests."""
    return {
        key: np.min([margin(test, found) for test in conditions_of(text.claims[key])], axis=0)
        for key in keys
    }
