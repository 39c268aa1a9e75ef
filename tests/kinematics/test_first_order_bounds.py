"""Bounds of small intervals are the rates they are made of: to first order nothing is added and nothing is left out."""

from __future__ import annotations

import numpy as np
import pytest

from gough.kinematics.path_intervals import strut_at
from gough.layout import LEG_GEOMETRY as LEG
from gough.spatial import Pose, rotation_exp
from gough.struts import CRANK, SLIDER, joints, leg_table
from support.forward_machines import HOME, machine

REACH = 1e-6  # m


@pytest.mark.parametrize("kind", ["UPS", "PUS", "RUS"])
@pytest.mark.parametrize("leg", range(6))
def test_a_strut_moves_as_fast_as_its_joint_and_its_foot(kind: str, leg: int) -> None:
    """``S' = P' - c' (S.P')/(S.c')``: at most ``|P'| (1 + |c'| |S|/|S.c'|)`` of a crank, of a slider (where P' across
    the rail moves the foot) ``|P'| |S|/|S.e|``; of a strut |P'|."""
    platform = machine(kind)
    row, rng = leg_table(platform)[leg], np.random.default_rng(leg)
    pose = Pose(HOME.position + rng.uniform(-0.03, 0.03, 3), rotation_exp(0.1 * rng.normal(size=3)))
    P, S = (joints(platform, pose)[1] - platform.base_joints)[leg], np.empty(3)
    off = strut_at(row, P, REACH / 0.7, 0.7, 2.0, S)
    long = np.linalg.norm(S)
    due = 1.0
    if row[LEG.kind] == SLIDER:
        assert long == pytest.approx(row[LEG.length])
        due = long / abs(S @ row[LEG.e])
    elif row[LEG.kind] == CRANK:
        tip = P - S - row[LEG.h] * row[LEG.e]
        assert np.linalg.norm(tip) == pytest.approx(row[LEG.rho])
        due = 1.0 + row[LEG.rho] * long / abs(S @ np.cross(row[LEG.e], tip))
    assert off == pytest.approx(REACH * due, rel=1e-4)
