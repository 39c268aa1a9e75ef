"""Inertia of a machine whose motors turn at coordinates of their own, behind elastic drives.

[[M_0, B], [B^T, J]]    M_0 with all rotors and screws locked to what carries them, J of their turning, B how both
                        couple where they ride on the legs (equations/riders.py, docs/derivations/elastic.md)
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array, InputError
from gough.engines.pack import kind_of, packed, rotors
from gough.engines.plain import NO_SPIN, machine
from gough.equations.riders import RIDES
from gough.equations.solve import components
from gough.links import links
from gough.model import UCU, Platform
from gough.spatial import Pose


def without_rotors(platform: Platform) -> Platform:
    """The machine whose rotors and screws do not turn: their masses stay in the bodies that carry them."""
    legs = []
    for leg in platform.legs:
        if leg.drive is not None:
            leg = leg.replace(drive=leg.drive.replace(rotor_inertia=0.0))
        if isinstance(leg, UCU) and leg.screw is not None:
            leg = leg.replace(screw=leg.screw.replace(inertia=0.0))
        legs.append(leg)
    return platform.replace(legs=legs)


def check_riders(platform: Platform) -> None:
    """Refuse rotors that ride on legs whose coupling is not known, or beside fixed links."""
    for name, leg in zip(platform.leg_names, platform.legs, strict=True):
        if rotors(leg)[1].any() and kind_of(leg, True) not in RIDES:
            why = "a rotor that rides on an elastic leg is known for UPS, SPS and UCU legs without offsets"
            raise InputError("drive.rotor_axis", f"leg {name}", why)
        if rotors(leg)[1].any() and len(links(platform).legs):
            why = "rotors that ride on elastic legs are not known beside fixed links"
            raise InputError("drive.rotor_axis", f"leg {name}", why)


def rotor_inertia(platform: Platform, pose: Pose) -> tuple[Array, Array]:
    """``B`` (..., 6, 6), column i: coupling of platform and motor i, and ``J`` (..., 6), at the actuators.

    Of a rotor that rides on its leg ``B_i`` is ``gam.W`` per platform twist, else nothing; J is ``nu^2 I_r`` and the
    screw's share, less what a leg between two balls takes by spinning freely.
    """
    own = packed(platform)
    x = [*np.moveaxis(pose.position, -1, 0)]
    x += [*np.moveaxis(pose.rotation.reshape(*pose.shape, 9), -1, 0)]
    functions = machine(own.kinds)
    found = functions.couplings(x, NO_SPIN, functions.unpack(own.parameters))
    B, J = np.zeros((*pose.shape, 6, 6)), np.zeros((*pose.shape, 6))
    for i, (column, inertia) in enumerate(found):
        J[..., i] = inertia
        if column is not None:
            for row, value in enumerate(components(column)):
                B[..., row, i] = value
    return B, J
