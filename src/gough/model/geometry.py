"""The usual machines from a few dimensions: 6-6, 6-3, 3-3, cubic, hexaglide, servo hexapod.

Lengths in m, angles in rad, z up, base joints in the plane z = 0.  Base pairs are centered at 0, 120 and
240 deg, platform pairs at 60, 180 and 300 deg; leg 1 starts at the counter-clockwise joint of the first base
pair.  Every constructor returns a Platform with physical default bodies and its home pose, and refuses a
machine that is singular there or everywhere.  What it had to assume is said in `platform.source.chosen`.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, InputError, not_negative, number, positive
from gough.model.body import Body, Friction, collected_warnings
from gough.model.drive import Drive
from gough.model.joint_circles import BASE_PAIRS, CUBE_SHARE, WIDEST, cube, hexagons
from gough.model.leg_types import Leg
from gough.model.legs import PUS, RUS, SPS, UCU, UPS
from gough.model.limits import Limits
from gough.model.plate import Plate
from gough.model.platform import Platform, Source
from gough.model.rods import PSU, RSS, UCS
from gough.model.screw import Screw
from gough.spatial import Pose
from gough.struts import struts

_Z = np.array([0.0, 0.0, 1.0])
PLATFORM_MASS, LEG_MASS = 10.0, 1.0  # kg, where they are not given
SINGULAR = 1e8  # condition number of the scaled 6x6 matrix beyond which a home pose is refused


class FamilyOptions(TypedDict, total=False):
    """What every constructor also takes.

    platform_mass  kg, a disc of the platform's radius (default PLATFORM_MASS)
    leg_mass       kg, all moving parts of a leg (default LEG_MASS)
    body           the platform's body instead of the disc
    friction, limits, drive  the same for all legs;  screw  of UCU legs
    base_shape, platform_shape  bodies that no leg may touch
    """

    platform_mass: float
    leg_mass: float
    body: Body | None
    friction: Friction
    limits: Limits
    drive: Drive | None
    screw: Screw | None
    gravity: ArrayLike
    name: str
    base_shape: Plate | None
    platform_shape: Plate | None


def hexapod(
    base_radius: float,
    platform_radius: float,
    base_pair_angle: float,
    platform_pair_angle: float,
    height: float,
    *,
    leg: Literal["UPS", "SPS", "UCU", "UCS"] = "UPS",
    **options: Unpack[FamilyOptions],
) -> Platform:
    """Semi-regular 6-6 platform: joints on two circles, in three pairs each.

    A pair angle is the angle between the two joints of a pair seen from the center.  When the two angles add
    up to 120 deg, the hexagons are similar and the machine is singular in every pose: refused.

    >>> machine = gough.hexapod(0.6, 0.35, np.radians(20), np.radians(40), 0.7)
    >>> print(machine.home.position)
    [0.  0.  0.7]
    """
    b, p = _hexagons(base_radius, platform_radius, base_pair_angle, platform_pair_angle)
    return _struts(b, p, height, leg, _options("hexapod", options))


def octahedral(
    base_radius: float,
    platform_radius: float,
    height: float,
    *,
    leg: Literal["UPS", "SPS", "UCU", "UCS"] = "UPS",
    **options: Unpack[FamilyOptions],
) -> Platform:
    """3-3 platform: legs meet in twos at three base points and three platform points (an octahedron).

    >>> machine = gough.octahedral(0.5, 0.3, 0.5)
    >>> len(np.unique(machine.base_joints.round(9), axis=0))
    3
    """
    return hexapod(
        base_radius, platform_radius, 0.0, 0.0, height, leg=leg, **_options("octahedral", options)
    )


def six_three(
    base_radius: float,
    platform_radius: float,
    base_pair_angle: float,
    height: float,
    *,
    leg: Literal["UPS", "SPS", "UCU", "UCS"] = "UPS",
    **options: Unpack[FamilyOptions],
) -> Platform:
    """6-3 platform: six base joints in pairs, three platform points with two legs each.

    >>> machine = gough.six_three(0.5, 0.3, 0.4, 0.5)
    >>> len(np.unique(machine.platform_joints.round(9), axis=0))
    3
    """
    given, radii = _options("six-three", options), (base_radius, platform_radius)
    return hexapod(*radii, base_pair_angle, 0.0, height, leg=leg, **given)


def cubic(
    edge: float,
    *,
    fraction: float = CUBE_SHARE,
    leg: Literal["UPS", "SPS", "UCU", "UCS"] = "UPS",
    **options: Unpack[FamilyOptions],
) -> Platform:
    """Cubic platform: legs lie along six edges of a cube that stands on a corner; neighbors are orthogonal.

    edge      of the cube, m;  fraction  of an edge taken by the leg between its joints, centered, 0..1

    >>> platform = gough.cubic(0.3)
    >>> platform.kinds[0], platform.leg_names[0]
    ('UPS', 'L1')
    """
    a = positive("edge", edge)
    f = positive("fraction", fraction)
    if f > 1.0:
        raise InputError("fraction", fraction, "must be at most 1")
    b, p, height = cube(a, f)
    return _struts(b, p, float(height), leg, _options("cubic", options))


def hexaglide(
    base_radius: float,
    platform_radius: float,
    base_pair_angle: float,
    platform_pair_angle: float,
    height: float,
    *,
    link_length: float,
    incline: float,
    leg: Literal["PUS", "PSU"] = "PUS",
    **options: Unpack[FamilyOptions],
) -> Platform:
    """6-PUS (6-PSU) with inclined rails: sliders climb towards the machine's axis and carry links of fixed length.

    height       of the platform joints above the rail points (slider coordinate 0), m
    incline      of the rails above the horizontal, rad; pi/2 makes them vertical
    The slider mass is half of `leg_mass`, the link a rod with the other half.

    >>> machine = gough.hexaglide(0.5, 0.2, 0.5, 0.9, 0.4, link_length=0.6, incline=np.pi / 2)
    >>> machine.kinds[0]
    'PUS'
    """
    made = _options("hexaglide", options)
    _one_of(leg, "PUS", "PSU")
    b, p = _hexagons(base_radius, platform_radius, base_pair_angle, platform_pair_angle)
    home = _home(height)
    length, tilt = positive("link_length", link_length), number("incline", incline)
    half = not_negative("leg_mass", made.get("leg_mass", LEG_MASS)) / 2
    legs: list[Leg] = []
    for base, joint in zip(b, p, strict=True):
        inward = -base / np.linalg.norm(base)
        rail = np.cos(tilt) * inward + np.sin(tilt) * _Z
        reach = home.position + joint - base
        along = float(reach @ rail)
        room = length**2 - float(reach @ reach) + along**2
        if room <= 0.0:
            raise InputError(
                "link_length", link_length, "is too short to reach the platform at `height`"
            )
        s = (reach - (along - np.sqrt(room)) * rail) / length
        axis, link = _normal(rail, s), rod(half, length)
        given = (length, half, link)
        make, ends = PUS if leg == "PUS" else PSU, (base, rail, joint)
        legs.append(make(*ends, axis, *given, assembly=1, **_shared(made)))
    return _finish(legs, home, p, made)


def servo_hexapod(
    base_radius: float,
    platform_radius: float,
    base_pair_angle: float,
    platform_pair_angle: float,
    *,
    crank_length: float,
    rod_length: float,
    leg: Literal["RUS", "RSS"] = "RUS",
    **options: Unpack[FamilyOptions],
) -> Platform:
    """6-RUS (6-RSS) driven by six servos: shafts horizontal, cranks level at crank angle 0, positive angles lift.

    Each crank points along the base towards the side of its platform joint; at home all cranks are level and
    the platform is where the rods put it.  The first universal axis of RUS legs is parallel to the shaft.  A tenth of
    `leg_mass` is the crank, the rest the rod.

    >>> rig = gough.servo_hexapod(0.1, 0.08, 0.5, 0.9, crank_length=0.025, rod_length=0.14)
    >>> rig.kinds[0], float(rig.home.position[2].round(3))
    ('RUS', 0.137)
    """
    made = _options("servo-hexapod", options)
    _one_of(leg, "RUS", "RSS")
    b, p = _hexagons(base_radius, platform_radius, base_pair_angle, platform_pair_angle)
    crank = positive("crank_length", crank_length)
    rod_len = positive("rod_length", rod_length)
    mass = not_negative("leg_mass", made.get("leg_mass", LEG_MASS))
    sides = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    tangents = (
        np.stack([-np.sin(BASE_PAIRS), np.cos(BASE_PAIRS), np.zeros(6)], axis=-1) * sides[:, None]
    )
    flat = p - b - crank * tangents
    room = rod_len**2 - (flat**2).sum(axis=1)
    if room.min() <= 0.0:
        least = float(np.linalg.norm(flat, axis=1).max())
        raise InputError("rod_length", rod_length, f"must be longer than {least:g}")
    home = _home(float(np.sqrt(room.min())))
    legs: list[Leg] = []
    for base, joint, tangent in zip(b, p, tangents, strict=True):
        shaft, arm = np.cross(tangent, _Z), crank * tangent
        bodies = {"crank": _bar(0.1 * mass, arm), "link": rod(0.9 * mass, rod_len)}
        shared = {"elbow": -1, **bodies, **_shared(made)}
        if leg == "RUS":
            legs.append(RUS(base, shaft, arm, joint, shaft, rod_len, **shared))
        else:
            legs.append(RSS(base, shaft, arm, joint, rod_len, reference=shaft, **shared))
    return _finish(legs, home, p, made)


def rod(mass: float, length: float, *, start: float = 0.0, radius: float | None = None) -> Body:
    """Uniform rod along the leg axis x from `start` over `length` (m, negative: backwards).

    radius  m, default a fortieth of the length;  ``I = m (r²/2, (3r² + l²)/12, (3r² + l²)/12)``
    """
    m, l = not_negative("mass", mass), number("length", length)
    r = abs(l) / 40 if radius is None else not_negative("radius", radius)
    across = m * (3 * r * r + l * l) / 12
    return Body(m, (number("start", start) + l / 2, 0.0, 0.0), (m * r * r / 2, across, across))


def disc(mass: float, radius: float, thickness: float | None = None) -> Body:
    """Uniform disc about z, centered at the reference point; thickness (m) default a tenth of the radius."""
    m, r = not_negative("mass", mass), positive("radius", radius)
    h = r / 10 if thickness is None else not_negative("thickness", thickness)
    across = m * (3 * r * r + h * h) / 12
    return Body(m, (0.0, 0.0, 0.0), (across, across, m * r * r / 2))


def _hexagons(
    base_radius: float, platform_radius: float, base_pair_angle: float, platform_pair_angle: float
) -> tuple[Array, Array]:
    """Joints (6, 3) of base and platform on their circles, in leg order, m."""
    found: list[float] = []
    for name, value in (
        ("base_pair_angle", base_pair_angle),
        ("platform_pair_angle", platform_pair_angle),
    ):
        angle = not_negative(name, value)
        if angle >= WIDEST:
            raise InputError(name, value, "must be less than 120 deg (2.0944 rad)")
        found.append(angle)
    radii = positive("base_radius", base_radius), positive("platform_radius", platform_radius)
    return hexagons(*radii, *found)


def _home(height: float) -> Pose:
    return Pose(np.array([0.0, 0.0, positive("height", height)]))


def _normal(a: Array, b: Array) -> Array:
    """A unit vector perpendicular to both (to b alone when they are parallel)."""
    n = np.cross(a, b)
    if np.linalg.norm(n) < 1e-6:
        n = np.cross(np.eye(3)[int(np.argmin(np.abs(b)))], b)
    return n / np.linalg.norm(n)


def _bar(mass: float, arm: Array) -> Body:
    """Slender rod from the origin to `arm`, world axes, with a little thickness."""
    l = float(np.linalg.norm(arm))
    u, r = arm / l, l / 10
    along, across = mass * r * r / 2, mass * (3 * r * r + l * l) / 12
    return Body(mass, arm / 2, across * np.eye(3) + (along - across) * np.outer(u, u))


def _options(name: str, given: FamilyOptions) -> FamilyOptions:
    """`given` with the machine's own name as default; unknown options are refused."""
    known = FamilyOptions.__annotations__
    for key in given:
        if key not in known:
            raise InputError(key, given[key], "unknown option; allowed: " + ", ".join(known))
    return {"name": name, **given}


