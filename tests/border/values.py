"""Values for calls: with which a verb works, by the argument's name; and what no verb wants."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import fractions
import itertools
import os
import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gough
from border.sizing_values import CATALOGUE, sizing_values
from gough.analysis.cell_surface import cell_surface

EXAMPLES = Path(gough.__file__).parents[2] / "examples"


class Evil:
    """An object that fails whatever is asked of it."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise KeyError("no array")

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __repr__(self) -> str:
        raise ValueError("no text")


@cache
def machines() -> tuple[gough.Platform, ...]:
    """One of every leg kind, with limits and drives where presets have them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, limits=gough.Limits(stroke=(0.55, 0.8))),
            gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, leg="SPS"),
            gough.hexaglide(0.8, 0.3, 0.4, 0.4, 0.6, link_length=0.9, incline=0.3),
            gough.servo_hexapod(0.2, 0.15, 0.4, 0.4, crank_length=0.04, rod_length=0.2),
            gough.load("dasgupta-1998"),
        )


def line(platform: gough.Platform) -> gough.trajectory.Trajectory:
    """A short straight move from home."""
    home = platform.likely_home
    return gough.trajectory.line(home, (home.position + 0.01, home.rpy), 1.0)


@cache
def valid(name: str, verb: str, machine: int, folder: str, batch: bool) -> Any:
    """A value with which a call works, by the verb and the argument's name or by the name alone."""
    platform = machines()[machine]
    own = _of_one_verb(name, verb.rpartition(".")[2], platform, folder)
    if own is not None:
        return own
    table = _by_name(platform, batch)
    return table[name]() if name in table else 0.5


