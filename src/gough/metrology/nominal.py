"""What the readings leave before a calibration: the machine with its numbers as they are, only the poses fitted.

Nobody knows exactly where the platform stood, so the poses are free before as they are after; the two sums of squares
differ by what the machine's numbers explain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.checks import Array
from gough.metrology.calibration import Readings, readings_model
from gough.metrology.fit import WeightedRows, fitted
from gough.model import Platform
from gough.spatial import Pose


class PosesAlone:
    """The same readings with no unknown but the poses."""

    def __init__(self, model: Readings) -> None:
        self.model = model
        self.begin, self.known = model.begin, np.zeros_like(model.known)

    def rows(self, z: Array, pose: Pose) -> WeightedRows:
        """Misreadings, and their slopes over the poses."""
        rows = self.model.rows(z, pose)
        return WeightedRows(rows.misread, np.zeros_like(rows.by_unknowns), rows.by_pose)

    def weights(self, misread: Array) -> Array:
        """One each: residuals are told of all readings alike."""
        return np.ones_like(misread)


def nominal_residuals(platform: Platform, **given: Any) -> dict[str, Array] | None:
    """Residuals of the nominal machine by source, as `Calibration.residual`; None: the poses were not found.

    given   what `calibrate` takes beside the machine (`load_readings`)
    """
    options = {key: value for key, value in given.items() if key not in ("noise", "tolerance")}
    model, pose = readings_model(platform, **options)
    found = fitted(PosesAlone(model), model.begin, pose, model.sizes)
    if not found.settled:
        return None
    widths = {"actuator": model.spread} | {
        name: sensor.spread() for name, (sensor, _) in model.measured.items()
    }
    cuts = np.cumsum([len(s) for s in widths.values()])[:-1]
    parts = np.split(found.rows.misread, cuts, axis=1)
    return {name: r * s for (name, s), r in zip(widths.items(), parts, strict=True)}
