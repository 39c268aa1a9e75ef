"""Efforts over boxes of poses: the exact equations (gough/equations) run on quadratic models (gough/quadratic.py).

A box holds the poses ``p = p0 + x``, ``R = Rz Ry Rx(roll, pitch, yaw) R0``; six variables.  At rest the efforts are

    tau_i = eta_i y_i,   H(x) Y = W(x)        H columns of the legs, W their load at zero effort
with a column in W for what is there anyway (weight, springs in the joints), and one for each unit of what may be added:
an acceleration of the reference point or of the angle (the mass matrix), a force or a moment on the platform.  The
equations' own elimination would lose the models' slopes; with ``A = H(middle)^-1``, ``E = A H - 1``, ``Z = A W``,

    Y = Z - E Z + E E Z - E E E Y,        |Y| <= (1 - |E|)^-1 |Z|  where the largest eigenvalue of |E| is below 1
which also proves H regular on the whole box.  The machine's own constants are numbers; what they lose by rounding among
themselves is given `ROOM` of each answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough import quadratic, taylor
from gough.analysis.effort_models import ROOM, without_efforts
from gough.checks import Array
from gough.engines import plain
from gough.engines.pack import packed
from gough.equations.machine import joint_arms, leg_loads, leg_spins, total_mass, upper_triangle
from gough.equations.platform import body_load, column
from gough.equations.scalar import angle, sqrt
from gough.equations.solve import components
from gough.equations.vec import Scalar, rate_matrix
from gough.kinematics.leg_models import without_bounds
from gough.layout import TWIST
from gough.model import Platform
from gough.quadratic import Quadratic, pairs, sizes
from gough.taylor import EPS, Model

WORST = 1e6  # condition of H from which nothing is said of a pose or of a box about it
Flags = NDArray[np.bool_]
VARIABLES = 6  # x, y, z, roll, pitch, yaw


@sqrt.register
def _(x: Quadratic) -> Quadratic:
    return quadratic.root(x)


@angle.register
def _(sine: Quadratic, cosine: Model) -> Quadratic:
    return quadratic.angle_of(sine, cosine)


class Asked(NamedTuple):
    """Which columns: accelerations; forces at `point` (3,) of the platform and moments; the weight of 1 kg at `payload`
    (3,), platform axes, m."""

    acceleration: bool = False
    point: Array | None = None
    payload: Array | None = None

    @property
    def blocks(self) -> dict[str, slice]:
        """Columns by name."""
        widths = {
            "acceleration": 3 * self.acceleration,
            "angular_acceleration": 3 * self.acceleration,
            "force": 0 if self.point is None else 3,
            "moment": 0 if self.point is None else 3,
            "weight": 0 if self.payload is None else 1,
        }
        ends = np.cumsum(list(widths.values())).tolist()
        return {
            name: slice(end - width, end)
            for (name, width), end in zip(widths.items(), ends, strict=True)
            if width
        }


class BoxEfforts(NamedTuple):
    """Models over N boxes: efforts at rest (N, 6), coordinates (N, 6), efforts per unit of each column (N, 6, m), N
    (N m for cranks) per its unit; turns (N, 6): how much each variable changes H and the load, as a share."""

    own: Model
    coordinate: Model
    columns: Model
    turns: Array


def without_boxes(platform: Platform) -> str:
    """Why the efforts of a machine are not bounded over boxes, in words; empty where they are."""
    why, struts_known = without_bounds(platform)
    if why and not struts_known:
        return why
    return without_efforts(platform).replace("between samples", "over boxes")


def box_efforts(
    platform: Platform, turn: Array, middle: Array, half: Array, asked: Asked
) -> BoxEfforts:
    """Over boxes of middles and half widths (N, 6): position (world, m) and angles (rad) in front of `turn` (3, 3)."""
    with np.errstate(all="ignore"):
        machine = packed(platform)
        equations = plain.machine(machine.kinds)
        data = equations.unpack(tuple(machine.parameters.tolist()))
        x = [quadratic.variable(middle[:, k], half[:, k], k, VARIABLES) for k in range(VARIABLES)]
        R = _rotation(x[TWIST.angular], turn)
        rest = (0.0,) * 12
        m = equations.motion((*x[TWIST.linear], *(v for row in R for v in row), *rest), data)
        q = joint_arms(m.R, data.legs)
        spins = leg_spins(plain.NO_SPIN)
        s = equations.states(data, m, q, rate_matrix(m.w, m.al), spins)
        n = len(middle)
        H = _columns([components(column(*leg)) for leg in zip(q, s, strict=True)], n)
        loads = [components(body_load(data.body, m) + leg_loads(q, s))]
        if asked.acceleration:
            masses = equations.masses(data, m, q, spins, data.body.g)
            loads += _square(upper_triangle(total_mass(data.body, m.R, q, masses)))
        loads += _wrenches(platform, R, asked)
        y, turns = _solved(H, _columns(loads, n))
        eta = _columns([[leg.eta for leg in s]], n)
        effort = y * eta
        effort = Quadratic(effort.c, effort.r + ROOM * np.abs(effort.c[0]))
        coordinate = _columns([[leg.coordinate for leg in s]], n)[..., 0]
        return BoxEfforts(effort[..., 0], coordinate, effort[..., 1:], turns)


def _rotation(angles: list[Quadratic], turn: Array) -> list[list[Model]]:
    """Rows of ``Rz Ry Rx turn``."""
    (sx, cx), (sy, cy), (sz, cz) = (quadratic.sine_and_cosine(a) for a in angles)
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return [[_combined(row, turn[:, j]) for j in range(3)] for row in rows]


def _combined(models: list[Model], shares: Array) -> Model:
    first, *rest = (m * float(share) for m, share in zip(models, shares, strict=True))
    for m in rest:
        first = first + m
    return first


def _wrenches(platform: Platform, R: list[list[Model]], asked: Asked) -> list[list[Scalar]]:
    """What must be held against unit forces and moments in platform axes, and against the weight of 1 kg."""

    def turned(v: Array) -> list[Model]:
        return [_combined(row, v) for row in R]

    found: list[list[Scalar]] = []
    if asked.point is not None:
        for e in np.eye(3):
            arm: Array = np.cross(asked.point, e)  # type: ignore[assignment]
            found.append([-v for v in (*turned(e), *turned(arm))])
        found += [[0.0, 0.0, 0.0, *(-v for v in turned(e))] for e in np.eye(3)]
    if asked.payload is not None:
        (x, y, z), g = turned(asked.payload), platform.gravity.tolist()
        moment = [y * g[2] - z * g[1], z * g[0] - x * g[2], x * g[1] - y * g[0]]
        found.append([*(-v for v in g), *(-v for v in moment)])
    return found


def _square(upper: tuple[Scalar, ...]) -> list[list[Scalar]]:
    """Rows of a symmetric 6x6 from its upper triangle."""
    rows, left = [[0.0] * 6 for _ in range(6)], iter(upper)
    for i in range(6):
        for j in range(i, 6):
            rows[i][j] = rows[j][i] = next(left)
    return rows


def _columns(columns: Sequence[Sequence[Scalar]], n: int) -> Model:
    """(N, 6, m) from m columns of six numbers or models."""

    def model(value: Scalar) -> Model:
        if isinstance(value, Quadratic):
            return value
        return quadratic.fixed(np.full(n, value, dtype=float), VARIABLES)

    return taylor.stack([taylor.stack([model(v) for v in each]) for each in columns])


def _solved(H: Model, W: Model) -> tuple[Model, Array]:
    """``H^-1 W`` (N, 6, m), unknown where H is not proved regular; and how much each variable changes H, (N, 6)."""
    A, usable = _inverse(H.c[0])
    E = _times(A, H)
    E.c[0] -= np.eye(6)
    Z = _times(A, W)
    most_E, most_Z = (np.abs(m.c).sum(axis=0) + m.r for m in (E, Z))
    most_Y, regular = _largest(most_E, most_Z)
    # Z - E Z + E E Z - E E E Y
    EZ = _product(E, Z)
    y = Z - EZ + _product(E, EZ)
    r = y.r + most_E @ (most_E @ (most_E @ most_Y)) + 64 * EPS * most_Y
    known = (usable & regular)[:, None, None]
    turns = _by_variable(E) + _by_variable(Z[..., :1]) / (
        most_Z[..., 0].sum(axis=-1)[:, None] + EPS
    )
    return Quadratic(np.where(known, y.c, 0.0), np.where(known, r, np.inf)), turns


def _by_variable(m: Model) -> Array:
    """(N, 6) how much each variable changes the entries of m (N, 6, ...), all together, its bends too."""
    n, i, j = pairs(len(m.c))
    size = np.abs(m.c).sum(axis=(-2, -1))
    bends = size[n + 1 :]
    return np.stack(
        [size[k + 1] + bends[(i == k) | (j == k)].sum(axis=0) for k in range(n)], axis=-1
    )


def _inverse(H: Array) -> tuple[Array, Flags]:
    """Of each (6, 6), as good as rounding lets it be: any matrix near the inverse will do; and where there is one."""
    good = np.atleast_1d(np.isfinite(H).all(axis=(-2, -1)))
    H = np.where(good[:, None, None], H, np.eye(6))
    good &= np.linalg.cond(H) < WORST
    H = np.where(good[:, None, None], H, np.eye(6))
    return np.asarray(np.linalg.inv(H), dtype=np.float64), good


def _product(A: Model, B: Model) -> Model:
    """Matrix product of models (N, 6, 6) and (N, 6, m)."""
    a, b = A.c, B.c
    n, i, j = pairs(len(a))
    c = a[0] @ b + a @ b[0]
    c[0] = a[0] @ b[0]
    left, right = a[1 : n + 1], b[1 : n + 1]
    mixed = left[i] @ right[j]
    apart = i != j
    mixed[apart] += left[j[apart]] @ right[i[apart]]
    c[n + 1 :] += mixed
    (sa, la, qa), (sb, lb, qb) = sizes(a), sizes(b)
    r = la @ qb + qa @ lb + qa @ qb + sa @ B.r + A.r @ sb + A.r @ B.r
    return Quadratic(c, r + (n + 12) * EPS * (sa @ sb))


def _times(A: Array, m: Model) -> Model:
    sizes = np.abs(m.c).sum(axis=0)
    return Quadratic(A @ m.c, np.abs(A) @ (m.r + 8 * EPS * sizes))


def _largest(E: Array, Z: Array) -> tuple[Array, Flags]:
    """Bounds B >= |Y| of ``|Y| <= Z + E |Y|``, and where they are proved.

    ``v > 0`` with ``E v < v`` proves that E's largest eigenvalue is below 1 (Collatz and Wielandt), and any
    ``B >= Z + E B`` is then a bound.
    """
    good = np.atleast_1d(np.isfinite(E).all(axis=(-2, -1)) & np.isfinite(Z).all(axis=(-2, -1)))
    E = np.where(good[:, None, None], E, 0.0)
    Z = np.where(good[:, None, None], Z, 0.0)
    rows = E.sum(axis=-1).max(axis=-1)
    E = np.where((rows < 1e6)[:, None, None], E, 2.0)
    L = np.eye(6) - E
    regular = np.abs(np.linalg.det(L)) > 1e-12
    L = np.where(regular[:, None, None], L, np.eye(6))
    ones = np.ones((*E.shape[:-1], 1))
    found = np.linalg.solve(
        L, np.concatenate([ones, Z + 1e-12 * Z.max(axis=1, keepdims=True)], axis=-1)
    )
    v, B = found[..., :1], found[..., 1:] * (1.0 + 1e-9)
    proved = (v > 0.0).all(axis=(-2, -1)) & (E @ v < v * (1.0 - 1e-9)).all(axis=(-2, -1))
    proved &= (B >= (Z + E @ B) * (1.0 + 1e-12)).all(axis=(-2, -1))
    return np.maximum(B, 0.0), proved & regular & good & (rows < 1e6)
