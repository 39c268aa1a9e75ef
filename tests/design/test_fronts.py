"""Fronts of designs: against a grid of all designs, planted dominated ones, constraints, words, files, the command."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.design
from gough.cli.app import app
from gough.design import (
    DesignProblem,
    Task,
    evaluate,
    find_front,
    optimize,
    read_problem,
    write_front,
)
from gough.design.fronts import Front, costs_of, nondominated
from gough.design.optimization import judge_many
from gough.design.spec import MachineSpec
from gough.report import front_figure

pytest.importorskip("pymoo", reason="fronts need the extra: pip install gough[pareto]")
EXAMPLE = Path(__file__).parents[2] / "examples" / "design" / "front.toml"
NEAR = 0.02  # of the range of an objective: how far a grid of all designs may be ahead of the front found
PROBLEM = DesignProblem(
    MachineSpec(
        "hexapod",
        "hexapod",
        {"platform_radius": 0.3, "base_pair_angle": 0.3, "platform_pair_angle": 0.4},
        {},
    ),
    Task(np.array([0.05, 0.05, 0.0]), np.array([0.1, 0.1, 0.0])),
    {"base_radius": (0.3, 0.9), "height": (0.3, 1.0)},
    {},
    {"stroke": (-np.inf, 0.15)},
    objectives=("footprint", "dexterity"),
    seed=2,
    generations=16,
    population=12,
)


@pytest.fixture(scope="module")
def front() -> Front:
    return find_front(PROBLEM)


@pytest.fixture(scope="module")
def grid() -> np.ndarray:
    """Costs of all feasible designs of a fine grid."""
    axes = [np.linspace(*PROBLEM.ranges[name], 41) for name in PROBLEM.ranges]
    every = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    designs = [d for d in judge_many(PROBLEM, every, {}) if d.metrics and not d.violations]
    assert 100 < len(designs) < len(every)  # the constraint cuts
    return costs_of(PROBLEM, designs)


def ahead(found: np.ndarray, others: np.ndarray) -> float:
    """By how much of the range the worst found row is bettered in all objectives at once by some other row."""
    scale = np.ptp(others, axis=0)
    gains = ((found[:, None] - others[None]) / scale).min(axis=-1)
    return float(gains.max())


def missed(found: np.ndarray, others: np.ndarray) -> float:
    """By how much of the range the nearest found row falls short of some other row."""
    scale = np.ptp(others, axis=0)
    short = ((found[None] - others[:, None]) / scale).max(axis=-1)
    return float(short.min(axis=1).max())


def test_no_design_of_a_grid_is_ahead_of_the_front_found(front: Front, grid: np.ndarray) -> None:
    found = costs_of(PROBLEM, list(front.designs))
    assert ahead(found, grid) < NEAR
    assert missed(found, grid) < NEAR
    dominated = found.copy()
    dominated[len(found) // 2] += (
        2 * NEAR * np.ptp(grid, axis=0)
    )  # planted: a design behind the grid's
    assert ahead(dominated, grid) > NEAR
    gap = found[found[:, 0] > np.quantile(found[:, 0], 0.5)]  # planted: the small half is lost
    assert missed(gap, grid) > NEAR


def test_the_front_is_what_was_tried_and_is_not_dominated(front: Front) -> None:
    on = costs_of(PROBLEM, list(front.designs))
    others = costs_of(PROBLEM, list(front.others))
    assert nondominated(on).all()
    for row in others:
        assert ((on <= row).all(axis=1) & (on < row).any(axis=1)).any() or (on == row).all(1).any()
    assert all(d.metrics["stroke"] <= 0.15 and not d.violations for d in front.designs)
    assert len(front.designs) + len(front.others) <= front.evaluations == 16 * 24
    assert (np.diff(on[:, 0]) >= 0).all()


def test_a_planted_dominated_row_is_noticed() -> None:
    rng = np.random.default_rng(0)
    costs = rng.integers(0, 6, (80, 3)).astype(float)  # with ties
    wanted = [
        not any((b <= a).all() and (b < a).any() for j, b in enumerate(costs) if j != i)
        for i, a in enumerate(costs)
    ]
    assert nondominated(costs).tolist() == wanted
    assert nondominated(np.array([[1.0, 1.0], [1.0, 1.0]])).all()
    assert nondominated(np.array([[1.0, 2.0], [1.0, 2.5], [0.5, 3.0]])).tolist() == [
        True,
        False,
        True,
    ]


def test_the_same_seed_finds_the_same_front() -> None:
    state = np.random.get_state()[1].tolist()  # noqa: NPY002
    few = replace(PROBLEM, generations=3)
    one, two = find_front(few), find_front(few)
    assert [d.parameters for d in one.designs] == [d.parameters for d in two.designs]
    assert one.hypervolume == two.hypervolume
    assert one.evaluations == 72
    assert np.random.get_state()[1].tolist() == state  # noqa: NPY002
    assert find_front(replace(few, seed=3)).best != one.best


def test_hypervolume_grows_and_is_the_area_under_the_stairs(front: Front) -> None:
    assert len(front.hypervolume) == 16
    assert (np.diff(front.hypervolume) >= 0).all()
    costs = costs_of(PROBLEM, list(front.designs))
    everything = np.vstack([costs, costs_of(PROBLEM, list(front.others))])
    low, high = everything.min(axis=0), everything.max(axis=0)
    x, y = ((costs - low) / (high - low)).T
    area = float((np.diff([*x, 1.0]) * (1.0 - y)).sum())
    assert front.hypervolume[-1] == pytest.approx(area, rel=1e-12)
    assert front.best["dexterity"] == pytest.approx(-low[1])
    assert front.worst["footprint"] == pytest.approx(high[0])


def test_words_claim_only_what_was_tried(front: Front) -> None:
    said = front.sentence()
    assert f"{len(front.designs)} designs of {front.evaluations} tried" in said
    assert said.endswith("of designs not tried nothing is proved")
    none = find_front(replace(PROBLEM, constraints={"stroke": (-np.inf, 1e-3)}, generations=2))
    assert not none.feasible
    assert none.designs == ()
    assert none.sentence().startswith("no feasible design in 48 tried: stroke is")


def test_unbuildable_designs_are_said() -> None:
    fixed = {
        **PROBLEM.machine.fixed,
        "base_pair_angle": np.pi / 3,
        "platform_pair_angle": np.pi / 3,
    }
    spec = MachineSpec("hexapod", "hexapod", fixed, {})
    found = find_front(replace(PROBLEM, machine=spec, generations=1))
    assert "singular" in found.sentence()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"objectives": ("footprint",)}, "two metrics at least"),
        ({"objectives": ("footprint", "footprint")}, "each metric once"),
        ({"weights": {"stroke": 1.0}}, "not both"),
        ({"objectives": ("footprint", "size")}, "must be one of"),
        ({"objectives": ("footprint", "buckling")}, "rod_diameter"),
        ({"objectives": ()}, "at least one"),
    ],
)
def test_bad_problems_are_refused(change: dict, match: str) -> None:
    with pytest.raises(gough.InputError, match=match):
        find_front(replace(PROBLEM, **change))


def test_one_verb_names_the_other() -> None:
    with pytest.raises(gough.InputError, match="find_front"):
        optimize(PROBLEM)


def test_a_missing_pymoo_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymoo", None)
    with pytest.raises(gough.MissingPackageError, match=r'pip install "gough\[pareto\]"'):
        find_front(PROBLEM)


def test_three_objectives_are_drawn_in_pairs() -> None:
    three = replace(PROBLEM, objectives=("footprint", "dexterity", "stroke"), generations=2)
    found = find_front(three)
    figure = front_figure(found)
    labels = [axes.get_xlabel() + " | " + axes.get_ylabel() for axes in figure.axes]
    assert labels[0] == "footprint (m), small wanted | dexterity, large wanted"
    assert labels[3] == "generation | dominated share of the box"
    assert 0 < found.hypervolume[-1] <= 1


def test_the_example_from_file_to_machines(tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace("generations = 12", "generations = 3")
    (tmp_path / "front.toml").write_text(text)
    out = tmp_path / "out"
    asked = ["optimize", tmp_path / "front.toml", "--out", out, "--format", "csv,nc,parquet"]
    said = CliRunner().invoke(app, [str(a) for a in asked], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    assert "front found" in said.stderr
    assert "softest [N/m]" in " ".join(said.stdout.split())
    found = read_problem(tmp_path / "front.toml")
    with (out / "front.csv").open() as file:
        head, *rows = list(csv.reader(file))
    assert head[:4] == ["base_radius [m]", "height [m]", "footprint [m]", "softest [N/m]"]
    machine = gough.load(str(out / "machines" / f"design-{len(rows) - 1}.toml"))
    numbers = evaluate(machine, found.task, found.metrics)
    last = dict(zip(found.metrics, map(float, rows[-1][2:]), strict=True))
    assert numbers == pytest.approx(last, rel=1e-9)
    import pyarrow.parquet as pq
    import xarray

    table = pq.read_table(out / "front.parquet")
    assert table.num_rows == len(rows)
    with xarray.open_dataset(out / "front.nc") as data:
        assert data.attrs["title"] == "Front found: footprint, softest"
        np.testing.assert_array_equal(data["softest"], table["softest"])
        assert data["softest"].units == "N/m"
    for name in ("front.png", "front.svg", "result.json"):
        assert (out / name).stat().st_size > 1000


def test_formats_are_checked_before_anything_is_written(front: Front, tmp_path: Path) -> None:
    with pytest.raises(gough.InputError, match="formats"):
        write_front(front, tmp_path / "out", ("xls",))
    assert not (tmp_path / "out").exists()
    asked = ["optimize", str(EXAMPLE), "--out", str(tmp_path / "cli"), "--format", "xls"]
    with pytest.raises(gough.InputError, match="formats"):
        CliRunner().invoke(app, asked, catch_exceptions=False)
    assert not (tmp_path / "cli").exists()
