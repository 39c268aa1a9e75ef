"""Show code: the Python and the command line that give the motion of a cue again."""

from __future__ import annotations

import shlex

from gough.cueing.making import METHODS
from gough.studio.cue_motions import cue_method
from gough.studio.messages import CueInput, CueParameter

FOLDER = "cue"
CUED_FILE = f"{FOLDER}/motion.nc"  # what the command writes there: the motion


def cue_python(asked: CueInput) -> list[str]:
    """Lines that make `trajectory` on `platform`."""
    cue_method(asked)  # refused here as it is when computed
    vehicle = f"cueing.load_telemetry({asked.file!r})" if asked.file else "cueing.example_drive()"
    given = ", ".join(f"{p.name}={_python_value(p)}" for p in asked.parameters)
    method = f"cueing.{METHODS[asked.method].__name__}({given})"
    return [
        "from gough import cueing",
        "",
        f"vehicle = {vehicle}" + ("" if asked.file else "   # made up, not measured"),
        f"cue = cueing.cue(platform, vehicle, {method}, scale={asked.scale!r})",
        "print(cue)",
        "trajectory = cue.trajectory",
    ]


def cue_command(machine: str, asked: CueInput) -> str:
    """The command that writes `CUED_FILE`; the samples in it give the motion to rounding."""
    words = ["gough", "cue", machine, asked.file or "example", "--out", FOLDER]
    words += ["--method", asked.method]
    words += ["--scale", "auto" if asked.scale is None else repr(asked.scale)]
    for p in asked.parameters:
        words += ["--set", f"{p.name}={','.join(repr(x) for x in p.values)}"]
    return f"{shlex.join(words)}\n"


def _python_value(parameter: CueParameter) -> str:
    values = parameter.values
    return repr(values[0] if len(values) == 1 else values)
