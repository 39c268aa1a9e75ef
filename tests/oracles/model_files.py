"""Written models read back: URDF by Pinocchio, SDF by the standard library."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from gough.checks import Array
from gough.model import Body, Platform
from gough.spatial import rotation_from_rpy


class Written:
    """A URDF in Pinocchio: placed by joint name, read by link name."""

    def __init__(self, text: str, gravity: Array) -> None:
        self.model = pin.buildModelFromXML(text)
        self.model.gravity.linear = gravity
        self.data = self.model.createData()
        self.q = pin.neutral(self.model)

    def index(self, joint: str) -> int:
        assert self.model.existJointName(joint), joint
        j = self.model.getJointId(joint)
        assert self.model.nvs[j] in (1, 6)
        return self.model.idx_vs[j]

    def turn(self, change: dict[str, Array | float]) -> None:
        """Set joints from the pose of the file by readings (six numbers for the platform: an se(3) vector)."""
        v = np.zeros(self.model.nv)
        for joint, value in change.items():
            at = self.index(joint)
            v[at : at + np.size(value)] = value
        self.q = pin.integrate(self.model, pin.neutral(self.model), v)

    def link(self, name: str) -> tuple[Array, Array]:
        pin.framesForwardKinematics(self.model, self.data, self.q)
        M = self.data.oMf[self.model.getFrameId(name, pin.BODY)]
        return M.rotation.copy(), M.translation.copy()

    def gap(self, loops: list[dict]) -> float:
        """Largest distance between the two points of a loop."""
        ends = [
            [
                R @ np.array(x) + p
                for (R, p), x in zip(map(self.link, loop["links"]), loop["points"], strict=True)
            ]
            for loop in loops
        ]
        return max(float(np.linalg.norm(a - b)) for a, b in ends)

    def mass_matrix(self) -> Array:
        M = pin.crba(self.model, self.data, self.q)
        return np.triu(M) + np.triu(M, 1).T

    def effort(self, qd: Array, qdd: Array) -> Array:
        return pin.rnea(self.model, self.data, self.q, qd, qdd).copy()


def frame(text: str) -> tuple[Array, Array]:
    numbers = np.array(text.split(), dtype=float)
    return rotation_from_rpy(numbers[3:]), numbers[:3]


class Scene:
    """An SDF model read with the standard library: link frames, bodies, joints, all in world axes."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        self.model = self.root.find("world/model")
        self.links = {
            link.get("name"): frame(link.find("pose").text) for link in self.model.iter("link")
        }
        self.bodies = {
            link.get("name"): self.body(link.find("inertial")) for link in self.model.iter("link")
        }
        self.joints = {joint.get("name"): joint for joint in self.model.iter("joint")}
        assert len({*self.links, *self.joints}) == len(self.links) + len(self.joints)

    @staticmethod
    def body(inertial: ElementTree.Element) -> Body:
        I = {element.tag: float(element.text) for element in inertial.find("inertia")}
        tensor = [[I["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"]
        R, center = frame(inertial.find("pose").text)
        assert np.array_equal(R, np.eye(3))
        return Body(float(inertial.find("mass").text), center, tensor)

    def joint(self, name: str) -> tuple[str, str, str, Array, list[Array]]:
        """Type, parent, child, anchor and axes of a joint."""
        joint = self.joints[name]
        child, pose = joint.find("child").text, joint.find("pose")
        assert pose.get("relative_to") == child
        (R, p), (turn, offset) = self.links[child], frame(pose.text)
        axes = [
            R @ turn @ np.array(a.find("xyz").text.split(), dtype=float)
            for a in joint
            if a.tag[:4] == "axis"
        ]
        return joint.get("type"), joint.find("parent").text, child, p + R @ offset, axes


def total_mass(platform: Platform) -> float:
    """Mass of all bodies of a machine."""
    names = ("lower", "upper", "link", "crank")
    legs = sum(getattr(leg, n).mass for leg in platform.legs for n in names if hasattr(leg, n))
    return (
        platform.body.mass + legs + sum(getattr(leg, "slider_mass", 0.0) for leg in platform.legs)
    )