def _one_of(leg: str, *allowed: str) -> None:
    if leg not in allowed:
        raise InputError("leg", leg, f"must be {', '.join(allowed[:-1])} or {allowed[-1]}")


def _shared(options: FamilyOptions) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key in ("friction", "limits", "drive")}


def _struts(b: Array, p: Array, height: float, leg: str, options: FamilyOptions) -> Platform:
    """UPS, SPS, UCU or UCS legs between given joints; lower and upper part are rods of 0.6 of the home length each.

    Universal axes lie level across the leg; those of a UCU leg are parallel at home, where its twist is zero.
    """
    _one_of(leg, "UPS", "SPS", "UCU", "UCS")
    screw = options.get("screw")
    home = _home(height)
    half = not_negative("leg_mass", options.get("leg_mass", LEG_MASS)) / 2
    legs: list[Leg] = []
    for base, joint in zip(b, p, strict=True):
        strut = home.position + joint - base
        part = 0.6 * float(np.linalg.norm(strut))
        lower, upper = rod(half, part), rod(half, -part)
        shared = {"base": base, "joint": joint, "lower": lower, "upper": upper, **_shared(options)}
        across = _normal(_Z, strut)
        if leg == "UCU":
            legs.append(UCU(axis=across, platform_axis=across, screw=screw, **shared))
        elif leg == "UCS":
            legs.append(UCS(axis=across, reference=across, **shared))
        else:
            legs.append(
                UPS(axis=across, **shared) if leg == "UPS" else SPS(reference=across, **shared)
            )
    return _finish(legs, home, p, options)


