"""Sizing of actuators, drives and joints from the motions and payloads a machine must carry.

Efforts come from `gough.inverse_dynamics` (rotor inertia included).  Root-mean-square values are over time, with
the trapezium rule; several cases (motion x payload) make an envelope: peaks are the largest, rms values those of the
hardest case, since a machine must survive each of them for long.

    drive       u = F + friction + loss |F - m_r lddot| sign(ldot): the gear's loss is friction in proportion to the
                load it transmits, 1/eta - 1 while driving and 1 - eta_b while driven, as in the simulation
    motor       torque T = u / nu,  speed nu ldot;  F already holds the rotor's inertia nu^2 I_r
    bearing     cubic mean load (mean |F|^3)^(1/3), the life-equivalent load of ball bearings
    buckling    a strut hinged at both ends needs EI >= P L^2 / pi^2 (Euler); the largest such product is reported
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from gough.analysis.judged import at_samples, by_proof, unseen
from gough.analysis.looks import instants, sharpened
from gough.analysis.proved import ProvedLimits, proved_limits
from gough.analysis.size_bounds import LegBounds, joined, leg_bounds
from gough.checks import Array, InputError
from gough.dynamics import inverse_dynamics, mass_matrix
from gough.frozen import hinted
from gough.kinematics.inverse import inverse_kinematics
from gough.kinematics.jacobian import jacobian
from gough.links import links
from gough.model import CRANKS, SLIDERS, UCU, Body, Drive, Leg, Platform
from gough.spatial import Motion
from gough.struts import struts
from gough.trajectory.base import Trajectory

PEAKS = "peaks of efforts and powers"
BOUNDED = (
    "no instant exceeds the bounds on lengths, efforts, speeds, accelerations and powers: proved"
)


@hinted
@dataclass(frozen=True, repr=False)
class DriveSize:
    """What the motor of one leg must give; None where the drive's data do not tell.

    peak_torque, rms_torque N m; peak_speed rad/s; peak_power W, largest T times speed; torque_at_peak_speed N m;
    speed_at_peak_torque rad/s; peak_current, rms_current A; peak_voltage V; copper_loss W mean;
    inertia_ratio  largest reflected load inertia over the rotor's own
    """

    peak_torque: float
    rms_torque: float
    peak_speed: float
    peak_power: float
    torque_at_peak_speed: float
    speed_at_peak_torque: float
    inertia_ratio: float | None = None
    peak_current: float | None = None
    rms_current: float | None = None
    peak_voltage: float | None = None
    copper_loss: float | None = None


@hinted
@dataclass(frozen=True, repr=False)
class LegSize:
    """What one leg must do, SI (m, N, m/s, W; rad and N m for a crank).

    min_length, max_length, stroke   over all cases
    peak_force (signed), rms_force, push, pull   largest effort either way (pull is negative or zero)
    peak_speed, peak_acceleration
    peak_power  largest F ldot;  peak_braking  smallest (negative: power flows back);  mean_power
    duty        share of the time with more than half of the peak effort, in the hardest case
    joint_force, base_joint_force, base_joint_moment  largest; joint_equivalent: cubic mean of the platform joint's
    strut_push  largest compression of the strut, N;  bending_stiffness  EI needed against buckling, N m^2
                (of its compression alone: what offsets of its joints bend it by is not counted)
    """

    name: str
    type: str
    min_length: float
    max_length: float
    stroke: float
    peak_force: float
    rms_force: float
    push: float
    pull: float
    peak_speed: float
    peak_acceleration: float
    peak_power: float
    peak_braking: float
    mean_power: float
    duty: float
    joint_force: float
    joint_equivalent: float
    base_joint_force: float
    base_joint_moment: float
    strut_push: float
    bending_stiffness: float
    worst_case: str
    drive: DriveSize | None = None


@hinted
@dataclass(frozen=True, repr=False)
class Sizing:
    """Envelope of all legs; `cases` are the names of the motions and payloads, `overload` the limits they break.

    judged  what is proved of the limits and of the peaks, and what is only sampled, in words
    most    what no instant of any case exceeds, leg by leg; empty where that is not known of all cases
    """

    legs: tuple[LegSize, ...]
    cases: tuple[str, ...]
    overload: tuple[str, ...] = field(default=())
    judged: tuple[str, ...] = field(default=())
    most: tuple[LegBounds, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return asdict(self)


def with_payload(platform: Platform, payload: Body) -> Platform:
    """The platform with a body fixed on it (local axes = platform axes, from the reference point)."""
    a, b = platform.body, payload
    if b.mass == 0.0 and not b.inertia.any():
        return platform
    mass = a.mass + b.mass
    center = (a.mass * a.center + b.mass * b.center) / mass if mass > 0.0 else a.center
    inertia = sum(
        (x.inertia + x.mass * _about(x.center - center) for x in (a, b)), np.zeros((3, 3))
    )
    return platform.replace(body=Body(mass, center, inertia))


def _about(r: Array) -> Array:
    """``r.r E - r r^T``"""
    return float(r @ r) * np.eye(3) - np.outer(r, r)


def size(
    platform: Platform,
    motions: dict[str, Motion | Trajectory] | Sequence[Motion | Trajectory],
    payloads: dict[str, Body] | Sequence[Body] = (),
    external: Array | None = None,
) -> Sizing:
    """What every leg, drive and joint must bear in all `motions` with each of `payloads`.

    motions   samples over one time axis, sized as they are; or trajectories, looked at near enough to see what they do
              and nearer around the extremes of every effort, power, rate and length (analysis/looks.py); bounds on
              these over every instant are in `most`, and the limits are proved, case by case (`judged`)
    payloads  bodies added to the platform's own; none: the platform as it is
    external  (6,) constant wrench on the platform, platform axes, in every case
    Fixed links are not sized: `InverseDynamics.link_force` says what they bear.
    """
    from gough.limits import check

    named = _named("motion", motions, (Motion, Trajectory))
    loads = _named("payload", payloads, (Body,))
    if not named:
        raise InputError("motions", "none", "must hold at least one motion")
    machines = {key: with_payload(platform, body) for key, body in loads.items()} or {"": platform}
    cases: dict[str, list[LegSize]] = {}
    overload: list[str] = []
    judged: list[str] = []
    most: list[tuple[LegBounds, ...]] = []
    for motion_name, given in named.items():
        for load_name, machine in machines.items():
            case = f"{motion_name}, {load_name}" if load_name else motion_name
            if isinstance(given, Trajectory):
                motion = given(sharpened(instants(given), _loads(machine, given, external)))
                proof: ProvedLimits | None = proved_limits(machine, given, external=external)
                bounds, why = leg_bounds(machine, given, external)
            else:
                motion, proof, bounds, why = given, None, (), ""
            most.append(bounds)
            cases[case], force = _one(machine, motion, case, external)
            broken = check(machine, motion, force=force)
            said = [
                *broken.sentences(),
                *([] if proof is None else unseen(proof, broken.violations())),
            ]
            overload += [f"{case}: {sentence}" for sentence in said]
            judged += [f"{case}: {words}" for words in _judged(motion, proof, why)]
    driven = links(platform).driven.tolist()
    legs = [_envelope([rows[i] for rows in cases.values()]) for i in range(len(driven))]
    for leg, one in zip((platform.legs[i] for i in driven), legs, strict=True):
        overload += _drive_overload(leg, one)
    known = [joined(list(rows)) for rows in zip(*most, strict=True)] if all(most) else []
    return Sizing(tuple(legs), tuple(cases), tuple(overload), tuple(judged), tuple(known))


def _judged(motion: Motion, proof: ProvedLimits | None, why: str) -> tuple[str, ...]:
    if proof is None:
        return at_samples(motion)
    if why:
        return (*by_proof(proof), f"no bounds on the peaks: {why}", *at_samples(motion, PEAKS))
    return (*by_proof(proof), BOUNDED, *at_samples(motion, "loads of joints and motors, means"))


def _loads(
    platform: Platform, path: Trajectory, external: Array | None
) -> Callable[[Array], Array]:
    """(N, 30) efforts, powers, rates, accelerations and coordinates at N instants."""

    def look(t: Array) -> Array:
        motion = path(t)
        legs = inverse_kinematics(platform, motion)
        force = inverse_dynamics(platform, motion, external).force
        return np.concatenate(
            [force, force * legs.rate, legs.rate, legs.acceleration, legs.length], axis=1
        )

    return look


def _named(what: str, items: Any, kinds: tuple[type, ...]) -> dict[str, Any]:
    named = (
        items if isinstance(items, dict) else {f"{what} {i + 1}": x for i, x in enumerate(items)}
    )
    for key, value in named.items():
        if not isinstance(value, kinds):
            allowed = " or ".join(f"a gough.{kind.__name__}" for kind in kinds)
            raise InputError(key, value, f"must be {allowed}")
    return named


def _one(
    platform: Platform, motion: Motion, case: str, external: Array | None
) -> tuple[list[LegSize], Array]:
    """The driven legs in one case, and the efforts of all six."""
    t = motion.time
    if t is None or t.ndim != 1 or len(t) < 2:
        raise InputError(
            case,
            f"shape {motion.shape}",
            "must be a motion over one time axis, two samples at least",
        )
    if not (np.diff(t) > 0).all():
        raise InputError(f"{case}.time", t, "must increase")
    legs = inverse_kinematics(platform, motion)
    result = inverse_dynamics(platform, motion, external)
    inertia = actuator_inertia(platform, motion)
    g = struts(platform, motion)
    span = np.linalg.norm(g.end - g.start, axis=-1)
    found = [
        _leg(platform, i, t, legs, result, inertia[:, i], span[:, i], case)
        for i in links(platform).driven.tolist()
    ]
    return found, result.force


def actuator_inertia(platform: Platform, motion: Motion) -> Array:
    """(..., 6) inertia one actuator feels with the others and fixed links held: diagonal of ``J^-T M J^-1``, kg
    (kg m^2)."""
    J, M = jacobian(platform, motion.pose), mass_matrix(platform, motion.pose)
    X = np.linalg.inv(J)
    return np.asarray(np.einsum("...ki,...kl,...li->...i", X, M, X), dtype=np.float64)


def _leg(
    platform: Platform,
    i: int,
    t: Array,
    legs: Any,
    result: Any,
    inertia: Array,
    span: Array,
    case: str,
) -> LegSize:
    leg, r = platform.legs[i], result.reactions
    l, v, a, F = legs.length[:, i], legs.rate[:, i], legs.acceleration[:, i], result.force[:, i]
    power = F * v
    peak = float(F[np.abs(F).argmax()])
    joint = np.linalg.norm(r.spherical_force[:, i], axis=-1)
    push = (r.spherical_force[:, i] * legs.direction[:, i]).sum(axis=-1)
    length = leg.length if isinstance(leg, (*SLIDERS, *CRANKS)) else l
    if isinstance(leg, UCU) and leg.screw is not None:  # its coordinate is the screw's travel
        length = span
    euler = np.maximum(push, 0.0) * length**2 / np.pi**2
    return LegSize(
        name=platform.leg_names[i],
        type=platform.kinds[i],
        min_length=float(l.min()),
        max_length=float(l.max()),
        stroke=float(np.ptp(l)),
        peak_force=peak,
        rms_force=_rms(F, t),
        push=float(max(F.max(), 0.0)),
        pull=float(min(F.min(), 0.0)),
        peak_speed=float(np.abs(v).max()),
        peak_acceleration=float(np.abs(a).max()),
        peak_power=float(power.max()),
        peak_braking=float(power.min()),
        mean_power=float(time_mean(power, t)),
        duty=float(time_mean((np.abs(F) > abs(peak) / 2).astype(float), t)),
        joint_force=float(joint.max()),
        joint_equivalent=float(time_mean(joint**3, t)) ** (1 / 3),
        base_joint_force=float(np.linalg.norm(r.universal_force[:, i], axis=-1).max()),
        base_joint_moment=float(np.linalg.norm(r.universal_moment[:, i], axis=-1).max()),
        strut_push=float(max(push.max(), 0.0)),
        bending_stiffness=float(euler.max()),
        worst_case=case,
        drive=None
        if leg.drive is None or leg.drive.hydraulic
        else _drive(leg.drive, t, (F, v, a), inertia),
    )


def _drive(drive: Drive, t: Array, motion: tuple[Array, Array, Array], inertia: Array) -> DriveSize:
    """`motion`: efforts, rates and accelerations of the leg."""
    torque, speed = drive.motor_torque(*motion), drive.ratio * motion[1]
    fastest, hardest = int(np.abs(speed).argmax()), int(np.abs(torque).argmax())
    own = drive.reflected_inertia
    electric: dict[str, float] = {}
    if drive.torque_constant is not None:
        current = drive.current(*motion)
        electric = {"peak_current": float(np.abs(current).max()), "rms_current": _rms(current, t)}
        if drive.resistance is not None:
            electric["peak_voltage"] = float(np.abs(drive.voltage(*motion)).max())
            electric["copper_loss"] = drive.resistance * _rms(current, t) ** 2
    return DriveSize(
        peak_torque=float(np.abs(torque).max()),
        rms_torque=_rms(torque, t),
        peak_speed=float(np.abs(speed).max()),
        peak_power=float((torque * speed).max()),
        torque_at_peak_speed=float(torque[fastest]),
        speed_at_peak_torque=float(speed[hardest]),
        inertia_ratio=float(inertia.max() / own - 1.0) if own > 0 else None,
        **electric,
    )


def time_mean(x: Array, t: Array) -> Array:
    """Mean of (n, ...) samples over their times (n,), by the trapezium rule."""
    dt = np.diff(t).reshape(-1, *(1,) * (x.ndim - 1))
    return ((x[1:] + x[:-1]) / 2 * dt).sum(axis=0) / (t[-1] - t[0])


def _rms(x: Array, t: Array) -> float:
    return float(np.sqrt(time_mean(x * x, t)))


_SMALLEST = ("min_length", "pull", "peak_braking")
_OF_PEAK = ("name", "type", "peak_force", "duty", "worst_case", "drive")


def _envelope(rows: list[LegSize]) -> LegSize:
    """The largest demand of all cases, field by field; the stroke spans all of them."""
    worst = max(rows, key=lambda row: abs(row.peak_force))
    values = {
        key: (min if key in _SMALLEST else max)(getattr(row, key) for row in rows)
        for key in LegSize.__dataclass_fields__
        if key not in _OF_PEAK
    }
    stroke = values["max_length"] - values["min_length"]
    drives = [row.drive for row in rows if row.drive is not None]
    return replace(
        worst, **{**values, "stroke": stroke}, drive=_drive_envelope(drives) if drives else None
    )


def _drive_envelope(drives: list[DriveSize]) -> DriveSize:
    known = {
        key: [getattr(d, key) for d in drives if getattr(d, key) is not None]
        for key in DriveSize.__dataclass_fields__
    }
    largest: dict[str, Any] = {key: max(values, default=None) for key, values in known.items()}
    largest["torque_at_peak_speed"] = max(drives, key=lambda d: d.peak_speed).torque_at_peak_speed
    largest["speed_at_peak_torque"] = max(drives, key=lambda d: d.peak_torque).speed_at_peak_torque
    return DriveSize(**largest)


def _drive_overload(leg: Leg, one: LegSize) -> list[str]:
    """Electrical limits that the envelope breaks, as sentences."""
    drive, need = leg.drive, one.drive
    if drive is None or need is None:
        return []
    out = []
    for have, want, what, unit in (
        (drive.max_current, need.peak_current, "current", "A"),
        (drive.max_voltage, need.peak_voltage, "voltage", "V"),
    ):
        if have is not None and want is not None and want > have:
            out.append(f"{one.name}: motor {what} {want:.4g} {unit} exceeds {have:.4g} {unit}")
    return out
