"""Task-space stiffness of joints that resist turning: the springs of the machine, or others relaxed at a pose.

``K = db/dx`` (..., 6, 6) of the machine without weight at rest, where the bias b is the springs' alone: what the legs
ask of the platform, world axes, per small displacement (m, rad).  By complex steps through the equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError, number
from gough.dynamics.complex_step import slopes, variations
from gough.engines.pack import packed
from gough.engines.plain import NO_SPIN
from gough.equations.machine import KINDS
from gough.guard import sprung
from gough.kinematics.inverse import inverse_kinematics
from gough.layout import DRIVEN_STATE, FORWARD, JACOBIAN, LEG_RECORD, LINEAR, POSE, TWIST, Layout
from gough.model import (
    PSU,
    RSS,
    SPS,
    UCS,
    UCU,
    UPS,
    Body,
    Friction,
    JointSprings,
    Leg,
    Platform,
    Spinning,
)
from gough.model.offset import offset
from gough.offset_legs import twist_rates
from gough.spatial import Motion, Pose
from gough.struts import struts

E = np.eye(3)
ROD = Body(0.0, inertia=(1.0, 1.0, 1.0))
MOVED = Layout(pose=6, spins=6)


def spring_stiffness(platform: Platform, pose: Pose) -> Array:
    """Of the machine's own springs, symmetric, with the moments that they have in this pose; zero without any."""
    twisted = any(isinstance(leg, UCU) and leg.torsion for leg in platform.legs)
    if not (sprung(platform) or twisted):
        return np.zeros((*pose.shape, 6, 6))
    if packed(platform).spins:
        why = "legs whose spin is part of the state have no stiffness without it"
        raise InputError("platform", platform.name, why)
    K = _bias_slope(platform, pose)
    return 0.5 * (K + np.swapaxes(K, -1, -2))


def joint_stiffness(platform: Platform, pose: Pose, universal: float, spherical: float) -> Array:
    """Of joints of one stiffness each (N m/rad) about all their axes that are relaxed at this very pose.

    The spin of an SPS or RSS leg goes where its two joints let it, that of a UCS leg's upper part with the platform.
    """
    k_u = number("universal", universal, minimum=0.0)
    k_s = number("spherical", spherical, minimum=0.0)
    found, most = np.zeros((*pose.shape, 6, 6)), max(k_u, k_s)
    for at in np.ndindex(pose.shape) if most else ():
        one, a, b = pose[at] if at else pose, k_u / most, k_s / most
        upright = JointSprings(a, a, platform_ball=b * E, home=one)
        balls = JointSprings(base_ball=a * E, platform_ball=b * E, home=one)
        legs = []
        for leg in platform.legs:
            if _by_rates(leg):
                bare: dict[str, Any] = {"torsion": 0.0} if isinstance(leg, UCU) else {}
                if isinstance(leg, Spinning):  # what spins feels nothing here
                    bare = {"friction": Friction(), **dict.fromkeys(leg.SPUN, Body(0.0))}
                legs.append(leg.replace(**bare, springs=JointSprings()))
                continue
            own = leg.replace(springs=balls if isinstance(leg, SPS) else upright)
            if isinstance(leg, (UPS, SPS)):
                own = own.replace(lower=ROD, upper=ROD, drive=None)
            legs.append(own)
        found[at] = most * _bias_slope(platform.replace(legs=legs), one)
    return found + _cylinders(platform, pose, k_u, k_s)


def _by_rates(leg: Leg) -> bool:
    """Its equations have no springs for joints with all axes: the joints' rates say what springs there would do."""
    return isinstance(leg, (UCU, UCS, PSU, RSS)) or offset(leg)


def _cylinders(platform: Platform, pose: Pose, k_u: float, k_s: float) -> Array:
    """The share of legs `_by_rates`: ``sum W^T k_u W + (W_u - E)^T k_s (W_u - E)``, W and W_u the angular velocity per
    platform twist of what turns in the base-side joint against its carrier, and of what turns in the platform joint.

    A free spin takes the least energy: of RSS rods the two joints share ``(Om - w).s`` as k_s : k_u.
    """
    which = [i for i, leg in enumerate(platform.legs) if _by_rates(leg)]
    if not which or (k_u == 0.0 and k_s == 0.0):
        return np.zeros((*pose.shape, 6, 6))
    unit = unit_twists(pose)
    legs, g = inverse_kinematics(platform, unit), struts(platform, unit)
    W = np.array(legs.angular_velocity)  # (..., 6 twists, 6 legs, 3)
    twisted = twist_rates(platform, g, unit.velocity, unit.angular_velocity)[..., None]
    relative = W + twisted * g.direction - unit.angular_velocity[..., None, :]
    for i, leg in enumerate(platform.legs):
        s = g.direction[..., i, :]
        if isinstance(leg, RSS):
            W[..., i, :] -= leg.shaft * legs.rate[..., i, None]
        if isinstance(leg, (RSS, UCS)):
            below, above = ((v[..., i, :] * s).sum(axis=-1, keepdims=True) for v in (W, relative))
            spin = -(k_u * below + k_s * above) / (k_u + k_s) if isinstance(leg, RSS) else -above
            relative[..., i, :] += spin * s
            if isinstance(leg, RSS):
                W[..., i, :] += spin * s
    W, relative = W[..., which, :], relative[..., which, :]
    return k_u * np.einsum("...alk,...blk->...ab", W, W) + k_s * np.einsum(
        "...alk,...blk->...ab", relative, relative
    )


def unit_twists(pose: Pose) -> Motion:
    """(..., 6) the platform at a pose, moving with each of the six unit twists; m/s and rad/s, world axes."""
    twists = np.eye(6)
    at = pose.position[..., None, :], pose.rotation[..., None, :, :]
    return Motion(*at, twists[:, TWIST.linear], twists[:, TWIST.angular])


def _bias_slope(platform: Platform, pose: Pose) -> Array:
    """``db/dx`` of the weightless machine; legs that spin do it so that ``s.C = 0`` stays, starting without spin."""
    machine = packed(platform.replace(gravity=(0.0, 0.0, 0.0)))
    R = pose.rotation.reshape(-1, 3, 3)
    x = np.zeros((len(R), DRIVEN_STATE.size + (len(NO_SPIN) if machine.spins else 0)))
    x[:, POSE.position], x[:, POSE.rotation] = pose.position.reshape(-1, 3), R.reshape(-1, 9)
    x[:, DRIVEN_STATE.size :] = NO_SPIN[: x.shape[1] - DRIVEN_STATE.size]
    every = range(JACOBIAN.size)
    columns = [*every[LINEAR.pose], *every[JACOBIAN.spin_angle]]

    def found(function: str) -> Array:
        along = variations(function, R, x[:, DRIVEN_STATE.size :])[..., columns]
        return slopes(function, machine.kinds, x, machine.parameters, along)[1]

    b = found("forward")[:, FORWARD.bias]
    K, free = b[..., MOVED.pose], [i for i, kind in enumerate(machine.kinds) if KINDS[kind].spins]
    if free:
        spun = found("record")[:, LEG_RECORD.spin_acceleration :: LEG_RECORD.size][:, free]
        turn = np.linalg.solve(spun[..., MOVED.spins][..., free], spun[..., MOVED.pose])
        K = K - b[..., MOVED.spins][..., free] @ turn
    return K.reshape(*pose.shape, 6, 6)
