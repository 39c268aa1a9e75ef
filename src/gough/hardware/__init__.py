"""Beside a real machine, or in its place: set-points over UDP, an emulated hexapod controller over TCP.

Everything here listens on 127.0.0.1 unless told otherwise, holds bounded memory, and answers hostile input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.hardware.client import ControllerClient as ControllerClient
    from gough.hardware.client import ControllerError as ControllerError
    from gough.hardware.controller import HexapodController as HexapodController
    from gough.hardware.follower import PoseFollower as PoseFollower
    from gough.hardware.planning import MoveLimits as MoveLimits
    from gough.hardware.server import ControllerServer as ControllerServer
    from gough.hardware.setpoints import SetpointReceiver as SetpointReceiver
    from gough.hardware.streaming import SetpointServer as SetpointServer

__getattr__, __dir__ = lazy.attach(__name__)
