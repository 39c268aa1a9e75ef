"""Calibrations for the page: what was found, what was not, and what is to be said of it; plans of poses.

A number is given as found only where the search settled and the readings determine it by itself: not where it shares
in a combination that no reading depends on, where its interval is wider than errors for which the linearized problem
means anything, or where it is known from its tolerance alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.links import refuse_links
from gough.metrology.calibration import Calibration, calibrate
from gough.metrology.nominal import nominal_residuals
from gough.metrology.planning import MeasurementPlan, plan_poses, plan_table
from gough.metrology.sensors import MeasuringSensor, PoseSensor
from gough.metrology.unknowns import coordinate_unit, known_beforehand, unknown_groups
from gough.model import CRANKS, Platform
from gough.model.body import collected_warnings
from gough.model.json_document import to_document
from gough.studio import calibration_messages as c
from gough.studio.messages import Gaps
from gough.studio.reading_files import (
    MOST_PLANNED,
    GivenReadings,
    check_count,
    file_fingerprint,
    given_readings,
    given_sensors,
)

if TYPE_CHECKING:
    from gough.studio.session import Session

FOUND, UNSEEN, WEAK, BEFOREHAND, NONE = "found", "unseen", "weak", "beforehand", "none"
WIDE = 50.0  # half an interval over a change of equal weight: 5 % of the machine's size
NARROWED = 0.95  # of the tolerance: an interval that is hardly narrower tells of no reading
SHOWN = 3  # combinations in a refusal
SYNTHETIC = "synthetic calibration"
UNLIKELY = 1e-3


def list_unknowns(session: Session, message: c.ListUnknowns) -> c.UnknownsListed:
    """Groups of numbers that a calibration can look for."""
    platform = session.platform
    refuse_links(platform, "calibrate")
    groups = unknown_groups(platform)
    turning = [isinstance(leg, CRANKS) for leg in platform.legs]
    return c.UnknownsListed(
        message.id,
        session.count,
        tuple(group.name for group in groups),
        tuple(tuple(_member(name) for name in group.names) for group in groups),
        tuple(group.usual for group in groups),
        platform.characteristic_length,
        not all(turning),
        any(turning),
    )


def _member(name: str) -> dict[str, str]:
    """A number by its leg, and what it is of its group: nothing where that is all."""
    leg, *parts = name.split(".")
    return {"name": name, "leg": leg, "part": "" if parts[0] == "encoder" else ".".join(parts[1:])}


def calibrate_machine(session: Session, message: c.Calibrate) -> c.Calibrated:
    """What the readings say about the machine on screen."""
    platform = session.platform
    refuse_links(platform, "calibrate")
    fingerprint = file_fingerprint(session.folder, message.given.file)
    with collected_warnings():
        given = given_readings(platform, session.folder, message.given)
        found = calibrate(platform, **given.arguments)
        if message.given.find is not None:
            _told_apart(found)
        before = nominal_residuals(platform, **given.arguments)
    after = found.residual if found.settled else None
    status = _status(found, given)
    numbers = _numbers(found, given, status)
    spread = _spread(given)
    return c.Calibrated(
        message.id,
        session.count,
        given.planted is not None,
        given.source,
        fingerprint,
        len(found.pose),
        found.spectrum.rank,
        found.settled,
        found.steps,
        found.chi_square if found.settled else None,
        found.freedom,
        found.likelihood if found.settled else None,
        _notes(found, given, numbers),
        _warnings(found, status, before is None),
        found.unseen,
        numbers,
        _residuals(platform, given, before, after),
        _by_pose(before, spread, len(found.pose)),
        _by_pose(after, spread, len(found.pose)),
        to_document(_named(found, given)) if found.settled else None,
    )


def _told_apart(found: Calibration) -> None:
    """Refuse unknowns that were chosen one by one where the readings do not tell them apart."""
    if not found.unseen:
        return
    count, shown = len(found.unseen), "; ".join(found.unseen[:SHOWN])
    which = "1 combination" if count == 1 else f"{count} combinations"
    rest = f"; {count - SHOWN} more" if count > SHOWN else ""
    raise InfeasibleError(
        f"The readings do not tell the {len(found.names)} chosen unknowns apart: {which} of them no reading depends on "
        f"({shown}{rest}). Choose fewer, read at more poses, or with other sensors."
    )


def _named(found: Calibration, given: GivenReadings) -> Platform:
    """The calibrated machine; one of synthetic readings says so in its name, which a saved file keeps."""
    name = found.platform.name or "machine"
    if given.planted is None or SYNTHETIC in name:
        return found.platform
    return found.platform.replace(name=f"{name} ({SYNTHETIC})")


def _status(found: Calibration, given: GivenReadings) -> list[str]:
    """Of each unknown: whether it was found."""
    if not found.settled:
        return [NONE] * len(found.names)
    low, high = found.interval()
    known = known_beforehand(found.names, found.units, given.arguments.get("tolerance"))
    seen = np.isfinite(found.sigma)
    half = (np.where(seen, high, 0.0) - np.where(seen, low, 0.0)) / 2.0
    as_before = np.where(seen, found.sigma, 0.0) * known > NARROWED * found.noise
    wide = half > WIDE * found.spectrum.sizes
    out = np.where(wide, WEAK, np.where(as_before, BEFOREHAND, FOUND))
    return np.where(seen, out, UNSEEN).tolist()


def _numbers(
    found: Calibration, given: GivenReadings, status: list[str]
) -> tuple[dict[str, Any], ...]:
    """Rows of `Calibration.table` with their status; numbers that were not found are left out."""
    rows = []
    keys = ("value", "change", "sigma", "low", "high")
    for row, told in zip(found.table(), status, strict=True):
        planted = None if given.planted is None else given.planted.get(row["name"])
        inside = None
        if told == FOUND and planted is not None:
            inside = row["low"] <= planted <= row["high"]
        if told != FOUND:
            row |= dict.fromkeys(keys)
        rows.append(row | {"status": told, "planted": planted, "inside": inside})
    return tuple(rows)


def _notes(
    found: Calibration, given: GivenReadings, numbers: tuple[dict[str, Any], ...]
) -> tuple[str, ...]:
    notes = []
    if given.planted is not None:
        notes.append("synthetic: nothing was measured, errors and noise were drawn")
    if given.left_out:
        notes.append(
            f"{given.left_out} poses left out: the machine with its planted errors does not reach them"
        )
    if not found.settled:
        return tuple(notes)
    if found.likelihood is not None:
        notes.append(
            f"likelihood {found.likelihood:.3g}: how often errors of the given deviations leave residuals as large as "
            "these or larger"
        )
    elif found.robust is not None:
        notes.append("no likelihood: the weights of a robust estimator make residuals small")
    elif found.noise != 1.0:
        notes.append(
            f"no likelihood: deviations taken as right up to one factor, estimated as {found.noise:.3g}"
        )
    else:
        notes.append("no likelihood: there are no more readings than unknowns to check against")
    notes.append(
        "intervals of 95 %, each by itself: those of the linearized problem for normal errors; no proof"
    )
    told = [row["inside"] for row in numbers if row["inside"] is not None]
    if told:
        notes.append(f"{sum(told)} of {len(told)} intervals hold the planted number")
    return tuple(notes)


def _warnings(found: Calibration, status: list[str], lost: bool) -> tuple[str, ...]:
    out = []
    if not found.settled:
        out.append("the search did not end: no number was found, and there is nothing to take over")
    elif found.likelihood is not None and found.likelihood < UNLIKELY:
        out.append(
            f"the readings contradict their deviations: residuals this large happen once in "
            f"{1.0 / max(found.likelihood, 1e-300):.3g} times; outliers, a wrong deviation, or a machine of another "
            "kind; the intervals rest on these deviations"
        )
    count = status.count(UNSEEN)
    if count:
        out.append(
            f"{count} numbers share in combinations that no reading depends on: they are not found; taken over they "
            "have one of many values that explain the readings alike, to first order"
        )
    if WEAK in status:
        out.append(
            f"{status.count(WEAK)} numbers are seen so weakly that their interval is wider than 5 % of the machine's "
            "size: not found"
        )
    if BEFOREHAND in status:
        out.append(
            f"{status.count(BEFOREHAND)} numbers are known from their tolerance alone: not found"
        )
    if lost:
        out.append(
            "no residuals before: with the machine as it is no poses were found for the readings"
        )
    return tuple(out)


def _spread(given: GivenReadings) -> dict[str, Array]:
    """Given deviations of the readings by source."""
    encoders = np.broadcast_to(np.asarray(given.arguments["sigma"], dtype=float), (6,))
    sensors = given.arguments["readings"].items()
    return {"actuator": encoders} | {name: sensor.spread() for name, (sensor, _) in sensors}


def _parts(
    platform: Platform, sensors: dict[str, MeasuringSensor]
) -> list[tuple[str, str, str, list[int]]]:
    """Source, what is told of it, unit and columns: readings of one source and unit together."""
    units = [coordinate_unit(platform, i) for i in range(6)]
    words = {"m": "encoders", "rad": "encoders of cranks"}
    out = [
        ("actuator", words[unit], unit, [i for i, own in enumerate(units) if own == unit])
        for unit in dict.fromkeys(units)
    ]
    for name, sensor in sensors.items():
        if isinstance(sensor, PoseSensor):
            out.append((name, f"{name}, position", "m", [0, 1, 2]))
            out.append((name, f"{name}, rotation", "rad", [3, 4, 5]))
        else:
            out.append((name, name, sensor.UNIT, list(range(len(sensor.spread())))))
    return out


def _residuals(
    platform: Platform, given: GivenReadings, before: Any, after: Any
) -> tuple[dict[str, Any], ...]:
    sensors = {name: sensor for name, (sensor, _) in given.arguments["readings"].items()}
    spread = _spread(given)
    rows = []
    for source, told, unit, columns in _parts(platform, sensors):
        sigma = float(np.sqrt(np.mean(spread[source][columns] ** 2)))
        row: dict[str, Any] = {"source": told, "unit": unit, "sigma": sigma}
        for name, residual in (("before", before), ("after", after)):
            part = None if residual is None else residual[source][:, columns]
            row[f"{name}_rms"] = None if part is None else float(np.sqrt(np.mean(part**2)))
            row[f"{name}_largest"] = None if part is None else float(np.abs(part).max())
        rows.append(row)
    return tuple(rows)


def _by_pose(residual: Any, spread: dict[str, Array], count: int) -> Gaps:
    """Root mean square of each pose's residuals over their deviations."""
    if residual is None:
        return (None,) * count
    over = np.concatenate([residual[name] / s for name, s in spread.items()], axis=1)
    return tuple(np.sqrt(np.mean(over**2, axis=1)).tolist())


