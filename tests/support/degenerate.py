"""Machines with positive-dimensional sets of poses, class by class, and machines a small deviation away.

Every generator gives base and platform joints (6, 3) and a pose through which a continuum of poses with the same
leg lengths runs.  Sources: [Karger 2003] and [Roeschel, Mick 1998] on architecture singularity, [Husty, Karger 2000]
on Griffis-Duffy platforms, [Nawratil 2014] on congruent base and platform.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.spatial import Pose, rotation_exp
from support.hexapods import pairs

Machine = tuple[np.ndarray, np.ndarray, Pose]


def somewhere(rng: np.random.Generator) -> Pose:
    """A pose as a machine of 1 m would take it."""
    return Pose(
        [*rng.uniform(-0.2, 0.2, 2), rng.uniform(0.6, 1.2)], rotation_exp(0.4 * rng.normal(size=3))
    )


def _planar(xy: np.ndarray) -> np.ndarray:
    return np.column_stack([xy, np.zeros(len(xy))])


def _circle(rng: np.random.Generator) -> np.ndarray:
    angle = np.sort(rng.uniform(0, 2 * np.pi, 6)) + np.arange(6) * 0.1
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def four_on_one_joint(rng: np.random.Generator) -> Machine:
    """Four legs meet in one platform joint: their lines span three dimensions, never four."""
    b, p = rng.normal(size=(6, 3)), 0.6 * rng.normal(size=(6, 3))
    p[1:4] = p[0]
    return b, p, somewhere(rng)


def collinear_cross_ratio(rng: np.random.Generator) -> Machine:
    """Four joints on a line in base and platform, parameters related by a projectivity (equal cross-ratio)."""
    b, p = rng.normal(size=(6, 3)), 0.6 * rng.normal(size=(6, 3))
    beta = np.array([-1.0, -0.3, 0.4, 1.1]) + 0.1 * rng.normal(size=4)
    pi = (0.8 * beta + 0.1) / (0.3 * beta + 1.5)
    u, v = rng.normal(size=3), rng.normal(size=3)
    b[:4] = b[0] + beta[:, None] * u / np.linalg.norm(u)
    p[:4] = p[0] + pi[:, None] * v / np.linalg.norm(v)
    return b, p, somewhere(rng)


def conic_projective(rng: np.random.Generator) -> Machine:
    """Planar joints on conics, related by a projectivity of the planes."""
    b = _circle(rng)
    T = np.eye(3) + 0.2 * rng.normal(size=(3, 3))
    p = np.column_stack([b, np.ones(6)]) @ T.T
    return _planar(b), _planar(0.6 * p[:, :2] / p[:, 2:]), somewhere(rng)


def griffis_duffy(rng: np.random.Generator) -> Machine:
    """Two triangles; vertices of each go to points on the sides of the other (the midline type)."""
    angle = np.radians([90.0, 210.0, 330.0])
    b = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    side = 0.5 * (b + np.roll(b, -1, axis=0))
    size = rng.uniform(0.5, 0.9)
    base = np.empty((6, 2))
    base[0::2], base[1::2] = b, side
    top = np.empty((6, 2))
    turned = size * b @ np.array([[0.5, np.sqrt(0.75)], [-np.sqrt(0.75), 0.5]])
    top[0::2] = 0.5 * (np.roll(turned, 1, axis=0) + turned)
    top[1::2] = turned
    return _planar(base), _planar(top), somewhere(rng)


def similar_hexagons(rng: np.random.Generator) -> Machine:
    """Hexagons inscribed in circles, one an enlargement of the other."""
    b = pairs(1.0, rng.uniform(8, 25), 0.0)
    return b, rng.uniform(0.4, 0.8) * b, somewhere(rng)


def affine_hexagons(rng: np.random.Generator) -> Machine:
    """Hexagons inscribed in an ellipse and a circle, related by an affinity."""
    b = _circle(rng)
    return (
        _planar(b),
        _planar(b @ (0.6 * np.eye(2) + 0.1 * rng.normal(size=(2, 2)))),
        somewhere(rng),
    )


def congruent(rng: np.random.Generator) -> Machine:
    """Equal base and platform in parallel: equal legs let the platform wander on a sphere."""
    b = rng.normal(size=(6, 3))
    return b, b.copy(), Pose(rng.uniform(0.3, 1.0, 3))


def all_on_one_line(rng: np.random.Generator) -> Machine:
    """Base joints on one line: the machine turns about it."""
    b = np.linspace(-1, 1, 6)[:, None] * np.array([0.8, 0.6, 0.0]) + 0.1
    return b, 0.6 * rng.normal(size=(6, 3)), somewhere(rng)


CLASSES: dict[str, Callable[[np.random.Generator], Machine]] = {
    "four legs on one joint": four_on_one_joint,
    "four collinear joints": collinear_cross_ratio,
    "conic-projective": conic_projective,
    "Griffis-Duffy": griffis_duffy,
    "similar hexagons": similar_hexagons,
    "affine hexagons": affine_hexagons,
    "congruent": congruent,
    "joints on one line": all_on_one_line,
}


def congruent_rings(rng: np.random.Generator) -> Machine:
    """Equal semi-regular rings, turned by 60 degrees: 22 solutions; rings that differ have 28, anything else 40."""
    half = rng.uniform(5, 25)
    b = pairs(1.0, half, 0.0)
    return b, np.roll(pairs(1.0, half, 60.0), 1, axis=0), somewhere(rng)


def affine_in_space(rng: np.random.Generator) -> Machine:
    """Joints in affine relation, not in planes: eight paths end at infinity, 32 solutions."""
    b = rng.normal(size=(6, 3))
    return b, b @ (0.6 * np.eye(3) + 0.3 * rng.normal(size=(3, 3))), somewhere(rng)


def similar_in_space(rng: np.random.Generator) -> Machine:
    """One an enlargement of the other, not in planes: 24 solutions, the others on a curve at infinity."""
    b = rng.normal(size=(6, 3))
    return b, rng.uniform(0.4, 0.9) * b, somewhere(rng)


def collinear_triples(rng: np.random.Generator) -> Machine:
    """Three base joints on a line, the platform joints of the other legs, too: 32 solutions."""
    b, p = rng.normal(size=(6, 3)), 0.6 * rng.normal(size=(6, 3))
    b[2], p[5] = 0.3 * b[0] + 0.7 * b[1], 0.4 * p[3] + 0.6 * p[4]
    return b, p, somewhere(rng)


SOLVABLE: dict[str, tuple[Callable[[np.random.Generator], Machine], int]] = {
    "congruent rings": (congruent_rings, 22),
    "affine in space": (affine_in_space, 32),
    "similar in space": (similar_in_space, 24),
    "collinear triples": (collinear_triples, 32),
}
Draw = Callable[[np.random.Generator], np.ndarray]


def _everywhere(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(6, 3))


def _nowhere(rng: np.random.Generator) -> np.ndarray:
    return np.zeros((6, 3))


def _one_joint(rng: np.random.Generator) -> np.ndarray:
    move = np.zeros((6, 3))
    move[rng.integers(6)] = rng.normal(size=3)
    return move


def _in_plane(rng: np.random.Generator) -> np.ndarray:
    return _planar(rng.normal(size=(6, 2)))


MANNERS: dict[str, tuple[Draw, Draw]] = {  # moves of base and platform joints
    "all": (_everywhere, _everywhere),
    "flat": (_in_plane, _in_plane),
    "platform": (_nowhere, _everywhere),
    "joint": (_nowhere, _one_joint),
}


def deviated(
    machine: Machine, size: float, rng: np.random.Generator, manner: str = "all"
) -> Machine:
    """The same machine with joints moved by about `size`: all of them, or as MANNERS or `ring` say."""
    b, p, there = machine
    if manner == "ring":
        return (*_ring(b, p, size, rng), there)
    base, joint = MANNERS[manner]
    return b + size * base(rng), p + size * joint(rng), there


def _ring(
    b: np.ndarray, p: np.ndarray, size: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Another radius and other pairs of the base, which stays a semi-regular ring, as does the platform."""
    radius, turn = 1.0 + size * rng.normal(), size * rng.normal() * (-1.0) ** np.arange(6)
    c, s = np.cos(turn), np.sin(turn)
    turned = np.column_stack([c * b[:, 0] - s * b[:, 1], s * b[:, 0] + c * b[:, 1]])
    return _planar(radius * turned), p
