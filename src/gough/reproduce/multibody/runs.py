"""All integrations of [ElBadawy] (003): the DAE of thirteen bodies, exact and as printed, and its convergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array
from gough.extras import package
from gough.formulations import multibody
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.euler import PAPER, EulerSystem, angles
from gough.formulations.multibody.joint_reactions import joint_reactions
from gough.formulations.multibody.kinematics import configuration
from gough.formulations.multibody.published import solve_printed
from gough.kinematics.forward import Track, track
from gough.model import Platform
from gough.model.files import load
from gough.reproduce.multibody.branches import Branches, branches
from gough.reproduce.multibody.tables import AMPLITUDES, DISTANCE, LOWER_PARTS, initial_coordinates
from gough.reproduce.page import Progress, tell
from gough.results import Reactions
from gough.simulation.alpha_family import DaeRun, consistent, integrate
from gough.simulation.dae import DaeResult, Lengths, MachineSystem, collect, simulate_dae
from gough.simulation.integrators.hht import hht
from gough.spatial import Motion, rotation_from_quaternion, rpy_from_rotation

PERIOD = 2 * np.pi
STEP = PERIOD / 628  # close to 0.01 s and a divisor of the period
ALPHA = -0.05
ORDER_STEPS = (0.01, 0.005, 0.0025, 0.00125)
ORDER_SPAN = 0.05


@dataclass(frozen=True, eq=False)
class MultibodyRuns:
    """All runs that the page shows.

    exact     quaternions, consistent start, one period;  printed: eq 12 as printed at the exact states
    rest      the paper's DAE from zero velocities, two periods;  start: the same, consistent, one period
    rest_fine, gap   from zero velocities with h/2, and from Table 4 with its gap (c(0) = 0.2000201529 m), 1.5 s
    reactions, printed_reactions  of every joint, world axes;  printed_acceleration (n, 13, 6) of the bodies, as printed
    printed_states  the bodies in `start`;  track: the pose followed by the leg lengths alone, with its proofs
    branches  all poses of these lengths
    order     error of position by method and step, m;  order_drift  largest ``|Phi_q v|`` there without projection
    """

    machine: Platform
    length: Array
    exact: DaeResult
    leg_angles: Array
    reactions: Reactions
    printed_reactions: Reactions
    printed_force: Array
    printed_acceleration: Array
    printed_states: BodyState
    track: Track
    branches: Branches
    rest: DaeRun
    start: DaeRun
    rest_fine: DaeRun
    gap: DaeRun
    order: dict[str, Array]
    order_drift: Array

    @property
    def joint(self) -> Array:
        """Force of leg 1 on the platform, paper's axes, (n, 3)."""
        return self.reactions.spherical_force[:, 0] @ PAPER.T

    @property
    def printed_joint(self) -> Array:
        """The same as printed, at the exact states."""
        return self.printed_reactions.spherical_force[:, 0] @ PAPER.T

    @property
    def printed_spin(self) -> Array:
        """Spin rates of the legs in `start`, rad/s: zero if it were right."""
        axis = self.printed_states.A[:, LOWER_PARTS, :, 0]
        return (self.printed_states.w[:, LOWER_PARTS] * axis).sum(axis=-1)

    @property
    def kinematics_error(self) -> float:
        """Largest distance of the integrated positions from the poses of the leg lengths, m."""
        return float(np.abs(self.track.pose.position - self.exact.motion.position).max())

    def exact_joint(self, time: Array) -> Array:
        """Leg 1's joint force on the platform at `time`, paper's axes, periodic continuation."""
        t = np.mod(time, PERIOD)
        return np.stack(
            [np.interp(t, self.exact.time, self.joint[:, k]) for k in range(3)], axis=-1
        )

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


