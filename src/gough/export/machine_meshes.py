"""A machine at a pose as triangles for other programs: plates, struts and joints; a drawing, not its true parts.

    base, platform  prisms over the convex hull of their joints, with the joints in one face
    each leg        a tube along its strut (and from the base joint to the foot that a slider or crank carries),
                    a ball at either end
All are closed, outward, in m and world axes.  Sizes that a machine file does not say are shares of the machine's size.
A glTF file also has a node without a mesh at every joint, where the joint is to the rounding of its numbers.
"""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.cell_surface import Mesh
from gough.checks import Array, InfeasibleError, InputError
from gough.export.meshes import scene_bytes, stl_bytes
from gough.model import Platform
from gough.spatial import Pose
from gough.storage import write_whole
from gough.struts import struts

BALL, TUBE, PLATE = 0.022, 0.014, 0.03  # radii and thickness, of the machine's size
AROUND = 24  # corners of a circle: a multiple of four, so that a ball reaches its radius along every axis
COLORS = {"base": (0.21, 0.27, 0.38), "platform": (0.76, 0.30, 0.04)}
LEG_COLOR = (0.10, 0.16, 0.32)


def machine_parts(platform: Platform, pose: Pose | None = None) -> dict[str, Mesh]:
    """Meshes of base, platform and legs (by their names) at a pose (default: home)."""
    g, at = _placed(platform, pose)
    size = float(np.ptp(np.vstack([platform.base_joints, g.end]), axis=0).max())
    ball, tube, thick = BALL * size, TUBE * size, PLATE * size
    up = platform.up
    parts = {
        "base": _plate(platform.base_joints, -up, thick),
        "platform": _plate(g.end, at.rotation @ platform.likely_home.rotation.T @ up, thick),
    }
    found = {name: mesh for name, mesh in parts.items() if mesh is not None}
    for i, name in enumerate(platform.leg_names):
        foot, top, base = g.start[i], g.end[i], platform.base_joints[i]
        pieces = [_ball(foot, ball), _ball(top, ball), _tube(foot, top, tube)]
        if np.linalg.norm(foot - base) > 1e-9 * size:
            pieces.append(_tube(base, foot, tube))
        found[name] = joined(pieces)
    return found


def joint_places(platform: Platform, pose: Pose | None = None) -> dict[str, Array]:
    """(3,) of both ends of every strut, m, world axes."""
    g, _ = _placed(platform, pose)
    both = zip(platform.leg_names, g.start, g.end, strict=True)
    return {
        f"{name} {end}": place
        for name, foot, top in both
        for end, place in (("base joint", foot), ("platform joint", top))
    }


def machine_bytes(platform: Platform, pose: Pose | None = None, form: str = "glb") -> bytes:
    """A file of the machine at a pose (default: home): form glb or stl."""
    if form not in ("glb", "stl"):
        raise InputError("form", form, "must be glb or stl")
    parts = machine_parts(platform, pose)
    if form == "stl":
        return stl_bytes(joined(list(parts.values())), platform.name or "machine")
    colors = {name: COLORS.get(name, LEG_COLOR) for name in parts}
    return scene_bytes(parts, joint_places(platform, pose), colors)


def save_machine(platform: Platform, path: str | Path, pose: Pose | None = None) -> Path:
    """Write the machine at a pose (default: home); the ending says how: .glb or .stl.

    The file appears complete or not at all.
    """
    target = Path(path)
    if target.suffix not in (".glb", ".stl"):
        raise InputError("path", str(path), "must end with .glb or .stl")
    return write_whole(target, machine_bytes(platform, pose, target.suffix[1:]))


def joined(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    triangles = [mesh.triangles + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles))


def _placed(platform: Platform, pose: Pose | None) -> tuple[Any, Pose]:
    at = platform.likely_home if pose is None else pose
    if at.shape != ():
        raise InputError("pose", f"shape {at.shape}", "must be a single pose")
    g = struts(platform, at)
    if not g.reachable.all():
        raise InfeasibleError("this pose is out of reach of a leg: there is no machine to draw")
    return g, at


