"""How a shaking base shakes the platform: against Pinocchio on a base that moves, and against runs of the machine."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from gough.analysis import modes, transmissibility
from gough.analysis.base_excitation import Transmissibility
from gough.checks import Array, InputError
from gough.spatial import Motion, Pose, rotation_exp
from oracles.machines import case
from oracles.pinocchio_base import PinocchioOnBase
from oracles.pinocchio_model import PinocchioEngine
from oracles.projection import Closed

LEG, LOSS = 3e6, 900.0  # N/m, N s/m
NONE = np.zeros(6)
FREQUENCY = np.array([0.0, 1.0, 11.0, 47.0, 230.0])


def differences(f: object, h: float) -> Array:
    """(rows, 6) fourth-order slopes of f over six numbers."""
    columns = [
        (8 * (f(h * e) - f(-h * e)) - f(2 * h * e) + f(-2 * h * e)) / (12 * h)  # type: ignore[operator]
        for e in np.eye(6)
    ]
    return np.stack(columns, axis=1)


def assembled(M: Array, C: Array, K: Array, carried: Array, push: Array, tilt: Array) -> Array:
    """T of ``M zdd + C zd + K z = push (a ; al) + tilt delta``, ``delta = -al/w^2``."""
    out = []
    for w in 2 * np.pi * FREQUENCY:
        forced = -(w**2) * push
        forced[:, 3:] += tilt
        out.append(carried + np.linalg.solve(-(w**2) * M + 1j * w * C + K, forced))
    return np.array(out)


@pytest.mark.parametrize(
    "kind", ["UCU-screw", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("UPS", "RUS"))]
)
def test_random_machines_are_pinocchios(kind: str) -> None:
    """All six axes: mass, damping, stiffness, inertia against the base's acceleration and weight against its tilt."""
    c = case(kind, seed=52, states=1, drive=False)
    machine, pose = c.platform, c.motion.pose[0]
    engine, still = PinocchioOnBase(machine), np.zeros(3)

    def bias(z: Array, zd: Array, base: Motion) -> Array:
        here = rotation_exp(z[3:]) @ pose.rotation
        motion = Motion(pose.position + z[:3], here, zd[:3], zd[3:], still, still)
        return engine.answer(motion, base, NONE, NONE, NONE).bias

    def shaken(a: Array = NONE, turn: Array = still) -> Motion:
        return Motion(still, rotation_exp(turn), still, still, a[:3], a[3:])

    at = engine.answer(Motion.at_rest(pose), shaken(), NONE, NONE, NONE)
    legs = gough.inverse_kinematics(machine, pose, engine="python").length
    J = gough.jacobian(machine, pose)
    hold = np.linalg.solve(J.T, at.bias)

    def force(z: Array, zd: Array) -> Array:
        here = Pose(pose.position + z[:3], rotation_exp(z[3:]) @ pose.rotation)
        now = gough.jacobian(machine, here)
        length = gough.inverse_kinematics(machine, here, engine="python").length
        y = hold - LEG * (length - legs) - LOSS * (now @ zd)
        return bias(z, zd, shaken()) - now.T @ y

    K = differences(lambda z: force(z, NONE), 3e-4)
    C = differences(lambda v: force(NONE, v), 1e-2)
    push = -differences(lambda a: bias(NONE, NONE, shaken(a)), 1.0)
    tilt = -differences(lambda d: bias(NONE, NONE, shaken(turn=d[3:])), 1e-3)[:, 3:]
    t = pose.position
    carried = np.eye(6)
    carried[:3, 3:] = [[0, t[2], -t[1]], [-t[2], 0, t[0]], [t[1], -t[0], 0]]
    wanted = assembled(at.mass_matrix, C, K, carried, push, tilt)
    given = {"stiffness": LEG, "damping": LOSS, "motors": "rigid"}  # screws turn in their legs
    found = transmissibility(machine, pose, FREQUENCY, **given)
    scale = np.abs(wanted).max(axis=(1, 2), keepdims=True)
    assert (np.abs(found.response - wanted) / scale).max() < 1e-7
    assert np.abs(tilt).max() > 10.0
    assert found.gain.shape == (5, 6)


@pytest.fixture(scope="module")
def table() -> gough.Platform:
    return gough.load("flexure-hexapod")


def test_the_flexure_hexapod_is_pinocchios(table: gough.Platform) -> None:
    """Springs in all joints, their losses: shaken along the three axes, which gravity does as well."""
    home = table.require_home()

    @cache
    def engine(*gravity: float) -> tuple[gough.Platform, PinocchioEngine]:
        machine = table.replace(gravity=gravity)
        return machine, PinocchioEngine(machine)

    def answer(z: Array, zd: Array, gravity: Array) -> tuple[Array, Array, Array, Array]:
        machine, own = engine(*gravity)
        here = rotation_exp(z[3:]) @ home.rotation
        still = np.zeros(3)
        motion = Motion(home.position + z[:3], here, zd[:3], zd[3:], still, still)
        a = Closed(own, machine, motion, NONE, NONE, NONE).answer()
        return a.bias, a.jacobian, a.coordinate, a.mass_matrix

    g = np.asarray(table.gravity)
    bias, J, rest, M = answer(NONE, NONE, g)
    hold = np.linalg.solve(J.T, bias)

    def force(z: Array, zd: Array) -> Array:
        b, J, coordinate, _ = answer(z, zd, g)
        return b - J.T @ (hold - LEG * (coordinate - rest) - LOSS * (J @ zd))

    K = differences(lambda z: force(z, NONE), 3e-4)
    C = differences(lambda v: force(NONE, v), 1e-2)
    push = differences(lambda a: answer(NONE, NONE, g + a[:3])[0], 1.0)
    wanted = assembled(M, C, K, np.eye(6), push, np.zeros((6, 3)))[:, :, :3]
    found = transmissibility(table, home, FREQUENCY, stiffness=LEG, damping=LOSS).response[..., :3]
    assert np.abs(found - wanted).max() < 1e-7 * np.abs(wanted).max()
    assert np.abs(found[0] - np.eye(6)[:, :3]).max() < 1e-12  # carried along


