"""Which code computes: version, commit when it is known, and a digest of every source file of the package.

The digest is the proof: files that were changed and not committed differ in it.  Version and commit are for people.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SOURCES = (".py", ".toml", ".json", ".txt")
PAGES = "studio/web", "studio/dist"  # pages of the browser: they compute nothing


@cache
def running_code() -> dict[str, str]:
    """``version``, ``commit`` ("" when unknown) and ``digest``."""
    import gough

    return {"version": gough.__version__, "commit": _commit(), "digest": source_digest(PACKAGE)}


def source_digest(package: Path) -> str:
    """SHA-256 of the names and bytes of all source files under a folder."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package).as_posix()
        if path.suffix in SOURCES and not name.startswith(PAGES) and path.is_file():
            content = path.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _commit() -> str:
    """The commit of the checkout that the package lies in, or that pip installed it from."""
    checkout = PACKAGE.parent.parent
    if PACKAGE.parent.name == "src" and (checkout / ".git").exists():
        return commit_of(checkout)
    try:
        told = metadata.distribution("gough").read_text("direct_url.json") or "{}"
        return str(json.loads(told).get("vcs_info", {}).get("commit_id", ""))
    except (metadata.PackageNotFoundError, ValueError, AttributeError):
        return ""


def commit_of(checkout: Path) -> str:
    """The commit that a git checkout (also a linked worktree) stands on; "" when it cannot be read."""
    try:
        place = checkout / ".git"
        if place.is_file():  # a linked worktree: "gitdir: FOLDER"
            place = checkout / place.read_text("utf-8").removeprefix("gitdir:").strip()
        shared = place / "commondir"
        common = place / shared.read_text("utf-8").strip() if shared.exists() else place
        head = (place / "HEAD").read_text("utf-8").strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        for folder in (place, common):
            if (folder / name).is_file():
                return (folder / name).read_text("utf-8").strip()
        lines = (common / "packed-refs").read_text("utf-8").splitlines()
        return next((line.split()[0] for line in lines if line.endswith(f" {name}")), "")
    except (OSError, UnicodeDecodeError):
        return ""
