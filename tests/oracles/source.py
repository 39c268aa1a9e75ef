"""The equations run as they stand (engines.plain) on a case: real, or complex for time derivatives.

The functions answer in the names of `oracles.compare`, so that the same errors can be formed.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines import pack, plain
from gough.layout import LEG_RECORD
from gough.model import CRANKS, UCS, UCU, Platform, Spinning
from gough.model.offset import offset
from gough.spatial import skew
from oracles.compare import REACTIONS
from oracles.machines import Case
from oracles.offset_chain import rates

STEP = 1e-30  # complex step: no subtraction, so it can be this small


def run(function: str, kinds: tuple[str, ...], x: Array, spin: Array, par: Array) -> Array:
    """One machine function on n states: x (n, width), spin (n, 18), par (m,) or (n, m) -> (n, outputs)."""
    out = plain.evaluate(function, kinds, list(x.T), list(par.T), list(spin.T))
    return np.stack([np.broadcast_to(value, len(x)) for value in out], axis=1)


def fresh_parameters(machine: Platform) -> Array:
    """Parameters packed anew, so that a planted error in the packing is seen."""
    return pack.pack(machine)


def spin_numbers(case: Case) -> Array:
    """(n, 18): cosine and sine of the spin angle, spin rate."""
    three = [np.cos(case.spin_angle), np.sin(case.spin_angle), case.spin_rate]
    return np.stack(three, axis=-1).reshape(len(case.external), 18)


def motion_numbers(case: Case) -> Array:
    """(n, 24): t, R by rows, v, w, a, al."""
    m = case.motion
    return np.concatenate(
        [
            m.position,
            m.rotation.reshape(-1, 9),
            m.velocity,
            m.angular_velocity,
            m.acceleration,
            m.angular_acceleration,
        ],
        axis=1,
    )


def equations(*several: Case) -> dict[str, Array]:
    """Everything the equations give, (n, ...): all states of all cases, which have the same leg types, at once."""
    kinds = pack.kinds_of(several[0].platform)
    par = np.concatenate(
        [np.tile(fresh_parameters(c.platform), (len(c.external), 1)) for c in several]
    )
    motion = np.concatenate([motion_numbers(c) for c in several])
    external = np.concatenate([c.external for c in several])
    spin = np.concatenate([spin_numbers(c) for c in several])
    n = len(motion)
    x = np.concatenate([motion, external], axis=1)
    r = run("record", kinds, x, spin, par).reshape(n, 6, LEG_RECORD.size)
    out = {
        "coordinate": r[..., 0],
        "rate": r[..., 1],
        "acceleration": r[..., 2],
        "direction": r[..., 3:6],
        "angular_velocity": r[..., 6:9],
        "angular_acceleration": r[..., 9:12],
        "force": r[..., 13],
    }
    for name in REACTIONS:
        out[name] = r[..., getattr(LEG_RECORD, name)]
    if several[0].needs_spin:
        free = [isinstance(leg, Spinning) and not leg.spin_free for leg in several[0].platform.legs]
        out["spin_acceleration"] = np.where(free, r[..., 14], 0.0)
    rows = run("mass", kinds, motion[:, :12], spin, par)[:, :21]
    M = np.zeros((n, 6, 6))
    upper = np.triu_indices(6)
    M[:, upper[0], upper[1]] = rows
    M[:, upper[1], upper[0]] = rows
    out["mass_matrix"] = M
    y = np.concatenate([motion[:, :18], out["force"], external], axis=1)
    out["forward"] = run("forward", kinds, y, spin, par)[:, :6]
    out["forces"] = run("forces", kinds, x, spin, par)[:, :6]
    return out


def energy_rate(case: Case, found: dict[str, Array]) -> Array:
    """d(T + V)/dt along the motion by complex step, (n,), W; spins move with their own acceleration."""
    kinds, par = pack.kinds_of(case.platform), fresh_parameters(case.platform)
    m = case.motion
    Rd = skew(m.angular_velocity) @ m.rotation
    angle_rate = _spin_angle_rate(case, found)
    c, s = np.cos(case.spin_angle), np.sin(case.spin_angle)
    now = np.stack([c, s, case.spin_rate], axis=-1)
    spin_up = found.get("spin_acceleration", np.zeros_like(c))
    rate = np.stack([-s * angle_rate, c * angle_rate, spin_up], axis=-1)
    n = len(c)
    x = np.concatenate(
        [m.position, m.rotation.reshape(n, 9), m.velocity, m.angular_velocity], axis=1
    )
    xd = np.concatenate(
        [m.velocity, Rd.reshape(n, 9), m.acceleration, m.angular_acceleration], axis=1
    )
    energy = run("energy", kinds, x + 1j * STEP * xd, (now + 1j * STEP * rate).reshape(n, 18), par)
    return energy[:, :2].imag.sum(axis=-1) / STEP


def _spin_angle_rate(case: Case, found: dict[str, Array]) -> Array:
    """phid = w_s - kap (k.W_n)/(1 - kap^2): the frame [s, y, s x y] itself turns about s."""
    out = np.zeros_like(case.spin_angle)
    for i, leg in enumerate(case.platform.legs):
        if isinstance(leg, Spinning):
            s, W = found["direction"][:, i], found["angular_velocity"][:, i]
            k = leg.reference / np.linalg.norm(leg.reference)
            kap = s @ k
            Wn = W - (W * s).sum(axis=1, keepdims=True) * s
            out[:, i] = case.spin_rate[:, i] - kap * (Wn @ k) / (1 - kap**2)
    return out


def power(case: Case, found: dict[str, Array]) -> tuple[Array, Array]:
    """Power that flows in less friction, and the sum of its terms' sizes, (n,), W."""
    m = case.motion
    R = m.rotation
    F = (R @ case.external[:, :3, None])[..., 0]
    M = (R @ case.external[:, 3:, None])[..., 0]
    terms = [found["force"] * found["rate"], -friction_power(case, found)]
    outside = np.stack([(F * m.velocity).sum(axis=1), (M * m.angular_velocity).sum(axis=1)], axis=1)
    every = np.concatenate([*terms, outside], axis=1)
    return every.sum(axis=1), np.abs(every).sum(axis=1)


