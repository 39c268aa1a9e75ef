"""``gough studio``: the browser studio."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.app import app


@app.command()
def studio(
    machine: Annotated[str, typer.Argument(help="Preset name or TOML file.")] = "",
    scenario: Annotated[
        str,
        typer.Option(help="Trajectory to start with: a paper's path or a file of the work folder."),
    ] = "",
    folder: Annotated[
        str,
        typer.Option(
            help="Work folder: the only files the studio reads and writes. Default: the "
            "folder of MACHINE, or the current one."
        ),
    ] = "",
    host: Annotated[
        str, typer.Option(help="Address; anything but loopback asks for the token shown.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="Port; the next free one is taken if it is in use. 0: any.")
    ] = 8642,
    token: Annotated[
        str, typer.Option(help="Token to ask for; made up when needed and not given.")
    ] = "",
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the browser.")
    ] = True,
) -> None:
    """Open the studio in the browser: move, edit, play and simulate a machine."""
    from gough.model.files import load, presets
    from gough.studio.server import serve
    from gough.studio.session import DEFAULT
    from gough.studio.workfolder import WorkFolder

    start = machine or DEFAULT
    root = Path(folder) if folder else Path.cwd()
    if machine and machine not in presets():
        load(machine)  # say at once what is wrong with the file
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
