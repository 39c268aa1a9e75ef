"""Fixed links in the model: what such a leg may have, files, schema, and home on the links."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.links import links, released
from gough.model import files
from gough.model.json_document import from_document, to_document

LEGS = {
    "UPS": gough.UPS([0, 0, 0], [0, 0, 0], [1, 0, 0]),
    "SPS": gough.SPS([0, 0, 0], [0, 0, 0]),
    "UCU": gough.UCU([0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]),
}
TEXT = """
[home]
position = [0.0, 0.0, 1.0]
[body]
mass = 10.0
[leg_defaults]
type = "UPS"
axis = [1.0, 0.3, 0.0]
drive = { ratio = 100.0, rotor_inertia = 1e-5 }
friction = { universal = 0.5, prismatic = 3.0 }
limits = { stroke = [0.5, 2.0], force = 100.0, radius = 0.02 }
"""
BASE = [(1.0, 0.2), (-0.3, 1.0), (-0.7, 0.8), (-0.7, -0.8), (-0.3, -1.0), (1.0, -0.2)]
JOINT = [(0.3, 0.5), (0.2, 0.6), (-0.6, 0.1), (-0.6, -0.1), (0.2, -0.6), (0.3, -0.5)]


def text(fixed: str = "") -> str:
    legs = [
        f"[[legs]]\nbase = [{b[0]}, {b[1]}, 0.0]\njoint = [{p[0]}, {p[1]}, 0.0]\n"
        for b, p in zip(BASE, JOINT, strict=True)
    ]
    return TEXT + "".join(legs) + fixed


def length(leg: int = 5) -> float:
    return float(np.hypot(np.hypot(*np.subtract(BASE[leg], JOINT[leg])), 1.0))


@pytest.mark.parametrize("kind", LEGS)
def test_what_a_link_cannot_have(kind: str) -> None:
    leg = LEGS[kind]
    assert leg.fixed is None
    assert leg.replace(fixed=0.7).fixed == 0.7
    for field, change in (
        ("drive", {"drive": gough.Drive(100.0)}),
        ("friction.prismatic", {"friction": gough.Friction(prismatic=1.0)}),
        ("limits.stroke", {"limits": gough.Limits(stroke=(0.1, 1.0))}),
        ("limits.force", {"limits": gough.Limits(force=1.0)}),
        ("limits.speed", {"limits": gough.Limits(speed=1.0)}),
        ("limits.stop_stiffness", {"limits": gough.Limits(stop_stiffness=0.0)}),
        ("limits.stop_gap", {"limits": gough.Limits(stop_gap=0.1)}),
    ):
        with pytest.raises(gough.InputError, match="has no drive") as caught:
            leg.replace(fixed=0.7, **change)
        assert caught.value.field == field
        leg.replace(**change)
    kept = gough.Limits(base_cone=0.3, platform_cone=0.2, radius=0.01)
    assert leg.replace(fixed=0.7, limits=kept).limits == kept
    for bad in (0.0, -1.0, np.nan, "long"):
        with pytest.raises(gough.InputError, match="fixed"):
            leg.replace(fixed=bad)


def test_a_screw_is_a_drive() -> None:
    with pytest.raises(gough.InputError, match="screw"):
        LEGS["UCU"].replace(fixed=0.7, screw=gough.Screw(0.005))


def test_sliders_and_cranks_are_not_fixed() -> None:
    with pytest.raises(TypeError, match="fixed"):
        gough.PUS([0, 0, 0], [0, 0, 1], [0, 0, 0], [1, 0, 0], 1.0, fixed=1.0)  # type: ignore[call-arg]


def test_a_file_with_a_link() -> None:
    """What leg_defaults say of drives does not reach a fixed link; all else does."""
    machine = files.loads(text(f"fixed = {length()!r}\n"))
    link = machine.legs[5]
    assert link.drive is None
    assert link.friction == gough.Friction(universal=0.5)
    assert link.limits == gough.Limits(radius=0.02)
    assert machine.legs[4].drive is not None
    assert machine.legs[4].limits.force == 100.0
    assert files.loads(files.dumps(machine)) == machine
    assert from_document(to_document(machine))[0] == machine
    held = links(machine)
    assert (held.legs.tolist(), held.driven.tolist()) == ([5], [0, 1, 2, 3, 4])
    assert released(machine).legs[5] == link.replace(fixed=None)


def test_units_and_mistakes_in_a_file() -> None:
    machine = files.loads(text(f'fixed = "{1000 * length()!r} mm"\n'))
    assert machine.legs[5].fixed == pytest.approx(length(), rel=1e-15)  # type: ignore[union-attr]
    with pytest.raises(files.MachineFileError, match=r"fixed.*greater than 0"):
        files.loads(text("fixed = 0.0\n"))
    own = text(f"fixed = {length()!r}\ndrive = {{ ratio = 100.0 }}\n")
    with pytest.raises(files.MachineFileError, match=r"drive.*has no drive"):
        files.loads(own)


def test_schema() -> None:
    kinds = files.json_schema()["$defs"]
    for kind in LEGS:
        assert "fixed" in kinds[kind]["properties"]
    for kind in ("PUS", "RUS"):
        assert "fixed" not in kinds[kind]["properties"]


def test_home_lies_on_the_links() -> None:
    """The refusal says how long the link would be there: pasted, it is accepted."""
    with pytest.raises(files.MachineFileError) as caught:
        files.loads(text("fixed = 1.2\n"))
    said = str(caught.value)
    assert "leg L6 is a fixed link of 1.2 m" in said
    apart = said.split("its joints are ")[1].split(" m")[0]
    assert f"{length() - 1.2:+.3g} m" in said
    files.loads(text(f"fixed = {apart}\n"))


def test_without_home_any_length_is_a_machine() -> None:
    machine = files.loads(text(f"fixed = {length()!r}\n"))
    longer = machine.legs[5].replace(fixed=1.3)
    with pytest.raises(gough.InputError, match=r"home.*fixed link of 1\.3 m"):
        machine.replace(legs=(*machine.legs[:5], longer))
    free = machine.replace(home=None, legs=(*machine.legs[:5], longer))
    pose = gough.on_links(free, gough.Pose([0.0, 0.0, 1.0])).pose
    assert free.replace(home=pose).home == pose


def test_a_truss_is_refused() -> None:
    machine = files.loads(text())
    legs = [
        leg.replace(fixed=length(i), drive=None, friction=gough.Friction(), limits=gough.Limits())
        for i, leg in enumerate(machine.legs)
    ]
    machine.replace(legs=(*legs[:5], machine.legs[5]))
    with pytest.raises(gough.InputError, match="truss"):
        machine.replace(legs=tuple(legs))


def test_the_gap_of_no_stop_may_be_said() -> None:
    """Zero is what every leg has; the documents of the studio say it in full."""
    link = gough.load("telescope-secondary").legs[5]
    for gap in (0.0, float("0.0"), np.float64(0.0)):
        assert link.replace(limits=gough.Limits(stop_gap=gap)).fixed == link.fixed
    with pytest.raises(gough.InputError, match="stop_gap"):
        link.replace(limits=gough.Limits(stop_gap=1e-3))