def _of_one_verb(name: str, verb: str, platform: gough.Platform, folder: str) -> Any:
    """Values that only one verb (or one group of them) wants under this name; None: no such."""
    from gough.metrology import PoseSensor

    path = line(platform)
    six = _six(platform)

    def poses() -> gough.Pose:
        return path.sample(4).pose

    def home_poses() -> gough.Pose:
        return gough.Pose(np.array([0.0, 0.0, 1.0]) + 0.01 * np.eye(4, 3))

    if verb in ("motion_table", "forces_table", "limit_report") and name == "motion":
        return path.sample(5)
    if name == "path" and verb == "load_catalogue":
        return str(CATALOGUE)
    if name == "path" and verb == "load_scenario":
        return str(EXAMPLES / "scenarios" / "dead-leg.toml")
    if name == "path" and verb not in ("time_optimal", "pace_path", "paced"):
        ends = {
            "recorded": "out.nc",
            "save_figure": "out.svg",
            "write_report": "out.html",
            "write_gallery": "out.html",
            "save_mesh": "out.stl",
            "save_machine": "out.glb",
            "save_map": "out.csv",
            "write_fmu": "out.fmu",
        }
        return os.path.join(folder, ends.get(verb, "out.xml"))
    table: dict[tuple[str, str], Callable[[], Any]] = {
        **sizing_values(platform, path),
        ("c_project", "functions"): lambda: ("ik", "pose"),
        ("c_project", "angles"): lambda: "ZXZ",
        ("host_project", "host"): lambda: "arduino",
        ("write_fmu", "block"): lambda: "inverse-kinematics",
        ("write_fmu", "version"): lambda: "3.0",
        ("write_fmu", "step"): lambda: 1e-3,
        ("write_fmu", "compiled"): lambda: False,
        ("PUS", "length"): lambda: 0.5,
        ("RUS", "length"): lambda: 0.5,
        ("Platform", "legs"): lambda: platform.legs,
        ("track", "lengths"): lambda: six + np.zeros((4, 1)),
        ("time_grid", "duration"): lambda: 2.0,
        ("rpy_rate_matrix_dot", "rpy"): lambda: np.zeros(3),
        ("rpy_rate_matrix_dot", "rate"): lambda: np.zeros(3),
        ("Body", "mass"): lambda: 1.0,
        ("Plate", "bottom"): lambda: 0.0,
        ("Plate", "radius"): lambda: 0.5,
        ("Plate", "center"): lambda: np.zeros(2),
        ("Plate", "outline"): lambda: None,
        ("Drive", "ratio"): lambda: 1.0,
        ("Impedance", "stiffness"): lambda: np.ones(6),
        ("Impedance", "damping"): lambda: np.ones(6),
        ("critically_damped", "stiffness"): lambda: np.ones(6),
        ("through_motion", "position"): lambda: np.zeros((3, 3)),
        ("through_motion", "rotation"): lambda: np.broadcast_to(np.eye(3), (3, 3, 3)),
        ("trajectory_from", "table"): lambda: {
            "kind": "hold",
            "pose": [0, 0, 1, 0, 0, 0],
            "duration": 1.0,
        },
        ("Brake", "force"): lambda: 1.0,
        ("paced", "times"): lambda: [0.0, 1.0],
        ("paced", "speed"): lambda: [1.0, 1.0],
        ("paced", "acceleration"): lambda: [0.0, 0.0],
        ("legs_harmonic", "center"): lambda: six,
        ("forward_dynamics", "force"): lambda: np.zeros(6),
        ("inverse_dynamics", "force"): lambda: np.zeros(6),
        ("simulate", "duration"): lambda: 0.05,
        ("simulate_dae", "duration"): lambda: 0.02,
        ("simulate_dae", "state"): lambda: platform.likely_home,
        ("load", "name_or_path"): lambda: "dasgupta-1998",
        ("preset_summary", "name"): lambda: "dasgupta-1998",
        ("sweep", "out"): lambda: os.path.join(folder, "sweep"),
        ("write_front", "out"): lambda: os.path.join(folder, "front"),
        ("find_front", "problem"): small_front,
        ("metric", "unit"): lambda: "m",
        ("metric", "wish"): lambda: "small",
        ("metric", "about"): lambda: "how far",
        ("write_folder", "out"): lambda: os.path.join(folder, "out"),
        ("write_folder", "table"): lambda: _forces(platform),
        ("motion_figures", "table"): lambda: _forces(platform),
        ("leg_lines", "time"): lambda: np.arange(4.0),
        ("leg_lines", "names"): lambda: list("abcdef"),
        ("step", "actions"): lambda: np.zeros((2, 6)),
        ("varied", "spread"): lambda: {"body.mass": gough.simulation.Evenly(1.0, 2.0)},
        ("Evenly", "high"): lambda: 1.0,
        ("tuned", "rate"): lambda: 1000.0,
        ("from_bandwidth", "bandwidth"): lambda: 10.0,
        ("calibrate", "length"): lambda: six + np.zeros((4, 1)),
        ("calibrate", "readings"): lambda: {"t": (PoseSensor(1e-3, 1e-3), poses())},
        ("plan_poses", "sensors"): lambda: {"t": PoseSensor(1e-3, 1e-3)},
        ("plan_poses", "candidates"): home_poses,
        **dict.fromkeys((("plan_poses", "count"), ("reachable_poses", "count")), lambda: 3),
        **dict.fromkeys((("identify", "motion"), ("regressor", "motion")), lambda: path.sample(40)),
        ("identify", "force"): lambda: np.ones((40, 6)),
        ("excite", "harmonics"): lambda: 2,
        **dict.fromkeys(
            ((verb, "platform") for verb in ("excite", "plan_poses", "reachable_poses")),
            lambda: gough.load("motion-base-1500"),
        ),
        ("SwingSensor", "leg"): lambda: 2,
        **dict.fromkeys(
            (
                *(("SwingSensor", "level"), ("PointSensor", "point")),
                *(("DistanceSensor", "anchor"), ("DistanceSensor", "point")),
            ),
            lambda: np.array([0.1, 0.2, 5.0]),
        ),
        **dict.fromkeys(
            ((verb, "pose") for verb in ("load_compensation", "thermal_compensation")), poses
        ),
        ("load_compensation", "wrench"): lambda: np.ones(6),
    }
    return table[verb, name]() if (verb, name) in table else None


