"""Struts along a world axis: no formulation may build its axes on that one."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.formulations import FORMULATIONS
from oracles.machines import Case, case

AXES = np.concatenate([np.eye(3), -np.eye(3)])


def upright(kind: str, axis: np.ndarray) -> Case:
    """The first leg lies exactly along `axis` in the machine's only state; its universal axis stays clear of it."""
    c = case(kind, seed=741, states=1)
    leg = c.platform.legs[0]
    tip = c.motion.position[0] + c.motion.rotation[0] @ leg.joint
    away = {"axis": np.roll(axis, 1)} if kind == "UPS" else {"reference": np.roll(axis, 1)}
    legs = [leg.replace(base=tip - 1.25 * axis, **away), *c.platform.legs[1:]]
    return Case(c.platform.replace(legs=legs), c.motion, c.external, c.spin_angle, c.spin_rate)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name, formulation in FORMULATIONS.items()
        for kind in ("UPS", "SPS-free")
        if kind.split("-")[0] in formulation.ABOUT.legs
    ],
)
def test_a_strut_along_a_world_axis_is_nothing_special(
    name: str, kind: str, axis: np.ndarray
) -> None:
    c = upright(kind, axis)
    struts = gough.inverse_kinematics(c.platform, c.motion)
    np.testing.assert_allclose(struts.direction[0, 0], axis, atol=1e-15)
    exact = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="python")
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, formulation=name)
    np.testing.assert_allclose(
        found.force, exact.force, rtol=0, atol=1e-9 * np.abs(exact.force).max()
    )


@pytest.mark.parametrize("name", [n for n, f in FORMULATIONS.items() if "SPS" in f.ABOUT.legs])
@pytest.mark.parametrize("leg", range(6))
def test_a_ball_jointed_strut_may_lie_along_its_reference(name: str, leg: int) -> None:
    """Where spin does not matter the reference is a mere choice: even along the strut it changes nothing."""
    c = case("SPS-free", seed=742, states=2)
    along = gough.inverse_kinematics(c.platform, c.motion).direction[1, leg]
    before = gough.inverse_dynamics(c.platform, c.motion, c.external, formulation=name)
    legs = [x.replace(reference=along) if i == leg else x for i, x in enumerate(c.platform.legs)]
    turned = c.platform.replace(legs=legs)
    after = gough.inverse_dynamics(turned, c.motion, c.external, formulation=name)
    scale = 1e-9 * np.abs(before.force).max()
    np.testing.assert_allclose(after.force, before.force, rtol=0, atol=scale)
