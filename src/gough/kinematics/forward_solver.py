"""Which loop answers forward problems: the compiled one, the same functions uncompiled, or that of a GPU."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gough.engines.background import Wanted, mark, plainly
from gough.engines.plain_modules import plain_kernel
from gough.layout import FORWARD_SOLUTION as INFO
from gough.layout import LEG_GEOMETRY as LEG
from gough.layout import POSE
from gough.model import Platform

COMPILED = Wanted("forward_kinematics", "gough.kinematics.forward_solver:compiled")
FEW = 16  # poses that take plain Python some ten milliseconds each


def solver(platform: Platform, engine: str, problems: int) -> Any:
    """The loop of an engine; "auto": the compiled one, for a few problems the plain one while it is being compiled."""
    if engine == "native":
        return compiled()
    if engine == "auto":
        if not compiled.cache_info().currsize and plainly(COMPILED, problems, FEW):
            return plain_kernel("gough.kinematics.forward_batch", "solve_batch")
        return compiled()
    from gough.kinematics.forward_card import check_engine, solve_on_card

    check_engine(platform, engine)
    return solve_on_card


@lru_cache(maxsize=1)
def compiled() -> Any:
    """The compiled loop over problems, ready: from the disk, or compiled now."""
    from gough.kinematics.forward_batch import solve_batch

    table, nowhere = np.zeros((6, LEG.size)), np.full((1, 6), np.nan)
    pose, info = np.zeros((1, POSE.size)), np.zeros((1, INFO.size))
    solve_batch(table, nowhere, pose.copy(), 1.0, 0.0, True, pose, info)
    mark(COMPILED)
    return solve_batch
