"""Plain numbers, ready for JSON, on a machine, its workspace, the forces along a motion and a simulated run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.volume import exact_volume, grid_volume, orientation_set, orientation_volume
from gough.analysis.workspace import default_width
from gough.checks import Array, InputError
from gough.dynamics import inverse_dynamics
from gough.export.reachable_facts import left_out, reachable_facts, reachable_part
from gough.export.tables import actuator_units, forces_table
from gough.extras import package
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Frames, Platform
from gough.model.json_document import leg_mass
from gough.spatial import Motion, rpy_from_rotation
from gough.struts import lengths_only, struts

if TYPE_CHECKING:
    from xarray import Dataset

CHUNK = 20_000  # states computed between two moves of the progress bar


def machine_facts(platform: Platform, notes: Sequence[str] = ()) -> dict[str, Any]:
    """What a machine is: legs, masses, home pose, source; `notes` are its warnings."""
    body, home = platform.body, platform.home
    legs = [
        {
            "name": name,
            "type": kind,
            "base": leg.base.tolist(),
            "joint": leg.joint.tolist(),
            "mass": leg_mass(leg),
            "length_unit": unit,
            "force_unit": effort,
            "stroke": None if leg.limits.stroke is None else leg.limits.stroke.tolist(),
            "max_force": leg.limits.force,
            "max_speed": leg.limits.speed,
        }
        for name, kind, leg, (unit, effort) in zip(
            platform.leg_names, platform.kinds, platform.legs, actuator_units(platform), strict=True
        )
    ]
    facts: dict[str, Any] = {
        "name": platform.name,
        "source": platform.source.title,
        "page": platform.source.page,
        "doi": platform.source.doi,
        "errata": list(platform.source.errata),
        "chosen": list(platform.source.chosen),
        "warnings": list(notes),
        "gravity": platform.gravity.tolist(),
        "characteristic_length": platform.characteristic_length,
        "platform": {"mass": body.mass}
        | {name: getattr(body, name).tolist() for name in ("center", "inertia")},
        "home": None,
        "frames": _frames(platform.frames),
        "legs": legs,
    }
    if home is not None:
        where = struts(platform, home)
        at = {"position": home.position.tolist(), "rpy": home.rpy.tolist()}
        facts["home"] = at | {"reachable": bool(where.reachable.all())}
        for leg, value, ok in zip(legs, where.coordinate, where.reachable, strict=True):
            leg["home"] = float(value) if ok else None
    return facts


def _frames(frames: Frames) -> dict[str, Any]:
    """Work frame (world), tool frame and pivot (platform), and the convention of angles."""
    poses = {
        name: {"position": pose.position.tolist(), "rpy": pose.rpy.tolist()}
        for name, pose in (("work", frames.work), ("tool", frames.tool))
    }
    pivot = None if frames.pivot is None else frames.pivot.tolist()
    return poses | {"pivot": pivot, "convention": frames.convention}


def workspace_facts(
    platform: Platform,
    rotation: Array,
    tilt: tuple[float, float, float] | None = None,
    points: int = 100,
) -> dict[str, Any]:
    """Volumes at a constant orientation, and how much of it is joined with home.

    tilt  also where all of +/- roll, pitch, yaw (rad) can be taken
    """
    facts: dict[str, Any] = {
        "machine": platform.name,
        "rpy_deg": np.degrees(rpy_from_rotation(rotation)).tolist(),
    }
    box = None
    if struts_only(platform):
        exact = exact_volume(platform, rotation)
        error = (exact.high - exact.low) / 2
        facts |= {"volume_m3": exact.value, "volume_error_m3": error, "box": exact.box.tolist()}
    else:
        if platform.home is None:
            allowed = "the machine needs a home pose: the grid is placed there"
            raise InputError("home", None, allowed)
        half = default_width(platform) / 2
        box = np.stack([platform.home.position - half, platform.home.position + half])
    grid = grid_volume(platform, rotation, box=box, points=points)
    while grid.clipped and box is not None and np.ptp(box) < 16 * default_width(platform):
        box = box.mean(axis=0) + 1.5 * (box - box.mean(axis=0))
        grid = grid_volume(platform, rotation, box=box, points=points)
    facts |= {"grid_volume_m3": grid.value, "grid_points": grid.evaluations}
    facts["box"] = grid.box.tolist()
    if grid.clipped:
        facts["clipped"] = "the workspace reaches beyond the box: this is the part inside it"
    if tilt is not None:
        rotations = orientation_set(*tilt) @ rotation
        found = orientation_volume(platform, rotations, box=box, points=min(points, 60))
        facts["orientations"] = len(rotations)
        facts |= {"every_orientation_m3": found.every, "some_orientation_m3": found.some}
    whole = None if box is None else grid.box
    facts |= reachable_facts(reachable_part(platform, rotation, whole, points))
    return facts | {"judged": [*facts["judged"], *left_out(platform, facts)]}


def struts_only(platform: Platform) -> bool:
    """True if all legs are driven along their length: their workspace has an exact volume and a profile over height."""
    return lengths_only(platform)


def forces_along(
    platform: Platform,
    motion: Motion,
    external: ArrayLike | None = None,
    *,
    formulation: str = "exact",
    published: bool = False,
    max_condition: float | None = None,
    drives: bool = False,
    reactions: bool | None = None,
    progress: Callable[[int], Any] | None = None,
    **about: str,
) -> Dataset:
    """Lengths, forces, condition numbers and joint reactions along `motion` (one time axis).

    drives    the forces are the motors', as in `gough.inverse_dynamics`
    reactions True, False, or None: where the formulation gives them
    progress  called with the number of states done after each chunk
    about     attributes of the table, such as ``trajectory="001-I"``
    """
    xarray = package("xarray")

    if motion.time is None or motion.position.ndim != 2:
        raise InputError(
            "motion", f"batch shape {motion.shape}", "must have one time axis and `time` set"
        )
    more: dict[str, Any] = {} if max_condition is None else {"max_condition": max_condition}
    n = len(motion.position)
    chunk = n if drives else CHUNK  # friction is followed through all states
    tables = []
    for start in range(0, n, chunk):
        part = motion[start : start + chunk]
        legs = inverse_kinematics(platform, part)
        chosen = {"formulation": formulation, "published": published, "drives": drives}
        result = inverse_dynamics(platform, part, external, **chosen, **more)
        tables.append(forces_table(platform, part, legs, result, reactions=reactions, **about))
        if progress is not None:
            progress(min(start + chunk, n))
    if len(tables) == 1:
        return tables[0]
    joined: Any = xarray.concat(
        tables, dim="time", data_vars="minimal", coords="minimal", compat="equals", join="exact"
    )
    return joined


def forces_facts(table: Dataset) -> dict[str, Any]:
    """The extremes of a forces table."""
    time, force, length = table["time"].values, table["force"].values, table["length"].values
    peak = np.abs(force).argmax(axis=0)
    legs = []
    for i, name in enumerate(table["leg"].values):
        legs.append(
            {
                "name": str(name),
                "type": str(table["leg_type"].values[i]),
                "length_unit": str(table["length_unit"].values[i]),
                "force_unit": str(table["force_unit"].values[i]),
                "min_length": float(length[:, i].min()),
                "max_length": float(length[:, i].max()),
                "max_rate": float(np.abs(table["rate"].values[:, i]).max()),
                "peak_force": float(force[peak[i], i]),
                "peak_time": float(time[peak[i]]),
                "rms_force": float(np.sqrt((force[:, i] ** 2).mean())),
            }
        )
    worst = int(table["condition"].values.argmax())
    return {
        "machine": table.attrs["machine"],
        "trajectory": table.attrs.get("trajectory", ""),
        "formulation": table.attrs["formulation"],
        "published_errors_kept": table.attrs["published_errors_kept"] == "true",
        "samples": len(time),
        "start": float(time[0]),
        "end": float(time[-1]),
        "legs": legs,
        "max_condition": float(table["condition"].values[worst]),
        "max_condition_scaled": float(table["condition_scaled"].values.max()),
        "max_condition_time": float(time[worst]),
    }


def run_units(run: Dataset) -> dict[str, list[str]]:
    """Units of each leg's coordinate and effort; of runs that do not say them, what their variables do."""
    told = {"length_unit": run.length.attrs["units"], "force_unit": run.motor_force.attrs["units"]}
    return {
        name: [str(x) for x in run[name].values] if name in run else [unit] * run.sizes["leg"]
        for name, unit in told.items()
    }


def run_facts(run: Dataset) -> dict[str, Any]:
    """The figures of a simulated run that one looks at first."""
    events = json.loads(run.attrs["events"])
    last = np.nanmax(run.time.values[np.isfinite(run.kinetic.values)])
    return {
        **{name: run.attrs[name] for name in ("status", "end_time", "integrator", "step")},
        "samples": int(run.sizes["time"]),
        **run_units(run),
        "peak_force": [float(x) for x in np.nanmax(np.abs(run.motor_force.values), axis=0)],
        **(
            {
                "peak_stop_force": [
                    float(x) for x in np.nanmax(np.abs(run.stop_force.values), axis=0)
                ]
            }
            if "stop_force" in run
            else {}
        ),
        "peak_rate": [float(x) for x in np.nanmax(np.abs(run.rate.values), axis=0)],
        "peak_condition": float(np.nanmax(run.condition.values)),
        "motor_work": float(
            np.nansum(np.where(run.time.values[:, None] == last, run.work.values, 0.0))
        ),
        "events": events[:20],
        "event_count": len(events),
    }
