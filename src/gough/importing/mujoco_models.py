"""MJCF as MuJoCo's own compiler reads it (defaults, includes, angles, tensors from geoms): bodies, joints, constraints.

Needs the package mujoco (the extra `gough[mujoco]`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gough.checks import Array, GoughError, InputError
from gough.extras import package
from gough.importing.file_model import (
    ROUNDING,
    FileBody,
    FileEdge,
    FileJoint,
    FileModel,
    FileMotor,
    Span,
)
from gough.importing.notes import ImportNotes


def mujoco_package() -> Any:
    """The package, or an error that says how to get it."""
    return package("mujoco", "MJCF is read by MuJoCo's own compiler")


def mujoco_model(path: str, notes: ImportNotes, keyframe: str | None) -> FileModel:
    """The file in its initial configuration, or in that of a keyframe."""
    mujoco = mujoco_package()
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)  # it would write them to a file
    try:
        compiled = mujoco.MjModel.from_xml_path(path)
        found = MujocoReading(mujoco, compiled, notes, keyframe).model()
    except GoughError:
        raise
    except (ValueError, RuntimeError) as error:
        raise InputError("path", path, f"MuJoCo does not read it: {error}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    for text in said:
        notes.outside("MuJoCo", text.strip())
    return found


class MujocoReading:
    """One compiled model at one configuration."""

    def __init__(self, mujoco: Any, m: Any, notes: ImportNotes, keyframe: str | None) -> None:
        self.lib, self.m, self.notes = mujoco, m, notes
        self.d = mujoco.MjData(m)
        if keyframe is not None:
            number = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_KEY, keyframe)
            if number < 0:
                raise notes.refuse(f"keyframe {keyframe!r}", "is not in the file")
            mujoco.mj_resetDataKeyframe(m, self.d, number)
        mujoco.mj_forward(m, self.d)
        bits = mujoco.mjtDisableBit
        if m.opt.disableflags & (int(bits.mjDSBL_EQUALITY) | int(bits.mjDSBL_CONSTRAINT)):
            raise notes.refuse("option", "switches equality constraints off: nothing closes a loop")

    def name(self, kind: str, number: int) -> str:
        """Its name in the file, or what kind it is and its number."""
        what = getattr(self.lib.mjtObj, f"mjOBJ_{kind.upper()}")
        return self.lib.mj_id2name(self.m, what, number) or f"{kind}{number}"

    def model(self) -> FileModel:
        """Everything that is read."""
        m, lib = self.m, self.lib
        off = m.opt.disableflags & int(lib.mjtDisableBit.mjDSBL_GRAVITY)
        gravity = np.zeros(3) if off else np.array(m.opt.gravity)
        bodies = [self._body(i) for i in range(m.nbody)]
        edges = [edge for i in range(1, m.nbody) if (edge := self._edge(i)) is not None]
        found = FileModel(m.names[: m.names.find(b"\0")].decode(), bodies, edges, gravity)
        for i in range(m.neq):
            if self.d.eq_active[i]:
                self._equality(found, i)
        found.motors = [self._motor(i) for i in range(m.nu)]
        self._tendons()
        self._surroundings()
        return found

    def _body(self, i: int) -> FileBody:
        R, axes = self.d.xmat[i].reshape(3, 3).copy(), self.d.ximat[i].reshape(3, 3)
        position = self.d.xpos[i].copy()
        names = (self.name("body", i),)
        if i == 0:
            return FileBody(names, R, position)
        inertia = (axes * self.m.body_inertia[i]) @ axes.T
        mass = float(self.m.body_mass[i])
        return FileBody(names, R, position, mass, self.d.xipos[i].copy(), inertia)

    def _edge(self, i: int) -> FileEdge | None:
        """How a body hangs on its parent; None: freely."""
        m = self.m
        first, count = int(m.body_jntadr[i]), int(m.body_jntnum[i])
        joints = []
        for j in range(first, first + count):
            if self.lib.mjtJoint(m.jnt_type[j]) == self.lib.mjtJoint.mjJNT_FREE:
                self._free(j)
                return None
            joints.append(self._joint(j))
        return FileEdge(int(m.body_parentid[i]), i, tuple(joints))

    def _free(self, j: int) -> None:
        at = int(self.m.jnt_dofadr[j])
        six = slice(at, at + 6)
        for what in ("damping", "armature", "frictionloss"):
            if getattr(self.m, f"dof_{what}")[six].any():
                self.notes.changed(
                    f"joint {self.name('joint', j)!r}: {what} of a free body has no place in a machine"
                )

    def _joint(self, j: int) -> FileJoint:
        m, kinds = self.m, self.lib.mjtJoint
        kind = {kinds.mjJNT_HINGE: "hinge", kinds.mjJNT_SLIDE: "slide"}.get(
            kinds(m.jnt_type[j]), "ball"
        )
        dof, at = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        name, stiffness = self.name("joint", j), float(np.ravel(m.jnt_stiffness[j])[0])
        own: dict[str, Any] = {
            "damping": float(np.ravel(m.dof_damping[dof])[0]),
            "stiffness": stiffness,
            "armature": float(m.dof_armature[dof]),
            "dry": float(m.dof_frictionloss[dof]),
        }
        self._no_powers(name, j, dof)
        limited = bool(m.jnt_limited[j])
        if kind == "ball":
            turned = np.abs(m.qpos_spring[at : at + 4] - self.d.qpos[at : at + 4]).max()
            if stiffness and turned > ROUNDING:
                self.notes.changed(
                    f"ball {name!r}: its spring is not relaxed in this configuration"
                )
            if limited:
                self.notes.outside(
                    f"joint {name!r}", "the range of a passive joint is not carried over"
                )
            return FileJoint(name, kind, np.zeros(3), self.d.xanchor[j].copy(), **own)
        reading = float(self.d.qpos[at])
        own |= {"reading": reading, "rest": float(m.qpos_spring[at]) - reading}
        span = (float(m.jnt_range[j, 0]), float(m.jnt_range[j, 1])) if limited else None
        place = (self.d.xaxis[j].copy(), self.d.xanchor[j].copy())
        return FileJoint(name, kind, *place, span=span, **own)

    def _no_powers(self, name: str, j: int, dof: int) -> None:
        """Newer versions of MuJoCo have springs and dampers that are not linear."""
        for field, i in (
            ("jnt_stiffnesspoly", j),
            ("jnt_springyield", j),
            ("dof_dampingpoly", dof),
        ):
            if self._given(field, i):
                self.notes.changed(f"joint {name!r}: a spring or damper that is not linear")

    def _given(self, field: str, i: int) -> bool:
        """A field that not every version has, and it is not zero."""
        values = getattr(self.m, field, None)
        return values is not None and bool(np.any(values[i]))

    def _gap(self, number: int) -> float:
        """What is left of an equality constraint, m (rad)."""
        kind = int(self.lib.mjtConstraint.mjCNSTR_EQUALITY)
        own = (self.d.efc_type == kind) & (self.d.efc_id == number)
        return float(np.linalg.norm(self.d.efc_pos[own]))

    def _equality(self, found: FileModel, i: int) -> None:
        m, kinds = self.m, self.lib.mjtEq
        kind, name = kinds(m.eq_type[i]), self.name("equality", i)
        if kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            self._loop(found, i, name, kind == kinds.mjEQ_CONNECT)
        elif kind == kinds.mjEQ_TENDON and m.eq_obj2id[i] < 0:
            found.couplings.append(self._shares(int(m.eq_obj1id[i])))
        elif kind == kinds.mjEQ_JOINT and m.eq_obj2id[i] >= 0 and not m.eq_data[i, 2:5].any():
            one, other = (self.name("joint", int(k)) for k in (m.eq_obj1id[i], m.eq_obj2id[i]))
            found.couplings.append({one: 1.0, other: -float(m.eq_data[i, 1])})
        else:
            raise self.notes.refuse(
                f"equality {name!r}", "is no closing of a loop and turns no rotor"
            )

    def _loop(self, found: FileModel, i: int, name: str, ball: bool) -> None:
        """A closing constraint as a joint: connect is a ball, weld fixes."""
        m, d = self.m, self.d
        ends = [int(m.eq_obj1id[i]), int(m.eq_obj2id[i])]
        sites = self.lib.mjtObj(m.eq_objtype[i]) == self.lib.mjtObj.mjOBJ_SITE
        if sites:
            point = d.site_xpos[ends[0]].copy()
            ends = [int(m.site_bodyid[k]) for k in ends]
        else:
            point = d.xpos[ends[0]] + d.xmat[ends[0]].reshape(3, 3) @ m.eq_data[i, :3]
        off = self._gap(i)
        said = "is open by {} in this configuration"
        if not self.notes.near(off, ROUNDING * max(found.size, 1e-3), f"loop {name!r}", said):
            why = (
                f"is open by {off:.4g} m in this configuration; give a keyframe in which the loops are closed, "
                "or a tolerance"
            )
            raise self.notes.refuse(f"equality {name!r}", why)
        joints = (FileJoint(name, "ball", np.zeros(3), point),) if ball else ()
        found.edges.append(FileEdge(ends[0], ends[1], joints))

    def _shares(self, tendon: int) -> dict[str, float]:
        """Joints of a fixed tendon with their coefficients."""
        m, first = self.m, int(self.m.tendon_adr[tendon])
        own = range(first, first + int(m.tendon_num[tendon]))
        if any(self.lib.mjtWrap(m.wrap_type[k]) != self.lib.mjtWrap.mjWRAP_JOINT for k in own):
            name = self.name("tendon", tendon)
            raise self.notes.refuse(f"tendon {name!r}", "is spatial: only sums of joints are known")
        return {self.name("joint", int(m.wrap_objid[k])): float(m.wrap_prm[k]) for k in own}

    def _motor(self, i: int) -> FileMotor:
        m, kinds = self.m, self.lib.mjtTrn
        name, gear = self.name("actuator", i), float(m.actuator_gear[i, 0])
        target, kind = int(m.actuator_trnid[i, 0]), kinds(m.actuator_trntype[i])
        force = self._most(i, name)
        for field in ("actuator_armature", "actuator_damping", "actuator_dampingpoly"):
            if self._given(field, i):
                self.notes.changed(
                    f"actuator {name!r}: its own damping or inertia; give the joint's"
                )
        if not gear:
            raise self.notes.refuse(f"actuator {name!r}", "has a gear of zero: it does nothing")
        if kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
            if m.jnt_actfrclimited[target]:
                own = self._both(name, m.jnt_actfrcrange[target]) / abs(gear)
                force = own if force is None else min(force, own)
            return FileMotor(name, {self.name("joint", target): gear}, force)
        if kind != kinds.mjTRN_TENDON:
            raise self.notes.refuse(
                f"actuator {name!r}", "acts neither on a joint nor on a sum of joints"
            )
        shares = self._shares(target)
        span: Span | None = None
        if m.tendon_limited[target]:
            span = (float(m.tendon_range[target, 0]), float(m.tendon_range[target, 1]))
        length, force = float(self.d.ten_length[target]), force and abs(gear) * force
        own = FileMotor(name, shares, force, coordinate=length, span=span)
        armature, dry = float(m.tendon_armature[target]), float(m.tendon_frictionloss[target])
        if gear != 1.0:
            self.notes.outside(f"actuator {name!r}", f"gear {gear:g}; efforts are the tendon's")
        return replace(own, armature=armature, dry=dry)

    def _most(self, i: int, name: str) -> float | None:
        """The largest effort before the gear; a servo's law is said to be left out."""
        m = self.m
        servo = self.lib.mjtBias(m.actuator_biastype[i]) != self.lib.mjtBias.mjBIAS_NONE
        plain = self.lib.mjtGain(m.actuator_gaintype[i]) == self.lib.mjtGain.mjGAIN_FIXED
        if (
            servo
            or not plain
            or self.lib.mjtDyn(m.actuator_dyntype[i]) != self.lib.mjtDyn.mjDYN_NONE
        ):
            self.notes.outside(
                f"actuator {name!r}", "its law, a servo's or a filter's, is left to a controller"
            )
        found = []
        if m.actuator_forcelimited[i]:
            found.append(self._both(name, m.actuator_forcerange[i]))
        if m.actuator_ctrllimited[i] and plain and not servo:
            gain = abs(float(m.actuator_gainprm[i, 0]))
            found.append(gain * self._both(name, m.actuator_ctrlrange[i]))
        return min(found) if found and min(found) > 0.0 else None

    def _both(self, name: str, ends: Array) -> float:
        """The largest effort in both directions."""
        low, high = -float(ends[0]), float(ends[1])
        if abs(high - low) > ROUNDING * max(abs(high), abs(low)):
            said = f"limits {-low:g} and {high:g} differ, the smaller one is taken"
            self.notes.outside(f"actuator {name!r}", said)
        return min(low, high)

    def _tendons(self) -> None:
        """Tendons that are more than sums of readings."""
        m = self.m
        moved = {int(m.actuator_trnid[i, 0]) for i in range(m.nu) if self._on_tendon(i)}
        for i in range(m.ntendon):
            name = self.name("tendon", i)
            for what in ("stiffness", "damping", "stiffnesspoly", "dampingpoly"):
                if self._given(f"tendon_{what}", i):
                    self.notes.changed(f"tendon {name!r}: its {what} has no place in a machine")
            loose = m.tendon_armature[i] or m.tendon_frictionloss[i]
            if i not in moved and loose:
                self.notes.changed(
                    f"tendon {name!r}: its inertia or friction has no place in a machine"
                )

    def _on_tendon(self, i: int) -> bool:
        return self.lib.mjtTrn(self.m.actuator_trntype[i]) == self.lib.mjtTrn.mjTRN_TENDON

    def _surroundings(self) -> None:
        m = self.m
        if m.opt.density or m.opt.viscosity:
            self.notes.changed(
                f"the medium (density {m.opt.density:g}, viscosity {m.opt.viscosity:g})"
            )
        if m.body_gravcomp.any():
            self.notes.changed("gravity compensation of bodies (gravcomp)")
        touching = int(((m.geom_contype != 0) | (m.geom_conaffinity != 0)).sum())
        if touching:
            self.notes.outside(f"{touching} geoms", "contacts are no part of a machine")
