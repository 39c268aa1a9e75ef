"""Which code computed: a digest that sees every byte, the commit of a checkout; a sweep of other code is refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import gough
from gough.design import code_state as module
from gough.design import read_sweep, sweep, sweep_plan
from gough.design.code_state import PACKAGE, commit_of, running_code, source_digest

A, B = "a" * 40, "b" * 40


def test_the_digest_sees_every_file_and_byte(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.py").write_text("x = 1\n")
    (tmp_path / "b.toml").write_text("y = 2\n")
    seen = {source_digest(tmp_path)}
    (tmp_path / "b.toml").write_text("y = 3\n")
    seen.add(source_digest(tmp_path))
    (tmp_path / "room" / "a.py").rename(tmp_path / "room" / "c.py")
    seen.add(source_digest(tmp_path))
    (tmp_path / "room" / "c.py").rename(tmp_path / "c.py")
    seen.add(source_digest(tmp_path))
    assert len(seen) == 4
    for other in ("room/a.pyc", "studio/dist/page.json"):  # nothing that computes
        (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / other).write_text("z")
    assert source_digest(tmp_path) in seen


def test_the_commit_of_a_checkout(tmp_path: Path) -> None:
    git = tmp_path / "main" / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/work\n")
    assert commit_of(tmp_path / "main") == ""  # nothing committed yet
    (git / "packed-refs").write_text(f"# pack-refs\n{B} refs/heads/workshop\n{A} refs/heads/work\n")
    assert commit_of(tmp_path / "main") == A
    (git / "refs" / "heads" / "work").write_text(B + "\n")
    assert commit_of(tmp_path / "main") == B  # newer than the packed one
    linked = git / "worktrees" / "side"
    linked.mkdir(parents=True)
    (linked / "commondir").write_text("../..\n")
    (linked / "HEAD").write_text("ref: refs/heads/work\n")
    (tmp_path / "side").mkdir()
    (tmp_path / "side" / ".git").write_text(f"gitdir: {linked}\n")
    assert commit_of(tmp_path / "side") == B
    (linked / "HEAD").write_text(A + "\n")
    assert commit_of(tmp_path / "side") == A
    assert commit_of(tmp_path / "nowhere") == ""


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_commit_is_what_git_says() -> None:
    checkout = PACKAGE.parent.parent
    told = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode or not (checkout / ".git").exists():
        pytest.skip("the sources are not in a checkout")
    assert commit_of(checkout) == told.stdout.strip()


def test_other_code_is_another_sweep(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = read_sweep(folder / "spec.toml")
    shutil.copytree(folder / "whole", tmp_path / "out")
    assert running_code()["version"] == gough.__version__
    for key in ("version", "commit", "digest"):
        other = running_code() | {key: "other"}
        with monkeypatch.context() as patch:
            patch.setattr(sweep_plan, "running_code", lambda other=other: other)
            found = read_sweep(folder / "spec.toml")
        assert found.identity != plan.identity
        with pytest.raises(gough.InputError, match="version or commit differ"):
            sweep(found, tmp_path / "out", resume=True)


def test_an_installed_package_tells_what_pip_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    class Distribution:
        text: str | None = None

        def read_text(self, name: str) -> str | None:
            return self.text

    monkeypatch.setattr(module, "PACKAGE", Path("/site-packages/gough"))
    monkeypatch.setattr(module.metadata, "distribution", lambda name: Distribution())
    for text, commit in (
        (f'{{"vcs_info": {{"commit_id": "{A}"}}}}', A),
        ('{"dir_info": {}}', ""),
        (None, ""),
        ("no JSON", ""),
    ):
        Distribution.text = text
        assert module._commit() == commit
