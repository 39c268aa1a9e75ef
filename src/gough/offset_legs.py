"""Where legs stand whose universal joints have offsets (axes that do not meet), in NumPy.

World axes; k first axis, y = k x s/|k x s|, z = s x y, n = y x k; below: base joint (e, d, f), above: platform joint.
    closure   L s = P - Delta(s),  Delta = reach(below) - reach(above),  reach = e n + f y + d z,  P between the joints
    ball at the platform (UPS)     closed form: P has the component e - d kap + L sig along n and f along y
    UCU       one step of Picard's, then as many of Newton's as the exact equations take: both refuse the same poses
    G         (Ldot, w_y, w_z) -> velocity of the platform joint; its inverse gives the rows of length and twist
    q         the map of Picard's shrinks distances by q at least: below 1 the solution is the only one with L > 0
Any batch shape, complex steps too.  Source: docs/derivations/offset.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array, kept
from gough.twist import pull_rates as screw_pull_rates
from gough.twist import screwed
from gough.twist import twist_rates as plain_twist_rates

if TYPE_CHECKING:
    from gough.model import Platform
    from gough.struts import Struts

NEWTON = 4  # as the equations
CLOSED = 1e-9  # rad: a longer last step has not closed the leg


class OffsetLegs(NamedTuple):
    """Legs with offset joints: their numbers, base joints, first axes, offsets (e, d, f) of both joints, which have a
    ball at the platform, travel of the screw per twist.

    platform_axis  of a leg with a ball: its base axis in world axes, never read but where nothing depends on it
    """

    legs: list[int]
    base: Array
    axis: Array
    platform_axis: Array
    below: Array
    above: Array
    ball: NDArray[np.bool_]
    screw: Array

    def platform_axes(self, R: Array) -> Array:
        """(..., n, 3) first axes of the platform joints, world axes."""
        turned = self.platform_axis @ np.swapaxes(R, -1, -2)
        return np.where(self.ball[:, None], self.axis, turned)


class JointPose(NamedTuple):
    """One joint of each leg: axes k, y, z, n, cosine and sine of the angle between k and s, offsets (e, d, f)."""

    k: Array
    y: Array
    z: Array
    n: Array
    kap: Array
    sig: Array
    offset: Array

    @property
    def r(self) -> Array:
        """Second axis from the center."""
        return self.offset[:, :1] * self.n

    @property
    def o(self) -> Array:
        """Leg axis from the second one."""
        return self.offset[:, 2:] * self.y + self.offset[:, 1:2] * self.z

    def shift(self, s: Array, Wn: Array) -> Array:
        """Velocity of the leg's axis for a swing Wn while the carrier stands still."""
        turn = _dot(self.k, Wn)
        W = Wn + s * (self.kap / self.sig**2 * turn)
        return np.cross(self.k * _dot(self.k, W), self.r) + np.cross(W, self.o)


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-1, keepdims=True)


def _unit(a: Array) -> Array:
    return a / np.sqrt(_dot(a, a))


def _joint(k: Array, s: Array, offset: Array) -> JointPose:
    across = np.cross(k, s)
    sig = np.sqrt(_dot(across, across))
    y = across / sig
    return JointPose(k, y, np.cross(s, y), np.cross(y, k), _dot(k, s), sig, offset)


class OffsetPose(NamedTuple):
    """Legs in a pose, (..., n, .): platform joint P from the base joint, s, length, both joints, inverse of G (rows of
    length, w_y, w_z); NaN: not closed."""

    P: Array
    s: Array
    length: Array
    below: JointPose
    above: JointPose
    inverse: Array

    def at_joint(self, row: Array) -> Array:
        """(..., n, 6) the row at the platform joint (velocity, turning) of one over G's right side."""
        u, s = self.above, self.s
        v, v_o = np.cross(u.r, row), np.cross(u.o, row)
        lean = u.n / u.sig
        moment = v + (lean * u.kap - u.k) * _dot(u.k, v) + lean * _dot(s, v_o)
        return np.concatenate([row, moment], axis=-1)

    @property
    def length_rows(self) -> Array:
        """(..., n, 6) ``Ldot = row.(pd, w)``."""
        return self.at_joint(self.inverse[..., 0, :])

    @property
    def twist_rows(self) -> Array:
        """(..., n, 6) ``phid = row.(pd, w)``; of a leg with a ball, of no meaning."""
        d, u = self.below, self.above
        lean = u.k * (u.kap / u.sig**2) - d.k * (d.kap / d.sig**2)
        row = _dot(lean, d.y) * self.inverse[..., 1, :] + _dot(lean, d.z) * self.inverse[..., 2, :]
        out = self.at_joint(row)
        out[..., 3:] += u.n / u.sig
        return out


