"""Show code: the Python and the command line that give what is on screen."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from gough.analysis.timeline import spin_note
from gough.checks import InputError
from gough.model import Platform
from gough.model.files import presets
from gough.studio import messages as m
from gough.studio.cue_code import CUED_FILE, cue_command, cue_python
from gough.studio.motions import asked_cue, definition
from gough.studio.numbering import place
from gough.studio.simulation import LAWS

EDITED = "machine.toml"  # the name a machine gets in the text when it exists only on screen


def show_code(
    platform: Platform, label: str, message: m.ShowCode, edited: bool = False
) -> tuple[str, str]:
    """Python text and shell commands for what is on screen: `result` at the pose, or at the time where the timeline
    stands; `along` for the motion on the plots, `run` for a simulation."""
    solve = message.solve
    motion = message.motion if message.run is None else message.run.motion
    machine = machine_name(label, edited)
    spin = ", spin=gough.Spin(np.zeros(6), np.zeros(6))" if spin_note(platform) else ""
    table = None
    if motion is not None and motion.kind not in ("file", "cue"):
        table = definition(platform, motion)
    standing = message.time is None or motion is None
    first = solve.payload if standing or motion is None else motion.payload
    lines = ["import numpy as np", "import gough", ""]
    lines += [*loading(label, edited), *_payload(first)]
    if standing:
        lines += ["", *_standing(platform, solve, spin)]
    if motion is not None:
        lines += [] if motion.payload == first else ["", *_payload(motion.payload)]
        lines += ["", *_trajectory(motion, table)]
        if message.run is None:
            lines += _along(motion, spin)
        else:
            lines += _simulated(message.run)
        if message.time is not None:
            lines += _at_time(motion, message.time, message.run is not None, spin)
    command = _commands(machine, platform, message, motion, table)
    if spin:
        command = "# legs that spin freely: their efforts are computed from Python only\n"
    return "\n".join(lines) + "\n", command


def machine_name(label: str, edited: bool) -> str:
    """What the text loads: the preset or file on screen, `EDITED` where it is neither."""
    known = label in presets() or label.endswith(".toml")
    return label if known and not edited else EDITED


def loading(label: str, edited: bool) -> list[str]:
    """Lines that make `machine`."""
    machine = machine_name(label, edited)
    said = "# edited on screen: save it in the studio under this name first"
    return [*([said] if machine != label else []), f"machine = gough.load({machine!r})"]


def _standing(platform: Platform, solve: m.SolvePose, spin: str) -> list[str]:
    at = place(platform, solve.pose)
    return [
        f"pose = gough.Pose.from_rpy({_list(at.position)}, {_list(at.rpy)})   # m, rad; R = Rz Ry Rx",
        _motion(solve),
        f"result = gough.inverse_dynamics(platform, motion{_options(solve)}{spin})",
        "print(result.force)              # N (N m for cranks)",
        "print(result.condition_scaled)   # of H, one unit",
    ]


def _payload(payload: m.Payload) -> list[str]:
    if payload.mass == 0.0 and not any(payload.inertia):
        return ["platform = machine"]
    return [
        f"payload = gough.Body({payload.mass!r}, {_list(payload.center)}, {_list(payload.inertia)})",
        "platform = gough.analysis.with_payload(machine, payload)",
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


def _trajectory(motion: m.MakeMotion, table: dict[str, Any] | None) -> list[str]:
    if motion.kind == "cue":
        return cue_python(asked_cue(motion))
    if table is None:
        return [
            f"trajectory = gough.trajectory.load_trajectory({motion.file!r})",
            "if isinstance(trajectory, gough.trajectory.LegTrajectory):",
            "    trajectory = trajectory.on(platform)",
        ]
    return [
        "trajectory = gough.trajectory.trajectory_from({",
        *(f"    {key!r}: {value!r}," for key, value in table.items()),
        "})",
    ]


def _load(motion: m.MakeMotion) -> str:
    return f", external={_list(motion.external)}" if any(motion.external) else ""


def _along(motion: m.MakeMotion, spin: str) -> list[str]:
    path = f"trajectory.sample({motion.samples})"
    return [
        f"along = gough.inverse_dynamics(platform, {path}{_load(motion)}{spin})",
        "print(np.abs(along.force).max(axis=0))   # peak of each leg",
    ]


def _simulated(run: m.Simulate) -> list[str]:
    """The very call of gough/studio/simulation.py, `grid` with the duration of the trajectory."""
    if run.controller not in LAWS:
        raise InputError("controller", run.controller, "must be one of " + ", ".join(LAWS))
    return [
        "from gough.studio.simulation import RECORDS, grid",
        "",
        f"steps, step = grid(trajectory.duration, {run.step!r})",
        "run = gough.simulate(",
        "    platform,",
        "    trajectory(0.0),",
        "    duration=trajectory.duration,",
        "    reference=trajectory,",
        "    step=step,",
        f"    controller=gough.control.{LAWS[run.controller]}(platform, bandwidth={run.bandwidth!r}),",
        "    sampling=gough.control.Sampling(rate=1.0 / step),",
        f"    external=np.array({_list(run.motion.external)}),",
        f"    integrator={run.integrator or 'rk4'!r},",
        "    output=steps // RECORDS * step,",
        ")",
        'print(run.attrs["status"])',
    ]


def _at_time(motion: m.MakeMotion, time: float, simulated: bool, spin: str) -> list[str]:
    """The motion where the timeline stands, and its efforts."""
    moving = [f"motion = trajectory({time!r})"]
    if simulated:
        moving = [
            f"at = run.sel(time={time!r}, method='nearest')",
            "motion = gough.Motion(",
            "    at.position.values,",
            "    gough.spatial.rotation_from_quaternion(at.quaternion.values),",
            "    at.velocity.values,",
            "    at.angular_velocity.values,",
            "    at.acceleration.values,",
            "    at.angular_acceleration.values,",
            ")",
        ]
    return [
        "",
        *moving,
        f"result = gough.inverse_dynamics(platform, motion{_load(motion)}{spin})",
        f"print(result.force)              # at {time:.6g} s, N (N m for cranks)",
    ]


def _commands(
    machine: str,
    platform: Platform,
    message: m.ShowCode,
    motion: m.MakeMotion | None,
    table: dict[str, Any] | None,
) -> str:
    """`gough forces` for the motion, or for standing at the pose; the trajectory file is written first."""
    solve = message.solve
    samples = 2 if motion is None else motion.samples
    if motion is not None and motion.kind == "cue":
        before, file = cue_command(machine, asked_cue(motion)), CUED_FILE
    elif motion is not None and table is None:
        before, file = "", shlex.quote(motion.file)
    else:
        at = place(platform, solve.pose)
        pose = {"position": at.position.tolist(), "rpy": at.rpy.tolist()}
        table = table or {"kind": "hold", "pose": pose, "duration": 1.0}
        before, file = f"cat > motion.toml <<'END'\n{definition_toml(table)}END\n", "motion.toml"
    external, payload = (
        (solve.external, solve.payload) if motion is None else (motion.external, motion.payload)
    )
    command = f"gough forces {shlex.quote(machine)} {file} --out forces --samples {samples}"
    if motion is None:
        name, _, published = solve.formulation.partition("/")
        command += f" --formulation {name}" if name != "exact" else ""
        command += " --published" if published else ""
    if any(external):
        command += f" --wrench '{' '.join(repr(float(x)) for x in external)}'"
    notes = [
        (payload.mass, "# the payload is not part of the machine file: add it there\n"),
        (message.run, "# of the trajectory asked for; the simulation itself: see the Python\n"),
        (motion and message.time is None, "# along the motion on the plots, not at the pose\n"),
    ]
    return f"{''.join(text for on, text in notes if on)}{before}{command} --json\n"


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
