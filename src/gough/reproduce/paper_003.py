"""[ElBadawy] (003): its figures, tables and claims; the DAE of thirteen bodies as printed and exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.formulations import multibody
from gough.formulations.multibody.euler import PAPER, EulerSystem, angles
from gough.formulations.multibody.kinematics import configuration
from gough.formulations.multibody.published import solve_printed
from gough.model import Platform
from gough.model.files import load
from gough.reproduce import claims_003
from gough.reproduce.legs_page import machine_drawing
from gough.reproduce.page_types import Curve, Figure, Panel, PaperReport, Progress, tell
from gough.reproduce.tables_003 import AMPLITUDES, DISTANCE, initial_coordinates
from gough.simulation.dae import DaeResult, Lengths, MachineSystem, collect, simulate_dae
from gough.simulation.generalized_alpha import DaeRun, Method, consistent, integrate
from gough.spatial import Motion, rotation_from_quaternion, rpy_from_rotation

PERIOD = 2 * np.pi
STEP = PERIOD / 628  # close to 0.01 s and a divisor of the period
ALPHA = -0.05
ORDER_STEPS = (0.01, 0.005, 0.0025, 0.00125)
ORDER_SPAN = 0.05
CHOICES = (
    "HHT with alpha = -0.05 and h = 0.01 s (2 pi/628); the paper names neither",
    "duration 4 pi; initial velocities consistent (Phi_q qd = -Phi_t), and zero beside it",
    "driver c_i(t) on the leg length of Table 3's pose (0.40004 m), so that the start pose is exact",
    "gravity 9.81 m/s^2; leg spin zero at the start; leg axes at the start as in Table 4",
    "our z axis is the paper's Y; figures are drawn in the paper's axes",
)
AXES = ("X", "Y", "Z")


@dataclass(frozen=True, eq=False)
class Runs:
    """All runs that the page shows.

    exact     quaternions, consistent start, one period;  printed: eq 12 as printed at the exact states
    rest      the paper's DAE from zero velocities, two periods;  start: the same, consistent, one period
    rest_fine, gap   from zero velocities with h/2, and from Table 4 with its gap (c(0) = 0.2000201529 m), 1.5 s
    printed_spin  spin rates of the legs in `start`, rad/s: zero if it were right
    kinematics_error  distance from the pose of the leg lengths, m
    order     error of position by method and step, m;  order_drift  largest ``|Phi_q v|`` there without projection
    """

    machine: Platform
    length: Array
    exact: DaeResult
    leg_angles: Array
    joint: Array
    printed_joint: Array
    printed_force: Array
    printed_spin: Array
    kinematics_error: float
    rest: DaeRun
    start: DaeRun
    rest_fine: DaeRun
    gap: DaeRun
    order: dict[str, Array]
    order_drift: Array

    def exact_joint(self, time: Array) -> Array:
        """Leg 1's joint force on the platform at `time`, paper's axes, periodic continuation."""
        t = np.mod(time, PERIOD)
        return np.stack([np.interp(t, self.exact.time, self.joint[:, k]) for k in range(3)], axis=-1)

    def error(self, run: DaeRun) -> Array:
        """``|F_y - exact|`` of a run of the printed DAE, N."""
        return np.abs(joint_force(run)[:, 1] - self.exact_joint(run.time)[:, 1])

    def worst(self, run: DaeRun) -> tuple[float, float, float]:
        """Largest error of F_y in [0, 0.5), [0.5, 1) and after 1 s, the first sample left out."""
        error, t = self.error(run)[1:], run.time[1:] + 1e-9
        parts = (t < 0.5, (t >= 0.5) & (t < 1.0), t >= 1.0)
        return tuple(float(error[part].max()) for part in parts)  # type: ignore[return-value]

    @property
    def euler(self) -> Array:
        """Platform angles theta, beta, gamma of the exact run, rad."""
        return rpy_from_rotation(PAPER @ self.exact.motion.rotation @ PAPER.T)

    @property
    def position(self) -> Array:
        """Platform position of the exact run, paper's axes, m."""
        return self.exact.motion.position @ PAPER.T


def joint_force(run: DaeRun) -> Array:
    """Force of leg 1 on the platform from the first three multipliers, paper's axes, (n, 3)."""
    return -run.multiplier[:, :3] @ PAPER.T


