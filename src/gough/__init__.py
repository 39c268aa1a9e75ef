"""gough: the toolkit for Gough-Stewart platforms.

Describe a machine once; get its kinematics, its dynamics by five published formulations that agree to round-off,
its simulation, control and design.  The verbs load their rooms when first used, so the import stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy
from gough.base_motion import BaseMotion as BaseMotion
from gough.checks import GoughError as GoughError
from gough.checks import InfeasibleError as InfeasibleError
from gough.checks import InputError as InputError
from gough.extras import MissingPackageError as MissingPackageError
from gough.model import PSU as PSU
from gough.model import PUS as PUS
from gough.model import RSS as RSS
from gough.model import RUS as RUS
from gough.model import SPS as SPS
from gough.model import UCS as UCS
from gough.model import UCU as UCU
from gough.model import UPS as UPS
from gough.model import Body as Body
from gough.model import Drive as Drive
from gough.model import Encoder as Encoder
from gough.model import Frames as Frames
from gough.model import Friction as Friction
from gough.model import Hydraulic as Hydraulic
from gough.model import JointOffset as JointOffset
from gough.model import JointSprings as JointSprings
from gough.model import Limits as Limits
from gough.model import ModelWarning as ModelWarning
from gough.model import Plate as Plate
from gough.model import Platform as Platform
from gough.model import Screw as Screw
from gough.model import Source as Source
from gough.spatial import Motion as Motion
from gough.spatial import Pose as Pose
from gough.status import Status as Status

if TYPE_CHECKING:
    from gough import analysis as analysis
    from gough import control as control
    from gough import cueing as cueing
    from gough import design as design
    from gough import export as export
    from gough import formulations as formulations
    from gough import importing as importing
    from gough import kinematics as kinematics
    from gough import report as report
    from gough import simulation as simulation
    from gough import trajectory as trajectory
    from gough.analysis.path_planner import plan_path as plan_path
    from gough.analysis.reachable import reach as reach
    from gough.analysis.travels import travel as travel
    from gough.dynamics import bias as bias
    from gough.dynamics import energy as energy
    from gough.dynamics import forward_dynamics as forward_dynamics
    from gough.dynamics import inverse_dynamics as inverse_dynamics
    from gough.dynamics import jax as jax
    from gough.dynamics import mass_matrix as mass_matrix
    from gough.dynamics.derivatives import (
        forward_dynamics_derivatives as forward_dynamics_derivatives,
    )
    from gough.dynamics.derivatives import (
        inverse_dynamics_derivatives as inverse_dynamics_derivatives,
    )
    from gough.engines.single_state import lean as lean
    from gough.export.mujoco_bridge import mujoco as mujoco
    from gough.export.pinocchio_bridge import pinocchio as pinocchio
    from gough.kinematics.assembly import assembly_modes as assembly_modes
    from gough.kinematics.encoders import from_readings as from_readings
    from gough.kinematics.encoders import readings as readings
    from gough.kinematics.estimation import estimate_pose as estimate_pose
    from gough.kinematics.forward import forward_accelerations as forward_accelerations
    from gough.kinematics.forward import forward_kinematics as forward_kinematics
    from gough.kinematics.forward import forward_rates as forward_rates
    from gough.kinematics.forward import track as track
    from gough.kinematics.inverse import inverse_kinematics as inverse_kinematics
    from gough.kinematics.jacobian import jacobian as jacobian
    from gough.kinematics.jacobian import jacobian_dot as jacobian_dot
    from gough.kinematics.links import freedom as freedom
    from gough.kinematics.links import on_links as on_links
    from gough.kinematics.mode_boxes import modes_within as modes_within
    from gough.kinematics.uncertainty import pose_uncertainty as pose_uncertainty
    from gough.model.files import MachineFileError as MachineFileError
    from gough.model.files import dumps as dumps
    from gough.model.files import json_schema as json_schema
    from gough.model.files import load as load
    from gough.model.files import loads as loads
    from gough.model.files import preset_summary as preset_summary
    from gough.model.files import presets as presets
    from gough.model.files import save as save
    from gough.model.geometry import cubic as cubic
    from gough.model.geometry import hexaglide as hexaglide
    from gough.model.geometry import hexapod as hexapod
    from gough.model.geometry import octahedral as octahedral
    from gough.model.geometry import servo_hexapod as servo_hexapod
    from gough.model.geometry import six_three as six_three
    from gough.results import Spin as Spin
    from gough.simulation import State as State
    from gough.simulation import gym as gym
    from gough.simulation import scenario as scenario
    from gough.simulation import simulate as simulate
    from gough.simulation.simulator import Simulator as Simulator

__version__ = "0.2.0"

__getattr__, __dir__ = lazy.attach(__name__)
