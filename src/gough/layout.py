"""Where each number stands: every block of a state, an answer or a parameter row by its name, once.

``MOTION.rotation`` is ``slice(3, 12)``, a block of one number is its index, ``MOTION.size`` is 24: no other module
writes a column number.
"""

from __future__ import annotations

from typing import Any


class Layout:
    """Named blocks side by side in a row of numbers.

    names, widths   the blocks in order;   size   of the whole row
    layout.name     slice of a block, or its index where it is one number wide
    layout.at(name) first column of a block
    """

    def __init__(self, **widths: int) -> None:
        self.names, self.widths = tuple(widths), tuple(widths.values())
        self._first: dict[str, int] = {}
        start = 0
        for name, width in widths.items():
            self._first[name] = start
            setattr(self, name, start if width == 1 else slice(start, start + width))
            start += width
        self.size = start

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no block {name!r}; there are {', '.join(self.names)}")

    def at(self, name: str) -> int:
        """First column of a block."""
        return self._first[name]

    def blocks(self) -> tuple[tuple[str, int], ...]:
        """(name, width) of each block in order."""
        return tuple(zip(self.names, self.widths, strict=True))

    def named(self, row: Any) -> dict[str, Any]:
        """The blocks of a row by name, each a piece of it."""
        return {name: row[self.at(name) : self.at(name) + w] for name, w in self.blocks()}

    def then(self, **widths: int) -> Layout:
        """This layout with more blocks behind it."""
        return Layout(**dict(self.blocks()), **widths)


