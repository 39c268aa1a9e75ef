"""Fixtures of the browser tests; what they are made of is in conftest_studio.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from conftest_studio import browser, open_page, page, pytest_collection_modifyitems, shared, studio

__all__ = ["browser", "open_page", "page", "pytest_collection_modifyitems", "shared", "studio"]
