"""Shapes (`gough.export.looks`) written into MJCF, URDF and SDF: for the eye, and for contacts where asked for.

What is for the eye touches nothing.  Shapes for contacts touch what is not of the machine: its own parts pass through
each other, as their joints let them.  Neither weighs anything.
"""

from __future__ import annotations

from typing import Any

from gough.export.linkage import WORLD
from gough.export.looks import COLORS, Shape
from gough.export.xml_files import put
from gough.spatial import quaternion_from_rotation, rpy_from_rotation

_EYE = {"contype": "0", "conaffinity": "0", "group": "1"}
_TOUCH = {"contype": "1", "conaffinity": "0", "group": "3"}
_SIZES = {"sphere": ("radius",), "cylinder": ("radius", "length")}


def _material(shape: Shape) -> str:
    return f"{shape.color}-color"


def dress_mjcf(
    root: Any, shapes: dict[str, list[Shape]], *, visuals: bool, collisions: bool
) -> None:
    """Geoms of the world and of the bodies by their names; materials before the world."""
    world = root.find("worldbody")
    if visuals:
        first = list(root).index(world)
        light, asset = (root.makeelement(tag, {}) for tag in ("visual", "asset"))
        root.insert(first, light)
        root.insert(first + 1, asset)
        put(light, "headlight", ambient=(0.4, 0.4, 0.4), diffuse=(0.6, 0.6, 0.6))
        for name, rgba in COLORS.items():
            put(asset, "material", name=f"{name}-color", rgba=rgba)
    for element in (world, *world.iter("body")):
        for shape in shapes.get(element.get("name", WORLD), ()):
            at = {"pos": shape.center, "quat": quaternion_from_rotation(shape.rotation)}
            at |= {"type": shape.kind, "size": shape.size, "mass": "0"}
            if visuals:
                own = {"name": shape.name, "material": _material(shape)}
                put(element, "geom", **own, **at, **_EYE)
            if collisions:
                put(element, "geom", name=f"{shape.name}-touch", **at, **_TOUCH)


def dress_urdf(
    root: Any, shapes: dict[str, list[Shape]], *, visuals: bool, collisions: bool
) -> None:
    """`visual` and `collision` of the links by their names; materials at the head."""
    if visuals:
        for i, (name, rgba) in enumerate(COLORS.items()):
            material = root.makeelement("material", {"name": f"{name}-color"})
            put(material, "color", rgba=rgba)
            root.insert(1 + i, material)
    for link in root.findall("link"):
        for shape in shapes.get(link.get("name"), ()):
            for tag in _tags(visuals, collisions):
                element = put(link, tag, name=_named(shape, tag))
                rpy = rpy_from_rotation(shape.rotation)
                put(element, "origin", xyz=shape.center, rpy=rpy)
                geometry = put(element, "geometry")
                if shape.kind == "box":
                    put(geometry, "box", size=[2.0 * s for s in shape.size])
                else:
                    put(geometry, shape.kind, **_measures(shape))
                if tag == "visual":
                    put(element, "material", name=_material(shape))


def dress_sdf(
    world: Any, model: Any, shapes: dict[str, list[Shape]], *, visuals: bool, collisions: bool
) -> None:
    """`visual` and `collision` of the model's links by their names; the base is a model that stands still."""
    links = {link.get("name"): link for link in model.findall("link")}
    if visuals or collisions:
        still = put(world, "model", name=f"{model.get('name')}-base")
        put(still, "static", "true")
        links[WORLD] = put(still, "link", name="base")
    for name, link in links.items():
        for shape in shapes.get(name, ()):
            for tag in _tags(visuals, collisions):
                element = put(link, tag, name=_named(shape, tag))
                put(element, "pose", [*shape.center, *rpy_from_rotation(shape.rotation)])
                kind = put(put(element, "geometry"), shape.kind)
                if shape.kind == "box":
                    put(kind, "size", [2.0 * s for s in shape.size])
                for measure, value in _measures(shape).items():
                    put(kind, measure, value)
                if tag == "visual":
                    material = put(element, "material")
                    for light in ("ambient", "diffuse"):
                        put(material, light, COLORS[shape.color])


def _tags(visuals: bool, collisions: bool) -> list[str]:
    return [tag for tag, asked in (("visual", visuals), ("collision", collisions)) if asked]


def _named(shape: Shape, tag: str) -> str:
    return f"{shape.name}-{'look' if tag == 'visual' else 'touch'}"


def _measures(shape: Shape) -> dict[str, float]:
    """Radius and whole length of what has them."""
    if shape.kind == "box":
        return {}
    values = (shape.size[0], *(2.0 * s for s in shape.size[1:]))
    return dict(zip(_SIZES[shape.kind], values, strict=True))
