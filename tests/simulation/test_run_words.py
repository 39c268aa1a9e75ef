"""What is said of a run: events by leg and time, which limits were looked at, how much memory and which records."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

import gough
from gough.simulation import demand
from gough.simulation.events import (
    BASE,
    FORCE,
    HIGH,
    LOW,
    MARGINS,
    MOST,
    NAME,
    PLATFORM,
    SINGULAR,
    SPEED,
    Events,
    Passed,
    as_json,
    limits_looked_at,
    limits_status,
)
from gough.simulation.run import RECORDS, _every

FREE = gough.Limits()


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    made = gough.load("motion-base-1500")
    return made.replace(legs=[leg.replace(limits=FREE, drive=None) for leg in made.legs])


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize(
    ("first", "name", "words"),
    [
        (LOW, "stroke", "left its stroke (coordinate 1.25)"),
        (HIGH, "stroke", "left its stroke (coordinate 1.25)"),
        (SPEED, "speed", "left its speed limit (rate 1.25)"),
        (BASE, "cone", "left its base cone (1.25 rad"),
        (PLATFORM, "cone", "left its platform cone (1.25 rad"),
        (FORCE, "force", "was commanded more than its drive can give (1.25)"),
    ],
)
def test_an_event_names_its_leg_and_its_kind(
    machine: gough.Platform, first: int, name: str, words: str, leg: int
) -> None:
    event = Passed(2, first + leg, 0.75, 1.25)
    own = machine.leg_names[leg]
    assert event.name == name == NAME[first + leg]
    assert event.leg(machine) == own
    assert event.words(machine).startswith(f"leg {own} {words}")
    assert event.sentence(machine).endswith(" at t = 0.75 s")
    started = Passed(2, first + leg, 0.0, 1.25).words(machine)
    assert ("started beyond" in started) == words.startswith("left")
    stopped = event.stopped(machine)
    assert stopped.code == "stopped"
    assert f"stopped by {name} at t = 0.75 s: leg {own}" in stopped
    for action in ("stop", "note", "off"):
        assert event.action(Events(**{name: action})) == action


def test_a_singularity_belongs_to_the_platform(machine: gough.Platform) -> None:
    event = Passed(0, SINGULAR, 0.5, 1234.5)
    assert event.leg(machine) is None
    assert event.name == "singularity"
    assert event.words(machine) == "the platform came near a singularity (condition number 1234)"
    assert "started near" in Passed(0, SINGULAR, 0.0, 2e3).words(machine)
    assert len(NAME) == MARGINS == SINGULAR + 1


def test_events_are_told_in_order_of_time_and_counted_in_whole_runs(
    machine: gough.Platform,
) -> None:
    found = [Passed(1, HIGH, 0.2, 1.0), Passed(0, LOW + 3, 0.1, 1.0), Passed(0, SPEED, 0.2, 9.0)]
    counts = np.zeros((MARGINS, 2), dtype=int)
    counts[LOW + 3, 0], counts[HIGH, 1] = 4, 7
    told: list[dict[str, Any]] = json.loads(as_json(machine, found, counts, [True, False]))
    assert [(e["time"], e["run"], e["name"]) for e in told] == [
        (0.1, 0, "stroke"),
        (0.2, 0, "speed"),
        (0.2, 1, "stroke"),
    ]
    assert [e["leg"] for e in told] == [machine.leg_names[i] for i in (3, 0, 0)]
    assert [e.get("count") for e in told] == [4, 1, None]
    assert told[0]["text"] == found[1].sentence(machine)
    many = [Passed(0, LOW, float(t), 1.0) for t in range(1200, 0, -1)]
    assert MOST == 1000
    first = json.loads(as_json(machine, many, counts, [True]))
    assert [e["time"] for e in first] == list(range(1, 1001))


def test_a_run_is_ok_where_no_limit_of_the_machine_was_passed(machine: gough.Platform) -> None:
    harmless = [Passed(0, FORCE + 1, 0.1, 5.0), Passed(0, SINGULAR, 0.2, 2e3)]
    assert limits_status(machine, harmless).ok
    one = limits_status(machine, [*harmless, Passed(0, HIGH + 2, 0.4, 1.5)])
    assert one.code == "limits"
    assert one.endswith(f"leg {machine.leg_names[2]} left its stroke (coordinate 1.5) at t = 0.4 s")
    more = [
        Passed(0, SPEED + 1, 0.3, 1.5),
        Passed(0, HIGH + 2, 0.4, 1.5),
        Passed(0, BASE, 0.3, 1.0),
    ]
    said = limits_status(machine, [*harmless, *more])
    assert f"leg {machine.leg_names[1]} left its speed limit" in said
    assert said.endswith("and 2 more: see events")


@pytest.mark.parametrize("leg", [0, 3, 5])
@pytest.mark.parametrize(
    ("limits", "name"),
    [
        ({"stroke": (1.0, 2.0)}, "stroke"),
        ({"speed": 1.0}, "speed"),
        ({"base_cone": 0.7}, "cone"),
        ({"platform_cone": 0.7}, "cone"),
    ],
)
def test_a_limit_of_one_leg_is_looked_at(
    machine: gough.Platform, limits: dict[str, Any], name: str, leg: int
) -> None:
    legs = list(machine.legs)
    axes = {"base_axis": [0, 0, 1], "platform_axis": [0, 0, -1]} if "cone" in name else {}
    legs[leg] = legs[leg].replace(limits=FREE.replace(**limits, **axes))
    one = machine.replace(legs=legs)
    assert limits_looked_at(one, Events()) == name
    assert limits_looked_at(one, Events(**{name: "off"})) == "none"
    assert limits_looked_at(machine, Events()) == "none"


def test_events_that_stop_and_events_that_are_off() -> None:
    assert not Events().stops
    assert Events().off == ()
    for name in ("stroke", "speed", "cone", "singularity", "force"):
        assert Events(**{name: "stop"}).stops
        assert Events(**{name: "off"}).off == (name,)
    with pytest.raises(gough.InputError, match=r"events.cone.*must be one of"):
        Events(cone="halt")
    with pytest.raises(gough.InputError, match=r"events.condition"):
        Events(condition=1.0)


@pytest.mark.parametrize(
    ("records", "runs", "rows", "samples", "reactions", "numbers"),
    [
        (10, 1, 50, 0, False, 10 * (100 + 160)),
        (10, 3, 50, 0, False, 30 * (100 + 160)),
        (10, 3, 50, 0, True, 30 * (100 + 380)),
        (10, 2, 40, 7, True, 20 * (80 + 380) + 7 * 120),
    ],
)
def test_memory_is_that_of_states_answers_and_reference(
    records: int, runs: int, rows: int, samples: int, reactions: bool, numbers: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Eight bytes a number: twice the rows, what is told of each record, the reference at its samples."""
    monkeypatch.setattr(demand, "memory", lambda: 8.0 * numbers)
    demand.check_memory(records, runs, rows, samples, reactions)
    monkeypatch.setattr(demand, "memory", lambda: 8.0 * numbers - 1.0)
    with pytest.raises(gough.InputError, match=f"{records} records of {runs} runs") as caught:
        demand.check_memory(records, runs, rows, samples, reactions)
    assert ("samples" in str(caught.value)) == (samples > 0)
    assert demand.BODIES == 200


