"""Runs whose machines differ: the bits of separate runs, drawn machines, refusals."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gough
from gough.control import ComputedForce, Decentralized, FeedForward
from gough.dynamics import parameter_names
from gough.model.numbers import places, with_numbers
from gough.simulation import Brake, Evenly, Events, Normal, Sampling, Springs, varied
from gough.simulation.side_by_side import FleetRun
from oracles.machines import case

SPREAD: dict[str, Any] = {
    "body.mass": Evenly(0.8, 1.2, relative=True),
    "body.center.?": Normal(1e-3),
    "legs.*.base.?": Normal(1e-4),
    "legs.*.joint.?": Normal(1e-4),
}


def starts(machine: gough.Platform, runs: int) -> gough.Motion:
    assert machine.home is not None
    rng, size = np.random.default_rng(5), 1e-3 * machine.characteristic_length
    home = machine.home
    return gough.Motion(
        home.position + size * rng.normal(size=(runs, 3)),
        np.broadcast_to(home.rotation, (runs, 3, 3)),
        size * rng.normal(size=(runs, 3)),
        0.01 * rng.normal(size=(runs, 3)),
    )


def same(together: Any, alone: list[Any] | dict[int, Any]) -> None:
    """Every number of every variable, bit for bit; and every event."""
    runs = alone if isinstance(alone, dict) else dict(enumerate(alone))
    for i, run in runs.items():
        for name in run.data_vars:
            found = together[name].values[i][: run.sizes["time"]]
            np.testing.assert_array_equal(found, run[name].values, err_msg=str(name))
        assert str(together.status.values[i]) == run.attrs["status"]
    told = json.loads(together.attrs["events"])
    for i, run in runs.items():
        mine = [{**e, "run": 0} for e in told if e["run"] == i]
        own = json.loads(run.attrs["events"])
        assert mine == sorted(own, key=lambda e: e["time"])


@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod", "hexaglide"])
def test_runs_of_different_machines_are_the_bits_of_separate_runs(name: str) -> None:
    machine = gough.load(name)
    spread = dict(SPREAD)
    if machine.legs[0].drive is not None:
        spread["legs.*.drive.ratio"] = Evenly(0.99, 1.01, relative=True)
    machines = varied(machine, spread, 11, seed=3)
    assert len({m.body.mass for m in machines}) == 11
    motion = starts(machine, 11)
    assert machine.home is not None
    force = gough.inverse_dynamics(machine, machine.home).force
    options: dict[str, Any] = {
        "duration": 0.02,
        "force": 0.97 * force,
        "reactions": True,
        "springs": Springs(10.0, 0.1, 1.0),
        "faults": [Brake(0.01, 1.0, (2,))],
    }
    together = gough.simulate(machines, motion, **options)
    same(together, [gough.simulate(m, motion[i], **options) for i, m in enumerate(machines)])
    spread_ = np.ptp(together.position.values[:, -1] - together.position.values[:, 0], axis=0)
    assert spread_.max() > 0.0


def test_controlled_machines_are_the_bits_of_separate_runs() -> None:
    """Limits and cones are each machine's own too; the controller knows one machine for all of them."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    long = gough.inverse_kinematics(machine, machine.home).length.max()
    spread = SPREAD | {"legs.*.limits.stroke.max": Evenly(long - 2e-3, long + 2e-3)}
    machines = varied(machine, spread, 5, seed=1)
    controller = Knowing(Decentralized.from_bandwidth(machine, bandwidth=20.0), machine)
    options: dict[str, Any] = {
        "duration": 0.05,
        "controller": controller,
        "sampling": Sampling(rate=500.0, delay=2e-3, backlash=True),
        "reference": machine.home,
        "events": Events(speed="stop", stroke="note", condition=3.0),
        "reactions": True,
    }
    motion = starts(machine, 5)
    together = gough.simulate(machines, motion, **options)
    same(together, [gough.simulate(m, motion[i], **options) for i, m in enumerate(machines)])
    told = {e["run"] for e in json.loads(together.attrs["events"]) if e["name"] == "stroke"}
    assert told


LAWS: dict[str, Any] = {
    "decentralized": lambda m: Decentralized.from_bandwidth(m, bandwidth=20.0, integral=0.2),
    "computed force": lambda m: ComputedForce(m, 30.0),
    "feed-forward": lambda m: FeedForward(m, 30.0),
    "none": lambda m: None,
}


