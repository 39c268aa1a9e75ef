"""Shapes of platform and base: distances against dense points, files, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

import gough
from gough.checks import Array
from gough.model.files import dumps, json_schema, loads
from gough.model.json_document import from_document, to_document
from gough.plates import PlateTable, nearest, plate_table, segment_plate, support
from support.bodies import dense_distance, plate_points, random_plate

SQUARE = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
PRISM = gough.Plate(bottom=-0.1, top=0.2, outline=SQUARE, spared=0.05)
DISC = gough.Plate(bottom=-0.1, top=0.2, radius=0.7, center=[0.1, -0.2])


def segments(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    a, b = rng.normal(size=(2, n, 3))
    b[: n // 8] = a[: n // 8] + 1e-9 * b[: n // 8]  # almost points
    b[n // 8 : n // 4, 2] = a[n // 8 : n // 4, 2]  # along the faces
    b[n // 4 : n // 2, :2] = a[n // 4 : n // 2, :2]  # along the axis
    return a, b


def worst_against_dense_points(found: object = segment_plate) -> float:
    """Largest difference from distances of dense points on both shapes, beyond what their spacing explains."""
    rng, worst, spacing = np.random.default_rng(3), 0.0, 0.02
    for _ in range(6):
        plate = random_plate(rng, 0.8, -0.1, 0.25)
        points, (a, b) = cKDTree(plate_points(plate, spacing)), segments(rng, 40)
        d = found(plate_table(plate), a, b)[0]  # type: ignore[operator]
        for i in range(len(d)):
            dense = dense_distance(points, a[i], b[i])
            away = np.linalg.norm(b[i] - a[i]) / 800 + spacing
            if d[i] == 0.0:  # it runs through, and may end far inside
                continue
            room = min(away, away**2 / (2 * d[i]))
            worst = max(worst, d[i] - dense, dense - d[i] - room)
    return worst


def test_distances_against_dense_points() -> None:
    assert worst_against_dense_points() < 1e-12


@pytest.mark.parametrize("error", ["ends", "flat", "center", "halvings"])
def test_planted_errors_of_distances_show(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the ends of segments, no thickness, a center forgotten, too few halvings."""

    def wrong(table: PlateTable, a: Array, b: Array) -> tuple[Array, Array]:
        if error == "ends":
            both = [segment_plate(table, x, x) for x in (a, b)]
            return np.minimum(both[0][0], both[1][0]), both[0][1]
        if error == "flat":
            table = table._replace(top=table.bottom + 1e-9)
        if error == "center":
            table = table._replace(x=0.0, y=0.0, corners=table.corners * 0.98)
        return segment_plate(table, a, b)

    if error == "halvings":
        monkeypatch.setattr("gough.plates.HALVINGS", 4)
    assert worst_against_dense_points(wrong) > 1e-3


@pytest.mark.parametrize("plate", [PRISM, DISC])
def test_the_shadow_proves_the_distance(plate: gough.Plate) -> None:
    """``min(n.a, n.b) - support(n)`` is the distance, for n between the nearest points, and never more for any n."""
    rng, table = np.random.default_rng(4), plate_table(plate)
    a, b = segments(rng, 400)
    d, gap = segment_plate(table, a, b)
    off = d > 1e-6
    assert 0.5 < off.mean() < 1.0
    n = gap[off] / d[off, None]
    shadow = np.minimum((n * a[off]).sum(-1), (n * b[off]).sum(-1)) - support(table, n)
    np.testing.assert_allclose(shadow, d[off], atol=1e-11)
    any_n = rng.normal(size=a.shape)
    any_n /= np.linalg.norm(any_n, axis=-1, keepdims=True)
    shadow = np.minimum((any_n * a).sum(-1), (any_n * b).sum(-1)) - support(table, any_n)
    assert (shadow <= d + 1e-12).all()


def test_points_inside_are_their_own_nearest() -> None:
    for plate in (PRISM, DISC):
        points = np.random.default_rng(5).uniform(-0.09, 0.09, (50, 3))
        assert np.array_equal(nearest(plate_table(plate), points), points)
        assert (
            segment_plate(plate_table(plate), points, points + np.array([0, 0, 3.0]))[0] == 0.0
        ).all()


