"""A studio in its own process, and Chromium driven by Playwright; skipped, and said so, where either is missing.

A software renderer takes a quarter of a second for each frame of the 3D view.  Pages that nobody looks at do everything
but fill its triangles; tests that look at pixels ask for a painted page.  ``GOUGH_PICTURES=1`` paints all of them and
writes what `Page.picture` sees into ``out/screenshots``.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.model.json_document import from_document

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
PICTURES = Path(__file__).parents[2] / "out" / "screenshots"
SLOW = 240.0  # s: the first run of a leg type compiles its kernels
PAINTS = bool(os.environ.get("GOUGH_PICTURES"))
UNPAINTED = """for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"])
  WebGL2RenderingContext.prototype[name] = () => {};"""


def missing() -> str:
    """Why the browser tests cannot run here, or an empty text."""
    if CHROMIUM is None:
        return "NO BROWSER TESTS: Chromium is missing; `apt-get install chromium` brings it"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "NO BROWSER TESTS: Playwright is missing; `pip install playwright` brings it"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    here = Path(__file__).parent
    why = missing()
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if why:
                item.add_marker(pytest.mark.skip(reason=why))


class StudioProcess:
    """``gough studio`` on one port; can be stopped and started again."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.folder, self.arguments = folder, arguments
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "gough",
            "studio",
            *self.arguments,
            "--no-open",
            "--port",
            str(self.port),
            "--folder",
            str(self.folder),
        ]
        self.process = subprocess.Popen(command, env={**os.environ, "NUMBA_NUM_THREADS": "1"})
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise TimeoutError("the studio did not start")

    def stop(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioProcess]:
    process = StudioProcess(tmp_path_factory.mktemp("work"))
    yield process
    process.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Closed with its module: while Playwright is open its event loop runs, and other tests start their own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        b = p.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *software])
        yield b
        b.close()


class Page:
    """A page of the studio with what the tests ask of it; every console error is a failure."""

    def __init__(self, context: Any, address: str, painted: bool = PAINTS) -> None:
        self.painted = painted
        if not painted:
            context.add_init_script(UNPAINTED)
        self.context, self.page = context, context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda e: self.errors.append(str(e)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.goto(address, timeout=1e3 * SLOW)

    def js(self, expression: str, argument: Any = None) -> Any:
        return self.page.evaluate(expression, argument)

    def until(self, expression: str, seconds: float = 60.0) -> Any:
        """Poll (the page's policy forbids the evaluation of text that Playwright's own waiting uses)."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = self.js(expression)
            if value:
                return value
            self.page.wait_for_timeout(50)
        raise TimeoutError(f"{expression} stayed false; errors: {self.errors}")

    def ready(self) -> Page:
        self.until("Boolean(window.goughStudio?.state)", SLOW)
        self.until("Boolean(goughStudio.timeline.data)", SLOW)
        self.until("goughStudio.viewerBuilt", SLOW)
        self.settle()
        return self

    def settle(self) -> None:
        """Nothing in flight or waiting."""
        self.until(
            "goughStudio.connection.open && !goughStudio.connection.poseInFlight"
            " && !goughStudio.connection.pendingPose && !goughStudio.connection.waiting.size",
            SLOW,
        )

    def at_rest(self) -> None:
        """Nothing that is shown is marked stale, nothing in flight."""
        self.until("goughStudio.settled && !goughStudio.changes", SLOW)
        self.settle()
        self.until("goughStudio.settled", SLOW)

    def force(self) -> list[float]:
        cells = self.js(
            "[...document.querySelectorAll('td[data-key=force]')].map(c => c.dataset.value)"
        )
        return [float(x) for x in cells]

    def python_force(self) -> np.ndarray:
        """Forces of the machine and pose that the page holds, by the library."""
        platform, _ = from_document(self.js("goughStudio.machine.document"))
        pose = self.js("goughStudio.solve.pose")
        frames = platform.frames if pose["framed"] else gough.Frames()
        frames = frames.replace(pivot=pose["pivot"], convention=pose["convention"])
        at = frames.pose(pose["position"], pose["angles"])
        return gough.inverse_dynamics(platform, gough.Motion.at_rest(at)).force

    def picture(self, name: str) -> bytes:
        """A screenshot, kept in a file; of a page that is not painted nothing."""
        if not self.painted:
            return b""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.wait_for_timeout(300)
        return self.page.screenshot(path=str(PICTURES / f"{name}.png"))


@pytest.fixture
def open_page(browser: Any, studio: StudioProcess) -> Iterator[Callable[..., Page]]:
    contexts = []

    def make(
        width: int = 1280, height: int = 720, address: str | None = None, painted: bool = PAINTS
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True
        )
        contexts.append(context)
        return Page(context, address or studio.address, painted)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def shared(browser: Any, studio: StudioProcess) -> Iterator[Page]:
    """One page for all tests that can share it: its first frame takes seconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    yield Page(context, studio.address).ready()
    context.close()


RESET = """async () => {
  document.querySelectorAll("dialog").forEach((d) => d.close());
  const g = goughStudio;
  if (g.drawerOpen) g.drawer(null);
  g.gizmo("off"); g.slice(false); g.ghosts(false); g.setTheme("dark");
  g.features.volume.set(false); g.features.compare.choose(""); g.features.cueing.reset();
  g.features.calibration.reset();
  g.features.measure.ruler.forget();
  Object.assign(g.panel, { payload: { mass: 0, center: [0, 0, 0], inertia: [0, 0, 0] }, external: [0, 0, 0, 0, 0, 0] });
  g.builder.kind = "demo"; g.builder.cued = null;
  g.builder.values = { duration: 10, max_speed: 0, max_rate: 0, samples: 501, file: "" };
  g.builder.formulations.clear(); g.builder.setWelcome(g.welcome);
  g.timeline.plots.forEach((p, i) => { p.key = ["length", "force"][i]; });
  await g.open("start", "");
  await g.makeMotion(true);
  document.activeElement?.blur();
}"""


@pytest.fixture
def page(shared: Page) -> Iterator[Page]:
    """The shared page as if it had just been opened."""
    shared.errors.clear()
    shared.page.wait_for_timeout(50)
    shared.js(RESET)
    shared.ready()
    yield shared
    assert shared.errors == [], shared.errors
