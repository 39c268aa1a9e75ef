"""The controller over TCP: several clients, bounded lines and buffers, hostile input, nothing left behind."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.controller
from gough.cli.app import app
from gough.hardware import ControllerClient, ControllerError, ControllerServer, HexapodController
from gough.hardware.lines import LONGEST


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def server(clock: list[float]) -> Iterator[ControllerServer]:
    machine = HexapodController(gough.load("positioner-300"), clock=lambda: clock[0])
    with ControllerServer(machine, clients=3) as made:
        yield made
    assert not [t for t in threading.enumerate() if t.name == "gough-controller"]


def raw(server: ControllerServer) -> socket.socket:
    return socket.create_connection((server.host, server.port), 10.0)


def test_a_client_moves_the_machine(server: ControllerServer, clock: list[float]) -> None:
    assert server.host == "127.0.0.1"
    with ControllerClient(server.port) as client:
        at = np.array(client.position())
        assert len(client.legs()) == 6
        assert client.can(at + np.array([0, 0, 1e-3, 0, 0, 0])).reachable is True
        refused = client.can([0, 0, 0.3, 0, 0, 0])
        assert refused.reachable is False
        assert "maximum" in refused.reason
        with pytest.raises(ControllerError, match="maximum") as error:
            client.move([0, 0, 0.3, 0, 0, 0])
        assert (error.value.code, error.value.word) == (6, "UNREACHABLE")
        move = client.move(at + np.array([0, 0, 2e-3, 0, 0, 0]), speed=5e-3)
        assert move.number == 1
        assert client.status().state == "MOVING"

        def sleep(seconds: float) -> None:
            clock[0] += seconds

        client.wait(0.1, sleep)
        np.testing.assert_allclose(
            client.position(), at + np.array([0, 0, 2e-3, 0, 0, 0]), atol=1e-9
        )
        client.move_by([0, 0, -1e-3, 0, 0, 0])
        clock[0] += 0.01
        assert client.stop().startswith("STOPPING")
        client.wait(0.1, sleep)
        assert client.home().number == 3
        with pytest.raises(ControllerError, match="one line"):
            client.ask("POS\nPOS")


def test_several_clients_one_owner(server: ControllerServer, clock: list[float]) -> None:
    with ControllerClient(server.port) as one, ControllerClient(server.port) as two:
        one.move_by([0, 0, 1e-3, 0, 0, 0])
        with pytest.raises(ControllerError, match="another client"):
            two.move_by([0, 0, 1e-3, 0, 0, 0])
        assert two.position()
        assert two.status().owner == "OWNED"
        clock[0] += 100.0
        one.close()
        while two.status().owner != "FREE":
            pass
        assert two.move_by([0, 0, -1e-3, 0, 0, 0]).number == 2


def test_one_client_too_many_is_told(server: ControllerServer) -> None:
    some = [ControllerClient(server.port) for _ in range(3)]
    assert all(client.ask("VERSION") for client in some)
    with raw(server) as more:
        assert more.makefile("rb").readline().startswith(b"ERR 9 FULL")
    for client in some:
        client.close()


def test_lines_that_never_end_are_answered_once(server: ControllerServer) -> None:
    with raw(server) as rude:
        answers = rude.makefile("rb")
        rude.sendall(b"A" * (20 * LONGEST))
        rude.sendall(b"\nPOS\r\n")
        assert answers.readline().startswith(b"ERR 3 TOO-LONG")
        assert answers.readline().startswith(b"OK ")
        rude.sendall(b"B" * (LONGEST + 1) + b"\nVERSION\n")
        assert answers.readline().startswith(b"ERR 3 TOO-LONG")
        assert answers.readline().startswith(b"OK gough")


def test_bytes_of_any_kind_are_answered(server: ControllerServer) -> None:
    rng = np.random.default_rng(3)
    with raw(server) as rude:
        answers, sent = rude.makefile("rb"), 0
        for _ in range(40):
            junk = rng.bytes(int(rng.integers(1, 60))).replace(b"\n", b"?").replace(b"q", b"?")
            rude.sendall(junk + b"\n")
            sent += 1
        lines = [answers.readline() for _ in range(sent)]
        assert all(line.startswith((b"ERR 1 ", b"ERR 2 ")) for line in lines)
        rude.sendall(b"quit\n")
        assert answers.readline() == b"OK bye\n"
        assert answers.readline() == b""


def test_a_client_that_does_not_read_is_not_read(server: ControllerServer) -> None:
    """Its answers wait in bounded buffers; the others are served."""
    with raw(server) as rude, ControllerClient(server.port) as other:
        rude.setblocking(False)
        sent = 0
        try:
            for _ in range(4000):
                sent += rude.send(b"HELP\n" * 400)
        except BlockingIOError:
            pass
        assert sent > 0
        assert other.ask("VERSION")
        assert all(len(c.outside) < 600_000 for c in server._clients.values())


def test_a_fault_inside_is_told_and_ends_nothing(
    server: ControllerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any) -> str:
        raise ZeroDivisionError("planted")

    with ControllerClient(server.port) as client:
        with monkeypatch.context() as changed:
            changed.setattr(server.controller, "answer", broken)
            with pytest.raises(ControllerError, match="planted") as error:
                client.ask("POS")
            assert error.value.word == "INTERNAL"
        assert client.ask("POS")


def test_a_client_that_is_gone_mid_line_leaves_nothing(server: ControllerServer) -> None:
    rude = raw(server)
    rude.sendall(b"MOVE 0 0")
    rude.close()
    with ControllerClient(server.port) as client:
        while len(server._clients) > 1:
            client.ask("VERSION")
        assert client.status().owner == "FREE"


def test_close_ends_everything_and_can_be_said_twice() -> None:
    machine = HexapodController(gough.load("positioner-300"))
    server = ControllerServer(machine)
    client = ControllerClient(server.port)
    client.ask("VERSION")
    server.close()
    server.close()
    assert not [t for t in threading.enumerate() if t.name == "gough-controller"]
    with pytest.raises(ControllerError) as error:
        client.ask("POS")
    assert error.value.code == 0
    client.close()
    for bad in ({"port": 99999}, {"port": "x"}):
        with pytest.raises(gough.InputError):
            ControllerServer(machine, **bad)  # type: ignore[arg-type]
    with pytest.raises(gough.InputError):
        ControllerServer("machine")  # type: ignore[arg-type]


def test_the_command_serves_until_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gough.cli.controller
    seen: list[Any] = []

    def waited(server: ControllerServer) -> None:
        with ControllerClient(server.port) as client:
            seen.append(client.ask("LIMIT"))
        raise KeyboardInterrupt

    monkeypatch.setattr(ControllerServer, "wait", waited)
    given = ["controller", "positioner-300", "--port", "0", "--speed", "0.004", "--json"]
    found = CliRunner().invoke(app, given, catch_exceptions=False)
    assert found.exit_code == 0
    facts = json.loads(found.stdout)
    assert facts["host"] == "127.0.0.1"
    assert facts["port"] > 0
    assert seen[0].startswith("SPEED 0.004 ")
    plain = CliRunner().invoke(app, given[:-1], catch_exceptions=False)
    assert plain.stdout.startswith("controller of positioner-300: 127.0.0.1 port ")
    with pytest.raises(gough.InputError, match="port"):
        CliRunner().invoke(app, [*given[:3], "70000"], catch_exceptions=False)
    assert not [t for t in threading.enumerate() if t.name == "gough-controller"]
