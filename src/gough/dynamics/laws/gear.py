"""Gear: friction in proportion to the load it transmits, so that a screw of low efficiency holds by itself.

F is the force that leaves the gear on the leg's side, ``u_g`` the one that enters it from the rotor, both at the
actuator coordinate.  Driving (F v > 0) ``F = eta_f u_g``; driven (F v < 0) ``u_g = eta_b F``.  As friction ``u_g - F``:

    level against motion along F:    (1/eta_f - 1) |F|,     against motion opposite to F:    (1 - eta_b) |F|
A thread has one coefficient for both: ``eta_b = 2 - 1/eta_f`` unless given.  Standing still the element (friction.py)
carries anything up to its level: with ``eta_b < 0`` (eta_f < 1/2) more than any load, whatever the motor does.  The
friction always opposes the motion, so no power is created; ``eta_b < 0`` means that both sides feed it.

Where the loop is cut: ``F = u - friction - m_r lddot`` contains the acceleration of all legs, hence F itself.  The
level follows F with a short time constant, ``load' = (F - load)/(T (1 + mu))``, mu the larger coefficient, as through
the elasticity of nut and bearings: a state, no equation to solve, unique for any numbers.  While sliding
``dF/dload = -+mu kappa`` with ``0 <= kappa = 1 - m_r a_i < 1`` (a_i the leg's acceleration per force), so the load
settles on the exact solution at a rate between ``(1 - mu kappa)/(1 + mu)/T`` and ``1/T`` where ``mu kappa < 1``, the
condition under which that solution is unique (all legs together: the exact equation is monotone when both
efficiencies are positive).  Beyond it (a self-locking screw on a light rotor, driven) load and friction grow until the
leg stands: it jams, as such screws do.  Behind a spring (series.py) F is the spring's force and nothing is cut.

A rotor that rides on its leg turns with it too: ``F = u - friction - m_r lddot - gam d.A``, with gam d = nu I_r d and A
the leg's angular acceleration (`felt`).  On a base that turns A is against the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gough.checks import Array, InputError
from gough.equations.machine import KINDS, offsets
from gough.equations.scalar import larger
from gough.equations.vec import Vec, dot, leg_frame
from gough.layout import LEG_LAW
from gough.model import SPS, UCS, UPS, Drive, Leg

LOAD_TIME = 1e-3  # T, s
TINY = 1e-300  # no rotor: nothing by it
RIDING = ("ups_rotor", "sps_axial", "sps_spin", "ucs_rotor", "ucs_axial", "ucs_spin")


def fill(law: Array, leg: Leg, drive: Drive) -> None:
    """Rows of one leg."""
    law[LEG_LAW.loss], law[LEG_LAW.back_loss] = drive.losses
    if any(drive.losses) and drive.stiffness is None and not _known(leg, drive):
        allowed = (
            "must lie along the strut, or be absent, where the gear has losses (UPS, UCS: any)"
        )
        raise InputError("drive.rotor_axis", drive.rotor_axis, allowed)
    law[LEG_LAW.load_rate] = 1.0 / (LOAD_TIME * (1.0 + max(drive.losses)))


def _known(leg: Leg, drive: Drive) -> bool:
    """What the leg's turning does to a rotor that rides on it is counted by `felt`."""
    axis = drive.rotor_axis
    if axis is None or drive.rotor_inertia == 0.0 or isinstance(leg, (UPS, UCS)):
        return True
    return isinstance(leg, SPS) and not axis[1:].any()


def felt(kinds: tuple[str, ...], par: Any, legs: Sequence[Mapping[str, Any]]) -> list[Any]:
    """``lddot + gam d.A/m_r`` of the six legs: their accelerations as their rotors feel them.

    par   rows of the machine's parameters;  legs  acceleration, direction and angular_acceleration (world axes)
    """
    out = []
    for kind, start, leg in zip(kinds, offsets(kinds), legs, strict=False):
        bare = kind.removesuffix("_sprung").removesuffix("_offset")
        found = leg["acceleration"]
        if bare in RIDING:
            row = KINDS[kind].row.named(par[start:])
            s, A = Vec(*leg["direction"]), Vec(*leg["angular_acceleration"])
            gyro, turn = Vec(*row["drive_gyro"]), Vec(dot(s, A), 0.0, 0.0)
            if not bare.startswith("sps"):  # A is that of the part it rides on
                turn = leg_frame(Vec(*row["axis"]), s).local(A)
            found = found + dot(gyro, turn) / larger(row["drive_reflected"][0], TINY)
        out.append(found)
    return out


def levels(law: Any, load: Any) -> tuple[Any, Any]:
    """What the gear adds to the friction levels against sliding forward and backward, N (N m)."""
    ahead, behind = larger(load, 0.0), larger(-load, 0.0)
    along, against = law[LEG_LAW.loss], law[LEG_LAW.back_loss]
    return along * ahead + against * behind, against * ahead + along * behind


def load_rate(law: Any, load: Any, given: Any, acceleration: Any) -> Any:
    """Rate of the load: `given` is the drive's force before its rotor (``u - friction``), acceleration as `felt`."""
    return law[LEG_LAW.load_rate] * (given - law[LEG_LAW.reflected] * acceleration - load)
