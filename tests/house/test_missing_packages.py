"""Without the extras the core answers; what needs one says which, in one sentence with the command."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gough
from gough import extras

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = Path(gough.__file__).parent
BLOCK = f"""
import sys
for name in {sorted(extras.EXTRAS)!r}:
    sys.modules[name] = None
"""
CORE = """
import numpy as np, tempfile, pathlib, gough, gough.metrology
platform = gough.load("motion-base-1500")
pose = gough.Pose.from_rpy([0.05, 0, 1.15], [0, 0.05, 0.1])
motion = gough.trajectory.quintic(platform.home, pose, duration=1.5).sample(5)
gough.inverse_kinematics(platform, pose), gough.jacobian(platform, pose)
gough.inverse_dynamics(platform, motion), gough.mass_matrix(platform, pose)
legs = gough.inverse_kinematics(platform, pose)
assert gough.forward_kinematics(platform, legs.length).straight
assert gough.assembly_modes(platform, legs.length).complete
gough.trajectory.waypoints([platform.home, pose, platform.home], [0.0, 1.0, 2.5])(0.3)
gough.track(platform, np.array([legs.length]), pose)
gough.loads(gough.dumps(platform))
folder = pathlib.Path(tempfile.mkdtemp())
gough.save(platform, folder / "a.toml")
gough.export.mjcf.save_mjcf(platform, folder / "a.xml")
(folder / "b.nc").write_bytes(b"\\x89HDF\\r\\n\\x1a\\n" + b"\\x09" + bytes(99))
(folder / "c.xml").write_text("<mujoco/>")
state = gough.analysis.linearize(platform, pose)
plan = folder / "sweep.toml"
CALLS = {
    "scipy": lambda: gough.analysis.exact_volume(platform),
    "scipy ": lambda: state.to_scipy(),
    "scipy  ": lambda: gough.metrology.calibrate,
    "xarray": lambda: gough.simulate(platform, pose, duration=0.01),
    "xarray ": lambda: gough.export.tables.motion_table(motion),
    "xarray  ": lambda: gough.trajectory.load_trajectory(folder / "b.nc"),
    "matplotlib": lambda: gough.report.machine_figure(platform),
    "matplotlib ": lambda: gough.report.save_figure(None, folder / "a.png"),
    "jax": lambda: gough.jax.require_jax(),
    "cupy": lambda: gough.inverse_dynamics(platform, motion, engine="cuda"),
    "gymnasium": lambda: gough.gym,
    "mujoco": lambda: gough.importing.read_mjcf(folder / "c.xml"),
    "mujoco ": lambda: gough.mujoco(platform),
    "pinocchio": lambda: gough.pinocchio(platform),
    "control": lambda: state.to_control(),
}
for name, call in CALLS.items():
    try:
        call()
    except gough.MissingPackageError as error:
        print(name, "|", error)
    else:
        print(name, "| answered")
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True)


def test_the_core_answers_and_the_rest_says_what_it_needs() -> None:
    done = run("-c", BLOCK + CORE)
    assert done.returncode == 0, done.stderr[-3000:]
    said = dict(line.split(" | ") for line in done.stdout.splitlines())
    assert len(said) == 15
    for name, sentence in said.items():
        package = name.strip()
        extra = extras.EXTRAS[package]
        wanted = f'{package}: not installed; needs the extra {extra}: pip install "gough[{extra}]"'
        assert sentence.startswith(wanted)


COMMANDS = {
    "show motion-base-1500": None,
    "ik motion-base-1500 0,0,1.1,0,0,0": None,
    "studio": "studio",
    "simulate motion-base-1500 {examples}/scenarios/power-loss.toml --out {folder}": "data",
}


@pytest.mark.parametrize("words", COMMANDS)
def test_commands(words: str, tmp_path: Path) -> None:
    """Each works, or says the sentence on stderr with exit code 2."""
    extra = COMMANDS[words]
    code = f"{BLOCK}\nfrom gough.cli import main\nsys.argv[0] = 'gough'\nmain()"
    done = run("-c", code, *words.format(examples=EXAMPLES, folder=tmp_path).split())
    if extra is None:
        assert done.returncode == 0, done.stderr[-2000:]
    else:
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert f'pip install "gough[{extra}]"' in done.stderr


def test_a_package_that_is_there_and_fails_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pymoo.py").write_text("import a_module_that_is_nowhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pymoo", raising=False)
    with pytest.raises(ModuleNotFoundError) as caught:
        extras.package("pymoo")
    assert caught.value.name == "a_module_that_is_nowhere"
    assert extras.missing(caught.value) is None
    inside = ModuleNotFoundError("No module named 'xarray.nothing'", name="xarray.nothing")
    assert extras.missing(inside) is None
    monkeypatch.delitem(sys.modules, "pymoo", raising=False)


def test_the_error_is_an_import_error_and_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymoo", None)
    with pytest.raises(gough.MissingPackageError) as caught:
        extras.package("pymoo.core")
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, gough.InputError)
    again: Any = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.name) == (str(caught.value), "pymoo")


def test_no_other_place_raises_it() -> None:
    """Modules import what they need; only `extras` (and the environments, before they exist) make the error."""
    for path in SOURCE.rglob("*.py"):
        made = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingPackageError"
        ]
        allowed = {"extras.py", "simulation/gym/__init__.py"}
        assert not made or path.relative_to(SOURCE).as_posix() in allowed, path