def test_the_memory_of_this_machine_is_known_or_unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    assert demand.memory() == 4_096_000.0
    monkeypatch.setattr(os, "sysconf", lambda name: int("none"))
    assert demand.memory() == np.inf


def test_steps_fill_the_duration() -> None:
    assert demand.grid(1.0, 1e-3) == (1000, 1e-3)
    assert demand.grid(2e-3, 2e-3) == (1, 2e-3)
    assert demand.grid(1e7, 1e-3)[0] == 10**10
    with pytest.raises(gough.InputError, match="at most 1e"):
        demand.grid(1.001e7, 1e-3)
    assert demand.grid(1.0 + 0.9e-9, 1e-3)[0] == 1000
    for duration in (1.0 + 1.2e-9, 1.0 - 1.2e-9, 1.0005, 0.4e-3):
        with pytest.raises(gough.InputError, match="whole steps"):
            demand.grid(duration, 1e-3)


def test_records_are_every_step_until_there_are_too_many() -> None:
    assert RECORDS == 200_000
    assert _every(None, 1e-3, 200_000, 1) == 1
    assert _every(None, 1e-3, 200_001, 1) == 2
    assert _every(None, 1e-3, 1000, 400) == 2
    assert _every(None, 1e-3, 7, 10**9) == 7
    assert _every(2e-3, 1e-3, 10, 1) == 2
    assert _every(2e-3 * (1 + 0.9e-9), 1e-3, 10, 1) == 2
    for output in (1.5e-3, 3e-3, 0.4e-3, 2e-3 * (1 + 1.2e-9)):
        with pytest.raises(gough.InputError, match="multiple of the step"):
            _every(output, 1e-3, 10, 1)