POSE = Layout(position=3, rotation=9)
STATE = POSE.then(velocity=3, angular_velocity=3)
MOTION = STATE.then(acceleration=3, angular_acceleration=3)
LEG_MOTION = Layout(
    coordinate=1, rate=1, acceleration=1, direction=3, angular_velocity=3, angular_acceleration=3
)
LEG_RECORD = LEG_MOTION.then(
    eta=1,
    effort=1,
    spin_acceleration=1,
    spherical_force=3,
    universal_force=3,
    universal_moment=3,
    prismatic_force=3,
    prismatic_moment=3,
    platform_moment=3,
    risk=1,
)
SPIN = Layout(cosine=1, sine=1, rate=1)
FORWARD = Layout(acceleration=3, angular_acceleration=3, spin_acceleration=6, bias=6, risk=1)
TWIST = Layout(linear=3, angular=3)  # also wrenches, and small displacements
LINEAR = Layout(pose=6, twist=6, force=6, wrench=6)  # states, then inputs, of a linear model
# Exported forward kinematics: what its legs are closed at, what they lack there, a pose and its displacement.
CLOSURE = POSE.then(coordinate=6, cosine=6, sine=6)
CLOSED = Layout(rows=36, misfit=6, branch=6)
DISPLACED = POSE.then(change=6)
FORWARD_SOLUTION = Layout(
    status=1, iterations=1, residual=1, certified=1, straight=1, pieces=1, connected=1
)
LEG_GEOMETRY = Layout(
    kind=1, base=3, joint=3, e=3, u=3, n=3, h=1, length=1, sign=1, rho=1, axis=3, zero=1
)
LEG_JOINTS = Layout(  # of a leg at one orientation, behind its geometry: offsets (e, d, f), screw
    platform_axis=3, below=3, above=3, ball=1, travel=1, travel_zero=1
)
QUADRATIC = Layout(
    h=1, rotation=9, position=3, turned_back=3, square=1
)  # forms of a pose: h, h R, h t, h R^T t, ...
CERTIFICATE = Layout(
    q=3,
    center=3,
    strut=3,
    size=1,
    sums=1,
    squares=1,
    shifts=1,
    error=1,
    first=1,
    first_rho=1,
    second=1,
    second_rho=1,
    products=9,
)
FORCES = Layout(effort=6, risk=1)
LOADED_MOTION = MOTION.then(external=6)
DRIVEN_STATE = STATE.then(effort=6, external=6)  # the wrench stands where it stands behind a motion
ELASTIC_STATE = DRIVEN_STATE.then(drive_rate=6, push=6)  # of motors behind springs; their net push
ELASTIC_MOTION = LOADED_MOTION.then(drive_rate=6, drive_acceleration=6)
ELASTIC_SPEED = STATE.then(drive_rate=6)
ELASTIC = Layout(
    acceleration=3, angular_acceleration=3, spin_acceleration=6, drive_acceleration=6, risk=1
)
BASE = Layout(  # motion of a base that moves, behind the loads; world axes
    base_position=3,
    base_rotation=9,
    base_velocity=3,
    base_angular_velocity=3,
    base_acceleration=3,
    base_angular_acceleration=3,
)
JOINT_MOMENTS = Layout(base_moments=18, platform_moments=18)  # of the six legs, behind the loads
MOUNT = Layout(drive_mount=3, crank_second=6)  # of each leg, behind the rows of a machine on it
MOVING_RECORD = LEG_RECORD.then(
    ground=6
)  # with the wrench of the base on the leg, about its origin
MASS = Layout(upper=21, risk=1)  # of the symmetric 6x6, by rows
FULL = [
    [min(i, j) * (11 - min(i, j)) // 2 + max(i, j) for j in range(6)] for i in range(6)
]  # where it keeps (i, j)
ENERGY = Layout(kinetic=1, potential=1, risk=1)

# The machine's parameter vector: the body, then each leg's block.  Names are those of the model's attributes
# (`lower_first`: first moment of `leg.lower`); a vector that turns with a crank has nine numbers.
BODY = Layout(mass=1, first=3, second=6, gravity=3)
STRUT = Layout(
    joint=3,
    base=3,
    axis=3,
    lower_first=3,
    upper_first=3,
    second=6,
    upper_second=6,
    lower_mass=1,
    upper_mass=1,
    friction=3,
    drive_reflected=1,
    drive_gyro=3,
)
SLIDER = Layout(
    joint=3,
    base=3,
    rail=3,
    axis=3,
    length=1,
    assembly=1,
    slider_mass=1,
    slider_center=3,
    link_mass=1,
    link_first=3,
    link_second=6,
    friction=3,
    drive_reflected=1,
)
CRANK = Layout(
    joint=3,
    base=3,
    shaft=3,
    arm=9,
    axis=9,
    length=1,
    elbow=1,
    crank_mass=1,
    crank_first=9,
    crank_spin=9,
    shaft_inertia=1,
    link_mass=1,
    link_first=3,
    link_second=6,
    friction=3,
    drive_reflected=1,
    zero=1,
)
# A slider with a universal joint at the platform; a crank with balls at both ends of its rod.
PLATFORM_SLIDER = Layout(
    **{"platform_axis" if name == "axis" else name: w for name, w in SLIDER.blocks()}
)
BALL_CRANK = Layout(
    **dict(("reference", 3) if block[0] == "axis" else block for block in CRANK.blocks())
)

FREE_CYLINDER = Layout(
    joint=3,
    base=3,
    axis=3,
    reference=3,
    lower_first=3,
    upper_first=3,
    lower_second=6,
    upper_second=6,
    lower_mass=1,
    upper_mass=1,
    friction=3,
    friction_cylindrical=1,
    drive_reflected=1,
    drive_gyro=3,
)
CYLINDER = Layout(
    joint=3,
    base=3,
    axis=3,
    platform_axis=3,
    lower_first=3,
    upper_first=3,
    lower_second=6,
    upper_second=6,
    lower_mass=1,
    upper_mass=1,
    friction=3,
    friction_cylindrical=1,
    drive_reflected=1,
    drive_gyro=3,
    screw=1,
    screw_start=1,
    torsion=1,
    torsion_rest=1,
    home_cosine=1,
    home_sine=1,
)
# Universal joints whose axes do not meet, behind a leg's row: offsets, and the cross piece about the joint's center.
OFFSET = Layout(e=1, d=1, f=1, cross_mass=1, cross_first=3, cross_second=6)
_BELOW, _ABOVE = (
    {f"{side}_offset_{name}": width for name, width in OFFSET.blocks()}
    for side in ("base", "platform")
)
OFFSET_STRUT = Layout(
    **{("lower_second" if n == "second" else n): w for n, w in STRUT.blocks()}, **_BELOW
)
OFFSET_CYLINDER = CYLINDER.then(**_BELOW, **_ABOVE)
LINK = Layout(fixed=1)  # length of a fixed link, behind its row
# Springs in the joints, behind a leg's row: stiffness, and the strut's axes at rest as its carrier and the platform see
# them (of a UCU or UCS leg those of its lower and of its upper part): of a universal joint at the base, of a ball, of
# two universal joints, of a ball at the base and a universal joint at the platform.
_RESTS = {f"springs_{side}_{axis}": 3 for side in ("rest", "seat") for axis in "xyz"}
SPRUNG_UNIVERSAL = Layout(springs_first=1, springs_second=1, springs_platform_ball=6, **_RESTS)
SPRUNG_BALL = Layout(springs_base_ball=6, springs_platform_ball=6, **_RESTS)
SPRUNG_PAIR = Layout(
    springs_first=1,
    springs_second=1,
    springs_platform_first=1,
    springs_platform_second=1,
    **_RESTS,
)
SPRUNG_SLIDER = Layout(
    springs_base_ball=6, springs_platform_first=1, springs_platform_second=1, **_RESTS
)

# Programs of one leg and of the body alone (a leg reads gravity, then its own row).
GRAVITY = Layout(gravity=3)
SPINNING_MOTION = MOTION.then(**dict(SPIN.blocks()))
PUSHED_MOTION = SPINNING_MOTION.then(push=1)  # with the force along the strut
LEG_ANSWER = Layout(load=6, column=6, eta=1, coordinate=1, risk=1)
LEG_INERTIA = Layout(mass=21, transmission=6, kinetic=1, potential=1, risk=1)
BODY_ANSWER = Layout(load=6, mass=21, kinetic=1, potential=1)
WRENCH_SYSTEM = Layout(columns=36, load=6)
MOVING_SYSTEM = WRENCH_SYSTEM.then(eta=6)
MASS_SYSTEM = Layout(mass=21, force=6)

# Derivatives: a motion varied by a small rotation vector; the columns of a Jacobian before the parameters; what the
# programs of one leg and of the body read (`share`: the row of the inverse that weighs their wrench) and answer.
VARIATION = Layout(
    position=3,
    rotation_vector=3,
    velocity=3,
    angular_velocity=3,
    acceleration=3,
    angular_acceleration=3,
)
STATE_VARIATION = Layout(**dict(VARIATION.blocks()[:4]))
JACOBIAN = Layout(motion=18, external=6, effort=6, spin_angle=6, spin_rate=6)
STAGE = Layout(answer=6, shares=36)
LEG_STAGE = MOTION.then(share=6, effort=1, **dict(SPIN.blocks()))
LEG_SLOPES = Layout(motion=18, gravity=3, effort=1, spin_angle=1, spin_rate=1)
BODY_STAGE = LOADED_MOTION.then(share=6)
BODY_SLOPES = Layout(motion=18, external=6).then(**dict(BODY.blocks()))
SPINNING = STATE.then(spin_cosine=6, spin_sine=6, spin_rate=6, spin_angle=6)
# Parameters of the laws along one actuator coordinate, by the files of dynamics/laws/.
LEG_LAW = Layout(
    stiffness=1,  # springs
    rest=1,
    damping=1,
    viscous=1,  # friction
    coulomb=1,
    excess=1,
    stribeck=1,
    grip=1,
    grip_damping=1,
    loss=1,  # gear
    back_loss=1,
    load_rate=1,
    reflected=1,
    limit=1,  # motor
    voltage_force=1,
    voltage_slope=1,
    current_rate=1,
    electric_rate=1,
    stop_low=1,  # stops
    stop_high=1,
    stop_stiffness=1,
    stop_loss=1,
    series_stiffness=1,  # series
    series_damping=1,
    play=1,
    riding=1,
    cap_area=1,  # hydraulic
    rod_area=1,
    cap_column=1,
    rod_column=1,
    bulk=1,
    supply=1,
    tank=1,
    edge=1,
    laminar=1,
    leak=1,
    drain=1,
    valve_rate=1,
    valve_limit=1,
    force_rate=1,
)
