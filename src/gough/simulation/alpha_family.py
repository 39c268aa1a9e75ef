"""Constrained mechanical systems of index 3 and their integration by the generalized-alpha family.

A system has a configuration q (an array; rotations as quaternions), n speeds v and m constraints:

    M(q) vd + Phi_q^T lambda = f(q, v, t),    Phi(q, t) = 0

`integrate` steps it with the generalized-alpha method on the Lie group (increments ``q -> q o exp(dx)``): the
balance and ``Phi = 0`` hold at the end of every step, by Newton iteration with the matrix

    [ M + g D   Phi_q^T ] [ d vd     ]     [ balance  ]
    [ Phi_q     0       ] [ d lambda ] = - [ Phi / b  ]      g = h gamma', b = h^2 beta'

whose entries do not depend on the step's size.  HHT-alpha is the member ``alpha_m = 0, alpha_f = -alpha``.
Sources: [Negrut2007] for HHT on index-3 equations; [Bruls2010] for the Lie-group form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, InputError, number
from gough.status import OK, Status


class ConstrainedSystem(Protocol):
    """What the integrator asks of a machine; see the module's equations."""

    @property
    def size(self) -> tuple[int, int]:
        """Numbers n of speeds and m of constraints."""
        ...

    def mass(self, q: Array) -> Array: ...
    def force(self, q: Array, v: Array, t: float) -> Array: ...
    def damping(self, q: Array, v: Array, t: float) -> Array | None:
        """``-df/dv`` (n, n), or a part of it that is stiff, or None."""
        ...

    def constraint(self, q: Array, t: float) -> Array: ...
    def jacobian(self, q: Array, t: float) -> Array: ...
    def constraint_rate(self, t: float) -> Array:
        """``Phi_t`` (m,)."""
        ...

    def gamma(self, q: Array, v: Array, t: float) -> Array:
        """Right side of ``Phi_q vd = gamma``."""
        ...

    def retract(self, q: Array, dx: Array) -> Array:
        """The configuration displaced by `dx` (n,), measured like v."""
        ...

    def blocks(self) -> list[NDArray[np.intp]] | None:
        """Index sets into (v, lambda) that couple only through the indices left over (an arrow), or None."""
        ...


@dataclass(frozen=True)
class Method:
    """A member of the generalized-alpha family: integrators/hht.py, integrators/generalized_alpha.py."""

    name: str
    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float


@dataclass(frozen=True)
class Newton:
    """Stopping rule: balance below `force` of its largest term, constraints below `constraint` (m, rad)."""

    force: float = 1e-10
    constraint: float = 1e-12
    iterations: int = 25


@dataclass(eq=False)
class DaeRun:
    """Samples of an integration, first axis time.

    q, v, vd, multiplier   configuration, speeds, accelerations, multipliers
    iterations (steps,)    Newton iterations;  residual: largest ``|Phi|`` left at each sample
    velocity_residual      largest ``|Phi_q v + Phi_t|`` at each sample: the drift of the hidden constraint
    status                 how the run ended, with the time if that was early
    """

    time: Array
    q: Array
    v: Array
    vd: Array
    multiplier: Array
    iterations: Array
    residual: Array
    velocity_residual: Array
    status: Status = OK

    @property
    def ok(self) -> bool:
        """The run reached its end."""
        return self.status.ok


@dataclass
class _Point:
    """One instant; `a` is the method's auxiliary acceleration."""

    q: Array
    v: Array
    vd: Array
    a: Array
    multiplier: Array
    t: float
    iterations: int = 0


def kkt(
    M: Array, Phi: Array, force: Array, gamma: Array, blocks: list[NDArray[np.intp]] | None = None
) -> tuple[Array, Array]:
    """Solve ``[M Phi^T; Phi 0] (vd, lambda) = (force, gamma)``; `blocks` as in `ConstrainedSystem.blocks`."""
    n, m = M.shape[0], Phi.shape[0]
    K = np.zeros((n + m, n + m))
    K[:n, :n], K[n:, :n], K[:n, n:] = M, Phi, Phi.T
    right = np.concatenate([force, gamma])
    x = arrow_solve(K, right, blocks or [])
    return x[:n], x[n:]


