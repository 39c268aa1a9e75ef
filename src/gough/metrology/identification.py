"""Identification: masses, moments, friction and rotors from logged motions and efforts.

    F - F0 = Y phi + noise                   metrology/inertial.py
Many combinations of phi never reach the actuators.  The columns of Y are scaled, and a decomposition with column pivots
splits them: r independent ones, and others that are combinations of them, ``Y_2 = Y_1 K``.  What can be found are the
base parameters (Gautier 1991)

    pi = phi_1 + K phi_2,      covariance (Y_1^T W Y_1)^-1,
by weighted linear least squares: with normal errors of the given deviations their intervals are exact.  `machine` then
is the machine whose bodies can exist (pseudo-inertias without negative eigenvalues, friction and rotors not negative)
that explains the efforts best, held near the nominal one where nothing is seen (`consistent.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.linalg import qr, solve_triangular

from gough.checks import Array, InputError, array, number, six
from gough.dynamics.derivatives import inverse_dynamics_derivatives
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.links import refuse_links
from gough.metrology.inertial import COULOMB, Inertial, chosen, inertial
from gough.model import CRANKS, Platform
from gough.spatial import Motion

DEPENDENT = 1e-9  # of the largest pivot: columns below are combinations of those before
SLOW = 1e-9  # m/s or rad/s: dry friction of slower actuators has no sign


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Identification:
    """What logged efforts say about the machine's inertial numbers.

    base        places (in `names`) of the independent numbers; a base parameter is one of them plus its row of `beside`
    beside      (r, p - r) K: what the dependent ones (`other`) add;   value   (r,) of the base parameters
    sigma       (r,) standard deviations;   covariance   (r, r)
    nominal     (r,) of the base parameters of the given machine
    chi_square, freedom   sum of squared residuals over their deviations, and what it should be on average
    residual    (n, 6) efforts left unexplained
    noise       1, or the common factor of the deviations, where it was estimated
    """

    inertial: Inertial
    names: tuple[str, ...]
    units: tuple[str, ...]
    base: NDArray[np.int64]
    other: NDArray[np.int64]
    beside: Array
    value: Array
    sigma: Array
    covariance: Array
    nominal: Array
    chi_square: float
    freedom: int
    noise: float
    residual: Array
    _rows: tuple[Array, Array]

    @property
    def base_names(self) -> tuple[str, ...]:
        """Of the base parameters in words: ``L1.upper.mass + 0.31 L1.lower.first.x and 3 more``."""
        return tuple(self._word(k) for k in range(len(self.base)))

    def _word(self, k: int) -> str:
        row = self.beside[k]
        some = np.flatnonzero(np.abs(row) > 1e-9)
        shown = [f" {row[j]:+.3g} {self.names[self.other[j]]}" for j in some[:3]]
        more = f" and {len(some) - 3} more" if len(some) > 3 else ""
        return self.names[self.base[k]] + "".join(shown) + more

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Bounds of the base parameters at this level of confidence, each by itself."""
        if not 0.0 < number("level", level) < 1.0:
            raise InputError("level", level, "must be between 0 and 1")
        half = 0.5 + 0.5 * level
        factor = stats.norm.ppf(half) if self.noise == 1.0 else stats.t.ppf(half, self.freedom)
        return self.value - float(factor) * self.sigma, self.value + float(factor) * self.sigma

    @property
    def likelihood(self) -> float | None:
        """How often errors of the given deviations leave residuals as large as these; None where estimated."""
        if self.noise != 1.0 or self.freedom <= 0:
            return None
        return float(stats.chi2.sf(self.chi_square, self.freedom))

    @property
    def missing(self) -> tuple[str, ...]:
        """Numbers that the efforts do not depend on at all along these motions."""
        used = {*self.base.tolist(), *self.other[(np.abs(self.beside) > 1e-9).any(axis=0)].tolist()}
        return tuple(name for k, name in enumerate(self.names) if k not in used)

    @cached_property
    def machine(self) -> Platform:
        """The machine of bodies that can exist which explains the efforts best; near the nominal one where free."""
        from gough.metrology.consistent import consistent_machine

        return consistent_machine(self.inertial, self.names, *self._rows)

    def table(self) -> list[dict[str, Any]]:
        """One row per base parameter: name, unit, nominal, value, sigma, low, high."""
        low, high = self.interval()
        columns = (self.nominal, self.value, self.sigma, low, high)
        keys = ("nominal", "value", "sigma", "low", "high")
        return [
            {"name": word, "unit": self.units[self.base[k]]}
            | dict(zip(keys, (float(c[k]) for c in columns), strict=True))
            for k, word in enumerate(self.base_names)
        ]


