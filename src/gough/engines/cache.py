"""Where compiled kernels live: a private folder keyed by the sources that made them.

numba's own cache does not see edits in another module and would answer with old numbers, so the folder's name
holds a hash of every source that decides their numbers and of numba's version (numba itself looks at the
processor).  A folder that cannot be written, or a damaged file in it, costs a recompilation and nothing else.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

PACKAGE = Path(__file__).resolve().parent.parent
ENGINE_SOURCES = ("adjoint.py", "derivative_programs.py", "llvm_program.py", "plain.py", "tracer.py")


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of everything that decides a kernel's numbers."""
    import llvmlite
    import numba

    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:3]}".encode())
    for path in [*sorted((PACKAGE / "equations").glob("*.py")), *(PACKAGE / "engines" / n for n in ENGINE_SOURCES)]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """The private kernel folder of this version, or None when none can be made.  ``GOUGH_CACHE`` overrides."""
    root = os.environ.get("GOUGH_CACHE") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(root) / "gough" / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError:
        return None
    return folder


def load_generated(name: str, text: str) -> ModuleType:
    """Import generated source `text` as a module; from the cache folder, so that numba keeps its machine code.

    One process compiles while others wait for its lock.  Machine code is used only if it matches the checksum
    written after it; whatever else goes wrong with the files (full disk, damaged index), the module is compiled
    in memory.
    """
    folder = cache_folder()
    if folder is not None:
        name = f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        try:
            with _locked(folder / f"{name}.lock"):
                return _import(folder / f"{name}.py", text)
        except Exception as problem:  # numba lets OSError, pickle and LLVM errors of its files through
            sys.modules.pop(f"gough_kernel_{name}", None)
            failure: Exception | None = problem
    else:
        failure = None
    module = ModuleType(f"gough_kernel_{name}")
    try:
        exec(compile(text.replace("cache=True", "cache=False"), f"<{name}>", "exec"), module.__dict__)
    except Exception as problem:
        raise problem from failure
    return module


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a file lock where the system has them; the system frees it if the process dies."""
    with open(path, "w") as file:
        if fcntl is not None:
            with suppress(OSError):  # some network file systems refuse: compiling twice is harmless
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _import(path: Path, text: str) -> ModuleType:
    if not path.exists() or path.read_text() != text:
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.utime(temporary, (1, 1))  # numba keys its index by this stamp; all processes must agree
        os.replace(temporary, path)
    checksum = path.with_suffix(".sum")
    if not checksum.exists() or checksum.read_text() != _checksum(path):
        for file in _machine_code(path):
            file.unlink(missing_ok=True)
    spec = importlib.util.spec_from_file_location(f"gough_kernel_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    checksum.write_text(_checksum(path))
    return module


def _machine_code(path: Path) -> list[Path]:
    """numba's index and code files of a generated module."""
    return sorted([*path.parent.glob(f"__pycache__/{path.stem}.*.nb[ic]")])


def _checksum(path: Path) -> str:
    digest = hashlib.sha256()
    for file in _machine_code(path):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()
