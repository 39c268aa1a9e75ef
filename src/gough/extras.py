"""Packages that not every installation has: which extra brings each, and the one error that says so.

The core needs NumPy, numba, typer and rich.  Everything else is imported where it is used; what is missing
becomes a `MissingPackageError` at the border of the library: where a public name is looked up, where a public verb is
called, and in the command.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gough.checks import InputError

EXTRAS = {  # package -> the extra of pyproject.toml that brings it
    "scipy": "analysis",
    "xarray": "data",
    "h5netcdf": "data",
    "h5py": "data",
    "matplotlib": "report",
    "starlette": "studio",
    "uvicorn": "studio",
    "websockets": "studio",
    "jax": "jax",
    "cupy": "cuda",
    "dask": "dask",
    "distributed": "dask",
    "pyarrow": "parquet",
    "pymoo": "pareto",
    "gymnasium": "gym",
    "mujoco": "mujoco",
    "pinocchio": "pinocchio",
    "control": "control",
}


class MissingPackageError(InputError, ImportError):
    """A package is not installed that this answer needs: which, and the command that brings it."""

    def __init__(self, package: str, also: str = "") -> None:
        if not isinstance(package, str) or package not in EXTRAS:
            raise InputError("package", package, f"must be one of {', '.join(EXTRAS)}")
        if not isinstance(also, str):
            raise InputError("also", also, "must be a sentence")
        extra = EXTRAS[package]
        self.name, self.also = package, also
        command = f'needs the extra {extra}: pip install "gough[{extra}]"'
        InputError.__init__(self, package, "not installed", command + (f"; {also}" if also else ""))

    def __str__(self) -> str:
        return f"{self.field}: {self.value}; {self.allowed}"

    def __reduce__(self) -> tuple[type[MissingPackageError], tuple[str, str]]:
        return MissingPackageError, (str(self.name), self.also)


def missing(error: ImportError) -> MissingPackageError | None:
    """The error in our words, if it is about a package that an extra brings; None if not (or said already)."""
    package = (error.name or "").partition(".")[0]
    if isinstance(error, MissingPackageError) or package not in EXTRAS or installed(package):
        return None
    return MissingPackageError(package)


def installed(package: str) -> bool:
    """Whether the package can be found; it is not imported."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # blocked, or no real module in its place
        return False


def package(name: str, also: str = "") -> Any:
    """A module of an extra, or `MissingPackageError`; `also` says what one may do without it."""
    root = name.partition(".")[0]
    try:
        return import_module(name)
    except ImportError as error:
        if installed(root):  # it is there and fails by itself
            raise
        raise MissingPackageError(root, also) from error


def need(*names: str) -> None:
    """Refuse before the work begins what could not be answered after it."""
    for name in names:
        if not installed(name):
            raise MissingPackageError(name)