def _six(platform: gough.Platform) -> Any:
    with contextlib.suppress(gough.GoughError):
        return gough.inverse_kinematics(platform, platform.likely_home).length
    return np.zeros(6)


def _forces(platform: gough.Platform) -> Any:
    motion = line(platform).sample(5)
    legs, result = (
        gough.inverse_kinematics(platform, motion),
        gough.inverse_dynamics(platform, motion),
    )
    return gough.export.forces_table(platform, motion, legs, result)


def _by_name(platform: gough.Platform, batch: bool) -> dict[str, Callable[[], Any]]:
    home, path = platform.likely_home, line(platform)
    motion = gough.Motion(home.position, home.rotation, [0.01, 0, 0.02], [0.1, 0, 0])
    if batch:
        motion = gough.Motion(home.position + np.zeros((4, 3)), home.rotation, time=np.arange(4.0))
    return {
        **dict.fromkeys(("platform", "model"), lambda: platform),
        **dict.fromkeys(("motion", "state"), lambda: motion),
        **dict.fromkeys(("pose", "guess", "start", "end", "center", "home"), lambda: home),
        **dict.fromkeys(("length", "lengths", "rest"), lambda: _six(platform)),
        **dict.fromkeys(
            ("rate", "acceleration", "force", "external", "actuator"), lambda: np.ones(6)
        ),
        **dict.fromkeys(("amplitude", "max_acceleration"), lambda: np.full(6, 0.01)),
        **dict.fromkeys(("duration", "time", "period", "frequency", "limit"), lambda: 1.0),
        "step": lambda: 0.01,
        **dict.fromkeys(("path", "out", "trajectory", "parts"), lambda: path),
        "motions": lambda: [path.sample(5)],
        "stiffness": lambda: 1e6,
        "direction": lambda: np.array([0, 0, 0.1]),
        "position": lambda: home.position,
        "positions": lambda: home.position + np.zeros((5, 3)),
        "rotation": lambda: home.rotation,
        "rotations": lambda: home.rotation[None],
        "times": lambda: [0.0, 0.5, 1.0],
        "poses": lambda: [home, home, home],
        **dict.fromkeys(("payload", "body"), lambda: gough.Body(1.0)),
        "text": lambda: gough.dumps(platform),
        **dict.fromkeys(("name_or_path", "name"), lambda: "001-I"),
        "coordinate": lambda: "x",
        "task": lambda: gough.design.Task(),
        "names": lambda: ["stroke"],
        "table": lambda: gough.export.motion_table(path.sample(5)),
        "legs": lambda: gough.inverse_kinematics(platform, path.sample(5)),
        "result": lambda: gough.inverse_dynamics(platform, path.sample(5)),
        "inertia": lambda: [0.1, 0.1, 0.1],
        **dict.fromkeys(
            ("base", "joint", "arm", "velocity", "angular_velocity"), lambda: [0.1, 0.2, 0.3]
        ),
        **dict.fromkeys(("axis", "rail", "shaft", "gravity"), lambda: [0.0, 1.0, 0.0]),
        "angle": lambda: np.zeros(6),
        **dict.fromkeys(("base_radius", "edge", "link_length", "rod_length"), lambda: 0.8),
        **dict.fromkeys(("platform_radius", "height"), lambda: 0.4),
        **dict.fromkeys(("base_pair_angle", "platform_pair_angle", "incline"), lambda: 0.3),
        "crank_length": lambda: 0.1,
        **dict.fromkeys(("v", "rpy"), lambda: np.array([0.1, 0.2, 0.3])),
        **dict.fromkeys(("q", "quaternion"), lambda: np.array([1.0, 0.1, 0.2, 0.3])),
        "R": lambda: np.eye(3),
        "angles": lambda: np.array([0.1, 0.2, 0.3]),
        "sequence": lambda: "ZXZ",
        "entered": lambda: home,
        "reading": lambda: _six(platform),
        "ranges": lambda: gough.travel(machines()[0]),
        "matrix": lambda: np.eye(4),
        **dict.fromkeys(("kp", "ki", "kd", "mass", "offset"), lambda: np.ones(6)),
        "x": lambda: np.concatenate([home.position, home.rotation.ravel(), np.zeros(18)]),
        "source": lambda: np.tile(
            np.concatenate([home.position, home.rotation.ravel(), np.zeros(18)]), (3, 1)
        ),
        "plan": lambda: gough.design.read_sweep(EXAMPLES / "design" / "sweep.toml"),
        "problem": lambda: gough.design.read_problem(EXAMPLES / "design" / "hexapod.toml"),
        "front": lambda: gough.design.find_front(small_front()),
        "modes": lambda: gough.assembly_modes(platform, _six(platform)),
        "slices": lambda: [
            gough.analysis.workspace_slice(platform, plane=p, points=9) for p in ("xy", "xz", "yz")
        ],
        "panels": lambda: [("N", np.zeros((4, 6)))],
        "figure": lambda: gough.report.machine_figure(platform),
        "part": lambda: gough.analysis.reachable_volume(machines()[0], depth=3),
        "quantity": lambda: "condition",
        "found": lambda: gough.analysis.workspace_map(
            machines()[0], gough.analysis.reachable_volume(machines()[0], depth=3), "condition"
        ),
        "mesh": lambda: cell_surface(
            np.ones((1, 1, 1), dtype=bool), np.arange(2.0)[:, None] + np.zeros(3)
        ),
    }


