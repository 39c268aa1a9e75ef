"""The pose from more sensors than six: least squares, its covariance, and a test for the sensor that is wrong.

Each sensor gives residuals e = (measured - predicted)/sigma.  Gauss-Newton on x = (translation, rotation vector), world
axes, from the guess; with D = d(predicted)/dx/sigma, N = D^T D:

    covariance  N^-1;   chi2 = e.e  with n - 6 degrees of freedom
    w_i = e_i / sqrt(1 - d_i N^-1 d_i^T)      normal with variance 1 if all sensors are right     [Baarda 1968]

If chi2 is too large at the level `significance`, the sensor with the largest |w| is left out and the rest is solved
again, as long as something redundant remains.  Two sensors whose w cannot differ (correlation 1, always so with one
degree of freedom) cannot be told apart: then a fault is reported, and nobody accused.
This is statistics, not proof: errors are taken as normal and independent, and the pose is the least one near the guess.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough import status
from gough.checks import Array, InputError, array, number, real, text
from gough.extras import package
from gough.frozen import hinted
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import TWIST
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import CRANK, leg_table, struts, wrench_rows

WORST = 1e-10  # smallest over largest singular value of sensors that determine a pose, per characteristic length
STEPS = 40
ALIKE = 1 - 1e-6  # correlation of two tests beyond which they are one
FAULT = status.Status(
    "inconsistent",
    "the sensors contradict each other, and it cannot be told which of them is wrong",
)
UNDETERMINED = status.Status("singular", "the sensors do not determine the pose")


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Distance:
    """A wire or extra leg without drive: distance `value` from `base` (world) to `joint` (platform), m, +- sigma."""

    base: Array
    joint: Array
    value: float
    sigma: float
    name: str = "distance"

    def __post_init__(self) -> None:
        for field in ("base", "joint"):
            object.__setattr__(self, field, array(field, getattr(self, field), (3,)))
        for field in ("value", "sigma"):
            object.__setattr__(self, field, _positive(field, getattr(self, field)))
        object.__setattr__(self, "name", text("name", self.name))

    def rows(self, pose: Pose) -> tuple[Array, Array]:
        """Residual and derivative, over sigma."""
        q = pose.rotation @ self.joint
        S = pose.position + q - self.base
        length = float(np.linalg.norm(S))
        slope = wrench_rows(q[None], S[None] / length)
        return np.array([self.value - length]) / self.sigma, slope / self.sigma


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Inclinometer:
    """Measured direction `up` (3,) against gravity, in platform axes, +- sigma rad in both directions across it."""

    up: Array
    sigma: float
    name: str = "inclinometer"
    vertical: Array = dataclasses.field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))

    def __post_init__(self) -> None:
        for field in ("up", "vertical"):
            v = array(field, getattr(self, field), (3,))
            if v.shape != (3,) or not np.linalg.norm(v) > 0:
                raise InputError(field, v, "must be one vector, not zero")
            object.__setattr__(self, field, v / np.linalg.norm(v))
        object.__setattr__(self, "sigma", _positive("sigma", self.sigma))
        object.__setattr__(self, "name", text("name", self.name))

    def rows(self, pose: Pose) -> tuple[Array, Array]:
        """Residuals along two axes across the vertical, and their derivative, over sigma."""
        across = np.linalg.svd(self.vertical[None])[2][1:]  # two world axes
        seen = pose.rotation @ self.up  # turns with the platform: d(seen) = w x seen
        turn = np.concatenate([np.zeros((2, 3)), np.cross(seen, across)], axis=1)
        return -(across @ seen) / self.sigma, turn / self.sigma


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PoseEstimate:
    """Answer of `estimate_pose`.

    pose        least squares of the sensors in use; NaN where the status is not CONVERGED or FAULT
    covariance  (6, 6) of position (m) and rotation vector (rad), world axes
    chi2        sum of squared residuals over sigma;   redundancy  degrees of freedom
    test        w of each residual by sensor name, NaN where it cannot be tested or is out of use
    outliers    names of the sensors left out;   consistent  chi2 is within its limit
    """

    pose: Pose
    covariance: Array
    chi2: float
    redundancy: int
    test: dict[str, Array]
    outliers: tuple[str, ...]
    consistent: bool
    status: status.Status

    def __repr__(self) -> str:
        left = f"without {', '.join(self.outliers)}" if self.outliers else "all sensors in use"
        said = f"chi2 {self.chi2:.3g} of {self.redundancy}, {left}"
        return f"<PoseEstimate: {self.status.code}; {said}>"


def estimate_pose(
    platform: Platform,
    length: object,
    guess: Pose | None = None,
    *,
    actuator: float | ArrayLike,
    sensors: Sequence[Any] = (),
    significance: float = 1e-3,
) -> PoseEstimate:
    """The pose that six legs (6,) and further `sensors` (`Distance`, `Inclinometer`) tell together.

    actuator: standard deviation of each coordinate, m or rad.  A leg whose sensor is lost has NaN as its length.

    >>> platform = gough.load("positioner-300")
    >>> length = gough.inverse_kinematics(platform, platform.home).length
    >>> found = gough.estimate_pose(platform, length, actuator=1e-6)
    >>> print(found.pose.position.round(6))
    [0.   0.   0.22]
    """
    lam = real("length", length, (6,))
    if lam.ndim != 1:
        raise InputError("length", f"shape {lam.shape}", "must be six numbers")
    refuse_links(platform, "poses are not estimated")
    sigma = np.broadcast_to(array("actuator", actuator), (6,))
    if not (sigma > 0).all():
        raise InputError("actuator", actuator, "must be positive")
    level = number("significance", significance, minimum=1e-12)
    if not all(hasattr(s, "rows") for s in sensors):
        raise InputError("sensors", sensors, "must be Distance or Inclinometer objects")
    start = platform.require_home() if guess is None else guess
    if start.shape != ():
        raise InputError("guess", f"shape {start.shape}", "must be a single pose")
    task = _Sensors(platform, lam, sigma, tuple(sensors))
    return task.estimate(start, min(level, 0.5))


@dataclass(frozen=True)
class _Sensors:
    """All sensors side by side: residuals by owner; owners are the legs with numbers, then the extra ones."""

    platform: Platform
    lam: Array
    sigma: Array
    extra: tuple[Any, ...]

    @property
    def unit(self) -> Array:
        """(6,) makes turns and shifts alike: 1, 1, 1, then one over the characteristic length."""
        return np.repeat([1.0, 1.0 / self.platform.characteristic_length], 3)

    def names(self) -> list[str]:
        """One for each owner."""
        legs = [f"leg {name}" for name in self.platform.leg_names]
        return legs + [f"{s.name} {k}" for k, s in enumerate(self.extra, 1)]

    def rows(self, pose: Pose) -> tuple[Array, Array, NDArray[np.int64]]:
        """Residuals (n,), derivatives (n, 6) and owners (n,)."""
        g = struts(self.platform, pose)
        e = self.lam - g.coordinate
        turn = 2 * np.pi
        crank = leg_table(self.platform)[:, LEG.kind] == CRANK
        e = np.where(crank, e - turn * np.round(e / turn), e) / self.sigma
        slope = g.rows / (g.eta * self.sigma)[:, None]
        there = np.flatnonzero(~np.isnan(self.lam))
        parts = [(e[there], slope[there], there)]
        for k, sensor in enumerate(self.extra, 6):
            value, D = sensor.rows(pose)
            parts.append((value, D, np.full(len(value), k)))
        return tuple(np.concatenate(p) for p in zip(*parts, strict=True))  # type: ignore[return-value]

    def estimate(self, start: Pose, level: float) -> PoseEstimate:
        """Solve, test, leave out, until the rest agrees."""
        law = package("scipy.stats").chi2

        names, out = self.names(), []
        while True:
            found = self._least(start, out)
            if found is None:
                return self._answer(start, None, names, out, False, UNDETERMINED)
            pose, e, D, owner = found
            # by singular values: D.T @ D has the square of a condition number that may be 1e10
            basis, values, turned = np.linalg.svd(D * self.unit, full_matrices=False)
            if not values[-1] > WORST * values[0]:
                return self._answer(start, None, names, out, False, UNDETERMINED)
            half = self.unit[:, None] * turned.T / values
            inverse = half @ half.T  # of D.T @ D, covariance of the pose
            Q = np.eye(len(e)) - basis @ basis.T  # covariance of the residuals
            free = len(e) - 6
            testable = np.diag(Q) > 1e-9
            w = np.where(testable, e / np.sqrt(np.where(testable, np.diag(Q), 1.0)), np.nan)
            if free == 0 or e @ e <= law.isf(level, free):
                return self._answer(
                    pose, (e, w, owner, inverse), names, out, True, status.CONVERGED
                )
            worst = int(np.nanargmax(np.abs(w)))
            match = np.abs(Q[worst]) / np.sqrt(
                np.diag(Q)[worst] * np.where(testable, np.diag(Q), 1.0)
            )
            rivals = testable & (match > ALIKE) & (owner != owner[worst])
            alone = free - int((owner == owner[worst]).sum()) < 0
            if rivals.any() or alone:
                return self._answer(pose, (e, w, owner, inverse), names, out, False, FAULT)
            out.append(int(owner[worst]))

    def _least(
        self, start: Pose, out: list[int]
    ) -> tuple[Pose, Array, Array, NDArray[np.int64]] | None:
        """Gauss-Newton with halving; None if the sensors in use do not determine the pose."""
        pose, unit = start, self.unit
        e, D, owner = self._used(pose, out)
        for _ in range(STEPS):
            whole = np.isfinite(e).all() and np.isfinite(D).all() and len(e) >= 6
            values = np.linalg.svd(D * unit, compute_uv=False) if whole else np.zeros(6)
            if not values[-1] > WORST * values[0]:
                return None
            x = unit * np.linalg.lstsq(D * unit, e, rcond=None)[0]
            factor, before = 1.0, e @ e
            while factor > 1e-3:
                turn = rotation_exp(factor * x[TWIST.angular]) @ pose.rotation
                trial = Pose.trusted(pose.position + factor * x[TWIST.linear], turn)
                fresh = self._used(trial, out)
                if (
                    np.isfinite(fresh[0]).all()
                    and fresh[0] @ fresh[0] <= before * (1 + 1e-9) + 1e-12
                ):
                    break
                factor *= 0.5
            else:
                return None
            pose, (e, D, owner) = trial, fresh
            if (
                np.abs(D @ x).max() < 1e-6
            ):  # the step changes no prediction by a millionth of its sigma
                return pose, e, D, owner
        return None

    def _used(self, pose: Pose, out: list[int]) -> tuple[Array, Array, NDArray[np.int64]]:
        e, D, owner = self.rows(pose)
        keep = ~np.isin(owner, out)
        return e[keep], D[keep], owner[keep]

    def _answer(
        self,
        pose: Pose,
        solved: tuple[Array, Array, NDArray[np.int64], Array] | None,
        names: list[str],
        out: list[int],
        consistent: bool,
        ended: status.Status,
    ) -> PoseEstimate:
        left = tuple(names[k] for k in out)
        if solved is None:
            nowhere = Pose.trusted(np.full(3, np.nan), np.full((3, 3), np.nan))
            return PoseEstimate(nowhere, np.full((6, 6), np.inf), np.inf, 0, {}, left, False, ended)
        e, w, owner, inverse = solved
        test = {name: w[owner == k] for k, name in enumerate(names)}
        chi2, free = float(e @ e), len(e) - 6
        return PoseEstimate(pose, inverse, chi2, free, test, left, consistent, ended)


def _positive(field: str, value: float) -> float:
    x = number(field, value)
    if not x > 0:
        raise InputError(field, value, "must be positive")
    return x
