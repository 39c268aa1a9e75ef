"""``gough report``: a self-contained HTML report on a machine and a motion."""

from __future__ import annotations

from pathlib import Path

from gough.cli.app import command
from gough.cli.console import load_with_notes, read_path, say


@command()
def report(
    machine: str,
    motion: str = "",
    out: Path = Path("report.html"),
    samples: int = 501,
    compare: str = "",
    title: str = "",
) -> None:
    """Write one HTML file with the machine sheet, the motion, forces, reactions, actuators and a 3D replay."""
    from gough.report.html import write_report

    platform, notes = load_with_notes(machine)
    source = read_path(platform, motion) if motion else None
    along = None if source is None else source.sample(samples)
    names = ("exact", *(name for name in compare.replace(" ", "").split(",") if name))
    path = write_report(
        out,
        platform,
        along,
        formulations=names,
        title=title,
        label=Path(motion).name,
        warnings=tuple(notes),
        trajectory=source,
    )
    say(f"wrote {path} ({path.stat().st_size / 1e6:.2f} MB)")
