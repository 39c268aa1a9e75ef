"""How far a sampled loop is from instability, and how it answers: gain, phase, delay and modulus margins, Bode data.

    L(z) = -C (z - A)^-1 B      the loop broken at the machine's input, of the map in one_sample.py
    S    = (I + L)^-1           sensitivity;   T = I - S  complementary sensitivity
Together: the same factor, phase or delay in all six loops; single: in one, the others closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError, array
from gough.control.decentralized import home
from gough.control.one_sample import LinearSample, OneSample
from gough.control.rest_motion import peak
from gough.control.signals import Controller, Sampling
from gough.frozen import hinted
from gough.model import Platform
from gough.spatial import Pose

Complex = NDArray[np.complex128]
FACTORS = np.geomspace(1.0, 1e3, 142)  # tried one after the other, each 5 % further
FREQUENCIES = 500  # of the grid up to half the sampling rate, five decades
EDGE = 1e-6  # relative width to which an edge is closed in


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Margin:
    """Margins of a stable loop; NaN where it is not stable as it is (or not `within`).

    gain_up, gain_down  factors on the loop gain at which it loses stability, the first met when tried in steps of 5 %
                        (an unstable window narrower than that is not seen); inf and 0: none up to 1000, down to 1/1000
    phase     rad, the least lag or lead at unit gain that makes it unstable; inf: the gain passes one at no frequency
              of a grid (passing and returning between two of them is not seen; the delay's likewise)
    delay     s, the least further delay that does, as a phase ``w delay``: exact for whole samples
    modulus   least distance of ``I + L`` from singular, over the frequencies of a grid: 1/largest sensitivity
    """

    gain_up: Array
    gain_down: Array
    phase: Array
    delay: Array
    modulus: Array


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Margins:
    """Margins at each of the poses (...): all six loops `together`, and each `single` one (..., 6).

    radius   largest modulus of the closed loop's poles per sample;  stable  it is below one
    Said of small motions about the pose, of the machine without dry friction, backlash and limits.
    """

    radius: Array
    together: Margin
    single: Margin

    @property
    def stable(self) -> NDArray[np.bool_]:
        """(...)"""
        return np.asarray(self.radius < 1.0)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class FrequencyResponse:
    """The loop at the frequencies `omega` (rad/s), (frequencies, 6, 6) each; N (N m) of the six legs.

    loop         L;   sensitivity  S: from a disturbance of the efforts to the efforts that arrive;
    complementary  T: from noise on the efforts' side to the commands
    compliance   displacement of the platform per wrench on it, world axes per platform axes: m/N, rad/(N m)
    """

    omega: Array
    loop: Complex
    sensitivity: Complex
    complementary: Complex
    compliance: Complex


def margins(
    platform: Platform,
    controller: Controller,
    *,
    sampling: Sampling | None = None,
    poses: Pose | None = None,
    step: float | None = None,
    within: ArrayLike | None = None,
) -> Margins:
    """Stability margins of the loop as it would run, at each of `poses` (default: home).  docs/control.md

    sampling  as of the simulation: rate, delay and observer count;  step  of its integration, s
    within    (6,) m and rad: the gain margins then also end where the bound on what quantization leaves of the motion
              (rest_motion.py) is passed.  Without it quantization changes no margin: the error of a reading is
              bounded, whatever the motion, so that a stable loop stays bounded
    """
    where, seen, room = home(platform, poses), sampling or Sampling(), room_of(within)
    flat = where.position.reshape(-1, 3), where.rotation.reshape(-1, 3, 3)
    every = [
        _margins(OneSample(platform, controller, seen, Pose(t, R), step).linear(), seen, room)
        for t, R in zip(*flat, strict=True)
    ]
    names = [f.name for f in fields(Margin)]

    def of(kind: str, *tail: int) -> Margin:
        parts = {n: np.array([getattr(getattr(m, kind), n) for m in every]) for n in names}
        return Margin(**{n: a.reshape((*where.shape, *tail)) for n, a in parts.items()})

    radius = np.array([m.radius for m in every]).reshape(where.shape)
    return Margins(radius, of("together"), of("single", 6))


def frequency_response(
    platform: Platform,
    controller: Controller,
    omega: ArrayLike,
    *,
    sampling: Sampling | None = None,
    pose: Pose | None = None,
    step: float | None = None,
) -> FrequencyResponse:
    """Open and closed loop at `omega` (rad/s, up to half the sampling rate) about a pose (default: home)."""
    loop = sampled_loop(platform, controller, sampling=sampling, pose=pose, step=step)
    w = np.atleast_1d(array("omega", omega))
    if w.ndim != 1 or not ((w > 0.0) & (w <= np.pi / loop.period)).all():
        allowed = f"must be a list, above 0 and at most pi times the rate, {np.pi / loop.period:g}"
        raise InputError("omega", omega, allowed)
    L = response(loop, w)
    S = sensitivity(L)
    n = len(loop.A)
    z = np.exp(1j * w * loop.period)[:, None, None]
    closed = loop.A + loop.B @ loop.C
    inside = np.linalg.solve(z * np.eye(n) - closed, loop.E[None].astype(complex))
    moved = np.asarray(loop.P @ inside, dtype=np.complex128)
    return FrequencyResponse(w, L, S, np.eye(6) - S, moved)


def sampled_loop(
    platform: Platform,
    controller: Controller,
    *,
    sampling: Sampling | None = None,
    pose: Pose | None = None,
    step: float | None = None,
) -> LinearSample:
    """The loop as an exact linear map from sample to sample about a pose (default: home); see one_sample.py."""
    where = home(platform, pose)
    if where.shape:
        raise InputError("pose", f"batch shape {where.shape}", "must be one pose")
    return OneSample(platform, controller, sampling or Sampling(), where, step).linear()


def radius(loop: LinearSample, gains: Array) -> Array:
    """Largest modulus of the closed loop's poles, with factors (K, 6) on the six loop gains: (K,)."""
    closed = loop.A + (loop.B * gains[:, None, :]) @ loop.C
    return np.abs(np.linalg.eigvals(closed)).max(axis=-1, initial=0.0)


def response(loop: LinearSample, omega: Array) -> Complex:
    """L at frequencies (rad/s), (frequencies, 6, 6)."""
    z = np.exp(1j * omega * loop.period)[:, None, None]
    inside = z * np.eye(len(loop.A)) - loop.A
    solved = np.linalg.solve(inside, loop.B[None].astype(complex))
    return np.asarray(-loop.C @ solved, dtype=np.complex128)


def sensitivity(L: Complex) -> Complex:
    """``(I + L)^-1``"""
    return np.asarray(np.linalg.inv(np.eye(6) + L), dtype=np.complex128)


def room_of(within: ArrayLike | None) -> Array | None:
    """(6,) above zero, or none."""
    if within is None:
        return None
    room = array("within", within, (6,))
    if room.shape != (6,) or not (room > 0.0).all():
        raise InputError("within", within, "must be six numbers above zero")
    return room


def holds(
    loop: LinearSample, gains: Array, sampling: Sampling, room: Array | None
) -> NDArray[np.bool_]:
    """(K,) with factors (K, 6) on the loop gains: it is stable and what quantization leaves stays in its room."""
    stable = np.asarray(radius(loop, gains) < 1.0)
    if room is None:
        return stable
    inside = [bool((peak(loop, sampling, f)[:6] <= room).all()) for f in gains[stable]]
    stable[stable] = inside
    return stable


def _margins(loop: LinearSample, sampling: Sampling, room: Array | None = None) -> Margins:
    now = float(radius(loop, np.ones((1, 6)))[0])
    masks = [np.ones(6), *np.eye(6)]
    if not holds(loop, np.ones((1, 6)), sampling, room)[0]:
        none = [Margin(*(np.full(shape, np.nan) for _ in range(5))) for shape in ((), (6,))]
        return Margins(np.array(now), *none)
    both = FACTORS, 1.0 / FACTORS
    gains = np.array([[edge(loop, mask, f, sampling, room) for f in both] for mask in masks])
    w = _grid(loop)

    def together(omega: Array) -> Complex:
        values = np.asarray(np.linalg.eigvals(response(loop, omega)), dtype=np.complex128)
        return np.take_along_axis(values, np.abs(values).argsort(axis=1), axis=1)

    def single(omega: Array) -> Complex:
        return 1.0 / np.diagonal(sensitivity(response(loop, omega)), axis1=1, axis2=2) - 1.0

    def closest(omega: Array) -> Array:
        S = sensitivity(response(loop, omega))
        largest = np.linalg.svd(S, compute_uv=False)[:, :1]
        one = np.abs(np.diagonal(S, axis1=1, axis2=2))
        return np.asarray(1.0 / np.concatenate([largest, one], axis=1), dtype=np.float64)

    lags = [_lag(*_passes(together, w)[1:])]
    column, angle, at = _passes(single, w)
    lags += [_lag(angle[column == i], at[column == i]) for i in range(6)]
    columns = np.column_stack([gains, lags, _least(closest, w)])
    return Margins(np.array(now), Margin(*columns[0]), Margin(*columns[1:].T))


def edge(
    loop: LinearSample,
    mask: Array,
    factors: Array,
    sampling: Sampling,
    room: Array | None = None,
) -> float:
    """The first of `factors` (from 1 on) on the gains in `mask` at which the loop is unstable, or leaves its room,
    closed in by halves."""

    def unstable(f: Array) -> NDArray[np.bool_]:
        return ~holds(loop, 1.0 + (f[:, None] - 1.0) * mask, sampling, room)

    for first in range(1, len(factors), 16):
        lost = unstable(factors[first : first + 16])
        if lost.any():
            low, high = factors[first + int(lost.argmax()) - 1 : first + int(lost.argmax()) + 1]
            break
    else:
        return np.inf if factors[-1] > 1.0 else 0.0
    while abs(high / low - 1.0) > EDGE:
        middle = np.sqrt(low * high)
        low, high = (low, middle) if unstable(np.array([middle]))[0] else (middle, high)
    return float(low)


def _grid(loop: LinearSample) -> Array:
    """Frequencies up to half the sampling rate, denser about the poles of the open and of the closed loop."""
    top = np.pi / loop.period
    poles = np.concatenate([np.linalg.eigvals(A) for A in (loop.A, loop.A + loop.B @ loop.C)])
    poles = poles[np.abs(poles) > 1e-3]
    turn, width = np.abs(np.angle(poles)) / loop.period, np.abs(np.log(np.abs(poles))) / loop.period
    near = turn[:, None] + np.linspace(-3.0, 3.0, 13) * width[:, None]
    every = np.concatenate([np.geomspace(1e-5 * top, top, FREQUENCIES), near.ravel()])
    return np.unique(every[(every >= 1e-5 * top) & (every <= top)])


def _least(of: Callable[[Array], Array], w: Array) -> Array:
    """The least value of each column over the grid, closed in between its neighbors."""
    values = of(w)
    out = values.min(axis=0)
    for column, at in enumerate(values.argmin(axis=0)):
        fine = np.linspace(w[max(at - 1, 0)], w[min(at + 1, len(w) - 1)], 41)
        out[column] = min(out[column], of(fine)[:, column].min())
    return out


def _passes(of: Callable[[Array], Complex], w: Array) -> tuple[NDArray[np.intp], Array, Array]:
    """Where one of the gains `of` passes one: which, by what angle it misses -1, at which frequency."""
    above = np.abs(of(w)) > 1.0
    at, column = np.nonzero(above[1:] != above[:-1])
    low, high, start = w[at], w[at + 1], above[at, column]

    def gain(omega: Array) -> Complex:
        return of(omega)[np.arange(len(at)), column] if len(at) else np.zeros(0, dtype=complex)

    for _ in range(40):
        middle = np.sqrt(low * high)
        same = (np.abs(gain(middle)) > 1.0) == start
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return column, np.asarray(np.angle(-gain(low)), dtype=np.float64), low


def _lag(angle: Array, omega: Array) -> tuple[float, float]:
    """Phase and delay margin: ``exp(-i phase) gain = -1``."""
    delay = np.mod(angle, 2 * np.pi) / omega
    return float(np.abs(angle).min(initial=np.inf)), float(delay.min(initial=np.inf))