def machine() -> gough.Platform:
    return gough.load("motion-base-1500").replace(base_shape=DISC, platform_shape=PRISM)


def test_shapes_are_written_and_read_to_the_last_bit() -> None:
    one = machine()
    assert loads(dumps(one)) == one
    assert from_document(to_document(one))[0] == one
    assert one != one.replace(platform_shape=None)
    assert hash(one) != hash(one.replace(base_shape=None))
    assert loads(dumps(one.replace(base_shape=None))).base_shape is None
    assert {"base_shape", "platform_shape"} <= set(json_schema()["properties"])


def test_lengths_carry_their_units() -> None:
    text = dumps(gough.load("motion-base-1500")).replace(
        "[body]",
        '[base_shape]\nbottom = "-20 cm"\ntop = "-5 mm"\nradius = "1.2 m"\nspared = "60 mm"\n'
        '[platform_shape]\nbottom = 0.0\ntop = "1 in"\n'
        'outline = [["10 cm", 0.0], ["0 mm", "100 mm"], [-0.1, -0.1]]\n[body]',
    )
    one = loads(text)
    assert one.base_shape == gough.Plate(bottom=-0.2, top=-0.005, radius=1.2, spared=0.06)
    assert one.platform_shape is not None
    assert one.platform_shape.top == pytest.approx(0.0254)
    np.testing.assert_allclose(one.platform_shape.outline, [[0.1, 0], [0, 0.1], [-0.1, -0.1]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("bottom = 0.0\nradius = 1.0", "top"),
        ("bottom = 0.0\ntop = -1.0\nradius = 1.0", "above bottom"),
        ("bottom = 0.0\ntop = 1.0", "either radius or outline"),
        ("bottom = 0.0\ntop = 1.0\nradius = 0.0", "greater than 0"),
        ("bottom = 0.0\ntop = 1.0\nradius = 1.0\noutline = [[1,0],[0,1],[-1,0]]", "either radius"),
        ("bottom = 0.0\ntop = 1.0\noutline = [[1,0],[0,1]]", "3 to 100 corners"),
        ("bottom = 0.0\ntop = 1.0\noutline = [[1,0],[0,1],[-1]]", "two lengths"),
        ('bottom = 0.0\ntop = 1.0\noutline = [[1,0],[0,"1 kg"],[-1,0]]', "kg"),
        ("bottom = 0.0\ntop = 1.0\noutline = [[0,0],[1,0],[2,0],[0,1]]", "no three on a line"),
        ("bottom = 0.0\ntop = 1.0\noutline = [[0,0],[1,1],[1,0],[0,1]]", "convex"),
        ("bottom = 0.0\ntop = 1.0\noutline = [[0,0],[2,0],[1,0.5],[0,2]]", "convex"),
        ("bottom = 0.0\ntop = 1.0\nradius = 1.0\nspared = -0.1", "spared"),
        ("bottom = 0.0\ntop = 1.0\nradius = 1.0\nheight = 1.0", "height"),
    ],
)
def test_files_are_refused_with_the_reason(table: str, said: str) -> None:
    text = dumps(gough.load("motion-base-1500")).replace("[body]", f"[base_shape]\n{table}\n[body]")
    with pytest.raises(gough.GoughError, match=said):
        loads(text)


def test_objects_are_refused_with_the_reason() -> None:
    turn = np.arange(5) * 4 * np.pi / 5
    star = np.stack([np.cos(turn), np.sin(turn)], axis=1)  # goes around twice
    with pytest.raises(gough.InputError, match="convex"):
        gough.Plate(bottom=0.0, top=1.0, outline=star)
    with pytest.raises(gough.InputError, match="belongs to a cylinder"):
        PRISM.replace(center=[0.1, 0.0])
    with pytest.raises(gough.InputError, match=r"must be a gough\.Plate"):
        machine().replace(base_shape=1.0)
    one = gough.hexapod(0.5, 0.3, 0.4, 0.4, 0.6, base_shape=DISC)
    assert one.base_shape == DISC
    assert one.platform_shape is None
