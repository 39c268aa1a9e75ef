"""Optimize the dimensions of a platform family for a task.

    cost = sum w x/x0 over metrics wanted small  +  sum w x0/x over metrics wanted large
x0 is the metric's reference: given, or its value in the middle of the ranges.  A design that breaks a constraint
costs 1e6 plus the sum of its relative violations, one that cannot be built or cannot reach the task 1e9, so any
feasible design is better than any other (Deb's rule).  Search: differential evolution with a fixed seed; from its best
design down the slopes of the metrics (descent.py), where machines beside a design cost little (by batch); then
Nelder-Mead, which needs no slopes.  The same file gives the same answer on the same machine.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.design import spec
from gough.design.evaluation import BY_BATCH, evaluate_many, road_of
from gough.design.metric_units import check_given, metric_names, of_metric
from gough.design.metrics import METRICS, Task, need_given
from gough.design.spec import DIMENSIONS, MachineSpec, TaskSpec
from gough.documents.kinds import interval, scalar, whole
from gough.documents.reader import Either, Keyed, Named, Value, need
from gough.extras import package
from gough.frozen import hinted
from gough.model import Platform
from gough.model.body import collected_warnings

BROKEN, UNBUILT = 1e6, 1e9


@hinted
@dataclass(frozen=True, repr=False)
class DesignProblem:
    """What is varied, what is wanted, what must hold.

    ranges       parameter -> (low, high), SI
    weights      metric -> weight;  references: metric -> x0 (optional): for `optimize`
    objectives   metrics instead of weights, each for itself: for `find_front`
    constraints  metric -> (least, most), infinite where open
    """

    machine: MachineSpec
    task: Task
    ranges: dict[str, tuple[float, float]]
    weights: dict[str, float]
    constraints: dict[str, tuple[float, float]] = field(default_factory=dict)
    references: dict[str, float] = field(default_factory=dict)
    seed: int = 0
    generations: int = 40
    population: int = 10
    objectives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.ranges:
            allowed = "must name at least one parameter with its range"
            raise InputError("parameters", "none", allowed)
        if self.weights and self.objectives:
            allowed = "give weights in [objective] or a list of objectives, not both"
            raise InputError("objectives", list(self.objectives), allowed)
        if len(set(self.objectives)) < len(self.objectives):
            raise InputError("objectives", list(self.objectives), "must name each metric once")
        if not self.weights and not self.objectives:
            raise InputError("objective", "none", f"must name at least one of {', '.join(METRICS)}")
        for name, (low, high) in self.ranges.items():
            if name not in self.machine.parameters:
                allowed = f"this machine has {', '.join(self.machine.parameters)}"
                raise InputError(f"parameters.{name}", [low, high], allowed)
            if not low < high:
                allowed = "must be [low, high] with low < high"
                raise InputError(f"parameters.{name}", [low, high], allowed)
        for name in self.metrics:
            if name not in METRICS:
                raise InputError("metric", name, f"must be one of {', '.join(METRICS)}")
        need_given(self.metrics, self.task)
        self.machine.units({name: METRICS[name] for name in self.metrics})

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that are needed."""
        return tuple(dict.fromkeys((*self.weights, *self.objectives, *self.constraints)))

    @property
    def units(self) -> dict[str, str]:
        """Units of the metrics, as this machine has them."""
        return self.machine.units({name: METRICS[name] for name in self.metrics})


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """One design tried: parameters, metrics (empty when it cannot be built), violations, cost."""

    parameters: dict[str, float]
    metrics: dict[str, float]
    violations: dict[str, float]
    cost: float
    reason: str = ""


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """The best design found.

    feasible     all constraints hold;  reasons: sentences when not
    history      best cost after each generation;  evaluations: designs tried
    platform     the machine itself, None when nothing could be built
    road         how designs were computed: "by batch", or why one by one
    kinks        metrics that were found to have no gradient at the best design: their slopes on both sides differ
                 (the largest of several poses or legs changes there); None: not looked for
    units        of the metrics, as this machine has them
    """

    best: Design
    feasible: bool
    reasons: tuple[str, ...]
    history: tuple[float, ...]
    evaluations: int
    references: dict[str, float]
    platform: Platform | None
    road: str = ""
    kinks: tuple[str, ...] | None = None
    units: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        best = {k: getattr(self.best, k) for k in ("parameters", "metrics", "violations", "cost")}
        said = {"feasible": self.feasible, "reasons": list(self.reasons)}
        effort = {"evaluations": self.evaluations, "history": list(self.history)}
        kinks = None if self.kinks is None else list(self.kinks)
        how = {"road": self.road, "kinks": kinks}
        return said | best | {"references": self.references, "units": self.units} | effort | how


