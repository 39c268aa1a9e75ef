"""The friction of a drive in a model file: what a joint's damping and constant dry friction can say of it.

Rotor-side viscous and Coulomb friction at the actuator coordinate: ``nu^2 viscous`` and ``|nu| coulomb``
(`gough.Drive.friction`; of a cylinder its own).
"""

from __future__ import annotations

from gough.checks import InputError
from gough.export.linkage import Chain

FRICTIONS = ("joints", "all")


def drive_friction(chain: Chain, language: str) -> tuple[float, float]:
    """Damping and dry friction of a leg's drive, N s/m and N (N m s and N m); what is neither is refused."""
    name, friction, drive = f"legs.{chain.name}", chain.leg.friction, chain.leg.drive
    for end in ("universal_dry", "spherical_dry"):
        value = getattr(friction, end)
        if value:
            why = f"{language} has no friction that grows with the load of a joint"
            raise InputError(f"{name}.friction.{end}", value, why)
    if drive is None:
        return 0.0, 0.0
    own = drive.hydraulic or drive
    refused = {
        "static": (
            own.static if own.static > own.coulomb else 0.0,
            "that falls as the drive moves",
        ),
        "efficiency": (drive.efficiency if any(drive.losses) else 0.0, "in proportion to the load"),
        "backlash": (drive.backlash, "with play"),
        "stiffness": (drive.stiffness or 0.0, "behind an elastic transmission"),
    }
    for field, (value, what) in refused.items():
        if value:
            why = f"{language} has no friction of a drive {what}"
            raise InputError(f"{name}.drive.{field}", value, why)
    return drive.ratio**2 * own.viscous, abs(drive.ratio) * own.coulomb
