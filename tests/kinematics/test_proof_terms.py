"""The numbers of a proof of one root by another road: the seven equations in (v, w, g0) written out in NumPy.

They are quadratic, so that their second derivatives are constant and differences give them exactly; the inverse is
NumPy's of the whole 7x7 Jacobian, Study condition included, which the program never forms.  Sizes of the legs' terms,
by which the rounding is bounded, are those of test_proof_sizes.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from gough.checks import Array
from gough.kinematics.assembly.leg_equations import LEG, Leg
from gough.kinematics.assembly.proof_program import (
    PROOF,
    QUESTION,
    ROUNDINGS,
    _FarSizes,
    _proof,
    _Sizes,
)

V, W, G0 = slice(0, 3), slice(3, 6), 6
SIZES = [(1.0, 1.0), (30.0, 0.2), (0.05, 0.3), (0.4, 40.0)]  # of v and of w


class Case(NamedTuple):
    """Six legs (LEG.size each) and a point, y = (v, w, g0) with g0 = -v.w."""

    legs: Array
    y: Array

    def conditions(self, y: Array) -> Array:
        """The five differences, the last leg with 2 rho, and the Study condition."""
        v, w, sigma = y[V], y[W], -y[G0]
        phi = []
        for leg in self.legs:
            d, m, K = leg[LEG.d], leg[LEG.m], complex(*leg[LEG.K])
            c, n = d @ v, d + np.cross(m, v)
            phi.append(n @ (n / 2 - 2 * w) + c * (c / 2 - 2 * sigma) - K * (1 + v @ v) / 2)
        last = phi[-1] + 2 * (sigma * sigma + w @ w)
        return np.array([*(x - phi[-1] for x in phi[:-1]), last, y[G0] + v @ w])

    def slopes(self, y: Array) -> Array:
        """(7, 7) by central differences, which are exact for what is quadratic."""
        return np.array(
            [(self.conditions(y + e) - self.conditions(y - e)) / 2 for e in np.eye(7)]
        ).T

    def bends(self) -> Array:
        """(7, 7, 7): of each condition, twice differentiated."""
        zero = np.zeros(7, dtype=complex)
        apart = [self.slopes(zero + e) - self.slopes(zero) for e in np.eye(7)]
        return np.moveaxis(np.array(apart), 0, -1)

    def told(self, unit: float) -> Array:
        """Rows of PROOF."""
        x = np.zeros(QUESTION.size)
        x[QUESTION.v], x[QUESTION.w] = self.y[V].view(float), self.y[W].view(float)
        x[QUESTION.legs], x[QUESTION.unit] = self.legs.ravel(), unit
        return np.array(_proof(list(x)), dtype=float)


def made(seed: int, long: float, far: float) -> Case:
    """A point with |v| about `long` and |w| about `far`, complex, and legs of any K."""
    rng = np.random.default_rng(seed)
    v, w = (rng.normal(size=3) + 1j * rng.normal(size=3) for _ in range(2))
    v, w = long * v, far * w
    return Case(rng.normal(size=(6, LEG.size)), np.array([*v, *w, -(v @ w)]))


def weights(y: Array) -> Array:
    """wv of the three of v, wg of the others."""
    wv = max(1.0, np.abs(y[V]).max())
    wg = max(np.abs(y[G0]), np.abs(y[W]).max()) + 1e-8 * wv
    return np.array([wv] * 3 + [wg] * 4)


def bounds(case: Case) -> tuple[Array, Array, Array]:
    """Sizes of the six conditions, of their gradients and of their second derivatives."""
    s = weights(case.y)
    norms = [float(np.linalg.norm(case.y[part])) for part in (V, W)]
    own = [_Sizes(Leg(list(leg)), *norms, s[0], s[-1]) for leg in case.legs]
    far = _FarSizes(*norms, s[0], s[-1])
    parts = ("value", "gradient", "bend")
    found = [
        [getattr(leg, part) + getattr(own[-1], part) for leg in own[:-1]]
        + [getattr(own[-1], part) + getattr(far, part)]
        for part in parts
    ]
    return tuple(np.array(f) for f in found)  # type: ignore[return-value]


def absolute(case: Case, A: Array) -> Array:
    """(7, 6): |B|, and what the Study condition makes of it for g0."""
    B = np.abs(A[:6, :6])
    y = np.abs(case.y)
    return np.vstack([B, np.concatenate([y[W], y[V]]) @ B])


CASES = [made(seed, *sizes) for seed, sizes in enumerate(SIZES * 2)]


@pytest.mark.parametrize("case", CASES)
def test_step_and_bend_without_rounding(case: Case) -> None:
    """eta is the Newton step, kappa the sum of all second derivatives over the unit ball, in the proof's norm."""
    told, s = case.told(0.0), weights(case.y)
    A = np.linalg.inv(case.slopes(case.y))
    step = np.abs(A @ case.conditions(case.y)) / s
    bent = np.einsum("kij,i,j->k", np.abs(np.tensordot(A, case.bends(), 1)), s, s) / s
    assert told[PROOF.eta] == pytest.approx(step.max(), rel=1e-7)
    assert told[PROOF.kappa] == pytest.approx(bent.max(), rel=1e-7)
    assert told[PROOF.delta] == pytest.approx(0.0, abs=1e-7)
    assert told[PROOF.wv] == pytest.approx(s[0], rel=1e-12)
    assert told[PROOF.wg] == pytest.approx(s[-1], rel=1e-12)
    spread = absolute(case, A) @ bounds(case)[0] / s
    rough = absolute(case, A) @ bounds(case)[2] / s
    assert told[PROOF.spread] == pytest.approx(spread.max(), rel=1e-7)
    total = step.sum() + bent.sum() + spread.sum() + rough.sum()
    assert told[PROOF.total] == pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("unit", [1e-2, 1e2])
def test_what_rounding_adds(case: Case, unit: float) -> None:
    """ROUNDINGS units of every size, through |A|: of the step, of the bend, and of the product with the Jacobian."""
    plain, told, s = case.told(0.0), case.told(unit), weights(case.y)
    A = absolute(case, np.linalg.inv(case.slopes(case.y)))
    value, gradient, bend = bounds(case)
    share = unit * ROUNDINGS
    assert told[PROOF.eta] == pytest.approx(
        plain[PROOF.eta] + share * (A @ value / s).max(), rel=1e-7
    )
    assert told[PROOF.kappa] == pytest.approx(
        plain[PROOF.kappa] + share * (A @ bend / s).max(), rel=1e-7
    )
    off = share * (A[:6] @ gradient)
    off = np.append(off, np.abs([*case.y[W], *case.y[V]]) @ off) / s
    assert told[PROOF.delta] == pytest.approx(off.max(), rel=1e-6)
    assert told[PROOF.total] - plain[PROOF.total] == pytest.approx(off.sum(), rel=1e-6)
