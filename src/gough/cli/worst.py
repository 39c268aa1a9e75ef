"""worst: the largest efforts anywhere in a box of poses, the mass that can be held there, springs for the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gough.cli import console
from gough.cli.app import command
from gough.cli.quantities import read_degrees, read_point
from gough.cli.warned import outside

if TYPE_CHECKING:
    from gough.spatial import Pose


@command()
def worst(
    machine: str,
    box: str,
    tilt: str = "",
    acceleration: float = 0.0,
    angular_acceleration: float = 0.0,
    force: float = 0.0,
    moment: float = 0.0,
    point: str = "",
    payload: str = "",
    springs: str = "",
    tolerance: float = 0.02,
    boxes: int = 20_000,
    as_json: bool = False,
) -> None:
    """Largest effort of each leg anywhere in a box of poses about home: proved bounds, and the worst case found.

    At rest or accelerated from rest; velocities and losses of drives are not in it.
    """
    from gough.analysis import choose_springs, payload_capacity, worst_effort

    platform = console.read_machine(machine)
    sides = read_point("box", box)
    angles = read_degrees("tilt", tilt) if tilt else [0.0, 0.0, 0.0]
    if platform.home is not None:
        console.warn(*outside(platform, _corners(platform.home, sides), "a corner of the box"))
    budget: dict[str, Any] = {"tolerance": tolerance, "boxes": boxes}
    pushed: dict[str, Any] = {"force": force, "moment": moment}
    if point:
        pushed["point"] = read_point("point", point)
    moved = {"acceleration": acceleration, "angular_acceleration": angular_acceleration}
    found = worst_effort(platform, sides, angles, **moved, **pushed, **budget)
    facts: dict[str, Any] = {"worst_effort": found.as_dict()}
    said = list(found.sentences())
    if payload:
        center = read_point("payload", payload)
        held = payload_capacity(platform, sides, angles, center=center, **pushed, **budget)
        facts["payload"] = held.as_dict()
        said.append(held.sentence())
    if springs:
        chosen = choose_springs(platform, sides, angles, wish=springs, **budget)
        facts["springs"] = chosen.as_dict()
        said += chosen.sentences()

    def show(_: Any) -> None:
        for line in said:
            console.write_line(line)

    console.answer(facts, as_json, show)


def _corners(home: Pose, sides: list[float]) -> Pose:
    """(8,) of the box, not turned against home."""
    import numpy as np

    from gough.spatial import Pose

    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, 8).T
    return Pose(home.position + signs * sides, home.rotation)