def read_problem(path: str | os.PathLike[str]) -> DesignProblem:
    """A problem from a TOML file; the format: docs/design.md."""
    return spec.read_design(path, _FIELDS, _problem)


def _problem(
    machine: MachineSpec,
    task: TaskSpec | None = None,
    parameters: dict[str, Any] | None = None,
    objective: dict[str, Any] | None = None,
    constraints: dict[str, Any] | None = None,
    search: dict[str, int] | None = None,
    objectives: list[str] | None = None,
) -> DesignProblem:
    wishes = objective or {}
    for name, (_, x0) in wishes.items():
        check_given(f"objective.{name}.reference", x0, machine.units({name: METRICS[name]})[name])
    for name, bounds in (constraints or {}).items():
        for side, bound in zip(("min", "max"), bounds, strict=True):
            unit = machine.units({name: METRICS[name]})[name]
            check_given(f"constraints.{name}.{side}", bound, unit)
    return DesignProblem(
        machine,
        Task() if task is None else task.task,
        {name: (low, high) for name, (low, high) in (parameters or {}).items()},
        {name: weight for name, (weight, _) in wishes.items()},
        constraints or {},
        {name: x0 for name, (_, x0) in wishes.items() if x0 is not None},
        **(search or {}),
        objectives=tuple(objectives or ()),
    )


def _wish(name: str) -> Either:
    """A weight, or ``{weight, reference}``."""
    weight = scalar("pure number", above=0)
    fields = {"weight": weight, "reference": of_metric(name)}
    table = Keyed("wish", fields, lambda weight=1.0, reference=None: (weight, reference))
    return Either(table, Value(lambda value: (weight.convert(value), None), {"type": "number"}))


def _bounds(min: float | None = None, max: float | None = None) -> tuple[float, float]:
    if min is None and max is None:
        raise InputError("", {}, "must be { min = ..., max = ... }, one of them at least")
    low, high = -inf if min is None else min, inf if max is None else max
    if not low <= high:
        raise InputError("", [low, high], "must have min <= max")
    return low, high


def _constraint(name: str) -> Keyed[tuple[float, float]]:
    return Keyed("bounds", {"min": of_metric(name), "max": of_metric(name)}, _bounds)


_FIELDS: dict[str, Any] = {
    "machine": need(spec.MACHINE),
    "task": spec.TASK,
    "parameters": Named({name: interval(d, "low", "high") for name, d in DIMENSIONS.items()}),
    "objectives": metric_names(METRICS),
    "objective": Named({name: _wish(name) for name in METRICS}),
    "constraints": Named({name: _constraint(name) for name in METRICS}),
    "search": Keyed("search", dict.fromkeys(("seed", "generations", "population"), whole(0))),
}


def judge(
    problem: DesignProblem, x: Sequence[float] | Array, references: dict[str, float]
) -> Design:
    """Build and score one design."""
    return judge_many(problem, np.asarray(x, dtype=float)[None], references)[0]


def judge_many(problem: DesignProblem, X: Array, references: dict[str, float]) -> list[Design]:
    """Build and score designs, the rows of X (n, parameters): by batch where they can be packed."""
    wanted = {name: METRICS[name] for name in problem.metrics}
    found = evaluate_many(
        problem.machine, dict(zip(problem.ranges, X.T, strict=True)), problem.task, wanted
    )
    return [
        _scored(problem, dict(zip(problem.ranges, x, strict=True)), numbers, why, references)
        for x, numbers, why in zip(X.tolist(), found.numbers.tolist(), found.reasons, strict=True)
    ]


def _scored(
    problem: DesignProblem,
    values: dict[str, float],
    numbers: Sequence[float],
    why: str,
    references: dict[str, float],
) -> Design:
    """A design whose metrics are known, or why it has none."""
    if why:
        return Design(values, {}, {}, UNBUILT, why)
    metrics = dict(zip(problem.metrics, numbers, strict=True))
    violations = {}
    for name, (low, high) in problem.constraints.items():
        gap = max(low - metrics[name], metrics[name] - high, 0.0)
        if gap > 0.0:
            violations[name] = gap / max(abs(low if metrics[name] < low else high), 1e-12)
    if violations:
        return Design(values, metrics, violations, BROKEN + sum(violations.values()))
    return Design(values, metrics, {}, cost_of(problem, metrics, references))


