"""Inverse kinematics: what the legs do for a given platform motion.  docs/derivations/exact.md, legs"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough import border
from gough.checks import Array, InputError, kept
from gough.engines.evaluate import as_motion, check_platform, motion_blocks, run, spin_block
from gough.guard import ALONG_REFERENCE, leg_problems, refuse
from gough.layout import LEG_MOTION as LEG
from gough.links import ACCELERATION, links, off_links, refuse_off_links
from gough.model import CRANKS, Platform, Spinning
from gough.offset_legs import offset_legs, twist_rates
from gough.reasons import FINE, coincident, universal_singular
from gough.results import LegMotion, Spin
from gough.spatial import Motion, Pose
from gough.struts import struts
from gough.twist import (
    TURN,
    leads,
    screw_shares,
    universal_tops,
    whole_turns,
)


@border.outside(engine="auto")
def inverse_kinematics(
    platform: Platform,
    motion: Motion | Pose,
    *,
    spin: Spin | None = None,
    engine: str = "native",
    check: bool = True,
    continuous: bool = False,
) -> LegMotion:
    """Actuator coordinates and rates, strut directions, angular velocities and accelerations.

    UPS, SPS, UCS: ``L = |t + R p - b|``, ``Ldot = s.pdot``; PUS, PSU: slider; RUS, RSS: crank angle; UCU: as UPS, with
    a screw its travel ``L - hand lead/(2 pi) (phi - zero)``; with offset joints L is counted along the leg's axis.
    A pose is taken as being at rest.  An unreachable or leg-singular pose raises `InfeasibleError`, and so does a
    motion that changes the length of a fixed link; with ``check=False`` the leg's numbers are NaN instead.
    Legs that spin freely (SPS, RSS): the angular velocity has no component along the leg unless `spin` is given.
    engine      as in `gough.inverse_dynamics`
    continuous  crank angles, and travels of screws by the twist of their legs, are counted within half a turn of home;
                True: along a motion with times (its last axis) they go on, as many turns as it takes.  Coordinates
                beyond half a turn belong to no pose alone: forward kinematics, limits and forces count within it
    """
    check_platform(platform)
    motion = as_motion(motion)
    spins = None if spin is None else spin_block(platform, spin, motion.shape)
    if spins is None and any(isinstance(leg, Spinning) for leg in platform.legs):
        platform = spin_free(platform)
    out = run("kinematics", platform, motion_blocks(motion), spins, engine).reshape(
        *motion.shape, 6, LEG.size
    )
    found = LegMotion(
        length=out[..., LEG.coordinate],
        rate=out[..., LEG.rate],
        acceleration=out[..., LEG.acceleration],
        direction=out[..., LEG.direction],
        angular_velocity=out[..., LEG.angular_velocity],
        angular_acceleration=out[..., LEG.angular_acceleration],
    )
    crooked = offset_legs(platform) is not None
    if crooked:  # not closed: only the coordinate says so
        out[np.isnan(found.length)] = np.nan
    held = links(platform).legs
    if len(held) and not check:
        out[..., held, :] = np.where(
            off_links(platform, motion, ACCELERATION)[..., None], np.nan, out[..., held, :]
        )
    if check:
        refuse_off_links(platform, motion, ACCELERATION)
        bad = ~np.isfinite(out).all(axis=-1) | coincident(platform, found.length)
        bad |= universal_singular(platform, found.length, found.direction)
        if crooked or universal_tops(platform) is not None:
            bad |= leg_problems(platform, struts(platform, motion), False) != FINE
        if (
            spins is not None
        ):  # spins count from references: within 1e-6 of one they are refused as in dynamics
            bad |= leg_problems(platform, struts(platform, motion), True) == ALONG_REFERENCE
        if bad.any():
            why = "a leg has no finite motion here"
            raise refuse(platform, motion, bad.any(axis=-1), why, spins is not None)
    if continuous:
        if motion.time is None or not motion.shape:
            raise InputError("continuous", True, "needs a motion with times along its last axis")
        found = replace(found, length=going_on(platform, motion, found.length, found.rate))
    return found


def going_on(platform: Platform, motion: Motion, length: Array, rate: Array) -> Array:
    """Coordinates (..., n, 6) of a motion in time, counted within half a turn of home, as they go on beyond it."""
    cranks = np.array([isinstance(leg, CRANKS) for leg in platform.legs])
    lead, out = leads(platform), length.copy()
    screws, time = lead != 0.0, motion.time
    assert time is not None
    if cranks.any():
        out[..., cranks] += whole_turns(length[..., cranks], rate[..., cranks], time)
    if screws.any():
        g, per = struts(platform, motion), TURN / lead[screws]
        turning = twist_rates(platform, g, motion.velocity, motion.angular_velocity)[..., screws]
        out[..., screws] += (
            whole_turns(screw_shares(platform, g)[..., screws] * per, turning, time) / per
        )
    return out


@kept
def spin_free(platform: Platform) -> Platform:
    """The same geometry, what spins freely massless: kinematics asks for no spin."""
    from gough.model import Body, Friction, JointSprings

    given = {"friction": Friction(), "drive": None, "springs": JointSprings()}
    legs = [
        leg.replace(**dict.fromkeys(leg.SPUN, Body(0.0)), **given)
        if isinstance(leg, Spinning) and not leg.spin_free
        else leg
        for leg in platform.legs
    ]
    return platform if legs == list(platform.legs) else platform.replace(legs=tuple(legs))
