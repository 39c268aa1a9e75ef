"""Metrics of the user: functions of a Python file, each marked by `metric` with its unit, wish and meaning."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast

from gough.checks import InputError
from gough.design.metrics import METRICS, Metric, Trial

_MARK = "__gough_metric__"


class OwnMetrics(NamedTuple):
    """Metrics by name, the file they come from and the SHA-256 of its bytes (not of what it imports)."""

    metrics: dict[str, Metric]
    path: str
    digest: str


NONE = OwnMetrics({}, "", "")


def metric(
    unit: str, wish: str, about: str
) -> Callable[[Callable[[Trial], float]], Callable[[Trial], float]]:
    """Mark a function of a `Trial` as a metric: its unit, "small" or "large" wanted, and what it means."""
    if wish not in ("small", "large"):
        raise InputError("wish", wish, "must be small or large")

    def mark(function: Callable[[Trial], float]) -> Callable[[Trial], float]:
        setattr(function, _MARK, {"unit": unit, "wish": wish, "about": about})
        return function

    return mark


def load_metrics(path: str | os.PathLike[str]) -> OwnMetrics:
    """Run a Python file and take its metrics; it runs with the rights of this process."""
    file = Path(path)
    if file.suffix != ".py":
        raise InputError("functions", str(path), "must be a Python file (.py)")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError("functions", str(path), f"cannot be read: {error.strerror}") from None
    module = ModuleType(f"gough_metrics_{file.stem}")
    module.__file__ = str(file)
    try:
        exec(compile(content, str(file), "exec"), vars(module))
    except Exception as error:
        told = f"cannot be run: {type(error).__name__}: {error}"
        raise InputError("functions", str(path), told) from error
    found = {
        name: Metric(**getattr(thing, _MARK), of=cast("Callable[[Trial], float]", thing))
        for name, thing in vars(module).items()
        if callable(thing) and hasattr(thing, _MARK)
    }
    if not found:
        raise InputError(
            "functions", str(path), "must hold a function marked by gough.design.metric"
        )
    for name in found:
        if name in METRICS:
            raise InputError("functions", name, "is the name of a metric of gough; choose another")
    return OwnMetrics(found, os.path.abspath(file), hashlib.sha256(content).hexdigest())
