"""``gough report``: a self-contained HTML report on a machine and a motion, and its PDF."""

from __future__ import annotations

from pathlib import Path

from gough.checks import InputError
from gough.cli.app import command
from gough.cli.console import load_with_notes, read_path, say, warn_along
from gough.cli.quantities import read_wrench


@command()
def report(
    machine: str,
    motion: str = "",
    out: Path = Path("report.html"),
    samples: int = 501,
    compare: str = "",
    title: str = "",
    author: str = "",
    date: str = "",
    wrench: str | None = None,
    pdf: Path | None = None,
    paper: str = "a4",
) -> None:
    """Write one HTML file: verdict, limits, machine, motion, forces, joints, actuators, 3D replay; --pdf prints it."""
    from gough.report.html import check_paper, write_report
    from gough.report.pdf import browser, write_pdf
    from gough.report.verdicts import run_provenance

    check_paper(paper)
    if pdf is not None:
        browser()  # said before the work where there is none
    names = ("exact", *_formulations(compare))
    platform, notes = load_with_notes(machine)
    provenance = run_provenance(motion, platform) if motion else ()
    source = read_path(platform, motion) if motion else None
    along = None if source is None else source.sample(samples)
    if along is not None:
        warn_along(platform, along, motion)
    path = write_report(
        out,
        platform,
        along,
        external=None if wrench is None else read_wrench(wrench),
        formulations=names,
        title=title,
        label=Path(motion).name,
        warnings=tuple(notes),
        trajectory=source,
        author=author,
        date=date,
        definition=_definition(motion),
        provenance=provenance,
        paper=paper,
    )
    say(f"wrote {path} ({path.stat().st_size / 1e6:.2f} MB)")
    if pdf is not None:
        printed = write_pdf(path, pdf)
        say(f"wrote {printed} ({printed.stat().st_size / 1e6:.2f} MB)")


def _formulations(compare: str) -> list[str]:
    """Names apart by commas, each a formulation, or one as printed (``kane/published``)."""
    from gough.dynamics import FORMULATIONS

    names = [name for name in compare.replace(" ", "").split(",") if name]
    for name in names:
        method, _, rest = name.partition("/")
        if method not in FORMULATIONS or rest not in ("", "published"):
            allowed = f"must be of {', '.join(FORMULATIONS)}, each also with /published"
            raise InputError("compare", name, allowed)
    return names


def _definition(motion: str) -> str:
    """The motion as its file defines it; a table of samples, or a path of a paper, by its name."""
    file = Path(motion)
    if file.suffix.lower() == ".toml" and file.is_file():
        return file.read_text("utf-8", errors="replace")[:20000]
    return f"samples in {file.name}" if file.suffix and file.is_file() else motion