def _finish(legs: list[Leg], home: Pose, p: Array, options: FamilyOptions) -> Platform:
    """The platform, refused when it is singular everywhere or at home."""
    if options.get("screw") is not None and not isinstance(legs[0], UCU):
        allowed = "is for UCU legs, whose parts turn against each other"
        raise InputError("screw", options.get("screw"), allowed)
    radius = float(np.linalg.norm(p[:, :2], axis=1).max())
    mass = not_negative("platform_mass", options.get("platform_mass", PLATFORM_MASS))
    gravity = options.get("gravity", (0.0, 0.0, -9.81))
    with collected_warnings():
        platform = Platform(
            options.get("body") or disc(mass, radius),
            legs,
            gravity,
            home,
            options.get("name", ""),
            Source(chosen=_assumed(options)),
            base_shape=options.get("base_shape"),
            platform_shape=options.get("platform_shape"),
        )
    problem = platform.architecture_problem()
    if problem:
        raise InputError("geometry", platform.name, problem)
    condition = home_condition(platform)
    if not condition < SINGULAR:
        raise InputError(
            "geometry", f"condition number {condition:.2g}", "is singular at the home pose"
        )
    return platform


def _assumed(options: FamilyOptions) -> tuple[str, ...]:
    """What is no data of the user's, in sentences that begin with the table of the machine file that they are about."""
    rods = "uniform rods (cranks: bars)"
    if "leg_mass" in options:
        legs = f"legs: their mass is that of {rods}; inertia and mass centers are assumed, not data"
    else:
        legs = f"legs: {LEG_MASS:g} kg each, {rods}; assumed, not data"
    if options.get("body") is not None:
        return (legs,)
    disc_ = "a uniform disc of the joints' radius"
    if "platform_mass" in options:
        return f"body: {disc_}; inertia and mass center are assumed, not data", legs
    return f"body: {PLATFORM_MASS:g} kg, {disc_}; assumed, not data", legs


def home_condition(platform: Platform) -> float:
    """Condition number of ``H = [s; q x s / l]`` at the home pose, l the characteristic length."""
    g = struts(platform, platform.require_home())
    values = np.linalg.svd(g.rows_over(platform.characteristic_length), compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0.0 else float("inf")