@kept
def _found(platform: Platform) -> list[OffsetLegs]:
    legs: list[Any] = list(platform.legs)
    sides = [
        [getattr(leg, f"{side}_offset", None) for side in ("base", "platform")] for leg in legs
    ]
    i = [n for n, pair in enumerate(sides) if pair != [None, None]]
    if not i:
        return []
    below, above = (np.array([_three(sides[n][side]) for n in i]) for side in range(2))
    ball = np.array([not hasattr(legs[n], "platform_axis") for n in i])
    axis = np.array([legs[n].axis for n in i])
    top = np.array([getattr(legs[n], "platform_axis", legs[n].axis) for n in i])
    screws = [getattr(legs[n], "screw", None) for n in i]
    travel = np.array([0.0 if screw is None else screw.travel for screw in screws])
    base = platform.base_joints[i]
    return [OffsetLegs(i, base, axis, top, below, above, ball, travel)]


def _three(offset: Any) -> list[float]:
    return [0.0, 0.0, 0.0] if offset is None else [offset.e, offset.d, offset.f]


def offset_legs(platform: Platform) -> OffsetLegs | None:
    """The legs whose universal joints have offsets; None where there are none."""
    return next(iter(_found(platform)), None)


def off_sphere(platform: Platform) -> bool:
    """Some leg's platform joint is on no sphere about its base joint: a screw turns with it, or joints have offsets."""
    return screwed(platform) or offset_legs(platform) is not None


def offset_pose(legs: OffsetLegs, P: Array, kp: Array) -> OffsetPose:
    """Legs whose platform joints are at P (..., n, 3) from their base joints, with first axes kp there."""
    s, closed = _closed(legs, P, kp)
    if legs.ball.any():
        s = np.where(legs.ball[:, None], _ball(legs, P), s)
        closed = closed | legs.ball[:, None]
    d, u = _joint(legs.axis, s, legs.below), _joint(kp, s, legs.above)
    length = _dot(s, P - _reach(d) + _reach(u))
    good = closed & (length.real > 0.0)
    s, length = np.where(good, s, np.nan), np.where(good, length, np.nan)
    return OffsetPose(P, s, length[..., 0], d, u, _inverse(s, length, d, u))


def _reach(joint: JointPose) -> Array:
    return joint.r + joint.o


def _columns(s: Array, length: Array, d: JointPose, u: JointPose) -> list[Array]:
    """Columns of G for the swings y and z of the base joint."""
    return [length * np.cross(axis, s) + d.shift(s, axis) - u.shift(s, axis) for axis in (d.y, d.z)]


def _inverse(s: Array, length: Array, d: JointPose, u: JointPose) -> Array:
    """(..., n, 3, 3) of G: its rows by cross products."""
    y, z = _columns(s, length, d, u)
    rows = np.stack([np.cross(y, z), np.cross(z, s), np.cross(s, y)], axis=-2)
    return rows / _dot(s, np.cross(y, z))[..., None]


