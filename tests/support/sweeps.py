"""A small sweep, its command, and its processes."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from gough.design.parameter_sweep import run_span
from gough.design.spans import Span

SPEC = """
metrics = ["dexterity", "stroke", "footprint", "peak_force"]
chunk = 3

[machine]
family = "hexapod"
platform_radius = "0.25 m"
base_pair_angle = "20 deg"
platform_pair_angle = "30 deg"
height = "0.5 m"
platform_mass = "20 kg"

[axes]
base_radius = { from = "0.3 m", to = "0.6 m", count = 4 }
payload = ["0 kg", "10 kg"]

[task]
box = "30 30 30 mm"
tilt = "5 5 0 deg"
relative = true
samples = 21

[motions.heave]
kind = "harmonic"
center = { position = [0, 0, 0] }
amplitude = [0, 0, "20 mm", 0, 0, 0]
frequency = ["1 Hz"]
duration = "1 s"

[motions.sway]
kind = "harmonic"
center = { position = [0, 0, 0] }
amplitude = ["20 mm", 0, 0, 0, 0, 0]
frequency = ["2 Hz"]
duration = "1 s"
"""


def tables(out: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(out.iterdir()) if p.name.startswith("results")}


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "gough", "sweep", *map(str, arguments)]


def workers_of(pid: int) -> list[int]:
    """Process numbers of the sweep's workers, whichever of its threads started them."""
    try:
        threads = Path(f"/proc/{pid}/task").iterdir()
        children = [int(c) for t in threads for c in (t / "children").read_text().split()]
        return [c for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]
    except OSError:
        return []


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def deadly_span(path: str, functions: str, identity: str, span: Span, case: int = 7) -> list[Any]:
    """What workers run, with a design that the system kills its process for."""
    if case in range(*span):
        os.kill(os.getpid(), signal.SIGKILL)
    return run_span(path, functions, identity, span)
