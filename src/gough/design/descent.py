"""Down the slopes of the metrics: the smooth part of a search for the best design.

Sequential quadratic programming (SLSQP) on cost and constraints, with slopes by machines beside each design
(design/metric_slopes.py), all in one call by batch.  Where a metric has a kink the slopes are none of a gradient and
the way may end early: what is found is judged like any other design, and kept only if it is better.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import isfinite

import numpy as np

from gough.checks import Array
from gough.design.metric_slopes import MetricSlopes, metric_slopes
from gough.design.metrics import METRICS
from gough.design.optimization import DesignProblem
from gough.extras import package

STEPS = 30
INSIDE = 1e-9  # of a constraint's bound: rounding must not break what is met exactly
EXACT = 1e-12  # change of the cost at which it ends


class _NoSlopesError(ArithmeticError):
    """A machine beside a design cannot be built, or a metric wanted large is not positive."""


def slopes_at(problem: DesignProblem, x: Array) -> MetricSlopes:
    """Slopes of the problem's metrics with respect to its parameters at a design, on the scale of their ranges."""
    low, high = np.array(list(problem.ranges.values())).T
    at, scales = (dict(zip(problem.ranges, a.tolist(), strict=True)) for a in (x, high - low))
    wanted = {name: METRICS[name] for name in problem.metrics}
    return metric_slopes(problem.machine, at, scales, problem.task, wanted)


class _Slopes:
    """Cost and constraints with their gradients, in parameters u that go from 0 to 1; each design is asked once."""

    def __init__(self, problem: DesignProblem, references: dict[str, float]) -> None:
        self.problem, self.references, self.tried = problem, references, 0
        self.low, high = np.array(list(problem.ranges.values())).T
        self.width = high - self.low
        self._known: dict[bytes, MetricSlopes] = {}

    def _at(self, u: Array) -> tuple[dict[str, float], dict[str, Array]]:
        u = np.clip(u, 0.0, 1.0)
        found = self._known.get(u.tobytes())
        if found is None:
            found = self._known[u.tobytes()] = slopes_at(self.problem, self.low + u * self.width)
            self.tried += found.tried
        if not np.isfinite(found.slopes).all():
            raise _NoSlopesError
        names = self.problem.metrics
        slopes = dict(zip(names, found.slopes * self.width, strict=True))
        return dict(zip(names, found.values.tolist(), strict=True)), slopes

    def cost(self, u: Array) -> tuple[float, Array]:
        """``w x/x0`` of metrics wanted small, ``w x0/x`` of those wanted large."""
        values, slopes = self._at(u)
        total, gradient = 0.0, np.zeros(len(u))
        for name, weight in self.problem.weights.items():
            x, x0 = values[name], self.references.get(name, 1.0)
            if METRICS[name].wish == "small":
                total, gradient = total + weight * x / x0, gradient + weight / x0 * slopes[name]
            elif x > 0.0:
                total += weight * x0 / x
                gradient = gradient - weight * x0 / x**2 * slopes[name]
            else:
                raise _NoSlopesError
        return total, gradient

    def room(self, u: Array) -> tuple[Array, Array]:
        """Room (k,) to the bounds of the constraints, of their size, and its slopes (k, parameters)."""
        values, slopes = self._at(u)
        room, change = [], []
        for name, bounds in self.problem.constraints.items():
            for bound, sign in zip(bounds, (1.0, -1.0), strict=True):
                if isfinite(bound):
                    size = max(abs(bound), 1e-12)
                    room.append(sign * (values[name] - bound) / size - INSIDE)
                    change.append(sign * slopes[name] / size)
        return np.array(room), np.array(change).reshape(-1, len(u))


def descend(
    problem: DesignProblem,
    references: dict[str, float],
    u: Array,
    costs: Callable[[Array], Array],
) -> int:
    """Go down from u (parameters, 0 to 1) and show where it ended to `costs` (parameters, n); machines computed."""
    minimize = package("scipy.optimize").minimize

    way = _Slopes(problem, references)
    held = [{"type": "ineq", "fun": lambda u: way.room(u)[0], "jac": lambda u: way.room(u)[1]}]
    seen = [u]
    with suppress(_NoSlopesError):  # as far as it comes
        minimize(
            way.cost,
            u,
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(u),
            constraints=held if len(way.room(u)[0]) else [],
            callback=lambda v: seen.append(np.array(v)),
            options={"maxiter": STEPS, "ftol": EXACT},
        )
    costs(np.clip(np.array(seen), 0.0, 1.0).T)
    return way.tried
