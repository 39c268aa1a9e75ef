"""import: a machine from a model file of another program."""

from __future__ import annotations

import warnings
from pathlib import Path

from gough.checks import InputError
from gough.cli.app import command
from gough.cli.console import read_machine, say, warn_along


@command("import")
def import_file(
    file: Path,
    out: Path,
    loops: Path | None = None,
    keyframe: str | None = None,
    platform: str | None = None,
    approximate: bool = False,
    tolerance: float = 0.0,
) -> None:
    """Read an MJCF (.xml, .mjcf) or URDF (.urdf) file and write the machine it describes as TOML."""
    import gough
    from gough.importing import read_mjcf, read_urdf

    given = {"platform": platform, "approximate": approximate, "tolerance": tolerance}
    ending = file.suffix.lower()
    if ending not in (".xml", ".mjcf", ".urdf"):
        raise InputError("file", str(file), "must end in .xml or .mjcf (MuJoCo) or .urdf")
    foreign = ("keyframe", keyframe) if ending == ".urdf" else ("loops", loops)
    if foreign[1] is not None:
        raise InputError(foreign[0], str(foreign[1]), f"has no meaning for a {ending} file")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if ending == ".urdf":
            machine = read_urdf(file, loops=loops, **given)
        else:
            machine = read_mjcf(file, keyframe=keyframe, **given)
    say(*(str(w.message) for w in caught if issubclass(w.category, gough.ModelWarning)))
    say(f"wrote {gough.save(machine, out)}")


@command()
def joints(
    machine: str,
    file: Path,
    out: Path,
    form: str = "urdf",
    attach: str | None = None,
    tolerance: float = 1e-6,
    dt: float | None = None,
    samples: int | None = None,
) -> None:
    """Write the platform's motion (CSV) that a table of joint coordinates (CSV) says, if its loops are closed."""
    from gough.export.tables import motion_table, write_csv
    from gough.importing import joint_motion

    platform = read_machine(machine)
    path = joint_motion(platform, file, form=form, attach=attach, tolerance=tolerance)
    motion = path.sample(samples, dt)
    warn_along(platform, motion, str(file))
    say(f"wrote {write_csv(motion_table(motion), out)}")
