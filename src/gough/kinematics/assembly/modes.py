"""Assembly modes: every pose the platform can have with given actuator coordinates.

    modes = assembly_modes(platform, length)
    modes.poses, modes.count, modes.complete, modes.certified, modes.clusters
Method: docs/forward-kinematics.md.  UPS and SPS legs, and PUS and RUS legs as spheres about slider or crank tip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough import status
from gough.checks import Array, InputError, array
from gough.engines import native
from gough.kinematics.assembly.answers import NOWHERE, Answers, AssemblyModes, AssemblyModesBatch
from gough.kinematics.assembly.filters import FILTERS, admitted, joined
from gough.kinematics.forward import bare_pose, flat_pose, in_millimeters
from gough.kinematics.forward_results import MILLIMETERS
from gough.layout import LEG_GEOMETRY as LEG
from gough.links import with_links
from gough.model import Platform
from gough.struts import STRUT, anchors, leg_table, lengths_only, refuse_screws


def assembly_modes(
    platform: Platform,
    length: ArrayLike,
    filters: str | Sequence[str] = (),
    *,
    threads: int | None = None,
    disk_cache: bool = True,
    engine: str = "native",
) -> Any:
    """Every pose with actuator coordinates `length` (6,), or (..., 6) for an `AssemblyModesBatch`.

    filters: any of "stroke", "cones", "above", "crossings", "branch", "aspect" (filters.py), each removes real poses
    that the machine cannot take; "aspect" those that are proved out of reach from home without a singularity.
    threads: how many a batch is cut over (``GOUGH_THREADS``, else all processors); answers do not depend on it.
    disk_cache=False keeps the geometry's start system out of the user's cache folder.
    engine: "native", or "cuda": paths, proofs and poses on an NVIDIA GPU, by the same rules, for legs whose coordinate
    is the distance of their joints; what is open there is asked again on the CPU.

    >>> platform = gough.load("motion-base-1500")
    >>> length = gough.inverse_kinematics(platform, platform.home).length
    >>> modes = gough.assembly_modes(platform, length)
    >>> len(modes.poses), modes.complete
    (8, True)
    """
    if not isinstance(platform, Platform):
        raise InputError("platform", platform, "must be a gough.Platform")
    lam = _lengths(platform, length)
    filters = [filters] if isinstance(filters, str) else list(filters)
    for name in filters:
        if name not in FILTERS:
            raise InputError("filters", name, "must be among " + ", ".join(FILTERS))
    flat = lam.reshape(-1, 6)
    if engine != "native":
        from gough.kinematics.forward_card import check_engine

        check_engine(platform, engine)
    found = _all_modes(platform, flat, threads, disk_cache, engine)
    if filters or not lengths_only(platform):
        found = Answers.of(
            [_filtered(found.one(i), platform, at, filters) for i, at in enumerate(flat)]
        )
    if lam.ndim == 1:
        return found.one(0)
    return AssemblyModesBatch(found, np.arange(len(flat)).reshape(lam.shape[:-1]))


MANY = 256  # problems from which on pairs of legs are looked at one by one
LEFT, RIGHT = np.triu_indices(6, 1)
NO_POSE = AssemblyModes(NOWHERE, 0, 0, True, True, reason=status.UNREACHABLE)
IN_MILLIMETERS = replace(
    NO_POSE,
    reason=status.Status(status.UNREACHABLE.code, f"{status.UNREACHABLE}; {MILLIMETERS}"),
)


def _all_modes(
    platform: Platform, lam: Array, threads: int | None, disk: bool, engine: str
) -> Answers:
    """Answers for lam (N, 6) without filters."""
    from gough.kinematics.assembly.spheres import Spheres, fixed_geometry

    geometry = fixed_geometry(platform)
    c, l = (platform.base_joints, lam) if geometry else anchors(platform, lam)
    broken = contradiction(platform, c, l)
    if broken.any() or not len(lam):
        answers = [IN_MILLIMETERS if mm else NO_POSE for mm in in_millimeters(platform, lam)]
        where = np.flatnonzero(~broken).tolist()
        if where:
            found = _all_modes(platform, lam[where], threads, disk, engine)
            for k, i in enumerate(where):
                answers[i] = found.one(k)
        return Answers.of(answers)
    workers = 1 if len(lam) == 1 else threads or native.threads()
    c = np.broadcast_to(c, (*l.shape, 3))
    return Spheres(platform, c, l, geometry, disk, engine).answers(workers)


def _filtered(
    modes: AssemblyModes, platform: Platform, lam: Array, filters: Sequence[str]
) -> AssemblyModes:
    """With the poses that pass, and the branches of PUS and RUS legs."""
    poses, residual, removed = modes.poses, modes.residual, {}
    for name in filters:
        keep = admitted(name, platform, poses, lam)
        removed[name] = int((~keep).sum())
        poses, residual = bare_pose(flat_pose(poses)[keep]), residual[keep]
    on_branch = admitted("branch", platform, poses, lam)
    known = joined(platform, poses, lam) if "aspect" in filters else modes.joined
    return replace(
        modes, poses=poses, residual=residual, removed=removed, on_branch=on_branch, joined=known
    )


def _lengths(platform: Platform, length: ArrayLike) -> Array:
    lam = with_links(platform, "length", array("length", length, (6,)))
    refuse_screws(platform)
    struts = leg_table(platform)[:, LEG.kind] == STRUT
    if (lam[..., struts] <= 0).any():
        at = tuple(np.argwhere((lam <= 0) & struts)[0].tolist())
        name = platform.leg_names[at[-1]]
        raise InputError(
            f"length[{', '.join(map(str, at))}]", float(lam[at]), f"leg {name} must be positive, m"
        )
    return lam


def contradiction(platform: Platform, c: Array, l: Array) -> Any:
    """True if two legs alone break the polygon inequality: no pose exists, real or otherwise asked for."""
    p = platform.platform_joints
    d, D = (np.sqrt(np.square(x[..., LEFT, :] - x[..., RIGHT, :]).sum(axis=-1)) for x in (p, c))
    if l.ndim == 1 or len(l) < MANY:
        return _broken(l[..., LEFT], l[..., RIGHT], d, D).any(axis=-1)
    columns = np.ascontiguousarray(l.T)
    pairs = ((columns[i], columns[j]) for i, j in zip(LEFT, RIGHT, strict=True))
    each = (_broken(*pair, d[k], D[..., k]) for k, pair in enumerate(pairs))
    return reduce(np.logical_or, each)


def _broken(one: Array, other: Array, d: Array, D: Array) -> Any:
    """Of two lengths and the distances of their ends on the platform and on the base: they close no quadrilateral."""
    slack = 1e-12 * (one + other + d + D)
    return (np.abs(one - other) - (d + D) > slack) | (np.abs(d - D) - (one + other) > slack)


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
