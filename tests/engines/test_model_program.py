"""The compiled interpreter of programs on Taylor models against the models' own operations, and planted errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gough import taylor
from gough.engines import model_program
from gough.engines.model_program import program_table, run_on_models, tabled
from gough.engines.pack import packed
from gough.engines.tracer import Program, record
from gough.equations import scalar
from gough.taylor import DEGREE, EPS, Model
from oracles.machines import platform

KINDS = ("UPS", "PUS", "RUS", "UCU-screw")
NO_PARAMETERS = np.zeros(0)


def drawn(rng: np.random.Generator, count: int, intervals: int = 3) -> list[Model]:
    """Models that stay between 1 and 3."""
    c = rng.uniform(-0.2, 0.2, (count, DEGREE + 1, intervals))
    c[:, 0] += 2.0
    return [Model(x, np.full(intervals, 1e-6)) for x in c]


def recorded(function: Callable[..., Any], inputs: int) -> Program:
    return record(lambda x, par: [function(*x)], {"x": inputs, "par": 0})


def root(x: Any) -> Any:
    return taylor.power(x, 0.5) if isinstance(x, Model) else scalar.sqrt(x)


FORMULAS: dict[str, tuple[Callable[..., Any], int]] = {
    "sum": (lambda a, b: a + b + 3.0, 2),
    "difference": (lambda a, b: 1.0 - a - b, 2),
    "product": (lambda a, b: a * b * -0.5, 2),
    "quotient": (lambda a, b: a / b, 2),
    "quotient of a negative": (lambda a, b: a / -(b + 1.0) - 1.0 / (0.0 - a), 2),
    "root": (lambda a, b: root(a * b), 2),
    "law of cosines": (lambda a, b, c: root(a * a + b * b - a * b / c), 3),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_as_the_models_themselves_do(name: str) -> None:
    formula, inputs = FORMULAS[name]
    x = drawn(np.random.default_rng(len(name)), inputs)
    mine, theirs = run_on_models(tabled(recorded(formula, inputs)), x, NO_PARAMETERS), formula(*x)
    np.testing.assert_allclose(mine.c[:, :, 0], theirs.c, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(mine.r[:, 0], theirs.r, rtol=1e-6, atol=100 * EPS)


@pytest.mark.parametrize("kind", KINDS)
def test_machines_as_the_models_themselves_do(kind: str) -> None:
    """The program of all efforts, operation by operation on models in Python."""
    machine = packed(platform(kind, seed=5))
    assert not machine.spins
    rng = np.random.default_rng(1)
    home = platform(kind, seed=5).require_home()
    middle = np.concatenate([home.position, home.rotation.ravel(), rng.uniform(-0.5, 0.5, 18)])
    size = 1e-5 * np.array([1.0, *[0.3] * DEGREE])
    x = [Model((v * np.eye(DEGREE + 1)[0] + size)[:, None], np.full(1, 1e-9)) for v in middle]
    par = np.asarray(machine.parameters, dtype=float)
    found = run_on_models(program_table("forces", machine.kinds, tuple(range(6))), x, par)
    program = model_program.trace("forces", machine.kinds).select(range(6))
    roots = {"sqrt": lambda a, _: root(a)}
    for k, one in enumerate(program.run(x, par.tolist(), calls=roots)):
        scale = float(np.abs(one.c[0]).max())
        np.testing.assert_allclose(found.c[:, :, k], one.c, rtol=1e-9, atol=1e-10 * scale)
        np.testing.assert_allclose(found.r[:, k], one.r, rtol=1e-3, atol=1e-9 * scale)
        assert one.r.max() < 0.1 * scale + 1.0


def test_numbers_that_are_known_only_roughly_say_so() -> None:
    """Operations on numbers alone round too: 1/3 times 3 is not 1 for sure, but within the remainder."""
    program = record(
        lambda x, par: [par[0] / par[1] * par[2] * x[0], scalar.sqrt(par[1]) * x[0]],
        {"x": 1, "par": 3},
    )
    one = taylor.constant(np.ones(2))
    found = run_on_models(tabled(program), [one], np.array([1.0, 3.0, 3.0]))
    assert (np.abs(found.c[0, :, 0] - 1.0) <= found.r[:, 0]).all()
    assert ((found.r > 0.0) & (found.r < 1e-13)).all()
    assert (found.c[1:] == 0.0).all()


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("angle", lambda a: scalar.angle(a, 1.0)),
        ("the smaller of two", lambda a: scalar.smaller(a, 1.0)),
        ("quotient by what may vanish", lambda a: 1.0 / (a - 2.0)),
        ("root of what may be negative", lambda a: scalar.sqrt(a - 1.9)),
    ],
)
def test_what_has_no_bound_says_so(name: str, formula: Callable[[Any], Any]) -> None:
    found = run_on_models(
        tabled(recorded(formula, 1)), drawn(np.random.default_rng(2), 1), NO_PARAMETERS
    )
    assert not np.isfinite(found.r).any(), name


@pytest.mark.parametrize("error", ["no remainder", "lost power"])
def test_planted_errors_show(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the interpreter run in Python: products without what they leave out, or without their highest power."""
    whole = model_program.multiplied

    def wrong(a: Any, b: Any, out: Any) -> None:
        whole(a, b, out)
        out[DEGREE if error == "lost power" else DEGREE + 1] = 0.0

    monkeypatch.setattr(model_program, "multiplied", wrong)
    monkeypatch.setattr(model_program, "interpret", model_program.interpret.py_func)
    with pytest.raises(AssertionError):
        test_as_the_models_themselves_do("product")