def drivers(length: Array) -> Lengths:
    """``t -> (l, ld, ldd)`` with Table 2's amplitudes."""
    def lengths(t: float) -> tuple[Array, Array, Array]:
        return length + AMPLITUDES * np.sin(t), AMPLITUDES * np.cos(t), -AMPLITUDES * np.sin(t)

    return lengths


def reproduce(progress: Progress | None = None) -> PaperReport:
    """Everything the page shows about 003."""
    runs = simulate(progress)
    tell(progress, "003: figures", 0.95)
    report = PaperReport(
        key="003",
        citation="El-Badawy, A., Youssef, K.: On modeling and simulation of 6 degrees of freedom Stewart platform "
                 "mechanism using multibody dynamics approach",
        summary=claims_003.summary(runs),
        mechanism="6-SPS, thirteen bodies, 78 coordinates, 66 kinematic and 6 driving constraints; leg lengths "
                  "prescribed, platform 1.79 kg, leg parts 0.12254 kg",
        choices=CHOICES,
        figures=(
            machine_drawing(runs.machine, runs.exact.motion[0].pose, "003-fig01", "Fig. 1. The mechanism",
                            "At the start pose of Table 3; our z axis is the paper's Y."),
            _position(runs), _orientation(runs), *_reactions(runs),
            _start(runs), _mass_matrix(runs), _gimbal(runs), _order(runs)),
        tables=claims_003.tables(runs),
        claims=claims_003.claims(runs),
        errata=claims_003.errata(runs),
    )
    tell(progress, "003: done", 1.0)
    return report


def simulate(progress: Progress | None = None) -> Runs:
    """All integrations of 003."""
    machine = load("elbadawy-6sps")
    length = configuration(machine, machine.require_home())[1]
    lengths = drivers(length)
    printed = EulerSystem(machine, lengths)
    table = initial_coordinates(machine)
    system = MachineSystem(machine, lengths=lengths)
    tell(progress, "003: exact motion of thirteen bodies", 0.0)
    # the true kinetic metric leaves the legs without spin; the printed matrix as a metric would not
    first, u = consistent(system, system.configuration(printed.state(table)), None, 0.0)
    exact = collect(system, integrate(system, first, u, duration=PERIOD, step=STEP, method=Method.hht(ALPHA),
                                      project=True))
    states = exact.states
    q = _near(printed.coordinates(system.state(first)), table)
    v = printed.rates(q, u)
    tell(progress, "003: as printed, from rest", 0.2)
    rest = integrate(printed, q, np.zeros(78), duration=2 * PERIOD, step=STEP, method=Method.hht(ALPHA))
    tell(progress, "003: as printed, consistent start", 0.55)
    start = integrate(printed, q, v, duration=PERIOD, step=STEP, method=Method.hht(ALPHA))
    tell(progress, "003: half the step, and the gap of Table 4", 0.75)
    fine = integrate(printed, q, np.zeros(78), duration=150 * STEP, step=STEP / 2, method=Method.hht(ALPHA))
    shorter = EulerSystem(machine, drivers(np.full(6, DISTANCE + 0.2)))
    gap = integrate(shorter, table, v, duration=150 * STEP, step=STEP, method=Method.hht(ALPHA))
    tell(progress, "003: order of the integrators", 0.85)
    order, drift = convergence(machine)
    _, multiplier = solve_printed(printed, states, exact.run.vd)
    bodies = printed.state(start.q, start.v)
    spin = (bodies.w[:, 7:13] * bodies.A[:, 7:13, :, 0]).sum(axis=-1)
    return Runs(machine, length, exact, angles(states), exact.reactions.spherical_force[:, 0] @ PAPER.T,
                -multiplier[:, :3] @ PAPER.T, -multiplier[:, system.assembly.driver_rows], spin,
                _kinematics_error(machine, exact), rest, start, fine, gap, order, drift)


def _near(q: Array, table: Array) -> Array:
    """The coordinates q with their angles on the branch (turns, and reflected beta) that Table 4 prints."""
    bodies, printed = q.reshape(13, 6).copy(), table.reshape(13, 6)
    e = bodies[:, 3:]
    other = np.stack([e[:, 0] + np.pi, np.pi - e[:, 1], e[:, 2] + np.pi], axis=1)
    turned = [x + 2 * np.pi * np.round((printed[:, 3:] - x) / (2 * np.pi)) for x in (e, other)]
    far = [np.abs(x - printed[:, 3:]).sum(axis=1, keepdims=True) for x in turned]
    bodies[:, 3:] = np.where(far[0] <= far[1], turned[0], turned[1])
    return bodies.ravel()


