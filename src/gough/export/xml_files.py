"""XML that reads back with all digits, and the bodies that readers of such files take."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np

from gough.checks import Array, InputError
from gough.model import Body
from gough.model.body import model_warning

GRAIN = 1e-9  # moment per mass, m^2, of a point mass
THIN = 1e-6  # least second moment of a body, of its largest


def solid(body: Body, what: str, program: str) -> Array:
    """The tensor of a body that must have mass and a physical tensor; a point mass becomes a grain of 0.03 mm, a tensor
    that no body can have the nearest possible one (by second moments, see `Body.admissible`), with a warning."""
    if body.mass <= 0.0:
        raise InputError(f"{what}.mass", body.mass, f"{program} moves no body without mass")
    I = body.inertia
    if not I.any():
        return GRAIN * body.mass * np.eye(3)
    if physical(I):
        return I
    second = float(np.linalg.eigvalsh(body.second_moment())[-1])
    near = body.admissible(max(THIN * second, GRAIN * body.mass)).inertia
    off = float(np.abs(near - I).max() / np.abs(I).max())
    model_warning(
        f"{what}.inertia: no body that {program} takes can have {I.tolist()}; the nearest one that can is written, "
        f"{near.tolist()}, {off:.2g} of its largest entry away"
    )
    return near


def physical(I: Array) -> bool:
    """The tensor of a body that has some extent along at least two directions."""
    moments = np.linalg.eigvalsh(I)
    return bool(moments[0] > 0.0 and moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9))


def moments(I: Array) -> dict[str, float]:
    """The six moments of a tensor by their names, ixx ixy ixz iyy iyz izz."""
    return {f"i{'xyz'[i]}{'xyz'[j]}": I[i, j] for i in range(3) for j in range(i, 3)}


def put(parent: Any, tag: str, text: Any = None, **attributes: Any) -> Any:
    """A new element under `parent`; numbers and vectors are written with all digits."""
    given = {name: written(value) for name, value in attributes.items()}
    element = ElementTree.SubElement(parent, tag, given)
    element.text = None if text is None else written(text)
    return element


def written(value: Any) -> str:
    """Text as it is, a number with all its digits, several of them apart by spaces."""
    if isinstance(value, str):
        return value
    return repr(float(value)) if np.ndim(value) == 0 else " ".join(map(written, value))


def distinct_names(root: Any, language: str) -> None:
    """Refuse two elements of one name, whatever they are: many readers know frames by their names alone."""
    found: dict[str, str] = {}
    for element in root.iter():
        name = element.get("name")
        if name is None or element is root or (element.tag == "joint" and not element.get("type")):
            continue  # the model itself; a joint that is only named
        if element.tag == "material" and not len(element):
            continue  # a color that is only named
        if name in found:
            problem = f"{language} would have a {found[name]} and a {element.tag} of this name"
            raise InputError("legs.name", name, problem)
        found[name] = element.tag


def xml_text(root: Any) -> str:
    """The document as text; names that XML cannot hold are refused."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode") + "\n"
    try:
        ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        name = str(root.attrib.get("name", ""))
        raise InputError("name", name, f"a name holds what XML cannot: {error}") from error
    return text
