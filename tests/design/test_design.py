"""Optimization: metrics against their definitions, known optima, constraints, determinism, honest infeasibility."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
import gough.analysis.volume
from gough.design import DesignProblem, Task, evaluate, optimize, read_problem
from gough.design.built_metrics import BUILT
from gough.design.metrics import METRICS, Trial
from gough.design.optimization import judge
from gough.design.spec import MachineSpec, changed

FIXED = {
    "base_radius": 0.5,
    "platform_radius": 0.3,
    "base_pair_angle": 0.3,
    "platform_pair_angle": 0.4,
    "height": 0.6,
}
TASK = Task(np.full(3, 0.05), np.full(3, 0.1))


def spec(**free: None) -> MachineSpec:
    return MachineSpec("hexapod", "hexapod", {k: v for k, v in FIXED.items() if k not in free}, {})


def machine() -> gough.Platform:
    return spec().build({})


def wave() -> gough.Motion:
    path = gough.trajectory.harmonic(
        ((0, 0, 0), (0, 0, 0)), [0.02, 0, 0.03, 0.05, 0, 0], [1.0], duration=1.0
    )
    return path.sample(41)


def test_task_poses_are_the_corners_and_tilts() -> None:
    home = machine().home
    assert home is not None
    poses = TASK.poses(home)
    assert poses.shape == (27 * 27,)
    assert np.ptp(poses.position, axis=0) == pytest.approx([0.1, 0.1, 0.1])
    assert np.abs(poses.rpy).max() == pytest.approx(0.1)


def test_metrics_are_what_they_say() -> None:
    platform = machine()
    task = Task(np.full(3, 0.05), np.zeros(3), wave(), relative=True)
    found = evaluate(platform, task, sorted(METRICS.keys() - {"volume", "margin"} - BUILT.keys()))
    trial = Trial(platform, task)
    lengths = gough.inverse_kinematics(platform, trial.poses).length
    assert found["stroke"] == pytest.approx(np.ptp(lengths, axis=0).max(), rel=1e-13)
    assert found["longest"] == pytest.approx(lengths.max(), rel=1e-13)
    assert found["footprint"] == pytest.approx(1.0)
    result = gough.inverse_dynamics(platform, trial.motion)
    assert found["peak_force"] == pytest.approx(np.abs(result.force).max(), rel=1e-13)
    assert found["rms_force"] <= found["peak_force"]
    still = gough.inverse_dynamics(platform, trial.poses)
    assert found["dexterity"] == pytest.approx(1 / still.condition_scaled.max(), rel=1e-10)
    assert found["clearance"] < found["footprint"]
    assert 0 < found["base_tilt"] < found["platform_tilt"] + 1


def test_margin_and_volume_need_limits_and_know_them() -> None:
    limited = gough.load("motion-base-1500")
    found = evaluate(limited, Task(np.full(3, 0.1)), ["margin", "volume"])
    assert 0 < found["margin"] < 0.5
    assert found["volume"] == pytest.approx(
        gough.analysis.volume.exact_volume(limited).value, rel=1e-4
    )
    assert evaluate(limited, Task(np.full(3, 0.5)), ["margin"])["margin"] < 0
    for name in ("margin", "volume"):
        with pytest.raises(gough.InputError, match="limits"):
            evaluate(machine(), TASK, [name])


def test_relative_motion_is_placed_at_home() -> None:
    platform = machine()
    assert platform.home is not None
    motion = Trial(platform, Task(motion=wave(), relative=True)).motion
    np.testing.assert_allclose(motion.position[0], platform.home.position + wave().position[0])
    turned = platform.replace(home=gough.Pose.from_rpy(platform.home.position, (0, 0, 0.5)))
    moved = Trial(turned, Task(motion=wave(), relative=True)).motion
    np.testing.assert_allclose(moved.velocity, wave().velocity @ turned.home.rotation.T, atol=1e-15)


def test_metrics_scale_with_the_machine() -> None:
    """Twice the size: dexterity and extension stay, strokes and footprint double."""
    small, large = (
        spec().build({}),
        spec().build({"base_radius": 1.0, "platform_radius": 0.6, "height": 1.2}),
    )
    names = ("dexterity", "extension", "stroke", "footprint", "clearance", "base_tilt")
    a, b = evaluate(small, TASK, names), evaluate(large, Task(2 * TASK.box, TASK.tilt), names)
    for name in ("dexterity", "extension", "base_tilt"):
        assert b[name] == pytest.approx(a[name], rel=1e-9)
    for name in ("stroke", "footprint", "clearance"):
        assert b[name] == pytest.approx(2 * a[name], rel=1e-9)


def test_smallest_footprint_lies_at_the_bound() -> None:
    problem = DesignProblem(
        spec(base_radius=None),
        TASK,
        {"base_radius": (0.3, 0.9)},
        {"footprint": 1.0},
        generations=10,
        population=6,
    )
    found = optimize(problem)
    assert found.feasible
    assert found.best.parameters["base_radius"] == pytest.approx(0.3, abs=1e-4)
    assert found.platform is not None
    assert found.history[-1] <= found.history[0]


def test_a_constraint_moves_the_optimum_to_where_it_binds() -> None:
    """Smallest base with dexterity of at least 0.2: there the constraint is active."""
    problem = DesignProblem(
        spec(base_radius=None),
        TASK,
        {"base_radius": (0.2, 0.9)},
        {"footprint": 1.0},
        {"dexterity": (0.2, np.inf)},
        generations=15,
        population=8,
    )
    found = optimize(problem)
    assert found.feasible
    assert found.best.metrics["dexterity"] == pytest.approx(0.2, abs=2e-3)
    free = optimize(
        DesignProblem(
            spec(base_radius=None),
            TASK,
            {"base_radius": (0.2, 0.9)},
            {"footprint": 1.0},
            generations=10,
            population=6,
        )
    )
    assert free.best.metrics["footprint"] < found.best.metrics["footprint"]


def test_best_dexterity_beats_a_scan() -> None:
    problem = DesignProblem(
        spec(height=None),
        TASK,
        {"height": (0.3, 1.2)},
        {"dexterity": 1.0},
        generations=12,
        population=8,
    )
    found = optimize(problem)
    scan = [
        evaluate(spec(height=None).build({"height": h}), TASK, ["dexterity"])["dexterity"]
        for h in np.linspace(0.3, 1.2, 61)
    ]
    assert found.best.metrics["dexterity"] >= max(scan) - 1e-9


def test_same_seed_same_answer() -> None:
    problem = DesignProblem(
        spec(base_radius=None, height=None),
        TASK,
        {"base_radius": (0.3, 0.9), "height": (0.4, 0.9)},
        {"dexterity": 1.0, "stroke": 0.5},
        seed=3,
        generations=4,
        population=5,
    )
    one, two = optimize(problem), optimize(problem)
    assert one.best.parameters == two.best.parameters
    assert one.history == two.history
    assert one.evaluations == two.evaluations


def test_infeasible_is_said_with_the_reason() -> None:
    problem = DesignProblem(
        spec(base_radius=None),
        TASK,
        {"base_radius": (0.3, 0.9)},
        {"footprint": 1.0},
        {"stroke": (-np.inf, 1e-3)},
        generations=3,
        population=5,
    )
    found = optimize(problem)
    assert not found.feasible
    assert "stroke is" in found.reasons[0]
    assert "more than 0.001 m" in found.reasons[0]
    assert found.best.violations["stroke"] > 0


def test_a_machine_that_cannot_be_built_is_said() -> None:
    """Pair angles that always add up to 120 deg."""
    fixed = {**FIXED, "base_pair_angle": np.radians(60), "platform_pair_angle": np.radians(60)}
    family = MachineSpec(
        "hexapod", "hexapod", {k: v for k, v in fixed.items() if k != "height"}, {}
    )
    found = optimize(
        DesignProblem(
            family, TASK, {"height": (0.4, 0.8)}, {"stroke": 1.0}, generations=2, population=5
        )
    )
    assert not found.feasible
    assert found.platform is None
    assert "singular" in found.reasons[0]


def test_any_feasible_design_beats_any_broken_one() -> None:
    """Planted wishes: a huge cost that is feasible, a tiny cost that is not."""
    problem = DesignProblem(
        spec(base_radius=None),
        TASK,
        {"base_radius": (0.3, 0.9)},
        {"footprint": 1.0},
        {"footprint": (1.0, np.inf)},
    )
    small, large = (
        judge(problem, [0.31], {"footprint": 1.0}),
        judge(problem, [0.89], {"footprint": 1e-3}),
    )
    assert small.violations
    assert not large.violations
    assert large.cost < small.cost


def test_scaling_joints_and_payload() -> None:
    base = machine()
    scaled = changed(base, {"base_scale": 2.0, "platform_scale": 0.5, "payload": 5.0})
    np.testing.assert_allclose(scaled.base_joints, 2 * base.base_joints)
    np.testing.assert_allclose(scaled.platform_joints, 0.5 * base.platform_joints)
    assert scaled.body.mass == base.body.mass + 5.0
    np.testing.assert_allclose(scaled.body.center, base.body.center)


FILE = """
[machine]
family = "hexapod"
platform_radius = "300 mm"
base_pair_angle = "17 deg"
platform_pair_angle = "23 deg"
height = "0.6 m"
[parameters]
base_radius = ["300 mm", "900 mm"]
[task]
box = "50 50 50 mm"
tilt = "5 5 5 deg"
[objective]
dexterity = 1
footprint = { weight = 0.5, reference = "1 m" }
[constraints]
stroke = { max = "400 mm" }
[search]
seed = 1
generations = 3
population = 5
"""


def test_the_shipped_example_is_read() -> None:
    example = Path(__file__).parents[2] / "examples" / "design" / "hexapod.toml"
    problem = read_problem(example)
    assert problem.machine.family == "hexapod"


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("", "", ""),
        ("dexterity = 1", "dexterity = -1", "objective.dexterity"),
        ("dexterity = 1", "dexterty = 1", "did you mean dexterity"),
        ('["300 mm", "900 mm"]', '["900 mm", "300 mm"]', "low < high"),
        ('["300 mm", "900 mm"]', '"300 mm"', "parameters.base_radius"),
        ("base_radius = [", "edge = [", "this machine has"),
        ('{ max = "400 mm" }', '{ max = "400 kg" }', "constraints.stroke.max"),
        ('{ max = "400 mm" }', "{}", "one of them at least"),
        ("dexterity = 1", "peak_force = 1", "task.motion"),
        ("seed = 1", "seed = 1.5", "search.seed"),
        ("[search]", "[serach]", "did you mean search"),
        ('family = "hexapod"', 'preset = "hexapod"', "machine.platform_radius"),
        ('family = "hexapod"', "family = 3", "machine.family"),
    ],
)
def test_files_are_read_and_bad_ones_refused(
    tmp_path: Path, old: str, new: str, match: str
) -> None:
    path = tmp_path / "design.toml"
    path.write_text(FILE.replace(old, new) if old else FILE)
    if not match:
        problem = read_problem(path)
        assert problem.ranges == {"base_radius": (0.3, 0.9)}
        assert problem.constraints["stroke"] == (-np.inf, 0.4)
        assert problem.references == {"footprint": 1.0}
        return
    with pytest.raises(gough.InputError, match=match):
        read_problem(path)
