"""Machines known for their assembly modes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from gough.checks import Array
from gough.model import SPS, Body, Platform, Source

EXAMPLES = ("dietmaier-1998",)


def example(name: str) -> tuple[Platform, Array]:
    """A machine without masses and the leg lengths (m) it is known for.

    dietmaier-1998: 40 real poses, as many as a platform can have (P. Dietmaier, The Stewart-Gough platform of
    general geometry can have 40 real postures, Advances in Robot Kinematics 1998).
    """
    data = json.loads(
        (Path(__file__).resolve().parent.parent / "data" / f"{name}.json").read_text()
    )
    legs = [SPS(base=b, joint=p) for b, p in zip(data["base"], data["platform"], strict=True)]
    source = Source(title=data["source"])
    return Platform(Body(0.0), legs, gravity=(0, 0, 0), name=name, source=source), np.array(
        data["leg_lengths"]
    )
