"""Models that are wrong on purpose: what a controller believes while the machine is another."""

from __future__ import annotations

from gough.checks import number
from gough.model import Body, Platform


def with_payload_error(platform: Platform, error: float) -> Platform:
    """The machine with platform mass and inertia multiplied by ``1 + error`` (0.2: 20 % too heavy)."""
    factor = 1.0 + number("error", error, above=-1.0)
    body = platform.body
    return platform.replace(body=Body(body.mass * factor, body.center, body.inertia * factor))
