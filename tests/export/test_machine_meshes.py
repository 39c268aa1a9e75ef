"""A machine as triangles: files read back by a parser of their own, corners against the joints of the library."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
import gough.cli.export
from gough.cli.app import app
from gough.export.machine_meshes import BALL, joint_places, machine_parts, save_machine
from gough.struts import struts

assert gough.cli.export  # registers its commands
MACHINES = ("motion-base-1500", "hexaglide", "robot-head-rss", "octahedral-33", "screw-hexapod")


def read_glb(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The scene, corners (n, 3) of the triangles of every part, and places of the empty nodes, turned as it says."""
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, _ = struct.unpack_from("<I4s", data, 12)
    scene = json.loads(data[20 : 20 + size])
    buffer = data[28 + size :]

    def numbers(k: int) -> np.ndarray:
        one = scene["accessors"][k]
        view = scene["bufferViews"][one["bufferView"]]
        part = buffer[view["byteOffset"] :][: view["byteLength"]]
        return np.frombuffer(part, {5126: "<f4", 5125: "<u4"}[one["componentType"]])

    x, y, z, w = scene["nodes"][0]["rotation"]
    R = gough.Pose.from_quaternion([0, 0, 0], [w, x, y, z]).rotation
    parts, places = {}, {}
    for k in scene["nodes"][0]["children"]:
        node = scene["nodes"][k]
        if "mesh" in node:
            one = scene["meshes"][node["mesh"]]["primitives"][0]
            corners = numbers(one["attributes"]["POSITION"]).reshape(-1, 3) @ R.T
            parts[node["name"]] = corners[numbers(one["indices"])]
        else:
            places[node["name"]] = R @ node["translation"]
    return scene, parts, places


def y_up(points: np.ndarray) -> np.ndarray:
    """World axes with z up as glTF has them: x, z, -y."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


@pytest.mark.parametrize("name", MACHINES)
def test_every_part_is_closed_and_outward(name: str) -> None:
    for part in machine_parts(gough.load(name)).values():
        edges = part.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        there, back = (set(map(tuple, pairs.tolist())) for pairs in (edges, edges[:, ::-1]))
        assert there == back
        assert len(there) == len(edges)
        assert part.volume > 0.0


@pytest.mark.parametrize("name", MACHINES)
def test_gltf_has_the_joints_where_the_library_has_them(name: str, tmp_path: Path) -> None:
    platform = gough.load(name)
    home = platform.likely_home
    pose = gough.Pose(home.position + np.array([0.004, -0.003, 0.002]), home.rotation)
    g = struts(platform, pose)
    scene, parts, places = read_glb(save_machine(platform, tmp_path / "m.glb", pose).read_bytes())
    size = np.ptp(np.vstack([platform.base_joints, g.end]), axis=0).max()
    assert len(scene["meshes"]) == len(parts) == len(machine_parts(platform, pose))
    assert len(places) == 12
    for i, leg in enumerate(platform.leg_names):
        ends = y_up(np.stack([g.start[i], g.end[i]]))
        assert np.allclose(places[f"{leg} base joint"], ends[0], atol=1e-12)
        assert np.allclose(places[f"{leg} platform joint"], ends[1], atol=1e-12)
        drawn = np.vstack([ends, y_up(platform.base_joints[i : i + 1])])
        ball = np.array([[-1.0], [1.0]]) * BALL * size
        box = np.stack([parts[leg].min(axis=0), parts[leg].max(axis=0)])
        wanted = np.stack([ends.min(axis=0), ends.max(axis=0)]) + ball
        slack = 1e-6 * size
        if np.allclose(drawn[2], drawn[0], atol=1e-9):
            assert np.allclose(box, wanted, atol=slack)
        else:  # a slider or crank reaches back to the base joint
            assert (box[0] <= wanted[0] + slack).all()
            assert (box[1] >= wanted[1] - slack).all()
    assert joint_places(platform, pose).keys() == places.keys()


def test_stl_has_the_same_triangles_as_gltf(tmp_path: Path) -> None:
    platform = gough.load("motion-base-1500")
    data = save_machine(platform, tmp_path / "m.stl").read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count
    assert not data.startswith(b"solid")
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("nothing", "<u2")])
    corners = np.frombuffer(data[84:], row)["corners"].reshape(-1, 3)
    _, parts, _ = read_glb(save_machine(platform, tmp_path / "m.glb").read_bytes())
    assert sum(map(len, parts.values())) == 3 * count
    both = np.concatenate(list(parts.values()))
    assert np.allclose(y_up(corners).min(axis=0), both.min(axis=0), atol=1e-6)
    assert np.allclose(y_up(corners).max(axis=0), both.max(axis=0), atol=1e-6)


def test_refusals(tmp_path: Path) -> None:
    platform = gough.load("motion-base-1500")
    with pytest.raises(gough.InputError, match=r"\.glb or \.stl"):
        save_machine(platform, tmp_path / "m.obj")
    rods = gough.load("hexaglide")
    far = gough.Pose(rods.likely_home.position + np.array([0.0, 0.0, 50.0]), np.eye(3))
    with pytest.raises(gough.InfeasibleError, match="out of reach"):
        save_machine(rods, tmp_path / "m.glb", far)
    assert not list(tmp_path.iterdir())


def test_command(tmp_path: Path) -> None:
    out = tmp_path / "m.glb"
    place = "0.05 0 1.2 0 0 0.1"
    done = CliRunner().invoke(
        app, ["export", "mesh", "motion-base-1500", "--out", str(out), "--pose", place]
    )
    assert done.exit_code == 0, done.output
    platform = gough.load("motion-base-1500")
    pose = platform.frames.pose([0.05, 0.0, 1.2], [0.0, 0.0, 0.1])
    _, _, places = read_glb(out.read_bytes())
    assert np.allclose(places["L3 platform joint"], y_up(struts(platform, pose).end[2]), atol=1e-12)
