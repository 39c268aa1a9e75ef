"""What [ElBadawy] (003) states, set against its own equations and the exact model."""

from __future__ import annotations

import numpy as np

from gough.formulations import multibody
from gough.formulations.multibody.euler import EulerSystem
from gough.formulations.multibody.kinematics import configuration
from gough.reproduce.multibody import operations
from gough.reproduce.multibody.runs import ORDER_STEPS, MultibodyRuns, drivers, slope
from gough.reproduce.multibody.tables import (
    AMPLITUDES,
    BASE_ANGLES,
    DISTANCE,
    HEIGHT,
    LOWER,
    PLATFORM_ANGLES,
    TEXT_HEIGHT,
    UPPER,
    initial_coordinates,
)
from gough.reproduce.page import Claim, Erratum, TextTable
from gough.spatial import Motion, Pose

WEIGHT_SHARE = 1.79 * 9.81 / 6  # N


def summary(runs: MultibodyRuns) -> str:
    """The result first."""
    rest, start = runs.worst(runs.rest), runs.worst(runs.start)
    error, peak = _mass_matrix_cost(runs)
    return (
        "The motion is reproduced: the driven DAE gives the pose of the leg lengths to round-off, with the ranges the "
        f"paper states.  The forces are not right: the constant diagonal mass matrix costs up to {error:.3f} N of "
        f"{peak:.2f} N, and the oscillation of the first second, blamed on the fixed step, comes from initial "
        f"velocities that contradict the drivers: {rest[0]:.0f} N of error from rest, {max(start):.2f} N from a "
        "consistent start with the same step."
    )


def _mass_matrix_cost(runs: MultibodyRuns) -> tuple[float, float]:
    return float(np.abs(runs.printed_force - runs.exact.force).max()), float(
        np.abs(runs.exact.force).max()
    )


def _span(values: np.ndarray, digits: int = 4) -> str:
    return f"{values.min():+.{digits}f} .. {values.max():+.{digits}f}"


def claims(runs: MultibodyRuns) -> tuple[Claim, ...]:
    """The paper's statements."""
    return (*_motion(runs), *_forces(runs), *_structure(runs))


def _motion(runs: MultibodyRuns) -> tuple[Claim, ...]:
    x, y, z = runs.position.T
    beta = runs.euler[:, 1]
    low = _lower_start(runs)
    return (
        Claim(
            "X oscillates between 0.023 and -0.011 m",
            "Sec. 5, Fig. 2",
            "0.023 / -0.011 m",
            f"{_span(x)} m",
            f"{_span(x)} m",
            "differs",
            f"the lower end is a graph reading; starting at 0.3452 m would give {low:+.4f} m",
        ),
        Claim(
            "Y starts at about 0.3452 m",
            "Sec. 5, Fig. 2",
            "0.3452 m",
            f"{y[0]:.5f} m",
            f"{y[0]:.5f} m",
            "differs",
            "Table 3 prints 0.3466575 m (E003-4); range " + _span(y, 5) + " m",
        ),
        Claim(
            "X and Z start at zero",
            "Sec. 5",
            "0",
            f"{abs(x[0]):.0e}, {abs(z[0]):.0e} m",
            f"{abs(x[0]):.0e}, {abs(z[0]):.0e} m",
            "reproduced",
        ),
        Claim(
            "The largest rotation is 1 rad about Y",
            "Sec. 5, Fig. 3",
            "1 rad, 57 deg",
            f"{beta.max():.4f} rad",
            f"{beta.max():.4f} rad",
            "reproduced",
            f"beta {_span(beta)} rad",
        ),
        Claim(
            "The motion repeats every 6.25 s or 2 pi",
            "Sec. 5",
            "6.25 s",
            "6.2832 s",
            "6.2832 s",
            "reproduced",
            f"|x(2 pi) - x(0)| = {np.abs(runs.position[-1] - runs.position[0]).max():.0e} m",
        ),
        Claim(
            "The forward kinematics is solved: the only exact pose",
            "Sec. 1, 6",
            "-",
            f"{runs.kinematics_error:.0e} m from the pose of the lengths",
            "-",
            "unclear",
            "the branch continued from the start pose is found, which is no proof that it is the only one (E003-10)",
        ),
    )


