"""Arithmetic operations of [Dasgupta1998] (001): the paper's counts and those of this code."""

from __future__ import annotations

import numpy as np

from gough.formulations import newton_euler
from gough.formulations.arrays import MotionArrays, motion_arrays, ups_arrays
from gough.formulations.newton_euler.balance import balance, platform_right_side
from gough.reproduce.builders import as_motion, quiet_load, without_friction
from gough.reproduce.counting import Counted, CountedEvery, Number, Tally, count, elimination

LEG, PLATFORM, SOLVE = 694, 273, 452  # Sec. 4.5
TOTAL = 6 * LEG + PLATFORM + SOLVE
SERIAL = 132 * 6 + 111 * 6 - 4  # a serial arm of six joints, Sec. 4.5


def counts(
    slips: frozenset[str] = newton_euler.PRINTED, kind: type[Counted] = Counted
) -> tuple[Tally, Tally]:
    """Operations of (the six legs with assembly, the platform), without friction."""
    machine = without_friction(quiet_load("dasgupta-1998"))
    motion = as_motion("001-II")(0.1)
    legs, g = ups_arrays(machine), machine.gravity
    rng = np.random.default_rng(1)  # generic joints and axes: zeros and ones save nothing
    legs = legs._replace(
        **{f: getattr(legs, f) + 1e-3 * rng.uniform(1, 2, (6, 3)) for f in ("b", "p", "k")}
    )
    values = motion_arrays(motion)

    def whole(number: Number) -> None:
        state = MotionArrays(*(number(v) for v in values))
        balance(legs, machine.body, state, None, g, slips)

    def platform(number: Number) -> None:
        state = MotionArrays(*(number(v) for v in values))
        platform_right_side(machine.body, state, None, g)

    total, alone = count(whole, kind), count(platform, kind)
    return total - alone, alone


def rows() -> list[tuple[object, ...]]:
    """Floating-point operations: the paper's MATLAB counts and those of this code."""
    found: list[tuple[object, ...]] = [
        ("the paper, MATLAB flops", LEG, PLATFORM, SOLVE, TOTAL, f"{TOTAL / SERIAL:.2f}")
    ]
    for name, slips, kind in (
        ("as printed", newton_euler.PRINTED, Counted),
        ("as printed, zeros and ones counted", newton_euler.PRINTED, CountedEvery),
        ("exact", frozenset[str](), Counted),
    ):
        six, alone = counts(slips, kind)
        solve = elimination(6)
        total = six.total + alone.total + solve.total
        each = f"{six.total / 6:.0f}"
        ratio = f"{total / SERIAL:.2f}"
        found.append((f"this code, {name}", each, alone.total, solve.total, total, ratio))
    return found
