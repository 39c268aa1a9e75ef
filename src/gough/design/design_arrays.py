"""Many machines of one family, or one machine changed in many ways, as arrays of their joints: no object per design.

Packed are machines whose six legs run between joints fixed on base and platform (UPS, SPS, their joints' axes meet, no
fixed links, no springs in the joints).  What a design must pass to be built at all is looked at here with room to
spare: a design that is not surely fine (`sure`) is built by the constructors themselves, which say why it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array
from gough.design import batch_kernel
from gough.design.spec import CHANGES, FAMILIES, OPTIONS
from gough.links import links
from gough.model import SPS, UPS, Platform
from gough.model.geometry import SINGULAR
from gough.model.joint_circles import CUBE_SHARE, WIDEST, cube, hexagons
from gough.spatial import Pose
from gough.struts import PAIRS, cross, wrench_rows

if TYPE_CHECKING:
    from gough.design.spec import MachineSpec

LEAST, MOST = 1e-6, 1e6  # lengths (m) and factors for which no check of sizes can fail
HEAVIEST = 1e12  # kg
ROOM = 10.0  # times farther from a refusal than the constructors ask for
UNPACKED = "one by one: "
_UP = np.array([0.0, 0.0, 1.0])
Values = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class DesignArrays:
    """n machines.

    base, joint  (n, 6, 3) joints, world and platform axes, m
    axis         (n, 6, 3) first axes of universal joints; zero for balls, or their reference where `balls`: all are
    home         (n, 3) home positions, m;  rotation (3, 3) of all of them
    length       (n, 6) of the legs at home and radius (n,) of the platform, as the family makes their bodies, m
    sure         (n,) the machine is certainly built; nothing is said of the others
    """

    base: Array
    joint: Array
    axis: Array
    home: Array
    rotation: Array
    length: Array
    radius: Array
    sure: NDArray[np.bool_]
    balls: bool = False

    def some(self, which: slice | NDArray[Any]) -> DesignArrays:
        """Some of the machines."""
        each = [f.name for f in fields(self) if f.name not in ("rotation", "balls")]
        return replace(self, **{name: getattr(self, name)[which] for name in each})

    @cached_property
    def characteristic_length(self) -> Array:
        """(n,) as of `Platform`."""
        p = self.joint
        spread = ((p - p.mean(axis=-2, keepdims=True)) ** 2).sum(axis=-1).mean(axis=-1)
        length = np.sqrt(spread)
        return np.where(length == 0.0, 1.0, length)

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """(n, 15) pairs of legs that share no joint, as of `gough.struts.shared_joints`."""
        i, j = PAIRS
        tiny = 1e-9 * self.characteristic_length[:, None]
        shared = [np.abs(x[:, i] - x[:, j]).max(axis=-1) < tiny for x in (self.base, self.joint)]
        return ~(shared[0] | shared[1])

    def regular(self, position: Array, rotation: Array, condition: float) -> NDArray[np.bool_]:
        """(n,) at these poses ((n, 3); (3, 3)) the scaled 6x6 matrix has certainly a smaller condition number."""
        q = self.joint @ rotation.T
        strut = position[:, None, :] + q - self.base
        with np.errstate(invalid="ignore", divide="ignore"):
            s = strut / np.sqrt((strut * strut).sum(axis=-1))[..., None]
            rows = wrench_rows(q / self.characteristic_length[:, None, None], s)
        bound = np.empty(len(rows))
        batch_kernel.condition_bounds(rows, bound)
        return bound < condition / ROOM


def why_unpacked(machine: MachineSpec) -> str | None:
    """Why designs of a machine are built one by one; None: they can be packed."""
    if machine.family is None:
        return _why_not(machine.loaded)
    if machine.family not in _JOINTS:
        return UNPACKED + f"legs of the family {machine.family} are not packed"
    leg, limits = machine.options.get("leg", "UPS"), machine.options.get("limits")
    if leg not in ("UPS", "SPS"):
        return UNPACKED + f"{leg} legs are not packed"
    if limits is not None and limits.about_home:
        return UNPACKED + "strokes counted from home are not packed"
    return None


def _why_not(platform: Platform) -> str | None:
    if platform.home is None:
        return UNPACKED + "the machine has no home"
    for leg, name in zip(platform.legs, platform.leg_names, strict=True):
        if type(leg) not in (UPS, SPS) or getattr(leg, "base_offset", None) is not None:
            return UNPACKED + f"{name} is no plain UPS or SPS leg"
        if leg.springs.any:
            return UNPACKED + f"{name} has springs in its joints"
    return UNPACKED + "fixed links are not packed" if len(links(platform).legs) else None


def design_arrays(machine: MachineSpec, values: Values, count: int) -> DesignArrays:
    """The machines of `count` designs, ``machine.build`` of each of `values` (count,); `why_unpacked` is None."""
    given = all_values(machine, values, count)
    if machine.family is None:
        made = _copies(machine.loaded, count)
    else:
        made = _family(machine.family, given, machine.options.get("leg", "UPS"), count)
    return _changed(made, given)


def all_values(machine: MachineSpec, values: Values, count: int) -> dict[str, Array]:
    """(count,) each: what the machine fixes, and what varies."""
    given = {name: np.full(count, float(value)) for name, value in machine.fixed.items()}
    return given | {name: np.asarray(value, dtype=float) for name, value in values.items()}


def _copies(platform: Platform, count: int) -> DesignArrays:
    home = platform.require_home()
    axes = np.array([getattr(leg, "axis", np.zeros(3)) for leg in platform.legs])
    base, joint, axis, at = (
        np.broadcast_to(a, (count, *a.shape))
        for a in (platform.base_joints, platform.platform_joints, axes, home.position)
    )
    none = np.zeros((count, 6))
    fine = np.ones(count, dtype=bool)
    return DesignArrays(base, joint, axis, at, home.rotation, none, none[:, 0], fine)


def _family(family: str, given: dict[str, Array], leg: str, count: int) -> DesignArrays:
    needed = FAMILIES[family][1]
    if any(name not in given for name in needed if name != "fraction"):
        nothing = np.zeros((count, 6, 3))
        lost = np.zeros(count, dtype=bool)  # the constructor says what is missing
        sizes = nothing[..., 0], nothing[:, 0, 0]
        return DesignArrays(nothing, nothing, nothing, nothing[:, 0], np.eye(3), *sizes, lost)
    with np.errstate(all="ignore"):
        (b, p, height), sure = _JOINTS[family](given), np.ones(count, dtype=bool)
        home = height[:, None] * _UP
        strut = home[:, None, :] + p - b
        across = cross(np.broadcast_to(_UP, strut.shape), strut)
        size = np.linalg.norm(across, axis=-1, keepdims=True)
        axis = across / size
        for name in (*needed, *OPTIONS):
            if name in given:
                sure &= _fine(name, given[name])
        sure &= (size.min(axis=(-2, -1)) > ROOM * LEAST) & (height > LEAST) & (height < MOST)
        sizes = (
            np.linalg.norm(strut, axis=-1),
            np.linalg.norm(p[..., :2], axis=-1).max(axis=-1),
        )
        made = DesignArrays(b, p, axis, home, np.eye(3), *sizes, sure, leg == "SPS")
        sure &= made.regular(home, np.eye(3), SINGULAR)
        sure &= _no_conic(made)
    return made


def _fine(name: str, value: Array) -> NDArray[np.bool_]:
    if name in OPTIONS:
        return (value >= 0.0) & (value < HEAVIEST)
    if name.endswith("angle"):
        return (value >= 0.0) & (value < WIDEST)
    return (value > LEAST) & (value < (1.0 if name == "fraction" else MOST))


def _no_conic(made: DesignArrays) -> NDArray[np.bool_]:
    """(n,) the first pose at which `Platform.architecture_problem` looks is certainly regular."""
    b, p = made.base, made.joint
    size = np.maximum(np.ptp(b, axis=-2).max(axis=-1), np.ptp(p, axis=-2).max(axis=-1))
    rng = np.random.default_rng(20)
    away, turned = rng.normal(size=3), Pose.from_quaternion(np.zeros(3), rng.normal(size=4))
    position = b.mean(axis=-2) + size[:, None] * away
    return made.regular(position, turned.rotation, SINGULAR)


def _changed(made: DesignArrays, given: dict[str, Array]) -> DesignArrays:
    """With the changes of `CHANGES`."""
    base, joint, sure = made.base, made.joint, made.sure
    for name in CHANGES:
        if name in given:
            x = given[name]
            heavy = (x >= 0.0) & (x < HEAVIEST)
            sure = sure & (heavy if name == "payload" else (x > LEAST) & (x < MOST))
    if "base_scale" in given:
        base = given["base_scale"][:, None, None] * base
    if "platform_scale" in given:
        joint = given["platform_scale"][:, None, None] * joint
    return replace(made, base=base, joint=joint, sure=sure)


Joints = Callable[[dict[str, Array]], tuple[Array, Array, Array]]
"""Dimensions by name, (n,) each -> base and platform joints (n, 6, 3), height (n,) of home."""


def _circles(*none: str) -> Joints:
    """Hexagons, in which some pair angles are zero."""

    def joints(given: dict[str, Array]) -> tuple[Array, Array, Array]:
        flat = np.zeros_like(given["base_radius"])
        angles = [
            flat if name in none else given[name]
            for name in ("base_pair_angle", "platform_pair_angle")
        ]
        return *hexagons(given["base_radius"], given["platform_radius"], *angles), given["height"]

    return joints


def _cubic(given: dict[str, Array]) -> tuple[Array, Array, Array]:
    edge = given["edge"]
    return cube(edge, given.get("fraction", np.full_like(edge, CUBE_SHARE)))


_JOINTS: dict[str, Joints] = {
    "hexapod": _circles(),
    "octahedral": _circles("base_pair_angle", "platform_pair_angle"),
    "six-three": _circles("platform_pair_angle"),
    "cubic": _cubic,
}
