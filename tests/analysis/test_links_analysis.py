"""Linear models, compliance, modes and sizes of machines with fixed links; what is refused with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gough
from gough import analysis
from gough.control import Decentralized
from gough.design.metrics import evaluate
from gough.dynamics.elastic import elastic_rest
from gough.dynamics.errors import derivatives_error
from gough.dynamics.rotors import without_rotors
from gough.engines.stream import stream
from gough.kinematics.aspects import aspects
from gough.links import links, released
from gough.spatial import Motion, Pose
from oracles.links import linked
from support.complex_steps import worst

STIFF = np.full(6, 2e7)
OPTIONS = {"universal": 40.0, "spherical": 25.0}


def telescope() -> gough.Platform:
    return gough.load("telescope-secondary")


def tilted() -> tuple[gough.Platform, Pose]:
    """Gravity across the mirror, so that the link carries; a pose off home."""
    machine = telescope().replace(gravity=(7.0, 5.0, -5.0))
    pose = gough.on_links(machine, Pose.from_rpy([2e-3, 1e-3, 0.404], [0.01, 0.005, 0.0])).pose
    return machine, pose


@pytest.mark.parametrize("preload", [True, False])
def test_a_link_is_the_limit_of_a_stiff_leg(preload: bool) -> None:
    """Compliance and frequencies of the driven machine tend to those with the link like 1/k; shapes too."""
    machine, pose = tilted()
    given = {"preload": preload, **OPTIONS}
    C = analysis.compliance(machine, pose, stiffness=STIFF, **given)
    modes = analysis.modes(machine, pose, stiffness=STIFF, **given)
    assert np.linalg.matrix_rank(C, tol=1e-12 * np.abs(C).max()) == 5
    assert modes.frequency.shape == (5,)
    G = gough.freedom(machine, pose).constraint
    assert np.abs(G @ modes.shape).max() < 1e-12 * np.abs(modes.shape).max()
    M = gough.mass_matrix(without_rotors(machine), pose, engine="python")  # type: ignore[attr-defined]
    np.testing.assert_allclose(modes.shape.T @ M @ modes.shape, np.eye(5), atol=1e-12)
    errors = []
    for k in (1e10, 1e12):
        stiff = np.where(np.arange(6) == 5, k, STIFF)
        free = released(machine)
        near = analysis.compliance(free, pose, stiffness=stiff, **given)
        other = analysis.modes(free, pose, stiffness=stiff, **given).frequency
        errors.append(
            [
                np.abs(near - C).max() / np.abs(C).max(),
                np.abs(other[:5] / modes.frequency - 1).max(),
            ]
        )
    first, second = np.array(errors)
    assert (second < 1e-4).all()
    assert (second < 0.02 * first).all()


def test_preload_counts_the_force_in_the_link() -> None:
    """Stiffness of the pendulum kind: the weight that hangs on the link turns with it."""
    machine, pose = tilted()
    held = gough.inverse_dynamics(machine, pose, engine="python").link_force
    assert abs(held[0]) > 100.0
    soft = np.full(6, 1e3)
    with_it, without = (
        analysis.modes(machine, pose, stiffness=soft, preload=p).frequency for p in (True, False)
    )
    assert np.abs(with_it / without - 1).max() > 0.1


def test_linear_models_are_those_of_the_constrained_motion() -> None:
    """Poles of the reduced model are those of its modes; step responses by the equations themselves."""
    machine, pose = tilted()
    plant = analysis.linearize(
        machine, pose, stiffness=STIFF, wrench=True, outputs=("length", "pose"), **OPTIONS
    )
    assert plant.A.shape == (10, 10)
    assert plant.inputs == (
        *(f"force_{i}" for i in range(1, 6)),
        "fx",
        "fy",
        "fz",
        "mx",
        "my",
        "mz",
    )
    assert len(plant.states) == 10
    assert np.abs(plant.C[5]).max() < 1e-12  # the link's length stays
    still = machine.replace(
        legs=tuple(leg.replace(friction=gough.Friction()) for leg in machine.legs)
    )
    poles = analysis.linearize(still, pose, stiffness=STIFF, **OPTIONS).poles
    modes = analysis.modes(still, pose, stiffness=STIFF, motors="rigid", **OPTIONS)
    np.testing.assert_allclose(
        np.sort(np.abs(poles))[::2] / (2 * np.pi), modes.frequency, rtol=1e-9
    )
    bare = analysis.linearize(machine, pose, wrench=True)
    left = gough.freedom(machine, pose)
    hold = gough.inverse_dynamics(machine, pose, engine="python").force
    for i, j in enumerate(links(machine).driven):
        more = hold + np.eye(6)[j]
        a = gough.forward_dynamics(machine, pose, more, engine="python").answer
        np.testing.assert_allclose(left.basis @ bare.B[5:, i], a, atol=1e-11)
    pushed = gough.forward_dynamics(machine, pose, hold, np.eye(6)[0], engine="python").answer
    np.testing.assert_allclose(left.basis @ bare.B[5:, 5], pushed, atol=1e-11)


def test_linear_models_are_made_at_rest() -> None:
    machine, pose = tilted()
    moving = gough.on_links(
        machine, Motion(pose.position, pose.rotation, [0.0, 0.0, 0.01], [0.0, 0.0, 0.0])
    ).motion
    with pytest.raises(gough.InputError, match="at rest"):
        analysis.linearize(machine, moving)
    with pytest.raises(gough.InputError, match="force"):
        analysis.linearize(machine, pose, force=np.zeros(6))
    with pytest.raises(gough.InputError, match="motors"):
        analysis.modes(machine, pose, stiffness=STIFF, motors="free")
    with pytest.raises(gough.InputError, match="compliance does"):
        analysis.stiffness_matrix(machine, pose, stiffness=STIFF)


def test_drives_give_the_stiffness_of_the_driven_legs() -> None:
    machine, pose = tilted()
    legs = [
        leg if leg.drive is None else leg.replace(drive=leg.drive.replace(stiffness=2e7))
        for leg in machine.legs
    ]
    soft = machine.replace(legs=tuple(legs))
    np.testing.assert_array_equal(
        analysis.modes(soft, pose).frequency,
        analysis.modes(machine, pose, stiffness=STIFF).frequency,
    )


def test_slopes_of_forward_dynamics_under_constraints() -> None:
    """Over efforts and states, by differences of the verb itself along what the links allow."""
    c = next(c for s in range(40) if (c := linked("UPS", seed=s, count=2, states=1)))
    machine, effort = c.platform, np.random.default_rng(1).uniform(-500, 500, (1, 6))
    found = gough.forward_dynamics_derivatives(machine, c.motion, effort, c.external)

    def answer(**change: Any) -> np.ndarray:
        given = {"force": effort, "external": c.external, **change}
        return gough.forward_dynamics(machine, c.motion, engine="python", **given).answer

    assert worst(found.value, answer()) < 1e-12
    held = links(machine).legs
    assert not found.effort[..., held].any()
    for j in range(6):
        up, down = (answer(force=effort + h * np.eye(6)[j]) for h in (1.0, -1.0))
        assert np.abs((up - down)[0] / 2 - found.effort[0, :, j]).max() < 1e-10
        up, down = (answer(external=c.external + h * np.eye(6)[j]) for h in (1.0, -1.0))
        assert np.abs((up - down)[0] / 2 - found.external[0, :, j]).max() < 1e-10
    with pytest.raises(gough.InputError, match="fixed links"):
        derivatives_error(machine, c.motion, found, effort, c.external)
    names = dict(zip(found.names, np.moveaxis(found.parameters[0], -1, 0), strict=True))
    h = 1e-3
    up, down = (
        gough.forward_dynamics(
            machine.replace(body=machine.body.replace(mass=machine.body.mass + x)),
            c.motion,
            effort,
            c.external,
            engine="python",
        ).answer[0]
        for x in (h, -h)
    )
    np.testing.assert_allclose((up - down) / (2 * h), names["body.mass"], rtol=1e-6, atol=1e-9)


def test_slopes_of_inverse_dynamics_serve_links() -> None:
    c = next(c for s in range(40) if (c := linked("UPS", seed=s, count=2, states=1)))
    here = gough.inverse_dynamics_derivatives(c.platform, c.motion, c.external)
    there = gough.inverse_dynamics_derivatives(released(c.platform), c.motion, c.external)
    assert here.names == there.names
    np.testing.assert_allclose(here.parameters, there.parameters, rtol=1e-9, atol=1e-9)


def test_links_are_not_sized() -> None:
    machine = telescope()
    end = gough.on_links(machine, Pose.from_rpy([5e-4, 3e-4, 0.4008], [1e-3, 5e-4, 0.0])).pose
    way = gough.trajectory.on_links(
        machine, gough.trajectory.quintic(machine.require_home(), end, duration=2.0)
    )
    sized = analysis.size(machine, [way.sample(21)])
    assert [leg.name for leg in sized.legs] == list(machine.leg_names[:5])
    assert not sized.overload


def refused() -> dict[str, Callable[[gough.Platform, Pose], object]]:
    return {
        "slice": lambda m, p: analysis.workspace_slice(m),
        "grid": lambda m, p: analysis.grid_volume(m),
        "volume": lambda m, p: analysis.exact_volume(m),
        "profile": lambda m, p: analysis.slice_profile(m),
        "certified": lambda m, p: analysis.certified_volume(m),
        "orientations": lambda m, p: analysis.orientation_volume(m, np.eye(3)[None]),
        "points": lambda m, p: analysis.points_inside(m, np.zeros((1, 3))),
        "path": lambda m, p: analysis.path_check(m, p, p),
        "clearance": lambda m, p: analysis.clearance(m, p, np.array([1.0, 0, 0]), 0.1),
        "aspects": lambda m, p: aspects(m, Pose(p.position[None], p.rotation[None])),
        "shaking": lambda m, p: analysis.transmissibility(m, p, [10.0], stiffness=1e7),
        "elastic": lambda m, p: elastic_rest(m, p),
        "monte carlo": lambda m, p: analysis.monte_carlo(m, p, base=1e-5),
        "estimate": lambda m, p: gough.estimate_pose(m, np.full(6, 0.4), actuator=1e-5),
        "lean": lambda m, p: gough.lean(m),
        "stream": lambda m, p: next(stream(m, np.zeros((1, 30)))),
        "C": lambda m, p: gough.export.c_project(m),
        "design": lambda m, p: evaluate(m, gough.design.Task(), ["dexterity"]),
        "gym": lambda m, p: gough.gym.PlatformVectorEnv(m),
        "LQR": lambda m, p: gough.control.LQR.from_bandwidth(m, 10.0),
        "margins": lambda m, p: gough.control.margins(
            m, Decentralized.from_bandwidth(m, bandwidth=20.0)
        ),
        "learn": lambda m, p: gough.control.learn(m, {}),
    }


@pytest.mark.parametrize("what", refused())
def test_not_served_with_links(what: str) -> None:
    machine = telescope()
    with pytest.raises(gough.InputError, match=r"fixed links link.*with fixed links"):
        refused()[what](machine, machine.require_home())


def test_jax_is_not_served() -> None:
    pytest.importorskip("jax")
    from gough.dynamics import jax

    with pytest.raises(gough.InputError, match="JAX does not serve machines with fixed links"):
        jax.machine(telescope())
