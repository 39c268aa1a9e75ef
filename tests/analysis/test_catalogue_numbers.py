"""Catalogue files number by number: what must be there, what may be left out, and the ends of what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gough
from gough.analysis import load_catalogue
from gough.analysis.catalogue import Catalogue

PARTS: dict[str, dict[str, Any]] = {
    "motors": {
        "continuous_torque": "0.3 N m",
        "rated_speed": "0.4 rad/s",
        "peak_torque": "0.5 N m",
        "peak_speed": "0.6 rad/s",
        "rotor_inertia": "0.7 kg cm^2",
    },
    "gears": {
        "ratio": 0.5,
        "efficiency": 0.9,
        "peak_torque": "0.8 N m",
        "max_speed": "0.9 rad/s",
    },
    "screws": {
        "lead": "5 mm",
        "efficiency": 0.8,
        "dynamic_load": "0.1 N",
        "max_load": "0.2 N",
        "max_speed": "0.3 rad/s",
    },
}
NEEDED = [(part, name) for part, fields in PARTS.items() for name in fields]


def written(tmp_path: Path, part: str = "motors", **changed: Any) -> Catalogue:
    """A catalogue with one part of each, some numbers of one of them changed (None: left out)."""
    lines = []
    for name, fields in PARTS.items():
        given = {**fields, **changed} if name == part else fields
        lines.append(f"[{name}.X]")
        lines += [
            f"{key} = {value!r}".replace("'", '"')
            for key, value in given.items()
            if value is not None
        ]
    file = tmp_path / "parts.toml"
    file.write_text("\n".join(lines), encoding="utf-8")
    return load_catalogue(file)


def test_small_numbers_are_read_in_their_units(tmp_path: Path) -> None:
    found = written(tmp_path)
    motor, gear, screw = found.motors["X"], found.gears["X"], found.screws["X"]
    assert motor.continuous_torque == 0.3
    assert motor.rotor_inertia == pytest.approx(0.7e-4)
    assert motor.drag == gear.drag == gear.inertia == screw.inertia == 0.0
    assert (gear.ratio, gear.efficiency, gear.back_efficiency) == (0.5, 0.9, None)
    assert screw.lead == pytest.approx(5e-3)
    assert (screw.root_diameter, screw.length, screw.back_efficiency) == (None, None, None)


@pytest.mark.parametrize(("part", "name"), NEEDED)
def test_what_must_be_there(tmp_path: Path, part: str, name: str) -> None:
    """Each number is needed; nothing and less are refused, but for a rotor without inertia."""
    with pytest.raises(gough.InputError, match=name):
        written(tmp_path, part, **{name: None})
    value = PARTS[part][name]
    unit = "" if isinstance(value, float) else value.split(" ", 1)[1]
    less = -0.1 if isinstance(value, float) else f"-0.1 {unit}"
    with pytest.raises(gough.InputError, match=name):
        written(tmp_path, part, **{name: less})
    none = 0.0 if isinstance(value, float) else f"0 {unit}"
    if name == "rotor_inertia":
        assert written(tmp_path, part, **{name: none}).motors["X"].rotor_inertia == 0.0
    else:
        with pytest.raises(gough.InputError, match=name):
            written(tmp_path, part, **{name: none})


@pytest.mark.parametrize("part", ["gears", "screws"])
def test_efficiencies_are_shares_and_backwards_they_may_hold(tmp_path: Path, part: str) -> None:
    for value in (1e-3, 1.0):
        made = getattr(written(tmp_path, part, efficiency=value), part)["X"]
        assert made.efficiency == value
    for value in (-0.5, 0.0, 0.4, 1.0):
        made = getattr(written(tmp_path, part, back_efficiency=value), part)["X"]
        assert made.back_efficiency == value
    for field in ("efficiency", "back_efficiency"):
        with pytest.raises(gough.InputError, match=field):
            written(tmp_path, part, **{field: 1.01})


@pytest.mark.parametrize(
    ("part", "name", "unit", "zero"),
    [
        ("motors", "drag", "N m", True),
        ("gears", "drag", "N m", True),
        ("gears", "inertia", "kg m^2", True),
        ("screws", "inertia", "kg m^2", True),
        ("screws", "root_diameter", "m", False),
        ("screws", "length", "m", False),
        ("screws", "modulus", "Pa", False),
    ],
)
def test_what_may_be_left_out(tmp_path: Path, part: str, name: str, unit: str, zero: bool) -> None:
    """Small numbers are read; less than nothing is refused, and nothing where it would mean nothing."""
    made = getattr(written(tmp_path, part, **{name: f"0.25 {unit}"}), part)["X"]
    assert getattr(made, name) == pytest.approx(0.25)
    with pytest.raises(gough.InputError, match=name):
        written(tmp_path, part, **{name: f"-0.25 {unit}"})
    if zero:
        assert (
            getattr(getattr(written(tmp_path, part, **{name: f"0 {unit}"}), part)["X"], name) == 0.0
        )
    else:
        with pytest.raises(gough.InputError, match=name):
            written(tmp_path, part, **{name: f"0 {unit}"})
