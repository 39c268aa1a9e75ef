"""Positions of machines with legs of every kind and bodies: the compiled route judges as `limits.check`, and closes
legs as gough/struts.py does."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

import gough
from gough import offset_legs
from gough.analysis import points as points_room
from gough.analysis.points import joint_table, points_inside
from gough.analysis.points_kernel import place
from gough.checks import Array
from gough.clearances import CLEARANCES
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import LEG_JOINTS as JOINTS
from gough.model import UCU, UPS, JointOffset, Platform
from gough.spatial import Pose, rotation_exp
from gough.struts import leg_table, struts
from oracles.machines import CYLINDERS, KINDS, MIXTURE, RODS
from oracles.offset_machines import KINDS as OFFSET
from support.cut_machines import compared, cut_machine, with_cutting_limits

EVERY = (*KINDS, *CYLINDERS, *RODS, MIXTURE, *OFFSET)
COUNT = 10_000
NEEDED = ("reach", "stroke", "base cone", "platform cone", "distance", *CLEARANCES)


def judged(kind: str, seed: int, bodies: bool) -> tuple[int, int, int, Counter[str]]:
    """Wrong verdicts, those within rounding of a limit, positions inside, positions that one kind of limit refuses."""
    made = cut_machine(kind, seed, COUNT, bodies)
    wrong = rounded = inside = 0
    alone = Counter[str]()
    for R, some in zip(made.rotations, np.split(made.positions, 2), strict=True):
        found = compared(made.platform, some, R, points_inside(made.platform, some, R))
        wrong, rounded, inside = wrong + found.wrong, rounded + found.rounded, inside + found.inside
        alone.update(found.alone)
    return wrong, rounded, inside, alone


@pytest.mark.parametrize("kind", EVERY)
def test_every_position_is_judged_as_by_the_one_judge(kind: str) -> None:
    """Half of the positions at home's orientation, half at another; one beyond rounding of a limit must not differ."""
    wrong, rounded, inside, alone = judged(kind, EVERY.index(kind), bodies=True)
    assert wrong == 0
    assert rounded < 5  # radii and strokes are quantiles of these very positions
    assert 0 < inside < COUNT
    assert alone["stroke"] > 0


def test_every_kind_of_limit_is_what_refuses_some() -> None:
    """What the test above compares is worth it: each limit alone decides, of legs with screws and offset joints too."""
    alone = Counter[str]()
    for kind, seed in (("UCU-screw", 0), ("mixed-offset", 2), ("UCU-offset", 0)):
        alone += judged(kind, seed, bodies=True)[-1]
    assert {kind for kind in NEEDED if alone[kind] > 0} == set(NEEDED)


@pytest.mark.slow
@pytest.mark.parametrize("kind", EVERY)
def test_every_position_of_more_machines(kind: str) -> None:
    for seed in (101, 104):
        assert judged(kind, seed, bodies=seed % 4 > 0)[0] == 0


LINKED = ("apo-secondary", "telescope-secondary")  # fixed links: they have no workspace


