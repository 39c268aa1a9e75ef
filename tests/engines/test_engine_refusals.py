"""What engines, streams and exports cannot be asked, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough.engines import native
from gough.engines.evaluate import as_motion, check_function, check_platform, spin_block
from gough.engines.stream import stream
from gough.export.c_code import c_project, identifier
from gough.export.facts import forces_along, workspace_facts
from gough.report.figures import machine_figure, save_figure
from oracles.machines import case

MACHINE = gough.load("motion-base-1500")
BARE = case("SPS-free", seed=1).platform
THIN = BARE.replace(
    legs=[leg.replace(lower=gough.Body(0.0), upper=gough.Body(0.0)) for leg in BARE.legs]
)


def first(source: Any, **options: Any) -> Any:
    return next(iter(stream(MACHINE, source, **options)))


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: first(np.zeros((2, 30)), chunk=0), "at least 1"),
    (lambda: first(np.zeros((2, 30)), number="float16"), "float64 or float32"),
    (lambda: first(np.zeros(30)), r"\(n, width\)"),
    (lambda: first(3), "iterable of chunks"),
    (lambda: first([np.zeros(30)]), r"\(n, width\)"),
    (lambda: first(np.zeros((2, 7))), "chunks must have shape"),
    (lambda: first([[[1.0] * 7]]), "chunks must have shape"),
    (lambda: as_motion(3), "gough.Motion or gough.Pose"),
    (lambda: check_platform(3), "gough.load reads one"),
    (lambda: check_function("weather"), "must be one of"),
    (lambda: spin_block(THIN, gough.Spin(np.zeros(6), np.zeros(6)), ()), "needs some"),
    (lambda: forces_along(MACHINE, gough.Motion.at_rest(MACHINE.require_home())), "time"),
    (lambda: save_figure(machine_figure(MACHINE), "picture.txt"), "must end in"),
    (lambda: c_project(MACHINE, iterations=0), "between 1 and 100"),
    (lambda: identifier("!!"), "letter"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number: int) -> None:
    ask, word = REFUSED[number]
    with pytest.raises(gough.InputError, match=word):
        ask()


@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_every_kind_of_machine_can_be_drawn(name: str) -> None:
    figure = machine_figure(gough.load(name))
    assert len(figure.axes) >= 1
    far = gough.Pose([0.0, 0.0, 50.0])
    if name != "motion-base-1500":
        with pytest.raises(gough.GoughError, match="reach"):
            machine_figure(gough.load(name), far)


def test_a_workspace_needs_a_home_for_its_grid() -> None:
    slider = gough.load("hexaglide")
    with pytest.raises(gough.GoughError, match="home"):
        workspace_facts(slider.replace(home=None), np.eye(3))


def test_unknown_kinds_are_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="unknown leg kinds"):
        native.kernel("forces", ("XYZ",) * 6)
