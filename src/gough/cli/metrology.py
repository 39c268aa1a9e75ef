"""calibrate, plan, identify: a machine as it was built, from measurements, and where to measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import check_actuators

_UNKNOWN = {
    "number": "{name}",
    "nominal": "{nominal:.6g} {unit}",
    "found": "{value:.6g}",
    "change": "{change:+.3g}",
    "95 % interval": "{interval}",
}


@command()
def calibrate(machine: str, readings: Path, out: Path | None = None, as_json: bool = False) -> None:
    """Find a machine's geometry from measurements; exit code 3 where the readings contradict their deviations."""
    from gough.metrology.calibration import calibrate as find
    from gough.metrology.document import load_readings

    platform = console.read_machine(machine)
    found = find(platform, **load_readings(platform, readings))
    facts = _facts(found)
    if out is not None:
        facts["files"] = _write(found, facts, out)
    console.answer(facts, as_json, _show)
    if not found.settled:
        raise InfeasibleError("the search did not end: the numbers above are no optimum")
    if found.likelihood is not None and found.likelihood < 1e-3:
        raise InfeasibleError(
            f"residuals this large happen once in {1.0 / max(found.likelihood, 1e-300):.3g} times with the given "
            'deviations: outliers (try robust = "cauchy"), a wrong deviation, or a machine of another kind'
        )


def _facts(found: Any) -> dict[str, Any]:
    """A calibration as JSON takes it: infinities become null."""
    from math import isfinite

    rows = [
        {key: x if not isinstance(x, float) or isfinite(x) else None for key, x in row.items()}
        for row in found.table()
    ]
    return {
        "poses": len(found.pose),
        "unknowns": len(found.names),
        "seen_combinations": found.spectrum.rank,
        "settled": found.settled,
        "steps": found.steps,
        "chi_square": found.chi_square,
        "degrees_of_freedom": found.freedom,
        "likelihood": found.likelihood,
        "unseen": list(found.unseen),
        "numbers": rows,
    }


def _show(facts: dict[str, Any]) -> None:
    lists = ("numbers", "unseen", "files")
    console.show_facts({name: value for name, value in facts.items() if name not in lists})

    def row(given: dict[str, Any]) -> dict[str, Any]:
        if given["sigma"] is None:
            return given | {"interval": "not seen alone"}
        return given | {"interval": f"{given['low']:.6g} to {given['high']:.6g} {given['unit']}"}

    console.show_table(_UNKNOWN, map(row, facts["numbers"]))
    if facts["unseen"]:
        console.say("no reading depends on these combinations, which stay as they were:")
        console.say(*(f"  {words}" for words in facts["unseen"]))
    console.say(*(f"wrote {name}" for name in facts.get("files", ())))


def _write(found: Any, facts: dict[str, Any], out: Path) -> list[str]:
    from gough.model.files import save
    from gough.report import save_figure
    from gough.report.calibration import calibration_figure

    out.mkdir(parents=True, exist_ok=True)
    figure = save_figure(calibration_figure(found), out / "calibration.png")
    machine = save(found.platform, out / "calibrated.toml")
    return [str(machine), str(figure), console.write_json(facts, out / "calibration.json")]


@command()
def plan(
    machine: str,
    readings: Path,
    out: Path,
    count: int = 40,
    seed: int = 0,
    as_json: bool = False,
) -> None:
    """Choose poses to measure at, within the machine's limits, that tell most about its geometry."""
    from gough.metrology.document import load_sensors
    from gough.metrology.planning import plan_poses, write_plan

    platform = console.read_machine(machine)
    sensors, sigma, find = load_sensors(platform, readings)
    found = plan_poses(platform, count, sensors, sigma=sigma, find=find, seed=seed)
    facts = {
        "poses": len(found.pose),
        "seen_combinations": found.spectrum.rank,
        "unknowns": len(found.names),
        "spread": found.spread,
        "spread_of_random_poses": found.by_chance,
        "files": [str(write_plan(platform, found, out))],
    }
    console.answer(facts, as_json)


_BASE = {
    "base parameter": "{name}",
    "nominal": "{nominal:.5g} {unit}",
    "found": "{value:.5g}",
    "95 % interval": "{low:.5g} to {high:.5g} {unit}",
}


@command()
def identify(
    machine: str,
    trajectory: str,
    efforts: Path,
    sigma: float,
    find: str = "",
    coulomb: bool = False,
    out: Path | None = None,
    as_json: bool = False,
) -> None:
    """Find masses, moments and friction from logged efforts; exit code 3 where they contradict their deviation."""
    from gough.metrology.document import load_efforts
    from gough.metrology.identification import identify as found_in

    platform = console.read_machine(machine)
    time, force = load_efforts(platform, efforts)
    check_actuators(platform, sigma=sigma)
    motion = console.read_path(platform, trajectory)(time)
    console.warn_along(platform, motion, trajectory)
    groups = [word.strip() for word in find.split(",") if word.strip()] or None
    found = found_in(platform, motion, force, sigma=sigma, find=groups, coulomb=coulomb)
    facts = {
        "efforts": force.size,
        "unknowns": len(found.names),
        "base_parameters": len(found.base),
        "chi_square": found.chi_square,
        "degrees_of_freedom": found.freedom,
        "likelihood": found.likelihood,
        "not_felt": list(found.missing),
        "numbers": found.table(),
    }
    if out is not None:
        facts["files"] = _write_machine(found, facts, out)
    console.answer(facts, as_json, _show_identified)
    if found.likelihood is not None and found.likelihood < 1e-3:
        raise InfeasibleError(
            f"residuals this large happen once in {1.0 / max(found.likelihood, 1e-300):.3g} times with this deviation: "
            "dry friction (try --coulomb), a wrong deviation, or effects that the model does not have"
        )


def _write_machine(found: Any, facts: dict[str, Any], out: Path) -> list[str]:
    from gough.model.files import save

    out.mkdir(parents=True, exist_ok=True)
    machine = save(found.machine, out / "identified.toml")
    return [str(machine), console.write_json(facts, out / "identification.json")]


def _show_identified(facts: dict[str, Any]) -> None:
    lists = ("numbers", "not_felt", "files")
    console.show_facts({name: value for name, value in facts.items() if name not in lists})
    console.show_table(_BASE, facts["numbers"])
    if facts["not_felt"]:
        console.say("the efforts of this motion do not depend on " + ", ".join(facts["not_felt"]))
    console.say(*(f"wrote {name}" for name in facts.get("files", ())))
