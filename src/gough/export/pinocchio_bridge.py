"""A machine in Pinocchio: the chains of `gough.export.leg_chains` as a tree, its loops as rigid constraints.

Every freedom is a joint of its own; a part sits behind the last of its joints.  A ball at the platform is a point
constraint (CONTACT_3D) between the leg's tip and the platform; beyond a universal joint there is a plate in the
platform's axes, a twentieth of it as in MJCF, which a weld (CONTACT_6D) ties to it.  Joint friction is `model.damping`
(viscous; of the loops: none), drive inertia `model.armature`.  Pinocchio's free flyer has its twist in the platform's
axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.export.engine_bridge import Bridge, JointIndex, LegIndex, numbers, screws_of
from gough.export.leg_chains import chains
from gough.export.linkage import PLATFORM, WORLD, Chain, Freedom
from gough.export.split_bodies import plates
from gough.extras import package
from gough.model import Body, Platform
from gough.model.body import collected_warnings
from gough.spatial import Pose


class PinocchioModel(Bridge):
    """The machine in Pinocchio; see `gough.pinocchio`.

    constraints, constraint_data  its loops, as `pinocchio.constraintDynamics` takes them
    """

    QUATERNION = "xyzw"
    constraints: Any
    constraint_data: Any

    def _platform_rates(self, pose: Pose) -> Array:
        out = np.zeros((6, 6))
        out[:3, :3] = out[3:, 3:] = pose.rotation.T
        return out

    def _along_strut(self, q: Array, leg: LegIndex) -> Array:
        pin = package("pinocchio")
        data, body = self.model.createData(), list(leg.bodies.values())[-1]
        pin.computeJointJacobians(self.model, data, q)
        turn = pin.getJointJacobian(self.model, data, body, pin.ReferenceFrame.LOCAL)[3:]
        return np.array(turn[0])  # the part's axes are those of its joint

    def loop_jacobian(self, q: Any) -> Array:
        pin = package("pinocchio")
        data, rows = self.model.createData(), list[Array]()
        pin.computeJointJacobians(self.model, data, numbers("q", q, self.model.nq))

        def moving(joint: int, place: Any) -> Array:
            """(6, nv) velocity of a frame on a joint, world axes."""
            own = pin.getJointJacobian(self.model, data, joint, pin.ReferenceFrame.LOCAL)
            R = (data.oMi[joint] * place).rotation
            return np.kron(np.eye(2), R) @ place.actionInverse @ own

        for c in self.constraints:
            both = (c.joint1_id, c.joint1_placement), (c.joint2_id, c.joint2_placement)
            gap = moving(*both[0]) - moving(*both[1])
            rows.append(gap if c.type == pin.ContactType.CONTACT_6D else gap[:3])
        return np.concatenate(rows)

    def open_loops(self, q: Any) -> float:
        pin = package("pinocchio")
        data = self.model.createData()
        pin.forwardKinematics(self.model, data, numbers("q", q, self.model.nq))
        worst = 0.0
        for c in self.constraints:
            one, two = data.oMi[c.joint1_id] * c.joint1_placement, data.oMi[c.joint2_id]
            gap = one.actInv(two * c.joint2_placement)
            turned = c.type == pin.ContactType.CONTACT_6D
            angle = float(np.linalg.norm(pin.log3(gap.rotation))) if turned else 0.0
            worst = max(worst, float(np.abs(gap.translation).max()), angle)
        return worst


def pinocchio(platform: Platform, pose: Pose | None = None) -> PinocchioModel:
    """The machine as a Pinocchio model with its loops, built at `pose` (default: home), and its data.

    Springs are refused, and so are rotors that ride on legs and screws with inertia: Pinocchio couples no joint to two
    others.

    >>> bridge = gough.pinocchio(gough.load("motion-base-1500"))
    >>> bool(bridge.open_loops(bridge.q(bridge.platform.home)) < 1e-12)
    True
    """
    pin = package("pinocchio")
    start, legs = chains(platform, pose, "Pinocchio")
    for chain in legs:
        if chain.leg.springs.any or getattr(chain.leg, "torsion", 0.0):
            raise InputError(f"legs.{chain.name}.springs", "given", "Pinocchio has no springs")
        for rotor in chain.rotors:
            problem = "Pinocchio has no rotor riding on a leg"
            raise InputError(f"legs.{chain.name}.drive.rotor_axis", rotor.axis.tolist(), problem)
    model = pin.Model()
    model.name = platform.name or PLATFORM
    model.gravity.linear = platform.gravity
    builder = _Builder(pin, model)
    top = builder.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), PLATFORM)
    builder.known(PLATFORM, top)
    left, plate = plates(platform.body, sum(not chain.ball for chain in legs))
    builder.weigh(top, pin.SE3.Identity(), left)
    places = {c.name: builder.leg(c, start, top, i, plate) for i, c in enumerate(legs)}
    made = PinocchioModel(platform, start, model, model.createData(), builder.joints, places, top)
    made.screws, made.constraints = screws_of(legs), pin.StdVec_RigidConstraintModel()
    made.constraint_data = pin.StdVec_RigidConstraintData()
    for constraint in builder.constraints:
        made.constraints.append(constraint)
        made.constraint_data.append(constraint.createData())
    return made


class _Builder:
    """Joints, bodies and constraints as they are added."""

    def __init__(self, pin: Any, model: Any) -> None:
        self.pin, self.model = pin, model
        self.joints: dict[str, JointIndex] = {}
        self.constraints: list[Any] = []

    def known(self, name: str, joint: int) -> None:
        own = self.model.joints[joint]
        q, v = int(own.idx_q), int(own.idx_v)
        self.joints[name] = JointIndex(joint, slice(q, q + own.nq), slice(v, v + own.nv))

    def weigh(self, joint: int, place: Any, body: Body) -> None:
        pieces = float(body.mass), np.array(body.center), np.array(body.inertia)
        self.model.appendBodyToJoint(joint, self.pin.Inertia(*pieces), place)

    def leg(self, chain: Chain, pose: Pose, top: int, number: int, plate: Body) -> LegIndex:
        """One chain, and what ties it to the platform."""
        pin = self.pin
        placed = {WORLD: (0, pin.SE3.Identity())}
        frames = {WORLD: pin.SE3.Identity()}
        first, bodies = len(self.joints), dict[str, int]()
        for part in chain.parts:
            at = pin.SE3(np.array(part.rotation), np.array(part.position))
            joint, place = placed[part.parent]
            place = place * frames[part.parent].actInv(at)
            armature = 0.0 if chain.screw else chain.reflected_inertia
            placed[part.name] = self.chained(joint, place, part.freedoms, armature)
            frames[part.name], bodies[part.name] = at, placed[part.name][0]
            self.weigh(*placed[part.name], part.body)
        if chain.screw and chain.reflected_inertia:
            at = f"legs.{chain.name}.drive"
            told = "Pinocchio has no inertia on length and twist at once"
            raise InputError(at, chain.reflected_inertia, told)
        joint, place = placed[chain.end]
        tip = place * pin.SE3(np.eye(3), np.array(chain.tip))
        there = pin.SE3(np.eye(3), np.array(chain.leg.joint))
        kind = pin.ContactType.CONTACT_3D
        if not chain.ball:
            turned = frames[chain.end].rotation.T @ pose.rotation
            tip = place * pin.SE3(np.array(turned), np.array(chain.tip))
            joint, tip = self.chained(joint, tip, chain.top, 0.0)
            self.weigh(joint, tip, moved(plate, -chain.leg.joint))
            kind = pin.ContactType.CONTACT_6D
        ends = joint, tip, top, there
        tie = pin.RigidConstraintModel(kind, self.model, *ends, pin.ReferenceFrame.LOCAL)
        self.constraints.append(tie)
        names = tuple(self.joints)[first:]
        drive = chain.drive_joint if chain.driven else None
        return LegIndex(names, drive, bodies, number if drive else None, number)

    def chained(
        self, joint: int, place: Any, freedoms: tuple[Freedom, ...], armature: float
    ) -> tuple[int, Any]:
        """Joints in turn from `place` on `joint`: the last of them, and where the part sits behind it."""
        pin = self.pin
        for f in freedoms:
            aside = pin.SE3(np.eye(3), np.zeros(3) if f.at is None else np.array(f.at))
            kind, back = _motion(pin, f)
            joint = self.model.addJoint(joint, kind, place * aside * back, f.name)
            self.known(f.name, joint)
            own = self.joints[f.name].v
            self.model.damping[own] = f.damping
            self.model.armature[own] = armature if f.driven else 0.0
            place = aside.inverse()
        return joint, place


def moved(body: Body, by: Array) -> Body:
    """The same body seen from another origin."""
    with collected_warnings():
        return Body(body.mass, body.center + by, body.inertia)


def _motion(pin: Any, f: Freedom) -> tuple[Any, Any]:
    """A joint of Pinocchio, and where it starts so that it reads what the freedom reads at the pose."""
    if f.axis is None:
        return pin.JointModelSpherical(), pin.SE3.Identity()
    axis = np.array(f.axis)
    if f.kind == "slide":
        return pin.JointModelPrismaticUnaligned(axis), pin.SE3(np.eye(3), -f.reading * axis)
    turned = pin.exp3(-f.reading * axis)
    return pin.JointModelRevoluteUnaligned(axis), pin.SE3(turned, np.zeros(3))
