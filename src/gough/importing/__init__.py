"""Machines from model files of other programs: MJCF, URDF with its loops; motions from joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.importing.joint_motions import joint_motion as joint_motion
    from gough.importing.machines import read_mjcf as read_mjcf
    from gough.importing.machines import read_urdf as read_urdf

__getattr__, __dir__ = lazy.attach(__name__)