def small_front() -> gough.design.DesignProblem:
    """Two objectives of quick metrics, one generation."""
    known = gough.design.read_problem(EXAMPLES / "design" / "front.toml")
    changes: dict[str, Any] = {"objectives": ("footprint", "stroke"), "constraints": {}}
    return replace(known, generations=1, population=1, **changes)


class Odd(np.ndarray):
    """An array of another class."""


class Deep(float):
    """A number of another class."""


def _subclass(a: Any) -> Any:
    return a.view(Odd)


def _endless() -> Any:
    return itertools.count()


def _nested() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


def _pandas(a: Any) -> Any:
    import pandas

    return (
        pandas.Series(np.ravel(a))
        if a.ndim < 2
        else pandas.DataFrame(a.reshape(len(a), a[:1].size))
    )


def _xarray(a: Any) -> Any:
    import xarray

    return xarray.DataArray(a)


def _no_step(a: Any) -> Any:
    return np.repeat(np.atleast_1d(a), 2, axis=-1)[..., ::2]


FIXED: tuple[Callable[[], Any], ...] = tuple(
    (lambda value=value: value)
    for value in (
        *(
            None,
            True,
            False,
            "",
            "text",
            "\0",
            b"bytes",
            1j,
            np.nan,
            np.inf,
            -np.inf,
            1e200,
            -1e200,
        ),
        *(-1, 0, 1, 7, 1e-300, 10**400, -(10**25), 2**63, 10**9, "nan", "1e5", [], [[]], [1, 2]),
        *([[1, 2], [3]], {}, {"a": 1}, (), set(), object(), Evil(), int, lambda *x, **y: None),
        *(range(6), Path("nowhere"), datetime.date(2020, 1, 1), np.array(["a"] * 6)),
        *(np.arange(6).astype("datetime64[s]"), np.arange(3).astype("timedelta64[s]")),
        *(np.datetime64("NaT"), np.ma.masked_equal(np.arange(6.0), 2), np.ma.masked),
        *(np.array([None] * 6), [None] * 3, ["1", "2", "3"], fractions.Fraction(1, 3)),
        *(decimal.Decimal("NaN"), memoryview(b"abc"), np.float32(3), np.random.default_rng(1)),
        *(gough, gough.InputError, 1e9, 1e15, np.array([1e308] * 6), [True] * 6, "L1", 3.7, -0.5),
        *(12345678901234567890, Deep(1.0), Deep("nan"), np.str_("x"), np.longdouble(1), Ellipsis),
        *(
            slice(3),
            NotImplemented,
            float,
            np.float64,
            (0.0, 1.0),
            (1.0, 0.0),
            [0.0] * 6,
            [0.5] * 3,
        ),
        *("/", "/dev/null/x", "a" * 300, ["a", "b"], {"x": np.nan}, frozenset({1}), "lagrange"),
    )
)
SHAPED: tuple[Callable[[Any], Any], ...] = (
    *(lambda a: a, lambda a: a + 1j, lambda a: a.astype(object), lambda a: a > 0),
    *(lambda a: a[..., None], lambda a: [a, a], lambda a: {"x": a}, lambda a: a.tolist()),
    *(lambda a: np.zeros(a.shape, dtype="f4"), lambda a: np.zeros(a.shape, dtype="V8")),
    *(lambda a: np.zeros(a.shape, dtype="f2"), lambda a: np.ones(a.shape, dtype=">f8")),
    *(lambda a: np.ma.masked_all(a.shape), lambda a: np.ma.array(a, mask=a > 0)),
    *(lambda a: np.ones(a.shape, dtype="i1"), lambda a: np.zeros(a.shape, dtype=[("a", "f8")])),
    *(_subclass, _pandas, _xarray, _no_step, lambda a: np.asfortranarray(a), memoryview),
    *(lambda a: np.broadcast_to(a, (2, *a.shape)), lambda a: np.matrix(np.atleast_2d(a).ravel())),
)


