"""Natural modes of machines on elastic drives: twelve degrees of freedom by Pinocchio, whose rotors are bodies."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough.analysis import modes
from gough.checks import Array
from gough.dynamics.rotors import rotor_inertia, without_rotors
from gough.engines.pack import rotors
from gough.spatial import rotation_exp
from oracles.elastic import ElasticClosed
from oracles.machines import Case, case
from oracles.pinocchio_model import PinocchioEngine

K = 3e6  # N/m, or N m/rad for cranks
SEEDS = range(int(os.environ.get("GOUGH_ELASTIC_MODES", "1")))
MORE = ("UPS", "PUS", "RUS", "UCU", "UCU-rotor", "UCU-upper")
KINDS = ("UPS-rotor", "UCU-screw", *(pytest.param(kind, marks=pytest.mark.slow) for kind in MORE))


def outside(machine: gough.Platform, pose: gough.Pose) -> tuple[Array, Array]:
    """Squares of the frequencies (rad/s)^2 with locked (6,) and free motors (12,): slopes of Pinocchio's accelerations
    at rest, fourth-order differences."""
    engine = PinocchioEngine(machine)

    def closed(z: Array) -> ElasticClosed:
        here = gough.Pose(pose.position + z[:3], rotation_exp(z[3:6]) @ pose.rotation)
        none = np.zeros((1, 6))
        rest = gough.Motion.at_rest(gough.Pose(here.position[None], here.rotation[None]))
        return ElasticClosed(engine, Case(machine, rest, none, none, none), 0, np.zeros(6))

    at = closed(np.zeros(12))
    _, bias, J = at.equations()
    hold = np.linalg.solve(J.T, bias[:6])
    start = np.array([at._coordinate(i) for i in range(6)]) + hold / K

    def accelerations(z: Array, locked: bool) -> Array:
        now = closed(z)
        y = K * (start + z[6:] - [now._coordinate(i) for i in range(6)])
        if not locked:
            x, _, drive = now.accelerations(y, hold - y)
            return np.concatenate([x, drive])
        M, b, J = now.equations()
        return np.linalg.solve(M[:6, :6], J.T @ y - b[:6])

    h, out = 1e-3, []
    for locked, size in ((True, 6), (False, 12)):
        steps = np.eye(12)[:size] * np.where(np.arange(12) < 6, h, 1e-2 * h)
        columns = []
        for e in steps:
            a = [accelerations(s * e, locked) for s in (1, -1, 2, -2)]
            columns.append((8 * (a[0] - a[1]) - a[2] + a[3]) / (12 * np.abs(e).max()))
        out.append(np.sort(-np.linalg.eigvals(np.array(columns).T).real))
    return out[0], out[1]


def signed(found: gough.analysis.natural_modes.NaturalModes) -> Array:
    return np.where(found.stable, 1.0, -1.0) * (2 * np.pi * found.frequency) ** 2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_locked_and_free_motors_are_pinocchios(kind: str, seed: int) -> None:
    c = case(kind, seed=70 + seed, states=1)
    machine, pose = c.platform, c.motion.pose[0]
    locked, free = outside(machine, pose)
    held = signed(modes(machine, pose, stiffness=K))
    assert held == pytest.approx(locked, rel=1e-6)
    found = signed(modes(machine, pose, stiffness=K, motors="free"))
    assert found == pytest.approx(free, rel=1e-6, abs=1e-6 * np.abs(free).max())
    assert found[6:] == pytest.approx(free[6:], rel=1e-6)


@pytest.mark.parametrize("kind", ["UPS-rotor", "UCU-rotor", "UCU-screw", "UCU-upper"])
def test_the_rigid_machine_is_the_twelve_with_motors_that_move_with_their_legs(kind: str) -> None:
    """``M = M_0 + J^T J_m J + B J + J^T B^T``"""
    c = case(kind, seed=3)
    machine, pose = c.platform, c.motion.pose
    J, (B, inertia) = gough.jacobian(machine, pose), rotor_inertia(machine, pose)
    assert inertia == pytest.approx(np.tile([rotors(leg)[0] for leg in machine.legs], (2, 1)))
    still = gough.mass_matrix(without_rotors(machine), pose, engine="python")
    half, JT = B @ J, np.swapaxes(J, -1, -2)
    M = still + JT @ (inertia[..., None] * J) + half + np.swapaxes(half, -1, -2)
    full = gough.mass_matrix(machine, pose, engine="python")
    assert np.abs(M - full).max() < 1e-13 * np.abs(full).max()
    assert np.abs(half).max() > 1e-7 * np.abs(full).max()


def test_a_leg_between_balls_gives_way_to_its_motor() -> None:
    """A rotor along an SPS leg spins the leg the other way: ``J = J_m - G^2/I_a``."""
    machine = case("SPS-axial-rotor", seed=5).platform
    _, inertia = rotor_inertia(machine, machine.require_home())
    for leg, J in zip(machine.legs, inertia, strict=True):
        m_r, G = rotors(leg)
        axial = leg.lower.inertia[0, 0] + leg.upper.inertia[0, 0]  # type: ignore[union-attr]
        assert pytest.approx(m_r - G[0] ** 2 / axial, rel=1e-12) == J
        assert m_r > J
