"""Random machines with fixed links, states that the links allow, and an outside engine's answer to them.

The states are put onto the links here by Newton steps of their own, from the joints alone.  The engine keeps the slide
of every leg: the links' force is what its actuator gives where it stands still; free motion is found by its own mass
matrix, bias and rows with the links as constraints (a Lagrange system).
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.engines import pack, plain
from gough.model import SPS, UCU, UPS, Limits, Platform
from gough.spatial import Motion, rotation_exp
from oracles.compare import answers, engine_arrays
from oracles.machines import MIXTURE, Case, case, clear
from oracles.pinocchio_model import PinocchioEngine
from oracles.source import motion_numbers, spin_numbers

KINDS = (
    "UPS",
    "SPS-free",
    "SPS-axisymmetric",
    "SPS-general",
    "UCU",
    "UCU-rotor",
    "UCU-mixed",
    "mixed",
    MIXTURE,
)


def fixed_links(machine: Platform) -> list[int]:
    """Legs that are fixed links."""
    return [i for i, leg in enumerate(machine.legs) if getattr(leg, "fixed", None) is not None]


def linked(
    kind: str, *, seed: int, count: int, states: int = 3, springs: bool = False
) -> Case | None:
    """A machine with up to `count` fixed links among its UPS, SPS and UCU legs, and states on them; None: none fits."""
    found = case(kind, seed=seed, states=1, springs=springs)
    rng = np.random.default_rng([seed, count, 5])
    machine, legs = found.platform, list(found.platform.legs)
    able = [
        i
        for i, leg in enumerate(legs)
        if isinstance(leg, (UPS, SPS)) or (isinstance(leg, UCU) and leg.screw is None)
    ]
    if not able:
        return None
    home = machine.home
    assert home is not None
    for i in rng.permutation(able)[:count]:
        span = home.position + home.rotation @ legs[i].joint - legs[i].base
        friction = legs[i].friction.replace(prismatic=0.0)
        legs[i] = legs[i].replace(
            fixed=float(np.linalg.norm(span)), drive=None, friction=friction, limits=Limits()
        )  # type: ignore[call-arg]
    machine = machine.replace(legs=tuple(legs))
    motions = []
    for _ in range(60 * states):
        t = home.position + rng.uniform(-0.12, 0.12, 3)
        R = rotation_exp(rng.uniform(-0.25, 0.25, 3)) @ home.rotation
        pose = onto(machine, t, R)
        if pose is not None and clear(machine, *pose):
            motions.append(
                allowed(
                    machine, *pose, *(rng.uniform(-top, top, 3) for top in (3.0, 6.0, 40.0, 80.0))
                )
            )
            if len(motions) == states:
                break
    else:
        return None
    motion = Motion(*(np.array(parts) for parts in zip(*motions, strict=True)))
    spins = np.array([isinstance(leg, SPS) and not leg.spin_free for leg in legs])
    narrow = 0.4 if springs else 1.0
    angle = np.where(spins, narrow * rng.uniform(-np.pi, np.pi, (states, 6)), 0.0)
    rate = np.where(spins, rng.uniform(-15, 15, (states, 6)), 0.0)
    return Case(machine, motion, rng.uniform(-200, 200, (states, 6)), angle, rate)


def _rows(machine: Platform, t: Array, R: Array) -> tuple[Array, Array]:
    """Rows of the links' rates, and how far their lengths are off."""
    rows, off = [], []
    for i in fixed_links(machine):
        leg, q = machine.legs[i], R @ machine.legs[i].joint
        span = t + q - leg.base
        s = span / np.linalg.norm(span)
        rows.append([*s, *np.cross(q, s)])
        off.append(np.linalg.norm(span) - leg.fixed)  # type: ignore[union-attr]
    return np.array(rows), np.array(off)


def onto(machine: Platform, t: Array, R: Array) -> tuple[Array, Array] | None:
    """A pose on the links near the given one."""
    for _ in range(12):
        G, off = _rows(machine, t, R)
        step = -np.linalg.pinv(G) @ off
        t, R = t + step[:3], rotation_exp(step[3:]) @ R
    U, _, V = np.linalg.svd(R)
    R = U @ V
    return (t, R) if np.abs(_rows(machine, t, R)[1]).max() < 1e-14 else None


def allowed(
    machine: Platform, t: Array, R: Array, v: Array, w: Array, a: Array, al: Array
) -> tuple[Array, ...]:
    """The motion with a twist and an acceleration that the links allow."""
    G, _ = _rows(machine, t, R)
    x = np.concatenate([v, w])
    x = x - np.linalg.pinv(G) @ (G @ x)
    v, w = x[:3], x[3:]
    drift = []
    for i in fixed_links(machine):
        q = R @ machine.legs[i].joint
        span, pd = t + q - machine.legs[i].base, v + np.cross(w, q)
        L = np.linalg.norm(span)
        drift.append((span / L) @ np.cross(w, np.cross(w, q)) + pd @ pd / L)
    y = np.concatenate([a, al])
    y = y - np.linalg.pinv(G) @ (G @ y + np.array(drift))
    return t, R, v, w, y[:3], y[3:]


def outside(given: Case, effort: Array) -> dict[str, Array]:
    """The engine's answers: those of oracles.compare, and what the efforts (n, 6) do, links' entries not read."""
    found = answers(PinocchioEngine(given.platform), given)
    out, held = engine_arrays(given, found), fixed_links(given.platform)
    free = np.setdiff1d(np.arange(6), held)
    moved, forces = [], []
    for i, one in enumerate(found):
        R, a = given.motion.rotation[i], given.motion
        now = np.concatenate([a.acceleration[i], a.angular_acceleration[i]])
        wrench = np.concatenate([R @ given.external[i, :3], R @ given.external[i, 3:]])
        G = one.jacobian[held]
        drift = one.acceleration[held] - G @ now
        A = np.block([[one.mass_matrix, -G.T], [G, np.zeros((len(held), len(held)))]])
        push = one.jacobian[free].T @ effort[i, free] + wrench - one.bias
        x = np.linalg.solve(A, np.concatenate([push, -drift]))
        moved.append(x[:6])
        forces.append(x[6:])
    return {**out, "accelerated": np.array(moved), "link_force": np.array(forces)}


def inside(given: Case, effort: Array) -> dict[str, Array]:
    """The library's answer to the same efforts, by the equations as they stand."""
    machine = given.platform
    functions, par = plain.machine(pack.kinds_of(machine)), pack.pack(machine)
    state = motion_numbers(given)[:, :18]
    x = np.concatenate([state, effort, given.external], axis=1)
    with np.errstate(all="ignore"):
        out, forces = functions.driven(
            list(x.T), list(spin_numbers(given).T), functions.unpack(list(par))
        )
    return {"accelerated": np.stack(out[:6], axis=1), "link_force": np.stack(forces, axis=1)}
