"""Which function answers which message of view_messages.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gough.studio import view_messages as v
from gough.studio.comparison import solve_other
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
}
SLOW = (v.MapVolume, v.FindTravel, v.FindWay)


def answer(session: Session, message: Request) -> Any:
    """The answer to a message of view_messages.py."""
    return ANSWERING[type(message)](session, message)
