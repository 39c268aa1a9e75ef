"""The twist of UCU legs: how far the upper part is turned against the lower one about the strut.

    y = k x s/|k x s| of the base joint's first axis k (fixed to the base) and of the platform joint's, k_p = R k_p0
    phi = atan2(s.(y_d x y_p), y_d.y_p), in the turn nearest to home;   tan = k.s/|k x s|
    A platform may wind its legs up while it passes no singular pose: along a motion phi goes on (`whole_turns`).
    phid = j_s.pd + j_w.w,   j_s = (tan_p y_p - tan_d y_d)/L,   j_w = s - tan_p s x y_p

World axes; any batch shape, complex steps too.  Source: docs/derivations/ucu.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.checks import Array, InfeasibleError, kept

if TYPE_CHECKING:
    from gough.model import Platform
    from gough.struts import Struts

TURN = 2.0 * np.pi
UNSURE = 0.25 * TURN  # farther from where the rates lead, nobody can say in which turn an angle is


class TwistRows(NamedTuple):
    """``(j_s, j_w)``: rate of the twist per velocity of the platform joint and per angular velocity of the platform."""

    joint: Array
    turn: Array


def twist(k: Array, kp: Array, s: Array, zero: Array | float = 0.0) -> Array:
    """(...) phi, rad, in ``zero + (-pi, pi]``."""
    a, b = np.cross(k, s), np.cross(kp, s)
    sine, cosine = (s * np.cross(a, b)).sum(axis=-1), (a * b).sum(axis=-1)
    c, z = np.cos(zero), np.sin(zero)
    return zero + np.arctan2(sine * c - cosine * z, cosine * c + sine * z)


def twist_rows(k: Array, kp: Array, s: Array, length: Array) -> TwistRows:
    """Both rows, (..., 3) each."""
    (lean, _), (lean_p, tan_p) = _joint(k, s), _joint(kp, s)
    return TwistRows((lean_p - lean) / length[..., None], s - tan_p)


def _joint(k: Array, s: Array) -> tuple[Array, Array]:
    """``tan y`` and ``tan s x y``."""
    across = np.cross(k, s)
    share = (k * s).sum(axis=-1, keepdims=True) / (across * across).sum(axis=-1, keepdims=True)
    return share * across, share * np.cross(s, across)


class Cylinders(NamedTuple):
    """UCU legs: their numbers, axes of both joints, travel of the screw per twist (0: none), twist where it is
    the length, twist at home."""

    legs: list[int]
    axis: Array
    platform_axis: Array
    screw: Array
    screw_zero: Array
    zero: Array

    def pulls(self, s: Array, length: Array, kp: Array) -> Array:
        """(..., n, 6) ``(s + h j_s, h j_w)`` of struts s (..., n, 3): wrench at the joint of a unit effort."""
        rows, h = twist_rows(self.axis, kp, s, length), self.screw[:, None]
        return np.concatenate([s + h * rows.joint, h * rows.turn], axis=-1)


@kept
def _found(platform: Platform) -> list[Cylinders]:
    from gough.offset_legs import home_directions

    i = [n for n, kind in enumerate(platform.kinds) if kind == "UCU"]
    if not i:
        return []
    legs: list[Any] = [platform.legs[n] for n in i]
    axis, top = np.array([leg.axis for leg in legs]), np.array([leg.platform_axis for leg in legs])
    screw = np.array([0.0 if leg.screw is None else leg.screw.travel for leg in legs])
    start = np.array([0.0 if leg.screw is None else leg.screw.zero for leg in legs])
    home = platform.likely_home
    span = (home.position + platform.platform_joints @ home.rotation.T - platform.base_joints)[i]
    s = home_directions(platform, home.rotation, i, span)
    return [Cylinders(i, axis, top, screw, start, twist(axis, top @ home.rotation.T, s))]


def cylinders(platform: Platform) -> Cylinders | None:
    """The legs whose upper part turns against the lower one; None where there are none."""
    return next(iter(_found(platform)), None)


def screwed(platform: Platform) -> bool:
    """Some leg's coordinate is the travel of a screw that turns with the platform."""
    legs = cylinders(platform)
    return legs is not None and bool(legs.screw.any())


@kept
def _tops(platform: Platform) -> list[Array]:
    axes = np.array([getattr(leg, "platform_axis", np.zeros(3)) for leg in platform.legs])
    return [axes] if axes.any() else []


