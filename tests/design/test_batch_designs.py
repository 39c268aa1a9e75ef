"""Designs by batch: the numbers and refusals of one by one, whatever stands beside a design."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.sizing import with_payload
from gough.checks import Array
from gough.design import (
    batch_kernel,
    batch_metrics,
    design_arrays,
    design_parameters,
    evaluation,
)
from gough.design.batch_metrics import BATCHED
from gough.design.design_arrays import why_unpacked
from gough.design.evaluation import BY_BATCH, Evaluated, evaluate_many
from gough.design.metrics import ALONG_MOTION, METRICS, Task
from gough.design.spec import MachineSpec
from gough.engines.pack import packed
from gough.model import Body, Limits

ALL = {name: METRICS[name] for name in BATCHED}
WANTED = {name: metric for name, metric in ALL.items() if name not in ALONG_MOTION}
BOX = Task(np.full(3, 0.03))
TILTED = Task(np.array([0.03, 0.0, 0.02]), np.full(3, 0.1))
RADII = {"platform_radius": (0.15, 0.3), "base_radius": (0.3, 0.6)}
ANGLES = {"base_pair_angle": (0.0, 2.0), "platform_pair_angle": (0.0, 2.0)}
HEIGHT = {"height": (0.3, 0.7)}
FAMILIES: dict[str, dict[str, tuple[float, float]]] = {
    "hexapod": {**RADII, **ANGLES, **HEIGHT},
    "octahedral": {**RADII, **HEIGHT},
    "six-three": {**RADII, "base_pair_angle": (0.0, 2.0), **HEIGHT},
    "cubic": {"edge": (0.3, 0.6), "fraction": (0.1, 1.0)},
}
SIZE = 1.0  # of the metrics that may be next to nothing: rad, or m of these machines
TOLERANCE = 1e-13


def family(name: str, leg: str = "UPS", **fixed: float) -> MachineSpec:
    return MachineSpec(name, name, fixed, {"leg": leg})


def drawn(ranges: dict[str, tuple[float, float]], count: int, seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(*ends, count) for name, ends in ranges.items()}


def wave(relative: bool) -> Task:
    center = (0.0, 0.0, 0.0 if relative else 0.5)
    path = gough.trajectory.harmonic(
        (center, (0, 0, 0)), [0.02, 0, 0.03, 0.05, 0, 0], [1.0], duration=1.0
    )
    return Task(np.full(3, 0.02), np.zeros(3), path.sample(9), relative)


def agree(
    spec: MachineSpec, values: dict[str, Array], task: Task, wanted: Any = None
) -> tuple[Evaluated, Evaluated]:
    """Both roads, which must not differ."""
    wanted = WANTED if wanted is None else wanted
    fast = evaluate_many(spec, values, task, wanted)
    slow = evaluate_many(spec, values, task, wanted, batch=False)
    assert fast.road == BY_BATCH
    assert not slow.batched.any()
    assert fast.reasons == slow.reasons
    assert np.array_equal(np.isnan(fast.numbers), np.isnan(slow.numbers))
    off = np.abs(fast.numbers - slow.numbers) / np.maximum(np.abs(slow.numbers), SIZE)
    assert np.nanmax(off, initial=0.0) <= TOLERANCE
    return fast, slow


@pytest.mark.parametrize("task", [BOX, TILTED, wave(True), wave(False)])
@pytest.mark.parametrize("name", list(FAMILIES))
def test_families_by_batch_are_those_one_by_one(name: str, task: Task) -> None:
    """Drawn from ranges in which some designs are refused, or have legs that cross."""
    values = drawn(FAMILIES[name], 6, 1)
    wanted = WANTED if task.motion is None else ALL
    fast, _ = agree(family(name), values, task, wanted)
    assert fast.batched.sum() >= 4
    scaled = {**values, "base_scale": np.full(6, 1.2), "platform_scale": np.full(6, 0.9)}
    loaded = task.replace(payload=Body(2.0, (0.1, 0.0, 0.2), (0.1, 0.2, 0.15)))
    agree(family(name, "SPS", payload=3.0, leg_mass=2.0), scaled, loaded, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(FAMILIES))
def test_many_designs_agree(name: str) -> None:
    count = int(os.environ.get("GOUGH_BATCH_DESIGNS", "150"))
    for seed, task in enumerate((BOX, TILTED)):
        agree(family(name), drawn(FAMILIES[name], count, seed), task)


def test_a_preset_scaled_is_that_one_by_one() -> None:
    spec = MachineSpec("motion-base-1500", None, {}, {})
    values = drawn({"base_scale": (0.9, 1.1), "platform_scale": (0.8, 1.2)}, 5, 2)
    for task, wanted in ((TILTED, WANTED), (wave(True), ALL)):
        fast, _ = agree(spec, {**values, "payload": np.array([0.0, 1, 2, 3, 4])}, task, wanted)
        assert fast.batched.all()


def test_parameters_are_those_that_are_packed_one_by_one() -> None:
    """Every number that the engines read, and the planted error: another share of a leg for its rods."""
    masses = {"leg_mass": (0.0, 2.0), "platform_mass": (0.0, 9.0), "payload": (0.0, 3.0)}
    values = drawn({**FAMILIES["hexapod"], **masses, "platform_pair_angle": (0.3, 0.4)}, 5, 8)
    values["payload"][1] = 0.0
    load, spec = Body(2.0, (0.1, 0.0, 0.2)), family("hexapod", "SPS")
    each = [spec.build({k: float(x[i]) for k, x in values.items()}) for i in range(5)]
    made = design_arrays.design_arrays(spec, values, 5)

    def off() -> float:
        found = design_parameters.design_parameters(spec, each[0], made, values, load)
        true = np.array([packed(with_payload(p, load)).parameters for p in each])
        return float((np.abs(found - true) / np.maximum(np.abs(true), 1e-3)).max())

    assert off() < 2e-15
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design_parameters, "ROD_SHARE", 0.600001)
        assert off() > 1e-7


def test_a_motion_that_the_guard_would_look_at_goes_one_by_one() -> None:
    """Through the plane of the base, where the legs cannot hold: refused in the same words."""
    values = {name: np.full(2, GOOD[name]) for name in FAMILIES["hexapod"]}
    values["height"] = np.array([0.5, 0.02])
    path = gough.trajectory.harmonic(
        ((0, 0, 0), (0, 0, 0)), [0, 0, 0.02, 0, 0, 0], [1.0], duration=1.0
    )
    task = Task(np.zeros(3), np.zeros(3), path.sample(5), relative=True)
    fast, _ = agree(family("hexapod"), values, task, {"peak_force": METRICS["peak_force"]})
    assert fast.batched.tolist() == [True, False]
    assert not fast.reasons[0]
    assert fast.reasons[1]


BAD: dict[str, tuple[str, float]] = {
    "no radius": ("base_radius", 0.0),
    "radius below zero": ("platform_radius", -0.3),
    "not a number": ("base_radius", float("nan")),
    "infinite": ("height", float("inf")),
    "below its base": ("height", -0.5),
    "angle too wide": ("base_pair_angle", float(np.radians(120.0))),
    "angle below zero": ("platform_pair_angle", -1e-9),
    "similar hexagons": ("base_pair_angle", float(np.radians(120.0)) - 0.4),
    "nearly similar hexagons": ("base_pair_angle", float(np.radians(120.0)) - 0.4 + 1e-9),
    "a mass below zero": ("leg_mass", -1.0),
    "a platform below zero": ("platform_mass", -1.0),
    "a factor of zero": ("base_scale", 0.0),
    "a factor below zero": ("platform_scale", -1.0),
    "a payload below zero": ("payload", -2.0),
    "tiny": ("platform_radius", 1e-31),
    "huge": ("height", 1e31),
}
GOOD = {
    "base_radius": 0.5,
    "platform_radius": 0.25,
    "base_pair_angle": 0.3,
    "platform_pair_angle": 0.4,
    "height": 0.5,
    "leg_mass": 1.0,
    "platform_mass": 5.0,
    "base_scale": 1.0,
    "platform_scale": 1.0,
    "payload": 0.0,
}


def with_bad_designs() -> dict[str, Array]:
    """Good designs with a bad one between each two."""
    count = 2 * len(BAD) + 1
    values = {name: np.full(count, x) for name, x in GOOD.items()}
    for k, (name, x) in enumerate(BAD.values()):
        values[name][2 * k + 1] = x
    return values


def test_planted_bad_designs_are_refused_in_the_same_words() -> None:
    fast, slow = agree(family("hexapod"), with_bad_designs(), BOX)
    assert fast.batched[::2].all()  # what stands beside them stays on its road
    assert not fast.batched[1::2].any()
    assert all(fast.reasons[1::2])
    assert len({fast.numbers[k].tobytes() for k in range(0, len(fast.numbers), 2)}) == 1
    assert slow.road.endswith("so it was asked for")


@pytest.mark.parametrize(
    ("place", "name", "answer"),
    [
        (design_arrays, "_fine", lambda name, x: np.ones(len(x), dtype=bool)),
        (design_arrays, "_no_conic", lambda made: np.ones(len(made.sure), dtype=bool)),
    ],
)
def test_a_check_that_is_left_out_is_noticed(
    place: Any, name: str, answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted error: without one of the checks some bad design gets numbers, or other words."""
    monkeypatch.setattr(place, name, answer)
    if name == "_no_conic":
        monkeypatch.setattr(
            place.DesignArrays, "regular", lambda self, *_: np.ones(len(self.sure), dtype=bool)
        )
    with pytest.raises(AssertionError):
        agree(family("hexapod"), with_bad_designs(), BOX)


