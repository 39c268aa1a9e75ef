"""bench: the benchmarks of the repository."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import typer

from gough.cli.app import command
from gough.cli.console import answer, write_json


@command()
def bench(
    states: int = 1_000_000,
    only: str = "",
    rounds: int = 3,
    out: Path | None = None,
    as_json: bool = False,
) -> None:
    """Measure speed against Pinocchio, MuJoCo, NumPy and hand-written C in one run."""
    import gough

    root = Path(gough.__file__).resolve().parents[2]
    if not (root / "benchmarks" / "__main__.py").exists():
        raise gough.InputError(
            "benchmarks", "not installed", "they come with the repository: clone it, make bench"
        )
    sys.path.insert(0, str(root))
    main = importlib.import_module("benchmarks.__main__")
    known = {case.key for case in main.CASES}
    wanted = {key for key in only.split(",") if key}
    if wanted - known:
        raise gough.InputError("only", only, f"must be of {', '.join(sorted(known))}")
    result = main.measure(states, wanted or None, rounds)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_json(result, out / "bench.json")
        main.figure(result, out / "bench.png")
    answer(result, as_json, lambda found: typer.echo(main.table(found)))
