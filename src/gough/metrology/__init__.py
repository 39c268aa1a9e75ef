"""What a real machine is: geometric calibration from measurements, poses to measure at, identification.

Every name below is ``gough.metrology.<name>``; its room is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.metrology.calibration import calibrate as calibrate
    from gough.metrology.candidates import reachable_poses as reachable_poses
    from gough.metrology.compensation import heated as heated
    from gough.metrology.compensation import load_compensation as load_compensation
    from gough.metrology.compensation import thermal_compensation as thermal_compensation
    from gough.metrology.exciting import excite as excite
    from gough.metrology.identification import identify as identify
    from gough.metrology.identification import regressor as regressor
    from gough.metrology.planning import plan_poses as plan_poses
    from gough.metrology.sensors import DistanceSensor as DistanceSensor
    from gough.metrology.sensors import PointSensor as PointSensor
    from gough.metrology.sensors import PoseSensor as PoseSensor
    from gough.metrology.sensors import SwingSensor as SwingSensor
    from gough.metrology.sensors import TiltSensor as TiltSensor

__getattr__, __dir__ = lazy.attach(__name__)
