"""Where compiled kernels live: a private folder keyed by the sources that made them.

numba's own cache does not see edits in another module and would answer with old numbers, so the folder's name
holds a hash of every equation and engine source, of numba's version and of the processor.  A folder that cannot be
written, or a damaged file in it, costs a recompilation and nothing else.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).resolve().parent.parent


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of everything that decides a kernel's numbers."""
    import llvmlite
    import numba

    digest = hashlib.sha256()
    digest.update(f"{numba.__version__} {llvmlite.__version__} {sys.version_info[:3]}".encode())
    for room in ("equations", "engines"):
        for path in sorted((PACKAGE / room).glob("*.py")):
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

    The file is written under a temporary name and renamed: two processes may do so at once.
    """
    folder = cache_folder()
    if folder is None:
        module = ModuleType(f"gough_kernel_{name}")
        exec(compile(text.replace("cache=True", "cache=False"), f"<{name}>", "exec"), module.__dict__)
        return module
    path = folder / f"{name}.py"
    if not path.exists() or path.read_text() != text:
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.utime(temporary, (1, 1))  # numba keys its index by this stamp; all processes must agree
        os.replace(temporary, path)
    spec = importlib.util.spec_from_file_location(f"gough_kernel_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
