"""Who judges a cell: tables of limits, machines that stand elsewhere, cones too narrow for cosines; ends of ways."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis import cell_judge, rays
from gough.analysis.cell_bits import OTHER, SAME, WITHIN
from gough.analysis.cell_judge import BallJudge, SampleJudge, bounded
from gough.analysis.points import NARROW, _half_cones, _tables, _wide_cones, points_inside
from gough.analysis.sampled_rays import signs
from gough.analysis.ways import FINEST, Rays, RayStop
from gough.checks import Array
from gough.limits import cone_axes
from gough.model import Limits
from gough.spatial import Pose, rotation_z
from oracles.machines import platform

MACHINE = gough.load("motion-base-1500")
HOME = MACHINE.require_home()
AWAY = np.array([7.0, -5.0, 3.0])


def moved(machine: gough.Platform) -> gough.Platform:
    """The same machine somewhere else."""
    home = machine.require_home()
    return machine.replace(
        legs=[leg.replace(base=leg.base + AWAY) for leg in machine.legs],
        home=Pose(home.position + AWAY, home.rotation),
    )


@pytest.mark.parametrize("turn", [0.0, 1.75])
def test_cells_of_a_machine_do_not_depend_on_where_it_stands(turn: float) -> None:
    """The start's sign, on both sides of a singularity, and what is said of every ball."""
    start = Pose(HOME.position, rotation_z(turn))
    length = gough.inverse_kinematics(MACHINE, start).length
    strokes = [Limits(stroke=(float(l) - 0.2, float(l) + 0.2)) for l in length]
    legs = [leg.replace(limits=x) for leg, x in zip(MACHINE.legs, strokes, strict=True)]
    free = MACHINE.replace(legs=legs)
    there = Pose(HOME.position + AWAY, rotation_z(turn))
    here, away = BallJudge.of(free, start), BallJudge.of(moved(free), there)
    assert here is not None
    assert away is not None
    sign = int(signs(free, Pose(start.position[None], start.rotation[None]))[0])
    assert here.wanted == away.wanted == sign != 0
    rng = np.random.default_rng(0)
    centers = HOME.position + rng.uniform(-0.4, 0.4, (60, 3))
    for radius, last in ((1e-3, True), (0.05, False)):
        found = here.judge(centers, radius, last)
        np.testing.assert_array_equal(found, away.judge(centers + AWAY, radius, last))
        assert len(set(found.tolist())) > 1


def test_only_struts_sliders_and_cranks_are_judged_by_proof() -> None:
    assert bounded(MACHINE)
    assert bounded(platform("mixed", seed=1))
    screws = gough.load("screw-hexapod")
    one = screws.replace(legs=[*MACHINE.legs[:5], screws.legs[5]])
    assert not bounded(screws)
    assert BallJudge.of(screws, screws.require_home()) is None
    assert len(one.legs) == 6


def limited() -> tuple[gough.Platform, Array]:
    """Every leg with another limit; some with none."""
    up = np.array([0.0, 0.0, 1.0])
    limits = [
        Limits(stroke=(1.1, 1.9)),
        Limits(base_cone=0.4, base_axis=up),
        Limits(platform_cone=0.5, platform_axis=-up),
        Limits(base_cone=np.pi, base_axis=up),
        Limits(radius=0.03),
        Limits(radius=0.05),
    ]
    legs = [leg.replace(limits=x) for leg, x in zip(MACHINE.legs, limits, strict=True)]
    return MACHINE.replace(legs=legs), rotation_z(0.3)


def test_tables_hold_what_is_limited_and_let_all_else_pass() -> None:
    machine, R = limited()
    arms, low, high, axes, halves, pairs, need = cell_judge._limit_tables(machine, R)
    np.testing.assert_allclose(arms, machine.platform_joints @ R.T)
    np.testing.assert_array_equal(low, [1.1, *[-np.inf] * 5])
    np.testing.assert_array_equal(high, [1.9, *[np.inf] * 5])
    np.testing.assert_array_equal(halves[0], [np.inf, 0.4, np.inf, np.pi, np.inf, np.inf])
    np.testing.assert_array_equal(halves[1], [np.inf, np.inf, 0.5, np.inf, np.inf, np.inf])
    base, top = cone_axes(machine)
    np.testing.assert_allclose(axes[0, 1], base[1])
    np.testing.assert_allclose(axes[1, 2], -(R @ top[2]))
    assert pairs.tolist() == [[4, 5]]
    np.testing.assert_allclose(need, [0.08])
    *_, found_low, found_high, _, cosines, near, apart = _tables(machine, R)
    np.testing.assert_array_equal([found_low, found_high], [low, high])
    np.testing.assert_allclose(cosines[0], [-2.0, np.cos(0.4), *[-2.0] * 4])
    np.testing.assert_allclose(cosines[1], [-2.0, -2.0, np.cos(0.5), *[-2.0] * 3])
    assert near.tolist() == [[4, 5]]
    np.testing.assert_allclose(apart, [0.08])
    cones = _half_cones(machine)
    np.testing.assert_allclose(cones[0, 1], [np.sin(0.2), np.cos(0.2)])
    np.testing.assert_allclose(cones[1, 2], [np.sin(0.25), np.cos(0.25)])
    free = np.delete(cones.reshape(12, 2), [1, 8], axis=0)
    np.testing.assert_array_equal(free, np.tile([1.0, 0.0], (10, 1)))


