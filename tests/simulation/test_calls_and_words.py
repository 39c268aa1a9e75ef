"""Calls of the kernels between records and faults, words of a simulator about what is passed, shares of screws."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import events
from gough.simulation.events import FORCE, HIGH, LOW, SINGULAR, SPEED, Passed
from gough.simulation.fixed_run import FixedRun
from gough.simulation.inputs import TimeSignal
from gough.simulation.observation import Observation
from gough.simulation.options import Plant, Record, Settings
from gough.simulation.run import RECORDS, _every
from gough.simulation.simulator import Simulator
from gough.simulation.state import Rows
from gough.simulation.winding import shares, traced_shares
from gough.spatial import Motion, rotation_exp
from gough.twist import leads

MACHINE = gough.load("motion-base-1500")


@pytest.mark.parametrize("every", [1, 2, 3, 5])
@pytest.mark.parametrize("starts", [[0], [0, 4], [0, 3, 7], [0, 1, 2, 9]])
@pytest.mark.parametrize("feedback", [False, True])
def test_a_call_goes_to_the_next_fault_and_records_whole_intervals(
    every: int, starts: list[int], feedback: bool
) -> None:
    """From any step to any end: from a record on over as many whole intervals as there are, else to the next record."""
    for k in range(12):
        for end in range(k + 1, 14):
            made: Any = SimpleNamespace(
                job=SimpleNamespace(every=every), k=k, starts=starts, feedback=feedback
            )
            limit = min([s for s in starts if k < s < end] + [end])
            records = [r for r in range(0, 30, every) if r > k]
            inside = [r for r in records if r <= limit]
            if not feedback and k % every == 0 and inside:
                wanted = inside[-1], every
            else:
                wanted = min(limit, records[0]), 0
            assert FixedRun._call(made, end) == wanted, (k, end)


def test_laws_are_those_of_the_last_fault() -> None:
    job = SimpleNamespace(laws=[(0, "first"), (3, "second"), (7, "third")])
    made: Any = SimpleNamespace(job=job, starts=[0, 3, 7])
    found = []
    for k in range(9):
        made.k = k
        found.append(FixedRun._law(made))
    assert found == ["first"] * 3 + ["second"] * 4 + ["third"] * 2


def test_records_of_a_kernel_get_the_commands_of_their_own_steps() -> None:
    rows = np.arange(21.0)[:, None] * np.ones(6)
    make: dict[str, Any] = {"steps": 20, "step": 0.1, "runs": 2, "batched": True}
    force = TimeSignal("force", rows, **make)
    external = TimeSignal("external", np.full(6, 7.0), **make)
    made: Any = SimpleNamespace(count=2, due=[0, 4, 8, 12, 16, 20, -1])
    made.job = SimpleNamespace(force=force, external=external)
    made.kept = {n: np.full((6, w, 2), np.nan) for n, w in (("state", 3), ("command", 6), ("external", 6))}  # fmt: skip
    FixedRun._record_block(made, np.ones((3, 3, 2)))
    assert made.count == 5
    np.testing.assert_array_equal(made.kept["command"][2:5, 0, 1], [8.0, 12.0, 16.0])
    np.testing.assert_array_equal(made.kept["external"][2:5], 7.0)
    np.testing.assert_array_equal(made.kept["state"][2:5], 1.0)
    for kept in made.kept.values():
        assert np.isnan(kept[[0, 1, 5]]).all()


def simulator(bits: int, found: list[Passed]) -> Any:
    made: Any = SimpleNamespace(platform=MACHINE, _beyond={}, _marks=np.array([[bits]]))
    lookout = SimpleNamespace(found=found)
    made._run = SimpleNamespace(alive=np.array([True]), lookout=lookout, status=["ended"])
    made._still = lambda b: Simulator._still(made, b)
    return made


def test_a_step_tells_the_gravest_of_what_was_passed_in_it() -> None:
    """Limits of the machine before all else, then the earliest, then the first margin."""
    late, early = Passed(0, HIGH + 2, 0.5, 1.0), Passed(0, SPEED + 1, 0.4, 1.0)
    force, same = Passed(0, FORCE, 0.1, 5.0), Passed(0, LOW + 4, 0.4, 1.0)
    names = MACHINE.leg_names
    told = Simulator._judged(simulator(0, [late, early, force]), 0)
    assert told.code == "limits"
    assert f"leg {names[1]} left its speed limit" in str(told)
    assert "and 2 more: see events" in str(told)
    told = Simulator._judged(simulator(0, [late, early, same]), 1)
    assert f"leg {names[4]} left its stroke" in str(told)
    assert "and 1 more" in str(told)
    alone = Simulator._judged(simulator(0, [late, force]), 1)
    assert alone.code == "saturated"
    assert "more" not in str(alone).replace("commanded more", "")
    ended = simulator(0, [late])
    ended._run.alive[0] = False
    assert Simulator._judged(ended, 0) == "ended"


@pytest.mark.parametrize(
    ("bits", "code", "said"),
    [
        (1 << SINGULAR, "singular", "the platform is still beyond its singularity limit"),
        (1 << (FORCE + 2), "saturated", "leg {2} is still beyond its force limit"),
        (1 << (FORCE + 2) | 1 << (SPEED + 5), "limits", "leg {5} is still beyond its speed limit"),
        (1 << LOW | 1 << (HIGH + 3), "limits", "leg {0} is still beyond its stroke limit"),
        (1 << SINGULAR | 1 << FORCE, "saturated", "leg {0} is still beyond its force limit"),
    ],
)
def test_what_a_simulator_is_still_beyond(bits: int, code: str, said: str) -> None:
    told = Simulator._judged(simulator(bits, []), 0)
    assert told.code == code
    assert str(told).endswith(said.format(*MACHINE.leg_names))
    assert Simulator._judged(simulator(0, []), 0).ok
    assert set(events.LIMITED) == {"stroke", "speed", "cone"}


def test_shares_of_screws_for_kernels_are_those_of_the_poses() -> None:
    """The same to whole turns, each of which adds the lead; nothing of legs without a screw."""
    machine = gough.load("screw-hexapod")
    rows, home = Rows(machine, False), machine.require_home()
    rng = np.random.default_rng(8)
    n = 5
    turn = rotation_exp(0.1 * rng.standard_normal((n, 3)))
    motion = Motion(home.position + 0.01 * rng.standard_normal((n, 3)), turn @ home.rotation)
    X = rows.start(motion, None)
    wanted, lead = shares(rows, X), leads(machine)
    assert lead.any()
    for i in range(n):
        found = np.array(traced_shares(rows.kinds, list(X[:, i]), list(rows.par)), dtype=float)
        np.testing.assert_allclose(found[6:], lead, rtol=1e-12)
        off = (found[:6] - wanted[:, i]) / np.where(lead == 0.0, 1.0, lead)
        np.testing.assert_allclose(off, np.rint(off), atol=1e-9)
    assert np.ptp(wanted, axis=1).max() > 1e-6
    plain = Rows(MACHINE, False)
    state = list(plain.start(Motion.at_rest(MACHINE.require_home()), None)[:, 0])
    assert traced_shares(plain.kinds, state, list(plain.par)) == [0.0] * 12


def test_records_are_multiples_of_the_step_that_divide_the_run() -> None:
    assert _every(None, 1e-3, 100, 1) == 1
    assert _every(None, 1e-3, RECORDS, 1) == 1
    assert _every(None, 1e-3, RECORDS + 1, 1) == 2
    assert _every(None, 1e-3, 10, RECORDS) == 10
    assert _every(None, 1e-3, 7, 2 * RECORDS) == 7, "no more than the run has"
    assert _every(5e-3, 1e-3, 100, 1) == 5
    assert _every(5e-3 * (1 + 0.9e-9), 1e-3, 100, 1) == 5
    assert _every(0.1, 1e-3, 100, 1) == 100
    for wrong in (5e-3 * (1 + 1.2e-9), 2.5e-3, 3e-3, 1e-4, 0.2, 0.0, -1e-3):
        with pytest.raises(gough.InputError, match="output"):
            _every(wrong, 1e-3, 100, 1)


def test_options_find_their_group_and_none_is_said_twice() -> None:
    made = Settings.of("rk4", None, None, {"drives": False, "output": 0.1})
    assert not made.plant.drives
    assert made.record.output == 0.1
    assert made.tolerance is None
    loose = Settings.of("RK45", None, None, {"rtol": 1e-3})
    assert loose.tolerance is not None
    assert (loose.tolerance.rtol, loose.tolerance.atol) == (1e-3, 1e-12)
    whole = Settings.of("lie", Plant(drives=False), Record(output=0.2), {})
    assert (whole.plant.drives, whole.record.output) == (False, 0.2)
    for plant, record, given, field in (
        (Plant(), None, {"drives": False}, "drives"),
        (None, Record(), {"output": 0.1}, "output"),
        (None, None, {"ouput": 0.1}, "ouput"),
        (None, None, {"rtol": 0.1}, "rtol"),
    ):
        with pytest.raises(gough.InputError, match=field):
            Settings.of("rk4", plant, record, given)
    with pytest.raises(gough.InputError, match="integrator"):
        Settings.of("euler", None, None, {})
    with pytest.raises(gough.InputError, match="resume"):
        Record(resume=True)
    with pytest.raises(gough.InputError, match="base"):
        Plant(base=3.0)


def test_an_observation_tells_its_time_and_place() -> None:
    six = np.arange(6.0)
    seen = Observation(0.25, np.array([1.0, 2.0, 3.0]), np.eye(3), np.zeros(3), np.ones(3), six, six)  # fmt: skip
    assert "t = 0.25 s" in repr(seen)
    assert "(1, 2, 3) m" in repr(seen)
    np.testing.assert_array_equal(seen.motion.angular_velocity, np.ones(3))
    np.testing.assert_array_equal(seen.pose.position, [1.0, 2.0, 3.0])
