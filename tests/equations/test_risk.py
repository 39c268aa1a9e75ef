"""The risk of a state is what the equations say it is: each leg's own singularities, the digits of its length, and the
condition of the system that was solved, for every verb and every kind of leg."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.engines.pack import packed
from gough.engines.plain import evaluate
from gough.equations import springs
from gough.equations.machine import LEG_WEIGHT
from gough.guard import OVERTURNED
from gough.layout import DRIVEN_STATE, FORCES, LOADED_MOTION, POSE, SPIN, STATE
from gough.model import RUS, SPS
from gough.struts import struts, universal_axes
from oracles.machines import KINDS, Case, case
from oracles.offset_machines import KINDS as OFFSETS
from oracles.offset_machines import offset_case


def leg_risks(platform: gough.Platform, pose: gough.Pose) -> np.ndarray:
    """(6,): 1/sin^2 to the universal axis (or to a reference that is read), 1/lever^2, and (|b|^2 + |p|^2)/L^2."""
    g = struts(platform, pose)
    axes = universal_axes(platform, g.coordinate)
    length = np.linalg.norm(g.end - g.start, axis=-1)
    out = []
    for i, leg in enumerate(platform.legs):
        own = (leg.base @ leg.base + leg.joint @ leg.joint) / length[i] ** 2
        axis = axes[i]
        if isinstance(leg, SPS):
            axis = leg.reference if leg.reads_reference else None
        if axis is not None and np.any(axis):  # balls at both ends have none
            lean = np.cross(axis, g.direction[i])
            own += 1 / (lean @ lean)
        if g.eta[i] != 1.0:
            own += (g.rho[i] / g.eta[i]) ** 2
        if isinstance(leg, RUS):
            arm = np.cross(leg.shaft, leg.arm)
            assert g.rho[i] == pytest.approx(np.linalg.norm(arm))
        out.append(own)
    return np.array(out)


def rows(c: Case, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The state's numbers with its wrench, and the spins of its legs."""
    m = c.motion
    x = np.zeros(LOADED_MOTION.size)
    x[LOADED_MOTION.position], x[LOADED_MOTION.rotation] = m.position[k], m.rotation[k].ravel()
    x[LOADED_MOTION.velocity], x[LOADED_MOTION.angular_velocity] = (
        m.velocity[k],
        m.angular_velocity[k],
    )
    x[LOADED_MOTION.acceleration] = m.acceleration[k]
    x[LOADED_MOTION.angular_acceleration] = m.angular_acceleration[k]
    x[LOADED_MOTION.external] = c.external[k]
    spin = np.zeros((6, SPIN.size))
    spin[:, SPIN.cosine], spin[:, SPIN.sine] = np.cos(c.spin_angle[k]), np.sin(c.spin_angle[k])
    spin[:, SPIN.rate] = c.spin_rate[k]
    return x, spin.ravel()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", [*KINDS, "RSS-free", "RSS-axisymmetric"])
def test_the_risk_of_every_verb(kind: str, seed: int) -> None:
    c = case(kind, seed=seed)
    machine = packed(c.platform)
    for k in range(len(c.motion.position)):
        x, spin = rows(c, k)

        def asked(verb: str, state: np.ndarray, spin: np.ndarray = spin) -> np.ndarray:
            found = evaluate(verb, machine.kinds, state, machine.parameters, spin)
            return np.array(found, dtype=float)

        g = struts(c.platform, c.motion.pose[k])
        H = g.rows / np.linalg.norm(g.rows, axis=1, keepdims=True)
        legs = LEG_WEIGHT * leg_risks(c.platform, c.motion.pose[k]).sum()
        solved = np.linalg.norm(np.linalg.inv(H)) ** 2
        assert asked("forces", x)[FORCES.risk] == pytest.approx(legs + solved, rel=1e-9)
        assert asked("record", x)[-1] == pytest.approx(legs + solved, rel=1e-9)
        mass = asked("mass", x[: POSE.size])
        assert mass[-1] == pytest.approx(legs, rel=1e-9)
        assert asked("energy", x[: STATE.size])[-1] == pytest.approx(legs, rel=1e-9)
        M = np.zeros((6, 6))
        M[np.triu_indices(6)] = mass[:-1]
        M += np.triu(M, 1).T
        state = np.zeros(DRIVEN_STATE.size)
        state[: STATE.size] = x[: STATE.size]
        trace = (np.diag(M) * np.diag(np.linalg.inv(M))).sum()
        assert asked("forward", state)[-1] == pytest.approx(legs + trace**2, rel=1e-6)


