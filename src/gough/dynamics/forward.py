"""Forward dynamics, mass matrix, bias and energy of the exact model; the papers' mass matrices and biases.

M xdd + b = J^T F + (F_e, M_e)     task space: (v, w) of the reference point, world axes
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough import border, guard
from gough.checks import Array
from gough.dynamics.formulation import published_verb
from gough.engines.evaluate import as_motion, check_platform, evaluation
from gough.layout import ENERGY, FORWARD, FULL
from gough.links import POSE, TWIST, refuse_off_links
from gough.model import Platform
from gough.results import Energy, ForwardDynamics, Spin
from gough.spatial import Motion, Pose

ACCELERATION = slice(0, FORWARD.at("spin_acceleration"))
BIAS = ("forward", FORWARD.bias)


@border.outside(engine="auto")
def forward_dynamics(
    platform: Platform,
    motion: Motion | Pose,
    force: ArrayLike,
    external: ArrayLike | None = None,
    *,
    spin: Spin | None = None,
    engine: str = "native",
    base: Motion | None = None,
) -> ForwardDynamics:
    """Accelerations caused by actuator efforts (..., 6) and an external wrench (..., 6, platform axes).

    ``xdd = M^-1 (J^T F + wrench - b)``; the accelerations inside `motion` are not read, nor are efforts of fixed links:
    the forces in these are those that keep their lengths (docs/derivations/links.md).
    base    motion of the base in the world, as in `inverse_dynamics`: the accelerations are those against it
    engine  as in `inverse_dynamics`
    """
    loads = {"force": force, "external": external}
    driven = evaluation("forward", platform, motion, spin, engine, base, **loads)
    out = driven.judged()
    return ForwardDynamics(
        out[..., FORWARD.acceleration],
        out[..., FORWARD.angular_acceleration],
        out[..., FORWARD.spin_acceleration],
        compute_error=lambda: driven.error(out[..., ACCELERATION]),
        compute_spin_error=lambda: driven.error(
            out[..., FORWARD.spin_acceleration], (driven.function, FORWARD.spin_acceleration)
        ),
    )


@border.outside(engine="auto")
def bias(
    platform: Platform,
    motion: Motion | Pose,
    formulation: str = "exact",
    published: bool = False,
    *,
    spin: Spin | None = None,
    engine: str = "native",
    base: Motion | None = None,
) -> Array:
    """``b`` (..., 6): gravity, velocity and friction terms, force then moment about the reference point.

    formulation, published, base, engine  as in `inverse_dynamics`
    """
    found = _published("bias", platform, motion, formulation, published, spin, base)
    if found is None:
        nothing = {"force": None, "external": None}
        still = evaluation("forward", platform, motion, spin, engine, base, **nothing)
        found = still.judged(part=(still.function, FORWARD.bias))[..., FORWARD.bias]
    return found


def _published(
    name: str,
    platform: Platform,
    motion: Motion | Pose,
    formulation: str,
    published: bool,
    spin: Spin | None,
    base: Motion | None = None,
) -> Array | None:
    """A formulation's answer, guarded: legs at singularities of their own are refused, whatever is not finite too."""
    verb = published_verb(name, formulation, published, spin, base)
    if verb is None:
        return None
    check_platform(platform)
    refuse_off_links(platform, as_motion(motion), POSE if name == "mass_matrix" else TWIST)
    motion, question = as_motion(motion), guard.Question(spinning=spin is not None)
    guard.judge_pose(platform, motion, question)
    with np.errstate(invalid="ignore", over="ignore"):
        found = verb(platform, motion.pose if name == "mass_matrix" else motion)
    guard.judge_finite(platform, motion, found.reshape(*motion.shape, -1), question)
    return found


@border.outside(engine="auto")
def mass_matrix(
    platform: Platform,
    pose: Pose | Motion,
    formulation: str = "exact",
    published: bool = False,
    *,
    spin: Spin | None = None,
    engine: str = "native",
) -> Array:
    """``M`` (..., 6, 6), symmetric positive definite, drives included; free spins condensed out.

    formulation, published, engine  as in `inverse_dynamics`
    """
    found = _published("mass_matrix", platform, pose, formulation, published, spin)
    if found is None:
        found = np.take(evaluation("mass", platform, pose, spin, engine).judged(), FULL, axis=-1)
    return found


@border.outside(engine="auto")
def energy(
    platform: Platform,
    motion: Motion | Pose,
    *,
    spin: Spin | None = None,
    engine: str = "native",
    base: Motion | None = None,
) -> Energy:
    """Kinetic and potential energy of platform, legs and drive rotors, J.  ``T = xd^T M xd/2``, ``V = -sum m g.r``

    base    motion of the base in the world, as in `inverse_dynamics`: the energies are those in the world
    engine  as in `inverse_dynamics`
    """
    moving = evaluation("energy", platform, motion, spin, engine, base)
    out = moving.judged()
    return Energy(
        kinetic=out[..., ENERGY.kinetic],
        potential=out[..., ENERGY.potential],
        compute_error=lambda: moving.error(out[..., : ENERGY.risk]),
    )
