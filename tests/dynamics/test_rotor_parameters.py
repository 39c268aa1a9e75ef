"""Rotors that ride on their legs are parameters wherever the equations of the leg can follow them, nowhere else."""

from __future__ import annotations

import dataclasses

import pytest

from gough.dynamics.parameters import machine_parameters
from gough.model import Platform
from oracles.machines import case


def count(platform: Platform, spin: bool) -> int:
    return sum("rotor_inertia" in name for name in machine_parameters(platform, spin).names)


@pytest.mark.parametrize("kind", ["UPS-rotor", "UCU-screw", "SPS-rotor", "SPS-axial-rotor"])
def test_a_riding_rotor_is_a_parameter_of_every_leg(kind: str) -> None:
    c = case(kind, seed=2)
    assert count(c.platform, c.needs_spin) == 6


@pytest.mark.parametrize(
    ("kind", "axis", "wanted"),
    [
        ("SPS-free", (1.0, 0.0, 0.0), 0),
        ("SPS-axisymmetric", (1.0, 0.0, 0.0), 6),
        ("SPS-axisymmetric", (0.6, 0.8, 0.0), 0),
        ("UPS", (0.6, 0.8, 0.0), 6),
    ],
)
def test_struts_that_spin_freely_cannot_follow_a_rotor_across(
    kind: str, axis: tuple[float, float, float], wanted: int
) -> None:
    """A still rotor (no inertia yet) along the axis of a symmetric strut is followed, one across it is not."""
    c = case(kind, seed=2)
    legs = [
        leg.replace(drive=dataclasses.replace(leg.drive, rotor_axis=axis, rotor_inertia=0.0))
        for leg in c.platform.legs
    ]
    assert count(c.platform.replace(legs=legs), False) == wanted
