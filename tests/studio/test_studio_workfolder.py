"""The work folder: nothing outside it is read or written, whatever the name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gough
from gough.studio.workfolder import WorkFolder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    inside = tmp_path / "work"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "work-secret").mkdir()
    (tmp_path / "secret.toml").write_text("secret = 1")
    (tmp_path / "work-secret" / "secret.toml").write_text("secret = 1")
    (inside / "a.toml").write_text("x = 1")
    (inside / "sub" / "b.toml").write_text("[trajectory]\nkind = 'hold'")
    (inside / "c.csv").write_text("t,x\n0,1\n")
    (inside / ".hidden.toml").write_text("x = 1")
    os.symlink(tmp_path / "secret.toml", inside / "link.toml")
    os.symlink(tmp_path / "work-secret", inside / "linked")
    os.symlink(inside / "a.toml", inside / "inner.toml")
    return inside


def test_what_is_listed(place: Path) -> None:
    found = {f["name"]: f["kind"] for f in WorkFolder(place).files()}
    assert found == {"a.toml": "machine", "sub/b.toml": "trajectory", "c.csv": "trajectory"}


def test_what_is_read(place: Path) -> None:
    assert WorkFolder(place).read("a.toml") == "x = 1"
    assert "hold" in WorkFolder(place).read("sub/b.toml", kind="trajectory")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.toml",
        "sub/../../secret.toml",
        "..",
        "/etc/passwd",
        "//etc/passwd",
        "../work-secret/secret.toml",
        "%2e%2e/secret.toml",
        "..%2fsecret.toml",
        "..\\secret.toml",
        "sub\\..\\..\\secret.toml",
        "C:\\secret.toml",
        "link.toml",
        "linked/secret.toml",
        "inner.toml",
        ".hidden.toml",
        "sub/.x.toml",
        "a.toml\x00",
        "a.toml\n",
        "",
        ".",
        "a.txt",
        "a.toml/../../secret.toml",
        "./../secret.toml",
        "x" * 300 + ".toml",
        "~/secret.toml",
        "sub",
        "missing.toml",
        "\u2025/secret.toml",
        "secret.toml?",
        "file:///etc/passwd.toml",
        "..;/secret.toml",
    ],
)
def test_what_is_refused(place: Path, name: str) -> None:
    folder = WorkFolder(place)
    with pytest.raises(gough.InputError):
        folder.read(name)
    if name != "missing.toml" and not name.startswith(("%2e", "~", "\u2025")) and "%2f" not in name:
        with pytest.raises(gough.InputError):
            folder.target(name, overwrite=True)


def test_writing_stays_inside_and_does_not_overwrite_by_accident(place: Path) -> None:
    folder = WorkFolder(place)
    assert folder.target("new.toml", overwrite=False) == place / "new.toml"
    with pytest.raises(gough.InputError, match="exists"):
        folder.target("a.toml", overwrite=False)
    assert folder.target("a.toml", overwrite=True) == place / "a.toml"
    with pytest.raises(gough.InputError, match="folder"):
        folder.target("no/such/new.toml", overwrite=False)


def test_a_folder_that_is_a_link_is_its_target(tmp_path: Path, place: Path) -> None:
    os.symlink(place, tmp_path / "alias")
    assert WorkFolder(tmp_path / "alias").read("a.toml") == "x = 1"


def test_planted_startswith_would_leak(place: Path, tmp_path: Path) -> None:
    """A sibling whose name begins like the folder's passes a text comparison; it must not pass ours."""
    sibling = str(tmp_path / "work-secret" / "secret.toml")
    assert sibling.startswith(str(place))
    with pytest.raises(gough.InputError):
        WorkFolder(place).read("../work-secret/secret.toml")


def test_not_a_folder(place: Path) -> None:
    with pytest.raises((gough.InputError, NotADirectoryError)):
        WorkFolder(place / "a.toml")
    with pytest.raises(FileNotFoundError):
        WorkFolder(place / "nowhere")
