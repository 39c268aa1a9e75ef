"""Motions in time: frozen callables from time to Motion.

``line``, ``uniform``, ``trigonometric``, ``quintic`` between two poses; ``there_and_back``, ``sequence``,
``hold``, ``retimed``, ``paced``; ``harmonic`` and ``acceleration_profile``; ``waypoints`` and ``recorded``;
``jerk_limited`` moves; ``sea_state``, ``shaking`` (earthquakes) and ``sweep`` (vibration); ``legs_harmonic`` and
``legs_move`` in leg space; ``load_trajectory`` from a TOML, CSV or NetCDF file; ``paper`` for the paths of the source
papers; ``on_links`` for machines with fixed links.
"""

from gough import border
from gough.trajectory.base import Trajectory as Trajectory
from gough.trajectory.base import time_grid as time_grid
from gough.trajectory.compose import hold as hold
from gough.trajectory.compose import retimed as retimed
from gough.trajectory.compose import sequence as sequence
from gough.trajectory.compose import there_and_back as there_and_back
from gough.trajectory.definition import load_trajectory as load_trajectory
from gough.trajectory.definition import trajectory_from as trajectory_from
from gough.trajectory.harmonic import acceleration_profile as acceleration_profile
from gough.trajectory.harmonic import harmonic as harmonic
from gough.trajectory.jerk_limited import constant_jerk as constant_jerk
from gough.trajectory.jerk_limited import jerk_limited as jerk_limited
from gough.trajectory.jerk_limited import legs_move as legs_move
from gough.trajectory.legs import LegTrajectory as LegTrajectory
from gough.trajectory.legs import legs_harmonic as legs_harmonic
from gough.trajectory.linked import on_links as on_links
from gough.trajectory.optimal import time_optimal as time_optimal
from gough.trajectory.paced import paced as paced
from gough.trajectory.papers import paper as paper
from gough.trajectory.papers import papers as papers
from gough.trajectory.point_to_point import line as line
from gough.trajectory.point_to_point import move as move
from gough.trajectory.point_to_point import quintic as quintic
from gough.trajectory.point_to_point import trigonometric as trigonometric
from gough.trajectory.point_to_point import uniform as uniform
from gough.trajectory.recorded import recorded as recorded
from gough.trajectory.sea import Responses as Responses
from gough.trajectory.sea import jonswap as jonswap
from gough.trajectory.sea import load_responses as load_responses
from gough.trajectory.sea import sea_state as sea_state
from gough.trajectory.shaking import load_shaking as load_shaking
from gough.trajectory.shaking import shaking as shaking
from gough.trajectory.sweeps import sweep as sweep
from gough.trajectory.waypoints import through_motion as through_motion
from gough.trajectory.waypoints import waypoints as waypoints

border.guard(__name__)
