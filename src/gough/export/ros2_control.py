"""The `<ros2_control>` element of a URDF: which joints a controller manager commands and reads, and within what.

One system with a joint for every actuator.  Commands and states are position, velocity and effort of that joint; as
every joint of the file it reads zero at the pose of the file, so positions are coordinates less those at the pose.
Limits are the machine's (`min`, `max` of a command interface; none where it has none), in m, m/s, N (rad, rad/s, N m of
a crank).  The plugin is the one with which ros2_control mirrors commands into states: a machine's driver, or a bridge
to a simulation, takes its place.
"""

from __future__ import annotations

from typing import Any

from gough.checks import InputError
from gough.export.linkage import Chain
from gough.export.xml_files import put

PLUGIN = "mock_components/GenericSystem"
INTERFACES = ("position", "velocity", "effort")


def put_ros2_control(root: Any, name: str, legs: tuple[Chain, ...]) -> None:
    """Append the element for all driven legs; a screw, which acts on two joints, is refused."""
    for chain in legs:
        if chain.screw:
            problem = "ros2_control has no word for an actuator that acts on length and twist"
            raise InputError(f"legs.{chain.name}.screw", f"{chain.screw} m/rad", problem)
    system = put(root, "ros2_control", name=f"{name}-system", type="system")
    put(put(system, "hardware"), "plugin", PLUGIN)
    for chain in legs:
        if not chain.driven:
            continue
        joint = put(system, "joint", name=chain.drive_joint)
        for word, ends in limits(chain).items():
            command = put(joint, "command_interface", name=word)
            for which, end in zip(("min", "max"), ends or (), strict=False):
                put(command, "param", end, name=which)
        for word in INTERFACES:
            state = put(joint, "state_interface", name=word)
            if word == "position":
                put(state, "param", 0.0, name="initial_value")


def limits(chain: Chain) -> dict[str, tuple[float, float] | None]:
    """Least and largest command of each interface; None: the machine gives none."""
    own = chain.leg.limits
    both = {
        word: None if x is None else (-x, x)
        for word, x in zip(INTERFACES[1:], (own.speed, own.force), strict=True)
    }
    return {"position": chain.travel, **both}
