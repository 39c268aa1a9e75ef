"""Compiled kernels take seconds the first time a leg type is used; until they are there, the plain engine answers.

The two engines run the same equations (docs/derivations/exact.md), so the numbers differ by round-off only.
"""

from __future__ import annotations

import logging
import threading

from gough.analysis.timeline import solve
from gough.model import Platform
from gough.spatial import Motion

log = logging.getLogger("gough.studio")
_ready: set[tuple[str, ...]] = set()
_busy: set[tuple[str, ...]] = set()
_lock = threading.Lock()


def engine(platform: Platform) -> str:
    """ "native" once the kernels of these leg types are compiled, else "python" while they are being compiled."""
    kinds = platform.kinds
    if kinds in _ready:
        return "native"
    with _lock:
        if kinds not in _busy and kinds not in _ready:
            _busy.add(kinds)
            threading.Thread(target=_compile, args=(platform, kinds), daemon=True).start()
    return "python"


def _compile(platform: Platform, kinds: tuple[str, ...]) -> None:
    home = platform.home
    if home is None:
        return  # stays with the plain engine until a machine of these legs says where it stands
    try:
        motion = Motion.at_rest(home)
        _ = solve(platform, motion).reactions
        _ready.add(kinds)
    except (ValueError, ArithmeticError, OSError):
        log.exception("kernels for %s were not compiled", kinds[0])
    finally:
        with _lock:
            _busy.discard(kinds)
