"""How far a platform can go along a way, looked at in samples: for legs that give no bounds.  No proof.

At `SAMPLES` even places of a ray (analysis/rays.py) every geometric limit and the sign of the determinant are looked
at; between the last good place and the first bad one the end is bisected.  What lies between two good places is not
seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gough.analysis.rays import SINGULAR, SLACK, RayEnd, Rays, RayStop, at_its_end
from gough.checks import Array
from gough.limits import KINDS, check
from gough.links import POSE, links, off_links, released
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import struts

SAMPLES = 1025
GEOMETRIC = tuple(kind for kind in KINDS if kind not in ("speed", "force"))


def sampled_stops(platform: Platform, rays: Rays, why: str) -> list[RayEnd]:
    """As `gough.analysis.rays.first_stops`, from samples; `why` says why there is no proof."""
    said = f"judged at {SAMPLES} samples, no proof between them: {why}"
    return [_one(platform, rays[np.array([i])], said) for i in range(len(rays.end))]


def _one(platform: Platform, ray: Rays, why: str) -> RayEnd:
    places = np.linspace(0.0, float(ray.end[0]), SAMPLES)
    sign = _sign(platform, ray, places[:1])[0]
    bad = _broken(platform, ray, places, sign)
    if not bad.any():
        return RayEnd(float(places[-1]), np.nan, True, (), why)
    k = int(np.argmax(bad))
    low, high = (0.0, 0.0) if k == 0 else (float(places[k - 1]), float(places[k]))
    while k and high - low > 1e-10 * float(ray.unit[0]):
        middle = 0.5 * (low + high)
        ended = bool(_broken(platform, ray, np.array([middle]), sign)[0])
        low, high = (low, middle) if ended else (middle, high)
    return RayEnd(low, high, False, _stops(platform, ray, high, sign), why)


def _poses(ray: Rays, places: Array) -> Pose:
    return ray[np.zeros(len(places), dtype=int)].pose(places)


def _sign(platform: Platform, ray: Rays, places: Array) -> Array:
    rows = struts(platform, _poses(ray, places)).rows_over(platform.characteristic_length)
    good = np.isfinite(rows).all(axis=(1, 2), keepdims=True)
    return np.sign(np.linalg.det(np.where(good, rows, 0.0)))


def _broken(platform: Platform, ray: Rays, places: Array, sign: float) -> NDArray[np.bool_]:
    poses = _poses(ray, places)
    margin = check(released(platform), poses).margin
    least = np.fmin.reduce(np.stack([margin[kind] for kind in GEOMETRIC]), axis=(0, -1))
    out: NDArray[np.bool_] = (least < -SLACK) | (_sign(platform, ray, places) != sign)
    return out | off_links(platform, poses, POSE).any(axis=-1)


def _stops(platform: Platform, ray: Rays, x: float, sign: float) -> tuple[RayStop, ...]:
    pose = _poses(ray, np.array([x]))[0]
    held, found = links(platform).legs, []
    for k in np.nonzero(off_links(platform, pose, POSE))[0].tolist():
        leg = (int(held[k]),)
        found.append(RayStop("link", leg, True, at_its_end(platform, "link", leg, pose)))
    for v in check(released(platform), pose).violations():
        if v.kind in GEOMETRIC and v.leg not in held:
            legs = (v.leg,) if v.other is None else (v.leg, v.other)
            found.append(RayStop(v.kind, legs, True, at_its_end(platform, v.kind, legs, pose)))
    if not found or _sign(platform, ray, np.array([x]))[0] == -sign:
        found.append(RayStop("determinant", (), True, SINGULAR))
    return tuple(found)
