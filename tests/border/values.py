"""Values for calls: with which a verb works, by the argument's name; and what no verb wants."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import fractions
import os
import random
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gough


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
            gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6),
            gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, leg="SPS"),
            gough.hexaglide(0.8, 0.3, 0.4, 0.4, 0.6, link_length=0.9, incline=0.3),
            gough.servo_hexapod(0.2, 0.15, 0.4, 0.4, crank_length=0.04, rod_length=0.2),
            gough.load("dasgupta-1998"),
        )


def valid(  # noqa: C901  one line per verb that wants its own value
    name: str, verb: str, platform: gough.Platform, folder: str, rng: random.Random
) -> Any:
    """A value with which a call works, by the argument's name."""
    home = platform.likely_home
    motion = gough.Motion(home.position, home.rotation, [0.01, 0, 0.02], [0.1, 0, 0])
    if rng.random() < 0.3:
        motion = gough.Motion(home.position + np.zeros((4, 3)), home.rotation, time=np.arange(4.0))
    line = gough.trajectory.line(home, (home.position + 0.01, home.rpy), 1.0)
    six = np.zeros(6)
    with contextlib.suppress(gough.GoughError):
        six = gough.inverse_kinematics(platform, home).length
    if verb in ("motion_table", "forces_table", "limit_report") and name == "motion":
        return line.sample(5)
    table: dict[str, Callable[[], Any]] = {
        **dict.fromkeys(("platform", "model"), lambda: platform),
        **dict.fromkeys(("motion", "state"), lambda: motion),
        **dict.fromkeys(("pose", "guess", "start", "end", "center", "home"), lambda: home),
        **dict.fromkeys(("length", "lengths", "rest"), lambda: six),
        **dict.fromkeys(
            ("rate", "acceleration", "force", "external", "actuator"), lambda: np.ones(6)
        ),
        **dict.fromkeys(("amplitude", "max_acceleration"), lambda: np.full(6, 0.01)),
        "frequency": lambda: 1.0,
        **dict.fromkeys(
            ("duration", "time", "period"), lambda: 0.05 if verb == "simulate" else 1.0
        ),
        "step": lambda: 0.01,
        **dict.fromkeys(("path", "out", "trajectory"), lambda: line),
        "parts": lambda: line,
        "motions": lambda: [line.sample(5)],
        "stiffness": lambda: 1e6,
        "direction": lambda: np.array([0, 0, 0.1]),
        "limit": lambda: 1.0,
        "position": lambda: home.position,
        "positions": lambda: home.position + np.zeros((5, 3)),
        "rotation": lambda: home.rotation,
        "rotations": lambda: home.rotation[None],
        "times": lambda: [0.0, 0.5, 1.0],
        "poses": lambda: [home, home, home],
        "payload": lambda: gough.Body(1.0),
        "text": lambda: gough.dumps(platform),
        "name_or_path": lambda: "dasgupta-1998" if verb == "load" else "001-I",
        "coordinate": lambda: "x",
        "task": lambda: gough.design.Task(),
        "names": lambda: ["stroke"],
        "table": lambda: gough.export.motion_table(line.sample(5)),
        "legs": lambda: gough.inverse_kinematics(platform, line.sample(5)),
        "result": lambda: gough.inverse_dynamics(platform, line.sample(5)),
        "body": lambda: gough.Body(1.0),
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
        "matrix": lambda: np.eye(4),
        "name": lambda: "dasgupta-1998" if verb == "preset_summary" else "001-I",
        **dict.fromkeys(("kp", "ki", "kd", "mass", "offset"), lambda: np.ones(6)),
    }
    if verb in ("PUS", "RUS") and name == "length":
        return 0.5
    if verb == "Platform" and name == "legs":
        return platform.legs
    if verb == "track" and name == "lengths":
        return six + np.zeros((4, 1))
    if verb == "time_grid" and name == "duration":
        return 2.0
    if verb == "rpy_rate_matrix_dot":
        return np.zeros(3)
    if verb in ("Body", "Drive") and name in ("mass", "ratio"):
        return 1.0
    if name == "path" and verb not in ("time_optimal",):
        return os.path.join(folder, "out.nc" if verb == "recorded" else "out.xml")
    if verb == "Impedance" and name in ("stiffness", "damping"):
        return np.ones(6)
    if verb == "through_motion" and name in ("position", "rotation"):
        return {"position": np.zeros((3, 3)), "rotation": np.broadcast_to(np.eye(3), (3, 3, 3))}[
            name
        ]
    if verb == "trajectory_from" and name == "table":
        return {"kind": "hold"}
    if verb == "Brake" and name == "force":
        return 1.0
    if verb == "legs_harmonic" and name == "center":
        return six
    if verb in ("forward_dynamics", "inverse_dynamics") and name == "force":
        return np.zeros(6)
    return table[name]() if name in table else 0.5


def hostile(rng: random.Random) -> Any:
    """Something that no verb wants, or hardly any."""
    shape = rng.choice(
        [(6,), (3,), (3, 3), (0, 6), (0, 3), (2, 6), (4, 6), (5, 3), (2, 3, 3), (1,), ()]
    )
    a = np.full(shape, rng.choice([np.nan, np.inf, 1e200, 1e-320, -1.0, 0.0, 1.0, 1e9, 1e25]))
    empty = gough.Motion(np.zeros((0, 3)))
    two = gough.Motion(np.full((2, 3), 0.5))
    return rng.choice(
        [
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
                -1,
                0,
                1,
                7,
            ),
            *(
                1e-300,
                10**400,
                -(10**25),
                2**63,
                "nan",
                "1e5",
                [],
                [[]],
                [1, 2],
                [[1, 2], [3]],
                {},
                {"a": 1},
                (),
                set(),
            ),
            *(
                object(),
                Evil(),
                int,
                lambda *x, **y: None,
                range(6),
                (i for i in range(6)),
                Path("nowhere"),
                datetime.date.today(),
            ),
            *(
                np.array(["a"] * 6),
                np.arange(6).astype("datetime64[s]"),
                np.arange(3).astype("timedelta64[s]"),
            ),
            *(
                np.ma.masked_equal(np.arange(6.0), 2),
                np.ma.masked_all(shape),
                np.ma.masked,
                a,
                a + 1j,
                a.astype(object),
                a > 0,
            ),
            *(
                np.array([None] * 6),
                [None] * 3,
                ["1", "2", "3"],
                np.zeros(shape, dtype="f4"),
                np.zeros(shape, dtype="V8"),
            ),
            *(
                empty,
                empty.pose,
                two,
                two.pose,
                gough.Pose([0, 0, 0.5]),
                gough.Motion([0, 0, 1e9]),
                gough.Body(0.0),
            ),
            *(
                fractions.Fraction(1, 3),
                decimal.Decimal("NaN"),
                memoryview(b"abc"),
                np.float32(3),
                np.random.default_rng(1),
            ),
            *(
                gough,
                machines()[0],
                machines()[3],
                gough.InputError,
                float("1e9"),
                1e15,
                a[..., None],
                [a, a],
                {"x": a},
            ),
            *(np.array([1e308] * 6), [True] * 6, "L1", 3.7, -0.5, 12345678901234567890),
        ]
    )
