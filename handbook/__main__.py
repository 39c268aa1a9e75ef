"""Make the site: ``python -m handbook --out out/site``.

Nothing is fetched.  Warnings of the builder, loads from elsewhere and dead links are errors; the site is then left
for a look, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
from pathlib import Path

from handbook.checking import wrong_in
from handbook.gallery import hang
from handbook.sources import assemble, configuration


def build(site: Path, gallery: bool = True) -> list[str]:
    """Make the site in the folder `site` (made anew); what is wrong with it, in words."""
    from mkdocs.commands.build import build as make
    from mkdocs.config import load_config

    said: list[str] = []
    listener = _Listener(said)
    log = logging.getLogger("mkdocs")
    log.addHandler(listener)
    shutil.rmtree(site, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder).resolve() / "source"
        assemble(source)
        hang(source, gallery)
        settings = Path(folder) / "mkdocs.yml"
        settings.write_text(configuration(source, site.resolve()), encoding="utf-8")
        try:
            make(load_config(str(settings)))
            (site / "404.html").unlink()  # its addresses hold at the root of a server only
        finally:
            log.removeHandler(listener)
    return said + wrong_in(site.resolve())


class _Listener(logging.Handler):
    def __init__(self, said: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.said = said

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m handbook", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/site"))
    parser.add_argument(
        "--no-gallery", action="store_true", help="leave the pictures and reports out"
    )
    given = parser.parse_args()
    said = build(given.out, not given.no_gallery)
    for line in said:
        sys.stderr.write(f"handbook: {line}\n")
    pages = sum(1 for _ in given.out.rglob("*.html"))
    print(f"{pages} pages, {len(said)} warnings: {given.out / 'index.html'}")
    return int(bool(said))


if __name__ == "__main__":
    raise SystemExit(main())
