"""Dynamics of a 6-UPS platform with Pinocchio.

Inverse: the open tree and the projection onto the platform's motion.

    qd_i = A_i^-1 pdot,  qdd_i = A_i^-1 (pddot - drift),  tau = rnea(q, qd, qdd),
    J^T F = B^T tau  with  B_i = A_i^-1 [E, -q~],  A_i the tip Jacobian of leg i
Forward: `constraintDynamics` of the tree with six closed loops, each a point of a strut held to one of the platform.
Legs are hinge about k, hinge about y, slide along s.  No friction and no drives (they would only add to its time).
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Skip
from gough.checks import Array
from gough.model import Platform

FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-DNDEBUG",
    "-shared",
    "-fPIC",
    "-w",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


def axes(platform: Platform) -> Array:
    """(6, 3, 3): each leg's frame [s0, k x s0, k] at zero angles."""
    out = []
    for leg in platform.legs:
        k = leg.axis  # type: ignore[union-attr]
        s0 = np.cross(k, np.eye(3)[np.argmin(np.abs(k))])
        s0 /= np.linalg.norm(s0)
        out.append(np.stack([s0, np.cross(k, s0), k], axis=1))
    return np.array(out)


class Python:
    """Through its Python calls, NumPy around them."""

    def __init__(self, platform: Platform) -> None:
        try:
            import pinocchio as pin
        except ImportError:
            raise Skip("Pinocchio is not installed") from None
        self.pin, self.model = pin, pin.Model()
        self.model.gravity.linear = np.asarray(platform.gravity)
        self.U, self.b, self.p = axes(platform), platform.base_joints, platform.platform_joints
        self.tip = []
        for i, leg in enumerate(platform.legs):
            last = self._joint(0, pin.JointModelRZ(), pin.SE3(self.U[i], leg.base), f"k{i}", None)
            last = self._joint(last, pin.JointModelRY(), pin.SE3.Identity(), f"y{i}", leg.lower)  # type: ignore[union-attr]
            self.tip.append(
                self._joint(last, pin.JointModelPX(), pin.SE3.Identity(), f"s{i}", leg.upper)
            )  # type: ignore[union-attr]
        self._joint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform", platform.body)
        self.data = self.model.createData()

    def _joint(self, parent: int, joint: Any, place: Any, name: str, body: Any) -> int:
        j = self.model.addJoint(parent, joint, place, name)
        if body is not None:
            self.model.appendBodyToJoint(
                j, self.pin.Inertia(body.mass, body.center, body.inertia), self.pin.SE3.Identity()
            )
        return j

    def __call__(self, x: Array) -> Array:
        """Efforts of the 30 numbers that the library's kernels read."""
        pin, model, data = self.pin, self.model, self.data
        t, R, v, w, a, al = x[:3], x[3:12].reshape(3, 3), x[12:15], x[15:18], x[18:21], x[21:24]
        arm = self.p @ R.T
        local = np.einsum("ikj,ik->ij", self.U, t + arm - self.b)
        first = np.arctan2(local[:, 1], local[:, 0])
        second = np.arctan2(-local[:, 2], np.hypot(local[:, 0], local[:, 1]))
        q, qd, qdd = np.empty(model.nq), np.empty(24), np.empty(24)
        legs = q[:18].reshape(6, 3)
        legs[:, 0], legs[:, 1], legs[:, 2] = first, second, np.linalg.norm(local, axis=1)
        q[18:21], q[21:] = t, pin.Quaternion(R).coeffs()
        pin.computeJointJacobians(model, data, q)
        A = np.array(
            [
                pin.getJointJacobian(model, data, j, pin.LOCAL_WORLD_ALIGNED)[:3, 3 * i : 3 * i + 3]
                for i, j in enumerate(self.tip)
            ]
        )
        inverse = np.linalg.inv(A)
        pd, pdd = v + np.cross(w, arm), a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
        qd[:18] = np.einsum("ijk,ik->ij", inverse, pd).ravel()
        qd[18:21], qd[21:] = R.T @ v, R.T @ w
        pin.forwardKinematics(model, data, q, qd, np.zeros(24))
        drift = np.array(
            [
                pin.getClassicalAcceleration(model, data, j, pin.LOCAL_WORLD_ALIGNED).linear
                for j in self.tip
            ]
        )
        qdd[:18] = np.einsum("ijk,ik->ij", inverse, pdd - drift).ravel()
        qdd[18:21], qdd[21:] = R.T @ (a - np.cross(w, v)), R.T @ al
        tau = pin.rnea(model, data, q, qd, qdd)
        push = np.einsum("ijk,ij->ik", inverse, tau[:18].reshape(6, 3))
        wrench = np.concatenate(
            [
                R @ (tau[18:21] - x[24:27]) + push.sum(0),
                R @ (tau[21:] - x[27:]) + np.cross(arm, push).sum(0),
            ]
        )
        s = inverse[:, 2]  # the slide's rate per tip velocity: the leg's direction
        return np.linalg.solve(np.concatenate([s, np.cross(arm, s)], axis=1).T, wrench)


