"""Dry friction of the joints that grows with what they carry, in inverse dynamics.

    ball at the platform   couple ``mu r N u`` on the platform, the opposite on the leg,  u = (W - w)/|W - w|
                           of a UCS leg W is that of its upper part, ``W - (W.s) s + w_u s``
    universal joint        ``mu r N`` against the turning about each of its axes
                           at the platform (UCU, PSU): rates ``(W - w).z/sig`` about k_p, ``(W - w).y``, z = s x y
    ball at the base side  (SPS, PSU, RSS) as above, with W against what carries it: base, slider, crank
    N                      force through that joint (through its first axis, where it has offsets), N
    mu r                   `Friction.universal_dry`, `Friction.spherical_dry`, m
For a given motion every force is affine in the twelve loads, ``V_i(N) = V0_i + sum_j A_ij N_j``, and N_i = |V_i(N)|.
``q = max_i sum_j |A_ij| < 1``: exactly one solution, and the fixed point leads to it.  q >= 1 (near singularities, or
with large mu r): none or several, the joints may jam; refused.  A joint that does not turn sticks: its moment is
anything up to mu r N, and the efforts are known within a band.  docs/derivations/dry-joints.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError, InputError
from gough.engines.evaluate import Evaluation, run
from gough.layout import JOINT_MOMENTS, LEG_RECORD, SPIN
from gough.model import CRANKS, PSU, RSS, SPS, UCS, UCU, Platform, Spinning
from gough.results import DryJoints
from gough.spatial import Motion
from gough.struts import cross, universal_axes

BASE, TOP = 0, 1  # the two joints of a leg
STILL = 1e-12  # of the rates around it: a joint that turns less does not turn
STEPS = 60
ENOUGH = 1e-14


@dataclass(frozen=True, eq=False)
class _Response:
    """Per state: forces (n, 12, 3) through the joints without dry friction, and what a moment changes in them."""

    force: Array
    record: Array  # (n, 6, LEG_RECORD)
    force_per_moment: Array  # (n, 12, 3, 12, 3): force in joint i, moment in joint j
    effort_per_moment: Array  # (n, 6, 12, 3)


@dataclass(frozen=True, eq=False)
class _Turning:
    """How each joint turns: direction of its friction (n, 12, 3); axes about which it sticks (n, 12, 3, 3), zero where
    it turns about them; whether there are any (n, 12)."""

    direction: Array
    axes: Array
    stuck: Array


def radii(platform: Platform) -> Array:
    """(12,) mu r of the joints, m: base-side and platform joint of each leg."""
    pairs = [(leg.friction.universal_dry, leg.friction.spherical_dry) for leg in platform.legs]
    return np.array(pairs).reshape(12)


def with_dry_joints(exact: Evaluation) -> tuple[Array, DryJoints]:
    """Record of the legs (..., 6, LEG_RECORD) and what the joints do, by the fixed point of their loads."""
    platform, mu = exact.platform, radii(exact.platform)
    check(platform, exact.spins is not None)
    base = _responses(exact)
    turning = _turning(platform, base.record, exact.motion, exact.spins)
    moved = np.einsum("nickd,nkd->nick", base.force_per_moment, turning.direction * mu[:, None])
    stuck = _reach(base.force_per_moment, turning, mu)
    contraction = (np.linalg.norm(moved, axis=2) + stuck).sum(axis=-1).max(axis=-1)
    if (contraction >= 1.0).any():
        i = int(np.argmax(contraction >= 1.0))
        raise InfeasibleError(
            f"state {i}: dry friction of the joints feeds back on its own loads with q = {contraction[i]:.3g}; "
            "an answer, and one only, is sure below 1: the joints may jam here"
        )
    # once more than needed: the differences above lose digits, which one step of the contraction mends
    first = _record(exact, turning.direction * (mu * _loads(base.force, moved))[..., None])
    load = np.linalg.norm(_forces(first), axis=-1)
    record = _record(exact, turning.direction * (mu * load)[..., None])
    load = np.linalg.norm(_forces(record), axis=-1)
    spread = _spread(np.linalg.norm(moved, axis=2), stuck, load)
    on_effort = np.einsum("nekd,nkd->nek", base.effort_per_moment, turning.direction * mu[:, None])
    free = _reach(base.effort_per_moment[:, :, None], turning, mu)
    band = np.einsum("nek,nk->ne", np.abs(on_effort), spread)
    band += np.einsum("nek,nk->ne", free, load + spread)
    shape = exact.motion.shape
    found = DryJoints(
        load.reshape(*shape, 6, 2),
        contraction.reshape(shape),
        band.reshape(*shape, 6),
        turning.stuck.reshape(*shape, 6, 2),
    )
    return record.reshape(*shape, 6, LEG_RECORD.size), found


def check(platform: Platform, spun: bool) -> None:
    """Refuse legs on whose spin dry friction acts where the spin is not given."""
    for name, leg in zip(platform.leg_names, platform.legs, strict=True):
        if spun or not isinstance(leg, Spinning):
            continue
        if any(getattr(leg.friction, f"{joint}_dry", 0.0) for joint in leg.RUBBED):
            why = "dry friction of a ball that turns with the leg's spin depends on it: give spin"
            raise InputError("spin", f"leg {name}", why)


def _record(exact: Evaluation, moments: Array) -> Array:
    """(n, 6, LEG_RECORD) with moments (n, 12, 3) in the joints, world axes."""
    n = len(moments)
    pairs = moments.reshape(n, 6, 2, 3).swapaxes(1, 2).reshape(n, JOINT_MOMENTS.size)
    blocks = [b if len(b) == n else np.repeat(b, n // len(b), axis=0) for b in exact.blocks]
    spins = exact.spins
    if spins is not None and len(spins) != n:
        spins = np.repeat(spins, n // len(spins), axis=0)
    out = run("rubbed", exact.platform, [*blocks, pairs], spins, exact.engine)
    return out.reshape(n, 6, LEG_RECORD.size)


def _forces(record: Array) -> Array:
    """(..., 12, 3) through the joints."""
    parts = [record[..., LEG_RECORD.universal_force], record[..., LEG_RECORD.spherical_force]]
    return np.stack(parts, axis=-2).reshape(*record.shape[:-2], 12, 3)


def _responses(exact: Evaluation) -> _Response:
    n = len(exact.blocks[0])
    units = np.zeros((37, 12, 3))
    units[1:] = np.eye(36).reshape(36, 12, 3)
    record = _record(exact, np.tile(units, (n, 1, 1))).reshape(n, 37, 6, LEG_RECORD.size)
    forces = _forces(record)
    effort = record[..., LEG_RECORD.effort]
    change = (forces[:, 1:] - forces[:, :1]).reshape(n, 12, 3, 12, 3)
    push = (effort[:, 1:] - effort[:, :1]).reshape(n, 12, 3, 6)
    return _Response(
        forces[:, 0], record[:, 0], np.moveaxis(change, (1, 2), (3, 4)), np.moveaxis(push, 3, 1)
    )


def _turning(
    platform: Platform, record: Array, motion: Motion, spins: Array | None = None
) -> _Turning:
    """How each joint turns, from the motion of the legs (n, 6, LEG_RECORD), of their spins (n, 18), of the platform."""
    n, s = len(record), record[..., LEG_RECORD.direction]
    W = record[..., LEG_RECORD.angular_velocity]
    above, carried = _at_platform(platform, W, s, spins), np.zeros_like(W)
    for i, leg in enumerate(platform.legs):
        if isinstance(leg, CRANKS):
            carried[:, i] = leg.shaft * record[:, i, LEG_RECORD.rate, None]
    R, w = motion.rotation.reshape(-1, 3, 3), motion.angular_velocity.reshape(-1, 1, 3)
    w = np.broadcast_to(w, W.shape)
    size = np.maximum(np.linalg.norm(W, axis=-1), np.linalg.norm(above, axis=-1))
    size += np.linalg.norm(w, axis=-1) + np.linalg.norm(carried, axis=-1)
    # what rounding leaves of a leg's turning grows with the speed of its joints, however little it turns
    speed = np.linalg.norm(motion.velocity.reshape(-1, 1, 3), axis=-1)
    size += speed / platform.characteristic_length
    direction, axes = np.zeros((n, 6, 2, 3)), np.zeros((n, 6, 2, 3, 3))
    stuck = np.zeros((n, 6, 2), dtype=bool)
    k = universal_axes(platform, record[..., LEG_RECORD.coordinate])
    for i, leg in enumerate(platform.legs):
        balls, hinged = {TOP: above[:, i] - w[:, i]}, {BASE: (k[:, i], W[:, i] - carried[:, i])}
        if isinstance(leg, (SPS, PSU, RSS)):
            balls[BASE] = hinged.pop(BASE)[1]
        if isinstance(leg, (UCU, PSU)):
            hinged[TOP] = R @ leg.platform_axis, balls.pop(TOP)
        for side, (first, relative) in hinged.items():
            pair, rate = _hinges(first, s[:, i], relative)
            still = np.abs(rate) <= STILL * size[:, i, None]
            direction[:, i, side] = (np.where(still, 0.0, np.sign(rate))[..., None] * pair).sum(-2)
            axes[:, i, side, :2], stuck[:, i, side] = pair * still[..., None], still.any(axis=-1)
        for side, relative in balls.items():
            rate = np.linalg.norm(relative, axis=-1)
            still = rate <= STILL * size[:, i]
            direction[:, i, side] = relative / np.where(still, np.inf, rate)[:, None]
            axes[:, i, side], stuck[:, i, side] = np.eye(3) * still[:, None, None], still
    return _Turning(direction.reshape(n, 12, 3), axes.reshape(n, 12, 3, 3), stuck.reshape(n, 12))


def _at_platform(platform: Platform, W: Array, s: Array, spins: Array | None) -> Array:
    """(n, 6, 3) angular velocities of the parts in the platform joints: of a UCS leg of its upper part, which spins
    with w_u (none in the world where no spin is given)."""
    rate = 0.0 if spins is None else spins.reshape(len(W), 6, SPIN.size)[..., SPIN.rate, None]
    free = np.array([isinstance(leg, UCS) for leg in platform.legs])[:, None]
    return W + np.where(free, rate - (W * s).sum(axis=-1, keepdims=True), 0.0) * s


def _hinges(k: Array, s: Array, relative: Array) -> tuple[Array, Array]:
    """Axes (n, 2, 3) of a universal joint, k and y, and the rates (n, 2) about them of a strut along s that turns with
    `relative` against the joint's carrier, whatever its part about s is: ``relative = a k + b y + c s``."""
    y = cross(k, s)
    sig = np.linalg.norm(y, axis=-1, keepdims=True)
    y = y / sig
    a = (relative * cross(s, y)).sum(axis=-1) / sig[..., 0]
    return np.stack([k, y], axis=-2), np.stack([a, (relative * y).sum(axis=-1)], axis=-1)