def reaching(away: float) -> tuple[dict[str, Array], Task]:
    """Three designs, and a task that takes the first strut of the second one along its universal joint's first axis,
    `away` from the base joint, or to nothing."""
    values = {name: np.full(3, GOOD[name]) for name in FAMILIES["hexapod"]}
    values["height"] = np.array([0.6, 0.5, 0.55])
    platform = family("hexapod").build({name: float(x[1]) for name, x in values.items()})
    leg, home = platform.legs[0], platform.require_home().position
    strut = home + leg.joint - leg.base
    return values, Task(np.abs(away * getattr(leg, "axis") - strut))  # noqa: B009


@pytest.mark.parametrize("away", [0.0, 0.1])
def test_designs_that_cannot_do_the_task_say_why(
    away: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the planted error: legs that nobody looks at get numbers."""
    values, task = reaching(away)
    wanted = {"stroke": METRICS["stroke"]}
    fast, _ = agree(family("hexapod"), values, task, wanted)
    assert [bool(why) for why in fast.reasons] == [False, True, False]
    assert fast.batched.tolist() == [True, False, True]
    assert ("coincide" if away == 0.0 else "universal-joint singularity") in fast.reasons[1]
    monkeypatch.setattr(
        batch_metrics.BatchTrial, "sure", property(lambda trial: trial.machines.sure)
    )
    with pytest.raises(AssertionError):
        agree(family("hexapod"), values, task, wanted)


def test_a_task_that_is_singular_has_no_gain() -> None:
    """Flat on its base: exactly singular, which is said, not raised by LAPACK."""
    values = {name: np.full(2, GOOD[name]) for name in FAMILIES["hexapod"]}
    drop = Task(np.array([0.0, 0.0, GOOD["height"]]))
    for name in ("error_gain", "dexterity"):
        fast, _ = agree(family("hexapod"), values, drop, {name: METRICS[name]})
        assert name == "dexterity" or "error_gain is not finite" in fast.reasons[0]


def test_what_stands_beside_a_design_does_not_change_its_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = drawn(FAMILIES["hexapod"], 40, 3)
    whole = evaluate_many(family("hexapod"), values, TILTED, WANTED)
    moving = {"rms_force": METRICS["rms_force"], "peak_power": METRICS["peak_power"]}
    forces = evaluate_many(family("hexapod", "SPS"), values, wave(True), moving)
    for first, stop in ((0, 1), (3, 17), (39, 40)):
        some = {name: x[first:stop] for name, x in values.items()}
        moved = evaluate_many(family("hexapod", "SPS"), some, wave(True), moving)
        assert moved.numbers.tobytes() == forces.numbers[first:stop].tobytes()
        part = evaluate_many(family("hexapod"), some, TILTED, WANTED)
        assert part.numbers.tobytes() == whole.numbers[first:stop].tobytes()
        assert part.reasons == whole.reasons[first:stop]
    monkeypatch.setattr(batch_metrics, "NUMBERS", 1)
    single = evaluate_many(family("hexapod"), values, TILTED, WANTED)
    assert single.numbers.tobytes() == whole.numbers.tobytes()


def test_a_matrix_that_lapack_refuses_is_one_design(monkeypatch: pytest.MonkeyPatch) -> None:
    values = drawn(FAMILIES["octahedral"], 5, 4)
    low = float(np.sort(values["height"])[0])
    svd = np.linalg.svd

    def refusing(a: Array, **how: Any) -> Any:
        if (np.abs(values["height"] - low) < 1e-15).any() and _holds(a, bad):
            raise np.linalg.LinAlgError("SVD did not converge")
        return svd(a, **how)

    dexterity = {"dexterity": METRICS["dexterity"]}
    whole = evaluate_many(family("octahedral"), values, BOX, dexterity)
    lowest = int(np.argmin(values["height"]))
    bad = _first_rows(family("octahedral"), values, lowest)
    monkeypatch.setattr(np.linalg, "svd", refusing)
    found = evaluate_many(
        family("octahedral"), values, BOX, dexterity, alone=lambda i: ((), f"design {i}")
    )
    assert found.reasons[lowest] == f"design {lowest}"
    assert found.batched.sum() == whole.batched.sum() - 1
    others = np.arange(5) != lowest
    assert found.numbers[others].tobytes() == whole.numbers[others].tobytes()


def _first_rows(spec: MachineSpec, values: dict[str, Array], which: int) -> Array:
    machines = design_arrays.design_arrays(spec, values, 5).some(slice(which, which + 1))
    trial = batch_metrics.BatchTrial(machines, batch_metrics.PoseTable(BOX, machines.rotation))
    return np.swapaxes(trial.rows, -1, -2)[0, 0, :3]


def _holds(matrices: Array, rows: Array) -> bool:
    return bool((matrices.reshape(-1, 6, 6)[:, :3] == rows).all(axis=(-2, -1)).any())


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (family("hexapod", "UCU"), "UCU legs"),
        (family("hexaglide", "PUS"), "family hexaglide"),
        (family("servo-hexapod", "RUS"), "family servo-hexapod"),
        (MachineSpec("servo-hexapod", None, {}, {}), "no plain UPS or SPS leg"),
        (MachineSpec("flexure-hexapod", None, {}, {}), "springs in its joints"),
        (
            MachineSpec(
                "hexapod",
                "hexapod",
                {},
                {"limits": Limits(stroke=np.array([-0.1, 0.1]), about_home=True)},
            ),
            "counted from home",
        ),
    ],
)
def test_machines_that_are_not_packed_say_so(spec: MachineSpec, why: str) -> None:
    said = why_unpacked(spec)
    assert said is not None
    assert said.startswith("one by one: ")
    assert why in said
    assert evaluation.road_of(spec, BOX, WANTED) == said


def test_metrics_that_are_not_packed_say_so_and_go_one_by_one() -> None:
    own = {"stroke": METRICS["stroke"]._replace(of=lambda trial: 7.0)}  # the name of ours, not ours
    found = evaluate_many(family("cubic", edge=0.5), {"fraction": np.array([0.5])}, BOX, own)
    assert found.road == "one by one: stroke is not computed by batch"
    assert found.numbers.tolist() == [[7.0]]


def test_bounds_of_conditions_are_bounds() -> None:
    rng = np.random.default_rng(5)
    A = rng.normal(size=(400, 6, 6))
    A[:, 5] = A[:, 4] + np.logspace(-12, 0, 400)[:, None] * A[:, 5]
    bound, true = np.empty(len(A)), np.linalg.cond(A)
    batch_kernel.condition_bounds(A, bound)
    assert (bound >= true * (1 - 1e-6)).all()
    singular = np.ones((1, 6, 6))
    batch_kernel.condition_bounds(singular, bound[:1])
    assert not bound[0] < 1e12


def test_clearance_leaves_no_nearest_pair_out() -> None:
    """Long ways and turned platforms, against all pairs in all poses; the planted error: no room for the ways."""
    values = drawn({**FAMILIES["hexapod"], "height": (0.3, 0.5)}, 12, 6)
    wide = Task(np.array([0.25, 0.25, 0.1]), np.full(3, 0.5))
    agree(family("hexapod"), values, wide, {"clearance": METRICS["clearance"]})
