"""The machine that explains efforts best among those whose bodies can exist, held near the nominal one.

Least squares over masses, moments, friction and rotors, and for each body with pseudo-inertia P and nominal P0

    d(P, P0) = tr(P0^-1 P) - log det(P0^-1 P) - 4        (of a single number x/x0 - log(x/x0) - 1)
which is zero at the nominal body, half the square of small relative changes whatever the unit, and infinite where a
body could not exist: no eigenvalue becomes negative, no bound is needed.  It is what Lee, Wensing and Park (2020) take
for a distance of inertias.  The whole is convex: damped Newton's steps find its only minimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.metrology.inertial import (
    COULOMB,
    Inertial,
    NumbersPlace,
    body_of,
    pseudo_inertia,
)
from gough.model import Platform
from gough.model.body import collected_warnings

LIKELY = 1.0  # relative change that is taken as likely beforehand
THIN = (
    0.03  # of a body's size: bodies without extension get this much, or nothing could change them
)
STEPS, SETTLED = 200, 1e-9  # Newton's decrement, squared: in squared deviations
BASIS = pseudo_inertia(np.eye(10))  # (10, 4, 4)


@dataclass(frozen=True, eq=False)
class _Bodies:
    """Columns of whole bodies and of single numbers, with their nominal values."""

    columns: list[list[int]]
    nominal: list[Array]
    loose: list[int]
    start: Array


def consistent_machine(known: Inertial, names: tuple[str, ...], A: Array, b: Array) -> Platform:
    """The machine of the bodies found; `A`, `b` weighted rows over the numbers of `names`.

    A body some of whose ten numbers are not among `names` keeps them all but in the sum: only whole bodies and single
    numbers are changed.  What the efforts do not feel stays as it was.
    """
    R = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))  # the same sum in few rows
    A, b = R[:, :-1], R[:, -1]
    place = {name: k for k, name in enumerate(names)}
    whole = [p for p in known.places if p.width == 10 and _all_in(known, p, place)]
    start = _numbers(known, names)
    columns = [[place[known.names[k]] for k in range(p.first, p.first + 10)] for p in whole]
    held = {k for row in columns for k in row} | set(np.flatnonzero(~A.any(axis=0)).tolist())
    part = {k for p in known.places if p.width == 10 for k in _places(known, p, place)} - held
    loose = [k for k in range(len(names)) if k not in held | part]
    nominal = [_thick(pseudo_inertia(_ten(known, p))) for p in whole]
    begin = start.copy()
    for at, P in zip(columns, nominal, strict=True):
        begin[at] = _moments(P)
    begin[loose] = np.maximum(start[loose], _steps(A, loose))
    value = _lowest(A, b, _Bodies(columns, nominal, loose, begin), part)
    return machine_with(known, dict(zip(names, value.tolist(), strict=True)))


def _lowest(A: Array, b: Array, bodies: _Bodies, kept: set[int]) -> Array:
    """Newton's steps from the nominal machine; each is shortened until bodies can exist and the sum falls."""
    phi = bodies.start.copy()
    free = np.array(sorted(_free(bodies) - kept), dtype=np.int64)
    for _ in range(STEPS):
        value, g, H = _sum(A, b, bodies, phi)
        step = np.zeros_like(phi)
        step[free] = -np.linalg.solve(H[np.ix_(free, free)], g[free])
        decrement = -float(g[free] @ step[free])
        if decrement < SETTLED:
            return phi
        share = 1.0
        while share > 1e-12:
            new = _value(A, b, bodies, phi + share * step)
            if new <= value - 1e-4 * share * decrement:
                break
            share /= 2.0
        else:
            return phi  # rounding: no step lowers the sum
        phi = phi + share * step
    raise InfeasibleError("the search for bodies that can exist did not end")


def _free(bodies: _Bodies) -> set[int]:
    return {k for row in bodies.columns for k in row} | set(bodies.loose)


def _value(A: Array, b: Array, bodies: _Bodies, phi: Array) -> float:
    """The sum; infinite where a body could not exist."""
    total, weight = 0.5 * float(((A @ phi - b) ** 2).sum()), LIKELY**-2
    for at, P0 in zip(bodies.columns, bodies.nominal, strict=True):
        P = pseudo_inertia(phi[at])
        try:
            np.linalg.cholesky(P)
        except np.linalg.LinAlgError:
            return float("inf")
        ratio = np.linalg.solve(P0, P)
        total += weight * (float(np.trace(ratio)) - float(np.linalg.slogdet(ratio)[1]) - 4.0)
    x = phi[bodies.loose] / bodies.start[bodies.loose]
    if (x <= 0.0).any():
        return float("inf")
    return total + weight * float((x - np.log(x) - 1.0).sum())