def _kinematics_error(machine: Platform, exact: DaeResult) -> float:
    """Distance between the DAE's positions and the poses that Newton's method finds for the leg lengths, m."""
    worst = 0.0
    lengths = drivers(exact.length[0])
    for k in range(0, len(exact.time), 16):
        wanted = lengths(exact.time[k])[0]
        t, R = exact.motion.position[k], exact.motion.rotation[k]
        for _ in range(6):
            arm = machine.platform_joints @ R.T
            S = t + arm - machine.base_joints
            L = np.linalg.norm(S, axis=1)
            s = S / L[:, None]
            x = np.linalg.solve(np.hstack([s, np.cross(arm, s)]), wanted - L)
            half = np.array([1.0, *(x[3:] / 2)])
            t, R = t + x[:3], rotation_from_quaternion(half) @ R
        worst = max(worst, float(np.abs(t - exact.motion.position[k]).max()))
    return worst


def convergence(machine: Platform) -> tuple[dict[str, Array], Array]:
    """Forced motion under constant forces against the reduced equations: error of position by step, m."""
    from scipy.integrate import solve_ivp

    home = machine.home
    assert home is not None
    first = Motion(home.position, home.rotation, np.array([0.1, -0.05, 0.1]), np.array([0.4, 0.3, -0.5]))
    hold = multibody.inverse_dynamics(machine, Motion.at_rest(home)).force * np.array([1.2, 0.8, 1.1, 0.9, 1.3, 0.7])

    def right(_: float, y: Array) -> Array:
        quaternion, v, w = y[3:7], y[7:10], y[10:]
        state = Motion(y[:3], rotation_from_quaternion(quaternion), v, w)
        acc = multibody.forward_dynamics(machine, state, hold)
        turning = 0.5 * np.concatenate([[-w @ quaternion[1:]], quaternion[0] * w + np.cross(w, quaternion[1:])])
        return np.concatenate([v, turning, acc.acceleration, acc.angular_acceleration])

    y = np.concatenate([first.position, first.pose.quaternion, first.velocity, first.angular_velocity])
    end = solve_ivp(right, (0.0, ORDER_SPAN), y, rtol=1e-11, atol=1e-12, method="DOP853").y[:3, -1]
    errors, drift = {}, []
    for name in ("hht", "generalized-alpha"):
        found = []
        for h in ORDER_STEPS:
            run = simulate_dae(machine, first, ORDER_SPAN, h, force=hold, method=name, project=False)
            found.append(float(np.abs(run.motion.position[-1] - end).max()))
            if name == "hht":
                drift.append(float(run.run.velocity_residual.max()))
        errors[name] = np.array(found)
    return errors, np.array(drift)


def slope(errors: Array) -> float:
    """Measured order: regression of log error on log step."""
    return float(np.polyfit(np.log(ORDER_STEPS), np.log(errors), 1)[0])


def _twice(runs: Runs, values: Array) -> tuple[Array, Array]:
    """One period of samples, drawn twice."""
    t = runs.exact.time
    return np.concatenate([t, t[1:] + PERIOD]), np.concatenate([values, values[1:]])


def _position(runs: Runs) -> Figure:
    curves = []
    printed = runs.rest.q[:, :3] @ PAPER.T
    for k, name in enumerate(AXES):
        t, y = _twice(runs, runs.position[:, k])
        curves += [Curve(name, t, y, "exact", k),
                   Curve("" if k else "as printed, from rest", runs.rest.time, printed[:, k], "printed", k)]
    return Figure("003-fig02", "Fig. 2. Position of the platform",
                  "The legs are driven, so the printed mass matrix and the start from rest do not show here: exact "
                  "and printed curves lie on each other.",
                  (Panel("", "time (s)", "position (m)", tuple(curves)),))


def _orientation(runs: Runs) -> Figure:
    curves = []
    for k, name in enumerate(("theta (X)", "beta (Y)", "gamma (Z)")):
        t, y = _twice(runs, runs.euler[:, k])
        label = "" if k else "as printed, from rest"
        curves += [Curve(name, t, y, "exact", k),
                   Curve(label, runs.rest.time, runs.rest.q[:, 3 + k], "printed", k)]
    return Figure("003-fig03", "Fig. 3. Orientation of the platform", "Fixed-axis angles, A = Rz Ry Rx (eq 1).",
                  (Panel("", "time (s)", "angle (rad)", tuple(curves)),))


