"""What [Syed] (004) states, set against its own equations and the exact model."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations import kane
from gough.formulations.kane import partial_velocities
from gough.model import Friction, Platform
from gough.reproduce.builders import as_motion, newtons, quiet_load, worst
from gough.reproduce.kane.forces import LegAndDriveForces, coupling, leg_mass_matrix
from gough.reproduce.page import Claim, Erratum

PINION = 0.01  # m, chosen


def summary(found: dict[str, LegAndDriveForces]) -> str:
    """Two or three sentences with the result first."""
    share = [f.share(f.exact) for f in found.values()]
    z = found["z"]
    return (
        "The paper gives almost no data; on an example machine its qualitative statements mostly hold: "
        f"legs of two times 0.065 kg make {min(share):.1f}-{max(share):.1f} % of the peak force, and a "
        f"uniform {(z.exact - z.massless)[z.quarter, 0]:.3f} N along z.  Its equations do not give them: the "
        "drive inertia of eq 14 has the radius upside down, eq 12 subtracts it, and eq 3 counts "
        "accelerations twice (up to "
        f"{max(f.percent(f.printed) for f in found.values()):.1f} % of the peak)."
    )


def claims(
    machine: Platform, driven: Platform, found: dict[str, LegAndDriveForces]
) -> tuple[Claim, ...]:
    """The paper's statements."""
    return (*_legs(found), *_halves(found), *_drives(machine, driven, found), *_method(machine))


def _legs(found: dict[str, LegAndDriveForces]) -> tuple[Claim, ...]:
    share = {n: [f.share(x) for x in (f.printed, f.exact)] for n, f in found.items()}
    z, x = found["z"], found["x"]
    added = [y - z.massless for y in (z.printed, z.exact)]
    spread = {n: float(np.ptp(f.exact - f.massless, axis=1).max()) for n, f in found.items()}
    q = x.quarter
    change = [np.abs(y[q]) - np.abs(x.massless[q]) for y in (x.printed, x.exact)]
    return (
        Claim(
            "Leg dynamics increase the actuator forces significantly",
            "Sec. 3.2, Figs. 2, 3",
            "-",
            _span([s[0] for s in share.values()]) + " % of the peak",
            _span([s[1] for s in share.values()]) + " % of the peak",
            "reproduced",
        ),
        Claim(
            "Along z all six forces rise alike",
            "Sec. 3.2, Figs. 2(c), 3(c)",
            "-",
            f"+{added[0][z.quarter].mean():.3f} N, unequal by {np.ptp(added[0], axis=1).max():.0e} N",
            f"+{added[1][z.quarter].mean():.3f} N, unequal by {np.ptp(added[1], axis=1).max():.0e} N",
            "reproduced",
            f"at the largest acceleration; {added[1][0].mean():.3f} N at rest",
        ),
        Claim(
            "The other trajectories show non-uniform effects",
            "Sec. 3.2",
            "-",
            "-",
            "largest difference between the legs: "
            + ", ".join(f"{n} {s:.2f} N" for n, s in spread.items()),
            "reproduced",
        ),
        Claim(
            "Along x the forces 1, 3, 4, 6 rise and 2, 5 fall",
            "Sec. 3.2, Fig. 3(a)",
            "up 1, 3, 4, 6; down 2, 5",
            _pattern(change[0]),
            _pattern(change[1]),
            "unclear",
            "at the largest acceleration; the pattern depends on the geometry, which is not given",
        ),
        Claim(
            "Forces 2 and 5 fall because legs 1 and 5 contract",
            "Sec. 3.2",
            "legs 1 and 5",
            "-",
            "legs 2 and 5",
            "wrong",
            "a slip of the pen: the legs must be those whose forces fall (E004-6)",
        ),
    )


def _pattern(change: Array) -> str:
    up = [str(i + 1) for i in range(6) if change[i] > 0]
    down = [str(i + 1) for i in range(6) if change[i] < 0]
    return f"up {', '.join(up) or 'none'}; down {', '.join(down) or 'none'}"


def _span(values: list[float]) -> str:
    return f"{min(values):.1f}-{max(values):.1f}"


