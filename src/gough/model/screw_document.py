"""The table ``screw`` of a UCU leg in a machine document: its keys are the class's fields."""

from __future__ import annotations

from gough.documents import kinds as k
from gough.documents.reader import Keyed, need
from gough.model.screw import HANDS, MOUNTS, Screw

SCREW = Keyed(
    "Screw",
    {
        "lead": need(k.scalar("length", above=0)),
        "hand": k.choice(tuple(HANDS)),
        "mount": k.choice(MOUNTS),
        "inertia": k.scalar("inertia", minimum=0),
        "zero": k.scalar("angle"),
    },
    Screw,
)
