"""`make wheel`: wheel and sdist built and tried in an empty environment; its core's size and its first answer's cost.

pip builds both (it fetches the build backend and the core's dependencies); nothing of this checkout is on the path of
the environment that tries them.  README's first example is run there as it stands, on an empty kernel cache: the time
until its first line, in processor seconds, and what it prints.  A check before a release: both figures are limits.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS, MOST_MB = 2.0, 340.0
TRIED = """
import importlib.util, gough, pathlib
assert not any(importlib.util.find_spec(name) for name in ("scipy", "xarray", "matplotlib"))
assert (pathlib.Path(gough.__file__).parent / "py.typed").exists()
platform = gough.load("motion-base-1500")
for call in (
    lambda: gough.simulate(platform, platform.home, duration=0.01),
    lambda: gough.analysis.exact_volume(platform),
):
    try:
        call()
    except gough.MissingPackageError as error:
        print(error)
    else:
        raise SystemExit("answered without the package")
"""
WATCHED = """
import builtins, sys, time
said = builtins.print
def first(*words):
    builtins.print = said
    print("first line:", time.process_time(), file=sys.stderr)
    said(*words)
builtins.print = first
"""


def sources() -> set[str]:
    """Files of the package in this checkout, as the wheel names them."""
    command = ["git", "ls-files", "src/gough"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {line.removeprefix("src/") for line in listed.splitlines()}
    return {name for name in names if not name.startswith("gough/studio/web/")}


def built(folder: Path) -> Path:
    """The wheel, with all sources in it, and an sdist beside it."""
    pip = [sys.executable, "-m", "pip", "--quiet"]
    subprocess.run(
        [*pip, "install", "--target", str(folder / "build"), "build", "hatchling"], check=True
    )
    path = {**os.environ, "PYTHONPATH": str(folder / "build")}
    made = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(made, check=True, env=path, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        lost = sources() - set(file.namelist())
    assert not lost, f"the wheel lacks {sorted(lost)[:5]}"
    with tarfile.open(sdist) as file:
        assert any(name.endswith("/pyproject.toml") for name in file.getnames())
    return wheel


def installed(wheel: Path, folder: Path) -> tuple[Path, float]:
    """The Python of an environment with the wheel and what it needs, and nothing else; its size in MB, without .pyc."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.rglob("site-packages"))
    pip = [sys.executable, "-m", "pip", "--quiet", "install", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True)
    files = [p for p in site.rglob("*") if p.is_file() and p.suffix != ".pyc"]
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = Path(shutil.which("python", path=str(scripts)) or "")
    return python, sum(p.stat().st_size for p in files) / 1e6


def first_answer(python: Path, folder: Path, environment: dict[str, str]) -> float:
    """Processor seconds until README's example prints on an empty kernel cache; what it prints is compared."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, shown = re.search(r"```python\n(.*?)```\n```\n(.*?)```", readme, re.S).groups()  # type: ignore[union-attr]
    fresh = {**environment, "GOUGH_CACHE": str(folder / "kernels"), "GOUGH_PROGRESS": "1"}
    told = folder / "stderr.txt"
    with told.open("w", encoding="utf-8") as stderr:
        command = [str(python), "-c", WATCHED + code]
        run = subprocess.run(
            command, cwd=folder, env=fresh, stdout=subprocess.PIPE, stderr=stderr, text=True
        )
    words = told.read_text(encoding="utf-8")
    assert run.returncode == 0, words[-3000:]
    assert plain(run.stdout) == plain(shown), run.stdout
    said = [line for line in words.splitlines() if line.startswith("gough: compiling")]
    assert said, "nobody was told what the rest waited for"
    print(run.stdout, said[0], "...", said[-1], sep="\n")
    return float(words.split("first line:")[1].split()[0])


def plain(text: str) -> str:
    """Without spaces and signs of zeros: these may differ between the plain engine and the compiled one."""
    return "".join(re.sub(r"-0\.(?=\s)", "0.", text).split())


def main(folder: Path) -> None:
    """Build, compare with the sources, install, try, measure."""
    wheel = built(folder)
    python, size = installed(wheel, folder / "empty")
    print(
        f"{wheel.name} {wheel.stat().st_size / 1e6:.1f} MB, core installed {size:.0f} MB",
        flush=True,
    )
    bare = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GOUGH_"))}
    subprocess.run([str(python), "-c", TRIED], cwd=folder, check=True, env=bare)
    seconds = first_answer(python, folder, bare)
    print(f"first line on an empty kernel cache after {seconds:.2f} s of processor time")
    if size > MOST_MB or seconds > MOST_SECONDS:
        raise SystemExit(f"more than {MOST_MB:.0f} MB or {MOST_SECONDS:g} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(
        ignore_cleanup_errors=True
    ) as made_in:  # a helper may be at work
        main(Path(made_in))
