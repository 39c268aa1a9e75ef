"""Run a simulation for the page: a controller follows the trajectory of the builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gough
from gough.model import Platform
from gough.spatial import Motion
from gough.studio import messages as m

CONTROLLERS = ("computed-force", "decentralised", "task-space")


def simulate(platform: Platform, message: m.Simulate, reference: Motion, report: Callable[[float, str], None],
             cancelled: Callable[[], bool]) -> tuple[dict[str, Any], dict[str, Any], list[str], list[str]]:
    """Data, summary, refusals and notes of the simulated motion."""
    if not hasattr(gough, "simulate"):
        raise NotImplementedError("gough.simulate is not in this version")
    raise NotImplementedError("simulation from the studio")
