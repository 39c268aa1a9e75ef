"""How far a platform can go along a way, looked at in samples.  No proof: between two good places nothing is seen.

At `SAMPLES` even places of a ray (analysis/ways.py) every geometric limit and the sign of the determinant are looked
at; between the last good place and the first bad one the end is bisected.  Where legs give no bounds this is the
answer, and says so; else it tells the proof where to look.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.analysis.ways import FINEST, SINGULAR, SLACK, RayEnd, Rays, RayStop, stopped_by
from gough.analysis.workspace import determinant_signs
from gough.checks import Array
from gough.limits import KINDS, check
from gough.links import POSE, links, off_links, released
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import struts

SAMPLES = 257
GEOMETRIC = tuple(kind for kind in KINDS if kind not in ("speed", "force"))


def sampled_stops(platform: Platform, rays: Rays, why: str) -> list[RayEnd]:
    """How far each ray goes, from samples; `why` says why there is no proof."""
    said = f"judged at {SAMPLES} samples, no proof between them: {why}"
    low, high = looked_at(platform, rays)
    sign = signs(platform, rays.pose(np.zeros(len(rays))))
    out = []
    for i, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if np.isnan(b):
            out.append(RayEnd(a, np.nan, True, (), said))
            continue
        pose = rays[np.array([i])].pose(np.array([b]))
        out.append(RayEnd(a, b, False, _stops(platform, pose, float(sign[i])), said))
    return out


def looked_at(platform: Platform, rays: Rays, samples: int = SAMPLES) -> tuple[Array, Array]:
    """(N,) the last good place before the first bad one, and that; NaN: none is bad."""
    n = len(rays)
    places = np.linspace(0.0, 1.0, samples) * rays.end[:, None]
    many = np.repeat(np.arange(n), samples)
    start = rays.pose(np.zeros(n))
    sign = signs(platform, start)
    bad = broken(platform, rays[many].pose(places.ravel()), sign[many]).reshape(n, samples)
    first = np.where(bad.any(axis=1), bad.argmax(axis=1), samples - 1)
    rows = np.arange(n)
    low, high = places[rows, np.maximum(first - 1, 0)], places[rows, first]
    low = np.where(bad.any(axis=1), low, rays.end)
    widest = float(((high - low) / rays.unit).max(initial=0.0))
    for _ in range(int(np.ceil(np.log2(max(widest / FINEST, 2.0))))):
        middle = 0.5 * (low + high)
        ended = broken(platform, rays.pose(middle), sign)
        low, high = np.where(ended, low, middle), np.where(ended, middle, high)
    return low, np.where(bad.any(axis=1), high, np.nan)


def signs(platform: Platform, pose: Pose) -> Array:
    """(N,) of the determinant; 0 where a leg does not reach."""
    return determinant_signs(platform, struts(platform, pose))


def broken(platform: Platform, poses: Pose, sign: Array) -> NDArray[np.bool_]:
    """(N,) a limit is broken by more than the slack, or the determinant has another sign."""
    margin = check(released(platform), poses).margin
    least = np.fmin.reduce(np.stack([margin[kind] for kind in GEOMETRIC]), axis=(0, -1))
    out: NDArray[np.bool_] = (least < -SLACK) | (signs(platform, poses) != sign)
    return out | off_links(platform, poses, POSE).any(axis=-1)


def _stops(platform: Platform, pose: Pose, sign: float) -> tuple[RayStop, ...]:
    at, held, found = pose[0], links(platform).legs, []
    for k in np.nonzero(off_links(platform, at, POSE))[0].tolist():
        found.append(stopped_by(platform, "link", (int(held[k]),), at))
    for v in check(released(platform), at).violations():
        if v.kind in GEOMETRIC and v.leg not in held:
            legs = (v.leg,) if v.other is None else (v.leg, v.other)
            found.append(stopped_by(platform, v.kind, legs, at))
    if not found or signs(platform, pose)[0] == -sign:
        found.append(RayStop("determinant", (), SINGULAR))
    return tuple(found)