@pytest.mark.parametrize("name", LAWS)
def test_machines_side_by_side_are_the_bits_of_separate_runs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More runs than a block, noise and delays, limits of their own, runs that start beyond one or end on the way."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    long = gough.inverse_kinematics(machine, machine.home).length.max()
    spread = SPREAD | {"legs.*.limits.stroke.max": Evenly(long - 5e-4, long + 2.5e-2)}
    spread |= {"legs.*.drive.coulomb": Evenly(0.9, 1.1, relative=True)}
    machines, count = varied(machine, spread, 35, seed=1), []
    motion = starts(machine, 35)
    options: dict[str, Any] = {"duration": 0.6, "events": Events(stroke="stop"), "output": 0.02}
    options |= {"external": lambda t: np.array([50.0 * t, 0.0, 20.0, 0.0, 0.0, 5.0])}
    controller = LAWS[name](machine)
    if controller is None:
        options["force"] = 1.05 * gough.inverse_dynamics(machine, machine.home).force
    else:
        sampling = Sampling(rate=500.0, delay=2e-3, noise=1e-6, quantization=1e-7)
        options |= {"controller": controller, "sampling": sampling, "loop": True}
    moves = name in (
        "decentralized",
        "computed force",
    )  # lengths of each machine, and of one for all
    if moves:
        options["reference"] = gough.trajectory.harmonic(
            (machine.home.position, (0, 0, 0)), [0.002, 0, 0.003, 0, 0, 0], 1.0, duration=2.0
        )
    answers = FleetRun.answers

    def counted(fleet: FleetRun, *given: Any) -> Any:
        count.append(len(fleet.alone))
        return answers(fleet, *given)

    monkeypatch.setattr(FleetRun, "answers", counted)
    together = gough.simulate(machines, motion, **options)
    assert count == [35], "they went one after another"
    some = (0, 1, 2, 7, 8, 31, 32, 34)
    alone = {i: gough.simulate(machines[i], motion[i], **options) for i in some}
    stopped = [i for i, run in alone.items() if "stopped" in run.attrs["status"]]
    assert 0 < len(stopped) < len(alone) or not moves
    same(together, alone)


@dataclass
class Knowing:
    """A controller with the machine it believes in."""

    law: Any
    model: gough.Platform

    def __call__(self, *given: Any) -> Any:
        return self.law(*given)


def test_feedback_forces_and_spins_see_their_own_machine() -> None:
    machine = case("SPS-general", seed=2, states=1).platform
    assert machine.home is not None
    machines = varied(machine, {"body.mass": Evenly(0.5, 1.5, relative=True)}, 3)
    spin = gough.Spin(np.linspace(-1.0, 1.0, 6), np.array([2.0, -3.0, 1.0, 4.0, -2.0, 0.5]))

    def push(t: float, now: gough.Motion) -> Any:
        return -50.0 * now.velocity[..., 2:] * np.ones(6)

    options: dict[str, Any] = {"duration": 4e-3, "force": push, "spin": spin, "drives": False}
    together = gough.simulate(machines, machine.home, reactions=True, **options)
    same(together, [gough.simulate(m, machine.home, **options) for m in machines])


def test_machines_on_a_base_that_moves_are_the_bits_of_separate_runs() -> None:
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    machines = varied(machine, SPREAD, 3)

    def ship(t: float) -> gough.Motion:
        return gough.Motion([0.0, 0.0, 0.01 * t], acceleration=[0.0, 0.5, 0.1])

    options: dict[str, Any] = {"duration": 3e-3, "base": ship, "drives": False, "reactions": True}
    together = gough.simulate(machines, machine.home, **options)
    same(together, [gough.simulate(m, machine.home, **options) for m in machines])


def test_a_machine_in_the_wrong_row_is_seen() -> None:
    """The planted error: the comparison above must notice two machines that changed places."""
    machine = gough.load("motion-base-1500")
    machines = varied(machine, SPREAD, 4)
    motion = starts(machine, 4)
    options: dict[str, Any] = {"duration": 5e-3, "drives": False}
    swapped = gough.simulate((machines[1], machines[0], *machines[2:]), motion, **options)
    alone = [gough.simulate(m, motion[i], **options) for i, m in enumerate(machines)]
    with pytest.raises(AssertionError):
        same(swapped, alone)


def test_resumed_runs_belong_to_their_machines(tmp_path: Any) -> None:
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    machines = varied(machine, SPREAD, 3)
    keep: dict[str, Any] = {"duration": 2e-3, "drives": False, "checkpoint": tmp_path / "run"}
    first = gough.simulate(machines, machine.home, **keep)
    again = gough.simulate(machines, machine.home, resume=True, **keep)
    np.testing.assert_array_equal(first.position.values, again.position.values)
    with pytest.raises(gough.GoughError, match=r"another|differ|not"):
        gough.simulate(varied(machine, SPREAD, 3, seed=9), machine.home, resume=True, **keep)