def universal_tops(platform: Platform) -> Array | None:
    """(6, 3) first axes of the universal joints at the platform (UCU, PSU), platform axes; zero for balls; None: no
    leg has one."""
    return next(iter(_tops(platform)), None)


def top_joints(
    platform: Platform, R: Array, s: Array, length: Array, coordinate: Array | None = None
) -> tuple[Array | None, Array | None]:
    """``platform_axes`` and ``pull`` of `gough.struts.Struts`; screws add their twist to `coordinate`."""
    tops = universal_tops(platform)
    if tops is None:
        return None, None
    axes, legs = tops @ np.swapaxes(R, -1, -2), cylinders(platform)
    if legs is None or not legs.screw.any():
        return axes, None
    i = legs.legs
    kp, own = axes[..., i, :], s[..., i, :]
    pull = np.concatenate([s, np.zeros(s.shape)], axis=-1)
    pull[..., i, :] = legs.pulls(own, length[..., i], kp)
    if coordinate is not None:
        coordinate[..., i] += legs.screw * (twist(legs.axis, kp, own, legs.zero) - legs.screw_zero)
    return axes, pull


def screw_shares(platform: Platform, g: Struts) -> Array:
    """(..., 6) what the twists add to the coordinates of legs with screws, ``h (phi - phi_s)``, m; zero for others."""
    legs, out = cylinders(platform), np.zeros(g.direction.shape[:-1])
    if legs is not None and g.platform_axes is not None:
        i = legs.legs
        phi = twist(legs.axis, g.platform_axes[..., i, :], g.direction[..., i, :], legs.zero)
        out[..., i] = legs.screw * (phi - legs.screw_zero)
    return out


def leads(platform: Platform) -> Array:
    """(6,) change of a coordinate per whole turn of the twist, m; zero for legs without a screw."""
    legs, out = cylinders(platform), np.zeros(6)
    if legs is not None:
        out[legs.legs] = TURN * legs.screw
    return out


def whole_turns(angle: Array, rate: Array, time: Array) -> Array:
    """(..., n, k) whole turns, rad, to add to angles (..., n, k) counted in one turn: they go on in time (..., n) then.

    From each instant to the next an angle changes by ``(rate + next rate)/2`` times the time between, to less than a
    quarter of a turn: refused where it does not, as such instants lie too far apart.
    """
    step = np.diff(time, axis=-1)[..., None]
    gap = np.diff(angle, axis=-2) - step * (rate[..., 1:, :] + rate[..., :-1, :]) / 2
    turns = -TURN * np.rint(gap / TURN)
    if not (np.abs(gap + turns) < UNSURE).all():
        raise InfeasibleError(
            "the instants of this motion lie too far apart to say how often its legs turn: take more of them"
        )
    return np.concatenate([np.zeros_like(turns[..., :1, :]), turns.cumsum(axis=-2)], axis=-2)


def pull_rates(platform: Platform, g: Struts, velocity: Array, turn: Array) -> Array:
    """(..., 6, 6) how the pulls of a machine with screws change while its platform moves so (complex step)."""
    legs = cylinders(platform)
    assert legs is not None
    assert g.platform_axes is not None
    step, i, w = 1e-30, legs.legs, turn[..., None, :]
    span = g.end - g.start + 1j * step * (velocity[..., None, :] + np.cross(w, g.arm))
    length = np.sqrt((span * span).sum(axis=-1))
    s = span / length[..., None]
    pull = np.concatenate([s, np.zeros(s.shape)], axis=-1)
    kp: Any = g.platform_axes + 1j * step * np.cross(w, g.platform_axes)
    pull[..., i, :] = legs.pulls(s[..., i, :], length[..., i], kp[..., i, :])
    return pull.imag / step


def twist_rates(platform: Platform, g: Struts, velocity: Array, turn: Array) -> Array:
    """(..., 6) rates at which the legs twist while the platform moves so, rad/s; zero for legs that do not."""
    legs, out = cylinders(platform), np.zeros(g.direction.shape[:-1])
    if legs is None or g.platform_axes is None:
        return out
    i, w = legs.legs, turn[..., None, :]
    s, length = g.direction[..., i, :], np.linalg.norm(g.end - g.start, axis=-1)[..., i]
    rows = twist_rows(legs.axis, g.platform_axes[..., i, :], s, length)
    pd = velocity[..., None, :] + np.cross(w, g.arm[..., i, :])
    out = np.broadcast_to(out, (*pd.shape[:-2], 6)).copy()
    out[..., i] = (rows.joint * pd).sum(axis=-1) + (rows.turn * w).sum(axis=-1)
    return out
