"""Which inertial parameters a motion shows: the rank of the regressor along it.

    Y(t_1) ... Y(t_N), stacked (6 N, 10)      efforts change by Y dp (world axes, adaptive.py)
Columns in units of the body's own mass, size and inertia, rows in its weight.  What the stack maps to nothing cannot be
told from the efforts of this motion, by no method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InputError
from gough.control.adaptive import PAYLOAD, regressor
from gough.control.tracking import ahead
from gough.frozen import hinted
from gough.layout import TWIST
from gough.model import Platform
from gough.spatial import Motion

NAMES = ("mass", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
LOST = 1e-6  # of the largest: singular values below are none


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Excitation:
    """Singular values (10,) of the scaled regressor, root mean square over the motion, largest first.

    scale      (10,) kg, kg m, kg m^2: units of the parameters
    hidden     (10 - rank, 10) directions of the parameters (in their units) that do not show
    """

    values: Array
    scale: Array
    hidden: Array

    @property
    def rank(self) -> int:
        """How many combinations of the ten parameters can be identified."""
        return len(self.values) - len(self.hidden)

    @property
    def identifiable(self) -> tuple[str, ...]:
        """Parameters that can be identified by themselves: no hidden direction contains them."""
        share = np.abs(self.hidden).max(axis=0, initial=0.0)
        return tuple(name for name, x in zip(NAMES, share, strict=True) if x < 1e3 * LOST)

    def __str__(self) -> str:
        if not len(self.hidden):
            return "all ten parameters of the body are identifiable along this motion"
        missing = ", ".join(name for name in NAMES if name not in self.identifiable)
        return f"not identifiable along this motion: {missing} ({self.rank} of 10 combinations are)"


def excitation(model: Platform, motion: Motion) -> Excitation:
    """What a motion (n,), with its accelerations, can teach about the platform's body; see the module."""
    if len(motion.shape) != 1 or not motion.shape[0]:
        raise InputError("motion", f"shape {motion.shape}", "must be a row of instants")
    body, g = model.body, max(float(np.linalg.norm(model.gravity)), 1.0)
    if body.mass <= 0.0:
        raise InputError("platform.body.mass", body.mass, "must be above zero")
    around = np.trace(body.inertia) / 3.0 + body.mass * (body.center @ body.center)
    length = np.sqrt(max(float(around) / body.mass, 1e-6))
    scale = np.empty(PAYLOAD.size)
    scale[PAYLOAD.mass], scale[PAYLOAD.first] = body.mass, body.mass * length
    scale[PAYLOAD.inertia] = body.mass * length**2
    rows = np.empty(TWIST.size)
    rows[TWIST.linear], rows[TWIST.angular] = body.mass * g, body.mass * g * length
    wanted = ahead(motion)
    Y = regressor(model, motion, wanted, np.zeros_like(wanted)) * scale / rows[:, None]
    _, values, V = np.linalg.svd(
        Y.reshape(-1, PAYLOAD.size) / np.sqrt(len(wanted)), full_matrices=False
    )
    values = np.pad(values, (0, PAYLOAD.size - len(values)))
    rank = int((values > LOST * values.max(initial=0.0)).sum())
    return Excitation(values, scale, _rest(V[:rank]))


def _rest(seen: Array) -> Array:
    """Orthonormal rows that complete those given to a basis of the ten parameters."""
    _, _, V = np.linalg.svd(seen, full_matrices=True)
    return V[len(seen) :]
