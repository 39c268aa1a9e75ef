"""The folder that the site is made from: docs/ with the pages that are made, and links that stay inside.

docs/ is read on Git hosts too, so its pages link to files beside docs/ and start lists without an empty line; here
such files are copied in, and the lines added.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from handbook.notebooks import notebook_text
from handbook.reference import PACKAGES, page_name, write_reference

ROOT = Path(__file__).parents[1]
OTHER_PAGES = {  # pages beside docs/
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
ORIGINS = {new: name for name, new in OTHER_PAGES.items() if new != "index.md"}
FULL_WIDTH = "---\nhide: [navigation, toc]\n---\n"
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")
STARTS = re.compile(r"(?:[-*] |\d+\. |\|)")
CODE = re.compile(r"(^```.*?^```$|``[^`]+``|`[^`\n]+`)", re.S | re.M)
NOT_SEEN = re.compile(r"^<!-- (?:setup\n.*?\n-->|not run: .+? -->)\n", re.S | re.M)


def assemble(folder: Path) -> None:
    """Lay the whole source of the site under `folder`."""
    shutil.copytree(ROOT / "docs", folder, dirs_exist_ok=True)
    for name in ("handbook.css", "iframe-worker.js"):
        shutil.copy(Path(__file__).parent / name, folder / name)
    shutil.copy(ROOT / "src/gough/studio/dist/favicon.svg", folder / "images/favicon.svg")
    for new, name in ORIGINS.items():
        shutil.copy(ROOT / name, folder / new)
    for page in sorted((folder / "tutorials").glob("*.md")):
        if page.name != "index.md":
            _offer_notebook(page)
    first = folder / "index.md"
    first.write_text(FULL_WIDTH + first.read_text(encoding="utf-8"), encoding="utf-8")
    for page in sorted(folder.rglob("*.md")):
        old = page.relative_to(folder).as_posix()
        origin = ORIGINS.get(old, f"docs/{old}")
        page.write_text(
            site_text(page.read_text(encoding="utf-8"), origin, folder), encoding="utf-8"
        )
    write_reference(folder / "reference")


def configuration(source: Path, site: Path) -> str:
    """The text of mkdocs.yml for these folders."""
    text = (Path(__file__).parent / "mkdocs.yml").read_text(encoding="utf-8")
    pages = "".join(f"\n      - {name}: reference/{page_name(name)}" for name in PACKAGES)
    text = text.replace("Reference: REFERENCE", f"Reference:\n      - reference/index.md{pages}")
    return text.replace("docs_dir: SOURCE", f"docs_dir: {source}").replace(
        "site_dir: SITE", f"site_dir: {site}"
    )


def site_text(text: str, origin: str, folder: Path) -> str:
    """A page as Python-Markdown wants it; `origin` is its path in the repository."""
    parts = CODE.split(NOT_SEEN.sub("", text))
    for place in range(0, len(parts), 2):
        parts[place] = LINK.sub(lambda m: _moved(m, origin, folder), parts[place])
    return _spaced("".join(parts))


def _moved(match: re.Match[str], origin: str, folder: Path) -> str:
    """A link to something beside docs/ leads to its copy."""
    target = match[2]
    if target.startswith(("http:", "https:", "mailto:")):
        return match[0]
    where = os.path.normpath(os.path.join(os.path.dirname(origin), target)).replace(os.sep, "/")
    if where in OTHER_PAGES:
        new = OTHER_PAGES[where]
    elif where.startswith("docs/"):
        new = where.removeprefix("docs/")
    elif (ROOT / where).is_file():
        new = f"files/{where}.txt"
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / where, folder / new)
    else:
        raise ValueError(f"{origin}: the link {target} leads nowhere")
    here = OTHER_PAGES.get(origin, origin.removeprefix("docs/"))
    return f"{match[1]}{os.path.relpath(new, os.path.dirname(here) or '.').replace(os.sep, '/')}{match[3]}"


def _spaced(text: str) -> str:
    """An empty line before every list and table that follows a line of text."""
    out: list[str] = []
    fenced = False
    for line in text.splitlines():
        before = out[-1] if out else ""
        if line.startswith("```"):
            fenced = not fenced
        elif (
            not fenced
            and STARTS.match(line)
            and before.strip()
            and not STARTS.match(before)
            and not before.startswith((" ", "```"))
        ):
            out.append("")
        out.append(line)
    return "\n".join(out) + "\n"


def _offer_notebook(page: Path) -> None:
    """The notebook of a tutorial, and a line that leads to it."""
    text = page.read_text(encoding="utf-8")
    target = page.with_suffix(".ipynb")
    target.write_text(notebook_text(text), encoding="utf-8")
    title, _, rest = text.partition("\n")
    page.write_text(
        f"{title}\n\n[As a notebook]({target.name}){{ download }}\n{rest}", encoding="utf-8"
    )
