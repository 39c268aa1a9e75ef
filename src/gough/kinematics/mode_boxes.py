"""Assembly modes of uncertain lengths and joints: which poses exist for all values in a box, and which for some.

The conditions ``F_i(X) = row_i . psi(X) = X^T Q_i X`` (docs/forward-kinematics.md) change with the data by ``X^T D X``,
|D| <= D_i entry by entry.  Around each solution x, A close to the inverse of F', in the weighted norm of
assembly/roots.py,

    eta = |A F(x)| + |A| |x|^T D |x|,   delta = |E - A F'| + 2 |A| |x|^T D,   kappa = |A F''| + 2 |A| D
    eta + delta r + kappa r^2/2 <= r  and  delta + kappa r < 1

prove exactly one solution within r of x *for every value of the data*.  Balls that do not meet, as many as the geometry
has solutions, hold all of them; a ball that is its own conjugate holds a real one, a ball off the real axis never does.
Only lengths of fixed spheres leave the number of solutions as it is: if joints may move it is 40 or not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InputError, array, number
from gough.frozen import hinted
from gough.layout import LEG_GEOMETRY as LEG
from gough.links import with_links
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import CRANK, STRUT, anchors, drive_vectors, leg_table, lengths_only

if TYPE_CHECKING:
    from gough.kinematics.assembly.geometry import Geometry

EPS = float(np.finfo(float).eps)
GRID = 2.0**-50  # rounding of the normalized joints


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ModesWithin:
    """Poses of all lengths and joints in the box.

    always     poses (at the values given) proved to exist for every value in the box, each alone in its neighborhood
    sometimes  poses that exist at the values given, but are not proved for the whole box
    possible   solutions that are complex at the values given, or undecided, and not proved to stay complex
    complete   proved: nothing else exists anywhere in the box.  With no `sometimes` and no `possible` the number of
               poses is the same throughout (`settled`)
    """

    always: Pose
    sometimes: Pose
    possible: int
    complete: bool

    @property
    def settled(self) -> bool:
        """Proved: exactly the poses `always`, for every value in the box."""
        return self.complete and self.possible == 0 and not len(self.sometimes)

    def __repr__(self) -> str:
        more = "nothing else" if self.complete else "perhaps others"
        said = f"{len(self.always)} poses for all values, {len(self.sometimes)} for some, "
        return f"<ModesWithin: {said}{self.possible} possible, {more}>"


def modes_within(
    platform: Platform,
    length: ArrayLike,
    *,
    actuator: float | ArrayLike = 0.0,
    base: float = 0.0,
    joint: float = 0.0,
) -> ModesWithin:
    """Which poses exist for all, for some, or for no actuator coordinates ``length +- actuator`` (6,), m or rad.

    base, joint: the coordinates of the joints may be wrong by this much as well, m (world and platform axes).
    """
    from gough.kinematics.assembly.generic import DEGREE
    from gough.kinematics.assembly.geometry import normalize
    from gough.kinematics.assembly.solve import solve

    lam = array("length", length, (6,))
    if lam.ndim != 1:
        raise InputError("length", f"shape {lam.shape}", "must be six numbers")
    lam = with_links(platform, "length", lam)
    error = data_error(platform, lam, actuator, base, joint)
    c, l = anchors(platform, lam)
    geometry = normalize(c, platform.platform_joints)
    found = solve(geometry, l, lengths_only(platform))
    radius, real = balls(geometry, l, found.X, error)
    known = found.expected == DEGREE or not (error.center.any() or error.joint.any())
    complete = found.complete and not found.clusters and known and bool((radius >= 0).all())
    proved = (radius >= 0) & (real == 1)
    now = found.real == 1
    open_now, open_else = now & ~proved, ~now & (real != 0)
    merged = sum(len(cluster) for cluster in found.clusters)
    always, open_ones = (
        _poses(platform, lam, geometry, found.X[k]) for k in (proved & now, open_now)
    )
    return ModesWithin(always, open_ones, int(open_else.sum()) + merged, complete)


@dataclass(frozen=True)
class DataError:
    """Largest errors: radius (6,) of the spheres, center and joint (6, 3) per coordinate, m."""

    radius: Array
    center: Array
    joint: Array


def data_error(
    platform: Platform, lam: Array, actuator: float | ArrayLike, base: float, joint: float
) -> DataError:
    """What errors of actuators (m or rad) and of joint coordinates (m) do to the spheres of the legs."""
    act = np.broadcast_to(array("actuator", actuator), (6,))
    if (act < 0).any():
        raise InputError("actuator", actuator, "must not be negative")
    db, dp = (number(n, v, minimum=0.0) for n, v in (("base", base), ("joint", joint)))
    table = leg_table(platform)
    kind, rho = table[:, LEG.kind], table[:, LEG.rho]
    strut = kind == STRUT
    w = np.abs(drive_vectors(platform, lam, np.zeros((6, 3))))
    bend = np.where(kind == CRANK, rho * act**2 / 2, 0.0)
    center = np.where(strut, 0.0, 1.0)[:, None] * (w * act[:, None] + bend[:, None])
    return DataError(np.where(strut, act, 0.0), center + db, np.full((6, 3), dp))


def _row_error(geometry: Geometry, l: Array, error: DataError) -> Array:
    """(6, 17) largest change of the conditions, in the normalized geometry."""
    size = geometry.size
    db = error.center @ np.abs(geometry.base_axes) / size + GRID
    dp = error.joint @ np.abs(geometry.joint_axes) / size + GRID
    b, p, dl = np.abs(geometry.b), np.abs(geometry.p), error.radius / size
    first = ((2 * b + db) * db + (2 * p + dp) * dp).sum(axis=1) + (2 * l / size + dl) * dl
    mixed = 2 * ((b + db)[:, :, None] * dp[:, None, :] + db[:, :, None] * p[:, None, :])
    return np.concatenate(
        [first[:, None], mixed.reshape(6, 9), 2 * db, 2 * dp, np.zeros((6, 1))], axis=1
    )


def balls(
    geometry: Geometry, l: Array, X: NDArray[Any], error: DataError
) -> tuple[Array, NDArray[np.int64]]:
    """For each solution X (n, 8): radius of its ball for all data, -1 without proof; 1 real, 0 not, -1 undecided."""
    from gough.kinematics.assembly.forms import FORMS, leg_rows, matrices

    rows, forms = leg_rows(geometry.b, geometry.p, (l / geometry.size) ** 2), matrices()
    Q = np.concatenate([np.tensordot(rows, forms[:FORMS], 1), forms[FORMS:]])
    size = np.concatenate(
        [np.tensordot(np.abs(rows), np.abs(forms[:FORMS]), 1), np.abs(forms[FORMS:])]
    )
    D = 16 * EPS * size
    D[:6] += np.tensordot(_row_error(geometry, l, error), np.abs(forms[:FORMS]), 1)
    chart = np.abs(X).argmax(axis=1)
    x = X / np.take_along_axis(X, chart[:, None], 1)
    big = np.abs(x)
    wq, wg = big[:, :4].max(axis=1, initial=0.0), big[:, 4:].max(axis=1, initial=0.0)
    w = np.repeat(np.stack([np.maximum(wq, 1e-8 * wg), np.maximum(wg, 1e-8 * wq)], 1), 4, axis=1)
    free = np.arange(8) != chart[:, None]  # the coordinate of the chart does not move
    Qx, Dx = np.einsum("iab,nb->nia", Q, x), np.einsum("iab,nb->nia", D, big)
    J = np.concatenate([2 * Qx, (~free)[:, None].astype(float)], axis=1)
    A = np.linalg.inv(J)[:, :, :7] * free[:, :, None]
    absA, weight = np.abs(A), w * free
    F, miss = np.einsum("nia,na->ni", Qx, x), np.einsum("nia,na->ni", Dx, big)
    eta = np.abs(np.einsum("nbi,ni->nb", A, F)) + np.einsum("nbi,ni->nb", absA, 2 * miss)
    slip = np.abs(np.einsum("nbi,nia->nba", A, 2 * Qx) - np.eye(8) * free[:, None]) * free[:, None]
    slip = slip * free[:, :, None] + 2 * np.einsum("nbi,nia->nba", absA, Dx)
    delta = np.einsum("nba,na->nb", slip, weight)
    bent = np.abs(np.einsum("nbi,iac->nbac", A, Q)) + np.einsum("nbi,iac->nbac", absA, D)
    kappa = 2 * np.einsum("nbac,na,nc->nb", bent, weight, weight)
    eta, delta, kappa = (
        (v / w).max(axis=1, initial=0.0) * (1 + 1e-12) for v in (eta, delta, kappa)
    )
    rest = 1 - delta - 1e-14
    good = np.isfinite(eta + kappa) & (rest > 0.25) & (2 * kappa * eta < 0.98 * rest**2)
    root = np.sqrt(np.where(good, rest**2 - 2 * kappa * eta, 1.0))
    radius = np.where(good, 2 * eta / (np.where(good, rest, 1.0) + root) * (1 + 1e-9), -1.0)
    radius[~(_finite(x, w, radius) & _apart(x, w, chart, radius))] = -1.0
    off = (np.abs(x.imag) / w).max(axis=1, initial=0.0)
    unique = 0.999 * rest / kappa
    real = np.where(2 * off + radius < unique, 1, np.where(off > radius, 0, -1))
    return radius, np.where(radius < 0, -1, real)


def _finite(x: NDArray[Any], w: Array, radius: Array) -> NDArray[np.bool_]:
    """(n,) no point of the ball has ``h = q.q = 0``: it changes by at most ``2 r sum w_b |x_b| + r^2 sum w_b^2``."""
    q, w = x[:, :4], w[:, :4]
    change = 2 * radius * (w * np.abs(q)).sum(axis=1) + radius**2 * (w**2).sum(axis=1)
    return np.abs((q**2).sum(axis=1)) > change


def _apart(x: NDArray[Any], w: Array, chart: NDArray[np.int64], radius: Array) -> NDArray[np.bool_]:
    """(n,) the ball of each solution is proved to meet no other, seen in the chart of one of the two.

    In the chart k of m a point of the ball of n is ``x_b/x_k``, off by at most
    ``2 r (w_b |x_k| + |x_b| w_k)/|x_k|^2`` if ``r w_k <= |x_k|/2``.
    """
    r = np.maximum(radius, 0.0)
    at, wide = x[:, chart].T, w[:, chart].T  # (m, n): coordinate k of m in the solution n
    good = (r * wide <= np.abs(at) / 2) & (at != 0)
    at = np.where(good, at, 1.0)[..., None]
    size, seen = np.abs(at), x / at
    blur = 2 * r[:, None] * (w * size + np.abs(x) * wide[..., None]) / size**2
    blur = np.where(good[..., None], blur, np.inf)
    gap = np.abs(seen - x[:, None]) > (r[:, None] * w)[:, None] + blur
    apart = gap.any(axis=-1)
    return np.all(apart | apart.T | np.eye(len(x), dtype=bool), axis=1)


def _poses(platform: Platform, lam: Array, geometry: Geometry, X: NDArray[Any]) -> Pose:
    """Real solutions as poses, polished on the legs."""
    from gough.kinematics.assembly.forms import to_pose
    from gough.kinematics.forward import forward_kinematics

    rough = Pose.trusted(*geometry.world(*to_pose(np.real(X))))
    if not len(X):
        return rough
    fk = forward_kinematics(platform, lam, rough, certify=False)
    near = np.abs(fk.pose.rotation - rough.rotation).max(axis=(1, 2)) < 1e-6
    good = np.asarray(fk.success) & near
    return Pose.trusted(
        np.where(good[:, None], fk.pose.position, rough.position),
        np.where(good[:, None, None], fk.pose.rotation, rough.rotation),
    )
