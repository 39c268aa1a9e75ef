"""Every option with every integrator: served as the table says, or refused with a sentence that names who serves it."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.control import Decentralized, Sampling
from gough.simulation import INTEGRATORS, Adaptive, Brake, Events, Plant, Record, Springs
from gough.simulation.options import GROUP_OF, SERVES

OPTIONS = {
    "controller",
    "runs",
    "springs",
    "drives",
    "friction",
    "faults",
    "stop",
    "checkpoint",
    "progress",
    "spin",
    "rtol",
    "atol",
    "base",
    "links",
}
FIELD = {"runs": "state", "friction": "drives", "stop": "events", "links": "platform"}


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        return gough.load("dasgupta-1998")


def driven(machine: gough.Platform, **drive: float) -> gough.Platform:
    return machine.replace(
        legs=[leg.replace(drive=gough.Drive(100.0, **drive)) for leg in machine.legs]
    )


def call(machine: gough.Platform, integrator: str, option: str, folder: Path) -> Any:
    """Two steps with one option in use."""
    if option == "links":
        machine = gough.load("telescope-secondary")
    state: Any = machine.home
    more: dict[str, Any] = {"force": gough.inverse_dynamics(machine, machine.home).force}
    if option == "controller":
        more = {"controller": Decentralized.from_bandwidth(machine, bandwidth=10.0)}
    elif option == "runs":
        state = gough.Motion(
            np.repeat(machine.home.position[None], 2, axis=0), machine.home.rotation
        )
    elif option == "spin":
        more["spin"] = gough.Spin(np.zeros(6), np.zeros(6))
    elif option in ("drives", "friction"):
        machine = driven(
            machine, **({"viscous": 1e-3} if option == "drives" else {"coulomb": 0.01})
        )
    else:
        more |= {
            "springs": {"springs": Springs(10.0, 0.0)},
            "faults": {"faults": [Brake(0.0, 1.0)]},
            "stop": {"events": Events(stroke="stop")},
            "checkpoint": {"checkpoint": folder / "run"},
            "progress": {"progress": lambda share: None},
            "rtol": {"rtol": 1e-6},
            "atol": {"atol": 1e-9},
            "base": {"base": gough.BaseMotion()},
            "links": {},
        }[option]
    return gough.simulate(
        machine, state, duration=2e-3, integrator=integrator, reactions=False, **more
    )


def test_the_table_knows_all_options() -> None:
    assert set().union(*SERVES.values()) == OPTIONS
    assert set(SERVES) == set(INTEGRATORS)


def test_every_argument_is_served_by_all_or_stands_in_the_table() -> None:
    """An argument that is added to `simulate` has to say which integrators serve it."""
    by_all = {"platform", "state", "duration", "step", "integrator", "force", "external"}
    by_all |= {"output", "reactions", "plant", "record", "fields"}
    by_all |= {"engine"}  # the native one; what a GPU does not serve: test_cuda_runs.py
    with_another = {"reference": "controller", "sampling": "controller", "events": "stop"}
    with_another |= {"resume": "checkpoint", "version": "checkpoint", "loop": "controller"}
    known = by_all | OPTIONS | set(with_another)
    asked = {*inspect.signature(gough.simulate).parameters, *GROUP_OF}
    assert asked <= known, asked - known
    assert set(with_another.values()) <= OPTIONS


@pytest.mark.parametrize("option", sorted(OPTIONS))
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_each_integrator_serves_or_refuses(
    machine: gough.Platform, tmp_path: Path, integrator: str, option: str
) -> None:
    if option in SERVES[integrator]:
        run = call(machine, integrator, option, tmp_path)
        assert run.attrs["status"] == "ok"
        return
    with pytest.raises(
        gough.InputError, match=f'not served by the integrator "{integrator}"'
    ) as caught:
        call(machine, integrator, option, tmp_path)
    assert caught.value.field == FIELD.get(option, option)
    for name, served in SERVES.items():
        assert (f" {name}," in str(caught.value) or f" {name} do" in str(caught.value)) == (
            option in served
        )


def test_end_stops_are_named_where_they_are_what_is_not_served(machine: gough.Platform) -> None:
    """A machine without drives whose strokes end at stops: the refusal says stops, and of no friction or loss."""
    only = machine.replace(
        legs=[
            leg.replace(drive=None, limits=gough.Limits(stroke=(0.1, 9.0))) for leg in machine.legs
        ]
    )
    with pytest.raises(gough.InputError, match=r"laws of its legs: drive, stops.*no end stops"):
        gough.simulate(only, machine.home, duration=2e-3, integrator="hht")
    bare = machine.replace(
        legs=[leg.replace(drive=None, limits=gough.Limits()) for leg in machine.legs]
    )
    assert (
        gough.simulate(bare, machine.home, duration=2e-3, integrator="hht").attrs["status"] == "ok"
    )


def test_ideal_sources_are_served_by_all(machine: gough.Platform) -> None:
    """`drives=False` is the way to take a machine with losses through the DAE."""
    rough = driven(machine, coulomb=0.01)
    run = gough.simulate(rough, machine.home, duration=2e-3, integrator="hht", drives=False)
    assert run.attrs["status"] == "ok"
    assert run.attrs["drives"] == "false"


def test_served_options_act(machine: gough.Platform) -> None:
    """Springs, tolerances and progress of SciPy's integrators are not just accepted."""
    force = gough.inverse_dynamics(machine, machine.home).force
    told: list[float] = []
    options: dict[str, Any] = {
        "duration": 0.05,
        "force": force,
        "integrator": "DOP853",
        "reactions": False,
    }
    bare = gough.simulate(machine, machine.home, **options, progress=told.append)
    sprung = gough.simulate(machine, machine.home, **options, springs=Springs(100.0, 0.0))
    loose = gough.simulate(
        machine, machine.home, **options, springs=Springs(100.0, 0.0), rtol=1e-3, atol=1e-3
    )
    assert told == sorted(told)
    assert told[-1] > 0.9
    assert np.abs(bare.position - sprung.position).max() > 1e-6
    assert 0.0 < np.abs(loose.position - sprung.position).max() < 1e-2


