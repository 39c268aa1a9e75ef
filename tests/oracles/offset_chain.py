"""Legs with offset universal joints as chains of hinges: joint angles by Newton on the chain itself, and its nodes.

Base, hinge about k, ``e n`` to the second axis, hinge about y, ``f y + d z`` to the leg's axis, slide; then the
platform joint as a ball, or the hinge along the leg and the platform joint the other way round.  Every joint is written
as a turn or a shift; rates come from complex steps through them.  Nothing of the library's closure is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import Array
from gough.model import UCU, UPS, Body, JointOffset
from oracles.closure import Closure, cross

if TYPE_CHECKING:
    from oracles.tree import LegNodes, Node

STEP = 1e-30


def universal_frame(k: Array) -> Array:
    """[s0, k x s0, k] with any s0 across k: the frame of a universal joint at zero angles."""
    s0 = cross(k, np.eye(3)[np.argmin(np.abs(k))])
    s0 /= np.linalg.norm(s0)
    return np.stack([s0, cross(k, s0), k], axis=1)


def given(leg: UPS | UCU, side: str) -> JointOffset:
    """The offsets of one joint, zero where it has none."""
    return getattr(leg, f"{side}_offset", None) or JointOffset()


def arms(joint: JointOffset) -> tuple[Array, Array]:
    """From the first to the second axis in [n, y, k], from there to the leg's axis in [s, y, z]."""
    return np.array([joint.e, 0.0, 0.0]), np.array([0.0, joint.f, joint.d])


def _turn(axis: int, angle: Any) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3, dtype=np.result_type(c))
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def end(leg: UPS | UCU, x: Array) -> tuple[Array, Array]:
    """Place and axes of the chain's end: x = first, second angle, length (, twist, and the platform joint's angles)."""
    e, o = arms(given(leg, "base"))
    F = universal_frame(leg.axis) @ _turn(2, x[0])
    T = F @ _turn(1, x[1])
    place = leg.base + F @ e + T @ (o + np.array([1.0, 0.0, 0.0]) * x[2])
    if isinstance(leg, UPS):
        return place, T
    e, o = arms(given(leg, "platform"))
    T = T @ _turn(0, x[3])
    C = T @ _turn(1, x[4])
    return place - T @ o - C @ e, C @ _turn(2, x[5])


def _miss(leg: UPS | UCU, x: Array, P: Array, plate: Array | None) -> Array:
    place, axes = end(leg, x)
    if plate is None:
        return place - P
    skewed = plate.T @ axes
    return np.concatenate(
        [
            place - P,
            [skewed[2, 1] - skewed[1, 2], skewed[0, 2] - skewed[2, 0], skewed[1, 0] - skewed[0, 1]],
        ]
    )


def slopes(of: Callable[[Array], Array], x: Array) -> Array:
    """``d of/d x`` by complex steps."""
    return np.stack([of(x + 1j * STEP * unit).imag / STEP for unit in np.eye(len(x))], axis=1)


def angles(leg: UPS | UCU, P: Array, R: Array | None) -> Array:
    """Joint coordinates of the chain whose end is at P (and turned with the platform), found once per leg and pose."""
    known = leg.__dict__.setdefault("_kept chain angles", {})
    key = P.tobytes(), None if R is None else R.tobytes()
    if key not in known:
        known[key] = _angles(leg, P, R)
    return known[key]


def _angles(leg: UPS | UCU, P: Array, R: Array | None) -> Array:
    x0, plate = _ideal(leg, P, R)
    x = x0

    def of(y: Array) -> Array:
        return _miss(leg, y, P, plate)

    for _ in range(40):
        step = np.linalg.solve(slopes(of, x), of(x))
        x = x - step
        if np.abs(step).max() < 1e-15:
            break
    assert np.abs(of(x)).max() < 1e-13
    return x


def _ideal(leg: UPS | UCU, P: Array, R: Array | None) -> tuple[Array, Array | None]:
    """Coordinates without offsets, and the axes that the end must have."""
    S = P - leg.base
    s = S / np.linalg.norm(S)
    first, second = universal_angles(universal_frame(leg.axis), s)
    if isinstance(leg, UPS):
        return np.array([first, second, np.linalg.norm(S)]), None
    assert R is not None
    plate = R @ universal_frame(leg.platform_axis)
    above, over = universal_angles(plate, s)
    y, y_p = cross(leg.axis, s), cross(R @ leg.platform_axis, s)
    phi = np.arctan2(s @ cross(y, y_p), y @ y_p)
    return np.array([first, second, np.linalg.norm(S), phi, -over, -above]), plate


def universal_angles(frame: Array, s: Array) -> tuple[float, float]:
    """Angles of a universal joint that turns the first column of its frame into s."""
    s0, y0, k = frame.T
    y = cross(k, s)
    first = float(np.arctan2(y @ cross(k, y0), y @ y0))
    s1 = np.cos(first) * s0 + np.sin(first) * y0
    return first, float(np.arctan2(-(s @ k), s @ s1))


def chain_closure(leg: UPS | UCU, x: Array) -> Closure:
    """The leg closed so."""
    F = universal_frame(leg.axis) @ _turn(2, x[0])
    s = (F @ _turn(1, x[1]))[:, 0]
    return Closure(float(x[2]), leg.base, s, leg.axis, 1.0 - float(leg.axis @ s) ** 2, 1.0)


def rates(leg: UCU, P: Array, R: Array, pd: Array, w: Array) -> Array:
    """Rates of the six joint coordinates of a UCU leg: the end moves with pd and turns with w."""
    x = angles(leg, P, R)

    def of(y: Array) -> Array:
        place, axes = end(leg, y)
        still = end(leg, x)[1]
        turned = axes @ still.T  # E + (rotation vector)~ to first order
        return np.concatenate([place, [turned[2, 1], turned[0, 2], turned[1, 0]]])

    return np.linalg.solve(slopes(of, x), np.concatenate([pd, w]))


def shifted(body: Body, by: Array) -> Body:
    """The same body seen from an origin that lies `by` before its own (skips the admissibility warning)."""
    raw = object.__new__(Body)
    for name, value in {
        "mass": body.mass,
        "center": body.center + by,
        "inertia": body.inertia,
    }.items():
        object.__setattr__(raw, name, value)
    return raw


def displace(nodes: list[Node], leg: UPS | UCU, n: LegNodes) -> None:
    """Put the offsets and the cross pieces into the nodes of a leg with ideal joints."""
    from dataclasses import replace

    e, o = arms(given(leg, "base"))
    first, second = n.universal
    nodes[first] = replace(nodes[first], body=given(leg, "base").cross)
    nodes[second] = replace(nodes[second], p=e, body=shifted(nodes[second].body, o))
    nodes[n.actuator] = replace(nodes[n.actuator], p=o)
    if n.plate:
        e, o = arms(given(leg, "platform"))
        over, above = n.plate
        nodes[over] = replace(nodes[over], p=-o, body=shifted(given(leg, "platform").cross, -e))
        nodes[above] = replace(nodes[above], p=-e)
