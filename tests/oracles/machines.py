"""Seeded random machines and fast, reachable, non-degenerate states.

Ranges (per component): v 3 m/s, w 6 rad/s, a 40 m/s^2, al 80 rad/s^2, spin rate 15 rad/s.
Bodies have full admissible tensors and mass centers off every axis; axes, gravity and wrench are random; all
three friction terms and a reflected drive inertia are on unless switched off.
A state is kept if every leg is clear of its own singularities (margins below) and ``cond H < CONDITION``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.model import (
    PSU,
    PUS,
    RSS,
    RUS,
    SPS,
    UCS,
    UCU,
    UPS,
    Body,
    Drive,
    Friction,
    JointSprings,
    Leg,
    Platform,
    Screw,
    Spinning,
)
from gough.spatial import Motion, Pose, rotation_exp, rotation_from_rpy
from oracles.closure import closure, cross, wrench_matrix

KINDS = (
    "UPS",
    "UPS-rotor",
    "SPS-free",
    "SPS-axisymmetric",
    "SPS-general",
    "SPS-rotor",
    "PUS",
    "RUS",
    "mixed",
    "SPS-axial-rotor",  # axisymmetric parts, a rotor riding along the leg; last: seeds count from the place
)
CYLINDERS = (  # legs whose upper part turns: driven directly; with a rotor on the leg; screws on either part
    "UCU",
    "UCU-rotor",
    "UCU-screw",
    "UCU-upper",
    "UCU-mixed",
)
RODS = (  # the platform turns the link; what spins is round and rubs nowhere, round, anything; rotors on the leg
    "PSU",
    "UCS-free",
    "UCS-axisymmetric",
    "UCS-general",
    "UCS-rotor",
    "UCS-still",
    "RSS-free",
    "RSS-axisymmetric",
    "RSS-general",
    "rods-mixed",
)
MIXTURE = "mixture"  # each leg of any type and variant: for engines that compile nothing
VARIANTS = ("general", "rotor", "free", "axisymmetric", "axial")
AXIS_MARGIN = 0.05  # 1 - (k.s)^2
LEVER_MARGIN = 0.15  # |s.rail|, |s.n|/radius
CONDITION = 60.0  # of H with its moment rows over the characteristic length


@dataclass(frozen=True)
class Case:
    """A machine, `n` states: motion (n,), external wrench (n, 6) in platform axes, spin of SPS legs (n, 6).

    Spin angle and rate are zero for legs without a free spin.
    """

    platform: Platform
    motion: Motion
    external: Array
    spin_angle: Array
    spin_rate: Array

    @property
    def needs_spin(self) -> bool:
        """Some leg carries its spin as a state."""
        return any(isinstance(leg, Spinning) and not leg.spin_free for leg in self.platform.legs)


def cases(kind: str, count: int, *, states: int = 2, seed: int = 0, **options: bool) -> list[Case]:
    """`count` machines of one kind, each with `states` random states."""
    return [case(kind, seed=seed * 100_000 + i, states=states, **options) for i in range(count)]


def case(
    kind: str,
    *,
    seed: int,
    states: int = 2,
    friction: bool = True,
    drive: bool = True,
    external: bool = True,
    springs: bool = False,
) -> Case:
    """One machine (see KINDS) and its states; the same seed gives the same case."""
    far = [None] * (99 - len(CYLINDERS))
    place = [*KINDS, *[None] * (100 - len(KINDS)), MIXTURE, *CYLINDERS, *far, *RODS].index(kind)
    rng = np.random.default_rng([place, seed])
    for _ in range(50):
        machine = _platform(rng, kind, friction, drive)
        found = _states(rng, machine, kind, states)
        if found is not None:
            motion, angle, rate = found
            if springs:
                machine, angle = with_springs(rng, machine), 0.4 * angle
            wrench = rng.uniform(-200, 200, (states, 6)) if external else np.zeros((states, 6))
            return Case(machine, motion, wrench, angle, rate)
    raise RuntimeError(f"no reachable machine found for {kind} seed {seed}")


def with_springs(rng: np.random.Generator, machine: Platform) -> Platform:
    """The machine with springs in all its joints, at rest at home or, one leg of two, in a pose near it."""
    legs, home = [], machine.home
    assert home is not None
    near = Pose(home.position, rotation_exp(rng.uniform(-0.05, 0.05, 3)) @ home.rotation)
    for leg in machine.legs:
        own = {"first": rng.uniform(5, 80), "second": rng.uniform(5, 80)}
        if isinstance(leg, (SPS, PSU, RSS)):
            own = {"base_ball": stiffness(rng)}
        rest = near if rng.random() < 0.5 else None
        if isinstance(leg, (UCU, PSU)):
            own |= {"platform_first": rng.uniform(5, 80), "platform_second": rng.uniform(5, 80)}
        else:
            own["platform_ball"] = stiffness(rng)
        springs = JointSprings(**own, home=rest)
        legs.append(leg.replace(springs=springs))
    return machine.replace(legs=legs)


def stiffness(rng: np.random.Generator) -> Array:
    """A full stiffness, N m/rad."""
    A = rng.normal(size=(3, 3))
    return 30.0 * A @ A.T


def platform(kind: str, *, seed: int, friction: bool = True, drive: bool = True) -> Platform:
    """Only the machine of `case`."""
    return case(kind, seed=seed, states=1, friction=friction, drive=drive).platform


def direction(rng: np.random.Generator) -> Array:
    """A uniformly random unit vector."""
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def body(rng: np.random.Generator, mass: tuple[float, float], center: object, size: float) -> Body:
    """Random full admissible tensor with radii of gyration up to `size`, mass center jittered by `size`/2."""
    m = rng.uniform(*mass)
    A = rng.normal(size=(3, 3))
    Q, _ = np.linalg.qr(A)
    sigma = m * (Q * (size * rng.uniform(0.3, 1.0, 3)) ** 2) @ Q.T
    inertia = np.trace(sigma) * np.eye(3) - sigma
    return Body(
        m, np.asarray(center, float) + rng.uniform(-0.5, 0.5, 3) * size, (inertia + inertia.T) / 2
    )


def rod(rng: np.random.Generator, mass: tuple[float, float], center: float, size: float) -> Body:
    """An axisymmetric leg part with its mass center on the leg axis."""
    m = rng.uniform(*mass)
    across, along = m * size**2 * rng.uniform(0.5, 1.0), m * size**2 * rng.uniform(0.05, 0.5)
    return Body(m, [center, 0, 0], np.diag([along, across, across]))


def _platform(rng: np.random.Generator, kind: str, friction: bool, drive: bool) -> Platform:
    home = Pose(
        rng.uniform((-0.1, -0.1, 1.1), (0.1, 0.1, 1.3)), rotation_exp(rng.uniform(-0.15, 0.15, 3))
    )
    pair = 2 * np.pi / 3 * np.arange(3)
    db, dp = rng.uniform(0.15, 0.45), rng.uniform(0.15, 0.45)
    base = np.stack([pair + db, pair + 2 * np.pi / 3 - db], axis=1).ravel()
    top = np.stack([pair + np.pi / 3 - dp, pair + np.pi / 3 + dp], axis=1).ravel()
    rb, rp = rng.uniform(0.8, 1.2), rng.uniform(0.35, 0.6)
    b = np.stack([rb * np.cos(base), rb * np.sin(base), np.zeros(6)], axis=1) + rng.uniform(
        -0.1, 0.1, (6, 3)
    )
    p = np.stack([rp * np.cos(top), rp * np.sin(top), np.zeros(6)], axis=1) + rng.uniform(
        -0.08, 0.08, (6, 3)
    )
    types = [kind.split("-")[0]] * 6
    if kind == "mixed":
        types = [
            "RUS",
            "UPS",
            "SPS",
            "PUS",
            "UPS",
            "RUS",
        ]  # one order: every other one is a kernel to compile
    if kind == "UCU-mixed":
        types = ["UCU", "RUS", "SPS", "UCU", "PUS", "UPS"]
    variants = [kind.split("-")[1] if "-" in kind else "general"] * 6
    if kind == MIXTURE:
        types = [str(name) for name in rng.choice(["UPS", "SPS", "PUS", "RUS"], 6)]
        variants = [str(name) for name in rng.choice(VARIANTS, 6)]
    if kind == "rods-mixed":
        types = ["RSS", "PSU", "UCS", "UPS", "UCU", "RSS"]
        variants = ["general", "general", "rotor", "general", "screw", "axisymmetric"]
    if kind == "UCU-mixed":
        variants = ["screw", "general", "general", "upper", "general", "rotor"]
    legs = []
    for i in range(6):
        common = {
            "joint": p[i],
            "friction": _friction(rng, friction),
            "drive": _drive(rng, types[i], drive),
        }
        from oracles.rods import MAKERS  # which builds on what is here

        own = {"UPS": _ups, "SPS": _sps, "PUS": _pus, "RUS": _rus, "UCU": _ucu}
        make = (own | MAKERS)[types[i]]
        if types[i] in ("UCU", "PSU"):
            common["turned"] = home.rotation
        legs.append(make(rng, b[i], home.position + home.rotation @ p[i], variants[i], common))
    gravity = 9.81 * rotation_from_rpy(rng.uniform(-0.6, 0.6, 3)) @ np.array([0.0, 0.0, -1.0])
    return Platform(
        body(rng, (20, 80), (0, 0, 0.1), 0.25), legs, gravity, home, name=f"random {kind}"
    )


def _friction(rng: np.random.Generator, on: bool) -> Friction:
    return Friction(*rng.uniform((0.1, 5, 0.1), (2, 80, 2))) if on else Friction()


def _drive(rng: np.random.Generator, kind: str, on: bool) -> Drive | None:
    ratio = (
        rng.uniform(20, 100)
        if kind in ("RUS", "RSS")
        else rng.choice([-1, 1]) * rng.uniform(200, 800)
    )
    inertia = rng.uniform(2e-5, 2e-4)
    return Drive(ratio=float(ratio), rotor_inertia=inertia) if on else None


def _away(rng: np.random.Generator, s: Array, largest: float = 0.8) -> Array:
    """A random axis clear of the direction s: |k.s| < largest."""
    while True:
        k = direction(rng)
        if abs(k @ s) < largest:
            return k


def _ups(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    L = float(np.linalg.norm(P - b))
    common = _leg_rotor(rng, common) if variant == "rotor" else common
    return UPS(
        base=b,
        axis=_away(rng, (P - b) / L),
        lower=body(rng, (2, 8), (0.35 * L, 0, 0), 0.15),
        upper=body(rng, (1, 5), (-0.3 * L, 0, 0), 0.12),
        **common,
    )


def _leg_rotor(rng: np.random.Generator, common: dict) -> dict:
    drive = common["drive"]
    return (
        common if drive is None else {**common, "drive": drive.replace(rotor_axis=direction(rng))}
    )


def _ucu(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    L, turned = float(np.linalg.norm(P - b)), common.pop("turned")
    friction = common["friction"]
    if friction.universal:
        friction = friction.replace(cylindrical=rng.uniform(0.1, 2))
    common = {**common, "friction": friction}
    if variant in ("rotor", "screw", "upper"):
        common = _leg_rotor(rng, common)
    if variant in ("rotor", "upper") and friction.universal:
        common |= {"torsion": rng.uniform(1, 50), "torsion_rest": rng.uniform(-3.0, 3.0)}
    if variant in ("screw", "upper"):
        lead, hand = rng.uniform(2e-3, 0.1), str(rng.choice(["right", "left"]))
        inertia = rng.uniform(1e-6, 1e-4) * lead / 0.02
        mount = "lower" if variant == "screw" else "upper"
        common["screw"] = Screw(lead, hand, mount, inertia, rng.uniform(-3.0, 3.0))
        if common["drive"] is not None:
            gear = rng.choice([-1, 1]) * rng.uniform(1, 4)
            common["drive"] = common["drive"].replace(ratio=2 * np.pi * gear / lead)
    return UCU(
        base=b,
        axis=_away(rng, (P - b) / L),
        platform_axis=turned.T @ _away(rng, (P - b) / L),
        lower=body(rng, (2, 8), (0.35 * L, 0, 0), 0.15),
        upper=body(rng, (1, 5), (-0.3 * L, 0, 0), 0.12),
        **common,
    )


def _sps(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    L = float(np.linalg.norm(P - b))
    reference = _away(rng, (P - b) / L)
    if variant == "rotor":
        common = _leg_rotor(rng, common)
    if variant == "axial" and common["drive"] is not None:
        common = {**common, "drive": common["drive"].replace(rotor_axis=[1.0, 0.0, 0.0])}
    if variant == "free":
        common = {**common, "friction": common["friction"].replace(universal=0.0, spherical=0.0)}
    if variant in ("free", "axisymmetric", "axial"):
        lower, upper = rod(rng, (2, 8), 0.35 * L, 0.15), rod(rng, (1, 5), -0.3 * L, 0.12)
    else:
        lower, upper = (
            body(rng, (2, 8), (0.35 * L, 0, 0), 0.15),
            body(rng, (1, 5), (-0.3 * L, 0, 0), 0.12),
        )
    return SPS(base=b, lower=lower, upper=upper, reference=reference, **common)


def _pus(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    length = float(np.linalg.norm(P - b))
    s = (P - b) / length
    rail = direction(rng)
    while abs(rail @ s) < 0.45:
        rail = direction(rng)
    return PUS(
        base=b - rng.uniform(-0.5, 0.5) * rail,
        rail=rail,
        axis=_away(rng, s),
        length=length,
        slider_mass=rng.uniform(1, 6),
        slider_center=rng.uniform(-0.1, 0.1, 3),
        link=body(rng, (1, 5), (0.45 * length, 0, 0), 0.15),
        assembly=int(np.sign(rail @ s)),
        **common,
    )


def _rus(rng: np.random.Generator, b: Array, P: Array, variant: str, common: dict) -> Leg:
    length = float(np.linalg.norm(P - b))
    s = (P - b) / length
    while True:
        shaft = direction(rng)
        u = cross(shaft, direction(rng))
        u = rng.uniform(0.3, 0.45) * u / np.linalg.norm(u) + rng.uniform(-0.1, 0.1) * shaft
        n = cross(shaft, u)
        lever = float(s @ n) / float(np.linalg.norm(n))
        if abs(lever) > 0.6:
            break
    back = rotation_exp(-rng.uniform(-np.pi, np.pi) * shaft)  # home crank angle to zero crank angle
    arm = back @ u
    return RUS(
        base=b - u,
        shaft=shaft,
        arm=arm,
        axis=back @ _away(rng, s),
        length=length,
        crank=body(rng, (0.5, 3), arm / 2, 0.1),
        link=body(rng, (1, 4), (0.45 * length, 0, 0), 0.15),
        elbow=-int(np.sign(lever)),
        **common,
    )


def _states(
    rng: np.random.Generator, machine: Platform, kind: str, states: int
) -> tuple[Motion, Array, Array] | None:
    assert machine.home is not None
    narrow = kind in ("RUS", "mixed", "UCU-mixed", "rods-mixed", MIXTURE) or "RSS" in kind
    reach, turn = (0.12, 0.25) if narrow else (0.2, 0.5)
    positions, rotations = [], []
    for _ in range(30 * states):
        t = machine.home.position + rng.uniform(-reach, reach, 3)
        R = rotation_exp(rng.uniform(-turn, turn, 3)) @ machine.home.rotation
        if clear(machine, t, R):
            positions.append(t)
            rotations.append(R)
            if len(positions) == states:
                break
    else:
        return None
    motion = Motion(
        np.array(positions),
        np.array(rotations),
        *(rng.uniform(-top, top, (states, 3)) for top in (3.0, 6.0, 40.0, 80.0)),
    )
    spins = np.array([isinstance(leg, Spinning) and not leg.spin_free for leg in machine.legs])
    angle = np.where(spins, rng.uniform(-np.pi, np.pi, (states, 6)), 0.0)
    rate = np.where(spins, rng.uniform(-15, 15, (states, 6)), 0.0)
    return motion, angle, rate


def clear(machine: Platform, t: Array, R: Array) -> bool:
    """Reachable, and clear of universal-joint, rail, dead-point and platform singularities."""
    legs = [closure(leg, t + R @ leg.joint) for leg in machine.legs]
    if any(c is None or c.axis_margin < AXIS_MARGIN or c.lever < LEVER_MARGIN for c in legs):
        return False
    for leg, c in zip(machine.legs, legs, strict=True):
        tops = isinstance(leg, (UCU, PSU))
        if tops and 1.0 - float(c.s @ R @ leg.platform_axis) ** 2 < AXIS_MARGIN:  # type: ignore[union-attr]
            return False
        if isinstance(leg, UCS) and 1.0 - float(c.s @ leg.reference) ** 2 < AXIS_MARGIN:  # type: ignore[union-attr]
            return False
    H = wrench_matrix(machine, t, R)
    H[3:] /= machine.characteristic_length
    return bool(np.linalg.cond(H) < CONDITION)
