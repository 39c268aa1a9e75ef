"""A machine written as MJCF or URDF and read again is the machine: the same legs, the same efforts.

Left out of a file, and then of the machine here: friction of balls at the platform in MJCF (`machine` leaves it out).
The force inside a fixed link is not compared: a file has it as one body, and where it is cut is not said.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.export import save_mjcf, save_urdf
from gough.importing import read_mjcf, read_urdf
from oracles.machines import case
from oracles.written_machines import PLAIN, ROTORS, machine

pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo's compiler")

SAME = 1e-12  # of the largest effort
APPROXIMATE = {  # MJCF has no such tensors (nor those of points): the exporter writes others
    "dasgupta-1998": 1e-3,
    "pedrammehr-2012": 1e-3,
    "lopes-6pus": 1e-6,
}


def again(platform: gough.Platform, form: str, folder: Path, **given: object) -> gough.Platform:
    """The machine from its file; nothing is left to be said about it."""
    path = folder / f"machine.{'xml' if form == 'mjcf' else 'urdf'}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        (save_mjcf if form == "mjcf" else save_urdf)(platform, path, **given)  # type: ignore[operator]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = (read_mjcf if form == "mjcf" else read_urdf)(path)
    assert not [w for w in said if "not physical" not in str(w.message)], [
        str(w.message) for w in said
    ]
    return found


def efforts(platform: gough.Platform, motion: gough.Motion) -> Array:
    """Of the driven legs, what spins freely standing still."""
    spins = any(hasattr(leg, "reference") for leg in platform.legs)
    spin = gough.Spin(np.zeros(6), np.zeros(6)) if spins else None
    driven = [getattr(leg, "fixed", None) is None for leg in platform.legs]
    return gough.inverse_dynamics(platform, motion, spin=spin, engine="python").force[..., driven]


def difference(one: gough.Platform, other: gough.Platform, motion: gough.Motion) -> float:
    assert one.kinds == other.kinds
    assert one.leg_names == other.leg_names
    a, b = efforts(one, motion), efforts(other, motion)
    return float(np.abs(a - b).max() / np.abs(a).max())


@pytest.mark.parametrize("form", ["mjcf", "urdf"])
@pytest.mark.parametrize("kind", [*PLAIN, *ROTORS])
def test_every_leg_comes_back(form: str, kind: str, tmp_path: Path) -> None:
    platform, motion = machine(kind, 3, form)
    found = again(platform, form, tmp_path, pose=motion.pose)
    assert difference(platform, found, motion) < SAME
    assert np.allclose(found.home.position, motion.position, rtol=0, atol=1e-15)
    told = [getattr(leg, "fixed", None) for leg in platform.legs]
    for own, leg in zip(told, found.legs, strict=True):
        now = getattr(leg, "fixed", None)
        assert now == own or abs(now - own) < 1e-12


@pytest.mark.parametrize("form", ["mjcf", "urdf"])
@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "UCU-screw", "PSU"])
def test_it_is_the_machine_in_other_poses_too(form: str, kind: str, tmp_path: Path) -> None:
    c = case(kind, seed=7, states=3)
    legs = c.platform.legs
    if form == "mjcf":
        legs = [
            leg
            if hasattr(leg, "platform_axis")
            else leg.replace(friction=leg.friction.replace(spherical=0.0))
            for leg in legs
        ]
    platform = c.platform.replace(legs=legs)
    assert difference(platform, again(platform, form, tmp_path), c.motion) < SAME


@pytest.mark.parametrize("form", ["mjcf", "urdf"])
@pytest.mark.parametrize("name", gough.presets())
def test_presets_come_back(form: str, name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.ModelWarning)
        platform = gough.load(name)
    if form == "mjcf" and name == "flexure-hexapod":
        with pytest.raises(gough.InputError, match="springs in ball joints"):
            save_mjcf(platform, tmp_path / "x.xml")
        return
    home = platform.require_home()
    held = any(getattr(leg, "fixed", None) is not None for leg in platform.legs)
    rates = (
        [np.zeros(3)] * 4
        if held
        else [[0.1, 0.2, -0.1], [0.2, -0.1, 0.3], [1, 2, -1], [0.5, 1, -2]]
    )
    motion = gough.Motion(home.position, home.rotation, *rates)
    written = platform
    if form == "mjcf":
        bare = [
            leg
            if hasattr(leg, "platform_axis")
            else leg.replace(friction=leg.friction.replace(spherical=0.0))
            for leg in platform.legs
        ]
        written = platform.replace(legs=bare)
    found = again(platform, form, tmp_path)
    assert found.name == platform.name
    limit = APPROXIMATE.get(name, SAME) if form == "mjcf" else SAME
    assert difference(written, found, motion) < limit
    for own, leg in zip(platform.legs, found.legs, strict=True):
        for field in ("stroke", "force") if form == "mjcf" else ("stroke", "force", "speed"):
            kept, was = getattr(leg.limits, field), getattr(own.limits, field)
            screwed = getattr(own, "screw", None) is not None and form == "urdf"
            if screwed and field != "force":
                continue  # those of a screw are of no single joint of a URDF
            assert (kept is None) == (was is None)
            if was is not None:
                assert np.allclose(kept, was, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["UPS", "UCU", "PSU"])
def test_a_platform_that_hangs_on_a_leg(kind: str, tmp_path: Path) -> None:
    platform, motion = machine(kind, 3, "urdf")
    found = again(platform, "urdf", tmp_path, pose=motion.pose, attach=platform.leg_names[1])
    assert difference(platform, found, motion) < SAME


def test_cross_pieces_with_mass_are_kept_where_a_leg_has_a_place_for_them(tmp_path: Path) -> None:
    """Of UPS legs as cross pieces of the base joint; of others they are refused or counted to the next body."""
    platform, motion = machine("UPS", 3, "urdf")
    found = again(platform, "urdf", tmp_path, pose=motion.pose, cross_mass=0.25)
    for leg in found.legs:
        assert isinstance(leg, gough.UPS)
        assert leg.base_offset is not None
        assert leg.base_offset.cross.mass == 0.25
        assert (leg.base_offset.e, leg.base_offset.d, leg.base_offset.f) == (0.0, 0.0, 0.0)
    assert 1e-9 < difference(platform, found, motion) < 1e-5  # balls of 10 mm turn a little
    platform, motion = machine("PUS", 3, "urdf")
    with pytest.raises(gough.InputError, match=r"0\.25 kg inside a joint of a PUS leg"):
        again(platform, "urdf", tmp_path, pose=motion.pose, cross_mass=0.25)
    with pytest.warns(gough.ModelWarning, match="counted to 'L1-link'"):
        found = read_urdf(tmp_path / "machine.urdf", approximate=True)
    masses = [leg.link.mass for leg in platform.legs]  # type: ignore[union-attr]
    kept = [leg.link.mass for leg in found.legs]  # type: ignore[union-attr]
    assert np.allclose(np.array(kept) - masses, 0.25)


def test_dry_friction_comes_back(tmp_path: Path) -> None:
    """Planted: as much friction in a passive joint is refused, for it does not grow with the load there."""
    platform, motion = machine("PUS", 3, "mjcf")
    save_mjcf(platform, tmp_path / "dry.xml", motion.pose)
    text = (tmp_path / "dry.xml").read_text()
    (tmp_path / "dry.xml").write_text(
        text.replace('name="L2-drive"', 'name="L2-drive" frictionloss="7"')
    )
    leg = read_mjcf(tmp_path / "dry.xml").legs[1]
    assert leg.drive is not None
    assert leg.drive.coulomb * leg.drive.ratio == 7.0
    (tmp_path / "dry.xml").write_text(text.replace('name="L2-k"', 'name="L2-k" frictionloss="7"'))
    with pytest.raises(gough.InputError, match="dry friction 7 N m of 'L2-k'"):
        read_mjcf(tmp_path / "dry.xml")
