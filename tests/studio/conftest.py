"""A client of the studio with the machine it starts with."""

from __future__ import annotations

from pathlib import Path

import pytest

from gough.studio import messages as m
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder


@pytest.fixture
def session(tmp_path: Path) -> Session:
    s = Session(WorkFolder(tmp_path))
    assert isinstance(s.handle(m.OpenMachine(1, "start")), m.MachineOpened)
    return s
