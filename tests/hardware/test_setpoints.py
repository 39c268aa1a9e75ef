"""Set-point packets: lost, late, twice, out of order, torn, hostile; the watchdog; limits of the reference."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import numpy as np
import pytest

import gough
from gough.control import Decentralized
from gough.hardware import MoveLimits, PoseFollower, SetpointReceiver, SetpointServer
from gough.hardware.setpoints import (
    PHASES,
    SETPOINT,
    STATE,
    TURN,
    newer,
    pack_legs,
    pack_pose,
    unpack,
    unpack_state,
)
from gough.hardware.streaming import MOST
from gough.spatial import rotation_exp, rotation_log

LIMITS = MoveLimits(0.2, 2.0, 50.0, 0.2, 2.0, 50.0)


@pytest.fixture(scope="module")
def base() -> gough.Platform:
    return gough.load("motion-base-1500")


@pytest.fixture
def server(base: gough.Platform) -> Iterator[SetpointServer]:
    law = Decentralized.from_bandwidth(base, bandwidth=30.0)
    simulator = gough.Simulator(base, controller=law)
    with SetpointServer(simulator, limits=LIMITS, timeout=0.02, hold=0.03) as made:
        yield made


def near(base: gough.Platform, *by: float, turn: float = 0.0) -> gough.Pose:
    home = base.require_home()
    return gough.Pose(
        home.position + (by or 0.0), rotation_exp(np.array([0.0, 0.0, turn])) @ home.rotation
    )


def test_packets_say_what_they_were_given(base: gough.Platform) -> None:
    pose = near(base, 0.01, 0.02, -0.03, turn=0.1)
    data = pack_pose(7, 1.25, pose)
    assert len(data) == SETPOINT.size == 80
    assert STATE.size == 232
    found = unpack(data)
    assert not isinstance(found, str)
    assert found[:3] == (1, 7, 1.25)
    receiver = SetpointReceiver(base)
    assert receiver.receive(data, 0.5)
    assert receiver.target is not None
    np.testing.assert_allclose(receiver.target.position, pose.position, atol=1e-15)
    np.testing.assert_allclose(receiver.target.rotation, pose.rotation, atol=1e-15)
    assert (receiver.sequence, receiver.sender_time, receiver.age(0.75)) == (7, 1.25, 0.25)


def test_coordinates_are_the_pose_that_has_them(base: gough.Platform) -> None:
    pose = near(base, 0.02, 0.0, 0.03, turn=0.05)
    receiver = SetpointReceiver(base)
    legs = gough.inverse_kinematics(base, pose).length
    assert receiver.receive(pack_legs(1, 0.0, legs), 0.0)
    assert receiver.target is not None
    np.testing.assert_allclose(receiver.target.position, pose.position, atol=1e-9)
    assert not receiver.receive(pack_legs(2, 0.0, legs * [9, 1, 1, 1, 1, 1]), 0.0)
    assert receiver.refused == 1
    with pytest.raises(gough.InputError, match="six"):
        pack_legs(1, 0.0, [1.0])


def test_what_is_old_is_left_out(base: gough.Platform) -> None:
    """Lost ones are nothing; late ones and second ones are; numbers go round."""
    receiver = SetpointReceiver(base)
    poses = {n: pack_pose(n, float(n), near(base, 0.0, 0.0, 1e-4 * (n % 100))) for n in range(9)}
    taken = [receiver.receive(poses[n], 0.0) for n in (1, 3, 2, 3, 6, 5, 8)]
    assert taken == [True, True, False, False, True, False, True]
    assert (receiver.accepted, receiver.old) == (4, 3)
    assert receiver.target is not None
    assert receiver.target.position[2] == base.require_home().position[2] + 8e-4
    assert newer(3, TURN - 2)
    assert not newer(TURN - 2, 3)
    assert not newer(5, 5)


HOSTILE = {
    "empty": b"",
    "short": b"GSP1",
    "long": pack_pose(9, 0.0, gough.Pose([0.0, 0.0, 1.0])) + b"\0",
    "other": b"HTTP" + bytes(76),
    "zeros": bytes(80),
    "kind": SETPOINT.pack(b"GSP1", 9, 9, 0.0, 0, 0, 1, 1, 0, 0, 0),
    "nan": SETPOINT.pack(b"GSP1", 1, 9, 0.0, np.nan, 0, 1, 1, 0, 0, 0),
    "infinite": SETPOINT.pack(b"GSP1", 2, 9, 0.0, np.inf, 1, 1, 1, 1, 1, 0),
    "time": SETPOINT.pack(b"GSP1", 1, 9, np.nan, 0, 0, 1, 1, 0, 0, 0),
    "huge": SETPOINT.pack(b"GSP1", 1, 9, 0.0, 1e300, 0, 1, 1, 0, 0, 0),
    "no rotation": SETPOINT.pack(b"GSP1", 1, 9, 0.0, 0, 0, 1, 2, 0, 0, 0),
    "text": b"move to the moon, please".ljust(80),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_packets_are_counted_and_nothing_else(base: gough.Platform, data: bytes) -> None:
    receiver = SetpointReceiver(base)
    assert receiver.receive(pack_pose(1, 0.0, near(base)), 0.0)
    before = receiver.target, receiver.sequence, receiver.received
    assert not receiver.receive(data, 1.0)
    assert receiver.malformed == 1
    assert receiver.reason.startswith("malformed: ")
    assert (receiver.target, receiver.sequence, receiver.received) == before


def test_random_bytes_never_pass_as_a_place_outside(base: gough.Platform) -> None:
    rng, receiver = np.random.default_rng(5), SetpointReceiver(base)
    for _ in range(300):
        data = bytearray(pack_pose(1, 0.0, near(base)))
        for at in rng.integers(0, 80, rng.integers(1, 6)):
            data[at] = rng.integers(256)
        if receiver.receive(bytes(data[: rng.integers(60, 81)]), 0.0):
            assert receiver.target is not None
            assert gough.reach(base, receiver.target).within
        receiver.forget()


def test_places_outside_the_limits_are_refused(base: gough.Platform) -> None:
    receiver = SetpointReceiver(base)
    assert not receiver.receive(pack_pose(1, 0.0, near(base, 0.0, 0.0, 5.0)), 0.0)
    assert receiver.refused == 1
    assert "refused: " in receiver.reason
    assert receiver.target is None
    assert receiver.receive(pack_pose(1, 0.0, near(base)), 0.0)


def test_one_sender_is_followed(base: gough.Platform) -> None:
    receiver = SetpointReceiver(base)
    assert receiver.receive(pack_pose(1, 0.0, near(base)), 0.0, "a")
    assert not receiver.receive(pack_pose(2, 0.0, near(base)), 0.0, "b")
    assert receiver.foreign == 1
    receiver.forget()
    assert receiver.receive(pack_pose(2, 0.0, near(base)), 0.0, "b")


def test_the_reference_keeps_its_limits_and_arrives(base: gough.Platform) -> None:
    rng, h = np.random.default_rng(1), 5e-3
    follower = PoseFollower(base, base.require_home(), LIMITS)
    target = near(base)
    for k in range(600):
        if k % 80 == 0 and k < 400:
            target = near(base, *rng.uniform(-0.05, 0.05, 3), turn=rng.uniform(-0.05, 0.05))
        before = follower.velocity, follower.turning, follower.pose
        motion = follower.advance(target, h)
        assert np.linalg.norm(motion.velocity) <= LIMITS.speed * (1 + 1e-12)
        assert np.linalg.norm(motion.angular_velocity) <= LIMITS.rate * (1 + 1e-12)
        assert np.linalg.norm(motion.velocity - before[0]) <= LIMITS.acceleration * h * (1 + 1e-9)
        changed = np.linalg.norm(motion.angular_velocity - before[1])
        assert changed <= LIMITS.angular_acceleration * h * (1 + 1e-9)
        moved = motion.position - before[2].position
        np.testing.assert_allclose(moved, h * motion.velocity, atol=1e-15)
    np.testing.assert_allclose(follower.pose.position, target.position, atol=1e-9)
    assert np.linalg.norm(rotation_log(follower.pose.rotation.T @ target.rotation)) < 1e-9


def test_it_brakes_before_it_leaves_the_limits(base: gough.Platform) -> None:
    """A target beyond the strokes, which no receiver would have taken: the reference never gets there."""
    follower = PoseFollower(base, base.require_home(), LIMITS)
    far = near(base, 0.0, 0.0, 2.0)
    blocked = 0
    for _ in range(600):
        follower.advance(far, 1e-2)
        blocked += bool(follower.blocked)
    assert blocked
    assert gough.reach(base, follower.pose).within
    assert follower.pose.position[2] > base.require_home().position[2] + 0.05


def test_the_watchdog_holds_then_stops(base: gough.Platform, server: SetpointServer) -> None:
    """Set-points end in full motion: the phases come in their order, the last one at rest, within the limits."""
    for k in range(100):
        server.take(pack_pose(k, k * 1e-3, near(base, 0.0, 0.0, 0.0)), "me")
        server.tick()
    server.take(pack_pose(100, 0.1, near(base, 0.0, 0.0, 0.1)), "me")
    phases, speeds = [], [0.0]
    for _ in range(250):
        phases.append(server.tick())
        speeds.append(float(np.linalg.norm(server.follower.velocity)))
    order = [p for p, before in zip(phases, ["", *phases[:-1]], strict=True) if p != before]
    assert order == ["following", "holding", "stopping", "stopped"]
    assert phases.count("following") in (20, 21)
    assert phases.count("holding") in (29, 30, 31)
    assert phases.count("stopping") > 10
    assert speeds[-1] == 0.0
    assert np.abs(np.diff(speeds)).max() <= LIMITS.acceleration * 1e-3 * (1 + 1e-9)
    rest = server.follower.pose.position
    assert not server.take(pack_pose(101, 0.2, near(base, 0.02, 0.0, 0.0)), "me")
    server.tick()
    assert np.array_equal(server.follower.pose.position, rest)
    server.rearm()
    assert server.take(pack_pose(0, 0.0, near(base, 0.02, 0.0, 0.0)), "another")
    assert server.tick() == "following"
    with pytest.raises(gough.InputError, match="stopped"):
        server.rearm()


def test_over_the_socket_and_back(base: gough.Platform, server: SetpointServer) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(5.0)
        sender.connect((server.host, server.port))
        assert server.host == "127.0.0.1"
        assert server.tick() == "waiting"
        sender.send(b"hello")
        sender.send(pack_pose(5, 2.0, near(base, 0.0, 0.0, 0.01)))
        while not server.receiver.accepted:
            server.tick()
        assert server.receiver.malformed == 1
        found = unpack_state(sender.recv(1000))
        assert not isinstance(found, str)
        assert found.phase == "following"
        assert (found.sequence, found.time) == (5, server.simulator.time)
        seen = server.simulator.observe()
        np.testing.assert_allclose(found.pose.position, seen.position, atol=1e-15)
        assert np.array_equal(found.length, seen.length)
        assert np.array_equal(found.rate, seen.rate)


def test_a_flood_is_taken_in_bounded_portions(base: gough.Platform, server: SetpointServer) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for k in range(5 * MOST):
            sender.sendto(bytes(60_000 if k % 7 == 0 else 80), (server.host, server.port))
        assert 0 < server.poll() <= MOST
        counted = server.receiver.malformed
        assert 0 < counted <= MOST
        assert server.tick() == "waiting"
        assert len(vars(server.receiver)) == 12  # nothing is kept of them


def test_it_runs_at_its_pace_and_faster(base: gough.Platform, server: SetpointServer) -> None:
    """Time is a list here: each sleep is what the clock moves by."""
    now, slept = [10.0], list[float]()

    def sleep(x: float) -> None:
        slept.append(x)
        now[0] += x

    assert server.run(0.05, clock=lambda: now[0], sleep=sleep) == "waiting"
    assert server.simulator.time == pytest.approx(0.05)
    assert sum(slept) == pytest.approx(0.049)
    slept.clear()
    server.run(0.05, pace=None, clock=lambda: now[0], sleep=sleep)
    assert slept == []


def test_it_follows_within_the_machine(base: gough.Platform, server: SetpointServer) -> None:
    target = near(base, 0.0, 0.0, 0.02)
    for k in range(600):
        server.take(pack_pose(k, k * 1e-3, target), "me")
        server.tick()
    np.testing.assert_allclose(server.simulator.observe().position, target.position, atol=2e-3)
    assert server.simulator.outcome.ok


def test_wrong_arguments_are_refused(base: gough.Platform, server: SetpointServer) -> None:
    plain = gough.Simulator(base)
    for simulator, more in (
        (plain, {}),
        ("machine", {}),
        (server.simulator, {"timeout": 0.0}),
        (server.simulator, {"hold": -1.0}),
        (server.simulator, {"port": 70000}),
    ):
        with pytest.raises(gough.InputError):
            SetpointServer(simulator, **more)  # type: ignore[arg-type]
    assert isinstance(unpack_state(b"x"), str)
    assert isinstance(unpack_state(bytes(STATE.size)), str)
    bad = struct.pack("<4sB3xI4xd26d", b"GSS1", len(PHASES), 0, 0.0, *[0.0] * 26)
    assert isinstance(unpack_state(bad), str)
