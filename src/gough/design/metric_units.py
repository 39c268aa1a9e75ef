"""Values of metrics in files: in the unit of the metric, which for cranks is another (rad for m, N m for N)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gough.checks import InputError
from gough.design.metrics import METRICS
from gough.documents.kinds import scalar
from gough.documents.reader import Value, ValueKind
from gough.documents.units import unit_names

DIMENSION = {
    "m": "length",
    "rad": "angle",
    "N": "force",
    "N m": "torque",
    "m/s": "speed",
    "rad/s": "rate",
    "1": "pure number",
    "m^3": "volume",
    "N/m": "linear stiffness",
    "N m/rad": "rotary stiffness",
    "Hz": "frequency",
    "kg": "mass",
}


class GivenIn(float):
    """A number in SI that was written with a unit, and the unit's dimension."""

    dimension: str


def of_metric(name: str) -> ValueKind[float]:
    """A value of a metric, in its own unit; where cranks have another, in either."""
    metric = METRICS[name]
    kinds = [
        scalar(DIMENSION.get(unit, "pure number"))
        for unit in (metric.unit, metric.rotary)
        if unit not in ("", "-")
    ]
    if len(kinds) == 1:
        return kinds[0]

    def convert(value: Any) -> float:
        for kind, unit in zip(kinds, (metric.unit, metric.rotary), strict=True):
            dimension = DIMENSION.get(unit, "pure number")
            try:
                x = GivenIn(kind.convert(value))
            except InputError:
                continue
            if not isinstance(value, str):
                return float(x)
            x.dimension = dimension
            return x
        known = (DIMENSION.get(u, "pure number") for u in (metric.unit, metric.rotary))
        units = " or ".join(unit_names(d)[0] for d in known)
        raise InputError("", value, f"must be a number, or text with a unit such as {units}")

    return Value(convert, {"anyOf": [kind.schema({}) for kind in kinds]})


def check_given(field: str, value: float | None, unit: str) -> None:
    """Refuse a value that was written in the unit of other legs."""
    if isinstance(value, GivenIn) and value.dimension != DIMENSION.get(unit, "pure number"):
        told = f"was given as {value.dimension}, but the legs of this machine have {unit}"
        raise InputError(field, float(value), told)


def metric_names(names: Iterable[str]) -> Value[list[str]]:
    """A list of names of metrics."""

    def convert(value: Any) -> list[str]:
        known = isinstance(value, list) and all(isinstance(m, str) and m in names for m in value)
        if not known or not value:
            raise InputError("", value, f"must be a list of names among {', '.join(names)}")
        return value

    return Value(convert, {"type": "array", "items": {"enum": list(names)}})
