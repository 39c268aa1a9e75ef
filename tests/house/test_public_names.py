"""The promised surface: names exist, the import is light, errors speak."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gough
from gough import lazy
from oracles.machines import case

PROMISED = (
    "load",
    "presets",
    "save",
    "trajectory",
    "Motion",
    "Pose",
    "inverse_kinematics",
    "inverse_dynamics",
    "mass_matrix",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "assembly_modes",
    "simulate",
    "Platform",
    "Body",
    "UPS",
    "SPS",
    "PUS",
    "RUS",
    "Friction",
    "Limits",
    "Drive",
    "InputError",
    "hexapod",
    "octahedral",
    "six_three",
    "cubic",
    "hexaglide",
    "servo_hexapod",
    "jacobian",
    "jacobian_dot",
    "bias",
    "Spin",
)
ROOT = Path(gough.__file__).parents[2]
PACKAGES = sorted(
    ".".join(path.parent.relative_to(ROOT / "src").parts)
    for path in (ROOT / "src" / "gough").rglob("__init__.py")
    if "lazy.attach" in path.read_text()
)
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
NOT_NAMES = {"gough.schema.json"}
HEAVY = (
    "numba",
    "scipy",
    "matplotlib",
    "xarray",
    "pydantic",
    "starlette",
    "jax",
    "typer",
    "rich",
    "mujoco",
    "h5py",
)


@pytest.mark.parametrize("name", PROMISED)
def test_promised_name_exists(name: str) -> None:
    assert getattr(gough, name) is not None
    assert name in dir(gough)


@pytest.mark.parametrize("page", PAGES, ids=[p.name for p in PAGES])
def test_names_in_the_docs_exist(page: Path) -> None:
    """Every ``gough.x.y`` in the text is there, and `dir` of what holds it says so."""
    found = set(re.findall(r"\bgough(?:\.[A-Za-z_]\w*)+", page.read_text())) - NOT_NAMES
    for dotted in sorted(found):
        holder: Any = gough
        for part in dotted.split(".")[1:]:
            if (
                hasattr(holder, "__path__")
                and not hasattr(holder, part)
                and find_spec(f"{holder.__name__}.{part}")
            ):
                import_module(f"{holder.__name__}.{part}")
            assert hasattr(holder, part), f"{page.name} promises {dotted}"
            assert part in dir(holder), f"{dotted} is not listed"
            holder = getattr(holder, part)
            if not isinstance(holder, ModuleType | type):
                break


@pytest.mark.parametrize("package", PACKAGES)
def test_lazy_packages_list_every_name_once(package: str) -> None:
    """What type checkers see, what is answered and what `dir` and ``import *`` show are the same names."""
    module = import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text())
    listed = [
        name.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname
    ]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(module.__all__) <= set(dir(module))
    for name in listed:
        value = getattr(module, name)
        inner = find_spec(f"{package}.{name}") is not None
        assert inner == isinstance(value, ModuleType), (
            f"a module of {package} bears the name of {name}"
        )
    assert not {"annotations", "TYPE_CHECKING", "lazy"} & set(dir(module))


@pytest.mark.parametrize("package", sorted(lazy.OLD_NAMES))
def test_old_names_are_answered_but_not_listed(package: str) -> None:
    module = import_module(package)
    for old, new in lazy.OLD_NAMES[package].items():
        owner, _, name = new.rpartition(":")
        assert getattr(module, old) is getattr(import_module(owner or package), name)
        assert old not in dir(module)


@pytest.mark.parametrize("name", ["c_code", "mjcf", "sdf", "tables", "urdf"])
def test_exports_are_reached_without_importing_them(name: str) -> None:
    code = f"import gough; print(gough.export.{name}.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"gough.export.{name}"


def test_one_class_per_name_in_these_rooms() -> None:
    """No class of the trajectories, design, exports or models shares its name with another of them."""
    names = [
        node.name
        for room in ("trajectory", "design", "export", "model")
        for path in (ROOT / "src" / "gough" / room).glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    assert len(names) == len(set(names))


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, gough; print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute"):
        _ = gough.stewart  # type: ignore[attr-defined]


def test_bad_arguments_name_the_field() -> None:
    c = case("UPS", seed=3, states=2)
    for call, field in (
        (lambda: gough.inverse_dynamics("dasgupta-1998", c.motion), "platform"),  # type: ignore[arg-type]
        (lambda: gough.inverse_dynamics(c.platform, [0, 0, 1]), "motion"),  # type: ignore[arg-type]
        (lambda: gough.inverse_dynamics(c.platform, c.motion, np.zeros(5)), "external"),
        (lambda: gough.inverse_dynamics(c.platform, c.motion, np.zeros((3, 6))), "external"),
        (lambda: gough.forward_dynamics(c.platform, c.motion, [1, 2, 3, 4, 5, np.nan]), "force"),
        (lambda: gough.inverse_dynamics(c.platform, c.motion, engine="fortran"), "engine"),
        (lambda: gough.Motion([np.inf, 0, 0]), "position"),
        (lambda: gough.Motion([0, 0, 0], np.eye(3) * 1.1), "rotation"),
        (lambda: gough.Pose([0, 0, 0], np.diag([1.0, 1.0, -1.0])), "rotation"),
        (lambda: gough.Pose.from_quaternion([0, 0, 0], [0, 0, 0, 0]), "quaternion"),
    ):
        with pytest.raises(gough.InputError, match=field):
            call()


def test_singular_pose_is_refused_unless_asked() -> None:
    """001's Path III crosses a platform singularity near 3.67 s: the forces there are refused, or given on request."""
    platform = gough.load("dasgupta-1998")
    path = gough.trajectory.paper("001-III")
    low, high = 3.6, 3.7
    for _ in range(60):  # bisection on the sign of det H
        middle = (low + high) / 2
        signs = [
            np.sign(
                np.linalg.det(gough.inverse_dynamics(platform, path(t), max_condition=np.inf).H)
            )
            for t in (low, middle)
        ]
        low, high = (middle, high) if signs[0] == signs[1] else (low, middle)
    with pytest.raises(gough.InfeasibleError, match="max_condition"):
        gough.inverse_dynamics(platform, path(middle))
    assert np.isfinite(
        gough.inverse_dynamics(platform, path(middle), max_condition=np.inf).force
    ).all()


