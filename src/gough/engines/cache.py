"""Where compiled kernels live: one private folder, each kernel's file named by everything that decides its numbers.

numba's own cache does not see edits in another module and would answer with old numbers.  Here the name of a file
holds a hash of the kernel's source, of every module of this package it leans on, of numba, LLVM and Python, of the
compiler's settings and of the processor.  A file is believed only if it belongs to this user, nobody else may write
it and its checksum fits, all of that before anything in it is loaded; whatever is wrong with it or with the folder
costs a recompilation and nothing else.

    @njit(signature, **options)       ordinary functions of a module, and functions of generated text
    load_generated(name, text)        generated text as a module
"""

from __future__ import annotations

import ast
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from gough import system
from gough.engines.progress import progress
from gough.storage import replacing

PACKAGE = Path(__file__).resolve().parent.parent
SETTINGS = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "CPU_NAME",
    "CPU_FEATURES",
    "DEBUGINFO_DEFAULT",
    "DISABLE_JIT",
)
DIGEST = hashlib.sha256().digest_size
FOREIGN = 0o022  # group or others may write


def cache_folder() -> Path | None:
    """The private kernel folder, or None when there can be none.  ``GOUGH_CACHE`` overrides the user's cache."""
    given = os.environ.get("GOUGH_CACHE")
    root = Path(given) if given else system.cache_home()
    return None if root is None else _writable(root / "gough" / "kernels", system.user())


@lru_cache(maxsize=8)
def _writable(folder: Path, user: int | None) -> Path | None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder if _own(folder.lstat(), user) else None
    except OSError:
        return None


def _own(status: os.stat_result, user: int | None) -> bool:
    """Belongs to this user, and nobody else may write it."""
    return user is None or (status.st_uid == user and not status.st_mode & FOREIGN)


def compiler_settings() -> str:
    """Versions, settings and processor that decide machine code."""
    import llvmlite
    import numba
    from llvmlite import binding
    from numba.core import config

    settings = [f"{name}={getattr(config, name, None)}" for name in SETTINGS]
    return " ".join(
        [
            numba.__version__,
            llvmlite.__version__,
            sys.version,
            binding.get_host_cpu_name(),
            binding.get_host_cpu_features().flatten(),
            *settings,
        ]
    )


def _file(module: str) -> Path | None:
    """Source of a module of this package."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def _imported(text: str) -> set[str]:
    """Modules of this package that `text` imports, at its head or inside its functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {
                name if name.startswith("gough.") and _file(name) else node.module for name in names
            }
    return {name for name in found if name.startswith("gough.")}


def closure(modules: set[str]) -> dict[str, str]:
    """Texts of these modules and of all they import, by name; the package's own index decides no number."""
    texts: dict[str, str] = {}
    waiting = sorted(modules)
    while waiting:
        name = waiting.pop()
        path = None if name in texts else _file(name)
        if path is not None:
            texts[name] = path.read_text(encoding="utf-8")
            waiting += sorted(_imports_of(texts[name]))
    return texts


@lru_cache(maxsize=1024)
def _imports_of(text: str) -> frozenset[str]:
    return frozenset(_imported(text))


def kernel_key(text: str, *modules: str) -> str:
    """Hash of everything that decides the numbers of a kernel: its text, and modules it is part of."""
    digest = hashlib.sha256(compiler_settings().encode() + text.encode())
    for name, source in sorted(closure({*modules, *_imports_of(text)}).items()):
        digest.update(f"\0{name}\0{source}".encode())
    return digest.hexdigest()[:24]


