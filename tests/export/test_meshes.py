"""Surfaces of cells and their files: closed, outward, with the volume of the cells; read back byte by byte."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.analysis.cell_surface import Mesh, cell_surface
from gough.export.meshes import STL_TRIANGLE, glb_bytes, save_mesh, stl_bytes

BOX = np.array([[-1.0, 0.5, 2.0], [1.0, 1.5, 6.0]])


def blob(seed: int = 0) -> np.ndarray:
    """Cells at random, some of them touching only along edges and at corners."""
    return np.random.default_rng(seed).random((5, 4, 6)) < 0.4


def edges(mesh: Mesh) -> Counter[tuple[int, int]]:
    """How often each directed edge is walked along."""
    pairs = np.concatenate([mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    return Counter((int(a), int(b)) for a, b in pairs)


@pytest.mark.parametrize("seed", range(4))
def test_the_surface_is_closed_and_has_the_volume_of_its_cells(seed: int) -> None:
    cells = blob(seed)
    mesh = cell_surface(cells, BOX)
    size = (BOX[1] - BOX[0]) / cells.shape
    assert mesh.volume == pytest.approx(cells.sum() * size.prod(), rel=1e-12)
    walked = edges(mesh)
    assert all(walked[b, a] == count for (a, b), count in walked.items())
    assert (mesh.vertices >= BOX[0] - 1e-12).all()
    assert (mesh.vertices <= BOX[1] + 1e-12).all()


def test_one_cell_is_a_box() -> None:
    mesh = cell_surface(np.ones((1, 1, 1), dtype=bool), BOX)
    assert (len(mesh.vertices), len(mesh.triangles)) == (8, 12)
    assert mesh.volume == pytest.approx(8.0)
    middle = BOX.mean(axis=0)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    assert (((a + b + c) / 3 - middle) * np.cross(b - a, c - a)).sum(axis=1).min() > 0.0


def test_a_planted_hole_and_a_turned_triangle_show() -> None:
    mesh = cell_surface(blob(), BOX)
    for wrong in (mesh.triangles[1:], np.vstack([mesh.triangles[:1, ::-1], mesh.triangles[1:]])):
        walked = edges(Mesh(mesh.vertices, wrong))
        assert any(walked[b, a] != count for (a, b), count in walked.items())


def test_stl_reads_back(tmp_path: Path) -> None:
    mesh = cell_surface(blob(1), BOX)
    data = save_mesh(mesh, tmp_path / "part.stl").read_bytes()
    assert not data.startswith(b"solid")
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count == 84 + STL_TRIANGLE.itemsize * len(mesh.triangles)
    rows = np.frombuffer(data, STL_TRIANGLE, offset=84)
    assert np.abs(rows["corners"] - mesh.vertices[mesh.triangles]).max() < 1e-6
    corners = rows["corners"].astype(float)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normal * rows["normal"]).sum(axis=1) == pytest.approx(np.linalg.norm(normal, axis=1))


def test_gltf_reads_back(tmp_path: Path) -> None:
    """By the rules of the format: magic, version, length; a JSON and a binary chunk, each a multiple of four bytes."""
    mesh = cell_surface(blob(2), BOX)
    data = save_mesh(mesh, tmp_path / "part.glb").read_bytes()
    assert struct.unpack_from("<4sII", data) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    assert length % 4 == 0
    scene = json.loads(data[20 : 20 + length])
    size, second = struct.unpack_from("<I4s", data, 20 + length)
    assert second == b"BIN\0"
    assert 28 + length + size == len(data)
    buffer = data[28 + length :][: scene["buffers"][0]["byteLength"]]
    points, numbers = (_accessor(scene, buffer, k) for k in range(2))
    assert np.abs(points.reshape(-1, 3) - mesh.vertices).max() < 1e-6
    assert (numbers.reshape(-1, 3) == mesh.triangles).all()
    assert scene["accessors"][0]["min"] == points.reshape(-1, 3).min(axis=0).tolist()
    x, y, z, w = scene["nodes"][0]["rotation"]
    up = gough.Pose.from_quaternion([0, 0, 0], [w, x, y, z]).rotation @ [0.0, 0.0, 1.0]
    assert up == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


def _accessor(scene: dict, buffer: bytes, k: int) -> np.ndarray:
    """The numbers of one accessor, as its component type says."""
    one = scene["accessors"][k]
    view = scene["bufferViews"][one["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4"}[one["componentType"]]
    part = buffer[view["byteOffset"] :][: view["byteLength"]]
    found = np.frombuffer(part, kind)
    assert len(found) == one["count"] * {"VEC3": 3, "SCALAR": 1}[one["type"]]
    return found


def test_other_endings_and_empty_meshes_are_refused(tmp_path: Path) -> None:
    mesh = cell_surface(np.zeros((2, 2, 2), dtype=bool), BOX)
    with pytest.raises(gough.InputError, match=r"\.stl or \.glb"):
        save_mesh(mesh, tmp_path / "part.obj")
    with pytest.raises(gough.InputError, match="empty"):
        glb_bytes(mesh)
    assert len(stl_bytes(mesh)) == 84
    assert mesh.volume == 0.0
    assert not list(tmp_path.iterdir())