def eigen() -> str:
    """The folder of Eigen's headers: EIGEN_INCLUDE, the wheels' prefix or the system's."""
    prefix = (
        Path(sys.prefix)
        / "lib"
        / f"python3.{sys.version_info.minor}"
        / "site-packages"
        / "cmeel.prefix"
    )
    for folder in (
        os.environ.get("EIGEN_INCLUDE", ""),
        str(prefix / "include" / "eigen3"),
        "/usr/include/eigen3",
    ):
        if folder and (Path(folder) / "Eigen" / "Core").exists():
            return folder
    raise Skip("Eigen's headers are not here (pip install cmeel-eigen, or set EIGEN_INCLUDE)")


class Compiled:
    """The same in C++ (pinocchio.cpp), built against the wheel's headers in out/bench, once for each text of it."""

    def __init__(self, platform: Platform) -> None:
        try:
            import pinocchio
        except ImportError:
            raise Skip("Pinocchio is not installed") from None
        if shutil.which("g++") is None:
            raise Skip("no C++ compiler")
        prefix = Path(pinocchio.__file__).parents[4]
        include = prefix / "include"
        if not (include / "pinocchio" / "algorithm" / "rnea.hpp").exists():
            raise Skip("the wheel's headers are not here")
        source = Path(__file__).with_name("pinocchio.cpp")
        command = [
            "g++",
            *FLAGS,
            f"-I{include}",
            f"-I{eigen()}",
            str(source),
            f"-L{prefix / 'lib'}",
            "-lpinocchio_default",
            f"-Wl,-rpath,{prefix / 'lib'}",
        ]
        told = f"{command} {pinocchio.__version__} {source.read_text()}"
        name = hashlib.sha256(told.encode()).hexdigest()[:16]
        library = source.parents[1] / "out" / "bench" / f"pinocchio-{name}.so"
        if not library.exists():
            library.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=library.parent) as folder:
                made = Path(folder) / "route.so"
                built = subprocess.run([*command, "-o", str(made)], capture_output=True, text=True)
                if built.returncode:
                    raise Skip("does not compile: " + built.stderr.strip()[:300])
                made.rename(library)
        self.library = ctypes.CDLL(str(library))
        self.library.create.restype = ctypes.c_void_p
        numbers = [*platform.gravity]
        for i, leg in enumerate(platform.legs):
            numbers += [*leg.base, *axes(platform)[i].ravel(), *leg.joint]
            for body in (leg.lower, leg.upper):  # type: ignore[union-attr]
                numbers += [body.mass, *body.center, *body.inertia.ravel()]
        numbers += [platform.body.mass, *platform.body.center, *platform.body.inertia.ravel()]
        self.numbers = np.array(numbers, dtype=float)
        self.route = ctypes.c_void_p(
            self.library.create(self.numbers.ctypes.data_as(ctypes.c_void_p))
        )

    def repeat(self, x: Array, count: int) -> Array:
        """Efforts of one state, computed `count` times."""
        return self._called(self.library.run, x, count)

    def repeat_forward(self, x: Array, count: int) -> Array:
        """Accelerations of one state (the 30 numbers of forward dynamics), computed `count` times."""
        return self._called(self.library.run_forward, x, count)

    def _called(self, function: Any, x: Array, count: int) -> Array:
        out = np.empty(6)
        function(
            self.route,
            x.ctypes.data_as(ctypes.c_void_p),
            out.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_long(count),
        )
        return out
