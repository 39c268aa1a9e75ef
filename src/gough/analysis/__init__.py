"""What a machine can do: limits, workspace, singularities, sizing, sensitivity, linear models."""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {
    "gough.analysis.envelope": ("limit_report",),
    "gough.limits": ("check",),
    "gough.analysis.state_space": ("linearize",),
    "gough.analysis.stiffness": ("compliance", "modes", "stiffness_matrix"),
    "gough.analysis.sensitivity": ("error_budget", "force_sensitivity", "monte_carlo", "pose_sensitivity"),
    "gough.analysis.singularity": ("clearance", "path_check"),
    "gough.analysis.sizing": ("size", "with_payload"),
    "gough.analysis.volume": ("certified_volume", "exact_volume", "grid_volume", "orientation_volume"),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'gough.analysis' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
