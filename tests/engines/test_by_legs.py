"""Programs cut at the legs: the four parts give what the whole gives, and what is not alike is not cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.engines.by_legs import LEGS, cut
from gough.engines.pack import packed
from gough.engines.tracer import Operation, Program, record
from gough.equations.machine import offsets
from gough.simulation import leg_law, programs
from gough.simulation.cuda_legs import numbers_of_legs, own_blocks, stage_cut
from gough.simulation.programs import METHODS
from oracles.machines import case


def whole_and_cut(platform: Any, laws: tuple[str, ...], law: Array, method: str) -> float:
    """Largest relative difference of the parts' answers from the whole program's, at home and random rates."""
    found = packed(platform, None)
    kinds, machine = found.kinds, found.parameters
    layout = programs.stage_layout(METHODS[method], kinds, laws)
    moving = programs.moving_layout(METHODS[method], kinds, laws).size
    outputs = moving + (12 if laws else 0)
    made = stage_cut(method, kinds, laws, outputs)
    assert made is not None
    program = programs.steps_programs(method, kinds, laws)[0].program.select(range(outputs))
    rng = np.random.default_rng(3)
    home = platform.home
    given = {name: 0.1 * rng.normal(size=width) for name, width in layout.blocks()}
    if home is not None:
        given |= {"position": home.position, "rotation": home.rotation.ravel()}
    given["effort"] = 300.0 * rng.normal(size=6)
    x = np.concatenate([given[name] for name in layout.names])
    flat = law.reshape(-1) if laws else np.zeros(0)
    par = np.concatenate([machine, flat])
    blocks = own_blocks(method, kinds, laws)
    legs = numbers_of_legs(kinds, machine[:, None], flat[:, None])
    own = [[x[layout.at(name) + leg] for name in blocks] for leg in range(LEGS)]
    got: list[Any] = [np.nan] * outputs
    shared = made.common.run(list(x), list(par))
    each = [made.leg.run(shared + own[k], list(legs[f"leg {k}"][:, 0])) for k in range(LEGS)]
    sums = list(np.sum([a[: made.sums] for a in each], axis=0))
    joint = made.joint.run(shared + sums, list(par))
    passed = joint[len(made.joined) :]
    for place, value in zip(made.joined, joint, strict=False):
        got[place] = value
    for k in range(LEGS):
        numbers = list(legs[f"leg {k}"][:, 0])
        answers = made.after.run(shared + own[k] + each[k][made.sums :] + passed, numbers)
        for place, value in zip(made.told[k], answers, strict=True):
            got[place] = value
    wanted = np.array(program.run(list(x), list(par)), dtype=float)
    return float((np.abs(np.array(got) - wanted) / (1e-9 + np.abs(wanted))).max())


@pytest.mark.parametrize(
    "name", ["motion-base-1500", "hexaglide", "screw-hexapod", "servo-hexapod"]
)
@pytest.mark.parametrize("drives", [False, True])
def test_the_parts_give_what_the_whole_gives(name: str, drives: bool) -> None:
    """Laws of drives and gears among them, which read the legs' accelerations: a leg comes after the joint again."""
    platform = gough.load(name)
    law = leg_law.leg_laws(platform, None, drives, 1)
    assert whole_and_cut(platform, leg_law.in_use(law), law, "rk4") < 1e-9


@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "UCU-screw", "PUS"])
def test_random_machines(kind: str) -> None:
    c = case(kind, seed=2, states=1)
    home = type(c.motion.pose)(c.motion.position[0], c.motion.rotation[0])
    platform = c.platform.replace(home=home)
    assert whole_and_cut(platform, (), np.zeros(0), "lie") < 1e-9


def test_a_leg_is_a_sixth() -> None:
    """What a thread keeps and what its text holds: one leg of six, no operation lost or made twice."""
    program = programs.steps_programs("rk4", ("ups",) * 6, ())[0].program
    made = stage_cut("rk4", ("ups",) * 6, (), len(program.outputs))
    assert made is not None
    parts = made.common.counts().flops, made.leg.counts().flops, made.joint.counts().flops
    assert parts[0] + LEGS * parts[1] + parts[2] <= program.counts().flops
    assert made.sums == 27  # 21 of the mass matrix, 6 of the loads


def test_machines_whose_legs_differ_are_not_cut() -> None:
    kinds = ("ups", "ups", "ups", "ups", "ups", "pus")
    assert stage_cut("rk4", kinds, (), 18) is None
    links = packed(gough.load("telescope-secondary")).kinds
    assert stage_cut("rk4", links, (), 18) is None


def six(function: Callable[[Any, Any], list[Any]]) -> tuple[Program, Callable[..., Any]]:
    """A program of six inputs, one of each leg, and six parameters; and whose they are."""
    return record(function, {"x": 6, "par": 6}), lambda code, k: (k, 0)


def test_one_leg_that_differs_is_seen() -> None:
    def alike(x: Any, par: Any) -> list[Any]:
        return [sum((x[k] * par[k] for k in range(1, 6)), x[0] * par[0])]

    def unlike(x: Any, par: Any) -> list[Any]:
        return [sum((x[k] * par[k] for k in range(1, 6)), x[0] * par[0] * 2.0)]

    def squared(x: Any, par: Any) -> list[Any]:
        return [sum((x[k] * par[k] for k in range(1, 5)), x[0] * par[0]) + x[5] * x[5]]

    def less(x: Any, par: Any) -> list[Any]:
        return [sum((x[k] * par[k] for k in range(1, 5)), x[0] * par[0]) - x[5] * par[5]]

    def product(x: Any, par: Any) -> list[Any]:
        total = x[0] * par[0]
        for k in range(1, 6):
            total = total * (x[k] + par[k])
        return [total]

    def told(x: Any, par: Any) -> list[Any]:
        return [*alike(x, par), *(x[k] + par[k] for k in range(5)), x[5] - par[5]]

    program, owner = six(alike)
    made = cut(program, owner, 1, 1)
    assert made is not None
    assert made.leg.run([2.0], [3.0]) == [6.0]
    for wrong in (unlike, squared, less, product, told):
        assert cut(*six(wrong), 1, 1) is None


def test_a_changed_operation_of_one_leg_is_seen() -> None:
    """Any single sum or product of the third leg changed: the legs are not alike any more."""
    whole = programs.steps_programs("rk4", ("ups",) * 6, ())[0].program
    edges = offsets(("ups",) * 6)
    first, row = edges[2], edges[1] - edges[0]
    place = programs.stage_layout(METHODS["rk4"], ("ups",) * 6, ()).at("effort")

    def owner(code: str, k: int) -> tuple[int, int] | None:
        if code == "x":
            return (k - place, 0) if place <= k < place + 6 else None
        return None if k < edges[0] else ((k - edges[0]) // row, edges[0] + (k - edges[0]) % row)

    assert cut(whole, owner, 1, edges[0] + row) is not None
    own = [
        at
        for at, o in enumerate(whole.operations)
        if o.code == "par" and first <= o.a < first + row
    ]
    users = [at for at, o in enumerate(whole.operations) if o.b >= 0 and {o.a, o.b} & set(own)]
    for at in users[::7]:
        operations = list(whole.operations)
        code, a, b = operations[at]
        operations[at] = Operation({"add": "sub", "sub": "add", "mul": "add"}[code], a, b)
        changed = Program(operations, whole.outputs, whole.sizes)
        assert cut(changed, owner, 1, edges[0] + row) is None
