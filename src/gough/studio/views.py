"""Which function answers which message of view_messages.py, calibration_messages.py and cueing_messages.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gough.studio import calibration_messages as cm
from gough.studio import cueing_messages as c
from gough.studio import view_messages as v
from gough.studio.calibration_code import show_calibration
from gough.studio.calibrations import calibrate_machine, list_unknowns, plan_measurements
from gough.studio.comparison import solve_other
from gough.studio.cue_motions import make_cue, offer_cues
from gough.studio.machine_files import export_machine
from gough.studio.messages import Request
from gough.studio.tracks import find_travel
from gough.studio.volumes import map_volume
from gough.studio.ways_between import find_way, rate_poses

if TYPE_CHECKING:
    from gough.studio.session import Session

ANSWERING: dict[type[Request], Callable[[Session, Any], Any]] = {
    v.MapVolume: map_volume,
    v.FindTravel: find_travel,
    v.RatePoses: rate_poses,
    v.FindWay: find_way,
    v.SolveOther: solve_other,
    v.ExportMachine: export_machine,
    cm.ListUnknowns: list_unknowns,
    cm.Calibrate: calibrate_machine,
    cm.PlanPoses: plan_measurements,
    cm.ShowCalibration: show_calibration,
    c.OfferCues: offer_cues,
    c.MakeCue: make_cue,
}
SLOW = (v.MapVolume, v.FindTravel, v.FindWay, cm.Calibrate, cm.PlanPoses, c.MakeCue)


def answer(session: Session, message: Request) -> Any:
    """The answer to a message of these files."""
    return ANSWERING[type(message)](session, message)