def test_unreachable_pose_names_leg_and_reason() -> None:
    for kind in ("PUS", "RUS"):
        c = case(kind, seed=5, states=1)
        far = gough.Pose(c.motion.position[0] + [0, 0, 50.0], c.motion.rotation[0])
        with pytest.raises(gough.InfeasibleError, match=r"leg L1: out of reach"):
            gough.inverse_kinematics(c.platform, far)
        assert np.isnan(gough.inverse_kinematics(c.platform, far, check=False).length).all()


def test_universal_singularity_is_named() -> None:
    platform = gough.hexapod(
        base_radius=0.5,
        platform_radius=0.3,
        base_pair_angle=0.4,
        platform_pair_angle=0.4,
        height=0.6,
    )
    leg = platform.legs[0]
    assert platform.home is not None
    strut = platform.home.position + platform.home.rotation @ leg.joint - leg.base
    legs = (leg.replace(axis=strut), *platform.legs[1:])
    with pytest.raises(gough.InfeasibleError, match="universal-joint singularity"):
        gough.inverse_dynamics(platform.replace(legs=legs), platform.home)
    with pytest.raises(gough.InfeasibleError, match=r"leg L1: .*universal-joint singularity"):
        gough.inverse_kinematics(platform.replace(legs=legs), platform.home)


def test_spinning_legs_ask_for_their_spin() -> None:
    c = case("SPS-general", seed=2, states=1)
    with pytest.raises(gough.InputError, match="spin"):
        gough.inverse_dynamics(c.platform, c.motion)
