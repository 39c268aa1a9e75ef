"""The presets against the papers they come from: data, warnings, and forces computed from them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough import ModelWarning, Motion, Platform, Pose
from gough.model import files
from gough.struts import struts

PAPERS = [
    "dasgupta-1998",
    "dasgupta-1998-physical",
    "pedrammehr-2012",
    "lopes-6pus",
    "elbadawy-6sps",
    "syed-6sps",
    "syed-6sps-drive",
]
REAL = [  # machines, not papers: tests/model/test_real_machines.py
    "apo-secondary",
    "cubic-isolation",
    "reachy-mini-head",
    "rubin-camera",
    "rubin-m2",
    "walking-tool-psu",
    "walking-tool-psu-calibrated",
]
PRINTED = {"dasgupta-1998", "pedrammehr-2012"}  # tensors as printed, not physical


def quiet_load(name: str) -> Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return files.load(name)


def test_presets_named_in_the_documentation_exist() -> None:
    assert {*PAPERS, *REAL} <= set(files.presets())
    assert {
        "motion-base-1500",
        "positioner-300",
        "servo-hexapod",
        "hexaglide",
        "flexure-hexapod",
        "robot-head-rss",
        "glide-psu",
        "glide-psu-calibrated",
    } <= set(files.presets())


@pytest.mark.parametrize("name", files.presets())
def test_preset_says_where_it_comes_from(name: str) -> None:
    platform = quiet_load(name)
    assert platform.name == name
    assert platform.source.title
    assert platform.source.chosen
    assert platform.home is not None
    assert platform.source.title in files.preset_summary(name)
    if name in [*PAPERS, *REAL]:
        assert platform.source.page
        assert platform.source.errata


@pytest.mark.parametrize("name", sorted(set(files.presets()) - PRINTED))
def test_presets_are_physical_and_silent(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files.load(name)


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_printed_tensors_warn_once_per_problem(name: str) -> None:
    with pytest.warns(ModelWarning) as caught:
        files.load(name)
    texts = [str(w.message) for w in caught]
    assert len(texts) == len(set(texts)) == 3
    assert any(
        "lower body of every leg" in t and "-0.002842 is negative" in t for t in texts
    )  # E001-7
    assert any("upper body of every leg" in t and "triangle" in t for t in texts)
    assert all(w.filename == __file__ for w in caught)


def test_physical_preset_is_the_nearest_admissible() -> None:
    printed, physical = quiet_load("dasgupta-1998"), quiet_load("dasgupta-1998-physical")
    assert physical.body == printed.body.admissible()
    for a, b in zip(printed.legs, physical.legs, strict=True):
        assert isinstance(a, gough.UPS)
        assert isinstance(b, gough.UPS)
        assert b == a.replace(lower=b.lower, upper=b.upper)
        for body, given in ((b.lower, a.lower), (b.upper, a.upper)):
            nearest = given.admissible()
            assert body == nearest.replace(inertia=body.inertia)
            rounding = 4.0 * np.finfo(float).eps * np.linalg.norm(given.inertia)  # of eigenvalues
            assert np.abs(body.inertia - nearest.inertia).max() <= rounding


def test_dasgupta_data() -> None:
    p = quiet_load("dasgupta-1998")
    assert p.base_joints[4].tolist() == [0.2, -0.3, -0.05]
    assert p.platform_joints[3].tolist() == [-0.2, 0.1, -0.1]
    axis = p.legs[0].axis  # type: ignore[union-attr]  # E001-6: printed with length 0.8581
    np.testing.assert_allclose(axis * np.hypot(0.8141, 0.2714), [-0.8141, 0.2714, 0.0], atol=1e-15)
    other = quiet_load("pedrammehr-2012")
    with pytest.warns(ModelWarning, match="triangle"):
        changed = [a.replace(upper=a.upper.replace(center=[-0.6, -0.08, -0.08])) for a in p.legs]  # type: ignore[union-attr]
    assert list(other.legs) == changed  # E000-10 is the only difference


def test_lopes_slider_positions() -> None:
    """Layout A: l = 0.53267 m at P1, and 1.25763 ... 0.60993 m at P2 (reading of the paper's Fig. 4)."""
    p = quiet_load("lopes-6pus")
    expected = [1.25763, 1.27620, 1.58040, 0.91137, 0.94592, 0.60993]
    for pose, l in (
        (p.home, [0.53267] * 6),
        (Pose.from_rpy([-0.1, -0.2, 2.5], np.radians([15, -15, 15])), expected),
    ):
        assert pose is not None
        reach = pose.position + p.platform_joints @ pose.rotation.T - p.base_joints
        slider = reach[:, 2] - np.sqrt(1.837**2 - (reach[:, :2] ** 2).sum(axis=1))
        np.testing.assert_allclose(slider, l, atol=6e-6)


def test_elbadawy_joints_in_the_papers_axes() -> None:
    """Table 4: upper mass centers, in the paper's axes X = x, Y = z, Z = -y; gaps 0.02 mm (E003-4)."""
    p = quiet_load("elbadawy-6sps")
    assert p.home is not None
    top = p.home.position + p.platform_joints
    s = (top - p.base_joints) / np.linalg.norm(top - p.base_joints, axis=1, keepdims=True)
    centers = (top - 0.1 * s)[:, [0, 2, 1]] * [1, 1, -1]
    np.testing.assert_allclose(
        centers[0], [0.1175087707, 0.2600018568, -7.2183639516e-2], atol=2e-6
    )
    np.testing.assert_allclose(
        centers[3], [-0.1212672509, 0.2600018568, 6.5673760824e-2], atol=2e-6
    )
    np.testing.assert_allclose(np.linalg.norm(top - p.base_joints, axis=1), 0.40004, atol=5e-6)


def test_syed_drive_reflects_four_kilograms() -> None:
    """E004-1: zeta^2 I / r^2 = 20^2 1e-6 / 0.01^2 = 4 kg."""
    drive = quiet_load("syed-6sps-drive").legs[0].drive
    assert drive is not None
    assert drive.reflected_inertia == pytest.approx(4.0, rel=1e-14)


# ---- forces


def forces(platform: Platform, motion: Motion) -> np.ndarray:
    return gough.inverse_dynamics(platform, motion).force


def test_dasgupta_path_one_start() -> None:
    """001, Path I at t = 0, right limit (eqs 39, 40: tau_b = tau_f - |dt|/V, acceleration V/tau_b)."""
    d = np.array([0.2, 0.0, 0.2])
    size = np.linalg.norm(d)
    acceleration = d / size * 0.08 / (6.0 - size / 0.08)
    turn = 0.08 / (6.0 - 0.4 / 0.08)
    start = Pose.from_rpy([0.1, 0.0, 0.4], [0.0, 0.0, -0.2])
    motion = Motion(
        start.position,
        start.rotation,
        acceleration=acceleration,
        angular_acceleration=np.array([0.0, 0.0, turn]),
    )
    expected = [411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364]
    np.testing.assert_allclose(forces(quiet_load("dasgupta-1998"), motion), expected, atol=6e-5)
    other = forces(
        quiet_load("pedrammehr-2012"), motion
    )  # E000-10: one sign, at most 8.7 N on this path
    assert 1.0 < np.abs(other - expected).max() < 8.7
    near = forces(quiet_load("dasgupta-1998-physical"), motion)  # E001-7: 0.03 N
    assert 0.0 < np.abs(near - expected).max() < 0.035


def test_lopes_at_rest() -> None:
    """Sum of the slider forces = total weight; golden forces at P1 and P2 (layout A)."""
    p = quiet_load("lopes-6pus")
    assert p.home is not None
    rest = forces(p, Motion.at_rest(p.home))
    weight = 9.81 * (1.430 + 6 * (0.123 + 0.389))
    assert rest.sum() == pytest.approx(weight, rel=1e-12)
    np.testing.assert_allclose(rest, 7.36077, atol=6e-6)
    there = Pose.from_rpy([-0.1, -0.2, 2.5], np.radians([15.0, -15.0, 15.0]))
    expected = [7.45407, 6.88364, 4.03776, 10.68302, 5.70078, 9.40535]
    np.testing.assert_allclose(forces(p, Motion.at_rest(there)), expected, atol=6e-6)


def test_elbadawy_at_rest() -> None:
    """Static leg force 4.76457 N; 3.37733 N with massless legs."""
    p = quiet_load("elbadawy-6sps")
    assert p.home is not None
    np.testing.assert_allclose(forces(p, Motion.at_rest(p.home)), 4.76457, atol=6e-6)
    none = gough.Body(0.0)
    bare = p.replace(legs=[leg.replace(lower=none, upper=none) for leg in p.legs])
    np.testing.assert_allclose(forces(bare, Motion.at_rest(p.home)), 3.37733, atol=6e-6)


def test_syed_vertical_acceleration() -> None:
    """E004-2: 8.69 N without drive inertia, 44.8 N with it, at 10 m/s^2 upwards; the legs add 1.378 N."""
    plain, driven = quiet_load("syed-6sps"), quiet_load("syed-6sps-drive")
    assert plain.home is not None
    motion = Motion(plain.home.position, acceleration=np.array([0.0, 0.0, 10.0]))
    up = forces(plain, motion)
    np.testing.assert_allclose(up, 8.69, atol=0.005)
    np.testing.assert_allclose(forces(driven, motion), 44.8, atol=0.05)
    none = gough.Body(0.0)
    bare = plain.replace(legs=[leg.replace(lower=none, upper=none) for leg in plain.legs])
    np.testing.assert_allclose(up - forces(bare, motion), 1.378, atol=0.001)


@pytest.mark.parametrize("name", sorted(set(files.presets()) - {*PAPERS, *REAL}))
def test_realistic_machines_hold_themselves_at_home(name: str) -> None:
    """At rest at home every actuator is inside its stroke and uses less than half of its force, none across gravity."""
    p = quiet_load(name)
    assert p.home is not None
    motion = Motion.at_rest(p.home)
    force = forces(p, motion)
    legs = gough.inverse_kinematics(p, motion)
    lean = legs.direction @ p.up
    for leg, f, l, up in zip(p.legs, force, legs.length, lean, strict=True):
        if abs(up) < 1e-12:
            assert abs(f) < 1e-9 * np.abs(force).max()
        if getattr(leg, "fixed", None) is not None:
            continue
        assert leg.limits.force is not None
        assert leg.limits.stroke is not None
        assert (0.0 if abs(up) > 1e-12 else -1e-9) < f < 0.5 * leg.limits.force
        low, high = leg.limits.stroke
        assert low < l < high
        assert min(l - low, high - l) > 0.3 * (high - low)


def test_the_calibrated_machine_is_the_drawn_one_but_for_what_a_calibration_finds() -> None:
    """Six different legs, within a millimeter of six equal ones; commanded as drawn, it goes elsewhere."""
    drawn, found = quiet_load("glide-psu"), quiet_load("glide-psu-calibrated")
    kept = ("platform_axis", "slider_mass", "link", "friction", "limits", "drive", "assembly")
    for a, b in zip(drawn.legs, found.legs, strict=True):
        assert all(np.all(getattr(a, name) == getattr(b, name)) for name in kept)
        for name, most in (("base", 1e-3), ("joint", 3e-4), ("length", 1e-3), ("rail", 2e-3)):
            apart = np.abs(np.subtract(getattr(a, name), getattr(b, name))).max()
            assert 1e-7 < apart < most, name
    assert len({leg.length for leg in found.legs}) == 6
    assert drawn.home is not None
    command = struts(drawn, drawn.home).coordinate
    went = gough.forward_kinematics(found, command, guess=drawn.home).pose
    miss = np.linalg.norm(went.position - drawn.home.position)
    assert 1e-5 < miss < 2e-3
    back = gough.forward_kinematics(found, struts(found, drawn.home).coordinate, guess=went).pose
    np.testing.assert_allclose(back.position, drawn.home.position, atol=1e-12)
