"""Where the legs are for a pose, and the pose for the legs: inverse, forward, assembly modes, Jacobians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.lazy import lazy

if TYPE_CHECKING:
    from gough.kinematics import assembly as assembly
    from gough.kinematics import forward as forward
    from gough.kinematics import inverse as inverse
    from gough.kinematics import jacobian as jacobian
    from gough.kinematics.assembly import AssemblyModes as AssemblyModes
    from gough.kinematics.assembly import assembly_modes as assembly_modes
    from gough.kinematics.assembly import explain as explain
    from gough.kinematics.forward import actuator_coordinates as actuator_coordinates
    from gough.kinematics.forward import forward_accelerations as forward_accelerations
    from gough.kinematics.forward import forward_kinematics as forward_kinematics
    from gough.kinematics.forward import forward_rates as forward_rates
    from gough.kinematics.forward import track as track
    from gough.kinematics.inverse import inverse_kinematics as inverse_kinematics
    from gough.kinematics.jacobian import jacobian_dot as jacobian_dot
    from gough.kinematics.jacobian import wrench_matrix as wrench_matrix

__getattr__, __dir__ = lazy(__name__, {
    "gough.kinematics.assembly": ("AssemblyModes", "assembly_modes", "explain"),
    "gough.kinematics.forward": ("actuator_coordinates", "forward_accelerations", "forward_kinematics",
                                 "forward_rates", "track"),
    "gough.kinematics.inverse": ("inverse_kinematics",),
    "gough.kinematics.jacobian": ("jacobian_dot", "wrench_matrix"),
}, ("assembly", "forward", "inverse", "jacobian"))
