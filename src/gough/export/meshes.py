"""Surfaces as files that other programs open: STL (binary) and glTF 2.0 (binary, .glb).

STL    80 bytes of header, the number of triangles, and per triangle its normal and three corners (float32) and two
       bytes of nothing; numbers have no unit there: these are m
glTF   meshes of float32 positions and uint32 numbers in one buffer (Khronos glTF 2.0, sections 3.6, 3.7, 4.4: GLB);
       glTF's y points up and ours z: a node turns them by -90 deg about x
Both keep float32: corners are rounded to about 1e-7 of their size.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.cell_surface import Mesh
from gough.checks import Array, InputError
from gough.storage import write_whole

STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("nothing", "<u2")])
FLOAT, UNSIGNED = 5126, 5125  # component types of glTF
VERTICES, INDICES = 34962, 34963  # what a view of the buffer is for
HALF_TURN = 0.5**0.5


def stl_bytes(mesh: Mesh, title: str = "workspace") -> bytes:
    """A binary STL file of the mesh, m."""
    corners = mesh.vertices[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    long = np.linalg.norm(normal, axis=1, keepdims=True)
    rows = np.zeros(len(corners), dtype=STL_TRIANGLE)
    rows["normal"] = normal / np.where(long > 0.0, long, 1.0)
    rows["corners"] = corners
    head = f"gough: {title}, m".encode("ascii", "replace")[:80].ljust(
        80, b" "
    )  # must not begin with "solid": that is the text form
    return head + struct.pack("<I", len(rows)) + rows.tobytes()


def glb_bytes(mesh: Mesh) -> bytes:
    """A binary glTF 2.0 file of the mesh, m, y up."""
    return scene_bytes({"workspace": mesh})


def scene_bytes(
    parts: dict[str, Mesh],
    points: dict[str, Array] | None = None,
    colors: dict[str, tuple[float, float, float]] | None = None,
) -> bytes:
    """A binary glTF 2.0 file of named parts, m, y up: the first node turns, its children are the parts and the points.

    points  (3,) named places, m: nodes without a mesh;  colors: red, green, blue of a part, linear, 0 to 1
    """
    if not parts or not all(len(mesh.triangles) for mesh in parts.values()):
        raise InputError("mesh", "no triangles", "must have some: glTF knows no empty mesh")
    buffer, views, accessors, meshes, materials = bytearray(), [], [], [], []
    nodes: list[dict[str, Any]] = []
    for name, mesh in parts.items():
        corners, numbers = mesh.vertices.astype("<f4"), mesh.triangles.astype("<u4").ravel()
        size = {"bufferView": len(views), "componentType": FLOAT, "type": "VEC3"}
        size |= {"min": corners.min(axis=0).tolist(), "max": corners.max(axis=0).tolist()}
        accessors.append(size | {"count": len(corners)})
        which = {"bufferView": len(views) + 1, "componentType": UNSIGNED, "type": "SCALAR"}
        accessors.append(which | {"count": len(numbers)})
        for part, target in ((corners, VERTICES), (numbers, INDICES)):
            view = {"buffer": 0, "byteOffset": len(buffer), "byteLength": part.nbytes}
            views.append(view | {"target": target})
            buffer += part.tobytes()
        at = len(accessors)
        one = {"attributes": {"POSITION": at - 2}, "indices": at - 1}
        if colors and name in colors:
            look = {"baseColorFactor": [*colors[name], 1.0], "metallicFactor": 0.2}
            one["material"] = len(materials)
            materials.append({"name": name, "pbrMetallicRoughness": look})
        nodes.append({"mesh": len(meshes), "name": name})
        meshes.append({"primitives": [one]})
    for name, place in (points or {}).items():
        nodes.append({"name": name, "translation": [float(x) for x in place]})
    turn = {"name": "z up", "rotation": [-HALF_TURN, 0.0, 0.0, HALF_TURN]}
    document = {
        "asset": {"version": "2.0", "generator": "gough"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [turn | {"children": list(range(1, len(nodes) + 1))}, *nodes],
        "meshes": meshes,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(buffer)}],
    }
    if materials:
        document["materials"] = materials
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data = bytes(buffer) + b"\0" * (-len(buffer) % 4)
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
