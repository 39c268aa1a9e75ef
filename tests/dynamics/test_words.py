"""What the answers say of themselves is so: spin accelerations, parameter columns, copies that keep their marks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gough
from gough.dynamics import inverse_dynamics_derivatives, packed_names
from oracles.machines import KINDS, case


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formulation", ["exact", "multibody"])
def test_legs_without_a_free_spin_have_no_spin_acceleration(kind: str, formulation: str) -> None:
    """Every leg type and mixtures, in both directions, one state and a batch: exactly zero, no leg forgotten."""
    c = case(kind, seed=4, states=3)
    spin = gough.Spin(c.spin_angle, c.spin_rate)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, formulation, spin=spin)
    back = gough.forward_dynamics(c.platform, c.motion, found.force, c.external, spin=spin)
    one = gough.Spin(c.spin_angle[1], c.spin_rate[1])
    single = gough.inverse_dynamics(
        c.platform, c.motion[1], c.external[1], formulation, spin=one
    ).spin_acceleration
    free = np.array([leg == "SPS" for leg in c.platform.kinds])
    assert single is not None
    for answer in (found.spin_acceleration, back.spin_acceleration, single[None]):
        assert answer is not None
        assert (answer[:, ~free] == 0.0).all()
        if kind != "SPS-free":  # nothing turns those about their own axis
            assert (answer[:, free] != 0.0).all()


def test_the_drive_of_a_crank_has_a_column() -> None:
    """``d torque = thdd d(J_r)`` at a fixed motion: the column of its own leg alone."""
    c = case("RUS", seed=4, states=2)
    column = packed_names(c.platform).index("L3.drive.reflected")
    slopes = inverse_dynamics_derivatives(c.platform, c.motion, c.external)
    leg = c.platform.legs[2]
    step = 1e-3
    drive = leg.drive.replace(rotor_inertia=leg.drive.rotor_inertia + step / leg.drive.ratio**2)
    legs = [leg.replace(drive=drive) if i == 2 else o for i, o in enumerate(c.platform.legs)]
    more = gough.inverse_dynamics(c.platform.replace(legs=legs), c.motion, c.external).force
    wanted = (more - slopes.value) / step
    found = slopes.packed[..., column]
    assert np.abs(found).max() > 0.1
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


def test_copies_keep_their_marks() -> None:
    c = case("UPS", seed=4, states=2)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external)
    accelerations = gough.forward_dynamics(c.platform, c.motion, found.force, c.external)
    for answer in (found, accelerations, gough.energy(c.platform, c.motion)):
        copy = pickle.loads(pickle.dumps(answer))
        np.testing.assert_array_equal(copy.error, answer.error)
        np.testing.assert_array_equal(copy.digits, answer.digits)
        assert copy.compute_error is None
        with pytest.raises(ValueError, match="read-only"):
            copy.error[...] = 0.0


def test_a_formulation_is_marked_unless_its_errors_are_kept() -> None:
    c = case("UPS", seed=4, states=2)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, "newton-euler")
    exact = gough.inverse_dynamics(c.platform, c.motion, c.external)
    assert (np.abs(found.force - exact.force) <= found.error + exact.error).all()
    assert (found.digits > 6.0).all()
    printed = gough.inverse_dynamics(c.platform, c.motion, c.external, "kane", published=True)
    with pytest.raises(AttributeError, match="no error bound"):
        _ = printed.error
