"""A sample of the attacks of campaigns/studio_attacks.py on a real server, and proof that its judge sees a leak."""

from __future__ import annotations

import collections
import os
from pathlib import Path

import pytest

from campaigns.studio_attacks import Attacked, attack
from support.attack_frames import frames, messages
from support.attack_requests import requests, tokens
from support.studio_process import SECRET

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")


@pytest.mark.slow
def test_a_sample_of_attacks_changes_nothing_and_leaks_nothing(tmp_path: Path) -> None:
    a = attack(tmp_path, drawn=40, seed=3, every=5)
    assert a.wrong == []
    assert a.counts.total() >= 150


def test_there_are_six_hundred() -> None:
    kinds = [
        kind for kind, *_ in (*requests(1, 1), *tokens(1, "t" * 20), *frames(), *messages(1, 150))
    ]
    assert len(kinds) >= 600
    assert len(set(kinds)) >= 40


def test_the_judge_sees_a_leak_and_a_changed_file(tmp_path: Path) -> None:
    a = Attacked.__new__(Attacked)
    a.root, a.wrong, a.slowest = tmp_path, [], []
    a.counts = collections.Counter()
    a.pose = lambda kind: None  # type: ignore[method-assign]
    for text in (SECRET, f"in {tmp_path}/x", "Traceback (most recent", "the studio made a mistake"):
        a.judge("planted", b"", text.encode())
    assert len(a.wrong) == 4
    a.judge("fine", b"", b"400: exactly one Host header is needed")
    assert len(a.wrong) == 4
