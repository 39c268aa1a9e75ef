"""Springs of a ball on a slider and of a universal joint at the platform, the ends of one link (PSU).

ball            rotation vector th of the link's axes T_u from rest, base axes (a slider does not turn): ``th.K th/2``
platform joint  al, be of T_u against the platform, about k_p = R k_p0 and y_p: ``(k_1 al^2 + k_2 be^2)/2``
Their moments stand where the joints' friction does: C += M_b + M_p, on the slider += M_b, on the platform += M_p.
docs/derivations/springs.md
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.springs import SpringLoad, hinges, turn
from gough.equations.vec import Frame, Scalar, Sym, Vec


@dataclass(slots=True, eq=False)
class SliderSprings:
    """Springs of one leg.

    base        stiffness of the ball, base axes;  platform  of the universal joint about k_p and y_p, N m/rad
    rest, seat  the link's axes T_u at rest, as the slider and the platform see them
    """

    base: Sym
    platform: tuple[Scalar, Scalar]
    rest: Frame
    seat: Frame


def slider_springs(base: Sym, first: Scalar, second: Scalar, *axes: Vec) -> SliderSprings:
    """In the order of gough.layout.SPRUNG_SLIDER."""
    return SliderSprings(base, (first, second), Frame(*axes[:3]), Frame(*axes[3:]))


def slider_load(springs: SliderSprings, kp: Vec, T: Frame, R: Frame) -> SpringLoad:
    """Both joints of a link with axes T on a platform with axes R; kp its joint's first axis, platform axes."""
    foot = turn(T, springs.rest)
    seat = R.world(springs.seat.y)
    top = hinges(springs.platform, R.world(kp), T, kp, springs.seat, seat)
    return SpringLoad(
        T.local(foot.moment(springs.base)),
        top.moment,
        foot.energy(springs.base) + top.energy,
        foot.risk + top.risk,
    )