def test_machines_that_cannot_run_side_by_side_are_refused() -> None:
    ups, rus = gough.load("motion-base-1500"), gough.load("servo-hexapod")
    assert ups.home is not None
    with pytest.raises(gough.InputError, match=r"platform\[1\].*same kinds"):
        gough.simulate([ups, rus], ups.home, duration=1e-3)
    renamed = ups.replace(legs=[leg.replace(name=f"A{i}") for i, leg in enumerate(ups.legs)])
    with pytest.raises(gough.InputError, match=r"platform\[1\].*call its legs"):
        gough.simulate([ups, renamed], ups.home, duration=1e-3)
    with pytest.raises(gough.InputError, match=r"one for all of the 2 machines"):
        gough.simulate([ups, ups], starts(ups, 3), duration=1e-3)
    for wrong in ([], [ups, "other"], "motion-base-1500", None):
        with pytest.raises(gough.InputError, match="platform"):
            gough.simulate(wrong, ups.home, duration=1e-3)  # type: ignore[arg-type]
    far = gough.load("servo-hexapod")
    assert far.home is not None
    short = with_numbers(far, {"L1.length": 1e-3})
    with pytest.raises(gough.InfeasibleError, match="run 1"):
        gough.simulate([far, short], far.home, duration=1e-3)


def test_drawn_machines_are_the_same_whatever_the_count() -> None:
    machine = gough.load("motion-base-1500")
    many, few = varied(machine, SPREAD, 6, seed=4), varied(machine, SPREAD, 2, seed=4)
    only = varied(machine, {"body.mass": SPREAD["body.mass"]}, 6, seed=4)
    for a, b, c in zip(many, few, only, strict=False):
        assert places(a) == places(b)
        assert a.body.mass == c.body.mass
    assert many[0].body.mass != varied(machine, SPREAD, 1, seed=5)[0].body.mass
    masses = [m.body.mass / machine.body.mass for m in varied(machine, SPREAD, 200)]
    assert 0.8 <= min(masses) < 0.82
    assert 1.18 < max(masses) <= 1.2


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_every_parameter_has_its_name_and_place() -> None:
    """All names of `parameter_names`; each changes its own number and nothing else."""
    for name in gough.presets():
        machine = gough.load(name)
        assert set(parameter_names(machine)) <= set(places(machine)), name
    machine = gough.load("servo-hexapod")
    known, rng = places(machine), np.random.default_rng(0)
    directions = (
        "axis",
        "shaft",
        "across",
        "drive",
        "springs",
        "cylindrical",
    )  # normalized, or need others
    names = [n for n in known if not any(word in n for word in directions)]
    for name in rng.choice(names, 40, replace=False):
        value = known[name].value * 1.01 + 1e-3
        changed = places(with_numbers(machine, {name: value}))
        assert changed[name].value == value
        others = set(names) - {name}
        assert all(changed[n].value == known[n].value for n in others & set(changed))


@pytest.mark.parametrize(
    ("spread", "words"),
    [
        ({"body.mas": Normal(1.0)}, "body.mass"),
        ({"body.mass": Normal(1.0), "body.*": Normal(1.0)}, "already"),
        ({"body.mass": 3.0}, "Evenly"),
        ({"body.mass": Evenly(-2.0, -1.0)}, r"machine 0.*mass"),
        ({"body.mass": lambda rng, value: np.nan}, "finite"),
        ({"legs.*.nothing": Normal(1.0)}, "no number"),
    ],
)
def test_spreads_that_cannot_be_are_refused(spread: Any, words: str) -> None:
    with pytest.raises(gough.InputError, match=words):
        varied(gough.load("motion-base-1500"), spread, 2)


def test_functions_draw_too_and_relative_spreads_keep_zero() -> None:
    machine = gough.load("motion-base-1500")
    made = varied(machine, {"body.mass": lambda rng, value: value + rng.integers(1, 3)}, 5)
    assert {m.body.mass - machine.body.mass for m in made} <= {1.0, 2.0}
    assert varied(machine, {"gravity.x": Normal(0.1, relative=True)}, 1)[0].gravity[0] == 0.0


@pytest.mark.parametrize("controlled", [False, True])
def test_springs_of_each_run_are_the_bits_of_separate_runs(controlled: bool) -> None:
    """One machine whose leg laws differ from run to run."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    motion, stiff = starts(machine, 9), np.linspace(0.0, 5e3, 54).reshape(9, 6)
    options: dict[str, Any] = {"duration": 0.03, "reactions": True}
    if controlled:
        law = Decentralized.from_bandwidth(machine, bandwidth=20.0)
        options |= {"controller": law, "reference": machine.home}
    together = gough.simulate(machine, motion, springs=Springs(stiff, 1.3), **options)
    for i in (0, 3, 8):
        alone = gough.simulate(machine, motion[i], springs=Springs(stiff[i], 1.3), **options)
        np.testing.assert_array_equal(together.position[i].values, alone.position.values)
        np.testing.assert_array_equal(together.force[i].values, alone.force.values)
    assert np.ptp(together.position.values[:, -1, 2] - together.position.values[:, 0, 2]) > 0.0
