"""Kills, full disks and read-only folders under every command that writes.

    cd tests && python -m campaigns.disk_campaign kills --count 200 --seed 0
    cd tests && python -m campaigns.disk_campaign failures

Each command runs in a forked process.  A kill (SIGKILL at a random moment) leaves under final names only whole files,
those of an undisturbed run to the last byte; the next run ends with the same bytes and sweeps what was left.  A disk
that takes only some bytes (RLIMIT_FSIZE) and a folder that may not be written give one sentence, an exit code that is
not zero, and no signal.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import gough
from gough import cli, storage

EXAMPLES = Path(gough.__file__).parents[2] / "examples"
COMMANDS = {  # {out}: a folder
    "forces": "forces dasgupta-1998 001-I --samples 5 --out {out}",
    "show": "show dasgupta-1998 --figure {out}/a.svg",
    "report": "report dasgupta-1998 001-I --samples 5 --out {out}/report.html",
    "simulate": f"simulate dasgupta-1998 {EXAMPLES}/scenarios/power-loss.toml --out {{out}}",
    "sweep": f"sweep {EXAMPLES}/design/sweep.toml --format csv,nc,parquet --out {{out}}",
    "c": "export c octahedral-33 --out {out}",
    "mjcf": "export mjcf octahedral-33 --out {out}/a.xml",
    "urdf": "export urdf octahedral-33 --out {out}/a.urdf",
    "sdf": "export sdf octahedral-33 --out {out}/a.sdf",
}
GROWING = ("journal", "run.json", "summary.json")  # grow, or tell times and paths


def start(
    command: str, out: Path, limit: int | None = None, closed: bool = False
) -> tuple[int, int]:
    """A forked process that runs one command: its id, and the pipe that it talks to."""
    hear, talk = os.pipe()
    child = os.fork()
    if child:
        os.close(talk)
        return child, hear
    code = 70
    try:
        os.close(hear)
        os.dup2(talk, 1)
        os.dup2(talk, 2)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        if closed:
            close_folder(out.parent)  # some commands fill a folder beside it and swap
        words = COMMANDS[command].format(out=out).split()
        if command in ("simulate", "sweep") and any(out.iterdir()):
            words.append("--resume")
        sys.argv = ["gough", *words]
        cli.main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        os.write(2, f"Traceback: {error!r}".encode())
    finally:
        os._exit(code)


def close_folder(folder: Path) -> None:
    """In this process nothing more is made in the folder, as on a read-only file system (root may write anywhere)."""
    for name in ("open", "mkdir"):
        real = getattr(os, name)

        def call(path: object, *args: object, real: Callable[..., object] = real) -> object:
            making = real is not opened or bool(args and int(str(args[0])) & os.O_CREAT)
            if making and str(path).startswith(str(folder)):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
            return real(path, *args)

        setattr(os, name, call)


opened = os.open


def ended(child: int, hear: int) -> tuple[int, str]:
    """Exit code of a process, or minus its signal; what it said."""
    with os.fdopen(hear, errors="replace") as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def files(folder: Path) -> dict[str, bytes]:
    """Content by name of everything in the folder; temporaries too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@cache
def undisturbed(command: str) -> tuple[dict[str, bytes], float]:
    """Files of a run that nothing disturbs, and the seconds it took."""
    with workfolder() as out:
        began = time.monotonic()
        code, said = ended(*start(command, out))
        if code:
            raise AssertionError(f"{command}: exit {code}: {said}")
        return files(out), time.monotonic() - began


@contextlib.contextmanager
def workfolder() -> Iterator[Path]:
    """An empty folder for the results."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        out.mkdir()
        yield out


def temporary(name: str) -> bool:
    """A name that the writer gives to unfinished files."""
    return storage._TEMPORARY.fullmatch(Path(name).name) is not None


def changed(found: dict[str, bytes], wanted: dict[str, bytes]) -> list[str]:
    """Files under final names that are not those of the undisturbed run; pieces of a run that goes on may be there."""
    return [
        name
        for name, data in found.items()
        if not temporary(name)
        and not name.endswith(GROWING)
        and not re.search(r"piece-\d+\.npz$", name)
        and wanted.get(name) != data
    ]


def kill(command: str, rng: random.Random) -> str:
    """Kill a command at a random moment, look, run it again; "" or what was wrong."""
    wanted, seconds = undisturbed(command)
    with workfolder() as out:
        child, hear = start(command, out)
        time.sleep(rng.uniform(0.0, 1.1 * seconds))
        os.kill(child, signal.SIGKILL)
        ended(child, hear)
        if torn := changed(files(out), wanted):
            return f"{command}: not whole after a kill: {torn}"
        code, said = ended(*start(command, out))
        if code:
            return f"{command}: the next run ends with {code}: {said[-300:]}"
        found = files(out)
        if left := [name for name in found if temporary(name)]:
            return f"{command}: left behind: {left}"
        if other := changed(found, wanted) or sorted(set(wanted) ^ set(found)):
            return f"{command}: not the same bytes: {other}"
    return ""


def kills(count: int, seed: int, commands: tuple[str, ...] = tuple(COMMANDS)) -> list[str]:
    """`count` kills; what was wrong."""
    rng = random.Random(seed)
    return [said for i in range(count) if (said := kill(commands[i % len(commands)], rng))]


def refused(command: str, limit: int | None) -> str:
    """Run a command on a disk that takes `limit` bytes a file (None: in a read-only folder); "" or what was wrong."""
    wanted, _ = undisturbed(command)
    with workfolder() as out:
        code, text = ended(*start(command, out, limit, closed=limit is None))
        what = f"{command}, {'read-only folder' if limit is None else f'{limit} bytes a file'}"
        lines = [line for line in text.splitlines() if line.startswith("gough: ")]
        if limit is not None and max(map(len, wanted.values())) <= limit:
            return "" if code == 0 else f"{what}: exit {code}, though all fits: {text[-300:]}"
        if code not in (1, 2, 3) or "Traceback" in text or len(lines) != 1:
            return f"{what}: exit {code}: {text[-300:]}"
        found = files(out)
        if torn := changed(found, wanted) + [name for name in found if temporary(name)]:
            return f"{what}: left behind: {torn}"
    return ""


def failures(commands: tuple[str, ...] = tuple(COMMANDS)) -> list[str]:
    """Every command with disks of several sizes, and in a read-only folder."""
    limits = (None, 0, 1, 100, 4000, 30_000, 1 << 30)
    return [said for c in commands for limit in limits if (said := refused(c, limit))]


def main() -> None:
    """One campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("kills", "failures"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", nargs="*", default=tuple(COMMANDS), choices=tuple(COMMANDS))
    options = parser.parse_args()
    commands = tuple(options.commands)
    with tempfile.TemporaryDirectory() as settings:
        os.environ.setdefault("MPLCONFIGDIR", settings)
        killed = options.kind == "kills"
        wrong = kills(options.count, options.seed, commands) if killed else failures(commands)
        shutil.rmtree(settings, ignore_errors=True)
    print("\n".join(wrong))
    print(f"{options.kind}: {len(wrong)} wrong")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