def cost_of(
    problem: DesignProblem, metrics: dict[str, float], references: dict[str, float]
) -> float:
    """The weighted sum; a metric wanted large that is not positive costs as much as a broken constraint."""
    total = 0.0
    for name, weight in problem.weights.items():
        x, x0 = metrics[name], references.get(name, 1.0)
        if METRICS[name].wish == "small":
            total += weight * x / x0
        else:
            total += weight * x0 / x if x > 0.0 else BROKEN / 2
    return total


def optimize(
    problem: DesignProblem, progress: Callable[[int, int, float], Any] | None = None
) -> Optimum:
    """The best design of the family; `progress(generation, of, best cost)` is called after each generation."""
    differential_evolution = package("scipy.optimize").differential_evolution
    minimize = package("scipy.optimize").minimize

    from gough.design.descent import descend, slopes_at

    if not problem.weights:
        allowed = "are several objectives: `find_front` serves them; `optimize` needs weights"
        raise InputError("objectives", list(problem.objectives), allowed)
    road = road_of(problem.machine, problem.task, {name: METRICS[name] for name in problem.metrics})
    low, high = np.array(list(problem.ranges.values())).T
    references = dict(problem.references)
    middle = judge(problem, (low + high) / 2, {})
    for name in problem.weights:
        if name not in references:
            value = middle.metrics.get(name, 1.0)
            references[name] = abs(value) if value else 1.0
    tried, failures = 0, Counter()
    best: Design | None = None
    history: list[float] = []

    def costs(u: Array) -> Array:
        nonlocal tried, best
        found = judge_many(problem, low + np.clip(u.T, 0.0, 1.0) * (high - low), references)
        for design in found:
            tried += 1
            if design.cost >= UNBUILT:
                failures[design.reason] += 1
            if best is None or design.cost < best.cost:
                best = design
        return np.array([design.cost for design in found])

    def cost(u: Array) -> float:
        return float(costs(u[:, None])[0])

    def told(*_: Any, **__: Any) -> bool:
        history.append(best.cost if best else inf)
        if progress is not None:
            progress(len(history), problem.generations, history[-1])
        return False

    n = len(low)
    rng = np.random.default_rng(problem.seed)
    start = np.vstack([np.full((1, n), 0.5), rng.random((max(problem.population * n, 5) - 1, n))])
    bounds, settings = [(0.0, 1.0)] * n, {"polish": False, "updating": "deferred", "tol": 1e-6}
    settings |= {"seed": problem.seed, "init": start}  # SciPy also calls it rng
    settings |= {"vectorized": True, "callback": told}
    differential_evolution(costs, bounds, maxiter=problem.generations, **settings)
    assert best is not None
    if best.cost < UNBUILT:
        u = (np.array(list(best.parameters.values())) - low) / (high - low)
        if road == BY_BATCH:
            tried += descend(problem, references, u, costs)
            u = (np.array(list(best.parameters.values())) - low) / (high - low)
        options = {"maxfev": 60 * n, "xatol": 1e-5, "fatol": 1e-9}
        minimize(cost, u, method="Nelder-Mead", bounds=bounds, options=options)
        told()
    feasible = best.cost < BROKEN / 2
    platform, kinks = None, None
    if best.cost < UNBUILT:
        with collected_warnings():
            platform = problem.machine.build(best.parameters)
        if road == BY_BATCH:
            found = slopes_at(problem, np.array(list(best.parameters.values())))
            pairs = zip(problem.metrics, found.kinks.any(axis=1), strict=True)
            kinks = tuple(name for name, bent in pairs if bent)
    why = () if feasible else reasons(problem, best, failures)
    told_of = (platform, road, kinks, problem.units)
    return Optimum(best, feasible, why, tuple(history), tried, references, *told_of)


def reasons(problem: DesignProblem, best: Design, failures: Counter[str]) -> tuple[str, ...]:
    """Why nothing feasible was found: what the nearest design breaks, or why none could be built."""
    said = []
    for name in best.violations:
        low, high = problem.constraints[name]
        value, unit = best.metrics[name], problem.units[name]
        unit = "" if unit == "1" else f" {unit}"
        side = f"less than {low:.6g}" if value < low else f"more than {high:.6g}"
        said.append(f"{name} is {value:.6g}{unit} in the nearest design, {side}{unit}")
    if not best.metrics:
        for text, count in failures.most_common(3):
            said.append(f"{count} designs failed: {text}")
    return tuple(said) or ("a metric wanted large stays at zero",)