def _closed(legs: OffsetLegs, P: Array, kp: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Directions by Picard's and Newton's steps, and where (..., n, 1) the last one was short."""
    s = _unit(P)
    s = _unit(P - _reach(_joint(legs.axis, s, legs.below)) + _reach(_joint(kp, s, legs.above)))
    last: Any = np.zeros(())
    for _ in range(NEWTON):
        d, u = _joint(legs.axis, s, legs.below), _joint(kp, s, legs.above)
        strut = P - _reach(d) + _reach(u)
        step = (_inverse(s, _dot(s, strut), d, u) @ strut[..., None])[..., 0]
        turn = step[..., 1:2] * d.y + step[..., 2:3] * d.z
        s, last = _unit(s + np.cross(turn, s)), _dot(turn, turn)
    return s, last.real <= CLOSED**2


def _ball(legs: OffsetLegs, P: Array) -> Array:
    """Closed form of legs with a ball at the platform; NaN where the strut is at or beyond its first axis."""
    k = legs.axis
    e, d, f = (legs.below[:, i : i + 1] for i in range(3))
    along = _dot(k, P)
    across = P - along * k
    square = _dot(across, across)
    far = np.sqrt(square - f * f)
    n, u = (far * across - f * np.cross(k, across)) / square, far - e
    length = np.sqrt(u * u + along * along - d * d)
    both = length * length + d * d
    cosine, sine = (length * u + d * along) / both, (d * u - length * along) / both
    return np.where(cosine.real > 0.0, cosine * n - sine * k, np.nan)


def placed(
    platform: Platform, R: Array, ends: tuple[Array, Array], s: Array, length: Array, coord: Array
) -> tuple[Array, Array, OffsetPose | None]:
    """Ends of all struts, those of legs with offsets where their axis begins and ends (not closed: as without offsets);
    s, length and coordinate of these are set in place."""
    legs = offset_legs(platform)
    if legs is None:
        return *ends, None
    start, end = (np.array(np.broadcast_to(a, ends[1].shape)) for a in ends)
    i = legs.legs
    at = offset_pose(legs, end[..., i, :] - legs.base, legs.platform_axes(R))
    closed = np.isfinite(at.s)
    start[..., i, :] += np.where(closed, _reach(at.below), 0.0)
    end[..., i, :] += np.where(closed, _reach(at.above), 0.0)
    s[..., i, :], length[..., i], coord[..., i] = at.s, at.length, at.length
    return start, end, at


def home_directions(platform: Platform, R: Array, which: list[int], span: Array) -> Array:
    """(n, 3) directions of the legs `which` whose joints are `span` apart at platform axes R."""
    s, legs = _unit(span), offset_legs(platform)
    if legs is None:
        return s
    every = np.zeros((6, 3))
    every[which] = span
    with np.errstate(invalid="ignore", divide="ignore"):
        at = offset_pose(legs, every[legs.legs], legs.platform_axes(R))
    every[which] = s
    every[legs.legs] = np.where(np.isfinite(at.s), at.s, every[legs.legs])
    return every[which]


def pulls(platform: Platform, at: OffsetPose | None, s: Array, pull: Array | None) -> Array | None:
    """The pulls of `gough.twist.top_joints` with those of the legs with offsets, ``Ldot + h phid``."""
    legs = offset_legs(platform)
    if legs is None or at is None:
        return pull
    if pull is None:
        pull = np.concatenate([s, np.zeros(s.shape)], axis=-1)
    pull[..., legs.legs, :] = at.length_rows + legs.screw[:, None] * at.twist_rows
    return pull


def pull_rates(platform: Platform, g: Struts, velocity: Array, turn: Array) -> Array:
    """(..., 6, 6) how the pulls of a machine change while its platform moves so (complex step)."""
    legs, at, step, w = offset_legs(platform), g.offset, 1e-30, turn[..., None, :]
    if legs is None or at is None:
        return screw_pull_rates(platform, g, velocity, turn)
    moved: Any = at.P + 1j * step * (velocity[..., None, :] + np.cross(w, g.arm[..., legs.legs, :]))
    k = at.above.k
    kp: Any = np.where(legs.ball[:, None], k, k + 1j * step * np.cross(w, k))
    now = offset_pose(legs, moved, kp)
    found = now.length_rows + legs.screw[:, None] * now.twist_rows
    out = np.zeros((*found.shape[:-2], 6, 6))
    if screwed(platform):
        out[...] = screw_pull_rates(platform, g, velocity, turn)
    out[..., legs.legs, :] = found.imag / step
    return out


def twist_rates(platform: Platform, g: Struts, velocity: Array, turn: Array) -> Array:
    """(..., 6) rates at which the legs twist while the platform moves so, rad/s; zero for legs that do not."""
    out = plain_twist_rates(platform, g, velocity, turn)
    legs, at, w = offset_legs(platform), g.offset, turn[..., None, :]
    if legs is None or at is None:
        return out
    pd = velocity[..., None, :] + np.cross(w, g.arm[..., legs.legs, :])
    own = (at.twist_rows * np.concatenate(np.broadcast_arrays(pd, w), axis=-1)).sum(axis=-1)
    out = np.array(np.broadcast_to(out, (*own.shape[:-1], 6)))
    out[..., legs.legs] = np.where(legs.ball, 0.0, own)
    return out


def contraction(legs: OffsetLegs, P: Array, kp: Array) -> Array:
    """(..., n) q of the closure; 0 in closed form, infinite where the bound is void."""
    far = np.sqrt(_dot(P, P))
    sizes = [np.abs(o[:, :1]) + np.hypot(o[:, 1:2], o[:, 2:]) for o in (legs.below, legs.above)]
    most = sizes[0] + sizes[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        cap = np.arcsin(np.where(most < far, most / far, np.nan))
        shrink = np.zeros((*P.shape[:-1], 1))
        for k, size in zip((legs.axis, kp), sizes, strict=True):
            lean = np.arctan2(np.sqrt(_dot(np.cross(k, P), np.cross(k, P))), np.abs(_dot(k, P)))
            free = np.where(lean > cap, np.sin(lean - cap), 0.0)
            shrink = shrink + np.where(size > 0.0, size / free, 0.0)
        q = np.where(most < far, shrink / (far - most), np.inf)
    q = np.where(most == 0.0, 0.0, np.where(np.isnan(q), np.inf, q))
    return np.where(legs.ball, 0.0, q[..., 0])
