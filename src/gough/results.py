"""What the dynamics verbs answer.  Every formulation returns these same types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gough import brief
from gough.checks import Array, rich
from gough.frozen import hinted
from gough.layout import LEG_RECORD


class Result:
    """An answer: its arrays are read-only, and its repr tells shapes instead of pages of numbers (gough/brief.py).

    UNITS  of its fields, for that
    """

    UNITS: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if type(value) is np.ndarray:
                value.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        Result.__post_init__(self)  # arrays come out of a pickle writeable

    def __repr__(self) -> str:
        return brief.line(self)


class Marked(Result):
    """An answer that says how much it is worth: `error` and `digits` are computed when first asked for.

    Both come from a proof (gough/engines/error_bound.py): the exact equations at these very numbers lie within.  What
    the numbers of the machine and the motion are worth is another matter.
    """

    compute_error: Callable[[], Array] | None
    LATER: ClassVar[dict[str, str]] = {"compute_error": "error"}
    """What is computed when first asked for: its maker, its name."""

    @cached_property
    def error(self) -> Array:
        """(..., n) bounds on the absolute errors of the answer, in its own units and order."""
        return _asked(self.compute_error)

    @property
    def answer(self) -> Array:
        """(..., n) the numbers that `error` bounds."""
        raise NotImplementedError

    @cached_property
    def digits(self) -> Array:
        """(...) decimal digits proven, ``-log10(max error/max |answer|)`` over the n numbers of a state, 0 to 15.95.

        Norm-wise: a small number beside large ones has fewer; `error` says how many.
        """
        return proven_digits(self.answer, self.error)

    def __getstate__(self) -> dict[str, Any]:
        """A copy holds what is still to be computed as numbers: its maker may be closed over anything."""
        for compute, name in self.LATER.items():
            if getattr(self, compute) is not None:
                getattr(self, name)
        return {**self.__dict__, **dict.fromkeys(self.LATER)}


def _asked(compute: Callable[[], Array] | None) -> Array:
    if compute is None:
        raise AttributeError(
            "this answer carries no error bound (published errors, foreign engine, motors behind friction)"
        )
    return compute()


def proven_digits(answer: Array, error: Array) -> Array:
    """(...) digits of an answer (..., n) with error bounds (..., n), see `Marked.digits`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = error.max(axis=-1) / np.abs(answer).max(axis=-1)
        left = -np.log10(np.where(error.max(axis=-1) == 0.0, 0.0, relative))
    return np.clip(np.nan_to_num(left, nan=0.0), 0.0, 53.0 * np.log10(2.0))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class LegMotion(Result):
    """Kinematics of the six legs.

    length, rate, acceleration   (..., 6) actuator coordinate and its rates, m (rad for a crank)
    direction                    (..., 6, 3) unit vector s along the strut, towards the platform, world axes
    angular_velocity             (..., 6, 3) of the strut, world axes, rad/s
    angular_acceleration         (..., 6, 3) rad/s^2
    """

    UNITS: ClassVar = {"angular_velocity": "rad/s", "angular_acceleration": "rad/s^2"}

    length: Array
    rate: Array
    acceleration: Array
    direction: Array
    angular_velocity: Array
    angular_acceleration: Array


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Reactions(Result):
    """Joint reactions, (..., 6, 3), world axes, N and N m.

    spherical_force   on the platform, at the platform joint (the leg feels the opposite)
    universal_force   on the strut at its base-side joint, from base (UPS, SPS, UCU, UCS), slider (PUS, PSU) or crank
                      (RUS, RSS)
    universal_moment  on the strut there, friction and springs included: ``m c - C_u W_rel`` (a ball joint: these alone)
    prismatic_force   UPS, SPS, UCU, UCS: of the lower on the upper part, its component along s is the actuator force
                      less what accelerates the drive's rotor (the force through the screw);
                      PUS, PSU: of the guide on the slider, across the rail; RUS, RSS: of the base on the crank
    prismatic_moment  UPS, SPS, UCU, UCS: on the upper part about the base joint (UCU: about s what passes the screw's
                      thread less friction and spring of the cylindrical pair; UCS: less its friction); PUS, PSU: on the
                      slider about its joint; RUS, RSS: on the crank about the shaft point, its component along the
                      shaft is the torque that passes through the shaft
    platform_moment   on the platform, at the platform joint: friction and springs; UCU, PSU: with what the universal
                      joint there carries
    """

    UNITS: ClassVar = {
        **dict.fromkeys(("spherical_force", "universal_force", "prismatic_force"), "N"),
        **dict.fromkeys(("universal_moment", "prismatic_moment", "platform_moment"), "N m"),
    }

    spherical_force: Array
    universal_force: Array
    universal_moment: Array
    prismatic_force: Array
    prismatic_moment: Array
    platform_moment: Array

    def _repr_html_(self) -> str:
        return rich("reactions_html", self)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class CrossPieces(Result):
    """What the cross pieces of universal joints with offsets carry, (..., 6, 3), world axes, N and N m; zero where a
    joint has none (`platform.legs` says which have).

    base_force, base_moment          of the base joint's cross piece on the lower part, at its second axis
    platform_force, platform_moment  of the platform joint's cross piece on the upper part, at its second axis
    At the second axis: where the common normal of both axes meets it.  Friction of the joint is included.
    """

    UNITS: ClassVar = {
        **dict.fromkeys(("base_force", "platform_force"), "N"),
        **dict.fromkeys(("base_moment", "platform_moment"), "N m"),
    }

    base_force: Array
    base_moment: Array
    platform_force: Array
    platform_moment: Array


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class DryJoints(Result):
    """What the dry friction of the joints does.

    load         (..., 6, 2) N through the base-side and the platform joint of each leg, N
    contraction  (...) q: below 1 the answer is the only one; how far each step of the fixed point shrinks its error
    band         (..., 6) half width of what the efforts may be while joints stick, N (N m); 0 where all turn
    stuck        (..., 6, 2) the joint (of a universal one: some axis) does not turn
    """

    UNITS: ClassVar = {"load": "N"}

    load: Array
    contraction: Array
    band: Array
    stuck: Array


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class InverseDynamics(Marked):
    """Actuator efforts for a motion; reactions, condition number and digits are computed when first asked for.

    force          (..., 6) N (N m for cranks); positive extends the leg / moves the slider along +rail
    spin_acceleration  (..., 6) rad/s^2 of legs that spin, zero for others; None: the formulation does not know it
    actuator_force, motor_torque  with ``drives=True``, where `force` is the motors': what it leaves behind the drives'
                   losses (..., 6), and the torques of the motors (..., 6), N m, if every leg has a drive
    wrench_matrix  (..., 6, 6) columns ``(s_i, q_i x s_i)``, world axes; None: `H` computes it when asked
    dry            with ``dry=True``: what the dry friction of the joints does
    links          numbers of the fixed links: their `force` is that in the link, not an actuator's (`link_force`)
    formulation    name of the method;  published: True if printed errors were kept
    """

    UNITS: ClassVar = {
        "characteristic_length": "m",
        "spin_acceleration": "rad/s^2",
        "motor_torque": "N m",
    }

    force: Array
    wrench_matrix: Array | None = None
    formulation: str = "exact"
    published: bool = False
    characteristic_length: float = 1.0
    spin_acceleration: Array | None = None
    extra: dict[str, Array] = field(default_factory=dict)
    compute_reactions: Callable[[], Reactions] | None = field(default=None, repr=False)
    compute_wrench_matrix: Callable[[], Array] | None = field(default=None, repr=False)
    compute_error: Callable[[], Array] | None = field(default=None, repr=False)
    compute_leg_errors: Callable[[], Array] | None = field(default=None, repr=False)
    actuator_force: Array | None = None
    motor_torque: Array | None = None
    compute_base_wrench: Callable[[], Array] | None = field(default=None, repr=False)
    base_twist: Array | None = None
    dry: DryJoints | None = None
    links: tuple[int, ...] = ()
    LATER: ClassVar = {
        "compute_base_wrench": "base_wrench",
        "compute_wrench_matrix": "H",
        "compute_reactions": "reactions",
        "compute_error": "error",
        "compute_leg_errors": "leg_errors",
    }

    def __post_init__(self) -> None:
        self.force.flags.writeable = False  # this alone: one state must stay cheap

    @property
    def answer(self) -> Array:
        """The efforts."""
        return self.force

    @property
    def link_force(self) -> Array:
        """(..., m) forces in the fixed links, N, positive where they push: the efforts of these legs are no drive's."""
        return self.force[..., list(self.links)]

    @property
    def has_reactions(self) -> bool:
        """The formulation gives joint reactions."""
        return self.compute_reactions is not None or "reactions" in self.__dict__

    @cached_property
    def H(self) -> Array:
        """The wrench matrix, (..., 6, 6)."""
        if self.wrench_matrix is not None:
            return self.wrench_matrix
        if self.compute_wrench_matrix is None:
            raise AttributeError(
                f"formulation {self.formulation!r} does not give the wrench matrix"
            )
        return self.compute_wrench_matrix()

    @cached_property
    def reactions(self) -> Reactions:
        """All joint reactions."""
        if self.compute_reactions is None:
            raise AttributeError(f"formulation {self.formulation!r} does not give joint reactions")
        return self.compute_reactions()

    @cached_property
    def base_wrench(self) -> Array:
        """(..., 6) force and moment about its origin that the base gives the machine, drives included, base axes."""
        if self.compute_base_wrench is None:
            raise AttributeError("the wrench of the base is known where `base` is given")
        return self.compute_base_wrench()

    @property
    def base_power(self) -> Array:
        """(...) power that flows from the base into the machine, W."""
        wrench, twist = self.base_wrench, self.base_twist
        assert twist is not None
        return (wrench * twist).sum(axis=-1)

    @cached_property
    def leg_errors(self) -> Array:
        """(..., 6, n) bounds on the errors of what the legs answer, in the order of gough.layout.LEG_RECORD."""
        return _asked(self.compute_leg_errors)

    @property
    def reactions_error(self) -> Reactions:
        """Bounds on the errors of the reactions, each in the shape and unit of its own."""
        return Reactions(
            *(self.leg_errors[..., getattr(LEG_RECORD, f.name)] for f in fields(Reactions))
        )

    @property
    def spin_error(self) -> Array:
        """(..., 6) bounds on the errors of the spin accelerations, rad/s^2."""
        return self.leg_errors[..., LEG_RECORD.spin_acceleration]

    def _repr_html_(self) -> str:
        return rich("result_html", self)

    @cached_property
    def condition(self) -> Array:
        """Ratio of the extreme singular values of H as the papers take it (mixed units, SI)."""
        return condition_number(self.H)

    @cached_property
    def condition_scaled(self) -> Array:
        """The same with the moment rows divided by the characteristic length: one unit."""
        return condition_number(self.H, self.characteristic_length)


