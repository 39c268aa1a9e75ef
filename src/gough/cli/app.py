"""The typer application: exit codes and the list of command modules.

Exit codes: 0 ok, 1 failure, 2 usage or bad file, 3 infeasible (unreachable, singular, out of limits).
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import resources
from inspect import signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from gough.checks import GoughError, InfeasibleError
from gough.cli.console import forget_warnings
from gough.cli.quantities import option_parser
from gough.documents.source import parse_toml
from gough.extras import MissingPackageError, missing

COMMAND_MODULES = (
    *(
        "machine",
        "fk",
        "places",
        "plans",
        "simulate",
        "controller",
        "control",
        "cue",
        "analysis",
        "worst",
        "metrology",
        "design",
    ),
    *("export", "imports"),
    *("reproduce", "report", "studio", "bench", "verify"),
)

_NUMBERS = re.compile(r"-\.?\d.*", re.DOTALL)


class NumbersFirst(TyperGroup):
    """Numbers that begin with a minus are numbers, not options: "-5 0 220 0 0 2" needs no ``--`` before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """A space in front takes the minus from where options are looked for."""
        return super().parse_args(
            ctx, [f" {text}" if _NUMBERS.fullmatch(text) else text for text in args]
        )


app = typer.Typer(
    name="gough",
    cls=NumbersFirst,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Gough-Stewart platforms: kinematics, dynamics, simulation, design.",
    epilog='Numbers are in the units that an option names; with a unit of their own, any that fits: 100mm, "15 deg", '
    '"0 0 600 mm 0 0 15 deg" for a pose. Exit codes: 0 ok, 1 failure, 2 usage or bad file, 3 infeasible.',
)


def _say_version(asked: bool) -> None:
    if asked:
        from gough import __version__

        typer.echo(f"gough {__version__}")
        raise typer.Exit


_VERSION = typer.Option(
    "--version", callback=_say_version, is_eager=True, help="Say the version and leave."
)


@app.callback()
def before_commands(version: Annotated[bool, _VERSION] = False) -> None:
    """What stands before the commands: the help of the program is that of `app`."""
    forget_warnings()


@cache
def _options() -> dict[str, dict[str, dict[str, Any]]]:
    text = resources.files("gough.cli").joinpath("options.toml").read_text("utf-8")
    return parse_toml(text, "options.toml")


def command(name: str | None = None, group: typer.Typer = app) -> Callable[[Any], Any]:
    """A command of `group`: what options.toml says of its parameters becomes their help."""

    def made(function: Any) -> Any:
        hints, table = get_type_hints(function), _options()
        for parameter in signature(function).parameters:
            own, kind = next(
                (table[page][kind][parameter], kind)
                for page in (function.__name__, "shared")
                for kind in ("argument", "option")
                if parameter in table.get(page, {}).get(kind, {})
            )
            given: dict[str, Any] = {"help": own} if isinstance(own, str) else dict(own)
            if "quantity" in given:
                given["parser"] = option_parser(parameter, given.pop("quantity"))
                given["metavar"] = "NUMBER [UNIT]"
            make = typer.Argument if kind == "argument" else typer.Option
            hints[parameter] = Annotated[hints[parameter], make(*given.pop("flags", ()), **given)]
        function.__annotations__ = hints
        return group.command(name)(function)

    return made


def main() -> None:
    """Run the command line; errors become one sentence on stderr and an exit code."""
    for module in COMMAND_MODULES:
        importlib.import_module(f"gough.cli.{module}")
    try:
        app()
    except ImportError as error:
        told = error if isinstance(error, MissingPackageError) else missing(error)
        if told is None:
            raise
        fail(str(told), 2)
    except GoughError as error:
        fail(str(error), 3 if isinstance(error, InfeasibleError) else 2)
    except OSError as error:  # no such file, no permission, a full disk, a closed pipe
        why = (error.strerror or str(error)).lower()
        fail(": ".join(str(part) for part in (error.filename, why) if part), 2)


def fail(message: str, code: int) -> None:
    """Say why on stderr and leave with `code`."""
    sys.stderr.write(f"gough: {message}\n")
    raise SystemExit(code)
