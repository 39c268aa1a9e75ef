"""control: a machine and a law in; bandwidth, margins, Bode and what the sensors' steps leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import check_actuators


@command()
def control(
    machine: str,
    law: str = "computed-force",
    bandwidth: float = 0.0,
    margin: float = 2.0,
    rate: float = 1000.0,
    delay: float = 0.0,
    observed: bool = False,
    quantization: float = 0.0,
    noise: float = 0.0,
    out: Path | None = None,
    as_json: bool = False,
) -> None:
    """Tune a control law for a machine at home, or judge one: margins of the loop as it would run (exit code 3 where
    it is not stable)."""
    import numpy as np

    from gough.checks import number
    from gough.control import Sampling, frequency_response, margins, residual
    from gough.control.register import law_of
    from gough.control.tuning import largest_bandwidth
    from gough.export.tables import actuator_units
    from gough.report.loops import loop_facts, write_loop

    platform, make = console.read_machine(machine), law_of(law)
    check_actuators(platform, quantization=quantization, noise=noise)
    velocity = "observed" if observed else "measured"
    pose = "forward-kinematics" if quantization or noise else "measured"
    sampling = Sampling(rate, delay, quantization, noise, velocity, pose)
    w = number("bandwidth", bandwidth, minimum=0.0) or largest_bandwidth(
        platform, lambda w: make(platform, bandwidth=w), sampling=sampling, margin=margin
    )
    controller = make(platform, bandwidth=w)
    found = margins(platform, controller, sampling=sampling)
    left = residual(platform, controller, sampling=sampling)
    facts = {"machine": platform.name, "law": law, "bandwidth": w, **loop_facts(found, left)}
    facts["effort_units"] = [effort for _, effort in actuator_units(platform)]
    if out is not None:
        omega = np.geomspace(min(w / 100, rate / 100), 0.8 * np.pi * rate, 600)
        response = frequency_response(platform, controller, omega, sampling=sampling)
        facts["files"] = [str(write_loop(platform, response, found, out))]
        facts["files"].append(console.write_json(facts, out / "loop.json"))
    console.answer(facts, as_json, _show)
    if not found.stable:
        raise InfeasibleError("the loop is not stable at this bandwidth")


UNITS = {
    "bandwidth": "rad/s",
    "phase": "rad",
    "delay": "s",
    "displacement": "m, rad",
    "effort": "EFFORT",
}
UNITS |= {
    "largest_pole": "per sample",
    "displacement_noise": "m, rad rms",
    "effort_noise": "EFFORT rms",
}


def _show(facts: dict[str, Any]) -> None:
    def titled(name: str) -> str:
        key = name.removesuffix("_left").removeprefix("together_").removeprefix("worst_leg_")
        unit = UNITS.get(key, "").replace("EFFORT", efforts)
        return f"{name} ({unit})" if unit else name

    efforts = ", ".join(sorted(set(facts["effort_units"]))).replace("N m", "N·m")
    apart = ("files", "effort_units")
    plain = {n: "none" if v is None else v for n, v in facts.items() if n not in apart}
    silent = [n for n, v in plain.items() if n.endswith("_left") and v == [0.0] * 6]
    console.show_facts({titled(n): v for n, v in plain.items() if n not in silent})
    for file in facts.get("files", ()):
        console.write_line(file)