def _reactions(runs: Runs) -> list[Figure]:
    figures = []
    rest = joint_force(runs.rest)
    for k, name in enumerate(AXES):
        t, y = _twice(runs, runs.joint[:, k])
        low, high = y.min(), y.max()
        margin = 0.6 * (high - low)
        curves = (Curve("exact", t, y, "exact", 0),
                  Curve("as printed, from rest", runs.rest.time, rest[:, k], "printed", 0))
        early = runs.rest.time <= 1.5
        first = (Curve("exact", t[t <= 1.5], y[t <= 1.5], "exact", 0),
                 Curve("as printed, from rest", runs.rest.time[early], rest[early, k], "printed", 0))
        figures.append(Figure(
            f"003-fig{4 + k:02d}", f"Fig. {4 + k}. {name} component of the force in leg 1's upper joint",
            f"Force of the leg on the platform.  Exact range {low:.3f} to {high:.3f} N.  Started from rest the printed "
            f"DAE swings by up to {np.abs(rest[:, k]).max():.0f} N and settles after about 1 s, as the paper shows.",
            (Panel("two periods", "time (s)", "force (N)", curves, ylimits=(float(low - margin), float(high + margin))),
             Panel("the first 1.5 s", "time (s)", "force (N)", first)), columns=2))
    return figures


def _start(runs: Runs) -> Figure:
    """Ours: the paper blames the fixed step; the initial velocities do it."""
    def curve(label: str, run: DaeRun, style: str, group: int) -> Curve:
        shown = (run.time > 0) & (run.time <= 2.0)
        return Curve(label, run.time[shown], np.maximum(runs.error(run)[shown], 1e-6), style, group)

    curves = (curve("from rest, 0.01 s", runs.rest, "printed", 0),
              curve("from rest, 0.005 s", runs.rest_fine, "reference", 1),
              curve("gap of Table 4", runs.gap, "aid", 2),
              curve("consistent, 0.01 s", runs.start, "exact", 3))
    return Figure("003-start", "Why the forces oscillate at first",
                  "Error of the Y component as printed, by start and step.  With the same step and velocities that "
                  "satisfy Phi_q qd = -Phi_t there is none; what remains is the printed mass matrix (E003-1).",
                  (Panel("", "time (s)", "|error of F_y| (N)", curves, yscale="log"),))


def _mass_matrix(runs: Runs) -> Figure:
    """Ours: the driving multipliers, which the paper does not show."""
    time, error = runs.exact.time, runs.printed_force - runs.exact.force

    def six(values: Array, style: str) -> tuple[Curve, ...]:
        return tuple(Curve(f"leg {i + 1}", time, values[:, i], style, i) for i in range(6))

    return Figure("003-forces", "Actuator forces, and what the printed mass matrix does to them",
                  "Multipliers of the driving constraints with their sign turned.  Constant diagonal inertias in Euler "
                  f"coordinates (E003-1) cost up to {np.abs(error).max():.3f} N of "
                  f"{np.abs(runs.exact.force).max():.2f} N.",
                  (Panel("exact", "time (s)", "force (N)", six(runs.exact.force, "exact")),
                   Panel("as printed minus exact", "time (s)", "difference (N)", six(error, ""))), columns=2)


def _gimbal(runs: Runs) -> Figure:
    curves = tuple(Curve(f"leg {i + 1}", runs.exact.time, np.abs(np.cos(runs.leg_angles[:, 7 + i, 1])), "", i)
                   for i in range(6))
    return Figure("003-gimbal", "How close the legs come to gimbal lock",
                  "|cos beta| along the motion from Table 4's leg axes without spin; at zero the Euler angles have no "
                  "rates (E003-2).", (Panel("", "time (s)", "|cos beta|", curves, yscale="log"),))


def _order(runs: Runs) -> Figure:
    """Ours: measured order."""
    h = np.log10(ORDER_STEPS)
    curves = tuple(Curve(f"{name}: order {slope(e):.2f}", h, e, "", k)
                   for k, (name, e) in enumerate(runs.order.items()))
    line = Curve("slope 2", h, 0.5 * runs.order["hht"][0] * 10 ** (2 * (h - h[0])), "aid", 2)
    return Figure("003-order", "Convergence of the integrators",
                  f"The same machine under constant actuator forces for {ORDER_SPAN:g} s: position error against the "
                  "reduced equations integrated to 1e-11.",
                  (Panel("", "log10 of the step in s", "position error (m)", (*curves, line), yscale="log"),))