def grown(leg: gough.model.Leg, factor: float) -> gough.model.Leg:
    """All its lengths times a factor."""
    lengths = [n for n in ("base", "joint", "length", "arm") if hasattr(leg, n)]
    change = {name: factor * getattr(leg, name) for name in lengths}
    for name in ("base_offset", "platform_offset"):
        offset = getattr(leg, name, None)
        if offset is not None:
            sizes = {part: factor * getattr(offset, part) for part in ("e", "d", "f")}
            change[name] = offset.replace(**sizes)
    return leg.replace(**change)


@pytest.mark.parametrize("factor", [0.05, 20.0])
@pytest.mark.parametrize("kind", OFFSETS)
def test_the_risk_of_offset_legs_is_the_same_in_every_size(kind: str, factor: float) -> None:
    c = offset_case(kind, seed=3)
    legs = [grown(leg, factor) for leg in c.platform.legs]
    small, large = packed(c.platform), packed(c.platform.replace(legs=legs, home=None))
    for k in range(2):
        x, spin = rows(c, k)
        pose = x[: POSE.size].copy()
        here = evaluate("mass", small.kinds, pose, small.parameters, spin)[-1]
        pose[POSE.position] *= factor
        there = evaluate("mass", large.kinds, pose, large.parameters, spin)[-1]
        assert float(there) == pytest.approx(float(here), rel=1e-6)


ANGLES = {"UPS": 3, "PUS": 3, "RUS": 3, "PSU": 3, "UCS": 3, "SPS": 2, "RSS": 2, "UCU": 4}
SPRUNG = ("UPS", "UPS-rotor", "SPS-general", "SPS-rotor", "PUS", "RUS", "mixed", "UCU", "UCU-screw")
SPRUNG += ("PSU", "UCS-general", "UCS-rotor", "RSS-general", *OFFSETS)


@pytest.mark.parametrize("kind", SPRUNG)
def test_every_sprung_angle_adds_its_own_risk_to_every_verb(kind: str) -> None:
    """A hinge or a ball at rest is ``1/(1 - EDGE)`` from its end, two of a universal joint; turned, it is nearer."""
    c = (offset_case if kind in OFFSETS else case)(kind, seed=3, springs=True)
    none = gough.JointSprings()
    bare = c.platform.replace(legs=[leg.replace(springs=none) for leg in c.platform.legs])
    legs = [leg.replace(springs=leg.springs.replace(home=None)) for leg in c.platform.legs]
    held, home = c.platform.replace(legs=legs), c.platform.require_home()
    count = sum(ANGLES[name] for name in held.kinds)
    spin = np.zeros((6, SPIN.size))
    spin[:, SPIN.cosine] = 1.0
    sizes = {"mass": POSE.size, "energy": STATE.size, "forces": LOADED_MOTION.size}
    sizes |= {"record": LOADED_MOTION.size}

    def added(verb: str, pose: gough.Pose) -> float:
        x = np.zeros(sizes[verb])
        x[POSE.position], x[POSE.rotation] = pose.position, pose.rotation.ravel()
        found = []
        for platform in (held, bare):
            machine = packed(platform, None)
            out = evaluate(verb, machine.kinds, x, machine.parameters, spin.ravel())
            found.append(float(np.asarray(out[-1])))
        return (found[0] - found[1]) / LEG_WEIGHT

    turned = c.motion.pose[1]
    for verb in sizes:
        assert added(verb, home) == pytest.approx(count / (1.0 - springs.EDGE), rel=1e-6)
        assert added(verb, turned) == pytest.approx(added("mass", turned), rel=1e-6)
    assert added("mass", turned) > count / (1.0 - springs.EDGE)


def test_springs_end_at_the_angle_that_is_told() -> None:
    """A hundred and fifty degrees: ``EDGE = cos^2(75 degrees)``, as the model's words and the guard's say."""
    assert pytest.approx(np.cos(np.radians(75.0)) ** 2) == springs.EDGE
    assert f"{springs.LARGEST:g} degrees" in str(gough.JointSprings.__doc__)
    assert f"{springs.LARGEST:g} degrees" in OVERTURNED
