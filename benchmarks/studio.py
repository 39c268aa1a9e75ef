"""`python -m benchmarks.studio`: what a pose costs the studio, from the text of the message to that of the answer."""

from __future__ import annotations

import json
import sys
import tempfile
import time

from gough.studio import messages as m
from gough.studio import warm, wire
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder

MACHINES = ("motion-base-1500", "syed-6sps", "hexaglide", "servo-hexapod")


def pose_times(name: str, count: int = 1500) -> list[float]:
    """Sorted seconds of `count` poses: reading, kinematics, forces, reactions, limits, writing."""
    session = Session(WorkFolder(tempfile.gettempdir()))
    session.handle(m.OpenMachine(1, "preset", name))
    home = session.platform.home
    assert home is not None
    text = json.dumps({"type": "SolvePose", "id": 1, "pose": {"position": home.position.tolist(),
                       "convention": "quaternion", "angles": home.quaternion.tolist()}})
    while warm.engine(session.platform) != "native":
        time.sleep(0.1)
    times = []
    for _ in range(count):
        began = time.perf_counter()
        wire.encode(session.handle(wire.decode(text)))
        times.append(time.perf_counter() - began)
    return sorted(times)


def main() -> None:
    """One line per machine."""
    for name in MACHINES:
        t = pose_times(name)
        sys.stdout.write(f"{name}: best {1e6 * t[0]:.0f} us, median {1e6 * t[len(t) // 2]:.0f} us\n")


if __name__ == "__main__":
    main()
