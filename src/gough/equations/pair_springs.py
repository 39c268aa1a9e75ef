"""Springs of two universal joints, one at each end of a leg whose parts turn against each other (UCU).

base joint      al, be of the lower part's axes T_d against the base
platform joint  al, be of the upper part's axes T_u against the platform, about k_p = R k_p0 and y_p
M = k_1 al k + k_2 be y of either one, C_d += M_d, C_t += M_p, on the platform += M_p.  docs/derivations/springs.md
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.springs import SpringLoad, hinges
from gough.equations.vec import Frame, Scalar, Vec


@dataclass(slots=True, eq=False)
class PairSprings:
    """Springs of one leg.

    base, platform  stiffness of the two joints about their first and second axis, N m/rad
    rest, seat      axes T_d and T_u at rest, as the base and the platform see them
    """

    base: tuple[Scalar, Scalar]
    platform: tuple[Scalar, Scalar]
    rest: Frame
    seat: Frame


def pair_springs(
    first: Scalar, second: Scalar, above: Scalar, over: Scalar, *axes: Vec
) -> PairSprings:
    """In the order of gough.layout.SPRUNG_PAIR."""
    return PairSprings((first, second), (above, over), Frame(*axes[:3]), Frame(*axes[3:]))


def pair_load(
    springs: PairSprings, k: Vec, kp: Vec, lower: Frame, upper: Frame, R: Frame
) -> SpringLoad:
    """Both joints, first axes k (base axes) and kp (platform axes), of parts with axes T_d and T_u on a platform with
    axes R; the moments in T_d and in T_u."""
    foot = hinges(springs.base, k, lower, k, springs.rest, springs.rest.y)
    seat = R.world(springs.seat.y)
    top = hinges(springs.platform, R.world(kp), upper, kp, springs.seat, seat)
    return SpringLoad(foot.moment, top.moment, foot.energy + top.energy, foot.risk + top.risk)
