"""Choosing the drives of a motion base: worst efforts over a box, springs for the weight, a catalogue, bearing life.

python examples/sizing.py        the catalogue beside it is invented
"""

from __future__ import annotations

from pathlib import Path

import gough
from gough.analysis import (
    bearing_life,
    choose_springs,
    load_catalogue,
    payload_capacity,
    select_drives,
    worst_effort,
)

BOX, TILT = (0.05, 0.05, 0.05), (0.05, 0.05, 0.0)


def main() -> None:
    """Print what is proved of each, and what is only sampled."""
    machine = gough.load("motion-base-1500")
    assert machine.home is not None
    for sentence in worst_effort(machine, BOX, TILT, acceleration=2.0).sentences():
        print(sentence)
    print(payload_capacity(machine, BOX, TILT, center=(0.0, 0.0, 0.3)).sentence())
    print(choose_springs(machine, BOX, TILT, prove=False).sentences()[0])

    wave = gough.trajectory.harmonic(machine.home, [0, 0, 0.08, 0.02, 0, 0], [0.5], duration=2.0)
    catalogue = load_catalogue(Path(__file__).parent / "drives" / "catalogue.toml")
    found = select_drives(machine, {"wave": wave}, catalogue, life=5000.0)
    print(*found.judged)
    for option in found.options:
        why = "; ".join(option.reasons())
        print(f"{option.motor}, {option.gear}, {option.screw}: {option.status} {why}")
    life = bearing_life(machine, wave, base_rating=20e3, platform_rating=15e3)
    print(f"platform joints: {life.hours[1].min():.3g} h, {life.judged}")


if __name__ == "__main__":
    main()
