"""The exported MJCF: MuJoCo reads it, closes its loops, and needs the library's forces to stand still and to move."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.export.mjcf import mjcf
from oracles.machines import case

mujoco = pytest.importorskip("mujoco")


def built(kind: str, seed: int = 3):  # type: ignore[no-untyped-def]
    c = case(kind, seed=seed, states=1)
    model = mujoco.MjModel.from_xml_string(mjcf(c.platform))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return c.platform, model, data


@pytest.mark.parametrize("kind", ["UPS", "SPS-free", "PUS", "RUS", "mixed"])
def test_loops_are_closed_at_home(kind: str) -> None:
    platform, model, data = built(kind)
    assert model.neq == 6
    assert model.nu == 6
    assert np.abs(data.efc_pos[:18]).max() < 1e-12
    drives = [data.joint(f"{name}-drive").qpos[0] for name in platform.leg_names]
    np.testing.assert_allclose(
        drives, gough.inverse_kinematics(platform, platform.home).length, atol=1e-12
    )


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "mixed", "UCU", "UCU-screw", "PSU"])
def test_acceleration_under_known_forces(kind: str) -> None:
    """At rest with the holding forces plus a push, MuJoCo's platform accelerates as forward dynamics says."""
    platform, model, data = built(kind)
    push = np.array([30.0, -20.0, 10.0, 5.0, -15.0, 25.0])
    spin = gough.Spin(np.zeros(6), np.zeros(6)) if kind == "mixed" else None
    plain = {"spin": spin, "engine": "python"}
    data.ctrl[:] = gough.inverse_dynamics(platform, platform.home, **plain).force + push
    mujoco.mj_forward(model, data)
    wanted = gough.forward_dynamics(platform, platform.home, data.ctrl.copy(), **plain)
    found = data.joint("platform").qacc
    assert np.linalg.norm(wanted.acceleration) > 0.1
    # the constraints are soft: a thousandth of gravity is left
    np.testing.assert_allclose(found[:3], wanted.acceleration, atol=1e-2)
    np.testing.assert_allclose(
        platform.home.rotation @ found[3:], wanted.angular_acceleration, atol=3e-2
    )


def test_a_missing_pose_is_refused() -> None:
    with pytest.raises(gough.InputError, match="pose"):
        mjcf(case("UPS", seed=3, states=1).platform.replace(home=None))
