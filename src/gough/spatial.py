"""Rotations, poses and motions of the platform frame P seen from the world frame W.

R maps platform components to world components.  Twists and wrenches: linear first, angular second, world axes.
RPY means ``R = Rz Ry Rx`` with the angles listed (x, y, z), rad.  Quaternions are (w, x, y, z).
Everything takes leading batch axes.  The functions take numbers only; NaN stays NaN (a pose that was not found), while
`Pose` and `Motion` refuse it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.checks import Array, Frozen, InputError, array, batch_shape, pick, real, rich

ORTHOGONALITY = 1e-6  # largest |R^T R - E| accepted at the border
_PLUS, _MINUS = np.array([7, 2, 3]), np.array([5, 6, 1])  # where (x, y, z) stands in [v]x


def skew(v: ArrayLike) -> Array:
    """``[v]x`` with ``[v]x u = v x u``, shape (..., 3, 3)."""
    v = real("v", v, (3,))
    K = np.zeros((*v.shape[:-1], 9))
    K[..., _PLUS], K[..., _MINUS] = v, -v
    return K.reshape(*v.shape, 3)


def rotation_x(angle: ArrayLike) -> Array:
    """Rotation about x by `angle` (rad)."""
    return _elementary(angle, 0)


def rotation_y(angle: ArrayLike) -> Array:
    """Rotation about y by `angle` (rad)."""
    return _elementary(angle, 1)


def rotation_z(angle: ArrayLike) -> Array:
    """Rotation about z by `angle` (rad)."""
    return _elementary(angle, 2)


def _elementary(angle: ArrayLike, axis: int) -> Array:
    a = real("angle", angle)
    R = np.zeros((*a.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[..., axis, axis] = 1.0
    R[..., i, i] = R[..., j, j] = np.cos(a)
    R[..., j, i] = np.sin(a)
    R[..., i, j] = -np.sin(a)
    return R


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """``R = Rz(rpy_z) Ry(rpy_y) Rx(rpy_x)``."""
    rpy = real("rpy", rpy, (3,))
    return rotation_z(rpy[..., 2]) @ rotation_y(rpy[..., 1]) @ rotation_x(rpy[..., 0])


def rpy_from_rotation(R: ArrayLike) -> Array:
    """Angles (x, y, z) with ``R = Rz Ry Rx`` to all digits at any pitch; at exact gimbal lock the x angle is zero.

    Near a pitch of 90 degrees roll and yaw are ill determined but their sum is not: the yaw is taken from what is left
    of the rotation after the roll found, which undoes an error of the roll.
    """
    R = real("R", R, (3, 3))
    x = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    s, c = np.sin(x), np.cos(x)
    y = np.arctan2(-R[..., 2, 0], s * R[..., 2, 1] + c * R[..., 2, 2])
    z = np.arctan2(s * R[..., 0, 2] - c * R[..., 0, 1], c * R[..., 1, 1] - s * R[..., 1, 2])
    return np.stack([x, y, z], axis=-1) + 0.0  # no -0.0


def rpy_rate_matrix(rpy: ArrayLike) -> Array:
    """``J_A`` with ``omega = J_A d(rpy)/dt``, world axes, shape (..., 3, 3)."""
    rpy = real("rpy", rpy, (3,))
    y, z = rpy[..., 1], rpy[..., 2]
    J = np.zeros((*rpy.shape[:-1], 3, 3))
    J[..., 0, 0], J[..., 1, 0], J[..., 2, 0] = (
        np.cos(z) * np.cos(y),
        np.sin(z) * np.cos(y),
        -np.sin(y),
    )
    J[..., 0, 1], J[..., 1, 1] = -np.sin(z), np.cos(z)
    J[..., 2, 2] = 1.0
    return J


def rpy_rate_matrix_dot(rpy: ArrayLike, rate: ArrayLike) -> Array:
    """Time derivative of `rpy_rate_matrix` along ``d(rpy)/dt = rate``."""
    rpy, rate = real("rpy", rpy, (3,)), real("rate", rate, (3,))
    shape = batch_shape("rate", rpy.shape[:-1], rate.shape[:-1])
    y, z, yd, zd = rpy[..., 1], rpy[..., 2], rate[..., 1], rate[..., 2]
    J = np.zeros((*shape, 3, 3))
    J[..., 0, 0] = -np.sin(z) * np.cos(y) * zd - np.cos(z) * np.sin(y) * yd
    J[..., 1, 0] = np.cos(z) * np.cos(y) * zd - np.sin(z) * np.sin(y) * yd
    J[..., 2, 0] = -np.cos(y) * yd
    J[..., 0, 1], J[..., 1, 1] = -np.cos(z) * zd, -np.sin(z) * zd
    return J


def rotation_from_quaternion(q: ArrayLike) -> Array:
    """Rotation matrix of the quaternion (w, x, y, z), normalized first."""
    given = real("q", q, (4,))
    e: Array = given / np.sqrt((given * given).sum(axis=-1, keepdims=True))
    K = skew(e[..., 1:])
    return np.eye(3) + 2.0 * e[..., :1, None] * K + 2.0 * K @ K


# sums and differences of a flattened rotation matrix: 4wx 4wy 4wz 4xy 4xz 4yz of its quaternion, and which of them
# stand beside the largest component
_OFF_FIRST, _OFF_SECOND = np.array([7, 2, 3, 1, 2, 5]), np.array([5, 6, 1, 3, 6, 7])
_OFF_SIGN = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
_OFF_OF = np.array([[-1, 0, 1, 2], [0, -1, 3, 4], [1, 3, -1, 5], [2, 4, 5, -1]])


def quaternion_from_rotation(R: ArrayLike) -> Array:
    """Unit quaternion (w, x, y, z) with w >= 0, by the largest of the four candidates (no loss of digits)."""
    R = real("R", R, (3, 3))
    flat = R.reshape(*R.shape[:-2], 9)
    d = flat[..., ::4]
    trace = d.sum(axis=-1)
    four = np.concatenate(
        [(1 + trace)[..., None], 1 - trace[..., None] + 2 * d], axis=-1
    )  # 4 q_i^2
    best = np.argmax(four, axis=-1)
    off = flat[..., _OFF_FIRST] + _OFF_SIGN * flat[..., _OFF_SECOND]
    rows = _OFF_OF[best]
    largest = pick(four, best[..., None])
    numerator = np.where(rows < 0, largest, pick(off, np.maximum(rows, 0)))
    q = numerator / (2.0 * np.sqrt(largest))
    return np.where(q[..., :1] < 0, -q, q)


def rotation_exp(v: ArrayLike) -> Array:
    """``exp([v]x)`` for a rotation vector v (rad), exact near zero."""
    v = real("v", v, (3,))
    angle = np.linalg.norm(v, axis=-1)[..., None, None]
    K = skew(v)
    a = np.sinc(angle / np.pi)
    b = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.eye(3) + a * K + b * (K @ K)


def rotation_log(R: ArrayLike) -> Array:
    """Rotation vector v with ``R = exp([v]x)``, ``|v| <= pi``."""
    q = quaternion_from_rotation(R)
    n = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(n, q[..., :1])
    scale = np.where(n > 1e-12, angle / np.where(n > 1e-12, n, 1.0), 2.0)
    return scale * q[..., 1:]


@dataclass(frozen=True, eq=False)
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

    def matrix(self) -> Array:
        """Homogeneous 4x4 transform P -> W."""
        m = np.zeros((*self.shape, 4, 4))
        m[..., :3, :3], m[..., :3, 3], m[..., 3, 3] = self.rotation, self.position, 1.0
        return m


_STILL = np.zeros(3)
_STILL.flags.writeable = False


@dataclass(frozen=True, eq=False)
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
