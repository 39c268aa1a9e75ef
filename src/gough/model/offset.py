"""Universal joints whose axes do not meet ("modified Cardan" joints), with the cross piece between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gough.checks import Checked, InputError, instance, number
from gough.frozen import hinted
from gough.model.body import Body

_NO_BODY = Body(0.0)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class JointOffset(Checked):
    """Offsets of one universal joint, m, whose axes are at right angles.

    e      from the first axis k to the second one y, along their common normal ``n = y x k``, which leans along s
    d, f   from the second axis to the leg's axis: along ``z = s x y`` and along y
    cross  the cross piece, which turns about the first axis only: origin at the joint's center, axes [n, y, k]
    With ``y = k x s/|k x s|``; an offset along the leg is part of its length.  The usual stacking, second axes between
    the first ones, has e > 0 at the base and e < 0 at the platform.
    """

    e: float = 0.0
    d: float = 0.0
    f: float = 0.0
    cross: Body = _NO_BODY

    CHECKS: ClassVar = {**dict.fromkeys(("e", "d", "f"), number), "cross": instance(Body)}


def check_offset(field: str, value: Any) -> JointOffset | None:
    """A `JointOffset` or None."""
    if not (value is None or isinstance(value, JointOffset)):
        raise InputError(field, value, "must be a gough.JointOffset or None")
    return value


def offset(leg: Any) -> bool:
    """A universal joint of this leg has offsets (or a cross piece of its own)."""
    sides = (getattr(leg, f"{side}_offset", None) for side in ("base", "platform"))
    return any(side is not None for side in sides)


def refuse_with_offsets(leg: Any) -> None:
    """What is not known of legs with offsets: lengths that are held."""
    if offset(leg) and getattr(leg, "fixed", None) is not None:
        raise InputError("fixed", leg.fixed, "is not known for legs whose joints have offsets")