@pytest.mark.parametrize(
    ("half", "wide"),
    [
        (None, True),
        (np.pi, True),
        (np.pi / 2, True),
        (0.5, True),
        (3.0, True),
        (0.5 * NARROW, False),
        (np.pi - 0.5 * NARROW, False),
    ],
)
@pytest.mark.parametrize("side", ["base", "platform"])
def test_cones_that_cosines_do_not_tell_apart(half: float | None, wide: bool, side: str) -> None:
    first, *rest = (leg.replace(limits=Limits()) for leg in MACHINE.legs)
    one = {} if half is None else {f"{side}_cone": half, f"{side}_axis": (0.0, 0.0, 1.0)}
    assert _wide_cones(MACHINE.replace(legs=[*rest, first.replace(limits=Limits(**one))])) is wide


def test_points_keep_the_shape_of_their_batch() -> None:
    rng = np.random.default_rng(1)
    points = HOME.position + rng.uniform(-0.5, 0.5, (2, 3, 4, 3))
    found = points_inside(MACHINE, points)
    assert found.shape == (2, 3, 4)
    assert 0 < found.sum() < 24
    for route in ("compiled", "vectorized"):
        for at in ((0, 0, 0), (1, 2, 3), (1, 0, 2)):
            assert points_inside(MACHINE, points[at], route=route) == found[at]
    assert points_inside(MACHINE, np.zeros((0, 3)), route="vectorized").shape == (0,)
    for bad in ({"route": "fast"}, {"engine": "tpu"}, {"engine": "cuda", "route": "vectorized"}):
        with pytest.raises(gough.InputError):
            points_inside(MACHINE, points, **bad)


def test_samples_are_judged_on_the_last_level_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within by the limits, then the side of each center; whatever the number at once."""
    inside = np.array([True, False, True, True, True])
    monkeypatch.setattr(cell_judge, "points_inside", lambda *_: inside)
    given = {0.0: 1.0, 2.0: -1.0, 3.0: 0.0, 4.0: 1.0}

    def told(machine: gough.Platform, pose: Pose) -> Array:
        return np.array([given[x] for x in pose.position[:, 0].tolist()])

    monkeypatch.setattr(cell_judge, "signs", told)
    centers = np.arange(5.0)[:, None] * np.eye(3)[0]
    for wanted, same, other in ((1, SAME, OTHER), (-1, OTHER, SAME)):
        judge = SampleJudge(MACHINE, np.eye(3), wanted, "why", ())
        assert not judge.judge(centers, 0.1, False).any()
        for block in (2, 50_000):
            monkeypatch.setattr(cell_judge, "BLOCK", block)
            due = [WITHIN | same, 0, WITHIN | other, WITHIN, WITHIN | same]
            assert judge.judge(centers, 0.1, True).tolist() == due


class Known:
    """A proof whose limits "a" and "b" hold up to known places of each ray, told by the ray's end."""

    def __init__(self, a: dict[float, float], b: dict[float, float]) -> None:
        self.a, self.b, self.widths = a, b, list[Array]()

    def over(self, many: Any, low: Array, high: Array) -> tuple[dict[str, Any], Array]:
        self.widths.append(high - low)
        held = {
            name: np.array([x <= until[e] for x, e in zip(high, many.end, strict=True)])[:, None]
            for name, until in (("a", self.a), ("b", self.b))
        }
        return held, np.ones(len(low))


def ways(*ends: float) -> Rays:
    n = len(ends)
    start = Pose(np.tile(HOME.position, (n, 1)), np.tile(HOME.rotation, (n, 1, 1)))
    none, end = np.zeros((n, 3)), np.array(ends)
    return Rays(start, none, none, start.position, end, np.ones(n))


