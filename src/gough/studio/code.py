"""Show code: the Python and the command line that give what is on screen."""

from __future__ import annotations

import numpy as np

from gough.model import Platform
from gough.model.files import presets
from gough.spatial import rpy_from_rotation
from gough.studio import messages as m
from gough.studio.conventions import to_rotation


def show_code(platform: Platform, label: str, message: m.ShowCode) -> tuple[str, str]:
    """Python text and shell command for the pose, and the trajectory if there is one."""
    solve = message.solve
    R = to_rotation(solve.pose.convention, solve.pose.angles)
    c = np.array(solve.pose.pivot)
    t = np.array(solve.pose.position) + c - R @ c
    rpy = rpy_from_rotation(R)
    lines = ["import numpy as np", "import gough", "", *_machine(label), *_payload(solve.payload)]
    lines += ["", f"pose = gough.Pose.from_rpy({_list(t)}, {_list(rpy)})   # m, rad: R = Rz Ry Rx"]
    lines += [_motion(solve), *_forces(solve, "motion")]
    lines += ["print(result.force)            # N", "print(result.condition_scaled)"]
    if message.motion is not None:
        lines += ["", *_trajectory(message.motion)]
    return "\n".join(lines) + "\n", _command(label, solve, t, rpy)


def _machine(label: str) -> list[str]:
    if label in presets() or label.endswith(".toml"):
        return [f"platform = gough.load({label!r})"]
    return ["# the machine was edited here: save it, then load that file", 'platform = gough.load("machine.toml")']


def _payload(payload: m.Payload) -> list[str]:
    if payload.mass == 0.0 and not any(payload.inertia):
        return []
    return ["from gough.report.document import with_payload",
            f"platform = with_payload(platform, {payload.mass!r}, {_list(payload.center)}, {_list(payload.inertia)})"]


def _motion(solve: m.SolvePose) -> str:
    if not any(solve.velocity) and not any(solve.acceleration):
        return "motion = gough.Motion.at_rest(pose)"
    parts = [solve.velocity[:3], solve.velocity[3:], solve.acceleration[:3], solve.acceleration[3:]]
    return "motion = gough.Motion(pose.position, pose.rotation, " + ", ".join(_list(p) for p in parts) + ")"


def _forces(solve: m.SolvePose, motion: str) -> list[str]:
    name, _, published = solve.formulation.partition("/")
    extra = f", external={_list(solve.external)}" if any(solve.external) else ""
    extra += f", formulation={name!r}" if name != "exact" else ""
    extra += ", published=True" if published else ""
    return [f"result = gough.inverse_dynamics(platform, {motion}{extra})"]


def _trajectory(motion: m.MakeMotion) -> list[str]:
    head = {
        "demo": ["from gough.studio.motions import demo", f"trajectory = demo(platform, {motion.duration!r})"],
        "file": [f"trajectory = gough.trajectory.load_trajectory({motion.file!r})"],
    }.get(motion.kind)
    rows = [f"([{', '.join(map(repr, r[:3]))}], {_rpy(motion.convention, r)})" for r in motion.waypoints]
    if motion.kind == "line" and len(rows) >= 2:
        limits = "".join(f", {n}={v!r}" for n, v in (("max_speed", motion.max_speed), ("max_rate", motion.max_rate)) if v)
        head = [f"trajectory = gough.trajectory.line({rows[0]}, {rows[1]}, {motion.duration!r}{limits})"]
    elif motion.kind == "waypoints":
        head = ["from gough.studio.motions import through", "waypoints = [", *(f"    {r}," for r in rows), "]",
                f"trajectory = through(waypoints, {motion.duration!r}, {motion.max_speed!r}, {motion.max_rate!r})"]
    elif motion.kind == "harmonic" and len(rows) == 4:
        amplitude, frequency, phase = (_list(r) for r in motion.waypoints[1:])
        head = [f"trajectory = gough.trajectory.harmonic({rows[0]}, np.diag({amplitude}), {frequency},",
                f"                                        np.diag({phase}), duration={motion.duration!r})"]
    return [*(head or []), f"motion = trajectory.sample({motion.samples})",
            "along = gough.inverse_dynamics(platform, motion)",
            "print(np.abs(along.force).max(axis=0))   # peak force of each leg, N"]


def _rpy(convention: str, row: m.Numbers) -> str:
    return _list(rpy_from_rotation(to_rotation(convention, row[3:]))) if len(row) == 6 else "[0.0, 0.0, 0.0]"


def _command(label: str, solve: m.SolvePose, t: object, rpy: object) -> str:
    machine = label if label in presets() or label.endswith(".toml") else "machine.toml"
    name, _, published = solve.formulation.partition("/")
    command = f"gough forces {machine} --position {_comma(t)} --rpy {_comma(rpy)}"
    command += f" --formulation {name}" if name != "exact" else ""
    return command + (" --published" if published else "") + " --json\n"


def _list(values: object) -> str:
    return "[" + ", ".join(repr(float(v)) for v in np.asarray(values).ravel()) + "]"


def _comma(values: object) -> str:
    return ",".join(repr(float(v)) for v in np.asarray(values).ravel())
