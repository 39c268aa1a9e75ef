"""Inverse dynamics of two public codes with angles z, x, z: their formulas, stated anew, beside the right ones.

Both follow the same derivation: leg balance with the force across the leg, then the platform's balance for the axial
forces.  A slip is a formula as the code has it; without slips the forces must be those of the exact model.
    C++ class    gravity along -y, universal joints at the base (roboop)
    MATLAB       gravity along -z, legs that do not spin (matlab)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.checks import Array
from gough.dynamics import inverse_dynamics
from gough.formulations.linear import cross
from gough.model import SPS, UPS, Body, Platform
from gough.reproduce.codes.geometry import jacobian, legs, numbers, percent, ring
from gough.spatial import Motion, rotation_x, rotation_z

CLASS_SLIPS = {
    "rotation": "the second row of the rotation matrix begins with sin psi cos phi + cos theta sin phi cos psi",
    "rate": "the x component of the angular velocity has cos theta for sin theta",
    "arm": "velocity and acceleration of the joints with their distance from the world's origin",
    "length": "the rate of a leg's direction is (l n - l' n)/l, and its arm again from the world's origin",
    "moment": "the joint's moment is one number in all three components",
    "side": "the moment of the side forces is taken about the world's origin",
    "inverse": "the axial forces are the transposed Jacobian times the load, not its inverse",
    "gyroscopic": "I (w x w) for (I w) x w, which is always zero",
}
MATLAB_SLIPS = {
    "rate": "the x component of the angular velocity has cos theta for sin theta, and its derivative follows it",
    "length": "the acceleration of a leg's length has the leg vector where the joint's velocity belongs",
    "platform": "the platform turns with the angular velocity and acceleration of leg 1",
}


@dataclass(frozen=True, eq=False)
class CodeState:
    """Position and angles z, x, z of the platform with their first and second derivatives, SI."""

    x: Array
    v: Array
    a: Array

    def rotation(self) -> Array:
        """``Rz(phi) Rx(theta) Rz(psi)``."""
        phi, theta, psi = self.x[3:]
        return rotation_z(phi) @ rotation_x(theta) @ rotation_z(psi)

    def turning(self, wrong: bool, wrong_change: bool) -> tuple[Array, Array]:
        """Angular velocity and acceleration; `wrong`: with cos theta, `wrong_change`: in its derivative too."""
        phi, theta, _ = self.x[3:]
        d_phi, d_theta, _ = self.v[3:]
        sp, cp, st, ct = np.sin(phi), np.cos(phi), np.sin(theta), np.cos(theta)
        third = [sp * (ct if wrong else st), -cp * st, ct]
        T = np.array([[0.0, cp, third[0]], [0.0, sp, third[1]], [1.0, 0.0, third[2]]])
        change = d_phi * cp * st + d_theta * sp * ct
        if wrong_change:
            change = d_phi * cp * ct - d_theta * sp * st
        dT = np.array(
            [
                [0.0, -d_phi * sp, change],
                [0.0, d_phi * cp, d_phi * sp * st - d_theta * cp * ct],
                [0.0, 0.0, -d_theta * st],
            ]
        )
        return T @ self.v[3:], T @ self.a[3:] + dT @ self.v[3:]

    def motion(self) -> Motion:
        """The true motion."""
        w, al = self.turning(False, False)
        return Motion(self.x[:3], self.rotation(), self.v[:3], w, self.a[:3], al)


def _parts(machine: Platform) -> tuple[Body, Body]:
    """Lower and upper part of every leg."""
    first: Any = machine.legs[0]
    return first.lower, first.upper


def _tensors(machine: Platform, n: Array) -> Array:
    """(6, 3, 3) lower and upper part together, both symmetric about n."""
    along, across = (sum(part.inertia[i, i] for part in _parts(machine)) for i in (0, 1))
    outer = n[:, :, None] * n[:, None, :]
    return along * outer + across * (np.eye(3) - outer)


def forces(machine: Platform, state: CodeState, axes: Array | None, slips: frozenset[str]) -> Array:
    """Actuator forces (6,) N with some formulas as the codes have them; `axes` (6, 3): first universal axes or none."""
    R, G = state.rotation(), machine.gravity
    if "rotation" in slips:
        phi, theta, psi = state.x[3:]
        R = R.copy()
        R[1, 0] = np.sin(psi) * np.cos(phi) + np.cos(theta) * np.sin(phi) * np.cos(psi)
    q = machine.platform_joints @ R.T
    l, n = legs(machine.base_joints, machine.platform_joints, state.x[:3], R)
    w, al = state.turning("rate" in slips, "rate" in slips and axes is None)
    far = state.x[:3] + q
    arm = far if "arm" in slips else q
    da = state.v[:3] + cross(w, arm)
    dda = state.a[:3] + cross(al, arm) + cross(w, cross(w, arm))
    true_w, true_al = state.turning(False, False)
    dl = (
        (jacobian(n, q) * np.hstack([state.v[:3], true_w])).sum(-1)
        if axes is not None
        else _dot(da, n)
    )
    ddl = _length_acceleration(n, l, dl, (da, dda), slips)
    if axes is not None:
        ddl = _class_length_acceleration(state, (q, far), (n, l, dl), (w, true_w, true_al), slips)
    W, A, c = _leg_turning(n, l, (dl, ddl), (da, dda), axes)
    low, high = _parts(machine)
    r1 = (l + high.center[0])[:, None] * n
    r2 = low.center[0] * n
    a1 = cross(W, cross(W, r1)) + cross(A, r1) + 2 * dl[:, None] * cross(W, n) + ddl[:, None] * n
    a2 = cross(W, cross(W, r2)) + cross(A, r2)
    I = _tensors(machine, n)
    spin = np.zeros((6, 3)) if "gyroscopic" in slips else cross((I @ W[..., None])[..., 0], W)
    N = (I @ A[..., None])[..., 0] - spin
    N = N + high.mass * cross(r1, a1 - G) + low.mass * cross(r2, a2 - G)
    size = (_dot(N, n) / _dot(c, n))[:, None]
    M = np.repeat(size, 3, axis=-1) if "moment" in slips else size * c
    side = cross(N - M, n) / l[:, None]
    turned = (R, W[0], A[0]) if "platform" in slips else (R, w, al)
    load = _platform_load(machine, state, turned, side, (far if "side" in slips else q, slips))
    J = jacobian(n, q)
    axial = J.T @ load if "inverse" in slips else np.linalg.solve(J.T, load)
    return high.mass * _dot(a1 - G, n) - axial


def _dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-1)


def _length_acceleration(
    n: Array, l: Array, dl: Array, joint: tuple[Array, Array], slips: frozenset[str]
) -> Array:
    """``l'' = n . a'' + a' . (a' - l' n)/l`` of the MATLAB code; the slip has the leg vector for the second a'."""
    da, dda = joint
    inner = l[:, None] * n if "length" in slips else da
    return _dot(dda, n) + _dot(da, inner - dl[:, None] * n) / l


def _class_length_acceleration(
    state: CodeState,
    arms: tuple[Array, Array],
    leg: tuple[Array, Array, Array],
    turning: tuple[Array, Array, Array],
    slips: frozenset[str],
) -> Array:
    """The same in the class: ``J_1 (x'', alpha) + dJ_1/dt (x', omega)``, its twist from the angles as they are."""
    (q, far), (n, l, dl), (w, true_w, true_al) = arms, leg, turning
    twist, turn = np.hstack([state.v[:3], true_w]), np.hstack([state.a[:3], true_al])
    if "length" in slips:
        dn, arm = (l[:, None] * n - dl[:, None] * n) / l[:, None], far
    else:
        dn, arm = (state.v[:3] + cross(w, q) - dl[:, None] * n) / l[:, None], q
    dJ = np.hstack([dn, cross(cross(w, arm), n) + cross(arm, dn)])
    return (jacobian(n, q) * turn).sum(-1) + (dJ * twist).sum(-1)


def _leg_turning(
    n: Array,
    l: Array,
    rates: tuple[Array, Array],
    joint: tuple[Array, Array],
    axes: Array | None,
) -> tuple[Array, Array, Array]:
    """Angular velocity and acceleration of the legs and the axis of their joints' moment."""
    (dl, ddl), (da, dda) = rates, joint
    if axes is None:  # no spin: n x a'/l, and no moment
        W = cross(n, da) / l[:, None]
        return W, (cross(n, dda) - 2 * dl[:, None] * W) / l[:, None], n
    v = cross(axes, n) / np.linalg.norm(cross(axes, n), axis=-1, keepdims=True)
    c = cross(axes, v)
    lc = (l * _dot(n, c))[:, None]
    across = da - dl[:, None] * n
    wu, wv = (-_dot(across, v)[:, None] / lc, _dot(across, axes)[:, None] / lc)
    W = wu * axes + wv * v
    rest = dda - ddl[:, None] * n - 2 * dl[:, None] * cross(W, n)
    rest = rest - l[:, None] * (cross(W, cross(W, n)) + wu * wv * cross(c, n))
    A = -_dot(rest, v)[:, None] / lc * axes + _dot(rest, axes)[:, None] / lc * v + wu * wv * c
    return W, A, c


def _platform_load(
    machine: Platform,
    state: CodeState,
    turned: tuple[Array, Array, Array],
    side: Array,
    how: tuple[Array, frozenset[str]],
) -> Array:
    """Weight, inertia and side forces of the legs on the platform, as force and moment."""
    (R, w, al), (arm, slips) = turned, how
    mass, r, G = machine.body.mass, R @ machine.body.center, machine.gravity
    I = R @ machine.body.inertia @ R.T
    a = state.a[:3] + cross(al, r) + cross(w, cross(w, r))
    spin = np.zeros(3) if "gyroscopic" in slips else cross(I @ w, w)
    force = mass * (G - a) - side.sum(axis=0)
    moment = mass * cross(r, G - a) - I @ al + spin - cross(arm, side).sum(axis=0)
    return np.hstack([force, moment])


def cpp_class() -> tuple[Platform, CodeState, Array]:
    """The machine and state that the class is tried on, and its universal axes (from the legs at its start pose)."""
    d = numbers()["roboop"]
    base = ring(d["base_radius"], d["base_angles"]) @ rotation_x(
        -np.pi / 2
    )  # y is up, as in the class
    joints = ring(d["platform_radius"], d["platform_angles"])
    start = CodeState(np.array(d["start"]), np.zeros(6), np.zeros(6))
    _, n = legs(base, joints, start.x[:3], start.rotation())
    u = -n * np.array([1.0, 0.0, 1.0])
    u = u / np.linalg.norm(u, axis=-1, keepdims=True)
    (upper, lower), (far, near) = d["leg_masses"], d["leg_centers"]
    tensors = [np.diag([along, across, across]) for along, across in d["leg_tensors"]]
    parts: dict[str, Any] = {
        "upper": Body(upper, (-far, 0.0, 0.0), tensors[0]),
        "lower": Body(lower, (near, 0.0, 0.0), tensors[1]),
    }
    body = Body(d["platform_mass"], d["platform_center"], np.diag(d["platform_tensor"]))
    made = [UPS(base=b, joint=p, axis=k, **parts) for b, p, k in zip(base, joints, u, strict=True)]
    state = CodeState(*(np.array(d[name]) for name in ("position", "velocity", "acceleration")))
    return Platform(body, made, gravity=d["gravity"], name="class"), state, u


def matlab_code() -> tuple[Platform, CodeState, CodeState]:
    """The machine of the MATLAB code, its call at rest, and a moving state."""
    d = numbers()["matlab"]
    base, joints = (ring(d[f"{n}_radius"], d[f"{n}_angles"]) for n in ("base", "platform"))
    upper, lower, mass = d["masses"]
    tensors = {}
    for name in ("upper", "lower"):
        x, y, z = d[f"{name}_tensor"]
        tensors[name] = np.diag(
            [z, np.hypot(x, y), np.hypot(x, y)]
        )  # about the leg; across it, as there
    parts: dict[str, Any] = {
        "upper": Body(upper, (-d["centers"][0], 0.0, 0.0), tensors["upper"]),
        "lower": Body(lower, (d["centers"][1], 0.0, 0.0), tensors["lower"]),
    }
    I = np.array(d["platform_tensor"])
    made = [SPS(base=b, joint=p, **parts) for b, p in zip(base, joints, strict=True)]
    body = Body(mass, np.zeros(3), (I + I.T) / 2)
    machine = Platform(body, made, gravity=(0.0, 0.0, -d["gravity"]), name="matlab")

    def state(moving: bool) -> CodeState:
        angle = np.radians(np.array(d["angles"]) * moving + [0.0, d["tilt"], 0.0])
        place = np.array(d["position"]) * moving + [0.0, 0.0, d["height"]]
        rates = [
            np.hstack([d[a], np.radians(d[b])]) * moving
            for a, b in (("velocity", "rates"), ("acceleration", "turns"))
        ]
        return CodeState(np.hstack([place, angle]), *rates)

    return machine, state(False), state(True)


def values() -> dict[str, Any]:
    """Force errors of both codes with all their slips, with each alone, and without any."""
    machine, state, axes = cpp_class()
    found = _errors("class", machine, state, axes, CLASS_SLIPS)
    machine, rest, moving = matlab_code()
    found |= _errors("matlab", machine, moving, None, MATLAB_SLIPS)
    right = inverse_dynamics(machine, rest.motion()).force
    at_rest = forces(machine, rest, None, frozenset(MATLAB_SLIPS))
    return found | {"matlab_rest": percent(at_rest, right), "matlab_rest_force": right.max()}


def _errors(
    name: str, machine: Platform, state: CodeState, axes: Array | None, slips: Iterable[str]
) -> dict[str, Any]:
    right = inverse_dynamics(machine, state.motion()).force
    off = lambda kept: percent(forces(machine, state, axes, frozenset(kept)), right)  # noqa: E731
    return {
        f"{name}_all": off(slips),
        f"{name}_each": [off([slip]) for slip in slips],
        f"{name}_corrected": off([]) / 100,
        f"{name}_slips": len(list(slips)),
    }
