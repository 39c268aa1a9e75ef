"""A machine that turns about a shaft as far as it likes."""

from __future__ import annotations

import numpy as np

import gough
from gough.model import RUS

RADIUS, TOP, HEIGHT, AHEAD = 1.0, 0.6, 0.7, 0.5  # m, m, m, rad from a platform joint to its crank


def carousel() -> gough.Platform:
    """Six cranks on one upright shaft (as of a Rotopod): the platform turns about it as far as it likes."""
    legs = []
    for i in range(6):
        side, at = (1 if i % 2 else -1), np.pi / 3 * (i // 2 * 2) + 0.2 * (i % 2)
        tip = at + side * AHEAD
        arm = RADIUS * np.array([np.cos(tip), np.sin(tip), 0.0])
        joint = np.array([TOP * np.cos(at), TOP * np.sin(at), 0.0])
        rod = np.linalg.norm(joint + np.array([0.0, 0.0, HEIGHT]) - arm)
        body = gough.Body(2.0, 0.5 * arm, np.diag([0.2, 0.2, 0.3]))
        link = gough.Body(1.0, [0.0, 0.0, 0.5 * rod], np.diag([0.05, 0.05, 0.01]))
        made = {"base": [0.0, 0.0, 0.0], "shaft": [0.0, 0.0, 1.0], "arm": arm, "joint": joint}
        axis = np.cross([0.0, 0.0, 1.0], arm) / RADIUS
        legs.append(RUS(**made, axis=axis, length=rod, crank=body, link=link, elbow=side))
    top = gough.Body(20.0, np.zeros(3), np.diag([2.0, 2.0, 3.0]))
    return gough.Platform(legs=legs, body=top, home=gough.Pose([0.0, 0.0, HEIGHT], np.eye(3)))
