"""The release in step with itself: one version everywhere, extras that exist, types that are shipped."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gough
from gough import extras
from gough.cli.app import app

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BROUGHT = PROJECT["optional-dependencies"]


def names(requirements: list[str]) -> set[str]:
    """Packages of requirements; an extra of gough stands for what it brings."""
    found: set[str] = set()
    for line in requirements:
        name, inside = re.match(r"([\w-]+)(?:\[([^\]]*)\])?", line).groups()  # type: ignore[union-attr]
        if name == "gough":
            for extra in inside.split(","):
                found |= names(BROUGHT[extra])
        else:
            found.add(name)
    return found


def test_one_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version, date = re.search(r"^## \[(\d[^\]]*)\] - (\S+)$", changes(), re.M).groups()  # type: ignore[union-attr]
    assert {version, PROJECT["version"], gough.__version__} == {version}
    assert f"version: {version}\n" in citation
    assert f"date-released: {date}\n" in citation
    answer = CliRunner().invoke(app, ["--version"])
    assert (answer.exit_code, answer.output) == (0, f"gough {version}\n")


def changes() -> str:
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_changes_have_a_place() -> None:
    assert changes().count("## [Unreleased]\n") == 1
    assert changes().index("## [Unreleased]") < changes().index("## [0")


def test_the_command_keeps_its_help_and_completes() -> None:
    answer = CliRunner().invoke(app, ["--help"])
    assert "Gough-Stewart platforms: kinematics" in answer.output
    assert "--install-completion" in answer.output


def test_types_are_shipped() -> None:
    assert (Path(gough.__file__).parent / "py.typed").read_bytes() == b""


def test_every_extra_brings_what_its_sentence_promises() -> None:
    distributions = {"cupy": "cupy-cuda12x", "distributed": "dask", "pinocchio": "pin"}
    for package, extra in extras.EXTRAS.items():
        assert distributions.get(package, package) in names(BROUGHT[extra]), package
    light = names(PROJECT["dependencies"])
    assert light == {"numpy", "numba", "typer", "rich"}
    assert not light & set(extras.EXTRAS)


def test_all_is_every_extra_but_those_for_gpus_and_developers() -> None:
    apart = {"all", "jax", "cuda", "pinocchio", "test", "coverage", "bench", "lint", "docs"}
    assert names(BROUGHT["all"]) == names([f"gough[{','.join(set(BROUGHT) - apart)}]"])
    assert names(BROUGHT["all"]) <= names(BROUGHT["test"])


@pytest.mark.parametrize("extra", sorted(set(extras.EXTRAS.values())))
def test_the_readme_names_every_extra(extra: str) -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## Install")[1]
    assert f"`{extra}`" in section


def test_the_environment_of_the_demo_is_no_developers() -> None:
    light = re.search(r"^\$\(LIGHT\):.*?\n\n", (ROOT / "Makefile").read_text("utf-8"), re.M | re.S)
    asked = re.search(r'"\.\[(.*?)\]"', light[0])[1]  # type: ignore[index]
    assert {"xarray", "matplotlib"} <= names([f"gough[{asked}]"])
    assert not {"pytest", "ruff", "mujoco", "jax"} & names([f"gough[{asked}]"])


def test_the_systems_of_ci_are_those_that_are_promised() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    promised = set(re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"])))
    assert promised == set(
        re.findall(r'"(3\.\d+)"', workflow.split("matrix:")[1].split("\n\n")[0].split("steps:")[0])
    )
    assert all(f"{system}-latest" in workflow for system in ("ubuntu", "macos", "windows"))