def _lower_start(runs: MultibodyRuns) -> float:
    """Lowest X if the machine starts at the text's height, m."""
    from gough.simulation.dae import simulate_dae

    pose = Pose(np.array([0.0, 0.0, TEXT_HEIGHT]))
    length = configuration(runs.machine, pose)[1]
    run = simulate_dae(
        runs.machine, pose, 2 * np.pi, 2 * np.pi / 80, lengths=drivers(length), project=False
    )
    return float(run.motion.position[:, 0].min())


def _forces(runs: MultibodyRuns) -> tuple[Claim, ...]:
    static = multibody.inverse_dynamics(runs.machine, Motion.at_rest(runs.exact.motion[0].pose))
    rest, start, fine = (runs.worst(run) for run in (runs.rest, runs.start, runs.rest_fine))
    first = -runs.start.multiplier[0, 2]
    return (
        Claim(
            "F_y of leg 1 starts at 2.9 N, the weight of the platform over six",
            "Sec. 5, Fig. 5",
            "2.9 N",
            f"{first:.5f} N",
            f"{runs.joint[0, 1]:.5f} N",
            "reproduced",
            f"m g/6 = {WEIGHT_SHARE:.5f} N is the value at rest ({static.reactions.spherical_force[0, 2]:.5f} N)",
        ),
        Claim(
            "At t = 0 there is no inertia force yet",
            "Sec. 5",
            "0",
            f"{first - WEIGHT_SHARE:+.5f} N",
            f"{runs.joint[0, 1] - WEIGHT_SHARE:+.5f} N",
            "wrong",
            "the drivers A sin t start with their largest speed, so there are centrifugal forces",
        ),
        Claim(
            "Very high oscillation until about 1 s",
            "Sec. 5, Figs. 4-6",
            "until 1 s",
            f"{rest[0]:.0f} / {rest[1]:.1f} / {rest[2]:.2f} N in 0-0.5 / 0.5-1 / after 1 s",
            "none",
            "reproduced",
            "when the DAE is started with zero velocities (inferred: the paper does not say)",
        ),
        Claim(
            "The oscillation is due to the fixed step of HHT",
            "Sec. 5",
            "-",
            f"same step, consistent start: {start[0]:.3f} / {start[1]:.3f} / {start[2]:.3f} N",
            "none",
            "wrong",
            f"half the step from rest makes it larger: {fine[0]:.0f} N in 0-0.5 s (E003-3)",
        ),
        Claim(
            "Each link is treated as a rigid body, not as a point mass",
            "Abstract",
            "-",
            "constant diagonal inertia in Euler angles",
            "A I A^T with gyroscopic couples",
            "wrong",
            f"legs that must not spin reach {np.abs(runs.printed_spin).max():.2f} rad/s (E003-1)",
        ),
    )


def _structure(runs: MultibodyRuns) -> tuple[Claim, ...]:
    count = multibody.counts(runs.machine)
    right, printed = (_rank(runs, errata) for errata in ((), ("E003-6",)))
    found = operations.operations(runs.machine, runs.exact.motion[60])
    *stages, full = (tally.total for tally in found.values())
    legs, whole = sum(stages), sum(stages[:3]) + full
    slopes = {name: slope(errors) for name, errors in runs.order.items()}
    return (
        Claim(
            "13 bodies, 78 coordinates, 66 kinematic and 6 driving constraints",
            "Sec. 2, 3",
            "72 equations",
            f"rank {printed} with eq 4 as printed",
            f"{count['kinematic']} + {count['driving']}, rank {right}",
            "differs",
            "the third row of eq 4 is empty as printed (E003-6); six leg spins stay free",
        ),
        Claim(
            "HHT integrates the index-3 DAE",
            "Sec. 4",
            "-",
            "converges",
            f"order {slopes['hht']:.2f} (HHT), {slopes['generalized-alpha']:.2f} (generalized-alpha)",
            "reproduced",
            f"constraints met to {runs.exact.run.residual.max():.0e}; their rates drift by "
            f"{runs.order_drift[0]:.0e} m/s at h = 0.01 s without projection, {runs.order_drift[-1]:.0e} at h/8",
        ),
        Claim(
            "The method is simple and systematic compared with Lagrange and Newton-Euler",
            "Sec. 6",
            "-",
            f"{whole:,} operations with the full system of 150 unknowns",
            f"{legs:,} leg by leg",
            "unclear",
            "systematic: yes, five kinds of rows cover every leg type; compare 001's 4889 operations",
        ),
        Claim(
            "The procedure applies to any type of parallel manipulator",
            "Sec. 6",
            "-",
            "-",
            "UPS, SPS, PUS and RUS legs on the same rows",
            "reproduced",
            "with Newton-Euler balances in place of the printed mass matrix",
        ),
    )


