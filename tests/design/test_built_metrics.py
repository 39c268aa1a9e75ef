"""Stiffness, errors, natural frequency, buckling and payload as metrics: against their definitions; units of cranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.analysis import compliance, size, with_payload
from gough.analysis.natural_modes import modes
from gough.design import DesignProblem, Hardware, Task, evaluate, read_problem, read_sweep
from gough.design.metrics import METRICS, Trial, units_of
from gough.design.spec import MachineSpec
from gough.design.tables import unit_of
from gough.kinematics.jacobian import jacobian
from gough.limits import allowed_range

LEGS = Hardware(
    leg_stiffness=2e7, actuator_error=2e-5, joint_error=1e-4, rod_diameter=0.05, rod_modulus=2.1e11
)
TASK = Task(np.array([0.1, 0.0, 0.05]), np.array([0.08, 0.0, 0.05]), hardware=LEGS)


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def directions(count: int = 4000) -> np.ndarray:
    d = np.random.default_rng(0).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def test_softest_and_stiffest_directions_by_pushing_in_all(machine: gough.Platform) -> None:
    """A unit force, a unit moment in many directions: what it gives way by along itself."""
    names = ("softest", "stiffest", "softest_turn", "stiffest_turn")
    found = evaluate(machine, TASK, names)
    C = compliance(machine, Trial(machine, TASK).poses, stiffness=2e7, preload=False)
    d = directions()
    for part, (soft, stiff) in zip((slice(0, 3), slice(3, 6)), (names[:2], names[2:]), strict=True):
        gives = np.einsum("di,nij,dj->nd", d, C[:, part, part], d)
        assert found[soft] == pytest.approx(1 / gives.max(), rel=2e-3)
        assert found[stiff] == pytest.approx(1 / gives.min(axis=1).max(), rel=2e-3)
        assert found[soft] <= found[stiff]
    double = evaluate(machine, TASK.replace(hardware=Hardware(leg_stiffness=4e7)), names)
    assert double == pytest.approx({name: 2 * x for name, x in found.items()}, rel=1e-12)


def test_units_of_stiffness_by_scaling() -> None:
    """Twice the size with the same legs: N/m stays, N m/rad is four times as much."""
    base = gough.hexapod(0.5, 0.3, 0.3, 0.4, 0.6)
    large = gough.hexapod(1.0, 0.6, 0.3, 0.4, 1.2)
    names = ("softest", "softest_turn")
    small, double = (evaluate(m, Task(hardware=LEGS), names) for m in (base, large))
    assert double["softest"] == pytest.approx(small["softest"], rel=1e-12)
    assert double["softest_turn"] == pytest.approx(4 * small["softest_turn"], rel=1e-12)


def test_errors_of_the_pose_are_those_of_the_lengths(machine: gough.Platform) -> None:
    """Along a strut an error of a joint is one of its length: variance a^2 + 2 j^2 for each leg."""
    found = evaluate(machine, TASK, ["position_error", "angle_error"])
    X = np.linalg.inv(jacobian(machine, Trial(machine, TASK).poses))
    C = (2e-5**2 + 2 * 1e-4**2) * X @ np.swapaxes(X, -1, -2)
    for name, part in (("position_error", slice(0, 3)), ("angle_error", slice(3, 6))):
        d = directions()
        spread = np.einsum("di,nij,dj->nd", d, C[:, part, part], d)
        assert found[name] == pytest.approx(np.sqrt(spread.max()), rel=2e-3)
    only = TASK.replace(hardware=Hardware(actuator_error=2e-5))
    alone = evaluate(machine, only, ["position_error", "error_gain"])
    assert alone["position_error"] == pytest.approx(2e-5 * alone["error_gain"], rel=1e-9)


def test_the_lowest_natural_frequency(machine: gough.Platform) -> None:
    home = TASK.replace(box=np.zeros(3), tilt=np.zeros(3))
    found = evaluate(machine, home, ["natural_frequency"])["natural_frequency"]
    wanted = modes(machine, machine.require_home(), stiffness=2e7).frequency.min()
    assert found == pytest.approx(float(wanted), rel=1e-9)
    soft = home.replace(hardware=Hardware(leg_stiffness=10.0))
    with pytest.raises(gough.InfeasibleError, match="unstable at rest"):
        evaluate(machine, soft, ["natural_frequency"])


def test_buckling_is_what_sizing_asks_of_the_rod(machine: gough.Platform) -> None:
    """At rest in all poses, and along a motion that presses harder."""
    poses = Trial(machine, TASK).poses
    still = gough.Motion(poses.position, poses.rotation, time=np.arange(float(len(poses.position))))
    EI = 2.1e11 * np.pi * 0.05**4 / 64
    wanted = max(leg.bending_stiffness for leg in size(machine, {"still": still}).legs) / EI
    found = evaluate(machine, TASK, ["buckling"])["buckling"]
    assert found == pytest.approx(wanted, rel=1e-9)
    heave = gough.trajectory.harmonic(
        machine.require_home(), [0, 0, 0.1, 0, 0, 0], [1.5], duration=2.0
    )
    moved = evaluate(machine, TASK.replace(motion=heave.sample(81)), ["buckling"])["buckling"]
    pressed = max(leg.bending_stiffness for leg in size(machine, {"heave": heave.sample(81)}).legs)
    assert moved == pytest.approx(pressed / EI, rel=1e-9)
    assert moved > 1.2 * found
    half = TASK.replace(hardware=LEGS.replace(rod_diameter=0.025))
    assert evaluate(machine, half, ["buckling"])["buckling"] == pytest.approx(16 * found, rel=1e-12)


def test_the_payload_brings_a_leg_to_its_largest_effort(machine: gough.Platform) -> None:
    load = gough.Body(50.0, (0.1, 0.0, 0.3))
    task = TASK.replace(payload=load)
    found = evaluate(machine, task, ["payload"])["payload"]
    assert found > 0
    most = np.array([allowed_range(machine, "force", i)[1] for i in range(6)])
    poses = Trial(machine, task).poses
    for mass, wanted in ((found, 1.0), (1.01 * found, 1.001)):
        loaded = with_payload(machine, gough.Body(50.0 + mass, load.center))
        share = (np.abs(gough.inverse_dynamics(loaded, poses).force) / most).max()
        assert share == pytest.approx(wanted, rel=1e-9) if wanted == 1.0 else share > wanted
    bare = gough.hexapod(0.5, 0.3, 0.3, 0.4, 0.6)
    with pytest.raises(gough.InputError, match="largest effort"):
        evaluate(bare, Task(), ["payload"])


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("softest", "stiffness"),
        ("natural_frequency", "stiffness"),
        ("position_error", "joint_error, actuator_error"),
        ("angle_error", "joint_error, actuator_error"),
        ("buckling", "rod_diameter and rod_modulus"),
    ],
)
def test_missing_numbers_are_asked_for(name: str, match: str) -> None:
    family = {"base_radius": 0.5, "platform_radius": 0.3, "height": 0.6}
    spec = MachineSpec("octahedral", "octahedral", family, {})
    with pytest.raises(gough.InputError, match=match):
        evaluate(spec.build({}), Task(), [name])
    if name not in ("softest", "natural_frequency"):  # those may come from the drives
        with pytest.raises(gough.InputError, match=match):
            DesignProblem(spec, Task(), {"height": (0.5, 0.7)}, {name: 1.0})
    rod = Hardware(rod_diameter=0.02)
    with pytest.raises(gough.InputError, match="rod_modulus"):
        DesignProblem(spec, Task(hardware=rod), {"height": (0.5, 0.7)}, {"buckling": 1.0})


def test_a_singular_pose_is_infeasible_not_a_crash(machine: gough.Platform) -> None:
    planted = METRICS["softest"]._replace(of=lambda t: np.linalg.inv(np.zeros((2, 2)))[0, 0])
    from gough.design.metrics import judged

    with pytest.raises(gough.InfeasibleError, match="singular in the task"):
        judged(machine, TASK, {"softest": planted})


SERVO = """
[machine]
family = "servo-hexapod"
base_radius = "100 mm"
platform_radius = "80 mm"
base_pair_angle = "40 deg"
platform_pair_angle = "60 deg"
crank_length = "30 mm"
[parameters]
rod_length = ["120 mm", "160 mm"]
[task]
box = "5 5 5 mm"
hardware = { crank_stiffness = "200 N m/rad", crank_error = "0.1 deg" }
[objective]
stroke = { weight = 1, reference = "20 deg" }
softest = 1
[constraints]
stroke = { max = "60 deg" }
"""


def test_cranks_have_their_own_units(tmp_path: Path) -> None:
    path = tmp_path / "servo.toml"
    path.write_text(SERVO)
    problem = read_problem(path)
    assert problem.units == {"stroke": "rad", "softest": "N/m"}
    assert problem.constraints["stroke"][1] == pytest.approx(np.pi / 3)
    platform = problem.machine.build({"rod_length": 0.14})
    found = evaluate(platform, problem.task, ["stroke", "softest", "position_error", "error_gain"])
    assert found["position_error"] == pytest.approx(np.radians(0.1) * found["error_gain"])
    path.write_text(SERVO.replace('max = "60 deg"', 'max = "60 mm"'))
    with pytest.raises(gough.InputError, match=r"constraints\.stroke\.max.*rad"):
        read_problem(path)
    path.write_text(SERVO.replace('reference = "20 deg"', 'reference = "20 mm"'))
    with pytest.raises(gough.InputError, match=r"objective\.stroke\.reference.*rad"):
        read_problem(path)
    path.write_text(SERVO.replace('max = "60 deg"', 'max = "60 kg"'))
    with pytest.raises(gough.InputError, match="m or rad"):
        read_problem(path)
    path.write_text(SERVO.replace("softest = 1", "extension = 1"))
    with pytest.raises(gough.InputError, match="cranks turn"):
        read_problem(path)
    path.write_text(SERVO.replace('crank_stiffness = "200 N m/rad"', 'leg_stiffness = "1 N/um"'))
    with pytest.raises(gough.InputError, match="crank_stiffness"):
        evaluate(platform, read_problem(path).task, ["softest"])


def test_legs_of_both_kinds_are_not_mixed() -> None:
    both = {"stroke": METRICS["stroke"]}
    assert units_of([False], both) == {"stroke": "m"}
    assert units_of([True, True], both) == {"stroke": "rad"}
    with pytest.raises(gough.InputError, match="would mix"):
        units_of([True, False], both)
    assert units_of([True, False], {"footprint": METRICS["footprint"]}) == {"footprint": "m"}


def test_columns_of_a_sweep_say_the_units_of_its_machines(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    text = 'metrics = ["stroke", "extension", "dexterity"]\n[machines.servo]\npreset = "servo-hexapod"\n'
    path.write_text(text)
    plan = read_sweep(path)
    assert [unit_of(plan, name) for name in plan.metrics] == ["rad", "1", "1"]
    path.write_text(text + '[machines.struts]\npreset = "motion-base-1500"\n')
    assert unit_of(read_sweep(path), "stroke") == "rad or m"


def test_hardware_counts_for_the_identity_of_a_sweep(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    text = 'metrics = ["softest"]\n[machine]\npreset = "motion-base-1500"\n[task.hardware]\n'
    seen = set()
    for number in ("1e7", "2e7"):
        path.write_text(f"{text}leg_stiffness = {number}\n")
        seen.add(read_sweep(path).identity)
    assert len(seen) == 2
