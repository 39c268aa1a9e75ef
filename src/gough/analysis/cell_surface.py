"""The surface of a set of cells as triangles: closed, outward, its volume that of the cells.

Every face between a cell of the set and one that is not (or the outside of the grid) is two triangles, counterclockwise
seen from outside.  Nothing is smoothed: a surface around cells that are proved holds only proved points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gough.checks import Array


class Mesh(NamedTuple):
    """vertices (n, 3), m, world axes;  triangles (m, 3) numbers of vertices, counterclockwise from outside."""

    vertices: Array
    triangles: NDArray[np.int64]

    @property
    def volume(self) -> float:
        """Enclosed, m^3: ``1/6 sum a . (b x c)`` over the triangles."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return float((a * np.cross(b, c)).sum()) / 6.0


def cell_faces(cells: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Six times (m, 3): the `cells` that have a face on the surface: to low x, high x, low y, high y, low z, high z."""
    padded = np.pad(cells, 1)
    return [
        np.argwhere(padded & ~np.roll(padded, 1 - 2 * side, axis=axis)) - 1  # the neighbor there
        for axis in range(3)
        for side in (0, 1)
    ]


def cell_surface(cells: NDArray[np.bool_], box: Array) -> Mesh:
    """The surface of those `cells` (nx, ny, nz) of a grid in `box` (2, 3) that are true."""
    corners = [np.zeros((0, 4, 3), dtype=np.int64)]
    faces = cell_faces(cells)
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, 1):
            at = faces[2 * axis + side]
            face = np.repeat(at[:, None, :], 4, axis=1)
            face[:, :, axis] += side
            face[:, 1:3, u] += 1
            face[:, 2:4, v] += 1
            corners.append(face if side else face[:, ::-1])
    quads = np.concatenate(corners)
    shape = np.array(cells.shape) + 1
    numbers = np.ravel_multi_index(tuple(quads.reshape(-1, 3).T), tuple(shape.tolist()))
    used, inverse = np.unique(numbers, return_inverse=True)
    where = np.stack(np.unravel_index(used, tuple(shape.tolist())), axis=-1)
    vertices = box[0] + where * ((box[1] - box[0]) / np.array(cells.shape))
    four = inverse.reshape(-1, 4)
    triangles = np.concatenate([four[:, [0, 1, 2]], four[:, [0, 2, 3]]]).astype(np.int64)
    return Mesh(vertices, triangles)
