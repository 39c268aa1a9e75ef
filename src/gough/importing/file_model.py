"""What a model file says, whatever its language: rigid bodies, joints between them, motors.

Everything stands as the file places it (in its own configuration), in world axes, SI and radians.  A joint of several
freedoms is several joints in a row with nothing between them; a loop's closing constraint is a joint like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gough.checks import Array
from gough.model import Body
from gough.model.body import collected_warnings
from gough.spatial import Pose

ROUNDING = (
    1e-9  # of the machine's size: what a file's digits leave of a geometry that is meant to fit
)
Span = tuple[float, float]


@dataclass(frozen=True, eq=False)
class FileJoint:
    """One freedom, or a ball.

    kind       hinge, slide or ball;  axis  its direction (a ball has none), positive readings move the body beyond it
    at         a point of its axis, or the ball's center, m
    damping    N s/m or N m s;  stiffness  N/m or N m/rad;  rest  reading at which that spring is relaxed, from now
    armature   inertia on its reading, kg or kg m^2;  dry  friction against motion whatever the load, N or N m
    reading    now, m or rad;  span  least and largest reading, or None
    """

    name: str
    kind: str
    axis: Array
    at: Array
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    dry: float = 0.0
    reading: float = 0.0
    span: Span | None = None

    def turned(self) -> FileJoint:
        """The same joint seen from its other side."""
        return replace(self, axis=-self.axis)


@dataclass(frozen=True, eq=False)
class FileBody:
    """A rigid body: frame (rotation, position), mass, mass center, tensor about it; world axes."""

    names: tuple[str, ...]
    rotation: Array
    position: Array
    mass: float = 0.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def name(self) -> str:
        """Its first name."""
        return self.names[0]

    @property
    def weightless(self) -> bool:
        """It has neither mass nor inertia."""
        return self.mass == 0.0 and not self.inertia.any()

    @property
    def pose(self) -> Pose:
        """Of its frame."""
        return Pose(self.position, self.rotation)

    def with_(self, other: FileBody) -> FileBody:
        """Both as one body, in the frame of this one."""
        mass = self.mass + other.mass
        center = self.center
        if mass > 0.0:
            center = (self.mass * self.center + other.mass * other.center) / mass
        inertia = np.zeros((3, 3))
        for one in (self, other):
            r = one.center - center
            inertia = inertia + one.inertia + one.mass * (r @ r * np.eye(3) - np.outer(r, r))
        names = (*self.names, *other.names)
        return replace(self, names=names, mass=mass, center=center, inertia=inertia)

    def seen(self, origin: Array, axes: Array) -> Body:
        """The body in a frame: origin (3,), axes as columns (3, 3)."""
        I = axes.T @ self.inertia @ axes
        center = axes.T @ (self.center - origin) if self.mass else np.zeros(3)
        with collected_warnings():
            return Body(self.mass, center, (I + I.T) / 2)


@dataclass(frozen=True, eq=False)
class FileEdge:
    """Joints in a row that carry body `b` on body `a` (numbers of a model's bodies); none: they are fixed together."""

    a: int
    b: int
    joints: tuple[FileJoint, ...] = ()


@dataclass(frozen=True, eq=False)
class FileMotor:
    """An actuator.

    shares      what a unit effort does on each joint
    force       its largest effort, N or N m (at a share of one), or None;  speed  of the joint it is named by, or None
    coordinate  sum of the readings over `shares`, now;  span  its least and largest value, where the file limits that
    armature    inertia on that sum;  dry  friction on it
    """

    name: str
    shares: dict[str, float]
    force: float | None = None
    speed: float | None = None
    coordinate: float | None = None
    span: Span | None = None
    armature: float = 0.0
    dry: float = 0.0


@dataclass(frozen=True, eq=False)
class BallSprings:
    """Springs in the balls of one leg, as `gough.JointSprings` has them."""

    base_ball: Array
    platform_ball: Array
    home: Pose | None


@dataclass(eq=False)
class FileModel:
    """The whole file.

    bodies     the first one is the ground
    couplings  sums ``c q`` over joints that stay as they are
    balls      sets of three hinges that the file says are balls (their damping is a ball's)
    springs, references  by leg, where the file has them
    """

    name: str
    bodies: list[FileBody]
    edges: list[FileEdge]
    gravity: Array
    motors: list[FileMotor] = field(default_factory=list)
    couplings: list[dict[str, float]] = field(default_factory=list)
    balls: set[frozenset[str]] = field(default_factory=set)
    springs: dict[str, BallSprings] = field(default_factory=dict)
    references: dict[str, Array] = field(default_factory=dict)

    @property
    def size(self) -> float:
        """Largest distance between two points of its joints, m."""
        points = [joint.at for edge in self.edges for joint in edge.joints]
        return float(np.linalg.norm(np.ptp(points, axis=0))) if points else 0.0
