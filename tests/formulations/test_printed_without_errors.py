"""The printed system of 003 with none of its errors is the exact one: accelerations, spins, reactions, any batch."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.formulations import multibody
from gough.formulations.multibody.published import (
    published_bias,
    published_dynamics,
    published_mass_matrix,
)
from gough.spatial import Motion, rotation_exp
from oracles.machines import case

REACTIONS = (
    "spherical_force",
    "universal_force",
    "universal_moment",
    "prismatic_force",
    "prismatic_moment",
    "platform_moment",
)


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", ["SPS-free", "SPS-axisymmetric", "SPS-general"])
def test_every_number_is_the_exact_one(kind: str) -> None:
    """Bodies that turn: the rates of their Euler angles change in time."""
    c = case(kind, seed=3, states=3)
    spin = (c.spin_angle, c.spin_rate) if c.needs_spin else None
    assert np.abs(c.motion.angular_velocity).max() > 0.1
    right = multibody.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
    found = published_dynamics(c.platform, c.motion, c.external, errata=(), spin=spin)
    close(found.force, right.force)
    assert found.spin_acceleration is not None
    assert right.spin_acceleration is not None
    np.testing.assert_allclose(found.spin_acceleration, right.spin_acceleration, atol=1e-8)
    assert {"acceleration", "multiplier"} <= found.extra.keys()
    close(found.extra["acceleration"], right.extra["acceleration"])
    for name in REACTIONS:
        wanted = getattr(right.reactions, name)
        np.testing.assert_allclose(
            getattr(found.reactions, name), wanted, atol=1e-9 * np.abs(right.force).max()
        )


@pytest.mark.parametrize("shape", [(2,), (2, 3)])
@pytest.mark.parametrize("errata", [(), ("E003-1",)])
def test_matrices_of_a_batch_are_those_of_its_poses(
    shape: tuple[int, ...], errata: tuple[str, ...]
) -> None:
    platform = gough.load("elbadawy-6sps")
    home = platform.require_home()
    rng = np.random.default_rng(2)
    many = Motion(
        home.position + rng.uniform(-0.03, 0.03, (*shape, 3)),
        rotation_exp(rng.uniform(-0.1, 0.1, (*shape, 3))) @ home.rotation,
        rng.uniform(-0.2, 0.2, (*shape, 3)),
        rng.uniform(-0.5, 0.5, (*shape, 3)),
    )
    M = published_mass_matrix(platform, many.pose, errata=errata)
    b = published_bias(platform, many, errata=errata)
    assert M.shape == (*shape, 6, 6)
    assert b.shape == (*shape, 6)
    for k in np.ndindex(shape):
        close(M[k], published_mass_matrix(platform, many[k].pose, errata=errata))
        close(b[k], published_bias(platform, many[k], errata=errata))
        if not errata:
            close(M[k], gough.mass_matrix(platform, many[k].pose))