def _reach(per_moment: Array, turning: _Turning, mu: Array) -> Array:
    """(n, i, 12) how much joints at rest can change each force, per load, summed over the axes that stick.

    per_moment  (n, i, c, 12, 3)
    """
    each = np.einsum("nickd,nkad->nicka", per_moment, turning.axes)
    return np.linalg.norm(each, axis=2).sum(axis=-1) * mu


def _loads(force: Array, moved: Array) -> Array:
    """N = |V0 + A N| by Newton's steps; (n, 12)."""
    N = np.linalg.norm(force, axis=-1)
    for _ in range(STEPS):
        V = force + np.einsum("nick,nk->nic", moved, N)
        size = np.linalg.norm(V, axis=-1)
        miss = size - N
        if np.abs(miss).max() <= ENOUGH * size.max():
            return size
        slope = np.einsum("nic,nick->nik", V / np.maximum(size, 1e-300)[..., None], moved)
        N = N + np.linalg.solve(np.eye(12) - slope, miss[..., None])[..., 0]
    raise InfeasibleError("the loads of the joints did not settle")


def _spread(moved: Array, stuck: Array, load: Array) -> Array:
    """(n, 12) how far the loads may be from `load` while joints stick: ``(E - a - c) d = c N``."""
    rest = np.einsum("nij,nj->ni", stuck, load)
    return np.linalg.solve(np.eye(12) - moved - stuck, rest[..., None])[..., 0]
