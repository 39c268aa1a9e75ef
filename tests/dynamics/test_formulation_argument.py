"""`formulation=` on the mass matrix and the bias; one naming of the parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.analysis import sensitivity
from gough.dynamics import packed_names
from gough.engines.pack import parameters
from gough.formulations import FORMULATIONS
from oracles.machines import case


@pytest.mark.parametrize("name", FORMULATIONS)
def test_mass_matrix_and_bias_are_those_of_the_formulation(name: str) -> None:
    c = case("UPS", seed=3, states=2)
    module = FORMULATIONS[name]
    M, b = (
        gough.mass_matrix(c.platform, c.motion.pose, name),
        gough.bias(c.platform, c.motion, name),
    )
    np.testing.assert_array_equal(M, module.mass_matrix(c.platform, c.motion.pose))
    np.testing.assert_array_equal(b, module.bias(c.platform, c.motion))


def test_what_a_formulation_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    c = case("UPS", seed=3, states=1)
    with pytest.raises(gough.InputError, match="must be one of"):
        gough.mass_matrix(c.platform, c.motion.pose, "banana")
    with pytest.raises(gough.InputError, match="not published"):
        gough.bias(c.platform, c.motion, published=True)
    about = FORMULATIONS["kane"].ABOUT
    monkeypatch.setattr(FORMULATIONS["kane"], "ABOUT", replace(about, gives=about.gives - {"bias"}))
    with pytest.raises(
        gough.InputError, match="gives no bias; use newton-euler, universal, lagrange, multibody"
    ):
        gough.bias(c.platform, c.motion, "kane")
    with pytest.raises(gough.InputError, match="no spinning legs"):
        gough.mass_matrix(
            c.platform, c.motion.pose, "kane", spin=gough.Spin(np.zeros(6), np.zeros(6))
        )


@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "PUS", "RUS", "mixed"])
def test_sensitivity_names_parameters_as_the_derivatives_do(kind: str) -> None:
    platform = case(kind, seed=3, states=1).platform
    assert sensitivity.parameter_names(platform) == gough.parameter_names(platform)
    assert len(set(packed_names(platform))) == len(parameters(platform))


@pytest.mark.parametrize("formulation", ["lagrange", "kane"])
def test_a_reference_that_nobody_reads_refuses_nothing(formulation: str) -> None:
    """An axisymmetric strut along its `reference`, its spin not part of the state: an answer, and the right one."""
    c = case("SPS-free", seed=5, states=1)
    along = gough.inverse_kinematics(c.platform, c.motion).direction[0, 2]
    legs = list(c.platform.legs)
    legs[2] = legs[2].replace(reference=along)
    platform = c.platform.replace(legs=legs)
    found = gough.inverse_dynamics(platform, c.motion, c.external, formulation)
    wanted = gough.inverse_dynamics(c.platform, c.motion, c.external)
    np.testing.assert_allclose(found.force, wanted.force, rtol=1e-8, atol=1e-7)
