"""Geometric calibration: which numbers of the machine file explain what was measured, how surely, and which cannot.

The readings are those of the six encoders at n poses, and of any sensors beside them (metrology/sensors.py): whole
poses, points, distances, inclinations, angles of struts.  Method: metrology/fit.py.

    reading = scale (coordinate - zero) + offset                of an encoder (`gough.Encoder`)
    covariance of the unknowns  C = (A^T A)^-1                  A: weighted slopes, poses eliminated
Intervals come from C: exact for readings that depend linearly on the unknowns and normal errors of the given standard
deviations; millimeters on a machine of meters are nearly that (tests/metrology count how often intervals hold).  An
unknown with a share in a combination that no reading depends on has no interval: its bounds are infinite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from gough.checks import Array, InputError, array, number, six
from gough.frozen import hinted
from gough.links import refuse_links
from gough.metrology.fit import Fit, Spectrum, WeightedRows, fitted, sparse
from gough.metrology.legs_seen import legs_seen
from gough.metrology.reading_input import checked_readings, start_poses
from gough.metrology.robust import WEIGHTS, efficiency
from gough.metrology.sensors import MeasuringSensor, wrapped
from gough.metrology.unknowns import Unknowns, known_beforehand, size_of, unknowns
from gough.model import CRANKS, Platform
from gough.model.numbers import places, with_numbers
from gough.spatial import Pose

MANY = 100_000  # poses


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """What the readings say about the machine.

    platform     the machine with its numbers found, zeros and scales of its encoders too
    names, units of the unknowns;   value   what was found, nominal where nothing depends on it
    nominal      what the machine file said
    sigma        standard deviations; infinite for unknowns with a share in an unseen combination
    covariance   (p, p), meaningful where sigma is finite
    pose         where the platform stood, as the fit has it
    residual     per source ("actuator" and the sensors' names): reading less what is expected, its own unit
    chi_square, freedom   sum of the squared weighted residuals, and what it should be on average (without `robust`)
    spectrum     singular values and combinations, the unseen ones last
    settled      False: the steps did not end; the numbers are the last ones, no optimum
    """

    platform: Platform
    sensors: Mapping[str, MeasuringSensor]
    names: tuple[str, ...]
    units: tuple[str, ...]
    nominal: Array
    value: Array
    sigma: Array
    covariance: Array
    pose: Pose
    residual: Mapping[str, Array]
    weight: Mapping[str, Array]
    chi_square: float
    freedom: int
    noise: float
    robust: str | None
    spectrum: Spectrum
    steps: int
    settled: bool

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper bounds of the unknowns at this level of confidence, each by itself."""
        level = number("level", level, minimum=0.0)
        if not 0.0 < level < 1.0:
            raise InputError("level", level, "must be between 0 and 1")
        half = 0.5 + 0.5 * level
        factor = stats.norm.ppf(half) if self.noise == 1.0 else stats.t.ppf(half, self.freedom)
        reach = float(factor) * self.sigma
        return self.value - reach, self.value + reach

    @property
    def likelihood(self) -> float | None:
        """How often errors of the given standard deviations would leave residuals as large as these or larger.

        Below 0.001: the model or the deviations are wrong (or readings are outliers).  None with `noise` estimated, and
        with a robust estimator, whose weights make residuals small.
        """
        if self.noise != 1.0 or self.freedom <= 0 or self.robust is not None:
            return None
        return float(stats.chi2.sf(self.chi_square, self.freedom))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Combinations that no reading depends on, in words: ``0.71 L1.base.x + 0.71 L1.zero``."""
        return tuple(_combination(row, self.names) for row in sparse(self.spectrum.unseen))

    def table(self) -> list[dict[str, Any]]:
        """One row per unknown: name, unit, nominal, value, change, sigma, low, high."""
        low, high = self.interval()
        columns = (self.nominal, self.value, self.value - self.nominal, self.sigma, low, high)
        keys = ("nominal", "value", "change", "sigma", "low", "high")
        return [
            {"name": name, "unit": unit}
            | dict(zip(keys, (float(column[k]) for column in columns), strict=True))
            for k, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
        ]


def _combination(row: Array, names: tuple[str, ...]) -> str:
    order = np.argsort(-np.abs(row), kind="stable")
    parts = [f"{row[k]:+.2f} {names[k]}" for k in order[:6] if abs(row[k]) > 0.02]
    left = int((np.abs(row) > 0.02).sum()) - len(parts)
    return " ".join(parts) + (f" and {left} more" if left > 0 else "")


def calibrate(
    platform: Platform,
    length: ArrayLike,
    readings: Mapping[str, tuple[MeasuringSensor, Any]],
    *,
    sigma: float | ArrayLike,
    find: Sequence[str] | str | None = None,
    robust: str | None = None,
    noise: str = "given",
    tolerance: float | Mapping[str, float] | None = None,
    start: Pose | None = None,
) -> Calibration:
    """The machine's numbers that explain the readings of its encoders and of the sensors beside them.

    platform  the nominal machine: where the search starts
    length    (n, 6) what the encoders showed at n poses: ``scale (coordinate - zero) + offset``; m (rad) unless the
              machine's encoders say otherwise
    readings  by name: a sensor and what it read, `Pose` (n,) of a `PoseSensor`, else (n, m) numbers
    sigma     standard deviation of the encoders, one or six, in m (rad) of the coordinate
    find      names or groups (`unknowns`); None: all geometry and the encoders' zeros
    robust    None, "huber" or "cauchy": readings far off count less
    noise     "given": standard deviations are what they are; "estimated": they are right up to one common factor
    tolerance standard deviation of the machine's numbers from nominal ones, known beforehand: by name or group
              (``{"base": 1e-3, "axis": 0.01}``, SI), or one for all lengths (m); None: nothing is known
    start     poses to start from (n,); default: what a `PoseSensor` read, else forward kinematics from home
    """
    if noise not in ("given", "estimated"):
        raise InputError("noise", noise, 'must be "given" or "estimated"')
    options = {"find": find, "robust": robust, "tolerance": tolerance, "start": start}
    model, pose = readings_model(platform, length, readings, sigma=sigma, **options)
    found = fitted(model, model.begin, pose, model.sizes)
    return _answer(model, found, noise)


def readings_model(
    platform: Platform,
    length: ArrayLike,
    readings: Mapping[str, tuple[MeasuringSensor, Any]],
    *,
    sigma: float | ArrayLike,
    find: Sequence[str] | str | None = None,
    robust: str | None = None,
    tolerance: float | Mapping[str, float] | None = None,
    start: Pose | None = None,
) -> tuple[Readings, Pose]:
    """What `calibrate` fits, its arguments checked, and the poses (n,) it starts from."""
    refuse_links(platform, "calibrate")
    wanted = unknowns(platform, find)
    lam = array("length", length, (None, 6))
    if lam.ndim != 2 or not 1 <= len(lam) <= MANY:
        raise InputError("length", np.shape(lam), f"must be (n, 6) with n from 1 to {MANY}")
    if robust not in WEIGHTS:
        raise InputError("robust", robust, 'must be None, "huber" or "cauchy"')
    measured = checked_readings(readings, len(lam))
    spread = np.broadcast_to(six("sigma", sigma), (6,))
    if not (spread > 0.0).all():
        raise InputError("sigma", sigma, "must be positive")
    pose = start_poses(platform, lam, measured, start)
    return Readings(wanted, lam, spread, measured, robust, tolerance), pose


class Readings:
    """All readings as rows over the unknowns and the poses: what `fit` asks."""

    def __init__(
        self,
        wanted: Unknowns,
        lam: Array,
        spread: Array,
        measured: Mapping[str, tuple[MeasuringSensor, Any]],
        robust: str | None = None,
        tolerance: float | Mapping[str, float] | None = None,
    ) -> None:
        self.wanted, self.lam, self.spread = wanted, lam, spread
        self.measured, self.robust = measured, robust
        known = places(wanted.platform)
        constants = [
            (name, constant, np.atleast_1d(getattr(sensor, constant)).astype(float))
            for name, (sensor, _) in measured.items()
            for constant in getattr(sensor, "free", ())
        ]
        self.constants = constants
        self.machine = len(wanted.machine)
        begin = [known[name].value for name in wanted.machine]
        own = [leg.encoder for leg in wanted.platform.legs]
        begin += [own[i].zero for i in wanted.zeros] + [own[i].scale for i in wanted.scales]
        self.offset = np.array([encoder.offset for encoder in own])
        self.begin = np.array(begin + [x for _, _, values in constants for x in values])
        self.names = (*wanted.names, *_constant_names(constants))
        units = [
            measured[name][0].CONSTANTS[constant] for name, constant, v in constants for _ in v
        ]
        self.units = (*wanted.units, *units)
        sizes = [size_of(unit, wanted.platform) for unit in units]
        self.sizes = np.concatenate([wanted.sizes, sizes])
        self.known = known_beforehand(self.names, self.units, tolerance)
        turning = [isinstance(leg, CRANKS) for leg in wanted.platform.legs]
        self.turning = np.array(turning)

    def machine_at(self, z: Array) -> Platform:
        """The machine with unknowns z."""
        count = len(self.wanted.names)
        values = dict(zip(self.wanted.names, z[:count].tolist(), strict=True))
        return with_numbers(self.wanted.platform, values)

    def encoders(self, z: Array) -> tuple[Array, Array]:
        """(6,) zeros and scales."""
        own = [leg.encoder for leg in self.wanted.platform.legs]
        zero, scale = (np.array([getattr(e, what) for e in own]) for what in ("zero", "scale"))
        first = self.machine
        zero[list(self.wanted.zeros)] = z[first : first + len(self.wanted.zeros)]
        first += len(self.wanted.zeros)
        scale[list(self.wanted.scales)] = z[first : first + len(self.wanted.scales)]
        return zero, scale

    def sensors(self, z: Array) -> dict[str, MeasuringSensor]:
        """The sensors with constants z."""
        made = {name: sensor for name, (sensor, _) in self.measured.items()}
        at = len(self.wanted.names)
        for name, constant, values in self.constants:
            value = z[at : at + len(values)]
            at += len(values)
            old = getattr(made[name], constant)
            made[name] = replace(
                made[name], **{constant: value if np.ndim(old) else float(value[0])}
            )
        return made

    def rows(self, z: Array, pose: Pose, read: bool = True) -> WeightedRows:
        """Weighted misreadings and slopes; `read` False: slopes alone, for poses where nothing was read yet."""
        legs = legs_seen(self.machine_at(z), pose, self.wanted.machine)
        n, p = len(pose), len(z)
        zero, scale = self.encoders(z)
        misread = np.zeros((n, 6))
        if read:
            misread = (self.lam - self.offset) / scale + zero - legs.coordinate
            misread = np.where(self.turning, wrapped(misread), misread)
        A = np.zeros((n, 6, p))
        A[..., : self.machine] = legs.coordinate_by_machine
        first = self.machine
        for k, leg in enumerate(self.wanted.zeros):
            A[:, leg, first + k] = -1.0
        first += len(self.wanted.zeros)
        for k, leg in enumerate(self.wanted.scales):
            A[:, leg, first + k] = (legs.coordinate[:, leg] - zero[leg]) / scale[leg]
        parts = [(misread, A, legs.coordinate_by_pose, self.spread)]
        for name, sensor in self.sensors(z).items():
            found = np.zeros((n, len(sensor.spread())))
            if read:
                found = sensor.misread(legs, pose, self.measured[name][1])
            slope = np.zeros((n, found.shape[1], p))
            machine = sensor.by_machine(legs, pose)
            if machine is not None:
                slope[..., : self.machine] = machine
            at, over = len(self.wanted.names), sensor.by_constants(legs, pose)
            for owner, constant, values in self.constants:
                if owner == name:
                    slope[..., at : at + len(values)] = over[constant]
                at += len(values)
            parts.append((found, slope, sensor.by_pose(legs, pose), sensor.spread()))
        return WeightedRows(
            np.concatenate([r / s for r, _, _, s in parts], axis=1),
            np.concatenate([a / s[:, None] for _, a, _, s in parts], axis=1),
            np.concatenate([b / s[:, None] for _, _, b, s in parts], axis=1),
        )

    def weights(self, misread: Array) -> Array:
        """(n, m) of the robust estimator."""
        return WEIGHTS[self.robust](misread)


def _constant_names(constants: Sequence[tuple[str, str, Array]]) -> list[str]:
    return [
        f"{name}.{constant}" + (f".{'xyz'[k]}" if len(values) > 1 else "")
        for name, constant, values in constants
        for k in range(len(values))
    ]


def _answer(model: Readings, found: Fit, noise: str) -> Calibration:
    n, m = found.rows.misread.shape
    prior = model.known * (model.begin - found.z)
    freedom = n * m - 6 * n - found.spectrum.rank + int((model.known > 0.0).sum())
    chi = float((found.weights * found.rows.misread**2).sum() + (prior**2).sum())
    if noise == "estimated" and freedom <= 0:
        raise InputError("noise", noise, "needs more readings than unknowns")
    factor = 1.0 if noise == "given" else float(np.sqrt(chi / freedom))
    factor *= efficiency(model.robust, found.rows.misread, freedom)
    covariance = factor**2 * found.spectrum.covariance()
    sigma = np.where(found.spectrum.seen, np.sqrt(np.diagonal(covariance)), np.inf)
    widths = {"actuator": model.spread} | {
        name: sensor.spread() for name, (sensor, _) in model.measured.items()
    }
    cuts = np.cumsum([len(s) for s in widths.values()])[:-1]
    parts = np.split(found.rows.misread, cuts, axis=1)
    weights = np.split(found.weights, cuts, axis=1)
    return Calibration(
        platform=model.machine_at(found.z),
        sensors=model.sensors(found.z),
        names=model.names,
        units=model.units,
        nominal=model.begin,
        value=found.z,
        sigma=sigma,
        covariance=covariance,
        pose=found.pose,
        residual={name: r * s for (name, s), r in zip(widths.items(), parts, strict=True)},
        weight=dict(zip(widths, weights, strict=True)),
        chi_square=chi,
        freedom=freedom,
        noise=1.0 if noise == "given" else factor,
        robust=model.robust,
        spectrum=found.spectrum,
        steps=found.steps,
        settled=found.settled,
    )
