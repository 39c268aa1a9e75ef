"""Cylindrical pairs (UCU legs): the twist as a row, the screw that couples it to the length, friction and spring.

i is the lower, j the upper part, both with their first axis along the leg: two `Perpendicular` rows keep it so, two
`Slide` rows keep it in place.  The twist phi is the angle of the upper part's second axis y_j in the lower part's axes,
    C = y_i . y_j,   S = z_i . y_j,   phi = atan2(S, C) in the turn nearest to the one at home.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations.arrays import column, pair_arrays
from gough.formulations.linear import centripetal, cross, dot
from gough.formulations.multibody.constraints import BodyState, Index, Joint, Slide
from gough.model import UCU, Platform
from gough.spatial import Pose

X, Y, Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Twist(Joint):
    """Twist of body j in body i about their first axes, counted from `home` (n,): ``phi = home + atan2(..)``.

    On the constraints its rate is ``x.(w_j - w_i)``; a multiplier is a torque about that axis.
    """

    home: Array
    rows = 1

    def _products(self, state: BodyState) -> tuple[Array, Array, Array]:
        """``Z, Y`` of body i turned by `home`, and y of body j."""
        y, z = state.to_world(self.i, Y), state.to_world(self.i, Z)
        c, s = np.cos(self.home)[:, None], np.sin(self.home)[:, None]
        return c * z - s * y, c * y + s * z, state.to_world(self.j, Y)

    def value(self, state: BodyState) -> Array:
        z, y, b = self._products(state)
        return (self.home + np.arctan2(dot(z, b), dot(y, b)))[..., None]

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        z, y, b = self._products(state)
        S, C = dot(z, b)[..., None], dot(y, b)[..., None]
        on_j = (S * cross(y, b) - C * cross(z, b)) / (S * S + C * C)
        row = np.concatenate([np.zeros_like(on_j), on_j], axis=-1)[..., None, :]
        return -row, row

    def gamma(self, state: BodyState) -> Array:
        (z, y, b), (w_i, w_j) = self._products(state), self.turning(state)
        bd, bdd = cross(w_j, b), centripetal(w_j, b)
        (S, Sd, Sdd), (C, Cd, Cdd) = (
            (
                dot(a, b),
                dot(cross(w_i, a), b) + dot(a, bd),
                dot(centripetal(w_i, a), b) + 2 * dot(cross(w_i, a), bd) + dot(a, bdd),
            )
            for a in (z, y)
        )
        N = S * S + C * C
        second = (C * Sdd - S * Cdd) / N - 2 * (C * Sd - S * Cd) * (C * Cd + S * Sd) / N**2
        return -second[..., None]


@dataclass(frozen=True, eq=False)
class Helix(Slide):
    """Travel of a screw between the two parts: ``(A_i n).(P_j - P_i) + h (phi - zero) - c = 0``, h (n,) m/rad.

    The multiplier is the force of body j on body i along ``A_i n``, with h times it as a torque about that axis.
    """

    h: Array
    home: Array
    zero: Array

    @property
    def twist(self) -> Twist:
        """The angle in it."""
        return Twist(self.i, self.j, self.home)

    def value(self, state: BodyState) -> Array:
        turned = self.twist.value(state) - self.zero[:, None]
        return super().value(state) + self.h[:, None] * turned

    def jacobian(self, state: BodyState) -> tuple[Array, Array]:
        h = self.h[:, None, None]
        (on_i, on_j), (turn_i, turn_j) = super().jacobian(state), self.twist.jacobian(state)
        return on_i + h * turn_i, on_j + h * turn_j

    def gamma(self, state: BodyState) -> Array:
        return super().gamma(state) + self.h[:, None] * self.twist.gamma(state)


def home_twist(leg: UCU, home: Pose) -> float:
    """Twist of the leg in the home pose, rad: from y of its lower to y of its upper axes about the strut."""
    S = home.position + home.rotation @ leg.joint - leg.base
    a, b = cross(leg.axis, S), cross(home.rotation @ leg.platform_axis, S)
    return float(np.arctan2(S @ cross(a, b), np.sqrt(S @ S) * (a @ b)))


@dataclass(frozen=True, eq=False)
class Pairs:
    """What acts in the cylindrical pairs of the legs `legs` (n,).

    twist, slide    rows of both motions;  spring, rest, drag (n,) of the twist: torsion spring and friction
    slide_drag      (n,) friction along the leg, of legs whose driver is a screw (the others' acts along their driver)
    """

    legs: Index
    twist: Twist
    slide: Slide
    spring: Array
    rest: Array
    drag: Array
    slide_drag: Array

    def torque(self, state: BodyState) -> Array:
        """(..., n) of spring and friction, on the upper parts about the leg."""
        found = self.drag * self._rate(self.twist, state)
        if self.spring.any():
            found = found + self.spring * (self.twist.value(state)[..., 0] - self.rest)
        return -found

    def add_forces(self, state: BodyState, f: Array) -> None:
        """Spring and friction, added to f (..., 13, 6)."""
        acting: list[tuple[Joint, Array]] = [(self.twist, self.torque(state))]
        if self.slide_drag.any():
            acting.append((self.slide, -self.slide_drag * self._rate(self.slide, state)))
        for joint, effort in acting:
            for body, row in zip((joint.i, joint.j), joint.jacobian(state), strict=True):
                f[..., body, :] += effort[..., None] * row[..., 0, :]

    def potential(self, state: BodyState) -> Array:
        """(...) of the torsion springs, J."""
        turned = self.twist.value(state)[..., 0] - self.rest
        return (self.spring * turned**2).sum(axis=-1) / 2

    def damping(self, state: BodyState) -> Array:
        """Viscous matrix (..., 78, 78) of both motions."""
        D = np.zeros((*state.shape, 84, 84))
        for joint, drag in ((self.twist, self.drag), (self.slide, self.slide_drag)):
            row = np.concatenate([block[..., 0, :] for block in joint.jacobian(state)], axis=-1)
            for n, bodies in enumerate(zip(joint.i, joint.j, strict=True)):
                at = np.concatenate([6 * body + np.arange(6) for body in bodies])
                own = row[..., n, :]
                D[..., at[:, None], at] += drag[n] * own[..., :, None] * own[..., None, :]
        return D[..., :78, :78]

    @staticmethod
    def _rate(joint: Joint, state: BodyState) -> Array:
        u = np.concatenate([state.v, state.w], axis=-1)
        on_i, on_j = joint.jacobian(state)
        return dot(on_i[..., 0, :], u[..., joint.i, :]) + dot(on_j[..., 0, :], u[..., joint.j, :])


def pairs(platform: Platform, homes: dict[int, float]) -> Pairs | None:
    """The cylindrical pairs of a machine whose twists at home are `homes`; None where it has none."""
    if not homes:
        return None
    index = np.array(list(homes))
    legs = [leg for leg in platform.legs if isinstance(leg, UCU)]
    low, up, data = 7 + index, 1 + index, pair_arrays(legs)
    ends = [-column(legs, "lower.center"), -column(legs, "upper.center")]
    sliding = np.where(data.h != 0.0, column(legs, "friction.prismatic"), 0.0)
    return Pairs(
        index,
        Twist(low, up, np.array(list(homes.values()))),
        Slide(low, up, np.broadcast_to(X, (len(legs), 3)), *ends),
        data.spring,
        data.rest,
        data.C_c,
        sliding,
    )
