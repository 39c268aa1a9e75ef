"""What a linkage is to a model file: bodies, the joints that carry them, rotors that ride on them.

Every leg is a chain from the base (`gough.export.leg_chains` makes it at one pose).  A part is one body with the joint
that carries it; the joint sits at the origin of the part's frame, which is the frame of the machine's data for that
body (`gough.model.legs`).
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.checks import Array, InputError
from gough.model import Body, Leg

WORLD = "world"  # parent of the first part of a chain
PLATFORM = "platform"


@dataclass(frozen=True, eq=False)
class Freedom:
    """One freedom of a joint, or a ball.

    kind       slide, hinge or ball
    axis       its direction at the pose, in the axes of the body behind the joint; a ball has none
    damping    N s/m or N m s
    stiffness  N m/rad;  rest  where that spring is relaxed, counted from the pose, rad
    reading    what it reads at the pose where a file can say it, m or rad
    driven     the actuator acts here
    at         where its axis goes through, in the axes of that body: None: its origin
    """

    name: str
    kind: str
    axis: Array | None = None
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    reading: float = 0.0
    driven: bool = False
    at: Array | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """One body of a leg, where it is at the pose, and its joint: freedoms in order from the parent, no mass between
    them.  The first of two hinges is fixed to the parent, the second to this part; without any it is fixed there."""

    name: str
    parent: str
    body: Body
    position: Array
    rotation: Array
    freedoms: tuple[Freedom, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its freedoms."""
        return tuple(freedom.kind for freedom in self.freedoms)


@dataclass(frozen=True, eq=False)
class Rotor:
    """What turns with the actuator on a part (`carrier`), whose body holds it as if it were locked.

    axis      in the axes of the carrier;  inertia  about it, kg m^2
    along     its angle per length of the leg, rad/m;  twisted  per twist of the upper part
    """

    name: str
    carrier: str
    axis: Array
    inertia: float
    along: float
    twisted: float = 0.0


@dataclass(frozen=True, eq=False)
class Chain:
    """One leg at the pose.

    coordinate  of the actuator
    parts       from the base outwards;  tip  where the last one meets the platform joint, its axes
    top         the platform joint: one ball, or two hinges, of which the second is fixed to the platform (the only
                one where a cross piece is a part); axes of the platform
    screw       travel of the actuator per twist of the upper part, m/rad: it acts on slide + screw twist
    """

    name: str
    leg: Leg
    coordinate: float
    parts: tuple[Part, ...]
    tip: Array
    top: tuple[Freedom, ...]
    rotors: tuple[Rotor, ...] = ()
    screw: float = 0.0

    @property
    def end(self) -> str:
        """Name of the part that carries the platform joint."""
        return self.parts[-1].name

    @property
    def ball(self) -> bool:
        """The platform joint is a ball."""
        return self.top[0].kind == "ball"

    def tied(self, friction: str) -> bool:
        """The platform joint is a ball of which a file that says this much friction ("joints", "all") has none: a
        constraint can be it."""
        return self.ball and not (friction == "all" and self.top[0].damping)

    @property
    def driven(self) -> bool:
        """It has an actuator: it is no fixed link."""
        return any(freedom.driven for part in self.parts for freedom in part.freedoms)

    @property
    def drive_joint(self) -> str:
        """Name of the joint on which the actuator acts."""
        return f"{self.name}-drive"

    @property
    def twist_joint(self) -> str:
        """Name of the joint in which the upper part turns against the lower one."""
        return f"{self.name}-twist"

    @property
    def reflected_inertia(self) -> float:
        """Drive inertia on the actuator coordinate that no rotor of the chain holds, kg (kg m^2 for a crank)."""
        drive = self.leg.drive
        return 0.0 if drive is None or drive.rotor_axis is not None else drive.reflected_inertia

    @property
    def travel(self) -> tuple[float, float] | None:
        """Stroke measured from the pose, or None where the leg has no such limit."""
        stroke = self.leg.limits.stroke
        if stroke is None:
            return None
        return float(stroke[0]) - self.coordinate, float(stroke[1]) - self.coordinate


def no_ball_springs(legs: tuple[Chain, ...], language: str) -> None:
    """Refuse what only the equations know."""
    for chain in legs:
        for ball in ("base_ball", "platform_ball"):
            K = getattr(chain.leg.springs, ball)
            if K.any():
                at, problem = f"legs.{chain.name}.springs.{ball}", "has no springs in ball joints"
                raise InputError(at, K.tolist(), f"{language} {problem}")


def no_rotors(legs: tuple[Chain, ...], language: str) -> None:
    """Refuse rotors that ride on legs, and screws, where no joint can be coupled to two others."""
    for chain in legs:
        if chain.screw:
            problem = (
                f"{language} has no word for an actuator that acts on length and twist at once"
            )
            raise InputError(f"legs.{chain.name}.screw", f"{chain.screw} m/rad", problem)
        for rotor in chain.rotors:
            problem = f"{language} has no rotor riding on a leg"
            raise InputError(f"legs.{chain.name}.drive.rotor_axis", rotor.axis.tolist(), problem)
