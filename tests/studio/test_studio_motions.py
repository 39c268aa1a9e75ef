"""Motions and simulations of one client: work and energy, speed limits, comparisons, what a controller did."""

from __future__ import annotations

import numpy as np
import pytest

from gough.model.json_document import to_document
from gough.spatial import rotation_from_quaternion
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.session import Session
from support.binary_frames import unpack

MOTIONS = {
    "demo": m.MakeMotion(1, "demo", samples=401),
    "line": m.MakeMotion(
        1, "line", ((0, 0, 1.1, 0, 0, 0), (0.1, 0, 1.2, 0.1, 0, 0)), duration=2.0, samples=401
    ),
    "waypoints": m.MakeMotion(
        1,
        "waypoints",
        ((0, 0, 1.1, 0, 0, 0), (0.1, 0, 1.2, 0, 0, 0), (0, 0.1, 1.1, 0, 0.1, 0)),
        samples=401,
    ),
    "harmonic": m.MakeMotion(
        1,
        "harmonic",
        ((0, 0, 1.15, 0, 0, 0), (0.05, 0, 0, 0, 0.05, 0), (0.5, 1, 1, 1, 1, 1), (0,) * 6),
        duration=4.0,
        samples=401,
    ),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_motions_obey_work_and_energy(session: Session, name: str) -> None:
    """Without friction the work of the actuators is the change of energy, along any motion the builder makes."""
    document = to_document(session.platform)
    for leg in document["legs"]:
        leg["friction"], leg["drive"] = {}, None
    session.handle(m.SetMachine(1, document))
    answer = session.handle(MOTIONS[name])
    assert isinstance(answer, m.Timeline), answer
    unpack(wire.encode(answer))
    data, n = answer.data, 401
    t, total = np.array(data["t"]), np.array(data["energy"]["total"])
    power = np.reshape(data["power"], (n, 6)).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(t))])
    assert np.ptp(total) > 1.0
    assert np.abs(work - (total - total[0])).max() < 1e-3 * np.ptp(total)
    k = n // 3
    R = rotation_from_quaternion(np.reshape(data["quaternion"], (n, 4))[k])
    end = np.reshape(data["position"], (n, 3))[k] + session.platform.platform_joints @ R.T
    legs = np.linalg.norm(end - session.platform.base_joints, axis=1)
    assert legs == pytest.approx(np.reshape(data["coordinate"], (n, 6))[k], rel=1e-12)
    assert data["spherical_vector"].shape == (n, 18)


def test_speed_limit_of_waypoints_is_kept_and_reached(session: Session) -> None:
    answer = session.handle(
        m.MakeMotion(
            1,
            "waypoints",
            ((0, 0, 1.1, 0, 0, 0), (0.2, 0, 1.1, 0, 0, 0)),
            max_speed=0.1,
            samples=2001,
        )
    )
    x, t = np.reshape(answer.data["position"], (-1, 3))[:, 0], np.array(answer.data["t"])
    speed = np.abs(np.diff(x) / np.diff(t)).max()
    assert speed == pytest.approx(0.1, rel=1e-3)
    assert t[-1] == pytest.approx(1.875 * 0.2 / 0.1)


def test_formulations_can_be_compared(session: Session) -> None:
    answer = session.handle(
        m.MakeMotion(1, "demo", samples=21, formulations=("exact", "kane", "kane/published"))
    )
    force = {k: np.array(v) for k, v in answer.data["force"].items()}
    assert np.abs(force["kane"] - force["exact"]).max() < 1e-8
    assert np.abs(force["kane/published"] - force["exact"]).max() > 1.0
    bad = session.handle(m.MakeMotion(1, "demo", samples=21, formulations=("exact", "guess")))
    assert isinstance(bad, m.Failure)
    assert "guess" in bad.text


def test_a_simulation_follows_its_trajectory(session: Session) -> None:
    seen: list[float] = []
    motion = m.MakeMotion(1, "line", ((0, 0, 1.15, 0, 0, 0), (0.05, 0, 1.2, 0, 0, 0)), duration=0.5)
    answer = session.handle(
        m.Simulate(1, motion, step=2e-3), lambda share, text: seen.append(share)
    )
    assert isinstance(answer, m.Timeline), answer
    assert answer.kind == "simulation"
    assert max(answer.data["error"]["position"]) < 5e-3
    assert seen
    for bad in (
        m.Simulate(3, motion, controller="magic"),
        m.Simulate(3, motion, step=0.0),
        m.Simulate(3, motion, bandwidth=-1.0),
        m.Simulate(3, motion, integrator="guess"),
    ):
        assert isinstance(session.handle(bad), m.Failure)
