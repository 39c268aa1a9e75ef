"""Taylor models of motions: every kind encloses its own dense samples, and planted errors do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import gough
from gough import taylor
from gough import trajectory as tr
from gough.trajectory import bounds
from gough.trajectory.bounds import gives_bounds, motion_model, pieces

ROUNDING = 1e-12  # of the samples themselves
NAMES = bounds.MotionModel._fields


@dataclass(frozen=True, eq=False)
class Unknown(tr.Trajectory):
    """A kind that the library does not know."""

    inner: tr.Trajectory

    @property
    def duration(self) -> float:  # type: ignore[override]
        return self.inner.duration

    def evaluate(self, t: np.ndarray) -> gough.Motion:
        return self.inner.evaluate(t)


def _pose(rng: np.random.Generator) -> tuple[list[float], list[float]]:
    position = rng.uniform(-0.1, 0.1, 3) + np.array([0.0, 0.0, 1.0])
    return position.tolist(), rng.uniform(-0.5, 0.5, 3).tolist()


def _harmonic(rng: np.random.Generator, orientation: str) -> tr.Trajectory:
    A, phase = rng.uniform(-0.2, 0.2, (3, 6)), rng.uniform(0.0, 6.0, (3, 6))
    return tr.harmonic(_pose(rng), A, [0.3, 0.7, 1.1], phase, duration=5.0, orientation=orientation)


def _waypoints(rng: np.random.Generator) -> tr.Trajectory:
    poses = [gough.Pose.from_rpy(*_pose(rng)) for _ in range(6)]
    return tr.waypoints(poses, 0.7 * np.arange(6.0))


def _jerk_limited(rng: np.random.Generator) -> tr.Trajectory:
    turning = {"max_rate": 1.0, "max_angular_acceleration": 4.0, "max_angular_jerk": 20.0}
    limits = {"max_speed": 0.3, "max_acceleration": 1.0, "max_jerk": 5.0}
    return tr.jerk_limited(_pose(rng), _pose(rng), **limits, **turning)


MADE: dict[str, Callable[[np.random.Generator], tr.Trajectory]] = {
    "hold": lambda r: tr.hold(_pose(r), 2.0),
    "harmonic, rpy": lambda r: _harmonic(r, "rpy"),
    "harmonic, vector": lambda r: _harmonic(r, "vector"),
    "acceleration about y": lambda r: tr.acceleration_profile(_pose(r), "ry", 3.0, 1.0),
    "acceleration along y": lambda r: tr.acceleration_profile(_pose(r), "y", 3.0, 1.0),
    "line, rpy": lambda r: tr.line(_pose(r), _pose(r), 3.0),
    "line, geodesic": lambda r: tr.line(_pose(r), _pose(r), 3.0, orientation="geodesic"),
    "trigonometric": lambda r: tr.trigonometric(_pose(r), _pose(r), 2.0),
    "quintic": lambda r: tr.quintic(_pose(r), _pose(r), 2.0, orientation="geodesic"),
    "uniform": lambda r: tr.uniform(_pose(r), _pose(r), 2.0),
    "jerk limited": _jerk_limited,
    "waypoints": _waypoints,
    "there and back": lambda r: tr.there_and_back(_pose(r), _pose(r), 1.5),
    "sea": lambda r: tr.sea_state(_pose(r), 0.1, 4.0, duration=20.0),
    "shaking": lambda r: tr.shaking(_pose(r), 0.01 * np.arange(50), r.normal(size=(50, 3))),
    "screw": lambda r: tr.quintic(_pose(r), _pose(r), 2.0, orientation="screw"),
    "sweep along z": lambda r: tr.sweep(_pose(r), "z", 3.0, 1.0, 8.0, 6.0),
    "sweep about x, falling": lambda r: tr.sweep(
        _pose(r), "rx", 0.2, 4.0, 1.0, 6.0, spacing="linear", controlled="displacement", fade=1.0
    ),
    "sweep at one frequency": lambda r: tr.sweep(_pose(r), "y", 1.0, 2.0, 2.0, 3.0, fade=0.0),
    "retimed sweep": lambda r: tr.retimed(tr.sweep(_pose(r), "z", 1.0, 1.0, 3.0, 4.0), 3.0),
    "retimed spline": lambda r: tr.retimed(_waypoints(r), 4.0, profile="quintic"),
    "retimed sequence": lambda r: tr.retimed(tr.there_and_back(_pose(r), _pose(r), 1.0), 3.0),
}


def enclosed(path: tr.Trajectory) -> bool:
    """Dense samples of every interval lie in the models."""
    edges = pieces(path)
    t, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    model = motion_model(path, t, half)
    assert model is not None
    tau = np.linspace(-0.999999, 0.999999, 21)
    motion = path(t + tau[:, None] * half)
    for name in NAMES:
        value, off = getattr(model, name).at(tau)
        true = np.broadcast_to(getattr(motion, name), value.shape)
        if not (np.abs(value - true) <= off + ROUNDING).all():
            return False
    return True


@pytest.mark.parametrize("kind", MADE)
def test_every_kind_encloses_its_samples(kind: str) -> None:
    path = MADE[kind](np.random.default_rng(7))
    assert gives_bounds(path)
    assert enclosed(path)


def test_remainders_shrink_with_the_interval() -> None:
    """Half the interval: the remainder falls by 2^5 but for rounding."""
    path = MADE["harmonic, vector"](np.random.default_rng(3))
    t = np.array([2.0])
    wide, thin = (motion_model(path, t, np.array([h])) for h in (0.02, 0.01))
    assert wide is not None
    assert thin is not None
    ratio = wide.rotation.r.max() / thin.rotation.r.max()
    assert 25.0 < ratio < 40.0


def test_a_part_without_bounds_leaves_the_whole_without() -> None:
    rng = np.random.default_rng(5)
    start = _pose(rng)
    unknown = Unknown(tr.hold(start, 1.0))
    assert not gives_bounds(unknown)
    assert not gives_bounds(tr.sequence(tr.hold(start, 1.0), unknown))
    assert not gives_bounds(tr.retimed(unknown, 2.0))


def _no_series_end(f: taylor.Model, series: np.ndarray, beyond: np.ndarray) -> taylor.Model:
    return _WHOLE(f, series, 0.0 * beyond)


_WHOLE = taylor.composed


def test_planted_errors_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taylor's remainder left out; a sine's remainder of the wrong order; axes of the wrong side."""
    path = MADE["harmonic, rpy"](np.random.default_rng(7))
    with monkeypatch.context() as m:
        m.setattr(taylor, "composed", _no_series_end)
        m.setattr(taylor.Model, "deviation", lambda self: 0.0 * self.r)
        turn = MADE["line, rpy"](np.random.default_rng(7))
        assert not enclosed(turn)
    with monkeypatch.context() as m:
        sines = bounds.sines
        m.setattr(bounds, "sines", lambda A, w, ph, t, h: sines(A, 0.999 * w, ph, t, h))
        assert not enclosed(path)
    with monkeypatch.context() as m:
        m.setattr(bounds, "_behind", lambda R0, found: found)
        assert not enclosed(MADE["waypoints"](np.random.default_rng(7)))