def dasgupta_halves() -> dict[str, str]:
    """What lower and upper parts contribute on 001's machine, Paths I and II."""
    machine = quiet_load("dasgupta-1998")
    machine = machine.replace(legs=[leg.replace(friction=Friction()) for leg in machine.legs])
    out: dict[str, list[str]] = {"lower": [], "upper": []}
    for name in ("I", "II"):
        motion = as_motion(f"001-{name}").sample(61)
        force = {
            k: kane.inverse_dynamics(machine, motion, legs=k).force
            for k in ("full", "lower", "upper")
        }
        peak = float(np.abs(force["full"]).max())
        out["lower"].append(f"{newtons(worst(force['full'], force['upper']), peak)} on Path {name}")
        out["upper"].append(f"{newtons(worst(force['full'], force['lower']), peak)} on Path {name}")
    return {k: ", ".join(v) for k, v in out.items()}


def _halves(found: dict[str, LegAndDriveForces]) -> tuple[Claim, ...]:
    lower = [f.share(f.lower) for f in found.values()]
    upper = [f.share(f.upper) for f in found.values()]
    other = dasgupta_halves()
    return (
        Claim(
            "The masses of the lower halves are negligible",
            "Sec. 4",
            "-",
            "-",
            _span(lower) + " % of the peak",
            "differs",
            f"on this example; not in general: the machine of 001 loses {other['lower']} without them",
        ),
        Claim(
            "The masses of the upper halves are very significant",
            "Sec. 4",
            "-",
            "-",
            _span(upper) + " % of the peak",
            "reproduced",
            f"on the machine of 001 they make {other['upper']}",
        ),
    )


def _drives(
    machine: Platform, driven: Platform, found: dict[str, LegAndDriveForces]
) -> tuple[Claim, ...]:
    z = found["z"]
    m_r = driven.legs[0].drive.reflected_inertia if driven.legs[0].drive else 0.0
    rotor = {n: float(np.abs(f.rotor).max()) for n, f in found.items()}
    ratio = {n: rotor[n] / f.peak for n, f in found.items()}
    beside = [coupling(leg_mass_matrix(x, "full")) for x in (machine, driven)]
    share = [other / own for own, other in beside]
    q = z.quarter
    return (
        Claim(
            "Reflected inertia of a drive",
            "eq 14",
            "zeta^2 I r^2",
            f"{m_r * PINION**4:.0e} kg m^4",
            f"zeta^2 I / r^2 = {m_r:.1f} kg",
            "wrong",
            "the printed unit is not a mass (E004-1)",
        ),
        Claim(
            "Drive inertia forces are far larger than the coupling of platform and legs",
            "Sec. 3.3, Figs. 4, 5",
            "-",
            f"z: {z.printed_drive[q, 0]:.2f} N with, {z.printed[q, 0]:.2f} N without drives",
            f"z: {z.driven[q, 0]:.2f} N with, {z.exact[q, 0]:.2f} N without; drive alone "
            + ", ".join(f"{n} {r:.1f} N" for n, r in rotor.items()),
            "differs",
            "drive force over the rest: "
            + ", ".join(f"{n} {r:.2f}" for n, r in ratio.items())
            + "; it dominates along z, not in rotations, with the chosen 4 kg",
        ),
        Claim(
            "Each drive may be treated as if it moved a constant load",
            "Sec. 4",
            "-",
            "-",
            f"largest coupling term / diagonal of the mass matrix: {100 * share[0]:.0f} % without, "
            f"{100 * share[1]:.0f} % with drives",
            "differs",
            "a better picture with drives than without, but a quarter of the inertia stays coupled with 4 kg",
        ),
        Claim(
            "Forces are considerably larger with the drive inertia",
            "Sec. 3.3",
            "-",
            f"z peak {np.abs(z.printed).max():.2f} to {np.abs(z.printed_drive).max():.2f} N",
            f"z peak {z.peak:.2f} to {np.abs(z.driven).max():.2f} N",
            "reproduced",
            "not by the printed eqs 12 and 14",
        ),
    )


