"""The built-in controllers as laws over any kind of number, for the compiled loop.

Each is the law of its class in gough/control/, written on the rows of `CONTROL`; `tests/simulation/test_closed.py`
holds one against the other.  A class with other fields than the table knows is asked in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from gough.checks import Array
from gough.control import ComputedForce, Decentralized, FeedForward, GravityCompensation, Impedance
from gough.dynamics import inverse_dynamics
from gough.engines.pack import packed
from gough.engines.plain import NO_SPIN, machine
from gough.equations.solve import six_at, solve_columns
from gough.layout import FORCES, LEG_MOTION, MOTION, STATE, TWIST, Layout
from gough.model import Platform
from gough.spatial import Motion

SENSED = Layout(length=6, rate=6, integral=6, pose=STATE.size, play=6, saturated=6, wound=6)
"""Rows of the loop's memory: what the controller reads, the play behind the motors, saturated drives (1)."""
REFERENCE = MOTION.then(leg_length=6, leg_rate=6, leg_acceleration=6, ahead=6)
"""Rows of a reference at a sample; `ahead`: efforts that a law computed before the run."""
CONTROL = Layout(
    length=6,
    rate=6,
    integral=6,
    **dict(STATE.blocks()),
    **{f"ref_{name}": width for name, width in REFERENCE.blocks()},
    turn=3,
)
"""Rows that a law reads; `turn`: rotation vector of R_ref R^T, world axes."""
Rows = dict[str, Any]


@dataclass(frozen=True)
class CompiledForm:
    """A controller's law.

    known   fields of the class that it stands for
    gains   its numbers by name, and `take` them from a controller
    law     (blocks of CONTROL, gains, machine) -> six commands and a risk (infinite where there are none)
    turns   it reads the rotation vector to the reference;  model  it needs the machine's equations
    """

    known: tuple[str, ...]
    gains: Layout
    take: Callable[[Any], dict[str, Any]]
    law: Callable[[Rows, Rows, _Model], tuple[Any, Any]]
    turns: bool = False
    model: bool = True


class _Model:
    """The controller's model: machine functions of its leg kinds on numbers of any kind."""

    def __init__(self, kinds: tuple[str, ...], par: Any) -> None:
        self.functions, self.par = machine(kinds), par

    @cached_property
    def data(self) -> Any:
        return self.functions.unpack(self.par)

    def efforts(self, state: Any, acceleration: Any, wrench: Any = (0.0,) * 6) -> tuple[Any, Any]:
        """Inverse dynamics with a wrench in platform axes: efforts, risk."""
        found = self.functions.forces((*state, *acceleration, *wrench), NO_SPIN, self.data)
        return found[FORCES.effort], found[FORCES.risk]

    def leg_accelerations(self, state: Any, acceleration: Any) -> list[Any]:
        """Accelerations of the six actuator coordinates."""
        flat = self.functions.kinematics((*state, *acceleration), NO_SPIN, self.data)
        return [flat[leg * LEG_MOTION.size + LEG_MOTION.acceleration] for leg in range(6)]


def _state(z: Rows) -> tuple[Any, ...]:
    return tuple(x for name in STATE.names for x in z[name])


def _differences(z: Rows, wanted: str, now: str) -> list[Any]:
    return [a - b for a, b in zip(z[wanted], z[now], strict=True)]


def _task_error(z: Rows) -> tuple[list[Any], list[Any]]:
    """Position and rotation vector, and twist, to the reference."""
    speeds = [_differences(z, f"ref_{name}", name) for name in ("velocity", "angular_velocity")]
    return [*_differences(z, "ref_position", "position"), *z["turn"]], [*speeds[0], *speeds[1]]


def _decentralized(z: Rows, g: Rows, m: _Model) -> tuple[Any, Any]:
    error, rate = (
        _differences(z, "ref_leg_length", "length"),
        _differences(z, "ref_leg_rate", "rate"),
    )
    return [
        g["kp"][i] * error[i]
        + g["kd"][i] * rate[i]
        + g["ki"][i] * z["integral"][i]
        + g["offset"][i]
        + g["mass"][i] * z["ref_leg_acceleration"][i]
        for i in range(6)
    ], 0.0


def _computed_force(z: Rows, g: Rows, m: _Model) -> tuple[Any, Any]:
    error, rate = _task_error(z)
    ahead = *z["ref_acceleration"], *z["ref_angular_acceleration"]
    wanted = [g["kp"] * e + g["kd"] * v + a for e, v, a in zip(error, rate, ahead, strict=True)]
    return m.efforts(_state(z), wanted)


def _computed_leg_force(z: Rows, g: Rows, m: _Model) -> tuple[Any, Any]:
    """``xdd = J^-1 (ldd - Jdot xd)``; columns of J: the legs' accelerations of a machine at rest."""
    state, nothing = _state(z), (0.0,) * TWIST.size
    drift = m.leg_accelerations(state, nothing)
    error, rate = (
        _differences(z, "ref_leg_length", "length"),
        _differences(z, "ref_leg_rate", "rate"),
    )
    right = [
        z["ref_leg_acceleration"][i] + g["kp"] * error[i] + g["kd"] * rate[i] - drift[i]
        for i in range(6)
    ]
    still = *z["position"], *z["rotation"], *nothing
    units = [tuple(float(i == k) for i in range(6)) for k in range(6)]
    columns = [six_at(m.leg_accelerations(still, unit), 0) for unit in units]
    found = solve_columns(columns, six_at(right, 0))
    effort, risk = m.efforts(state, found.y)
    return effort, risk + found.risk