def test_free_parts_end_just_before_what_is_not_proved() -> None:
    """To the finest share, with what failed behind them; whole rays to their ends, and nothing failed."""
    a, b = {1.0: 0.3, 2.0: 9.0, 3.0: 2.0, 0.5: 0.0}, {1.0: 0.9, 2.0: 9.0, 3.0: 1.25, 0.5: 0.4}
    proof: Any = Known(a, b)
    made = ways(1.0, 2.0, 3.0, 0.5)
    free, failed = rays._proved_free(proof, made, made.end)
    for k, due in enumerate((0.3, 2.0, 1.25, 0.0)):
        assert due - 4 * FINEST <= free[k] <= due
    assert {kind: bool(x[0]) for kind, x in failed[0].items()} == {"a": True, "b": False}
    assert failed[1] == {}
    assert {kind: bool(x[0]) for kind, x in failed[2].items()} == {"a": False, "b": True}
    assert {kind: bool(x[0]) for kind, x in failed[3].items()} == {"a": True, "b": False}
    shorter, _ = rays._proved_free(proof, made, np.array([0.2, 1.5, 3.0, 0.0]))
    np.testing.assert_allclose(shorter, [0.2, 1.5, 1.25, 0.0], atol=1e-9)


def test_a_ray_that_stays_open_is_given_up_after_so_many_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rays, "MOST", 20)
    proof: Any = Known({1.0: 0.4}, {1.0: 9.0})
    free, failed = rays._proved_free(proof, ways(1.0), np.ones(1))
    assert 0.3 < free[0] <= 0.4
    assert failed[0]
    assert sum(len(w) for w in proof.widths) < 60


def ended(monkeypatch: pytest.MonkeyPatch, broken: Any, turned: Any, free: float) -> Any:
    """`_ends` of one ray of length 1, given what is broken at places (m,) and where the sign has changed."""
    made = ways(1.0)
    proof: Any = SimpleNamespace(
        platform=MACHINE,
        over=lambda *_: ({}, np.ones(1)),
        broken=lambda many, x: {"stroke": broken(x)},
        limits=SimpleNamespace(limits={"stroke": [(0,), (3,)]}),
    )
    monkeypatch.setattr(rays, "_sign_changes", lambda proof, many, f, places, s: turned(places))
    monkeypatch.setattr(rays, "stopped_by", lambda machine, kind, legs, at: RayStop(kind, legs, "said"))  # fmt: skip
    failed = {"stroke": np.array([False, True]), "determinant": np.array([False])}
    (end,) = rays._ends(proof, made, np.array([free]), [failed])
    return end


def test_what_ends_a_ray_is_the_first_that_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    places = np.minimum(0.5 + FINEST * rays.LOOKS, 1.0)

    def second(x: Array) -> Array:
        return np.stack([x > 0.9, x > places[4]], axis=1)

    never = lambda x: np.zeros(len(x), dtype=bool)  # noqa: E731
    found = ended(monkeypatch, second, never, 0.5)
    assert (found.free, found.beyond, found.whole) == (0.5, places[5], False)
    assert [(s.kind, s.legs) for s in found.stops] == [("stroke", (3,))]
    earlier = ended(monkeypatch, second, lambda x: x > places[2], 0.5)
    assert earlier.beyond == places[3]
    assert [s.kind for s in earlier.stops] == ["determinant"]
    opened = ended(monkeypatch, lambda x: np.zeros((len(x), 2), dtype=bool), never, 0.5)
    assert np.isnan(opened.beyond)
    assert not opened.whole
    assert [(s.kind, s.legs) for s in opened.stops] == [("stroke", (3,))]
    assert "not decided here" in opened.stops[0].sentence
    whole = ended(monkeypatch, second, never, 1.0)
    assert whole.whole
    assert whole.stops == ()


def test_a_proof_begins_a_little_before_the_last_good_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rays with an end that samples see, one that ends at once, and one without."""
    asked: list[Array] = []
    low, high = np.array([0.3, 1e-12, 3.0]), np.array([0.31, 1e-11, np.nan])
    monkeypatch.setattr(rays, "looked_at", lambda machine, made, samples: (low, high))
    monkeypatch.setattr(rays, "_proved_free", lambda proof, made, until: asked.append(until))
    made = ways(1.0, 2.0, 3.0)
    made.unit[0] = 2.0
    rays._looked_free(SimpleNamespace(platform=MACHINE), made)  # type: ignore[arg-type]
    np.testing.assert_allclose(asked[0], [0.3 - 4.0 * FINEST, 0.0, 3.0], rtol=0.0, atol=1e-14)