def _axes(along: Array) -> tuple[Array, Array]:
    """Two unit vectors across a unit vector, right-handed with it as the third."""
    across = np.cross(along, np.eye(3)[int(np.abs(along).argmin())])
    u: Array = np.asarray(across / np.linalg.norm(across), dtype=np.float64)
    return u, np.asarray(np.cross(along, u), dtype=np.float64)


def _prism(low: Array, high: Array) -> Mesh:
    """Between two convex rings of as many corners, counterclockwise seen from the high one."""
    n = len(low)
    k = np.arange(n)
    after = (k + 1) % n
    side = np.concatenate(
        [np.stack([k, after, n + after], axis=1), np.stack([k, n + after, n + k], axis=1)]
    )
    fan = np.stack([np.zeros(n - 2, dtype=np.int64), k[1:-1], k[2:]], axis=1)
    return Mesh(
        np.concatenate([low, high]), np.concatenate([side, fan[:, ::-1], fan + n]).astype(np.int64)
    )


def _tube(a: Array, b: Array, radius: float) -> Mesh:
    along = (b - a) / np.linalg.norm(b - a)
    u, w = _axes(along)
    angle = 2.0 * pi * np.arange(AROUND)[:, None] / AROUND
    ring = radius * (np.cos(angle) * u + np.sin(angle) * w)
    return _prism(a + ring, b + ring)


def _ball(center: Array, radius: float) -> Mesh:
    """Rings about z between two poles."""
    rows = AROUND // 2
    tilt = pi * np.arange(1, rows)[:, None] / rows
    angle = 2.0 * pi * np.arange(AROUND) / AROUND
    x, y = np.sin(tilt) * np.cos(angle), np.sin(tilt) * np.sin(angle)
    rings = np.stack([x, y, np.broadcast_to(-np.cos(tilt), x.shape)], axis=-1).reshape(-1, 3)
    vertices = np.concatenate([rings, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    k, south, north = np.arange(AROUND), len(rings), len(rings) + 1
    after = (k + 1) % AROUND
    last = AROUND * (rows - 2)
    triangles = [
        np.stack([np.full(AROUND, south), after, k], axis=1),
        np.stack([np.full(AROUND, north), last + k, last + after], axis=1),
    ]
    for row in range(rows - 2):
        a, b = AROUND * row, AROUND * (row + 1)
        triangles.append(np.stack([a + k, a + after, b + after], axis=1))
        triangles.append(np.stack([a + k, b + after, b + k], axis=1))
    return Mesh(center + radius * vertices, np.concatenate(triangles).astype(np.int64))


def _plate(points: Array, outward: Array, thick: float) -> Mesh | None:
    """A prism over the hull of the points in the plane that fits them, from it `outward`; None: they are in a line."""
    middle = points.mean(axis=0)
    _, spread, rows = np.linalg.svd(points - middle)
    if spread[1] < 1e-9 * spread[0]:
        return None
    normal = rows[2] if rows[2] @ outward > 0.0 else -rows[2]
    u, w = _axes(normal)
    flat = np.stack([(points - middle) @ u, (points - middle) @ w], axis=1)
    ring = flat[_hull(flat)]
    low = middle + ring[:, :1] * u + ring[:, 1:] * w
    return _prism(low, low + thick * normal)


def _hull(flat: Array) -> list[int]:
    """Numbers of the corners of the convex hull, counterclockwise (Andrew's chains)."""
    order = np.lexsort((flat[:, 1], flat[:, 0])).tolist()
    least = 1e-12 * float(np.ptp(flat, axis=0).max()) ** 2

    def chain(numbers: list[int]) -> list[int]:
        kept: list[int] = []
        for k in numbers:
            while len(kept) > 1:
                a, b = flat[kept[-1]] - flat[kept[-2]], flat[k] - flat[kept[-1]]
                if a[0] * b[1] - a[1] * b[0] > least:
                    break
                kept.pop()
            kept.append(k)
        return kept[:-1]

    return chain(order) + chain(order[::-1])