def _feedback(z: Rows, g: Rows) -> list[Any]:
    error, rate = (
        _differences(z, "ref_leg_length", "length"),
        _differences(z, "ref_leg_rate", "rate"),
    )
    return [g["load"][i] * (g["kp"] * error[i] + g["kd"] * rate[i]) for i in range(6)]


def _feed_forward(z: Rows, g: Rows, m: _Model) -> tuple[Any, Any]:
    return [a + b for a, b in zip(z["ref_ahead"], _feedback(z, g), strict=True)], 0.0


def _gravity(z: Rows, g: Rows, m: _Model) -> tuple[Any, Any]:
    nothing = (0.0,) * TWIST.size
    static, risk = m.efforts((*z["position"], *z["rotation"], *nothing), nothing)
    return [a + b for a, b in zip(static, _feedback(z, g), strict=True)], risk


def _impedance(z: Rows, g: Rows, m: _Model) -> tuple[Any, Any]:
    """``J^T u = b + w`` is inverse dynamics at rest under the wrench -w, which it takes in platform axes."""
    error, rate = _task_error(z)
    w = [g["stiffness"][i] * error[i] + g["damping"][i] * rate[i] for i in range(6)]
    R = z["rotation"]
    turned = [
        -(R[k] * part[0] + R[3 + k] * part[1] + R[6 + k] * part[2])
        for part in (w[TWIST.linear], w[TWIST.angular])
        for k in range(3)
    ]
    return m.efforts(_state(z), (0.0,) * TWIST.size, turned)


def _bandwidth(c: Any) -> dict[str, Any]:
    return {"kp": c.bandwidth**2, "kd": 2 * c.damping * c.bandwidth}


def _with_load(c: Any) -> dict[str, Any]:
    return {**_bandwidth(c), "load": c.load}


def _leg_gains(c: Decentralized) -> dict[str, Any]:
    gains = {name: getattr(c, name) for name in ("kp", "ki", "kd", "offset", "mass")}
    return gains if c.feed_forward else {**gains, "mass": np.zeros(6)}


_two = Layout(kp=1, kd=1)
_pid = Layout(kp=6, ki=6, kd=6, offset=6, mass=6)
_six = Layout(stiffness=6, damping=6)
_computed = ("model", "bandwidth", "damping", "space", "integral")
_loaded = ("model", "bandwidth", "damping", "pose")
LAWS: dict[str, CompiledForm] = {
    "decentralized": CompiledForm(
        ("mass", "kp", "ki", "kd", "offset", "feed_forward"),
        _pid,
        _leg_gains,
        _decentralized,
        model=False,
    ),
    "computed_force": CompiledForm(_computed, _two, _bandwidth, _computed_force, turns=True),
    "computed_leg_force": CompiledForm(_computed, _two, _bandwidth, _computed_leg_force),
    "feed_forward": CompiledForm(
        _loaded, _two.then(load=6), _with_load, _feed_forward, model=False
    ),
    "gravity": CompiledForm(_loaded, _two.then(load=6), _with_load, _gravity),
    "impedance": CompiledForm(
        ("model", "stiffness", "damping"),
        _six,
        lambda c: {n: getattr(c, n) for n in _six.names},
        _impedance,
        turns=True,
    ),
}
CLASSES = {
    Decentralized: "decentralized",
    ComputedForce: "computed_force",
    FeedForward: "feed_forward",
    GravityCompensation: "gravity",
    Impedance: "impedance",
}


def commands(name: str, kinds: tuple[str, ...], z: Rows, par: Any, gains: Any) -> list[Any]:
    """Six commands and the risk of a law."""
    law = LAWS[name]
    named = law.gains.named(gains)
    single = {
        n: v[0] if w == 1 else v
        for (n, w), v in zip(law.gains.blocks(), named.values(), strict=True)
    }
    effort, risk = law.law(z, single, _Model(kinds, par))
    return [*effort, risk]


def name_of(controller: object) -> str | None:
    """The law of a built-in controller; None: it has no compiled one."""
    name = CLASSES.get(type(controller))  # type: ignore[arg-type]
    if name is None or LAWS[name].known != tuple(f.name for f in fields(controller)):  # type: ignore[arg-type]
        return None
    if getattr(controller, "integral", 0.0):  # of computed force: asked in Python
        return None
    leg_space = name == "computed_force" and getattr(controller, "space", "") == "leg"
    return "computed_leg_force" if leg_space else name


def parameters(name: str, controller: Any, model: Any) -> tuple[tuple[str, ...], Array]:
    """Leg kinds of the model, and its parameters followed by the gains."""
    pack, law = packed(model, False), LAWS[name]
    given = law.take(controller)
    gains = [np.ravel(np.asarray(given[n], dtype=np.float64)) for n in law.gains.names]
    return pack.kinds, np.concatenate([pack.parameters, *gains])


def ahead(model: Platform, motion: Motion) -> Array:
    """Efforts (samples, runs, 6) of a reference, computed before the run."""
    return inverse_dynamics(model, motion, max_condition=np.inf).force
