"""How far each slider of the page can go from the pose on screen: `gough.travel` in the page's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gough
from gough.orientations import OTHERS
from gough.studio import view_messages as v
from gough.studio.numbering import frames_of, place

if TYPE_CHECKING:
    from gough.studio.session import Session


def find_travel(session: Session, message: v.FindTravel) -> v.TravelShown:
    """Ends of the six numbers, each with the others where they are."""
    platform = session.platform
    frames = frames_of(platform, message.show)
    found = gough.travel(platform, place(platform, message.pose), frames=frames)
    convention = message.show.convention
    return v.TravelShown(
        message.id,
        session.count,
        tuple(found.entered.tolist()),
        tuple((found.entered[:6] + found.low).tolist()),
        tuple((found.entered[:6] + found.high).tolist()),
        tuple(found.reason(axis, False) for axis in range(6)),
        tuple(found.reason(axis, True) for axis in range(6)),
        found.proved,
        convention == "rpy" or convention not in OTHERS,
        found.unchecked,
    )
