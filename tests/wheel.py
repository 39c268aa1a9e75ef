"""`python tests/wheel.py`: wheel and sdist built and tried in an empty environment, and the size of the core there.

pip builds both (it fetches the build backend and the core's dependencies); nothing of this checkout is on the path of
the environment that tries them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TRIED = """
import importlib.util, gough, pathlib
assert not importlib.util.find_spec("xarray") and not importlib.util.find_spec("matplotlib")
platform = gough.load("motion-base-1500")
pose = gough.Pose.from_rpy([0.1, 0, 1.3], [0, 0.1, 0.2])
lift = gough.trajectory.quintic(platform.home, pose, duration=1.5)
print("forces N", gough.inverse_dynamics(platform, lift(0.4)).force.round(1))
assert (pathlib.Path(gough.__file__).parent / "py.typed").exists()
try:
    gough.simulate(platform, pose, duration=0.01)
except gough.MissingPackageError as error:
    print(error)
"""


def sources() -> set[str]:
    """Files of the package in this checkout, as the wheel names them."""
    command = ["git", "ls-files", "src/gough"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {line.removeprefix("src/") for line in listed.splitlines()}
    return {name for name in names if not name.startswith("gough/studio/web/")}


def main(folder: Path) -> None:
    """Build, compare with the sources, install, try, measure."""
    python = [sys.executable, "-m", "pip", "--quiet"]
    subprocess.run(
        [*python, "install", "--target", str(folder / "build"), "build", "hatchling"], check=True
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
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder / "empty")], check=True
    )
    site = next((folder / "empty").rglob("site-packages"))
    subprocess.run([*python, "install", "--target", str(site), str(wheel)], check=True)
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    inside = next(p for p in (folder / "empty").glob("*/python*"))
    subprocess.run([str(inside), "-c", TRIED], cwd=folder, check=True, env=bare)
    size = sum(p.stat().st_size for p in site.rglob("*") if p.is_file() and p.suffix != ".pyc")
    print(f"{wheel.name} {wheel.stat().st_size / 1e6:.1f} MB, core installed {size / 1e6:.0f} MB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made_in:
        main(Path(made_in))
