"""Designs of which none tried is better in every objective: the front found by a search, and what it proves.

    x dominates y      no objective of x is worse than that of y, and one is better
    front found        the feasible designs tried that no other one tried dominates
The search is NSGA-II (Deb, Pratap, Agarwal, Meyarivan 2002, as in pymoo) with a fixed seed; a generation is judged in
one call (design/evaluation.py).  A design that breaks a constraint, or cannot be built or do the task, is never on the
front.  Nothing is proved of designs that were not tried: a longer search may find better ones everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError
from gough.design.metrics import METRICS
from gough.design.optimization import UNBUILT, Design, DesignProblem, judge_many, reasons
from gough.extras import need
from gough.frozen import hinted
from gough.model import Platform
from gough.model.body import collected_warnings

SMALLEST = 12  # designs of a generation


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Front:
    """What a search found.

    designs      nondominated among all feasible designs tried, by the first objective, best first
    others       the other feasible designs tried;  evaluations: all designs tried;  reasons: why none is feasible
    hypervolume  after each generation: share of the box between `best` and `worst` that the designs tried until then
                 dominate, 0 to 1;  it says how the search went on, not how near its end is
    best, worst  of each objective over all feasible designs tried, one by one
    """

    problem: DesignProblem
    designs: tuple[Design, ...]
    others: tuple[Design, ...]
    evaluations: int
    reasons: tuple[str, ...]
    hypervolume: tuple[float, ...]
    best: dict[str, float]
    worst: dict[str, float]

    @property
    def feasible(self) -> bool:
        """A design that keeps all constraints was found."""
        return bool(self.designs)

    def machine(self, number: int) -> Platform:
        """The machine of a design of the front."""
        with collected_warnings():
            return self.problem.machine.build(self.designs[number].parameters)

    def values(self, designs: tuple[Design, ...]) -> Array:
        """(n, objectives) of some designs."""
        rows = [[d.metrics[name] for name in self.problem.objectives] for d in designs]
        return np.array(rows).reshape(-1, len(self.problem.objectives))

    def sentence(self) -> str:
        """What was found, and that it is no proof."""
        count = len(self.designs)
        if not count:
            return f"no feasible design in {self.evaluations} tried: " + "; ".join(self.reasons)
        names = ", ".join(self.problem.objectives)
        one = "design" if count == 1 else "designs"
        return (
            f"front found: {count} {one} of {self.evaluations} tried that no other one tried betters in "
            f"{names} together; of designs not tried nothing is proved"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        fields = ("parameters", "metrics")
        said = {"feasible": self.feasible, "reasons": list(self.reasons), "said": self.sentence()}
        effort = {"evaluations": self.evaluations, "hypervolume": list(self.hypervolume)}
        ends = {"best": self.best, "worst": self.worst, "units": self.problem.units}
        rows = [{name: getattr(d, name) for name in fields} for d in self.designs]
        return said | {"objectives": list(self.problem.objectives), "designs": rows} | ends | effort


def nondominated(costs: Array) -> NDArray[np.bool_]:
    """(n,) which rows (n, m), all wanted small, no other row dominates; equal rows do not dominate each other."""
    order = np.lexsort(costs.T[::-1])
    keep: list[int] = []
    for (
        i
    ) in order.tolist():  # a row is dominated by earlier ones alone, and then by one that is kept
        kept = costs[keep]
        beaten = (kept <= costs[i]).all(axis=1) & (kept < costs[i]).any(axis=1)
        if not beaten.any():
            keep.append(i)
    out = np.zeros(len(costs), dtype=bool)
    out[keep] = True
    return out


def find_front(
    problem: DesignProblem, progress: Callable[[int, int, int], Any] | None = None
) -> Front:
    """Search for designs that no other betters in all `objectives` together; needs the extra `pareto` (pymoo).

    progress  called with the generation, of how many, and the number of designs on the front so far
    """
    if len(problem.objectives) < 2:
        allowed = "must name two metrics at least; `optimize` serves one, and weighted sums"
        raise InputError("objectives", list(problem.objectives), allowed)
    need("pymoo")
    low, high = np.array(list(problem.ranges.values())).T
    search = _Search(problem, len(low))
    tried: list[list[Design]] = []
    while search.goes_on():
        u = search.asked()
        found = judge_many(problem, low + np.clip(u, 0.0, 1.0) * (high - low), {})
        search.tell(found)
        tried.append(found)
        if progress is not None:
            feasible = [d for part in tried for d in part if _feasible(d)]
            count = int(nondominated(costs_of(problem, feasible)).sum()) if feasible else 0
            progress(len(tried), problem.generations, count)
    return _front(problem, tried)


class _Search:
    """NSGA-II asked for generations and told what became of them; parameters in the unit cube."""

    def __init__(self, problem: DesignProblem, width: int) -> None:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem

        self.problem = problem
        size = max(problem.population * width, SMALLEST)
        rng = np.random.default_rng(problem.seed)
        first = np.vstack([np.full((1, width), 0.5), rng.random((size - 1, width))])
        shape: dict[str, Any] = {
            "n_obj": len(problem.objectives),
            "n_ieq_constr": 1 + len(problem.constraints),
        }
        self.posed = Problem(n_var=width, xl=np.zeros(width), xu=np.ones(width), **shape)
        how: dict[str, Any] = {"pop_size": size, "sampling": first}
        self.algorithm = NSGA2(**how)
        end = ("n_gen", max(problem.generations, 1))
        self.algorithm.setup(self.posed, termination=end, seed=problem.seed, verbose=False)

    def goes_on(self) -> bool:
        return bool(self.algorithm.has_next())

    def asked(self) -> Array:
        """(n, parameters) the next generation."""
        self.asked_for: Any = self.algorithm.ask()
        return np.asarray(self.asked_for.get("X"), dtype=np.float64)

    def tell(self, designs: list[Design]) -> None:
        """Objectives wanted small, and the violations of all constraints (first: that it is built at all)."""
        from pymoo.core.evaluator import Evaluator
        from pymoo.problems.static import StaticProblem

        built = np.array([bool(d.metrics) for d in designs])
        F = np.zeros((len(designs), len(self.problem.objectives)))
        F[built] = costs_of(self.problem, [d for d in designs if d.metrics])
        names = self.problem.constraints
        broken = np.array([[d.violations.get(name, 0.0) for name in names] for d in designs])
        G = np.column_stack([np.where(built, 0.0, UNBUILT), broken.reshape(len(designs), -1)])
        Evaluator().eval(StaticProblem(self.posed, F=F, G=G), self.asked_for)
        self.algorithm.tell(infills=self.asked_for)


def costs_of(problem: DesignProblem, designs: list[Design]) -> Array:
    """(n, objectives) of designs with metrics, all wanted small: those wanted large with the other sign."""
    sign = [_sign(name) for name in problem.objectives]
    rows = [[d.metrics[name] for name in problem.objectives] for d in designs]
    return np.array(rows).reshape(-1, len(sign)) * sign


def _feasible(design: Design) -> bool:
    return bool(design.metrics) and not design.violations


def _front(problem: DesignProblem, tried: list[list[Design]]) -> Front:
    everything = [d for part in tried for d in part]
    born = np.repeat(np.arange(len(tried)), [len(part) for part in tried])
    fine = np.array([_feasible(d) for d in everything], dtype=bool)
    feasible = [d for d, ok in zip(everything, fine, strict=True) if ok]
    if not feasible:
        nearest = min(everything, key=lambda d: d.cost)
        failures = Counter(d.reason for d in everything if d.reason)
        why = reasons(problem, nearest, failures)
        return Front(problem, (), (), len(everything), why, (0.0,) * len(tried), {}, {})
    C, born = costs_of(problem, feasible), born[fine]
    on = nondominated(C)
    _, first = np.unique(C, axis=0, return_index=True)  # designs tried twice count once
    once = np.isin(np.arange(len(C)), first)
    order = [i for i in np.lexsort(C.T[::-1]).tolist() if on[i] and once[i]]
    designs = tuple(feasible[i] for i in order)
    others = tuple(feasible[i] for i in np.nonzero(~on)[0].tolist())
    ends = C.min(axis=0), C.max(axis=0)
    grown = tuple(_hypervolume(C[born <= k], *ends) for k in range(len(tried)))
    best, worst = (
        {name: float(_sign(name) * x) for name, x in zip(problem.objectives, end, strict=True)}
        for end in ends
    )
    return Front(problem, designs, others, len(everything), (), grown, best, worst)


def _sign(name: str) -> float:
    return 1.0 if METRICS[name].wish == "small" else -1.0


def _hypervolume(costs: Array, best: Array, worst: Array) -> float:
    """Share of the box from `best` to `worst` that the rows dominate; a side without width counts as whole."""
    from pymoo.indicators.hv import HV

    wide = worst > best
    if not len(costs):
        return 0.0
    if not wide.any():
        return 1.0
    scaled = (costs[:, wide] - best[wide]) / (worst - best)[wide]
    if scaled.shape[1] == 1:
        return float(1.0 - scaled.min())
    found: Any = HV(ref_point=np.ones(scaled.shape[1]))(scaled[nondominated(scaled)])
    return float(found)