def condition_number(H: Array, characteristic_length: float | Array = 1.0) -> Array:
    """``sigma_max / sigma_min`` of H with its moment rows divided by a length (m); infinite if singular."""
    H = np.array(H, dtype=float)
    H[..., 3:, :] /= characteristic_length
    values = np.linalg.svd(H, compute_uv=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values[..., -1] == 0.0, np.inf, values[..., 0] / values[..., -1])[()]


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class ForwardDynamics(Marked):
    """Accelerations that given efforts cause, world axes.

    acceleration (..., 3) m/s^2 of the reference point; angular_acceleration (..., 3) rad/s^2;
    spin_acceleration (..., 6) rad/s^2 of legs that spin (zero for others)
    error, digits  of the six accelerations;  spin_error (..., 6) of the spins
    """

    UNITS: ClassVar = {
        "acceleration": "m/s^2",
        **dict.fromkeys(("angular_acceleration", "spin_acceleration"), "rad/s^2"),
    }

    acceleration: Array
    angular_acceleration: Array
    spin_acceleration: Array
    compute_error: Callable[[], Array] | None = field(default=None, repr=False)
    compute_spin_error: Callable[[], Array] | None = field(default=None, repr=False)
    LATER: ClassVar = {"compute_error": "error", "compute_spin_error": "spin_error"}

    @property
    def answer(self) -> Array:
        """Linear and angular acceleration, (..., 6)."""
        return np.concatenate([self.acceleration, self.angular_acceleration], axis=-1)

    @cached_property
    def spin_error(self) -> Array:
        """(..., 6) bounds on the errors of the spin accelerations, rad/s^2."""
        return _asked(self.compute_spin_error)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Energy(Marked):
    """Mechanical energy of platform, legs and drives, J; potential is zero at the world origin."""

    UNITS: ClassVar = {"kinetic": "J", "potential": "J"}

    kinetic: Array
    potential: Array
    compute_error: Callable[[], Array] | None = field(default=None, repr=False)

    @property
    def answer(self) -> Array:
        """Kinetic, potential, (..., 2)."""
        return np.stack([self.kinetic, self.potential], axis=-1)

    @property
    def total(self) -> Array:
        """Kinetic plus potential."""
        return self.kinetic + self.potential


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Spin(Result):
    """Spin of SPS, UCS (upper part) and RSS legs (rod) about their own axes.

    angle  (..., 6) rad from the leg's reference;  rate  (..., 6) rad/s
    Axisymmetric legs do not read their angle; in a run it is the integral of their rate.
    """

    UNITS: ClassVar = {"angle": "rad", "rate": "rad/s"}

    angle: Array
    rate: Array
