"""The decorator of the compiled kernels in this room: machine code in a private folder keyed by the sources.

numba's own disk cache does not see edits in another file and stops on a damaged one.  Here the folder's name
holds a hash of every source with compiled functions, of numba and of Python; a folder that cannot be written,
or a file that cannot be read, costs a recompilation and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching

F = TypeVar("F", bound=Callable[..., Any])


def user_folder(name: str) -> Path | None:
    """A private writable folder below the user's cache (``GOUGH_CACHE`` overrides), or None."""
    root = os.environ.get("GOUGH_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(root) / "gough" / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of everything that decides a kernel's numbers."""
    settings = f"{numba.__version__} {sys.version_info[:3]} {os.environ.get('NUMBA_BOUNDSCHECK')}"
    digest = hashlib.sha256(settings.encode())
    here = Path(__file__).resolve().parent
    kernels = (path for path in sorted(here.rglob("*.py")) if b"kernel\ndef " in path.read_bytes())
    for path in (*kernels, here.parent / "layout.py", here.parent / "struts.py"):  # the last two: their constants
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def _kernel_folder() -> Path | None:
    return user_folder(f"kinematics-{source_hash()}")


class _Locator(caching._CacheLocator):
    """Puts the files of one function into the private folder; the folder's name is the stamp."""

    def __init__(self, py_func: Any, folder: Path) -> None:
        self._name, self._folder = py_func.__qualname__, str(folder)

    def get_cache_path(self) -> Any:
        return self._folder

    def get_source_stamp(self) -> Any:
        return source_hash()

    def get_disambiguator(self) -> Any:
        return self._name


class _Impl(caching.CompileResultCacheImpl):
    def __init__(self, py_func: Any) -> None:
        folder = _kernel_folder()
        if folder is None:
            raise RuntimeError("no writable cache folder")
        self._lineno = py_func.__code__.co_firstlineno
        self._locator = _Locator(py_func, folder)
        self._filename_base = f"{py_func.__module__.rpartition('.')[2]}.{py_func.__qualname__}-{self._lineno}"


class _Cache(caching.FunctionCache):
    _impl_class = _Impl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The stored code, or None: a damaged file is not an error."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged pickle raises; the answer is to compile
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store the code; a full or read-only disk is not an error."""
        try:
            super().save_overload(sig, data)
        except Exception:  # the kernel works without its file
            return


def kernel(function: F) -> F:
    """``numba.njit`` with the options and the cache of this room."""
    return _compiled(function, fastmath={"contract"})


def strict_kernel(function: F) -> F:
    """The same without contraction to fused multiply-adds, for error-free transformations."""
    return _compiled(function, fastmath=False)


def _compiled(function: F, fastmath: Any) -> F:
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(function)
    if _kernel_folder() is not None:
        dispatcher._cache = _Cache(function)
    return dispatcher
