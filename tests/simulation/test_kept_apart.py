"""What keeps runs of different machines apart: questions in Python, laws, backlash and memory; and what they share
(side_by_side.py, fleet.py, job.py)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import side_by_side
from gough.simulation.closed_laws import REFERENCE
from gough.simulation.demand import TOLD
from gough.simulation.job import Job
from gough.simulation.side_by_side import _followed, _joined, possible


def jobs(count: int = 3, **changed: Any) -> list[Any]:
    """Jobs of 7 records and 20 rows that nothing keeps apart; `changed`: a field of the first, or of all."""
    rows = SimpleNamespace(kinds=("ups",) * 6, laws=("drive",), size=20, carried=None)
    whole = {"method": "rk4", "recorded": np.arange(7), "rows": rows}
    quiet = SimpleNamespace(feedback=False)
    own = {**whole, "force": quiet, "external": quiet, **changed}
    return [SimpleNamespace(**own) for _ in range(count)]


def test_like_machines_go_side_by_side_and_a_single_one_alone() -> None:
    assert possible(jobs(2))
    assert not possible(jobs(1))


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "DOP853"},
        {"force": SimpleNamespace(feedback=True)},
        {"external": SimpleNamespace(feedback=True)},
        {"rows": SimpleNamespace(kinds=("ups",) * 6, laws=(), size=20, carried=lambda t: t)},
    ],
)
def test_what_is_asked_in_python_keeps_them_apart(changed: dict[str, Any]) -> None:
    assert not possible(jobs(**changed))


@pytest.mark.parametrize("field", ["kinds", "laws"])
def test_another_kernel_keeps_them_apart(field: str) -> None:
    given = jobs()
    own = {**vars(given[0].rows), field: ("rus",) * 6}
    given[2].rows = SimpleNamespace(**own)
    assert not possible(given)


def test_a_quarter_of_the_memory_holds_all_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight bytes for each number of a state and of what is told of it, of every record of every run."""
    need = 8 * 3 * 7 * (20 + TOLD)
    for there, fits in ((4 * need - 4, False), (4 * need, False), (4 * need + 4, True)):
        monkeypatch.setattr(side_by_side, "memory", lambda there=there: there)
        assert possible(jobs()) is fits


class Loop:
    """Stands for a control loop: keeps what it is to follow."""

    def __init__(self, play: float = 0.0, compiled: bool = True, model: bool = False) -> None:
        self.play, self.compiled, self.table, self.loaded = [play] * 6, compiled, Any, None
        self.controller = SimpleNamespace(model=1) if model else object()
        self.asked: list[Any] = []

    def reference(self, given: Any, start: Any, samples: int) -> Any:
        self.asked.append((given, start, samples))
        number = float(len(self.asked)) if isinstance(start, str) else float(start)
        return SimpleNamespace(rows=np.full((1, 2, 1), number), made_for=start)

    def follow(self, table: Any) -> None:
        self.table = table

    def load(self, method: str, several: bool) -> None:
        self.loaded = method, several


def followed(
    loops: list[Loop],
    reference: Any,
    starts: list[Any],
    samples: int = 5,
    whole: Loop | None = None,
) -> tuple[bool, Loop, Any]:
    one = Loop() if whole is None else whole
    given: Any = SimpleNamespace(
        loop=one, samples=samples, engine="native", method="rk4", several=True
    )
    each: Any = [SimpleNamespace(loop=loop) for loop in loops]
    return _followed(given, each, reference, starts), one, given


def test_each_run_follows_from_its_own_start_and_all_of_them_together() -> None:
    loops = [Loop(), Loop(), Loop()]
    done, one, _ = followed(loops, None, [10.0, 20.0, 30.0])
    assert done
    assert [loop.table.made_for for loop in loops] == [10.0, 20.0, 30.0]
    assert [loop.asked[-1] for loop in loops] == [(None, s, 5) for s in (10.0, 20.0, 30.0)]
    assert one.table.rows.tolist() == [[[10.0, 20.0, 30.0]] * 2]
    assert loops[0].table.rows.shape == (1, 2, 1), "the table of the first stays its own"
    assert one.loaded == ("rk4", True)