def presets() -> list[str]:
    folder = files("gough") / "model" / "presets"
    names = sorted(x.name.removesuffix(".toml") for x in folder.iterdir())
    return [x for x in names if x not in LINKED]


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
@pytest.mark.parametrize("name", presets())
def test_presets_are_judged_as_by_the_one_judge(name: str) -> None:
    """As they come, and, about home, with limits of every kind."""
    rng, one = np.random.default_rng(3), gough.load(name)
    home, size = one.require_home(), one.characteristic_length
    some = home.position + rng.uniform(-0.1, 0.1, (COUNT // 4, 3)) * size
    cut = with_cutting_limits(one, home, some[:1000])
    inside = 0
    for R in (home.rotation, rotation_exp(rng.uniform(-0.05, 0.05, 3)) @ home.rotation):
        for machine in (one, cut):
            found = compared(machine, some, R, points_inside(machine, some, R))
            assert found.wrong == 0
            assert found.rounded < 5
            inside += found.inside
    assert inside > 0


def hard_machine(seed: int, ball: bool) -> Platform:
    """Offsets of the legs' own length, half of them with screws: many poses at which they do not close."""
    rng = np.random.default_rng([seed, 5])
    kind = "UPS" if ball else "UCU-screw"
    one = cut_machine(kind, seed, 1000, bodies=False).platform
    legs = []
    for leg in one.legs:
        assert isinstance(leg, UPS if ball else UCU)
        sides = ("base_offset",) if ball else ("base_offset", "platform_offset")
        size = rng.choice([0.05, 0.3, 0.6])
        given = {side: JointOffset(*rng.uniform(-size, size, 3)) for side in sides}
        legs.append(leg.replace(limits=gough.Limits(), **given))
    return one.replace(legs=legs)


def hard_points(one: Platform, count: int) -> tuple[Array, Array]:
    """Positions all about the base, and an orientation."""
    rng, home = np.random.default_rng(8), one.require_home()
    size = one.characteristic_length
    some = home.position + rng.uniform(-1.5, 1.5, (count, 3)) * size
    return some, rotation_exp(rng.uniform(-0.4, 0.4, 3)) @ home.rotation


@pytest.mark.parametrize("ball", [True, False])
def test_legs_that_do_not_close_are_refused_and_others_placed_alike(ball: bool) -> None:
    lost = 0
    for seed in range(3):
        one = hard_machine(seed, ball)
        some, R = hard_points(one, 1000)
        g = struts(one, Pose(some, R))
        table, joints = leg_table(one), joint_table(one, R)
        start, end, along = np.empty((3, 1000, 6, 3))
        end[:] = some[:, None] + one.platform_joints @ R.T
        lam = np.array(
            [
                [place(table[i], joints[i], start[n, i], end[n, i], along[n, i]) for i in range(6)]
                for n in range(1000)
            ]
        )
        np.testing.assert_array_equal(np.isfinite(lam), g.reachable)
        lost += int((~g.reachable).sum())
        ok, size = g.reachable, one.characteristic_length
        np.testing.assert_allclose(lam[ok], g.coordinate[ok], atol=1e-9 * size)
        for mine, wanted in ((start, g.start), (end, g.end), (along, g.direction)):
            np.testing.assert_allclose(mine[ok], wanted[ok], atol=1e-9 * size)
    assert lost > 300


@pytest.mark.parametrize(("name", "wrong"), [("NEWTON", 3), ("NEWTON", 5), ("CLOSED", 1e-6)])
def test_as_many_steps_are_taken_and_believed(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: float
) -> None:
    """One step of Newton's fewer or more, or a looser end of it, and other poses are refused."""
    one = hard_machine(1, ball=False)
    some, R = hard_points(one, COUNT)
    found = points_inside(one, some, R)
    np.testing.assert_array_equal(found, points_inside(one, some, R, route="vectorized"))
    monkeypatch.setattr(offset_legs, name, wrong)
    assert (found != points_inside(one, some, R, route="vectorized")).any()


COLUMNS = ("travel", "travel_zero", "below", "above", "platform_axis", "ball")


@pytest.mark.parametrize("column", COLUMNS)
def test_a_wrong_number_of_a_joint_is_seen(monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    made = cut_machine("UCU-screw-offset", 3, 4000, bodies=False)
    R, right = made.rotations[1], joint_table(made.platform, made.rotations[1])
    wanted = points_inside(made.platform, made.positions, R, route="vectorized")
    np.testing.assert_array_equal(points_inside(made.platform, made.positions, R), wanted)
    table = right.copy()
    table[:, getattr(JOINTS, column)] *= -1.0
    table[:, JOINTS.ball] += 1.0 if column == "ball" else 0.0
    table[:, JOINTS.travel_zero] += 0.5 if column == "travel_zero" else 0.0
    monkeypatch.setattr(points_room, "joint_table", lambda *_: table)
    assert (points_inside(made.platform, made.positions, R) != wanted).any()


@pytest.mark.parametrize("column", ["zero", "axis", "kind"])
def test_a_wrong_number_of_a_leg_is_seen(monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    made = cut_machine("UCU-screw-offset", 3, 4000, bodies=False)
    R, table = made.rotations[1], leg_table(made.platform).copy()
    wanted = points_inside(made.platform, made.positions, R, route="vectorized")
    if column == "zero":
        table[:, LEG.zero] += 2.0 * np.pi
    else:
        table[:, getattr(LEG, column)] *= -1.0 if column == "axis" else 0.0
    monkeypatch.setattr(points_room, "leg_table", lambda _: table)
    assert (points_inside(made.platform, made.positions, R) != wanted).any()


@pytest.mark.parametrize("error", ["need", "spared", "whose", "plate"])
@pytest.mark.parametrize("body", [0, 1])
def test_planted_errors_of_bodies_show(
    monkeypatch: pytest.MonkeyPatch, error: str, body: int
) -> None:
    made = cut_machine("mixed-offset", (2, 0)[body], 4000)
    R, own = made.rotations[1], points_room._body
    wanted = points_inside(made.platform, made.positions, R, route="vectorized")

    def planted(platform: Platform, kind: str) -> tuple:
        plate, on_platform, need, spared = own(platform, kind)
        if kind != CLEARANCES[body]:
            return plate, on_platform, need, spared
        if error == "plate":
            plate = (*plate[:-1], plate[-1] + 0.1)
            plate = (*plate[:-2], plate[-2] - 0.1, plate[-1])
        need = 0.5 * need if error == "need" else need
        spared = 1.5 * spared if error == "spared" else spared
        return plate, on_platform != (error == "whose"), need, spared

    monkeypatch.setattr(points_room, "_body", planted)
    assert (points_inside(made.platform, made.positions, R) != wanted).any()


@pytest.mark.parametrize("half", [1e-7, 1e-4, np.pi - 1e-7, np.pi, 4.0])
@pytest.mark.parametrize("kind", ["UPS", "UCU-screw"])
def test_cones_as_narrow_or_as_wide_as_can_be(kind: str, half: float) -> None:
    """Cosines do not tell such angles apart: struts to either side of the rim, and along the axis."""
    one = cut_machine(kind, 0, 1000, bodies=False).platform
    home = one.require_home()
    s = struts(one, home).direction[0] * (1.0 if half < 1.0 else -1.0)
    limits = [gough.Limits(base_cone=half, base_axis=s), *[gough.Limits()] * 5]
    one = one.replace(legs=[leg.replace(limits=x) for leg, x in zip(one.legs, limits, strict=True)])
    rng, far = np.random.default_rng(1), float(struts(one, home).coordinate[0])
    some = home.position + far * min(half, abs(np.pi - half), 1e-3) * rng.normal(size=(2000, 3))
    some = np.concatenate([home.position[None], some])
    for sharp in (1.0, 1e-3):
        here = home.position + sharp * (some - home.position)
        found = compared(one, here, home.rotation, points_inside(one, here, home.rotation))
        assert found.wrong == 0
    assert half >= np.pi or sum(found.alone.values()) + found.inside == len(some)


def test_what_no_route_or_engine_is_is_said() -> None:
    one = gough.load("screw-hexapod")
    at = one.require_home().position
    with pytest.raises(gough.InputError, match="must be compiled or vectorized"):
        points_inside(one, at, route="fast")
    with pytest.raises(gough.InputError, match="along their length"):
        points_inside(one, at, engine="cuda")
