"""What a machine can do: limits, workspace, singularities, sizing, sensitivity, linear models.

Every name below is ``gough.analysis.<name>``; its room is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.analysis import singularity as singularity
    from gough.analysis import volume as volume
    from gough.analysis import workspace as workspace
    from gough.analysis.base_excitation import transmissibility as transmissibility
    from gough.analysis.catalogue import load_catalogue as load_catalogue
    from gough.analysis.connected import reachable_volume as reachable_volume
    from gough.analysis.drive_choice import select_drives as select_drives
    from gough.analysis.effort_bounds import payload_capacity as payload_capacity
    from gough.analysis.effort_bounds import worst_effort as worst_effort
    from gough.analysis.envelope import limit_report as limit_report
    from gough.analysis.gravity_springs import choose_springs as choose_springs
    from gough.analysis.natural_modes import modes as modes
    from gough.analysis.pacing import pace_path as pace_path
    from gough.analysis.points import points_inside as points_inside
    from gough.analysis.proved import proved_limits as proved_limits
    from gough.analysis.rating_life import bearing_life as bearing_life
    from gough.analysis.sensitivity import error_budget as error_budget
    from gough.analysis.sensitivity import force_sensitivity as force_sensitivity
    from gough.analysis.sensitivity import monte_carlo as monte_carlo
    from gough.analysis.sensitivity import pose_sensitivity as pose_sensitivity
    from gough.analysis.singularity import clearance as clearance
    from gough.analysis.singularity import path_check as path_check
    from gough.analysis.sizing import size as size
    from gough.analysis.sizing import with_payload as with_payload
    from gough.analysis.state_space import linearize as linearize
    from gough.analysis.stiffness import compliance as compliance
    from gough.analysis.stiffness import stiffness_matrix as stiffness_matrix
    from gough.analysis.volume import certified_volume as certified_volume
    from gough.analysis.volume import exact_volume as exact_volume
    from gough.analysis.volume import grid_volume as grid_volume
    from gough.analysis.volume import orientation_set as orientation_set
    from gough.analysis.volume import orientation_volume as orientation_volume
    from gough.analysis.volume import slice_profile as slice_profile
    from gough.analysis.workspace import workspace_slice as workspace_slice
    from gough.analysis.workspace_maps import workspace_map as workspace_map
    from gough.kinematics import aspects as aspects
    from gough.limits import check as check

__getattr__, __dir__ = lazy.attach(__name__)
