"""What the twist of screw-driven legs is worth, and a public component's correction beside the exact one.

    cd tests && python -m campaigns.screw_correction [--tilt 5] [--preset screw-hexapod]
    cd tests && python -m campaigns.screw_correction --shipped --unit 0.01 --height -20 --lead 0.02

The component (genhexkins of LinuxCNC, lead positive for a right-hand thread) adds ``lead asin(sin phi)/(2 pi)`` to the
length of a strut, with ``sin phi = n_b . n_a``, n_b = unit(s x (k x s)), n_a = unit(k_p x s).  `shipped` is the machine
of its default numbers, whose unit, height and lead are not told: they are what the caller says.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

import gough
from gough.checks import Array
from gough.model import UCU, Body, Platform, Screw
from gough.reproduce.codes.geometry import numbers
from gough.spatial import Pose, rotation_exp, rotation_log

HALF, THIRD = 0.5**0.5, 0.75**0.5
BASE_AXES = [[HALF, 0, HALF], [0, -HALF, HALF], [-HALF, 0, HALF]]
BASE_AXES += [[-HALF, 0, HALF], [0, HALF, HALF], [HALF, 0, HALF]]
PLATFORM_AXES = [[-1, 0, 0], *2 * [[THIRD, 0.5, 0]], *2 * [[THIRD, -0.5, 0]], [-1, 0, 0]]


@dataclass(frozen=True)
class Sizes:
    """Largest over the poses: twist from home (deg), correction of the travel (mm), and how far off (mm, deg) the
    platform stands when the screws are driven as if the twist were nothing."""

    twist: float
    travel: float
    position: float
    rotation: float


def shipped(unit: float, height: float, lead: float) -> Platform:
    """The component's default machine: joints in `unit` (m), the platform at `height` (units), right-hand screws."""
    told = numbers()["machine_tool"]
    axes = zip(told["base"], told["platform"], BASE_AXES, PLATFORM_AXES, strict=True)
    legs = [
        UCU(unit * np.array(b), unit * np.array(p), np.array(k), np.array(kp), screw=Screw(lead))
        for b, p, k, kp in axes
    ]
    return Platform(Body(1.0), legs, home=Pose([0.0, 0.0, unit * height]))


def tilted(home: Pose, tilt: float, count: int = 24) -> Pose:
    """The home pose tilted by `tilt` (rad) and by half of it about `count` horizontal axes each."""
    turn = 2 * np.pi / count * np.arange(count)
    axes = np.stack([np.cos(turn), np.sin(turn), np.zeros(count)], axis=-1)
    R = rotation_exp(np.concatenate([tilt * axes, 0.5 * tilt * axes])) @ home.rotation
    return Pose(np.broadcast_to(home.position, (2 * count, 3)), R)


def struts(platform: Platform, pose: Pose) -> tuple[Array, Array, Array, Array]:
    """Lengths (..., 6), directions and first axes of both universal joints (..., 6, 3), by their definitions."""
    legs: list[UCU] = list(platform.legs)  # type: ignore[arg-type]
    R = np.swapaxes(pose.rotation, -1, -2)
    S = pose.position[..., None, :] + np.array([leg.joint for leg in legs]) @ R
    S = S - np.array([leg.base for leg in legs])
    length = np.linalg.norm(S, axis=-1)
    k = np.broadcast_to(np.array([leg.axis for leg in legs]), S.shape)
    return length, S / length[..., None], k, np.array([leg.platform_axis for leg in legs]) @ R


def component(platform: Platform, pose: Pose, lead: float) -> Array:
    """The public component's joint values (..., 6)."""
    length, s, k, kp = struts(platform, pose)
    below, above = np.cross(s, np.cross(k, s)), np.cross(kp, s)
    sine = (below * above).sum(-1)
    sine = sine / np.linalg.norm(below, axis=-1) / np.linalg.norm(above, axis=-1)
    return length + lead * np.arcsin(sine) / (2 * np.pi)


def sizes(platform: Platform, tilt: float) -> Sizes:
    """Over poses tilted from home by up to `tilt`, rad."""
    home = platform.require_home()
    poses = tilted(home, tilt)
    length = struts(platform, poses)[0]
    start = gough.inverse_kinematics(platform, home, engine="python").length
    travel = gough.inverse_kinematics(platform, poses, engine="python").length
    bare = struts(platform, home)[0]
    correction = (travel - start) - (length - bare)
    turns = np.array([leg.screw.travel for leg in platform.legs])  # type: ignore[union-attr]
    stands = gough.forward_kinematics(platform, start + length - bare, poses).pose
    off = rotation_log(stands.rotation @ np.swapaxes(poses.rotation, -1, -2))
    return Sizes(
        float(np.degrees(np.abs(correction / turns).max())),
        1e3 * float(np.abs(correction).max()),
        1e3 * float(np.linalg.norm(stands.position - poses.position, axis=-1).max()),
        float(np.degrees(np.linalg.norm(off, axis=-1).max())),
    )


def main() -> None:
    """Print the sizes."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--tilt", type=float, default=5.0, help="degrees")
    given.add_argument("--preset", default="screw-hexapod")
    given.add_argument("--shipped", action="store_true", help="the component's default machine")
    given.add_argument("--unit", type=float, default=0.01, help="of its numbers, m")
    given.add_argument("--height", type=float, default=-20.0, help="of its platform, units")
    given.add_argument("--lead", type=float, default=0.02, help="of its screws, m")
    asked = given.parse_args()
    name, platform = asked.preset, None
    if asked.shipped:
        name, platform = "shipped", shipped(asked.unit, asked.height, asked.lead)
    platform = gough.load(name) if platform is None else platform
    found = sizes(platform, np.radians(asked.tilt))
    print(f"{name}, tilted by up to {asked.tilt:g} deg from home:")
    print(f"  twist up to {found.twist:.2f} deg, travel corrected by up to {found.travel:.3f} mm")
    print(
        f"  without it the platform stands off by {found.position:.3f} mm, {found.rotation:.3f} deg"
    )


if __name__ == "__main__":
    main()
