"""Kills, full disks and read-only folders under the commands that write (tests/campaigns/disk_campaign.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from campaigns import disk_campaign

TESTS = Path(disk_campaign.__file__).parents[1]
KILLS = os.environ.get("GOUGH_KILLS", "9")


def campaign(*words: str) -> None:
    command = [sys.executable, "-m", "campaigns.disk_campaign", *words]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_full_disks_and_read_only_folders_are_one_sentence() -> None:
    campaign("failures", "--commands", "urdf")


def test_killed_writers_leave_whole_files() -> None:
    campaign("kills", "--count", "2", "--seed", "3", "--commands", "urdf")


@pytest.mark.slow
def test_every_command_survives_kills() -> None:
    campaign("kills", "--count", KILLS, "--seed", "4")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simulate", "sweep", "c", "forces"])
def test_every_command_on_full_disks(name: str) -> None:
    campaign("failures", "--commands", name)


def test_a_planted_half_file_and_a_forgotten_temporary_are_seen() -> None:
    whole = {"a.xml": b"<whole>", "journal": b"1"}
    assert disk_campaign.changed({"a.xml": b"<who", "journal": b"12"}, whole) == ["a.xml"]
    assert disk_campaign.changed({"a.xml": b"<whole>", "b.xml": b""}, whole) == ["b.xml"]
    assert disk_campaign.temporary("out/.a.xml.0123abcd.tmp")
    assert not disk_campaign.temporary("a.xml")
