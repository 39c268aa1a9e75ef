"""The blocks of an FMU: their variables, where each group of them stands, and what their sources fill in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.state_space import linearize
from gough.dynamics.parameters import packed_names
from gough.engines.pack import parameters
from gough.export.c_plant import PlantParts, law_names
from gough.export.fmu_variables import TIME, FmuVariable, named_block
from gough.model import CRANKS, Platform
from gough.spatial import quaternion_from_rotation
from gough.struts import struts

TUNABLE = ("mass", "first", "second", "gravity", "friction", "reflected", "law")
METRES, TURNS = ["m"] * 3, ["rad"] * 3
SPEEDS, WRENCH = ["m/s"] * 3 + ["rad/s"] * 3, ["N"] * 3 + ["N.m"] * 3


@dataclass(frozen=True)
class FmuModel:
    """A block: its variables, the first place of each of its groups, what its source fills in."""

    variables: list[FmuVariable]
    places: dict[str, int]
    words: dict[str, Any]
    computed: int
    states: int
    slips: bool = False


class _Listing:
    """Variables one behind the other, and the places of their groups."""

    def __init__(self) -> None:
        self.variables, self.places = [TIME], dict[str, int]()

    def add(self, group: str, variables: list[FmuVariable]) -> None:
        self.places[group] = len(self.variables)
        self.variables += variables

    def rates_of(self, first: int, count: int) -> None:
        """Rates of `count` states from place `first`."""
        states = self.variables[first : first + count]
        slope = {
            "m": "m/s",
            "1": "1/s",
            "m/s": "m/s2",
            "rad/s": "rad/s2",
            "N": "N/s",
            "N.m": "N.m/s",
            "rad": "rad/s",
        }
        self.add(
            "RATES",
            [
                FmuVariable(
                    f"der({v.name})",
                    "local",
                    "continuous",
                    "calculated",
                    unit=slope[v.unit or "1"],
                    derivative=first + k,
                )
                for k, v in enumerate(states)
            ],
        )


def _units_of_legs(platform: Platform) -> tuple[list[str], list[str], list[str]]:
    cranks = [isinstance(leg, CRANKS) for leg in platform.legs]
    return tuple(
        [a if c else b for c in cranks] for a, b in (("rad", "m"), ("rad/s", "m/s"), ("N.m", "N"))
    )  # type: ignore[return-value]


def _add_parameters(to: _Listing, platform: Platform, law: PlantParts | None) -> None:
    names = list(packed_names(platform))
    values = [float(v) for v in parameters(platform)]
    if law is not None and law.laws:
        names, values = names + law_names(platform), values + [float(v) for v in law.numbers]
    units = {
        "mass": "kg",
        "first": "kg.m",
        "second": "kg.m2",
        "gravity": "m/s2",
        "joint": "m",
        "base": "m",
    }
    made = []
    for name, value in zip(names, values, strict=True):
        words = {part for piece in name.split(".") for part in piece.split("_")}
        fixed = not words & set(TUNABLE)
        unit = next(
            (
                u
                for w, u in units.items()
                if w in name.split(".") or name.split(".")[-1].endswith(f"_{w}")
            ),
            None,
        )
        made.append(
            FmuVariable(
                name,
                "parameter",
                "fixed" if fixed else "tunable",
                "exact",
                value,
                unit if "law" not in words else None,
            )
        )
    to.add("PARAMETER", made)


def _home(platform: Platform) -> tuple[Any, Any]:
    home = platform.require_home()
    return home.position, quaternion_from_rotation(home.rotation)


def plant_model(platform: Platform, parts: PlantParts, step: float) -> FmuModel:
    """Forward dynamics under drives, with sensors; states: pose, twist, loads and currents of the drives."""
    to, (position, turn) = _Listing(), _home(platform)
    length, rate, effort = _units_of_legs(platform)
    to.add(
        "STEP",
        [
            FmuVariable(
                "step", "parameter", "fixed", "exact", step, "s", "largest step of co-simulation"
            )
        ],
    )
    _add_parameters(to, platform, parts)
    zero = [0.0] * 6
    to.add("FORCE", named_block("force", effort, "input", "commanded effort", start=zero))
    to.add(
        "EXTERNAL",
        named_block(
            "external", WRENCH, "input", "wrench at the reference point, platform axes", start=zero
        ),
    )
    exact = {"initial": "exact"}
    first = len(to.variables)
    to.add(
        "POSITION",
        named_block(
            "position", METRES, "output", "position of the reference point", start=position, **exact
        ),
    )
    to.add(
        "QUATERNION",
        named_block(
            "quaternion", ["1"] * 4, "output", "orientation (w, x, y, z)", start=turn, **exact
        ),
    )
    to.add(
        "VELOCITY",
        named_block(
            "velocity", SPEEDS[:3], "output", "velocity of the reference point", start=zero, **exact
        ),
    )
    to.add(
        "ANGULAR",
        named_block(
            "angular_velocity",
            SPEEDS[3:],
            "output",
            "angular velocity, world axes",
            start=zero,
            **exact,
        ),
    )
    for name in parts.loaded:
        to.add(
            name.upper(),
            named_block(name, effort, "local", f"{name} of the drive", initial="calculated"),
        )
    states = len(to.variables) - first
    computed = len(to.variables)
    to.rates_of(first, states)
    told = {
        "coordinate": (length, "actuator coordinate"),
        "rate": (rate, "rate of the actuator coordinate"),
        "acceleration": (
            ["m/s2"] * 3 + ["rad/s2"] * 3,
            "acceleration of the reference point, linear and angular",
        ),
        "effort": (effort, "effort on the actuator coordinate"),
        "motor": (effort, "effort of the motor after its limits"),
        "stop": (effort, "effort of the end stops"),
    }
    for name, (units, what) in told.items():
        to.add(name.upper(), named_block(name, units, "output", what, initial="calculated"))
    numbers = to.places["FORCE"] - to.places["PARAMETER"]
    laws = 6 * len(parts.loaded)
    words = {
        "rows": parts.state.size,
        "laws": laws,
        "numbers": numbers,
        "inside": parts.state.size + 1,
    }
    return FmuModel(to.variables, to.places, words, computed, states, slips=bool(parts.laws))


def still_model(platform: Platform, block: str) -> FmuModel:
    """Inverse dynamics and kinematics: outputs of inputs, no state."""
    to, (position, turn) = _Listing(), _home(platform)
    length, rate, effort = _units_of_legs(platform)
    _add_parameters(to, platform, None)
    numbers = len(to.variables) - to.places["PARAMETER"]
    zero = [0.0] * 6
    to.add(
        "POSITION",
        named_block("position", METRES, "input", "position of the reference point", start=position),
    )
    to.add(
        "QUATERNION",
        named_block("quaternion", ["1"] * 4, "input", "orientation (w, x, y, z)", start=turn),
    )
    to.add(
        "VELOCITY",
        named_block("velocity", SPEEDS[:3], "input", "velocity of the reference point", start=zero),
    )
    to.add(
        "ANGULAR",
        named_block(
            "angular_velocity", SPEEDS[3:], "input", "angular velocity, world axes", start=zero
        ),
    )
    if block == "inverse-dynamics":
        linear, angular = "acceleration", "angular_acceleration"
        to.add(
            "LINEAR",
            named_block(
                linear, ["m/s2"] * 3, "input", "acceleration of the reference point", start=zero
            ),
        )
        to.add(
            "TURNING",
            named_block(angular, ["rad/s2"] * 3, "input", "angular acceleration", start=zero),
        )
        to.add(
            "EXTERNAL",
            named_block(
                "external",
                WRENCH,
                "input",
                "wrench at the reference point, platform axes",
                start=zero,
            ),
        )
    computed = len(to.variables)
    if block == "inverse-dynamics":
        to.add(
            "FORCE",
            named_block("force", effort, "output", "effort of the actuator", initial="calculated"),
        )
    else:
        to.add(
            "COORDINATE",
            named_block(
                "coordinate", length, "output", "actuator coordinate", initial="calculated"
            ),
        )
        to.add(
            "RATE",
            named_block(
                "rate", rate, "output", "rate of the actuator coordinate", initial="calculated"
            ),
        )
    return FmuModel(to.variables, to.places, {"numbers": numbers, "inside": 1}, computed, 0)


def forward_model(platform: Platform) -> FmuModel:
    """Forward kinematics: the pose of the actuator coordinates, from the pose before; at first from a parameter."""
    to, (position, turn) = _Listing(), _home(platform)
    length, _, _ = _units_of_legs(platform)
    _add_parameters(to, platform, None)
    numbers = len(to.variables) - to.places["PARAMETER"]
    fixed = {"variability": "fixed", "initial": "exact"}
    for name, units, start in (
        ("guess_position", METRES, position),
        ("guess_quaternion", ["1"] * 4, turn),
    ):
        what = "of the pose from which the first one is sought"
        to.add(name.upper(), named_block(name, units, "parameter", what, start=start, **fixed))
    home = struts(platform, platform.require_home()).coordinate
    to.add(
        "COORDINATE", named_block("coordinate", length, "input", "actuator coordinate", start=home)
    )
    computed = len(to.variables)
    told = {
        "position": (METRES, "position of the reference point"),
        "quaternion": (["1"] * 4, "orientation (w, x, y, z)"),
    }
    for name, (units, what) in told.items():
        to.add(name.upper(), named_block(name, units, "output", what, initial="calculated"))
    return FmuModel(to.variables, to.places, {"numbers": numbers, "inside": 13}, computed, 0)


def linear_model(platform: Platform, step: float) -> FmuModel:
    """The linear model about home, held against gravity."""
    found = linearize(platform, platform.require_home(), outputs=("length", "rate"), wrench=True)
    to = _Listing()
    length, rate, effort = _units_of_legs(platform)
    states = METRES + TURNS + SPEEDS
    to.add(
        "STEP",
        [
            FmuVariable(
                "step", "parameter", "fixed", "exact", step, "s", "largest step of co-simulation"
            )
        ],
    )
    zero = [0.0] * len(states)
    to.add(
        "INPUT",
        named_block("force", effort, "input", "effort beside that which holds home", start=zero),
    )
    to.add("WRENCH", named_block("external", WRENCH, "input", "wrench, platform axes", start=zero))
    what = "displacement, small turn, velocity and angular velocity from home"
    to.add("STATE", named_block("state", states, "output", what, start=zero, initial="exact"))
    first = to.places["STATE"]
    computed = len(to.variables)
    to.rates_of(first, len(states))
    to.add(
        "OUTPUT",
        named_block(
            "coordinate",
            length,
            "output",
            "change of the actuator coordinate",
            initial="calculated",
        ),
    )
    to.add("OUTPUT_RATE", named_block("rate", rate, "output", "its rate", initial="calculated"))
    words: dict[str, Any] = {k: _numbers(getattr(found, k)) for k in "ABC"}
    words |= {"inputs": found.B.shape[1], "outputs": len(found.outputs), "inside": 1}
    return FmuModel(to.variables, to.places, words, computed, len(states))


def _numbers(values: Any) -> str:
    return ",\n    ".join(", ".join(repr(float(v)) for v in row) for row in np.atleast_2d(values))
