"""Where the legs are for a pose, and the pose for the legs: inverse, forward, assembly modes, Jacobians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.kinematics import aspects as aspects
    from gough.kinematics import assembly as assembly
    from gough.kinematics import forward as forward
    from gough.kinematics import inverse as inverse
    from gough.kinematics import jacobian as jacobian
    from gough.kinematics.estimation import Distance as Distance
    from gough.kinematics.estimation import Inclinometer as Inclinometer
    from gough.kinematics.offset import offset_contraction as offset_contraction

__getattr__, __dir__ = lazy.attach(__name__)
