"""Operation counts of all formulations side by side, each counted from its own code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gough.engines.tracer import trace
from gough.formulations import universal
from gough.formulations.kane.balance import assemble
from gough.formulations.kane.errata import KaneModel
from gough.formulations.newton_euler import PRINTED
from gough.reproduce.agreement import random_motion
from gough.reproduce.builders import quiet_load
from gough.reproduce.counting import Number, count, elimination
from gough.reproduce.lagrange import operations as lagrange_operations
from gough.reproduce.multibody import operations as multibody_operations
from gough.reproduce.newton_euler import operations as newton_euler_operations
from gough.reproduce.page import TextTable
from gough.reproduce.universal import operations as universal_operations

STATE = (
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
    "acceleration",
    "angular_acceleration",
)
DASGUPTA = 4889  # [Dasgupta1998] Sec. 4.5


def kane(machine: str) -> int:
    """Kane's equations of one state: all terms, then the 6x6 solve."""
    platform = quiet_load(machine)
    motion = random_motion(platform, 1, 3)[0]
    model = KaneModel(legs="full", drive=False, errata=frozenset(), pinion_radius=1.0)

    def run(number: Number) -> None:
        state: Any = SimpleNamespace(
            shape=(), **{name: number(getattr(motion, name)) for name in STATE}
        )
        assemble(platform, state, model)

    return count(run).total + elimination(6).total


def exact(kind: str) -> int:
    """Inverse dynamics of the exact model for six legs of one kind, common subexpressions counted once."""
    return trace("forces", (kind,) * 6).select(range(6)).counts().flops


def _newton_euler(slips: frozenset[str]) -> int:
    legs, platform = newton_euler_operations.counts(slips)
    return legs.total + platform.total + elimination(6).total


def _universal() -> int:
    return (
        universal_operations.operations(frozenset(), universal.ROUTES[0]).total
        + elimination(6).total
    )


def _multibody(machine: str) -> int:
    platform = quiet_load(machine)
    *stages, _ = multibody_operations.operations(
        platform, random_motion(platform, 1, 3)[0]
    ).values()
    return sum(stage.total for stage in stages)


def table() -> TextTable:
    """Additions, multiplications, divisions and roots of one inverse dynamics."""
    printed, simplified = lagrange_operations.printed_totals()
    lagrange = lagrange_operations.counts(quiet_load("lopes-6pus"))
    rows: list[tuple[str, str, int, str]] = [
        (
            "exact (production kernel)",
            "6-UPS",
            exact("ups"),
            "traced program, every term, friction and drives",
        ),
        ("exact", "6-SPS", exact("sps"), "axisymmetric legs"),
        ("exact", "6-PUS", exact("pus"), ""),
        ("exact", "6-RUS", exact("rus"), ""),
        ("exact", "6-UCU", exact("ucu"), "driven directly"),
        ("exact", "6-UCU", exact("ucu_screw"), "driven by screws"),
        ("newton-euler", "6-UPS", DASGUPTA, "001's own count of its printed equations"),
        ("newton-euler, as printed", "6-UPS", _newton_euler(PRINTED), "this code"),
        ("newton-euler, exact", "6-UPS", _newton_euler(frozenset()), "this code"),
        ("universal, exact", "6-UPS", _universal(), "this code"),
        ("kane", "6-UPS", kane("dasgupta-1998"), "this code, partial velocities of 13 bodies"),
        ("kane", "6-SPS", kane("syed-6sps"), "this code"),
        ("kane", "6-UCU", kane("motion-base-ucu"), "this code"),
        ("lagrange, complete", "6-PUS", printed, "002's Table 1: inertia and Coriolis matrices"),
        ("lagrange, simplified", "6-PUS", simplified, "002's Table 1"),
        (
            "lagrange, complete",
            "6-PUS",
            lagrange["complete"].total,
            "this code, derivatives by complex step",
        ),
        (
            "lagrange",
            "6-UCU",
            lagrange_operations.counts_of(quiet_load("motion-base-ucu")).total,
            "this code, two turning bodies a leg",
        ),
        (
            "multibody",
            "6-SPS",
            _multibody("elbadawy-6sps"),
            "this code, leg by leg, with all joint reactions",
        ),
        ("multibody", "6-UCU", _multibody("motion-base-ucu"), "this code"),
    ]
    return TextTable(
        "operations",
        "Operations of one inverse dynamics",
        ("formulation", "machine", "operations", "to 001's count", "how"),
        tuple((name, legs, str(n), f"{n / DASGUPTA:.2f}", how) for name, legs, n, how in rows),
    )
