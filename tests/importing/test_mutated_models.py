"""Model files with random damage end as a machine or as an `InputError`, never as anything else.

GOUGH_MUTATIONS=N makes any number of them (slow test).
"""

from __future__ import annotations

import os
import random
import re
import warnings
from collections import Counter
from pathlib import Path

import pytest

import gough
from gough.export import save_mjcf, save_urdf
from gough.importing import read_mjcf, read_urdf

pytest.importorskip("mujoco", reason="MJCF is read by MuJoCo's compiler")

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
VALUES = ("0", "-1", "1e9", "nan", "inf", "", "abc", "1e-12", "0 0 0", "1 2")
MANY = int(os.environ.get("GOUGH_MUTATIONS", "200"))


def mutated(text: str, rng: random.Random) -> str:
    """A number replaced, a line lost, a word in another's place, or another number."""
    pattern, new = rng.choice(
        [
            (r'(?<=")[-+.e0-9 ]+(?=")', lambda: rng.choice(VALUES)),
            (r"\n[^\n]*", lambda: ""),
            (r"\b[a-zA-Z_]\w*", lambda: rng.choice(re.findall(r"\b[a-zA-Z_]\w*", text))),
            (r"-?\d+\.?\d*", lambda: repr(rng.gauss(0.0, 1.0))),
        ]
    )
    places = list(re.finditer(pattern, text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + new() + text[place.end() :]


def campaign(count: int, seed: int, folder: Path) -> Counter[str]:
    """How files of all styles, each with one or two errors, end."""
    save_urdf(gough.load("motion-base-ucu"), folder / "ucu.urdf")
    save_mjcf(gough.load("screw-hexapod"), folder / "screw.xml")
    names = [
        "degrees.xml",
        "hanging.xml",
        "servos.xml",
        "ros_loop_joints.urdf",
        "ros.urdf",
        "ros.loops.toml",
    ]
    files = {name: (FOREIGN / name).read_text() for name in names}
    files |= {
        name: (folder / name).read_text() for name in ("ucu.urdf", "ucu.loops.json", "screw.xml")
    }
    rng, ends = random.Random(seed), Counter()
    for _ in range(count):
        damaged = rng.choice(list(files))
        text = files[damaged]
        for _ in range(1 + rng.randrange(2)):
            text = mutated(text, rng)
        for name, whole in files.items():
            (folder / name).write_text(text if name == damaged else whole)
        path = folder / re.sub(r"\.loops\.\w+$", ".urdf", damaged)
        read = read_urdf if path.suffix == ".urdf" else read_mjcf
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                gough.dumps(read(path, approximate=rng.random() < 0.5))
                ends["machine"] += 1
            except gough.InputError:
                ends["refused"] += 1
    return ends


@pytest.mark.parametrize("count", [30, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_damaged_file_is_a_machine_or_refused(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ends = campaign(count, count, tmp_path)
    assert ends["machine"] > count // 10
    assert ends["refused"] > count // 3
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()