def arrow_solve(K: Array, right: Array, blocks: list[NDArray[np.intp]]) -> Array:
    """``K x = right`` where the index sets `blocks` meet only in the indices left over (an arrow)."""
    outside = np.ones(len(right), dtype=bool)
    for block in blocks:
        outside[block] = False
    center = np.flatnonzero(outside)
    C, r = K[np.ix_(center, center)], right[center]
    tables = []
    for size in sorted({len(block) for block in blocks}):
        rows = np.array([block for block in blocks if len(block) == size])
        sides = np.concatenate([K[rows[:, :, None], center], right[rows][..., None]], axis=-1)
        table = np.linalg.solve(K[rows[:, :, None], rows[:, None, :]], sides)
        back = (K[center[None, :, None], rows[:, None, :]] @ table).sum(axis=0)
        C, r = C - back[:, :-1], r - back[:, -1]
        tables.append((rows, table))
    x = np.empty(len(right))
    x[center] = np.linalg.solve(C, r)
    for rows, table in tables:
        x[rows] = table[..., -1] - table[..., :-1] @ x[center]
    return x


def accelerations(system: ConstrainedSystem, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """``vd`` and multipliers that satisfy balance and second derivative of the constraints."""
    M, Phi = system.mass(q), system.jacobian(q, t)
    return kkt(M, Phi, system.force(q, v, t), system.gamma(q, v, t), system.blocks())


def consistent(
    system: ConstrainedSystem, q: Array, v: Array | None, t: float, tolerance: float = 1e-13
) -> tuple[Array, Array]:
    """Nearest configuration with ``Phi = 0`` and nearest speeds with ``Phi_q v = -Phi_t``.

    Nearest in the kinetic metric: as little mass as possible is moved; v None means as slow as possible.
    """
    for _ in range(30):
        Phi = system.constraint(q, t)
        if not np.isfinite(Phi).all():
            break
        if np.abs(Phi).max() <= tolerance:
            return q, project_speeds(system, q, v, t)
        n = system.size[0]
        dx, _ = kkt(_metric(system, q), system.jacobian(q, t), np.zeros(n), -Phi, system.blocks())
        q = system.retract(q, dx)
    worst = float(np.abs(system.constraint(q, t)).max())
    if np.isfinite(worst) and worst <= 1e3 * tolerance:
        return q, project_speeds(system, q, v, t)
    allowed = "must be near a configuration that closes every joint"
    raise InputError("state", f"constraint error {worst:.3g}", allowed)


def _metric(system: ConstrainedSystem, q: Array) -> Array:
    """Mass matrix with massless freedoms given a small weight, so that projections stay regular."""
    M = system.mass(q)
    return M + 1e-9 * np.trace(M) / len(M) * np.eye(len(M))


def project_speeds(system: ConstrainedSystem, q: Array, v: Array | None, t: float) -> Array:
    """Speeds nearest to v (kinetic metric) with ``Phi_q v = -Phi_t``."""
    n = system.size[0]
    v = np.zeros(n) if v is None else v
    Phi = system.jacobian(q, t)
    gap = -system.constraint_rate(t) - Phi @ v
    return v + kkt(_metric(system, q), Phi, np.zeros(n), gap, system.blocks())[0]


def integrate(
    system: ConstrainedSystem,
    q: Array,
    v: Array,
    *,
    duration: float,
    step: float,
    start: float = 0.0,
    method: Method | None = None,
    project: bool = False,
    newton: Newton | None = None,
    progress: Callable[[float], None] | None = None,
) -> DaeRun:
    """Step the system from (q, v), taken as they are: see `consistent` for a consistent start.

    project  after each step, project the speeds on ``Phi_q v = -Phi_t`` and take accelerations and multipliers
             from the bordered system there: all of them then converge with order 2 from the first step on.
             Else only ``Phi = 0`` is imposed: the hidden constraint is met to second order, and multipliers
             carry a first-order error that dies out in the first steps
    """
    h = number("step", step, above=0.0)
    steps = round(number("duration", duration, above=0.0) / h)
    if steps < 1 or abs(steps * h - duration) > 1e-9 * duration + 1e-12:
        raise InputError("step", step, "must divide the duration")
    if method is None:
        from gough.simulation.integrators.hht import hht

        method = hht()
    rule = newton or Newton()
    vd, multiplier = accelerations(system, q, v, start)
    points = [_Point(q, v, vd, vd, multiplier, start)]
    status = OK
    for k in range(steps):
        following = _step(system, points[-1], start + (k + 1) * h, h, method, rule)
        if isinstance(following, Status):
            status = Status(following.code, f"stopped at t = {points[-1].t:.6g} s: {following}")
            break
        if project:
            q, t = following.q, following.t
            v = following.v = project_speeds(system, q, following.v, t)
            following.vd, following.multiplier = accelerations(system, q, v, t)
        points.append(following)
        if progress is not None:
            progress((k + 1) / steps)
    return _collect(system, points, status)


def _step(
    system: ConstrainedSystem, now: _Point, t: float, h: float, m: Method, rule: Newton
) -> _Point | Status:
    """One step by Newton's method from the present accelerations; a sentence where it fails."""
    share = (1 - m.alpha_f) / (1 - m.alpha_m)
    b, g = h * h * m.beta * share, h * m.gamma * share
    vd, multiplier = now.vd.copy(), now.multiplier.copy()
    size = error = scale = previous = np.inf
    for iteration in range(1, rule.iterations + 1):
        a = ((1 - m.alpha_f) * vd + m.alpha_f * now.vd - m.alpha_m * now.a) / (1 - m.alpha_m)
        dx = h * now.v + h * h * ((0.5 - m.beta) * now.a + m.beta * a)
        v = now.v + h * ((1 - m.gamma) * now.a + m.gamma * a)
        q = system.retract(now.q, dx)
        M, Phi_q = system.mass(q), system.jacobian(q, t)
        f, Phi = system.force(q, v, t), system.constraint(q, t)
        reaction, inertia = Phi_q.T @ multiplier, M @ vd
        balance = inertia + reaction - f
        size, error = float(np.abs(balance).max()), float(np.abs(Phi).max())
        if not np.isfinite(size) or not np.isfinite(error):
            return Status("diverged", "the state is not finite any more")
        scale = max(float(np.abs(f).max()), float(np.abs(reaction).max()), 1e-12)
        if size <= rule.force * scale and error <= rule.constraint:
            return _Point(q, v, vd, a, multiplier, t, iteration)
        floor = error <= 10 * rule.constraint and 0.5 * previous <= size <= 1e-7 * scale
        if iteration > 8 and floor:  # rounding keeps it from getting any better
            return _Point(q, v, vd, a, multiplier, t, iteration)
        previous = size
        D = system.damping(q, v, t)
        K = M if D is None else M + g * D
        try:
            dvd, dmultiplier = kkt(K, Phi_q, -balance, -Phi / b, system.blocks())
        except np.linalg.LinAlgError:
            return Status("singular", "the constraints are dependent (singular configuration)")
        vd, multiplier = vd + dvd, multiplier + dmultiplier
    left = f"balance {size:.2g}, constraint {error:.2g}"
    return Status("no-convergence", f"Newton's method did not converge ({left})")


def _collect(system: ConstrainedSystem, points: list[_Point], status: Status) -> DaeRun:
    position = [system.constraint(p.q, p.t) for p in points]
    hidden = [system.jacobian(p.q, p.t) @ p.v + system.constraint_rate(p.t) for p in points]
    names = ("t", "q", "v", "vd", "multiplier")
    kept = [np.array([getattr(p, name) for p in points]) for name in names]
    iterations = np.array([p.iterations for p in points[1:]])
    worst = [np.abs(np.array(gap)).max(axis=1) for gap in (position, hidden)]
    return DaeRun(*kept, iterations, *worst, status)  # type: ignore[arg-type]
