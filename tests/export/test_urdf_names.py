"""Names in URDF files: no two things share one; transmissions act on the drives."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest

import gough
from gough.export.urdf import urdf, urdf_companion
from gough.export.xml_files import distinct_names
from oracles.links import linked
from oracles.machines import case


def tree(kind: str, attach: str | None = None) -> tuple[gough.Platform, ElementTree.Element]:
    platform = case(kind, seed=3, states=1).platform
    return platform, ElementTree.fromstring(urdf(platform, attach=attach))


@pytest.mark.parametrize("attach", [None, "L2"])
@pytest.mark.parametrize("kind", ["UPS", "SPS-rotor", "UCU-screw", "UCU-upper", "RSS-general"])
def test_no_joint_has_the_name_of_a_link(kind: str, attach: str | None) -> None:
    root = tree(kind, attach)[1]
    names = [e.get("name") for tag in ("link", "joint", "transmission") for e in root.findall(tag)]
    names += [motor.get("name") for motor in root.findall("transmission/actuator")]
    assert max(Counter(names).values()) == 1
    links = {e.get("name") for e in root.findall("link")}
    ends = [e.get("link") for e in root.findall("joint/*[@link]")]
    assert links == set(ends)


def test_two_things_of_one_name_are_refused() -> None:
    root = tree("UPS")[1]
    distinct_names(root, "URDF")
    root.findall("joint")[0].set("name", "L3-upper")
    with pytest.raises(gough.InputError, match=r"a (link|joint) and a (joint|link) of this name"):
        distinct_names(root, "URDF")


def test_transmissions_act_on_the_drives() -> None:
    platform, root = tree("mixed")
    told = {a["joint"]: a["acts_on"] for a in urdf_companion(platform)["actuators"]}
    found = {}
    for element in root.findall("transmission"):
        reduction = float(element.findtext("actuator/mechanicalReduction", ""))
        (joint,) = element.findall("joint")
        assert element.findtext("type") == "transmission_interface/SimpleTransmission"
        found[joint.get("name")] = {joint.get("name"): reduction}
    assert found == told
    assert len(found) == 6


def test_screws_and_fixed_links_have_no_transmission() -> None:
    """The effort of a screw acts on two joints, which a simple transmission cannot say."""
    assert not tree("UCU-screw")[1].findall("transmission")
    held = linked("UPS", seed=3, count=2, states=1)
    assert held is not None
    assert len(ElementTree.fromstring(urdf(held.platform)).findall("transmission")) == 4
