"""What is public and takes arguments from users: verbs, classes, and methods of objects that users hold."""

from __future__ import annotations

import importlib
import inspect
import random
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

import gough
from border.values import line, machines, valid
from gough import lazy
from gough.engines import stream
from gough.simulation.gym import PlatformVectorEnv
from gough.simulation.scenario import load_scenario

Verb = tuple[str, str, Callable[..., Any]]
PACKAGES = (
    "gough",
    *(f"gough.{n}" for n in ("analysis", "control", "design", "dynamics", "export")),
    *(f"gough.{n}" for n in ("formulations", "kinematics", "kinematics.assembly", "report")),
    *(f"gough.{n}" for n in ("simulation", "trajectory", "cueing", "metrology", "importing")),
    *(f"gough.formulations.{n}" for n in ("kane", "lagrange", "multibody")),
    *(f"gough.formulations.{n}" for n in ("newton_euler", "universal")),
)
NO_ARGUMENTS = {"verb", "papers", "presets", "json_schema", "example_drive"}
ERRORS = {"GoughError", "InputError", "InfeasibleError", "MachineFileError", "SweepStoppedError"}
ANSWERS = {
    *("About", "Formulation", "Controller", "Optimum", "CProject", "AssemblyModes", "Cluster"),
    *(
        "Trajectory",
        "LegTrajectory",
        "Measurement",
        "Reference",
        "Source",
        "Status",
        "Stateful",
        "Cue",
        "Score",
    ),
    *("AssemblyModesBatch", "ModelWarning", "DesignProblem", "coriolis", "write_reproduction"),
}
SLOW = {  # a tenth of a second or more when they answer: called less often
    *("simulate_dae", "sweep", "optimize", "assembly_modes", "certified_volume", "exact_volume"),
    *("modes_within", "aspects", "same_aspect", "reach", "travel", "plan_path"),
    "pace_path",
    "travel_figure",
    *("machine_figure", "leg_lines", "motion_figures", "save_figure", "write_folder"),
    *("report_html", "write_report", "modes_figure", "write_gallery", "workspace_figure"),
    *("calibrate", "plan_poses", "excite", "identify", "regressor", "load_compensation"),
    *(
        "tuned",
        "c_project",
        "write_fmu",
        "PlatformVectorEnv",
        "orientation_volume",
        "monte_carlo",
        "size",
    ),
    *("reachable_volume", "workspace_map", "find_front", "write_front", "front_figure"),
    *("Simulator", "mujoco", "pinocchio"),
    *("worst_effort", "payload_capacity", "choose_springs", "select_drives", "bearing_life"),
}


@cache
def verbs() -> list[Verb]:
    """(package, name, callable) of everything public that takes arguments from users."""
    found: list[Verb] = []
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(lazy.promised(package)):
            value = getattr(module, name)
            wanted = isinstance(value, FunctionType | type)
            if wanted and name not in NO_ARGUMENTS | ERRORS | ANSWERS:
                found.append((package, name, value))
    spatial = importlib.import_module("gough.rotations")
    found += [
        ("gough.rotations", name, value)
        for name, value in vars(spatial).items()
        if isinstance(value, FunctionType)
        and value.__module__ == "gough.rotations"
        and not name.startswith("_")
    ]
    seen: dict[int, Verb] = {}
    for verb in [*found, *_methods()]:
        seen.setdefault(id(verb[2]), verb)
    return list(seen.values())


def _methods() -> list[Verb]:
    """Methods of what users make or hold."""
    platform = machines()[0]
    drive = gough.Drive(
        ratio=100.0, rotor_inertia=1e-4, torque_constant=0.1, resistance=1.0, viscous=0.1
    )
    owners: list[tuple[Any, tuple[str, ...]]] = [
        (gough.Pose, ("from_rpy", "from_quaternion", "from_matrix", "from_euler", "nearest")),
        (gough.Pose([0.0, 0.0, 0.5]), ("to_euler", "__matmul__")),
        (gough.Frames(), ("pose", "numbers", "platform_pose", "entered", "turning_point")),
        (gough.Motion, ("at_rest",)),
        (gough.Body(1.0), ("admissible",)),
        (drive, ("motor_torque", "current", "voltage", "electric_power", "friction")),
        (gough.Drive, ("rack_and_pinion", "ball_screw", "belt", "geared")),
        (gough.control.Decentralized, ("from_bandwidth", "tuned")),
        (gough.control.Impedance, ("critically_damped",)),
        (gough.design.Task(), ("poses", "motion_of")),
        (gough.simulation.Springs(1.0, 0.5), ("energy",)),
        (line(platform), ("sample", "__call__")),
        (gough.trajectory.harmonic(platform.likely_home, np.full(6, 0.01), 1.0), ("__call__",)),
        (gough.trajectory.paper("001-I"), ("__call__",)),
        (gough.trajectory.legs_harmonic(np.ones(6), np.full(6, 0.01), 1.0), ("__call__", "on")),
        (gough.lean(platform), ("__call__",)),
        (PlatformVectorEnv(platform, 2), ("step", "reset")),
        (gough.jax, ("machine",)),
    ]
    found = [
        (
            "gough",
            f"{getattr(owner, '__name__', type(owner).__name__)}.{name}",
            getattr(owner, name),
        )
        for owner, names in owners
        for name in names
    ]

    def streamed(platform: Any, source: Any, function: Any = "forces", **more: Any) -> Any:
        return [part.copy() for part in stream.stream(platform, source, function, **more)]

    return [
        *found,
        ("gough", "stream", streamed),
        ("gough", "stream_into", stream.stream_into),
        ("gough.simulation", "PlatformVectorEnv", PlatformVectorEnv),
        ("gough.simulation", "load_scenario", load_scenario),
    ]


@cache
def fields(verb: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Arguments by name; those of ``**options: Unpack[Table]`` too, as keywords with a default."""
    out = {}
    for field in inspect.signature(verb).parameters.values():
        if field.kind is field.VAR_KEYWORD:
            inside = inspect.unwrap(verb)
            place = getattr(inside, "__globals__", {})
            table = place.get(str(field.annotation)[len("Unpack[") : -1])
            for name in getattr(table, "__annotations__", {}):
                out[name] = inspect.Parameter(name, field.KEYWORD_ONLY, default=None)
        elif field.kind is not field.VAR_POSITIONAL and field.name != "self":
            out[field.name] = field
    return out


def arguments(
    verb: Callable[..., Any], name: str, folder: str, rng: random.Random
) -> dict[str, Any]:
    """Named arguments with which the verb works: all that are required."""
    number, batch = rng.randrange(len(machines())), rng.random() < 0.3
    out = {
        field.name: valid(field.name, name, number, folder, batch)
        for field in fields(verb).values()
        if field.default is field.empty
    }
    return out | ({"stiffness": 1e6} if name == "compliance" else {})