def _sum(A: Array, b: Array, bodies: _Bodies, phi: Array) -> tuple[float, Array, Array]:
    """The sum, its gradient and its Hessian."""
    g, H = A.T @ (A @ phi - b), A.T @ A
    weight = LIKELY**-2
    for at, P0 in zip(bodies.columns, bodies.nominal, strict=True):
        inverse = np.linalg.inv(pseudo_inertia(phi[at]))
        g[at] += weight * np.einsum("ij,kji->k", np.linalg.inv(P0) - inverse, BASIS)
        half = inverse @ BASIS
        H[np.ix_(at, at)] += weight * np.einsum("kij,lji->kl", half, half)
    x, x0 = phi[bodies.loose], bodies.start[bodies.loose]
    g[bodies.loose] += weight * (1.0 / x0 - 1.0 / x)
    H[bodies.loose, bodies.loose] += weight / x**2
    return _value(A, b, bodies, phi), g, H


def _places(known: Inertial, body: NumbersPlace, place: dict[str, int]) -> list[int]:
    own = (known.names[k] for k in range(body.first, body.first + body.width))
    return [place[name] for name in own if name in place]


def _all_in(known: Inertial, body: NumbersPlace, place: dict[str, int]) -> bool:
    return len(_places(known, body, place)) == body.width


def _numbers(known: Inertial, names: tuple[str, ...]) -> Array:
    """Nominal values; dry friction, which `known` does not list, from the drives."""
    value = dict(zip(known.names, known.value.tolist(), strict=True))
    for leg, name in zip(known.platform.legs, known.platform.leg_names, strict=True):
        value[f"{name}.{COULOMB}"] = 0.0 if leg.drive is None else leg.drive.coulomb
    return np.array([value[name] for name in names])


def _ten(known: Inertial, place: NumbersPlace) -> Array:
    return known.value[place.first : place.first + 10]


def _moments(P: Array) -> Array:
    """(10,) numbers of a pseudo-inertia: those whose combination of the basis it is."""
    return np.einsum("ij,kij->k", P, BASIS) / np.einsum("kij,kij->k", BASIS, BASIS)


def _thick(P: Array) -> Array:
    """A nominal pseudo-inertia made positive: flat, thin or impossible bodies get a little of what they lack."""
    mass, h = P[3, 3], P[:3, 3]
    about = P[:3, :3] - np.outer(h, h) / mass
    values, vectors = np.linalg.eigh(about)
    size = max(float(np.trace(P[:3, :3])) / mass, 1e-12)
    least = THIN**2 * size * mass
    if values.min() >= least:
        return P
    out = P.copy()
    out[:3, :3] = (vectors * np.maximum(values, least)) @ vectors.T + np.outer(h, h) / mass
    return out


def _steps(A: Array, loose: list[int]) -> Array:
    """Changes of single numbers that show in the efforts by one deviation: for numbers that are zero at first."""
    size = np.linalg.norm(A[:, loose], axis=0)
    return 1.0 / np.where(size > 0.0, size, 1.0)


def machine_with(known: Inertial, value: dict[str, float]) -> Platform:
    """The machine with these numbers."""
    platform = known.platform
    body, legs = platform.body, list(platform.legs)
    with collected_warnings():
        for place in known.places:
            own = [known.names[k] for k in range(place.first, place.first + place.width)]
            if not any(name in value for name in own):
                continue
            numbers = [value.get(n, float(known.value[place.first + k])) for k, n in enumerate(own)]
            made = body_of(np.array(numbers)) if place.width == 10 else numbers[0]
            if place.leg is None:
                assert not isinstance(made, float)
                body = made
            else:
                legs[place.leg] = _within(legs[place.leg], place.path, made)
        for i, name in enumerate(platform.leg_names):
            drive = legs[i].drive
            if f"{name}.{COULOMB}" in value and drive is not None:
                legs[i] = legs[i].replace(drive=drive.replace(coulomb=value[f"{name}.{COULOMB}"]))
        return platform.replace(body=body, legs=tuple(legs))


def _within(item: Any, path: tuple[str, ...], value: object) -> Any:
    """A copy with one field changed, checked as any machine is."""
    inner = value if not path[1:] else _within(getattr(item, path[0]), path[1:], value)
    return item.replace(**{path[0]: inner})
