"""Forward kinematics in exported C, traced: what the legs lack at a pose, Newton's step, the pose after it.

Every leg is closed at its given coordinate, as in gough/kinematics/forward_kernel.py, and not by the coordinate that
the pose would need: a crank or slider on the way to its pose may be out of its reach, a distance never is.

    c      base-side end of the strut at the given coordinate;  l  its length
    q      R joint;  S = t + q - c;  s = S/|S|
    rows   (s, q x s/size);  misfit  l - |S|, m;  branch  positive where a slider or crank leans as its leg says
Legs that are no spheres (screws, universal joints with offsets) have the rows of their rates and the misfit of their
coordinate (gough/kinematics/screwed.py).  World axes; docs/forward-kinematics.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.engines.tracer import Program, record
from gough.equations.kinds import ANGULAR, KINDS, PULLING, offsets
from gough.equations.machine import body_data
from gough.equations.platform import (
    PlatformMotion,
    column,
    joint_motion,
    platform_frame,
    platform_motion,
)
from gough.equations.pus import PUSData
from gough.equations.rus import RUSData
from gough.equations.solve import Six, six_at, solve_columns
from gough.equations.strut import LegSpin
from gough.equations.vec import Frame, Scalar, Vec, cross, dot, norm, rate_matrix, vec_at
from gough.layout import CLOSED, CLOSURE, DISPLACED, POSE
from gough.model import Platform
from gough.spatial import ORTHOGONALITY
from gough.struts import CARRIED, crank_zeros, struts

ITERATIONS = 40  # at most, as in Python
ROUNDINGS = 9.0  # of a leg's length: in |t + R p - c|
CLOSE = 1e-11  # of the machine's size: a leg is closed, where double precision goes so far
ORTHOGONALITY_IN_FLOAT = 1e-4  # of a guess, a thousand roundings; in double that of `gough.Pose`


@dataclass(frozen=True)
class ForwardConstants:
    """Constants of forward kinematics.

    done      largest misfit of an answer, m;  stride  longest step, m, turns times the machine's size
    skew      largest entry of ``R^T R - E`` of a guess
    lengths   legs whose coordinate must be positive
    cranks    (leg, angle at home, rad, where that stands in the parameters)
    """

    done: float
    stride: float
    skew: float
    lengths: tuple[int, ...]
    cranks: tuple[tuple[int, float, int], ...]


def closing(platform: Platform, kinds: tuple[str, ...], precision: str) -> ForwardConstants:
    """What the machine's size and the numbers' precision make of the tolerances."""
    size, home = platform.characteristic_length, platform.require_home()
    g = struts(platform, home)
    tall = float(np.linalg.norm(g.end - g.start, axis=-1).max())
    far = max(tall, *(float(np.abs(a).max()) for a in (g.start, g.end, home.position)))
    double = precision == "double"
    rounding = ROUNDINGS * float(np.finfo(np.float64 if double else np.float32).eps)
    at, zeros = offsets(kinds), crank_zeros(platform)
    return ForwardConstants(
        done=max(CLOSE * size, rounding * max(size, far)),
        stride=max(size, 0.05 * tall),
        skew=ORTHOGONALITY if double else ORTHOGONALITY_IN_FLOAT,
        lengths=tuple(i for i, kind in enumerate(platform.kinds) if kind not in CARRIED),
        cranks=tuple(
            (i, zeros[i], at[i] + KINDS[kind].row.at("zero"))
            for i, kind in enumerate(kinds)
            if kind in ANGULAR
        ),
    )


def programs(kinds: tuple[str, ...], size: float) -> dict[str, Program]:
    """All of them, by the names of their C functions."""
    return {
        "close": _close(kinds, size),
        "newton": _newton(),
        "displace": _displace(size),
        "nearest": _nearest(),
    }


def _close(kinds: tuple[str, ...], size: float) -> Program:
    """x: pose 12, coordinates 6, cosines and sines 12 of crank angles from home -> CLOSED."""
    at, per = offsets(kinds), 1.0 / size

    def f(x: Any, par: Any) -> list[Any]:
        m = platform_motion(x, POSE)
        rows, misfits, branches = [], [], []
        for i, kind in enumerate(kinds):
            leg = KINDS[kind].data(par, at[i])
            q = m.R.world(leg.joint)
            given = x[CLOSURE.at("coordinate") + i]
            if kind in PULLING:
                row, misfit, branch = _by_coordinate(kind, leg, q, m, body_data(par).g, given)
            else:
                turn = (x[CLOSURE.at("cosine") + i], x[CLOSURE.at("sine") + i])
                row, misfit, branch = _by_length(leg, q, m.t + q, given, turn)
            rows += [*row.lin, *(row.ang * per)]
            misfits.append(misfit)
            branches.append(branch)
        return [*rows, *misfits, *branches]

    return record(f, {"x": CLOSURE.size, "par": at[-1]})


def _by_length(
    leg: Any, q: Vec, p: Vec, given: Scalar, turn: tuple[Scalar, Scalar]
) -> tuple[Six, Scalar, Scalar]:
    """Row, misfit and branch of a leg whose platform joint p is on a sphere: ``l - |p - c|``."""
    if isinstance(leg, RUSData):
        S, length = p - leg.base - leg.arm.at(*turn), leg.length
        tip = leg.arm.sine * turn[0] - leg.arm.cosine * turn[1]  # dc/dlam
        branch = -leg.elbow * dot(S, tip)
    elif isinstance(leg, PUSData):
        S, length = p - leg.base - leg.rail * given, leg.length
        branch = leg.assembly * dot(S, leg.rail)
    else:
        S, length, branch = p - leg.base, given, 1.0
    far = norm(S)
    s = S / far
    return Six(s, cross(q, s)), length - far, branch


def _by_coordinate(
    kind: str, leg: Any, q: Vec, m: PlatformMotion, g: Vec, given: Scalar
) -> tuple[Six, Scalar, Scalar]:
    """Row, misfit and branch of a leg that is no sphere: ``lam - lam(pose)``, slopes of ``lam(pose)``."""
    none = Vec(0.0, 0.0, 0.0)
    joint = joint_motion(m, q, rate_matrix(none, none), g)
    state = KINDS[kind].state(leg, joint, LegSpin(1.0, 0.0, 0.0))
    h = column(q, state) * (1.0 / state.eta)
    return h, given - state.coordinate, 1.0


def _newton() -> Program:
    """x: rows 36, misfit 6 -> displacement 3 and turn 3 times the machine's size, m."""
    first = CLOSED.at("rows")

    def f(x: Any) -> list[Any]:
        J = [x[first + 6 * i : first + 6 * i + 6] for i in range(6)]
        h = [Six(Vec(J[0][j], J[1][j], J[2][j]), Vec(J[3][j], J[4][j], J[5][j])) for j in range(6)]
        return list(solve_columns(h, six_at(x, CLOSED.at("misfit"))).y)

    return record(f, {"x": CLOSED.at("branch")})