@lru_cache(maxsize=256)
def _module_key(module: str) -> str:
    if module.startswith("gough."):
        return kernel_key("", module)
    return kernel_key(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8"))


def njit(signature: Any = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` with machine code kept in the private folder; `signature` compiles at once."""

    def decorate(function: Callable[..., Any]) -> Any:
        import numba
        from numba.core import config
        from numba.core.typeinfer import register_dispatcher

        options.pop("cache", None)
        dispatcher: Any = numba.njit(**options)(function)
        if getattr(config, "DISABLE_JIT", False):
            return dispatcher
        key = function.__globals__.get("__kernel_key__") or _module_key(function.__module__)  # type: ignore[attr-defined]
        folder = cache_folder()
        if folder is not None:
            dispatcher._cache = _store_class()(
                folder, function, f"{key} {sorted(options.items(), key=str)}"
            )
        if signature is not None:
            with register_dispatcher(dispatcher):
                dispatcher.compile(signature)
            dispatcher.disable_compile()
        return dispatcher

    return decorate


@lru_cache(maxsize=1)
def _store_class() -> Any:
    """The store as numba asks for it; made late, so that importing this module does not load numba."""
    from numba.core import caching, compiler
    from numba.core.serialize import dumps

    class Store(caching._Cache):
        """Machine code of one function: a file per signature, its checksum first."""

        def __init__(self, folder: Path, function: Any, key: str) -> None:
            self.folder, self.name, self.key = (
                folder,
                f"{function.__module__}.{function.__qualname__}",
                key,
            )
            progress.known += 1

        @property
        def cache_path(self) -> str:  # type: ignore[override]
            return str(self.folder)

        def _path(self, signature: Any, codegen: Any) -> Path:
            what = repr((self.name, self.key, str(signature), codegen.magic_tuple()))
            return (
                self.folder / f"{self.name}-{hashlib.sha256(what.encode()).hexdigest()[:24]}.kernel"
            )

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            target_context.refresh()
            payload = read_checked(self._path(sig, target_context.codegen()))
            if payload is None:
                progress.begin(self.name, str(self.folder))
                return None
            try:
                return compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
            except Exception:  # written by another build of the compiler: compile
                progress.begin(self.name, str(self.folder))
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            progress.end()
            if (
                any(not lifted.can_cache for lifted in data.lifted)
                or data.library.has_dynamic_globals
            ):
                return
            with suppress(OSError):  # a full or read-only disk: the kernel works without its file
                write_checked(self._path(sig, data.codegen), dumps(data._reduce()))

        def enable(self) -> None:
            pass

        def disable(self) -> None:
            pass

        def flush(self) -> None:
            pass

    return Store


def read_checked(path: Path) -> bytes | None:
    """What `write_checked` wrote; None if it is not there, damaged, or could come from someone else."""
    try:
        with open(path, "rb") as file:
            content = file.read() if _own(os.fstat(file.fileno()), system.user()) else b""
    except OSError:
        return None
    digest, payload = content[:DIGEST], content[DIGEST:]
    return payload if content and hashlib.sha256(payload).digest() == digest else None


def write_checked(path: Path, payload: bytes) -> None:
    """The payload behind its checksum, whole or not at all, for this user only."""
    with replacing(path) as temporary:
        temporary.write_bytes(hashlib.sha256(payload).digest() + payload)
    path.chmod(0o600)


def load_generated(name: str, text: str) -> ModuleType:
    """Generated source `text` as a module; its `njit` is that of this module.  One process compiles, others wait."""
    if "cache=True" in text or "numba import njit" in text:
        raise AssertionError(f"{name}: generated text takes njit from gough.engines.cache")
    key = kernel_key(text)
    module = ModuleType(f"gough_kernel_{name}_{key[:12]}")
    module.__dict__["__kernel_key__"] = key
    sys.modules[module.__name__] = module
    folder = cache_folder()
    with _locked(None if folder is None else folder / f"{module.__name__}.lock"):
        exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    return module


@contextmanager
def _locked(path: Path | None) -> Iterator[None]:
    """Hold a file lock where there can be one; the system frees it if the process dies."""
    with ExitStack() as stack:
        with suppress(
            OSError
        ):  # a full disk, or a file system without locks: compiling twice is harmless
            if path is not None and system.locks():
                system.lock(stack.enter_context(open(path, "w")).fileno(), wait=True)
        yield
