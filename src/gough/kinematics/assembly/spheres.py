"""From spheres to answers: the compiled call for all problems, the thorough way for those that it leaves open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough import status
from gough.checks import Array
from gough.kinematics.assembly.answers import NOWHERE, Answers, AssemblyModes, Cluster
from gough.kinematics.assembly.batch import ROWS, find, pose_rows
from gough.kinematics.assembly.card import find_on_card
from gough.kinematics.assembly.forms import Complex, to_pose
from gough.kinematics.assembly.generic import generic_start
from gough.kinematics.assembly.geometry import Geometry, normalize
from gough.kinematics.assembly.paths import Legs
from gough.kinematics.assembly.solve import Solutions, solve
from gough.kinematics.assembly.start import build, lookup, obtain, seen_before
from gough.kinematics.forward import bare_pose
from gough.model import Platform
from gough.spatial import Pose
from gough.struts import lengths_only

DIGITS = 1e-13  # rounding of the joints, relative, that is worth a word


def fixed_geometry(platform: Platform) -> Geometry | None:
    """The normalized joints of a machine whose sphere centers do not move, kept with it."""
    if not lengths_only(platform):
        return None
    geometry = platform.__dict__.get("_fk_geometry")
    if geometry is None:
        geometry = normalize(platform.base_joints, platform.platform_joints)
        platform.__dict__["_fk_geometry"] = geometry
    return geometry


def family_start(platform: Platform) -> tuple[Legs, Complex, bool]:
    """A start for all machines with this platform, wherever the sphere centers are: random centers, kept with it.

    No machine of this irreducible family has more isolated solutions than a random one of it.
    """
    kept = platform.__dict__.get("_fk_family")
    if kept is None:
        size = np.sqrt(np.var(platform.base_joints, axis=0).sum() / 3)
        centers = size * np.random.default_rng(6).normal(size=(6, 3))
        geometry = normalize(centers, platform.platform_joints, turn=False)
        start = build(geometry)
        legs = Legs(geometry.b, geometry.p, start.length_squared)
        kept = (legs, start.X, False) if start.trusted else (*generic_start(), False)
        platform.__dict__["_fk_family"] = kept
    return kept


@dataclass(frozen=True, eq=False)
class Spheres:
    """Sphere centers c (N, 6, 3) and radii l (N, 6), m; the geometry of a machine with fixed centers, else None."""

    platform: Platform
    c: Array
    l: Array
    geometry: Geometry | None
    disk: bool
    engine: str = "native"

    def answers(self, threads: int) -> Answers:
        """One for each problem, in their order."""
        start = self._start()
        if start is None:
            return Answers.of([self._thorough(i) for i in range(len(self.l))])
        joint = self.platform.platform_joints
        geometries = (
            [self.geometry] if self.geometry else [normalize(c, joint, turn=False) for c in self.c]
        )
        _, X, halved = start
        expected = len(X) * (2 if halved else 1)
        if self.engine == "cuda":
            found = find_on_card(geometries[0], self.c[0], self.l, joint, start)
        else:
            found = find(geometries, self.c, self.l, joint, start, threads)
        left = np.flatnonzero(found.count != expected).tolist()
        others = {i: self._thorough(i) for i in left}
        return Answers(expected, found.number, found.first, found.rows, found.residual, others)

    def _start(self) -> tuple[Legs, Complex, bool] | None:
        """Where the compiled call starts: the geometry's own start, a general machine, or None: not at all.

        On the card joints stay where they are on the way: it starts from the geometry's own start alone."""
        geometry = self.geometry
        if geometry is None:
            return family_start(self.platform)
        if geometry.singular:
            return None
        if (
            self.engine == "native"
            and lookup(geometry, self.disk) is None
            and len(self.l) == 1
            and not seen_before(geometry.key)
        ):
            return *generic_start(), False
        start = obtain(geometry, self.disk)
        if not start.trusted:
            return None
        return Legs(geometry.b, geometry.p, start.length_squared), start.X, start.halved

    def _thorough(self, i: int) -> AssemblyModes:
        """The answer with all that is known about what could not be proved."""
        joint, geometry = (
            self.platform.platform_joints,
            self.geometry or normalize(self.c[i], self.platform.platform_joints),
        )
        found = solve(geometry, self.l[i], self.geometry is not None and self.disk)
        X = np.ascontiguousarray(found.X[found.real == 1], dtype=complex)
        rows, residual = np.empty((len(X), ROWS)), np.empty(len(X))
        g = geometry
        pose_rows(
            X,
            self.c[i] - g.base_origin,
            joint - g.joint_origin,
            g.size,
            g.base_origin,
            g.base_axes,
            g.joint_origin,
            g.joint_axes,
            self.l[i],
            rows,
            residual,
        )
        clusters = tuple(_cluster(geometry, X) for X in found.clusters)
        continuum = NOWHERE
        if found.continuum.dimension:
            continuum = Pose.trusted(*geometry.world(*to_pose(found.continuum.X)))
        return AssemblyModes(
            poses=bare_pose(rows),
            count=len(found.X) + sum(k.multiplicity for k in clusters),
            expected=found.expected,
            complete=found.complete,
            certified=found.complete and not clusters,
            clusters=clusters,
            at_infinity=found.at_infinity,
            residual=residual,
            on_branch=np.ones(len(X), dtype=bool),
            reason=sentence(found, geometry.rounding),
            undecided=int((found.real < 0).sum()),
            dimension=found.continuum.dimension,
            continuum=continuum,
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


def sentence(found: Solutions, rounding: float) -> status.Status:
    """What is proved and what is not; rounding: of the joints, relative."""
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
        (
            not found.trusted and rounding > DIGITS,
            f"the numbers given tell the smaller of base and platform only to {rounding:.0e} of its size",
        ),
    )
    text = "; ".join(text for said, text in parts if said)
    if found.expected == 0:
        text = (
            "singular in every pose, to the rounding of the joints: the legs never determine the platform; "
            + text
        )
    return status.Status("ok" if found.complete else "incomplete", text)
