"""``gough controller``: an emulated hexapod controller on a TCP port."""

from __future__ import annotations

import sys

from gough.checks import InputError
from gough.cli.app import command
from gough.cli.console import answer, read_machine


@command()
def controller(
    machine: str,
    host: str = "127.0.0.1",
    port: int = 5400,
    speed: float | None = None,
    rate: float | None = None,
    time_scale: float = 1.0,
    as_json: bool = False,
) -> None:
    """Serve a machine by lines of text over TCP: move, can I go there, limits, pivot, frames, stop."""
    from gough.hardware.controller import HexapodController
    from gough.hardware.planning import MoveLimits
    from gough.hardware.server import ControllerServer, serve_controller

    if not 0 <= port <= 65535:
        raise InputError("port", port, "must be a number from 0 to 65535")
    platform = read_machine(machine)
    limits = MoveLimits.usual(platform)
    given = {name: x for name, x in (("speed", speed), ("rate", rate)) if x is not None}
    made = HexapodController(platform, limits=limits.replace(**given), scale=time_scale)

    def ready(server: ControllerServer) -> None:
        facts = {"machine": platform.name, "host": server.host, "port": server.port}
        answer(facts, as_json, _listening)
        sys.stdout.flush()

    serve_controller(made, host, port, ready)


def _listening(facts: dict[str, object]) -> None:
    sys.stdout.write(
        "controller of {machine}: {host} port {port}, stop with Ctrl+C\n".format(**facts)
    )
