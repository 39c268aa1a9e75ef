"""Arithmetic operations of [Pedrammehr2012] (000), which gives no count, beside those of 001."""

from __future__ import annotations

import numpy as np

from gough.formulations import universal
from gough.formulations.arrays import MotionArrays, motion_arrays, ups_arrays
from gough.formulations.universal import balance
from gough.formulations.universal.kinematics import pod_motion
from gough.reproduce.builders import as_motion, quiet_load, without_friction
from gough.reproduce.counting import Number, Tally, count, elimination


def operations(slips: frozenset[str], route: str) -> Tally:
    """Operations of eqs 1-40, 45-50 for six pods and the platform, without friction and without the solve."""
    machine = without_friction(quiet_load("pedrammehr-2012"))
    values, G = motion_arrays(as_motion("000-3")(0.1)), machine.gravity
    pods = ups_arrays(machine)
    rng = np.random.default_rng(1)  # generic joints and axes: zeros and ones save nothing
    pods = pods._replace(
        **{f: getattr(pods, f) + 1e-3 * rng.uniform(1, 2, (6, 3)) for f in ("b", "p", "k")}
    )

    def run(number: Number) -> None:
        x = MotionArrays(*(number(v[None]) for v in values))
        k = pod_motion(pods, x, slips, route, False)
        force = balance.pod_forces(pods, k, x.w, G, slips)
        balance.required_wrench(machine.body, x, k, force, G, slips)

    return count(run)


def rows() -> list[tuple[str, int]]:
    """Operations of this code beside 001's count."""
    found = [("001, the paper's count", 4889)]
    for label, slips, route in (
        ("as printed, eqs 12-14, 18-21", universal.PRINTED, "axes"),
        ("exact, eqs 12-14, 18-21", frozenset[str](), "axes"),
        ("exact, eqs 15-17, 22-25", frozenset[str](), "components"),
    ):
        found.append((label, operations(slips, route).total + elimination(6).total))
    return found
