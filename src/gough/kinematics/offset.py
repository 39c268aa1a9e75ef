"""How surely legs with offset universal joints are closed: the contraction number of their closure."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines.evaluate import check_platform
from gough.model import Platform
from gough.offset_legs import contraction, offset_legs
from gough.spatial import Motion, Pose
from gough.struts import joints


def offset_contraction(platform: Platform, pose: Pose | Motion) -> Array:
    """(..., 6) q of the closure ``s <- unit(P - Delta(s))`` of each leg with offset universal joints; 0 for other legs.

    ``q = [(|e_1| + |o_1|)/sg_1 + (|e_2| + |o_2|)/sg_2]/(|P| - dl)`` with ``|o| = sqrt(d^2 + f^2)``, dl the sum of the
    four lengths, ``sg = sin(angle of first axis and P - asin(dl/|P|))``.  Below 1 the leg has exactly one direction
    with a positive length: an answer that is given is that one.  From 1 on (infinite: the bound is void) an answer that
    is given still closes the leg, to rounding, but it is not proved to be the only one.  UPS legs are closed in closed
    form: 0.
    Source: docs/derivations/offset.md
    """
    check_platform(platform)
    legs, (_, end) = offset_legs(platform), joints(platform, pose)
    out = np.zeros(end.shape[:-1])
    if legs is not None:
        P = end[..., legs.legs, :] - legs.base
        out[..., legs.legs] = contraction(legs, P, legs.platform_axes(pose.rotation))
    return out
