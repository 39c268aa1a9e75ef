"""What is measured, as data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from benchmarks import kinds, ours, peers, steps
from benchmarks.ours import Setup


class Case(NamedTuple):
    """One line of the table: seconds per evaluation by `measure`, shown in microseconds or per second."""

    key: str
    group: str
    name: str
    measure: Callable[[Setup], float]


class Ratio(NamedTuple):
    """How many times faster `fast` is than `slow`, and what the project promises."""

    name: str
    fast: str
    slow: str
    promised: float


ONE, MANY, KINDS, STEPS = "one state", "many states", "leg types", "simulation"
OTHERS = {  # functions beside the inverse dynamics, as the table calls them
    "forward": "forward dynamics",
    "kinematics": "inverse kinematics with rates",
    "mass": "mass matrix",
    "record": "everything about each leg",
}
CASES = (
    Case("kernel", ONE, "gough, compiled kernel", ours.kernel_call),
    Case("lean", ONE, "gough.lean from Python", ours.lean_call),
    Case("verb", ONE, "gough.inverse_dynamics from Python", ours.verb_call),
    Case("verb-wrench", ONE, "the same with an external wrench", ours.verb_with_wrench),
    Case("verb-kinematics", ONE, "gough.inverse_kinematics from Python", ours.kinematics_verb),
    Case("floats", ONE, "equations on Python floats", ours.float_call),
    Case("pinocchio-cpp", ONE, "Pinocchio, C++", peers.pinocchio_compiled),
    Case("pinocchio-python", ONE, "Pinocchio, Python calls", peers.pinocchio_python),
    Case("mujoco-inverse", ONE, "MuJoCo mj_inverse, open tree, Python call", peers.mujoco_inverse),
    Case("mujoco-forward", ONE, "MuJoCo mj_forward, open tree, Python call", peers.mujoco_forward),
    Case(
        "forward-kernel",
        ONE,
        "gough forward dynamics, compiled kernel",
        partial(ours.kernel_call, function="forward"),
    ),
    Case(
        "pinocchio-forward",
        ONE,
        "Pinocchio constraintDynamics, closed loops, C++",
        peers.pinocchio_forward,
    ),
    Case("modes", ONE, "gough.assembly_modes, all of them", ours.all_modes),
    Case("hand", MANY, "hand-vectorized C++, one thread", peers.hand_written),
    Case("batch", MANY, "gough inverse dynamics, one thread", ours.batch),
    Case("threads", MANY, "gough inverse dynamics, two threads", partial(ours.clocked, workers=2)),
    Case(
        "single",
        MANY,
        "gough inverse dynamics, float32, one thread",
        partial(ours.batch, number="float32"),
    ),
    Case("numpy", MANY, "NumPy, batched 3-vectors (Newton-Euler)", ours.numpy_newton_euler),
    Case("numpy-components", MANY, "NumPy, the equations on components", ours.numpy_equations),
    Case("jax", MANY, "JAX on the CPU, all its threads together", ours.jax_batch),
    Case("forward-kinematics", MANY, "gough.forward_kinematics", ours.forward_kinematics),
    Case("in-cache", MANY, "gough inverse dynamics, 256 states", ours.values_in_cache),
    Case(
        "derivatives",
        MANY,
        "gough, efforts and all their derivatives, 256 states",
        ours.derivatives,
    ),
)
CASES += tuple(
    Case(f"{key}{shown}", MANY, f"{who} {name}, {how}one thread", partial(measure, **own))
    for function, name in OTHERS.items()
    for key, shown, who, how, measure, own in (
        ("hand-", function, "hand-vectorized C++,", "", peers.hand_written, {"function": function}),
        (function, "", "gough", "", ours.batch, {"function": function}),
        (
            function,
            "-single",
            "gough",
            "float32, ",
            ours.batch,
            {"function": function, "number": "float32"},
        ),
    )
)
CASES += (
    Case("step-mujoco", STEPS, "MuJoCo mj_step, closed loops, from Python", steps.mujoco_step),
    Case("steps-mujoco", STEPS, "MuJoCo rollout, 256 runs, one thread", steps.mujoco_rollout),
    Case("step", STEPS, "gough RK4 step, one run", partial(steps.ours, runs=1)),
    Case("steps", STEPS, "gough RK4 step, 256 runs, one thread", steps.ours),
    Case(
        "steps-once",
        STEPS,
        "gough semi-implicit step, 256 runs, one thread",
        partial(steps.ours, method="semi-implicit"),
    ),
)
CASES += tuple(
    Case(key, KINDS, f"six {kind} legs, {group}", partial(measure, kind))
    for kind in kinds.MACHINES
    for key, group, measure in zip(
        kinds.keys(kind), (ONE, MANY), (kinds.one, kinds.many), strict=True
    )
)
RATIOS = (
    Ratio("kernel over Pinocchio C++", "kernel", "pinocchio-cpp", 4.0),
    Ratio("kernel over Pinocchio Python", "kernel", "pinocchio-python", 100.0),
    Ratio(
        "forward kernel over Pinocchio constraintDynamics C++",
        "forward-kernel",
        "pinocchio-forward",
        10.0,
    ),
    Ratio("inverse dynamics over hand-vectorized C++", "batch", "hand", 0.9),
    *(
        Ratio(f"{name} over hand-vectorized C++", function, f"hand-{function}", 0.9)
        for function, name in OTHERS.items()
    ),
    Ratio("RK4 steps of many runs over MuJoCo's", "steps", "steps-mujoco", 10.0),
    Ratio("two threads over one", "threads", "batch", 1.8),
    Ratio("batch over batched NumPy", "batch", "numpy", 50.0),
    Ratio("value over all derivatives (at least 1/25)", "derivatives", "in-cache", 0.04),
)
