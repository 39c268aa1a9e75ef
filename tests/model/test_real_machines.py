"""Presets of real machines against what their sources print: tables, limits, sentences about their motion."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import Platform, Pose
from gough.checks import Array
from gough.links import released
from gough.reproduce.codes.geometry import numbers
from gough.spatial import rotation_x, rotation_y, rotation_z
from gough.struts import struts

MICRO, ARCSEC = 1e-6, np.pi / 180 / 3600
# Position limits of the two Rubin hexapods, constants.py: x and y, z (um); about x and y, about z (deg).
TRAVEL = {
    "rubin-camera": (11400.0, 13100.0, 0.36, 0.10),
    "rubin-m2": (10500.0, 8900.0, 0.175, 0.05),
}


def turned_about_pivot(platform: Platform, x: Array) -> Pose:
    """Home shifted by x[:3] and turned by Rx Ry Rz about the pivot, m and rad: what the source calls a position."""
    R = rotation_x(x[3]) @ rotation_y(x[4]) @ rotation_z(x[5])
    pivot, home = platform.frames.pivot, platform.require_home().position
    assert pivot is not None
    return Pose(home + x[:3] + pivot - R @ pivot, R)


def changes(platform: Platform, pose: Pose) -> Array:
    """(6,) change of the actuator coordinates from home."""
    return struts(platform, pose).coordinate - struts(platform, platform.require_home()).coordinate


def single_moves(name: str) -> Array:
    """(6, 6) the largest move along or about each axis, m and rad."""
    across, along, tilt, turn = TRAVEL[name]
    most = [across * MICRO] * 2 + [along * MICRO]
    return np.diag(most + [np.radians(tilt)] * 2 + [np.radians(turn)])


@pytest.mark.parametrize("name", TRAVEL)
def test_rubin_travel_limits_fit_the_struts_one_axis_at_a_time_and_not_all_together(
    name: str,
) -> None:
    platform = gough.load(name)
    for leg in platform.legs:
        low, high = np.asarray(leg.limits.stroke)
        assert high - low == pytest.approx(0.0282)
        assert leg.limits.speed == pytest.approx(500 * MICRO)
    moves = single_moves(name)
    for move in [*moves, *-moves]:
        pose = turned_about_pivot(platform, move)
        assert np.abs(changes(platform, pose)).max() < 14.1e-3
        assert gough.analysis.check(platform, pose).ok
    together = turned_about_pivot(platform, moves.sum(axis=0))
    assert np.abs(changes(platform, together)).max() > 14.1e-3


def test_rubin_camera_kinematics_print_the_table_of_its_test() -> None:
    """With the joints of the source's test, which are not those of its constants (the preset says so)."""
    platform, d = gough.load("rubin-camera"), numbers()["telescope"]
    fixed, moving, pivot = (np.array(d[k]) for k in ("mirror", "base", "pivot"))
    home = np.array([0.0, 0.0, moving[0, 2]])
    legs = [
        leg.replace(base=a, joint=b - home, limits=gough.Limits())
        for leg, a, b in zip(platform.legs, fixed, moving, strict=True)
    ]
    frames = platform.frames.replace(pivot=pivot - home)
    other = platform.replace(legs=legs, home=Pose(home), frames=frames)
    found = changes(other, turned_about_pivot(other, np.array(d["pose"])))
    np.testing.assert_allclose(found, d["lengths"], rtol=0, atol=0.5e-5)
    apart = [leg.base[:2] - a[:2] for leg, a in zip(platform.legs, fixed, strict=True)]
    apart += [leg.joint[:2] - b[:2] for leg, b in zip(platform.legs, moving, strict=True)]
    assert np.linalg.norm(apart, axis=-1).max() == pytest.approx(21.05e-3, abs=1e-5)