def _method(machine: Platform) -> tuple[Claim, ...]:
    motion = as_motion("004-x")(0.04)
    eq = kane.equations(machine, motion)
    leg = eq.in_leg_space()
    now = partial_velocities.speeds(machine, motion)
    struts = next(iter(now.struts.values()))
    A = (struts.s[:, None, :] @ struts.tip.value)[:, 0, :] @ leg.partial
    return (
        Claim(
            "The matrix [a] of the actuator forces",
            "eqs 9, 10",
            "V_B - V_A along the leg",
            "-",
            f"identity to {np.abs(A - np.eye(6)).max():.0e}",
            "reproduced",
            "with true partial velocities; leaving the sliding out of V_B, as eq 3 may be read, gives zero",
        ),
        Claim(
            "[m] is the mass matrix",
            "eqs 6, 7",
            "-",
            f"largest eigenvalue {np.linalg.eigvalsh((leg.m + leg.m.T) / 2).max():.3f} kg",
            "minus the mass matrix",
            "wrong",
            "inertia forces are -m a, so [m_d] must be subtracted (E004-2)",
        ),
        Claim(
            "The partial velocities are non-holonomic",
            "Sec. 2, App. A",
            "-",
            "-",
            "holonomic",
            "wrong",
            "closed loops are constraints on positions (E004-5)",
        ),
    )


def errata(
    machine: Platform, driven: Platform, found: dict[str, LegAndDriveForces]
) -> tuple[Erratum, ...]:
    """Each erratum and what it costs on the example."""
    z = found["z"]
    q = z.quarter
    twice = {n: f.percent(f.printed) for n, f in found.items()}
    lower = [f.share(f.lower) for f in found.values()]
    vanish = kane.inverse_dynamics(driven, z.motion, errata={"E004-1"}).force
    return (
        Erratum(
            "E004-1",
            "Eq 14 prints zeta^2 I r^2; the motor turns by zeta l/r, so it is zeta^2 I / r^2.",
            f"z: {newtons(worst(vanish, z.driven), float(np.abs(z.driven).max()))}; the drives vanish",
        ),
        Erratum(
            "E004-2",
            "[m] of eq 7 is minus the mass matrix, so eq 12 must have [m] - [m_d].",
            f"z at the largest acceleration: {z.slip[q, 0]:.2f} N in place of {z.driven[q, 0]:.2f} N",
        ),
        Erratum(
            "E004-3",
            "Eq 3 adds omega x V (and s ldd + 2 omega x s ldot) to accelerations that contain them.",
            f"{min(twice.values()):.1f}-{max(twice.values()):.1f} % of the peak; z {z.off(z.printed):.3f} N",
        ),
        Erratum(
            "E004-4",
            "Eq 9: the friction's direction is the sign of ldot; printed is ldot/l with unit 1/s.",
            _friction_cost(machine),
        ),
        Erratum(
            "E004-5",
            "Partial velocities belong in (k_j)_P; eq A.2 has R^T where eq 5 has R; dots on F, T, K stand "
            "for stars; closed loops are holonomic.",
            "R^T for R: " + _transposed_cost(),
        ),
        Erratum("E004-6", "'Legs L_1 and L_5' must be L_2 and L_5.", "text only"),
        Erratum(
            "E004-7",
            "'Lower leg masses negligible' is an example, not a rule.",
            f"{_span(lower)} % of the peak here; machine of 001: {dasgupta_halves()['lower']}",
        ),
        Erratum(
            "E004-8",
            "Ball joints at both ends leave six spins free; they may be left out only for legs that are "
            "symmetric about their axis.",
            "none here",
        ),
        Erratum(
            "E004-9",
            "Geometry, platform, rotor, ratio, pinion, b', trajectories and the announced Section 4 are missing.",
            "an example was chosen",
        ),
    )


def _friction_cost(machine: Platform) -> str:
    rough = machine.replace(
        legs=[leg.replace(friction=Friction(0.0, 1.0, 0.0)) for leg in machine.legs]
    )
    motion = as_motion("004-z").sample(101)
    error = worst(
        kane.inverse_dynamics(rough, motion, errata={"E004-4"}).force,
        kane.inverse_dynamics(rough, motion).force,
    )
    return (
        f"{error:.3f} N along z with mu = 1 N s/m times the speed; the paper sets friction to zero"
    )


def _transposed_cost() -> str:
    machine = quiet_load("dasgupta-1998")
    motion = as_motion("001-II").sample(61)
    right = kane.inverse_dynamics(machine, motion).force
    return (
        newtons(
            worst(kane.inverse_dynamics(machine, motion, errata={"E004-5"}).force, right),
            float(np.abs(right).max()),
        )
        + " on Path II of 001"
    )
