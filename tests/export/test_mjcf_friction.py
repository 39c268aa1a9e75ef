"""All friction in MJCF: with the constraints held hard the file moves as ``inverse_dynamics(drives=True)`` says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.export.joint_readings import joint_columns
from gough.export.mjcf import mjcf, save_mjcf
from gough.importing import read_mjcf
from gough.spatial import rotation_exp
from oracles.machines import case

pytest.importorskip("mujoco", reason="MuJoCo reads its files")

import mujoco

from oracles.mujoco_file import HardFile


def rubbing(kind: str) -> tuple[gough.Platform, gough.Motion]:
    """Friction of all joints, and of drives, viscous and dry."""
    c = case(kind, seed=3, states=1)
    legs = []
    for i, leg in enumerate(c.platform.legs):
        drive = leg.drive or gough.Drive(ratio=1.0)
        scale = abs(drive.ratio)
        more = {"viscous": (20.0 + i) / scale**2, "coulomb": (30.0 + 5 * i) / scale}
        legs.append(leg.replace(drive=drive.replace(**more)))
    return c.platform.replace(legs=legs), c.motion[0]


def dry_effort(file: HardFile, qd: Any) -> Any:
    """Of the file's own frictionloss, on its joints; that of tendons too."""
    m = file.model
    found = -m.dof_frictionloss * np.sign(qd)
    for i in range(m.ntendon):
        row = np.zeros(m.nv)
        for k in range(int(m.tendon_adr[i]), int(m.tendon_adr[i] + m.tendon_num[i])):
            row[m.jnt_dofadr[m.wrap_objid[k]]] = m.wrap_prm[k]
        found -= m.tendon_frictionloss[i] * np.sign(row @ qd) * row
    return found


class RubbingFile(HardFile):
    """Dry friction as an effort against the rates, not as a constraint."""

    def acceleration(self, velocity: Any, turn: Any, rotation: Any, effort: Any) -> Any:
        m, d = self.model, self.data
        losses = m.dof_frictionloss, m.tendon_frictionloss
        told = [loss.copy() for loss in losses]
        for loss in losses:
            loss[:] = 0.0
        qd = self.rates(np.concatenate([velocity, rotation.T @ turn]))
        plain = super().acceleration(velocity, turn, rotation, effort)
        for loss, value in zip(losses, told, strict=True):
            loss[:] = value
        force = dry_effort(self, qd)
        for loss in losses:
            loss[:] = 0.0
        J, M = self._place(np.zeros(m.nv), 0.0)[0], np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        more = np.linalg.solve(system, np.concatenate([force, np.zeros(len(J))]))[self.top]
        return plain + np.concatenate([more[:3], rotation @ more[3:]])


def off(platform: gough.Platform, motion: gough.Motion, text: str) -> float:
    """Of the platform's acceleration, where the motors give what the equations ask for."""
    spins = [leg for leg in platform.legs if hasattr(leg, "reference")]
    spin = gough.Spin(np.zeros(6), np.zeros(6)) if spins else None
    effort = gough.inverse_dynamics(platform, motion, spin=spin, drives=True, engine="python").force
    spun = [
        f"{n}-upper"
        for n, leg in zip(platform.leg_names, platform.legs, strict=True)
        if leg in spins
    ]
    found = RubbingFile(text, spun).acceleration(
        motion.velocity, motion.angular_velocity, motion.rotation, effort
    )
    wanted = np.concatenate([motion.acceleration, motion.angular_acceleration])
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS", "SPS-general", "UCU-screw"])
def test_all_friction_is_in_the_file(kind: str) -> None:
    platform, motion = rubbing(kind)
    text = mjcf(platform, motion.pose, friction="all")
    assert off(platform, motion, text) < 1e-7
    assert off(platform, motion, mjcf(platform, motion.pose)) > 1e-4
    for word in ('frictionloss="', 'damping="'):
        planted = text.replace(word, f"{word}9", 1)
        assert planted != text
        assert off(platform, motion, planted) > 1e-6


def test_it_comes_back(tmp_path: Path) -> None:
    platform, motion = rubbing("PUS")
    found = read_mjcf(save_mjcf(platform, tmp_path / "m.xml", motion.pose, friction="all"))
    a, b = (
        gough.inverse_dynamics(p, motion, drives=True, engine="python").force
        for p in (platform, found)
    )
    assert np.abs(a - b).max() < 1e-12 * np.abs(a).max()
    assert [leg.friction.spherical for leg in found.legs] == [
        leg.friction.spherical for leg in platform.legs
    ]


def test_the_plates_joints_are_in_the_table() -> None:
    platform, motion = rubbing("PUS")
    home = motion.pose
    near = gough.Pose(
        home.position[None] + 0.01, (rotation_exp([0.03, 0.02, -0.04]) @ home.rotation)[None]
    )
    columns = joint_columns(platform, near, "mjcf", home, None, "all")
    m = mujoco.MjModel.from_xml_string(mjcf(platform, home, friction="all"))
    d, told = mujoco.MjData(m), {c.name: c.values[0] for c in columns}
    for i in range(6):
        at = int(m.joint(f"L{i + 1}-ball").qposadr[0])
        d.qpos[at : at + 4] = [told.pop(f"L{i + 1}-ball_q{x}") for x in "wxyz"]
    d.qpos[:7] = [told.pop(f"platform_{x}") for x in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    for name, value in told.items():
        d.qpos[int(m.joint(name).qposadr[0])] = value
    mujoco.mj_forward(m, d)
    ties = d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    assert ties.sum() == 36
    assert np.abs(d.efc_pos[ties]).max() < 1e-12


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"drive": {"static": 80.0}}, "drive.static"),
        ({"drive": {"efficiency": 0.8}}, "drive.efficiency"),
        ({"drive": {"backlash": 1e-4}}, "drive.backlash"),
        ({"drive": {"stiffness": 1e6}}, "drive.stiffness"),
        ({"friction": {"universal_dry": 0.01}}, "friction.universal_dry"),
        ({"friction": {"spherical_dry": 0.01}}, "friction.spherical_dry"),
    ],
)
def test_what_mjcf_has_no_word_for_is_refused(
    change: dict[str, dict[str, float]], field: str
) -> None:
    platform = gough.load("motion-base-1500")
    leg = platform.legs[2]
    own = {"drive": gough.Drive(ratio=1.0, coulomb=20.0), "friction": leg.friction}
    own |= {key: own[key].replace(**more) for key, more in change.items()}
    legs = [leg.replace(drive=None) for leg in platform.legs]
    legs[2] = legs[2].replace(**own)
    changed = platform.replace(legs=legs)
    with pytest.raises(gough.InputError, match=rf"legs\.L3\.{field}"):
        mjcf(changed, friction="all")
    assert "frictionloss" not in mjcf(changed)
    with pytest.raises(gough.InputError, match="must be one of joints, all"):
        mjcf(changed, friction="some")
