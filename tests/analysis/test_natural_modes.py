"""Natural modes by what the motors do: locked, free, or moving rigidly with the legs."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import Drive, InputError
from gough.analysis import modes, stiffness_matrix
from gough.analysis.natural_modes import NaturalModes
from gough.dynamics.rotors import rotor_inertia, without_rotors
from gough.spatial import rotation_exp
from gough.twist import cylinders
from oracles import machines

K = 4e6


def driven(machine: gough.Platform, **drive: object) -> gough.Platform:
    """The machine with one drive in every leg."""
    return machine.replace(
        legs=[leg.replace(drive=Drive(**drive), friction=gough.Friction()) for leg in machine.legs]
    )


@pytest.fixture(scope="module")
def bare() -> gough.Platform:
    return gough.load("syed-6sps")


@pytest.fixture(scope="module")
def heavy(bare: gough.Platform) -> gough.Platform:
    """Rotors that weigh more on the leg coordinate than the platform does."""
    return driven(bare, ratio=2 * np.pi / 0.005, rotor_inertia=5e-4, stiffness=K)


def test_locked_motors_do_not_swing(bare: gough.Platform, heavy: gough.Platform) -> None:
    """Their inertia is no part of the motion: the same frequencies without any rotor, far above those with it."""
    held = modes(heavy, heavy.home, stiffness=K)
    none = modes(bare, bare.home, stiffness=K)
    carried = modes(heavy, heavy.home, stiffness=K, motors="rigid")
    assert held.frequency == pytest.approx(none.frequency, rel=1e-12)
    assert (held.frequency > 1.5 * carried.frequency).all()


def test_the_drives_own_stiffness_is_the_default(
    bare: gough.Platform, heavy: gough.Platform
) -> None:
    assert np.array_equal(
        modes(heavy, heavy.home).frequency, modes(heavy, heavy.home, stiffness=K).frequency
    )
    with pytest.raises(InputError, match="not every leg has a drive with a stiffness"):
        modes(bare, bare.home)


def test_free_motors_against_the_slopes_of_the_machine_itself(heavy: gough.Platform) -> None:
    """Twelve degrees of freedom from forward dynamics alone, central differences: same frequencies, same stability."""
    still, home = without_rotors(heavy), heavy.home
    hold = gough.inverse_dynamics(still, home).force
    rest = gough.inverse_kinematics(still, home).length + hold / K
    rotors = np.array([leg.drive.reflected_inertia for leg in heavy.legs])  # type: ignore[union-attr]

    def acceleration(z: np.ndarray) -> np.ndarray:
        pose = gough.Pose(home.position + z[:3], rotation_exp(z[3:6]) @ home.rotation)
        pull = K * (rest + z[6:] - gough.inverse_kinematics(still, pose).length)
        found = gough.forward_dynamics(still, pose, force=pull)
        return np.concatenate(
            [found.acceleration, found.angular_acceleration, (hold - pull) / rotors]
        )

    h = 1e-5
    slopes = np.array(
        [(acceleration(h * e) - acceleration(-h * e)) / (2 * h) for e in np.eye(12)]
    ).T
    squares = np.sort(-np.linalg.eigvals(slopes).real) / (2 * np.pi) ** 2
    found = modes(heavy, home, motors="free")
    own = np.where(found.stable, 1.0, -1.0) * found.frequency**2
    assert own == pytest.approx(squares, rel=1e-5, abs=1e-5 * squares.max())
    assert (squares[:6] < 1e-3 * squares[-1]).all()
    assert (squares[6:] > 1e-2 * squares[-1]).all()


@pytest.mark.parametrize("seed", range(3))
def test_rotors_on_their_legs_couple_as_the_mass_matrix_says(seed: int) -> None:
    """``M = M_0 + J^T J_m J + B J + J^T B^T``, rotors across and along the legs."""
    case = machines.case("UPS-rotor", seed=seed)
    machine, pose = case.platform, case.motion.pose[0]
    J = gough.jacobian(machine, pose)
    Jm = np.diag([leg.drive.reflected_inertia if leg.drive else 0.0 for leg in machine.legs])
    half = rotor_inertia(machine, pose)[0] @ J
    M = gough.mass_matrix(without_rotors(machine), pose) + J.T @ Jm @ J + half + half.T
    full = gough.mass_matrix(machine, pose)
    assert np.abs(M - full).max() < 1e-13 * np.abs(full).max()
    assert np.abs(half).max() > 1e-6 * np.abs(full).max()


def test_stiff_drives_with_free_motors_end_at_the_rigid_machine(heavy: gough.Platform) -> None:
    """``k -> inf``: six modes of the rigid machine stay (springs beside it hold it), six go up with k."""
    k = 1e12
    joints = {"universal": 1e5, "spherical": 1e5}
    free = modes(heavy, heavy.home, stiffness=k, motors="free", **joints)
    K = stiffness_matrix(heavy, heavy.home, stiffness=0.0, **joints)
    M = gough.mass_matrix(heavy, heavy.home)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert (free.frequency[:6] * 2 * np.pi) ** 2 == pytest.approx(squares, rel=1e-3)
    assert free.frequency[6] > 100 * free.frequency[5]


def test_screws_are_held_with_their_motors() -> None:
    """What turns with a locked screw does not swing either; free, it is a heavy motor (test_elastic_modes.py)."""
    machine = gough.load("screw-hexapod")
    heavy = machine.replace(
        legs=[leg.replace(screw=leg.screw.replace(inertia=1e-2)) for leg in machine.legs]  # type: ignore[union-attr]
    )
    given = {"stiffness": K, "preload": False}
    held = modes(heavy, heavy.home, **given).frequency
    assert held == pytest.approx(modes(machine, machine.home, **given).frequency, rel=1e-12)
    assert (held > 2.0 * modes(heavy, heavy.home, **given, motors="rigid").frequency).all()
    loose = modes(heavy, heavy.home, **given, motors="free").frequency
    assert (loose[6:] < np.sqrt(2.0) * held.max()).all()


def test_torsion_springs_stiffen_with_and_without_preload() -> None:
    """Springs of the twist, relaxed at home, no weight: nothing is preloaded, so both ways are the same."""
    bare = gough.load("motion-base-ucu").replace(gravity=(0.0, 0.0, 0.0))
    rest = cylinders(bare).zero  # type: ignore[union-attr]
    legs = [
        leg.replace(torsion=500.0, torsion_rest=float(angle))
        for leg, angle in zip(bare.legs, rest, strict=True)
    ]
    machine = bare.replace(legs=legs)
    both = [
        stiffness_matrix(machine, machine.home, stiffness=K, preload=preload)
        for preload in (True, False)
    ]
    assert np.abs(both[0] - both[1]).max() < 1e-9 * np.abs(both[1]).max()
    without = stiffness_matrix(bare, bare.home, stiffness=K, preload=False)
    assert np.linalg.eigvalsh(both[1] - without).max() > 100.0


def test_batches_and_refusals(bare: gough.Platform, heavy: gough.Platform) -> None:
    poses = gough.Pose(heavy.home.position + np.array([[0.0, 0, 0], [0.01, 0, 0]]), np.eye(3))
    many: NaturalModes = modes(heavy, poses, motors="free")
    assert many.frequency.shape == (2, 12)
    assert many.shape.shape == (2, 12, 12)
    one = modes(heavy, poses[1], motors="free")
    assert many.frequency[1] == pytest.approx(one.frequency, rel=1e-9, abs=1e-6)
    with pytest.raises(InputError, match="needs a drive with a rotor inertia in every leg"):
        modes(bare, bare.home, stiffness=K, motors="free")
    with pytest.raises(InputError):
        modes(bare, bare.home, stiffness=K, motors="asleep")  # type: ignore[arg-type]
