"""The studio where nothing moves, nothing is there and no port is free."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import gough
from gough.studio import messages as m
from gough.studio import motions, server
from gough.studio.workfolder import WorkFolder

MACHINE = gough.load("motion-base-1500")
STILL = (0.0,) * 6


def harmonic(*rows: tuple[float, ...]) -> m.MakeMotion:
    return m.MakeMotion(1, "harmonic", duration=2.0, waypoints=rows)


def test_a_harmonic_motion_moves_something() -> None:
    center, ones = (0.0, 0.0, 1.15, 0.0, 0.0, 0.0), (1.0,) * 6
    with pytest.raises(gough.InputError, match="all six"):
        motions._harmonic(MACHINE, harmonic(center, STILL, ones, STILL))
    with pytest.raises(gough.InputError, match="six each"):
        motions._harmonic(MACHINE, harmonic(center, STILL, ones))
    table = motions._harmonic(
        MACHINE, harmonic(center, (0.0, 0.1, 0.0, 0.0, 0.0, 0.2), ones, STILL)
    )
    assert table["frequency"] == [1.0, 1.0]
    assert table["amplitude"] == [[0.0, 0.1, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.2]]


def test_a_file_that_is_not_there_and_one_that_points_outside(tmp_path: Path) -> None:
    folder = WorkFolder(tmp_path)
    with pytest.raises(gough.InputError, match="no such file"):
        motions.from_file(MACHINE, folder, "nothing.toml")
    (tmp_path.parent / "secret.csv").write_text("t\n0\n")
    outside = '[[parts]]\nkind = "csv"\npath = "../secret.csv"\n[[parts]]\nvalues = [1, [2]]\n'
    (tmp_path / "way.toml").write_text(f'kind = "sequence"\n{outside}')
    with pytest.raises(gough.InputError, match=r"secret|folder"):
        motions.from_file(MACHINE, folder, "way.toml")
    (tmp_path / "broken.toml").write_text("kind = [")
    with pytest.raises(gough.GoughError):
        motions.from_file(MACHINE, folder, "broken.toml")


def test_no_file_outside_by_any_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link beside the definition, a name in a list, a definition that names another, a file of the current folder."""
    table = "t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n1,0,0,1.1,0,0,0\n"
    work, sub = tmp_path / "work", tmp_path / "work" / "sub"
    sub.mkdir(parents=True)
    (tmp_path / "secret.csv").write_text(table)
    (sub / "own.csv").write_text(table)
    (sub / "link.csv").symlink_to(tmp_path / "secret.csv")
    (work / "linked").symlink_to(sub)
    outside = (tmp_path / "secret.csv").as_posix()
    ways = {
        "link": "kind = 'file'\npath = 'link.csv'",
        "list": f"kind = 'sequence'\nparts = ['own.csv', '{outside}']",
        "up": "kind = 'sequence'\nparts = ['../../secret.csv', 'own.csv']",
        "through": "kind = 'file'\npath = '../linked/own.csv'",
        "other": "kind = 'file'\npath = 'link.toml'",
        "here": "kind = 'file'\npath = 'secret.csv'",
        "self": "kind = 'file'\npath = 'self.toml'",
    }
    for name, text in ways.items():
        (sub / f"{name}.toml").write_text(f"[trajectory]\n{text}\n")
    (sub / "good.toml").write_text("[trajectory]\nkind = 'file'\npath = 'own.csv'\n")
    monkeypatch.chdir(tmp_path)
    folder = WorkFolder(work)
    assert motions.from_file(MACHINE, folder, "sub/good.toml").duration == 1.0
    for name in ways:
        with pytest.raises(gough.InputError, match=r"link|folder|in a row"):
            motions.from_file(MACHINE, folder, f"sub/{name}.toml")


def test_a_path_of_the_papers_by_its_name(tmp_path: Path) -> None:
    name = next(iter(gough.trajectory.papers()))
    assert motions.from_file(gough.load("dasgupta-1998"), WorkFolder(tmp_path), name).duration > 0


def test_the_demo_stays_inside_the_limits_whatever_they_are() -> None:
    """Limits that only home keeps: the demonstration shrinks until it has given up."""
    length = gough.inverse_kinematics(MACHINE, MACHINE.home).length
    tight = MACHINE.replace(
        legs=[
            leg.replace(limits=gough.Limits(stroke=(length[i] - 1e-7, length[i] + 1e-7)))
            for i, leg in enumerate(MACHINE.legs)
        ]
    )
    free, held = motions.demo(MACHINE), motions.demo(tight)
    assert max(map(max, held["amplitude"])) < 0.01 * max(map(max, free["amplitude"]))


def test_a_taken_port_gives_the_next_and_none_an_error() -> None:
    first = server.listen("127.0.0.1", 0)
    first.listen()
    port = first.getsockname()[1]
    second = server.listen("127.0.0.1", port)
    assert port < second.getsockname()[1] <= port + 20
    for listener in (first, second):
        listener.close()
    with pytest.raises(gough.InputError, match="cannot be opened"):
        server.listen("192.0.2.1", 0)  # an address that is nobody's


def test_more_than_this_machine_needs_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(gough.InputError, match="token"):
        server.build(WorkFolder(tmp_path), "0.0.0.0", 1)
    served: list[Any] = []
    told: list[str] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: served.extend(sockets))
    server.serve(WorkFolder(tmp_path), "127.0.0.1", 0, ready=told.append)
    server.serve(WorkFolder(tmp_path), "0.0.0.0", 0, ready=told.append)
    server.serve(WorkFolder(tmp_path), "127.0.0.1", 0)
    assert [isinstance(s, socket.socket) for s in served] == [True] * 3
    assert told[0].startswith("http://127.0.0.1:")
    assert "token" not in told[0]
    assert "?token=" in told[1]
    for listener in served:
        listener.close()