def regressor(
    platform: Platform, motion: Motion, external: ArrayLike | None = None, *, coulomb: bool = False
) -> tuple[Array, Array, Inertial]:
    """``Y`` (n, 6, p) and ``F0`` (n, 6) of ``F = Y phi + F0`` along a motion, and the numbers phi.

    coulomb  six more columns: dry friction of the actuators, ``sign(rate)``
    """
    refuse_links(platform, "regressor")
    flat = motion if len(motion.shape) == 1 else motion[..., None]
    if len(flat.shape) != 1:
        raise InputError("motion", f"shape {motion.shape}", "must be one motion")
    known = inertial(platform)
    found = inverse_dynamics_derivatives(platform, flat, external)
    Y = found.packed @ known.packing
    rest = found.value - Y @ known.value
    if not coulomb:
        return Y, rest, known
    rate = inverse_kinematics(platform, flat).rate
    sign = np.where(np.abs(rate) > SLOW, np.sign(rate), 0.0)
    return np.concatenate([Y, sign[..., None] * np.eye(6)], axis=-1), rest, known


def identify(
    platform: Platform,
    motion: Motion,
    force: ArrayLike,
    *,
    sigma: float | ArrayLike,
    external: ArrayLike | None = None,
    find: Sequence[str] | str | None = None,
    coulomb: bool = False,
    noise: str = "given",
) -> Identification:
    """Inertial and friction numbers from a motion (n,) and the efforts (n, 6) that were logged along it.

    platform  the machine: its geometry is taken as it is, its inertial numbers are what the found ones compare with
    sigma     standard deviation of the efforts, one or six, N (N m)
    find      names or groups: "body", "L3.upper", "friction", "mass"; None: all.  Others keep their numbers
    coulomb   also find dry friction of the actuators
    noise     "given", or "estimated": the deviations are right up to one common factor
    """
    if noise not in ("given", "estimated"):
        raise InputError("noise", noise, 'must be "given" or "estimated"')
    Y, rest, known = regressor(platform, motion, external, coulomb=coulomb)
    F = array("force", force, (6,))
    if F.shape != rest.shape:
        raise InputError("force", f"shape {F.shape}", f"must have shape {rest.shape}")
    spread = np.broadcast_to(six("sigma", sigma), (6,))
    if not (spread > 0.0).all():
        raise InputError("sigma", sigma, "must be positive")
    names, units, nominal = _named(platform, known, coulomb)
    kept = chosen(names, find)
    fixed = np.setdiff1d(np.arange(len(names)), kept)
    A = (Y[..., kept] / spread[:, None]).reshape(-1, len(kept))
    b = ((F - rest - Y[..., fixed] @ nominal[fixed]) / spread).ravel()
    names, units = tuple(names[k] for k in kept), tuple(units[k] for k in kept)
    return _solved(known, names, units, nominal[kept], A, b, spread, noise)


def _named(
    platform: Platform, known: Inertial, coulomb: bool
) -> tuple[list[str], list[str], Array]:
    names, units, value = list(known.names), list(known.units), known.value
    if coulomb:
        names += [f"{leg}.{COULOMB}" for leg in platform.leg_names]
        units += ["N m" if isinstance(leg, CRANKS) else "N" for leg in platform.legs]
        dry = [0.0 if leg.drive is None else leg.drive.coulomb for leg in platform.legs]
        value = np.concatenate([value, dry])
    return names, units, value


def _solved(
    known: Inertial,
    names: tuple[str, ...],
    units: tuple[str, ...],
    nominal: Array,
    A: Array,
    b: Array,
    spread: Array,
    noise: str,
) -> Identification:
    size = np.linalg.norm(A, axis=0)
    size = np.where(size > 0.0, size, 1.0)
    decomposed: Any = qr(A / size, mode="economic", pivoting=True)
    Q, R, order = decomposed
    pivots = np.abs(np.diagonal(R))
    rank = int((pivots > DEPENDENT * max(pivots.max(initial=0.0), np.finfo(float).tiny)).sum())
    base, other = order[:rank], order[rank:]
    R1 = R[:rank, :rank]
    beside = solve_triangular(R1, R[:rank, rank:]) * size[other] / size[base][:, None]
    value = solve_triangular(R1, Q[:, :rank].T @ b) / size[base]
    inverse = solve_triangular(R1, np.eye(rank)) / size[base][:, None]
    left = b - A[:, base] @ value
    freedom = len(b) - rank
    if freedom <= 0:
        raise InputError(
            "motion", f"{len(b)} efforts", f"must have more than {rank}: as many unknowns"
        )
    chi = float(left @ left)
    factor = 1.0 if noise == "given" else float(np.sqrt(chi / freedom))
    covariance = factor**2 * (inverse @ inverse.T)
    return Identification(
        inertial=known,
        names=names,
        units=units,
        base=base.astype(np.int64),
        other=other.astype(np.int64),
        beside=beside,
        value=value,
        sigma=np.sqrt(np.diagonal(covariance)),
        covariance=covariance,
        nominal=nominal[base] + beside @ nominal[other],
        chi_square=chi,
        freedom=freedom,
        noise=factor,
        residual=left.reshape(-1, 6) * spread,
        _rows=(A / factor, b / factor),
    )
