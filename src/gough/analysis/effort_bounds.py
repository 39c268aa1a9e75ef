"""The largest efforts anywhere in a box of poses, and the largest mass that can be held anywhere in it.

The poses are ``p = p0 + x``, ``R = Rz Ry Rx(roll, pitch, yaw) R0`` with |x| within `box` (m, world axes) and the angles
within `tilt` (rad) of the pose `at`.  At each of them the platform is at rest or is accelerated from rest:

    effort_i = own_i + a.A_i + al.B_i + f.C_i + m.D_i        own: weight and springs in the joints
with any acceleration |a| <= `acceleration` of the reference point (m/s^2, world axes), |al| <= `angular_acceleration`
(rad/s^2), force |f| <= `force` (N) at `point` and moment |m| <= `moment` (N m) on the platform, all at once, so that

    |effort_i| <= |own_i| + |A_i| |a| + |B_i| |al| + |C_i| |f| + |D_i| |m|      which is reached: the worst case.
A mass m at `center` adds ``m w_i``, w_i the efforts of the weight of 1 kg: of the largest effort e_i of a leg it leaves
``|m| <= (e_i -+ own_i - |C_i| |f| - |D_i| |m|)/(+- w_i)``, the smallest over legs, signs and poses.

Bounds are proved (analysis/effort_boxes.py, box_search.py).  Not in them: velocities (centrifugal terms, friction in
the joints), losses of drives, and what the other limits of the legs have to say about the box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.box_search import BoxBounds, BoxMaximum, largest
from gough.analysis.effort_boxes import Asked, BoxEfforts, box_efforts, without_boxes
from gough.checks import Array, InfeasibleError, InputError, array
from gough.dynamics import inverse_dynamics
from gough.frozen import hinted
from gough.layout import TWIST
from gough.limits import allowed_range
from gough.model import CRANKS, Platform
from gough.quadratic import Quadratic, root, upper
from gough.results import Result
from gough.spatial import Motion, Pose, rotation_from_rpy
from gough.taylor import Model, chosen


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class WorstEffort(Result):
    """Of each leg over a box of poses.

    bound    (6,) no effort is larger anywhere in the box, proved; infinite: no bound is known
    found    (6,) as large are the efforts, signed, in the cases `motion` (6,), at rest but for its accelerations, with
             the wrenches `external` (6, 6), platform axes; `gough.inverse_dynamics` answers them
    units    of the efforts, "N" or "N m";  boxes: how many were looked at
    why      why no bound is known, in words; empty where there is one
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    bound: Array
    found: Array
    motion: Motion
    external: Array
    boxes: int
    why: str

    def sentences(self) -> tuple[str, ...]:
        """What is proved and what was found, leg by leg."""
        return tuple(
            f"{name}: {_at_most(self.bound[i], unit)}; {self.found[i]:.6g} {unit} found at "
            f"{_pose_words(self.motion.pose[i])}"
            for i, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
        ) + ((f"no bound: {self.why}",) if self.why else ())

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; a bound that is not known is None."""
        rpy = self.motion.pose.rpy
        return {
            "legs": [
                {
                    "name": name,
                    "unit": unit,
                    "bound": float(self.bound[i]) if np.isfinite(self.bound[i]) else None,
                    "found": float(self.found[i]),
                    "position": self.motion.position[i].tolist(),
                    "rpy": rpy[i].tolist(),
                }
                for i, (name, unit) in enumerate(zip(self.names, self.units, strict=True))
            ],
            "boxes": self.boxes,
            "why": self.why,
        }


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class CarriedMass(Result):
    """The largest mass that can be held at rest everywhere in a box of poses.

    low    kg, proved: this mass, and each smaller one, is held in every pose; 0: nothing is proved
    high   kg, `leg` bears no more in the pose `at`; infinite: the efforts set no limit that was found
    why    why nothing is proved, in words; empty where there is a bound
    """

    low: float
    high: float
    leg: str
    at: Pose
    boxes: int
    why: str

    def sentence(self) -> str:
        """What is proved and what was found."""
        proved = (
            f"{self.low:.6g} kg are held everywhere, proved"
            if self.low > 0.0
            else "nothing is proved"
        )
        found = "no pose with a limit was found"
        if np.isfinite(self.high):
            found = f"{self.leg} bears no more than {self.high:.6g} kg at {_pose_words(self.at)}"
        return f"{proved}; {found}{f' (no bound: {self.why})' if self.why else ''}"

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; a mass without a limit is None."""
        masses = {"low_kg": self.low, "high_kg": self.high}
        return {
            **{name: mass if np.isfinite(mass) else None for name, mass in masses.items()},
            "leg": self.leg,
            "boxes": self.boxes,
            "why": self.why,
            "position": self.at.position.tolist(),
            "rpy": self.at.rpy.tolist(),
        }


