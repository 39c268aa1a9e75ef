"""The fixed links of a machine: whether a pose, a twist, an acceleration is one that they allow.

A link of length L0 between the joints b and p:  ``|p - b| = L0``,  ``s.pd = 0``,  ``s.pdd + |pd|^2/L0 = 0``.
What is off by no more than `TOLERANCE`, relative to L0 and to the terms of these sums plus L0/s and L0/s^2, is taken as
allowed, and used as it is.  docs/derivations/links.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough.checks import Array, InfeasibleError, InputError, kept
from gough.struts import cross, joints

if TYPE_CHECKING:
    from gough.model import Platform
    from gough.spatial import Motion, Pose

TOLERANCE = 1e-9
POSE, TWIST, ACCELERATION = 1, 2, 3  # how much of a motion is looked at
ADVICE = "gough.on_links finds what the links allow"


class Links(NamedTuple):
    """Numbers (m,) and lengths (m,) of the legs that are fixed links; the numbers (6 - m,) of those that are driven."""

    legs: NDArray[np.intp]
    length: Array
    driven: NDArray[np.intp]


@kept
def links(platform: Platform) -> Links:
    """The fixed links of a machine."""
    length = [getattr(leg, "fixed", None) for leg in platform.legs]
    at = [i for i, L in enumerate(length) if L is not None]
    rest = [i for i in range(6) if i not in at]
    return Links(np.array(at, int), np.array([length[i] for i in at], float), np.array(rest, int))


def misfits(
    platform: Platform, motion: Pose | Motion, order: int
) -> tuple[list[Array], list[Array]]:
    """(..., m) how far a pose, its twist and its acceleration (`order`) are from what the links allow, and the sizes
    of the terms whose sum should vanish, the length itself (per s, per s^2) among them: m, m/s, m/s^2."""
    held = links(platform)
    q, p = (a[..., held.legs, :] for a in joints(platform, motion))
    span = p - platform.base_joints[held.legs]
    length = _norm(span)
    found, sizes = [length - held.length], [np.broadcast_to(held.length, length.shape)]
    if order >= TWIST:
        s, arm = span / np.where(length > 0.0, length, 1.0)[..., None], _norm(q)
        v, w = motion.velocity[..., None, :], motion.angular_velocity[..., None, :]  # type: ignore[union-attr]
        pd = v + cross(w, q)
        found.append((s * pd).sum(axis=-1))
        sizes.append(held.length + _norm(v) + _norm(w) * arm)
        if order >= ACCELERATION:
            a, al = motion.acceleration[..., None, :], motion.angular_acceleration[..., None, :]  # type: ignore[union-attr]
            pdd = a + cross(al, q) + cross(w, cross(w, q))
            across = pd - found[1][..., None] * s
            turning = (across * across).sum(axis=-1) / np.where(length > 0.0, length, 1.0)
            found.append((s * pdd).sum(axis=-1) + turning)
            sizes.append(held.length + _norm(a) + (_norm(al) + _norm(w) ** 2) * arm + turning)
    return found, sizes


def _norm(a: Array) -> Array:
    return np.sqrt((a * a).sum(axis=-1))


def off_links(platform: Platform, motion: Pose | Motion, order: int) -> NDArray[np.bool_]:
    """(..., m) where a motion is not one that the links allow."""
    bad = np.zeros((*motion.shape, len(links(platform).legs)), dtype=bool)
    for found, size in zip(*misfits(platform, motion, order), strict=True):
        bad |= ~(np.abs(found) <= TOLERANCE * size)
    return bad


def refuse_off_links(platform: Platform, motion: Pose | Motion, order: int) -> None:
    """`InfeasibleError` for the first state that the links do not allow: which link, and by how much."""
    held = links(platform)
    if not len(held.legs):
        return
    bad = off_links(platform, motion, order)
    if not bad.any():
        return
    *state, k = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
    where = f"state {', '.join(map(str, state))}" if state else ""
    time = getattr(motion, "time", None)
    where += "" if time is None else f" (t = {float(time[tuple(state)]):.6g} s)"
    found, sizes = misfits(platform, motion, order)
    off = [float(each[(*state, k)]) for each in found]
    order = next(
        i for i, size in enumerate(sizes) if not abs(off[i]) <= TOLERANCE * size[(*state, k)]
    )
    name, length = platform.leg_names[held.legs[k]], held.length[k]
    why = (
        f"its joints are {length + off[0]:.12g} m apart here, {off[0]:+.3g} m from that",
        f"with this twist its length would change by {off[order]:+.3g} m/s",
        f"with this acceleration its length would change by {off[order]:+.3g} m/s^2",
    )[order]
    raise InfeasibleError(
        f"{where + ': ' if where else ''}leg {name} is a fixed link of {length:.9g} m: {why}; {ADVICE}"
    )


def with_links(platform: Platform, field: str, coordinate: ArrayLike) -> Array:
    """Coordinates (..., 6) with the links' lengths in their places, which are refused where they say another length."""
    held = links(platform)
    given = np.asarray(coordinate, dtype=float)
    if not len(held.legs):
        return given
    off = given[..., held.legs] - held.length
    bad = np.abs(off) > TOLERANCE * held.length  # NaN: a sample that was not measured
    if bad.any():
        k = int(np.argmax(bad.reshape(-1, len(held.legs)).any(axis=0)))
        leg, length = int(held.legs[k]), float(held.length[k])
        value = float(given[..., leg][bad[..., k]].flat[0])
        said = f"leg {platform.leg_names[leg]} is a fixed link: must be its length, {length!r} m"
        raise InputError(f"{field}[{leg}]", value, said)
    out = np.array(given)
    out[..., held.legs] = np.where(np.isnan(off), off, held.length)
    return out


def refuse_moving_links(platform: Platform, field: str, rate: Array) -> None:
    """`InputError` where rates or accelerations (..., 6) of coordinates are not zero for a fixed link."""
    held = links(platform)
    bad = np.abs(rate[..., held.legs]) > TOLERANCE * held.length
    if bad.any():
        leg = int(held.legs[int(np.argmax(bad.reshape(-1, len(held.legs)).any(axis=0)))])
        worst = float(np.abs(rate[..., leg]).max())
        said = f"leg {platform.leg_names[leg]} is a fixed link: must be zero"
        raise InputError(f"{field}[{leg}]", worst, said)


@kept
def released(platform: Platform) -> Platform:
    """The machine with driven legs in the places of its fixed links."""
    held = links(platform).legs
    legs = [leg.replace(fixed=None) if i in held else leg for i, leg in enumerate(platform.legs)]
    return platform.replace(legs=tuple(legs))


def refuse_links(platform: Platform, what: str) -> None:
    """`InputError` where a machine has fixed links: `what` is not served with them."""
    held = links(platform).legs
    if len(held):
        names = ", ".join(platform.leg_names[i] for i in held)
        raise InputError("platform", f"fixed links {names}", f"{what} with fixed links")