def test_rubin_m2_uses_the_struts_that_its_page_names() -> None:
    """z: struts 1 to 3; x: 4 to 6 and most of all 4; y: 5 and 6."""
    platform = gough.load("rubin-m2")
    x, y, z = np.abs(gough.inverse_kinematics(platform, platform.require_home()).direction.T)
    assert z[:3].min() > 0.999
    assert z[3:].max() < 1e-9
    assert x[:3].max() < 1e-9
    assert x.argmax() == 3
    assert y[:4].max() < 1e-9
    assert y[4:].min() > 0.8


# Piston, tilts about x and y, shifts along x and y (um and arcsec); microsteps of the five actuators.
ORIENTATIONS = """
100.0 5.0 5.0 100.0 100.0 134235 129082 115001 -4222 45
-100.0 0.0 0.0 0.0 0.0 -125984 -125984 -125984 -221 -221
100.0 0.0 0.0 0.0 0.0 125984 125984 125984 221 221
0.0 -5.0 0.0 0.0 0.0 -8129 4065 4065 89 89
0.0 0.0 5.0 0.0 0.0 0 7040 -7040 89 -89
0.0 0.0 0.0 -100.0 0.0 61 61 61 2222 -2221
0.0 0.0 0.0 0.0 100.0 61 61 61 -2221 -2221
9.76270 2.15189 1.02763 8.97664 -15.26904 15800 11999 9105 141 504
29.17882 -0.62413 3.91773 92.73255 -23.31170 35798 42837 31804 -1397 2584
-82.57414 -4.79782 3.32620 55.63135 74.00243 -111784 -95399 -104766 -2918 -564
95.72367 2.99159 -0.38521 56.10584 -76.34511 125513 117675 118760 602 3108
-26.25497 3.20993 -4.02899 67.58898 -80.78032 -27790 -41292 -29946 107 3253
95.29189 -0.31349 4.76761 20.96910 47.85272 119559 127036 113610 -1228 -465
-63.36173 0.86513 -4.79892 65.78801 -99.06090 -78331 -87198 -73684 500 3592
40.77772 -3.99773 4.19483 42.84826 99.76940 44940 60597 48784 -2933 -1177
"""


def test_apo_microsteps_are_those_of_the_telescope_control_program() -> None:
    """Printed as whole microsteps; that program does not know the link, so it is let go here."""
    platform = gough.load("apo-secondary")
    free = released(platform)
    start = struts(free, platform.require_home()).coordinate
    steps = np.array([leg.encoder.scale for leg in platform.legs[:5]])
    for row in np.loadtxt(ORIENTATIONS.split("\n")):
        R = rotation_y(row[2] * ARCSEC) @ rotation_x(row[1] * ARCSEC)
        pose = Pose(MICRO * row[[3, 4, 0]], R)
        found = steps * (struts(free, pose).coordinate - start)[:5]
        assert np.abs(found - row[5:]).max() < 0.51


def test_apo_mirror_turns_when_it_is_shifted_because_of_its_link() -> None:
    """A shift along the link goes with a turn by shift over radius; strokes are the printed microsteps."""
    platform = gough.load("apo-secondary")
    for leg, most in zip(platform.legs, [7250000] * 3 + [95000] * 2, strict=False):
        counts = leg.encoder.scale * (np.asarray(leg.limits.stroke) - leg.encoder.zero)
        np.testing.assert_allclose(counts, [-most, most], rtol=1e-6)
    shifted = gough.on_links(platform, Pose(np.array([100e-6, 0.0, 0.0]))).pose
    across = shifted.rotation @ np.array([0.0, 1.0, -0.15281]) + shifted.position
    assert abs(across[0]) < 1e-7  # the link's end stays in its plane


