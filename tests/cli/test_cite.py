"""`gough cite`: BibTeX of the papers behind a machine; nothing that no text gives."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gough
import gough.cli.machine
from gough.cli.app import app
from gough.model.citations import bibtex

assert gough.cli.machine
PAPERS = {
    "dasgupta-1998": "dasgupta1998",
    "dasgupta-1998-physical": "dasgupta1998",
    "elbadawy-6sps": "elbadawy",
    "lopes-6pus": "lopes",
    "pedrammehr-2012": "pedrammehr2012",
    "syed-6sps": "syed",
    "syed-6sps-drive": "syed",
}
ENTRY = re.compile(r"@(\w+)\{(\w+),\n((?:  \w+ += \{.*\},?\n)+)\}")


def said(*arguments: str) -> str:
    found = CliRunner().invoke(app, ["cite", *arguments], catch_exceptions=False)
    assert found.exit_code == 0
    return found.stdout


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
@pytest.mark.parametrize("preset", gough.presets())
def test_presets_of_papers_have_their_entry_and_no_other(preset: str) -> None:
    entries = ENTRY.findall(said(preset))
    assert [key for _, key, _ in entries] == [
        "gough",
        *([PAPERS[preset]] if preset in PAPERS else []),
    ]
    for _, _, fields in entries[1:]:
        names = re.findall(r"^  (\w+)", fields, re.MULTILINE)
        assert {"author", "title"} <= set(names)
        assert "doi" not in names  # no text that is here prints one
        assert all(line.count("{") == line.count("}") for line in fields.splitlines())


def test_alone_it_cites_the_software() -> None:
    assert [key for _, key, _ in ENTRY.findall(said())] == ["gough"]


def test_every_entry_is_that_of_a_preset() -> None:
    table = tomllib.loads((resources.files("gough.model") / "citations.toml").read_text("utf-8"))
    assert set(table) == set(PAPERS.values())


@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_a_copy_of_a_preset_keeps_its_paper_and_a_doi_is_the_source_s(tmp_path: Path) -> None:
    machine = gough.load("lopes-6pus")
    copy = gough.save(machine.replace(name="mine"), tmp_path / "mine.toml")
    assert "@misc{lopes," in said(str(copy))
    assert "doi" in bibtex(machine.source.replace(doi="10.1000/xyz"))
    assert bibtex(gough.Source(title="another")) == ""
