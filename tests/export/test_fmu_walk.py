"""The C of every FMU block under AddressSanitizer and UndefinedBehaviorSanitizer, in and out of turn (fmu_walk.c)."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

import gough
from gough.export.fmu import BLOCKS, VERSIONS, write_fmu

WALK = Path(__file__).with_name("fmu_walk.c")
PRESETS = {"UPS": "motion-base-1500", "PUS": "hexaglide", "RUS": "servo-hexapod"}
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-g", "-fno-sanitize-recover=all"]
FLAGS += ["-fsanitize=address,undefined,float-cast-overflow"]
QUICK = {("UPS", "forward-kinematics", "2.0"), ("RUS", "forward-kinematics", "3.0")}
QUICK |= {("UPS", "plant", "2.0"), ("UPS", "linear", "3.0"), ("PUS", "inverse-dynamics", "3.0")}
CASES = [
    pytest.param(
        kind,
        block,
        version,
        marks=() if (kind, block, version) in QUICK else pytest.mark.slow,
    )
    for kind in PRESETS
    for block in BLOCKS
    for version in VERSIONS
]


def walked(folder: Path, block: str, version: str, platform: gough.Platform) -> str:
    """What the walk through the block's FMU says: nothing where all is as expected."""
    path = write_fmu(platform, folder / "m.fmu", block=block, version=version, compiled=False)
    zipfile.ZipFile(path).extractall(folder)
    sources = folder / "sources"
    shutil.copy(WALK, sources)
    own = sorted(p.name for p in sources.glob("*.c") if not p.name.startswith("fmi"))
    chosen = [f'-DFMI="fmi{version[0]}.c"', f"-DVERSION={version[0]}"]
    subprocess.run(["gcc", *FLAGS, *chosen, *own, "-o", "walk", "-lm"], cwd=sources, check=True)
    found = subprocess.run([str(sources / "walk")], capture_output=True, text=True)
    return found.stdout + found.stderr + ("" if found.returncode == 0 else f"{found.returncode}")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER: the FMUs were not walked")
@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
@pytest.mark.parametrize(("kind", "block", "version"), CASES)
def test_sanitizers_find_nothing(tmp_path: Path, kind: str, block: str, version: str) -> None:
    assert walked(tmp_path, block, version, gough.load(PRESETS[kind])) == ""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER: the FMUs were not walked")
@pytest.mark.parametrize("slip", ["r[k] >= MODEL_VALUES", "NEED(STARTING)\n"])
def test_the_walk_finds_planted_slips(
    tmp_path: Path, slip: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the check of references, or of turns, it does not end in silence."""
    import gough.export.fmu as room

    plain = room._template
    wrong = {"r[k] >= MODEL_VALUES": "0", "NEED(STARTING)\n": ""}[slip]
    monkeypatch.setattr(room, "_template", lambda name: plain(name).replace(slip, wrong))
    assert walked(tmp_path, "linear", "2.0", gough.load("motion-base-1500")) != ""
