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
