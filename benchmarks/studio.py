"""`python -m benchmarks.studio`: what a pose costs the studio, from the text of the message to that of the answer, and
how large a timeline is on the wire (`--sizes`: that alone).

Processor time, so that other programs on the machine do not count; once with one machine open, and once after the
gallery has loaded every preset: what is kept of other machines must cost a pose nothing.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import time
import zlib
from collections.abc import Callable

import gough
from gough.analysis.timeline import flat
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.machines import gallery
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder

MACHINES = ("motion-base-1500", "syed-6sps", "hexaglide", "servo-hexapod")
BEFORE = {  # us, best and median with one machine open | with the gallery loaded, before presets were shared
    "motion-base-1500": ((840, 1458), (3303, 4093)),
    "syed-6sps": ((1242, 1953), (2828, 4017)),
    "hexaglide": ((1378, 2193), (3272, 4272)),
    "servo-hexapod": ((1370, 1864), (3722, 4329)),
}


def pose_times(name: str, count: int = 1500) -> list[float]:
    """Sorted seconds of processor time of `count` poses: reading, kinematics, forces, reactions, limits, writing."""
    session = Session(WorkFolder(tempfile.gettempdir()))
    session.handle(m.OpenMachine(1, "preset", name))
    home = session.platform.home
    assert home is not None
    text = json.dumps(
        {
            "type": "SolvePose",
            "id": 1,
            "pose": {
                "position": home.position.tolist(),
                "convention": "quaternion",
                "angles": home.quaternion.tolist(),
            },
        }
    )
    _ = gough.inverse_dynamics(session.platform, home, engine="native").reactions  # compiled
    times = []
    for _ in range(count):
        began = time.process_time()
        wire.encode(session.handle(wire.decode(text)))
        times.append(time.process_time() - began)
    return sorted(times)


def timeline_sizes(samples: int = 501) -> None:
    """A timeline as a binary frame and as JSON: bytes, bytes after deflate, and what writing it costs."""
    session = Session(WorkFolder(tempfile.gettempdir()))
    session.handle(m.OpenMachine(1, "preset", MACHINES[0]))
    answer = session.handle(m.MakeMotion(2, "demo", samples=samples))
    assert isinstance(answer, m.Timeline)
    text = dataclasses.replace(answer, data=flat(answer.data))
    ways: dict[str, Callable[[], str | bytes]] = {
        "binary frame": lambda: wire.encode(answer),
        "JSON": lambda: wire.encode(text),
    }
    sys.stdout.write(f"timeline of {samples} samples, {MACHINES[0]}\n")
    for name, write in ways.items():
        sent = write()
        data = sent if isinstance(sent, bytes) else sent.encode()
        times = []
        for _ in range(20):
            began = time.process_time()
            write()
            times.append(time.process_time() - began)
        sys.stdout.write(
            f"  {name}: {len(data)} bytes, deflated {len(zlib.compress(data))}, written in {1e3 * min(times):.2f} ms\n"
        )


def main() -> None:
    """One line per machine: now, and before on the machine where BEFORE was measured; then sizes of a timeline."""
    timeline_sizes()
    if "--sizes" in sys.argv[1:]:
        return
    for loaded in (False, True):
        sys.stdout.write("with the gallery loaded\n" if loaded else "one machine open\n")
        if loaded:
            gallery()
        for name in MACHINES:
            t = pose_times(name)
            best, median = BEFORE[name][loaded]
            sys.stdout.write(
                f"  {name}: best {1e6 * t[0]:.0f} us, median {1e6 * t[len(t) // 2]:.0f} us"
                f" (before: {best}, {median})\n"
            )


if __name__ == "__main__":
    main()
