"""The first page of a report: what is found, what it rests on, what made the numbers, and of which run they are."""

from __future__ import annotations

import io
import platform as system
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.checks import InputError
from gough.documents.source import parse_json
from gough.kinematics.inverse import inverse_kinematics
from gough.model import Platform
from gough.model.json_document import fingerprint
from gough.spatial import Pose
from gough.storage import unsealed

PROVENANCE = {
    "scenario": "scenario",
    "machine": "machine",
    "source": "numbers of the machine from",
    "controller": "controller",
    "integrator": "integrator",
    "step": "step (s)",
    "duration": "duration asked (s)",
    "end_time": "duration reached (s)",
    "record_interval": "records every (s)",
    "drives": "losses and limits of drives",
    "limits_checked": "limits looked at",
    "conventions": "conventions",
}
SAME = 1e-6  # m or rad: coordinates of a run and of this machine at the run's poses, where they are of one machine


def verdict(timeline: dict[str, Any] | None) -> dict[str, str]:
    """Kind (ok, not, open, none) and a sentence that claims no more than was judged."""
    if timeline is None:
        return {"kind": "none", "text": "No motion given: no limit was judged."}
    summary = timeline["summary"]
    given = [row["kind"] for row in summary["utilisation"]]
    if timeline["refused"]:
        count = len(timeline["refused"])
        return {
            "kind": "not",
            "text": f"Not within the limits: {count} limit{'s' if count > 1 else ''} broken.",
        }
    if not given:
        return {
            "kind": "none",
            "text": "No limits given: the machine file names none that was judged, nothing is said on them.",
        }
    open_kinds = [kind for kind in given if kind not in summary["proved"]]
    held = "Within the limits given"
    left = f" Not checked: {'; '.join(summary['unchecked'])}." if summary["unchecked"] else ""
    if not open_kinds:
        kind = "open" if left else "ok"
        return {
            "kind": kind,
            "text": f"{held}, proved at every instant ({', '.join(given)}).{left}",
        }
    proved = ", ".join(kind for kind in given if kind in summary["proved"])
    return {
        "kind": "open",
        "text": f"{held} at the {summary['samples']} samples, no proof between them: {', '.join(open_kinds)}."
        + (f" Proved at every instant: {proved}." if proved else "")
        + left,
    }


def versions() -> list[list[str]]:
    """Names and versions of what computed the numbers."""
    found = [["gough", gough.__version__], ["Python", system.python_version()]]
    found += [[name, metadata.version(name)] for name in ("numpy", "scipy", "numba")]
    return [*found, ["system", f"{system.system()} {system.machine()}"]]


def run_provenance(path: str | Path, platform: Platform) -> tuple[tuple[str, str], ...]:
    """How a run of `gough simulate` (.nc) came about, as rows of words; none for other files.

    A run of another machine is refused: by its name, its legs, coordinates that this machine does not have at the
    run's poses (more than `SAME`), or by the fingerprint of the machine that it carries: every number, masses too.
    A run written before runs carried one is taken by the rest, and a row says so.
    """
    file = Path(path)
    if file.suffix.lower() != ".nc" or not file.is_file():
        return ()
    content, whole = unsealed(file)
    if not whole:
        return ()
    import xarray

    with xarray.open_dataset(io.BytesIO(content), engine="h5netcdf", decode_times=False) as run:
        if "status" not in run.attrs or "length" not in run or "run" in run.dims:
            return ()
        _refuse_foreign(run, platform, file.name)
        rows = [
            (words, str(run.attrs[name]))
            for name, words in PROVENANCE.items()
            if run.attrs.get(name) not in (None, "")
        ]
        rows.append(("status", str(run.attrs["status"])))
        if "machine_fingerprint" not in run.attrs:
            rows.append(("masses of the machine", "not compared: the run carries no fingerprint"))
        rows += _tracked(file.parent)
    return tuple(rows)


def _tracked(folder: Path) -> list[tuple[str, str]]:
    """The tracking error that ``gough simulate`` wrote beside the run."""
    try:
        figures = parse_json((folder / "summary.json").read_bytes(), "summary.json")["tracking"]
        return [
            (f"tracking error, {name.replace('_', ' ')} (summary.json beside it)", f"{size:.4g}")
            for name, size in figures.items()
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [("tracking error", "not known: no summary.json with one lies beside the run")]


def _refuse_foreign(run: Any, platform: Platform, label: str) -> None:
    name = str(run.attrs.get("machine", ""))
    if name != platform.name:
        raise InputError(
            label, f"a run of {name!r}", f"must be a run of this machine, {platform.name!r}"
        )
    kinds = tuple(str(kind) for kind in np.atleast_1d(run["leg_type"].values))
    if kinds != tuple(platform.kinds):
        raise InputError(
            label,
            f"legs {', '.join(kinds)}",
            f"must be a run with {', '.join(platform.kinds)} legs",
        )
    known = np.isfinite(run["length"].values).all(axis=1)
    known &= np.isfinite(run["quaternion"].values).all(axis=1)
    pose = Pose.from_quaternion(run["position"].values[known], run["quaternion"].values[known])
    here = inverse_kinematics(platform, pose).length
    off = float(np.abs(here - run["length"].values[known]).max(initial=0.0))
    if not off <= SAME:
        raise InputError(
            label,
            f"coordinates that differ by {off:.3g} from this machine's at the same poses",
            "must be a run of this machine",
        )
    known_as = run.attrs.get("machine_fingerprint")
    if known_as is not None and known_as != fingerprint(platform):
        raise InputError(
            label,
            f"a run of another {name!r}: same legs and joints, other numbers (masses, limits, drives)",
            "must be a run of this machine",
        )