def worst_effort(
    platform: Platform,
    box: ArrayLike,
    tilt: ArrayLike = (0.0, 0.0, 0.0),
    *,
    at: Pose | None = None,
    acceleration: float = 0.0,
    angular_acceleration: float = 0.0,
    force: float = 0.0,
    moment: float = 0.0,
    point: ArrayLike | None = None,
    stiffness: ArrayLike | None = None,
    rest: ArrayLike | None = None,
    tolerance: float = 0.02,
    boxes: int = 1500,
) -> WorstEffort:
    """The largest effort of each leg anywhere in a box of poses, proved, and the worst case that was found.

    box, tilt  (3,) half sides about `at` (default: home), m, and largest roll, pitch, yaw either way, rad
    acceleration, angular_acceleration, force, moment   largest sizes in any direction; `point` (3,) where the force
               acts, platform axes, m (default: the reference point)
    stiffness, rest  of springs beside the actuators, as of `gough.simulation.Springs`: efforts are then those that
               the actuators add to ``-stiffness (l - rest)``
    tolerance  share to which bounds shall be near to what was found;  boxes: how many are looked at for that at most
    """
    place = BoxOfPoses.of(platform, box, tilt, at)
    sizes = np.array([acceleration, angular_acceleration, force, moment], dtype=float)
    pulled = bool(sizes[2:].any())
    asked = Asked(bool(sizes[:2].any()), _vector("point", point) if pulled else None)
    spring = _springs(stiffness, rest)

    def functions(found: BoxEfforts) -> tuple[Sequence[Model], Array]:
        own = (
            found.own + found.coordinate * spring[0] - spring[0] * spring[1]
            if spring[0].any()
            else found.own
        )
        balls = _balls(found, asked, sizes)
        return [own + balls, balls - own], np.abs(own.c[0]) + _ball_sizes(found, asked, sizes)

    result = place.search(functions, asked, tolerance, boxes)
    motion, external, value = _witness(place, asked, sizes, result.at, spring)
    bound = np.where(result.bound < 1e300, result.bound, np.inf)
    units = tuple("N m" if isinstance(leg, CRANKS) else "N" for leg in platform.legs)
    why = place.why(bound, result)
    return WorstEffort(platform.leg_names, units, bound, value, motion, external, result.boxes, why)