def _displace(size: float) -> Program:
    """x: pose 12, displacement and turn 6 -> pose after it, the turn by Cayley's formula, its matrix made orthogonal.

    ``R' = R + 2/(1 + u.u) (u x R + u x (u x R))`` with half the rotation vector u.
    """

    def f(x: Any) -> list[Any]:
        change = six_at(x, DISPLACED.at("change"))
        u = change.ang * (0.5 / size)
        factor = 2.0 / (1.0 + dot(u, u))
        turned = []
        for r in columns_of(platform_frame(x)):
            across = cross(u, r)
            turned.append(r + (across + cross(u, across)) * factor)
        t = vec_at(x, DISPLACED.at("position")) + change.lin
        return [*t, *by_rows(orthogonal(Frame(*turned)))]

    return record(f, {"x": DISPLACED.size})


def _nearest() -> Program:
    """x: pose 12 -> the matrix made orthogonal once 9, how far it was from that 6, its determinant."""

    def f(x: Any) -> list[Any]:
        R = platform_frame(x)
        return [*by_rows(orthogonal(R)), *skew(R), dot(R.x, cross(R.y, R.z))]

    return record(f, {"x": POSE.size})


def skew(R: Frame) -> tuple[Scalar, ...]:
    """``R^T R - E``: xx, xy, xz, yy, yz, zz."""
    x, y, z = columns_of(R)
    return dot(x, x) - 1.0, dot(x, y), dot(x, z), dot(y, y) - 1.0, dot(y, z), dot(z, z) - 1.0


def orthogonal(R: Frame) -> Frame:
    """``R - R (R^T R - E)/2``: a matrix that is orthogonal to e becomes so to 3/4 e^2, and to rounding."""
    x, y, z = columns_of(R)
    xx, xy, xz, yy, yz, zz = (0.5 * e for e in skew(R))
    return Frame(
        x - (x * xx + y * xy + z * xz),
        y - (x * xy + y * yy + z * yz),
        z - (x * xz + y * yz + z * zz),
    )


def columns_of(R: Frame) -> tuple[Vec, Vec, Vec]:
    """The columns of a matrix."""
    return R.x, R.y, R.z


def by_rows(R: Frame) -> list[Scalar]:
    """The nine numbers of a matrix, row by row."""
    return [getattr(c, axis) for axis in "xyz" for c in columns_of(R)]