@pytest.mark.parametrize("model", [True, False])
@pytest.mark.parametrize("given", [True, False])
def test_a_reference_is_laid_out_once_where_one_model_follows_it(model: bool, given: bool) -> None:
    """The legs of a reference are those of the controller's model, or of each machine; without one it is the start."""
    loops = [Loop(), Loop()]
    reference = object() if given else None
    done, one, _ = followed(loops, reference, [1.0, 2.0], whole=Loop(model=model))
    assert done
    shared = model and given
    assert (loops[1].table is loops[0].table) is shared
    assert len(loops[1].asked) == int(not shared)
    assert one.table.rows.shape[2] == (1 if shared else 2)


def test_backlash_and_python_keep_controlled_runs_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not followed([Loop(), Loop(play=1e-4)], None, [1.0, 2.0])[0]
    assert not followed([Loop(), Loop()], None, [1.0, 2.0], whole=Loop(compiled=False))[0]
    for reference, samples in ((None, 0), (lambda t: t, 5)):
        need = 8 * 2 * (samples + 1) * REFERENCE.size  # a pose has one sample
        for there, fits in ((4 * need - 4, False), (4 * need, True)):
            monkeypatch.setattr(side_by_side, "memory", lambda there=there: there)
            assert followed([Loop(), Loop()], reference, [1.0, 2.0])[0] is fits


def test_lookouts_keep_columns_of_what_the_kernels_look_at() -> None:
    each: Any = [
        SimpleNamespace(
            numbers=np.full((1, 4), float(i)),
            marks=np.full((3, 1), i),
            before=np.full((2, 5, 1), float(i)),
        )
        for i in range(3)
    ]
    numbers, marks, before = _joined(each)
    np.testing.assert_array_equal(numbers, np.outer(np.arange(3.0), np.ones(4)))
    np.testing.assert_array_equal(marks, [[0, 1, 2]] * 3)
    assert before.shape == (2, 5, 3)
    marks[1, 2], before[0, 3, 1] = 77, 5.5
    assert each[2].marks.tolist() == [[2], [77], [2]]
    assert each[1].before[0, 3, 0] == 5.5
    assert each[0].marks.shape == (3, 1)
    assert each[0].before.shape == (2, 5, 1)


@pytest.mark.parametrize(
    ("several", "widths", "laws", "own"),
    [
        (False, (1, 1), ("drive",), False),
        (False, (1, 2), ("drive",), True),
        (False, (2, 2), ("drive",), True),
        (False, (2, 2), (), False),
        (True, (1, 1), (), True),
    ],
)
def test_runs_have_numbers_of_their_own_by_machine_or_by_law(
    several: bool, widths: tuple[int, int], laws: tuple[str, ...], own: bool
) -> None:
    rows: Any = SimpleNamespace(several=several, laws=laws)
    timeline = [(k, np.zeros((2, 6, width))) for k, width in enumerate(widths)]
    job = Job(rows, np.zeros((20, 2)), "rk4", 1e-3, 4, 1, None, None, timeline)  # type: ignore[arg-type]
    assert job.several is own


def test_a_list_of_one_machine_is_one_run_of_a_batch() -> None:
    machine = gough.load("motion-base-1500")
    options: dict[str, Any] = {"duration": 3e-3, "drives": False}
    alone = gough.simulate(machine, machine.require_home(), **options)
    found = gough.simulate([machine], machine.require_home(), **options)
    assert found.sizes["run"] == 1
    np.testing.assert_array_equal(found.position.values[0], alone.position.values)
    assert found.attrs["integrator"] == alone.attrs["integrator"]
    assert found.attrs["status"] == alone.attrs["status"]
    assert found.attrs["machine"] == alone.attrs["machine"]