def payload_capacity(
    platform: Platform,
    box: ArrayLike,
    tilt: ArrayLike = (0.0, 0.0, 0.0),
    *,
    at: Pose | None = None,
    center: ArrayLike | None = None,
    force: float = 0.0,
    moment: float = 0.0,
    point: ArrayLike | None = None,
    tolerance: float = 0.02,
    boxes: int = 1500,
) -> CarriedMass:
    """The largest mass at `center` that the legs hold at rest, within their largest efforts, anywhere in a box.

    center  (3,) of the mass, platform axes, m (default: the reference point); the other arguments as of `worst_effort`
    """
    most = np.array([allowed_range(platform, "force", i)[1] for i in range(6)])
    if not np.isfinite(most).any():
        raise InputError("limits.force", None, "at least one leg needs a largest effort")
    place = BoxOfPoses.of(platform, box, tilt, at)
    sizes = np.array([0.0, 0.0, force, moment], dtype=float)
    pulled = bool(sizes.any())
    asked = Asked(False, _vector("point", point) if pulled else None, _vector("center", center))
    limited = np.isfinite(most)
    room = np.where(limited, most, 1.0)

    def functions(found: BoxEfforts) -> tuple[Sequence[Model], Array]:
        """What 1/m must not be below, per leg and sign."""
        weight = found.columns[..., asked.blocks["weight"]][..., 0]
        balls = _balls(found, asked, sizes)
        each = [(weight * sign / (room - found.own * sign - balls)) for sign in (1.0, -1.0)]
        added = _ball_sizes(found, asked, sizes)
        left = [room - found.own.c[0] * sign - added for sign in (1.0, -1.0)]
        with np.errstate(all="ignore"):
            values = [
                np.where(l > 0.0, weight.c[0] * sign / l, np.inf)
                for l, sign in zip(left, (1.0, -1.0), strict=True)
            ]
        each = [Quadratic(m.c * limited, np.where(limited, m.r, 0.0)) for m in each]
        return each, np.where(limited, np.maximum(*values), 0.0)

    result = place.search(functions, asked, tolerance, boxes)
    k = int(result.found.argmax())
    most_found, bound = float(result.found[k]), float(result.bound.max())
    high = 0.0 if np.isinf(most_found) else (1.0 / most_found if most_found > 0.0 else np.inf)
    low = 0.0 if not bound < 1e300 else (1.0 / bound if bound > 0.0 else np.inf)
    why = place.why(np.full(6, np.inf if low == 0.0 else 1.0), result) if high > 0.0 else ""
    pose = place.pose(result.at[k])
    return CarriedMass(low, high, platform.leg_names[k], pose, result.boxes, why)


@dataclass(frozen=True, eq=False)
class BoxOfPoses:
    """A box of poses of a machine."""

    platform: Platform
    turn: Array
    middle: Array
    half: Array

    @staticmethod
    def of(platform: Platform, box: ArrayLike, tilt: ArrayLike, at: Pose | None) -> BoxOfPoses:
        at = platform.require_home() if at is None else at
        parts = []
        for field, given in (("box", box), ("tilt", tilt)):
            value = array(field, given)
            if value.shape != (3,) or (value < 0.0).any():
                raise InputError(field, given, "must be three numbers, not negative")
            parts.append(value)
        if parts[1].max() > np.pi:
            raise InputError("tilt", tilt, "must be at most half a turn, pi")
        middle = np.concatenate([at.position, np.zeros(3)])
        return BoxOfPoses(platform, at.rotation, middle, np.concatenate(parts))

    def pose(self, x: Array) -> Pose:
        """From positions and angles (..., 6)."""
        return Pose(x[..., TWIST.linear], rotation_from_rpy(x[..., TWIST.angular]) @ self.turn)

    def search(
        self,
        functions: Callable[[BoxEfforts], tuple[Sequence[Model], Array]],
        asked: Asked,
        tolerance: float,
        boxes: int,
    ) -> BoxMaximum:
        """The largest of both signs of each leg."""
        why = without_boxes(self.platform)
        if why:
            raise InputError("platform", self.platform.name, why)

        def bounds(middle: Array, half: Array) -> BoxBounds:
            found = box_efforts(self.platform, self.turn, middle, half, asked)
            with np.errstate(all="ignore"):
                sides, value = functions(found)
                tops = np.stack([upper(side) for side in sides])
                slopes = np.stack([side.c[1 : len(self.middle) + 1] for side in sides])
            known = np.isfinite(found.own.r).all(axis=-1, keepdims=True)
            value = np.where(known, value, np.nan)
            which = tops.argmax(axis=0)[None]
            slope = np.take_along_axis(np.moveaxis(slopes, 1, -1), which[..., None], axis=0)[0]
            top = np.where(np.isfinite(tops.max(axis=0)), tops.max(axis=0), np.inf)
            return BoxBounds(value, top, slope, found.turns)

        result = largest(bounds, self.middle, self.half, tolerance, boxes)
        if np.isneginf(result.found).any():
            raise InfeasibleError(
                "no pose of the box was found in which the legs carry the platform"
            )
        return result

    def why(self, bound: Array, result: BoxMaximum) -> str:
        """In words, where a bound is infinite."""
        if np.isfinite(bound).all():
            return ""
        where = "" if result.open is None else f" about {_pose_words(self.pose(result.open[0]))}"
        return f"{result.boxes} boxes do not rule out a singular pose, or one out of reach,{where}"