def test_head_angles_are_those_of_its_own_tests() -> None:
    """Printed with eight decimals; theirs ask for 0.01 rad only."""
    platform = gough.load("reachy-mini-head")
    home = platform.require_home().position
    printed = [
        (np.eye(3), [0.54690032, -0.69118484, 0.62905114, -0.62905434, 0.69118874, -0.54690758]),
        (
            rotation_y(0.2),
            [0.40565672, -0.59685794, 0.75626897, -0.75627194, 0.59686182, -0.40566356],
        ),
        (
            rotation_z(0.2),
            [0.62135209, -0.60954831, 0.68185994, -0.58819444, 0.78379322, -0.49168039],
        ),
    ]
    for R, angles in printed:
        found = struts(platform, Pose(home, R)).coordinate
        np.testing.assert_allclose(found, angles, rtol=0, atol=1e-7)
    level = struts(platform, Pose(home + np.array([-0.008, 0.0, -0.025]), np.eye(3))).coordinate
    np.testing.assert_allclose(level, 0.0, atol=1e-2)


def test_head_sleeps_where_it_says_but_for_its_rounding() -> None:
    platform = gough.load("reachy-mini-head")
    printed = np.array([[0.911, 0.004, 0.413], [-0.004, 1.0, -0.001], [-0.413, -0.001, 0.911]])
    U, _, V = np.linalg.svd(printed)
    place = platform.require_home().position + np.array([-0.021, 0.001, -0.044])
    found = struts(platform, Pose(place, U @ V)).coordinate
    told = [
        -0.9848156658225817,
        1.2624661884298831,
        -0.24390294527381684,
        0.20555342557667577,
        -1.2363885150358267,
        1.0032234352772091,
    ]
    off = np.abs(found - told).max()
    assert 0.04 < off < 0.05  # as the preset's errata say


def test_walking_tool_is_drawn_with_three_fold_symmetry_and_closes_at_zero() -> None:
    platform = gough.load("walking-tool-psu")
    home = platform.require_home()
    assert np.abs(struts(platform, home).coordinate).max() < 2e-6
    thirds = [rotation_z(2 * np.pi / 3 * k) for k in range(3)]
    for name, atol in (("base", 2e-6), ("joint", 2e-6)):
        points = np.array([getattr(leg, name) for leg in platform.legs])
        for R in thirds:
            turned = points @ R.T
            nearest = np.linalg.norm(turned[:, None] - points, axis=-1).min(axis=1)
            assert nearest.max() < atol
    assert {getattr(leg, "length", None) for leg in platform.legs} == {0.26}


def test_walking_tool_as_found_goes_elsewhere_when_told_as_drawn() -> None:
    """Identified within a few mm of the drawing; the calibrated model, told its own coordinates, is exact."""
    drawn, found = gough.load("walking-tool-psu"), gough.load("walking-tool-psu-calibrated")
    for a, b in zip(drawn.legs, found.legs, strict=True):
        for name, most in (("base", 5e-3), ("joint", 1e-3), ("length", 1.4e-3), ("rail", 3e-3)):
            apart = np.abs(np.subtract(getattr(a, name), getattr(b, name))).max()
            assert 1e-7 < apart < most, name
    home = drawn.require_home()
    went = gough.forward_kinematics(found, struts(drawn, home).coordinate, guess=home).pose
    miss = np.linalg.norm(went.position - home.position)
    assert 1e-4 < miss < 5e-3
    own = gough.forward_kinematics(found, struts(found, home).coordinate, guess=went).pose
    np.testing.assert_allclose(own.position, home.position, atol=1e-12)


def test_cubic_struts_are_orthogonal_and_their_stiffness_is_that_of_the_table() -> None:
    """Three directions, two struts each; with struts of stiffness one the table prints 2, 2, 2, 0.015, 0.015, 0.06 for
    a cube of 100 mm, and moments grow with the square of its size."""
    platform = gough.load("cubic-isolation")
    home = platform.require_home()
    s = gough.inverse_kinematics(platform, home).direction
    pairs = np.abs(s @ s.T)
    assert np.sort(pairs.round(7).sum(axis=0)).tolist() == [2.0] * 6
    J = gough.jacobian(platform, home)
    table = np.array(numbers()["thesis"]["cubes"][0][4:10])
    wanted = table * np.array([1.0] * 3 + [(0.5 / 0.1) ** 2] * 3)
    np.testing.assert_allclose(J.T @ J, np.diag(wanted), rtol=0, atol=1e-8)
