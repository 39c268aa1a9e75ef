"""Mode changes: which assembly modes are joined by paths without a singularity (aspects).

Two modes belong to the same aspect if some path between them avoids all singularities; the platform can then
change between them without ever losing stiffness.  Different signs of the determinant separate them for certain.
Equal signs are tried with certified straight paths (regular_paths.py), directly and by way of random
poses: a connection found is proved, one not found stays open.  PUS and RUS legs stay on their own branch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gough.checks import InputError
from gough.frozen import hinted
from gough.kinematics.regular_paths import path_check
from gough.model import Platform
from gough.spatial import Pose, rotation_from_quaternion
from gough.struts import struts


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Aspects:
    """label (n,): modes with equal labels are proved connected;  sign (n,) of the determinant, 0: not proved
    connected (n, n) proved joined;  separated (n, n) proved not joined (different signs)
    via: for each joined pair not joined directly, the indices into `waypoints` of a certified way
    """

    label: NDArray[np.int64]
    sign: NDArray[np.int64]
    connected: NDArray[np.bool_]
    separated: NDArray[np.bool_]
    waypoints: Pose
    via: dict[tuple[int, int], tuple[int, ...]]

    @property
    def open(self) -> NDArray[np.bool_]:
        """Pairs neither proved joined nor proved separated."""
        return ~(self.connected | self.separated)


def aspects(platform: Platform, modes: Pose, samples: int = 200, seed: int = 0) -> Aspects:
    """Group `modes` (n poses, e.g. AssemblyModes.poses) by certified connections.

    samples: random poses tried as waypoints, spread over the box and orientations that the modes span.
    """
    if len(modes.shape) != 1:
        raise InputError("modes", f"shape {modes.shape}", "must be a list of poses, shape (n,)")
    n = modes.shape[0]
    rng = np.random.default_rng(seed)
    middle, reach = _box(platform, modes)
    turn = (
        rotation_from_quaternion(rng.normal(size=(samples, 4))) if samples else np.zeros((0, 3, 3))
    )
    waypoints = Pose(middle + reach * rng.uniform(-1, 1, (samples, 3)), turn)
    t = np.concatenate([modes.position, waypoints.position])
    R = np.concatenate([modes.rotation, waypoints.rotation])
    everywhere = Pose(t, R)
    sure = path_check(
        platform, everywhere, everywhere
    ).regular  # the sign is that of the exact determinant
    g = struts(platform, everywhere)
    rows = g.rows_over(platform.characteristic_length)
    rows = np.where(np.isfinite(rows).all(axis=(1, 2), keepdims=True), rows, 0.0)  # out of reach
    sign = np.where(sure, np.sign(np.linalg.det(rows)), 0).astype(np.int64)
    edge = _edges(platform, t, R, sign, n)
    label, via = _ways(edge, n)
    same = label[:n, None] == label[None, :n]
    apart = sign[:n, None] * sign[None, :n] < 0
    return Aspects(_renumber(label[:n]), sign[:n], same, apart, waypoints, via)


def same_aspect(
    platform: Platform, pose_a: Pose, pose_b: Pose, samples: int = 60, seed: int = 0
) -> bool | None:
    """True: proved joined without a singularity; False: proved separated; None: neither is proved."""
    for name, pose in (("pose_a", pose_a), ("pose_b", pose_b)):
        if pose.shape != ():
            raise InputError(name, f"shape {pose.shape}", "must be a single pose")
    both = Pose.trusted(
        np.stack([pose_a.position, pose_b.position]), np.stack([pose_a.rotation, pose_b.rotation])
    )
    for tried in (0, samples):  # most often the direct way decides
        found = aspects(platform, both, tried, seed)
        if found.connected[0, 1] or found.separated[0, 1]:
            return bool(found.connected[0, 1])
    return None


def _box(platform: Platform, modes: Pose) -> tuple[np.ndarray, np.ndarray]:
    if modes.shape[0] == 0:
        return np.zeros(3), np.zeros(3)
    low, high = modes.position.min(axis=0), modes.position.max(axis=0)
    return (low + high) / 2, (high - low) / 2 + platform.characteristic_length


def _edges(
    platform: Platform, t: np.ndarray, R: np.ndarray, sign: NDArray[np.int64], n: int
) -> NDArray[np.bool_]:
    """Certified straight connections: among the modes, from modes to samples, and among the samples."""
    m = len(t)
    i, j = np.triu_indices(m, 1)
    keep = (sign[i] == sign[j]) & (sign[i] != 0)
    i, j = i[keep], j[keep]
    edge = np.zeros((m, m), dtype=bool)
    for begin in range(0, len(i), 4096):
        a, b = i[begin : begin + 4096], j[begin : begin + 4096]
        edge[a, b] = path_check(platform, Pose(t[a], R[a]), Pose(t[b], R[b])).regular
    return edge | edge.T


def _ways(
    edge: NDArray[np.bool_], n: int
) -> tuple[NDArray[np.int64], dict[tuple[int, int], tuple[int, ...]]]:
    """Component labels, and shortest ways (waypoint indices) between modes that are not neighbors."""
    m = len(edge)
    label = np.full(m, -1, dtype=np.int64)
    via: dict[tuple[int, int], tuple[int, ...]] = {}
    for start in range(m if n else 0):
        if label[start] >= 0 and start >= n:
            continue
        parent = np.full(m, -1)
        parent[start] = start
        front = [start]
        while front:
            reached = []
            for node in front:
                for other in np.flatnonzero(edge[node] & (parent < 0)):
                    parent[other] = node
                    reached.append(int(other))
            front = reached
        component = parent >= 0
        if label[start] < 0:
            label[component] = label.max(initial=-1) + 1
        for end in range(start + 1, n):
            if start < n and component[end] and not edge[start, end]:
                via[(start, end)] = _back(parent, start, end, n)
    return label, via


def _back(parent: np.ndarray, start: int, end: int, n: int) -> tuple[int, ...]:
    """Way from start to end; waypoints as their index, other modes as negative numbers -1 - index."""
    way, node = [], int(parent[end])
    while node != start:
        way.append(node - n if node >= n else -1 - node)
        node = int(parent[node])
    return tuple(reversed(way))


def _renumber(label: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]
