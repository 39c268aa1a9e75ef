"""The error for a pose that cannot be taken: which state, when, which leg and why (`gough.reach`)."""

from __future__ import annotations

import numpy as np

from gough.checks import InfeasibleError
from gough.model import Platform
from gough.reach import pose_problem as pose_problem
from gough.spatial import Motion


def refuse(platform: Platform, motion: Motion, flagged: object, otherwise: str) -> InfeasibleError:
    """The error for the first flagged state (booleans of batch shape), with its index, time and reason."""
    bad = np.asarray(flagged)
    index = np.unravel_index(int(np.argmax(bad)), bad.shape) if bad.shape else ()
    problem = pose_problem(platform, motion.position[index], motion.rotation[index]) or otherwise
    where = "" if not index else f"state {', '.join(str(int(i)) for i in index)}"
    if motion.time is not None:
        where += f" (t = {float(motion.time[index]):.6g} s)"
    return InfeasibleError(f"{where + ': ' if where else ''}{problem}")


def ill_conditioned(condition: float, limit: float) -> str:
    """The sentence for a platform singularity, or a pose too near one."""
    return (
        f"singular: condition number {condition:.3g} exceeds {limit:.3g}; "
        "pass a larger max_condition to compute the forces all the same"
    )
