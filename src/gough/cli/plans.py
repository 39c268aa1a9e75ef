"""plan-path: a proved way between two poses, and its fastest pace as a trajectory file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.checks import InfeasibleError
from gough.cli import console
from gough.cli.app import command
from gough.cli.places import asked_frames, entered, entered_pose
from gough.cli.quantities import check_actuators
from gough.cli.warned import far_away

if TYPE_CHECKING:
    from gough.analysis.path_planner import PathPlan
    from gough.model import Frames, Platform


@command()
def plan_path(
    machine: str,
    start: str,
    end: str,
    max_rate: float | None = None,
    max_acceleration: float | None = None,
    max_force: float | None = None,
    max_jerk: float | None = None,
    samples: int = 200,
    seed: int = 0,
    convention: str | None = None,
    pivot: str | None = None,
    work: str | None = None,
    tool: str | None = None,
    mm: bool = False,
    out: Path | None = None,
    as_json: bool = False,
) -> None:
    """A way between two poses inside all limits, proved piece by piece; exit code 3 where none exists."""
    import gough

    platform = console.read_machine(machine)
    frames = asked_frames(platform, convention, pivot, work, tool, mm)
    ends = [entered_pose(name, text, frames, mm) for name, text in (("start", start), ("end", end))]
    console.warn(*(said for end in ends for said in far_away(platform, end)))
    limits = {"max_rate": max_rate, "max_acceleration": max_acceleration}
    limits |= {"max_force": max_force, "max_jerk": max_jerk}
    check_actuators(platform, **limits)
    found = gough.plan_path(platform, *ends, samples=samples, seed=seed)
    facts = _facts(platform, frames, found)
    if out is not None and found.poses is not None:
        facts["motion"] = _paced(platform, found, limits, out)
    console.answer(facts, as_json, _show)
    if found.possible is False:
        raise InfeasibleError(found.sentences[0])


def _facts(platform: Platform, frames: Frames, found: PathPlan) -> dict[str, Any]:
    corners = [] if found.poses is None else range(len(found.poses.position))
    return {
        "machine": platform.name,
        "possible": found.possible,
        "sentences": list(found.sentences),
        "tried": found.tried,
        "poses": [
            {
                "position": found.poses[i].position.tolist(),
                "quaternion": found.poses[i].quaternion.tolist(),
                **entered(frames, found.poses[i]),
            }
            for i in corners
            if found.poses is not None
        ],
    }


def _paced(
    platform: Platform, found: PathPlan, limits: dict[str, float | None], out: Path
) -> dict[str, Any]:
    """Write the way at its fastest pace; what is said is proved of the file as it is read again."""
    from gough.analysis.pacing import pace_path, pace_proof
    from gough.storage import write_whole
    from gough.trajectory.definition import load_trajectory
    from gough.trajectory.legs import LegTrajectory
    from gough.trajectory.paced import paced_text

    parts = [pace_path(platform, part, **limits) for part in found.parts]  # type: ignore[arg-type]
    written = write_whole(out, paced_text([part.trajectory for part in parts]))
    motion = load_trajectory(written)
    assert not isinstance(motion, LegTrajectory)
    proof = pace_proof(platform, motion, **limits)
    return {
        "file": str(written),
        "duration": motion.duration,
        "reserve": max(part.reserve for part in parts),
        "proved": proof.ok,
        "sentences": list(proof.sentences()),
    }


_VERDICT = {True: "a way is proved", False: "no way exists", None: "no way is proved"}
_KEPT = {
    True: "every limit holds at every instant, proved",
    False: "a limit is broken",
    None: "not every limit is decided",
}


def _show(facts: dict[str, Any]) -> None:
    console.write_line(_VERDICT[facts["possible"]])
    for sentence in facts["sentences"]:
        console.write_line(f"- {sentence}")
    columns = {"x y z, m": "{position}", "quaternion": "{quaternion}", "as entered": "{entered}"}
    listed = ("position", "quaternion", "entered")
    rows = ({key: console.numbers(p[key]) for key in listed} for p in facts["poses"])
    if facts["poses"]:
        console.show_table(columns, rows)
    motion = facts.get("motion")
    if motion is not None:
        console.write_line(
            f"{motion['duration']:.6g} s from rest to rest: {_KEPT[motion['proved']]}"
        )
        for sentence in motion["sentences"]:
            console.write_line(f"- {sentence}")
        console.say(f"wrote {motion['file']}")
