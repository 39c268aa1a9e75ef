"""Show code: the Python and the command line that give what is on screen."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from gough.analysis.timeline import spin_note
from gough.model import Platform
from gough.model.files import presets
from gough.studio import messages as m
from gough.studio.motions import definition
from gough.studio.numbering import place

EDITED = "machine.toml"  # the name a machine gets in the text when it exists only on screen


def show_code(
    platform: Platform, label: str, message: m.ShowCode, edited: bool = False
) -> tuple[str, str]:
    """Python text and shell commands for the pose, and for the trajectory if there is one."""
    solve = message.solve
    machine = label if not edited and (label in presets() or label.endswith(".toml")) else EDITED
    at = place(platform, solve.pose)
    t, rpy = at.position, at.rpy
    spin = ", spin=gough.Spin(np.zeros(6), np.zeros(6))" if spin_note(platform) else ""
    lines = ["import numpy as np", "import gough", ""]
    if machine != label:
        lines.append("# edited on screen: save it in the studio under this name first")
    lines += [f"platform = gough.load({machine!r})", *_payload(solve.payload), ""]
    lines += [
        f"pose = gough.Pose.from_rpy({_list(t)}, {_list(rpy)})   # m, rad; R = Rz Ry Rx",
        _motion(solve),
        f"result = gough.inverse_dynamics(platform, motion{_options(solve)}{spin})",
        "print(result.force)              # N (N m for cranks)",
        "print(result.condition_scaled)   # of H, one unit",
    ]
    table = None
    if message.motion is not None:
        table = None if message.motion.kind == "file" else definition(platform, message.motion)
        lines += ["", *_trajectory(message.motion, table, spin)]
    command = _commands(machine, solve, t, rpy, message.motion, table)
    if spin:
        command = "# legs that spin freely: their efforts are computed from Python only\n"
    return "\n".join(lines) + "\n", command


def _payload(payload: m.Payload) -> list[str]:
    if payload.mass == 0.0 and not any(payload.inertia):
        return []
    return [
        f"payload = gough.Body({payload.mass!r}, {_list(payload.center)}, {_list(payload.inertia)})",
        "platform = gough.analysis.with_payload(platform, payload)",
    ]


def _motion(solve: m.SolvePose) -> str:
    if not any(solve.velocity) and not any(solve.acceleration):
        return "motion = gough.Motion.at_rest(pose)"
    parts = [solve.velocity[:3], solve.velocity[3:], solve.acceleration[:3], solve.acceleration[3:]]
    rates = ", ".join(_list(p) for p in parts)
    return f"motion = gough.Motion(pose.position, pose.rotation, {rates})"


def _options(solve: m.SolvePose) -> str:
    name, _, published = solve.formulation.partition("/")
    text = f", external={_list(solve.external)}" if any(solve.external) else ""
    text += f", formulation={name!r}" if name != "exact" else ""
    return text + (", published=True" if published else "")


def _trajectory(motion: m.MakeMotion, table: dict[str, Any] | None, spin: str) -> list[str]:
    if table is None:
        head = [f"trajectory = gough.trajectory.load_trajectory({motion.file!r})"]
    else:
        head = [
            "trajectory = gough.trajectory.trajectory_from({",
            *(f"    {key!r}: {value!r}," for key, value in table.items()),
            "})",
        ]
    return [
        *head,
        f"along = gough.inverse_dynamics(platform, trajectory.sample({motion.samples}){spin})",
        "print(np.abs(along.force).max(axis=0))   # peak of each leg",
    ]


def _commands(
    machine: str,
    solve: m.SolvePose,
    t: Any,
    rpy: Any,
    motion: m.MakeMotion | None,
    table: dict[str, Any] | None,
) -> str:
    """`gough forces` for the motion, or for standing at the pose; the trajectory file is written first."""
    samples = 2 if motion is None else motion.samples
    if motion is not None and table is None:
        before, file = "", shlex.quote(motion.file)
    else:
        pose = {"position": t.tolist(), "rpy": rpy.tolist()}
        table = table or {"kind": "hold", "pose": pose, "duration": 1.0}
        before, file = f"cat > motion.toml <<'END'\n{definition_toml(table)}END\n", "motion.toml"
    name, _, published = solve.formulation.partition("/")
    command = f"gough forces {shlex.quote(machine)} {file} --out forces --samples {samples}"
    command += f" --formulation {name}" if name != "exact" else ""
    command += " --published" if published else ""
    if any(solve.external):
        command += f" --wrench '{' '.join(repr(float(x)) for x in solve.external)}'"
    note = "# the payload is not part of the machine file: add it there\n"
    return f"{note if solve.payload.mass else ''}{before}{command} --json\n"


def definition_toml(table: dict[str, Any]) -> str:
    """A trajectory definition as a TOML file."""
    return "[trajectory]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return repr(float(value))


def _list(values: Any) -> str:
    return "[" + ", ".join(repr(float(v)) for v in np.asarray(values).ravel()) + "]"