def friction_power(case: Case, found: dict[str, Array]) -> Array:
    """Power lost in the joints of each leg, (n, 6), W."""
    out = []
    for i, leg in enumerate(case.platform.legs):
        W = found["angular_velocity"][:, i]
        carrier = found["rate"][:, i, None] * leg.shaft if isinstance(leg, CRANKS) else 0.0
        f, rate, upper = leg.friction, found["rate"][:, i], W
        lost = f.universal * ((W - carrier) ** 2).sum(axis=1)
        if isinstance(leg, UCU) and offset(leg):
            out.append(_chain_friction(case, leg))
            continue
        if isinstance(leg, UCU):
            rate, upper = _upper_part(case, i)
        if isinstance(leg, UCS):
            s = found["direction"][:, i]
            upper = W + s * (case.spin_rate[:, i] - (W * s).sum(axis=1))[:, None]
        lost = lost + f.cylindrical * ((upper - W) ** 2).sum(axis=1)
        out.append(
            lost
            + f.prismatic * rate**2
            + f.spherical * ((upper - case.motion.angular_velocity) ** 2).sum(axis=1)
        )
    return np.stack(out, axis=1)


def _chain_friction(case: Case, leg: UCU) -> Array:
    """Power lost in a UCU leg with offset joints, by the rates of its six hinges and slides."""
    lost, f = [], leg.friction
    loss = [f.universal, f.universal, f.prismatic, f.cylindrical, f.spherical, f.spherical]
    m = case.motion
    for t, R, v, w in zip(m.position, m.rotation, m.velocity, m.angular_velocity, strict=True):
        q = R @ leg.joint
        lost.append(loss @ rates(leg, t + q, R, v + np.cross(w, q), w) ** 2)
    return np.array(lost)


def _upper_part(case: Case, i: int) -> tuple[Array, Array]:
    """Rate of a UCU leg's length and angular velocity of its upper part, which turns about k_p and y_p only."""
    leg, m = case.platform.legs[i], case.motion
    assert isinstance(leg, UCU)
    rate, upper = [], []
    for t, R, v, w in zip(m.position, m.rotation, m.velocity, m.angular_velocity, strict=True):
        q, k = R @ leg.joint, R @ leg.platform_axis
        pd, S = v + np.cross(w, q), t + q - leg.base
        y = np.cross(k, S)
        y /= np.linalg.norm(y)
        # pd = W x S + S/|S| rate with W = w + a k + b y
        A = np.stack([np.cross(k, S), np.cross(y, S), S / np.linalg.norm(S)], axis=1)
        a, b, Ldot = np.linalg.solve(A, pd - np.cross(w, S))
        rate.append(Ldot)
        upper.append(w + a * k + b * y)
    return np.array(rate), np.array(upper)
