"""Machines with fixed links as model files: what other programs read accelerates as `forward_dynamics` says."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import gough
from gough.export.mjcf import mjcf
from gough.export.sdf import sdf
from gough.export.urdf import urdf, urdf_companion
from gough.links import links
from oracles.links import linked

pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")

from oracles.mujoco_file import HardFile
from oracles.sdf_file import FreeLinks
from oracles.urdf_file import ClosedFile

EFFORT = np.array([600.0, -400.0, 200.0, 100.0, -300.0, 500.0])


def machine(kind: str) -> tuple[gough.Platform, gough.Motion]:
    """Two links, no friction in balls, for which the files have no word."""
    c = next(c for s in range(60) if (c := linked(kind, seed=s, count=2, states=1)))
    legs = []
    for leg in c.platform.legs:
        rubs = {"spherical": leg.friction.spherical if isinstance(leg, gough.UCU) else 0.0}
        if isinstance(leg, gough.SPS):
            rubs["universal"] = 0.0
        legs.append(leg.replace(friction=leg.friction.replace(**rubs)))
    return c.platform.replace(legs=tuple(legs)), c.motion[0]


@pytest.mark.parametrize("form", ["mjcf", "urdf", "sdf"])
@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "UCU", "mixed"])
def test_the_file_is_the_machine(form: str, kind: str) -> None:
    platform, m = machine(kind)
    driven = links(platform).driven
    legs = zip(platform.leg_names, platform.legs, strict=True)
    spun = [f"{name}-upper" for name, leg in legs if isinstance(leg, gough.SPS)]
    if form == "urdf":
        file = ClosedFile(urdf(platform, m.pose), urdf_companion(platform, m.pose), spun)
    else:
        read, write = {"mjcf": (HardFile, mjcf), "sdf": (FreeLinks, sdf)}[form]
        file = read(write(platform, m.pose), spun)
    for speed, tolerance in (((m.velocity, m.angular_velocity), 1e-6), ((np.zeros(3),) * 2, 1e-10)):
        state = gough.Motion(m.position, m.rotation, *speed)
        spin = gough.Spin(np.zeros(6), np.zeros(6)) if "SPS" in platform.kinds else None
        own = gough.forward_dynamics(platform, state, EFFORT, spin=spin, engine="python")
        found = file.acceleration(*speed, m.rotation, EFFORT[driven])
        assert np.abs(found - own.answer).max() < tolerance * np.abs(own.answer).max()


def test_nothing_acts_on_a_link_and_nothing_slides_in_it() -> None:
    platform = gough.load("telescope-secondary")
    motors = ElementTree.fromstring(mjcf(platform)).findall("actuator/motor")
    assert [m.get("name") for m in motors] == list(platform.leg_names[:5])
    assert "link-drive" not in mjcf(platform) + urdf(platform) + sdf(platform)
    told = urdf_companion(platform)
    assert [a["leg"] for a in told["actuators"]] == list(platform.leg_names[:5])
    assert len(told["loops"]) == 6
    kinds = {
        j.get("name"): j.get("type")
        for j in ElementTree.fromstring(urdf(platform)).findall("joint")
    }
    assert kinds["link-fixed"] == "fixed"
