"""A report as PDF: printed by Chromium, where that is installed, from the file that it opens."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from gough.checks import InfeasibleError, InputError
from gough.storage import write_whole

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 180.0


def browser() -> str:
    """The browser that prints, or `InfeasibleError` with what is missing."""
    for name in BROWSERS:
        found = shutil.which(name)
        if found:
            return found
    raise InfeasibleError(
        "a PDF is printed by Chromium, and none is installed "
        f"(looked for {', '.join(BROWSERS)}); print the HTML report from any browser instead"
    )


def write_pdf(html: str | Path, out: str | Path) -> Path:
    """Print an HTML report to `out` (on the paper it is laid out for, vector, numbered pages), whole or not at all."""
    page, target = Path(html).resolve(), Path(out)
    if target.suffix.lower() != ".pdf":
        raise InputError("pdf", str(out), "must end in .pdf")
    if not target.parent.is_dir():
        raise InputError("pdf", str(out), "must be a file name in an existing folder")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "report.pdf"
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions"]
        command += [f"--user-data-dir={folder}/profile", "--no-pdf-header-footer"]
        command += ["--disable-3d-apis"]  # the replay is not printed: nobody waits for its pictures
        command += ["--virtual-time-budget=3000", f"--print-to-pdf={made}", page.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise InfeasibleError(f"Chromium did not print within {SECONDS:.0f} s") from None
        if done.returncode or not made.is_file():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise InfeasibleError("Chromium did not print: " + (said[-1] if said else "no reason"))
        return write_whole(target, made.read_bytes())
