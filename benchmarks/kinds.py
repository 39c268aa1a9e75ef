"""What a leg type costs: six of it, inverse dynamics, one state and many, beside UPS in the same run.

The machine of the benchmark where its legs can become that type, else a preset of the type: a kernel's time does not
depend on its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

import gough
from benchmarks import ours
from benchmarks.ours import MACHINE, Setup
from gough.engines.native import inputs_of
from gough.model import Leg, Platform

MOST = 100_000  # states of a batch: every type has its own


def _benchmark(change: Callable[[Any, Platform], Leg] | None = None) -> Platform:
    """The machine of the benchmark, its UPS legs changed."""
    machine = gough.load(str(MACHINE))
    if change is None:
        return machine
    return machine.replace(legs=[change(leg, machine) for leg in machine.legs])


def _shared(leg: Any, *more: str) -> dict[str, Any]:
    names = ("base", "joint", "lower", "upper", "friction", "drive", *more)
    return {name: getattr(leg, name) for name in names}


def _cylinder(leg: Any, machine: Platform, **own: Any) -> Leg:
    axis = machine.require_home().rotation.T @ leg.axis
    return gough.UCU(**_shared(leg, "axis"), platform_axis=axis, **own)


def _preset(name: str, kind: type[Any], **own: Callable[[Any], Any]) -> Platform:
    """A preset whose legs become another type; `own`: fields that they lack."""
    machine, names = gough.load(name), [f.name for f in fields(kind)]
    legs = []
    for leg in machine.legs:
        kept = {key: getattr(leg, key) for key in names if hasattr(leg, key) and key not in own}
        legs.append(kind(**kept, **{key: make(leg) for key, make in own.items()}))
    return machine.replace(legs=legs)


def _link(leg: Any, machine: Platform) -> Leg:
    """The third leg a fixed link."""
    home = machine.require_home()
    span = home.position + home.rotation @ leg.joint - leg.base
    held = leg is machine.legs[2]
    rubbing = leg.friction.replace(prismatic=0.0)
    own = {"fixed": float(np.linalg.norm(span)), "drive": None, "friction": rubbing}
    return leg.replace(**own, limits=gough.Limits()) if held else leg


MACHINES: dict[str, Callable[[], Platform]] = {
    "UPS": _benchmark,
    "SPS, spin as a state": lambda: _benchmark(lambda leg, _: gough.SPS(**_shared(leg))),
    "PUS": partial(gough.load, "lopes-6pus"),
    "RUS": partial(gough.load, "servo-hexapod"),
    "UCU": lambda: _benchmark(_cylinder),
    "UCU with a screw": lambda: _benchmark(partial(_cylinder, screw=gough.Screw(0.01))),
    "UCS, spin as a state": lambda: _benchmark(
        lambda leg, _: gough.UCS(**_shared(leg, "axis"), reference=leg.axis)
    ),
    "UPS, offset joint": lambda: _benchmark(
        lambda leg, _: leg.replace(base_offset=gough.JointOffset(0.02))
    ),
    "UCU, offset joints": lambda: _benchmark(
        partial(
            _cylinder, base_offset=gough.JointOffset(0.02), platform_offset=gough.JointOffset(-0.02)
        )
    ),
    "PSU": lambda: _preset("lopes-6pus", gough.PSU, platform_axis=lambda leg: leg.axis),
    "RSS": lambda: _preset("servo-hexapod", gough.RSS, reference=lambda leg: leg.axis),
    "UPS, one of them a fixed link": lambda: _benchmark(_link),
}


class KindSetup(Setup):
    """Six legs of one type, and states around the machine's home."""

    def __init__(self, kind: str, states: int) -> None:
        super().__init__(min(states, MOST))
        self.platform = MACHINES[kind]()
        few = Setup(self.states).x
        home, size = self.platform.require_home(), self.platform.characteristic_length
        x = np.zeros((self.states, sum(w for _, w in inputs_of("forces", self.kinds))))
        x[:, : few.shape[1]] = few
        x[:, :3] = home.position + 0.1 * size * (few[:, :3] - few[:, :3].mean(axis=0))
        x[:, 3:12] = np.resize(home.rotation.ravel(), (self.states, 9))
        self.x = x


def one(kind: str, s: Setup) -> float:
    """Seconds of one compiled call, each waiting for the one before."""
    return ours.kernel_call(KindSetup(kind, 1))


def many(kind: str, s: Setup) -> float:
    """Seconds per state of a batch, one thread."""
    return ours.batch(KindSetup(kind, s.states))


def keys(kind: str) -> tuple[str, str]:
    """Keys of the two cases of a type."""
    word = kind.replace(",", "").replace(" ", "-").lower()
    return f"one-{word}", f"many-{word}"


def table(seconds: dict[str, float]) -> list[str]:
    """A line for each type that was measured: its times, and times those of UPS."""
    base = [seconds.get(key) for key in keys("UPS")]
    lines = [
        "",
        "| six legs of a type, inverse dynamics | one state | per state of many | of UPS |",
    ]
    lines.append("|---|---|---|---|")
    for kind in MACHINES:
        a, b = (seconds.get(key) for key in keys(kind))
        if a is not None and b is not None and base[0] and base[1]:
            ratios = f"{a / base[0]:.2f}, {b / base[1]:.2f}"
            lines.append(f"| {kind} | {a * 1e6:.3g} µs | {b * 1e9:.3g} ns | {ratios} |")
    return lines if len(lines) > 3 else []
