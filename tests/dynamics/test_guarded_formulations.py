"""Mass matrices and biases of formulations are guarded by what they read: poses, twists, spins that are given."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from oracles.machines import case


def along_reference(kind: str) -> tuple[gough.Platform, gough.Platform, gough.Motion]:
    """A machine, the same one with a strut along its `reference`, and the motion where it is."""
    c = case(kind, seed=5, states=1)
    motion = c.motion[0]
    along = gough.inverse_kinematics(c.platform, motion.pose, engine="python").direction[2]
    legs = list(c.platform.legs)
    legs[2] = legs[2].replace(reference=along)
    return c.platform, c.platform.replace(legs=legs), motion


@pytest.mark.parametrize("formulation", ["lagrange", "kane", "multibody"])
def test_a_reference_that_nobody_reads_refuses_no_matrix(formulation: str) -> None:
    usual, along, motion = along_reference("SPS-free")
    M, wanted = (gough.mass_matrix(m, motion.pose, formulation) for m in (along, usual))
    np.testing.assert_allclose(M, wanted, rtol=1e-8, atol=1e-8 * wanted.max())
    b, due = (gough.bias(m, motion, formulation) for m in (along, usual))
    np.testing.assert_allclose(b, due, rtol=1e-8, atol=1e-8 * np.abs(due).max())


def test_a_reference_from_which_a_spin_is_measured_is_read() -> None:
    usual, along, motion = along_reference("SPS-general")
    spin = gough.Spin(np.full(6, 0.3), np.full(6, 2.0))
    for verb in (gough.mass_matrix, gough.bias):
        given = motion.pose if verb is gough.mass_matrix else motion
        assert np.isfinite(verb(usual, given, "multibody", spin=spin)).all()
        with pytest.raises(gough.InfeasibleError, match="reference"):
            verb(along, given, "multibody", spin=spin)


def test_a_mass_matrix_asks_links_for_the_pose_and_a_bias_for_the_twist() -> None:
    machine = gough.load("motion-base-1500")
    home, leg = machine.require_home(), machine.legs[2]
    span = home.position + home.rotation @ leg.joint - leg.base
    length, limits = float(np.linalg.norm(span)), gough.Limits()
    free = leg.friction.replace(prismatic=0.0)
    held = leg.replace(fixed=length, drive=None, friction=free, limits=limits)
    machine = machine.replace(legs=[*machine.legs[:2], held, *machine.legs[3:]])
    pulled = gough.Motion(home.position, home.rotation, span / length)  # its length would grow
    away = gough.Motion(home.position + 0.01 * span / length, home.rotation)
    for name in ("exact", "multibody"):
        more = {"engine": "python"} if name == "exact" else {}
        M = gough.mass_matrix(machine, pulled, name, **more)
        np.testing.assert_allclose(M, gough.mass_matrix(machine, home, name, **more), rtol=1e-9)
        with pytest.raises(gough.InfeasibleError, match="link"):
            gough.bias(machine, pulled, name, **more)
        assert np.isfinite(gough.bias(machine, home, name, **more)).all()
        for verb in (gough.mass_matrix, gough.bias):
            with pytest.raises(gough.InfeasibleError, match="link"):
                verb(machine, away, name, **more)


@pytest.mark.parametrize("shape", [(), (2,), (2, 1)])
def test_errors_have_the_shape_of_what_they_bound(shape: tuple[int, ...]) -> None:
    """Accelerations, energies, spins; each covers the distance to another answer, number by number."""
    c = case("SPS-general", seed=3, states=2)
    at = slice(None) if shape else 0

    def shaped(a: np.ndarray) -> np.ndarray:
        return a[at].reshape(*shape, *a.shape[1:])

    m = gough.Motion(*(shaped(a) for a in (c.motion.position, c.motion.rotation, *c.motion.rates)))
    spin = gough.Spin(shaped(c.spin_angle), shaped(c.spin_rate))
    force = np.full((*shape, 6), 30.0)
    found = gough.forward_dynamics(c.platform, m, force, spin=spin, engine="python")
    assert found.error.shape == found.spin_error.shape == (*shape, 6)
    size = np.concatenate([found.acceleration, found.angular_acceleration], axis=-1)
    assert (found.error > 0.0).all()
    assert (found.error < 1e-8 * (1.0 + np.abs(size).max())).all()
    assert (found.spin_error > 0.0).all()
    assert (found.spin_error < 1e-8 * (1.0 + np.abs(found.spin_acceleration).max())).all()
    energy = gough.energy(c.platform, m, spin=spin, engine="python")
    assert energy.error.shape == (*shape, 2)
    assert (energy.error > 0.0).all()
    assert (energy.error < 1e-10 * np.abs(energy.potential).max() + 1e-9).all()
