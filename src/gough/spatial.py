"""Rotations, poses and motions of the platform frame P seen from the world frame W.

R maps platform components to world components.  Twists and wrenches: linear first, angular second, world axes.
RPY means ``R = Rz Ry Rx`` with the angles listed (x, y, z), rad.  Quaternions are (w, x, y, z).
Poses compose as transforms: where A is the pose of frame A in the world and B that of frame B in the axes of A,
``A @ B`` is the pose of frame B in the world, ``A @ p`` a point p of frame A in the world, ``A.inverse()`` the world
seen from A.
Everything takes leading batch axes.  The functions (gough/rotations.py) take numbers only; NaN stays NaN (a pose that
was not found), while `Pose` and `Motion` refuse it.  Other conventions by name: gough/orientations.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from gough import brief
from gough.checks import Array, Frozen, InputError, array, batch_shape, rich
from gough.frozen import hinted
from gough.orientations import WITHIN, euler_angles, euler_rotation, nearest_rotation
from gough.rotations import quaternion_from_rotation as quaternion_from_rotation
from gough.rotations import rotation_exp as rotation_exp
from gough.rotations import rotation_from_quaternion as rotation_from_quaternion
from gough.rotations import rotation_from_rpy as rotation_from_rpy
from gough.rotations import rotation_log as rotation_log
from gough.rotations import rotation_x as rotation_x
from gough.rotations import rotation_y as rotation_y
from gough.rotations import rotation_z as rotation_z
from gough.rotations import rpy_from_rotation as rpy_from_rotation
from gough.rotations import rpy_rate_matrix as rpy_rate_matrix
from gough.rotations import rpy_rate_matrix_dot as rpy_rate_matrix_dot
from gough.rotations import skew as skew

ORTHOGONALITY = 1e-6  # largest |R^T R - E| accepted at the border


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Pose(Frozen):
    """Where the platform is: `position` (..., 3) of its reference point, m, and `rotation` (..., 3, 3)."""

    position: Array
    rotation: Array = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        t = array("position", self.position, (3,))
        R = array("rotation", self.rotation, (3, 3))
        shape = batch_shape("rotation", t.shape[:-1], R.shape[:-2])
        object.__setattr__(self, "position", np.broadcast_to(t, (*shape, 3)))
        object.__setattr__(self, "rotation", np.broadcast_to(R, (*shape, 3, 3)))
        _check_rotation(R)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch axes."""
        return self.position.shape[:-1]

    @property
    def rpy(self) -> Array:
        """Roll, pitch, yaw (x, y, z), rad, ``R = Rz Ry Rx``."""
        return rpy_from_rotation(self.rotation)

    @property
    def quaternion(self) -> Array:
        """Unit quaternion (w, x, y, z), w >= 0."""
        return quaternion_from_rotation(self.rotation)

    def __len__(self) -> int:
        return _length(self.shape)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: object) -> Pose:
        at, at_rotation = _batch_index(index)
        return Pose.trusted(self.position[at], self.rotation[at_rotation])

    @classmethod
    def trusted(cls, position: Array, rotation: Array) -> Pose:
        """Without checks: for arrays this library made, (..., 3) and (..., 3, 3) of one batch shape."""
        pose = object.__new__(cls)
        pose.__dict__.update(position=position, rotation=rotation)
        return pose

    @classmethod
    def from_rpy(cls, position: ArrayLike, rpy: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """From roll, pitch, yaw (x, y, z), rad: ``R = Rz Ry Rx``."""
        return cls(array("position", position, (3,)), rotation_from_rpy(array("rpy", rpy, (3,))))

    @classmethod
    def from_quaternion(cls, position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """From a quaternion (w, x, y, z); it is normalized."""
        q = array("quaternion", quaternion, (4,))
        if (np.linalg.norm(q, axis=-1) < 1e-12).any():
            raise InputError("quaternion", quaternion, "must not have zero length")
        return cls(array("position", position, (3,)), rotation_from_quaternion(q))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, rotation: ArrayLike | None = None) -> Pose:
        """From a homogeneous 4x4 transform P -> W, or from a position and a 3x3 rotation matrix."""
        if rotation is not None:
            return cls(array("position", matrix, (3,)), array("rotation", rotation, (3, 3)))
        m = array("matrix", matrix, (4, 4))
        if np.abs(m[..., 3, :] - [0.0, 0.0, 0.0, 1.0]).max(initial=0.0) > ORTHOGONALITY:
            raise InputError("matrix", m[..., 3, :], "must end with the row 0 0 0 1")
        return cls(m[..., :3, 3], m[..., :3, :3])

    @classmethod
    def from_euler(cls, position: ArrayLike, angles: ArrayLike, sequence: str) -> Pose:
        """From Euler angles (..., 3), rad, in a sequence such as "ZXZ" (moving axes) or "XYZ extrinsic" (fixed axes).

        "ZXZ": ``R = Rz(a) Rx(b) Rz(c)``; extrinsic the other way round (gough/orientations.py).
        """
        return cls(array("position", position, (3,)), euler_rotation(angles, sequence))

    def to_euler(self, sequence: str) -> Array:
        """(..., 3) Euler angles in a sequence as of `from_euler`, rad."""
        return euler_angles(self.rotation, sequence)

    @classmethod
    def nearest(cls, position: ArrayLike, rotation: ArrayLike, *, within: float = WITHIN) -> Pose:
        """From a rotation matrix written with a few digits: the nearest rotation, none of whose entries differs by
        more than `within`; other matrices are refused."""
        return cls(array("position", position, (3,)), nearest_rotation(rotation, within))

    def inverse(self) -> Pose:
        """The same seen from the other side: ``(-R^T t, R^T)``."""
        R = np.swapaxes(self.rotation, -1, -2)
        return Pose.trusted(-(R @ self.position[..., None])[..., 0], R)

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...

    @overload
    def __matmul__(self, other: ArrayLike) -> Array: ...

    def __matmul__(self, other: Pose | ArrayLike) -> Pose | Array:
        """One after the other, as 4x4 transforms: ``(t + R t', R R')``; `other` is given in the axes of this one.

        Points (..., 3) of this frame: ``t + R p``, in the axes that this pose is given in.  Batch axes broadcast: six
        points at each of N poses are ``pose[:, None] @ points``.
        """
        if not isinstance(other, Pose):
            points = array("pose or points", other, (3,))
            batch_shape("points", self.shape, points.shape[:-1])
            return self.position + (self.rotation @ points[..., None])[..., 0]
        batch_shape("pose", self.shape, other.shape)
        moved = (self.rotation @ other.position[..., None])[..., 0]
        t, R = self.position + moved, self.rotation @ other.rotation
        return Pose.trusted(t, np.broadcast_to(R, (*t.shape[:-1], 3, 3)))

    def __repr__(self) -> str:
        if not self.shape:
            where = brief.numbers(self.position, "m")
            return f"Pose(position={where}, rpy={brief.numbers(self.rpy, 'rad')})"
        turned = brief.largest(rotation_log(self.rotation), "rad")
        return f"<Pose {self.shape}: position {brief.span(self.position, 'm')}, turned by up to {turned}>"

    def _repr_html_(self) -> str:
        return rich("pose_html", self)

    def matrix(self) -> Array:
        """Homogeneous 4x4 transform P -> W."""
        m = np.zeros((*self.shape, 4, 4))
        m[..., :3, :3], m[..., :3, 3], m[..., 3, 3] = self.rotation, self.position, 1.0
        return m


_STILL = np.zeros(3)
_STILL.flags.writeable = False


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Motion(Frozen):
    """Pose, twist and acceleration of the platform reference point, world axes.

    position (..., 3) m; rotation (..., 3, 3); velocity m/s; angular_velocity rad/s; acceleration m/s^2;
    angular_acceleration rad/s^2; time (...) s or None
    """

    position: Array
    rotation: Array = field(default_factory=lambda: np.eye(3))
    velocity: Array = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Array = field(default_factory=lambda: np.zeros(3))
    acceleration: Array = field(default_factory=lambda: np.zeros(3))
    angular_acceleration: Array = field(default_factory=lambda: np.zeros(3))
    time: Array | None = None

    def __post_init__(self) -> None:
        R = array("rotation", self.rotation, (3, 3))
        _check_rotation(R)
        shape = R.shape[:-2]
        vectors = {}
        for name in (
            "position",
            "velocity",
            "angular_velocity",
            "acceleration",
            "angular_acceleration",
        ):
            vectors[name] = array(name, getattr(self, name), (3,))
            shape = batch_shape(name, shape, vectors[name].shape[:-1])
        if self.time is not None:
            t = array("time", self.time)
            object.__setattr__(
                self, "time", np.broadcast_to(t, batch_shape("time", shape, t.shape))
            )
        for name, value in vectors.items():
            object.__setattr__(self, name, np.broadcast_to(value, (*shape, 3)))
        object.__setattr__(self, "rotation", np.broadcast_to(R, (*shape, 3, 3)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch axes."""
        return self.position.shape[:-1]

    def broadcast(self, shape: tuple[int, ...]) -> Motion:
        """The same motion along more batch axes."""
        R = np.broadcast_to(self.rotation, (*shape, 3, 3))
        t, v, w, a, al = (np.broadcast_to(x, (*shape, 3)) for x in (self.position, *self.rates))
        time = None if self.time is None else np.broadcast_to(self.time, shape)
        return Motion.trusted(t, R, v, w, a, al, time)

    @property
    def pose(self) -> Pose:
        """Position and rotation only."""
        return Pose.trusted(self.position, self.rotation)

    @property
    def rates(self) -> tuple[Array, Array, Array, Array]:
        """velocity, angular velocity, acceleration, angular acceleration: the order of the arguments."""
        return self.velocity, self.angular_velocity, self.acceleration, self.angular_acceleration

    def __len__(self) -> int:
        return _length(self.shape)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: object) -> Motion:
        at, at_rotation = _batch_index(index)
        return Motion.trusted(
            self.position[at],
            self.rotation[at_rotation],
            self.velocity[at],
            self.angular_velocity[at],
            self.acceleration[at],
            self.angular_acceleration[at],
            None if self.time is None else self.time[index],  # type: ignore[index]
        )

    def __repr__(self) -> str:
        name, where = type(self).__name__, f"position {brief.span(self.position, 'm')}"
        count = f" {self.shape}" if self.shape else ""
        when = ""
        if self.time is not None and self.time.size:
            when = f"{self.time.min():.6g} to {self.time.max():.6g} s, "
        units = "m/s", "rad/s", "m/s^2", "rad/s^2"
        most = (brief.largest(x, unit) for x, unit in zip(self.rates, units, strict=True))
        return f"<{name}{count}: {when}{where}, at most {', '.join(most)}>"

    def _repr_html_(self) -> str:
        return rich("motion_html", self)

    @classmethod
    def trusted(
        cls,
        position: Array,
        rotation: Array,
        velocity: Array | None = None,
        angular_velocity: Array | None = None,
        acceleration: Array | None = None,
        angular_acceleration: Array | None = None,
        time: Array | None = None,
    ) -> Motion:
        """Without checks: for arrays this library made, all of one batch shape; left out means zero."""
        still = _STILL if position.ndim == 1 else np.broadcast_to(_STILL, position.shape)
        motion = object.__new__(cls)
        motion.__dict__.update(
            position=position,
            rotation=rotation,
            velocity=still if velocity is None else velocity,
            angular_velocity=still if angular_velocity is None else angular_velocity,
            acceleration=still if acceleration is None else acceleration,
            angular_acceleration=still if angular_acceleration is None else angular_acceleration,
            time=time,
        )
        return motion

    @classmethod
    def at_rest(cls, pose: Pose) -> Motion:
        """No velocity and no acceleration at `pose`."""
        return cls.trusted(pose.position, pose.rotation)


def _batch_index(index: object) -> tuple[Any, Any]:
    """An index of batch axes for (..., 3) and (..., 3, 3) arrays: it cannot reach into the components."""
    batch = index if isinstance(index, tuple) else (index,)
    return (*batch, slice(None)), (*batch, slice(None), slice(None))


def _length(shape: tuple[int, ...]) -> int:
    if not shape:
        raise TypeError("a single pose or motion has no length")
    return shape[0]


def _check_rotation(R: Array) -> None:
    error = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0)
    if error > ORTHOGONALITY or (np.linalg.det(R) < 0).any():
        raise InputError(
            "rotation", f"|R R^T - E| = {error:.2g}", "must be a proper rotation matrix"
        )
