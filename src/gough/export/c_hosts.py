"""Programs around exported C: Simulink S-function, Arduino sketch, kinematics of LinuxCNC (templates/hosts.toml)."""

from __future__ import annotations

from importlib.resources import files
from string import Template

import numpy as np

from gough.checks import InputError
from gough.documents.source import parse_toml
from gough.export.c_code import CProject, c_project
from gough.model import CRANKS, Platform

HOSTS = ("simulink", "arduino", "linuxcnc")


def host_project(
    platform: Platform,
    host: str,
    *,
    name: str | None = None,
    drives: bool = True,
    integrator: str = "rk4",
) -> CProject:
    """C of a machine and the program that calls it.

    host  "simulink": plant as an S-function (level 2, C MEX), double precision; "arduino": sketch that answers poses by
          coordinates, single precision; "linuxcnc": kinematics module, roll, pitch, yaw, double precision
    drives, integrator  of the plant, as in `gough.simulate`
    """
    if host not in HOSTS:
        raise InputError("host", host, f"must be one of {', '.join(HOSTS)}")
    own = parse_toml(
        files("gough.export").joinpath("templates", "hosts.toml").read_text(encoding="utf-8"),
        "hosts.toml",
    )[host]
    small = host == "arduino"
    project = c_project(
        platform,
        name=name,
        precision="float" if small else "double",
        compact=True,
        functions=own["functions"],
        drives=drives,
        integrator=integrator,
    )
    home = platform.require_home()
    turn = "57.29577951308232" + "f" * small
    metre = "1000.0" + "f" * small
    words = {
        "name": project.name,
        "prefix": project.name.upper(),
        "angles": "roll, pitch, yaw",
        "units": ", ".join(turn if isinstance(leg, CRANKS) else metre for leg in platform.legs),
        "home": ", ".join(
            repr(float(v)) for v in np.concatenate([home.position, home.rotation.ravel()])
        ),
    }
    kept = {file: project.files[file] for file in (f"{project.name}.h", f"{project.name}.c")}
    file = Template(own["file"]).substitute(words)
    return CProject(project.name, {**kept, file: Template(own["text"]).substitute(words)})
