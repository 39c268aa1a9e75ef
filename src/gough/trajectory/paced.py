"""A path at a pace given by numbers: what a planner found, as a table in a file.

The speed of the progress, in shares of the path per second, runs straight between given times: piecewise constant
second derivative, as `gough.trajectory.time_optimal` and `gough.analysis.pace_path` make it.  With accelerations at
these times it is a cubic between them, and the acceleration does not jump (`pace_path` with a limit on jerk).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import InputError, array
from gough.trajectory.base import Endpoint, Trajectory
from gough.trajectory.compose import Retimed
from gough.trajectory.optimal import Eased, Stepped, eased
from gough.trajectory.point_to_point import PointToPoint
from gough.trajectory.profile import Uniform
from gough.trajectory.waypoints import check_knots

WHOLE = 1e-9  # of the path: by so much may the speeds lead past its end or not to it


def paced(
    path: Trajectory,
    times: ArrayLike,
    speed: ArrayLike,
    acceleration: ArrayLike | None = None,
) -> Retimed:
    """`path` at the speeds `speed` (n,) of its progress, 1/s, at `times` (n,), s, straight lines between them.

    acceleration  (n,) 1/s^2: slopes of the speed at the times; then it is a cubic between them
    The speeds must lead over the path once: their integral is 1 to 1e-9 (and is then made 1).
    """
    v = array("speed", speed)
    if v.ndim != 1 or (v < 0.0).any():
        raise InputError("speed", speed, "must be a list of numbers that are not negative")
    t = check_knots("times", times, len(v))
    if acceleration is not None:
        a = array("acceleration", acceleration)
        if a.shape != v.shape:
            raise InputError("acceleration", f"shape {a.shape}", "must be as many as the speeds")
        whole = _once(float(eased(t, v, a).progress[-1]))
        return Retimed(path, eased(t, v / whole, a / whole))
    steps = 0.5 * (v[1:] + v[:-1]) * np.diff(t)
    progress = np.concatenate([[0.0], np.cumsum(steps)])
    whole = _once(float(progress[-1]))
    rise = np.diff(v) / np.diff(t)
    return Retimed(path, Stepped(t, progress / whole, v / whole, rise / whole))


def _once(whole: float) -> float:
    if abs(whole - 1.0) > WHOLE:
        raise InputError("speed", f"an integral of {whole:.9g}", "must lead over the path once: 1")
    return whole


def paced_text(parts: Sequence[Trajectory]) -> str:
    """The TOML definition of straight ways (`gough.trajectory.uniform`, geodesic) at their paces, one after another."""
    return "".join(['[trajectory]\nkind = "sequence"\n', *map(_part, parts)])


def _part(part: Trajectory) -> str:
    pace, inner = (part.pace, part.inner) if isinstance(part, Retimed) else (None, None)
    if (
        type(pace) not in (Stepped, Eased)
        or not isinstance(inner, PointToPoint)
        or inner.orientation != "geodesic"
        or not isinstance(inner.translation, Uniform)
        or inner.translation != inner.rotation
    ):
        raise InputError("parts", type(part).__name__, "must be straight ways that were paced")
    assert isinstance(pace, Stepped)
    eases = [f"acceleration = {pace.acceleration.tolist()}"] if isinstance(pace, Eased) else []
    lines = [
        "\n[[trajectory.parts]]",
        'kind = "paced"',
        f"times = {pace.knots.tolist()}",
        f"speed = {pace.speed.tolist()}",
        *eases,
        "[trajectory.parts.path]",
        'kind = "move"',
        'profile = "uniform"',
        'orientation = "geodesic"',
        f"duration = {inner.duration!r}",
        f"start = {_pose(inner.start)}",
        f"end = {_pose(inner.end)}",
    ]
    return "\n".join(lines) + "\n"


def _pose(at: Endpoint) -> str:
    position, turn = at.position.tolist(), at.rotation.tolist()
    return f"{{ position = {position}, rotation = {turn} }}"
