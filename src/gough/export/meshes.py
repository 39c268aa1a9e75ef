"""Surfaces as files that other programs open: STL (binary) and glTF 2.0 (binary, .glb).

STL    80 bytes of header, the number of triangles, and per triangle its normal and three corners (float32) and two
       bytes of nothing; numbers have no unit there: these are m
glTF   one mesh of float32 positions and uint32 numbers in one buffer (Khronos glTF 2.0, sections 3.6, 3.7, 4.4: GLB);
       glTF's y points up and ours z: a node turns the mesh by -90 deg about x
Both keep float32: corners are rounded to about 1e-7 of their size.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

from gough.analysis.cell_surface import Mesh
from gough.checks import InputError
from gough.storage import write_whole

STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("nothing", "<u2")])
FLOAT, UNSIGNED = 5126, 5125  # component types of glTF
VERTICES, INDICES = 34962, 34963  # what a view of the buffer is for
HALF_TURN = 0.5**0.5


def stl_bytes(mesh: Mesh) -> bytes:
    """A binary STL file of the mesh, m."""
    corners = mesh.vertices[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    long = np.linalg.norm(normal, axis=1, keepdims=True)
    rows = np.zeros(len(corners), dtype=STL_TRIANGLE)
    rows["normal"] = normal / np.where(long > 0.0, long, 1.0)
    rows["corners"] = corners
    head = b"workspace, m".ljust(80, b" ")  # must not begin with "solid": that is the text form
    return head + struct.pack("<I", len(rows)) + rows.tobytes()


def glb_bytes(mesh: Mesh) -> bytes:
    """A binary glTF 2.0 file of the mesh, m, y up."""
    if not len(mesh.triangles):
        raise InputError("mesh", "no triangles", "must have some: glTF knows no empty mesh")
    points = mesh.vertices.astype("<f4")
    numbers = mesh.triangles.astype("<u4").ravel()
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    data = points.tobytes() + numbers.tobytes()
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes, "target": VERTICES},
        {
            "buffer": 0,
            "byteOffset": points.nbytes,
            "byteLength": numbers.nbytes,
            "target": INDICES,
        },
    ]
    size = {"bufferView": 0, "componentType": FLOAT, "count": len(points), "type": "VEC3"}
    which = {"bufferView": 1, "componentType": UNSIGNED, "count": len(numbers), "type": "SCALAR"}
    document = {
        "asset": {"version": "2.0", "generator": "gough"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "workspace", "rotation": [-HALF_TURN, 0.0, 0.0, HALF_TURN]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [size | {"min": low, "max": high}, which],
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def save_mesh(mesh: Mesh, path: str | Path) -> Path:
    """Write a mesh; the ending says how: .stl or .glb.  The file appears complete or not at all."""
    makers = {".stl": stl_bytes, ".glb": glb_bytes}
    target = Path(path)
    if target.suffix not in makers:
        raise InputError("path", str(path), f"must end with {' or '.join(makers)}")
    return write_whole(target, makers[target.suffix](mesh))
