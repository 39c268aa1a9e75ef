"""Arithmetic operations of [Dasgupta1998] (001): the paper's counts and those of this code."""

from __future__ import annotations

import numpy as np

from gough.formulations import newton_euler
from gough.formulations.arrays import MotionArrays, motion_arrays, ups_arrays
from gough.formulations.newton_euler.balance import balance, platform_right_side
from gough.model import Friction
from gough.reproduce.builders import as_motion, quiet_load, quiet_replace
from gough.reproduce.counting import Number, Tally, count, elimination
from gough.reproduce.page import TextTable


def counts(slips: frozenset[str] = newton_euler.PRINTED) -> tuple[Tally, Tally]:
    """Operations of (the six legs with assembly, the platform), without friction."""
    machine = quiet_load("dasgupta-1998")
    machine = quiet_replace(
        machine, legs=[leg.replace(friction=Friction()) for leg in machine.legs]
    )
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

    total, alone = count(whole), count(platform)
    return total - alone, alone


def table() -> TextTable:
    """Floating-point operations: the paper's MATLAB counts and those of this code."""
    rows = []
    for name, slips in (("as printed", newton_euler.PRINTED), ("exact", frozenset[str]())):
        six, alone = counts(slips)
        solve = elimination(6)
        rows.append(
            (
                f"this code, {name}",
                f"{six.total / 6:.0f}",
                str(alone.total),
                str(solve.total),
                str(six.total + alone.total + solve.total),
                f"{(six.total + alone.total + solve.total) / (132 * 6 + 111 * 6 - 4):.2f}",
            )
        )
    return TextTable(
        "001-operations",
        "Operations per time step (Sec. 4.5), without friction",
        ("count", "each leg", "platform", "6 equations", "total", "ratio to a serial arm (1454)"),
        (
            (
                "the paper, MATLAB flops",
                "694",
                "273",
                "452",
                str(6 * 694 + 273 + 452),
                f"{(6 * 694 + 273 + 452) / 1454:.2f}",
            ),
            *rows,
        ),
    )
