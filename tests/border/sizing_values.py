"""Good values for the verbs of sizing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import gough

CATALOGUE = Path(gough.__file__).parents[2] / "examples" / "drives" / "catalogue.toml"
OVER_BOXES = ("worst_effort", "payload_capacity", "choose_springs")


def sizing_values(platform: gough.Platform, path: Any) -> dict[tuple[str, str], Callable[[], Any]]:
    """By verb and argument; searches are kept short."""
    shared: dict[str, Callable[[], Any]] = {
        "box": lambda: [0.01, 0.01, 0.01],
        "tilt": lambda: [0.01, 0.0, 0.0],
        **dict.fromkeys(("force", "moment", "acceleration"), lambda: 1.0),
        "angular_acceleration": lambda: 1.0,
        **dict.fromkeys(("point", "center"), lambda: [0.0, 0.0, 0.1]),
        **dict.fromkeys(("stiffness", "rest"), lambda: np.ones(6)),
        **dict.fromkeys(("softest", "stiffest"), lambda: 10.0),
        "tolerance": lambda: 0.5,
        "boxes": lambda: 8,
        "wish": lambda: "rms",
        "prove": lambda: False,
    }

    def strong() -> gough.Platform:
        most = gough.Limits(force=1e6)
        return platform.replace(legs=[leg.replace(limits=most) for leg in platform.legs])

    return {
        **{(verb, name): value for verb in OVER_BOXES for name, value in shared.items()},
        ("payload_capacity", "platform"): strong,
        ("select_drives", "catalogue"): lambda: gough.analysis.load_catalogue(CATALOGUE),
        ("select_drives", "motions"): lambda: [path.sample(4)],
        ("select_drives", "life"): lambda: 10.0,
        ("bearing_life", "motion"): lambda: path.sample(4),
        **{("bearing_life", n): lambda: 1e4 for n in ("base_rating", "platform_rating")},
        ("bearing_life", "kind"): lambda: "roller",
    }
