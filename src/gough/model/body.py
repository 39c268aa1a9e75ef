"""Rigid bodies and joint friction."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Checked, Frozen, InputError, array, not_negative, number, vector
from gough.frozen import hinted


class ModelWarning(UserWarning):
    """The machine is accepted, but something about it is worth knowing."""


_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


def model_warning(text: str) -> None:
    """Warn the line outside this library that made the machine, or hand `text` to the open `collected_warnings`."""
    box = _collected.get()
    if box is not None:
        box.append(text)
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("gough."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, ModelWarning, stacklevel=level)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Gather the model warnings of a block as text instead of issuing them (safe with threads)."""
    box: list[str] = []
    token = _collected.set(box)
    try:
        yield box
    finally:
        _collected.reset(token)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Body(Frozen):
    """A rigid body in its own local axes.

    mass     kg, not negative
    center   (3,) mass center from the local origin, m
    inertia  (3, 3) tensor **about the mass center**, local axes, kg m^2; three numbers mean a diagonal
    """

    mass: float
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))

    def __init__(
        self, mass: float, center: ArrayLike = (0, 0, 0), inertia: ArrayLike = (0, 0, 0)
    ) -> None:
        object.__setattr__(self, "mass", number("mass", mass, minimum=0.0))
        object.__setattr__(self, "center", vector("center", center))
        object.__setattr__(self, "inertia", check_tensor(inertia))
        problem = inertia_problem(self.inertia)
        if problem:
            model_warning(f"inertia is not physical: {problem}")

    def second_moment(self) -> Array:
        """``Σ = tr(I)/2 E − I = ∫ r rᵀ dm`` about the mass center, local axes, kg m^2."""
        return np.trace(self.inertia) / 2 * np.eye(3) - self.inertia

    def admissible(self, floor: float = 1e-5) -> Body:
        """The nearest body with a physical tensor: eigenvalues of ``Σ`` raised to `floor`, kg m^2."""
        w, v = np.linalg.eigh(self.second_moment())
        if w.min() >= floor:
            return self
        sigma = (v * np.maximum(w, floor)) @ v.T
        inertia = np.trace(sigma) * np.eye(3) - sigma
        return Body(self.mass, self.center, (inertia + inertia.T) / 2)


def check_tensor(
    value: ArrayLike, field: str = "inertia", otherwise: str = "or three principal moments"
) -> Array:
    """A symmetric (3, 3) tensor from itself or from its three principal moments."""
    a = array(field, value)
    if a.shape == (3,):
        a = np.diag(a)
    if a.shape != (3, 3):
        raise InputError(field, f"shape {a.shape}", f"must be 3x3, {otherwise}")
    if not np.allclose(a, a.T, rtol=1e-9, atol=1e-15):
        raise InputError(field, value, "must be symmetric")
    a = (a + a.T) / 2
    a.flags.writeable = False
    return a


def inertia_problem(inertia: Array, tolerance: float = 1e-9) -> str | None:
    """Why a tensor cannot belong to a body of positive density, or None."""
    moments = np.linalg.eigvalsh(inertia)
    scale = max(float(np.abs(moments).max()), 1e-300)
    if moments[0] < -tolerance * scale:
        return f"principal moment {moments[0]:.4g} is negative"
    if moments[2] > moments[0] + moments[1] + tolerance * scale:
        return (
            f"principal moments {moments[0]:.4g}, {moments[1]:.4g}, {moments[2]:.4g} "
            "break the triangle inequality"
        )
    return None


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Friction(Checked):
    """Joint friction of one leg: viscous, and dry where `inverse_dynamics(dry=True)` asks for it.

    universal  moment per relative rate in the base-side joint (a ball joint for SPS, PSU, RSS), N m s
    prismatic  effort per actuator rate: N s/m, or N m s (shaft of RUS, RSS)
    spherical  moment per relative rate in the platform joint, N m s
    cylindrical  moment per rate of twist of the upper part in the lower one, N m s (UCU, UCS only)
    universal_dry, spherical_dry  moment per force through that joint, m: coefficient of friction times the radius at
               which the joint slides; about each axis of a universal joint
    """

    universal: float = 0.0
    prismatic: float = 0.0
    spherical: float = 0.0
    cylindrical: float = 0.0
    universal_dry: float = 0.0
    spherical_dry: float = 0.0

    CHECKS: ClassVar = dict.fromkeys(
        ("universal", "prismatic", "spherical", "cylindrical", "universal_dry", "spherical_dry"),
        not_negative,
    )