def test_groups_and_fields_say_the_same(machine: gough.Platform) -> None:
    springs = Springs(1e3, 1.0)
    common: dict[str, Any] = {"duration": 0.01, "force": np.zeros(6)}
    direct = gough.simulate(
        machine, machine.home, **common, springs=springs, drives=False, output=2e-3, reactions=False
    )
    grouped = gough.simulate(
        machine,
        machine.home,
        **common,
        plant=Plant(springs=springs, drives=False),
        record=Record(output=2e-3, reactions=False),
    )
    assert direct.identical(grouped)
    named = gough.simulate(
        machine, machine.home, **common, integrator="DOP853", rtol=1e-8, reactions=False
    )
    made = gough.simulate(
        machine, machine.home, **common, integrator=Adaptive("DOP853", rtol=1e-8), reactions=False
    )
    assert named.identical(made)


@pytest.mark.parametrize(
    ("options", "field", "words"),
    [
        ({"sprigs": None}, "sprigs", "did you mean springs"),
        ({"banana": 1}, "banana", "unknown option"),
        ({"plant": Plant(), "drives": False}, "drives", "field of plant="),
        ({"record": Record(), "output": 1e-3}, "output", "field of record="),
        ({"integrator": Adaptive("RK45"), "rtol": 1e-3}, "rtol", "field of integrator="),
        ({"resume": True}, "resume", "checkpoint"),
        ({"rtol": 1e-3}, "rtol", "not served"),
        ({"integrator": "DOP853", "rtol": -1.0}, "rtol", "greater than 0"),
        ({"sampling": Sampling()}, "sampling", "needs a controller"),
        ({"loop": True}, "loop", "needs a controller"),
    ],
)
def test_bad_options_are_refused_by_name(
    machine: gough.Platform, options: dict, field: str, words: str
) -> None:
    with pytest.raises(gough.InputError, match=words) as caught:
        gough.simulate(machine, machine.home, duration=1e-3, **options)
    assert caught.value.field == field


def test_no_field_belongs_to_two_groups() -> None:
    from gough.simulation.options import Fields

    assert set(GROUP_OF) == set(Fields.__annotations__)


def test_quantization_has_one_older_spelling() -> None:
    assert Sampling(quantisation=1e-6) == Sampling(quantization=1e-6)
    assert Sampling(quantisation=1e-6).quantization == 1e-6
    with pytest.raises(gough.InputError, match="give it once"):
        Sampling(quantization=1e-6, quantisation=1e-6)
    with pytest.raises(gough.InputError, match="quantization"):
        Sampling(quantisation=-1.0)
