"""Rotors that ride on legs: which equations follow them, where they are refused, machines whose rotors stand."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics import elastic_rest
from gough.dynamics.elastic import drive_stiffness
from gough.dynamics.parameters import _felt, derivative_kinds, machine_parameters
from gough.dynamics.rotors import check_riders, rotor_inertia, without_rotors
from gough.model import Leg
from oracles.machines import case

STILL = gough.Drive(ratio=300.0, rotor_inertia=0.0, rotor_axis=[1.0, 0.0, 0.0])


def with_drive(kind: str, drive: gough.Drive | None) -> gough.Platform:
    c = case(kind, seed=2)
    legs = [leg.replace(drive=drive) for leg in c.platform.legs]
    return c.platform.replace(legs=legs)


@pytest.mark.parametrize(
    ("kind", "plain", "followed"),
    [("UPS", "ups", "ups_rotor"), ("UCU", "ucu", "ucu_screw"), ("UCS-free", "ucs", "ucs_rotor")],
)
def test_a_rotor_without_inertia_yet_is_followed_where_it_could_have_some(
    kind: str, plain: str, followed: str
) -> None:
    """Beside a fixed axis, or no drive at all, the equations are those of the leg alone."""
    still = with_drive(kind, STILL)
    assert derivative_kinds(still, False) == (followed,) * 6
    assert derivative_kinds(with_drive(kind, STILL.replace(rotor_axis=None)), False) == (plain,) * 6
    assert derivative_kinds(with_drive(kind, None), False) == (plain,) * 6


def felt(leg: Leg, **kinds: str) -> None:
    riding = leg.replace(drive=STILL)
    for kind, wanted in kinds.items():
        assert _felt(riding, kind) == wanted
        assert _felt(leg.replace(drive=None), kind) == kind


def test_equations_that_follow_a_rotor_keep_springs_and_offsets() -> None:
    felt(
        case("UPS", seed=2).platform.legs[0],
        ups="ups_rotor",
        ups_rotor="ups_rotor",
        ups_sprung="ups_rotor_sprung",
        ups_offset="ups_rotor_offset",
        ups_rotor_offset_sprung="ups_rotor_offset_sprung",
    )
    felt(
        case("UCU", seed=2).platform.legs[0],
        ucu="ucu_screw",
        ucu_screw="ucu_screw",
        ucu_offset="ucu_screw_offset",
        ucu_sprung="ucu_screw_sprung",
        ucu_offset_sprung="ucu_screw_offset_sprung",
        ucu_screw_upper="ucu_screw_upper",
    )
    felt(
        case("UCS-free", seed=2).platform.legs[0],
        ucs="ucs_rotor",
        ucs_axial="ucs_axial",
        ucs_spin="ucs_spin",
    )
    felt(case("SPS-free", seed=2).platform.legs[0], sps="sps", sps_axial="sps_axial")


def test_packings_are_made_once_and_cannot_be_changed() -> None:
    machine = case("SPS-free", seed=2).platform
    for spin in (False, True):
        made = machine_parameters(machine, spin)
        assert machine_parameters(machine, spin) is made
        with pytest.raises(ValueError, match="read-only"):
            made.packing[0, 0] = 1.0
    assert machine_parameters(machine, True) is not machine_parameters(machine, False)
    assert machine_parameters(machine) is machine_parameters(machine, False)


def motion_base(axis: list[float] | None, links: tuple[int, ...] = ()) -> gough.Platform:
    machine = gough.load("motion-base-1500")
    home, legs = machine.require_home(), []
    for i, leg in enumerate(machine.legs):
        assert leg.drive is not None
        if i in links:
            span = home.position + home.rotation @ leg.joint - leg.base
            free = leg.friction.replace(prismatic=0.0)
            length = float(np.linalg.norm(span))
            limits = gough.Limits()
            legs.append(leg.replace(fixed=length, drive=None, friction=free, limits=limits))
        else:
            drive = leg.drive.replace(stiffness=1e6 * (i + 1), rotor_axis=axis)
            legs.append(leg.replace(drive=drive))
    return machine.replace(legs=legs)


def test_rotors_that_ride_beside_fixed_links_are_refused() -> None:
    along = [1.0, 0.0, 0.0]
    check_riders(motion_base(along))
    check_riders(motion_base(None, links=(1,)))
    with pytest.raises(gough.InputError, match=r"rotor_axis.*leg L1.*beside fixed links"):
        check_riders(motion_base(along, links=(1,)))


def test_stiffness_is_that_of_the_drives_and_none_of_fixed_links() -> None:
    whole = motion_base(None)
    np.testing.assert_array_equal(drive_stiffness(whole), 1e6 * np.arange(1, 7))
    partly = 1e6 * np.array([1.0, 0.0, 3.0, 4.0, 0.0, 6.0])
    np.testing.assert_array_equal(drive_stiffness(motion_base(None, links=(1, 4))), partly)
    with pytest.raises(gough.InputError, match="fixed links"):
        elastic_rest(motion_base(None, links=(1,)), whole.require_home())
    leg = whole.legs[3]
    assert leg.drive is not None
    for drive in (None, leg.drive.replace(stiffness=None)):
        legs = [*whole.legs[:3], leg.replace(drive=drive), *whole.legs[4:]]
        with pytest.raises(gough.InputError, match="not every leg has a drive with a stiffness"):
            drive_stiffness(whole.replace(legs=legs))


@pytest.mark.parametrize("kind", ["UPS-rotor", "UCU-screw", "PUS", "mixed"])
def test_rotors_and_screws_that_stand_leave_their_bodies_as_they_are(kind: str) -> None:
    machine = case(kind, seed=2).platform
    still = without_rotors(machine)
    for old, new in zip(machine.legs, still.legs, strict=True):
        back = new
        if old.drive is not None:
            assert new.drive is not None
            assert new.drive.rotor_inertia == 0.0
            back = back.replace(drive=old.drive)
        if isinstance(old, gough.UCU) and old.screw is not None:
            assert isinstance(new, gough.UCU)
            assert new.screw is not None
            assert new.screw.inertia == 0.0
            back = back.replace(screw=old.screw)
        assert back == old


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_inertia_of_rotors_at_any_shape_of_poses(shape: tuple[int, ...]) -> None:
    """Rotors on the base couple with nothing and weigh what they reflect; those that ride couple pose by pose."""
    c = case("UPS-rotor", seed=2, states=4)
    count = int(np.prod(shape))
    p, R = c.motion.position[:count], c.motion.rotation[:count]
    poses = gough.Pose(p.reshape(*shape, 3), R.reshape(*shape, 3, 3))
    B, J = rotor_inertia(c.platform, poses)
    assert (B.shape, J.shape) == ((*shape, 6, 6), (*shape, 6))
    assert B.any(axis=-2).all()
    for k, at in enumerate(np.ndindex(shape)):
        one = rotor_inertia(c.platform, gough.Pose(p[k], R[k]))
        np.testing.assert_allclose(B[at], one[0], rtol=1e-12)
        np.testing.assert_allclose(J[at], one[1], rtol=1e-12)
    fixed = motion_base(None)
    B, J = rotor_inertia(fixed, fixed.require_home())
    assert not B.any()
    np.testing.assert_allclose(J, [leg.drive.reflected_inertia for leg in fixed.legs])  # type: ignore[union-attr]
