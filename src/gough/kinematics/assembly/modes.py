"""Assembly modes: every pose the platform can have with given actuator coordinates.

    modes = assembly_modes(platform, length)
    modes.poses, modes.count, modes.complete, modes.certified, modes.clusters
Method: docs/forward-kinematics.md.  UPS and SPS legs, and PUS and RUS legs as spheres about slider or crank tip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gough import status
from gough.checks import Array, InputError, array
from gough.kinematics.assembly.filters import FILTERS, admitted
from gough.kinematics.assembly.forms import to_pose
from gough.kinematics.forward import SOLVED, bare_pose, flat_pose
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import anchors, joints, leg_table

if TYPE_CHECKING:
    from gough.kinematics.assembly.geometry import Geometry
    from gough.kinematics.assembly.solve import Solutions


@dataclass(frozen=True, eq=False)
class Cluster:
    """Solutions that merge at or near a singularity and cannot be told apart.

    pose          where, if the middle of the cluster is real to within its spread, else None
    multiplicity  how many solutions meet there;   spread  their relative distance
    """

    pose: Pose | None
    multiplicity: int
    spread: float


@dataclass(frozen=True, eq=False)
class AssemblyModes:
    """Answer of `assembly_modes`.

    poses       the real poses, highest first; those removed by filters are not among them
    count       finite complex solutions found, clusters with their multiplicity
    expected    finite complex solutions of this geometry for general lengths
    complete    as many solutions as the geometry has, closed under conjugation, each proved real or not real: no pose
                is missing.  Two solutions that merge in a regular fold may be among them (clusters)
    certified   complete, and every solution proved (Newton-Kantorovich) and proved distinct from the others
    clusters    groups of solutions near a singularity that could not be separated
    at_infinity solutions that left for infinity at just these lengths
    undecided   solutions that are proved but neither proved real nor proved complex; they are not among the poses
    dimension   of a continuum of poses with these lengths (the machine moves with its legs locked), by numerical
                evidence, 0 where none was found;   continuum  some real poses on it
    residual    largest leg error of each pose, m
    on_branch   (n,) PUS and RUS: the pose is on every leg's own `assembly` or `elbow` branch
    removed     number of real poses removed, by filter
    reason      Status: a sentence, its code "ok" where `complete`
    """

    poses: Pose
    count: int
    expected: int
    complete: bool
    certified: bool
    clusters: tuple[Cluster, ...] = ()
    at_infinity: int = 0
    residual: Array = field(default_factory=lambda: np.zeros(0))
    on_branch: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    removed: dict[str, int] = field(default_factory=dict)
    reason: status.Status = status.OK
    undecided: int = 0
    dimension: int = 0
    continuum: Pose = field(default_factory=lambda: bare_pose(np.zeros((0, POSE.size))))

    def __len__(self) -> int:
        return len(self.poses.position)


def assembly_modes(
    platform: Platform,
    length: ArrayLike,
    filters: str | Sequence[str] = (),
    *,
    disk_cache: bool = True,
) -> AssemblyModes:
    """Every pose with actuator coordinates `length` (6,).

    filters: any of "stroke", "cones", "above", "crossings", "branch" (filters.py), each removes real poses that
    the machine cannot take.  disk_cache=False keeps the geometry's start system out of the user's cache folder.
    """
    if not isinstance(platform, Platform):
        raise InputError("platform", platform, "must be a gough.Platform")
    lam = _lengths(platform, length)
    filters = [filters] if isinstance(filters, str) else list(filters)
    for name in filters:
        if name not in FILTERS:
            raise InputError("filters", name, "must be among " + ", ".join(FILTERS))
    c, l = anchors(platform, lam)
    if contradiction(platform, c, l):
        empty = bare_pose(np.zeros((0, POSE.size)))
        return AssemblyModes(empty, 0, 0, True, True, reason=status.UNREACHABLE)
    from gough.kinematics.assembly.geometry import normalize
    from gough.kinematics.assembly.solve import solve

    fixed = all(kind in ("UPS", "SPS") for kind in platform.kinds)
    geometry = platform.__dict__.get("_fk_geometry") if fixed else None
    if geometry is None:
        geometry = normalize(c, platform.platform_joints)
        if fixed:
            platform.__dict__["_fk_geometry"] = geometry
    found = solve(geometry, l, fixed and disk_cache)
    poses, residual = _real_poses(platform, geometry, found.X[found.real == 1], c, l)
    clusters = tuple(_cluster(geometry, X) for X in found.clusters)
    count = len(found.X) + sum(k.multiplicity for k in clusters)
    certified = found.complete and not clusters
    on_it = geometry.world(*to_pose(found.continuum.X)) if found.continuum.dimension else None
    removed = {}
    for name in filters:
        keep = admitted(name, platform, poses, lam)
        removed[name] = int((~keep).sum())
        poses, residual = bare_pose(flat_pose(poses)[keep]), residual[keep]
    return AssemblyModes(
        poses=poses,
        count=count,
        expected=found.expected,
        complete=found.complete,
        certified=certified,
        clusters=clusters,
        at_infinity=found.at_infinity,
        residual=residual,
        on_branch=admitted("branch", platform, poses, lam),
        removed=removed,
        reason=_sentence(found),
        undecided=int((found.real < 0).sum()),
        dimension=found.continuum.dimension,
        continuum=poses[:0] if on_it is None else Pose.trusted(*on_it),
    )


def _lengths(platform: Platform, length: ArrayLike) -> Array:
    lam = array("length", length, (6,))
    if lam.ndim != 1:
        raise InputError(
            "length", f"shape {lam.shape}", "must be six numbers: one set of lengths at a time"
        )
    for i, kind in enumerate(platform.kinds):
        if kind in ("UPS", "SPS") and lam[i] <= 0:
            raise InputError(
                f"length[{i}]", float(lam[i]), f"leg {platform.leg_names[i]} must be positive, m"
            )
    return lam


def contradiction(platform: Platform, c: Array, l: Array) -> bool:
    """True if two legs alone break the polygon inequality: no pose exists, real or otherwise asked for."""
    p = platform.platform_joints
    d = np.linalg.norm(p[:, None] - p[None], axis=-1)
    D = np.linalg.norm(c[:, None] - c[None], axis=-1)
    li, lj = np.broadcast_arrays(l[:, None], l[None])
    sides = np.stack([d, D, li, lj])
    broken = 2 * sides.max(axis=0) > sides.sum(axis=0) * (1 + 1e-12)
    return bool((broken & ~np.eye(6, dtype=bool)).any())


def _real_poses(
    platform: Platform, geometry: Geometry, X: Array, c: Array, l: Array
) -> tuple[Pose, Array]:
    """Poses of real solutions, polished on the sphere equations in meters, highest first."""
    from gough.kinematics.forward_batch import solve_batch

    t, R = geometry.world(*to_pose(np.real(X)))
    guess = np.concatenate([t, R.reshape(-1, 9)], axis=1)
    table = np.zeros_like(leg_table(platform))
    table[:, LEG.base], table[:, LEG.joint], table[:, LEG.rho] = c, platform.platform_joints, 1.0
    flat, info = np.empty_like(guess), np.empty((len(guess), SOLVED))
    if len(guess):
        scale = platform.characteristic_length
        many = np.ascontiguousarray(np.broadcast_to(l, (len(guess), 6)))
        solve_batch(table, many, guess, scale, 0.0, False, flat, info)
        size = geometry.size
        near = np.abs(flat - guess).max(axis=1) < 1e-5 * (size + np.abs(guess).max(axis=1))
        same = (info[:, INFO.status] == 0) & near
        flat = np.where(same[:, None], flat, guess)
    x, y, z = flat[:, POSE.position].T
    poses = bare_pose(flat[np.lexsort((x, y, -z))])
    return poses, np.abs(np.linalg.norm(joints(platform, poses)[1] - c, axis=-1) - l).max(
        axis=1, initial=0.0
    )


def _cluster(geometry: Geometry, X: Array) -> Cluster:

    k = int(np.argmax(np.abs(X).min(axis=0)))
    X = X / X[:, k : k + 1]
    middle = X.mean(axis=0)
    spread = float(np.abs(X - middle).max() / np.abs(middle).max())
    pose = None
    if np.abs(middle.imag).max() <= (10 * spread + 1e-6) * np.abs(middle).max():
        t, R = geometry.world(*to_pose(middle.real[None]))
        pose = bare_pose(np.concatenate([t[0], R[0].reshape(9)]))
    return Cluster(pose, len(X), spread)


def _sentence(found: Solutions) -> status.Status:
    undecided, merged = int((found.real < 0).sum()), sum(len(X) for X in found.clusters)
    most = "" if found.trusted else "at most "
    parts = (
        (True, f"{len(found.X)} of {most}{found.expected} finite solutions proved and distinct"),
        (merged, f"{merged} more merge in {len(found.clusters)} clusters near a singularity"),
        (undecided, f"{undecided} of them are neither proved real nor proved complex"),
        (found.at_infinity, f"{found.at_infinity} lie at infinity for these lengths"),
        (
            found.continuum.dimension,
            f"a continuum of poses of dimension {found.continuum.dimension} has these lengths: no list is complete",
        ),
        (
            found.singular,
            f"{found.singular} paths end at singular solutions that do not merge: a continuum of poses is possible",
        ),
        (found.lost, f"{found.lost} paths are unaccounted for"),
        (not found.trusted, "the number of solutions of this geometry is not established"),
    )
    text = "; ".join(text for said, text in parts if said)
    if found.expected == 0:
        text = "singular in every pose: the legs never determine the platform; " + text
    return status.Status("ok" if found.complete else "incomplete", text)


def explain(platform: Platform, length: ArrayLike) -> str:
    """Why a forward kinematics found nothing: a sentence on how many poses these coordinates have at all."""
    modes = assembly_modes(platform, length)
    if modes.dimension:
        return f"the pose is not determined: {modes.reason}"
    if len(modes):
        n = "one pose has" if len(modes) == 1 else f"{len(modes)} poses have"
        said = f"{n} these coordinates, none near the guess on a connected branch"
        return said if modes.complete else f"at least {said}; there may be more: {modes.reason}"
    if modes.count == 0 and modes.complete:
        return modes.reason
    if modes.complete and not modes.clusters:
        return f"no real assembly exists: all {modes.count} solutions are complex, proved"
    return f"no real pose was found: {modes.reason}"