def plan_measurements(session: Session, message: c.PlanPoses) -> c.PosesPlanned:
    """Poses to measure at, and what they promise."""
    platform = session.platform
    check_count(message.count, MOST_PLANNED, message.seed)
    fingerprint = file_fingerprint(session.folder, message.given.file)
    sensors, sigma, find = given_sensors(platform, session.folder, message.given)
    plan = plan_poses(platform, message.count, sensors, sigma=sigma, find=find, seed=message.seed)
    heads, table = plan_table(platform, plan)
    rows = np.concatenate([plan.pose.position, plan.pose.quaternion], axis=1)
    return c.PosesPlanned(
        message.id,
        session.count,
        fingerprint,
        tuple(map(tuple, rows.tolist())),
        tuple(heads),
        tuple(map(tuple, table.tolist())),
        len(plan.names),
        plan.spectrum.rank,
        _finite(plan.spread),
        _finite(plan.by_chance),
        _promise(plan),
    )


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None


def _promise(plan: MeasurementPlan) -> tuple[str, ...]:
    said = [f"{len(plan.pose)} poses within the limits; the ways between them were not looked at"]
    if not np.isfinite(plan.spread):
        return (*said, "too few: other poses show combinations that these do not; plan more")
    if np.isfinite(plan.by_chance):
        ratio = plan.by_chance / plan.spread
        said.append(
            f"{ratio:.3g} times as accurate as the same number of random poses (mean deviation of what is seen, "
            "10 draws, to first order)"
        )
    else:
        said.append("the same number of random poses did not show as much in each of 10 draws")
    left = len(plan.names) - plan.spectrum.rank
    if left:
        said.append(
            f"{left} combinations of the {len(plan.names)} unknowns no pose shows with these sensors"
        )
    said.append("found by exchanges of single poses; a better plan may exist")
    return tuple(said)