def _vector(field: str, value: ArrayLike | None) -> Array:
    found = np.zeros(3) if value is None else array(field, value, (3,))
    if found.shape != (3,):
        raise InputError(field, f"shape {found.shape}", "must be one point, three numbers")
    return found


def _springs(stiffness: ArrayLike | None, rest: ArrayLike | None) -> tuple[Array, Array]:
    k, l0 = (
        np.zeros(6) if given is None else np.broadcast_to(array(name, given), (6,))
        for name, given in (("stiffness", stiffness), ("rest", rest))
    )
    if (k < 0.0).any():
        raise InputError("stiffness", stiffness, "must not be negative")
    if k.any() and rest is None:
        raise InputError("rest", None, "must be given beside a stiffness")
    return k, l0


BLOCKS = ("acceleration", "angular_acceleration", "force", "moment")


def _balls(found: BoxEfforts, asked: Asked, sizes: Array) -> Model:
    """(N, 6) what accelerations and wrenches of the given sizes add at most."""
    shape = found.own.r.shape
    total: Model = Quadratic(np.zeros_like(found.own.c), np.zeros(shape))
    for name, size in zip(BLOCKS, sizes.tolist(), strict=True):
        if size > 0.0:
            columns = found.columns[..., asked.blocks[name]]
            total = total + _length((columns * columns).sum()) * size
    return total


def _ball_sizes(found: BoxEfforts, asked: Asked, sizes: Array) -> Array:
    """(N, 6) the same in the middles."""
    total = np.zeros(found.own.r.shape)
    for name, size in zip(BLOCKS, sizes.tolist(), strict=True):
        if size > 0.0:
            total += size * np.linalg.norm(found.columns.c[0][..., asked.blocks[name]], axis=-1)
    return total


def _length(square: Model) -> Model:
    """The root; where its argument may vanish, between 0 and the root of its bound."""
    top = np.sqrt(upper(square)) / 2.0
    near = Quadratic(
        np.zeros_like(square.c), np.where(np.isfinite(top), top * (1.0 + 1e-12), np.inf)
    )
    near.c[0] = np.where(np.isfinite(top), top, 0.0)
    found = root(square)
    return chosen(found.r < near.r, found, near)


def _witness(
    place: BoxOfPoses, asked: Asked, sizes: Array, at: Array, spring: tuple[Array, Array]
) -> tuple[Motion, Array, Array]:
    """Accelerations and wrenches of the worst case of leg i at ``at[i]``, and the efforts there as computed."""
    found = box_efforts(place.platform, place.turn, at, np.zeros_like(at), asked)
    own = found.own.c[0] + spring[0] * (found.coordinate.c[0] - spring[1])
    legs = np.arange(6)
    sign = np.where(own[legs, legs] < 0.0, -1.0, 1.0)
    case = {}
    for name, size in zip(BLOCKS, sizes.tolist(), strict=True):
        case[name] = np.zeros((6, 3))
        if size > 0.0:
            u = found.columns.c[0, legs, legs, asked.blocks[name]]
            length = np.linalg.norm(u, axis=-1, keepdims=True)
            case[name] = size * sign[:, None] * u / np.where(length > 0.0, length, 1.0)
    pose, still = place.pose(at), np.zeros((6, 3))
    accelerations = case["acceleration"], case["angular_acceleration"]
    motion = Motion(pose.position, pose.rotation, still, still, *accelerations)
    arm = np.zeros(3) if asked.point is None else asked.point
    moment = case["moment"] + np.cross(arm, case["force"])
    external = np.concatenate([case["force"], moment], axis=-1)
    effort = inverse_dynamics(place.platform, motion, external).force[legs, legs]
    value = effort + (spring[0] * (found.coordinate.c[0] - spring[1]))[legs, legs]
    return motion, external, value


def _at_most(bound: float, unit: str) -> str:
    return f"at most {bound:.6g} {unit}, proved" if np.isfinite(bound) else "no bound is known"


def _pose_words(pose: Pose) -> str:
    position = " ".join(f"{round(float(x), 9) + 0.0:.4g}" for x in pose.position)
    angles = " ".join(f"{round(float(x), 6) + 0.0:.3g}" for x in np.degrees(pose.rpy))
    return f"{position} m, rpy {angles} deg"