def _rank(runs: MultibodyRuns, errata: tuple[str, ...]) -> int:
    system = EulerSystem(
        runs.machine, lambda t: (runs.length, runs.length * 0, runs.length * 0), errata
    )
    return int(np.linalg.matrix_rank(system.jacobian(initial_coordinates(runs.machine), 0.0)))


def errata(runs: MultibodyRuns) -> tuple[Erratum, ...]:
    """What is printed wrongly and what it costs."""
    error, peak = _mass_matrix_cost(runs)
    joint = np.abs(runs.printed_joint - runs.joint).max()
    size = np.linalg.norm(runs.joint, axis=1).max()
    cosine = np.abs(np.cos(runs.leg_angles[:, 7:, 1])).min(axis=0)
    rest, start, fine, gap = (
        runs.worst(run) for run in (runs.rest, runs.start, runs.rest_fine, runs.gap)
    )
    along = 0.1 * (UPPER[:, :3] - LOWER) / DISTANCE  # half a leg part, upwards
    base, top = (
        np.linalg.norm(x[:, [0, 2]], axis=1).mean() for x in (LOWER - along, UPPER[:, :3] + along)
    )
    return (
        Erratum(
            "E003-1",
            "Sec. 3.1: constant diagonal inertias in Euler coordinates; right is E^T (A I A^T) E with "
            "the couples -E^T (I Edot qd + w x I w).",
            f"{error:.3f} N of {peak:.2f} N on the actuators ({100 * error / peak:.1f} %), {joint:.3f} N of "
            f"{size:.1f} N on leg 1's joint, leg spins up to {np.abs(runs.printed_spin).max():.2f} rad/s",
        ),
        Erratum(
            "E003-2",
            "Euler angles for legs that come to gimbal lock; right: quaternions.  The multipliers of "
            "eq 4 are conjugate to angles, the physical couple is E^-T lambda.",
            f"smallest |cos beta| on the path: {cosine[0]:.4f} (leg 1), {cosine[5]:.4f} (leg 6)",
        ),
        Erratum(
            "E003-3",
            "The oscillation is blamed on the fixed step; it comes from initial velocities that do not "
            "satisfy Phi_q qd = -Phi_t.",
            f"from rest {rest[0]:.0f} / {rest[1]:.1f} / {rest[2]:.2f} N (0-0.5, 0.5-1, after 1 s), half the step "
            f"{fine[0]:.0f} / {fine[1]:.2f} / {fine[2]:.2f} N, consistent {start[0]:.3f} / {start[1]:.3f} / "
            f"{start[2]:.3f} N",
        ),
        Erratum(
            "E003-4",
            "Start height 0.3452 m in the text, 0.3466575 m in Table 3; Table 4's lower parts miss their "
            "base joints.",
            f"gap {_gap(runs):.3f} mm in every leg; alone it costs {gap[0]:.1f} N in the first steps",
        ),
        Erratum(
            "E003-5",
            "Table 1: radii in cm must be meters.",
            f"Table 4 puts the base joints at {base:.6f} m, the platform joints at {top:.6f} m",
        ),
        Erratum(
            "E003-6",
            "Eq 4, third entry gamma_L - gamma_L is zero; right gamma_U - gamma_L.",
            f"rank {_rank(runs, ('E003-6',))} of 72: no unique solution",
        ),
        Erratum(
            "E003-7",
            "Eq 12, lower left block phi^T must be phi_q; eq 10 has crosses for a scalar product.",
            "not computable as printed",
        ),
        Erratum(
            "E003-8",
            "Table 3: I_yy = 0.065 kg m^2 is that of a disc of the base radius; kept as printed.",
            f"m r^2/2 = {1.79 * 0.105**2 / 2:.5f} kg m^2 for the platform radius 0.105 m, "
            f"{1.79 * 0.27**2 / 2:.4f} for 0.27 m",
        ),
        Erratum(
            "E003-9",
            "78 - 72 = 6 freedoms are left: the leg spins; they decouple only because the legs are "
            "axisymmetric.",
            f"free: {multibody.counts(runs.machine)['free']}",
        ),
        Erratum(
            "E003-10",
            '"The only exact pose": the branch continued from the start, no proof of uniqueness.',
            "-",
        ),
    )