def simulate(progress: Progress | None = None, machine: Platform | None = None) -> MultibodyRuns:
    """All integrations of 003, of its machine or of another."""
    machine = machine or load("elbadawy-6sps")
    assert machine.home is not None
    length = configuration(machine, machine.home)[1]
    lengths = drivers(length)
    printed = EulerSystem(machine, lengths)
    table = initial_coordinates(machine)
    system = MachineSystem(machine, lengths=lengths)
    tell(progress, "003: exact motion of thirteen bodies", 0.0)
    # the true kinetic metric leaves the legs without spin; the printed matrix as a metric would not
    first, u = consistent(system, system.configuration(printed.state(table)), None, 0.0)
    exact = collect(
        system,
        integrate(system, first, u, duration=PERIOD, step=STEP, method=hht(ALPHA), project=True),
    )
    states = exact.states
    q = _near(printed.coordinates(system.state(first)), table)
    v = printed.rates(q, u)
    tell(progress, "003: as printed, from rest", 0.2)
    rest = integrate(printed, q, np.zeros(78), duration=2 * PERIOD, step=STEP, method=hht(ALPHA))
    tell(progress, "003: as printed, consistent start", 0.55)
    start = integrate(printed, q, v, duration=PERIOD, step=STEP, method=hht(ALPHA))
    tell(progress, "003: half the step, and the gap of Table 4", 0.75)
    fine = integrate(
        printed, q, np.zeros(78), duration=150 * STEP, step=STEP / 2, method=hht(ALPHA)
    )
    shorter = EulerSystem(machine, drivers(np.full(6, DISTANCE + 0.2)))
    gap = integrate(shorter, table, v, duration=150 * STEP, step=STEP, method=hht(ALPHA))
    tell(progress, "003: order of the integrators", 0.85)
    order, drift = convergence(machine)
    ud, multiplier = solve_printed(printed, states, exact.run.vd)
    driven = np.array([lengths(float(t))[0] for t in exact.time])
    return MultibodyRuns(
        machine,
        length,
        exact,
        angles(states),
        exact.reactions,
        joint_reactions(system.assembly, states, ud, multiplier),
        -multiplier[:, system.assembly.driver_rows],
        ud.reshape(len(ud), 13, 6),
        printed.state(start.q, start.v),
        track(machine, driven, machine.home),
        branches(machine, length),
        rest,
        start,
        fine,
        gap,
        order,
        drift,
    )


def _near(q: Array, table: Array) -> Array:
    """The coordinates q with their angles on the branch (turns, and reflected beta) that Table 4 prints."""
    bodies, printed = q.reshape(13, 6).copy(), table.reshape(13, 6)
    e = bodies[:, 3:]
    other = np.stack([e[:, 0] + np.pi, np.pi - e[:, 1], e[:, 2] + np.pi], axis=1)
    turned = [x + 2 * np.pi * np.round((printed[:, 3:] - x) / (2 * np.pi)) for x in (e, other)]
    far = [np.abs(x - printed[:, 3:]).sum(axis=1, keepdims=True) for x in turned]
    bodies[:, 3:] = np.where(far[0] <= far[1], turned[0], turned[1])
    return bodies.ravel()


def convergence(machine: Platform) -> tuple[dict[str, Array], Array]:
    """Forced motion under constant forces against the reduced equations: error of position by step, m."""
    solve_ivp = package("scipy.integrate").solve_ivp

    home = machine.home
    assert home is not None
    first = Motion(
        home.position, home.rotation, np.array([0.1, -0.05, 0.1]), np.array([0.4, 0.3, -0.5])
    )
    hold = multibody.inverse_dynamics(machine, Motion.at_rest(home)).force * np.array(
        [1.2, 0.8, 1.1, 0.9, 1.3, 0.7]
    )

    def right(_: float, y: Array) -> Array:
        position, quaternion, v, w = np.split(y, (3, 7, 10))
        state = Motion(position, rotation_from_quaternion(quaternion), v, w)
        acc = multibody.forward_dynamics(machine, state, hold)
        turning = 0.5 * np.concatenate(
            [[-w @ quaternion[1:]], quaternion[0] * w + np.cross(w, quaternion[1:])]
        )
        return np.concatenate([v, turning, acc.acceleration, acc.angular_acceleration])

    y = np.concatenate(
        [first.position, first.pose.quaternion, first.velocity, first.angular_velocity]
    )
    end = solve_ivp(right, (0.0, ORDER_SPAN), y, rtol=1e-11, atol=1e-12, method="DOP853").y[:3, -1]
    errors, drift = {}, []
    for name in ("hht", "generalized-alpha"):
        found = []
        for h in ORDER_STEPS:
            run = simulate_dae(
                machine, first, ORDER_SPAN, h, force=hold, method=name, project=False
            )
            found.append(float(np.abs(run.motion.position[-1] - end).max()))
            if name == "hht":
                drift.append(float(run.run.velocity_residual.max()))
        errors[name] = np.array(found)
    return errors, np.array(drift)


def slope(errors: Array) -> float:
    """Measured order: regression of log error on log step."""
    return float(np.polyfit(np.log(ORDER_STEPS), np.log(errors), 1)[0])
