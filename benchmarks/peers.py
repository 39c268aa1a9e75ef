"""Other engines and the hand-written limit, on the same machine and states."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import gough
from benchmarks import pinocchio_route
from benchmarks.ours import Setup, count
from benchmarks.timing import Skip, best, each
from gough.checks import Array
from gough.engines import native
from gough.equations.machine import FUNCTIONS
from gough.model import Friction, Platform


def bare(platform: Platform) -> Platform:
    """The machine without friction and drives."""
    return platform.replace(
        legs=[leg.replace(friction=Friction(), drive=None) for leg in platform.legs]
    )


def _agrees(platform: Platform, x: Array, found: Array) -> None:
    m = gough.Motion(x[:3], x[3:12].reshape(3, 3), x[12:15], x[15:18], x[18:21], x[21:24])
    wanted = gough.inverse_dynamics(platform, m, x[24:]).force
    if not np.allclose(found, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max()):
        raise AssertionError("the other engine computes something else")


_made: dict[tuple[str, int], Any] = {}


def once(make: Any, s: Setup, name: str) -> Any:
    """What takes long to build is built once for all rounds."""
    key = (name, id(s))
    if key not in _made:
        try:
            _made[key] = make()
        except Skip as reason:
            _made[key] = reason
    if isinstance(_made[key], Skip):
        raise _made[key]
    return _made[key]


def pinocchio_python(s: Setup) -> float:
    machine = bare(s.platform)
    route = once(lambda: pinocchio_route.Python(machine), s, "python")
    _agrees(machine, s.x[0], route(s.x[0]))
    return each(lambda: route(s.x[0]), count=20)


def pinocchio_compiled(s: Setup) -> float:
    machine = bare(s.platform)
    route = once(lambda: pinocchio_route.Compiled(machine), s, "compiled")
    _agrees(machine, s.x[0], route.repeat(s.x[0], 1))
    return best(lambda: route.repeat(s.x[0], 1000), 1000)


def pinocchio_forward(s: Setup) -> float:
    """constraintDynamics in C++ on the closed loops, coordinates and velocities of its own given."""
    machine, x = bare(s.platform), s.x[0]
    route = once(lambda: pinocchio_route.Compiled(machine), s, "compiled")
    f = gough.forward_dynamics(machine, s.motion(), x[18:24], x[24:])
    found, wanted = route.repeat_forward(x, 1), np.r_[f.acceleration, f.angular_acceleration]
    if not np.allclose(found, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max()):
        raise AssertionError("the other engine computes something else")
    return best(lambda: route.repeat_forward(x, 1000), 1000)


def _mujoco(s: Setup) -> tuple[Any, Any, Any]:
    try:
        import mujoco
    except ImportError:
        raise Skip("MuJoCo is not installed") from None
    spec = mujoco.MjSpec()
    spec.option.gravity = s.platform.gravity
    frames = pinocchio_route.axes(s.platform)
    from gough.spatial import quaternion_from_rotation

    def inertial(body: Any, part: Any) -> None:
        body.mass, body.ipos, body.explicitinertial = part.mass, part.center, True
        I = part.inertia
        body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]

    for i, leg in enumerate(s.platform.legs):
        lower = spec.worldbody.add_body(pos=leg.base, quat=quaternion_from_rotation(frames[i]))
        lower.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        lower.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        inertial(lower, leg.lower)  # type: ignore[union-attr]
        upper = lower.add_body()
        upper.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0])
        inertial(upper, leg.upper)  # type: ignore[union-attr]
    top = spec.worldbody.add_body()
    top.add_freejoint()
    inertial(top, s.platform.body)
    model = spec.compile()
    return mujoco, model, mujoco.MjData(model)


def mujoco_inverse(s: Setup) -> float:
    """mj_inverse on the open tree: without the loops' projection, so less than the job."""
    mujoco, model, data = once(lambda: _mujoco(s), s, "mujoco")
    return each(lambda: mujoco.mj_inverse(model, data), count=500)


def mujoco_forward(s: Setup) -> float:
    """mj_forward on the open tree, no loop constraints."""
    mujoco, model, data = once(lambda: _mujoco(s), s, "mujoco")
    return each(lambda: mujoco.mj_forward(model, data), count=500)


FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-w",
    "-shared",
    "-fPIC",
)


def _hand() -> ctypes.CDLL:
    if shutil.which("g++") is None:
        raise Skip("no C++ compiler")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "hand.so"
        subprocess.run(
            ["g++", *FLAGS, str(Path(__file__).with_name("hand.cpp")), "-o", str(library)],
            check=True,
        )
        return ctypes.CDLL(str(library))


def hand_written(s: Setup, function: str = "forces") -> float:
    """hand.cpp: an eight-lane vector type, rows in and out as the library; it leaves out the risk."""
    code = once(_hand, s, "hand")
    call = code.hand if function == "forces" else getattr(code, f"hand_{function}")
    x, answer = s.rows(function, count(s, function)), FUNCTIONS[function]
    n = len(x)
    out, wanted = np.zeros((n, answer.n_out)), np.empty((min(n, 64), answer.n_out))
    arguments = ctypes.c_long(n), *(ctypes.c_void_p(a.ctypes.data) for a in (x, s.par, out))
    call(*arguments)
    native.kernel(function, s.kinds)(*s.blocks(function, x[:64]), s.par, wanted)
    sure = np.ones(answer.n_out, dtype=bool)
    if "risk" in answer.outputs.names:
        sure[answer.outputs.risk :: answer.outputs.size] = False
    size = np.abs(wanted).max(axis=0)
    if not (np.abs(out[:64] - wanted) <= 1e-9 * (size + size.max() * 1e-3))[:, sure].all():
        raise AssertionError("the hand-written loop computes something else")
    return best(lambda: call(*arguments), n)