@cache
def _objects() -> tuple[Callable[[], Any], ...]:
    """Objects of ours in the wrong place, and what must be made anew each time."""
    empty, two = gough.Motion(np.zeros((0, 3))), gough.Motion(np.full((2, 3), 0.5))
    held = (
        *(empty, empty.pose, two, two.pose, gough.Pose([0, 0, 0.5]), gough.Motion([0, 0, 1e9])),
        *(gough.Body(0.0), gough.Limits(), machines()[0], machines()[3], line(machines()[0])),
        *(gough.Spin(np.zeros(6), np.zeros(6)), gough.State([0, 0, 0.5]), gough.Status("ok")),
        *(gough.Motion(np.full((7, 3), 0.5)), gough.Pose(np.full((2, 3, 3), 0.5))),
    )
    made = (lambda: (i for i in range(6)), _endless, _nested, lambda: iter([[0.0] * 30]))
    return (*((lambda value=value: value) for value in held), *made)


def hostile(rng: random.Random) -> Any:
    """Something that no verb wants, or hardly any."""
    way = rng.random()
    if way < 0.45:
        return rng.choice(FIXED)()
    if way < 0.6:
        return rng.choice(_objects())()
    shapes = [
        (6,),
        (3,),
        (3, 3),
        (0, 6),
        (0, 3),
        (2, 6),
        (4, 6),
        (5, 3),
        (2, 3, 3),
        (1,),
        (),
        (7, 6),
    ]
    sizes = [np.nan, np.inf, 1e200, 1e-320, -1.0, 0.0, 1.0, 1e9, 1e25, 0.5, 1e-12]
    a = np.full(rng.choice(shapes), rng.choice(sizes))
    if rng.random() < 0.3:  # one bad number among good ones
        a = np.where(np.arange(a.size).reshape(a.shape) == rng.randrange(max(a.size, 1)), a, 0.5)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rng.choice(SHAPED)(a)
