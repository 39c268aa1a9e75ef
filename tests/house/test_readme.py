"""The README's tables are what commands print; links of all pages lead somewhere (programs: tests/pages)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_speed_tables_are_what_the_command_prints() -> None:
    """The whole of it in the documentation, rows of it in the README."""
    command = [sys.executable, "-m", "benchmarks", "--table", "benchmarks/results.json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    printed = run.stdout.strip()
    assert printed in (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    section = README.split("## How fast")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    assert set(rows) <= set(printed.splitlines())


@pytest.mark.parametrize(
    "page",
    sorted(
        p.relative_to(ROOT).as_posix()
        for p in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    ),
)
def test_links_lead_somewhere(page: str) -> None:
    here = (ROOT / page).parent
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://")):
            assert (here / target).exists(), f"{page}: {target}"


def test_nothing_names_a_machine_path() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    pattern = re.compile(r"/(?:work|root|home)/[a-z]")
    for name in tracked:
        path = ROOT / name
        if (
            path.suffix in {".py", ".md", ".toml", ".json", ".cff", ".txt", ".yml"}
            and path.name != "test_readme.py"
        ):
            found = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
            assert not found, f"{name}: {found and found.group()}"
