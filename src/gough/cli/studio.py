"""``gough studio``: the browser studio."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gough.cli.app import command


@command()
def studio(
    machine: str = "",
    scenario: str = "",
    folder: str = "",
    host: str = "127.0.0.1",
    port: int = 8642,
    token: str = "",
    open_browser: bool = True,
) -> None:
    """Open the studio in the browser: move, edit, play and simulate a machine."""
    from gough.cli.console import read_machine
    from gough.model.files import presets
    from gough.studio.server import serve
    from gough.studio.session import DEFAULT
    from gough.studio.workfolder import WorkFolder

    start = machine or DEFAULT
    root = Path(folder) if folder else Path.cwd()
    if machine and machine not in presets():
        read_machine(machine)  # say at once what is wrong with the file
        root = Path(folder) if folder else Path(machine).resolve().parent
        start = Path(os.path.relpath(Path(machine).resolve(), root.resolve())).as_posix()
    place = WorkFolder(root)
    if machine and machine not in presets():
        place.resolve(start)

    def ready(address: str) -> None:
        sys.stderr.write(f"gough studio: {address}\nwork folder: {place.root}\nstop with Ctrl+C\n")
        sys.stderr.flush()
        if open_browser:
            import threading
            import webbrowser

            threading.Timer(0.5, webbrowser.open, [address]).start()

    serve(place, host, port, start=start, scenario=scenario, token=token or None, ready=ready)
