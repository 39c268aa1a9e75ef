"""The packed parameters (engines/pack.py) of many designs: those of one of them, with what differs written over.

Bodies as the constructors make them (model/geometry.py): legs of two rods, a disc as platform, payloads fixed to it.
Moments as of engines/pack.py: ``m r`` and ``tr(I)/2 E - I + m r r^T``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gough.checks import Array
from gough.design.design_arrays import UNPACKED, DesignArrays, Values, all_values
from gough.engines.pack import SIX, packed
from gough.layout import BODY, STRUT
from gough.model import Body, Platform

if TYPE_CHECKING:
    from gough.design.spec import MachineSpec

ROD_SHARE = 0.6  # of a leg's length at home, each of its two parts (model/geometry.py)
LEG_MASS, PLATFORM_MASS = 1.0, 10.0  # kg, where they are not said (`FamilyOptions`)


class Bodies(NamedTuple):
    """n bodies: mass (n,), center (n, 3), inertia (n, 3, 3) about the center."""

    mass: Array
    center: Array
    inertia: Array

    def moments(self) -> tuple[Array, Array]:
        """First (n, 3) and second (n, 6) moments about the origin."""
        first = self.mass[:, None] * self.center
        trace = np.trace(self.inertia, axis1=-2, axis2=-1)
        second = trace[:, None, None] / 2 * np.eye(3) - self.inertia
        second = second + first[:, :, None] * self.center[:, None, :]
        return first, np.stack([second[:, i, j] for i, j in SIX], axis=-1)

    def with_payload(self, mass: Array, center: Array, inertia: Array) -> Bodies:
        """With another body (n) on each."""
        both = self.mass + mass
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (self.mass[:, None] * self.center + mass[:, None] * center) / both[:, None]
        middle = np.where(both[:, None] > 0.0, middle, self.center)
        total = np.zeros_like(self.inertia)
        for m, c, i in ((self.mass, self.center, self.inertia), (mass, center, inertia)):
            r = c - middle
            about = (r * r).sum(axis=-1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :]
            total = total + (i + m[:, None, None] * about)
        added = (mass != 0.0) | inertia.any(axis=(-2, -1))
        return Bodies(
            both,
            np.where(added[:, None], middle, self.center),
            np.where(added[:, None, None], total, self.inertia),
        )


def why_unmoved(template: Platform) -> str | None:
    """Why forces of designs like this one are not computed by batch."""
    machine = packed(template)
    if machine.spins or len(machine.parameters) != BODY.size + 6 * STRUT.size:
        return UNPACKED + "forces of legs with more than plain parameters are not packed"
    return None


def design_parameters(
    machine: MachineSpec,
    template: Platform,
    made: DesignArrays,
    values: Values,
    payload: Body | None,
) -> Array:
    """(n, parameters) for the engines; `why_unmoved` is None.

    template  the machine that is changed, or of a family any design: what is not written over is the same in all
    """
    count = len(made.sure)
    given = all_values(machine, values, count)
    par = np.repeat(packed(template).parameters[None], count, axis=0)
    body = _platforms(machine, template, made, given)
    if "payload" in given:
        on = given["payload"]
        body = body.with_payload(on, body.center, np.zeros((count, 3, 3)))
    if payload is not None:
        fixed = (
            np.repeat(np.asarray(x)[None], count, axis=0)
            for x in (payload.mass, payload.center, payload.inertia)
        )
        body = body.with_payload(*fixed)
    par[:, BODY.mass] = body.mass
    par[:, BODY.first], par[:, BODY.second] = body.moments()
    for i in range(6):
        row = par[:, BODY.size + i * STRUT.size : BODY.size + (i + 1) * STRUT.size]
        row[:, STRUT.joint], row[:, STRUT.base] = made.joint[:, i], made.base[:, i]
        if machine.family is not None:
            row[:, STRUT.axis] = made.axis[:, i]
            _rods(row, given.get("leg_mass", np.full(count, LEG_MASS)), made.length[:, i])
    return par


def _platforms(
    machine: MachineSpec, template: Platform, made: DesignArrays, given: dict[str, Array]
) -> Bodies:
    count = len(made.sure)
    if machine.family is None:
        own = template.body
        parts = (own.mass, own.center, own.inertia)
        return Bodies(*(np.repeat(np.asarray(x)[None], count, axis=0) for x in parts))
    m, r = given.get("platform_mass", np.full(count, PLATFORM_MASS)), made.radius
    h = r / 10
    across = m * (3 * r * r + h * h) / 12
    return Bodies(m, np.zeros((count, 3)), _diagonal(across, across, m * r * r / 2))


def _rods(row: Array, mass: Array, length: Array) -> None:
    """Write lower and upper part of one leg of each design."""
    m, l = mass / 2, ROD_SHARE * length
    r = np.abs(l) / 40
    across = m * (3 * r * r + l * l) / 12
    inertia, zero = _diagonal(m * r * r / 2, across, across), np.zeros_like(l)
    lower, upper = (
        Bodies(m, np.stack([side * l / 2, zero, zero], axis=-1), inertia).moments()
        for side in (1.0, -1.0)
    )
    row[:, STRUT.lower_first], row[:, STRUT.upper_first] = lower[0], upper[0]
    row[:, STRUT.second], row[:, STRUT.upper_second] = lower[1] + upper[1], upper[1]
    row[:, STRUT.lower_mass] = row[:, STRUT.upper_mass] = m


def _diagonal(x: Array, y: Array, z: Array) -> Array:
    """(n, 3, 3) tensors."""
    return np.stack([x, y, z], axis=-1)[..., None] * np.eye(3)
