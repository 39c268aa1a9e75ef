"""Springs in the joints of a leg: flexures."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gough.checks import Array, Checked, InputError, array, not_negative
from gough.frozen import hinted
from gough.model.body import check_tensor
from gough.spatial import Pose


def check_stiffness(field: str, value: Any) -> Array:
    """A symmetric (3, 3) stiffness from itself, from three along the axes, or from one in all directions."""
    a = array(field, value)
    K = check_tensor(a * np.ones(3) if a.shape == () else a, field, "or three stiffnesses, or one")
    if np.linalg.eigvalsh(K)[0] < -1e-12 * np.abs(K).max():
        raise InputError(field, value, "must not be negative about any axis")
    return K


HINGES = ("first", "second", "platform_first", "platform_second")
_BALL, _UNIVERSAL = "the joint there is a ball: give ", "the joint there is universal: give "
_INSTEAD = {
    **dict.fromkeys(("first", "second"), _BALL + "base_ball"),
    **dict.fromkeys(("platform_first", "platform_second"), _BALL + "platform_ball"),
    "base_ball": _UNIVERSAL + "first, second",
    "platform_ball": _UNIVERSAL + "platform_first, platform_second",
}


def _pose(field: str, value: Any) -> Pose | None:
    if value is not None and not (isinstance(value, Pose) and value.shape == ()):
        raise InputError(field, value, "must be a single gough.Pose, or None")
    return value


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class JointSprings(Checked):
    """Rotational stiffness of one leg's joints, N m/rad; their damping is the leg's friction.

    first, second  of the universal joint about its first axis and about y = axis x s/|axis x s|
    platform_first, platform_second  of a universal joint at the platform (UCU, PSU), about platform_axis and y of it
    base_ball      (3, 3) of a ball joint at the base side; three numbers mean a diagonal, one all axes.  Of SPS and PSU
                   legs in base axes, of RSS legs in the crank's: world axes at zero crank angle, as its arm
    platform_ball  (3, 3) of the joint at the platform, platform axes
    home           the pose in which they are all relaxed, legs that spin freely without spin; None: the machine's home

    A ball's moment comes from its rotation vector th, energy ``th.K th/2``.  No joint of a leg with springs may turn
    150 degrees from rest.
    """

    first: float = 0.0
    second: float = 0.0
    base_ball: Array = field(default_factory=lambda: np.zeros((3, 3)))
    platform_ball: Array = field(default_factory=lambda: np.zeros((3, 3)))
    home: Pose | None = None
    platform_first: float = 0.0
    platform_second: float = 0.0

    CHECKS: ClassVar = {
        **dict.fromkeys(HINGES, not_negative),
        **dict.fromkeys(("base_ball", "platform_ball"), check_stiffness),
        "home": _pose,
    }

    @cached_property
    def any(self) -> bool:
        """Some joint resists turning."""
        balls = self.base_ball.any() or self.platform_ball.any()
        return bool(balls or any(getattr(self, name) > 0.0 for name in HINGES))


def universal_springs(field: str, value: Any) -> JointSprings:
    """Of a leg with a universal joint at its base side and a ball at the platform."""
    return _springs(field, value, "base_ball", "platform_first", "platform_second")


def ball_springs(field: str, value: Any) -> JointSprings:
    """Of a leg with balls at both ends."""
    return _springs(field, value, "first", "second", "platform_first", "platform_second")


def slider_springs(field: str, value: Any) -> JointSprings:
    """Of a leg with a ball at its base side and a universal joint at the platform."""
    return _springs(field, value, "first", "second", "platform_ball")


def pair_springs(field: str, value: Any) -> JointSprings:
    """Of a leg with universal joints at both ends."""
    return _springs(field, value, "base_ball", "platform_ball")


def _springs(field: str, value: Any, *foreign: str) -> JointSprings:
    if not isinstance(value, JointSprings):
        raise InputError(field, value, "must be a gough.JointSprings")
    for name in foreign:
        if np.any(getattr(value, name)):
            raise InputError(f"{field}.{name}", getattr(value, name), _INSTEAD[name])
    return value
