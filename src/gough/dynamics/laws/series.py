"""Series: stiffness, damping and backlash between the drive's own coordinate lam and the leg's coordinate l.

    y = k s + c sdot,  s = lam - l                  transmitted, N (N m);  m_r lam'' = u - friction(lam, lam') - y
    with backlash b:  y = k p + clip(c sdot, +-k p) on the side that touches, p = |s| - b/2 > 0, else nothing
Two more states per leg (12 degrees of freedom); the rotor's inertia m_r leaves the leg's equations for lam.  The
damping of a play is bounded by its spring: no force without contact, none that pulls.  Stored ``k p^2/2``, dissipated
``clip(c sdot, ...) sdot >= 0``.  A screw turns with its motor, on the same side of the spring.  Rotors and screws that
ride on their leg ("riding") couple lam to the leg's turning: equations/elastic.py answers lam'' then.
"""

from __future__ import annotations

from typing import Any

from gough.checks import Array, InputError
from gough.dynamics.laws import Laws
from gough.dynamics.rotors import check_riders
from gough.engines.pack import rotors
from gough.equations.scalar import larger, smaller
from gough.layout import LEG_LAW
from gough.model import Drive, Leg, Platform


def fill(law: Array, leg: Leg, drive: Drive) -> None:
    """Rows of one leg."""
    if drive.stiffness is not None:
        law[LEG_LAW.series_stiffness], law[LEG_LAW.series_damping] = drive.stiffness, drive.damping
        law[LEG_LAW.play] = 0.5 * drive.backlash
        law[LEG_LAW.reflected], gyro = rotors(leg)
        law[LEG_LAW.riding] = float(gyro.any())


def check(platform: Platform) -> None:
    """All six drives are elastic, or hydraulic, or none, and an elastic one has a rotor of its own."""
    drives = [leg.drive for leg in platform.legs]
    for name in ("stiffness", "inductance", "current_bandwidth", "hydraulic"):
        given = [drive is not None and getattr(drive, name) is not None for drive in drives]
        if any(given) and not all(given):
            raise InputError(
                f"drive.{name}", "given for some legs", "must be given for all or none"
            )
    commands = {d.hydraulic.command for d in drives if d is not None and d.hydraulic is not None}
    if len(commands) > 1:
        raise InputError("drive.hydraulic.command", "force and valve", "must be the same for all")
    for leg in platform.legs:
        if leg.drive is None or leg.drive.stiffness is None:
            continue
        if rotors(leg)[0] == 0.0:
            raise InputError(
                "drive.rotor_inertia", 0.0, "must be above zero behind drive.stiffness"
            )
        check_riders(platform)


def _depths(law: Any, stretch: Any) -> tuple[Any, Any]:
    half = law[LEG_LAW.play]
    return larger(stretch - half, 0.0), larger(-stretch - half, 0.0)


def force(laws: Laws, law: Any, stretch: Any, rate: Any) -> Any:
    """On the leg's coordinate, N (N m)."""
    k, c = law[LEG_LAW.series_stiffness], law[LEG_LAW.series_damping]
    if "backlash" not in laws:
        return k * stretch + c * rate
    push, pull = _depths(law, stretch)
    bound = k * (push + pull)
    return k * (push - pull) + larger(smaller(c * rate, bound), -bound)


def stored(laws: Laws, law: Any, stretch: Any) -> Any:
    """``k p^2/2``, J."""
    push, pull = _depths(law, stretch)
    return 0.5 * law[LEG_LAW.series_stiffness] * (push * push + pull * pull)


def dissipated(laws: Laws, law: Any, stretch: Any, rate: Any) -> Any:
    """W."""
    push, pull = _depths(law, stretch)
    elastic = law[LEG_LAW.series_stiffness] * (push - pull)
    return (force(laws, law, stretch, rate) - elastic) * rate


def start(law: Any, length: Any, load: Any) -> Any:
    """Where the drive stands while its spring carries a load at rest."""
    k, half = law[LEG_LAW.series_stiffness], law[LEG_LAW.play]
    return length + load / k + half * ((load > 0.0) * 1.0 - (load < 0.0) * 1.0)