def _gap(runs: MultibodyRuns) -> float:
    """Distance of Table 4's lower joints from the base points, mm."""
    system = EulerSystem(runs.machine, lambda t: (runs.length, runs.length * 0, runs.length * 0))
    rows = system.assembly.block("base")[0].rows
    value = system.constraint(initial_coordinates(runs.machine), 0.0)[rows]
    return 1e3 * float(np.linalg.norm(value, axis=1).max())


def tables(runs: MultibodyRuns) -> tuple[TextTable, ...]:
    """Tables 1-4 as printed, and ours: rows of constraints by leg type, convergence."""
    legs = tuple(str(i) for i in range(1, 7))
    table_1 = TextTable(
        "003-table1",
        "Table 1. Angles of the spherical joints, deg (radii printed as cm, E003-5)",
        ("plate", "radius", *legs),
        (
            ("lower", "0.27", *(f"{a:.1f}" for a in BASE_ANGLES)),
            ("upper", "0.105", *(f"{a:.1f}" for a in PLATFORM_ANGLES)),
        ),
    )
    table_2 = TextTable(
        "003-table2",
        "Table 2. Actuator functions, m",
        ("leg", *legs),
        (("function", *(f"{a:g} sin t" for a in AMPLITUDES)),),
    )
    table_3 = TextTable(
        "003-table3",
        "Table 3. Platform",
        ("mass", "I_xx", "I_yy", "I_zz", "Y at start"),
        (("1.79 kg", "0.0326 kg m^2", "0.065 kg m^2", "0.0326 kg m^2", f"{HEIGHT} m"),),
    )
    rows = tuple(
        (f"{part} {i + 1}", *(f"{x:.7f}" for x in values))
        for part, block in (("upper", UPPER), ("lower", np.hstack([LOWER, UPPER[:, 3:]])))
        for i, values in enumerate(block)
    )
    table_4 = TextTable(
        "003-table4",
        "Table 4. Leg parts at the start (0.12254 kg, 0.2 m, I = 409.2253e-6, 1.53e-6, "
        "409.2253e-6 kg m^2)",
        ("part", "X (m)", "Y (m)", "Z (m)", "theta", "beta", "gamma"),
        rows,
    )
    kinds = (
        ("SPS", "11", "1", "66 + 6", "6 spins"),
        ("UPS", "12", "1", "72 + 6", "none"),
        ("PUS", "12", "1", "72 + 6", "none"),
        ("RUS", "12", "1", "72 + 6", "none"),
    )
    counted = TextTable(
        "003-rows",
        "Constraints of thirteen bodies by leg type",
        ("leg", "kinematic per leg", "driving per leg", "machine", "left free"),
        kinds,
    )
    order = TextTable(
        "003-order",
        "Position error by step, m",
        ("step (s)", *runs.order),
        tuple(
            (f"{h:g}", *(f"{e[k]:.2e}" for e in runs.order.values()))
            for k, h in enumerate(ORDER_STEPS)
        ),
    )
    return (
        table_1,
        table_2,
        table_3,
        table_4,
        counted,
        operations.table(runs.machine, runs.exact.motion[60]),
        order,
    )
