"""Every table of a machine with cranks says rad, rad/s and N m; one with both kinds of legs says it leg by leg."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.analysis import limit_report, size
from gough.cli import analysis as analysis_commands
from gough.cli.app import app
from gough.control import Decentralized, Sampling
from gough.export.facts import forces_along, forces_facts, machine_facts, run_facts, run_units
from gough.export.tables import csv_columns, forces_table
from gough.report.run_report import run_page
from gough.spatial import Motion
from oracles.machines import case

LINEAR = {"length": "m", "rate": "m/s", "leg_acceleration": "m/s^2", "force": "N"}
ROTARY = {"length": "rad", "rate": "rad/s", "leg_acceleration": "rad/s^2", "force": "N m"}
assert analysis_commands


@pytest.fixture(scope="module")
def cranks() -> gough.Platform:
    return gough.load("servo-hexapod")


@pytest.fixture(scope="module")
def path(cranks: gough.Platform) -> Any:
    assert cranks.home is not None
    return gough.trajectory.harmonic(cranks.home, [0, 0, 0.004, 0, 0, 0], [1.0], duration=1.0)


def _check_columns(platform: gough.Platform, table: Any) -> None:
    units = {name: unit for name, unit, _ in csv_columns(table)}
    for kind, name in zip(platform.kinds, platform.leg_names, strict=True):
        own = ROTARY if kind.startswith("R") else LINEAR
        for quantity, unit in own.items():
            assert units[f"{quantity}_{name}"] == unit


def test_forces_of_cranks(cranks: gough.Platform, path: Any) -> None:
    table = forces_along(cranks, path.sample(11))
    _check_columns(cranks, table)
    for quantity, unit in ROTARY.items():
        assert table[quantity].attrs["units"] == unit
    for leg in (*forces_facts(table)["legs"], *machine_facts(cranks)["legs"]):
        assert (leg["length_unit"], leg["force_unit"]) == ("rad", "N m")


def test_forces_of_both_kinds_of_legs_leg_by_leg() -> None:
    found = case("mixed", seed=1)
    kinds = {kind.startswith("R") for kind in found.platform.kinds}
    assert kinds == {True, False}
    m = found.motion
    motion = Motion(m.position, m.rotation, *m.rates, np.array([0.0, 1.0]))
    spin = gough.Spin(found.spin_angle, found.spin_rate)
    result = gough.inverse_dynamics(found.platform, motion, spin=spin)
    legs = gough.inverse_kinematics(found.platform, motion)
    table = forces_table(found.platform, motion, legs, result, reactions=False)
    _check_columns(found.platform, table)
    assert table["force"].attrs["units"] == "N or N m"
    # planted: a leg that is called what it is not has the other's unit
    swapped = table.assign_coords(length_unit=("leg", np.roll(table["length_unit"].values, 1)))
    with pytest.raises(AssertionError):
        _check_columns(found.platform, swapped)


def test_limits_and_sizes_of_cranks(cranks: gough.Platform, path: Any) -> None:
    limited = cranks.replace(
        legs=[
            leg.replace(limits=gough.Limits(stroke=(-3.0, 3.0), speed=50.0, force=50.0))
            for leg in cranks.legs
        ]
    )
    rows = limit_report(limited, path.sample(21))["rows"]
    own = {"stroke": "rad", "speed": "rad/s", "force": "N m"}
    assert {row["kind"] for row in rows} >= set(own)
    for row in rows:
        if row["kind"] in own:
            assert row["unit"] == own[row["kind"]]
    assert size(limited, [path.sample(21)]).legs[0].peak_force != 0.0


def test_commands_say_the_units_of_cranks(tmp_path: Path) -> None:
    home = gough.load("servo-hexapod").require_home().position
    motion = tmp_path / "hold.toml"
    motion.write_text(
        f'[trajectory]\nkind = "hold"\npose = {{ position = {home.tolist()} }}\nduration = 1\n',
        encoding="utf-8",
    )
    call = ["size", "servo-hexapod", str(motion), "--samples", "5"]
    said = CliRunner().invoke(app, call, catch_exceptions=False).stdout
    assert "rad" in said
    assert "N m" in said
    assert "rad/s" in said
    told = CliRunner().invoke(app, [*call, "--json"], catch_exceptions=False).stdout
    for leg in json.loads(told)["legs"]:
        assert (leg["length_unit"], leg["force_unit"]) == ("rad", "N m")


def test_runs_of_cranks(cranks: gough.Platform) -> None:
    home = cranks.require_home()
    run = gough.simulate(
        cranks,
        gough.Pose(home.position + 1e-3, home.rotation),
        controller=Decentralized.from_bandwidth(cranks, bandwidth=20.0),
        reference=home,
        duration=0.05,
        reactions=False,
        sampling=Sampling(rate=500.0),
    )
    along = {"rad", "rad/s", "N m", "rad/s^2"}
    for name, variable in run.data_vars.items():
        unit = variable.attrs["units"]
        assert unit not in ("N", "N or N m", "m or rad"), name
        if variable.dims[-1:] == ("leg",):
            assert unit in along | {"1", "W", "J"}, name
    facts = run_facts(run)
    assert facts["length_unit"] == ["rad"] * 6
    assert facts["force_unit"] == ["N m"] * 6
    assert run_units(run.drop_vars(["length_unit", "force_unit"]))["force_unit"] == ["N m"] * 6
    page = run_page(run, cranks)
    assert "rad/s</td>" in page
    assert " N m</td>" in page
