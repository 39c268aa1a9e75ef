"""Linear models in any batch, names beside their rows, surfaces merged only where they are one, numbers as JSON."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough.analysis.arcs import surfaces
from gough.analysis.sizing import size, with_payload
from gough.analysis.state_space import OUTPUTS, linearize
from gough.analysis.timeline import flat, timeline
from gough.spatial import Pose, rotation_exp


@pytest.fixture(scope="module")
def machine() -> gough.Platform:
    return gough.load("motion-base-1500")


def around(platform: gough.Platform, *shape: int) -> Pose:
    rng, home = np.random.default_rng(1), platform.require_home()
    turn = rotation_exp(0.05 * rng.normal(size=(*shape, 3)))
    return Pose(home.position + 0.02 * rng.normal(size=(*shape, 3)), turn @ home.rotation)


@pytest.mark.parametrize("outputs", [(o,) for o in OUTPUTS] + [tuple(OUTPUTS), ("rate", "pose")])
def test_every_row_of_a_model_has_its_name(
    machine: gough.Platform, outputs: tuple[str, ...]
) -> None:
    model = linearize(machine, machine.require_home(), outputs=outputs)
    assert len(model.outputs) == len(set(model.outputs)) == len(model.C) == len(model.D)
    assert len(model.outputs) == 6 * len(outputs)
    for k, name in enumerate(outputs):
        part = model.outputs[6 * k : 6 * k + 6]
        alone = linearize(machine, machine.require_home(), outputs=(name,))
        assert part == alone.outputs
        np.testing.assert_array_equal(model.C[6 * k : 6 * k + 6], alone.C)
        if name in ("length", "rate"):
            assert part == tuple(f"{name}_{i}" for i in range(1, 7))
    assert len(model.inputs) == model.B.shape[1]
    assert len(model.states) == len(model.A)


def test_models_of_a_table_of_poses_are_sampled_one_by_one(machine: gough.Platform) -> None:
    """Two batch axes: every model, sampled and answered, is that of its own pose."""
    poses = around(machine, 2, 3)
    model = linearize(machine, poses)
    sampled, omega = model.discrete(0.01), np.array([0.5, 3.0, 40.0, 200.0])
    assert sampled.A.shape == (2, 3, 12, 12)
    assert sampled.B.shape == model.B.shape
    for at in np.ndindex(2, 3):
        alone = linearize(machine, poses[at])
        np.testing.assert_allclose(model.A[at], alone.A, rtol=1e-9, atol=1e-9)
        once = alone.discrete(0.01)
        np.testing.assert_allclose(sampled.A[at], once.A, atol=1e-9)
        np.testing.assert_allclose(sampled.B[at], once.B, atol=1e-9)
        np.testing.assert_allclose(sampled.response(omega)[at], once.response(omega), atol=1e-9)
    from scipy import signal

    one = linearize(machine, poses[0, 0])
    known = signal.cont2discrete((one.A, one.B, one.C, one.D), 0.01)
    np.testing.assert_allclose(sampled.A[0, 0], known[0], atol=1e-9)
    np.testing.assert_allclose(sampled.B[0, 0], known[1], atol=1e-9)


def test_cones_are_one_only_with_the_same_tip_and_axis(machine: gough.Platform) -> None:
    """Legs that end in one point: shells meet in the tighter stroke, cones in the narrower angle."""
    legs = list(machine.legs)
    one = gough.Limits(stroke=(1.0, 1.6), base_cone=0.5, base_axis=[0, 0, 1.0])
    other = one.replace(stroke=(1.1, 1.7), base_cone=0.4)
    turned = one.replace(base_axis=[0.0, 0.6, 0.8])
    bare = gough.Limits()

    def known(*limits: gough.Limits, shift: float = 0.0) -> tuple[int, int, np.ndarray, np.ndarray]:
        chosen = []
        for i, leg in enumerate(legs):
            limit = limits[i] if i < len(limits) else bare
            move = np.array([shift if i == 1 else 0.0, 0.0, 0.0])
            chosen.append(
                leg.replace(limits=limit, base=legs[0].base + move, joint=legs[0].joint)
                if i < len(limits)
                else leg.replace(limits=limit)
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gough.ModelWarning)
            s = surfaces(machine.replace(legs=chosen), np.eye(3))
        return len(s.center), len(s.half), np.r_[s.low, s.high], s.half

    shells, cones, range_, half = known(one, other)
    assert (shells, cones) == (1, 1)
    np.testing.assert_allclose(range_, [1.1, 1.6])
    np.testing.assert_allclose(half, [0.4])
    assert known(other, one)[3] == pytest.approx([0.4])
    assert known(one, turned)[:2] == (1, 2)  # same tip, another axis
    assert known(one, other, shift=1e-3)[:2] == (2, 2)  # same axis, another tip


@pytest.mark.parametrize("mass", [0.0, 3.0])
def test_a_payload_without_mass_may_still_turn(machine: gough.Platform, mass: float) -> None:
    """One principal inertia is a payload too: nothing but a body without any is left out."""
    disk = gough.Body(mass, inertia=np.diag([0.0, 0.4, 0.4]))
    loaded = with_payload(machine, disk)
    assert loaded is not machine
    assert loaded.body.mass == machine.body.mass + mass
    assert loaded.body.inertia[1, 1] > machine.body.inertia[1, 1] + 0.39
    assert with_payload(machine, gough.Body(0.0)) is machine


def test_numbers_become_json() -> None:
    """Flat lists; what is not finite is None, whole numbers stay whole only where digits are asked."""
    data = {"a": np.array([[1.0, np.nan], [np.inf, 0.123456]]), "b": {"c": [2.0, 3.5]}}
    assert flat(data) == {"a": [1.0, None, None, 0.123456], "b": {"c": [2.0, 3.5]}}
    short = flat({"x": [0.123456, 2.0, 1e9, -3.0, np.nan]}, 3)
    assert short == {"x": [0.123, 2, 1e9, -3, None]}
    assert [type(v) for v in short["x"]] == [float, int, float, int, type(None)]


def test_a_motion_that_leaves_the_reach_says_when() -> None:
    slider = gough.load("hexaglide")
    home = slider.require_home()
    shift = np.array([0.0, 0.01, 5.0])
    way = np.stack([home.position + np.array([0.0, 0.0, d]) for d in shift])
    motion = gough.Motion(way, np.broadcast_to(home.rotation, (3, 3, 3)), time=[0.0, 0.5, 1.0])
    with pytest.raises(gough.InfeasibleError, match=r"reach of the machine at t = 1 s"):
        timeline(slider, motion)
    with pytest.raises(gough.InputError, match="time"):
        timeline(slider, gough.Motion(home.position, home.rotation))


def test_formulations_that_refuse_a_machine_are_noted(machine: gough.Platform) -> None:
    still = gough.trajectory.harmonic(
        machine.require_home(), [0, 0, 0.01, 0, 0, 0], 1.0, duration=1
    )
    data, _, _, notes = timeline(
        machine, still.sample(5), None, ("exact", "kane", "nobody", "kane/published")
    )
    assert "kane" in data["force"]
    np.testing.assert_allclose(data["force"]["kane"], data["force"]["exact"], rtol=1e-9)
    assert any(note.startswith("nobody: ") for note in notes)
    assert size(machine, {"m": still.sample(5)}).legs[0].peak_force > 0