def shaken_run(table: gough.Platform, found: Transmissibility, size: float, loss: float) -> float:
    """Largest deviation of runs from the predicted sine, over its amplitude, of the base shaken about all six axes.

    Each run starts on the sine; a period of RK4, the machine's own equations on a base that moves.
    """
    home, f = table.require_home(), float(found.frequency[0])
    w, t0 = 2 * np.pi * f, home.position
    carried = np.eye(6)
    carried[:3, 3:] = [[0, t0[2], -t0[1]], [-t0[2], 0, t0[0]], [t0[1], -t0[0], 0]]
    # relative displacement of the platform per acceleration of the base, a run a row
    z = ((found.response[0] - carried) / -(w**2)).T * size
    rest = gough.inverse_kinematics(table, home, engine="python").length
    hold = gough.inverse_dynamics(table, home, engine="python").force
    eye = np.eye(6)

    def base(t: float) -> Motion:
        a = size * eye * np.cos(w * t)
        x, v = -a / w**2, size * eye / w * np.sin(w * t)
        turned = rotation_exp(x[:, 3:])
        return Motion(x[:, :3], turned, v[:, :3], v[:, 3:], a[:, :3], a[:, 3:])

    def rates(t: float, y: Array) -> Array:
        turned = rotation_exp(y[:, 3:6]) @ home.rotation
        motion = Motion(t0 + y[:, :3], turned, y[:, 6:9], y[:, 9:12])
        legs = gough.inverse_kinematics(table, motion, engine="python")
        push = hold - LEG * (legs.length - rest) - loss * legs.rate
        a = gough.forward_dynamics(table, motion, push, base=base(t), engine="python")
        return np.concatenate([y[:, 6:], a.acceleration, a.angular_acceleration], axis=1)

    y = np.concatenate([z.real, (1j * w * z).real], axis=1)
    steps, away, h = 160, 0.0, 1.0 / f / 160
    for i in range(steps):
        t = i * h
        k1 = rates(t, y)
        k2 = rates(t + h / 2, y + h / 2 * k1)
        k3 = rates(t + h / 2, y + h / 2 * k2)
        k4 = rates(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        wanted = (z * np.exp(1j * w * (t + h))).real
        away = max(away, float((np.abs(y[:, :6] - wanted).max(1) / np.abs(z).max(1)).max()))
    return away


@pytest.mark.slow
def test_runs_on_a_shaking_base_follow_the_response(table: gough.Platform) -> None:
    """The machine's nonlinear equations, 1e-6 of the amplitude; a response without tilt or losses is seen."""
    home, loss = table.require_home(), 2e3
    f = [0.7 * modes(table, home, stiffness=LEG).frequency[0]]
    found = transmissibility(table, home, f, stiffness=LEG, damping=loss)
    assert shaken_run(table, found, 1e-3, loss) < 1e-6
    wrong = transmissibility(table, home, f, stiffness=LEG, damping=0.9 * loss)
    assert shaken_run(table, wrong, 1e-3, loss) > 1e-4


def test_locked_motors_and_drives_losses_are_the_default() -> None:
    machine = gough.load("motion-base-1500")
    home = machine.require_home()
    legs = [
        leg.replace(drive=leg.drive.replace(stiffness=4e6, damping=3e3))  # type: ignore[union-attr]
        for leg in machine.legs
    ]
    own = machine.replace(legs=legs)
    told = transmissibility(own, home, [3.0, 30.0])
    given = transmissibility(own, home, [3.0, 30.0], stiffness=4e6, damping=3e3)
    assert np.array_equal(told.response, given.response)
    rigid = transmissibility(own, home, [3.0, 30.0], motors="rigid")
    assert np.abs(rigid.response - told.response).max() > 0.1
    batch = Pose(np.stack([home.position, home.position + np.array([0, 0, 0.01])]), np.eye(3))
    many = transmissibility(own, batch, [3.0, 30.0]).response
    assert many.shape == (2, 2, 6, 6)
    assert np.abs(many[0] - told.response).max() < 1e-12 * np.abs(many[0]).max()
    with pytest.raises(InputError, match="not every leg has a drive with a stiffness"):
        transmissibility(machine, home, [1.0])
    for wrong in ([-1.0], [[1.0]]):
        with pytest.raises(InputError, match="frequency"):
            transmissibility(own, home, wrong)
